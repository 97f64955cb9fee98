"""Addresses that are completed while they are typed, by keyboard and by touch, and places that are kept."""
import os
import re
import signal
import socket
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import Courier, Store, call, go, panel, rare, sign_in, unfold, until

# The stand-in of a geocoder: its process, and where it listens.
NUMBER, URL = os.environ["KURIR_FAR_AWAY"].split(" ")


def toggle(page, is_there):
    """Takes the geocoder away, or gives it back, and waits until it is so."""
    def answers():
        place = urllib.parse.urlsplit(URL)
        with socket.socket() as probe:
            return probe.connect_ex((place.hostname, place.port)) == 0
    os.kill(int(NUMBER), signal.SIGUSR1)
    until(page, lambda: answers() == is_there)


def new_delivery(visit, shop, **how):
    page = visit("/store", **how)
    sign_in(page, shop)
    page.get_by_role("button", name="New delivery").click()
    return page, page.get_by_role("dialog", name="New delivery")


def filled(form):
    return {name: form.locator(f"[name='recipient.{name}']").input_value() for name in ("first_name", "last_name", "address", "phone")}


def offered(form):
    """What is offered now; a list of sizes has options, too."""
    return form.get_by_role("listbox", name="Known places").get_by_role("option")


def made(shop):
    return call("GET", "/v1/deliveries", token=shop.token)["items"][0]


@pytest.mark.journey
def test_a_known_recipient_is_completed_by_keyboard_alone(visit, look):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana)
    shop.deliver_to(ana, recipient={"first_name": "Ivan", "last_name": "Horvat", "address": "Savska 102", "phone": "098 123 456"})
    page, form = new_delivery(visit, shop)
    first = form.get_by_role("combobox", name="First name")
    expect(first).to_be_focused()
    expect(first).to_have_attribute("aria-expanded", "false")
    page.keyboard.type("iva")
    options = offered(form)
    expect(options).to_have_text([re.compile("Ivan Horvat"), re.compile("Iva Ivić")])
    expect(first).to_have_attribute("aria-expanded", "true")
    expect(form.get_by_role("status").filter(has_text="2 found")).to_have_count(1)
    look(page, "completing")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    active = first.get_attribute("aria-activedescendant")
    assert active == options.nth(1).get_attribute("id")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    # One further is what was typed, and then it begins anew.
    page.keyboard.press("ArrowDown")
    assert first.get_attribute("aria-activedescendant") is None
    page.keyboard.press("ArrowDown")
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    # Escape closes what is offered, and nothing else.
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    expect(form).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(options).to_have_count(2)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert filled(form) == {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "phone": "+385 91 999 8877"}
    # On to what is not known yet.
    expect(form.get_by_label("What is delivered")).to_be_focused()
    # Of an address that is another one nobody knows where it is, which is said once it is left.
    missing = form.get_by_text("Place unknown: set it on the map.")
    address = form.get_by_label("Address")
    address.fill("Nepoznata 99")
    expect(missing).to_have_count(0)
    address.press("Tab")
    expect(missing).to_be_visible()
    address.fill("")
    expect(missing).to_have_count(0)
    expect(options).to_have_count(0)


@pytest.mark.journey
def test_an_address_comes_with_its_place_and_a_name_goes_to_nobody(visit, look):
    shop = Store()
    Courier(shop)
    page, form = new_delivery(visit, shop)
    asked = []
    page.on("request", lambda request: "/places/search" in request.url and asked.append(urllib.parse.parse_qs(urllib.parse.urlsplit(request.url).query)))
    form.get_by_label("First name").fill("Ilica")
    until(page, lambda: asked and asked[-1].get("own") == ["true"])
    expect(offered(form)).to_have_count(0)
    form.get_by_label("First name").fill("Iva")
    form.get_by_label("Last name").fill("Ivić")
    form.get_by_label("Address").press_sequentially("ilica 10")
    expect(offered(form)).to_have_text(["Ilica 1, 10000 Zagreb", "Ilica 10, 10000 Zagreb"])
    assert "own" not in asked[-1]
    expect(form.get_by_text("© OpenStreetMap", exact=True)).to_be_visible()
    look(page, "addresses")
    offered(form).nth(1).click()
    assert filled(form)["address"] == "Ilica 10, 10000 Zagreb" and filled(form)["first_name"] == "Iva"
    form.get_by_label("What is delivered").fill("Torta")
    form.get_by_label("Ana Anić").check()
    form.get_by_role("button", name="Create").click()
    expect(page.locator(".card strong")).to_have_text(["Iva Ivić"])
    assert made(shop)["recipient"]["location"] == {"lat": 45.81311, "lon": 15.97533}


def test_an_address_that_others_have_too_is_taken_without_them(visit):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana, recipient={"first_name": "Jan", "last_name": "Perić", "address": "Savska 102", "phone": "098 123 456"})
    _, form = new_delivery(visit, shop)

    def take():
        form.get_by_label("Address").fill("")
        form.get_by_label("Address").press_sequentially("savska 102")
        offered(form).filter(has_text="Jan Perić").click()

    for name, text in (("First name", "Luka"), ("Last name", "Lukić")):
        form.get_by_label(name).fill(text)
    take()
    assert filled(form) | {"address": ""} == filled(form) | {"first_name": "Luka", "last_name": "Lukić", "phone": "", "address": ""}
    assert filled(form)["address"] == "Savska 102"
    # Whoever lives there, and is meant, has the number, too.
    for name, text in (("First name", "Jan"), ("Last name", "Perić")):
        form.get_by_label(name).fill(text)
    take()
    assert filled(form)["phone"] == "+385 98 123 456"


def test_nobody_keeps_the_number_of_whom_was_taken_before(visit):
    shop = Store()
    ana = Courier(shop)
    for name, phone in ((("Ivan", "Horvat"), "098 123 456"), (("Iva", "Ivić"), None)):
        shop.deliver_to(ana, recipient={"first_name": name[0], "last_name": name[1], "address": "Savska 102", "phone": phone})
    _, form = new_delivery(visit, shop)

    def take(name):
        form.get_by_label("First name").fill("")
        form.get_by_label("First name").press_sequentially("iva")
        offered(form).filter(has_text=name).click()

    take("Ivan Horvat")
    assert filled(form)["phone"] == "+385 98 123 456"
    # Else she would get his link, and he hers.
    take("Iva Ivić")
    assert filled(form)["phone"] == "" and filled(form)["last_name"] == "Ivić"
    # What somebody has typed stays.
    form.get_by_label("Phone").fill("091 222 3344")
    take("Iva Ivić")
    assert filled(form)["phone"] == "091 222 3344"


def test_another_address_has_another_place_than_was_set_by_hand(visit):
    shop = Store()
    Courier(shop)
    page, form = new_delivery(visit, shop)
    for name, text in (("First name", "Iva"), ("Last name", "Ivić"), ("What is delivered", "Torta")):
        form.get_by_label(name).fill(text)

    def take():
        form.get_by_label("Address").fill("")
        form.get_by_label("Address").press_sequentially("ilica 10")
        offered(form).filter(has_text="Ilica 10,").click()

    for button, state in (("Take this place", "✓ Place set"), ("Without a place", "")):
        form.get_by_role("button", name="Set the place on the map").click()
        expect(form.locator(".leaflet-control-scale-line")).to_be_visible()
        form.locator(".map.picker").press("ArrowRight")
        form.get_by_role("button", name=button).click()
        expect(form.locator(".field > .actions [role=status]")).to_have_text(state)
        take()
        expect(form.locator(".field > .actions [role=status]")).to_have_text("✓ Place set")
    form.get_by_label("Ana Anić").check()
    form.get_by_role("button", name="Create").click()
    expect(page.locator(".card strong")).to_have_text(["Iva Ivić"])
    assert made(shop)["recipient"]["location"] == {"lat": 45.81311, "lon": 15.97533}


def test_an_address_that_is_typed_whole_has_its_place(visit):
    """Also if whoever types it goes on before anything was offered."""
    shop = Store()
    Courier(shop)
    page, form = new_delivery(visit, shop)
    for name, text in (("First name", "Iva"), ("Last name", "Ivić"), ("What is delivered", "Torta")):
        form.get_by_label(name).fill(text)
    place = form.locator(".field > .actions [role=status]")
    # Of a street alone nobody knows which door is meant.
    form.get_by_label("Address").fill("Ilica")
    form.get_by_label("Address").press("Tab")
    expect(form.get_by_text("Place unknown: set it on the map.")).to_be_visible()
    expect(place).to_have_text("")
    form.get_by_label("Address").fill("ilica 10")
    form.get_by_label("Address").press("Tab")
    expect(place).to_have_text("✓ Place set")
    expect(form.get_by_text("Place unknown: set it on the map.")).to_have_count(0)
    form.get_by_label("Ana Anić").check()
    form.get_by_role("button", name="Create").click()
    expect(page.locator(".card strong")).to_have_text(["Iva Ivić"])
    made_now = made(shop)["recipient"]
    assert (made_now["address"], made_now["location"]) == ("ilica 10", {"lat": 45.81311, "lon": 15.97533})


def test_an_address_that_was_typed_further_has_no_place(visit):
    shop = Store()
    Courier(shop)
    page, form = new_delivery(visit, shop, phone=True)
    for name, text in (("First name", "Iva"), ("Last name", "Ivić"), ("What is delivered", "Torta")):
        form.get_by_label(name).fill(text)
    form.get_by_label("Address").press_sequentially("savska")
    offered(form).tap()
    expect(form.get_by_label("Address")).to_have_value("Savska cesta 102, 10000 Zagreb")
    form.get_by_label("Address").fill("Savska cesta 103, Zagreb")
    form.get_by_label("Ana Anić").check()
    form.get_by_role("button", name="Create").click()
    expect(page.locator(".card strong")).to_have_text(["Iva Ivić"])
    assert made(shop)["recipient"]["location"] is None


def test_a_form_goes_on_without_the_geocoder(visit):
    shop = Store()
    Courier(shop)
    page, form = new_delivery(visit, shop)
    toggle(page, False)
    try:
        form.get_by_label("Address").press_sequentially("trg republike")
        expect(form.locator(".offered").get_by_text("Addresses cannot be looked up now.")).to_be_visible()
        expect(form.get_by_role("combobox", name="Address")).to_have_attribute("aria-expanded", "false")
    finally:
        toggle(page, True)
    form.get_by_label("Address").fill("")
    expect(form.locator(".offered:visible")).to_have_count(0)


def test_the_same_again_is_a_new_delivery(visit, look):
    shop = Store()
    ana = Courier(shop)
    place = {"lat": 45.8, "lon": 15.97}
    recipient = {"first_name": "Mia", "last_name": "Mić", "address": "Savska 7", "phone": "091 999 8877", "location": place}
    first = shop.deliver_to(ana, recipient=recipient, reference="R-1", instructions="Zvono dvaput", parcel={"pieces": 2, "fragile": True},
                            pickup={"address": "Gajeva 3"})
    ana.act("accept", first)
    ana.act("deliver", first)
    page = visit("/store")
    sign_in(page, shop)
    unfold(page, "delivered")
    page.get_by_role("button", name=re.compile("Mia Mić")).click()
    rare(page)
    page.get_by_role("button", name="Copy as new", exact=True).click()
    form = page.get_by_role("dialog", name="New delivery")
    assert filled(form) == {"first_name": "Mia", "last_name": "Mić", "address": "Savska 7", "phone": "+385 91 999 8877"}
    expect(form.locator("[name=reference]")).to_have_value("")
    look(page, "again")
    form.get_by_label("Ana Anić").check()
    form.get_by_role("button", name="Create").click()
    until(page, lambda: made(shop)["id"] != first)
    again = made(shop)
    assert again["status"] == "pending" and again["reference"] is None
    assert again["recipient"]["location"] == place and again["instructions"] == "Zvono dvaput"
    assert again["parcel"]["pieces"] == 2 and again["pickup"]["address"] == "Gajeva 3"


def test_places_are_kept_put_in_order_and_chosen(visit, look):
    shop = Store()
    ana = Courier(shop)
    for who, path, phone in ((shop, "/store", False), (ana, "/courier", True)):
        page = visit(path, phone=phone, forgiving=("409",))
        sign_in(page, who)
        go(page, "Settings")
        kept = panel(page, "Places")
        expect(kept.get_by_text("Nothing is kept yet.")).to_be_visible()
        for name, address in (("Office", "ilica 1"), ("Home", "savska")):
            kept.get_by_role("button", name="New place").click()
            form = page.get_by_role("dialog", name="New place")
            form.get_by_label("Name").fill(name)
            form.get_by_label("Address").press_sequentially(address)
            offered(form).first.click()
            form.get_by_role("button", name="Save").click()
            expect(kept.locator("li strong").filter(has_text=name)).to_be_visible()
        expect(kept.locator("li strong")).to_have_text(["Office", "Home"])
        places = call("GET", "/v1/places", token=who.token)
        assert places["items"][0]["location"] == {"lat": 45.81302, "lon": 15.97726} and places["selected"] is None
        kept.get_by_role("button", name="Move Home up").click()
        expect(kept.locator("li strong")).to_have_text(["Home", "Office"])
        kept.get_by_role("radio", name="Office").check()
        until(page, lambda: call("GET", "/v1/places", token=who.token)["selected"] == places["items"][0]["id"])
        # The same once more is refused in words.
        kept.get_by_role("button", name="Change Home").click()
        form = page.get_by_role("dialog", name="Change Home")
        form.get_by_label("Name").fill("OFFICE")
        form.get_by_label("Address").fill("Ilica 1, 10000 zagreb")
        form.get_by_label("Address").press("Tab")
        form.get_by_role("button", name="Save").click()
        expect(form.get_by_role("alert")).to_contain_text("You keep this place already")
        form.get_by_label("Name").fill("Weekend")
        form.get_by_role("button", name="Save").click()
        expect(kept.locator("li strong")).to_have_text(["Weekend", "Office"])
        assert call("GET", "/v1/places", token=who.token)["items"][0]["location"] is None
        look(page, f"places-{path[1:]}")
        page.reload()
        expect(kept.get_by_role("radio", name="Office")).to_be_checked()
        kept.get_by_role("button", name="Delete Office").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(kept.locator("li strong")).to_have_text(["Weekend"])
        expect(kept.get_by_role("radio", name="Where I am")).to_be_checked()
