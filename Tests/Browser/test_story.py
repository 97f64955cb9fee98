"""The whole product at work, on several screens at once."""
import io
import re

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from conftest import (
    ADDRESS, PASSWORD, Courier, Store, call, escape, go, hold, live, minutes, more, numbers, panel, rare, release, rest, sign_in, tax_id, unfold, until)


def register_store(page):
    page.get_by_role("button", name="Register").click()
    for label, text in [("Name of the store", "Pekara Kruh"), ("E-mail", f"shop{next(numbers)}@example.com"), ("OIB", tax_id()),
                        ("Address", "Ilica 1, Zagreb"), ("Phone", "01 4828 111"), ("Password", PASSWORD)]:
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Register").click()
    live(page)


def invite(store, phone):
    """Invites by number, and gives the link that is shown, which the picture says too."""
    go(store, "Couriers")
    store.get_by_label("Phone").fill(phone)
    store.get_by_label("A few words").fill("Welcome")
    store.get_by_role("button", name="Invite by number").click()
    dialog = store.get_by_role("dialog")
    code = dialog.locator(".code").inner_text()
    link = dialog.locator(".pass").get_by_role("link").get_attribute("href")
    picture = dialog.get_by_role("img")
    picture.evaluate("(picture) => picture.decode()")
    (read,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(picture.screenshot())))
    assert read.text == link and link.endswith(f"/i/{code}")
    return link


def register_courier(page, look, name, phone):
    """By the invite's page, with the code filled in."""
    page.locator("a.button").click()
    # Who invites is said there, too, and the code is at hand.
    expect(page.get_by_role("heading", level=1)).to_contain_text("invites you")
    look(page, "courier-register")
    assert re.fullmatch(r"[0-9A-Z]{5}-[0-9A-Z]{5}", page.get_by_label("Invite code").input_value())
    for label, text in [("First name", name[0]), ("Last name", name[1]), ("Phone", phone), ("Password", PASSWORD)]:
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Join as courier").click()
    live(page)


@pytest.mark.journey
def test_a_delivery_from_the_first_visit_to_the_chart(visit, look):
    store = visit("/store")
    look(store, "store-sign-in")
    store.get_by_role("button", name="Register").click()
    look(store, "store-register")
    store.reload()
    register_store(store)
    look(store, "board-empty")
    phones = [f"+38598{next(numbers):07d}" for _ in range(2)]
    link = invite(store, phones[0])
    look(store, "invite")
    escape(store)

    ana = visit(link.removeprefix(ADDRESS), phone=True)
    expect(ana.get_by_text("Welcome")).to_be_visible()
    look(ana, "invite-page")
    register_courier(ana, look, ("Ana", "Anić"), phones[0])
    look(ana, "jobs-empty")
    # It appears among the couriers by itself.
    expect(panel(store, "Your couriers").get_by_text("Ana Anić")).to_be_visible()
    store_link = invite(store, phones[1])
    escape(store)
    luka = visit(store_link.removeprefix(ADDRESS), phone=True, dark=True)
    register_courier(luka, look, ("Luka", "Lukić"), phones[1])
    expect(panel(store, "Your couriers").get_by_text("Luka Lukić")).to_be_visible()
    look(store, "couriers")

    figures = store.context.new_page()
    figures.goto("/store#/figures")
    delivered = figures.locator(".charts .tile", has=figures.get_by_text("Delivered", exact=True)).locator(".big")
    expect(figures.get_by_text("The first figures come with the first delivery.")).to_be_visible()

    go(store, "Deliveries")
    store.get_by_role("button", name="New delivery").click()
    look(store, "new-delivery")
    dialog = store.get_by_role("dialog")
    for label, text in [("First name", "Iva"), ("Last name", "Ivić"), ("Address", "Vukovarska 5, Zagreb"),
                        ("What is delivered", "Torta")]:
        dialog.get_by_label(label).fill(text)
    # Those on duty are meant where nobody was ever chosen.
    expect(dialog.locator(".choice").get_by_role("checkbox", checked=True)).to_have_count(2)
    dialog.get_by_role("button", name="Create").click()
    expect(dialog).to_have_count(0)
    rows = {name: store.locator(f".card.{name}") for name in ("pending", "in_progress", "delivered", "cancelled")}
    expect(rows["pending"].get_by_text("Offered to 2 couriers")).to_be_visible()

    # Without a reload: the offer, who has it, and that it is gone for the other one.
    offer = luka.get_by_role("listitem").filter(has=luka.get_by_role("heading", name="Iva", exact=True))
    expect(offer).to_be_visible()
    look(luka, "jobs-dark")
    ana.get_by_role("button", name="Accept").click()
    # Whom it is for is told with the parcel.
    expect(ana.get_by_role("button", name="Deliver: Iva Ivić")).to_be_visible()
    expect(rows["in_progress"].get_by_text("Ana Anić")).to_be_visible()
    expect(rows["pending"].get_by_text("Iva Ivić")).to_have_count(0)
    expect(offer).to_have_count(0)
    look(ana, "jobs")
    look(store, "board")

    more(ana)
    ana.get_by_role("button", name="Give back").click()
    look(ana, "give-back")
    ana.get_by_role("dialog").get_by_text("Trouble with the vehicle").click()
    ana.get_by_label("Note").fill("A flat tyre")
    ana.get_by_role("dialog").get_by_role("button", name="Give back").click()
    # Somebody is still asked, and it needs a hand.
    expect(rows["pending"].get_by_text("Given back")).to_be_visible()
    expect(ana.locator(".card")).to_have_count(0)
    luka.get_by_role("button", name="Accept").click()
    luka.get_by_role("button", name="Deliver:").click()
    luka.get_by_text("Add a name, note or picture").click()
    luka.get_by_label("Note").fill("to a neighbour")
    luka.get_by_role("dialog").get_by_role("button", name="Deliver").click()
    expect(luka.get_by_text("Thank you")).to_be_visible()

    unfold(store, "delivered")
    rows["delivered"].click()
    expect(store.locator(".timeline li")).to_have_count(5)
    expect(store.locator(".timeline")).to_contain_text("Given back · Ana Anić")
    for why in ["Trouble with the vehicle", "A flat tyre"]:
        expect(store.locator(".timeline")).to_contain_text(why)
    expect(store.locator(".timeline")).to_contain_text("to a neighbour")
    look(store, "delivery")
    escape(store)

    expect(delivered).to_have_text("1")
    figures.get_by_text("As a table").first.click()
    expect(figures.locator("table").first.locator("tbody tr").nth(29).locator("td").first).to_have_text("1")
    expect(figures.locator(".chart rect.delivered")).to_have_count(1)
    look(figures, "figures-table")


def test_what_a_store_may_still_change_or_end(visit, look):
    shop = Store()
    ana, luka = Courier(shop), Courier(shop, ("Luka", "Lukić"))
    store = visit("/store", forgiving=["409"])
    sign_in(store, shop)
    job = shop.deliver_to(ana)
    store.locator(".card.pending").click()
    dialog = store.get_by_role("dialog", name="Iva Ivić")
    dialog.get_by_role("button", name="Change").click()
    editor = store.get_by_role("dialog", name="Change the delivery")
    editor.get_by_label("Address").fill("Savska 7, Zagreb")
    editor.get_by_label("Luka Lukić").check()
    look(store, "change-delivery")
    editor.get_by_role("button", name="Save").click()
    expect(editor).to_have_count(0)
    expect(dialog.get_by_role("link", name="Savska 7, Zagreb")).to_be_visible()
    expect(dialog.get_by_text("Luka Lukić")).to_be_visible()
    # Changed elsewhere meanwhile, as the details show at once.
    ana.act("accept", job)
    expect(dialog.get_by_text("In progress")).to_be_visible()
    rare(store)
    expect(dialog.get_by_role("button", name="Take back")).to_be_visible()
    dialog.get_by_role("button", name="Cancel the delivery").click()
    asking = store.get_by_role("dialog", name="Cancel the delivery")
    asking.get_by_label("Reason").fill("Nobody is at home")
    look(store, "cancel-delivery")
    asking.get_by_role("button", name="Cancel the delivery").click()
    unfold(store, "cancelled")
    # The feed may say so before the answer comes, which ends the asking.
    expect(store.locator(".column.cancelled").get_by_text("Iva Ivić")).to_be_visible()
    expect(asking).to_have_count(0)
    assert shop.history(job) == ["create", "edit", "accept", "cancel"]
    escape(store)

    # Whoever carries something is not let go without a second question.
    luka.act("accept", shop.deliver_to(luka))
    go(store, "Couriers")
    store.get_by_role("button", name="Details and more: Luka Lukić").click()
    store.get_by_role("button", name="End the partnership with Luka Lukić").click()
    look(store, "end-partnership")
    store.get_by_role("dialog").get_by_role("button", name="End").click()
    expect(store.get_by_text("still carries deliveries")).to_be_visible()
    look(store, "end-partnership-anyway")
    store.get_by_role("dialog").get_by_role("button", name="End").click()
    expect(store.get_by_role("button", name="Details and more: Luka Lukić")).to_have_count(0)

    # Invited again, from the directory this time; then not.
    store.get_by_label("Search by name").fill("Luka Luk")
    held = hold(store, "**/v1/invites")
    store.get_by_role("button", name="Invite Luka Lukić").first.dblclick()
    until(store, lambda: held)
    release(store, held)
    expect(store.get_by_role("dialog")).to_be_visible()
    assert len(held) == 1
    escape(store)
    store.get_by_role("button", name="Take back the invite of Luka Lukić").first.click()
    expect(store.get_by_text("Taken back").first).to_be_visible()


def test_searching_and_filtering(visit):
    shop = Store()
    ana = Courier(shop)
    shop.deliver_to(ana, description="Kruh", recipient={"first_name": "Mia", "last_name": "Mijić", "address": "Savska 3"})
    ana.act("accept", shop.deliver_to(ana))
    store = visit("/store")
    sign_in(store, shop)
    expect(store.locator(".card")).to_have_count(2)
    store.get_by_label("Search").fill("mij")
    expect(store.locator(".card")).to_have_count(1)
    # What comes meanwhile comes if it fits; when the second is there, the first was heard of.
    shop.deliver_to(ana)
    shop.deliver_to(ana, recipient={"first_name": "Jan", "last_name": "Mijić", "address": "Savska 4"})
    expect(store.locator(".card strong")).to_have_text(["Mia Mijić", "Jan Mijić"])
    # What is over alone is found without a word that nothing is.
    shop.deliver_to(ana, recipient={"first_name": "Tea", "last_name": "Over", "address": "Savska 9"})
    (over,) = [one["id"] for one in call("GET", "/v1/deliveries?q=Over", token=shop.token)["items"]]
    call("POST", f"/v1/deliveries/{over}/cancel", {}, shop.token)
    store.get_by_label("Search").fill("over")
    expect(store.locator(".card strong")).to_have_text(["Tea Over"])
    expect(store.locator(".column:visible")).to_have_count(1)
    store.get_by_label("Search").fill("nobody")
    expect(store.locator(".card")).to_have_count(0)
    expect(store.get_by_text("Nothing found for “nobody”.")).to_have_count(3)
    store.get_by_label("Search").fill("")
    expect(store.locator(".card:visible")).to_have_count(4)
    store.get_by_label("State").select_option("in_progress")
    expect(store.locator(".column:visible")).to_have_count(1)
    expect(store.locator(".card:visible")).to_have_count(1)
    # It stays so until somebody says otherwise.
    store.reload()
    expect(store.locator(".card:visible")).to_have_count(1)
    store.get_by_label("State").select_option("")
    store.get_by_label("Courier", exact=True).select_option(label="Ana Anić")
    expect(store.locator(".card:visible")).to_have_count(1)
    store.reload()
    expect(store.locator(".card:visible")).to_have_count(1)
    expect(store.get_by_label("Courier", exact=True)).to_have_value(ana.id)
    store.get_by_label("Courier", exact=True).select_option("")
    store.get_by_label("Day").first.select_option("today")
    expect(store.locator(".card:visible")).to_have_count(4)
    store.get_by_label("Day").first.select_option("other")
    store.get_by_label("Day").last.fill("2020-02-03")
    expect(store.locator(".card")).to_have_count(0)
    store.reload()
    expect(store.get_by_label("Day").last).to_have_value("2020-02-03")
    live(store)
    rest(store)
    expect(store.locator(".card")).to_have_count(0)


@pytest.mark.notifications
@pytest.mark.journey
def test_a_busy_day(visit, look):
    """What stands in the README, and that what is open comes by its time, and what is over with the newest first."""
    shop = Store(name="Pekara Kruh i sol")
    couriers = [Courier(shop, name) for name in [("Ana", "Anić"), ("Ivan", "Babić"), ("Marija", "Cvitan"), ("Luka", "Čović")]]
    people = [("Iva", "Jurić", "Ilica 14", "Birthday cake"), ("Jan", "Perić", "Savska 102", "12 doughnuts"),
              ("Mia", "Ćosić", "Vukovarska 72", "Spelt bread"), ("Roko", "Đurić", "Maksimirska 8", "Sandwiches for ten"),
              ("Ela", "Klarić", "Heinzelova 52", "Two strudels"), ("Vid", "Matić", "Tratinska 30", "Croissants"),
              ("Dora", "Štimac", "Zvonimirova 80", "Rye bread"), ("Noa", "Žanić", "Dubrava 5", "Cheese pie")]
    jobs = [shop.deliver_to(*couriers, description=what, window={"until": minutes(10 + 13 * number)}, pay={"amount": 350, "currency": "EUR"}, recipient={
        "first_name": first, "last_name": last, "address": f"{street}, Zagreb", "phone": "091 999 8877"})
        for number, (first, last, street, what) in enumerate(people)]
    for number, job in enumerate(jobs[:6]):
        couriers[number % 4].act("accept", job)
    for number, job in enumerate(jobs[:3]):
        couriers[number % 4].act("deliver", job)
    call("POST", f"/v1/deliveries/{jobs[3]}/cancel", {"reason": "Ordered twice"}, shop.token)

    store = visit("/store")
    sign_in(store, shop)
    for status, names in [("open", ["Ela Klarić", "Vid Matić", "Dora Štimac", "Noa Žanić"]), ("delivered", ["Mia Ćosić", "Jan Perić", "Iva Jurić"]), ("cancelled", ["Roko Đurić"])]:
        expect(store.locator(f".column.{status} .card strong")).to_have_text(names)
    store.get_by_role("button", name="Not now").click()
    look(store, "busy-board")
    courier = visit("/courier", phone=True)
    sign_in(courier, couriers[1])
    expect(courier.locator(".card h3")).to_have_text(["Vid Matić", "Dora", "Noa", "Jan Perić"])
    # Nobody is asked for anything above what is in hand.
    expect(courier.get_by_role("button", name="Not now")).to_be_hidden()
    look(courier, "busy-jobs")
    # A long name of a store is cut, and nothing stands out of the card.
    assert courier.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tops = courier.locator(".column.in_progress li.card:first-child .rest > *").evaluate_all("(all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    # What comes next is within reach, and says whose parcel it is.
    step = courier.get_by_role("button", name="Deliver: Vid Matić")
    box = step.bounding_box()
    assert box["y"] + box["height"] <= 844 and box["x"] + box["width"] <= 390
    step.click()
    expect(courier.get_by_role("dialog", name="Deliver")).to_contain_text("Vid Matić, Tratinska 30, Zagreb")
    escape(courier)
    dark = visit("/store", dark=True)
    sign_in(dark, shop)
    go(dark, "Figures")
    expect(dark.locator(".bars li")).to_have_count(4)
    look(dark, "busy-figures")
