"""What couriers do besides carrying."""
import functools
import re

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, PASSWORD, Courier, Store, apart, call, carried, escape, go, hush, live, message_to, minutes, more, panel, sign_in, unfold, until


@pytest.mark.journey
def test_the_app_in_croatian(visit, look):
    shop = Store()
    ana = Courier(shop, language="hr")
    shop.deliver_to(ana)
    page = visit("/courier", phone=True, locale="hr-HR")
    look(page, "courier-sign-in-hr")
    sign_in(page, ana)
    expect(page.get_by_role("button", name="Prihvati")).to_be_visible()
    look(page, "jobs-hr")
    page.get_by_role("button", name="Prihvati").click()
    page.get_by_role("button", name="Isporuči").click()
    look(page, "deliver-hr")
    escape(page)
    for name in ("Trgovine", "Postavke"):
        go(page, name)
        look(page, f"courier-{name.lower()}-hr")


def test_declining_and_calling_and_finding_the_way(visit):
    shop = Store()
    ana = Courier(shop)
    first = shop.deliver_to(ana)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    # Where it is fetched, and the way there.
    expect(page.locator("li.card .from")).to_contain_text("from Pekara")
    assert "Ilica%201" in page.locator("li.card .from").get_by_role("link", name="Ilica 1").get_attribute("href")
    more(page)
    expect(page.get_by_role("link", name="Call Pekara")).to_have_attribute("href", "tel:+38514828111")
    escape(page)
    assert "Vukovarska%205" in page.get_by_role("link", name="Vukovarska 5", exact=True).get_attribute("href")
    # Declining can be undone for a moment.
    page.get_by_role("button", name="Decline").click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_text("goes to the others in a moment")).to_be_visible()
    assert shop.history(first) == ["create"]
    expect(page.get_by_text("Declined.")).to_be_visible()
    expect(page.get_by_role("heading", name="Iva")).to_have_count(0)
    assert shop.history(first) == ["create", "decline"]
    # By keyboard: focus goes along with the card, wherever it goes.
    shop.deliver_to(ana)
    page.get_by_role("button", name="Accept").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    expect(page.locator(".column.in_progress .card:focus")).to_have_count(1)
    expect(page.get_by_role("link", name="Call Iva Ivić")).to_have_attribute("href", "tel:+385919998877")
    # What leads there is the phone's own, else one in the browser: to where it is fetched, and then to the recipient.
    way = page.get_by_role("link", name="Way to")
    expect(page.locator(".in_progress .fetch")).to_contain_text("from Pekara")
    expect(page.locator(".in_progress .whom")).to_have_text("Iva Ivić, from Pekara, Ilica 1")
    expect(way).to_have_attribute("href", "https://www.openstreetmap.org/directions?to=Ilica%201%2C%20Zagreb")
    for phone, address in [("Android 14", "google.navigation:q="), ("iPhone", "https://maps.apple.com/?daddr=")]:
        page.add_init_script(f"Object.defineProperty(navigator, 'userAgent', {{get: () => '{phone}', configurable: true}})")
        page.reload()
        expect(way).to_have_attribute("href", address + "Ilica%201%2C%20Zagreb")
    expect(way).to_have_accessible_name("Way to Pekara")
    page.get_by_role("button", name="Fetch").click()
    expect(way).to_have_attribute("href", address + "Vukovarska%205%2C%20Zagreb")
    expect(way).to_have_accessible_name("Way to Iva Ivić")
    expect(page.locator(".in_progress .fetch")).to_have_count(0)
    expect(page.locator(".in_progress .whom")).to_have_text("Iva Ivić, Vukovarska 5")


def test_the_way_to_where_it_is_fetched_is_known_by_the_shops_place(visit):
    shop = Store()
    call("PATCH", "/v1/me", {"location": {"lat": 45.813, "lon": 15.978}}, shop.token)
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    expect(page.get_by_role("link", name="Way to Pekara")).to_have_attribute("href", "https://www.openstreetmap.org/directions?to=45.813%2C15.978")


def test_a_card_says_by_when_and_where_it_is_fetched(visit, look):
    shop = Store()
    ana = Courier(shop)
    pickup = {"address": "Heinzelova 70, Zagreb", "instructions": "Ramp 3", "ready_at": minutes(10)}
    shop.deliver_to(ana, window={"until": minutes(40)}, pickup=pickup)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    card = page.locator("li.card")
    expect(card.locator(".by")).to_have_text(re.compile(r"\d\d:\d\d .*in \d+ min"))
    expect(card.get_by_role("link", name="Heinzelova 70")).to_be_visible()
    expect(card.locator(".from")).to_contain_text("Ramp 3")
    expect(card.locator(".from")).to_have_text(re.compile(r"from Pekara .* from .*\d\d:\d\d"))
    look(page, "card-due-and-pickup")
    # It is late without a word of the server.
    page.clock.install()
    page.reload()
    expect(card).to_be_visible()
    page.clock.fast_forward(60 * 60_000)
    expect(card.locator(".by")).to_contain_text("late")


def accepted(shop, courier, name, **more):
    job = shop.deliver_to(courier, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1, Zagreb"}, **more)
    courier.act("accept", job)
    return job


def test_what_is_carried_stands_by_when_it_is_wanted_until_the_courier_chooses(visit):
    shop = Store()
    ana = Courier(shop)
    carried = functools.partial(accepted, shop, ana)
    later, soon, now = carried("Mia", window={"until": minutes(90)}), carried("Jan", window={"until": minutes(40)}), carried("Iva")
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    names = page.locator(".in_progress li.card h3")
    # What has no time was wanted when it was made.
    expect(names).to_have_text(["Iva Ivić", "Jan Ivić", "Mia Ivić"])
    # A touch anywhere on one that comes then opens it.
    page.locator(".in_progress li.card").nth(2).locator("h3").click()
    expect(page.get_by_role("dialog", name="Mia Ivić")).to_be_visible()
    escape(page)
    call("PUT", "/v1/me/route", {"delivery_ids": [later, now, soon]}, ana.token)
    expect(names).to_have_text(["Mia Ivić", "Iva Ivić", "Jan Ivić"])


def test_what_is_in_hand_stays_on_top_and_the_server_reckons_with_it(visit):
    shop = Store()
    ana = Courier(shop)
    people = {name: {"first_name": name, "last_name": "Ivić", "address": "Savska 1, Zagreb"} for name in ("Mia", "Jan")}
    held = shop.deliver_to(ana, recipient=people["Mia"], window={"until": minutes(90)})
    for step in ("accept", "pick_up"):
        ana.act(step, held)
    sooner = shop.deliver_to(ana, recipient=people["Jan"], window={"until": minutes(20)})
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    page.get_by_role("button", name="Accept").click()
    stops = lambda: [call("GET", f"/v1/deliveries/{job}", token=shop.token).get("stop") for job in (held, sooner)]
    until(page, lambda: stops() == [{"number": 1, "of": 2}, {"number": 2, "of": 2}])
    expect(page.locator(".in_progress li.card h3")).to_have_text(["Mia Ivić", "Jan Ivić"])
    expect(page.locator(".in_progress .whom").first).to_have_text("Mia Ivić, Savska 1")
    # What is late further down is told above all.
    late = page.locator(".in_progress h2").get_by_role("button", name="‼ 1 late")
    expect(late).to_be_hidden()
    page.clock.set_fixed_time(page.evaluate("Date.now()") / 1000 + 1800)
    page.reload()
    late.click()
    expect(page.locator(".in_progress li.card").filter(has_text="Jan Ivić")).to_be_in_viewport()
    # On top it is seen by itself.
    page.get_by_role("button", name=re.compile("^Move Jan Ivić")).press("ArrowUp")
    expect(page.locator(".in_progress li.card h3")).to_have_text(["Jan Ivić", "Mia Ivić"])
    expect(late).to_be_hidden()


def test_what_is_accepted_further_down_comes_into_sight(visit):
    shop = Store()
    ana = Courier(shop)
    for name in ("Mia", "Jan", "Iva", "Eva", "Noa"):
        shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1, Zagreb"})
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    # A touch is still felt by the list when the answer is there.
    last = page.locator(".pending li.card").last
    name = last.locator("h3").text_content()
    last.get_by_role("button", name="Accept").tap()
    won = page.locator(".in_progress li.card")
    expect(won.locator("h3")).to_have_text(f"{name} Ivić")
    expect(won.locator("h3")).to_be_in_viewport()


def test_the_next_step_is_in_sight_on_a_phone_that_lies_on_its_side(visit, look):
    shop = Store()
    ana = Courier(shop)
    job = accepted(shop, ana, "Mia")
    page = visit("/courier", phone=True)
    page.set_viewport_size({"width": 844, "height": 390})
    sign_in(page, ana)
    for action, name in (("pick_up", "Fetch"), ("deliver", "Deliver")):
        expect(page.locator(".in_progress .verbs").get_by_role("button", name=f"{name}: Mia")).to_be_in_viewport(ratio=1)
        ana.act(action, job)
    # One bar is enough.
    assert page.locator(".bar").bounding_box()["height"] < 70
    look(page, "on-its-side")


def test_what_waits_at_one_place_is_fetched_at_once(visit, look):
    shop = Store()
    ana = Courier(shop)
    carried = functools.partial(accepted, shop, ana)
    elsewhere = carried("Eva", window={"until": minutes(10)}, pickup={"address": "Heinzelova 70, Zagreb"})
    first = carried("Mia", window={"until": minutes(20)})
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    expect(page.locator(".in_progress li.card")).to_have_count(2)
    # Each is fetched somewhere else.
    together = page.get_by_role("button", name=re.compile("^Fetch all"))
    expect(together).to_be_hidden()
    second = carried("Jan", window={"until": minutes(30)})
    expect(together).to_have_text(f"Fetch all 2 · {shop.name}")
    # Where one goes first there is another step.
    expect(page.locator(".verbs .together")).to_have_count(0)
    call("PUT", "/v1/me/route", {"delivery_ids": [second, first, elsewhere]}, ana.token)
    expect(page.locator(".in_progress li.card:first-child .verbs .together")).to_be_in_viewport(ratio=1)
    # Both steps say whom they take, and the line above them where.
    expect(page.locator(".in_progress li.card:first-child .whom")).to_have_text(f"{shop.name}, Ilica 1")
    expect(page.locator(".verbs .together ~ .main")).to_have_text("Only Jan")
    look(page, "fetch-all")
    together.click()
    until(page, lambda: [shop.history(job)[-1] for job in (first, second, elsewhere)] == ["pick_up", "pick_up", "accept"])
    expect(together).to_be_hidden()


def test_who_rings_elsewhere_first_hands_over_from_the_card(visit, look):
    shop = Store()
    ana = Courier(shop)
    for name, amount in (("Mia", 1000), ("Jan", 2350)):
        job = shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić", "address": "Savska 1"}, cash={"amount": amount, "currency": "EUR"})
        for step in ("accept", "pick_up"):
            ana.act(step, job)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    second = page.locator(".in_progress li.card").nth(1)
    expect(second.locator(".term.cash")).to_be_visible()
    name = second.locator("h3").inner_text()
    look(page, "two-fetched")
    second.get_by_role("button", name=f"Deliver: {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Collected").click()
    expect(page.locator(".in_progress li.card")).to_have_count(1)
    # What was given at the door has to go to the store.
    page.get_by_role("link", name="Today: 1 delivered").click()
    collected = "€23.50" if name.startswith("Jan") else "€10.00"
    expect(page.locator(".tile").filter(has_text="Cash collected")).to_contain_text(collected)
    expect(page.locator(".rows li").first).to_contain_text(f"Cash collected {collected}")
    go(page, "Jobs")
    unfold(page, "delivered")
    page.locator(".delivered li.card").click()
    expect(page.get_by_role("dialog").locator(".facts div").filter(has_text="Cash collected").locator("dd")).to_have_text(collected)


@pytest.mark.journey
def test_a_card_has_what_is_next_and_the_rest_is_a_touch_away(visit, look):
    shop = Store()
    ana = Courier(shop)
    for _ in range(2):
        ana.act("accept", shop.deliver_to(ana))
    shop.deliver_to(ana, recipient={"first_name": "Jan", "last_name": "Perić", "address": "Savska 102, Zagreb"})
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    cards = page.locator("li.card")
    expect(cards).to_have_count(3)
    seen = [[one.inner_text() for one in card.locator(".foot :is(a, button)").all() if one.is_visible()] for card in cards.all()]
    # What a button says is read whole, but for a name, which the card says, too.
    assert cards.first.locator(".rest a:not([href^='tel:']) span").evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth).length") == 0
    assert seen == [["Fetch all 2", "Only Iva", "Way", "Iva", "Write", ""], ["Fetch", ""], ["Accept", ""]]
    # Beside what is in hand an offer is a short row, and says no where all of it is told.
    assert cards.nth(2).bounding_box()["height"] < 130
    cards.nth(2).locator("h3").click()
    expect(page.get_by_role("dialog", name="Jan").get_by_role("button", name="Decline: Jan")).to_be_in_viewport()
    escape(page)
    # By keys alone: to the rest, to what costs reputation, and back to where one was.
    rest = cards.nth(1).get_by_role("button", name="Details and more: Iva Ivić")
    expect(rest).to_have_attribute("aria-haspopup", "dialog")
    rest.press("Enter")
    details = page.get_by_role("dialog", name="Iva Ivić")
    for name in ("Fetch", "Deliver", "Not handed over", "Give back"):
        expect(details.get_by_role("button", name=f"{name}: Iva Ivić")).to_be_in_viewport()
    expect(details.get_by_role("link", name="Write to Pekara")).to_be_visible()
    expect(details.locator(".facts div").filter(has_text="By when")).to_contain_text("now")
    look(page, "job-more")
    details.get_by_role("button", name="Give back: Iva Ivić").press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(1)
    expect(page.get_by_role("dialog", name="Give back")).to_be_visible()
    escape(page)
    expect(rest).to_be_focused()


def test_offers_stand_beside_what_is_carried_and_none_over_another(visit, look):
    shop = Store()
    ana = Courier(shop)
    for job in [shop.deliver_to(ana) for _ in range(4)][:2]:
        ana.act("accept", job)
    done = shop.deliver_to(ana, pay={"amount": 400, "currency": "EUR"})
    ana.act("accept", done)
    ana.act("deliver", done)
    page = visit("/courier")
    sign_in(page, ana)
    expect(page.locator(".today")).to_contain_text("4.00")
    carried, offered = ([card.bounding_box() for card in page.locator(f"li.card.{status}").all()] for status in ("in_progress", "pending"))
    assert len(carried) == len(offered) == 2 and carried[0]["y"] == offered[0]["y"]
    assert all(apart(one, other) for at, one in enumerate(carried + offered) for other in (carried + offered)[at + 1:])
    look(page, "jobs-wide")


@pytest.mark.notifications
def test_what_is_said_in_passing_covers_nothing_that_waits_for_an_answer(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    expect(page.get_by_role("button", name="Allow notifications")).to_be_visible()

    page.evaluate("""() => {
        window.read = [];
        new MutationObserver(() => read.push(...Array.from(document.querySelectorAll('.notices .unseen'), (one) => one.textContent)))
            .observe(document.body, {childList: true, subtree: true});
    }""")

    def offer_and_cancel():
        """What is offered is read out alone, since it is seen in the list; that it is gone is said."""
        page.evaluate("read.length = 0")
        offer = shop.deliver_to(ana)
        until(page, lambda: "New offer · Vukovarska 5" in page.evaluate("read"))
        call("POST", f"/v1/deliveries/{offer}/cancel", {}, shop.token)

    offer_and_cancel()
    said = page.locator(".notices p", has_text="A delivery was cancelled by the store.")
    expect(said).to_be_visible()
    box = said.bounding_box()
    for button in page.locator(".asks button, button.main").all():
        assert apart(box, button.bounding_box()), button.inner_text()
    # Nobody is asked above what is in hand.
    ana.act("accept", job)
    expect(page.locator(".in_progress li.card")).to_be_visible()
    expect(page.get_by_role("button", name="Allow notifications")).to_be_hidden()
    # Nor is anything said over a step, upright or on its side.
    for size in ({"width": 390, "height": 844}, {"width": 844, "height": 390}):
        page.set_viewport_size(size)
        hush(page)
        offer_and_cancel()
        expect(said).to_be_visible()
        box = said.bounding_box()
        for button in page.locator(".verbs button:visible").all():
            assert apart(box, button.bounding_box()), button.inner_text()


def test_of_what_is_said_in_passing_the_last_two_stay(visit):
    page = visit("/courier", phone=True)
    sign_in(page, Courier())
    page.evaluate("""async () => {
        const {say} = await import(new URL('dom.js', document.querySelector('script[type=module]').src));
        for (const text of ['one', 'two', 'three', 'two']) say(text);
    }""")
    expect(page.locator(".notices p")).to_have_text(["three", "two"])
    # What one has done oneself is what a phone, which has room for one, goes on to say beside news.
    page.evaluate("""async () => {
        const {say} = await import(new URL('dom.js', document.querySelector('script[type=module]').src));
        say('mine');
        say('news', {isNews: true});
    }""")
    expect(page.locator(".notices p", has_text="mine")).to_be_visible()
    expect(page.locator(".notices p", has_text="news")).to_be_hidden()


def press(page, target):
    """Goes on to it by Tab, as who has no mouse does, and sets it off."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if target.count() and target.evaluate("(one) => one === document.activeElement"):
            return page.keyboard.press("Enter")
    raise AssertionError(f"no key leads to {target}")


@pytest.mark.journey
def test_a_job_is_carried_by_keyboard_alone(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier")
    sign_in(page, ana)
    page.get_by_role("button", name="Accept: Iva").wait_for()
    for name in ("Accept: Iva", "Fetch: Iva Ivić", "Deliver: Iva Ivić"):
        press(page, page.locator("li.card").get_by_role("button", name=name))
        until(page, lambda: page.locator("dialog").count() or not page.locator("li.card").get_by_role("button", name=name).count())
    dialog = page.get_by_role("dialog", name="Deliver")
    expect(dialog).to_be_visible()
    press(page, dialog.get_by_role("button", name="Deliver", exact=True))
    until(page, lambda: shop.history(job) == ["create", "accept", "pick_up", "deliver"])
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("li.card.in_progress")).to_have_count(0)


@pytest.mark.parametrize("phone", [True, False])
def test_the_bar_stays_in_sight(visit, phone):
    shop = Store()
    ana = Courier(shop)
    for _ in range(12):
        job = shop.deliver_to(ana)
        for step in ("accept", "pick_up"):
            ana.act(step, job)
    page = visit("/courier", phone=phone)
    sign_in(page, ana)
    expect(page.locator("li.card")).to_have_count(12)
    page.locator("li.card").last.scroll_into_view_if_needed()
    assert page.evaluate("scrollY > 200")
    expect(page.get_by_role("link", name="Jobs", exact=True)).to_be_in_viewport()
    # What a form asks for may be longer than the screen; what sends it is there from the beginning.
    page.set_viewport_size({"width": 390, "height": 500})
    page.locator("li.card").first.get_by_role("button", name="Deliver: Iva Ivić").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Deliver", exact=True)).to_be_in_viewport()


def look(page, job):
    """Opens the job's details, and waits until all of them are there: what is gone may not be asked for."""
    about = f"/v1/deliveries/{job}"
    with page.expect_response(lambda answer: answer.url.endswith(about)), \
            page.expect_response(lambda answer: f"{about}/history" in answer.url):
        page.get_by_role("button", name="Details").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_details_close_when_the_job_is_gone(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    look(page, job)
    call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    # Whoever was looking is told why, in passing.
    expect(page.get_by_text("cancelled by the store")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="Iva")).to_have_count(0)
    luka = Courier(shop, ("Luka", "Lukić"))
    job = shop.deliver_to(ana, luka)
    look(page, job)
    luka.act("accept", job)
    expect(page.get_by_text("no longer on offer")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_who_is_about_to_deliver_is_told_that_it_was_cancelled(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    page.get_by_role("button", name="Deliver:").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    call("POST", f"/v1/deliveries/{job}/cancel", {}, shop.token)
    expect(page.get_by_text("cancelled by the store")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.notifications
def test_a_long_text_leaves_the_buttons_at_hand(visit):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana, description="Torta s jagodama i čokoladom. " * 30, instructions="Zvoniti dvaput. " * 50)
    page = visit("/courier", phone=True)
    page.set_viewport_size({"width": 320, "height": 640})
    sign_in(page, ana)
    # The question about notifications stands above, once.
    page.get_by_role("button", name="Not now").click()
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    assert page.get_by_role("button", name="Accept").bounding_box()["y"] < 640


def test_many_offers_hide_nothing_that_is_carried(visit):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    for _ in range(60):
        shop.deliver_to(ana)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    expect(page.locator(".column.in_progress .card")).to_have_count(1)
    expect(page.locator(".column.pending .card")).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".column.pending .card")).to_have_count(60)
    def stored():
        return page.evaluate("JSON.parse(localStorage.getItem('kurir.jobs'))?.items.map((job) => job.status) ?? []")
    until(page, lambda: len(stored()) == 61)
    assert stored()[0] == "in_progress"


def test_long_lists_show_the_first_and_the_others_when_somebody_wants_them(visit, look):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier#/stores", phone=True)
    sign_in(page, ana)
    for many, seen in ((6, 6), (7, 5)):
        while len(call("GET", f"/v1/couriers/{ana.id}/cancellations", token=ana.token)["items"]) < many:
            job = shop.deliver_to(ana)
            ana.act("accept", job)
            ana.act("cancel", job)
        given = panel(page, "Your reliability")
        expect(given.locator("li")).to_have_count(many)
        expect(given.locator("li:visible")).to_have_count(seen)
        expect(given.get_by_role("button", name="Show more")).to_be_visible(visible=seen < many)
    look(page, "stores-given-back")
    given.get_by_role("button", name="Show more").click()
    expect(given.locator("li:visible")).to_have_count(7)
    expect(given.get_by_role("button", name="Show more")).to_be_hidden()


def test_an_invite_for_somebody_who_is_there_already(visit, look):
    old, new = Store(name="Stara"), Store(name="Nova")
    ana = Courier(old)
    url = call("POST", "/v1/invites", {"courier_id": ana.id, "message": "Come and ride for us"}, new.token)["url"]
    page = visit(url.removeprefix(ADDRESS), phone=True)
    page.locator("a.button").click()
    page.get_by_role("button", name="Sign in").click()
    look(page, "courier-sign-in")
    sign_in(page, ana)
    # The code is at hand, and only until it has been used.
    expect(page.get_by_label("Invite code")).to_have_value(url[-11:])
    expect(panel(page, "Invites for you")).to_contain_text("Come and ride for us")
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_text("You now work with Nova.")).to_be_visible()
    expect(page.get_by_label("Invite code")).to_have_value("")
    expect(panel(page, "Your stores").get_by_text("Nova")).to_be_visible()
    # Where there is no invite nothing says so.
    expect(page.get_by_role("heading", name="Invites for you")).to_be_hidden()
    look(page, "stores")


@pytest.mark.journey
def test_a_forgotten_password(visit, look):
    ana = Courier()
    page = visit("/courier", phone=True, forgiving=["422"])
    page.get_by_role("button", name="Forgotten password").click()
    look(page, "reset")
    page.get_by_label("Phone").fill(ana.phone)
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_label("Code")).to_be_focused()
    code = re.search(r"\d{6,}", message_to(ana.phone)["body"])[0]
    page.get_by_label("Code").fill("000000" if code != "000000" else "111111")
    page.get_by_label("New password").fill("bicikl-i-kaciga")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("alert")).to_contain_text("code")
    # Whoever went to look for the message may find the page loaded anew.
    page.reload()
    page.get_by_role("button", name="Forgotten password").click()
    page.get_by_label("Phone").fill(ana.phone)
    page.get_by_role("button", name="I have a code").click()
    expect(page.get_by_label("Phone")).to_have_value(ana.phone)
    page.get_by_label("Code").fill(code)
    page.get_by_label("New password").fill("bicikl-i-kaciga")
    page.get_by_role("button", name="Set the password").click()
    live(page)


def test_own_figures_and_why(visit, look):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    go(page, "Stores")
    expect(page.get_by_text("No deliveries yet")).to_be_visible()
    for action in ("deliver", "cancel"):
        job = shop.deliver_to(ana)
        ana.act("accept", job)
        call("POST", f"/v1/deliveries/{job}/{action}", {} if action == "deliver" else {"reason": "unsafe", "note": "Rain"}, ana.token)
    expect(page.get_by_text("50 % reliable")).to_be_visible()
    store = visit("/store")
    sign_in(store, shop)
    go(store, "Couriers")
    # Among all couriers there are others of that name.
    partner = store.get_by_role("listitem").filter(has=store.locator(f"a[href='tel:{ana.phone}']"))
    partner.get_by_role("button", name="Details and more: Ana Anić").click()
    given_back = partner.get_by_role("button", name="Deliveries that Ana Anić gave back")
    given_back.click()
    expect(store.get_by_role("dialog").get_by_text("It is not safe: Rain")).to_be_visible()
    # What the courier says of it is read there, and the store may excuse it.
    page.get_by_role("button", name="Contest").click()
    page.get_by_role("dialog").get_by_label("Note").fill("The bridge was closed")
    page.get_by_role("dialog").get_by_role("button", name="Contest").click()
    expect(page.get_by_text("contested")).to_be_visible()
    escape(store)
    given_back.click()
    expect(store.get_by_text("The bridge was closed")).to_be_visible()
    look(store, "cancellations")
    store.get_by_role("button", name="Excuse").click()
    expect(store.get_by_text("It counts no more.")).to_be_visible()
    expect(store.get_by_role("button", name="Excuse")).to_have_count(0)
    assert call("GET", "/v1/me", token=ana.token)["stats"]["cancelled"] == 0


def test_all_that_is_kept_can_be_had_once_an_hour(visit):
    page = visit("/courier", phone=True, forgiving=["429"])
    sign_in(page, Courier())
    go(page, "Settings")
    with page.expect_download() as had:
        page.get_by_role("button", name="Download").click()
    assert "account" in had.value.path().read_text()
    page.route("**/v1/me/export", lambda route: route.fulfill(status=429, headers={"Retry-After": "1800"}, json={"code": "too_many_requests"}))
    page.get_by_role("button", name="Download").click()
    expect(page.get_by_text("You had it within the last hour.")).to_be_visible()


@pytest.mark.journey
def test_notifications_and_who_else_is_signed_in(visit, look):
    ana = Courier()
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    go(page, "Settings")

    def save(part):
        page.locator(".panel", has=page.get_by_role("heading", name=part)).get_by_role("button", name="Save").click()

    page.get_by_label("Last name").fill("Anić Horvat")
    # What is switched is so at once.
    page.get_by_label("Notifications on all my devices").uncheck()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert call("GET", "/v1/me", token=ana.token)["notifications_enabled"] is False
    # What stands in another form is still there, and is saved by its own button.
    expect(page.get_by_label("Last name")).to_have_value("Anić Horvat")
    hush(page)
    save("Profile")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert call("GET", "/v1/me", token=ana.token)["last_name"] == "Anić Horvat"
    # Changed elsewhere, after this page has last heard of it: saving something else does not change it back.
    go(page, "Jobs")
    call("PATCH", "/v1/me", {"notifications_enabled": True, "last_name": "Anić"}, ana.token)
    go(page, "Settings")
    expect(page.get_by_label("Last name")).to_have_value("Anić")
    page.get_by_label("First name").fill("Anamarija")
    hush(page)
    save("Profile")
    expect(page.get_by_text("Saved.")).to_be_visible()
    me = call("GET", "/v1/me", token=ana.token)
    assert (me["first_name"], me["last_name"], me["notifications_enabled"]) == ("Anamarija", "Anić", True)
    # A dashboard is not for couriers, in the same browser.
    other = page.context.new_page()
    other.goto("/store")
    expect(other.get_by_text("You are signed in as Anamarija Anić.")).to_be_visible()
    look(other, "elsewhere")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("heading", name="Kurir for stores")).to_be_visible()
    expect(page.get_by_role("heading", name="Kurir for couriers")).to_be_visible()
    assert PASSWORD not in page.evaluate("JSON.stringify(localStorage)")


def test_an_offer_says_how_far_it_is_to_where_it_is_fetched(visit):
    shop = Store()
    ana = Courier(shop)
    call("PATCH", "/v1/me", {"location": {"lat": 45.8150, "lon": 15.9780}}, shop.token)
    call("PUT", "/v1/me/duty", {"on": True}, ana.token)
    shop.deliver_to(ana)
    shop.deliver_to(ana, pickup={"address": "Savska 1", "location": {"lat": 45.8240, "lon": 15.9780}})
    page = visit("/courier", phone=True, geolocation={"latitude": 45.8186, "longitude": 15.9780, "accuracy": 10})
    sign_in(page, ana)
    offers = page.locator(".column.pending li.card")
    expect(offers.filter(has_text="Savska 1")).to_contain_text("600 m from you")
    expect(offers.filter(has_text="Ilica 1")).to_contain_text("400 m from you")
    # There is nothing to carry, which is not said above what there is to choose from.
    expect(page.locator(".column.in_progress")).to_be_hidden()
    # What is carried says how far it is to where one goes next: first there, then to the door.
    job = shop.deliver_to(ana, recipient={"first_name": "Mia", "last_name": "Ivić", "address": "Gajeva 2", "location": {"lat": 45.8276, "lon": 15.9780}})
    ana.act("accept", job)
    carried = page.locator(".column.in_progress li.card")
    expect(carried).to_contain_text("400 m from you")
    ana.act("pick_up", job)
    expect(carried).to_contain_text("1 km to the door")


def test_offers_are_pulled_up_by_a_line_while_something_is_carried(visit, look):
    shop = Store()
    ana = Courier(shop)
    call("PATCH", "/v1/me", {"location": {"lat": 45.8150, "lon": 15.9780}}, shop.token)
    call("PUT", "/v1/me/duty", {"on": True}, ana.token)
    for _ in range(4):
        ana.act("accept", shop.deliver_to(ana))
    pay = {"amount": 400, "currency": "EUR"}
    far, near = ({"address": "Savska 1", "location": {"lat": 45.8150 + north, "lon": 15.9780}} for north in (0.0200, 0.0027))
    shop.deliver_to(ana, pickup=far)
    nearest = shop.deliver_to(ana, pickup=near, pay=pay)
    shop.deliver_to(ana, pickup=far, description="nearer")
    page = visit("/courier", phone=True, geolocation={"latitude": 45.8150, "longitude": 15.9780, "accuracy": 10})
    sign_in(page, ana)
    line = page.locator(".pull")
    expect(line).to_have_text(re.compile("◔ 3 offers · nearest 300 m · .*4.00"))
    # It covers nothing of the next step.
    steps = page.locator(".verbs").first.locator("button:not(.pull):visible")
    expect(steps).to_have_count(2)
    for button in steps.all():
        assert apart(line.bounding_box(), button.bounding_box())
    look(page, "offers-line")
    # On a low screen words give way, and no figure; a reader has all of them.
    page.set_viewport_size({"width": 360, "height": 640})
    page.evaluate("dispatchEvent(new Event('located'))")
    expect(line).to_have_text(re.compile("^◔ 3 · 300 m · .*4.00$"))
    expect(line).to_have_attribute("aria-label", re.compile("3 offers · nearest 300 m"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("dispatchEvent(new Event('located'))")
    expect(line).to_have_text(re.compile("3 offers"))
    line.click()
    offers = page.locator(".column.pending li.card")
    expect(offers.first.get_by_role("button", name="Accept")).to_be_in_viewport()
    # Where they are seen no line says that there are some.
    expect(line).to_be_hidden()
    expect(offers.locator(":focus")).to_have_count(1)
    look(page, "offers-pulled-up")
    # A sheet over what is carried, which a touch beside it, Escape and its own button put down again.
    sheet = page.locator(".column.pending")
    assert sheet.bounding_box()["y"] + sheet.bounding_box()["height"] == page.viewport_size["height"]
    page.get_by_role("button", name="Close").click()
    expect(line).to_be_visible()
    line.click()
    page.mouse.click(10, 10)
    expect(line).to_be_visible()
    line.click()
    page.keyboard.press("Escape")
    expect(line).to_be_visible()
    # What is accepted on it is carried, and the sheet stays for the next.
    line.click()
    offers.filter(has_text="nearer").get_by_role("button", name="Accept").click()
    # What comes of it is said above what darkens the rest.
    expect(sheet.locator(".notices")).to_contain_text("yours")
    expect(page.locator(".column.in_progress li.card")).to_have_count(5)
    expect(sheet.get_by_role("button", name="Close")).to_be_visible()
    page.keyboard.press("Escape")
    # It says what is so now, and is not there without any.
    ana.act("decline", nearest)
    expect(line).to_have_text("◔ 1 offer · nearest 2.2 km")
    for job in call("GET", "/v1/deliveries?status=pending", token=ana.token)["items"]:
        ana.act("decline", job["id"])
    expect(line).to_be_hidden()
    # Where there is room, they stand beside what is carried.
    shop.deliver_to(ana)
    expect(line).to_be_visible()
    page.set_viewport_size({"width": 1360, "height": 860})
    expect(line).to_be_hidden()


def test_the_line_of_offers_comes_back_when_a_busy_phone_tells_of_both_changes_at_once(visit):
    shop = Store()
    ana = Courier(shop)
    for _ in range(4):
        ana.act("accept", shop.deliver_to(ana))
    shop.deliver_to(ana)
    page = visit("/courier", phone=True)
    page.add_init_script("""
        window.kept = [];
        const Observer = IntersectionObserver;
        window.IntersectionObserver = class extends Observer {
            constructor(tell, options) {
                super((changes) => {
                    if (!window.isBusy || !changes[0].target.matches('.column.pending')) return tell(changes);
                    kept.push(...changes);
                    if (kept.length > 1) tell(kept.splice(0));
                }, options);
            }
        };""")
    page.reload()
    sign_in(page, ana)
    line = page.locator(".pull")
    expect(line).to_be_visible()
    page.evaluate("window.isBusy = true")
    line.click()
    until(page, lambda: page.evaluate("kept.length") == 1)
    page.keyboard.press("Escape")
    until(page, lambda: page.evaluate("kept.length") == 0)
    expect(line).to_be_visible()


def test_offers_are_there_when_their_line_cannot_be_loaded(visit):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    shop.deliver_to(ana)
    # A service worker would have it, and would ask for it by a way of its own.
    page = visit("/courier", phone=True, forgiving=("Failed to load resource", "registration blocked"), service_workers="block")
    page.route("**/offersline.js", lambda route: route.abort())
    sign_in(page, ana)
    page.locator(".column.pending li.card").get_by_role("button", name="Accept").click()
    expect(page.locator(".column.in_progress li.card")).to_have_count(2)
    expect(page.locator(".pull")).to_have_count(0)


def test_what_asks_for_a_camera_is_asked_for_again_when_it_could_not_be_loaded(visit):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana))
    page = visit("/courier", phone=True, forgiving=("Failed to load resource", "registration blocked"), service_workers="block")
    for name in ("handing", "scan"):
        page.route(f"**/{name}.js", lambda route: route.abort())
    sign_in(page, ana)
    deliver = page.locator(".column.in_progress li.card .verbs button", has_text="Deliver")
    for button in (deliver, page.get_by_role("button", name="Scan a slip")):
        button.click()
        expect(page.get_by_text("There is no connection to Kurir.")).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        hush(page)
    page.unroute("**/handing.js")
    page.unroute("**/scan.js")
    deliver.click()
    expect(page.get_by_role("dialog", name="Deliver")).to_be_visible()


def test_who_is_off_duty_reads_so(visit):
    shop = Store()
    ana = Courier(shop)
    call("PUT", "/v1/me/duty", {"on": False}, ana.token)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    duty = page.get_by_role("switch", name="On duty")
    expect(duty).not_to_be_checked()
    # Above what is offered all the same, for as long as that is so.
    shop.deliver_to(ana)
    expect(page.locator(".card.pending")).to_be_visible()
    expect(page.locator(".off-duty")).to_be_visible()
    call("PUT", "/v1/me/duty", {"on": True}, ana.token)
    page.reload()
    expect(page.locator(".card.pending")).to_be_visible()
    expect(page.locator(".off-duty")).to_be_hidden()
    call("PUT", "/v1/me/duty", {"on": False}, ana.token)
    page.reload()
    expect(duty.get_by_text("off duty")).to_be_visible()
    # Its name is what it switches, and is not seen beside.
    assert duty.locator(".unseen").bounding_box()["width"] <= 1


def test_the_switch_is_seen_that_says_what_was_just_said(visit, look):
    page = visit("/courier", phone=True)
    ana = Courier(Store())
    call("PUT", "/v1/me/duty", {"on": True}, ana.token)
    sign_in(page, ana)
    page.locator(".duty[aria-checked=true]").click()
    said = page.locator(".notices p")
    expect(said).to_be_visible()
    assert apart(said.bounding_box(), page.locator(".duty").bounding_box())
    look(page, "off-duty")


@pytest.mark.parametrize(("locale", "width"), [("hr-HR", 390), ("de-DE", 390), ("hr-HR", 320), ("de-DE", 320)])
def test_the_ways_to_who_is_asked_can_be_read(visit, locale, width):
    shop = Store()
    ana = Courier(shop)
    ana.act("accept", shop.deliver_to(ana, recipient={"first_name": "Aleksandra", "last_name": "Lovrić", "address": "Savska 102, Zagreb", "phone": "+385915550199"}))
    page = visit("/courier", phone=True, locale=locale)
    page.set_viewport_size({"width": width, "height": 720})
    sign_in(page, ana)
    expect(page.locator(".rest").first.locator("a")).to_have_count(3)
    words = page.locator(".rest").first.locator("a:not([href^='tel:']) span:visible")
    # On the narrowest phone a sign stands for them.
    assert (words.count() > 0) == (width > 320)
    assert words.evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)") == []
    assert page.locator(".rest").first.locator("a, button").evaluate_all("(all) => all.every((one) => one.getBoundingClientRect().right <= innerWidth && one.getBoundingClientRect().width >= 40)")


def test_on_a_phone_what_is_said_leaves_the_links_free(visit):
    page = visit("/courier", phone=True)
    sign_in(page, Courier())
    # What is said goes with time, which stands still here.
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    page.evaluate("""async () => {
        const {say} = await import(new URL('./dom.js', document.querySelector('script[type=module]').src));
        say('The first of two things that are said.');
        say('The second one, which is of the same length.');
        say('The second one, which is of the same length.');
    }""")
    page.clock.fast_forward(100)
    said = page.locator(".notices p")
    expect(said).to_have_count(2)
    # Once they have risen to their place.
    until(page, lambda: page.evaluate("""() => {
        const boxes = (selector) => Array.from(document.querySelectorAll(selector), (one) => one.getBoundingClientRect()).filter((box) => box.height);
        const [said, links] = [boxes('.notices p'), boxes('nav > :is(a, button)')];
        return links.length > 3 && links.every(({top}) => said.every(({bottom}) => top >= bottom));
    }"""))
    # The last one is seen. A touch puts it away, and reaches nothing beneath.
    for words, count in [("The second one, which is of the same length.", 1), ("The first of two things that are said.", 0)]:
        expect(said.filter(visible=True)).to_have_text([words])
        said.filter(visible=True).click()
        expect(said).to_have_count(count)
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.journey
def test_a_new_courier_joins_who_has_invited_the_number(visit, look):
    shop = Store()
    ana = Courier()
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    first = page.locator(".jobs .guide")
    expect(first).to_contain_text("A store has to invite you.")
    # One thing is wanted before all others.
    expect(first.locator(".main")).to_have_text(["Join a store"])
    call("POST", "/v1/invites", {"phone": ana.phone, "message": "Every Saturday?"}, shop.token)
    page.reload()
    live(page)
    expect(first).to_contain_text("Pekara invites you")
    expect(first).to_contain_text("Every Saturday?")
    expect(first.locator(".main")).to_have_text(["Join"])
    look(page, "courier-invited")
    first.get_by_role("button", name="Join Pekara").click()
    expect(first).to_contain_text("You deliver for Pekara")
    expect(first).not_to_contain_text("invites you")


def test_a_new_courier_is_told_for_whom_and_what_makes_the_phone_ready(visit, look):
    shop = Store()
    ana = Courier(shop)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    first = page.locator(".jobs .guide")
    expect(first).to_contain_text("You deliver for Pekara")
    expect(page.get_by_text("No offers now.")).to_be_visible()
    # What has nothing in it yet is not there, nor what is said by the steps.
    expect(page.locator(".column:visible")).to_have_count(1)
    expect(page.locator(".asks")).to_be_hidden()
    steps = first.get_by_role("listitem")
    expect(steps.filter(has_text="Say where you are").get_by_role("button")).to_be_visible()
    # The browser says that the page can be an app of its own, once it knows.
    home = steps.filter(has_text="Kurir at hand")
    expect(home).to_have_count(0)
    page.evaluate("""() => {
        const offer = Object.assign(new Event('beforeinstallprompt'), {prompt: async () => { window.asked = true; }, userChoice: Promise.resolve({outcome: 'dismissed'})});
        dispatchEvent(offer);
    }""")
    look(page, "courier-first-steps")
    home.get_by_role("button", name="Add to the Home Screen").click()
    # It may be asked once.
    expect(home).to_have_count(0)
    assert page.evaluate("window.asked")
    page.context.grant_permissions(["geolocation"])
    expect(steps.filter(has_text="Say where you are")).to_have_class("done")
    # With the first job it is over, for good.
    job = shop.deliver_to(ana)
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    expect(first).to_have_count(0)
    ana.act("accept", job)
    ana.act("deliver", job)
    page.reload()
    expect(page.locator(".column.delivered .card")).to_have_count(1)
    expect(first).to_have_count(0)


def test_a_courier_without_a_store_is_led_to_one(visit):
    page = visit("/courier", phone=True)
    sign_in(page, Courier())
    page.locator(".guide").get_by_role("link", name="Join a store").click()
    expect(page.get_by_label("Invite code")).to_be_visible()


def test_who_carries_something_unseen_is_told_so(visit):
    page = carried(visit=visit)[-1]
    line = page.locator(".silence")
    expect(line).to_contain_text("Nobody sees where you are.")
    expect(line.get_by_role("button", name="Show where I am")).to_be_visible()
    page.context.grant_permissions(["geolocation"])
    expect(line).to_be_hidden()


def test_an_offer_says_how_far_it_is_from_the_shop_to_the_door(visit):
    shop = Store()
    call("PATCH", "/v1/me", {"location": {"lat": 45.8131, "lon": 15.9770}}, shop.token)
    ana = Courier(shop)
    recipient = {"first_name": "Iva", "last_name": "Ivić", "address": "Savska 1", "location": {"lat": 45.8131, "lon": 15.9900}}
    shop.deliver_to(ana, recipient=recipient)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    expect(page.locator(".pending li.card")).to_contain_text("1 km to the door")


def test_a_touch_takes_no_offer_that_has_just_come_under_the_finger(visit):
    shop = Store()
    ana = Courier(shop)
    later = shop.deliver_to(ana, window={"until": minutes(90)})
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    box = page.get_by_role("button", name="Accept").bounding_box()
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # Touched in the very moment in which another offer takes its place.
    page.evaluate("""([x, y]) => {
        const list = document.querySelector('.pending .cards');
        new MutationObserver((_, observer) => {
            if (list.children.length < 2) return;
            observer.disconnect();
            setTimeout(() => {
                window.touched = document.elementFromPoint(x, y)?.textContent;
                document.elementFromPoint(x, y).dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, detail: 1}));
            });
        }).observe(list, {childList: true});
    }""", place)
    sooner = shop.deliver_to(ana, window={"until": minutes(20)})
    until(page, lambda: page.evaluate("window.touched"))
    assert page.evaluate("window.touched") == "Accept"
    expect(page.locator(".notices")).to_contain_text("New offer · Vukovarska 5")
    # A key goes to what has focus, wherever that stands.
    page.get_by_role("button", name="Accept").first.press("Enter")
    expect(page.get_by_text("It is yours.")).to_be_visible()
    assert (shop.history(sooner), shop.history(later)) == (["create", "accept"], ["create"])


def test_a_step_that_is_being_sent_widens_nothing(visit):
    shop = Store()
    ana = Courier(shop)
    for name in ("Iva", "Jan"):
        ana.act("accept", shop.deliver_to(ana, recipient={"first_name": name, "last_name": "Ivić-Horvatinčić", "address": "Ulica grada Vukovara 269d"}))
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    held = []
    page.context.route("**/v1/deliveries/*/pick_up", lambda route: held.append(route))
    page.get_by_role("button", name=re.compile("^Fetch all 2")).click()
    expect(page.locator(".unanswered")).to_have_count(2)
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    until(page, lambda: held)
    for route in held:
        route.continue_()
    expect(page.locator(".unanswered")).to_have_count(0)


def test_what_a_card_shows_is_read_out_and_not_said_over_it(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    page = visit("/courier", phone=True, forgiving=["409"])
    sign_in(page, ana)
    page.evaluate("""async () => (await import(new URL('dom.js', document.querySelector('script[type=module]').src))).say('Off duty '.repeat(20), {verb: 'Undo', act() {}})""")
    undone = page.locator(".notices p", has_text="Off duty")
    expect(undone).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    said = page.locator(".notices p", has_text="It is yours.")
    expect(said).to_have_count(1)
    assert said.bounding_box()["width"] <= 1
    # What may still be undone stays in sight.
    expect(undone).to_be_visible()
    # What it does not show is said.
    page.context.route("**/v1/deliveries/*/pick_up", lambda route: route.fulfill(status=409, json={"code": "not_in_progress", "title": "x", "detail": "It is not yours any more."}))
    page.get_by_role("button", name="Fetch").click()
    refused = page.locator(".notices p", has_text="It is not yours any more.")
    expect(refused).to_be_visible()
    assert refused.bounding_box()["width"] > 100
    assert shop.history(job)[-1] == "accept"


def test_what_was_fetched_by_a_slip_is_undone_before_anybody_hears_of_it(visit):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    fetch = page.get_by_role("button", name="Fetch: Iva Ivić")
    expect(fetch).to_be_visible()
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    fetch.click()
    expect(page.get_by_role("button", name="Deliver: Iva Ivić")).to_be_visible()
    page.clock.run_for(100)
    page.locator(".notices").get_by_role("button", name="Undo").click()
    expect(fetch).to_be_visible()
    fetch.click()
    page.clock.run_for(4_900)
    assert shop.history(job) == ["create", "accept"]
    # A phone that goes into its pocket tells it at once.
    page.evaluate("""() => {
        Object.defineProperty(document, 'hidden', {get: () => true});
        document.dispatchEvent(new Event('visibilitychange'));
    }""")
    until(page, lambda: shop.history(job) == ["create", "accept", "pick_up"])


def test_what_was_fetched_together_is_undone_together(visit):
    shop = Store()
    ana = Courier(shop)
    jobs = [accepted(shop, ana, name, window={"until": minutes(in_minutes)}) for name, in_minutes in (("Mia", 20), ("Jan", 30))]
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    together = page.get_by_role("button", name=re.compile("^Fetch all 2"))
    expect(together).to_be_visible()
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    together.click()
    expect(together).to_be_hidden()
    page.clock.run_for(100)
    page.locator(".notices").get_by_role("button", name="Undo").click()
    expect(together).to_be_visible()
    page.clock.run_for(6_000)
    assert [shop.history(job) for job in jobs] == [["create", "accept"]] * 2
    # Of what one fetches alone others hear by themselves, and the one that is left says its step again.
    page.get_by_text("Only Mia").click()
    page.clock.run_for(6_000)
    until(page, lambda: shop.history(jobs[0])[-1] == "pick_up")
    expect(page.locator("li.card", has_text="Jan").get_by_role("button", name="Fetch: Jan Ivić")).to_be_visible()
    expect(page.get_by_text(re.compile("^Only "))).to_have_count(0)


def test_what_comes_next_is_in_sight_once_something_was_handed_over(visit):
    shop = Store()
    ana = Courier(shop)
    for name, in_minutes in (("Mia", 20), ("Jan", 30), ("Eva", 40), ("Noa", 50)):
        ana.act("pick_up", accepted(shop, ana, name, window={"until": minutes(in_minutes)}))
    page = visit("/courier", phone=True)
    page.set_viewport_size({"width": 360, "height": 640})
    sign_in(page, ana)
    cards = page.locator(".in_progress li.card")
    expect(cards).to_have_count(4)
    cards.last.get_by_role("button", name="Deliver: Noa Ivić").tap()
    page.get_by_role("dialog").locator("button.main").tap()
    expect(cards).to_have_count(3)
    expect(cards.first.get_by_role("heading", name="Mia Ivić")).to_be_in_viewport()


def test_days_of_earnings_are_told_in_money(visit, look):
    shop = Store()
    ana = Courier(shop)
    for cents in (350, 500):
        ana.act("deliver", accepted(shop, ana, "Mia", pay={"amount": cents, "currency": "EUR"}))
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    page.get_by_role("link", name=re.compile("^Today")).click()
    expect(page.locator(".tile").filter(has_text="€8.50")).to_have_count(1)
    page.goto("/courier#/earnings/7")
    expect(page.locator("table").first).to_contain_text("€8.50")
    look(page, "earnings-by-day")
