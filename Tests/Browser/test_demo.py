"""What `make demo` shows: weeks of history, and a board that moves by itself."""
import json
import os
import re
import time
import urllib.error

import pytest
from playwright.sync_api import expect

from conftest import call, go, live, minutes, pushed, unfold, until


def on_map(page):
    """Waits for the map, and gives its couriers."""
    expect(page.locator(".map .leaflet-tile-loaded").first).to_be_visible()
    riders = page.locator(".map .leaflet-marker-icon:has(.courier)")
    expect(riders.first).to_be_visible()
    return riders


def see_the_board(page, look, token):
    """A full afternoon, and its map beside it, as a store has them before it all day."""
    couriers = [one["id"] for one in call("GET", "/v1/partners?limit=100", token=token)["items"]]
    before = call("GET", "/v1/deliveries?status=delivered&limit=50", token=token)["items"]
    for number, one in enumerate(before[:16]):
        call("POST", "/v1/deliveries", {
            "recipient": {name: value for name, value in one["recipient"].items() if value}, "description": one["description"],
            "window": {"until": minutes(15 + 4 * number)}, "courier_ids": couriers}, token)
    page.evaluate("localStorage.removeItem('kurir.unfolded'), localStorage.setItem('kurir.device', 'none')")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.reload()
    live(page)
    on_map(page)
    expect(page.locator(".column.open .card.in_progress").nth(5)).to_be_visible()
    expect(page.locator(".column.open .card").nth(11)).to_be_visible()
    expect(page.locator(".map-beside .leaflet-marker-icon:not(:has(.courier))").nth(9)).to_be_visible()
    look(page, "demo-board")
    page.set_viewport_size({"width": 1360, "height": 860})


@pytest.mark.journey
def test_one_courier_is_left_to_whoever_tries_it():
    session = call("POST", "/v1/sessions", {"phone": "+385915550100", "password": "kurir vozi svaki dan"})
    ana = session["token"]
    call("PUT", "/v1/me/devices/phone", {"platform": "webpush"} | json.loads(os.environ["KURIR_DEVICE"]), ana)
    tried, taken = 0, None

    def accepted(offer):
        try:
            call("POST", f"/v1/deliveries/{offer['data']['delivery_id']}/accept", {}, ana)
            return True
        except urllib.error.HTTPError as refusal:
            # Others are quicker with what is offered to them, too.
            assert refusal.code in (404, 409)

    while not taken:
        # A new one comes once a minute, for who has none.
        while len(pushed()) <= tried:
            time.sleep(0.5)
        offer, tried = pushed()[tried], tried + 1
        taken = offer["kind"] == "delivery_offered" and accepted(offer) and offer["data"]["delivery_id"]
    # Nobody else works with it.
    mine = call("GET", f"/v1/deliveries/{taken}", token=ana)
    # README's two accounts can work together at once.
    shop = call("POST", "/v1/sessions", {"email": "pekara@example.com", "password": "kurir vozi svaki dan"})
    assert session["account"]["id"] in [one["id"] for one in call("GET", "/v1/partners?limit=100", token=shop["token"])["items"]]
    assert mine["status"] == "in_progress" and "deliver" in mine["allowed_actions"]


@pytest.mark.journey
def test_a_demo_has_a_past_and_goes_on(visit, look):
    # Figures are refused that a machine with too much else to do has no two seconds for.
    page = visit("/store", forgiving=["status of 503"])
    page.get_by_label("E-mail").fill("pekara@example.com")
    page.get_by_label("Password").fill("kurir vozi svaki dan")
    page.get_by_role("button", name="Sign in").click()
    live(page)
    # At least so many: others come meanwhile.
    for status, count in [("delivered", 50), ("cancelled", 6)]:
        unfold(page, status)
        expect(page.locator(f".column.{status} .card").nth(count - 1)).to_be_visible()
    # What is created next is on the board without a reload.
    session = call("POST", "/v1/sessions", {"email": "pekara@example.com", "password": "kurir vozi svaki dan"})
    place, made = call("GET", "/v1/events?after=now", token=session["token"])["next_cursor"], []
    while not made:
        events = call("GET", f"/v1/events?after={place}&wait_seconds=30", token=session["token"])["items"]
        place = events[-1]["cursor"] if events else place
        made = [event["delivery_id"] for event in events if event["type"] == "delivery.created"]
    expect(page.locator(f"[data-key='{made[0]}']")).to_be_visible()

    # Couriers ride along the streets of a town of its own.
    call("PATCH", "/v1/me", {"language": "en"}, session["token"])
    see_the_board(page, look, session["token"])
    go(page, "Map")
    riders = on_map(page)
    places = lambda: riders.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label').split(',')[0] + one.style.transform)")
    before = set(places())
    until(page, lambda: len(set(places()) - before) > 1)
    look(page, "demo-map")
    # They write to each other, and answer.
    page.get_by_role("link", name=re.compile("^Messages")).click()
    # Where this is run again, the courier has answered already.
    taken = re.compile("Preuzeto, stižem za deset minuta|U redu, krećem")
    for words in ["Hvala, javi se kad kreneš natrag", taken, "Gospođa Kovač, drugi kat"]:
        expect(page.locator(".talks .last").filter(has_text=words)).to_be_visible()
    page.locator(".talks a").filter(has_text=taken).click()
    said = page.locator(".bubble .words")
    expect(said.nth(2)).to_have_text(re.compile("Preuzeto"))
    before = said.count()
    look(page, "demo-talk")
    page.get_by_role("textbox", name="Message").fill("Ring twice")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(said).to_have_count(before + 2)
    expect(said).to_have_text([re.compile("Parking"), re.compile("kutije"), re.compile("Preuzeto"), *["Ring twice", "U redu, krećem"] * (before // 2)])
    # There is something to be read, and something on the road.
    go(page, "News")
    expect(page.get_by_text("U subotu otvaramo u šest")).to_be_visible()
    found = call("GET", "/v1/roads?near=45.81,15.97&radius_m=10000", token=session["token"])["items"]
    assert [one["title"] for one in found] == ["Radovi na cijevima, jedan trak"]
    go(page, "Weather")
    expect(page.locator(".days li")).to_have_count(8)
    expect(page.get_by_text(re.compile("^From demo, as of"))).to_be_visible()
    look(page, "demo-day")
    go(page, "Figures")
    again = page.get_by_role("main").get_by_role("button", name="Try again")
    shown = page.locator(".bars li").first
    expect(shown.or_(again).first).to_be_visible()
    while not shown.is_visible():
        again.first.click()
        expect(shown.or_(again).first).to_be_visible()
    assert page.locator(".chart rect").count() > 30
    look(page, "demo-figures")
