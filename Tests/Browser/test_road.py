"""The road and the day: what is reported, filtered and voted on, also without a connection; and the weather of places."""
import itertools
import math
import os
import re
import signal

import pytest
from playwright.sync_api import expect

from conftest import Courier, Store, call, escape, go, hold, kept, minutes, panel, release, sign_in, until

# The stand-ins of services far away: the number of their process.
FAR_AWAY = int(os.environ["KURIR_FAR_AWAY"])


# Where nobody has reported anything yet, also when a test is run again.
places = itertools.count(20.0, 0.5)
# The list, and not the stream of what is new.
ROADS = re.compile(r"/v1/roads\?")
# What the console says of a connection that is cut.
CUT = ["net::ERR", "Failed to load resource"]


@pytest.fixture
def phone(visit):
    """A courier's phone, which says where it is."""
    def open_page(courier, lat=45.8150, lon=15.9780, **how):
        page = visit("/courier", phone=True, geolocation={"latitude": lat, "longitude": lon, "accuracy": 10}, **how)
        sign_in(page, courier)
        kept(page)
        return page
    return open_page


def found(page, lat):
    """Waits until the phone has said where it is."""
    until(page, lambda: page.evaluate("Object.entries(localStorage).some(([name, value]) => name.startsWith('kurir.road.') && JSON.parse(value).near?.lat === %s)" % lat))


def reports(page):
    return page.locator(".roads .report h2")


def report(who, kind, title, lat, lon):
    """Somebody reports something by the API."""
    return call("POST", "/v1/roads", {"kind": kind, "road_type": "city", "title": title, "location": {"lat": lat, "lon": lon}}, who.token)


def drag(page, right, down, start):
    """Pulls at a map, and lets go once it stands still."""
    x, y = start
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=5)
    page.wait_for_timeout(300)
    page.mouse.up()


@pytest.mark.journey
def test_from_a_report_in_three_taps_to_gone(phone, look):
    lat = next(places)
    ana, ivo = Courier(), Courier(name=("Ivo", "Ivić"))
    page = phone(ana, lat)
    go(page, "Road")
    found(page, lat)
    expect(page.get_by_text("Nothing is reported around here.")).to_be_visible()
    look(page, "road-empty")
    page.locator(".tools").get_by_role("button", name="Report").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Road closed")).to_be_visible()
    look(page, "road-kinds")
    page.get_by_role("dialog").get_by_role("button", name="Road closed").click()
    expect(page.locator(".map.picker .leaflet-control-scale-line")).to_be_visible()
    look(page, "road-pin")
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/v1/roads")) as sent:
        page.get_by_role("button", name="Send report").click()
    assert all(abs(sent.value.post_data_json["location"][name] - value) < 1e-4 for name, value in [("lat", lat), ("lon", 15.978)])
    expect(reports(page)).to_have_text(["Road closed"])
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='Road closed']")).to_be_visible()
    look(page, "road")
    # Chromium is slow to say where two phones are that are open at once.
    other = phone(ivo, lat, dark=True, forgiving=["409"])
    go(other, "Road")
    found(other, lat)
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
    lat = next(places)
    courier = Courier()
    for number, (kind, title) in enumerate([("roadworks", "Kopaju"), ("danger", "Jelen")]):
        report(courier, kind, title, lat + number / 1000, 15.9)
    page = phone(courier, lat=lat, lon=15.9)
    go(page, "Road")
    expect(reports(page)).to_have_text(["Kopaju", "Jelen"])
    page.get_by_role("button", name="Kinds").click()
    dialog = page.get_by_role("dialog", name="Kinds")
    expect(dialog.locator(".choice", has_text="Roadworks").locator(".hint")).to_have_text("1")
    look(page, "road-filter")
    dialog.get_by_label("Roadworks").uncheck()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    expect(reports(page)).to_have_text(["Kopaju", "Jelen"])
    page.get_by_role("button", name="Kinds").click()
    expect(dialog.get_by_role("checkbox", checked=False)).to_have_count(0)
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


def test_where_radars_are_forbidden_later_who_looked_at_them_alone_sees_all(phone):
    lat = next(places)
    courier = Courier()
    report(courier, "roadworks", "Kopaju", lat, 15.9)
    page = phone(courier, lat=lat, lon=15.9)
    go(page, "Road")
    expect(reports(page)).to_have_text(["Kopaju"])
    kinds_of = page.locator(".tools").get_by_role("button", name="Kinds")
    kinds_of.click()
    dialog = page.get_by_role("dialog", name="Kinds")
    for box in dialog.get_by_role("checkbox").all():
        if box.get_attribute("value") != "radar_stationary":
            box.uncheck()
    dialog.get_by_role("button", name="Show").click()
    expect(page.get_by_role("button", name="Kinds: 1 hidden")).to_be_visible()
    page.route("**/v1/about", lambda route: route.fulfill(response=(answer := route.fetch()), json=answer.json() | {"radars": "off"}))
    page.reload()
    expect(reports(page)).to_have_text(["Kopaju"])
    kinds_of.click()
    expect(dialog.get_by_role("checkbox", checked=False)).to_have_count(0)


def test_without_a_connection_there_is_the_last_list_and_what_is_said_goes_out_later(phone, look):
    lat = next(places)
    courier, other = Courier(), Courier(name=("Ivo", "Ivić"))
    rocks, deer = [report(other, kind, title, lat + number / 1000, 15.9) for number, (kind, title) in enumerate([("rockfall", "Odron"), ("danger", "Jelen")])]
    page = phone(courier, lat=lat, lon=15.9, forgiving=CUT)
    go(page, "Road")
    expect(reports(page)).to_have_text(["Odron", "Jelen"])
    expect(page.locator(".map .leaflet-control-scale-line")).to_be_visible()
    expect(page.locator("main").get_by_text("This is as of")).to_be_hidden()
    page.context.set_offline(True)
    expect(page.locator("main").get_by_text("This is as of")).to_be_visible()
    go(page, "Jobs")
    go(page, "Road")
    expect(reports(page)).to_have_text(["Odron", "Jelen"])
    expect(page.locator("main").get_by_text("This is as of")).to_be_visible()
    page.get_by_role("button", name="Gone: Odron").click()
    expect(page.get_by_text("Gone · waits for a connection")).to_be_visible()
    page.get_by_role("button", name="Still there: Jelen").click()
    expect(page.get_by_text("Still there · waits for a connection")).to_be_visible()
    page.locator(".tools").get_by_role("button", name="Report").click()
    page.get_by_role("dialog").get_by_role("button", name="Accident").click()
    page.get_by_role("button", name="Send report").click()
    expect(page.get_by_text("Send report · waits for a connection")).to_be_visible()
    look(page, "road-offline")
    page.context.set_offline(False)
    until(page, lambda: call("GET", f"/v1/roads/{rocks['id']}", token=other.token)["gone_votes"] == 1)
    until(page, lambda: call("GET", f"/v1/roads/{deer['id']}", token=other.token)["still_there_votes"] == 1)
    expect(reports(page)).to_have_text(["Odron", "Accident", "Jelen"])
    expect(page.get_by_text("you said: gone")).to_be_visible()
    expect(page.get_by_text("you said: still there")).to_be_visible()


def test_a_report_is_made_where_the_map_was_pulled_to(phone):
    lat = next(places)
    page = phone(Courier(), lat=lat, lon=15.9)
    go(page, "Road")
    found(page, lat)
    page.locator(".tools").get_by_role("button", name="Report").click()
    page.get_by_role("dialog").get_by_role("button", name="Roadworks").click()
    ground = page.locator(".map.picker")
    expect(ground.locator(".leaflet-control-scale-line")).to_be_visible()
    box = ground.bounding_box()
    # What is pulled to the right and up shows what is to the west and the south of it.
    drag(page, 90, -60, (box["x"] + 60, box["y"] + box["height"] - 60))
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/v1/roads")) as sent:
        page.get_by_role("button", name="Send report").click()
    place, pixel = sent.value.post_data_json["location"], 360 / (256 * 2 ** 16)
    # The first bit of a pull may go into finding out that it is one.
    assert 60 < (15.9 - place["lon"]) / pixel < 95
    assert 40 < (lat - place["lat"]) / pixel / math.cos(math.radians(lat)) < 65
    expect(reports(page)).to_have_text(["Roadworks"])


def test_what_others_report_nearby_comes_by_itself(phone):
    lat = next(places)
    ana, ivo = Courier(), Courier(name=("Ivo", "Ivić"))
    page = phone(ana, lat=lat, lon=15.9)
    with page.expect_response(lambda answer: answer.url.endswith("/v1/roads") and "event-stream" in answer.headers.get("content-type", "")):
        go(page, "Road")
    found(page, lat)
    expect(page.get_by_text("Nothing is reported around here.")).to_be_visible()
    taken = call("POST", "/v1/me/positions", {"fixes": [{"lat": lat, "lon": 15.9, "accuracy_m": 6, "at": minutes(0)}]}, ana.token)
    assert taken["taken"] == 1, taken
    report(ivo, "accident", "Sudar", lat + 0.005, 15.9)
    expect(page.locator(".notices")).to_contain_text("Sudar, 560 m")
    expect(reports(page)).to_have_text(["Sudar"])


def test_a_phone_that_cannot_tell_where_it_is_yet_is_asked_again(phone):
    lat = next(places)
    courier = Courier()
    report(courier, "roadworks", "Kopaju", lat, 15.9)
    page = phone(courier, lat=lat, lon=15.9)
    page.evaluate("""() => {
        const ask = navigator.geolocation.getCurrentPosition.bind(navigator.geolocation);
        let asked = 0;
        navigator.geolocation.getCurrentPosition = (found, failed, how) => (asked++ ? ask(found, failed, how) : failed({code: 2}));
    }""")
    go(page, "Road")
    expect(reports(page)).to_have_text(["Kopaju"])


def test_the_road_says_that_it_loads_and_when_it_cannot(phone, look):
    lat = next(places)
    courier = Courier()
    report(courier, "roadworks", "Kopaju", lat, 15.9)
    page = phone(courier, lat=lat, lon=15.9, forgiving=CUT)
    held = hold(page, ROADS)
    go(page, "Road")
    found(page, lat)
    until(page, lambda: held)
    # The map is there before it is known what to show on it.
    expect(page.locator(".map .leaflet-control-scale-line")).to_be_visible()
    expect(page.locator(".roads")).to_have_text("Loading …")
    page.route(ROADS, lambda route: route.abort())
    for route, _ in held:
        route.abort()
    expect(page.locator(".roads").get_by_role("button", name="Try again")).to_be_visible()
    look(page, "road-failed")
    page.unroute(ROADS)
    page.get_by_role("button", name="Try again").click()
    expect(reports(page)).to_have_text(["Kopaju"])


def test_the_road_without_a_map_is_its_list(phone, look):
    lat = next(places)
    courier = Courier()
    report(courier, "roadworks", "Kopaju", lat, 15.9)
    # A worker that has the file at hand would give it.
    page = phone(courier, lat=lat, lon=15.9, service_workers="block", forgiving=CUT + ["Service Worker registration blocked", "Failed to fetch"])
    page.route("**/map.js", lambda route: route.abort())
    go(page, "Road")
    expect(reports(page)).to_have_text(["Kopaju"])
    expect(page.locator(".mapped.alone > .map")).to_be_hidden()
    look(page, "road-without-map")


def test_where_radars_are_off_nobody_is_asked_for_them(phone):
    page = phone(Courier())
    page.route("**/v1/about", lambda route: route.fulfill(response=(answer := route.fetch()), json=answer.json() | {"radars": "off"}))
    go(page, "Road")
    expect(page.locator(".map .leaflet-control-scale-line")).to_be_visible()
    dialog = page.get_by_role("dialog")
    for button in ("Report", "Kinds"):
        page.locator(".tools").get_by_role("button", name=button, exact=True).click()
        expect(dialog.get_by_text("Roadworks")).to_be_visible()
        expect(dialog.get_by_text("radar")).to_have_count(0)
        escape(page)


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


@pytest.mark.journey
def test_the_holder_sees_what_is_around_its_delivery(phone, look):
    store = Store()
    courier = Courier(store)
    place = {"lat": next(places), "lon": 16.2}
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


def test_a_server_without_a_forecast_says_so_beside_the_places(phone):
    page = phone(Courier())
    page.route("**/v1/about", lambda route: route.fulfill(response=(answer := route.fetch()), json=answer.json() | {"weather": None}))
    go(page, "Weather")
    expect(page.locator(".weather p")).to_have_text(["This server knows no weather.", "Who runs it can name a source."])
    expect(page.get_by_role("heading", name="Places")).to_be_visible()


def test_the_holder_sees_the_weather_when_it_is_due(phone, look):
    store = Store()
    courier = Courier(store)
    delivery = store.deliver_to(courier, window={"until": minutes(150)}, recipient={
        "first_name": "Iva", "last_name": "Ivić", "address": "Savska 1", "location": {"lat": 46.5, "lon": 16.2}})
    courier.act("accept", delivery)
    page = phone(courier)
    # It may still be asked for.
    until(page, lambda: call("GET", f"/v1/deliveries/{delivery}", token=courier.token)["weather"])
    weather = call("GET", f"/v1/deliveries/{delivery}", token=courier.token)["weather"]
    page.get_by_role("button", name="Details and more: Iva Ivić").click()
    expect(page.locator("dialog .around")).to_contain_text(weather["words"])
    expect(page.locator("dialog .around")).to_contain_text(weather["local"][11:16])
    look(page, "delivery-weather")


def weather_of(page):
    return page.locator(".weather")


@pytest.mark.journey
def test_the_day_of_a_place(phone, visit, look):
    courier = Courier()
    page = phone(courier, forgiving=["503"])
    go(page, "Weather")
    weather = page.locator(".weather")
    expect(weather.locator(".hour .at")).to_have_text("Now")
    expect(weather).to_contain_text("Light rain")
    expect(weather.locator(".days li")).to_have_count(8)
    look(page, "day")
    slider = weather.get_by_label("Choose an hour")
    slider.press("ArrowRight")
    expect(weather.locator(".hour .at")).not_to_have_text("Now")
    slider.press("End")
    expect(weather.locator(".hour .at")).to_contain_text("23:00")
    # An hour that is seen at a glance is looked at by a touch, and who is at it by keyboard stays there.
    hours = weather.locator(".hours button")
    expect(hours).to_have_count(24)
    hours.nth(1).press("Enter")
    expect(weather.locator(".hour .at")).to_contain_text(hours.nth(1).locator(".hint").first.inner_text())
    assert slider.input_value() == "2"
    page.evaluate("document.querySelector('.weather .days').dataset.before = 'yes'")
    page.evaluate("document.querySelector('.again').click()")
    expect(weather.locator(".days[data-before]")).to_have_count(0)
    expect(hours.nth(1)).to_be_focused()
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
    # What fails is told, with another go.
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
    go(wide, "Weather")
    wide.get_by_role("radio", name="Where I am").check()
    # Nobody is said to be where this browser does not say that they are.
    expect(weather_of(wide).get_by_role("heading", name="Zagreb")).to_be_visible()
    expect(weather_of(wide)).to_contain_text("Nobody knows where you are")
    expect(weather_of(wide).locator(".days li")).to_have_count(8)
    look(wide, "day-wide-dark")


def test_the_day_is_asked_for_anew_when_somebody_looks_and_a_minute_has_passed(phone):
    page = phone(Courier())
    page.clock.install()
    go(page, "Weather")
    weather = weather_of(page)
    expect(weather.locator(".days li")).to_have_count(8)
    # Nothing is heard again, which would ask, too.
    page.route("**/v1/events?*", lambda route: None)
    # The clock stands from here on: two minutes later, which asks, and then as the test says.
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 120)
    page.clock.fast_forward(20_000)

    def is_asked(hidden):
        return page.evaluate("""(hidden) => {
            Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
            document.dispatchEvent(new Event('visibilitychange'));
            return document.querySelector('.weather').ariaBusy === 'true';
        }""", hidden)

    expect(weather).not_to_have_attribute("aria-busy", "true")
    assert not is_asked(hidden=True)
    page.clock.fast_forward(50_000)
    assert not is_asked(hidden=False)
    assert not is_asked(hidden=True)
    page.clock.fast_forward(20_000)
    assert not is_asked(hidden=True)
    assert is_asked(hidden=False)
    expect(weather).not_to_have_attribute("aria-busy", "true")
    expect(weather.locator(".days li")).to_have_count(8)


def test_the_day_without_a_connection_is_the_last_that_was_seen(phone, look):
    courier = Courier()
    call("POST", "/v1/places", {"name": "Ured", "address": "Split", "location": {"lat": 43.51, "lon": 16.44}}, courier.token)
    page = phone(courier, forgiving=CUT)
    page.clock.install()
    go(page, "Weather")
    page.get_by_role("radio", name="Ured").check()
    expect(weather_of(page).get_by_role("heading", name="Ured")).to_be_visible()
    page.context.set_offline(True)
    page.clock.fast_forward(11 * 60_000)
    go(page, "Jobs")
    go(page, "Weather")
    expect(page.get_by_role("radio", name="Ured")).to_be_checked()
    expect(weather_of(page).get_by_role("heading", name="Ured")).to_be_visible()
    expect(weather_of(page).locator(".days li")).to_have_count(8)
    # It is told of when that is, and stands out once it is old.
    expect(weather_of(page).locator("p.warning").filter(has_text="as of")).to_be_visible()
    look(page, "day-offline")
    page.context.set_offline(False)


def test_of_the_weather_that_was_seen_last_nothing_is_told_that_is_over(phone, look):
    page = phone(Courier(), forgiving=CUT)
    page.clock.install()

    def late(answer):
        """The same as if this and the next hour were the last of the day."""
        for nth, hour in enumerate(answer["hours"]):
            hour["local"] = answer["days"][0 if nth < 2 else 1]["date"] + hour["local"][10:]
        return answer

    page.route("**/v1/weather*", lambda route: route.fulfill(response=(answer := route.fetch()), json=late(answer.json())))
    go(page, "Weather")
    weather = weather_of(page)
    days, slider = weather.locator(".days li"), weather.get_by_label("Choose an hour")
    expect(days).to_have_count(8)
    second, hours = days.nth(1).locator(".range").text_content(), int(slider.get_attribute("max"))
    page.unroute("**/v1/weather*")
    page.context.set_offline(True)
    page.clock.fast_forward(3 * 3_600_000)
    go(page, "Jobs")
    go(page, "Weather")
    expect(days).to_have_count(7)
    assert int(slider.get_attribute("max")) == hours - 3
    expect(weather.locator(".hour .at")).to_have_text("Now")
    expect(days.first).to_contain_text("Today")
    expect(days.first.locator(".range")).to_have_text(second)
    # A storm may be told of beside it.
    expect(weather.locator("p.warning").filter(has_text="as of")).to_be_visible()
    page.clock.fast_forward(3 * 3_600_000 + 60_000)
    go(page, "Jobs")
    go(page, "Weather")
    expect(weather.get_by_text("which is too long ago")).to_be_visible()
    expect(days).to_have_count(0)
    look(page, "day-too-old")
    expect(weather.get_by_role("button", name="Try again")).to_be_visible()
    # With a connection it comes by itself.
    page.context.set_offline(False)
    expect(days).to_have_count(8)


def test_the_day_says_that_it_loads_and_what_the_source_said_last(phone, look):
    courier = Courier()
    page = phone(courier)
    held = hold(page, "**/v1/weather*")
    go(page, "Weather")
    until(page, lambda: held)
    expect(weather_of(page).locator(".skeleton")).to_have_text("Loading …")
    release(page, held)
    expect(weather_of(page).locator(".days li")).to_have_count(8)
    page.unroute("**/v1/weather*")
    page.route("**/v1/weather*", lambda route: route.fulfill(response=(answer := route.fetch()), json=answer.json() | {"stale": True, "fetched_at": minutes(-120)}))
    page.get_by_role("button", name="Load again").click()
    expect(weather_of(page).locator("p.warning").filter(has_text="The source does not answer. This is what open-meteo said at")).to_be_visible()
    look(page, "day-stale")


def test_places_are_kept_put_in_order_and_chosen_where_the_day_is_seen(phone, look):
    page = phone(Courier(), forgiving=["422"])
    go(page, "Weather")
    kept_places, weather = panel(page, "Places"), weather_of(page)
    expect(weather.locator(".days li")).to_have_count(8)
    for name in ("Ured", "Dom"):
        kept_places.get_by_role("button", name="New place").click()
        form = page.get_by_role("dialog", name="New place")
        form.get_by_label("Name").fill(name)
        form.get_by_label("Address").fill(f"{name} 1, Split")
        form.get_by_label("Address").press("Tab")
        form.get_by_role("button", name="Save").click()
        expect(kept_places.locator("li strong").filter(has_text=name)).to_be_visible()
    kept_places.get_by_role("button", name="Move Dom up").click()
    expect(kept_places.locator("li strong")).to_have_text(["Dom", "Ured"])
    # Nobody knows the weather of what has no place on a map.
    kept_places.get_by_role("radio", name="Dom").check()
    expect(weather.get_by_text("This place has no position on the map.")).to_be_visible()
    look(page, "day-no-place")
    kept_places.get_by_role("button", name="Delete Dom").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(kept_places.locator("li strong")).to_have_text(["Ured"])
    expect(kept_places.get_by_role("radio", name="Where I am")).to_be_checked()
    expect(weather.locator(".days li")).to_have_count(8)


@pytest.mark.journey
def test_a_store_is_warned_on_its_board(visit, look):
    store = Store()
    # At the 50th degree there is rain now, snow in three hours, and a storm in six.
    call("PATCH", "/v1/me", {"location": {"lat": 50, "lon": 15.98}}, store.token)
    page = visit("/store")
    sign_in(page, store)
    expect(page.locator(".warnings li")).to_have_text([re.compile("Rain until"), re.compile("Ice or snow from"), re.compile("Storm from")])
    look(page, "board-warned")
