"""Conversations on both pages: what is written with and without a connection, seen, taken back, put away."""
import io
import re
import urllib.request

import pytest
from PIL import Image
from playwright.sync_api import expect

from conftest import ADDRESS, Courier, Store, call, carried, drawn, escape, go, hold, live, panel, release, rest, sign_in, until


def talk(shop, ana, *texts):
    """Their conversation, with what Ana has said in it."""
    talk = call("PUT", f"/v1/conversations/with/{shop.id}", token=ana.token)["id"]
    for text in texts:
        call("POST", f"/v1/conversations/{talk}/messages", {"text": text}, ana.token)
    return talk


def said(talk, who):
    return [one["text"] for one in reversed(call("GET", f"/v1/conversations/{talk}/messages", token=who.token)["items"])]


def bubbles(page):
    return page.locator(".bubble .words")


def write(page, text):
    page.get_by_role("textbox", name="Message").fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def messages(page):
    """Goes to the list, whose link says how many are unread."""
    page.get_by_role("link", name=re.compile("^Messages")).click()
    expect(page.locator(".list-talks")).to_be_visible()


def quiet(page):
    """The question about notifications stands above, once."""
    page.evaluate("localStorage.setItem('kurir.device', 'none')")
    page.reload()
    live(page)


@pytest.mark.journey
def test_both_sides_write_one_of_them_without_a_connection(visit, line, look):
    shop, ana, job, page = carried(visit=visit, line=line, fetched=False)
    quiet(page)
    store = visit("/store")
    sign_in(store, shop)
    quiet(store)
    # From the job to its conversation.
    page.locator(".card.in_progress").get_by_role("link", name="Write to Pekara").click()
    # A phone shows no keys that nobody has asked for.
    expect(page.get_by_role("textbox", name="Message")).not_to_be_focused()
    expect(page.locator(".open-talk").get_by_text("Nothing has been written yet.")).to_be_visible()
    expect(page.get_by_role("link", name="About a delivery")).to_be_visible()
    look(page, "talk-empty-phone")
    page.get_by_role("button", name="Nobody opens").click()
    expect(bubbles(page)).to_have_text(["Nobody opens"])
    # The store hears of it wherever it is.
    expect(store.get_by_text("Ana Anić: Nobody opens")).to_be_visible()
    expect(store.get_by_role("link", name="Messages, 1 unread")).to_be_visible()
    store.get_by_role("link", name="Messages, 1 unread").click()
    look(store, "talks")
    store.locator(".talks a").click()
    expect(bubbles(store)).to_have_text(["Nobody opens"])
    # Who has keys writes at once.
    expect(store.get_by_role("textbox", name="Message")).to_be_focused()
    expect(store.get_by_role("link", name="Messages", exact=True)).to_be_visible()
    expect(page.get_by_text("Seen")).to_be_visible()
    # What is carried stands above what is said of it, for both.
    expect(store.locator(".under-way a")).to_contain_text("Iva Ivić, Vukovarska 5")
    expect(page.locator(".under-way a")).to_contain_text("Iva Ivić, Vukovarska 5")
    # From the conversation to its job.
    store.locator(".bubble").get_by_role("link", name="About a delivery").click()
    expect(store.get_by_role("dialog", name="Iva Ivić")).to_be_visible()
    store.get_by_role("dialog").get_by_role("link", name="Write to Ana Anić").click()
    expect(bubbles(store)).to_have_text(["Nobody opens"])
    # The courier loses the connection, and goes on writing.
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    line.cut()
    expect(page.get_by_text("Not live")).to_be_visible()
    write(page, "I wait")
    write(page, "Five more minutes")
    write(page, "Never mind")
    expect(page.locator(".unsent")).to_have_count(3)
    expect(page.get_by_text("Waits to be sent").first).to_be_visible()
    look(page, "talk-without-connection")
    # What has not gone out can be taken back, and is what one writes again.
    page.locator(".unsent").filter(has_text="Never mind").get_by_role("button", name="Do not send").evaluate("(button) => button.click()")
    expect(page.locator(".unsent")).to_have_count(2)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Never mind")
    # The page opens again without a connection, and still has it.
    page.reload()
    expect(bubbles(page)).to_have_text(["Nobody opens", "I wait", "Five more minutes"])
    write(store, "Ring at Horvat's")
    expect(bubbles(store)).to_have_text(["Nobody opens", "Ring at Horvat's"])
    line.mend()
    expect(bubbles(store)).to_have_text(["Nobody opens", "Ring at Horvat's", "I wait", "Five more minutes"])
    expect(bubbles(page)).to_have_text(["Nobody opens", "Ring at Horvat's", "I wait", "Five more minutes"])
    expect(page.locator(".unsent")).to_have_count(0)
    one = call("GET", "/v1/conversations", token=shop.token)["items"][0]["id"]
    assert said(one, shop) == ["Nobody opens", "Ring at Horvat's", "I wait", "Five more minutes"]
    look(page, "talk-phone")
    look(store, "talk")


def test_a_conversation_that_was_never_open_here_can_be_written_in_without_a_connection(visit, line, look):
    shop, ana, job, page = carried(visit=visit, line=line, fetched=False)
    there = talk(shop, ana, "I am on my way")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    messages(page)
    expect(page.locator(".talks a")).to_have_count(1)
    line.cut()
    expect(page.locator(".banner.out")).to_be_visible()
    page.locator(".talks a").click()
    expect(page.get_by_text("What was said before is not on this device.")).to_be_visible()
    expect(page.get_by_role("link", name="All conversations")).to_be_visible()
    write(page, "Nobody opens")
    expect(page.locator(".unsent")).to_have_count(1)
    # What one writes in lies beneath nothing, whatever stands above.
    box, bar = page.get_by_role("button", name="Send", exact=True).bounding_box(), page.locator("nav").bounding_box()
    assert box["y"] + box["height"] <= bar["y"], (box, bar)
    assert page.locator(".head-of-talk").bounding_box()["y"] >= (above := page.locator(".banner.out").bounding_box())["y"] + above["height"]
    look(page, "talk-never-open")
    line.mend()
    expect(bubbles(page)).to_have_text(["I am on my way", "Nobody opens"])
    assert said(there, shop) == ["I am on my way", "Nobody opens"]


def test_the_store_goes_on_without_a_connection_too_and_nothing_is_sent_twice(visit, line):
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, "Hello")
    store = visit("/store", forgiving=["net::ERR_"], address=line.address)
    sign_in(store, shop)
    messages(store)
    store.locator(".talks a").click()
    expect(bubbles(store)).to_have_text(["Hello"])
    # It arrives, but the answer is lost.
    answers = []
    store.route("**/v1/conversations/*/messages", lambda route: (answers.append(route.fetch()), route.abort()) if not answers else route.continue_())
    write(store, "Come back")
    until(store, lambda: said(one, ana) == ["Hello", "Come back"])
    expect(store.locator(".unsent")).to_have_count(0)
    expect(bubbles(store)).to_have_text(["Hello", "Come back"])
    line.cut()
    expect(store.get_by_text("Not live")).to_be_visible()
    write(store, "Wait")
    write(store, "For the cake")
    expect(store.locator(".unsent")).to_have_count(2)
    line.mend()
    expect(store.locator(".unsent")).to_have_count(0)
    assert said(one, ana) == ["Hello", "Come back", "Wait", "For the cake"]


def test_a_picture_taken_without_a_connection_goes_out_once_and_before_what_was_written_after_it(visit, line):
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, "Look")
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    expect(bubbles(page)).to_have_text(["Look"])
    line.cut()
    expect(page.get_by_text("Not live")).to_be_visible()
    page.get_by_role("button", name="Take a picture").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it").click()
    expect(page.locator(".unsent canvas")).to_be_visible()
    write(page, "Is this the door?")
    expect(page.locator(".unsent")).to_have_count(2)
    line.mend()
    expect(page.locator(".unsent")).to_have_count(0)
    items = call("GET", f"/v1/conversations/{one}/messages", token=shop.token)["items"]
    assert [(item["text"], "file" in item) for item in reversed(items)] == [("Look", False), (None, True), ("Is this the door?", False)]


@pytest.mark.journey
def test_a_picture_from_the_camera_is_small_and_seen_by_the_other(visit, look):
    shop = Store()
    ana = Courier(shop)
    talk(shop, ana, "Look")
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    page.get_by_role("button", name="Take a picture").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it").click()
    expect(page.locator(".bubble img")).to_be_visible()
    store = visit("/store", dark=True)
    sign_in(store, shop)
    quiet(store)
    messages(store)
    store.locator(".talks a").click()
    picture = store.locator(".bubble img")
    expect(picture).to_be_visible()
    until(store, lambda: picture.evaluate("(image) => image.complete && image.naturalWidth > 0"))
    message = call("GET", "/v1/conversations", token=shop.token)["items"][0]["last_message"]
    assert max(message["file"]["width"], message["file"]["height"]) <= 1600
    look(store, "talk-dark")


def test_a_large_picture_that_was_chosen_is_sent_small_and_upright(visit):
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, "Look")
    # As phones keep what they take upright: lying, with a note of how to turn it. What is red is the top.
    lying = Image.effect_noise((4000, 3000), 60).convert("RGB")
    lying.paste((220, 20, 20), (0, 0, 1000, 3000))
    exif = Image.Exif()
    exif[0x0112] = 6
    lying.save(large := io.BytesIO(), "JPEG", exif=exif, quality=95)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    # Where no camera may be used, what is left is to choose one.
    page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error('none')); }")
    page.get_by_role("button", name="Take a picture").click()
    expect(page.locator("dialog label.main")).to_be_visible()
    expect(page.get_by_role("button", name="Take it", exact=True)).to_be_hidden()
    with page.expect_request(lambda request: request.url.endswith("/v1/files")) as sent:
        page.get_by_label("Choose a picture").set_input_files({"name": "door.jpg", "mimeType": "image/jpeg", "buffer": large.getvalue()})
    expect(page.locator(".bubble img")).to_be_visible()
    assert sent.value.sizes()["requestBodySize"] < 1_000_000 < len(large.getvalue())
    file = call("GET", f"/v1/conversations/{one}/messages", token=shop.token)["items"][0]["file"]
    assert (file["width"], file["height"]) == (1200, 1600)
    request = urllib.request.Request(f"{ADDRESS}/v1/files/{file['id']}", headers={"Authorization": f"Bearer {shop.token}"})
    with urllib.request.urlopen(request) as answer:
        seen = Image.open(io.BytesIO(answer.read())).convert("RGB")
    assert seen.size == (1200, 1600)
    top, bottom = seen.getpixel((600, 100)), seen.getpixel((600, 1500))
    assert top[0] > 150 and top[1] < 90 and abs(bottom[0] - bottom[1]) < 30


def test_who_looks_says_so_again_and_again_and_who_does_not_is_silent(visit):
    shop = Store()
    ana = Courier(shop)
    talk(shop, ana, "Look")
    page = visit("/store")
    page.clock.install()
    page.add_init_script("""
        Object.defineProperty(document, 'hidden', {get: () => Boolean(window.away)});
        window.turn = (away) => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); };
    """)
    read = []
    page.on("request", lambda request: request.url.endswith("/read") and read.append(request))
    page.reload()
    sign_in(page, shop)
    messages(page)
    page.locator(".talks a").click()
    until(page, lambda: len(read) == 1)
    for count in (2, 3):
        page.clock.fast_forward(15_000)
        until(page, lambda: len(read) == count)
    page.evaluate("turn(true)")
    page.clock.fast_forward(60_000)
    rest(page)
    assert len(read) == 3
    page.evaluate("turn(false)")
    until(page, lambda: len(read) == 4)


def test_what_was_written_is_taken_back(visit):
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, "Wrong")
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    page.locator(".bubble").get_by_role("button", name="Take it back").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    expect(page.locator(".bubble").get_by_text("Message taken back")).to_be_visible()
    assert said(one, shop) == [None]


def test_what_is_refused_is_not_lost(visit, line):
    shop = Store()
    ana = Courier(shop)
    talk(shop, ana, "Hello")
    page = visit("/courier", phone=True, forgiving=["403", "net::ERR_"], address=line.address)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    expect(bubbles(page)).to_have_text(["Hello"])
    # The partnership ends while it is written, and the page has not heard of it.
    page.context.route("**/v1/events?**", lambda route: route.abort())
    line.cut()
    expect(page.get_by_text("Not live")).to_be_visible()
    line.mend()
    call("DELETE", f"/v1/partners/{ana.id}", token=shop.token)
    write(page, "Are you there?")
    expect(page.locator(".unsent").get_by_text("You two no longer work together")).to_be_visible()
    expect(page.locator(".unsent .words")).to_have_text("Are you there?")
    page.locator(".unsent").get_by_role("button", name="Do not send").click()
    expect(page.locator(".unsent")).to_have_count(0)
    page.context.unroute("**/v1/events?**")
    page.reload()
    expect(page.get_by_text("You no longer work together. What was written stays readable.")).to_be_visible()


def a_day_passes(page):
    """What waits was tried a day ago, and the server has forgotten its key."""
    page.evaluate("""() => localStorage.setItem('kurir.outgoing', JSON.stringify(JSON.parse(localStorage.getItem('kurir.outgoing')).map(
        (item) => ({...item, key: item.key.split('').reverse().join(''), tried: item.tried - 86_400_000}))))""")


def test_a_picture_that_has_arrived_a_day_ago_is_not_sent_again(visit):
    """It has no words to know it by."""
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, "Look")
    page = visit("/courier", phone=True, forgiving=["net::ERR_"])
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    # It arrives, and its answer is lost.
    answers = []
    page.context.route("**/v1/conversations/*/messages", lambda route: (answers or answers.append(route.fetch()), route.abort()) if route.request.method == "POST" else route.continue_())
    page.get_by_role("button", name="Take a picture").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it").click()
    until(page, lambda: said(one, ana) == ["Look", None])
    until(page, lambda: page.locator(".unsent").get_by_text("Waits to be sent").is_visible())
    a_day_passes(page)
    page.context.unroute("**/v1/conversations/*/messages")
    page.reload()
    until(page, lambda: page.evaluate("localStorage.getItem('kurir.outgoing')") == "[]")
    assert said(one, ana) == ["Look", None]
    # Another one is no less sent, though it waits as long.
    page.context.route("**/v1/conversations/*/messages", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.get_by_role("button", name="Take a picture").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it").click()
    until(page, lambda: page.locator(".unsent").get_by_text("Waits to be sent").is_visible())
    a_day_passes(page)
    page.context.unroute("**/v1/conversations/*/messages")
    page.reload()
    until(page, lambda: said(one, ana) == ["Look", None, None])
    expect(page.locator(".unsent")).to_have_count(0)


def test_the_same_said_twice_is_said_twice_though_a_day_has_passed(visit, line):
    """What arrived before is not taken for what did not."""
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana)
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    page.locator(".talks a").click()
    page.get_by_role("button", name="Nobody opens").click()
    expect(bubbles(page)).to_have_text(["Nobody opens"])
    until(page, lambda: said(one, ana) == ["Nobody opens"])
    # The next two are written without a connection. One arrives when there is one, and the other never does.
    line.cut()
    expect(page.get_by_text("Not live")).to_be_visible()
    for _ in range(2):
        page.get_by_role("button", name="Nobody opens").click()
    expect(page.locator(".unsent")).to_have_count(2)
    tried = []

    def once(route):
        if route.request.method != "POST":
            return route.continue_()
        tried.append(route)
        return route.continue_() if len(said(one, ana)) < 2 else route.abort()

    page.context.route("**/v1/conversations/*/messages", once)
    line.mend()
    until(page, lambda: len(said(one, ana)) == 2)
    expect(page.locator(".unsent")).to_have_count(1)
    until(page, lambda: len(tried) > 2)
    a_day_passes(page)
    page.context.unroute("**/v1/conversations/*/messages")
    page.reload()
    until(page, lambda: said(one, ana) == ["Nobody opens"] * 3)
    expect(page.locator(".unsent")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('kurir.outgoing')") == "[]"


def test_what_has_arrived_a_day_ago_is_not_said_again(visit):
    """Its answer was lost, and the server has forgotten its key."""
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, "Bread")
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    page.evaluate("""([account, id]) => localStorage.setItem('kurir.outgoing', JSON.stringify(['Bread', 'Salt'].map((text) => (
        {key: text.padEnd(32, 'x'), account, id, action: 'say', body: {text}, pictures: [], tried: Date.now() - 86_400_000}))))""", [ana.id, one])
    page.reload()
    until(page, lambda: page.evaluate("localStorage.getItem('kurir.outgoing')") == "[]")
    assert said(one, ana) == ["Bread", "Salt"]


def test_a_conversation_is_muted_blocked_put_away_and_gets_a_background(visit, look):
    shop, other = Store(), Store("Mesnica")
    ana = Courier(shop)
    code = call("POST", "/v1/invites", {"phone": ana.phone}, other.token)["code"]
    call("POST", "/v1/partners", {"code": code}, ana.token)
    talk(other, ana, "Meat")
    one = talk(shop, ana, "Bread")
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    quiet(page)
    messages(page)
    expect(page.locator(".talks strong")).to_have_text(["Pekara", "Mesnica"])
    look(page, "talks-phone")
    page.get_by_role("searchbox", name="Search by name").fill("mes")
    expect(page.locator(".talks strong")).to_have_text(["Mesnica"])
    page.get_by_role("searchbox", name="Search by name").fill("")
    page.locator(".talks a").filter(has_text="Pekara").click()
    wish = lambda name: (page.get_by_role("button", name="Show more").last.click(), page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click())
    # One can tell them apart, the chosen one, too.
    page.get_by_role("button", name="Show more").last.click()
    grounds = page.locator(".grounds button")
    assert len(set(grounds.evaluate_all("(all) => all.map((one) => getComputedStyle(one).backgroundColor)"))) == 6
    page.keyboard.press("Escape")
    wish("Background 3")
    expect(page.locator(".scroll-talk.ground-2")).to_be_visible()
    wish("Mute")
    until(page, lambda: call("GET", f"/v1/conversations/{one}", token=ana.token)["muted"])
    # The store's page hears of it at once, and offers to write no more than it can.
    store = visit("/store")
    sign_in(store, shop)
    messages(store)
    store.locator(".talks a").click()
    expect(store.get_by_role("textbox", name="Message")).to_be_visible()
    wish("Block store")
    expect(store.get_by_text("The courier does not want messages from you.")).to_be_visible()
    expect(store.get_by_role("textbox", name="Message")).to_have_count(0)
    expect(page.get_by_text("You have blocked this store")).to_be_visible()
    look(page, "talk-blocked-phone")
    wish("Unblock store")
    expect(store.get_by_role("textbox", name="Message")).to_be_visible()
    expect(page.get_by_text("You have blocked this store")).to_be_hidden()
    page.reload()
    expect(page.locator(".scroll-talk.ground-2")).to_be_visible()
    # It is this device's alone, also over a sign-out.
    go(page, "Settings")
    page.get_by_role("button", name="Sign out", exact=True).click()
    sign_in(page, ana)
    messages(page)
    page.locator(".talks a").filter(has_text="Pekara").click()
    expect(page.locator(".scroll-talk.ground-2")).to_be_visible()
    another = visit("/courier", phone=True)
    sign_in(another, ana)
    quiet(another)
    messages(another)
    another.locator(".talks a").filter(has_text="Pekara").click()
    expect(another.locator(".scroll-talk.ground-0")).to_be_visible()
    wish("Put away")
    expect(page.locator(".talks strong")).to_have_text(["Mesnica"])
    # What happens in it does not bring it back, unless somebody writes.
    call("PUT", f"/v1/conversations/{one}/read", {"up_to": 1}, shop.token)
    call("POST", f"/v1/conversations/{call('PUT', f'/v1/conversations/with/{other.id}', token=ana.token)['id']}/messages", {"text": "Later"}, other.token)
    expect(page.locator(".talks .last")).to_have_text(["Later"])
    expect(page.locator(".talks strong")).to_have_text(["Mesnica"])
    page.get_by_role("checkbox", name="Show what was put away").check()
    expect(page.locator(".talks strong")).to_have_text([re.compile("Pekara")])


@pytest.mark.parametrize("phone", [False, True])
def test_a_conversation_says_how_else_to_reach_the_other(visit, phone):
    shop = Store()
    ana = Courier(shop)
    page = visit(f"/store#/messages/{talk(shop, ana, 'On my way')}", phone=phone)
    sign_in(page, shop)
    head = page.locator(".head-of-talk")
    expect(head.locator(".badge")).to_contain_text("on duty")
    expect(head.locator(f"a[href='tel:{ana.phone}']")).to_be_visible()
    # Of who has left it is nobody's business any more.
    call("DELETE", f"/v1/partners/{ana.id}", token=shop.token)
    page.reload()
    expect(head.get_by_role("heading", name="Ana Anić")).to_be_visible()
    expect(head.locator("a[href^='tel:']")).to_have_count(0)


def test_whom_nothing_was_written_to_is_there_to_write_to(visit, look):
    shop = Store()
    ana, _ = Courier(shop), Courier(shop, name=("Bor", "Borić"))
    talk(shop, ana, "Bread")
    page = visit("/store")
    sign_in(page, shop)
    messages(page)
    names = page.locator(".talks strong")
    expect(names).to_have_text(["Ana Anić", "Bor Borić"])
    expect(page.get_by_role("heading", name="Other couriers")).to_be_visible()
    look(page, "talks-others")
    # Who is looked for by name is found among them, and nothing says that nobody was.
    page.get_by_role("searchbox", name="Search by name").fill("boric")
    expect(names).to_have_text(["Bor Borić"])
    expect(page.locator(".talks").get_by_text("Nothing found.")).to_be_hidden()
    names.click()
    write(page, "Are you near?")
    expect(bubbles(page)).to_have_text(["Are you near?"])
    # From then on it is a conversation like the others.
    page.get_by_role("searchbox", name="Search by name").fill("")
    expect(names).to_have_text(["Bor Borić", "Ana Anić"])
    expect(page.get_by_role("heading", name="Other couriers")).to_be_hidden()


def test_who_has_nobody_to_write_to_is_told_so_and_asked_to_choose_nothing(visit):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Messages")
    expect(page.get_by_text("No conversations yet.")).to_be_visible()
    for text in ("Choose a conversation.", "Show what was put away"):
        expect(page.get_by_text(text)).to_be_hidden()
    Courier(shop)
    expect(page.get_by_text("Choose a conversation.")).to_be_visible()


def test_who_reads_what_was_before_is_not_taken_away_from_it_and_misses_nothing(visit, line):
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana, *[f"Line {number}" for number in range(70)])
    page = visit("/store", forgiving=["net::ERR_"], address=line.address)
    sign_in(page, shop)
    messages(page)
    page.locator(".talks a").click()
    expect(bubbles(page)).to_have_count(50)
    page.get_by_role("button", name="Earlier messages").click()
    expect(bubbles(page)).to_have_count(70)
    scroll = page.locator(".scroll-talk")
    scroll.evaluate("(all) => { all.scrollTop = 0; }")
    call("POST", f"/v1/conversations/{one}/messages", {"text": "Ping"}, ana.token)
    expect(bubbles(page)).to_have_count(71)
    assert scroll.evaluate("(all) => all.scrollTop") == 0
    # More than a page is said while there is no connection.
    line.cut()
    expect(page.get_by_text("Not live")).to_be_visible()
    for number in range(60):
        call("POST", f"/v1/conversations/{one}/messages", {"text": f"Missed {number}"}, ana.token)
    line.mend()
    expect(bubbles(page).last).to_have_text("Missed 59")
    for _ in range(3):
        if bubbles(page).first.text_content() != "Line 0":
            before = bubbles(page).count()
            page.get_by_role("button", name="Earlier messages").click()
            until(page, lambda: bubbles(page).count() > before)
    expect(bubbles(page)).to_have_text([f"Line {number}" for number in range(70)] + ["Ping"] + [f"Missed {number}" for number in range(60)])


def test_quick_answers_and_what_others_see_are_ones_own(visit, look):
    shop = Store()
    ana = Courier(shop)
    talk(shop, ana, "Hello")
    store = visit("/store")
    sign_in(store, shop)
    messages(store)
    store.locator(".talks a").click()
    store.get_by_role("button", name="Change quick answers").click()
    store.get_by_role("dialog").get_by_role("textbox").fill("Thank you\n\nCome back at five")
    store.get_by_role("dialog").get_by_role("button", name="Save").click()
    store.get_by_role("button", name="Come back at five").click()
    expect(bubbles(store)).to_have_text(["Hello", "Come back at five"])
    store.reload()
    expect(store.get_by_role("button", name="Thank you")).to_be_visible()
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    quiet(page)
    go(page, "Settings")
    own = panel(page, "How others see you")
    own.get_by_label("About you").fill("By bicycle, also uphill")
    own.get_by_label("Show it to all stores").check()
    own.get_by_role("button", name="Save").click()
    own.get_by_role("button", name="Take a picture").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it").click()
    expect(own.locator("img.face")).to_be_visible()
    go(store, "Couriers")
    expect(store.get_by_text("By bicycle, also uphill")).to_be_visible()
    expect(store.locator("img.face")).to_be_visible()
    look(store, "faces")


@pytest.mark.parametrize("language, words", [
    ("en", ["I am here", "Nobody opens", "In 5 minutes", "Delivered, thank you"]),
    ("hr", ["Tu sam", "Nitko ne otvara", "Za 5 minuta", "Predano, hvala"]),
])
def test_what_is_answered_often_is_suggested_in_ones_own_language(visit, language, words):
    shop = Store()
    ana = Courier(shop, language=language)
    one = talk(shop, ana, "Hello")
    page = visit(f"/courier#/messages/{one}", phone=True, locale=language)
    sign_in(page, ana)
    quick = page.locator(".quick button:not([aria-label])")
    expect(quick).to_have_text(words)
    quick.nth(1).click()
    expect(bubbles(page)).to_have_text(["Hello", words[1]])


@pytest.mark.parametrize("phone", [False, True])
def test_a_press_on_a_link_or_a_row_is_not_lost_to_what_changes_beneath_it(visit, phone):
    shop = Store()
    ana = Courier(shop)
    one = talk(shop, ana)
    page = visit("/store", phone=phone)
    sign_in(page, shop)
    quiet(page)
    # On a phone it is on the sheet of views, which is put away while a row is pressed, and counts there, too.
    link = page.get_by_role("link", name=re.compile("^Messages"), include_hidden=True)

    def pressed(place, text, leads):
        """Presses there, and lets go once a message has come, which what is pressed counts or tells."""
        if phone and not place.is_visible():
            page.locator(".more-views").click()
        place.hover()
        page.mouse.down()
        call("POST", f"/v1/conversations/{one}/messages", {"text": text}, ana.token)
        expect(page.get_by_text(f"Ana Anić: {text}")).to_be_visible()
        expect(link).to_have_attribute("aria-label", re.compile(", [123] unread"))
        page.mouse.up()
        expect(leads).to_be_visible()

    pressed(link, "One", page.locator(".list-talks"))
    go(page, "Deliveries")
    # There is a number already, and another one comes.
    pressed(link.locator(".count"), "Two", page.locator(".list-talks"))
    pressed(page.locator(".talks a"), "Three", page.locator(".open-talk .bubble").first)
    expect(bubbles(page)).to_have_text(["One", "Two", "Three"])


def test_whether_there_is_nobody_to_write_to_is_said_only_once_it_is_known(visit):
    shop = Store()
    Courier(shop)
    page = visit("/store")
    sign_in(page, shop)
    held = hold(page, "**/v1/partners*")
    with page.expect_response(lambda answer: "/v1/conversations" in answer.url and "hidden" not in answer.url):
        go(page, "Messages")
    drawn(page)
    expect(page.get_by_text("No conversations yet.")).to_have_count(0)
    release(page, held)
    expect(page.get_by_role("link", name="Ana Anić")).to_be_visible()
