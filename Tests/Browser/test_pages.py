"""Languages, dark, no connection, keyboards, and what people type."""
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, PASSWORD, Courier, Store, call, drawn, end_sessions_of, escape, go, hold, live, release, rest, sign_in, until

NASTY = "<img src=x onerror=alert(1)><script>alert(2)</script>&amp;"


@pytest.mark.journey
def test_the_browser_chooses_the_language_and_then_the_account(visit, look):
    shop = Store(language="en")
    page = visit("/store", locale="hr-HR", forgiving=["422"])
    expect(page.get_by_role("heading", name="Kurir za trgovine")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "hr"
    look(page, "store-sign-in-hr")
    sign_in(page, shop)
    expect(page.get_by_role("heading", name="Deliveries")).to_be_visible()
    go(page, "Settings")
    look(page, "settings")
    page.get_by_label("Language").select_option("hr")
    expect(page.get_by_role("heading", name="Postavke")).to_be_visible()
    look(page, "settings-hr")
    go(page, "Dostave")
    expect(page.get_by_text("Do prve dostave")).to_be_visible()
    # Also what the server says.
    page.get_by_role("button", name="Nova dostava").click()
    page.get_by_role("dialog").get_by_role("button", name="Dodaj").click()
    expect(page.locator(".wrong:visible").first).to_be_visible()
    expect(page.get_by_label("Ime", exact=True)).to_be_focused()
    look(page, "new-delivery-wrong-hr")
    escape(page)
    assert call("GET", "/v1/me", token=shop.token)["language"] == "hr"


def test_a_third_language_is_there_like_the_others(visit, look):
    shop = Store(language="de")
    ana = Courier(shop)
    shop.deliver_to(ana)
    page = visit("/store", locale="de-AT", forgiving=["422"])
    expect(page.get_by_role("heading", name="Kurir für Geschäfte")).to_be_visible()
    sign_in(page, shop)
    expect(page.get_by_role("heading", name="Lieferungen")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "de"
    expect(page.locator(".card")).to_have_count(1)
    look(page, "board-de")
    page.get_by_role("button", name="Neue Lieferung").click()
    page.locator("dialog form button:not([type=button])").first.click()
    expect(page.locator(".wrong:visible").first).to_be_visible()
    look(page, "new-delivery-wrong-de")
    escape(page)
    go(page, "Einstellungen")
    expect(page.get_by_label("Sprache").locator("option")).to_have_text(["Deutsch", "English", "Hrvatski"])
    look(page, "settings-de")


@pytest.mark.journey
def test_every_screen_is_there_in_the_dark(visit, look):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana)
    store = visit("/store", dark=True)
    sign_in(store, shop)
    expect(store.locator(".card")).to_have_count(1)
    assert store.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 20, 18)"
    look(store, "board-dark")
    for name in ("Couriers", "Figures", "Settings"):
        go(store, name)
        look(store, f"{name.lower()}-dark")
    courier = visit("/courier", phone=True, dark=True)
    sign_in(courier, ana)
    courier.get_by_role("button", name="Details").click()
    look(courier, "job-dark")
    escape(courier)
    for name in ("Stores", "Settings"):
        go(courier, name)
        look(courier, f"courier-{name.lower()}-dark")


def test_a_dashboard_on_a_phone(visit, look):
    shop = Store()
    shop.deliver_to(Courier(shop))
    store = visit("/store", phone=True)
    sign_in(store, shop)
    for name in ("Deliveries", "Couriers", "Figures", "Settings"):
        go(store, name)
        look(store, f"{name.lower()}-phone")
        # The window of a phone grows with what is in it.
        assert store.evaluate("document.documentElement.scrollWidth <= screen.width"), name


@pytest.mark.parametrize("language", ["en", "hr", "de"])
def test_few_tabs_stay_and_the_others_are_on_a_sheet(visit, look, language):
    shop = Store(language=language)
    ana = Courier(shop, language=language)
    page = visit("/courier", phone=True, locale=language)
    sign_in(page, ana)
    bar, button, sheet = page.locator("nav"), page.locator(".more-views"), page.locator("#sheet")
    for width in (320, 390, 600):
        page.set_viewport_size({"width": width, "height": 800})
        drawn(page)
        until(page, lambda: bar.evaluate("(bar) => bar.scrollWidth <= bar.clientWidth") and 2 <= page.locator("nav > a").count() <= 4)
        assert page.locator("nav a").count() == 10
    # Where it is no sheet of a phone it stands below its button, and the way out stands at one's name.
    page.set_viewport_size({"width": 1024, "height": 800})
    drawn(page)
    button.click()
    expect(sheet.get_by_role("button")).to_be_hidden()
    until(page, lambda: abs(sheet.bounding_box()["x"] - button.bounding_box()["x"]) < 2 or sheet.bounding_box()["x"] + sheet.bounding_box()["width"] > 1000)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    drawn(page)
    # By keyboard: into the sheet, out of it, and to what is on it.
    button.focus()
    page.keyboard.press("Enter")
    expect(sheet.locator("a").first).to_be_focused()
    look(page, f"sheet-{language}")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    sheet.locator("a").last.focus()
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(page.locator("main")).to_be_focused()
    expect(button).to_have_class("more-views here")
    assert page.locator("h1").evaluate("(title) => getComputedStyle(title).clipPath") == "none"
    # What waits to be read is seen wherever its link is.
    call("POST", f"/v1/conversations/{call('PUT', f'/v1/conversations/with/{ana.id}', token=shop.token)['id']}/messages",
         {"text": "Tu smo"}, shop.token)
    expect(page.locator("nav > a .count")).to_have_text("1")
    # There is room for all of them on a desk.
    page.set_viewport_size({"width": 1920, "height": 800})
    expect(button).to_be_hidden()
    expect(page.locator("nav > a")).to_have_count(10)


def test_what_has_its_style_only_later_is_as_light_or_dark_as_was_chosen(visit):
    # A service worker would have the style, and would ask for it by a way of its own.
    page = visit("/store", service_workers="block", forgiving=("registration blocked",))
    shop = Store()
    sign_in(page, shop)
    go(page, "Settings")
    page.get_by_label("Appearance").select_option("Dark")
    held = hold(page, "**/later.css")
    page.goto("/store#/board")
    page.reload()
    live(page)
    until(page, lambda: held)
    release(page, held)
    shade = "getComputedStyle(document.documentElement).getPropertyValue('--ground-1')"
    until(page, lambda: page.evaluate(shade) == "#14261e")


def test_light_or_dark_is_chosen_by_each_account(visit, look):
    light, dark = "rgb(244, 245, 242)", "rgb(15, 20, 18)"
    page = visit("/store", dark=True)
    page.context.add_init_script("""
        window.grounds = new Set();
        (function look() { if (document.body) grounds.add(getComputedStyle(document.body).backgroundColor); requestAnimationFrame(look); })()""")
    grounds = "() => [...grounds]"
    ground = "getComputedStyle(document.body).backgroundColor"
    shop = Store()
    sign_in(page, shop)
    go(page, "Settings")
    assert page.evaluate(ground) == dark
    page.get_by_label("Appearance").select_option("Light")
    assert page.evaluate(ground) == light
    look(page, "settings-light-on-dark")
    # Not for a moment in the other one.
    page.reload()
    expect(page.get_by_label("Appearance")).to_have_value("light")
    rest(page)
    assert page.evaluate(grounds) == [light]
    # Another tab goes along, and there is none of it on paper.
    other = page.context.new_page()
    other.goto("/store#/settings")
    other.get_by_label("Appearance").select_option("Dark")
    until(page, lambda: page.evaluate(ground) == dark)
    page.emulate_media(color_scheme="light")
    page.reload()
    expect(page.get_by_label("Appearance")).to_have_value("dark")
    assert page.evaluate(grounds) == [dark]
    look(page, "settings-dark-on-light")
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    # It outlasts the session, and is no other account's.
    def leave():
        page.get_by_role("button", name="Sign out", exact=True).click()
        expect(page.get_by_label("Password", exact=True)).to_be_visible()

    leave()
    assert page.evaluate(ground) == light
    sign_in(page, Store())
    go(page, "Settings")
    expect(page.get_by_label("Appearance")).to_have_value("")
    assert page.evaluate(ground) == light
    leave()
    sign_in(page, shop)
    assert page.evaluate(ground) == dark
    page.goto("/")
    assert page.evaluate(grounds) == [dark]


@pytest.mark.journey
def test_what_people_type_is_never_markup(visit, look):
    shop = Store(name=NASTY[:90])
    ana = Courier(shop, name=("<b>Ana", "Anić</b>"))
    more = {"description": NASTY, "instructions": NASTY, "recipient": {
        "first_name": "<i>Iva", "last_name": "Ivić</i>", "address": NASTY, "phone": "091 999 8877"}}
    job = shop.deliver_to(ana, **more)
    store = visit("/store", forgiving=["TrustedHTML"])
    sign_in(store, shop)
    store.get_by_role("button", name="<i>Iva").click()
    expect(store.get_by_role("dialog").get_by_text(NASTY).first).to_be_visible()
    courier = visit("/courier", phone=True)
    sign_in(courier, ana)
    expect(courier.get_by_text(NASTY).first).to_be_visible()
    ana.act("accept", job)
    expect(courier.get_by_role("button", name="Deliver:")).to_be_visible()
    courier.get_by_role("button", name="Details").click()
    expect(courier.get_by_role("dialog").get_by_text(NASTY).first).to_be_visible()
    for page in (store, courier):
        assert page.evaluate("document.querySelectorAll('b, i, script:not([src]), img:not([src^=\"/i/\"])').length") == 0
    look(store, "markup")
    link = call("POST", "/v1/invites", {"phone": "+385915557777"}, shop.token)["url"]
    page = visit(link.removeprefix(ADDRESS))
    expect(page.get_by_text("<img src=x").first).to_be_visible()
    assert page.evaluate("document.querySelectorAll('img, script').length") == 0
    # Were there a way to make markup of text, the browser would refuse it.
    with pytest.raises(Exception, match="TrustedHTML"):
        store.evaluate("() => { document.body.innerHTML = '<b>x</b>'; }")


@pytest.mark.journey
def test_another_site_cannot_write_in_the_name_of_a_store(visit):
    shop = Store()
    Courier(shop)
    store = visit("/store")
    sign_in(store, shop)
    form = f"""<form id=f method=post action="{ADDRESS}/v1/invites" enctype="text/plain">
        <input name='{{"phone":"+385915550000","x":"' value='"}}'></form>
        <script>
        const body = '{{"phone":"+385915550001"}}'
        fetch("{ADDRESS}/v1/invites", {{method: "POST", credentials: "include", mode: "no-cors", body}})
          .catch(() => 0).then(() => document.getElementById("f").submit())
        </script>"""

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(form.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    before = call("GET", "/v1/invites", token=shop.token)
    # The cookie would stay at home; here it goes along, so that it is the server that must refuse.
    (cookie,) = store.context.cookies()
    store.context.add_cookies([cookie | {"sameSite": "None", "secure": True}])
    # Another name is another site, though it is the same machine.
    page = store.context.new_page()
    answers = []
    page.on("response", lambda answer: answer.url == f"{ADDRESS}/v1/invites" and answers.append(answer.status))
    page.goto(f"http://localhost:{server.server_port}/")
    page.wait_for_url(f"{ADDRESS}/v1/invites")
    server.shutdown()
    assert answers and set(answers) == {403}
    assert call("GET", "/v1/invites", token=shop.token) == before


def test_a_new_address_has_no_place_of_the_old_one(visit):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    recipient = {"first_name": "Iva", "last_name": "Ivić", "address": "Ilica 5", "location": {"lat": 45.8, "lon": 15.97}}
    job = shop.deliver_to(ana, luka, recipient=recipient)
    ana.act("decline", job)
    store = visit("/store")
    sign_in(store, shop)
    for name, value, place in [("Instructions", "Ring twice", {"lat": 45.8, "lon": 15.97}), ("Address", "Riva 1, Split", None)]:
        store.locator(".card").click()
        store.get_by_role("button", name="Change").click()
        editor = store.get_by_role("dialog", name="Change the delivery")
        # Who has said no already is seen before anything is saved.
        expect(editor.locator(".choice").filter(has_text="Ana Anić")).to_contain_text("declined")
        expect(editor.locator(".choice").filter(has_text="Luka Lukić")).not_to_contain_text("declined")
        editor.get_by_label(name).fill(value)
        editor.get_by_role("button", name="Save").click()
        # Gone, and not only closed: until then it minds being loaded anew.
        expect(store.locator("dialog")).to_have_count(1)
        assert call("GET", f"/v1/deliveries/{job}", token=shop.token)["recipient"].get("location") == place
        store.reload()


@pytest.mark.parametrize("width", [320, 390, 1024, 1360])
def test_the_charts_are_labelled_at_any_width(visit, width):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    ana.act("deliver", job)
    page = visit("/store")
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(page, shop)
    go(page, "Figures")
    expect(page.locator(".chart .axis text")).not_to_have_count(0)
    expect(page.locator(".chart")).to_have_count(2)
    # As large as other words that are small, and apart from each other.
    days = page.locator(".chart").first.locator(".axis").nth(1).locator("text").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect()).map(({left, right, height}) => [left, right, height])")
    assert len(days) >= 3 and all(height > 11 for *_, height in days), days
    assert all(one[1] + 4 < other[0] for one, other in zip(days, days[1:])), days
    cut_off = page.evaluate("""Array.from(document.querySelectorAll('.chart')).flatMap((chart) =>
        Array.from(chart.querySelectorAll('.axis text')).filter((text) => text.getBoundingClientRect().width > 0 &&
            text.getBoundingClientRect().left < chart.getBoundingClientRect().left).map((text) => text.textContent))""")
    assert cut_off == []


@pytest.mark.journey
def test_by_keyboard_alone(visit, look):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store")
    sign_in(page, shop)
    page.reload()
    expect(page.locator(".card")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="New delivery")).to_be_focused()
    for _ in range(7):
        page.keyboard.press("Tab")
    expect(page.locator(".card")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".card")).to_be_focused()
    # What was typed is not lost by a key that is quickly hit.
    page.get_by_role("button", name="New delivery").click()
    expect(page.get_by_label("First name")).to_be_focused()
    page.get_by_label("What is delivered").fill("Three cakes")
    assert not page.evaluate("dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    look(page, "close-unsaved")
    page.keyboard.press("Enter")
    expect(page.get_by_label("What is delivered")).to_have_value("Three cakes")
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Close without saving").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert page.evaluate("dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    page.locator(".card").focus()
    # A card that changes under the focus keeps it.
    shop.deliver_to(Courier(shop))
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".card").first).to_be_focused()


@pytest.mark.journey
def test_loading_and_trouble_are_shown(visit, look):
    shop = Store()
    page = visit("/store", forgiving=["503", "ERR_FAILED"])
    sign_in(page, shop)
    problem = {"status": 503, "code": "unavailable", "title": "Not now", "detail": "Come again in a moment."}
    page.route("**/v1/stats*", lambda route: route.fulfill(status=503, json=problem))
    go(page, "Figures")
    expect(page.get_by_role("alert")).to_contain_text("Come again in a moment.")
    look(page, "figures-trouble")
    page.unroute("**/v1/stats*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".charts")).to_contain_text("The first figures come with the first delivery.")
    shop.deliver_to(Courier(shop))
    expect(page.locator(".charts .tile")).to_have_count(9)
    # Figures of another time are no figures of the one that is chosen.
    held = []
    page.route("**/v1/stats?*", lambda route: held.append(route) if len(held) < 2 else route.continue_())
    page.get_by_label("Period").select_option("7")
    expect(page.locator(".stale")).to_have_count(2)
    # Nor is what was asked for before something else was chosen.
    until(page, lambda: len(held) == 1)
    page.get_by_label("Period").select_option("90")
    held[0].continue_()
    until(page, lambda: len(held) == 2)
    expect(page.locator(".charts.stale")).to_have_count(1)
    held[1].continue_()
    expect(page.locator(".stale")).to_have_count(0)
    # A table that is being read stays open, whatever happens meanwhile.
    page.get_by_text("As a table").first.click()
    shop.deliver_to(Courier(shop))
    expect(page.locator(".tile", has=page.get_by_text("Created", exact=True)).locator(".big")).to_have_text("2")
    expect(page.get_by_role("cell").first).to_be_visible()
    # What is said of one list is not said anew of the next, under the finger of whoever is about to try again.
    others, failed = [], []
    page.on("requestfailed", lambda request: "/v1/deliveries" in request.url and failed.append(request))
    page.route("**/v1/deliveries*", lambda route: route.abort() if "pending" in route.request.url else others.append(route))
    go(page, "Deliveries")
    expect(page.get_by_role("alert")).to_contain_text("There is no connection to Kurir.")
    again = page.get_by_role("button", name="Try again").element_handle()
    until(page, lambda: len(others) == 2)
    for route in others:
        route.abort()
    until(page, lambda: len(failed) == 3)
    rest(page)
    page.unroute("**/v1/deliveries*")
    again.click()
    expect(page.locator(".card")).to_have_count(2)


@pytest.mark.journey
def test_a_session_that_ends_elsewhere_ends_here(visit):
    shop = Store()
    shop.deliver_to(Courier(shop))
    page = visit("/store", forgiving=["401"])
    sign_in(page, shop)
    end_sessions_of(shop)
    # Nobody touches anything.
    expect(page.get_by_text("You are signed out. Sign in again.")).to_be_visible()
    expect(page.get_by_text("Iva Ivić")).to_have_count(0)
    assert page.evaluate("localStorage.length") == 0


def test_what_is_typed_is_finished_although_the_language_changes_elsewhere(visit):
    shop = Store()
    Courier(shop)
    page = visit("/store")
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    form.get_by_label("First name").fill("Iva")
    call("PATCH", "/v1/me", {"language": "hr"}, shop.token)
    page.get_by_role("button", name="Load again").dispatch_event("click")
    until(page, lambda: page.evaluate("JSON.parse(localStorage['kurir.account']).language") == "hr")
    expect(form.get_by_label("First name")).to_have_value("Iva")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Close without saving").click()
    expect(page.get_by_role("button", name="Nova dostava")).to_be_visible()
    # Nothing is typed any more, so that nobody is asked whether to leave.
    assert page.evaluate("dispatchEvent(new Event('beforeunload', {cancelable: true}))")


def test_what_was_typed_is_there_after_signing_in_again(visit):
    shop = Store()
    page = visit("/store", forgiving=["401"])
    sign_in(page, shop)
    go(page, "Couriers")
    page.get_by_label("Phone").fill("0911234567")
    end_sessions_of(shop)
    expect(page.get_by_text("You are signed out. Sign in again.")).to_be_visible()
    assert page.evaluate("dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    sign_in(page, shop)
    go(page, "Couriers")
    expect(page.get_by_label("Phone")).to_have_value("0911234567")


@pytest.mark.parametrize("kind", ["store", "courier"])
def test_on_a_phone_the_bar_lies_below_and_covers_nothing(visit, look, kind):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana)
    ana.act("accept", job)
    page = visit(f"/{kind}", phone=True)
    sign_in(page, shop if kind == "store" else ana)
    page.locator(".card").first.wait_for()
    bar = page.locator("nav")
    box = bar.bounding_box()
    screen = page.viewport_size
    assert box["y"] + box["height"] == screen["height"] and box["x"] == 0 and box["width"] == screen["width"]
    # However far down: the last that there is ends above it.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    main = page.locator("main").bounding_box()
    assert main["y"] + main["height"] <= box["y"] + 1
    if kind == "courier":
        step = page.locator(".column.in_progress li.card:first-child .verbs").bounding_box()
        assert abs(step["y"] + step["height"] - box["y"]) <= 1
    look(page, f"bar-below-{kind}")
    page.locator(".more-views").click()
    page.locator("#sheet").get_by_role("button", name="Sign out").click()
    expect(page.locator(".entrance")).to_be_visible()


def test_settings_have_parts_and_a_way_to_each(visit):
    page = visit("/store", phone=True)
    sign_in(page, Store())
    go(page, "Settings")
    page.locator(".to-parts").get_by_role("button", name="Signing in and your data").click()
    title = page.get_by_role("heading", name="Signing in and your data")
    expect(title).to_be_focused()
    expect(title).to_be_in_viewport()
    # Beneath the bar, which stays.
    assert title.bounding_box()["y"] >= page.locator("header.bar").bounding_box()["height"]


def test_a_menu_stands_at_ones_name(visit, look):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    name, menu = page.locator(".who"), page.locator("#own")
    name.click()
    look(page, "own-menu")
    menu.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    expect(menu).to_be_hidden()
    name.click()
    menu.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Kurir for stores")).to_be_visible()
    until(page, lambda: "kurir_session" not in [cookie["name"] for cookie in page.context.cookies()])


def test_passwords_and_sessions(visit):
    ana = Courier()
    page = visit("/courier", phone=True, forgiving=["422"])
    sign_in(page, ana)
    go(page, "Settings")
    expect(page.get_by_text("Chrome, Linux").first).to_be_visible()
    expect(page.get_by_role("button", name="Sign out there")).to_have_count(1)
    page.get_by_role("button", name="Sign out there").click()
    expect(page.get_by_role("button", name="Sign out there")).to_have_count(0)
    page.get_by_label("Current password").fill("not this one")
    page.get_by_label("New password").fill("bicikl-i-kaciga")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_label("Current password")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_text("Changed.")).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", name="Kurir for couriers")).to_be_visible()
    until(page, lambda: "kurir_session" not in [cookie["name"] for cookie in page.context.cookies()])


@pytest.mark.parametrize("path", ["/store", "/courier"])
def test_who_leaves_says_so_twice_and_may_come_back(visit, look, path):
    who = Store() if path == "/store" else Courier()
    page = visit(path, forgiving=["422"])
    sign_in(page, who)
    go(page, "Settings")
    page.get_by_role("button", name="Delete the account").click()
    dialog = page.get_by_role("dialog", name="Delete the account")
    expect(dialog).to_contain_text("After 7 days the account is erased")
    look(page, f"leaving-{path[1:]}")
    # Nothing is taken for a yes but the password.
    dialog.get_by_label("Current password").fill("not this one")
    dialog.get_by_role("button", name="Delete the account").click()
    expect(dialog.get_by_label("Current password")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_role("button", name="Delete the account").click()
    expect(page.get_by_text("The account will be erased on")).to_be_visible()
    assert page.evaluate("localStorage.getItem('kurir.account')") is None
    sign_in(page, who)
    go(page, "Settings")
    expect(page.get_by_role("button", name="Delete the account")).to_be_visible()


@pytest.mark.notifications
@pytest.mark.journey
def test_it_can_be_installed_and_asks_nothing_twice(visit):
    page = visit("/courier", phone=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == [] and json.loads(manifest["data"])["start_url"] == "/courier"
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors] == ["in-incognito"]
    loaded = []
    page.on("response", lambda answer: loaded.append((answer.url, answer.from_service_worker)))
    page.reload()
    page.get_by_role("heading", name="Kurir for couriers").wait_for()
    assets = [kept for url, kept in loaded if "/assets/" in url]
    assert len(assets) > 5 and all(assets)
