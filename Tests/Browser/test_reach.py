"""Notifications, as the pages and their service worker take part in them; duty; and what an open page does to be noticed."""
import json
import re

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, Courier, Store, Worker, call, escape, go, live, minutes, numbers, rest, sign_in, until

pytestmark = pytest.mark.notifications

# An uncompressed point of P-256, as servers tell it.
KEY = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
# What a browser was told it remembers, whoever is signed in.
ALLOWED = """
    PushManager.prototype.subscribe = async () => ({toJSON: () => ({endpoint: 'https://push.example/1', keys: {p256dh: 'p', auth: 'a'}})});
    Notification.requestPermission = async () => { localStorage.setItem('allowed', 'yes'); return 'granted'; };
    Object.defineProperty(Notification, 'permission', {get: () => (localStorage.getItem('allowed') ? 'granted' : 'default')});
"""
REFUSED = """
    Notification.requestPermission = async () => 'denied';
    Object.defineProperty(Notification, 'permission', {get: () => localStorage.getItem('refused') ?? 'default'});
"""


def reachable(page, script, account=None):
    """A server that sends push, on which browsers can subscribe; gives what was asked of its devices and duty."""
    asked = []
    page.context.add_init_script(script)

    def about(route):
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"web_push_key": KEY})

    def note(route):
        asked.append((route.request.method, route.request.url.removeprefix(ADDRESS), json.loads(route.request.post_data or "null")))
        route.fulfill(status=204)

    def me(route):
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | (account or {}))

    page.context.route("**/v1/about", about)
    page.context.route("**/v1/me/devices/*", note)
    page.context.route("**/v1/me/duty", note)
    if account:
        page.context.route("**/v1/me", me)
    return asked


def offered():
    """A courier who is not new: who is, is led by steps."""
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana)
    return ana


@pytest.mark.journey
def test_it_is_asked_once_and_with_a_reason(visit, look):
    page = visit("/courier", phone=True, forgiving=["503"])
    asked = reachable(page, ALLOWED)
    page.reload()
    expect(page.get_by_text("Be told while this page is closed?")).to_have_count(0)
    ana = offered()
    sign_in(page, ana)
    expect(page.get_by_text("the phone in your pocket")).to_be_visible()
    look(page, "asking-for-notifications")
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_text("This device is told from now on.")).to_be_visible()
    (method, path, body), = asked
    name = path.removeprefix("/v1/me/devices/")
    assert method == "PUT" and body == {"platform": "webpush", "endpoint": "https://push.example/1", "keys": {"p256dh": "p", "auth": "a"}}
    # Registered anew at each start, by the same name, and nobody is asked again.
    page.reload()
    until(page, lambda: len(asked) == 2)
    assert asked[1][1] == path
    expect(page.get_by_text("Be told while this page is closed?")).to_have_count(0)
    # A switch for this device alone. As long as the server does not know of it, it is on.
    go(page, "Settings")
    switch = page.get_by_label("Notifications on this device")
    page.route("**/v1/me/devices/*", lambda route: route.fulfill(status=503, body=""))
    switch.click()
    expect(page.locator(".notices")).not_to_be_empty()
    expect(switch).to_be_checked()
    page.unroute("**/v1/me/devices/*")
    assert page.evaluate("caches.has('kurir.push')")
    switch.uncheck()
    expect(page.get_by_text("This device is told nothing any more.")).to_be_visible()
    assert asked[2][:2] == ("DELETE", path)
    # And nothing is left by which the worker would register it once more.
    until(page, lambda: not page.evaluate("caches.has('kurir.push')"))
    page.get_by_label("Notifications on this device").check()
    until(page, lambda: len(asked) == 4)
    look(page, "settings-notifications")
    # Given up at sign-out.
    left = []
    page.on("request", lambda request: request.method == "DELETE" and left.append(request.url))
    name = asked[3][1].rsplit("/", 1)[1]
    page.get_by_role("button", name="Sign out", exact=True).click()
    until(page, lambda: left)
    assert left[0].endswith(f"/v1/sessions/current?device={name}")


def test_a_phone_that_notifies_only_from_the_home_screen_says_how_to_get_there(visit, look):
    page = visit("/courier", phone=True)
    asked = reachable(page, "delete window.PushManager; Object.defineProperty(navigator, 'standalone', {value: false});")
    page.reload()
    shop = Store()
    ana = Courier(shop)
    sign_in(page, ana)
    expect(page.locator(".guide").get_by_text("choose “Add to Home Screen”")).to_be_visible()
    shop.deliver_to(ana)
    expect(page.locator(".asks").get_by_text("choose “Add to Home Screen”")).to_be_visible()
    expect(page.get_by_role("button", name="Allow notifications")).to_have_count(0)
    look(page, "asking-for-the-home-screen")
    page.get_by_role("button", name="Not now").click()
    expect(page.get_by_text("Be told while this page is closed?")).to_have_count(0)
    go(page, "Settings")
    expect(page.locator(".settings").get_by_text("choose “Add to Home Screen”")).to_be_visible()
    assert asked == []


def signed_out(page):
    go(page, "Settings")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.locator(".entrance")).to_be_visible()


def test_what_a_device_was_allowed_holds_for_who_signs_in_next(visit):
    page = visit("/courier", phone=True)
    asked = reachable(page, ALLOWED)
    page.reload()
    ana = Courier()
    sign_in(page, ana)
    page.get_by_role("button", name="Allow notifications").click()
    until(page, lambda: len(asked) == 1)
    for number, who in enumerate([ana, Courier()], 2):
        signed_out(page)
        sign_in(page, who)
        until(page, lambda: len(asked) == number)
        assert asked[-1][:2] == asked[0][:2]
        expect(page.get_by_text("Be told while this page is closed?")).to_have_count(0)
    # The browser was told otherwise meanwhile, and is asked by a button again, never at load.
    page.evaluate("localStorage.removeItem('allowed')")
    page.reload()
    go(page, "Jobs")
    expect(page.get_by_role("button", name="Allow notifications")).to_be_visible()
    assert len(asked) == 3


def test_nothing_is_told_to_or_done_for_who_has_signed_out(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    reachable(page, ALLOWED)
    page.reload()
    sign_in(page, ana)
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_text("This device is told from now on.")).to_be_visible()
    worker = Worker(page)
    job = shop.deliver_to(ana)
    go(page, "Settings")
    worker.push(told("password_changed", "password"))
    until(page, lambda: worker.shown())
    page.get_by_role("button", name="Sign out", exact=True).click()
    until(page, lambda: worker.shown() == [])
    # One that comes late does nothing in her name.
    until(page, lambda: worker.shown() or worker.push(offer(job)))
    worker.worker.evaluate("() => { self.opened = []; self.clients.matchAll = async () => []; self.clients.openWindow = async (address) => { self.opened.push(address); }; }")
    worker.touch("accept")
    assert worker.worker.evaluate("self.opened") == [f"{ADDRESS}/courier#delivery={job}"]
    assert shop.history(job) == ["create"]


def test_who_does_not_want_it_on_a_device_is_not_asked_again(visit):
    page = visit("/courier", phone=True)
    asked = reachable(page, ALLOWED)
    page.reload()
    ana = offered()
    sign_in(page, ana)
    page.get_by_role("button", name="Not now").click()
    signed_out(page)
    with page.expect_response("**/v1/about"):
        sign_in(page, ana)
    go(page, "Jobs")
    rest(page)
    expect(page.get_by_text("Be told while this page is closed?")).to_have_count(0)
    assert asked == []


def test_who_refuses_finds_how_to_allow_it(visit, look):
    page = visit("/store")
    asked = reachable(page, REFUSED)
    page.reload()
    shop = Store()
    sign_in(page, shop)
    # Before there is anything to be told of nobody is asked.
    expect(page.locator(".guide")).to_be_visible()
    expect(page.get_by_role("button", name="Allow notifications")).to_be_hidden()
    shop.deliver_to(Courier(shop))
    page.evaluate("localStorage.setItem('refused', 'default')")
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_text("This browser does not allow notifications.")).to_be_visible()
    page.evaluate("localStorage.setItem('refused', 'denied')")
    go(page, "Settings")
    expect(page.locator(".settings").get_by_text("This browser does not allow notifications.")).to_be_visible()
    look(page, "settings-refused")
    assert asked == []


def offer(job):
    return {"id": job, "kind": "delivery_offered", "title": "New delivery", "body": "Pekara: Vukovarska 5", "language": "en",
            "data": {"delivery_id": job}}


@pytest.mark.journey
def test_an_offer_is_accepted_on_its_notification(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    reachable(page, ALLOWED)
    page.reload()
    sign_in(page, ana)
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_text("This device is told from now on.")).to_be_visible()
    worker = Worker(page)
    # Nobody looks at the page.
    page.goto("/docs")
    job = shop.deliver_to(ana)
    worker.push(offer(job))
    until(page, lambda: worker.shown())
    assert worker.shown() == [{"title": "New delivery", "body": "Pekara: Vukovarska 5", "tag": job, "actions": ["Accept", "Look"]}]
    worker.touch("accept")
    assert shop.history(job) == ["create", "accept"]
    assert [one["body"] for one in worker.shown()] == ["It is yours."]


def test_what_was_accepted_without_a_connection_is_sent_by_the_page(visit, line):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True, forgiving=["net::ERR_"], address=line.address)
    reachable(page, ALLOWED)
    page.reload()
    sign_in(page, ana)
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_text("This device is told from now on.")).to_be_visible()
    worker = Worker(page)
    page.goto("/docs")
    job = shop.deliver_to(ana)
    worker.push(offer(job))
    until(page, lambda: worker.shown())
    line.cut()
    worker.touch("accept")
    assert "waits for a connection" in worker.shown()[0]["body"]
    line.mend()
    page.goto(f"{line.address}/courier")
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    assert shop.history(job) == ["create", "accept"]
    until(page, lambda: worker.shown() == [])


@pytest.mark.journey
def test_notices_of_what_is_over_close_themselves_and_others_open_the_job(visit):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    worker = Worker(page)
    job, other = shop.deliver_to(ana, luka), shop.deliver_to(ana, luka)
    expect(page).to_have_title("(2) Offers · Kurir")
    go(page, "Settings")
    worker.push(offer(job))
    until(page, lambda: worker.shown())
    # Looking shows the job, in the page that is open.
    worker.touch("look")
    expect(page.get_by_role("dialog", name="Iva")).to_be_visible()
    escape(page)
    # An offer is over for whoever does not look at the jobs, too; what else was told of one is not.
    go(page, "Settings")
    for notice in [offer(job), told("delivery_late", "late", delivery_id=other)]:
        worker.push(notice)
    until(page, lambda: len(worker.shown()) == 2)
    for one in [other, job]:
        luka.act("accept", one)
    until(page, lambda: [one["title"] for one in worker.shown()] == ["late"])


def test_a_notification_closes_those_of_offers_that_are_over(visit):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    page = visit("/courier", phone=True, forgiving=["404"])
    sign_in(page, ana)
    worker = Worker(page)
    # Nobody has the page open.
    page.goto("/docs")
    gone, open_still, new = (shop.deliver_to(ana, luka) for _ in range(3))
    for job in [gone, open_still]:
        worker.push(offer(job))
    until(page, lambda: len(worker.shown()) == 2)
    luka.act("accept", gone)
    worker.push(offer(new))
    until(page, lambda: {one["tag"] for one in worker.shown()} == {open_still, new})


def told(kind, title, **data):
    return {"id": title, "kind": kind, "title": title, "body": "", "language": "en", "data": {"delivery_id": title} | data}


def test_notices_are_over_once_somebody_sees_what_they_tell_of(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    worker = Worker(page)
    go(page, "Settings")
    kinds = {"job": "delivery_late", "offer": "delivery_offered", "message": "message_received", "news": "bulletin_published", "invite": "invite",
             "excused": "cancellation_excused", "password": "password_changed"}
    job = shop.deliver_to(ana)
    for title, kind in kinds.items():
        worker.push(told(kind, title, **({"delivery_id": job} if title == "offer" else {})))
    left = sorted(kinds)
    until(page, lambda: sorted(one["title"] for one in worker.shown()) == left)
    for view, seen in [("Jobs", {"job", "offer"}), ("News", {"news"}), ("Stores", {"invite"})]:
        go(page, view)
        left = [title for title in left if title not in seen]
        until(page, lambda: sorted(one["title"] for one in worker.shown()) == left)
    # A list of jobs that is drawn again says nothing of what is written elsewhere.
    assert left == ["excused", "message", "password"]


def test_an_invite_opens_the_invites(visit):
    shop = Store()
    ana = Courier(Store())
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    worker = Worker(page)
    invite = call("POST", "/v1/invites", {"courier_id": ana.id}, shop.token)["id"]
    worker.push({"id": invite, "kind": "invite", "title": "An invite", "body": "Pekara", "language": "en", "data": {"invite_id": invite}})
    until(page, lambda: worker.shown())
    worker.touch()
    expect(page.get_by_role("heading", name="Invites for you")).to_be_visible()


def test_what_a_notification_tells_of_is_opened_where_no_page_is(visit):
    page = visit("/courier", phone=True)
    sign_in(page, Courier())
    worker = Worker(page)
    # Nobody has the page open.
    page.goto("/docs")
    worker.worker.evaluate("() => { self.opened = []; self.clients.openWindow = async (address) => { self.opened.push(address); }; }")
    job = "01a1fc35-081c-7c93-9601-9d67685da334"
    leading = [
        (offer(job), f"#delivery={job}"), (told("invite", "invite"), "#/stores"), (told("bulletin_published", "news"), "#/news"),
        (told("message_received", "talk", delivery_id=None, conversation_id="c1"), "#/messages/c1"),
        (told("delivery_cancelled", "cancelled", delivery_id=job), f"#delivery={job}"), (told("delivery_reassigned", "back", delivery_id=job), f"#delivery={job}"),
        (told("cancellation_excused", "excused", delivery_id=job), "#/stores"), (told("cancellation_contested", "contested", delivery_id=job), "#/partners"),
    ]
    for notice, place in leading:
        worker.push(notice)
        until(page, lambda: worker.shown())
        worker.touch()
        assert worker.worker.evaluate("self.opened.pop()") == f"{ADDRESS}/courier{place}"
        assert worker.shown() == []


def test_a_push_that_says_nothing_is_shown_all_the_same(visit):
    page = visit("/courier", phone=True)
    sign_in(page, Courier())
    worker = Worker(page)
    # A busy browser may lose one that carries nothing, and so may a push service.
    until(page, lambda: worker.shown() or worker.push(None))
    assert worker.shown()[0]["title"] == "Kurir"


def test_a_browser_that_is_told_elsewhere_says_so(visit):
    page = visit("/courier", phone=True)
    asked = reachable(page, ALLOWED)
    page.reload()
    sign_in(page, Courier())
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_text("This device is told from now on.")).to_be_visible()
    worker = Worker(page)
    worker.worker.evaluate("""() => {
        const event = new ExtendableEvent('pushsubscriptionchange');
        event.newSubscription = {toJSON: () => ({endpoint: 'https://push.example/2', keys: {p256dh: 'q', auth: 'b'}})};
        self.dispatchEvent(event);
    }""")
    until(page, lambda: len(asked) == 2)
    assert asked[1][:2] == ("PUT", asked[0][1]) and asked[1][2]["endpoint"] == "https://push.example/2"


def test_a_store_is_told_no_more_of_what_it_sees(visit):
    shop = Store()
    job = shop.deliver_to(Courier(shop))
    page = visit("/store")
    closed = []
    page.context.expose_function("noticeClosed", lambda notice: closed.append(notice))
    page.add_init_script("""
        const notice = (kind, id) => ({data: {kind, delivery_id: id}, close: () => noticeClosed(`${kind} ${id}`)});
        const all = [notice('message_received', '%s'), notice('cancellation_contested', '%s'), notice('delivery_late', 'another'), notice('delivery_late', '%s')];
        navigator.serviceWorker.getRegistration = async () => ({getNotifications: async () => all});
    """ % (job, job, job))
    page.reload()
    sign_in(page, shop)
    until(page, lambda: closed)
    assert set(closed) == {f"delivery_late {job}"}


@pytest.mark.journey
def test_a_courier_goes_off_duty(visit, look):
    page = visit("/courier", phone=True)
    asked = reachable(page, "", {"on_duty": True, "duty_until": None})
    sign_in(page, Courier())
    duty = page.get_by_role("switch", name="On duty")
    expect(duty).to_have_attribute("aria-checked", "true")
    look(page, "on-duty")
    duty.click()
    expect(duty).to_have_attribute("aria-checked", "false")
    said = page.get_by_role("status").filter(has_text="You are off duty")
    expect(said).to_be_visible()
    # It covers neither the switch nor the way on, and what it offers stands in one line.
    undo = said.get_by_role("button", name="Undo")
    assert duty.bounding_box()["y"] + duty.bounding_box()["height"] < said.bounding_box()["y"]
    assert said.bounding_box()["y"] + said.bounding_box()["height"] <= page.locator("nav").bounding_box()["y"]
    assert undo.bounding_box()["height"] < 48
    # Who did not mean it is on duty again as before.
    undo.click()
    expect(duty).to_have_attribute("aria-checked", "true")
    duty.click()
    expect(duty).to_have_attribute("aria-checked", "false")
    assert asked == [("PUT", "/v1/me/duty", {"on": on, "until": None}) for on in (False, True, False)]
    # Who comes back is on duty at once, and may say until when.
    duty.click()
    expect(duty).to_have_attribute("aria-checked", "true")
    assert asked[3] == ("PUT", "/v1/me/duty", {"on": True, "until": None})
    page.get_by_role("button", name="Until when?").click()
    dialog = page.get_by_role("dialog", name="Until when are you on duty?")
    look(page, "until-when")
    until = dialog.get_by_role("button", name=re.compile(r"^until \d")).nth(2)
    time = until.inner_text()
    until.click()
    expect(dialog).to_have_count(0)
    expect(duty).to_contain_text(time)
    assert asked[4][2]["on"] is True and asked[4][2]["until"] is not None


def test_duty_ends_on_the_page_when_it_was_said_to(visit):
    page = visit("/courier", phone=True)
    duty = {"on_duty": True, "duty_until": minutes(30)}
    reachable(page, "", duty)
    page.clock.install()
    sign_in(page, Courier())
    switch = page.get_by_role("switch", name="On duty")
    expect(switch).to_contain_text("until")
    duty.update(on_duty=False, duty_until=None)
    page.clock.fast_forward(31 * 60_000)
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(switch).not_to_contain_text("until")


def fill_in(form):
    """What a delivery to Ana needs."""
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    form.get_by_label("Ana Anić").check()


def test_nobody_on_duty_is_said(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/store")
    page.route("**/v1/deliveries", lambda route: route.fulfill(response=(answer := route.fetch()), json=answer.json() | {"nobody_on_duty": True}))
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog")
    fill_in(form)
    form.get_by_role("button", name="Create").click()
    expect(page.locator(".notices").get_by_text("Nobody of those asked is on duty now")).to_be_visible()
    # It is no delivery of which all is well.
    expect(page.locator(".card.urgent")).to_contain_text("! Nobody on duty")
    expect(page.get_by_role("button", name="! 1 with nobody on duty")).to_be_visible()
    expect(page.get_by_text("Everything is under way")).to_have_count(0)
    page.locator(".card.urgent").click()
    panel = page.get_by_role("dialog")
    expect(panel.locator(".trouble")).to_contain_text("Nobody of those asked is on duty")
    expect(panel.locator(".trouble").get_by_role("button", name="Choose others")).to_be_visible()
    # Who accepts it all the same has heard of it.
    ana.act("accept", call("GET", "/v1/deliveries", token=shop.token)["items"][0]["id"])
    expect(panel.locator(".trouble")).to_have_count(0)
    expect(page.get_by_text("Everything is under way")).to_be_visible()


def test_what_is_made_on_the_map_is_known_to_reach_nobody_too(visit):
    shop = Store()
    Courier(shop)
    page = visit("/store")
    page.route("**/v1/deliveries", lambda route: route.fulfill(response=(answer := route.fetch()), json=answer.json() | {"nobody_on_duty": True}))
    sign_in(page, shop)
    go(page, "Map")
    page.get_by_role("button", name="New delivery").click()
    fill_in(page.get_by_role("dialog"))
    page.get_by_role("button", name="Create").click()
    go(page, "Deliveries")
    expect(page.get_by_role("button", name="! 1 with nobody on duty")).to_be_visible()


def test_who_asks_nobody_on_duty_is_told_so_before(visit):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    call("PUT", "/v1/me/duty", {"on": False}, ana.token)
    page = visit("/store")
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    form, told = page.get_by_role("dialog"), page.get_by_role("dialog").get_by_text("Nobody of those asked is on duty")
    # Who has never chosen anybody means those on duty.
    expect(form.get_by_label("Luka Lukić")).to_be_checked()
    expect(form.get_by_label("Ana Anić")).not_to_be_checked()
    form.get_by_label("Luka Lukić").uncheck()
    form.get_by_label("Ana Anić").check()
    expect(told).to_be_visible()
    form.get_by_label("Luka Lukić").check()
    expect(told).to_have_count(0)


def test_an_open_page_sounds_unless_it_is_told_not_to(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    page.add_init_script("""
        window.notes = 0;
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) { window.notes += 1; start.call(this, at); };
    """)
    page.reload()
    sign_in(page, ana)
    shop.deliver_to(ana)
    until(page, lambda: page.evaluate("notes") == 2)
    go(page, "Settings")
    page.get_by_label("Sound when something needs you").uncheck()
    go(page, "Jobs")
    shop.deliver_to(ana)
    expect(page.locator(".column.pending .card")).to_have_count(2)
    assert page.evaluate("notes") == 2


def test_a_stores_page_sounds_for_what_needs_a_hand_and_nothing_else(visit):
    page = visit("/store")
    page.add_init_script("""
        window.notes = 0;
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) { window.notes += 1; start.call(this, at); };
        window.EventSource = class extends EventSource {
            constructor(address) { super(address); window.feed = this; }
        };
    """)
    page.reload()
    sign_in(page, Store())
    # Where no delivery is shown.
    go(page, "Settings")
    assert page.evaluate("notes") == 0
    hear = """(type) => {
        window.number = (window.number ?? 0) + 1;
        feed.dispatchEvent(new MessageEvent(type, {data: JSON.stringify({type, number, data: {courier_name: "Ana Anić"}})}));
    }"""
    needing = ["stranded", "returned", "late", "unaccepted", "attempt_failed"]
    for type in ["delivery.created", "delivery.accepted", "delivery.picked_up", "delivery.delivered", "partner.joined", "cancellation.excused"]:
        page.evaluate(hear, type)
    for count, type in enumerate([f"delivery.{what}" for what in needing] + ["cancellation.contested"], 1):
        page.evaluate(hear, type)
        until(page, lambda: page.evaluate("notes") == 2 * count)


def test_of_several_pages_one_sounds(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(2)]
    page = visit("/store")
    page.context.add_init_script("""
        window.notes = 0;
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) { window.notes += 1; start.call(this, at); };
    """)
    page.reload()
    sign_in(page, shop)
    pages = [page, page.context.new_page()]
    pages[1].goto("/store")
    live(pages[1])
    pages[1].keyboard.press("ArrowDown")
    for number, job in enumerate(jobs, 1):
        ana.act("decline", job)
        for one in pages:
            expect(one.get_by_role("button", name=re.compile(f"{number} ha(s|ve) no courier left"))).to_be_visible()
        until(page, lambda: sum(one.evaluate("notes") for one in pages) == 2 * number)


def test_an_open_page_shakes_and_counts_on_the_icon(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    page.add_init_script("""
        window.badge = null;
        window.shaken = [];
        navigator.setAppBadge = async (number) => { window.badge = number; };
        navigator.clearAppBadge = async () => { window.badge = 0; };
        navigator.vibrate = (pattern) => { window.shaken.push(pattern); return true; };
    """)
    page.reload()
    sign_in(page, ana)
    jobs = [shop.deliver_to(ana)]
    until(page, lambda: page.evaluate("badge") == 1)
    until(page, lambda: page.evaluate("shaken") == [[180, 90, 180]])
    jobs.append(shop.deliver_to(ana))
    until(page, lambda: page.evaluate("badge") == 2)
    assert page.title().startswith("(2) ")
    # Whatever is shown, and wherever one begins.
    go(page, "Settings")
    jobs.append(shop.deliver_to(ana))
    until(page, lambda: page.evaluate("badge") == 3)
    page.reload()
    expect(page).to_have_title("(3) Offers · Kurir")
    until(page, lambda: page.evaluate("badge") == 3)
    for job in jobs:
        call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    until(page, lambda: page.evaluate("badge") == 0)
    expect(page).to_have_title("Settings · Kurir")
    # What goes shakes nobody.
    assert page.evaluate("shaken") == []


def test_an_offer_says_by_when_on_its_notification(visit):
    ana = Courier()
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    worker = Worker(page)
    go(page, "Settings")
    one = offer("01a1fc35-081c-7c93-9601-9d67685da334")
    # Today, where the browser is.
    one["data"]["due_at"] = worker.worker.evaluate("() => new Date(new Date().setHours(13, 5, 0, 0)).toISOString()")
    worker.push(one)
    until(page, lambda: worker.shown())
    here = worker.worker.evaluate("(time) => new Date(time).toLocaleTimeString('en', {hour: '2-digit', minute: '2-digit'})", one["data"]["due_at"])
    assert worker.shown()[0]["body"] == f"Pekara: Vukovarska 5 · by {here}"


def test_an_invite_is_passed_on_by_the_stores_own_phone_or_mail(visit, look):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Couriers")
    number = f"+38598{next(numbers):07d}"
    page.get_by_label("Phone").fill(number)
    page.get_by_role("button", name="Invite by number").click()
    sms, mail = page.get_by_role("link", name="By your own SMS"), page.get_by_role("link", name="By e-mail")
    expect(sms).to_be_visible()
    made = call("GET", "/v1/invites", token=shop.token)["items"][0]
    expect(sms).to_have_attribute("href", re.compile(rf"^sms:\{number}\?&body=Deliver%20for%20Pekara%20.*%2Fi%2F" + made["code"]))
    expect(mail).to_have_attribute("href", re.compile(r"^mailto:\?subject=.+&body=.*%2Fi%2F" + made["code"]))
    look(page, "invite-to-pass-on")


@pytest.mark.parametrize("width", [1024, 1440])
def test_who_is_off_duty_makes_no_row_of_couriers_higher(visit, look, width):
    shop = Store(language="hr")
    for name, is_on in (("Ana", True), ("Luka", False)):
        courier = Courier(shop, (name, "Horvatinčić"))
        call("PUT", "/v1/me/duty", {"on": is_on}, courier.token)
    page = visit("/store", locale="hr-HR")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, shop)
    go(page, "Kuriri")
    rows = page.locator(".partners .panel").first.locator(".rows > li")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="nije na dužnosti")).to_have_count(1)
    heights = rows.evaluate_all("(all) => all.map((one) => Math.round(one.getBoundingClientRect().height))")
    assert max(heights) < 75 and max(heights) - min(heights) <= 1, heights
    look(page, f"couriers-off-duty-{width}")


def test_duty_that_was_changed_on_another_device_is_so_here(visit):
    ana = offered()
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    duty = page.get_by_role("switch", name="On duty")
    expect(duty).to_be_checked()
    page.clock.install()
    call("PUT", "/v1/me/duty", {"on": False}, ana.token)
    page.clock.fast_forward(31_000)
    expect(duty).not_to_be_checked()
