#!/usr/bin/env python3
"""Kills, stops and cuts off the leader of a whole cluster under load, again and again, and looks what was lost.

    failover.py KURIR [--rounds N] [--stores N] [--faults kill stop cut]

Stores create deliveries and couriers carry them, each step under its key and repeated until it is acknowledged. At the end
every acknowledged step must be there, and every feed must tell of each step once, in order. Prints for each kind of fault how
long nothing was acknowledged.
"""
import argparse
import collections
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/cluster"))
from local import Cluster, wait  # noqa: E402

# How long a client waits for one answer, and how long it goes on trying.
PATIENCE, STAMINA = 5, 180
# How long a machine stays away.
ABSENCE = 40
PASSWORD = "krumpir-na-tavi"


class Failed(Exception):
    """A client got what repeating with its key does not mend."""


class Client:
    """Somebody's app: asks at one front, and at the next where that one does not answer."""

    def __init__(self, fronts, token=None):
        self.fronts, self.token = collections.deque(urllib.parse.urlsplit(front).netloc for front in fronts), token

    def call(self, method, path, body=None, key=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if key:
            headers["Idempotency-Key"] = key
        end = time.monotonic() + STAMINA
        while time.monotonic() < end:
            connection = http.client.HTTPConnection(self.fronts[0], timeout=PATIENCE)
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
        digits = f"{number + 1:010d}"
        made = self.store.call("POST", "/v1/stores", {
            "name": f"Pekara {number}", "email": f"pekara{number}@example.com", "tax_id": digits + check_digit(digits),
            "address": "Ilica 1", "phone": "+38514828111", "password": PASSWORD}, str(uuid.uuid4()))
        self.store.token = self.reader.token = made["session"]["token"]
        invite = self.store.call("POST", "/v1/invites", {"phone": f"+3859100{number:05d}"}, str(uuid.uuid4()))
        made = Client(fronts).call("POST", "/v1/couriers", {
            "first_name": "Ana", "last_name": "Anić", "phone": f"+3859100{number:05d}", "password": PASSWORD,
            "invite_code": invite["code"]}, str(uuid.uuid4()))
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


def kill(cluster, leader):
    """PostgreSQL dies at once, all of it."""
    for process in leader.processes():
        command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        if command.startswith((b"/usr/lib/postgresql", b"postgres:")):
            os.kill(process, signal.SIGKILL)


def stop(cluster, leader):
    """The whole machine stands still, and goes on later as if nothing had been."""
    leader.signal(signal.SIGSTOP)
    time.sleep(ABSENCE)
    leader.signal(signal.SIGCONT)


def cut(cluster, leader):
    """Nobody hears of the machine, and it hears of nobody, for a while."""
    subprocess.run(["ip", "link", "set", leader.space, "down"], check=True)
    time.sleep(ABSENCE)
    subprocess.run(["ip", "link", "set", leader.space, "up"], check=True)


def verify(shops, began):
    """What is wrong with what the shops were told."""
    wrong = []
    for shop in shops:
        for delivery, (status, time) in shop.acknowledged.items():
            try:
                is_now = shop.store.call("GET", f"/v1/deliveries/{delivery}")["status"]
            except Failed as error:
                is_now = str(error)
            if is_now != status:
                wrong.append(f"{delivery} was acknowledged as {status} at {time - began:.1f} s, and is {is_now}")
        steps = collections.defaultdict(list)
        for event in shop.events:
            if event["type"].startswith("delivery."):
                steps[event["delivery_id"]].append(event["type"])
        for delivery, (status, _) in shop.acknowledged.items():
            expected = ["delivery.created", "delivery.accepted", "delivery.delivered"]
            expected = expected[: ("pending", "in_progress", "delivered").index(status) + 1]
            if steps[delivery] != expected:
                wrong.append(f"{delivery} is {status}, and the feed told {steps[delivery]}")
        numbers = [event["number"] for event in shop.events]
        if numbers != sorted(set(numbers)):
            wrong.append(f"the numbers of a feed do not grow: {numbers[:20]}…")
    return wrong


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--stores", type=int, default=8)
    options.add_argument("--faults", nargs="+", default=["kill", "stop", "cut"])
    options.add_argument("binary", type=pathlib.Path)
    options = options.parse_args()
    directory = tempfile.mkdtemp(prefix="kurir-failover-", dir="/var/tmp")
    silences, failures = collections.defaultdict(list), []
    try:
        with Cluster(directory, options.binary.resolve(), KURIR_THROTTLE="off") as cluster:
            shops = [Shop(number, cluster.fronts) for number in range(options.stores)]
            clock, over = Clock(), threading.Event()
            began = clock.times[0]

            def working(shop):
                while not over.is_set():
                    try:
                        shop.work(clock)
                    except Failed as error:
                        failures.append(str(error))

            def reading(shop):
                cursor = None
                while True:
                    count = len(shop.events)
                    try:
                        cursor = shop.read(cursor)
                    except Failed as error:
                        failures.append(str(error))
                    if over.is_set() and len(shop.events) == count and not workers_live():
                        return

            workers = [threading.Thread(target=working, args=[shop], daemon=True) for shop in shops]
            readers = [threading.Thread(target=reading, args=[shop], daemon=True) for shop in shops]

            def workers_live():
                return any(worker.is_alive() for worker in workers)

            for thread in workers + readers:
                thread.start()
            for number in range(options.rounds):
                for fault in options.faults:
                    wait(cluster.is_whole, 180, "the cluster is whole")
                    time.sleep(3)
                    leader, since = cluster.leader(), time.monotonic()
                    {"kill": kill, "stop": stop, "cut": cut}[fault](cluster, leader)
                    wait(lambda: clock.times[-1] > since + 1 and cluster.is_whole(), 180, "work goes on")
                    silences[fault].append(clock.longest_silence(since))
                    print(f"round {number + 1}, at {since - began:.1f} s: {leader.name} {fault}: {silences[fault][-1]:.1f} s without writes, "
                          f"now {cluster.leader().name} leads, {len(clock.times) - 1} steps so far", flush=True)
            over.set()
            for thread in workers + readers:
                thread.join(STAMINA + 30)
            wrong = verify(shops, began)
            print(f"{sum(len(shop.acknowledged) for shop in shops)} deliveries, "
                  f"{sum(len(shop.events) for shop in shops)} events read")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    for fault, seconds in silences.items():
        print(f"{fault}: {len(seconds)} times, seconds without writes: median {percentile(seconds, 0.5):.1f}, "
              f"95th percentile {percentile(seconds, 0.95):.1f}, longest {max(seconds):.1f}")
    print(f"errors seen by clients: {len(failures)}")
    for line in (failures + wrong)[:20]:
        print(f"  {line}")
    sys.exit(1 if failures or wrong else 0)


if __name__ == "__main__":
    main()
