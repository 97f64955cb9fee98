"""What is said of messages where nobody sends them: no test here may take any from the outbox."""
import re

import pytest
from playwright.sync_api import expect

from conftest import Courier, Store, call, escape, go, numbers, panel, sign_in


@pytest.mark.parametrize("channel", ["sms", "push"])
@pytest.mark.journey
def test_an_invite_waits_and_is_passed_on_by_hand(visit, look, channel):
    shop, luka = Store(), Courier(name=("Luka", f"Lukić{next(numbers)}"))
    call("PUT", "/v1/me/devices/phone", {"platform": "fcm"}, luka.token)
    phone = f"+38598{next(numbers):07d}"
    words = {"sms": "No SMS goes out from here", "push": "No notifications go out from here"}[channel]
    page = visit("/store")
    sign_in(page, shop)
    go(page, "Couriers")
    if channel == "push":
        panel(page, "Other couriers").get_by_label("Search by name").fill(luka.name)
        page.get_by_role("button", name=f"Invite {luka.name}").click()
    else:
        page.get_by_label("Phone").fill(phone)
        page.get_by_role("button", name="Invite by number").click()
    # It is said when it is made, and whenever it is shown again.
    shown = page.get_by_role("dialog")
    expect(shown.get_by_text(words)).to_be_visible()
    expect(shown.get_by_text(re.compile("It goes"))).to_have_count(0)
    look(page, f"invite-waits-{channel}")
    escape(page)
    panel(page, "Invites").get_by_role("button", name="Show").click()
    expect(shown.get_by_text(words)).to_be_visible()


def test_a_code_for_a_new_password_waits(visit):
    for who, path, label, words in ((Store(), "/store", "E-mail", "no e-mail goes"), (Courier(), "/courier", "Phone", "no SMS goes")):
        page = visit(path)
        page.get_by_role("button", name="Forgotten password").click()
        page.get_by_label(label).fill(who.email if path == "/store" else who.phone)
        page.get_by_role("button", name="Send me a code").click()
        expect(page.get_by_text(f"The code waits: {words} out from here yet.")).to_be_visible()
