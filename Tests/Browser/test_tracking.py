"""The recipient's page: without a script and with one, in every state, on small phones, in sunlight and in the dark."""
import datetime
import itertools
import math
import re
import zoneinfo

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import ADDRESS, PICTURES, Courier, Store, call, escape, go, message_to, minutes, numbers, panel, rare, rest, sign_in, until

DOOR = {"lat": 45.8086, "lon": 15.9830}


def shop(name="Pekara Klas"):
    store = Store(name)
    return store, Courier(store)


def sent(store, courier, **more):
    """A delivery with its place, and the path of its page."""
    recipient = {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "location": DOOR}
    delivery = store.deliver_to(courier, **({"recipient": recipient, "window": {"until": minutes(40)}} | more))
    url = call("POST", f"/v1/deliveries/{delivery}/tracking", {}, store.token)["url"]
    return delivery, "/t/" + url.rsplit("/", 1)[1]


def fix(courier, lat=45.8150, lon=15.9780):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    call("POST", "/v1/me/positions", {"fixes": [{"lat": lat, "lon": lon, "accuracy_m": 8, "at": now}]}, courier.token)


def looked_at(page, name):
    """A picture of it, on which axe must find nothing, and which is no wider than its screen."""
    found = Axe().run(page).response["violations"]
    page.screenshot(path=PICTURES / f"track-{name}.png", full_page=True)
    assert not found, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


@pytest.mark.parametrize("dark", [False, True])
def test_each_state_looks_as_it_should(chromium, dark):
    store, courier = shop()
    delivery, path = sent(store, courier, proof={"pin": True}, cash={"amount": 2350, "currency": "EUR"})
    context = chromium.new_context(
        base_url=ADDRESS, locale="en-GB", viewport={"width": 320, "height": 640}, color_scheme="dark" if dark else "light")
    page = context.new_page()

    def see(name, text):
        page.goto(path)
        expect(page.locator(".said")).to_contain_text(text)
        looked_at(page, f"{name}-{'dark' if dark else 'light'}")

    see("waiting", "Your delivery is being prepared.")
    courier.act("accept", delivery)
    see("accepted", "Ana will bring your delivery.")
    courier.act("pick_up", delivery)
    fix(courier)
    see("next", "Ana is coming to you now.")
    # Who is brought it has it ready.
    expect(page.locator(".cash")).to_have_text("Have €23.50 in cash ready.")
    expect(page.locator("#map .leaflet-marker-icon")).to_have_count(2)
    expect(page.locator("#map .leaflet-control-scale-line")).to_be_visible()
    courier.act("fail", delivery, reason="nobody_home")
    see("failed", "Ana could not hand over your delivery.")
    expect(page.locator(".why")).to_have_text("Nobody home. If you can take it after all, call Pekara Klas.")
    expect(page.locator("[data-part=state] .call")).to_be_visible()
    expect(page.locator(".call")).to_have_count(1)
    # What to do about it is one touch, and need not be unfolded.
    expect(page.get_by_role("button", name="I am home now")).to_be_visible()
    pin = call("GET", f"/v1/deliveries/{delivery}", token=store.token)["pin"]
    expect(page.locator(".digits")).to_contain_text(pin)
    courier.act("deliver", delivery, pin=pin, received_by="Marko", cash_collected={"amount": 2350, "currency": "EUR"})
    see("delivered", "Your delivery has arrived.")
    expect(page.locator(".cash")).to_have_count(0)
    call("DELETE", f"/v1/deliveries/{delivery}/tracking", token=store.token)
    page.goto(path)
    expect(page.locator("h1")).to_have_text("This link is over")
    looked_at(page, f"over-{'dark' if dark else 'light'}")
    context.close()


def test_before_there_is_a_map_to_see_it_loads_little(chromium):
    store, courier = shop()
    _, path = sent(store, courier)
    context = chromium.new_context(base_url=ADDRESS, locale="en-GB", viewport={"width": 390, "height": 844})
    page, loaded = context.new_page(), []
    page.on("requestfinished", lambda request: loaded.append(request))
    page.goto(path)
    until(page, lambda: any(request.url.endswith("/track.js") for request in loaded))
    sizes = {request.url: len(request.response().body()) for request in list(loaded)}
    assert sum(sizes.values()) < 30 * 1024, sizes
    assert not [url for url in sizes if "leaflet" in url or "map" in url], sizes
    context.close()


@pytest.mark.parametrize("locale, said, send", [
    ("en-GB", "Ana will bring your delivery.", "Send"), ("hr-HR", "Ana ide po vašu dostavu.", "Pošaljite"),
    ("de-DE", "Ana holt Ihre Lieferung ab.", "Senden"), ("fr-FR", "Ana will bring your delivery.", "Send")])
@pytest.mark.journey
def test_it_says_and_takes_everything_without_a_script(chromium, locale, said, send):
    store, courier = shop()
    delivery, path = sent(store, courier)
    courier.act("accept", delivery)
    context = chromium.new_context(base_url=ADDRESS, locale=locale, java_script_enabled=False)
    page = context.new_page()
    answer = page.goto(path)
    assert len(answer.body()) < 30 * 1024
    assert answer.headers["x-robots-tag"].startswith("noindex") and answer.headers["referrer-policy"] == "no-referrer"
    expect(page.locator(".said")).to_contain_text(said)
    due = call("GET", f"/v1/deliveries/{delivery}", token=store.token)["due_at"]
    expect(page.locator(".said .about time")).to_have_text(
        datetime.datetime.fromisoformat(due.replace("Z", "+00:00")).astimezone(zoneinfo.ZoneInfo("Europe/Zagreb")).strftime("%H:%M"))
    expect(page.locator("a.call")).to_have_attribute("href", "tel:+38514828111")
    page.locator("summary").click()
    page.locator("#wish").fill("Zvono ne radi")
    page.get_by_role("button", name=send).click()
    expect(page.locator(".given q")).to_have_text("Zvono ne radi")
    # What most wish is one touch.
    page.locator("summary").click()
    usual = page.locator(".quick button")
    expect(usual).to_have_count(3)
    said = usual.nth(1).text_content()
    usual.nth(1).click()
    expect(page.locator(".given q")).to_have_text(said)
    assert [wish["text"] for wish in call("GET", f"/v1/deliveries/{delivery}", token=courier.token)["wishes"]] == ["Zvono ne radi", said]
    courier.act("deliver", delivery)
    page.goto(path)
    page.locator(".stars label").nth(3).click()
    page.locator("#rating").fill("Hvala!")
    page.get_by_role("button", name=send).click()
    expect(page.locator(".given")).to_contain_text("★★★★")
    assert call("GET", f"/v1/deliveries/{delivery}", token=store.token)["rating"] | {"at": 0} == {"stars": 4, "text": "Hvala!", "at": 0}
    context.close()


@pytest.mark.journey
def test_it_is_live_and_leaves_alone_what_is_written(visit):
    store, courier = shop()
    delivery, path = sent(store, courier)
    page = visit(path, phone=True)
    expect(page.locator(".said")).to_contain_text("is being prepared")
    courier.act("accept", delivery)
    expect(page.locator(".said")).to_contain_text("Ana will bring your delivery.")
    expect(page.locator(".steps [aria-current]")).to_have_text("Accepted")
    assert page.locator("[data-part=state]").get_attribute("aria-live") == "polite"
    page.locator("summary").click()
    page.locator("#wish").type("Nazovite pr")
    expect(page.locator("#map")).to_be_hidden()
    courier.act("pick_up", delivery)
    fix(courier)
    expect(page.locator(".said")).to_contain_text("Ana is coming to you now.")
    expect(page.locator(".said .about")).to_contain_text("Expected about")
    expect(page.locator("#wish")).to_have_value("Nazovite pr")
    # The map comes with the courier, and the courier moves on it.
    marker = page.locator("#map .leaflet-marker-icon[aria-label='The courier']")
    expect(marker).to_be_visible()
    before = marker.bounding_box()
    # Whose sign is whose is read beside it, and a line leads from one to the other.
    assert page.locator("#map .dot").evaluate_all("(all) => all.map((one) => one.dataset.name)") == ["You", "Ana"]
    line = page.locator("#map path.map-way")
    way = line.get_attribute("d")
    fix(courier, lat=45.8100, lon=15.9820)
    until(page, lambda: marker.bounding_box() != before)
    until(page, lambda: line.get_attribute("d") != way)
    # Whoever was brought it in vain is told no time that is over.
    courier.act("fail", delivery, reason="nobody_home")
    expect(page.locator(".about")).to_have_count(0)
    courier.act("deliver", delivery)
    expect(page.locator(".said")).to_contain_text("Your delivery has arrived.")
    expect(page.locator("#map")).to_be_hidden()
    expect(page.get_by_role("group", name="How was it?")).to_be_visible()


def test_nobody_who_waits_is_left_without_a_word(chromium):
    store, courier = shop()
    page = chromium.new_context(base_url=ADDRESS, locale="en-GB").new_page()
    _, path = sent(store, courier, window=None)
    page.goto(path)
    # Where no time was said.
    expect(page.locator(".said")).to_contain_text("as soon as possible")
    delivery, path = sent(store, courier, window={"until": minutes(1)})
    page.goto(path)
    expect(page.locator(".said")).to_contain_text("is being prepared.")
    expect(page.locator(".said")).to_contain_text("Due by")
    expect(page.locator(".said")).not_to_contain_text("as soon as possible")
    page.context.close()


def test_a_map_that_could_not_be_loaded_is_loaded_at_the_next_move(visit):
    store, courier = shop()
    delivery, path = sent(store, courier)
    page = visit(path, phone=True, forgiving=("ERR_FAILED",))
    expect(page.locator(".said")).to_contain_text("is being prepared")
    page.route("**/trackmap.js", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        courier.act("accept", delivery)
        courier.act("pick_up", delivery)
        fix(courier)
    expect(page.locator("#map")).to_be_hidden()
    page.unroute("**/trackmap.js")
    fix(courier, lat=45.8100, lon=15.9820)
    expect(page.locator("#map .leaflet-marker-icon[aria-label='The courier']")).to_be_visible()


def test_a_map_that_comes_after_the_end_stays_away(visit):
    store, courier = shop()
    delivery, path = sent(store, courier)
    page = visit(path, phone=True)
    expect(page.locator(".said")).to_contain_text("is being prepared")
    held, finished, is_over = [], [], []
    page.on("requestfinished", lambda request: finished.append(request))
    page.route("**/trackmap.js", lambda route: route.continue_() if is_over else held.append(route))
    courier.act("accept", delivery)
    courier.act("pick_up", delivery)
    fix(courier)
    until(page, lambda: held)
    courier.act("deliver", delivery)
    expect(page.locator(".said")).to_contain_text("Your delivery has arrived.")
    is_over.append(True)
    for route in held:
        route.continue_()
    until(page, lambda: all(route.request in finished for route in held))
    # Whoever asks later for what is loaded has it later.
    page.evaluate("import(new URL('trackmap.js', document.querySelector('script[type=module]').src)).then(() => {})")
    rest(page)
    expect(page.locator("#map")).to_be_hidden()


def metres(one, other):
    """As far as that is along a great circle."""
    (south, west), (north, east) = [[math.radians(place[axis]) for axis in ("lat", "lon")] for place in (one, other)]
    part = math.sin((north - south) / 2) ** 2 + math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(part))


def scale(area):
    """Metres to a pixel, by the line that a map shows."""
    line = area.locator(".leaflet-control-scale-line")
    count, unit = line.inner_text().split()
    return int(count) * {"m": 1, "km": 1000}[unit] / line.bounding_box()["width"]


def centre(sign):
    box = sign.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_on_the_plain_grid_distances_are_those_of_its_scale(visit):
    """Only where the server has no map."""
    assert not call("GET", "/v1/about").get("map")
    store, courier = shop()
    jan = {"first_name": "Jan", "last_name": "Perić", "address": "Savska 102, Zagreb", "location": {"lat": 45.7950, "lon": 15.9650}}
    (first, _), (second, path) = sent(store, courier, recipient=jan), sent(store, courier)
    for delivery in (first, second):
        courier.act("accept", delivery)
        courier.act("pick_up", delivery)
    call("PUT", "/v1/me/route", {"delivery_ids": [first, second]}, courier.token)
    here = {"lat": 45.8150, "lon": 15.9780}
    fix(courier, **here)

    def is_right(area, signs):
        """Whether it is as far between any two signs as the scale says. Signs and the scale's line stand on whole pixels."""
        return all(abs(math.dist(centre(one), centre(other)) * scale(area) - metres(at, to)) < 0.02 * metres(at, to) + 1.5 * scale(area)
                   for (one, at), (other, to) in itertools.combinations(signs, 2))

    page = visit("/store")
    page.emulate_media(reduced_motion="reduce")
    sign_in(page, store)
    go(page, "Map")
    area = page.locator(".map")
    expect(area.locator(".grid-tile").first).to_be_attached()
    signs = [(area.locator(f".leaflet-marker-icon[aria-label{what}]"), at)
             for what, at in (("*='Jan Perić'", jan["location"]), ("*='Iva Ivić'", DOOR), ("^='Ana'", here))]
    for sign, _ in signs:
        expect(sign).to_be_visible()
    until(page, lambda: is_right(area, signs))
    page.locator(".stops button", has_text="Iva Ivić").click()
    way = area.locator("path.map-way")
    expect(way).to_have_count(1)
    along = metres(here, jan["location"]) + metres(jan["location"], DOOR)
    until(page, lambda: abs(way.evaluate("(way) => way.getTotalLength()") * scale(area) / along - 1) < 0.03)
    page.keyboard.press("Escape")
    before = scale(area)
    for label, factor in (("Farther", 2), ("Closer", 1)):
        area.get_by_role("button", name=label).click()
        until(page, lambda: abs(scale(area) / before / factor - 1) < 0.03)
        assert is_right(area, signs)

    for is_phone in (True, False):
        recipient = visit(path, phone=is_phone)
        area = recipient.locator("#map")
        signs = [(area.locator(f".leaflet-marker-icon[aria-label='{label}']"), at) for label, at in (("The courier", here), ("You", DOOR))]
        for sign, _ in signs:
            expect(sign).to_be_visible()
        until(recipient, lambda: is_right(area, signs))
        # Where there is room it stands beside what is said.
        steps = recipient.locator(".steps").bounding_box()
        assert (area.bounding_box()["x"] > steps["x"] + steps["width"]) is not is_phone


@pytest.mark.journey
def test_a_store_gives_the_link_ends_it_and_reads_what_was_thought(visit, look):
    store, courier = shop()
    delivery, _ = sent(store, courier, recipient={"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "location": DOOR, "phone": "+385919998877"})
    page = visit("/store")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(page, store)
    card = page.get_by_role("dialog", name="Iva Ivić")

    def link():
        page.locator(f"[data-key='{delivery}'] .card").click()
        rare(page)
        card.get_by_role("button", name="Recipient’s link").click()
        url = card.locator(".link a").first.get_attribute("href")
        until(page, lambda: page.evaluate("navigator.clipboard.readText()") == url)
        return "/t/" + url.rsplit("/", 1)[1]

    path = link()
    # It goes out by hand as an invite does.
    sms = card.get_by_role("link", name="By your own SMS").get_attribute("href")
    assert re.fullmatch(r"sms:\+385919998877\?&body=Pekara%20Klas%3A%20follow%20your%20delivery%20here%3A%20http.*" + path.rsplit("/", 1)[1], sms), sms
    first = visit(path, forgiving=("410",))
    expect(first.locator(".said")).to_contain_text("is being prepared")
    look(page, "recipient-link")
    card.get_by_role("button", name="Revoke the link").click()
    expect(card.locator(".link")).to_be_hidden()
    expect(first.locator("h1")).to_have_text("This link is over")
    escape(page)
    recipient = visit(link(), phone=True)
    courier.act("accept", delivery)
    courier.act("deliver", delivery)
    recipient.locator(".stars label").nth(3).click()
    recipient.locator("#rating").fill("Brzo i toplo")
    recipient.get_by_role("button", name="Send").click()
    for words in ("4 of 5 stars", "Brzo i toplo"):
        expect(card.locator(".rating")).to_contain_text(words)
    # The link that was shown stays, though the rest was drawn anew.
    expect(card.locator(".link a").first).to_be_visible()
    look(page, "rated")
    # One alone does not tell the courier who gave how many.
    for _ in range(9):
        other, path = sent(store, courier)
        courier.act("accept", other)
        courier.act("deliver", other)
        call("POST", f"/v1/tracking/{path.removeprefix('/t/')}/rating", {"stars": 4})
    phone = visit("/courier", phone=True)
    sign_in(phone, courier)
    go(phone, "Stores")
    expect(panel(phone, "Your reliability")).to_contain_text("Recipients give you 4 of 5 stars")


def test_a_store_has_its_recipients_told_by_sms(visit):
    store, courier = shop()
    number = f"+38598{next(numbers):07d}"
    page = visit("/store")
    sign_in(page, store)
    go(page, "Settings")
    usual = panel(page, "Handing over")
    usual.get_by_label("Text recipients").check()
    expect(page.get_by_text("Saved.")).to_be_visible()
    delivery, _ = sent(store, courier, recipient={"first_name": "Iva", "last_name": "Ivić", "address": "Savska 1", "phone": number})
    courier.act("accept", delivery)
    courier.act("pick_up", delivery)
    assert "/t/" in message_to(number)["body"]


def test_a_link_that_ends_says_so_by_itself(visit):
    store, courier = shop()
    delivery, path = sent(store, courier)
    page = visit(path, forgiving=("410",))
    expect(page.locator(".said")).to_be_visible()
    call("DELETE", f"/v1/deliveries/{delivery}/tracking", token=store.token)
    expect(page.locator("h1")).to_have_text("This link is over")


def test_the_stars_are_chosen_with_keys(visit):
    store, courier = shop()
    delivery, path = sent(store, courier)
    courier.act("accept", delivery)
    courier.act("deliver", delivery)
    page = visit(path)
    page.get_by_role("radio", name="1").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="5")).to_be_checked()
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".given")).to_contain_text("You gave 5 of 5 stars.")


def test_on_a_narrow_phone_no_word_is_broken_and_the_stars_stay_on_their_card(chromium):
    store, courier = shop()
    delivery, path = sent(store, courier)
    context = chromium.new_context(base_url=ADDRESS, locale="de-DE", viewport={"width": 320, "height": 640})
    page = context.new_page()
    courier.act("accept", delivery)
    courier.act("pick_up", delivery)
    page.goto(path)
    steps = page.locator(".steps li span")
    expect(steps).to_have_text(["In Arbeit", "Angenommen", "Unterwegs", "Zugestellt"])
    # Since when it is there says how long it may still take where nothing else does.
    expect(page.locator(".steps [aria-current]")).to_have_text(re.compile(r"^Unterwegs \d\d:\d\d$"))
    # A word that is broken takes two lines, and one that is not has no part outside of its place.
    for step in steps.all():
        lines, words, inside = step.evaluate("""(step) => [
            new Set([...step.getClientRects()].map((line) => Math.round(line.top))).size, step.textContent.split(' ').length,
            step.getBoundingClientRect().right <= step.parentElement.getBoundingClientRect().right + 0.5]""")
        assert lines <= words and inside, step.text_content()
    looked_at(page, "next-narrow-de")
    courier.act("deliver", delivery)
    page.goto(path)
    card, stars = page.locator(".rate").bounding_box(), [star.bounding_box() for star in page.locator(".stars label").all()]
    assert len(stars) == 5 and all(star["width"] >= 44 for star in stars)
    assert card["x"] + 16 <= stars[0]["x"] and stars[-1]["x"] + stars[-1]["width"] <= card["x"] + card["width"] - 16
    looked_at(page, "rating-narrow-de")
    context.close()
