"""The road and the day: what is reported, filtered and voted on, also without a connection; and the weather of places."""
import os
import re
import signal

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, PATIENCE, Courier, Store, call, go, kept, minutes, sign_in, until

# The stand-ins of services far away: the number of their process.
FAR_AWAY = int(os.environ["KURIR_FAR_AWAY"])


@pytest.fixture
def phone(chromium):
    """A courier's phone, which says where it is."""
    contexts = []

    def open_page(courier, lat=45.8150, lon=15.9780, dark=False):
        context = chromium.new_context(
            base_url=ADDRESS, locale="en-GB", viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True,
            color_scheme="dark" if dark else "light", geolocation={"latitude": lat, "longitude": lon, "accuracy": 10}, permissions=["geolocation"])
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.goto("/courier")
        sign_in(page, courier)
        kept(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


def found(page, lat):
    """Waits until the phone has said where it is."""
    until(page, lambda: page.evaluate("Object.entries(localStorage).some(([name, value]) => name.startsWith('kurir.road.') && JSON.parse(value).near?.lat === %s)" % lat))


def reports(page):
    return page.locator(".roads .report h2")


def test_from_a_report_in_three_taps_to_gone(phone, look):
    ana, ivo = Courier(), Courier(name=("Ivo", "Ivić"))
    page = phone(ana)
    go(page, "Road")
    found(page, 45.815)
    expect(page.get_by_text("Nothing is reported around here.")).to_be_visible()
    look(page, "road-empty")
    page.locator(".tools").get_by_role("button", name="Report").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Road closed")).to_be_visible()
    look(page, "road-kinds")
    page.get_by_role("dialog").get_by_role("button", name="Road closed").click()
    expect(page.locator(".map.picker .leaflet-control-scale-line")).to_be_visible()
    look(page, "road-pin")
    page.get_by_role("button", name="Send report").click()
    expect(reports(page)).to_have_text(["Road closed"])
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='Road closed']")).to_be_visible()
    look(page, "road")
    # Chromium is slow to say where two phones are that are open at once.
    other = phone(ivo, dark=True)
    go(other, "Road")
    found(other, 45.815)
    expect(reports(other)).to_have_text(["Road closed"])
    look(other, "road-dark")
    other.get_by_role("button", name="Still there: Road closed").click()
    expect(other.get_by_text("you said: still there")).to_be_visible()
    # The same again is known.
    other.locator(".tools").get_by_role("button", name="Report").click()
    other.get_by_role("dialog").get_by_role("button", name="Road closed").click()
    other.get_by_role("button", name="Send report").click()
    expect(other.get_by_text("This is known there already")).to_be_visible()
    page.get_by_role("button", name="Gone: Road closed").click()
    expect(page.get_by_text("Nothing is reported around here.")).to_be_visible()
    other.get_by_role("button", name="Load again").click()
    expect(reports(other)).to_have_count(0)


def test_kinds_are_chosen_and_at_least_one_stays(phone, look):
    courier = Courier()
    for number, (kind, title) in enumerate([("roadworks", "Kopaju"), ("danger", "Jelen")]):
        call("POST", "/v1/roads", {"kind": kind, "road_type": "city", "title": title, "location": {"lat": 45.3 + number / 1000, "lon": 15.9}}, courier.token)
    page = phone(courier, lat=45.3, lon=15.9)
    go(page, "Road")
    expect(reports(page)).to_have_text(["Kopaju", "Jelen"])
    page.get_by_role("button", name="Kinds").click()
    dialog = page.get_by_role("dialog", name="Kinds")
    expect(dialog.locator(".choice", has_text="Roadworks").locator(".hint")).to_have_text("1")
    look(page, "road-filter")
    dialog.get_by_label("Roadworks").uncheck()
    dialog.get_by_role("button", name="Cancel").click()
    # Nothing was chosen, but something was touched: whoever means that says so.
    drop = page.get_by_role("button", name="Drop")
    if drop.is_visible():
        drop.click()
    expect(reports(page)).to_have_text(["Kopaju", "Jelen"])
    page.get_by_role("button", name="Kinds").click()
    for box in dialog.get_by_role("checkbox").all():
        box.click()
    expect(page.get_by_text("At least one kind stays on.")).to_be_visible()
    assert [box.is_checked() for box in dialog.get_by_role("checkbox").all()].count(True) == 1
    dialog.get_by_label("Danger").check()
    # What is off takes no place among what is asked for, and is counted.
    with page.expect_request(lambda request: "/v1/roads?" in request.url and "kinds=" in request.url) as asked:
        dialog.get_by_role("button", name="Show").click()
    assert "danger" in asked.value.url and "roadworks" not in asked.value.url
    expect(reports(page)).to_have_text(["Jelen"])
    expect(page.get_by_role("button", name="Kinds: 1 hidden")).to_be_visible()
    # It is kept.
    page.reload()
    expect(reports(page)).to_have_text(["Jelen"])


def test_without_a_connection_there_is_the_last_list_and_what_is_said_goes_out_later(phone, look):
    courier, other = Courier(), Courier(name=("Ivo", "Ivić"))
    made = call("POST", "/v1/roads", {"kind": "rockfall", "road_type": "main", "title": "Odron", "location": {"lat": 44.5, "lon": 15.9}}, other.token)
    page = phone(courier, lat=44.5, lon=15.9)
    go(page, "Road")
    expect(reports(page)).to_have_text(["Odron"])
    expect(page.locator(".map .leaflet-control-scale-line")).to_be_visible()
    expect(page.get_by_text("This is as of")).to_be_hidden()
    page.context.set_offline(True)
    expect(page.get_by_text("This is as of")).to_be_visible()
    go(page, "Jobs")
    go(page, "Road")
    expect(reports(page)).to_have_text(["Odron"])
    expect(page.get_by_text("This is as of")).to_be_visible()
    page.get_by_role("button", name="Gone: Odron").click()
    expect(page.get_by_text("Gone – no answer yet")).to_be_visible()
    page.locator(".tools").get_by_role("button", name="Report").click()
    page.get_by_role("dialog").get_by_role("button", name="Accident").click()
    page.get_by_role("button", name="Send report").click()
    expect(page.get_by_text("Send report – no answer yet")).to_be_visible()
    look(page, "road-offline")
    page.context.set_offline(False)
    until(page, lambda: call("GET", f"/v1/roads/{made['id']}", token=other.token)["gone_votes"] == 1)
    expect(reports(page)).to_have_text(["Odron", "Accident"])
    expect(page.get_by_text("you said: gone")).to_be_visible()


def test_who_looks_elsewhere_is_not_taken_to_be_there(phone, look):
    courier = Courier()
    page = phone(courier, lat=43.9, lon=15.9)
    go(page, "Road")
    found(page, 43.9)
    me = page.locator(".map .leaflet-marker-icon[aria-label='You']")
    expect(me).to_be_visible()
    expect(page.get_by_role("button", name="Around me")).to_be_hidden()
    ground = page.locator(".mapped > .map").bounding_box()
    x, y = ground["x"] + 60, ground["y"] + 60
    for _ in range(3):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 200, y + 100, steps=5)
        page.mouse.up()
    page.get_by_role("button", name="Look here").click()
    until(page, lambda: page.evaluate("Object.entries(localStorage).some(([name, value]) => name.startsWith('kurir.road.') && JSON.parse(value).near?.lat > 43.905)"))
    until(page, lambda: page.evaluate("""() => {
        const [me, map] = [".map .leaflet-marker-icon[aria-label='You']", ".mapped > .map"].map((one) => document.querySelector(one).getBoundingClientRect());
        return Math.abs(me.x + me.width / 2 - map.x - map.width / 2) > 100;
    }"""))
    page.get_by_role("button", name="Around me").click()
    found(page, 43.9)
    expect(page.get_by_role("button", name="Around me")).to_be_hidden()


def test_the_holder_sees_what_is_around_its_delivery(phone, look):
    store = Store()
    courier = Courier(store)
    place = {"lat": 46.1, "lon": 16.2}
    call("POST", "/v1/roads", {"kind": "black_ice", "road_type": "city", "title": "Poledica", "location": place}, store.token)
    delivery = store.deliver_to(courier, recipient={"first_name": "Iva", "last_name": "Ivić", "address": "Savska 1", "location": place})
    courier.act("accept", delivery)
    page = phone(courier)
    page.get_by_role("button", name="Details and more: Iva Ivić").click()
    expect(page.locator("dialog .around")).to_contain_text("Poledica, 0 m")
    look(page, "delivery-around")


def test_weather_that_is_not_known_yet_is_asked_for_once_more(phone):
    store = Store()
    courier = Courier(store)
    recipient = {"first_name": "Iva", "last_name": "Ivić", "address": "Savska 1", "location": {"lat": 46.3, "lon": 16.3}}
    courier.act("accept", store.deliver_to(courier, recipient=recipient, window={"until": minutes(40)}))
    page, asked = phone(courier), []

    def first(route):
        asked.append(route.fetch().json())
        route.fulfill(json=asked[-1] | ({"weather": None} if len(asked) == 1 else {}))

    page.route(re.compile(r"/v1/deliveries/[\w-]{36}$"), first)
    page.get_by_role("button", name="Details and more: Iva Ivić").click()
    expect(page.locator("dialog .around")).to_contain_text("°")
    assert len(asked) == 2


def weather_of(page):
    return page.locator(".weather")


def test_the_day_of_a_place(phone, visit, look):
    courier = Courier()
    page = phone(courier)
    go(page, "Day")
    weather = page.locator(".weather")
    expect(weather.locator(".hour .at")).to_have_text("Now")
    expect(weather).to_contain_text("Light rain")
    expect(weather.locator(".days li")).to_have_count(8)
    look(page, "day")
    slider = weather.get_by_label("Hour")
    slider.press("ArrowRight")
    expect(weather.locator(".hour .at")).not_to_have_text("Now")
    slider.press("End")
    expect(weather.locator(".hour .at")).to_contain_text("23:00")
    # It is looked at still when the weather has been asked for anew.
    page.evaluate("document.querySelector('.weather .days').dataset.before = 'yes'")
    page.get_by_role("button", name="Load again").click()
    expect(weather.locator(".days[data-before]")).to_have_count(0)
    expect(weather.locator(".days")).to_be_visible()
    expect(weather.locator(".hour .at")).to_contain_text("23:00")
    # Another place, which is kept and chosen.
    call("POST", "/v1/places", {"name": "Ured", "address": "Split", "location": {"lat": 43.51, "lon": 16.44}}, courier.token)
    page.get_by_role("button", name="Load again").click()
    page.reload()
    page.get_by_role("radio", name="Ured").check()
    expect(weather.get_by_role("heading", name="Ured")).to_be_visible()
    # What fails is told, with another go; what was known is shown with its age.
    os.kill(FAR_AWAY, signal.SIGUSR1)
    try:
        call("POST", "/v1/places", {"name": "Otok", "address": "Vis", "location": {"lat": 43.06, "lon": 16.18}}, courier.token)
        page.reload()
        page.get_by_role("radio", name="Otok").check()
        expect(weather.get_by_role("button", name="Try again")).to_be_visible()
        look(page, "day-failed")
    finally:
        os.kill(FAR_AWAY, signal.SIGUSR1)
    page.get_by_role("radio", name="Ured").check()
    expect(weather.get_by_role("heading", name="Ured")).to_be_visible()
    wide = visit("/courier", dark=True)
    sign_in(wide, courier)
    go(wide, "Day")
    wide.get_by_role("radio", name="Where I am").check()
    # Nobody is said to be where this browser does not say that they are.
    expect(weather_of(wide).get_by_role("heading", name="Location unknown: Zagreb")).to_be_visible()
    expect(weather_of(wide).locator(".days li")).to_have_count(8)
    look(wide, "day-wide-dark")


def test_the_day_is_asked_for_anew_when_somebody_looks_and_a_minute_has_passed(phone):
    page, asked = phone(Courier()), []
    page.clock.install()
    go(page, "Day")
    expect(weather_of(page).locator(".days li")).to_have_count(8)
    page.on("request", lambda request: "/v1/weather" in request.url and asked.append(request.url))

    def show(shows):
        page.evaluate("""(hidden) => {
            Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
            document.dispatchEvent(new Event('visibilitychange'));
        }""", not shows)

    show(False)
    page.clock.fast_forward(50_000)
    show(True)
    show(False)
    page.clock.fast_forward(20_000)
    assert not asked
    show(True)
    until(page, lambda: len(asked) == 1)


def test_the_day_without_a_connection_is_the_last_that_was_seen(phone, look):
    courier = Courier()
    call("POST", "/v1/places", {"name": "Ured", "address": "Split", "location": {"lat": 43.51, "lon": 16.44}}, courier.token)
    page = phone(courier)
    go(page, "Day")
    page.get_by_role("radio", name="Ured").check()
    expect(weather_of(page).get_by_role("heading", name="Ured")).to_be_visible()
    page.context.set_offline(True)
    go(page, "Jobs")
    go(page, "Day")
    expect(page.get_by_role("radio", name="Ured")).to_be_checked()
    expect(weather_of(page).get_by_role("heading", name="Ured")).to_be_visible()
    expect(weather_of(page).locator(".days li")).to_have_count(8)
    look(page, "day-offline")
    page.context.set_offline(False)


def test_a_store_is_warned_on_its_board(visit, look):
    store = Store()
    call("PATCH", "/v1/me", {"location": {"lat": 45.81, "lon": 15.98}}, store.token)
    page = visit("/store")
    sign_in(page, store)
    # There is snow at five in the morning, and a storm at five in the afternoon.
    expect(page.locator(".warnings li")).to_have_count(1)
    expect(page.locator(".warnings li")).to_have_text(re.compile("Ice or snow|Storm"))
    look(page, "board-warned")
