"""Maps whose tiles come from another server, which its operator has named: with that server's words on each of them."""
import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, call, go, sign_in
from test_tracking import fix, sent, shop


@pytest.mark.journey
def test_tiles_of_another_server_are_drawn_with_its_words(visit):
    tiles = call("GET", "/v1/about")["map"]["tiles"].split("{")[0]
    assert not tiles.startswith(("/", ADDRESS))
    store, courier = shop()
    delivery, path = sent(store, courier)
    courier.act("accept", delivery)
    fix(courier)
    courier.act("pick_up", delivery)

    def drawn(page):
        expect(page.locator(f".leaflet-tile-loaded[src^='{tiles}']").first).to_be_visible()
        expect(page.locator(".map-note")).to_have_text("© Susjedi")

    page = visit("/store", beside=(tiles,))
    sign_in(page, store)
    go(page, "Map")
    drawn(page)
    drawn(visit(path, beside=(tiles,)))
