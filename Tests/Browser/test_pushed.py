"""A courier who does not look at the page, reached by a push that Kurir sends and a browser's push service takes."""
import json
import os
import re
import statistics
import time

import pytest
from playwright.sync_api import expect

from conftest import Courier, Store, Worker, pushed, sign_in, until

pytestmark = pytest.mark.notifications

DEVICE = json.loads(os.environ["KURIR_DEVICE"])
ROUNDS = 15
# Where a browser has no push service, the page is handed the endpoint of one that speaks its protocol.
SUBSCRIBED = """
    PushManager.prototype.subscribe = async () => ({toJSON: () => (%s)});
    Notification.requestPermission = async () => 'granted';
    Object.defineProperty(Notification, 'permission', {get: () => (localStorage.getItem('kurir.device') ? 'granted' : 'default')});
""" % json.dumps(DEVICE)


def create(store, first_name):
    store.get_by_role("button", name="New delivery").click()
    form = store.get_by_role("dialog")
    for label, text in [("First name", first_name), ("Last name", "Ivić"), ("Address", "Savska 1"), ("What is delivered", "Torta")]:
        form.get_by_label(label).fill(text)
    form.get_by_label("Ana Anić").check()
    form.get_by_text("in 30 min").click()
    form.get_by_role("button", name="Create").click()
    expect(form).to_have_count(0)


@pytest.mark.journey
def test_an_offer_is_accepted_on_its_notification_and_the_store_sees_it(visit, capsys):
    shop = Store()
    ana = Courier(shop)
    # Two browsers: nothing gets from one to the other but by the server and the push service.
    store = visit("/store", notifications=False)
    sign_in(store, shop)
    phone = visit("/courier", phone=True)
    phone.context.add_init_script(SUBSCRIBED)
    assert store.context.browser is not phone.context.browser
    phone.reload()
    sign_in(phone, ana)
    phone.get_by_role("button", name="Allow notifications").click()
    expect(phone.get_by_text("This device is told from now on.")).to_be_visible()
    worker = Worker(phone)
    # The courier's page is closed.
    phone.goto("/docs")
    taken = []
    for number in range(ROUNDS):
        name, before = f"Iva{'abcdefghijklmno'[number]}", len(pushed())
        create(store, name)
        begun = time.monotonic()
        until(phone, lambda: len(pushed()) > before)
        offer = pushed()[before]
        assert offer["kind"] == "delivery_offered"
        worker.push(offer)
        until(phone, lambda: any("Accept" in one["actions"] for one in worker.shown()))
        # Whose it is, where it goes, and by when.
        said = " ".join(worker.shown()[0][part] for part in ("title", "body"))
        assert re.search(r"Pekara.*Savska 1.*\d\d:\d\d", said), said
        worker.touch("accept")
        row = store.locator(".card.in_progress").filter(has_text=name)
        expect(row.get_by_text("Ana Anić")).to_be_visible()
        taken.append(time.monotonic() - begun)
        until(phone, lambda: [one["body"] for one in worker.shown()] == ["It is yours."])
        worker.clear()
    with capsys.disabled():
        print(f"{ROUNDS} times from the offer to the store's screen: {statistics.median(taken):.2f} s at the median, {max(taken):.2f} s at most")
