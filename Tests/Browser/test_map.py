"""Maps in the pages: what is under way for a store, its own stops for a courier who moves, and a place for a delivery."""
import datetime
import itertools
import re

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, PATIENCE, PICTURES, Courier, Store, call, escape, go, kept, panel, rest, sign_in, until
from test_tracking import DOOR, fix, sent, shop

JAN = {"first_name": "Jan", "last_name": "Perić", "address": "Savska 102, Zagreb", "location": {"lat": 45.7950, "lon": 15.9650}}


@pytest.mark.journey
def test_a_store_sees_its_deliveries_and_couriers_move(visit, look):
    store, courier = shop()
    delivery, _ = sent(store, courier)
    sent(store, courier, recipient=JAN)
    courier.act("accept", delivery)
    page = visit("/store")
    sign_in(page, store)
    go(page, "Map")
    stops = page.locator(".map .leaflet-marker-icon[role=button]")
    expect(stops).to_have_count(2)
    fix(courier)
    moving = page.locator(".map .leaflet-marker-icon[aria-label^='Ana']")
    expect(moving).to_be_visible()
    before = moving.bounding_box()
    fix(courier, lat=45.8050, lon=15.9700)
    until(page, lambda: moving.bounding_box() != before)
    look(page, "map-store")
    # A key on a sign opens the same card as the row beside the map.
    page.locator(".map .leaflet-marker-icon[aria-label*='Iva Ivić']").focus()
    page.keyboard.press("Enter")
    card = page.get_by_role("dialog", name="Iva Ivić")
    expect(card).to_contain_text("Vukovarska 5")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    page.locator(".stops button", has_text="Jan Perić").click()
    expect(page.get_by_role("dialog", name="Jan Perić")).to_be_visible()
    page.keyboard.press("Escape")
    # And so does a click.
    page.locator(".map .leaflet-marker-icon[aria-label*='Iva Ivić']").click()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    # The list marks what the map marks.
    courier.act("fail", delivery, reason="nobody_home")
    expect(page.locator(".stops .card.urgent")).to_have_text(re.compile("Iva Ivić"))
    courier.act("deliver", delivery)
    expect(stops).to_have_count(1)


@pytest.mark.parametrize("width", [390, 800])
def test_an_open_delivery_has_its_map_where_the_board_has_none(visit, look, width):
    store, courier = shop()
    sent(store, courier)
    sent(store, courier, recipient=JAN)
    page = visit("/store")
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(page, store)
    card = page.get_by_role("dialog", name="Iva Ivić")
    for _ in range(2):
        page.locator("li > .card", has_text="Iva Ivić").click()
        # It has that one on it, and no other.
        signs = card.locator(".map .leaflet-marker-icon[role=button]")
        expect(signs).to_have_count(1)
        assert "Iva Ivić" in signs.get_attribute("aria-label")
        signs.scroll_into_view_if_needed()
        # It lies beneath what is done with the delivery.
        card.get_by_role("button", name="Change").click(trial=True)
        look(page, f"panel-map-{width}")
        escape(page)
        expect(card).to_have_count(0)
    expect(page.locator(".map")).to_be_hidden()


def marked(row):
    return "pointed" in (row.get_attribute("class") or "")


def test_a_panel_beside_the_map_says_that_nobody_has_accepted_once_it_is_so(visit):
    store, courier = shop()
    sent(store, courier)
    page = visit("/store#/map")
    page.clock.install()
    sign_in(page, store)
    page.locator(".stops .card").click()
    panel = page.get_by_role("dialog", name="Iva Ivić")
    expect(panel.get_by_role("button", name="Change")).to_be_visible()
    expect(panel.locator(".trouble")).to_have_count(0)
    page.clock.fast_forward("11:00")
    expect(panel.locator(".trouble")).to_contain_text("Nobody has accepted since")


def test_couriers_at_one_place_stand_beside_each_other(visit):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    for name in [("Ana", "Anić"), ("Ivo", "Ivić"), ("Mia", "Marić")]:
        courier = Courier(shop, name=name)
        courier.act("accept", shop.deliver_to(courier))
        fix(courier)
    go(page, "Map")
    signs = page.locator(".map .dot.courier")
    expect(signs).to_have_count(3)
    left = lambda: sorted(one.bounding_box()["x"] for one in signs.all())
    until(page, lambda: all(other - one > 20 for one, other in itertools.pairwise(left())))


def test_the_map_stands_beside_the_board_where_there_is_room(visit, look):
    store, courier = shop()
    page = visit("/store")
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, store)
    beside = page.locator(".map-beside")
    # Without anything that has a place there is nothing to be seen, and nothing is loaded.
    expect(page.get_by_role("button", name="Map", exact=True)).to_have_count(0)
    assert "leaflet.js" not in asked
    delivery, _ = sent(store, courier)
    other, _ = sent(store, courier, recipient=JAN)
    signs = beside.locator(".leaflet-marker-icon[role=button]")
    expect(signs).to_have_count(2)
    courier.act("accept", delivery)
    fix(courier)
    expect(beside.locator(".leaflet-marker-icon[aria-label^='Ana']")).to_be_visible()
    look(page, "board-map")
    # A row shows where it is, and a sign which row it is.
    row = page.locator(f"li[data-key='{delivery}']")
    row.hover()
    expect(beside.locator(".leaflet-marker-icon.pointed[aria-label*='Iva Ivić']")).to_have_count(1)
    beside.locator(".leaflet-marker-icon[aria-label*='Iva Ivić']").focus()
    until(page, lambda: marked(row))
    stood = row.bounding_box()
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Iva Ivić")
    # What was opened stands where it was, and has it with the way there; no row moves for that.
    expect(panel.locator(".map-beside")).to_be_visible()
    expect(beside).to_have_count(1)
    expect(panel.locator(".map-way")).to_have_count(1)
    expect(panel.locator(".leaflet-marker-icon[aria-label*='Jan']")).to_have_count(0)
    assert [row.bounding_box()[side] for side in ("x", "width", "height")] == [stood[side] for side in ("x", "width", "height")]
    # Who scrolls the panel over it scrolls, and does not draw the map nearer.
    is_scrolled = "(map, ctrlKey) => map.dispatchEvent(new WheelEvent('wheel', {deltaY: 100, ctrlKey, bubbles: true, cancelable: true}))"
    assert panel.locator(".map").evaluate(is_scrolled, False)
    look(page, "board-map-in-panel")
    # It stands out there as long as it is open.
    page.mouse.move(1, 1)
    expect(beside.locator(".leaflet-marker-icon.opened")).to_have_count(1)
    expect(beside.locator(".leaflet-marker-icon.pointed")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(beside.locator(".leaflet-marker-icon.opened")).to_have_count(0)
    page.set_viewport_size({"width": 1360, "height": 860})
    expect(beside).to_be_visible()
    until(page, lambda: beside.bounding_box()["y"] <= row.bounding_box()["y"])
    # So it is beside the board, unless somebody wants the map by Ctrl, or works in it; and then all of it is shown again at one touch.
    scale = beside.locator(".leaflet-control-scale-line")
    before = scale.text_content()
    assert beside.locator(".map").evaluate(is_scrolled, False)
    assert not beside.locator(".map").evaluate(is_scrolled, True)
    until(page, lambda: scale.text_content() != before)
    beside.get_by_role("button", name="Show all").click()
    expect(scale).to_have_text(before)
    box = beside.bounding_box()
    page.mouse.click(box["x"] + box["width"] * .6, box["y"] + box["height"] - 60)
    assert not beside.locator(".map").evaluate(is_scrolled, False)
    beside.get_by_role("button", name="Show all").click()
    page.mouse.move(1, 1)
    assert beside.locator(".map").evaluate(is_scrolled, False)
    # Behind a panel that has no place for it, it waits.
    page.keyboard.press("n")
    expect(page.get_by_role("dialog", name="New delivery")).to_be_visible()
    expect(beside).to_be_hidden()
    page.keyboard.press("Escape")
    expect(beside).to_be_visible()
    # On wide screens list, map and panel stand beside each other.
    page.set_viewport_size({"width": 1920, "height": 1000})
    row.click()
    expect(panel).to_be_visible()
    until(page, lambda: abs(beside.bounding_box()["y"] - page.locator(".column.open h2").bounding_box()["y"]) < 40
          and row.bounding_box()["x"] < beside.bounding_box()["x"] < panel.bounding_box()["x"])
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1360, "height": 860})
    # What needs a hand stands out on the map, too.
    courier.act("fail", delivery, reason="nobody_home")
    expect(beside.locator(".leaflet-marker-icon[aria-label*='Iva Ivić'] .dot.urgent")).to_have_text("!")
    courier.act("decline", other)
    expect(beside.locator(".leaflet-marker-icon .dot.urgent")).to_have_count(2)
    # Narrower it is beneath the rows, and where there is little room the board is alone.
    page.set_viewport_size({"width": 1000, "height": 900})
    until(page, lambda: beside.bounding_box()["y"] > row.bounding_box()["y"])
    expect(signs).to_have_count(2)
    look(page, "board-map-beneath")
    page.set_viewport_size({"width": 900, "height": 900})
    expect(beside).to_be_hidden()
    page.set_viewport_size({"width": 2560, "height": 1200})
    expect(beside).to_be_visible()


def test_what_is_at_one_place_stands_beside_each_other_on_the_map(visit, look):
    store, courier = shop()
    for _ in range(2):
        sent(store, courier)
    page = visit("/store#/map")
    sign_in(page, store)
    dots = page.locator(".map .leaflet-marker-icon[aria-label*='Iva Ivić'] .dot")
    expect(dots).to_have_count(2)
    until(page, lambda: abs(dots.nth(0).bounding_box()["x"] - dots.nth(1).bounding_box()["x"]) > 20)
    look(page, "map-one-place")


def test_whoever_puts_the_map_away_does_not_see_it_again(visit):
    store, courier = shop()
    sent(store, courier)
    page = visit("/store")
    page.set_viewport_size({"width": 1600, "height": 900})
    sign_in(page, store)
    beside, button = page.locator(".map-beside"), page.get_by_role("button", name="Map", exact=True)
    expect(beside).to_be_visible()
    button.press("Enter")
    expect(beside).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "false")
    page.reload()
    expect(page.locator("li[data-key]").first).to_be_visible()
    expect(beside).to_be_hidden()
    button.click()
    expect(beside.locator(".leaflet-marker-icon").first).to_be_visible()


def test_a_board_whose_map_cannot_be_loaded_is_a_board(visit):
    store, courier = shop()
    sent(store, courier)
    page = visit("/store", forgiving=("ERR_FAILED", "livemap"))
    page.set_viewport_size({"width": 1600, "height": 900})
    page.context.route("**/livemap.js", lambda route: route.abort())
    sign_in(page, store)
    expect(page.locator("li[data-key]").first).to_be_visible()
    expect(page.locator(".toast, [role=status]").filter(has_text="connection").first).to_be_visible()
    expect(page.locator(".map-beside")).to_be_hidden()


@pytest.mark.journey
def test_a_courier_sees_its_stops_and_says_where_it_is(chromium, look):
    store, courier = shop()
    first, _ = sent(store, courier)
    second, path = sent(store, courier, recipient=JAN)
    for delivery in [first, second]:
        courier.act("accept", delivery)
        courier.act("pick_up", delivery)
    call("PUT", "/v1/me/route", {"delivery_ids": [second, first]}, courier.token)
    context = chromium.new_context(
        base_url=ADDRESS, locale="en-GB", viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True,
        geolocation={"latitude": 45.8150, "longitude": 15.9780, "accuracy": 10}, permissions=["geolocation"])
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto("/courier")
    sign_in(page, courier)
    kept(page)
    go(page, "Map")
    expect(page.locator(".stops li")).to_have_count(2)
    expect(page.locator(".stops li").first).to_contain_text("Jan Perić")
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='Stop']")).to_have_count(2)
    for stop in ("Stop 1: Jan Perić", "Stop 2: Iva Ivić"):
        expect(page.locator(".map").get_by_role("button", name=stop)).to_be_visible()
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='You']")).to_be_visible()
    look(page, "map-courier")
    # What the phone says reaches the store, and whoever is next.
    def seen():
        items = call("GET", "/v1/positions", token=store.token)["items"]
        return [round(item["position"]["lat"], 3) for item in items if item["position"]]
    until(page, lambda: seen() == [45.815])
    context.set_geolocation({"latitude": 45.8000, "longitude": 15.9700, "accuracy": 10})
    until(page, lambda: seen() == [45.8])
    assert call("GET", f"/v1/tracking/{path.rsplit('/', 1)[1]}")["position"]["lat"] == 45.8
    context.close()


def test_a_phone_that_lies_still_is_on_its_map(visit):
    store, courier = shop()
    courier.act("accept", sent(store, courier)[0])
    page = visit("/courier", phone=True, geolocation={"latitude": 45.8150, "longitude": 15.9780})
    # It has nothing newer to say to whoever watches.
    page.add_init_script("Geolocation.prototype.watchPosition = () => 1")
    page.reload()
    sign_in(page, courier)
    go(page, "Map")
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='You']")).to_be_visible()


def test_a_place_is_set_on_the_map_with_keys(visit):
    store, courier = shop()
    page = visit("/store")
    sign_in(page, store)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    expect(form.get_by_label("Ana Anić")).to_be_checked()
    form.get_by_role("button", name="Set the place on the map").press("Enter")
    area = form.locator(".map.picker")
    expect(area.locator(".leaflet-control-scale-line")).to_be_visible()
    area.focus()
    page.keyboard.press("ArrowRight")
    form.get_by_role("button", name="Take this place").click()
    expect(form.get_by_role("status").filter(has_text="Place set")).to_be_visible()
    form.get_by_role("button", name="Create").click()
    expect(form).to_have_count(0)
    made = call("GET", "/v1/deliveries", token=store.token)["items"][0]
    assert 45 < made["recipient"]["location"]["lat"] < 46 and 15 < made["recipient"]["location"]["lon"] < 17


@pytest.mark.journey
def test_tiles_come_from_this_server(visit):
    """Only where the server has a file of tiles."""
    about = call("GET", "/v1/about")["map"]
    assert about["tiles"] == "/tiles/{z}/{x}/{y}" and about["attribution"] == "© Grad" and about["max_zoom"] == 16
    store, courier = shop()
    sent(store, courier)
    page = visit("/store")
    sign_in(page, store)
    go(page, "Map")
    expect(page.locator(".map .leaflet-tile-loaded").first).to_be_visible()
    expect(page.locator(".map-note")).to_have_text("© Grad")


def carrying(store, courier, *recipients):
    """What a courier carries, in the order in which it goes."""
    ids = [sent(store, courier, recipient=recipient)[0] for recipient in recipients]
    for delivery in ids:
        courier.act("accept", delivery)
        courier.act("pick_up", delivery)
    call("PUT", "/v1/me/route", {"delivery_ids": ids}, courier.token)
    return ids


@pytest.mark.parametrize("dark", [False, True])
def test_a_store_sees_the_way_of_one_delivery_and_when_it_arrives(visit, look, dark):
    store, courier = shop()
    iva = {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "location": DOOR}
    carrying(store, courier, JAN, iva)
    fix(courier)
    page = visit("/store", dark=dark)
    sign_in(page, store)
    go(page, "Map")
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='Ana']")).to_be_visible()
    expect(page.locator(".map path.map-way")).to_have_count(0)
    page.locator(".stops button", has_text="Iva Ivić").click()
    card = page.get_by_role("dialog", name="Iva Ivić")
    arrival = card.locator(".top", has_text="Expected at")
    expect(arrival).to_be_visible()
    # From the courier over the stop before.
    way = page.locator(".map path.map-way")
    expect(way).to_have_count(1)
    assert way.get_attribute("d").count("L") == 2
    before = way.get_attribute("d"), arrival.inner_text()
    fix(courier, lat=45.7990, lon=15.9690)
    until(page, lambda: way.get_attribute("d") != before[0])
    # When it arrives follows, without a step of the delivery.
    until(page, lambda: arrival.inner_text() != before[1])
    expect(page.locator(".stops [aria-current=true]")).to_contain_text("Iva Ivić")
    look(page, f"map-store-way-{'dark' if dark else 'light'}")
    page.keyboard.press("Escape")
    expect(way).to_have_count(0)


def test_a_row_says_when_it_arrives_and_whether_that_is_too_late(visit, look):
    store, courier = shop()
    iva = {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "location": DOOR}
    until_then = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=20)).isoformat(timespec="seconds")
    job, _ = sent(store, courier, recipient=iva, window={"until": until_then})
    courier.act("accept", job)
    courier.act("pick_up", job)
    page = visit("/store", forgiving=["ERR_FAILED"])
    page.clock.install()
    sign_in(page, store)
    row = page.locator("li > .card", has_text="Iva Ivić")
    expected = row.locator(".state .left")
    expect(row.locator(".state")).to_contain_text("Fetched")
    expect(expected).to_have_count(0)
    # Its courier begins to say where it is, after the row was drawn.
    fix(courier)
    page.clock.run_for(31_000)
    expect(expected).to_have_text(re.compile(r"^~\d\d:\d\d"))
    expect(expected).not_to_have_class(re.compile("late"))
    look(page, "row-expected")
    row.click()
    expect(page.get_by_role("dialog", name="Iva Ivić").locator(".top")).to_contain_text("Expected at")
    # Its courier goes the other way, and nobody does anything about the delivery.
    fix(courier, lat=45.9200, lon=15.9780)
    page.clock.run_for(31_000)
    expect(expected).to_have_class(re.compile("late"))
    expect(expected).to_have_text(re.compile(r"^‼ ~\d\d:\d\d"))
    # That needs a hand before it is so.
    expect(page.get_by_role("button", name="! 1 will be late")).to_be_visible()
    expect(row).to_have_class(re.compile("urgent"))
    expect(page.get_by_role("dialog").locator(".trouble")).to_contain_text(re.compile(r"Expected at \d\d:\d\d, .+ (late|after it was ordered)"))
    expect(page.get_by_role("dialog").locator(".top")).not_to_contain_text("Expected at")
    # Where that cannot be asked for, what stands there stays, and nobody is told of it.
    page.route("**/v1/deliveries?status=in_progress*", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.clock.run_for(31_000)
    rest(page)
    expect(row).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_what_was_expected_a_while_ago_is_not_told_as_if_it_were_to_come(visit):
    store, courier = shop()
    job, _ = sent(store, courier, recipient=JAN)
    for step in ("accept", "pick_up"):
        courier.act(step, job)
    fix(courier)
    page = visit("/store")
    page.clock.install()
    sign_in(page, store)
    row = page.locator("li > .card", has_text="Jan Perić")
    expected = row.locator(".state .left")
    expect(expected).to_have_text(re.compile(r"^~\d\d:\d\d"))
    row.click()
    top = page.get_by_role("dialog", name="Jan Perić").locator(".top")
    expect(top).to_contain_text("Expected at")
    then = datetime.datetime.fromisoformat(call("GET", f"/v1/deliveries/{job}", token=store.token)["eta"]["at"])
    page.clock.pause_at(then + datetime.timedelta(seconds=10))
    page.clock.run_for(31_000)
    expect(expected).to_have_text("any moment")
    expect(top).to_contain_text("any moment")
    # By then it is in doubt.
    page.clock.run_for(360_000)
    expect(expected).to_have_count(0)
    expect(top).not_to_contain_text("any moment")
    expect(top).not_to_contain_text("·")


def test_the_map_comes_right_again_when_the_server_was_away(visit):
    store, courier = shop()
    carrying(store, courier, JAN)
    fix(courier)
    page = visit("/store", forgiving=("503", "Failed to load resource"))
    sign_in(page, store)
    asked = []

    def refuse(route):
        asked.append(route)
        if len(asked) < 3:
            route.fulfill(status=503, body="")
        else:
            route.continue_()

    page.route("**/v1/positions", refuse)
    go(page, "Map")
    # A browser itself would not ask again.
    expect(page.locator(".map .leaflet-marker-icon[aria-label^='Ana']")).to_be_visible()
    assert len(asked) == 3


def drag(page, name, above):
    """Drags somebody's stop above another's."""
    grip = page.get_by_role("button", name=f"Move {name}: up and down")
    grip.scroll_into_view_if_needed()
    start, end = grip.bounding_box(), page.get_by_role("button", name=f"Move {above}: up and down").bounding_box()
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(start["x"] + 20, start["y"] - 30, steps=5)
    page.mouse.move(end["x"] + 20, end["y"] + 2, steps=10)
    page.mouse.up()


def test_a_courier_sees_where_it_still_fetches_something(visit):
    store, courier = shop()
    call("PATCH", "/v1/me", {"location": {"lat": 45.8140, "lon": 15.9700}}, store.token)
    delivery, _ = sent(store, courier)
    courier.act("accept", delivery)
    page = visit("/courier", phone=True, forgiving=("geolocation",))
    sign_in(page, courier)
    kept(page)
    go(page, "Map")
    house = page.locator(f".map .leaflet-marker-icon[aria-label='from {store.name}']")
    expect(house).to_be_visible()
    expect(page.locator(".stops li")).to_contain_text(f"⌂ from {store.name}")
    courier.act("pick_up", delivery)
    expect(house).to_have_count(0)
    expect(page.locator(".stops li")).not_to_contain_text("⌂")


def test_a_courier_changes_the_order_of_its_stops(visit, look):
    store, courier = shop()
    iva = {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "location": DOOR}
    mia = {"first_name": "Mia", "last_name": "Ćuk", "address": "Ilica 14, Zagreb", "location": {"lat": 45.8130, "lon": 15.9700}}
    ids = carrying(store, courier, JAN, iva, mia)
    page = visit("/courier", phone=True, forgiving=("geolocation",))
    sign_in(page, courier)
    kept(page)
    go(page, "Map")
    names = page.locator(".stops strong")
    expect(names).to_have_text(["Jan Perić", "Iva Ivić", "Mia Ćuk"])
    # In the list they have the numbers that they have on the map, whether or not an order was chosen.
    numbered = lambda: [name.get_attribute("data-stop") for name in names.all()] == ["1. ", "2. ", "3. "]
    until(page, numbered)

    def order():
        jobs = call("GET", "/v1/deliveries?status=in_progress", token=courier.token)["items"]
        return [job["id"] for job in jobs]

    # By keys.
    handle = page.get_by_role("button", name="Move Jan Perić: up and down")
    handle.press("ArrowDown")
    expect(names).to_have_text(["Iva Ivić", "Jan Perić", "Mia Ćuk"])
    expect(page.locator(".notices")).to_contain_text("Stop 2 of 3")
    until(page, lambda: order() == [ids[1], ids[0], ids[2]])
    expect(page.get_by_role("button", name="Move Jan Perić: up and down")).to_be_focused()
    # By dragging the last one above all others.
    drag(page, "Mia Ćuk", "Iva Ivić")
    expect(names).to_have_text(["Mia Ćuk", "Iva Ivić", "Jan Perić"])
    until(page, lambda: order() == [ids[2], ids[1], ids[0]])
    until(page, numbered)
    look(page, "route-courier")
    # The store sees in which order.
    expect(page.get_by_role("button", name="Suggested order")).to_be_visible()
    assert call("GET", f"/v1/deliveries/{ids[2]}", token=store.token)["stop"] == {"number": 1, "of": 3}
    # The order that ends soonest is taken over.
    call("PUT", "/v1/me/route", {"delivery_ids": [ids[2], ids[0], ids[1]]}, courier.token)
    expect(names).to_have_text(["Mia Ćuk", "Jan Perić", "Iva Ivić"])
    fix(courier, lat=45.8140, lon=15.9680)
    page.get_by_role("button", name="Suggested order").click()
    expect(names).to_have_text(["Mia Ćuk", "Iva Ivić", "Jan Perić"])
    expect(page.locator(".notices")).to_contain_text("saves")


def test_a_courier_changes_the_order_of_its_jobs_where_they_stand(visit, look):
    store, courier = shop()
    first = sent(store, courier)[0]
    courier.act("accept", first)
    page = visit("/courier", phone=True, forgiving=("geolocation", "503"))
    sign_in(page, courier)
    names = page.locator(".in_progress h3")
    expect(names).to_have_text(["Iva Ivić"])
    # One alone has no order.
    expect(page.locator(".handle")).to_have_count(0)
    second = sent(store, courier, recipient=JAN)[0]
    courier.act("accept", second)
    expect(page.locator(".handle")).to_have_count(2)
    expect(names).to_have_text(["Iva Ivić", "Jan Perić"])
    page.get_by_role("button", name="Move Iva Ivić: up and down").press("ArrowDown")
    expect(names).to_have_text(["Jan Perić", "Iva Ivić"])
    until(page, lambda: call("GET", f"/v1/deliveries/{first}", token=store.token).get("stop") == {"number": 2, "of": 2})
    # By dragging; what the server does not take is not so.
    page.route("**/v1/me/route", lambda route: route.fulfill(status=503, body=""))
    drag(page, "Iva Ivić", "Jan Perić")
    expect(page.locator(".notices")).to_contain_text("cannot answer now")
    expect(names).to_have_text(["Jan Perić", "Iva Ivić"])
    page.unroute("**/v1/me/route")
    drag(page, "Iva Ivić", "Jan Perić")
    expect(names).to_have_text(["Iva Ivić", "Jan Perić"])
    until(page, lambda: call("GET", f"/v1/deliveries/{first}", token=store.token).get("stop") == {"number": 1, "of": 2})
    look(page, "order-of-jobs")


@pytest.mark.journey
def test_three_people_follow_one_delivery(visit, chromium, look):
    """The store, the courier on its way, and the recipient, each at a screen of their own."""
    store, courier = shop()
    delivery, path = sent(store, courier)
    office = visit("/store")
    sign_in(office, store)
    go(office, "Map")
    home = visit(path, phone=True)
    expect(home.locator(".said")).to_contain_text("is being prepared")

    context = chromium.new_context(
        base_url=ADDRESS, locale="en-GB", viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True,
        geolocation={"latitude": 45.8150, "longitude": 15.9780, "accuracy": 10}, permissions=["geolocation"])
    context.set_default_timeout(60_000)
    # Fixes go out as soon as they are found.
    phone = context.new_page()
    phone.goto("/courier")
    sign_in(phone, courier)
    phone.evaluate("localStorage.setItem('kurir.device', 'none')")
    phone.get_by_role("button", name="Accept").click()
    expect(home.locator(".said")).to_contain_text("Ana will bring your delivery.")
    # Before it is fetched, the store sees where she is, and the recipient does not.
    ana = office.locator(".map .leaflet-marker-icon[aria-label^='Ana']")
    expect(ana).to_be_visible()
    expect(home.locator("#map")).to_be_hidden()
    phone.get_by_role("button", name="Fetch").click()
    expect(home.locator(".said")).to_contain_text("Ana is coming to you now.")
    marker = home.locator("#map .leaflet-marker-icon[aria-label='The courier']")
    expect(marker).to_be_visible()
    office.locator(".stops button", has_text="Iva Ivić").click()
    card = office.get_by_role("dialog", name="Iva Ivić")
    expect(card).to_contain_text("Expected at")
    places = ana.bounding_box(), marker.bounding_box()
    context.set_geolocation({"latitude": 45.8120, "longitude": 15.9800, "accuracy": 10})
    until(office, lambda: ana.bounding_box() != places[0])
    until(home, lambda: marker.bounding_box() != places[1])
    look(office, "three-store")
    home.screenshot(path=PICTURES / "three-recipient.png")
    # The recipient wishes something, and both read it.
    home.locator("summary").click()
    home.locator("#wish").fill("Zvono ne radi")
    home.get_by_role("button", name="Send").click()
    expect(card).to_contain_text("Zvono ne radi")
    expect(phone.locator("li.card")).to_contain_text("Zvono ne radi")
    # At the door.
    context.set_geolocation({"latitude": DOOR["lat"], "longitude": DOOR["lon"], "accuracy": 10})
    expect(home.locator(".said")).to_contain_text("Ana is almost there.")
    phone.get_by_role("button", name="Deliver:").click()
    phone.get_by_role("dialog", name="Deliver").get_by_role("button", name="Deliver").click()
    expect(home.locator(".said")).to_contain_text("Your delivery has arrived.")
    # The proof says where that was, as the phone has said.
    step = call("GET", f"/v1/deliveries/{delivery}/history", token=store.token)["items"][-1]
    assert (step["action"], step["at_location"]) == ("deliver", DOOR)
    expect(home.locator("#map")).to_be_hidden()
    expect(ana).to_have_count(0)
    expect(office.locator(".stops li")).to_have_count(0)
    home.locator(".stars label").nth(4).click()
    home.get_by_role("button", name="Send").click()
    expect(home.locator(".given")).to_contain_text("★★★★★")
    context.close()


@pytest.fixture
def phone(chromium):
    """A courier's phone, which says where it is, or is never asked."""
    contexts = []

    def open_page(lat=45.8150, lon=15.9780, **more):
        context = chromium.new_context(**{
            "base_url": ADDRESS, "locale": "en-GB", "viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True,
            "geolocation": {"latitude": lat, "longitude": lon, "accuracy": 10}, "permissions": ["geolocation"]} | more)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.goto("/courier")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("telling", [True, False])
def test_a_courier_decides_in_the_settings_who_sees_where_it_is(phone, look, telling):
    """Also where the browser does not tell whether it may say so."""
    store, courier = shop()
    delivery, _ = sent(store, courier)
    courier.act("accept", delivery)
    page = phone(permissions=[] if telling else ["geolocation"])
    if not telling:
        page.add_init_script("navigator.permissions.query = async () => { throw new TypeError('unknown'); }")
        page.reload()
    asked = []
    page.on("request", lambda request: request.url.endswith("/v1/me/positions") and asked.append(request))
    sign_in(page, courier)
    kept(page)
    go(page, "Settings")
    part = panel(page, "Where you are")
    button = part.get_by_role("button", name="Show where I am")
    # Here a browser that tells refuses until somebody allows it.
    expect(part.get_by_text("To allow it, touch the sign before the address") if telling else button).to_be_visible()
    part.scroll_into_view_if_needed()
    look(page, f"settings-where-{'asked' if telling else 'untold'}")
    part.get_by_label("Who sees it").select_option(label="All your stores")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert call("GET", "/v1/me", token=courier.token)["share_position"] == "always"
    assert not asked
    if telling:
        page.context.grant_permissions(["geolocation"])
    else:
        button.click()
    expect(part.get_by_text("This phone says where you are while you work.")).to_be_visible()
    until(page, lambda: any(item["position"] for item in call("GET", "/v1/positions", token=store.token)["items"]))


def test_a_phone_whose_clock_is_wrong_is_told_of_it(phone):
    store, courier = shop()
    delivery, _ = sent(store, courier)
    courier.act("accept", delivery)
    page = phone()
    page.route("**/v1/me/positions", lambda route: route.fulfill(json={"taken": 0, "refused": [{"index": 0, "code": "future"}]}))
    sign_in(page, courier)
    expect(page.get_by_text("The clock of this phone is wrong")).to_be_visible()


def test_without_a_map_something_is_reported_where_one_is(phone, look):
    courier = Courier()
    page = phone(lat=44.1, lon=15.3, service_workers="block")
    page.route("**/map.js", lambda route: route.abort())
    sign_in(page, courier)
    go(page, "Road")
    expect(page.get_by_text("Nothing is reported around here.")).to_be_visible()
    until(page, lambda: page.evaluate("Object.entries(localStorage).some(([name, value]) => name.startsWith('kurir.road.') && JSON.parse(value).near?.lat === 44.1)"))
    page.locator(".tools").get_by_role("button", name="Report").click()
    page.get_by_role("dialog").get_by_role("button", name="Danger").click()
    expect(page.get_by_text("it is reported for where you are")).to_be_visible()
    look(page, "road-without-map")
    page.get_by_role("button", name="Send report").click()
    expect(page.locator(".roads .report h2")).to_have_text(["Danger"])
    made = call("GET", "/v1/roads?near=44.1,15.3&radius_m=1000", token=courier.token)["items"]
    assert [one["location"] for one in made] == [{"lat": 44.1, "lon": 15.3}]


def test_a_list_of_the_road_that_is_cut_off_says_so(phone):
    courier = Courier()
    call("POST", "/v1/roads", {"kind": "danger", "road_type": "city", "title": "Jelen", "location": {"lat": 43.1, "lon": 16.1}}, courier.token)
    page = phone(lat=43.1, lon=16.1)

    def many(route):
        answer = route.fetch()
        for one in answer.json()["items"]:
            return route.fulfill(response=answer, json=answer.json() | {"items": [one | {"id": f"{number}"} for number in range(200)]})
        return route.fulfill(response=answer)

    page.route(re.compile(r"/v1/roads\?"), many)
    sign_in(page, courier)
    go(page, "Road")
    expect(page.get_by_text("Only the nearest 200 are shown.")).to_be_visible()


def test_an_empty_map_says_what_will_be_there(visit, look):
    store, courier = shop()
    page = visit("/store")
    sign_in(page, store)
    go(page, "Map")
    expect(page.get_by_text("Nothing is under way")).to_be_visible()
    expect(page.locator(".mapped > .map")).to_be_hidden()
    look(page, "map-empty")
    # From here one begins.
    page.get_by_role("button", name="New delivery").click()
    expect(page.get_by_role("dialog", name="New delivery")).to_be_visible()
    page.keyboard.press("Escape")
    store.deliver_to(courier)
    expect(page.get_by_text("What is under way has no place on the map")).to_be_visible()
    sent(store, courier, recipient=JAN)
    sign = page.locator(".mapped .leaflet-marker-icon[role=button]")
    expect(sign).to_be_in_viewport()
    # It is fitted to the room that it has now, however it gets there.
    middle = page.locator(".mapped > .map").bounding_box()
    until(page, lambda: abs(sign.bounding_box()["x"] + 16 - middle["x"] - middle["width"] / 2) < 40)
    expect(page.get_by_text("What is under way has no place on the map")).to_be_hidden()
    expect(page.get_by_text("1 more has no place on the map")).to_be_visible()
    app = visit("/courier", phone=True)
    sign_in(app, Courier(store, ("Luka", "Lukić")))
    go(app, "Map")
    expect(app.get_by_text("as soon as you accept something")).to_be_visible()
    look(app, "map-empty-courier")


def test_a_couriers_map_numbers_stops_as_its_jobs_stand_and_names_those_without_a_place(visit, look):
    store, courier = shop()
    for make in (lambda: sent(store, courier)[0], lambda: store.deliver_to(courier, recipient={"first_name": "Mia", "last_name": "Mić", "address": "Selska 1"}),
                 lambda: sent(store, courier, recipient=JAN)[0]):
        courier.act("accept", make())
    app = visit("/courier", phone=True)
    sign_in(app, courier)
    expect(app.locator(".in_progress li.card")).to_have_count(3)
    jobs = app.locator(".in_progress li.card h3").all_inner_texts()
    go(app, "Map")
    stops = app.locator(".stops li")
    expect(stops.locator("strong")).to_have_text(jobs)
    assert stops.locator("strong").evaluate_all("(all) => all.map((one) => one.dataset.stop)") == ["1. ", "2. ", "3. "]
    expect(stops.filter(has_text="No place on the map").locator("strong")).to_have_text(["Mia Mić"])
    at = jobs.index("Jan Perić") + 1
    expect(app.get_by_role("button", name=f"Stop {at}: Jan Perić")).to_be_visible()
    look(app, "map-numbers")


def test_a_courier_reads_when_it_is_expected_at_the_door(visit):
    store, courier = shop()
    delivery, _ = sent(store, courier)
    courier.act("accept", delivery)
    app = visit("/courier", phone=True)
    sign_in(app, courier)
    expect(app.locator(".in_progress .fetch")).to_be_visible()
    fix(courier)
    courier.act("pick_up", delivery)
    expect(app.locator(".in_progress .far-away")).to_contain_text(re.compile(r"Expected at .*\d\d:\d\d"))


def test_a_couriers_map_shows_what_is_offered_and_leads_to_it(visit, look):
    store, courier = shop()
    sent(store, courier, recipient=JAN)
    app = visit("/courier", phone=True)
    sign_in(app, courier)
    go(app, "Map")
    offer = app.get_by_role("button", name="Pending: Jan, Savska 102, Zagreb")
    expect(offer).to_be_in_viewport()
    # It is no stop, so that there is nothing to go to, and nothing missing.
    expect(app.locator("ol.stops li")).to_have_count(0)
    expect(app.get_by_text("no place on the map")).to_be_hidden()
    # By name it is told beside the map.
    expect(app.get_by_role("list", name="Offers").get_by_role("button")).to_contain_text(re.compile("Jan.*Savska 102", re.DOTALL))
    look(app, "map-offer")
    # A letter says which row is which sign, and the shop where it would be fetched is there, too.
    expect(offer).to_have_text("a")
    expect(app.get_by_role("list", name="Offers").locator("li")).to_have_text([re.compile("^aJan")])
    offer.click()
    app.get_by_role("dialog", name="Jan").get_by_role("button", name="Accept").click()
    expect(app.get_by_role("dialog").get_by_text("In progress")).to_be_visible()
    app.keyboard.press("Escape")
    go(app, "Map")
    expect(app.locator("ol.stops li")).to_have_count(1)
    expect(app.get_by_role("list", name="Offers").get_by_role("button")).to_have_count(0)
    expect(offer).to_have_count(0)


def test_a_wide_screen_keeps_the_room_of_the_map_that_is_to_come(visit, look):
    store, courier = shop()
    courier.act("accept", sent(store, courier)[0])
    page = visit("/courier")
    page.set_viewport_size({"width": 1440, "height": 900})
    held = []
    page.context.route("**/besidejobs.js", lambda route: held.append(route))
    sign_in(page, courier)
    card, beside = page.locator(".in_progress li.card"), page.locator(".map-of-jobs")
    expect(card).to_be_visible()
    until(page, lambda: held)
    before = card.bounding_box()
    for route in held:
        route.continue_()
    expect(page.get_by_role("button", name="Stop 1: Iva Ivić")).to_be_in_viewport()
    assert card.bounding_box() == before
    # Where nothing is offered the map has all the room; what comes then stands between.
    gap = lambda: beside.bounding_box()["x"] - before["x"] - before["width"]
    assert gap() < 40
    look(page, "jobs-map-wide-alone")
    sent(store, courier)
    expect(page.locator(".pending li.card")).to_be_in_viewport()
    until(page, lambda: gap() > 300)
    assert card.bounding_box() == before


def test_a_wide_screen_has_the_map_beside_the_jobs(visit, look):
    store, courier = shop()
    first = sent(store, courier)[0]
    page = visit("/courier")
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, courier)
    signs = page.locator(".map-of-jobs .map-sign")
    offer = page.get_by_role("button", name="Pending: Iva, Vukovarska 5")
    expect(offer).to_be_in_viewport()
    # There is no list beside it that has its letters.
    expect(offer).to_have_text("◔")
    courier.act("accept", first)
    expect(page.get_by_role("button", name="Stop 1: Iva Ivić")).to_be_in_viewport()
    expect(offer).to_have_count(0)
    look(page, "jobs-map-wide")
    page.get_by_role("button", name="Stop 1: Iva Ivić").click()
    expect(page.get_by_role("dialog", name="Iva Ivić")).to_be_visible()
    page.keyboard.press("Escape")
    # Where there is no room it is gone, and comes back.
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".map-of-jobs")).to_have_count(0)
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.get_by_role("button", name="Stop 1: Iva Ivić")).to_be_in_viewport()
    # Another view ends it.
    go(page, "Earnings")
    expect(signs).to_have_count(0)
