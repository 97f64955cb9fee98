"""What the tests of the pages share: a browser whose console is watched, people, and a picture of every screen."""
import datetime
import itertools
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request
import warnings

import pytest
from _pytest.runner import runtestprotocol
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect, sync_playwright

ADDRESS = os.environ["KURIR_ADDRESS"]
# A key to all channels.
GATEWAY_KEY = os.environ["KURIR_GATEWAY_KEY"]
PICTURES = pathlib.Path(os.environ["KURIR_PICTURES"])
PASSWORD = "krumpir-na-tavi"
# Milliseconds: hashing a password waits for everything else that the machine has to do.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
numbers = itertools.count(int(time.time()) % 1_000_000)
# A test's pages, and what they said when it failed.
PAGES, LAST_SEEN = pytest.StashKey(), pytest.StashKey()


def end_browsers():
    """Ends the browsers that playwright's process has started."""
    for driver in children(os.getpid()):
        for browser in children(driver, "chromium"):
            os.kill(browser, signal.SIGKILL)


def children(process, *name):
    found = subprocess.run(["pgrep", "-P", str(process), *name], capture_output=True, text=True)
    return [int(number) for number in found.stdout.split()]


def pytest_runtest_protocol(item, nextitem):
    """Runs a test again that failed: on a busy machine a browser is late, hangs or crashes, which says nothing about the pages. What fails
    twice is wrong with them. What passes only then is told of at the end, since a page may have lost a race, too.
    """
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    # A browser may hang as well, in what has no time limit of its own. No test takes half as long.
    watch = threading.Timer(600, end_browsers)
    watch.start()
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    watch.cancel()
    why = next((report.longreprtext for report in reports if report.failed), None)
    if why:
        warnings.warn(f"{item.name} failed and is run again\n{why}\n{item.stash.get(LAST_SEEN, '')}")
        item._initrequest()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keeps with a test that failed what its pages said then: the report tells what was missing, not what was there instead."""
    report = yield
    if report.when == "call" and report.failed:
        item.stash[LAST_SEEN] = "\n".join(text for page in item.stash.get(PAGES, []) for text in [page.url, seen_on(page)])
        report.sections.append(("pages", item.stash[LAST_SEEN]))
    return report


def seen_on(page):
    try:
        return page.locator("body").inner_text(timeout=5000)
    except Error as trouble:
        return str(trouble)


def pytest_configure(config):
    config.addinivalue_line("markers", "journey: what everybody sets out to do, from one end to the other; `make test` runs these alone")
    config.addinivalue_line("markers", "notifications: needs a browser that shows notifications and asks whether it may")


def shows_notifications(request):
    return request.node.get_closest_marker("notifications") is not None


@pytest.fixture(scope="session")
def browsers():
    """Gives a browser whose camera shows a film, or else a picture that moves. The headless shell takes less of the machine
    than Chromium, but shows no notifications.
    """
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        started = {}

        def browser(film=None, notifications=False):
            kind = (film, notifications)
            if kind not in started or not started[kind].is_connected():
                args = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
                args += [f"--use-file-for-fake-video-capture={film}"] if film else []
                program = "/usr/bin/chromium" if notifications else "/usr/bin/chromium-headless-shell"
                started[kind] = playwright.chromium.launch(executable_path=program, args=args)
            return started[kind]

        yield browser
        for one in started.values():
            one.close()


@pytest.fixture
def chromium(browsers, request):
    return browsers(notifications=shows_notifications(request))


@pytest.fixture
def visit(browsers, request):
    """Opens a page in a browser of its own. Nothing may go wrong in its console, and nothing be loaded from elsewhere, but for what a test
    says. It says where it is if `geolocation` does.
    """
    contexts, trouble = [], []
    pages = request.node.stash[PAGES] = []

    def open_page(path, locale="en-GB", phone=False, dark=False, forgiving=(), address=ADDRESS, beside=(), film=None, geolocation=None,
                  notifications=shows_notifications(request), **more):
        size = {"width": 390, "height": 844} if phone else {"width": 1360, "height": 860}
        # An empty list of permissions would deny all that a browser asks for.
        context = browsers(film, notifications).new_context(
            base_url=address, locale=locale, viewport=size, is_mobile=phone, has_touch=phone,
            color_scheme="dark" if dark else "light", timezone_id="Europe/Zagreb", geolocation=geolocation, permissions=["geolocation"] if geolocation else None, **more)
        context.set_default_timeout(PATIENCE)
        # The page waits as long as the test: a busy machine may take longer over a password than it has patience.
        context.add_init_script("AbortSignal.timeout = () => new AbortController().signal")
        contexts.append(context)
        page = context.new_page()
        pages.append(page)
        page.on("console", lambda message: message.type in ("error", "warning")
                and not any(text in message.text for text in forgiving) and trouble.append(f"{message.text} {message.location}"))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message) or dialog.dismiss())
        page.on("request", lambda request: request.url.startswith((address, "blob:", "data:", *beside))
                or trouble.append(f"loads {request.url}"))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not trouble


class Line:
    """A connection to Kurir that can be cut, or freeze, as those of phones do."""

    def __init__(self):
        self.port, self.listener, self.ends = 0, None, set()
        self.lock, self.flows = threading.Lock(), threading.Event()
        self.flows.set()
        self.mend()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def cut(self):
        with self.lock:
            ends, self.listener, self.ends = [self.listener, *self.ends], None, set()
        for end in filter(None, ends):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def accept(self, listener):
        host, port = ADDRESS.removeprefix("http://").split(":")
        try:
            while True:
                near, _ = listener.accept()
                far = socket.create_connection((host, int(port)))
                with self.lock:
                    # One that was made while the line was cut does not outlive it.
                    if listener is not self.listener:
                        near.close()
                        return far.close()
                    self.ends |= {near, far}
                for source, sink in [(near, far), (far, near)]:
                    threading.Thread(target=self.carry, args=[source, sink], daemon=True).start()
        except OSError:
            pass

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                self.flows.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@pytest.fixture
def line():
    line = Line()
    yield line
    line.cut()


# What is written in a row, and lies beneath a button of it that one sees: of others only the room for a thumb reaches further.
COVERED = """() => Array.from(document.querySelectorAll('li')).filter((row) => row.checkVisibility()).flatMap((row) => {
    const isSeen = (one) => {
        const style = getComputedStyle(one);
        return [style.backgroundColor, style.borderTopStyle !== 'none' && style.borderTopColor].some((colour) => colour && colour !== 'rgba(0, 0, 0, 0)');
    };
    const buttons = Array.from(row.querySelectorAll('button, .button')).filter(isSeen).map((one) => one.getBoundingClientRect());
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT), found = [];
    while (texts.nextNode()) {
        const text = texts.currentNode, range = document.createRange();
        if (!text.data.trim() || text.parentElement.closest('button, .button, .unseen') || !text.parentElement.checkVisibility()) continue;
        range.selectNodeContents(text);
        for (const words of range.getClientRects()) {
            if (buttons.some((one) => words.left < one.right - 4 && words.right > one.left + 4 && words.top < one.bottom - 4 && words.bottom > one.top + 4)) found.push(text.data);
        }
    }
    return found;
})"""


@pytest.fixture
def look():
    """Keeps a picture of a screen, on which axe must find nothing."""
    def picture(page, name):
        expect(page.locator("h1")).not_to_have_count(0)
        expect(page.locator("[aria-busy]")).to_have_count(0)
        expect(page.get_by_text(re.compile("^(Loading|Učitavanje) …$"))).to_have_count(0)
        # Colours that are on their way from one to another are no colours of the page.
        page.evaluate("() => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))")
        assert not page.evaluate(COVERED)
        found = Axe().run(page).response["violations"]
        page.screenshot(path=PICTURES / f"{name}.png")
        assert not found, json.dumps([(one["id"], [node["html"] for node in one["nodes"]]) for one in found], indent=1)
    return picture


def call(method, path, body=None, token=None):
    """What the API answers, which must be no refusal."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(ADDRESS + path, data, headers, method=method)) as answer:
        return json.loads(answer.read() or "null")


def message_to(address, channel="sms"):
    """The newest message to an address, as a gateway gets it."""
    found = None
    while True:
        claimed = call("POST", "/v1/outbox/claim", {"channel": channel, "max": 500, "lease_seconds": 60}, GATEWAY_KEY)["messages"]
        if not claimed:
            return found
        held = [{"id": one["id"], "lease": one["lease"]} for one in claimed]
        call("POST", "/v1/outbox/ack", {"messages": held}, GATEWAY_KEY)
        found = next((one for one in claimed if one["address"] == address), found)


def pushed():
    """What has arrived at the stand-in of a push service, decrypted as the browser does it."""
    with urllib.request.urlopen(os.environ["KURIR_RECEIVERS"] + "/webpush") as answer:
        return [one["payload"] for one in json.load(answer)]


def tax_id():
    """An OIB that nobody has: ten digits and the check digit of ISO 7064 MOD 11,10."""
    digits = f"{next(numbers):010d}"
    rest = 10
    for digit in digits:
        rest = (rest + int(digit)) % 10 or 10
        rest = rest * 2 % 11
    return digits + str((11 - rest) % 10)


class Store:
    def __init__(self, name="Pekara", language="en"):
        self.email = f"shop{next(numbers)}@example.com"
        made = call("POST", "/v1/stores", {
            "email": self.email, "password": PASSWORD, "name": name, "tax_id": tax_id(), "address": "Ilica 1, Zagreb",
            "phone": "01 4828 111", "language": language})
        self.token, self.id, self.name = made["session"]["token"], made["account"]["id"], name

    def deliver_to(self, *couriers, **more):
        recipient = {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Zagreb", "phone": "091 999 8877"}
        return call("POST", "/v1/deliveries", {
            "recipient": recipient, "description": "Torta za rođendan", "courier_ids": [courier.id for courier in couriers],
        } | more, self.token)["id"]

    def history(self, delivery):
        return [step["action"] for step in call("GET", f"/v1/deliveries/{delivery}/history", token=self.token)["items"]]


class Courier:
    def __init__(self, store=None, name=("Ana", "Anić"), language="en"):
        self.phone = f"+38591{next(numbers):07d}"
        form = {"first_name": name[0], "last_name": name[1], "phone": self.phone, "password": PASSWORD, "language": language}
        if store:
            form["invite_code"] = call("POST", "/v1/invites", {"phone": self.phone}, store.token)["code"]
        made = call("POST", "/v1/couriers", form)
        self.token, self.id, self.name = made["session"]["token"], made["account"]["id"], " ".join(name)

    def act(self, action, delivery, **body):
        return call("POST", f"/v1/deliveries/{delivery}/{action}", body, self.token)


def minutes(count):
    """A time so many minutes from now, as the API takes it."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=count)).isoformat(timespec="seconds")


def end_sessions_of(who):
    """Ends every session of somebody but the one that the test itself has."""
    for session in call("GET", "/v1/sessions", token=who.token)["items"]:
        if not session["current"]:
            call("DELETE", f"/v1/sessions/{session['id']}", token=who.token)


def sign_in(page, who):
    """Signs in on the page that is open, or is just about to be: somebody else's settings have a phone, too."""
    entrance = page.locator(".entrance")
    entrance.locator("[name=email], [name=phone]").fill(who.email if isinstance(who, Store) else who.phone)
    entrance.locator("[name=password]").fill(PASSWORD)
    entrance.locator("button.main").click()
    live(page)


def unfold(page, state):
    """Opens the list of what is over like that."""
    fold = page.locator(f".column.{state} .fold")
    # Where there is room, what was delivered is open, as soon as it is known.
    expect(fold).to_have_attribute("aria-expanded", re.compile("true|false"))
    if fold.get_attribute("aria-expanded") == "false":
        fold.click()


def live(page):
    """Waits until the page follows the feed."""
    page.locator(".light.on").wait_for()


def go(page, name):
    """Goes to a view by its link, which may be on the sheet or in the account's menu, and waits until it is there: what is looked for next may be on
    the old one, too.
    """
    link = page.get_by_role("link", name=name, exact=True)
    page.locator("nav").wait_for()
    for menu in (".more-views:visible", ".who:visible"):
        if not link.count() and page.locator(menu).count():
            page.locator(menu).click()
    link.click()
    expect(page.get_by_role("heading", name=name, exact=True, level=1)).to_be_visible()


def more(page):
    """Opens what there is besides the next steps of the one delivery on a courier's page."""
    page.get_by_role("button", name="Details and more").click()


def rare(page):
    """Shows what is rarely done with the delivery that a store looks at."""
    page.locator(".acts .plain").click()


def apart(one, other):
    """Whether two boxes share no pixel."""
    return (one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"])


def grouped(phone):
    """A number of a mobile phone in Croatia as pages show it."""
    return f"{phone[:4]} {phone[4:6]} {phone[6:9]} {phone[9:]}"


def panel(page, title):
    """The part of a view with that heading."""
    return page.locator(".panel").filter(has=page.get_by_role("heading", name=title, exact=True))


def escape(page):
    """Closes the only dialog by its key, and waits until it is gone and no other has come."""
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def hush(page):
    """Takes away what the page has said so far, so that what it says next is said of what is done next."""
    page.locator(".notices").evaluate("(notices) => notices.replaceChildren()")


def until(page, condition):
    """Waits for what no locator sees."""
    end = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def rest(page):
    """Waits until the page has nothing left to do with what has come."""
    page.evaluate("() => new Promise(requestIdleCallback)")


def carried(*, visit, line=None, forgiving=(), fetched=True, **more):
    """A courier's page with one job in hand."""
    shop = Store()
    ana = Courier(shop)
    job = shop.deliver_to(ana, **more)
    ana.act("accept", job)
    if fetched:
        ana.act("pick_up", job)
    page = visit("/courier", phone=True, forgiving=["net::ERR_", *forgiving], address=line.address if line else ADDRESS)
    sign_in(page, ana)
    expect(page.get_by_role("button", name="Deliver:")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    kept(page)
    return shop, ana, job, page


def drawn(page):
    """Waits until what has changed is laid out and drawn, and what was put off until then is done."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))))")


def hold(page, pattern):
    """Holds back answers as they were given; gives the list of those that are held."""
    held = []
    page.route(pattern, lambda route: held.append((route, route.fetch())))
    return held


def release(page, held):
    """Lets them come, and waits until the page has done with them."""
    arrived = []
    page.on("requestfinished", lambda request: arrived.append(request))
    for route, answer in held:
        route.fulfill(response=answer)
    until(page, lambda: all(route.request in arrived for route, _ in held))
    rest(page)


def kept(page):
    """Waits until a courier's page has kept its jobs for when there is no connection."""
    until(page, lambda: page.evaluate("localStorage.getItem('kurir.jobs')"))


class Worker:
    """The service worker of a courier's page, as browsers wake it."""

    def __init__(self, page):
        page.context.grant_permissions(["notifications"], origin=page.url.split("/courier")[0])
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.page, (self.worker,) = page, page.context.service_workers
        session, found = page.context.new_cdp_session(page), []
        session.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.extend(told["registrations"]))
        session.send("ServiceWorker.enable")
        until(page, lambda: found)
        self.session, self.origin, self.id = session, page.url.split("/courier")[0], found[0]["registrationId"]
        # What is pushed before it is active, or has heard that it may notify, is lost.
        until(page, lambda: self.worker.evaluate("Notification.permission === 'granted' && self.registration.active?.state === 'activated'"))

    def push(self, message):
        data = json.dumps(message) if message else ""
        self.session.send("ServiceWorker.deliverPushMessage", {"origin": self.origin, "registrationId": self.id, "data": data})

    def shown(self):
        return self.worker.evaluate("""async () => (await inTurn(() => self.registration.getNotifications())).map(({title, body, tag, actions}) =>
            ({title, body, tag, actions: actions.map(({title}) => title)}))""")

    def clear(self):
        self.worker.evaluate("async () => (await self.registration.getNotifications()).forEach((one) => one.close())")

    def touch(self, action=""):
        """As somebody does, but that no window may be opened by a script's own event."""
        return self.worker.evaluate("""async (action) => {
            const [notification] = await self.registration.getNotifications();
            const event = new NotificationEvent('notificationclick', {notification, action});
            let work;
            Object.defineProperty(event, 'waitUntil', {value: (promise) => { work = promise; }});
            self.dispatchEvent(event);
            await work.catch((error) => { if (error.name !== 'InvalidAccessError') throw error; });
        }""", action)
