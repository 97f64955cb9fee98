"""Maps in the pages: what is under way for a store, its own stops for a courier who moves, and a place for a delivery."""
from playwright.sync_api import expect

from conftest import ADDRESS, call, go, kept, sign_in, until
from test_tracking import fix, sent, shop


def test_a_store_sees_its_deliveries_and_couriers_move(visit, look):
    store, courier = shop()
    delivery, _ = sent(store, courier)
    sent(store, courier, recipient={
        "first_name": "Jan", "last_name": "Perić", "address": "Savska 102, Zagreb", "location": {"lat": 45.7950, "lon": 15.9650}})
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
    courier.act("deliver", delivery)
    expect(stops).to_have_count(1)


def test_a_courier_sees_its_stops_and_says_where_it_is(chromium, look):
    store, courier = shop()
    first, _ = sent(store, courier)
    second, path = sent(store, courier, recipient={
        "first_name": "Jan", "last_name": "Perić", "address": "Savska 102, Zagreb", "location": {"lat": 45.7950, "lon": 15.9650}})
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


def test_a_place_is_set_on_the_map_with_keys(visit):
    store, courier = shop()
    page = visit("/store")
    sign_in(page, store)
    page.get_by_role("button", name="New delivery").click()
    form = page.get_by_role("dialog", name="New delivery")
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    form.get_by_text("Ana Anić").click()
    form.get_by_role("button", name="Set the place on the map").press("Enter")
    area = form.locator(".map.picker")
    expect(area.locator(".leaflet-control-scale-line")).to_be_visible()
    area.focus()
    page.keyboard.press("ArrowRight")
    form.get_by_role("button", name="Take this place").click()
    expect(form.get_by_role("status").filter(has_text="Place set")).to_be_visible()
    form.get_by_role("button", name="Create", exact=True).click()
    expect(form).to_have_count(0)
    made = call("GET", "/v1/deliveries", token=store.token)["items"][0]
    assert 45 < made["recipient"]["location"]["lat"] < 46 and 15 < made["recipient"]["location"]["lon"] < 17


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
