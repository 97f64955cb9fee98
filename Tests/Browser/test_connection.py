"""Bad connections, and answers that come late, twice or never."""
import pytest
from playwright.sync_api import expect

from conftest import Courier, Store, call, carried, end_sessions_of, escape, go, hold, hush, kept, live, rare, release, sign_in, until


@pytest.mark.journey
def test_without_a_connection_and_back(visit, line, look):
    shop, _, job, page = carried(visit=visit, line=line, fetched=False)
    # What the phone knows itself, it says at once.
    page.context.set_offline(True)
    expect(page.get_by_text("No connection.").first).to_be_visible()
    expect(page.locator(".banner", has_text="No connection")).to_contain_text("This is as of")
    # Also where something could not be loaded, one line says so, and since when.
    page.get_by_role("button", name="Load again").click()
    expect(page.locator(".unreachable")).to_have_count(1)
    expect(page.locator(".unreachable")).to_be_hidden()
    expect(page.locator(".age:visible")).to_have_count(1)
    look(page, "offline-one-line")
    page.context.set_offline(False)
    expect(page.get_by_text("No connection.")).to_be_hidden()
    live(page)
    line.cut()
    expect(page.get_by_text("Not live")).to_be_visible()
    # The page opens again, and what was loaded is still there.
    page.reload()
    expect(page.get_by_role("heading", name="Iva Ivić")).to_be_visible()
    expect(page.locator("main").get_by_text("This is as of")).to_be_visible()
    look(page, "offline")
    page.get_by_role("button", name="Deliver:").click()
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    page.reload()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    assert shop.history(job) == ["create", "accept"]
    line.mend()
    expect(page.locator(".card.delivered")).to_have_count(1)
    expect(page.locator("main").get_by_text("This is as of")).to_be_hidden()
    live(page)
    assert shop.history(job) == ["create", "accept", "deliver"]


def test_a_connection_that_nobody_closed_is_noticed(visit, line):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    page.clock.install()
    page.reload()
    sign_in(page, ana)
    # From here on time passes only as the test says.
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    live(page)
    streams, said = [], []
    page.on("request", lambda request: "/v1/events" in request.url and streams.append(request.url))
    session = page.context.new_cdp_session(page)
    session.on("Network.eventSourceMessageReceived", lambda message: said.append(message["eventName"]))
    session.send("Network.enable")
    # A minute, and a word of the server in the middle of it: that was never forty seconds of silence.
    page.clock.fast_forward(30_000)
    said.clear()
    until(page, lambda: "alive" in said)
    page.clock.fast_forward(30_000)
    # Were another stream asked for, it would have been before this.
    page.evaluate("fetch('/healthz').then(() => true)")
    assert streams == []
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    line.flows.clear()
    shop.deliver_to(ana)
    page.clock.fast_forward(41_000)
    expect(page.get_by_text("Not live")).to_be_visible()
    page.clock.resume()
    line.cut()
    line.flows.set()
    line.mend()
    live(page)
    expect(page.get_by_role("heading", name="Iva", exact=True)).to_be_visible()


def test_what_was_seen_is_seen_again_without_a_connection(visit, look):
    shop = Store()
    ana = Courier(shop)
    place = {"lat": 45.8, "lon": 15.97}
    for name, at in (("Iva", place), ("Mia", None)):
        ana.act("accept", shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1"} | ({"location": at} if at else {})))
    store = visit("/store", forgiving=["net::ERR_", "Failed to load resource"])
    sign_in(store, shop)
    expect(store.locator("li > .card")).to_have_count(2)
    go(store, "Couriers")
    expect(store.locator(".partners strong").filter(has_text="Ana Anić").first).to_be_visible()
    store.context.set_offline(True)
    expect(store.get_by_text("Not live")).to_be_visible()
    # The board is what it was when it was left, and whom one would call now is there, too.
    go(store, "Deliveries")
    expect(store.locator("li > .card")).to_have_count(2)
    expect(store.get_by_label("Courier", exact=True).locator("option")).to_have_count(2)
    go(store, "Couriers")
    expect(store.locator(".partners strong").filter(has_text="Ana Anić").first).to_be_visible()
    # What was not kept says so once each, and comes by itself.
    missing = store.get_by_text("Not loaded")
    expect(missing.first).to_be_visible()
    look(store, "not-loaded")
    store.context.set_offline(False)
    expect(missing).to_have_count(0)
    phone = visit("/courier", phone=True, forgiving=["net::ERR_", "Failed to load resource"])
    sign_in(phone, ana)
    expect(phone.locator(".in_progress li.card")).to_have_count(2)
    go(phone, "Map")
    expect(phone.locator(".stops li")).to_have_count(2)
    go(phone, "Jobs")
    phone.context.set_offline(True)
    go(phone, "Map")
    expect(phone.locator(".stops li")).to_have_count(2)
    expect(phone.get_by_role("button", name="Stop 1")).to_be_visible()
    # Whether there are offers, nobody knows.
    go(phone, "Jobs")
    expect(phone.locator(".in_progress li.card")).to_have_count(2)
    expect(phone.get_by_text("No offers now.")).to_be_hidden()


def test_what_is_done_without_a_connection_is_said_to_be_kept(visit, line, look):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    phone = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    sign_in(phone, ana)
    go(phone, "Messages")
    expect(phone.locator(".talks, .list-talks").first).to_be_visible()
    go(phone, "Jobs")
    line.cut()
    told = phone.locator(".notices").get_by_text("Kept. It is sent when there is a connection.")
    phone.get_by_role("button", name="Fetch: Iva Ivić").click()
    expect(told).to_be_visible()
    hush(phone)
    phone.get_by_role("button", name="Deliver: Iva Ivić").click()
    phone.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(told).to_be_visible()
    expect(phone.locator(".banner.out")).to_contain_text("2 wait to be sent.")
    line.mend()
    expect(phone.locator(".banner.out")).to_be_hidden()
    until(phone, lambda: shop.history(call("GET", "/v1/deliveries", token=shop.token)["items"][0]["id"])[-1] == "deliver")


def test_what_failed_for_want_of_a_connection_is_loaded_when_there_is_one(visit):
    shop = Store()
    store = visit("/store", forgiving=["net::ERR_"])
    sign_in(store, shop)
    store.context.set_offline(True)
    expect(store.get_by_text("Not live")).to_be_visible()
    go(store, "Figures")
    expect(store.get_by_text("Not loaded").first).to_be_visible()
    store.context.set_offline(False)
    expect(store.get_by_text("The first figures come with the first delivery.")).to_be_visible()
    expect(store.get_by_text("Not loaded")).to_have_count(0)
    live(store)


@pytest.mark.journey
def test_what_is_done_one_after_the_other_without_a_connection_arrives_in_that_order(visit, line, look):
    shop, _, job, page = carried(visit=visit, line=line, fetched=False)
    line.cut()
    page.get_by_role("button", name="Fetch").click()
    # Who has it does not wait for the server to hear of it; it can still be taken back.
    card = page.locator(".in_progress li.card")
    expect(card).to_contain_text("✓ fetched")
    expect(card).to_contain_text("Fetch · waits for a connection")
    expect(page.locator(".verbs").first.get_by_role("button", name="Not handed over")).to_be_visible()
    undo = card.get_by_role("button", name="Do not send")
    expect(undo).to_be_visible()
    deliver = page.locator(".verbs").first.get_by_role("button", name="Deliver:")
    expect(deliver).to_be_in_viewport()

    def is_apart():
        # What is drawn anew meanwhile has no place.
        boxes = [one.bounding_box() for one in (undo, deliver)]
        return all(boxes) and boxes[0]["y"] < boxes[1]["y"] - 44

    until(page, is_apart)
    look(page, "offline-fetched")
    undo.click()
    expect(page.get_by_role("button", name="Fetch")).to_be_visible()
    page.get_by_role("button", name="Fetch").click()
    page.reload()
    expect(card).to_contain_text("✓ fetched")
    deliver.click()
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(card).to_contain_text("Deliver · waits for a connection")
    expect(page.locator(".in_progress .verbs")).to_have_count(0)
    # What is done last is taken back first.
    undo.click()
    expect(card).to_contain_text("Fetch · waits for a connection")
    deliver.click()
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(card).to_contain_text("Deliver · waits for a connection")
    assert shop.history(job) == ["create", "accept"]
    line.mend()
    expect(page.locator(".card.delivered")).to_have_count(1)
    assert shop.history(job) == ["create", "accept", "pick_up", "deliver"]


def test_what_was_done_with_something_that_the_store_has_cancelled_is_over(visit, line):
    shop, _, job, page = carried(visit=visit, line=line, fetched=False, forgiving=["409"])
    line.cut()
    page.get_by_role("button", name="Fetch").click()
    page.locator(".verbs").first.get_by_role("button", name="Deliver:").click()
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.locator(".in_progress li.card")).to_contain_text("Deliver · waits for a connection")
    call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    line.mend()
    # One is refused after the other, and neither is tried for ever.
    until(page, lambda: page.evaluate("localStorage.getItem('kurir.outgoing')") == "[]")
    expect(page.locator(".gone")).to_contain_text("has cancelled this delivery")
    expect(page.locator(".in_progress li.card")).to_have_count(0)
    assert shop.history(job) == ["create", "accept", "cancel"]


def test_what_waits_for_a_connection_makes_room_for_the_next(visit, line, look):
    shop = Store()
    ana = Courier(shop)
    for name in ("Iva", "Jan"):
        job = shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Perić", "address": "Savska 1"})
        for step in ("accept", "pick_up"):
            ana.act(step, job)
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    sign_in(page, ana)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    kept(page)
    names = page.locator(".in_progress li.card h3")
    # What has no time was wanted when it was made.
    expect(names).to_have_text(["Iva Perić", "Jan Perić"])
    line.cut()
    expect(page.get_by_text("Not live")).to_be_attached()
    page.locator(".verbs").first.get_by_role("button", name="Deliver: Iva Perić").click()
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(names).to_have_text(["Jan Perić", "Iva Perić"])
    expect(page.locator(".verbs").first.get_by_role("button", name="Deliver: Jan Perić")).to_be_in_viewport()
    # It says what it waits for, and can still be taken back.
    last = page.locator(".in_progress li.card").last
    expect(last).to_contain_text("waits for a connection")
    street, undo = last.locator(".street"), last.get_by_role("button", name="Do not send")
    expect(undo).to_be_visible()
    expect(street).to_be_visible()
    assert street.bounding_box()["height"] < 40
    look(page, "offline-next")
    undo.click()
    expect(names).to_have_text(["Iva Perić", "Jan Perić"])
    line.mend()
    live(page)


def test_what_was_not_sent_can_be_taken_back(visit, line):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    sign_in(page, ana)
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    # The same in another tab, which is told.
    other = page.context.new_page()
    other.goto("/courier")
    expect(other.get_by_role("button", name="Accept")).to_be_visible()
    line.cut()
    for tab in (page, other):
        expect(tab.get_by_text("Not live")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    expect(other.get_by_text("waits for a connection")).to_be_visible()
    # At once, and not by a mouse: between its down and up another try may take the button away.
    page.get_by_role("button", name="Do not send").dispatch_event("click")
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    expect(other.get_by_role("button", name="Accept")).to_be_visible()
    sent = []
    page.context.on("request", lambda request: "/accept" in request.url and sent.append(request.url))
    line.mend()
    for tab in (page, other):
        live(tab)
    # What waits goes out as soon as there is a connection, so before what comes next is there.
    shop.deliver_to(ana, recipient={"first_name": "Mia", "last_name": "Mijić", "address": "Savska 3"})
    for tab in (page, other):
        expect(tab.get_by_role("heading", name="Mia", exact=True)).to_be_visible()
    assert sent == [] and shop.history(job) == ["create"]


def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True, forgiving=["ERR_FAILED"])
    sign_in(page, ana)
    keys, replayed = [], []

    def lose_the_first(route):
        keys.append(route.request.headers["idempotency-key"])
        answer = route.fetch()
        replayed.append(answer.headers.get("idempotent-replayed"))
        route.abort() if len(keys) == 1 else route.fulfill(response=answer)

    page.context.route("**/accept", lose_the_first)
    job = shop.deliver_to(ana)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    assert len(keys) == 2 and keys[0] == keys[1] and replayed == [None, "true"]
    assert shop.history(job) == ["create", "accept"]


@pytest.mark.journey
def test_what_became_impossible_is_said(visit, line):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    page = visit("/courier", phone=True, forgiving=["net::ERR_", "409"], address=line.address)
    sign_in(page, ana)
    job = shop.deliver_to(ana, luka)
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    line.cut()
    page.get_by_role("button", name="Accept").click()
    luka.act("accept", job)
    line.mend()
    expect(page.locator(".notices")).to_contain_text("courier")
    expect(page.get_by_role("heading", name="Iva")).to_have_count(0)


def test_what_was_not_sent_outlives_the_session(visit, line):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    page = visit("/courier", phone=True, forgiving=["net::ERR_", "401"], address=line.address)
    sign_in(page, ana)
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    line.cut()
    page.get_by_role("button", name="Deliver:").click()
    page.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    end_sessions_of(ana)
    line.mend()
    expect(page.get_by_text("You are signed out. Sign in again.")).to_be_visible()
    # It is not for anybody else who works on this phone.
    luka = Courier(shop, ("Luka", "Lukić"))
    sign_in(page, luka)
    expect(page.get_by_text("No offers now.")).to_be_visible()
    expect(page.get_by_text("Iva Ivić")).to_have_count(0)
    go(page, "Settings")
    page.get_by_role("button", name="Sign out", exact=True).click()
    assert shop.history(job) == ["create", "accept"]
    sign_in(page, ana)
    expect(page.get_by_text("Thank you")).to_be_visible()
    assert shop.history(job) == ["create", "accept", "deliver"]


def test_it_is_sent_whatever_is_looked_at(visit, line):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    sign_in(page, ana)
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    line.cut()
    page.get_by_role("button", name="Accept").click()
    go(page, "Stores")
    page.reload()
    line.mend()
    expect(page.get_by_text("It is yours.")).to_be_visible()
    assert shop.history(job) == ["create", "accept"]


def test_one_that_cannot_go_out_holds_up_nothing_else(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(2)]
    page = visit("/courier", forgiving=["503"])
    sign_in(page, ana)
    page.route("**/accept", lambda route: route.fulfill(status=503, body="{}"))
    page.get_by_role("button", name="Accept").first.click()
    expect(page.get_by_text("waits for a connection")).to_be_visible()
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_text("Declined.")).to_be_visible()
    page.unroute("**/accept")
    expect(page.get_by_text("It is yours.")).to_be_visible()
    assert sorted(shop.history(job)[-1] for job in jobs) == ["accept", "decline"]


def test_a_list_that_comes_late_undoes_nothing(visit):
    shop = Store()
    ana = Courier(shop)
    first = shop.deliver_to(ana)
    store = visit("/store")
    sign_in(store, shop)
    expect(store.locator(".card")).to_have_count(1)
    go(store, "Couriers")
    held = hold(store, "**/v1/deliveries?status=pending*")
    go(store, "Deliveries")
    until(store, lambda: held)
    ana.act("accept", first)
    second = shop.deliver_to(ana)
    expect(store.locator(f"[data-key='{first}'] .card.in_progress")).to_be_visible()
    expect(store.locator(f"[data-key='{second}'] .card.pending")).to_be_visible()
    release(store, held)
    expect(store.locator(f"[data-key='{first}'] .card.in_progress")).to_be_visible()
    expect(store.locator(f"[data-key='{second}'] .card.pending")).to_be_visible()
    expect(store.locator(".card")).to_have_count(2)


def test_the_last_search_counts_and_not_the_slowest(visit):
    shop = Store()
    ana = Courier(shop)
    for name in ("Alfa", "Beta"):
        shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1"})
    store = visit("/store")
    sign_in(store, shop)
    expect(store.locator(".card")).to_have_count(2)
    held = hold(store, "**/v1/deliveries?*q=Alfa*")
    store.get_by_label("Search").fill("Alfa")
    until(store, lambda: held)
    store.get_by_label("Search").fill("Beta")
    expect(store.locator(".card strong")).to_have_text(["Beta Ivić"])
    release(store, held)
    expect(store.locator(".card strong")).to_have_text(["Beta Ivić"])


def test_a_change_that_crosses_another_keeps_what_was_typed(visit):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    job = shop.deliver_to(ana, luka)
    store = visit("/store", forgiving=["412"])
    sign_in(store, shop)
    store.locator(".card").click()
    store.get_by_role("button", name="Change").click()
    editor = store.get_by_role("dialog", name="Change the delivery")
    editor.get_by_label("Address").fill("Savska 7, Zagreb")
    ana.act("decline", job)
    editor.get_by_role("button", name="Save").click()
    expect(editor.get_by_role("alert")).to_contain_text("changed meanwhile")
    expect(editor.get_by_label("Address")).to_have_value("Savska 7, Zagreb")
    editor.get_by_role("button", name="Save").click()
    expect(store.get_by_role("link", name="Savska 7, Zagreb")).to_be_visible()
    assert shop.history(job) == ["create", "decline", "edit"]


def test_an_answer_that_comes_late_takes_its_dialog_along(visit):
    shop = Store()
    shop.deliver_to(Courier(shop))
    store = visit("/store")
    sign_in(store, shop)
    held = hold(store, "**/cancel")
    store.locator(".card").click()
    rare(store)
    store.get_by_role("button", name="Cancel the delivery").click()
    asking = store.get_by_role("dialog", name="Cancel the delivery")
    asking.get_by_label("Reason").fill("Nobody is at home")
    asking.get_by_role("button", name="Cancel the delivery").click()
    expect(store.locator(".column.cancelled .card")).to_have_count(1)
    # Who does not wait for it is asked, until there is nothing to ask for any more.
    store.keyboard.press("Escape")
    expect(store.get_by_role("dialog", name="Close without saving?")).to_be_visible()
    until(store, lambda: held)
    release(store, held)
    expect(store.locator("dialog")).to_have_count(1)
    escape(store)


def test_an_answer_is_shown_though_nothing_else_comes(visit):
    """Neither the feed nor a list."""
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana)
    page = visit("/courier", phone=True, forgiving=["ERR_FAILED"])
    sign_in(page, ana)
    page.context.route("**/v1/events*", lambda route: route.abort())
    page.reload()
    accept = page.get_by_role("button", name="Accept")
    expect(accept).to_be_visible()
    page.context.route("**/v1/deliveries?*", lambda route: None)
    accept.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    expect(page.locator(".column.in_progress .card:focus")).to_have_count(1)


def test_the_courier_opens_the_page_though_the_server_does_not(visit):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana)
    page = visit("/courier", phone=True, forgiving=["502", "ERR_FAILED"])
    sign_in(page, ana)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    kept(page)
    page.context.route("**/courier", lambda route: route.fulfill(status=502, body="Bad gateway"))
    page.context.route("**/v1/**", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("heading", name="Iva", exact=True)).to_be_visible()
    expect(page.get_by_text("There is no connection to Kurir.").first).to_be_visible()
