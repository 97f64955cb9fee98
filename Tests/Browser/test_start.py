"""The first minutes: the start page, a store that is led, what was typed, and every size of screen."""
import re

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, PASSWORD, Courier, Store, call, escape, go, live, numbers, panel, sign_in, until


@pytest.mark.parametrize("language, title, shop, lang, said", [
    ("English", "Your own couriers, on time.", "I have a store", "en", "Deliver"),
    ("Deutsch", "Eigene Kuriere, pünktlich.", "Ich habe ein Geschäft", "de", "Zustellen"),
    ("Hrvatski", "Vlastiti kuriri, na vrijeme.", "Imam trgovinu", "hr", "Isporuči")])
def test_the_start_needs_no_script(chromium, language, title, shop, lang, said):
    context = chromium.new_context(base_url=ADDRESS, locale="fr-FR", java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name=language).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert page.locator("html").get_attribute("lang") == lang
    assert said in page.locator("svg.scene").first.text_content()
    # Who comes by this door is mostly new.
    expect(page.get_by_role("link", name=shop)).to_have_attribute("href", f"/store?language={lang}#new")
    context.close()


@pytest.mark.journey
def test_the_start_leads_to_both_ways_in(visit, look):
    page = visit("/", phone=True)
    look(page, "start-phone")
    page.get_by_role("link", name="Hrvatski").click()
    page.get_by_role("link", name="Dostavljam").click()
    # In the language that was chosen.
    expect(page.get_by_role("heading", name="Kurir za dostavu")).to_be_visible()
    page.goto("/")
    look(page, "start")
    wide = visit("/")
    expect(wide.locator(".board")).to_be_visible()
    look(wide, "start-wide")
    # Who has an account already signs in.
    for way in ("as a store", "as a courier"):
        page.get_by_role("link", name=way).click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.goto("/")
    page.get_by_role("link", name="I have a store").click()
    expect(page.get_by_label("Name of the store")).to_be_visible()
    page.get_by_role("button", name="Sign in").click()
    shop = Store()
    sign_in(page, shop)
    assert page.evaluate("location.hash") == "#/"
    # Whoever works here already is not asked again, and an address of before is still good.
    page.goto("/")
    expect(page.get_by_role("heading", name="Deliveries", level=1)).to_be_attached()
    page.goto("/#/partners")
    expect(page.get_by_role("heading", name="Couriers", exact=True, level=1)).to_be_attached()


def test_a_wrong_address_leads_to_the_start_and_tells_programs_so(visit, look):
    page = visit("/nothing/here", phone=True, forgiving=["404"])
    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
    look(page, "lost")
    page.get_by_role("link", name="To the start").click()
    expect(page.get_by_role("heading", name="Your own couriers, on time.")).to_be_visible()
    answer = page.request.get("/nothing/here", headers={"Accept": "text/html;q=0.5, application/json"})
    assert (answer.status, answer.json()["code"]) == (404, "not_found")
    for path in ("/nothing/here", "/v1/nothing"):
        answer = page.request.get(path, headers={"Accept": "*/*" if path.startswith("/nothing") else "text/html"})
        assert (answer.status, answer.json()["code"]) == (404, "not_found")


def test_the_language_is_chosen_at_the_entrance_and_what_was_typed_stays(visit, look):
    page = visit("/store", phone=True)
    page.get_by_role("button", name="Register").click()
    page.get_by_label("Name of the store").fill("Pekara")
    page.get_by_role("button", name="Hrvatski").click()
    expect(page.get_by_role("heading", name="Registriraj se")).to_be_visible()
    expect(page.get_by_label("Naziv trgovine")).to_have_value("Pekara")
    expect(page.get_by_role("button", name="Hrvatski")).to_be_focused()
    look(page, "store-register-phone-hr")
    # The same at the next visit, also by the start page's door, until somebody signs in who reads another one.
    page.goto("/")
    page.get_by_role("link", name="I have a store").click()
    expect(page.get_by_role("heading", name="Registriraj se")).to_be_visible()
    page.get_by_role("button", name="Prijavi se").click()
    sign_in(page, Store())
    expect(page.get_by_role("heading", name="Deliveries", level=1)).to_be_attached()
    # Without a connection one goes on in the language that there is.
    other = visit("/courier", forgiving=["net::ERR", "Failed to load resource", "fetching the script"])
    other.context.set_offline(True)
    other.get_by_role("button", name="Deutsch").click()
    expect(other.locator(".notices")).to_contain_text("There is no connection to Kurir.")
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.journey
def test_a_new_store_is_led_until_its_first_delivery(visit, look):
    shop = Store()
    page = visit("/store", geolocation={"latitude": 45.8131, "longitude": 15.9775})
    sign_in(page, shop)
    step = page.locator(".guide [aria-current=step]")
    expect(step).to_contain_text("Invite a courier")
    # What has nothing in it yet is not there; also after a look at something else.
    for _ in range(2):
        expect(page.get_by_label("Search")).to_be_hidden()
        expect(page.locator(".column:visible")).to_have_count(0)
        go(page, "Figures")
        expect(page.locator(".figures")).to_contain_text("The first figures come with the first delivery.")
        go(page, "Deliveries")
    look(page, "led")
    # Where the shop is, its own device knows, also where no address is known to be anywhere.
    page.locator(".guide").get_by_role("button", name="Set it on the map").click()
    where = page.get_by_role("dialog", name="Place your store")
    expect(where.get_by_text(call("GET", "/v1/me", token=shop.token)["address"])).to_be_visible()
    expect(where.locator(".leaflet-control-scale-line")).to_be_visible()
    expect(where.get_by_role("button", name="Take this place")).to_be_disabled()
    where.get_by_role("button", name="Where I am now").click()
    expect(where.locator(".leaflet-control-scale-line")).to_have_text("100 m")
    look(page, "led-where")
    where.get_by_role("button", name="Take this place").click()
    expect(where).to_have_count(0)
    # It is no step of the three, and is not asked for any more.
    expect(page.locator(".guide").get_by_text("Not on the map yet")).to_be_hidden()
    expect(page.locator(".guide li")).to_have_count(3)
    assert call("GET", "/v1/me", token=shop.token)["location"] == pytest.approx({"lat": 45.8131, "lon": 15.9775}, abs=1e-4)
    # The form comes first for many; it leads to inviting, and keeps what was typed.
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    look(page, "led-form")
    form.get_by_role("button", name="Invite a courier").click()
    asking = page.get_by_role("dialog", name="Invite a courier")
    phone = f"+38598{next(numbers):07d}"
    asking.get_by_label("Phone").fill(phone)
    asking.get_by_role("button", name="Invite by number").click()
    shown = page.get_by_role("dialog", name="The invite")
    # Nobody has sent it, so that is what is said.
    expect(shown.get_by_role("link", name="By your own SMS")).to_be_visible()
    code = shown.locator(".code").inner_text()
    look(page, "led-invite")
    made = call("POST", "/v1/couriers", {"first_name": "Ana", "last_name": "Anić", "phone": phone, "password": "krumpir-na-tavi", "invite_code": code})
    # Whoever shows an invite sees that it was used; and where there is one courier alone, it is meant.
    expect(page.get_by_text("Ana Anić has joined you.")).to_be_visible()
    expect(page.locator("dialog")).to_have_count(1)
    expect(form.get_by_label("Ana Anić")).to_be_checked()
    expect(form.get_by_label("What is delivered")).to_have_value("Torta")
    expect(page.locator(".guide [aria-current=step]")).to_contain_text("Create a delivery")
    form.get_by_role("button", name="Create").click()
    expect(step).to_contain_text("Watch it arrive")
    look(page, "led-watch")
    ana = made["session"]["token"]
    (job,) = call("GET", "/v1/deliveries", token=shop.token)["items"]
    for action in ("accept", "deliver"):
        call("POST", f"/v1/deliveries/{job['id']}/{action}", {}, ana)
    # What was done stays until somebody puts it away, and is not told again.
    over = page.locator(".guide.over")
    expect(over).to_contain_text("Your first delivery has arrived.")
    expect(page.locator(".guide li")).to_have_count(0)
    look(page, "led-over")
    over.get_by_role("button", name="Close").click()
    expect(page.locator(".guide")).to_have_count(0)
    page.reload()
    expect(page.locator(".column.delivered")).to_be_visible()
    expect(page.locator(".guide")).to_be_hidden()
    # The next one goes to the same, unless somebody says otherwise; its button says so before they are there.
    held = []
    page.route("**/v1/partners?*", lambda route: held.append(route))
    page.keyboard.press("n")
    expect(form.get_by_role("button", name="Create and offer (1)")).to_be_visible()
    until(page, lambda: held)
    for route in held:
        route.continue_()
    page.unroute("**/v1/partners?*")
    expect(page.get_by_label("Ana Anić")).to_be_checked()


def test_who_is_not_answered_reads_that_what_was_typed_stays(visit):
    page = visit("/store", forgiving=["net::ERR", "Failed to load resource"])
    entrance = page.locator(".entrance")
    for name in ("email", "password"):
        entrance.locator(f"[name={name}]").fill("shop@example.com")
    page.context.set_offline(True)
    entrance.locator("button.main").click()
    expect(entrance.get_by_role("alert")).to_have_text("There is no connection to Kurir. What you typed stays; try again.")
    expect(entrance.locator("[name=email]")).to_have_value("shop@example.com")


def test_the_guide_knows_that_somebody_was_invited(visit):
    page = visit("/store")
    sign_in(page, Store())
    step = page.locator(".guide [aria-current=step]")
    step.get_by_role("button", name="Invite").click()
    asking = page.get_by_role("dialog", name="Invite a courier")
    asking.get_by_label("Phone").fill(f"+38598{next(numbers):07d}")
    asking.get_by_role("button", name="Invite by number").click()
    expect(page.get_by_role("dialog", name="The invite")).to_be_visible()
    expect(page.locator(".guide li.waits")).to_contain_text("waits for an answer")
    # While others are waited for, something else is next.
    expect(step).to_contain_text("Create a delivery")


def test_a_device_that_does_not_say_where_it_is_says_so(visit):
    page = visit("/store", forgiving=["geolocation"])
    sign_in(page, Store())
    page.locator(".guide").get_by_role("button", name="Set it on the map").click()
    where = page.get_by_role("dialog", name="Place your store")
    expect(where.locator(".leaflet-control-scale-line")).to_be_visible()
    where.get_by_role("button", name="Where I am now").click()
    expect(page.get_by_text("This device does not say where it is.")).to_be_visible()
    expect(where.get_by_role("button", name="Take this place")).to_be_disabled()


def test_the_form_has_its_couriers_without_a_connection(visit):
    shop = Store()
    Courier(shop)
    page = visit("/store", forgiving=["net::ERR", "Failed to load resource"])
    sign_in(page, shop)
    create = page.get_by_role("button", name="New delivery")
    create.click()
    form = page.get_by_role("dialog", name="New delivery")
    expect(form.get_by_label("Ana Anić")).to_be_checked()
    escape(page)
    page.context.set_offline(True)
    create.click()
    expect(form.get_by_label("Ana Anić")).to_be_checked()
    expect(form.get_by_role("alert").locator("visible=true")).to_have_count(0)


def test_the_language_that_is_chosen_at_the_door_goes_in_with_whoever_chose_it(visit):
    shop = Store()
    page = visit("/store")
    page.get_by_role("button", name="Hrvatski").click()
    expect(page.locator("html")).to_have_attribute("lang", "hr")
    page.locator("[name=email]").fill(shop.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator(".entrance form button.main").click()
    expect(page.get_by_role("heading", name="Do prve dostave")).to_be_visible()
    assert call("GET", "/v1/me", token=shop.token)["language"] == "hr"


def test_an_invite_that_is_opened_where_a_store_works_says_for_whom_it_is(visit, look):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    code = call("POST", "/v1/invites", {"phone": f"+38598{next(numbers):07d}"}, shop.token)["code"]
    page.goto(f"/courier#invite={code}")
    expect(page.get_by_text("This invite is for a courier")).to_be_visible()
    look(page, "invite-elsewhere")


@pytest.mark.journey
def test_back_closes_a_dialog_and_drops_nothing(visit):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store", phone=True)
    sign_in(page, shop)
    go_on = page.get_by_role("link", name="Couriers", exact=True)
    page.locator(".card").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("button", name="New delivery").click()
    page.get_by_label("What is delivered").fill("Three cakes")
    page.go_back()
    expect(page.get_by_role("dialog", name="Close without saving?")).to_be_visible()
    page.go_back()
    expect(page.locator("dialog")).to_have_count(1)
    expect(page.get_by_label("What is delivered")).to_have_value("Three cakes")
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Close without saving").click()
    expect(page.locator("dialog")).to_have_count(0)
    go_on.click()
    page.get_by_role("heading", name="Your couriers").wait_for()
    page.go_back()
    expect(page.locator(".card")).to_be_visible()


def test_what_was_typed_into_the_settings_is_kept(visit):
    page = visit("/store")
    sign_in(page, Store())
    go(page, "Settings")
    typed = {"Name of the store": "Pekara Sol", "About you": "We bake at night.", "Tell when nobody has accepted": "25", "Opening hours": "6 to 13"}
    for label, text in typed.items():
        page.get_by_label(label).fill(text)
    page.get_by_label("The recipient signs").check()
    page.get_by_label("Offered to").select_option("nearest")
    go(page, "Couriers")
    go(page, "Settings")
    for label, text in typed.items():
        expect(page.get_by_label(label)).to_have_value(text)
    expect(page.get_by_label("The recipient signs")).to_be_checked()
    expect(page.get_by_label("Offered to")).to_have_value("nearest")
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_label("Current password").fill("krumpir-na-tavi")
    page.get_by_role("button", name="Show", exact=True).first.click()
    expect(page.get_by_label("Current password")).to_have_attribute("type", "text")


def test_a_switch_is_so_at_once_and_goes_back_where_that_is_refused(visit):
    shop = Store()
    page = visit("/store", forgiving=["net::ERR_"])
    sign_in(page, shop)
    go(page, "Settings")
    said = lambda: call("GET", "/v1/me", token=shop.token)["proof"]
    # One right after the other, and neither is lost.
    page.get_by_label("The recipient tells a PIN").check()
    page.get_by_label("A picture is taken").check()
    until(page, lambda: said() == {"pin": True, "photo": True, "signature": False})
    page.route("**/v1/me", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    page.get_by_label("The recipient signs").click()
    expect(page.get_by_text("There is no connection to Kurir.").first).to_be_visible()
    expect(page.get_by_label("The recipient signs")).not_to_be_checked()
    assert said()["signature"] is False


def test_what_another_store_has_is_said_where_it_was_typed(visit):
    known = call("GET", "/v1/me", token=Store().token)
    page = visit("/store#new", forgiving=["status of 409"])
    # Beside what is asked for stands how it goes; a phone has no room for it.
    expect(page.locator(".intro li:visible")).to_have_count(3)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".intro li:visible")).to_have_count(0)
    fields = {"Name of the store": "Pekara Kruh", "E-mail": f"shop{next(numbers)}@example.com", "OIB": known["tax_id"],
              "Address": "Ilica 1, Zagreb", "Phone": "01 4828 111", "Password": PASSWORD}
    for label, text in fields.items():
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Register").click()
    field = page.get_by_label("OIB")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    expect(page.locator(".of-tax_id .wrong")).to_contain_text("There is a store with this OIB")
    expect(page.locator(".entrance .trouble")).to_be_hidden()


def test_the_board_shows_what_needs_a_hand(visit, look):
    shop = Store()
    ana = Courier(shop)
    recipient = {"first_name": "Mia", "last_name": "Mijić", "address": "Savska 3"}
    ana.act("decline", shop.deliver_to(ana, recipient=recipient))
    other = shop.deliver_to(ana)
    page = visit("/store")
    sign_in(page, shop)
    expect(page.locator(".card")).to_have_count(2)
    expect(page).to_have_title("(1) Needs a hand · Kurir")
    page.get_by_role("button", name="1 has no courier left").click()
    expect(page.locator(".card")).to_have_count(1)
    look(page, "needs-a-hand")
    page.locator(".card").click()
    expect(page.get_by_role("dialog").get_by_text("Not available")).to_be_visible()
    # Beside it the board can still be worked with, by keys too.
    page.get_by_role("button", name="1 has no courier left").click()
    escape(page)
    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    # It is counted whatever is shown, also where one begins with something else.
    go(page, "Settings")
    expect(page).to_have_title("(1) Needs a hand · Kurir")
    ana.act("decline", other)
    expect(page).to_have_title("(2) Needs a hand · Kurir")
    page.reload()
    expect(page).to_have_title("(2) Needs a hand · Kurir")
    call("POST", f"/v1/deliveries/{other}/cancel", {}, shop.token)
    expect(page).to_have_title("(1) Needs a hand · Kurir")


def test_couriers_are_found_without_typing(visit):
    shop, other = Store(), Store()
    ana = Courier(other, name=("Zorka", "Zvonarić"))
    ana.act("accept", job := other.deliver_to(ana))
    ana.act("deliver", job)
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Couriers")
    expect(panel(page, "Other couriers").locator("li").first).to_contain_text("100 % reliable")


def test_what_is_rare_stays_unfolded_while_the_couriers_change(visit, look):
    shop = Store()
    ana = Courier(shop)
    page = visit("/store#/partners")
    sign_in(page, shop)
    unfold = page.get_by_role("button", name="Details and more: Ana Anić")
    ending = page.get_by_role("button", name="End the partnership with Ana Anić")
    expect(unfold).to_be_visible()
    expect(ending).to_be_hidden()
    unfold.click()
    expect(ending).to_be_visible()
    look(page, "couriers-unfolded")
    Courier(shop, name=("Ivo", "Ivić"))
    expect(page.get_by_text("Ivo Ivić", exact=True)).to_be_visible()
    expect(ending).to_be_visible()
    unfold.click()
    expect(ending).to_be_hidden()


def test_more_couriers_are_shown_page_by_page(visit):
    family = f"Mnogić{next(numbers)}"
    for number in range(21):
        Courier(name=(f"Ana{number}", family))
    page = visit("/store")
    sign_in(page, Store())
    go(page, "Couriers")
    found = panel(page, "Other couriers")
    found.get_by_label("Search by name").fill(family)
    expect(found.locator("li")).to_have_count(20)
    found.get_by_role("button", name="Show more").click()
    expect(found.locator("li")).to_have_count(21)
    expect(found.get_by_role("button", name="Show more")).to_be_hidden()


@pytest.mark.journey
def test_an_outage_is_said_and_empties_nothing(visit, line):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store", forgiving=["net::ERR_"], address=line.address)
    sign_in(page, shop)
    expect(page.locator(".card")).to_have_count(1)
    line.cut()
    expect(page.get_by_text("Kurir does not answer at the moment.")).to_be_visible()
    page.get_by_role("button", name="Load again").click()
    expect(page.locator(".card")).to_have_count(1)
    line.mend()
    live(page)
    expect(page.get_by_text("Kurir does not answer at the moment.")).to_be_hidden()


def test_a_pull_loads_anew(visit):
    shop = Store()
    page = visit("/courier", phone=True)
    sign_in(page, Courier(shop))
    asked = []
    page.on("request", lambda request: "/v1/deliveries" in request.url and asked.append(request.url))
    page.evaluate("""() => {
        const at = (name, y) => window.dispatchEvent(new TouchEvent(name, {touches: name === 'touchend' ? [] : [
            new Touch({identifier: 1, target: document.body, clientX: 100, clientY: y})]}));
        at('touchstart', 100); at('touchmove', 260); at('touchend', 260);
    }""")
    until(page, lambda: len(asked) >= 3)


@pytest.mark.parametrize("path", ["/store", "/courier"])
def test_a_button_loads_anew(visit, path):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana)
    page = visit(path, phone=path == "/courier")
    sign_in(page, shop if path == "/store" else ana)
    expect(page.locator(".card")).to_have_count(1)
    with page.expect_response(lambda answer: answer.url.endswith("/v1/me")), page.expect_response("**/v1/deliveries?*status=pending*"):
        page.get_by_role("button", name="Load again").click()
    expect(page.locator(".again.turning")).to_have_count(0)
    expect(page.locator(".card")).to_have_count(1)


@pytest.mark.journey
def test_tabs_share_one_stream_that_outlives_the_first(visit):
    shop = Store()
    ana = Courier(shop)
    page = visit("/store")
    streams = []
    page.context.on("request", lambda request: "/v1/events" in request.url and streams.append(request.url))
    sign_in(page, shop)
    other = page.context.new_page()
    other.goto("/store")
    live(other)
    assert len(streams) == 1
    shop.deliver_to(ana)
    for tab in (page, other):
        expect(tab.locator(".card")).to_have_count(1)
    page.close()
    until(other, lambda: len(streams) == 2)
    shop.deliver_to(ana)
    expect(other.locator(".card")).to_have_count(2)


def test_a_dashboard_that_nobody_looks_at_goes_on_hearing_and_a_phone_hears_again(visit):
    shop = Store()
    ana = Courier(shop)
    store, phone = visit("/store"), visit("/courier", phone=True)
    for page, who in [(store, shop), (phone, ana)]:
        page.add_init_script("""
            Object.defineProperty(document, 'hidden', {get: () => Boolean(window.away)});
            window.turn = (away) => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); };
        """)
        page.reload()
        sign_in(page, who)
        page.evaluate("turn(true)")
    shop.deliver_to(ana)
    expect(store.locator(".card")).to_have_count(1)
    expect(phone.locator(".light.on")).to_have_count(0)
    expect(phone.locator(".card")).to_have_count(0)
    phone.evaluate("turn(false)")
    expect(phone.locator(".card")).to_have_count(1)


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 2560])
@pytest.mark.journey
def test_every_size_of_screen(visit, width):
    shop = Store(name="Pekara s vrlo dugim imenom u Ulici grada Vukovara")
    ana = Courier(shop, name=("Ana Marija", "Anić-Horvatinčić"))
    shop.deliver_to(ana)
    for _ in range(2):
        ana.act("accept", shop.deliver_to(ana))
    call("POST", "/v1/places", {"name": "Skladište s rezervnim dijelovima", "address": "Ulica grada Vukovara 269d, Zagreb"}, ana.token)
    call("POST", "/v1/bulletin", {"title": "Najave-radova-na-cesti", "text": "https://example.com/" + 40 * "vrlo-dugo-"}, shop.token)
    for path, who, views in [("/store", shop, ("Deliveries", "Map", "Couriers", "Messages", "Weather", "News", "Figures", "Settings")),
                             ("/courier", ana, ("Jobs", "Map", "Messages", "Road", "Earnings", "Weather", "News", "Stores", "Papers", "Settings"))]:
        page = visit("/", locale="de-DE")
        page.set_viewport_size({"width": width, "height": 720})
        page.goto(path)
        sign_in(page, who)
        for name in views:
            go(page, name)
            expect(page.locator("[aria-busy]")).to_have_count(0)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, name)
        # Above what is said stands what is under way, however much of it there is.
        page.evaluate("(id) => { location.hash = `#/messages/with=${id}`; }", ana.id if who is shop else shop.id)
        expect(page.locator(".under-way a")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, "conversation")
        go(page, views[0])
        page.locator(".card").first.get_by_role("button", name="Details").click() if path == "/courier" else page.locator(".card").first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert page.evaluate("document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth")
    start = visit("/")
    start.set_viewport_size({"width": width, "height": 720})
    assert start.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # All of it begins at the same edge.
    assert len(set(start.locator(".brand, h1, .doors, .ways, footer").evaluate_all(
        "(parts) => parts.map((one) => Math.round(one.getBoundingClientRect().left))"))) == 1


@pytest.mark.journey
def test_a_call_can_be_tried_where_it_is_described(visit, look):
    page = visit("/docs")
    about = page.locator("article[data-call='get /v1/about']")
    about.get_by_text("Types, an example, and a try").click()
    expect(about.get_by_text("channels.push")).to_be_visible()
    about.get_by_role("button", name="Try it").click()
    expect(about.get_by_role("status")).to_contain_text('"verification"')
    make = page.locator("article[data-call='post /v1/deliveries']")
    make.get_by_text("Types, an example, and a try").click()
    expect(make.get_by_role("cell", name="recipient.first_name").first).to_be_visible()
    # What may be null has its members told, too, and what there is to choose from stands there.
    expect(make.get_by_role("cell", name="parcel.pieces").first).to_be_visible()
    expect(make.get_by_role("row", name="status").first).to_contain_text('"in_progress"')
    look(page, "docs")


def test_what_is_tried_as_it_stands_is_taken(visit):
    page = visit("/docs", forgiving=["409"])

    def opened(call):
        part = page.locator(f"article[data-call='{call}']")
        part.get_by_text("Types, an example, and a try").click()
        return part

    # There may be one of that number from another try.
    part = opened("post /v1/stores")
    part.get_by_role("button", name="Try it").click()
    expect(part.get_by_role("status")).to_contain_text(re.compile("^(201|409) "))
    shop = Store()
    page.get_by_label("Token").fill(shop.token)
    part = opened("post /v1/files")
    part.locator("input[type=file]").set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": page.screenshot()})
    part.get_by_role("button", name="Try it").click()
    expect(part.get_by_role("status")).to_contain_text('"id"')


@pytest.mark.parametrize("path, field, value", [("/store", "email", "ana@example.com"), ("/courier", "phone", "091 555 0199")])
def test_what_one_signs_in_with_goes_along_to_the_other_ways_in(visit, path, field, value):
    page = visit(path)
    login = page.locator(f".entrance [name={field}]")
    login.fill(value)
    for way in ("Forgotten password", "Sign in", "Register"):
        page.get_by_role("button", name=way, exact=True).last.click()
        expect(login).to_have_value(value)


def test_what_is_sent_before_its_couriers_are_there_waits_for_them(visit):
    shop = Store()
    for name in ("Ana", "Luka"):
        call("PUT", "/v1/me/duty", {"on": True}, Courier(shop, (name, "Anić")).token)
    page = visit("/store")
    held = []
    page.route("**/v1/partners*", lambda route: held.append(route))
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").first.click()
    form = page.get_by_role("dialog", name="New delivery")
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    until(page, lambda: held)
    page.keyboard.press("Control+Enter")
    expect(form.locator("button[aria-disabled=true]")).to_be_visible()
    for request in held:
        request.continue_()
    page.unroute("**/v1/partners*")
    expect(form).to_have_count(0)
    expect(page.locator("li > .card")).to_contain_text("Offered to 2 couriers")


def test_who_types_on_is_not_led_away_by_what_is_refused(visit):
    page = visit("/store", forgiving=["422"])
    page.goto("/store#new")
    page.reload()
    held = []
    page.route("**/v1/stores", lambda route: held.append(route))
    entrance = page.locator(".entrance")
    entrance.locator("button.main").click()
    until(page, lambda: held)
    town = entrance.get_by_label("Address", exact=True)
    town.fill("Ilica 1")
    held[0].continue_()
    expect(entrance.locator(".wrong:visible").first).to_be_visible()
    expect(town).to_be_focused()


def test_what_rows_will_be_like_is_shown_where_they_have_room(visit):
    page = visit("/store", phone=True)
    sign_in(page, Store())
    expect(page.get_by_role("heading", name="Create a delivery")).to_be_visible()
    expect(page.locator(".ghost")).to_be_hidden()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator(".ghost")).to_be_visible()
