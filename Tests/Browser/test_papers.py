"""Papers, and the scanner: Chromium's camera shows films of codes."""
import json
import os
import pathlib
import re
import sys

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from conftest import Courier, Store, call, escape, go, hold, kept, panel, release, rest, sign_in, until

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Papers"))
import pictures  # noqa: E402

CODES = json.loads(pathlib.Path(os.environ["KURIR_CERTIFICATES"]).read_text())["codes"]
# The server says so of each picture without a code, and the console repeats it.
NO_CODE = ["status of 422"]


@pytest.fixture
def film(tmp_path):
    """A film that a camera shows over and over: first nothing, then some views of a code."""
    def shot(text, is_dim=False):
        straight = pictures.code(text, scale=4)
        nothing = Image.new("L", (1280, 960), 120)
        angles = [pictures.seen(straight, 35, turn) for turn in (-20, 5)]
        views = [nothing, *([pictures.dim(pictures.seen(straight, 12, 9), 0.45, 6, 0.5)] if is_dim else angles)]
        path = tmp_path / "film.y4m"
        with path.open("wb") as file:
            file.write(b"YUV4MPEG2 W1280 H960 F5:1 Ip A1:1 C420jpeg\n")
            for view in [view for view in views for _ in range(3)]:
                file.write(b"FRAME\n" + np.asarray(view.convert("L")).tobytes() + bytes([128]) * (1280 * 960 // 2))
        return str(path)
    return shot


def own(courier, **form):
    """Keeps a paper, and gives it."""
    return call("POST", "/v1/me/credentials", form, courier.token)


def papers(visit, courier, **how):
    page = visit("/courier", **{"phone": True, **how})
    sign_in(page, courier)
    go(page, "Papers")
    return page


def kept_papers(page):
    """The part with what is kept."""
    return page.locator(".panel", has=page.get_by_role("button", name="Scan a paper"))


def row(page, name):
    return kept_papers(page).locator("li").filter(has=page.locator("strong", has_text=re.compile(f"^{name}$")))


@pytest.mark.journey
def test_a_certificate_is_scanned_with_the_camera(visit, look, film):
    ana = Courier()
    page = papers(visit, ana, film=film(CODES["vaccination"]), forgiving=NO_CODE)
    look(page, "papers-none")
    page.get_by_role("button", name="Scan a paper").click()
    expect(page.get_by_role("dialog", name="Scan a paper")).to_be_visible()
    expect(row(page, "Vaccination")).to_contain_text("Valid")
    expect(page.locator("dialog")).to_have_count(0)
    # The camera is given back.
    assert page.evaluate("document.querySelectorAll('video').length") == 0
    expect(row(page, "Vaccination")).to_contain_text("Zvjezdana Horvatinčić")
    page.get_by_role("button", name="Details: Vaccination").click()
    details = page.get_by_role("dialog", name="Vaccination")
    for said in ["Comirnaty", "COVID-19", "2 of 2", "Ministry of Health", "5 Jun 1987"]:
        expect(details).to_contain_text(said)
    look(page, "paper-phone")
    assert [one["state"] for one in call("GET", "/v1/me/credentials", token=ana.token)["items"]] == ["valid"]


def test_a_certificate_is_scanned_in_bad_light(visit, film):
    page = papers(visit, Courier(), film=film(CODES["vaccination"], is_dim=True), forgiving=NO_CODE)
    page.get_by_role("button", name="Scan a paper").click()
    expect(row(page, "Vaccination")).to_contain_text("Valid")


def test_papers_come_from_pictures_and_by_hand_and_go(visit, look, tmp_path):
    ana = Courier()
    pictures.draw(tmp_path, CODES["pcr positive"])
    page = papers(visit, ana, forgiving=NO_CODE, dark=True)
    page.get_by_role("button", name="Scan a paper").click()
    scanner = page.get_by_role("dialog", name="Scan a paper")
    scanner.locator("input[type=file]").set_input_files(tmp_path / "nothing.jpg")
    expect(scanner.get_by_text("There is no code in this picture")).to_be_visible()
    look(page, "scanner-dark")
    scanner.locator("input[type=file]").set_input_files(tmp_path / "at an angle.jpg")
    expect(row(page, "Test")).to_contain_text("Positive")
    page.get_by_role("button", name="By hand").click()
    form = page.get_by_role("dialog", name="New paper")
    form.get_by_label("Code or number").fill("HC1:nothing")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("This code is none that Kurir understands")
    form.get_by_label("Code or number").fill("B-4711")
    form.get_by_label("Kind").select_option("licence")
    form.get_by_role("button", name="Save").click()
    form.get_by_label("Name").fill("Vozačka dozvola")
    form.get_by_label("Valid until").fill("2020-05-31")
    look(page, "paper-form-dark")
    form.get_by_role("button", name="Save").click()
    expect(row(page, "Vozačka dozvola")).to_contain_text("Expired")
    expect(row(page, "Vozačka dozvola")).to_contain_text("31 May 2020")
    look(page, "papers-dark")
    # None of them is valid.
    page.get_by_text("Valid now").click()
    expect(page.get_by_text("None of them is valid now.")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(kept_papers(page).locator("li")).to_have_count(2)
    page.get_by_role("button", name="Details: Vozačka dozvola").click()
    expect(page.get_by_role("dialog", name="Vozačka dozvola").get_by_text("Expired")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete Vozačka dozvola").get_by_role("button", name="Delete").click()
    expect(kept_papers(page).locator("li")).to_have_count(1)
    expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.journey
def test_a_store_wants_papers_and_sees_what_is_shared(visit, look):
    shop = Store()
    ana = Courier(shop)
    own(ana, raw=CODES["vaccination"])
    own(ana, raw="B-4711", kind="licence", title="Vozačka", valid_until="2020-01-01")
    positive = own(ana, raw=CODES["pcr positive"])
    call("PATCH", f"/v1/me/credentials/{positive['id']}", {"shared_with": [shop.id]}, ana.token)
    store = visit("/store")
    sign_in(store, shop)
    go(store, "Couriers")
    wanted = panel(store, "Papers you require")
    for kind in ["EU health certificate", "Licence", "Insurance"]:
        wanted.get_by_label(kind).check()
        until(store, lambda kind=kind: len(call("GET", "/v1/me", token=shop.token)["wants"]) >= 1)
    until(store, lambda: len(call("GET", "/v1/me", token=shop.token)["wants"]) == 3)
    couriers = panel(store, "Your couriers")
    for kind in ["Insurance", "EU health certificate"]:
        expect(couriers.get_by_text(f"{kind}: nothing valid is shared")).to_be_visible()
    call("DELETE", f"/v1/me/credentials/{positive['id']}", token=ana.token)
    page = papers(visit, ana)
    for name in ["Vaccination", "Vozačka"]:
        page.get_by_role("button", name=f"Details: {name}").click()
        page.get_by_role("dialog", name=name).get_by_label("Pekara").check()
        expect(page.get_by_text("Shared with Pekara.")).to_be_visible()
        look(page, f"paper-shared-{name.lower()[:4]}")
        escape(page)
    store.reload()
    go(store, "Couriers")
    expect(couriers.get_by_text("Licence: expired")).to_be_visible()
    expect(couriers.locator(".badge.delivered", has_text="EU health certificate")).to_be_visible()
    look(store, "partners-papers")
    store.get_by_role("button", name="Details and more: Ana Anić").click()
    store.get_by_role("button", name="Papers of Ana Anić").click()
    shown = store.get_by_role("dialog", name="Papers of Ana Anić")
    expect(shown.locator("li")).to_have_count(2)
    expect(shown).not_to_contain_text("Vaccination")
    look(store, "partner-papers")
    # What is no longer shared is no longer there.
    page.get_by_role("button", name="Details: Vaccination").click()
    page.get_by_role("dialog").get_by_label("Pekara").uncheck()
    expect(page.get_by_text("No longer shared with Pekara.")).to_be_visible()
    assert [one["kind"] for one in call("GET", f"/v1/couriers/{ana.id}/credentials", token=shop.token)["items"]] == ["licence"]


# As licences of some countries begin, and with a space at the end: a text field changes both.
LICENCE = "@\n\x1e\rANSI 636000\r\nDAQB-123 "


def sees(page, code):
    """Gives the browser a reader of its own, which always finds that code."""
    page.evaluate("""(code) => {
        window.BarcodeDetector = class {
            static async getSupportedFormats() { return ['qr_code']; }
            async detect() { return [{rawValue: code, format: 'qr_code'}]; }
        };
    }""", code)


def test_what_is_scanned_is_kept_as_it_was(visit, film):
    ana = Courier()
    page = visit("/courier", phone=True, film=film("nothing"))
    sees(page, LICENCE)
    sign_in(page, ana)
    go(page, "Papers")
    sent = []
    page.on("request", lambda request: request.method == "POST" and request.url.endswith("/credentials") and sent.append(request.post_data_json["raw"]))
    form = page.get_by_role("dialog", name="New paper")
    for name, write in [("Kept", lambda field: None), ("Back", lambda field: field.press_sequentially("4") or field.press("Backspace")),
                        ("Other", lambda field: field.fill("  B-124 "))]:
        page.get_by_role("button", name="Scan a paper").click()
        form.get_by_label("Name").fill(name)
        write(form.get_by_label("Code or number"))
        form.get_by_role("button", name="Save").click()
        expect(form).to_have_count(0)
    assert sent == [LICENCE, LICENCE, "B-124"]
    # The second one was the first again.
    expect(kept_papers(page).locator("li")).to_have_count(2)
    assert own(ana, raw=LICENCE)["title"] == "Kept"


def test_a_paper_without_its_code_is_asked_for_it(visit):
    page = papers(visit, Courier(), forgiving=NO_CODE)
    page.get_by_role("button", name="By hand").click()
    form = page.get_by_role("dialog", name="New paper")
    form.get_by_label("Kind").select_option("licence")
    form.get_by_label("Name").fill("Vozačka")
    form.get_by_role("button", name="Save").click()
    expect(form.locator(".field.of-raw .wrong")).to_be_visible()


@pytest.mark.parametrize("is_heard", [True, False])
def test_a_paper_is_shared_although_a_partnership_has_ended_since_it_was_opened(visit, is_heard):
    first, second = Store("Pekara"), Store("Cvjećarna")
    ana = Courier(first)
    invite = call("POST", "/v1/invites", {"courier_id": ana.id}, second.token)
    call("POST", "/v1/partners", {"code": invite["code"]}, ana.token)
    paper = own(ana, raw="B-4711", kind="licence", title="Vozačka")
    call("PATCH", f"/v1/me/credentials/{paper['id']}", {"shared_with": [first.id]}, ana.token)
    page = papers(visit, ana, forgiving=["status of 422", "net::ERR_"])
    page.get_by_role("button", name="Details: Vozačka").click()
    dialog = page.get_by_role("dialog", name="Vozačka")
    expect(dialog.get_by_label("Pekara")).to_be_checked()
    if is_heard:
        with page.expect_response("**/v1/me/credentials?*"):
            call("DELETE", f"/v1/partners/{ana.id}", token=first.token)
        rest(page)
    else:
        held = hold(page, "**/v1/me/credentials?*")
        call("DELETE", f"/v1/partners/{ana.id}", token=first.token)
        until(page, lambda: held)
        for route, _ in held:
            route.abort()
        page.unroute("**/v1/me/credentials?*")
        dialog.get_by_label("Cvjećarna").click()
        expect(dialog.get_by_label("Pekara")).to_have_count(0)
        expect(dialog.get_by_label("Cvjećarna")).not_to_be_checked()
    dialog.get_by_label("Cvjećarna").check()
    expect(page.get_by_text("Shared with Cvjećarna.")).to_be_visible()
    assert call("GET", "/v1/me/credentials", token=ana.token)["items"][0]["shared_with"] == [second.id]


def test_two_stores_at_once_are_both_shared_with(visit):
    first, second = Store(), Store()
    ana = Courier(first)
    invite = call("POST", "/v1/invites", {"courier_id": ana.id}, second.token)
    call("POST", "/v1/partners", {"code": invite["code"]}, ana.token)
    own(ana, raw="B-4711", kind="licence", title="Vozačka")
    page = papers(visit, ana)
    page.get_by_role("button", name="Details: Vozačka").click()
    stores = page.get_by_role("dialog", name="Vozačka").locator("input[type=checkbox]")
    expect(stores).to_have_count(2)
    # Both are wanted before either is answered.
    stores.evaluate_all("boxes => boxes.forEach((box) => box.click())")
    shared = lambda: call("GET", "/v1/me/credentials", token=ana.token)["items"][0]["shared_with"]
    until(page, lambda: sorted(shared()) == sorted([first.id, second.id]))
    expect(stores.nth(0)).to_be_checked()
    expect(stores.nth(1)).to_be_checked()


def test_what_is_on_its_way_is_not_kept_after_one_says_no(visit):
    ana = Courier()
    own(ana, raw="B-4711", kind="licence", title="Vozačka")
    page = papers(visit, ana)
    expect(row(page, "Vozačka")).to_be_visible()
    keeping = page.get_by_label("Keep papers readable without a connection")
    held = hold(page, "**/v1/me/credentials?*")
    keeping.check()
    until(page, lambda: held)
    keeping.uncheck()
    until(page, lambda: len(held) == 2)
    release(page, held)
    expect(row(page, "Vozačka")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert not page.evaluate("JSON.stringify(localStorage).includes('Vozačka')")


def test_papers_stay_on_a_device_only_if_one_says_so(visit, line, look):
    ana = Courier()
    own(ana, raw="B-4711", kind="licence", title="Vozačka")
    page = papers(visit, ana, forgiving=["net::ERR_"], address=line.address)
    expect(row(page, "Vozačka")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    assert not page.evaluate("JSON.stringify(localStorage).includes('Vozačka')")
    page.get_by_label("Keep papers readable without a connection").check()
    until(page, lambda: page.evaluate("JSON.stringify(localStorage).includes('Vozačka')"))
    line.cut()
    page.reload()
    expect(row(page, "Vozačka")).to_be_visible()
    look(page, "papers-offline")
    line.mend()
    page.reload()
    expect(page.locator(".light.on")).to_have_count(1)
    page.get_by_label("Keep papers readable without a connection").uncheck()
    until(page, lambda: not page.evaluate("JSON.stringify(localStorage).includes('Vozačka')"))
    expect(row(page, "Vozačka")).to_be_visible()
    line.cut()
    page.reload()
    expect(page.get_by_text("Not loaded").first).to_be_visible()
    expect(row(page, "Vozačka")).to_have_count(0)


def test_the_code_of_an_invite_is_scanned(visit, film, look):
    shop, ana = Store(), Courier()
    invite = call("POST", "/v1/invites", {"phone": "091 555 0909"}, shop.token)
    page = visit("/courier", phone=True, film=film(invite["url"]), forgiving=NO_CODE)
    sign_in(page, ana)
    go(page, "Stores")
    page.get_by_role("button", name="Scan the code").click()
    expect(page.locator("[name=code]")).to_have_value(invite["code"])
    look(page, "scanned-invite")


@pytest.mark.journey
def test_a_slip_opens_its_job_and_a_pin_is_scanned(visit, film, look):
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana, proof={"pin": True})
    ana.act("accept", job)
    page = visit("/courier", phone=True, film=film(f"http://127.0.0.1/courier#delivery={job}"), forgiving=NO_CODE)
    sign_in(page, ana)
    page.get_by_role("button", name="Scan a slip").click()
    expect(page.get_by_role("dialog", name="Iva Ivić")).to_be_visible()
    look(page, "scanned-slip")
    pin = call("GET", f"/v1/deliveries/{job}", token=shop.token)["pin"]
    page = visit("/courier", phone=True, film=film(pin), forgiving=NO_CODE)
    sign_in(page, ana)
    kept(page)
    page.get_by_role("button", name="Deliver: Iva Ivić").click()
    page.get_by_role("button", name="Scan the PIN").click()
    expect(page.locator("[name=pin]")).to_have_value(pin)
    look(page, "scanned-pin")
    page.get_by_role("dialog").get_by_role("button", name="Deliver", exact=True).click()
    until(page, lambda: call("GET", f"/v1/deliveries/{job}", token=shop.token)["status"] == "delivered")


def test_another_code_is_said_to_be_another(visit, film):
    ana = Courier()
    page = visit("/courier", phone=True, film=film("HR-IBAN"), forgiving=NO_CODE)
    sign_in(page, ana)
    page.get_by_role("button", name="Scan a slip").click()
    expect(page.get_by_text("This is another code.")).to_be_visible()


def test_the_browsers_own_reader_is_asked_first(visit, film):
    """Chromium has one on phones. Where it is, no picture leaves the device."""
    ana = Courier()
    page = visit("/courier", phone=True, film=film("nothing"))
    sees(page, "B-4711")
    asked = []
    page.on("request", lambda request: "/v1/scans" in request.url and asked.append(request.url))
    sign_in(page, ana)
    go(page, "Papers")
    page.get_by_role("button", name="Scan a paper").click()
    expect(page.get_by_role("dialog", name="New paper").get_by_label("Code or number")).to_have_value("B-4711")
    assert not asked


def test_where_the_browsers_own_reader_fails_the_server_reads(visit, film):
    """As on phones whose reader is there, and lacks what it reads with."""
    page = visit("/courier", phone=True, film=film("HR-IBAN"), forgiving=NO_CODE)
    page.evaluate("""() => {
        window.BarcodeDetector = class {
            static async getSupportedFormats() { return ['qr_code']; }
            async detect() { throw new DOMException('Barcode detection service unavailable.', 'NotSupportedError'); }
        };
    }""")
    sign_in(page, Courier())
    page.get_by_role("button", name="Scan a slip").click()
    expect(page.get_by_text("This is another code.")).to_be_visible()
