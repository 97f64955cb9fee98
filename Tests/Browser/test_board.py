"""The board as a store works with it all day: times, what is late, who carries what, and what is printed."""
import datetime
import io
import itertools
import re
import zoneinfo

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from conftest import Courier, Store, apart, call, escape, go, hold, message_to, minutes, numbers, panel, rare, rest, sign_in, unfold, until
from test_tracking import fix

EURO = {"currency": "EUR"}


def late(page):
    """Has the page believe that it is an hour later."""
    page.clock.set_fixed_time(page.evaluate("Date.now()") / 1000 + 3600)


def test_a_long_name_makes_no_row_higher_and_is_there_whole(visit, look):
    shop = Store()
    name = ("Marija Magdalena Antonija", "Kovačević-Vukomanović od Zagreba i Okolice Donje i Gornje")
    shop.deliver_to(Courier(shop), recipient={"first_name": name[0], "last_name": name[1], "address": "Savska 1"})
    for phone in (False, True):
        page = visit("/store", phone=phone)
        sign_in(page, shop)
        shown = page.locator(".card strong")
        lines = shown.evaluate("(name) => name.clientHeight / parseFloat(getComputedStyle(name).lineHeight)")
        # A phone's rows have as many lines as they need.
        assert 1.5 < lines < 2.5 if phone else lines < 1.5
        # To readers, and under the pointer, it is whole.
        expect(page.get_by_role("button", name=" ".join(name))).to_have_count(1)
        expect(shown).to_have_attribute("title", " ".join(name))
        look(page, f"board-long-name{'-phone' if phone else ''}")


@pytest.mark.journey
def test_rows_stand_by_the_time_they_are_wanted(visit, look):
    shop = Store()
    ana = Courier(shop)
    for name, time in (("Third", 300), ("First", 20), ("Second", 40)):
        shop.deliver_to(ana, window={"until": minutes(time)}, recipient={"first_name": name, "last_name": "I", "address": "Savska 1"})
    page = visit("/store")
    sign_in(page, shop)
    expect(page.locator(".card strong")).to_have_text(["First I", "Second I", "Third I"])
    expect(page.locator(".card").first).to_contain_text("+20 min")
    late(page)
    page.reload()
    expect(page.locator(".card").first).to_contain_text("40 min late")
    chip = page.get_by_role("button", name="‼ 2 late")
    chip.click()
    expect(page.locator(".card")).to_have_count(2)
    look(page, "late")
    # So does what is open.
    page.locator(".card").first.click()
    expect(page.get_by_role("dialog").locator(".trouble").first).to_contain_text("Late: it was wanted by")
    escape(page)
    # It stays so until somebody says otherwise.
    page.reload()
    expect(page.locator(".card strong")).to_have_text(["First I", "Second I"])
    chip.click()
    expect(page.locator(".card")).to_have_count(3)


def test_what_has_become_of_the_day_stands_below_what_is_open(visit, look):
    shop = Store()
    ana = Courier(shop)
    page = visit("/store")
    sign_in(page, shop)
    jobs = [shop.deliver_to(ana, window={"until": minutes(30)}) for _ in range(3)]
    expect(page.locator(".card")).to_have_count(3)
    for job in jobs[:2]:
        ana.act("accept", job)
    ana.act("deliver", jobs[0])
    call("POST", f"/v1/deliveries/{jobs[2]}/cancel", {}, shop.token)
    foot = page.locator(".foot.hint")
    expect(foot).to_have_text("Created today: ✓Delivered 1 · ✕Cancelled 1 · On time 1 of 1 due")
    look(page, "board-foot")
    ana.act("deliver", jobs[1])
    expect(foot).to_have_text("Created today: ✓Delivered 2 · ✕Cancelled 1 · On time 2 of 2 due")


def test_what_nobody_accepts_ages_and_marks_tell_how_far_it_is(visit):
    shop = Store()
    call("PATCH", "/v1/me", {"alert_after_minutes": 30}, shop.token)
    ana = Courier(shop)
    shop.deliver_to(ana)
    carried = shop.deliver_to(ana, recipient={"first_name": "Mia", "last_name": "M", "address": "Savska 1"})
    ana.act("accept", carried)
    page = visit("/store")
    sign_in(page, shop)
    state = page.locator(f"[data-key='{carried}'] .state")
    expect(state).to_contain_text("Accepted")
    # What has no time is wanted now, and says since when.
    expect(page.locator(".card .when").first).to_have_text(re.compile(r"^now since \d\d:\d\d$"))
    first = page.locator(".card").first
    place = first.bounding_box()
    ana.act("pick_up", carried)
    expect(state).to_contain_text("Fetched")
    ana.act("fail", carried, reason="nobody_home")
    expect(state).to_contain_text("! Nobody home")
    expect(page.get_by_role("button", name="! 1 not handed over")).to_be_visible()
    # An alarm moves no row from where somebody is just about to touch it.
    assert first.bounding_box() == place
    late(page)
    page.reload()
    expect(page.locator(".card.pending .state")).to_contain_text("waits 1 h")
    expect(page.get_by_role("button", name="unanswered")).to_be_visible()
    # Whoever follows the alarm finds what is wrong, and what to do.
    page.locator(".card.pending").click()
    panel = page.get_by_role("dialog")
    expect(panel.locator(".trouble")).to_contain_text("Nobody has accepted since")
    panel.get_by_role("button", name="Choose others").click()
    expect(page.get_by_role("dialog", name="Choose others").get_by_role("checkbox", name="Ana Anić")).to_be_visible()


def test_a_panel_begins_with_the_steps_of_the_way_and_says_which_are_done(visit):
    shop = Store()
    ana = Courier(shop)
    job, ended = shop.deliver_to(ana), shop.deliver_to(ana)
    page = visit("/store")
    sign_in(page, shop)
    page.locator(f"[data-key='{job}'] > .card").click()
    steps = page.get_by_role("dialog").locator(".course li")
    names = ["Created", "Accepted", "Fetched", "Delivered"]
    for done, action in enumerate([None, "accept", "pick_up", "deliver"], 1):
        if action:
            ana.act(action, job)
        expect(steps.locator("time")).to_have_count(done)
        expect(steps).to_have_text([re.compile(rf"^{name}\d\d:\d\d$" if at < done else f"^{name}$") for at, name in enumerate(names)])
        expect(page.get_by_role("dialog").locator("[aria-current=step]")).to_have_text(re.compile(names[done - 1]))
    # Numbers are read as they are said.
    expect(page.get_by_role("link", name="Call Iva Ivić")).to_have_text("+385 91 999 8877")
    page.keyboard.press("Escape")
    # What was not fetched before it ended never will be.
    page.locator(f"[data-key='{ended}'] > .card").click()
    expect(steps).to_have_count(4)
    call("POST", f"/v1/deliveries/{ended}/cancel", {"reason": "Nobody wants it"}, shop.token)
    expect(steps).to_have_text([re.compile("Created"), re.compile("Cancelled")])


def test_an_open_panel_says_that_nobody_has_accepted_once_it_is_so(visit):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store")
    page.clock.install()
    sign_in(page, shop)
    page.locator(".card").click()
    panel = page.get_by_role("dialog")
    expect(panel.get_by_role("button", name="Change")).to_be_visible()
    expect(panel.locator(".trouble")).to_have_count(0)
    page.clock.fast_forward("11:00")
    expect(panel.locator(".trouble")).to_contain_text("Nobody has accepted since")


def test_what_is_near_is_told_by_the_clock_alone_also_after_midnight(visit):
    shop = Store()
    ana = Courier(shop)
    tonight = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Zagreb")).replace(hour=23, minute=30, second=0, microsecond=0)
    near, far = (shop.deliver_to(ana, window={"until": (tonight + datetime.timedelta(hours=hours)).isoformat()}) for hours in (1, 14))
    page = visit("/store")
    page.clock.set_fixed_time(tonight)
    sign_in(page, shop)
    time = lambda id: page.locator(f"[data-key='{id}'] .when time")
    expect(time(near)).to_have_text(re.compile(r"^\d\d:\d\d$"))
    expect(time(far)).to_have_text(re.compile(r"^\d+ \w+, \d\d:\d\d$"))


def test_a_row_that_needs_a_hand_keeps_its_colour_while_it_is_open(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    ana.act("fail", job, reason="nobody_home")
    page = visit("/store")
    sign_in(page, shop)
    row = page.locator(".card.urgent")
    colour = "(row) => getComputedStyle(row).backgroundColor"
    edge = "(row) => getComputedStyle(row).boxShadow"
    before = row.evaluate(colour)
    assert row.evaluate(edge) == "none"
    row.click()
    # Why it needs a hand is said there once.
    expect(page.get_by_role("dialog", name="Iva Ivić").locator(".trouble")).to_contain_text("Not handed over: Nobody home")
    expect(page.get_by_role("dialog", name="Iva Ivić").locator(".top")).not_to_contain_text("Nobody home")
    expect(row).to_have_attribute("aria-current", "true")
    page.mouse.move(0, 0)
    until(page, lambda: row.evaluate(colour) == before)
    # What is open has a line around it instead.
    assert row.evaluate(edge) != "none"


def test_what_nobody_has_accepted_is_red_as_a_whole_as_the_alarm_counts_it(visit, look):
    shop = Store()
    ana = Courier(shop)
    for time in (35, 180):
        shop.deliver_to(ana, window={"until": minutes(time)})
    page = visit("/store")
    page.clock.install()
    sign_in(page, shop)
    expect(page.locator("li > .card")).to_have_count(2)
    expect(page.locator(".card.urgent")).to_have_count(0)
    expect(page.get_by_text("Everything is under way")).to_be_visible()
    # While somebody waits, that is not said as if nothing were.
    page.clock.fast_forward("03:00")
    expect(page.locator(".hand")).to_have_text("◔ longest wait 3 min")
    page.clock.fast_forward("08:00")
    expect(page.locator(".card.urgent .state.alarm")).to_have_count(2)
    expect(page.get_by_role("button", name="! 2 unanswered")).to_be_visible()
    look(page, "board-unaccepted")


def test_what_is_wanted_at_once_and_takes_long_needs_a_hand(visit):
    shop = Store()
    ana = Courier(shop)
    ready = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=50)).isoformat(timespec="seconds")
    job, later = shop.deliver_to(ana), shop.deliver_to(ana, pickup={"ready_at": ready})
    for one in (job, later):
        ana.act("accept", one)
    page = visit("/store")
    page.clock.install()
    sign_in(page, shop)
    expect(page.locator("li > .card")).to_have_count(2)
    page.clock.fast_forward("44:00")
    expect(page.get_by_text("Everything is under way")).to_be_visible()
    page.clock.fast_forward("02:00")
    # What could be fetched only then is not slow yet.
    expect(page.locator(".card.urgent")).to_have_count(1)
    page.get_by_role("button", name="! 1 taking over 45 min").click()
    expect(page.locator("li > .card")).to_have_count(1)
    # The row says so itself.
    expect(page.locator("li > .card .state.alarm")).to_have_text(re.compile(r"! In progress taking \d"))
    page.locator("li > .card").click()
    expect(page.get_by_role("dialog").locator(".trouble")).to_contain_text("Wanted as soon as possible, and taken since")
    escape(page)
    # How long it took is said where there was no time to keep.
    ana.act("deliver", job)
    unfold(page, "delivered")
    expect(page.locator(".column.delivered .state .how")).to_have_text("no time set · 1 min")
    # What else is over is still called beside it, above what was opened.
    heads = [page.locator(f".column.{name} .fold") for name in ("delivered", "cancelled")]
    until(page, lambda: heads[0].bounding_box()["y"] == heads[1].bounding_box()["y"] < page.locator(".column.delivered .card").bounding_box()["y"])
    # One gives its room to the other.
    heads[1].click()
    expect(page.locator(".column .fold[aria-expanded=true]")).to_have_text(re.compile("Cancelled"))


def test_a_row_leaves_out_the_stores_own_town(visit):
    shop = Store()
    ana = Courier(shop)
    for name, address in (("Iva", "Savska 1, Zagreb"), ("Jan", "Ilica 3, Velika Gorica"), ("Mia", "Zagrebačka 5")):
        shop.deliver_to(ana, recipient={"first_name": name, "last_name": "I", "address": address})
    page = visit("/store")
    sign_in(page, shop)
    streets = page.locator(".card .street")
    expect(streets).to_have_text(["Savska 1", "Ilica 3, Velika Gorica", "Zagrebačka 5"])
    expect(streets.first).to_have_attribute("title", "Savska 1, Zagreb")


@pytest.mark.journey
def test_a_new_delivery_says_all_that_few_need(visit, look):
    shop = Store()
    Courier(shop)
    page = visit("/store")
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    expect(form.get_by_text("on duty")).to_be_visible()
    expect(form.get_by_text("carries nothing of yours")).to_have_count(1)
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    form.get_by_text("in 30 min").click()
    form.get_by_label("Ana Anić").check()
    # Whom the button asks is said by it.
    expect(form.get_by_role("button", name="Create and offer (1)")).to_be_visible()
    folds = ("Parcel", "Money and proof", "Pickup, reference")
    form.get_by_text("Offering", exact=True).click()
    # What is folded beneath something open stands in one line under the other, and leaves no hole.
    lefts = [form.locator("details").filter(has=page.get_by_text(fold, exact=True)).bounding_box() for fold in folds]
    assert len({box["x"] for box in lefts}) == 1 and all(lower["y"] - upper["y"] - upper["height"] < 12 for upper, lower in zip(lefts, lefts[1:]))
    form.get_by_text("Offering", exact=True).click()
    for fold in folds:
        form.get_by_text(fold, exact=True).click()
    for label, text in [("Pieces", "3"), ("Weight", "1,5"), ("Cash to collect", "23,50"), ("The courier gets", "4"), ("Fetch it at", "Gajeva 3")]:
        form.get_by_label(label).fill(text)
    form.get_by_label("fragile").check()
    form.get_by_label("The recipient tells a PIN").check()
    look(page, "new-delivery-whole")
    form.get_by_role("button", name="Create").click()
    expect(form).to_have_count(0)
    (made,) = call("GET", "/v1/deliveries", token=shop.token)["items"]
    assert made["parcel"]["pieces"] == 3 and made["parcel"]["weight_g"] == 1500 and made["parcel"]["fragile"]
    assert (made["cash"], made["pay"]) == ({"amount": 2350} | EURO, {"amount": 400} | EURO)
    assert made["pickup"]["address"] == "Gajeva 3" and made["proof"]["pin"] and made["due_at"]
    # The PIN stands large, and a change keeps what nobody touched.
    pin = call("GET", f"/v1/deliveries/{made['id']}", token=shop.token)["pin"]
    page.locator(".card").click()
    expect(page.locator(".pin strong")).to_have_text(pin)
    look(page, "delivery-with-pin")
    page.get_by_role("button", name="Change", exact=True).click()
    editor = page.get_by_role("dialog", name="Change the delivery")
    expect(editor.get_by_label("Cash to collect")).to_have_value("23.50")
    editor.get_by_label("What is delivered").fill("Two cakes")
    editor.get_by_role("button", name="Save").click()
    expect(editor).to_have_count(0)
    after = call("GET", f"/v1/deliveries/{made['id']}", token=shop.token)
    assert after["description"] == "Two cakes" and after["pin"] == pin
    assert {name: after[name] for name in ("due_at", "cash", "pay", "parcel", "pickup")} == {name: made[name] for name in ("due_at", "cash", "pay", "parcel", "pickup")}


def test_a_new_delivery_stands_on_one_screen_with_whomever_there_is_to_choose(visit, look):
    shop = Store()
    for number in range(14):
        Courier(shop, name=(f"Ana{number}", "Anić"))
    page = visit("/store")
    sign_in(page, shop)
    page.keyboard.press("n")
    form = page.get_by_role("dialog", name="New delivery")
    for height in (900, 860):
        page.set_viewport_size({"width": 1360, "height": height})
        expect(form.get_by_role("checkbox")).not_to_have_count(0)
        until(page, lambda: form.evaluate("form => form.scrollHeight <= form.clientHeight"))
    boxes = form.locator("fieldset[name=courier_ids]").get_by_role("checkbox")
    expect(boxes).to_have_count(4)
    create = form.get_by_role("button", name="Create").bounding_box()
    assert create["y"] + create["height"] <= 860
    assert form.evaluate("form => form.scrollHeight - form.clientHeight") <= 0
    # Whom one chooses can be read.
    assert form.locator(".choice .name").evaluate_all("(names) => names.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)") == []
    # The others are there when one wants them.
    form.get_by_role("button", name="10 more couriers").click()
    expect(boxes).to_have_count(14)
    expect(boxes.nth(4)).to_be_focused()
    everybody = form.get_by_role("button", name="All", exact=True)
    everybody.click()
    expect(form.get_by_role("checkbox", checked=True)).to_have_count(14)
    look(page, "new-delivery-many")
    expect(form.get_by_role("button", name="Create and offer (14)")).to_be_visible()
    form.get_by_role("button", name="None", exact=True).click()
    expect(form.get_by_role("checkbox", checked=True)).to_have_count(0)
    expect(form.get_by_role("button", name="Create", exact=True)).to_be_visible()
    expect(everybody).to_be_visible()
    # Whom the last delivery was offered to stands first, so that nobody is asked unseen.
    boxes.last.check()
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    form.get_by_role("button", name="Create").click()
    expect(form).to_have_count(0)
    page.keyboard.press("n")
    expect(boxes).to_have_count(4)
    expect(boxes.first).to_be_checked()
    # All of them also means those that are not seen yet.
    everybody.click()
    expect(form.get_by_role("checkbox", checked=True)).to_have_count(14)


def test_who_signs_in_next_gets_figures_that_another_has_waited_for(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    ana.act("deliver", job)
    page = visit("/store", forgiving=["net::ERR_"])
    held = []
    page.context.route("**/v1/stats?**", lambda route: route.continue_() if held else held.append(route))
    sign_in(page, shop)
    until(page, lambda: held)
    go(page, "Settings")
    page.get_by_role("button", name="Sign out", exact=True).click()
    sign_in(page, shop)
    go(page, "Deliveries")
    expect(page.locator(".foot")).to_contain_text("Created today: ✓Delivered 1")
    held[0].abort()


@pytest.mark.journey
def test_a_search_shows_what_it_finds_alone(visit):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana, recipient={"first_name": "Mia", "last_name": "Matić", "address": "Savska 1"})
    done = shop.deliver_to(ana)
    ana.act("accept", done)
    ana.act("deliver", done)
    call("POST", f"/v1/deliveries/{shop.deliver_to(ana)}/cancel", {}, shop.token)
    page = visit("/store")
    sign_in(page, shop)
    for state in ("delivered", "cancelled"):
        expect(page.locator(f".column.{state}")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("Matić")
    expect(page.locator(".card")).to_have_count(1)
    for state in ("delivered", "cancelled"):
        expect(page.locator(f".column.{state}")).to_be_hidden()
    expect(page.locator(".card mark")).to_have_text(["Matić"])
    page.get_by_role("searchbox", name="Search").fill("ivi")
    expect(page.locator(".column.delivered")).to_be_visible()
    # How many there are of each, of what is over, too; and what is meant stands out as it is written.
    expect(page.locator(".column.delivered h2 .amount")).to_have_text("1")
    expect(page.locator(".column.cancelled h2 .amount")).to_have_text("1")
    expect(page.locator(".card mark")).to_have_text(["Ivić", "Ivić"])
    page.get_by_role("searchbox", name="Search").fill("")
    expect(page.locator(".column.delivered h2 .amount")).to_have_text("")
    expect(page.locator("mark")).to_have_count(0)


def test_what_is_here_is_found_before_the_server_has_looked(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana, recipient={"first_name": "Mia", "last_name": last, "address": address, "phone": phone})
            for last, address, phone in [("Matić", "Đurina 12", "+385912345678"), ("Ivić", "Savska 1", None)]]
    page = visit("/store", forgiving=["net::ERR_", "status of 422"])
    held, answers = [], []
    page.route("**/v1/deliveries?*q=*", lambda route: answers[-1](route) if answers else held.append(route))
    sign_in(page, shop)
    cards = page.locator(".column.open .card")
    expect(cards).to_have_count(2)
    search = page.get_by_role("searchbox", name="Search")
    for text, found in [("mia mat", "Matić"), ("durina", "Matić"), ("091 234 5678", "Matić"), ("1 savska", "Ivić")]:
        search.fill(text)
        expect(cards).to_have_count(1)
        expect(cards).to_contain_text(found)
    ana.act("accept", jobs[1])
    search.fill("anic")
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("Ivić")
    # Nobody says that there is none before all of it was looked through.
    search.fill("ia")
    expect(cards).to_have_count(0)
    expect(page.locator(".column.open")).to_contain_text("Loading")
    until(page, lambda: held)
    # Nor where it could not be; what comes with the connection is an answer.
    refused = []
    answers.append(lambda route: (refused.append(route.request.url), route.fulfill(status=422, json={"code": "invalid_request", "title": "No", "detail": "No"})))
    while held:
        held.pop(0).abort()
    search.fill("iv")
    expect(page.get_by_role("alert").get_by_role("button", name="Try again")).to_be_visible()
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("Ivić")
    search.fill("zz")
    expect(cards).to_have_count(0)
    # One question for each list.
    until(page, lambda: sum("q=zz" in url for url in refused) == 3)
    answers.append(lambda route: route.continue_())
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.locator(".column.open")).to_contain_text("Nothing found")
    search.fill("")
    expect(cards).to_have_count(2)


def test_what_is_handed_over_shows_neither_its_pin_nor_the_cash_to_collect(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana, cash={"amount": 2350, "currency": "EUR"}, proof={"pin": True})
    page = visit("/store")
    sign_in(page, shop)
    page.locator(".card").click()
    beside = page.locator(".beside")
    pin = call("GET", f"/v1/deliveries/{job}", token=shop.token)["pin"]
    expect(beside.locator(".pin strong")).to_have_text(pin)
    expect(beside.locator("dt", has_text="Cash")).to_have_count(1)
    ana.act("accept", job)
    ana.act("deliver", job, pin=pin, cash_collected={"amount": 2350, "currency": "EUR"})
    expect(beside.locator(".pin")).to_have_count(0)
    expect(beside.locator("dt").filter(has_text="Cash to collect")).to_have_count(0)
    # What its courier was given, as the step has it.
    expect(beside.locator(".facts div").filter(has_text="Cash collected").locator("dd")).to_have_text("€23.50")


@pytest.mark.journey
def test_others_are_chosen_for_what_is_stranded(visit, look):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    job = shop.deliver_to(ana)
    ana.act("decline", job)
    page = visit("/store")
    sign_in(page, shop)
    # It is red as a whole, as the alarm that counts it is.
    expect(page.locator(".card.urgent .state.alarm")).to_have_count(1)
    page.locator(".card").click()
    page.get_by_role("button", name="Choose others", exact=True).click()
    dialog = page.get_by_role("dialog", name="Choose others")
    expect(dialog.locator(".choice").filter(has_text="Ana Anić")).to_contain_text("declined")
    dialog.get_by_label("Luka Lukić").check()
    look(page, "choose-others")
    dialog.get_by_role("button", name="Offer").click()
    expect(page.locator(".card")).to_contain_text("Offered to 1 courier")
    luka.act("accept", job)
    expect(page.locator(".card")).to_contain_text("Luka Lukić")


@pytest.mark.parametrize("locale", ["en-GB", "hr-HR", "de-DE"])
def test_many_alarms_leave_the_counts_their_room(visit, locale):
    shop = Store(language=locale[:2])
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    ana.act("fail", job, reason="nobody_home")
    shop.deliver_to(ana)
    page = visit("/store", locale=locale)
    sign_in(page, shop)
    expect(page.locator(".hand .chip")).to_have_count(1)
    for width in (1024, 1360, 1600):
        page.set_viewport_size({"width": width, "height": 860})
        assert page.evaluate("""() => {
            const hand = document.querySelector('.hand'), chips = Array.from(hand.children);
            for (let count = 0; count < 7; count += 1) hand.append(chips[0].cloneNode(true));
            const room = document.querySelector('.column.open h2 > span').getBoundingClientRect().left - hand.getBoundingClientRect().right;
            hand.replaceChildren(...chips);
            return room;
        }""") > 0, width
    # Of many none is cut off before the counts say theirs in signs.
    page.set_viewport_size({"width": 1440, "height": 860})
    assert page.evaluate("""() => {
        const hand = document.querySelector('.hand'), [chip] = hand.children, counts = document.querySelector('.column.open h2 > span');
        const room = [];
        for (let count = 1; count < 5; count += 1, hand.append(chip.cloneNode(true))) room.push(counts.getBoundingClientRect().width);
        const isWhole = hand.scrollWidth <= hand.clientWidth;
        room.push(counts.getBoundingClientRect().width);
        hand.replaceChildren(chip);
        return isWhole && room[0] === room[2] && room[4] < room[0] && counts.textContent.length > 3;
    }"""), locale
    # On a phone they are pushed aside, and whatever waits moves no row.
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("""() => {
        const hand = document.querySelector('.hand'), [chip] = hand.children;
        const before = hand.offsetHeight;
        for (let count = 0; count < 7; count += 1) hand.append(chip.cloneNode(true));
        const isOneLine = hand.offsetHeight === before && hand.scrollWidth > hand.clientWidth && document.documentElement.scrollWidth <= innerWidth;
        hand.replaceChildren(chip);
        return isOneLine;
    }""")


def test_what_was_given_back_needs_a_hand_until_somebody_takes_it_or_others_are_chosen(visit, look):
    shop = Store()
    ana, luka, maja = (Courier(shop, name) for name in (("Ana", "Anić"), ("Luka", "Lukić"), ("Maja", "Majić")))
    job = shop.deliver_to(ana, luka)
    ana.act("accept", job)
    page = visit("/store")
    sign_in(page, shop)
    card = page.locator("li > .card")
    expect(card).to_contain_text("Accepted")
    expect(page.get_by_text("Everything is under way")).to_be_visible()
    ana.act("cancel", job)
    chip = page.locator(".hand .chip")
    expect(chip).to_have_text("↺ 1 given back")
    expect(card).to_have_class(re.compile("urgent"))
    expect(card).to_contain_text("Given back")
    expect(card).to_contain_text("Offered to")
    card.click()
    panel = page.get_by_role("dialog", name="Iva Ivić")
    expect(panel.locator(".trouble p")).to_have_text(re.compile(r"^↺ Given back · Ana Anić · .*\d\d:\d\d · Something else$"))
    # Its way begins anew, and says so.
    expect(panel.locator(".course li")).to_have_text([re.compile(r"^Created\d\d:\d\d$"), re.compile(r"^Given back\d\d:\d\d$"), "Accepted", "Fetched", "Delivered"])
    expect(panel.locator(".course [aria-current]")).to_have_text(re.compile("Given back"))
    look(page, "given-back")
    panel.get_by_role("button", name="Offer to more").click()
    # Who was not asked yet stands before who was, and who had it last of all.
    more = page.get_by_role("dialog", name="Offer to more")
    expect(more.locator(".choice .name")).to_have_text(["Maja Majić", "Luka Lukić", "Ana Anić"])
    more.get_by_role("checkbox").first.check()
    more.get_by_role("button", name="Offer").click()
    expect(more).to_have_count(0)
    # There was nothing else to do.
    expect(chip).to_have_count(0)
    expect(card).not_to_have_class(re.compile("urgent"))
    expect(panel.locator(".trouble")).to_have_count(0)
    for courier in (luka, maja):
        courier.act("accept", job)
        if courier is luka:
            courier.act("cancel", job)
            expect(chip).to_have_text("↺ 1 given back")
    expect(chip).to_have_count(0)
    expect(card).not_to_have_class(re.compile("urgent"))


def test_what_was_given_back_stays_so_however_long_nobody_answers(visit):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    job = shop.deliver_to(ana, luka)
    ana.act("accept", job)
    ana.act("cancel", job)
    page = visit("/store")
    page.clock.install()
    sign_in(page, shop)
    card = page.locator("li > .card")
    expect(card).to_contain_text("Given back")
    # That nobody has answered for long is no news beside it, and no second alarm.
    page.clock.fast_forward("11:00")
    expect(card.locator(".state")).to_have_text(re.compile("Given back$"))
    expect(page.locator(".hand .chip")).to_have_text(["↺ 1 given back"])
    # Whoever was asked by then can be asked once more.
    card.click()
    page.get_by_role("dialog", name="Iva Ivić").get_by_role("button", name="Choose others").click()
    again = page.get_by_role("dialog", name="Choose others")
    again.get_by_role("checkbox", name="Luka Lukić").check()
    again.get_by_role("button", name="Offer").click()
    expect(again).to_have_count(0)
    assert shop.history(job)[-1] == "edit"
    page.reload()
    # What was never taken is.
    shop.deliver_to(ana, recipient={"first_name": "Mia", "last_name": "Matić", "address": "Savska 1"})
    expect(card).to_have_count(2)
    page.clock.fast_forward("11:00")
    expect(page.locator(".hand .chip")).to_have_text(["↺ 1 given back", "! 1 unanswered"])


def test_when_the_last_that_needs_a_hand_is_settled_all_others_are_seen_again(visit):
    shop = Store()
    ana = Courier(shop)
    people = {name: {"first_name": name, "last_name": "Ivić", "address": "Savska 1, Zagreb"} for name in ("Mia", "Jan")}
    failed = shop.deliver_to(ana, recipient=people["Mia"])
    for step, more in (("accept", {}), ("pick_up", {}), ("fail", {"reason": "nobody_home"})):
        ana.act(step, failed, **more)
    shop.deliver_to(ana, recipient=people["Jan"])
    page = visit("/store")
    sign_in(page, shop)
    names = page.locator(".column.open .card strong")
    expect(names).to_have_count(2)
    page.get_by_role("button", name="1 not handed over").click()
    expect(names).to_have_text(["Mia Ivić"])
    # Of how many these are is said.
    expect(page.locator(".column.open h2")).to_contain_text("Pending 0 / 1")
    ana.act("deliver", failed)
    expect(names).to_have_text(["Jan Ivić"])
    expect(page.get_by_text("Everything is under way")).to_be_visible()
    # A new one is seen whatever was looked at.
    page.get_by_label("State", exact=True).select_option("delivered")
    expect(names).to_have_count(0)
    page.keyboard.press("n")
    form = page.locator("dialog.editor form")
    for name, value in (("recipient.first_name", "Eva"), ("recipient.last_name", "Ević"), ("recipient.address", "Ilica 5, Zagreb"), ("description", "Torta")):
        form.locator(f"[name='{name}']").fill(value)
    form.get_by_role("button", name="Create").click()
    expect(names.filter(has_text="Eva Ević")).to_be_visible()


def test_who_types_on_past_what_is_offered_loses_nothing(visit):
    shop = Store()
    ana = Courier(shop)
    for name in ("Anić", "Babić", "Cvitan", "Dujmić", "Ević", "Franić", "Grgić", "Horvat"):
        shop.deliver_to(ana, recipient={"first_name": "Iva", "last_name": name, "address": f"Savska {len(name)}, Zagreb"})
    page = visit("/store")
    sign_in(page, shop)
    page.keyboard.press("n")
    form = page.locator("dialog.editor form")
    form.locator("[name='recipient.first_name']").press_sequentially("Iva")
    # More than there is room for.
    offered = form.locator(".offered:visible ul")
    until(page, lambda: offered.count() == 1 and offered.evaluate("(list) => list.scrollHeight > list.clientHeight"))
    for text in ("Novak", "Ilica 5, Zagreb"):
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    expect(form.locator("[name='recipient.last_name']")).to_have_value("Novak")
    expect(form.locator("[name='recipient.address']")).to_have_value("Ilica 5, Zagreb")
    form.locator("[name=description]").fill("Torta")
    # A time is mostly one of today: the clock is what one sets.
    form.get_by_text("at …").click()
    clock = form.locator("input[type=time]")
    expect(clock).to_be_focused()
    day = form.locator("input[type=date]")
    day.fill((datetime.date.today() + datetime.timedelta(days=2)).isoformat())
    clock.fill("12:45")
    form.get_by_role("button", name="Create").click()
    expect(page.locator(".column.open .card", has_text="Iva Novak")).to_contain_text("12:45")


def test_who_invites_nobody_is_asked_for_a_number(visit):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Couriers")
    page.get_by_role("button", name="Invite by number").click()
    expect(page.locator(".of-phone .wrong")).to_have_text("Whose number? A mobile number is needed.")


def test_what_no_map_knows_is_said_and_set(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/store")
    sign_in(page, shop)
    expect(page.locator(".column.open .card")).to_have_count(1)
    # A shop that is on no map itself misses nothing.
    sign = page.locator(".card .unplaced[title='no place']", has_text="no place")
    expect(sign).to_have_count(0)
    call("PATCH", "/v1/me", {"location": {"lat": 45.81, "lon": 15.97}}, shop.token)
    page.reload()
    expect(sign).to_be_visible()
    # The map has the store itself, and whoever comes to it.
    expect(page.locator(".map-beside .leaflet-marker-icon")).to_have_count(1)
    page.locator(".column.open .card").click()
    page.get_by_role("dialog").get_by_role("button", name="Set the place on the map").click()
    expect(page.locator("dialog.editor")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.editor")).to_have_count(0)
    # Who creates one is told, and sets the place from there.
    page.keyboard.press("n")
    form = page.locator("dialog.editor form")
    for name, value in (("recipient.first_name", "Eva"), ("recipient.last_name", "Ević"), ("recipient.address", "Nigdje 5, Zagreb"), ("description", "Torta")):
        form.locator(f"[name='{name}']").fill(value)
    form.get_by_role("button", name="Create").click()
    page.locator(".notices p", has_text="No map knows the address").get_by_role("button", name="Set the place on the map").click()
    expect(page.get_by_role("dialog", name="Change the delivery").get_by_label("First name")).to_have_value("Eva")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.editor")).to_have_count(0)
    call("POST", f"/v1/deliveries/{call('GET', '/v1/deliveries?q=Nigdje', token=shop.token)['items'][0]['id']}/cancel", {}, shop.token)
    known = {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "location": {"lat": 45.80, "lon": 15.98}}
    call("PATCH", f"/v1/deliveries/{job}", {"recipient": known}, shop.token)
    expect(sign).to_have_count(0)
    expect(page.get_by_role("button", name="Set the place on the map")).to_have_count(0)


@pytest.mark.journey
def test_a_store_writes_beside_its_board(visit, look):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    page = visit("/store")
    sign_in(page, shop)
    page.locator(".column.open .card").click()
    write = page.get_by_role("dialog").get_by_role("link", name="Write to Ana Anić")
    write.click()
    talk = page.get_by_role("dialog", name="Ana Anić")
    expect(talk.get_by_role("link", name="About a delivery: Iva Ivić, Vukovarska 5")).to_be_visible()
    field = talk.get_by_role("textbox", name="Message")
    expect(field).to_be_focused()
    field.fill("Is anybody home?")
    # What is typed is kept, so nobody is asked.
    page.keyboard.press("Escape")
    expect(talk).to_have_count(0)
    write.click()
    expect(field).to_have_value("Is anybody home?")
    field.press("Enter")
    expect(talk.locator(".bubble .words")).to_have_text(["Is anybody home?"])
    talk_id = call("GET", "/v1/conversations", token=ana.token)["items"][0]["id"]
    until(page, lambda: call("GET", f"/v1/conversations/{talk_id}/messages", token=ana.token)["items"])
    call("POST", f"/v1/conversations/{talk_id}/messages", {"text": "Yes"}, ana.token)
    expect(talk.locator(".bubble .words")).to_have_text(["Is anybody home?", "Yes"])
    # What is read here is not told in passing, too.
    expect(page.locator(".notices p")).to_have_count(0)
    # The board is there, and goes on.
    shop.deliver_to(ana, recipient={"first_name": "Jan", "last_name": "Janić", "address": "Savska 1"})
    expect(page.locator(".column.open .card", has_text="Jan Janić")).to_be_visible()
    look(page, "talk-beside")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Iva Ivić")).to_be_visible()


@pytest.mark.journey
def test_it_is_taken_back_and_opened_again(visit, look):
    shop = Store()
    ana, luka, maja, ivo = (Courier(shop, name) for name in (("Ana", "Anić"), ("Luka", "Lukić"), ("Maja", "Majić"), ("Ivo", "Ivić")))
    job = shop.deliver_to(ana, maja, ivo)
    ivo.act("decline", job)
    ana.act("accept", job)
    page = visit("/store")
    sign_in(page, shop)
    page.locator(".card").click()
    rare(page)
    page.get_by_role("button", name="Take back").click()
    dialog = page.get_by_role("dialog", name="Take back")
    expect(dialog.locator(".choice").filter(has_text="Ana Anić")).to_contain_text("carries 1")
    # Who has said no, or has it now, stands last.
    assert set(dialog.locator(".choice .name").all_inner_texts()[-2:]) == {"Ana Anić", "Ivo Ivić"}
    # Whoever is chosen is asked again: so nobody is by itself who has declined.
    expect(dialog.get_by_label("Maja Majić")).to_be_checked()
    for name in ("Ana Anić", "Ivo Ivić", "Luka Lukić"):
        expect(dialog.get_by_label(name)).not_to_be_checked()
    dialog.get_by_label("Maja Majić").uncheck()
    dialog.get_by_label("Luka Lukić").check()
    dialog.get_by_label("Note").fill("A flat tyre")
    look(page, "take-back")
    dialog.get_by_role("button", name="Take back").click()
    expect(page.locator(".card")).to_contain_text("Offered to 1 courier")
    luka.act("accept", job)
    luka.act("deliver", job)
    rare(page)
    page.get_by_role("button", name="Not delivered after all").click()
    dialog = page.get_by_role("dialog", name="Not delivered after all")
    dialog.get_by_label("Note").fill("It stands at the wrong door")
    dialog.get_by_role("button", name="Not delivered after all").click()
    expect(page.locator(".card.in_progress")).to_contain_text("Luka Lukić")
    assert shop.history(job) == ["create", "decline", "accept", "reassign", "accept", "deliver", "reopen"]
    for text in ("Taken back from the courier", "A flat tyre", "Opened again", "It stands at the wrong door"):
        expect(page.locator(".timeline")).to_contain_text(text)


def test_it_is_taken_back_where_nobody_else_can_be_chosen(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    page = visit("/store", forgiving=["422"])
    sign_in(page, shop)
    page.locator(".card").click()
    rare(page)
    page.get_by_role("button", name="Take back").click()
    dialog = page.get_by_role("dialog", name="Take back")
    expect(dialog.get_by_label("Ana Anić")).not_to_be_checked()
    expect(dialog.get_by_text("Nobody chosen: those asked before are asked again")).to_be_visible()
    dialog.get_by_role("button", name="Take back").click()
    expect(dialog).to_have_count(0)
    assert shop.history(job)[-1] == "reassign"
    expect(page.get_by_role("button", name="Choose others", exact=True)).to_be_visible()
    # Where there is somebody else, leaving everybody out offers it to nobody unasked.
    luka = Courier(shop, ("Luka", "Lukić"))
    job = shop.deliver_to(ana, luka)
    ana.act("accept", job)
    page.locator(f"[data-key='{job}'] .card").click()
    rare(page)
    page.get_by_role("button", name="Take back").click()
    dialog.get_by_label("Luka Lukić").uncheck()
    expect(dialog.get_by_text("Nobody chosen")).to_have_count(0)
    dialog.get_by_role("button", name="Take back").click()
    expect(dialog.locator("fieldset .wrong")).to_be_visible()
    assert shop.history(job)[-1] == "accept"
    # What has arrived meanwhile is not taken back any more, and that is told.
    ana.act("deliver", job)
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Iva Ivić · Delivered · Ana Anić")).to_be_visible()


def test_couriers_to_choose_come_by_duty_and_by_what_they_carry(visit):
    shop = Store()
    luka, maja, ana, zoe = (Courier(shop, name) for name in (("Luka", "Lukić"), ("Maja", "Majić"), ("Ana", "Anić"), ("Zoe", "Zoić")))
    call("PUT", "/v1/me/duty", {"on": False}, maja.token)
    for one in (ana, zoe, zoe):
        one.act("accept", shop.deliver_to(one))
    page = visit("/store")
    sign_in(page, shop)
    # Below what is open stands who is on duty, and who is free.
    crew = page.locator(".crew")
    expect(crew).to_have_text(re.compile("3 on duty, 1 free ?Ana A. ➜ 1 ?Luka L. ?Zoe Z. ➜ 2$"))
    # A touch shows what one of them brings, and that nothing fits says how to see all of it again.
    rows = page.locator(".column.open .card")
    crew.get_by_role("button", name="Zoe Z.").click()
    expect(rows).to_have_count(2)
    crew.get_by_role("button", name="Luka L.").click()
    expect(rows).to_have_count(0)
    expect(page.locator(".column.open")).to_contain_text("Nothing fits what you chose.")
    page.locator(".column.open").get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(3)
    expect(page.get_by_role("button", name="Show all")).to_have_count(0)
    page.get_by_role("button", name="New delivery").click()
    choices = page.get_by_role("dialog", name="New delivery").locator(".choice")
    expect(choices.locator(".name")).to_have_text(["Luka Lukić", "Ana Anić", "Zoe Zoić", "Maja Majić"])
    for name, load in (("Ana", "carries 1"), ("Zoe", "carries 2")):
        expect(choices.filter(has_text=name)).to_contain_text(load)
    # Of who is on duty that is said, too, where it is nothing; each has a line of its own.
    expect(choices.filter(has_text="Luka")).to_contain_text("carries nothing of yours")
    expect(choices.filter(has_text="Maja")).not_to_contain_text("carries")
    # Who has never chosen anybody means those on duty, and whoever is left out stays so though they are loaded anew.
    boxes = choices.get_by_role("checkbox")
    expect(choices.get_by_role("checkbox", checked=True)).to_have_count(3)
    expect(boxes.last).not_to_be_checked()
    boxes.first.uncheck()
    Courier(shop, name=("Ivo", "Ivić"))
    expect(choices).to_have_count(5)
    expect(choices.get_by_role("checkbox", checked=True)).to_have_count(2)


def test_arrows_lead_from_row_to_row(visit):
    shop = Store()
    ana = Courier(shop)
    for name, time in (("First", 20), ("Second", 40), ("Third", 60)):
        shop.deliver_to(ana, window={"until": minutes(time)}, recipient={"first_name": name, "last_name": "I", "address": "Savska 1"})
    page = visit("/store")
    sign_in(page, shop)
    rows = page.locator("li > .card")
    expect(rows.locator("strong")).to_have_text(["First I", "Second I", "Third I"])
    # From nowhere to the first, and at an end no further.
    for key, place in (("Down", 0), ("Down", 1), ("Down", 2), ("Down", 2), ("Up", 1), ("Up", 0), ("Up", 0)):
        page.keyboard.press(f"Arrow{key}")
        expect(rows.nth(place)).to_be_focused()
    # What is open beside the rows goes along.
    page.keyboard.press("Enter")
    for key, name in (("Down", "Second I"), ("Down", "Third I"), ("Down", "Third I"), ("Up", "Second I")):
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press(f"Arrow{key}")
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        expect(page.locator("[aria-current=true]")).to_contain_text(name)
    escape(page)
    # Who types goes nowhere; who has searched goes on to what was found, and back to all of it.
    search = page.get_by_label("Search")
    page.keyboard.press("/")
    page.keyboard.type("Second")
    page.keyboard.press("ArrowUp")
    expect(search).to_be_focused()
    expect(rows.locator("strong")).to_have_text(["Second I"])
    page.keyboard.press("Enter")
    expect(rows).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(rows).to_have_count(3)
    page.keyboard.press("Escape")
    expect(search).not_to_be_focused()


def test_a_heavy_parcel_keeps_its_weight_when_something_else_is_changed(visit):
    shop = Store()
    job = shop.deliver_to(Courier(shop), parcel={"pieces": 1, "weight_g": 1_000_000})
    page = visit("/store")
    sign_in(page, shop)
    page.locator(".card").click()
    page.get_by_role("button", name="Change", exact=True).click()
    editor = page.get_by_role("dialog", name="Change the delivery")
    expect(editor.get_by_label("Weight")).to_have_value("1000")
    editor.get_by_label("What is delivered").fill("Two cakes")
    editor.get_by_role("button", name="Save").click()
    expect(editor).to_have_count(0)
    after = call("GET", f"/v1/deliveries/{job}", token=shop.token)
    assert (after["description"], after["parcel"]["weight_g"]) == ("Two cakes", 1_000_000)


def test_who_is_near_is_seen_where_couriers_are_chosen(visit, look):
    shop = Store()
    call("PATCH", "/v1/me", {"location": {"lat": 45.8130, "lon": 15.9780}}, shop.token)
    ana, luka, zoe = Courier(shop), Courier(shop, ("Luka", "Lukić")), Courier(shop, ("Zoe", "Zoić"))
    for one, lat in ((ana, 45.8150), (zoe, 45.8132)):
        one.act("accept", shop.deliver_to(one))
        fix(one, lat=lat, lon=15.9780)
    page = visit("/store")
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    choices = page.get_by_role("dialog", name="New delivery").locator(".choice")
    expect(choices.filter(has_text="Ana Anić")).to_contain_text("220 m from you")
    expect(choices.filter(has_text="Zoe Zoić")).to_contain_text("at your store")
    # Whose place nobody knows has what it carries said.
    expect(choices.filter(has_text="Luka Lukić")).to_have_text(re.compile("carries nothing of yours"))
    # Of those who carry as much the nearest comes first.
    expect(choices.locator(".name")).to_have_text(["Luka Lukić", "Zoe Zoić", "Ana Anić"])
    look(page, "choosing-near")
    escape(page)
    # From where it is fetched, if that is elsewhere.
    pickup = {"address": "Gajeva 3", "location": {"lat": 45.8240, "lon": 15.9780}}
    job = shop.deliver_to(luka, pickup=pickup, recipient={"first_name": "Mia", "last_name": "M", "address": "Savska 1"})
    luka.act("decline", job)
    page.locator(f"[data-key='{job}'] .card").click()
    page.get_by_role("button", name="Choose others", exact=True).click()
    expect(page.get_by_role("dialog", name="Choose others").locator(".choice").filter(has_text="Ana Anić")).to_contain_text("1 km from the pickup")


@pytest.mark.journey
def test_a_store_reads_who_was_told_what_and_whether_it_arrived(visit, look):
    shop = Store()
    ana = Courier(shop)
    device = f"phone{next(numbers)}"
    call("PUT", f"/v1/me/devices/{device}", {"platform": "fcm"}, ana.token)
    job = shop.deliver_to(ana)
    page = visit("/store")
    sign_in(page, shop)
    page.locator(".card").click()
    told = page.locator("dialog details").filter(has_text="Who was told what")
    # How far it has come stands above already.
    past = page.locator("dialog details:has(.timeline)")
    expect(past.locator("li")).to_contain_text("Created")
    # Where there is room beside the board both are open; where there is none one asks for them.
    expect(past).to_have_attribute("open", "")
    expect(told.locator("li")).to_have_count(1)
    escape(page)
    page.set_viewport_size({"width": 1280, "height": 460})
    page.locator(".card").click()
    expect(past.locator("li")).to_have_count(1)
    expect(past).not_to_have_attribute("open", "")
    told.locator("summary").click()
    expect(told.locator("li")).to_have_count(1)
    for words in ("New delivery", "Ana Anić · notification", "waits to be sent"):
        expect(told.locator("li")).to_contain_text(words)
    message_to(device, "push")
    ana.act("decline", job)
    # That somebody has declined is told nowhere else.
    expect(past.locator("li").last).to_be_visible()
    expect(past.locator("li").last).to_contain_text("Declined")
    # It stays open, and goes on.
    expect(told.locator("li")).to_have_count(2)
    expect(told.locator("li").first).to_contain_text("No courier left")
    expect(told.locator("li").first).to_contain_text("Pekara · e-mail")
    expect(told.locator("li").last).to_contain_text("arrived")
    told.locator("li").last.scroll_into_view_if_needed()
    look(page, "notices")


@pytest.mark.journey
def test_a_slip_opens_the_job_on_a_phone(visit, look):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana, cash={"amount": 2350} | EURO)
    page = visit("/store")
    # A printer that keeps what it gets.
    page.add_init_script("window.print = () => { const slip = document.querySelector('.slip'); if (slip) slip.remove = () => {}; window.printed = true; }")
    page.reload()
    sign_in(page, shop)
    page.locator(".card").click()
    rare(page)
    page.get_by_role("button", name="Print a slip").click()
    until(page, lambda: page.evaluate("window.printed"))
    page.emulate_media(media="print")
    slip = page.locator(".slip")
    for text in ("Iva Ivić", "Vukovarska 5, Zagreb", "Collect €23.50"):
        expect(slip).to_contain_text(text)
    expect(page.locator(".bar")).to_be_hidden()
    (read,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(slip.locator("img").screenshot())))
    assert read.text.endswith(f"/courier#delivery={job}")
    phone = visit("/courier" + read.text.split("/courier")[1], phone=True)
    sign_in(phone, ana)
    expect(phone.get_by_role("dialog", name="Iva")).to_be_visible()


def test_the_board_is_printed_as_rows(visit):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store")
    sign_in(page, shop)
    expect(page.locator(".card")).to_have_count(1)
    page.emulate_media(media="print")
    for hidden in (".bar", ".tools"):
        expect(page.locator(hidden)).to_be_hidden()
    # What the bar said on the screen, the heading says on paper.
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_css("clip-path", "none")
    expect(page.locator(".card")).to_be_visible()
    # With what it is, and whose and of when all of it is.
    expect(page.locator(".card .what")).to_be_visible()
    # What a column has in it begins where its head does.
    begins = lambda what: page.locator(f".column.open {what} > *").evaluate_all("(all) => all.map((one) => Math.round(one.getBoundingClientRect().x))")
    # A name has two pixels before it, for what letters reach out.
    assert all(abs(one - other) < 3 for one, other in zip(begins(".heads"), begins(".card"), strict=True))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(heading).to_have_attribute("data-printed", re.compile(r"^Pekara · \d.* 20\d\d \d\d:\d\d$"))


def test_a_full_board_shows_what_is_carried(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana, window={"until": minutes(20)})
    ana.act("accept", job)
    for _ in range(101):
        shop.deliver_to(ana)
    page = visit("/store")
    sign_in(page, shop)
    # Pages of a list come with what is pending first.
    expect(page.locator(".card")).to_have_count(102)
    expect(page.locator(".column.open h2")).to_contain_text("Pending 101")
    expect(page.locator(".column.open h2")).to_contain_text("In progress 1")
    late(page)
    page.reload()
    expect(page.get_by_role("button", name="‼ 1 late")).to_be_visible()


def test_a_store_sees_which_stop_it_is_of_how_many(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(2)]
    for job in jobs:
        ana.act("accept", job)
    page = visit("/store")
    sign_in(page, shop)
    expect(page.locator(f"[data-key='{jobs[0]}']")).to_contain_text("Ana Anić")
    call("PUT", "/v1/me/route", {"delivery_ids": jobs}, ana.token)
    for number, job in enumerate(jobs):
        expect(page.locator(f"[data-key='{job}']")).to_contain_text(f"Ana Anić · {number + 1} of 2")


def test_what_is_offered_in_turn_and_at_a_time(visit, look):
    shop = Store()
    Courier(shop)
    luka = Courier(shop, ("Luka", "Lukić"))
    page = visit("/store", forgiving=["422"])
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    expect(form.locator(".choice").get_by_role("checkbox", checked=True)).to_have_count(2)
    form.get_by_text("Offering", exact=True).click()
    form.get_by_label("Offered to").select_option("nearest")
    form.get_by_label("Seconds for each").fill("5")
    form.get_by_role("button", name="Create").click()
    # What is wrong is said where it is.
    expect(form.get_by_label("Seconds for each")).to_have_attribute("aria-invalid", "true")
    form.get_by_label("Seconds for each").fill("90")
    look(page, "offering")
    form.get_by_role("button", name="Create").click()
    expect(form).to_have_count(0)
    (made,) = call("GET", "/v1/deliveries", token=shop.token)["items"]
    assert made["offer"] == {"mode": "in_turn", "order": "nearest", "each_seconds": 90}
    # A change of something else leaves the turns alone.
    page.locator(".card").click()
    page.get_by_role("button", name="Change", exact=True).click()
    editor = page.get_by_role("dialog", name="Change the delivery")
    expect(editor.get_by_label("Offered to")).to_have_value("nearest")
    expect(editor.get_by_label("Seconds for each")).to_have_value("90")
    editor.get_by_label("What is delivered").fill("Two cakes")
    editor.get_by_role("button", name="Save").click()
    expect(editor).to_have_count(0)
    after = call("GET", f"/v1/deliveries/{made['id']}", token=shop.token)
    assert after["description"] == "Two cakes" and after["offer"] == made["offer"]
    # To all at once, and only in a while.
    page.get_by_role("button", name="Change", exact=True).click()
    editor.get_by_label("Offered to").select_option("all")
    soon = page.evaluate("new Date(Date.now() + 7200000 - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 16)")
    editor.get_by_label("Not before").fill(soon)
    editor.get_by_role("button", name="Save").click()
    expect(editor).to_have_count(0)
    last = call("GET", f"/v1/deliveries/{made['id']}", token=shop.token)
    assert last.get("offer", {"mode": "all"})["mode"] == "all" and last["offer_at"] and last["offered"] is False
    # Nobody can take it yet, so it is not said that nobody does.
    expect(page.locator(".card")).to_contain_text(re.compile(r"Offered from .*\d\d:\d\d"))
    expect(page.locator("dialog .facts")).to_contain_text("Not before")
    for words in ("No courier left", "has no courier left"):
        expect(page.get_by_text(words)).to_have_count(0)
    expect(page).not_to_have_title(re.compile(r"\(1\)"))
    look(page, "held")
    # How long nobody has accepted it is counted from when somebody could.
    isOld = """(one) => import(document.querySelector('script[type=module]').src.replace('dashboard.js', 'due.js'))
        .then(({isOld}) => isOld({...one, created_at: '2020-01-01T00:00:00Z'}, 1))"""
    assert page.evaluate(isOld, last | {"offer_at": None}) and not page.evaluate(isOld, last)
    assert not call("GET", "/v1/deliveries", token=luka.token)["items"]


def test_a_store_says_how_it_usually_offers_and_where_it_is(visit, look):
    shop = Store()
    Courier(shop)
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Settings")
    part = panel(page, "Store and offers")
    part.get_by_label("Offered to").select_option("reliable")
    part.get_by_label("Seconds for each").fill("45")
    part.get_by_label("Opening hours").fill("Mon to Fri 7 to 19")
    part.get_by_role("button", name="Set the place on the map").press("Enter")
    expect(part.locator(".leaflet-control-scale-line")).to_be_visible()
    # What nobody has aimed at is no place.
    expect(part.get_by_role("button", name="Take this place")).to_be_disabled()
    part.locator(".map.picker").press("ArrowRight")
    part.get_by_role("button", name="Take this place").click()
    look(page, "settings-offers")
    part.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    account = call("GET", "/v1/me", token=shop.token)
    assert account["offer"] == {"mode": "in_turn", "order": "reliable", "each_seconds": 45}
    assert account["opening_hours"] == "Mon to Fri 7 to 19" and 45 < account["location"]["lat"] < 46
    # A new delivery begins with that.
    go(page, "Deliveries")
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    expect(form.get_by_label("Offered to")).to_have_value("reliable")
    expect(form.get_by_label("Seconds for each")).to_have_value("45")


def test_figures_are_asked_anew_once_they_are_answered(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/store")
    sign_in(page, shop)
    held = hold(page, "**/v1/stats?*")
    page.clock.install()
    go(page, "Figures")
    until(page, lambda: len(held) == 1)
    # Something happens, which the page has heard of once it counts it.
    ana.act("decline", shop.deliver_to(ana))
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.clock.fast_forward(5_000)
    rest(page)
    assert len(held) == 1
    (route, answer), = held
    route.fulfill(response=answer)
    until(page, lambda: len(held) == 2)


def test_figures_say_what_was_on_time(visit, look):
    shop = Store()
    ana = Courier(shop)
    for number in range(3):
        job = shop.deliver_to(ana, **({"window": {"until": minutes(60)}} if number else {}))
        ana.act("accept", job)
        ana.act("pick_up", job)
        if number == 1:
            ana.act("fail", job, reason="nobody_home")
        ana.act("deliver", job)
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Figures")
    tile = lambda name: page.locator(".charts .tile").filter(has_text=name)
    expect(tile("On time")).to_contain_text("100 %")
    expect(tile("On time")).to_contain_text("2 of 2 due")
    expect(tile("Not handed over").locator(".big")).to_have_text("1")
    expect(tile("Waiting at the store")).to_be_visible()
    look(page, "figures-on-time")


def test_changes_of_figures_are_judged_by_their_share(visit):
    page = visit("/store")
    was = {"created": 100, "cancelled": 10, "returned": 2, "due": 50, "on_time": 34}

    def said(route):
        answer = route.fetch()
        stats = answer.json()
        stats["before"] = stats["totals"] | was
        stats["totals"] |= {"created": 300, "cancelled": 15, "returned": 12, "due": 60, "on_time": 45}
        route.fulfill(response=answer, json=stats)

    sign_in(page, Store())
    page.route("**/v1/stats?*", said)
    go(page, "Figures")
    tile = lambda name: page.locator(".tile").filter(has_text=name)
    # More of them, and fewer of a hundred; and more of a hundred.
    expect(tile("Cancelled").locator(".better")).to_have_text("5 % · 10 % before")
    expect(tile("Given back").locator(".worse")).to_have_text("4 % · 2 % before")
    expect(tile("On time")).to_contain_text("75 %")
    expect(tile("On time").locator(".better")).to_have_text("68 % before")
    # What is hardly more or less is no news.
    was.update(cancelled=5.2, on_time=37)
    page.reload()
    expect(tile("Cancelled")).to_contain_text("5.2 % before")
    expect(tile("On time")).to_contain_text("74 % before")
    expect(page.locator(":is(.tile:has-text('Cancelled'), .tile:has-text('On time')) :is(.better, .worse)")).to_have_count(0)


@pytest.mark.journey
def test_what_is_over_stands_by_days(visit, look):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(3)]
    for job in jobs:
        for step in ("accept", "deliver"):
            ana.act(step, job)

    def age(route):
        answer = route.fetch()
        page = answer.json()
        for one in page["items"]:
            if one["id"] == jobs[0]:
                one["delivered_at"] = "2026-01-05T11:30:00Z"
        route.fulfill(response=answer, json=page)

    page = visit("/store")
    page.route("**/v1/deliveries?*", age)
    sign_in(page, shop)
    unfold(page, "delivered")
    over = page.locator(".column.delivered li")
    expect(over).to_have_count(5)
    expect(over.nth(0)).to_have_text("Today")
    expect(over.nth(3)).to_have_text(re.compile(r"^Mon,? 0?5/0?1$"))
    # The day is said once.
    expect(over.nth(4).locator("time")).to_have_text("12:30")
    expect(page.locator(".column.delivered .heads span")).to_have_text(["Delivered", "Recipient", "Address", "What is delivered", "Courier", "On time"])
    # It has the same columns as what is open, also while one of it is shown beside, and its rows are as high.
    shop.deliver_to(ana)
    expect(page.locator(".column.open li > .card")).to_have_count(1)
    assert page.locator(".column.delivered .card").first.bounding_box()["height"] == page.locator(".column.open .card").bounding_box()["height"]
    for is_open in (False, True):
        if is_open:
            over.nth(4).locator(".card").click()
            expect(page.get_by_role("dialog")).to_be_visible()
        # What stands in a second line there ends where the row does.
        side = "(at) => (at > 2 ? 'right' : 'left')" if is_open else "() => 'left'"
        edges = [page.locator(f".column.{name} .card").first.evaluate(
            f"(row) => Array.from(row.children).filter((one) => one.checkVisibility()).map((one, at) => Math.round(one.getBoundingClientRect()[({side})(at)]))")
            for name in ("open", "delivered")]
        assert edges[0] == edges[1], (is_open, edges)
    look(page, "delivered-by-days")


def test_a_form_that_could_not_be_loaded_is_loaded_when_it_is_wanted_again(visit):
    page = visit("/store", forgiving=("Failed to load resource", "registration blocked"), service_workers="block")
    page.route("**/editor.js", lambda route: route.abort())
    sign_in(page, Store())
    create, form = page.get_by_role("button", name="New delivery"), page.get_by_role("dialog")
    create.click()
    expect(page.get_by_text("There is no connection to Kurir.")).to_be_visible()
    expect(form).to_have_count(0)
    page.unroute("**/editor.js")
    held = []
    page.route("**/editor.js", lambda route: held.append(route))
    # Who is impatient has one of it all the same.
    page.keyboard.press("n")
    page.keyboard.press("n")
    until(page, lambda: held)
    page.route("**/editor.js", lambda route: route.continue_())
    for route in held:
        route.continue_()
    expect(form).to_have_count(1)
    page.keyboard.type("Iva")
    expect(page.get_by_label("First name")).to_have_value("Iva")


def test_what_was_filled_in_is_not_called_missing(visit):
    shop = Store()
    ana = Courier(shop)
    Courier(shop, ("Luka", "Lukić"))
    shop.deliver_to(ana, recipient={"first_name": "Roko", "last_name": "Rukavina", "address": "Heinzelova 7, Zagreb", "phone": "+385986959154"})
    page = visit("/store", forgiving=["422"])
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    form.get_by_role("button", name="None", exact=True).click()
    form.get_by_role("button", name="Create").click()
    wrong = form.locator(".wrong:visible")
    expect(wrong).to_have_count(5)
    # By whoever is known, who is taken whole.
    form.get_by_label("Last name").press_sequentially("Rukav")
    offered = form.get_by_role("option").first
    expect(offered).to_contain_text("+385 98 695 9154")
    offered.click()
    expect(form.get_by_label("Phone")).to_have_value("+385 98 695 9154")
    expect(wrong).to_have_count(2)
    form.get_by_role("button", name="All", exact=True).click()
    expect(wrong).to_have_count(1)
    expect(form.locator("[aria-invalid]")).to_have_count(1)
    form.get_by_label("What is delivered").fill("Bread")
    expect(wrong).to_have_count(0)
    form.get_by_label("What is delivered").press("Control+Enter")
    # What was made is seen among the others.
    expect(page.locator(".card.taken")).to_contain_text("Roko Rukavina")
    assert {one["recipient"]["phone"] for one in call("GET", "/v1/deliveries", token=shop.token)["items"]} == {"+385986959154"}


@pytest.mark.parametrize("width", [960, 1024, 1280, 1440, 1920])
def test_a_row_tells_what_it_has_to_tell_at_any_width(visit, width):
    shop = Store()
    ana = Courier(shop, ("Aleksandra", "Horvatinčić"))
    for number, address in enumerate(("Ulica grada Vukovara 269", "Savska 1")):
        ana.act("accept", shop.deliver_to(ana, window={"until": minutes(30 + number)}, recipient={"first_name": "Jan", "last_name": "Perković", "address": address}))
    page = visit("/store")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, shop)
    rows = page.locator("li > .card")
    expect(rows).to_have_count(2)
    for is_open in (False, True):
        if is_open:
            rows.first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
        parts = rows.last.evaluate("""(row) => Array.from(row.children).filter((one) => one.checkVisibility())
            .map((one) => ({name: one.className, box: one.getBoundingClientRect().toJSON(), cut: one.scrollWidth - one.clientWidth}))""")
        assert len(parts) >= 5, parts
        # Nothing lies over anything else, and what one looks for first is whole.
        assert not [pair for pair in itertools.combinations(parts, 2) if not apart(*(one["box"] for one in pair))], parts
        assert all(one["cut"] <= 0 for one in parts if one["name"] in ("when", "") or one["name"].startswith("state")), parts


def test_on_tablets_held_upright_an_open_delivery_comes_from_the_side(visit, look):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store")
    width = 800
    page.set_viewport_size({"width": width, "height": 768})
    sign_in(page, shop)
    for begin, title in ((page.locator("li > .card"), "Iva Ivić"), (page.get_by_role("button", name="New delivery"), "New delivery")):
        begin.click()
        dialog = page.get_by_role("dialog", name=title)
        box = dialog.bounding_box()
        assert box["y"] == 0 and box["height"] == 768 and box["x"] + box["width"] == width and box["x"] > width / 4
        look(page, f"from-the-side-{width}-{title}")
        escape(page)
        expect(dialog).to_have_count(0)


def test_on_tablets_that_lie_an_open_delivery_stands_beside_the_others(visit, look):
    shop = Store()
    ana = Courier(shop)
    for name in ("Jan", "Iva"):
        shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Perković", "address": "Ulica grada Vukovara 269"})
    page = visit("/store")
    page.set_viewport_size({"width": 1024, "height": 768})
    sign_in(page, shop)
    # From one to the next without closing anything, and what sifts them stays at hand.
    for name in ("Jan", "Iva"):
        page.locator("li > .card").filter(has_text=name).click()
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(1)
    edge = page.get_by_role("dialog").bounding_box()["x"]
    for one in [*page.locator("li > .card").all(), page.locator(".tools .seek"), page.get_by_role("button", name="Filter")]:
        box = one.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] < edge, box
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_label("State")).to_be_visible()
    page.get_by_role("button", name="Filter").click()
    look(page, "beside-1024")
    page.get_by_role("button", name="New delivery").click()
    expect(page.get_by_role("dialog", name="New delivery")).to_be_visible()
    look(page, "beside-1024-form")
    # Who turns the tablet keeps what is open, with its name and its way out.
    page.get_by_label("First name").fill("Noa")
    page.set_viewport_size({"width": 768, "height": 1024})
    expect(page.locator("dialog:modal").get_by_label("First name")).to_have_value("Noa")
    expect(page.get_by_role("dialog", name="New delivery").get_by_role("button", name="Close")).to_be_in_viewport()
    look(page, "turned")


def test_what_is_over_stands_below_by_itself(visit, look):
    shop = Store()
    ana = Courier(shop)
    for name, steps in (("Mia", ("accept", "deliver")), ("Iva", ("accept", "fail"))):
        job = shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1"})
        for step in steps:
            ana.act(step, job, **({"reason": "nobody_home"} if step == "fail" else {}))
    page = visit("/store")
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, shop)
    unfold(page, "delivered")
    # What needs a hand is nothing that is over.
    page.get_by_role("button", name="! 1 not handed over").click()
    expect(page.locator(".card:visible strong")).to_have_text(["Iva Ivić"])
    expect(page.locator(".column.delivered")).to_be_hidden()
    page.get_by_role("button", name="! 1 not handed over").click()
    expect(page.locator(".column.delivered")).to_be_visible()
    # Looked at alone, it begins at the left, below what is told above it.
    page.get_by_label("State").select_option("delivered")
    expect(page.locator(".card:visible strong")).to_have_text(["Mia Ivić"])
    title, chips = page.locator(".column.delivered h2").bounding_box(), page.locator(".hand").bounding_box()
    assert title["x"] < 40 and title["y"] >= chips["y"] + chips["height"]
    # So it has the whole width, also on the widest screens and after it was left so.
    page.set_viewport_size({"width": 1920, "height": 1000})
    page.reload()
    expect(page.locator(".card:visible strong")).to_have_text(["Mia Ivić"])
    row = page.locator(".card:visible")
    assert row.bounding_box()["x"] < 60 and row.bounding_box()["width"] > 1200 and row.locator(".state").is_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    # A day that is chosen hides no word of the others.
    page.locator(".by-day select").select_option("other")
    boxes = [page.locator(f".{name}").bounding_box() for name in ("by-day select", "by-day input", "by-courier select")]
    assert boxes[0]["width"] > 90 and all(one["x"] + one["width"] + 8 <= other["x"] for one, other in zip(boxes, boxes[1:])), boxes
    look(page, "one-day")


@pytest.mark.parametrize("minutes_late, words", [(90, "1 h 30 late"), (63 * 60, "2 d 15 h late"), (71 * 60 + 40, "3 d late")])
def test_what_came_late_says_how_late(visit, minutes_late, words):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    for step in ("accept", "pick_up", "deliver"):
        ana.act(step, job)

    def hasten(route):
        answer = route.fetch()
        page = answer.json()
        for one in page["items"]:
            if one["delivered_at"]:
                at = datetime.datetime.fromisoformat(one["delivered_at"])
                one["due_at"] = (at - datetime.timedelta(minutes=minutes_late)).isoformat()
        route.fulfill(response=answer, json=page)

    page = visit("/store")
    page.route("**/v1/deliveries?*", hasten)
    sign_in(page, shop)
    unfold(page, "delivered")
    expect(page.locator(".column.delivered .card .how.warning")).to_have_text(words)
    page.locator(".column.delivered .card").click()
    expect(page.get_by_role("dialog").locator(".top")).to_contain_text(words)


def test_who_gives_much_back_stands_out(visit):
    shop = Store()
    Courier(shop)

    def worse(route):
        answer = route.fetch()
        page = answer.json()
        for one in page["items"]:
            one["stats"] |= {"accepted": 10, "delivered": 6, "cancelled": 4}
        route.fulfill(response=answer, json=page)

    page = visit("/store")
    page.route("**/v1/partners*", worse)
    sign_in(page, shop)
    go(page, "Couriers")
    expect(page.locator(".partners .counts .low").first).to_contain_text("60 %")


def test_one_long_day_is_named_and_flattens_no_other(visit, look):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store")

    def lengthen(route):
        answer = route.fetch()
        stats = answer.json()
        for number, day in enumerate(stats["days"]):
            day["median_seconds_to_accept"] = 60 * (3 + number % 5)
            day["median_seconds_to_deliver"] = 60 * (13 + number % 7)
        # The board asks, too, for a single day.
        for day in stats["days"][20:21]:
            day["median_seconds_to_deliver"] = 60 * 3000
        route.fulfill(response=answer, json=stats)

    page.route("**/v1/stats?*", lengthen)
    sign_in(page, shop)
    go(page, "Figures")
    times = page.locator(".chart[aria-label^='Typical times']")
    expect(times.get_by_text("↑ 3,000")).to_be_visible()
    # The day that is not over is in no line.
    expect(times.locator("path.line")).to_have_count(2)
    assert all(path.get_attribute("d").count("L") == 28 for path in times.locator("path.line").all())
    expect(times.locator("circle")).to_have_count(0)
    expect(times.locator("text").filter(has_text=re.compile("^20$"))).to_be_visible()
    look(page, "figures-long-day")


def test_a_press_on_what_is_drawn_anew_meanwhile_is_not_lost(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    talk = call("PUT", f"/v1/conversations/with/{shop.id}", token=ana.token)["id"]

    def pressed(page, place, change, who):
        """Lets go once the page has heard of a change, and of what was said after it."""
        place.hover()
        page.mouse.down()
        change()
        call("POST", f"/v1/conversations/{talk}/messages", {"text": "Done"}, who.token)
        expect(page.get_by_text(": Done")).to_be_visible()
        page.mouse.up()

    courier = visit("/courier", phone=True)
    sign_in(courier, ana)
    change = {"description": "Torta, ona velika"}
    pressed(courier, courier.get_by_role("button", name="Accept"), lambda: call("PATCH", f"/v1/deliveries/{job}", change, shop.token), shop)
    expect(courier.locator(".card.in_progress").get_by_text("Torta, ona velika")).to_be_visible()
    page = visit("/store")
    sign_in(page, shop)
    pressed(page, page.locator(".card.in_progress"), lambda: ana.act("pick_up", job), ana)
    expect(page.get_by_role("dialog", name="Iva Ivić").locator(".course [aria-current]")).to_have_text(re.compile("Fetched"))
    expect(page.locator(".card.in_progress")).to_contain_text("Fetched")


def test_what_was_cancelled_says_who_had_it_and_after_how_long(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [shop.deliver_to(ana) for _ in range(2)]
    ana.act("accept", jobs[0])
    for job in jobs:
        call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    page = visit("/store")
    sign_in(page, shop)
    unfold(page, "cancelled")
    rows = [page.locator(f"[data-key='{job}'] .card") for job in jobs]
    expect(rows[0].locator(".by")).to_have_text("Ana Anić")
    expect(rows[1].locator(".by")).to_have_text("")
    for row in rows:
        expect(row.locator(".how")).to_have_text("after 1 min")


def test_what_is_asked_for_is_seen(visit):
    shop = Store()
    ana, bor = Courier(shop), Courier(shop, name=("Bor", "Borić"))
    arrived = shop.deliver_to(ana, window={"until": minutes(30)})
    waits = shop.deliver_to(ana, cash={"amount": 1250, "currency": "EUR"}, pickup={"address": "Dubrava 5, Zagreb"})
    for step in ("accept", "deliver"):
        ana.act(step, arrived)
    page = visit("/store")
    sign_in(page, shop)
    over = page.locator(".column.delivered .card")
    expect(page.locator(".column.open .card")).to_have_count(1)
    # Where there is room for it, it is open until somebody folds it.
    expect(over).to_be_visible()
    page.locator(".column.delivered .fold").click()
    expect(over).to_be_hidden()
    # Who asks for what is over need not open it, and may fold it all the same.
    page.get_by_label("State").select_option("delivered")
    expect(over).to_contain_text("On time")
    page.locator(".column.delivered .fold").click()
    expect(over).to_be_hidden()
    page.get_by_label("State").select_option("")
    # A part of the form that is opened is not below its foot.
    page.get_by_role("button", name="New delivery").first.click()
    form = page.get_by_role("dialog")
    expect(form.locator(".choice")).to_have_count(2)
    for place in range(4):
        form.locator("summary").nth(place).click()
        field = form.locator("details").nth(place).locator("input, select").first
        expect(field).to_be_in_viewport(ratio=1)
        until(page, lambda: field.bounding_box()["y"] + field.bounding_box()["height"] <= form.locator(".actions").last.bounding_box()["y"])
        form.locator("summary").nth(place).click()
    escape(page)
    # One that is open from the beginning moves nothing away from where one begins.
    page.set_viewport_size({"width": 1360, "height": 620})
    page.locator(".column.open .card").click()
    page.get_by_role("button", name="Change", exact=True).click()
    form = page.locator("dialog.editor")
    expect(form.locator("details[open]")).to_have_count(2)
    rest(page)
    assert form.evaluate("(dialog) => dialog.scrollTop") == 0
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    page.set_viewport_size({"width": 1360, "height": 860})
    # What some are asked for may be offered to more.
    page.get_by_role("button", name="Offer to more").click()
    asking = page.get_by_role("dialog", name="Offer to more")
    expect(asking.get_by_label("Ana Anić")).to_be_checked()
    expect(asking.locator(".choice").filter(has_text="Ana Anić")).to_contain_text("◔ offered")
    asking.get_by_label("Bor Borić").check()
    asking.get_by_role("button", name="Offer", exact=True).click()
    expect(asking).to_have_count(0)
    candidates = call("GET", f"/v1/deliveries/{waits}", token=shop.token)["candidates"]
    assert {(one["courier_id"], one["state"]) for one in candidates} == {(ana.id, "offered"), (bor.id, "offered")}


@pytest.mark.parametrize("phone", [True, False])
def test_what_is_rare_stands_behind_a_button(visit, look, phone):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store", phone=phone)
    sign_in(page, shop)
    page.locator("li > .card").click()
    panel, ending = page.get_by_role("dialog"), page.get_by_role("button", name="Cancel the delivery")
    expect(panel.get_by_role("button", name="Change")).to_be_visible()
    expect(ending).to_be_hidden()
    panel.get_by_role("button", name="More", exact=True).click()
    expect(ending).to_be_visible()
    look(page, f"panel{'-phone' if phone else ''}")
    panel.get_by_role("button", name="More", exact=True).click()
    expect(ending).to_be_hidden()


def test_on_a_phone_the_filters_are_folded(visit, look):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    shop.deliver_to(ana, recipient={"first_name": "Jan", "last_name": "Perić", "address": "Savska 102, Zagreb"})
    page = visit("/store", phone=True)
    sign_in(page, shop)
    rows = page.locator("li > .card")
    expect(rows).to_have_count(2)
    expect(page.get_by_label("State")).to_be_hidden()
    sift = page.get_by_role("button", name="Filter")
    expect(sift).to_have_text("Filter")
    sift.click()
    page.get_by_label("State").select_option("pending")
    expect(rows.filter(visible=True)).to_have_count(1)
    look(page, "filters-phone")
    # Folded again they still say that something is left out.
    sift.click()
    expect(page.get_by_label("State")).to_be_hidden()
    expect(sift).to_have_text("Filter · 1")
    expect(rows.filter(visible=True)).to_have_count(1)


def test_couriers_beside_a_panel_are_read_as_without_it(visit):
    shop = Store()
    Courier(shop, ("Ana Marija", "Anić-Horvatinčić"))
    page = visit("/store")
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").first.click()
    page.get_by_role("dialog", name="New delivery").get_by_label("First name").fill("Iva")
    go(page, "Couriers")
    name = page.locator(".partners strong", has_text="Ana Marija")
    expect(page.get_by_role("dialog", name="New delivery")).to_be_visible()
    # On one line, or two.
    assert name.bounding_box()["height"] < 50


def test_whoever_is_named_whole_is_not_offered_with_others_of_that_name(visit):
    shop = Store()
    ana = Courier(shop)
    for name in ("Iva", "Mia"):
        shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Matić", "address": "Savska 1"})
    page = visit("/store")
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").first.click()
    form = page.get_by_role("dialog", name="New delivery")
    known = form.get_by_role("listbox", name="Known places").get_by_role("option")
    form.get_by_label("Last name").press_sequentially("mat")
    expect(known).to_have_count(2)
    form.get_by_label("Last name").fill("")
    form.get_by_label("First name").fill("Iva")
    form.get_by_label("Last name").press_sequentially("mat")
    expect(known).to_have_text([re.compile("Iva Matić")])
    # Nobody is named so: then whoever has that last name is better than nobody.
    form.get_by_label("Last name").fill("")
    form.get_by_label("First name").fill("Zoran")
    form.get_by_label("Last name").press_sequentially("mat")
    expect(known).to_have_count(2)


def test_alarms_stay_while_somebody_searches_and_show_all_of_their_kind(visit):
    shop = Store()
    ana = Courier(shop)
    for name in ("Mia", "Jan", "Eva"):
        ana.act("accept", shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1, Zagreb"}))
    for job in call("GET", "/v1/deliveries?status=in_progress", token=shop.token)["items"][:2]:
        ana.act("fail", job["id"], reason="nobody_home")
    page = visit("/store")
    sign_in(page, shop)
    chip = page.get_by_role("button", name="! 2 not handed over")
    rows = page.locator(".column.open .card")
    expect(chip).to_be_visible()
    page.get_by_role("searchbox").fill("Nobody of that name")
    expect(rows).to_have_count(0)
    expect(chip).to_be_visible()
    # What was searched for is left by one list after the other: until the last has come, nothing is taken for settled.
    held = []
    page.route("**/v1/deliveries?*status=in_progress*", lambda route: held.append(route))
    chip.click()
    until(page, lambda: held)
    rest(page)
    expect(chip).to_have_attribute("aria-pressed", "true")
    for route in held:
        route.continue_()
    page.unroute("**/v1/deliveries?*status=in_progress*")
    expect(rows).to_have_count(2)
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("searchbox")).to_have_value("")
