"""Handing over on the courier's phone: what it must show, pictures that wait for a connection, and what the store takes back."""
import io
import json
import re
import urllib.request

import pytest
from PIL import Image
from playwright.sync_api import expect

from conftest import ADDRESS, Courier, Store, call, carried, escape, go, live, more, panel, rest, sign_in, unfold, until

EURO = {"currency": "EUR"}
CASH = {"amount": 2350} | EURO


def noting(page, refuse=lambda body: None):
    """Notes the pictures that go out and the steps that name them, which then go on without: here the page's part alone is looked at."""
    sent = {"files": [], "steps": [], "keys": []}

    def upload(route):
        answer = route.fetch()
        sent["files"].append(answer.json()["id"])
        assert route.request.headers["content-type"] == "image/jpeg"
        route.fulfill(response=answer)

    def step(route):
        body = json.loads(route.request.post_data)
        sent["keys"].append(route.request.headers["idempotency-key"])
        refused = refuse(body)
        if refused == "abort":
            return route.abort()
        if refused:
            return route.fulfill(status=422, json={"status": 422, "code": refused, "title": refused, "detail": refused})
        sent["steps"].append(body.get("photo_ids", []))
        return route.continue_(post_data=json.dumps(body | {"photo_ids": []}))

    page.context.route("**/v1/files", upload)
    page.context.route("**/v1/deliveries/*/deliver", step)
    return sent


def take_picture(page):
    # Its form is there once it is loaded, and what nobody asked for is folded.
    page.locator("dialog [name=photo_ids]").wait_for(state="attached")
    folded = page.locator("dialog details:not([open]):has([name=photo_ids]) > summary")
    if folded.count():
        folded.click()
    page.get_by_role("button", name="Take a picture").click()
    page.get_by_role("dialog", name="Take a picture").get_by_role("button", name="Take it").click()
    expect(page.get_by_role("img", name="Picture")).to_be_visible()


@pytest.mark.journey
def test_a_courier_is_led_from_accepting_to_handing_over(visit, look):
    shop = Store()
    ana = Courier(shop)
    parcel = {"pieces": 2, "weight_g": 1500, "fragile": True}
    job = shop.deliver_to(ana, proof={"pin": True}, cash=CASH, pay={"amount": 400} | EURO, parcel=parcel)
    pin = call("GET", f"/v1/deliveries/{job}", token=shop.token)["pin"]
    page = visit("/courier", phone=True, forgiving=["422"])
    sign_in(page, ana)
    page.evaluate("localStorage.setItem('kurir.device', 'none')")
    page.reload()
    # What it is about is known before anybody says yes.
    for text in ("You get €4.00", "Collect €23.50", "2 pieces · 1.5 kg · fragile"):
        expect(page.get_by_text(text)).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("button", name="Fetch").click()
    expect(page.get_by_text("✓ fetched")).to_be_visible()
    # It goes on at once, and is drawn anew when the server has heard of it.
    expect(page.locator(".unanswered")).to_have_count(0)
    deliver = page.get_by_role("button", name="Deliver:")
    box = deliver.bounding_box()
    assert box["height"] >= 56 and box["y"] > 700
    look(page, "job-in-hand")
    deliver.click()
    dialog = page.get_by_role("dialog", name="Deliver")
    # What is missing is said at once, and not when the server is heard of again.
    dialog.get_by_role("button", name="Deliver").click()
    expect(dialog.get_by_text("Four digits")).to_be_visible()
    # What is collected is mostly what was asked for: the button says so, and only another amount is typed.
    expect(dialog.get_by_role("button", name="Collected €23.50 · Deliver")).to_be_visible()
    look(page, "handing-over")
    dialog.get_by_label("PIN").fill("1111" if pin != "1111" else "2222")
    dialog.get_by_text("Another amount").click()
    dialog.get_by_label("What you were given").fill("20")
    dialog.get_by_role("button", name="Deliver").click()
    expect(dialog.get_by_text("Say why it is another amount")).to_be_visible()
    dialog.get_by_label("What you were given").fill("")
    dialog.get_by_label("Who took it").fill("the neighbour")
    dialog.get_by_role("button", name="Deliver").click()
    # The wrong PIN is asked for once more, and all else is still there.
    expect(dialog.get_by_label("Who took it")).to_have_value("the neighbour")
    expect(dialog.locator(".of-pin .wrong")).to_contain_text("PIN")
    dialog.get_by_label("PIN").fill(pin)
    dialog.get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("Thank you")).to_be_visible()
    step = call("GET", f"/v1/deliveries/{job}/history", token=shop.token)["items"][-1]
    assert (step["action"], step["received_by"], step["cash_collected"]) == ("deliver", "the neighbour", CASH)
    # What was earned today leads to all of it.
    page.get_by_role("link", name="Today: 1 delivered · €4.00").click()
    expect(page.locator(".tile").filter(has_text="Earned")).to_contain_text("€4.00")
    look(page, "earnings")


@pytest.mark.journey
def test_a_picture_and_a_signature_go_with_the_step(visit, look):
    shop, _, job, page = carried(visit=visit)
    sent = noting(page)
    page.get_by_role("button", name="Deliver:").click()
    take_picture(page)
    look(page, "picture-taken")
    # One that is dropped is not sent.
    page.get_by_role("button", name="Drop this picture").click()
    take_picture(page)
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("Thank you")).to_be_visible()
    # It is counted whatever is paid for it.
    expect(page.get_by_text("Today: 1 delivered", exact=True)).to_be_visible()
    assert sent["steps"] == [sent["files"]] and len(sent["files"]) == 1
    assert shop.history(job)[-1] == "deliver"
    # Nothing of it stays on the phone.
    page.reload()
    live(page)
    until(page, lambda: page.evaluate("""async () => {
        const opened = await new Promise((done) => { const asked = indexedDB.open('kurir', 1); asked.onsuccess = () => done(asked.result); });
        return new Promise((done) => { const asked = opened.transaction('pictures').objectStore('pictures').count(); asked.onsuccess = () => done(asked.result === 0); });
    }"""))


def test_a_signature_is_drawn(visit, look):
    _, _, _, page = carried(visit=visit, proof={"signature": True}, forgiving=["422"])
    signed = []
    page.context.route("**/v1/files", lambda route: signed.append(route.request.headers["content-type"]) or route.abort())
    page.get_by_role("button", name="Deliver:").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Deliver").click()
    expect(dialog.get_by_text("cannot be handed over without this")).to_be_visible()
    pad = dialog.get_by_role("img", name="To sign in")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    for x in range(40, 260, 20):
        page.mouse.move(box["x"] + x, box["y"] + 30 + x % 60)
    page.mouse.up()
    look(page, "signature")
    dialog.get_by_role("button", name="Deliver").click()
    until(page, lambda: "image/png" in signed)


@pytest.mark.journey
def test_pictures_wait_for_a_connection_and_go_out_once(visit, line):
    shop, _, job, page = carried(visit=visit, line=line)
    line.cut()
    page.get_by_role("button", name="Deliver:").click()
    take_picture(page)
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    # Days later, on a page that was closed meanwhile.
    page.reload()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    sent = noting(page)
    line.mend()
    expect(page.get_by_text("Thank you")).to_be_visible()
    assert len(sent["files"]) == 1 and sent["steps"] == [sent["files"]]
    assert shop.history(job).count("deliver") == 1


def test_a_picture_that_was_dropped_meanwhile_is_sent_again(visit):
    shop, _, job, page = carried(visit=visit, forgiving=["422", "ERR_FAILED"])
    refusals = iter(["abort", "unknown_file"])
    sent = noting(page, lambda body: next(refusals, None))
    page.get_by_role("button", name="Deliver:").click()
    take_picture(page)
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("Thank you")).to_be_visible()
    # Once as it was, once again and refused by the same key, and then, as it names something else, under a new one.
    first, second = sent["files"]
    assert first != second and sent["steps"] == [[second]]
    assert sent["keys"][0] == sent["keys"][1] != sent["keys"][2]
    assert shop.history(job).count("deliver") == 1


def test_a_picture_whose_answer_was_lost_for_long_is_sent_as_something_new(visit):
    shop, _, job, page = carried(visit=visit, forgiving=["404"])
    keys = []

    def upload(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            return route.abort()
        # The server has dropped what nothing named within the hour.
        if keys[-1] == keys[0]:
            return route.fulfill(status=404, json={"status": 404, "code": "not_found", "title": "Not found"})
        return route.continue_()

    page.context.route("**/v1/files", upload)
    page.get_by_role("button", name="Deliver:").click()
    take_picture(page)
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("Thank you")).to_be_visible()
    assert keys[0] == keys[1] != keys[2]
    step = call("GET", f"/v1/deliveries/{job}/history", token=shop.token)["items"][-1]
    assert step["action"] == "deliver" and len(step["photo_ids"]) == 1


@pytest.mark.journey
def test_who_finds_nobody_at_home_gives_back_freely(visit, look):
    shop, ana, job, page = carried(visit=visit)
    page.get_by_role("button", name="Not handed over").click()
    dialog = page.get_by_role("dialog", name="Not handed over")
    # No reason is given for whoever is in a hurry; one touch says it.
    expect(dialog.get_by_role("group", name="Reason").get_by_role("radio")).to_have_count(6)
    dialog.get_by_role("button", name="Not handed over").click()
    expect(dialog.locator(".wrong", has_text="Say why")).to_be_visible()
    dialog.get_by_text("Nobody home").click()
    expect(dialog.locator(".wrong", has_text="Say why")).to_be_hidden()
    look(page, "nobody-home")
    dialog.get_by_role("button", name="Not handed over").click()
    expect(page.get_by_text("Not handed over: Nobody home")).to_be_visible()
    # What comes next is said, and within reach; the store has whom to ask.
    expect(page.locator(".tried")).to_contain_text("Try again, or give it back.")
    # It stands out as it does for the store.
    expect(page.locator(".in_progress li.card.urgent")).to_have_count(1)
    expect(page.locator(".verbs button:visible")).to_have_text(["Deliver", "Give back"])
    look(page, "nobody-home-next")
    store = visit("/store")
    sign_in(store, shop)
    store.locator("li > .card").click()
    asks = store.get_by_role("dialog").locator(".trouble")
    expect(asks.locator("a[href^='tel:']")).to_have_count(1 + bool(call("GET", f"/v1/deliveries/{job}", token=shop.token)["recipient"].get("phone")))
    expect(asks.get_by_role("button", name="Take back")).to_be_visible()
    look(store, "nobody-home-store")
    # Its details say so first.
    more(page)
    expect(page.get_by_role("dialog").locator(".warning").first).to_have_text("! Not handed over: Nobody home")
    escape(page)
    page.locator(".verbs").get_by_role("button", name="Give back").click()
    expect(page.get_by_text("counts against nobody")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Give back").click()
    expect(page.get_by_text("No longer yours.", exact=True)).to_be_visible()
    # The parcel is still there, and has to go somewhere.
    expect(page.locator(".gone .card")).to_have_count(1)
    expect(page.locator(".gone")).to_contain_text(re.compile("Bring the parcel back: Ilica 1.*Iva Ivić · It is no longer yours."))
    assert shop.history(job)[-1] == "cancel"
    assert call("GET", "/v1/me", token=ana.token)["stats"]["cancelled"] == 0
    # The store knows who has the parcel, also while another comes for it; whoever that is has not tried in vain.
    still = store.get_by_role("dialog").get_by_text("! Ana Anić still has the parcel.")
    expect(still).to_be_visible()
    # One alarm says who gave it back, that the parcel is still there, how to ask, and what to do.
    alarm = store.get_by_role("dialog").locator(".trouble")
    expect(alarm).to_have_count(1)
    expect(alarm).to_contain_text(re.compile("↺ Given back · Ana Anić · .* · Nobody home"))
    expect(alarm.locator(f"a[href='tel:{ana.phone}']")).to_be_visible()
    expect(alarm.get_by_role("button", name="Choose others")).to_be_visible()
    asked = store.get_by_role("dialog").locator(f"[data-courier='{ana.id}'] .hint")
    expect(asked).to_have_text("gave it back")
    # Asked anew, she has not answered yet, and what she had is still with her.
    call("PATCH", f"/v1/deliveries/{job}", {"courier_ids": [ana.id], "offer_again": True}, shop.token)
    expect(asked).to_have_count(0)
    expect(store.get_by_role("dialog").get_by_role("listitem").filter(has_text="Ana Anić").filter(has_text="offered")).to_have_count(1)
    luka = Courier(shop, ("Luka", "Lukić"))
    call("PATCH", f"/v1/deliveries/{job}", {"courier_ids": [luka.id]}, shop.token)
    luka.act("accept", job)
    row = store.locator(f"[data-key='{job}'] .card")
    expect(row.locator(".state")).to_contain_text("Parcel with Ana")
    expect(still).to_be_visible()
    other = visit("/courier", phone=True)
    sign_in(other, luka)
    expect(other.locator(".tried")).to_have_text("Not handed over: Nobody home")
    expect(other.locator(".verbs button:visible")).to_have_text(["Fetch", "Deliver"])
    luka.act("pick_up", job)
    expect(still).to_be_hidden()

def test_why_it_came_back_is_said_by_whoever_gave_it_back(visit):
    """Another courier's try of before is not the reason, and neither is one's own of an earlier time."""
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    ana.act("pick_up", job)
    ana.act("fail", job, reason="nobody_home")
    call("POST", f"/v1/deliveries/{job}/reassign", {"courier_ids": [luka.id]}, shop.token)
    luka.act("accept", job)
    luka.act("cancel", job, reason="other")
    store = visit("/store")
    sign_in(store, shop)
    store.locator("li > .card").click()
    alarm = store.get_by_role("dialog").locator(".trouble")
    expect(alarm).to_contain_text(re.compile(r"↺ Given back · Luka Lukić · \S+"))
    expect(alarm).not_to_contain_text("Nobody home")
    # Whoever tried, and has it again, gives it back for the reason of this time.
    call("PATCH", f"/v1/deliveries/{job}", {"courier_ids": [ana.id], "offer_again": True}, shop.token)
    ana.act("accept", job)
    ana.act("cancel", job, reason="vehicle")
    expect(alarm).to_contain_text("Ana Anić")
    expect(alarm).to_contain_text("Trouble with the vehicle")
    expect(alarm).not_to_contain_text("Nobody home")


def test_whom_one_did_not_find_is_tried_last(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(2)]
    for job in jobs:
        ana.act("accept", job)
        ana.act("pick_up", job)
    call("PUT", "/v1/me/route", {"delivery_ids": jobs}, ana.token)
    ana.act("fail", jobs[0], reason="nobody_home")
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    first = page.locator(".in_progress li.card").first
    expect(first).to_have_attribute("data-key", jobs[0])
    first.get_by_role("button", name="Move to the end").click()
    expect(first).to_have_attribute("data-key", jobs[1])
    until(page, lambda: call("GET", f"/v1/deliveries/{jobs[0]}", token=ana.token)["stop"] == {"number": 2, "of": 2})


def test_who_is_told_when_it_arrives_is_told_by_the_order_that_is_shown(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(2)]
    for job in jobs:
        ana.act("accept", job)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    cards = page.locator(".in_progress li.card")
    expect(cards).to_have_count(2)
    assert cards.evaluate_all("(all) => all.map((one) => one.dataset.key)") == jobs
    stops = lambda: [call("GET", f"/v1/deliveries/{job}", token=shop.token).get("stop") for job in jobs]
    until(page, lambda: stops() == [{"number": number, "of": 2} for number in (1, 2)])
    # What comes to it is gone to last.
    jobs.append(shop.deliver_to(ana))
    ana.act("accept", jobs[2])
    until(page, lambda: stops() == [{"number": number, "of": 3} for number in (1, 2, 3)])


def test_a_parcel_that_is_elsewhere_is_seen_on_the_board(visit):
    shop = Store()
    ana, bor = Courier(shop), Courier(shop, name=("Bor", "Borić"))
    job = shop.deliver_to(ana, bor)
    ana.act("accept", job)
    ana.act("pick_up", job)
    page = visit("/store")
    sign_in(page, shop)
    row = page.locator(f"[data-key='{job}'] .card")
    expect(row.locator(".state")).to_contain_text("Fetched")
    ana.act("cancel", job, reason="vehicle")
    expect(row.locator(".warning")).to_have_text("! With Ana A.")
    # Who takes it next looks for it in vain at the store's.
    bor.act("accept", job)
    expect(row.locator(".state.alarm")).to_contain_text("Parcel with Ana")
    chip = page.get_by_role("button", name="! 1 parcel out")
    chip.click()
    expect(page.locator(".column.open .card")).to_have_count(1)
    bor.act("pick_up", job)
    expect(chip).to_have_count(0)
    expect(row.locator(".state")).to_contain_text("Fetched")
    # Nor is what is cancelled on its way forgotten, until it is said to be back.
    call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    chip.click()
    expect(row.locator(".warning")).to_have_text("! With Bor B.")
    row.click()
    page.get_by_role("dialog").get_by_role("button", name="The parcel is back").click()
    expect(chip).to_have_count(0)
    expect(page.get_by_role("dialog").get_by_text("still has the parcel")).to_have_count(0)


def test_a_panel_says_at_once_who_has_the_parcel_as_its_row_does(visit):
    shop = Store()
    ana, bor = Courier(shop), Courier(shop, name=("Bor", "Borić"))
    job = shop.deliver_to(ana, bor)
    ana.act("accept", job)
    ana.act("pick_up", job)
    ana.act("cancel", job, reason="vehicle")
    page = visit("/store")
    sign_in(page, shop)
    row = page.locator(f"[data-key='{job}'] .card")
    expect(row.locator(".warning")).to_have_text("! With Ana A.")
    held = []
    page.route("**/history?*", lambda route: held.append(route))
    row.click()
    alarm = page.get_by_role("dialog").locator(".trouble")
    said = re.compile("↺ Given back · Ana Anić · .* · Trouble with the vehicle.*Ana Anić still has the parcel")
    expect(alarm).to_contain_text(said)
    until(page, lambda: held)
    # What comes later makes nothing larger.
    before = alarm.bounding_box()
    for route in held:
        route.continue_()
    page.unroute("**/history?*")
    expect(page.locator(".timeline li")).to_have_count(4)
    expect(alarm).to_contain_text(said)
    assert alarm.bounding_box()["height"] == before["height"]
    # Where nobody is left to bring it, it is still with her.
    bor.act("decline", job)
    expect(row.locator(".warning")).to_have_text("! No courier left")
    expect(row.locator(".state.alarm")).to_contain_text("Parcel with Ana")


def test_what_was_tried_in_vain_a_day_ago_is_not_said_again(visit):
    """Its answer was lost, and the server has forgotten its key. What has not arrived is said, and no more than once."""
    shop, ana, job, page = carried(visit=visit)
    ana.act("fail", job, reason="nobody_home")
    page.evaluate("""([account, id]) => localStorage.setItem('kurir.outgoing', JSON.stringify([
        {key: 'x'.repeat(32), account, id, action: 'fail', body: {reason: 'nobody_home'}, tried: Date.now() - 86_400_000}]))""", [ana.id, job])
    sent = lambda: page.evaluate("localStorage.getItem('kurir.outgoing')") == "[]"
    page.reload()
    until(page, sent)
    assert shop.history(job).count("fail") == 1
    page.evaluate("""([account, id]) => localStorage.setItem('kurir.outgoing', JSON.stringify([
        {key: 'y'.repeat(32), account, id, action: 'fail', body: {reason: 'refused'}, tried: Date.now() - 86_400_000}]))""", [ana.id, job])
    page.reload()
    until(page, sent)
    assert shop.history(job).count("fail") == 2


def test_what_was_opened_again_is_not_delivered_again_by_itself(visit):
    """Its answer was lost, the store opened it again, and the server has forgotten its key."""
    shop, ana, job, page = carried(visit=visit)
    ana.act("deliver", job)
    call("POST", f"/v1/deliveries/{job}/reopen", {"note": "It stands at the wrong door"}, shop.token)
    page.evaluate("""([account, id]) => localStorage.setItem('kurir.outgoing', JSON.stringify([
        {key: 'x'.repeat(32), account, id, action: 'deliver', body: {}, tried: Date.now() - 86_400_000}]))""", [ana.id, job])
    page.reload()
    until(page, lambda: page.evaluate("localStorage.getItem('kurir.outgoing')") == "[]")
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    assert shop.history(job)[-2:] == ["deliver", "reopen"]


@pytest.mark.parametrize("action, words", [("cancel", "has cancelled this delivery"), ("reassign", "has taken this delivery back")])
def test_what_the_store_takes_stays_until_it_is_put_away(visit, look, action, words):
    shop, ana, job, page = carried(visit=visit)
    call("POST", f"/v1/deliveries/{job}/{action}", {}, shop.token)
    expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_text("Bring the parcel back")).to_be_visible()
    look(page, f"gone-{action}")
    page.reload()
    # It stays until it is said to be back.
    page.get_by_role("button", name="Handed to the store: Iva Ivić").click()
    expect(page.get_by_text(words)).to_have_count(0)
    page.reload()
    live(page)
    expect(page.get_by_text(words)).to_have_count(0)


def test_what_was_taken_while_nobody_looked_is_said_too(visit):
    shop, ana, job, page = carried(visit=visit)
    page.goto("/docs")
    call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    page.goto("/courier")
    expect(page.get_by_text("has cancelled this delivery")).to_be_visible()


def seen(page, is_seen):
    """Locks the phone, or unlocks it."""
    page.evaluate("""(hidden) => {
        Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
        document.dispatchEvent(new Event('visibilitychange'));
    }""", not is_seen)


def taken(shop, job, action):
    """The store takes a job from its courier; what it takes back, another has by now."""
    luka = Courier(shop, ("Luka", "Lukić"))
    call("POST", f"/v1/deliveries/{job}/{action}", {"courier_ids": [luka.id]} if action == "reassign" else {}, shop.token)
    if action == "reassign":
        luka.act("accept", job)


GONE = [("cancel", "has cancelled this delivery", "was cancelled by the store"), ("reassign", "has taken this delivery back", "was taken back by the store")]


@pytest.mark.parametrize("action, words, _", GONE)
def test_what_was_accepted_and_taken_while_the_phone_was_locked_is_said_too(visit, action, words, _):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier", phone=True, forgiving=["404"])
    sign_in(page, ana)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    expect(page.locator(".warning")).to_have_count(0)
    seen(page, False)
    expect(page.locator(".light.on")).to_have_count(0)
    taken(shop, job, action)
    seen(page, True)
    expect(page.get_by_text(words)).to_be_visible()
    page.get_by_role("button", name="Put away").click()
    page.get_by_role("button", name="Load again").click()
    expect(page.get_by_text(words)).to_have_count(0)


@pytest.mark.parametrize("action, words, said", GONE)
def test_a_notification_of_what_was_taken_says_so(visit, action, words, said):
    shop, ana, job, page = carried(visit=visit, forgiving=["404"])
    page.goto("/docs")
    taken(shop, job, action)
    page.goto(f"/courier#delivery={job}")
    expect(page.locator(".notices").get_by_text(said)).to_be_visible()
    expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_text("no longer on offer")).to_have_count(0)


def test_what_one_gave_back_is_not_said_to_be_taken(visit):
    shop, ana, job, page = carried(visit=visit, forgiving=["502", "404"])
    # The answer is lost, and with the next one nothing is left to be told.
    answers = iter([502, 404])
    page.context.route("**/v1/deliveries/*/cancel", lambda route: (route.fetch(), route.fulfill(status=next(answers), json={"code": "not_found"})))
    more(page)
    page.get_by_role("button", name="Give back").click()
    dialog = page.get_by_role("dialog", name="Give back")
    # It counts, so no reason is said for whoever gives it back.
    dialog.get_by_role("button", name="Give back").click()
    expect(dialog.locator(".wrong", has_text="Say why")).to_be_visible()
    dialog.get_by_text("Trouble with the vehicle").click()
    dialog.get_by_role("button", name="Give back").click()
    until(page, lambda: shop.history(job)[-1] == "cancel")
    expect(page.locator(".column.in_progress .card")).to_have_count(0)
    live(page)
    rest(page)
    expect(page.locator(".gone")).to_be_hidden()


def test_the_store_sees_what_was_shown_at_the_door(visit, look):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    file = io.BytesIO()
    Image.new("RGB", (640, 480), (40, 120, 90)).save(file, "JPEG")
    request = urllib.request.Request(
        ADDRESS + "/v1/files", file.getvalue(), {"Content-Type": "image/jpeg", "Authorization": f"Bearer {ana.token}"}, method="POST")
    with urllib.request.urlopen(request) as answer:
        photo = json.loads(answer.read())["id"]
    ana.act("deliver", job, photo_ids=[photo], received_by="the neighbour")
    page = visit("/store")
    sign_in(page, shop)
    unfold(page, "delivered")
    page.locator(".card").click()
    picture = page.get_by_role("img", name="Picture of this step")
    picture.scroll_into_view_if_needed()
    until(page, lambda: picture.evaluate("(picture) => picture.naturalWidth") == 320)
    expect(picture.locator("..")).to_have_attribute("href", f"/v1/files/{photo}")
    look(page, "history-picture")
