"""Stores that create deliveries and couriers who carry them, each step under its key and repeated until it is acknowledged;
and what must be true of it all in the end."""
import collections
import http.client
import json
import threading
import time
import urllib.parse
import uuid

# How long a client waits for one answer, and how long it goes on trying.
PATIENCE, STAMINA = 5, 180
PASSWORD = "krumpir-na-tavi"


class Failed(Exception):
    """A client got what repeating with its key does not mend."""


class Client:
    """Somebody's app: asks at one front, and at the next where that one does not answer."""

    def __init__(self, fronts, token=None, patience=PATIENCE):
        self.fronts = collections.deque(urllib.parse.urlsplit(front).netloc for front in fronts)
        self.token, self.patience = token, patience

    def call(self, method, path, body=None, key=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if key:
            headers["Idempotency-Key"] = key
        end = time.monotonic() + STAMINA
        while time.monotonic() < end:
            connection = http.client.HTTPConnection(self.fronts[0], timeout=self.patience)
            try:
                connection.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = connection.getresponse()
                status, text = answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                status, text = 0, b""
            finally:
                connection.close()
            if 200 <= status < 300:
                return json.loads(text) if text else None
            code = json.loads(text).get("code") if text.startswith(b"{") else None
            # What an app tries again: silence, trouble over there, too often, and its own request still under way.
            if status not in (0, 429) and status < 500 and code != "request_in_progress":
                raise Failed(f"{method} {path}: {status} {text.decode(errors='replace')}")
            self.fronts.rotate()
            time.sleep(0.2)
        raise Failed(f"{method} {path}: no answer within {STAMINA} s, at last {status}")


class Shop:
    """A store with a courier: works until it is told to stop, and reads its feed beside that."""

    def __init__(self, number, fronts):
        self.number, self.acknowledged, self.events = number, {}, []
        self.store, self.reader = Client(fronts), Client(fronts)
        # Who has no session has no keys, and must not ask again.
        stranger = Client(fronts, patience=STAMINA)
        digits = f"{number + 1:010d}"
        made = stranger.call("POST", "/v1/stores", {
            "name": f"Pekara {number}", "email": f"pekara{number}@example.com", "tax_id": digits + check_digit(digits),
            "address": "Ilica 1", "phone": "+38514828111", "password": PASSWORD})
        self.store.token = self.reader.token = made["session"]["token"]
        invite = self.store.call("POST", "/v1/invites", {"phone": f"+3859100{number:05d}"}, str(uuid.uuid4()))
        made = stranger.call("POST", "/v1/couriers", {
            "first_name": "Ana", "last_name": "Anić", "phone": f"+3859100{number:05d}", "password": PASSWORD,
            "invite_code": invite["code"]})
        self.courier, self.courier_id = Client(fronts, made["session"]["token"]), made["account"]["id"]

    def work(self, clock):
        """One delivery, from its creation to its end."""
        made = self.store.call("POST", "/v1/deliveries", {
            "recipient": {"first_name": "Iva", "last_name": "Ivić", "address": "Ilica 1"}, "description": "Torta",
            "courier_ids": [self.courier_id]}, str(uuid.uuid4()))
        clock.acknowledged()
        self.acknowledged[made["id"]] = ("pending", clock.times[-1])
        for step, status in (("accept", "in_progress"), ("deliver", "delivered")):
            self.courier.call("POST", f"/v1/deliveries/{made['id']}/{step}", key=str(uuid.uuid4()))
            clock.acknowledged()
            self.acknowledged[made["id"]] = (status, clock.times[-1])

    def read(self, cursor):
        """What is new in its feed, and where to go on."""
        after = f"&after={urllib.parse.quote(cursor)}" if cursor else ""
        items = self.reader.call("GET", f"/v1/events?limit=200&wait_seconds=2{after}")["items"]
        self.events += items
        return items[-1]["cursor"] if items else cursor


def check_digit(digits):
    """The last digit of an OIB (ISO 7064, MOD 11,10)."""
    rest = 10
    for digit in digits:
        rest = (rest + int(digit)) % 10 or 10
        rest = rest * 2 % 11
    return str((11 - rest) % 10)


class Clock:
    """When something was acknowledged."""

    def __init__(self):
        self.times, self.lock = [time.monotonic()], threading.Lock()

    def acknowledged(self):
        with self.lock:
            self.times.append(time.monotonic())

    def longest_silence(self, since):
        with self.lock:
            times = [one for one in self.times if one >= since]
        return max(after - before for before, after in zip([since] + times, times + [time.monotonic()]))


class Load:
    """Shops at work, from the beginning of a `with` to its end."""

    def __init__(self, fronts, stores):
        self.shops = [Shop(number, fronts) for number in range(stores)]
        self.clock, self.failures, self.over = Clock(), [], threading.Event()
        self.workers = [threading.Thread(target=self.work, args=[shop], daemon=True) for shop in self.shops]
        self.readers = [threading.Thread(target=self.read, args=[shop], daemon=True) for shop in self.shops]

    def __enter__(self):
        for thread in self.workers + self.readers:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.workers + self.readers:
            thread.join(STAMINA + 30)
            if thread.is_alive():
                self.failures.append("somebody does not come to an end")

    @property
    def steps(self):
        return len(self.clock.times) - 1

    def work(self, shop):
        while not self.over.is_set():
            self.trying(shop.work, self.clock)

    def read(self, shop):
        """Until nothing more can come."""
        cursor = None
        while True:
            is_last = not any(worker.is_alive() for worker in self.workers)
            count = len(shop.events)
            cursor = self.trying(shop.read, cursor) or cursor
            if is_last and len(shop.events) == count:
                return

    def trying(self, call, *arguments):
        try:
            return call(*arguments)
        except Failed as error:
            self.failures.append(str(error))

    def report(self):
        """Says what came of it; the number of what is wrong."""
        wrong = verify(self.shops, self.clock.times[0])
        print(f"{sum(len(shop.acknowledged) for shop in self.shops)} deliveries, "
              f"{sum(len(shop.events) for shop in self.shops)} events read, {self.steps} steps acknowledged")
        print(f"errors seen by clients: {len(self.failures)}; lost, doubled or out of order: {len(wrong)}")
        for line in (self.failures + wrong)[:20]:
            print(f"  {line}")
        return len(self.failures) + len(wrong)


def verify(shops, began):
    """What is wrong with what the shops were told."""
    wrong = []
    for shop in shops:
        for delivery, (status, moment) in shop.acknowledged.items():
            try:
                is_now = shop.store.call("GET", f"/v1/deliveries/{delivery}")["status"]
            except Failed as error:
                is_now = str(error)
            if is_now != status:
                wrong.append(f"{delivery} was acknowledged as {status} at {moment - began:.1f} s, and is {is_now}")
        steps = collections.defaultdict(list)
        for event in shop.events:
            if event["type"].startswith("delivery."):
                steps[event["delivery_id"]].append(event["type"])
        for delivery, (status, _) in shop.acknowledged.items():
            expected = ["delivery.created", "delivery.accepted", "delivery.delivered"]
            expected = expected[: ("pending", "in_progress", "delivered").index(status) + 1]
            if steps[delivery] != expected:
                wrong.append(f"{delivery} is {status}, and the feed told {steps[delivery]}")
        # Each creation had a key: what nobody was told of was made twice.
        wrong += [f"{delivery} is in the feed, and nobody was told of it" for delivery in set(steps) - set(shop.acknowledged)]
        numbers = [event["number"] for event in shop.events]
        if numbers != list(range(1, len(numbers) + 1)):
            wrong.append(f"a feed does not count 1, 2, 3 …: {numbers[:20]}…")
    return wrong
