"""News for couriers and stores, a store's figures by area, and a courier's own."""
import re

import pytest
from playwright.sync_api import expect

from conftest import Courier, Store, call, go, panel, sign_in, until

PLACES = [(45.8131, 15.9775), (45.8131, 15.9775), (45.8131, 15.9775), (45.8020, 15.9930), (45.7950, 15.9500)]


def worked():
    """A store whose courier has delivered and given back something, here and there."""
    store = Store()
    courier = Courier(store)
    call("PATCH", "/v1/me", {"location": {"lat": 45.81, "lon": 15.98}}, store.token)
    for number, (lat, lon) in enumerate(PLACES):
        delivery = store.deliver_to(courier, pay={"amount": 350, "currency": "EUR"}, recipient={
            "first_name": "Iva", "last_name": "Ivić", "address": "Ilica 1", "location": {"lat": lat, "lon": lon}})
        courier.act("accept", delivery)
        if number == 1:
            courier.act("pick_up", delivery)
            courier.act("fail", delivery, reason="nobody_home")
        elif number == 3:
            courier.act("cancel", delivery)
        else:
            courier.act("deliver", delivery)
    store.deliver_to(courier)
    return store, courier


@pytest.mark.journey
def test_a_store_tells_its_couriers_and_takes_it_back(visit, look):
    store = Store()
    courier = Courier(store)
    phone = visit("/courier", phone=True)
    sign_in(phone, courier)
    go(phone, "News")
    expect(phone.get_by_text("Nothing to read yet.")).to_be_visible()
    look(phone, "news-empty")
    page = visit("/store", forgiving=["422"])
    sign_in(page, store)
    go(page, "News")
    page.get_by_role("button", name="Tell your couriers").click()
    form = page.get_by_role("dialog", name="Tell your couriers")
    form.get_by_role("button", name="Publish").click()
    expect(form.get_by_text(re.compile("^Fill in “"))).to_have_count(2)
    form.get_by_label("Title").fill("Sutra radimo do podne")
    # What is being corrected is not called wrong any more.
    expect(form.get_by_text(re.compile("^Fill in “")).filter(visible=True)).to_have_count(1)
    form.get_by_label("What you tell").fill("Zadnja dostava kreće u 11:30.\nVidimo se <b>rano</b>.")
    form.get_by_label("Link").fill("javascript:alert(1)")
    form.get_by_label("Urgent").check()
    form.get_by_role("button", name="Publish").click()
    expect(form.get_by_text("beginning with https:// or http://")).to_be_visible()
    look(page, "news-form")
    form.get_by_label("Link").fill("https://example.com/radno-vrijeme")
    form.get_by_role("button", name="Publish").click()
    expect(form).to_have_count(0)
    told = page.get_by_role("article").filter(has_text="Sutra radimo do podne")
    expect(told).to_contain_text("Vidimo se <b>rano</b>.")
    # It comes to who has the view open, and is said to whoever has not.
    read = phone.get_by_role("article").filter(has_text="Sutra radimo do podne")
    expect(read).to_contain_text("Urgent")
    link = read.get_by_role("link", name="Read more")
    expect(link).to_have_attribute("href", "https://example.com/radno-vrijeme")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(read.get_by_role("button")).to_have_count(0)
    # What it is about stands above its title, and not behind it.
    about, title = read.locator(".category").bounding_box(), read.get_by_role("heading").bounding_box()
    assert about["y"] + about["height"] <= title["y"]
    look(phone, "news-courier")
    go(phone, "Jobs")
    # Only one a day is urgent, which is said.
    page.get_by_role("button", name="Tell your couriers").click()
    form.get_by_label("Title").fill("Još nešto")
    form.get_by_label("What you tell").fill("Ponesite torbe.")
    form.get_by_label("Urgent").check()
    form.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status").filter(has_text="one notification today already")).to_be_visible()
    expect(phone.get_by_role("status").filter(has_text="something new in News")).to_be_visible()
    look(page, "news-store")
    told.get_by_role("button", name="Remove Sutra radimo do podne").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(told).to_have_count(0)
    expect(page.get_by_text("1 item", exact=True)).to_be_visible()


def test_news_are_read_page_by_page_and_without_a_connection(visit):
    stores = [Store(f"Pekara {number}") for number in range(3)]
    courier = Courier(stores[0])
    for store in stores[1:]:
        code = call("POST", "/v1/invites", {"courier_id": courier.id}, store.token)["code"]
        call("POST", "/v1/partners", {"code": code}, courier.token)
    for store in stores:
        for number in range(10):
            call("POST", "/v1/bulletin", {"title": f"{store.name}, {number}", "text": "Vidimo se."}, store.token)
    page = visit("/courier", phone=True, forgiving=["Failed to load resource", "net::ERR"])
    sign_in(page, courier)
    go(page, "News")
    articles = page.get_by_role("article")
    expect(articles).to_have_count(25)
    expect(page.get_by_text("30 items")).to_be_visible()
    page.get_by_role("button", name="Show more").click()
    expect(articles).to_have_count(30)
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)
    page.context.set_offline(True)
    go(page, "Jobs")
    go(page, "News")
    expect(articles).to_have_count(30)
    page.context.set_offline(False)


def test_news_say_that_they_load_and_when_they_cannot(visit, look):
    store = Store()
    courier = Courier(store)
    call("POST", "/v1/bulletin", {"title": "Sutra do podne", "text": "Vidimo se."}, store.token)
    page = visit("/courier", phone=True, forgiving=["Failed to load resource", "net::ERR"])
    sign_in(page, courier)
    waiting = []
    page.route("**/v1/bulletin*", lambda route: waiting.append(route))
    go(page, "News")
    until(page, lambda: waiting)
    expect(page.locator(".news-list")).to_have_text("Loading …")
    for route in waiting:
        route.abort()
    failed = page.locator(".news-list").get_by_role("status")
    expect(failed).to_contain_text("Not loaded")
    look(page, "news-failed")
    page.unroute("**/v1/bulletin*")
    failed.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article")).to_have_count(1)


def test_where_nobody_tells_the_weather_the_day_says_so(visit, look):
    page = visit("/courier", phone=True)
    sign_in(page, Courier())
    go(page, "Weather")
    expect(page.locator(".weather")).to_contain_text("This server knows no weather.")
    # Where there is some, nothing is below zero that is written as zero.
    written = "import(new URL('sky.js', document.querySelector('script[type=module]').src)).then(({degrees}) => [0.3, -0.3, -0.6].map(degrees))"
    assert page.evaluate(written) == ["0°", "0°", "−1°"]
    expect(page.get_by_role("heading", name="Places")).to_be_visible()
    look(page, "day-off")


def test_figures_by_area_follow_what_is_touched(visit, look):
    store, _ = worked()
    page = visit("/store")
    sign_in(page, store)
    go(page, "Figures")
    part = panel(page, "By area")
    side, table = part.locator(".area-side"), part.get_by_role("table")
    expect(side.get_by_role("heading", name="All areas")).to_be_visible()
    part.locator("summary").last.click()
    expect(side.locator(".tile").first).to_contain_text("6")
    expect(part.get_by_text("1 delivery has no place")).to_be_visible()
    expect(table.locator("tbody tr")).to_have_count(3)
    signs = part.locator(".leaflet-marker-icon[role=button]")
    expect(signs).to_have_count(3)
    # Each says how many went there.
    expect(signs.first).to_have_text("3")
    look(page, "areas")
    signs.first.click()
    expect(side.get_by_role("heading", name="Area 1")).to_be_visible()
    expect(side.locator(".tile").first).to_contain_text("3")
    expect(side.get_by_role("img", name="Deliveries a day")).to_be_visible()
    expect(part.locator(".map-area.chosen")).to_have_count(1)
    look(page, "areas-chosen")
    # The same by the table, with keys, and elsewhere on the map: all of them.
    table.get_by_role("button", name="Area 2").press("Enter")
    expect(side.get_by_role("heading", name="Area 2")).to_be_visible()
    expect(table.get_by_role("button", name="Area 2")).to_have_attribute("aria-pressed", "true")
    part.locator(".map").click(position={"x": 8, "y": 8})
    expect(side.get_by_role("heading", name="All areas")).to_be_visible()
    # One day against the day before it.
    page.get_by_label("Period").select_option("yesterday")
    expect(page.locator(".charts").get_by_text("There were no deliveries in this time.")).to_be_visible()
    expect(part).to_be_hidden()
    page.get_by_label("Period").select_option("today")
    expect(page.locator(".charts .tile").filter(has_text="Created")).to_contain_text("6")
    expect(page.get_by_role("img", name="Deliveries a day")).to_have_count(0)
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(side.locator(".tile").first).to_contain_text("none before")


def test_figures_by_area_work_without_a_map(visit, look):
    store, _ = worked()
    page = visit("/store", phone=True, dark=True, forgiving=["Failed to load resource", "net::ERR", "Failed to fetch"])
    page.context.route("**/map.js", lambda route: route.abort())
    sign_in(page, store)
    go(page, "Figures")
    part = panel(page, "By area")
    part.get_by_role("button", name="Area 1").click()
    expect(part.get_by_role("heading", name="Area 1")).to_be_visible()
    expect(part.locator(".map")).to_be_hidden()
    expect(page.get_by_text("The table says the same.")).to_be_visible()
    look(page, "areas-phone")


def test_where_no_delivery_has_a_place_there_are_the_totals(visit, look):
    store = Store()
    courier = Courier(store)
    for _ in range(2):
        courier.act("accept", store.deliver_to(courier))
    page = visit("/store")
    sign_in(page, store)
    go(page, "Figures")
    part = panel(page, "By area")
    expect(part.locator(".area-side .tile").first).to_contain_text("2")
    expect(part.get_by_text("No delivery with a place in this time. 2 deliveries have no place")).to_be_visible()
    expect(part.get_by_role("table").locator("tfoot td").first).to_contain_text("2")
    expect(part.get_by_text("Touch an area")).to_have_count(0)
    expect(part.locator(".map")).to_be_hidden()
    look(page, "areas-without-places")
    # What has one later is on the map.
    store.deliver_to(courier, recipient={
        "first_name": "Iva", "last_name": "Ivić", "address": "Ilica 1", "location": {"lat": 45.8131, "lon": 15.9775}})
    page.get_by_label("Period").select_option("7")
    expect(part.locator(".leaflet-marker-icon[role=button]")).to_have_count(1)
    expect(part.get_by_text("Touch an area")).to_be_visible()


def test_a_courier_sees_its_own_figures(visit, look):
    _, courier = worked()
    page = visit("/courier", phone=True)
    sign_in(page, courier)
    go(page, "Earnings")
    part = page.locator(".view.earnings")
    expect(part.locator(".tile").filter(has_text="Carried")).to_contain_text("3")
    expect(part.locator(".tile").filter(has_text="Given back")).to_contain_text("1")
    expect(part.locator(".tile").filter(has_text="Earned")).to_contain_text("€10.50")
    expect(part.locator(".rows li")).to_have_count(1)
    expect(part.locator(".rows li")).to_contain_text("Pekara")
    part.get_by_label("Period").select_option("90")
    expect(part.locator(".rows li")).to_contain_text("€10.50")
    look(page, "own-figures")


def test_no_row_of_figures_stays_half_empty(visit):
    store, _ = worked()
    page = visit("/store")
    sign_in(page, store)
    go(page, "Figures")
    charts = page.locator(".charts")
    expect(panel(page, "Deliveries a day")).to_be_visible()
    for width in (390, 768, 1360, 2560):
        page.set_viewport_size({"width": width, "height": 860})
        end = charts.evaluate("(all) => all.getBoundingClientRect().right")
        rows = charts.locator(".tiles > *, :scope > .panel").evaluate_all(
            "(all) => Object.values(Object.groupBy(all.map((one) => one.getBoundingClientRect()), ({top}) => top)).map((row) => Math.max(...row.map(({right}) => right)))")
        assert len(rows) > 2 and all(abs(right - end) < 2 for right in rows), (width, rows, end)
