#!/usr/bin/env python3
"""Keeps a server at work with everything at once, and watches what it takes: memory, files, threads, connections, tables.

    soak.py [--minutes N] [--kurir BINARY]

Stories are played one after the other (kurir simulate), each of which proves that it was told as it was. Beside that, people
sign in and out, hold streams open and drop them, repeat requests with their keys, say where they are, talk, send pictures, report
what is on the road, follow their delivery, share papers, search, look at figures, and ask for new passwords, and a gateway drains the
outbox. What must not grow with time is compared: its most in the last third with its most in the third before, when everything was
warm.
"""
import argparse
import contextlib
import http.client
import itertools
import json
import pathlib
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib

from harness import BUILT, Served, passing_cluster

PASSWORD = "krumpir-na-tavi"
TENTHS = 10
STORIES, STREAMS = 2, 24
# What may grow with what is kept: with deliveries and all that belongs to them, events and messages, people and what they have, keys,
# and who did what.
KEPT = ("accounts", "area_days", "area_stores", "audit", "audit_failures", "bulletin_counts", "bulletin_days", "bulletins",
        "cancellation_reviews", "cancellations", "conversation_messages", "conversations", "courier_words", "couriers",
        "credential_shares", "credentials", "deliveries", "delivery_extras", "delivery_history", "delivery_words", "devices",
        "earnings", "events", "feed_ends", "file_pieces", "files", "former_places", "idempotency_keys", "invited_numbers", "invites",
        "jobs", "messages", "messages_dead", "messages_done", "nearby_told", "offer_texts", "partners", "pin_tries", "places",
        "positions", "proofs", "quick_answers", "road_reports", "road_votes", "selected_places", "sessions", "sms_budgets",
        "sms_stops", "stores", "trackings", "trails", "used_addresses")
# What must not: it waits for something, is over soon, or has nothing to do with how much there is.
FLAT = ("area_marks", "channel_claims", "confirmations", "country_zones", "deadlines", "erasures", "event_cursors_before",
        "event_journal", "event_rounds", "events_kept", "file_removals", "gateway_keys", "gathered_mails", "housekeeping",
        "message_counts", "message_queue", "partnership_endings", "password_resets", "reset_codes", "reset_guesses",
        "schema_backfills", "schema_functions", "schema_indexes", "schema_least", "schema_migrations", "server_keys",
        "seats", "server_secret", "throttles", "trust", "weather")
# By how much what is flat may waver: by a share, and by so much besides.
SHARE, MEMORY, TABLE, COUNT = 0.15, 8 << 20, 1 << 20, 8
MAY_GROW = ("deliveries", "tables that keep")
COUNTS = ("kurir: threads", "kurir: open files", "database: connections", "deliveries", "waiting messages")


class Person:
    """Somebody's app, over a connection of its own."""

    def __init__(self, address, token=None):
        self.address, self.token, self.connection = address, token, http.client.HTTPConnection(address, timeout=60)

    def call(self, method, path, body=None, expected=(200, 201, 202, 204), **headers):
        headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
        content = body if body is None or isinstance(body, bytes) else json.dumps(body)
        if body is not None:
            headers["Content-Type"] = "image/png" if isinstance(body, bytes) else "application/json"
        try:
            self.connection.request(method, path, content, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            # An idle connection was closed.
            self.connection.close()
            return self.call(method, path, body, expected, **headers)
        # Whoever is told to wait does.
        if answer.status in (429, 503):
            time.sleep(int(answer.headers.get("Retry-After", "1")))
            return self.call(method, path, body, expected, **headers)
        assert answer.status in expected, f"{method} {path}: {answer.status} {text.decode()}"
        return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text


class Shop:
    """A store with a courier who has a phone, both signed in."""

    def __init__(self, address, number):
        self.number, self.store = number, Person(address)
        digits = f"{number + 1:010d}"
        made = self.store.call("POST", "/v1/stores", {
            "name": f"Trgovina {number}", "email": self.email, "tax_id": digits + check_digit(digits),
            "address": "Ilica 1", "phone": "+38514828111", "password": PASSWORD})
        self.store.token, self.store_id = made["session"]["token"], made["account"]["id"]
        invite = self.store.call("POST", "/v1/invites", {"phone": f"+3859100{number:05d}"})
        self.courier = Person(address)
        made = self.courier.call("POST", "/v1/couriers", {
            "first_name": "Ana", "last_name": "Anić", "phone": f"+3859100{number:05d}", "password": PASSWORD,
            "invite_code": invite["code"]})
        self.courier.token, self.courier_id = made["session"]["token"], made["account"]["id"]
        for person in (self.store, self.courier):
            person.call("PUT", f"/v1/me/devices/soak-{number}-{id(person)}", {"platform": "fcm"})
        self.courier.call("PATCH", "/v1/me", {"share_position": "always"})
        self.recipient = Person(address)

    @property
    def email(self):
        return f"soak{self.number}@example.com"

    def work(self, turn):
        """One delivery with all that goes with it, and now and then a look back."""
        word = random.choice(("krumpir", "kruh", "ruže", "torta", "knjige"))
        self.carry(turn, word)
        self.talk(turn)
        self.drive_past(turn)
        self.store.call("GET", f"/v1/deliveries?q={urllib.parse.quote(word)}")
        self.courier.call("GET", "/v1/deliveries")
        if turn % 20 == 0:
            self.share_paper(turn)
            for path in ("/v1/stats", "/v1/stats/areas", "/v1/couriers?q=ana", "/v1/positions"):
                self.store.call("GET", path)
        if turn % 200 == 0:
            self.store.call("GET", "/v1/me/export")

    def carry(self, turn, word):
        """A delivery from its creation to its end, each step sent twice with its key, while its recipient looks on."""
        form = {"recipient": {"first_name": "Iva", "last_name": "Ivić", "address": f"Vukovarska {turn % 300}",
                              "phone": f"+3859200{turn % 100_000:05d}", "location": near()},
                "description": f"{word} {turn}", "courier_ids": [self.courier_id], "pay": {"amount": 350, "currency": "EUR"}}
        path = f"/v1/deliveries/{self.twice(self.store, '/v1/deliveries', form, f'create-{turn}')['id']}"
        link = "/v1/tracking/" + self.store.call("POST", f"{path}/tracking")["url"].rsplit("/", 1)[1]
        self.twice(self.courier, f"{path}/accept", None, f"accept-{turn}")
        self.recipient.call("POST", f"{link}/wish", {"text": f"Zvono {turn}"})
        self.twice(self.courier, f"{path}/pick_up", None, f"pick-up-{turn}")
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        self.courier.call("POST", "/v1/me/positions", {"fixes": [near() | {"accuracy_m": 8, "at": now}]})
        self.recipient.call("GET", link)
        photo = self.courier.call("POST", "/v1/files", picture(turn))["id"]
        self.twice(self.courier, f"{path}/deliver", {"photo_ids": [photo]}, f"deliver-{turn}")
        self.recipient.call("POST", f"{link}/rating", {"stars": 5})
        for what in (f"/v1/files/{photo}", f"{path}/history", f"{path}/proof", path):
            self.store.call("GET", what)

    def twice(self, person, path, form, key):
        """What both answers are."""
        answers = [person.call("POST", path, form, **{"Idempotency-Key": key}) for _ in range(2)]
        assert answers[0] == answers[1], f"{path}: a repeated request got another answer"
        return answers[0]

    def talk(self, turn):
        one = "/v1/conversations/" + self.store.call("PUT", f"/v1/conversations/with/{self.courier_id}")["id"]
        said = self.twice(self.store, f"{one}/messages", {"text": f"Hvala za {turn}"}, f"say-{turn}")
        self.courier.call("PUT", f"{one}/read", {"up_to": said["seq"]})
        self.courier.call("GET", f"{one}/messages")

    def drive_past(self, turn):
        """Reports what is on the road, and looks at what others have; what was reported there before is voted on."""
        seen = {"kind": "closure", "road_type": "city", "title": f"Most {turn}", "location": near()}
        report = self.courier.call("POST", "/v1/roads", seen, expected=(201, 409))["id"]
        self.store.call("POST", f"/v1/roads/{report}/still_there")
        self.courier.call("GET", "/v1/roads?near=45.81,15.98&radius_m=2000")

    def share_paper(self, turn):
        """A licence that the store sees for a while."""
        form = {"raw": f"B-{turn}", "kind": "licence", "title": "Vozačka", "valid_until": "2099-01-01"}
        paper = "/v1/me/credentials/" + self.courier.call("POST", "/v1/me/credentials", form)["id"]
        self.courier.call("PATCH", paper, {"shared_with": [self.store_id]})
        self.store.call("GET", f"/v1/couriers/{self.courier_id}/credentials")
        self.courier.call("DELETE", paper)

    def come_and_go(self, address):
        """Signs in on a further device, looks around, asks for a new password, and signs out."""
        guest = Person(address)
        guest.token = guest.call("POST", "/v1/sessions", {"email": self.email, "password": PASSWORD})["token"]
        guest.call("GET", "/v1/me")
        guest.call("PUT", f"/v1/me/devices/guest-{self.number}", {"platform": "apns"})
        guest.call("POST", "/v1/password_resets", {"email": self.email})
        guest.call("DELETE", f"/v1/sessions/current?device=guest-{self.number}")
        guest.call("GET", "/v1/me", expected=(401,))
        guest.connection.close()


def near():
    """Somewhere in a town."""
    return {"lat": round(random.uniform(45.77, 45.85), 5), "lon": round(random.uniform(15.87, 16.07), 5)}


def picture(turn):
    """A dot as PNG, of another colour each time."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    dot = b"\0" + (turn & 0xFFFFFF).to_bytes(3)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(dot)) + chunk(b"IEND", b"")


def check_digit(digits):
    """The last digit of an OIB (ISO 7064, MOD 11,10)."""
    rest = 10
    for digit in digits:
        rest = (rest + int(digit)) % 10 or 10
        rest = rest * 2 % 11
    return str((11 - rest) % 10)


class Streams:
    """Streams of feeds, of places and of the road, of which now and then one is dropped, by a reset or properly, and another opened."""

    def __init__(self, address, shops):
        self.address, self.shops, self.open = address, shops, []

    def turn(self):
        if len(self.open) >= STREAMS:
            stream = self.open.pop(random.randrange(len(self.open)))
            if random.random() < 0.5:
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            stream.close()
        shop = random.choice(self.shops)
        path, person = random.choice((("events?after=now", shop.store), ("events?after=now", shop.courier),
                                      ("positions", shop.store), ("roads", shop.courier)))
        host, port = self.address.split(":")
        stream = socket.create_connection((host, int(port)))
        stream.sendall(f"GET /v1/{path} HTTP/1.1\r\nHost: soak\r\nAccept: text/event-stream\r\n"
                       f"Authorization: Bearer {person.token}\r\n\r\n".encode())
        self.open.append(stream)
        # Some read what comes; nobody reads all of it.
        for stream in random.sample(self.open, len(self.open) // 2):
            with contextlib.suppress(OSError):
                stream.recv(1 << 20, socket.MSG_DONTWAIT)


class Soak:
    """Everybody at work, from the beginning of a `with` to its end."""

    def __init__(self, kurir, address):
        self.kurir, self.address, self.over, self.failures = kurir, address, threading.Event(), []
        self.seeds, self.turns, self.stories = itertools.count(1), itertools.count(1), 0
        self.shops = [Shop(address, number) for number in range(6)]
        self.streams = Streams(address, self.shops)
        loops = [self.play] * STORIES + [
            lambda: self.shops[0].work(next(self.turns)), lambda: self.shops[1].work(next(self.turns)),
            lambda: self.pause(2, random.choice(self.shops[2:]).come_and_go, address), lambda: self.pause(0.2, self.streams.turn)]
        self.threads = [threading.Thread(target=self.repeat, args=[loop], daemon=True) for loop in loops]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(300)
        for stream in self.streams.open:
            stream.close()

    def repeat(self, work):
        while not self.over.is_set():
            try:
                work()
            except (AssertionError, OSError) as error:
                self.failures.append(f"{error}")
                time.sleep(1)

    def pause(self, seconds, work, *arguments):
        work(*arguments)
        self.over.wait(seconds)

    def play(self):
        played = subprocess.run(
            [self.kurir, "simulate", "--server", f"http://{self.address}", "--seed", str(next(self.seeds)), "--stores", "3",
             "--couriers", "14", "--days", "3"], capture_output=True, text=True)
        assert played.returncode == 0, played.stdout + played.stderr
        self.stories += 1


class Kurir(Served):
    """A server, and a gateway that drains its outbox."""

    def __init__(self, binary, cluster):
        kept = cluster.kept(binary)
        super().__init__(
            [binary, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--throttle", "off", *kept], cluster)
        self.address = self.process.stdout.readline().split("//")[1].strip()
        self.gateway = subprocess.Popen(
            [binary, "gateway", "run", "--channel", "sms,push,email", "--to", "log", *kept],
            stdout=subprocess.DEVNULL, stderr=self.log)

    def stop(self):
        for process in (self.gateway, self.process):
            process.terminate()
            process.wait()


def proc(pid, name):
    """A figure of /proc/PID/status, memory in bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            value = line.split()
            return int(value[1]) * (1024 if value[-1] == "kB" else 1)
    return 0


def sample(kurir):
    """Every figure now, and which table takes how much."""
    cluster, own = kurir.cluster, kurir.process.pid
    pids = [int(pid) for pid in cluster.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                                            "AND pid <> pg_backend_pid()").split()]
    anonymous = [proc(pid, "RssAnon") for pid in pids if pathlib.Path(f"/proc/{pid}").exists()]
    tables = {name: (int(heap), int(indexes)) for name, heap, indexes in (line.split("|") for line in cluster.sql("""
        SELECT coalesce(parent.relname, c.relname), sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid)) FROM pg_class c
        LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1""").splitlines())}
    deliveries = int(cluster.sql("SELECT count(*) FROM deliveries"))
    kept = sum(sum(tables[name]) for name in KEPT if name in tables)
    return {
        "kurir: memory": proc(own, "VmRSS"), "kurir: threads": proc(own, "Threads"),
        "kurir: open files": len(list(pathlib.Path(f"/proc/{own}/fd").iterdir())),
        "gateway: memory": proc(kurir.gateway.pid, "VmRSS"),
        "database: connections": len(pids), "database: memory of the largest": max(anonymous, default=0),
        "database: memory of all": sum(anonymous),
        "tables that only wait": sum(sum(sizes) for name, sizes in tables.items() if name not in KEPT),
        "deliveries": deliveries, "tables that keep": kept, "kept for each delivery": kept // max(1, deliveries),
        "waiting messages": int(cluster.sql("SELECT count(*) FROM message_queue")),
    }, tables


def shown(name, value):
    if name in COUNTS:
        return f"{value:,}"
    return f"{value:,} B" if name == "kept for each delivery" else f"{value / (1 << 20):,.1f} MB"


def grew(values, besides):
    """Whether what should be flat was more in the last third than when all was warm."""
    warm, last = values[len(values) // 3:2 * len(values) // 3], values[2 * len(values) // 3:]
    return max(last) > max(warm) * (1 + SHARE) + besides


def leeway(name):
    return COUNT if name in COUNTS else MEMORY if "memory" in name else 0 if "each" in name else TABLE


def report(samples, tables):
    """Prints the tables; the names of what grew."""
    picked = [0, len(samples) // 3, 2 * len(samples) // 3, len(samples) - 1]
    print(f"\n{'':<34}" + "".join(f"{f'at {n}/{len(samples) - 1}':>14}" for n in picked) + "  may grow")
    wrong = []
    for name in samples[0]:
        values = [one[name] for one in samples]
        is_wrong = name not in MAY_GROW and grew(values, leeway(name))
        wrong += [name] * is_wrong
        line = "".join(f"{shown(name, values[n]):>14}" for n in picked)
        print(f"{name:<34}{line}  {'yes' if name in MAY_GROW else 'NO, and did' if is_wrong else 'no'}")
    print(f"\n{'tables with their indexes':<34}" + "".join(f"{f'at {n}/{len(samples) - 1}':>14}" for n in picked) + "  may grow")
    for name in sorted(tables[-1], key=lambda name: -sum(tables[-1][name])):
        values = [sum(one.get(name, (0, 0))) for one in tables]
        is_wrong = name not in KEPT and grew(values, TABLE)
        wrong += [name] * is_wrong
        if max(values) > 1 << 17 or is_wrong:
            line = "".join(f"{shown('a table', values[n]):>14}" for n in picked)
            print(f"{name:<34}{line}  {'yes' if name in KEPT else 'NO, and did' if is_wrong else 'no'}")
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    # In less the mails of five minutes, which wait to be gathered, still become more.
    options.add_argument("--minutes", type=float, default=10)
    options.add_argument("--kurir", type=pathlib.Path, default=BUILT / "kurir")
    options = options.parse_args()
    with passing_cluster() as cluster:
        # As often for the load of ten minutes as the usual minute for that of an hour.
        cluster.sql("ALTER SYSTEM SET autovacuum_naptime = '10s'; SELECT pg_reload_conf()")
        kurir = Kurir(options.kurir, cluster)
        try:
            samples, tables = [], []
            with Soak(options.kurir, kurir.address) as soak:
                for tenth in range(TENTHS + 1):
                    if tenth:
                        time.sleep(options.minutes * 60 / TENTHS)
                    figures, sizes = sample(kurir)
                    samples.append(figures)
                    tables.append(sizes)
                    print(f"{tenth}/{TENTHS}: " + ", ".join(f"{name} {shown(name, figures[name])}" for name in (
                        "kurir: memory", "database: memory of all", "kurir: open files", "deliveries")), flush=True)
        finally:
            kurir.stop()
        vacuumed = int(cluster.sql("SELECT sum(autovacuum_count) FROM pg_stat_user_tables"))
    wrong = report(samples, tables)
    print(f"\n{soak.stories} stories told, {next(soak.turns) - 1} deliveries with each request repeated, autovacuum "
          f"came {vacuumed} times; {len(soak.failures)} failures")
    for line in soak.failures[:10]:
        print(f"  {line}")
    if not vacuumed:
        wrong.append("nothing was vacuumed, so that sizes say nothing")
    if wrong:
        print("What should be flat grew: " + ", ".join(wrong))
    sys.exit(1 if wrong or soak.failures else 0)


if __name__ == "__main__":
    main()
