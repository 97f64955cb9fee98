"""Who one is: proving a number, changing it, taking that back, and signing out without a connection."""
import re

import pytest
from playwright.sync_api import expect

from conftest import ADDRESS, PASSWORD, Courier, Store, call, go, grouped, live, message_to, numbers, panel, sign_in, until

ENTER = "Enter the code"


def code_to(address, channel="sms"):
    return message_to(address, channel)["data"]["code"]


def prove(page, code):
    page.get_by_role("dialog").get_by_label("Code").fill(code)
    page.get_by_role("dialog").get_by_role("button", name="Confirm", exact=True).click()


def test_a_code_that_nobody_sends_waits(visit):
    """The first one, as long as nobody has taken a message."""
    for who, path, words in ((Store(), "/store", "no e-mail goes"), (Courier(), "/courier", "no SMS goes")):
        page = visit(path)
        sign_in(page, who)
        page.locator(".banner").get_by_role("button", name=ENTER).click()
        expect(page.get_by_role("dialog").get_by_text(f"The code waits: {words} out from here yet.")).to_be_visible()


@pytest.mark.journey
def test_a_courier_registers_and_proves_the_number(visit, look):
    page = visit("/courier", phone=True, forgiving=["422"])
    phone = f"+38598{next(numbers):07d}"
    page.get_by_role("button", name="Register").click()
    for label, text in [("First name", "Ana"), ("Last name", "Anić"), ("Phone", phone), ("Password", PASSWORD)]:
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Register").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(f"A code goes to {phone}.")).to_be_visible()
    field = dialog.get_by_label("Code")
    expect(field).to_have_attribute("autocomplete", "one-time-code")
    expect(field).to_have_attribute("inputmode", "numeric")
    look(page, "prove-number")
    code = code_to(phone)
    prove(page, "000000" if code != "000000" else "111111")
    expect(dialog.get_by_role("alert")).to_contain_text("The code is wrong or over.")
    prove(page, code)
    expect(page.get_by_text("Your number is confirmed.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("is not confirmed yet")).to_have_count(0)


def test_who_puts_it_off_is_reminded(visit, look):
    shop = Store()
    page = visit("/store")
    sign_in(page, shop)
    reminder = page.locator(".banner").filter(has_text=f"Your e-mail address {shop.email} is not confirmed yet")
    expect(reminder).to_be_visible()
    look(page, "unproven")
    # Somebody takes what is to be sent by e-mail.
    message_to(shop.email, "email")
    reminder.get_by_role("button", name=ENTER).click()
    expect(page.get_by_text("The code waits")).to_have_count(0)
    page.get_by_role("button", name="Send another code").click()
    expect(page.get_by_text("A code is on its way.")).to_be_visible()
    prove(page, code_to(shop.email, "email"))
    expect(page.get_by_text("Your e-mail address is confirmed.")).to_be_visible()
    expect(page.locator(".banner:visible")).to_have_count(0)


def test_an_unproven_store_passes_its_link_on(visit):
    page = visit("/store")
    sign_in(page, Store())
    go(page, "Couriers")
    page.get_by_label("Phone").fill(f"+38598{next(numbers):07d}")
    page.get_by_role("button", name="Invite by number").click()
    expect(page.get_by_role("dialog").get_by_text("Nothing was sent.")).to_be_visible()


@pytest.mark.journey
def test_an_invite_is_accepted_by_a_button(visit):
    shop, ana = Store("Kod Mare"), Courier()
    call("POST", "/v1/invites", {"courier_id": ana.id}, shop.token)
    page = visit("/courier", phone=True)
    sign_in(page, ana)
    go(page, "Stores")
    page.get_by_role("button", name="Join Kod Mare").click()
    expect(page.get_by_text("You now work with Kod Mare.")).to_be_visible()
    expect(panel(page, "Your stores").get_by_text("Kod Mare")).to_be_visible()


@pytest.mark.journey
def test_a_changed_number_is_taken_back_without_a_script(visit, look, chromium):
    ana = Courier()
    call("POST", "/v1/me/phone/confirm", {"code": code_to(ana.phone)}, ana.token)
    page = visit("/courier", phone=True, forgiving=["401"])
    sign_in(page, ana)
    go(page, "Settings")
    mine = panel(page, "What you sign in with")
    expect(mine.get_by_text(grouped(ana.phone))).to_be_visible()
    mine.get_by_role("button", name="Change the number").click()
    other = f"+38598{next(numbers):07d}"
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Phone").fill(other)
    dialog.get_by_label("Current password").fill(PASSWORD)
    look(page, "change-number")
    dialog.get_by_role("button", name="Next").click()
    expect(page.get_by_text(f"A code goes to {other}.")).to_be_visible()
    prove(page, code_to(other))
    expect(mine.get_by_text(grouped(other))).to_be_visible()
    look(page, "settings-sign-in")

    link = message_to(ana.phone)["data"]["url"].removeprefix(ADDRESS)
    context = chromium.new_context(base_url=ADDRESS, locale="en-GB", java_script_enabled=False)
    plain = context.new_page()
    plain.goto(link)
    plain.get_by_role("button", name="Take it back").click()
    expect(plain.get_by_role("heading", name="It is taken back")).to_be_visible()
    expect(plain.get_by_role("link", name="Choose a new password")).to_have_attribute("href", "/courier#reset")
    context.close()
    expect(page.get_by_text("You are signed out. Sign in again.")).to_be_visible()


@pytest.mark.journey
def test_a_new_password_by_the_link_of_a_message(visit, look):
    shop = Store()
    page = visit("/store")
    page.get_by_role("button", name="Forgotten password").click()
    page.get_by_label("E-mail").fill(shop.email)
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_label("New password")).to_be_visible()
    (link,) = re.findall(r"http://\S+#reset=\S+", message_to(shop.email, "email")["body"])
    other = visit(link.removesuffix(".").removeprefix(ADDRESS))
    expect(other.get_by_label("New password")).to_be_focused()
    look(other, "reset-by-link")
    other.get_by_label("New password").fill("bicikl-i-kaciga")
    other.get_by_role("button", name="Set the password").click()
    expect(other.get_by_text("Your new password is set. Sign in with it.")).to_be_visible()
    other.get_by_label("E-mail").fill(shop.email)
    other.get_by_label("Password", exact=True).fill("bicikl-i-kaciga")
    other.get_by_role("button", name="Sign in").click()
    live(other)


def test_signing_out_without_a_connection(visit, line):
    ana = Courier()
    page = visit("/courier", phone=True, forgiving=["net::ERR_", "401"], address=line.address)
    sign_in(page, ana)
    before = len(call("GET", "/v1/sessions", token=ana.token)["items"])
    # Also before the settings were ever looked at.
    line.cut()
    go(page, "Settings")
    page.get_by_role("button", name="Sign out", exact=True).click()
    # At once, whatever the connection does.
    expect(page.get_by_role("heading", name="Kurir for couriers")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == ["kurir.leaving"]
    line.mend()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    until(page, lambda: len(call("GET", "/v1/sessions", token=ana.token)["items"]) == before - 1)
    until(page, lambda: page.evaluate("localStorage.length") == 0)


@pytest.mark.parametrize("who, path, script", [(Courier, "/courier", "courier.js"), (Store, "/store", "dashboard.js")])
def test_the_service_worker_ends_a_session_that_was_left(visit, line, who, path, script):
    person = who()
    page = visit(path, forgiving=["net::ERR_", "401"], address=line.address)
    sign_in(page, person)
    before = len(call("GET", "/v1/sessions", token=person.token)["items"])
    go(page, "Settings")
    # A store's page has one since it is told of something.
    page.evaluate("""([script, kind]) => import(document.querySelector('script[type=module]').src.replace(script, 'push.js'))
        .then(({standBy}) => standBy(kind))""", [script, path[1:]])
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session, found = page.context.new_cdp_session(page), []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.extend(told["registrations"]))
    session.send("ServiceWorker.enable")
    line.cut()
    page.get_by_role("button", name="Sign out", exact=True).click()
    until(page, lambda: page.evaluate("caches.has('kurir.leaving')"))
    line.mend()
    session.send("ServiceWorker.dispatchSyncEvent", {
        "origin": line.address, "registrationId": found[0]["registrationId"], "tag": "kurir.leaving", "lastChance": False})
    until(page, lambda: len(call("GET", "/v1/sessions", token=person.token)["items"]) == before - 1)
