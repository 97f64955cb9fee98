#!/usr/bin/env python3
"""Measures how calls fare while what is kept grows: deliveries by powers of ten, and couriers.

Every size has a database of its own, which goes away at the end. What a store has open does not grow with its history.
"""
import contextlib
import http.client
import json
import math
import random
import shutil
import statistics
import sys
import tempfile
import time
from urllib.parse import quote

from deliveries import Kurir
from harness import Figures, WrongAnswers, arguments, medians, passing_cluster
from seed import COURIERS, STORES, folded, uuid

PENDING = 1_000
# What a delivery takes on the disk with all that belongs to it, while it is written, too; and with long texts.
ROOM, LONG_ROOM = 2_000, 12_000
# How often a call is made to find its longest statement.
ASKED = 100
# How many milliseconds a statement may take that is alone.
LARGEST = 50
NOWHERE = "vukovarska ulica 999"


class Client:
    """One that waits for each answer."""

    def __init__(self, kurir):
        self.connection = http.client.HTTPConnection(kurir.address)

    def page(self, path, token):
        self.connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f"{path}: {answer.status} {body.decode()}")
        return json.loads(body)

    def cursor_after(self, count, path, token):
        """Where a list goes on after so many items."""
        cursor = ""
        while count > 0:
            page = self.page(f"{path}?limit={min(200, count)}{cursor}", token)
            count -= len(page["items"])
            cursor = f"&cursor={page['next_cursor']}"
        return cursor

    def search(self, text, token):
        """How long a search takes that is followed to its end, in milliseconds, and its pages."""
        began, pages, cursor = time.perf_counter(), 0, ""
        while cursor is not None:
            page = self.page(f"/v1/deliveries?q={quote(text)}{cursor}", token)
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
            pages += 1
        return (time.perf_counter() - began) * 1000, pages


def wanted_texts(kurir, count=300):
    """Streets with numbers as people type them, each with a store that has a delivery to there: the stores in turn, since
    none searches more than twice at once."""
    turns = kurir.total // STORES
    numbers = ", ".join(str(random.randrange(turns) * STORES + n % STORES + 1) for n in range(count))
    rows = kurir.cluster.sql(
        f"SELECT d.recipient_address, n % {STORES} + 1 FROM unnest(ARRAY[{numbers}]) AS of(n) "
        f"JOIN deliveries d ON d.id = {uuid(3, 'n')}")
    return [(folded(address), f"store-{store}") for address, store in (row.split("|") for row in rows.splitlines())]


def of_stores(path):
    return [(path, f"store-{n}") for n in range(1, STORES + 1)]


def reads_of_deliveries(kurir):
    """What is asked for, with the paths and tokens that do."""
    client, half = Client(kurir), kurir.total // STORES // 2
    deep = {path: [(f"{path}?limit=50{client.cursor_after(half, path, token)}", token)
                   for token in {f"store-{n % STORES + 1}" for n in (0, 33, 66, 99)}]
            for path in ("/v1/deliveries", "/v1/events")}
    numbers = [random.randint(1, kurir.total) for _ in range(2000)]
    return {
        "one delivery": [
            (f"/v1/deliveries/00000003-0000-7000-8000-{n:012x}", f"store-{n % STORES + 1}") for n in numbers],
        "its history": [
            (f"/v1/deliveries/00000003-0000-7000-8000-{n:012x}/history", f"store-{n % STORES + 1}") for n in numbers],
        "store's list": of_stores("/v1/deliveries"),
        "store's list, halfway": deep["/v1/deliveries"],
        "courier's list of 10": [("/v1/deliveries?limit=10", f"courier-{n}") for n in range(1, COURIERS + 1)],
        "search": [(f"/v1/deliveries?q={quote(text)}", token) for text, token in wanted_texts(kurir)],
        # What completes an address while it is typed: a recipient by the street, and by what everybody has in common.
        "recipient": [(f"/v1/places/search?q={quote(text)}", token) for text, token in wanted_texts(kurir)],
        "recipient, by a frequent word": of_stores("/v1/places/search?q=ulica"),
        "recipient, nobody": of_stores(f"/v1/places/search?q={quote(NOWHERE)}"),
        "search, nothing there": of_stores(f"/v1/deliveries?q={quote(NOWHERE)}"),
        "feed": of_stores("/v1/events"),
        "feed, halfway": deep["/v1/events"],
        "figures of a month": of_stores("/v1/stats"),
        "account": of_stores("/v1/me"),
        "sessions": of_stores("/v1/sessions"),
        "invites": of_stores("/v1/invites"),
        "partners": of_stores("/v1/partners"),
        "directory": of_stores("/v1/couriers"),
    }


def reads_of_couriers(kurir):
    names = kurir.cluster.sql(
        "SELECT lower(first_name || ' ' || last_name) FROM couriers ORDER BY md5(id::text) LIMIT 300").splitlines()
    return {
        "partners": of_stores("/v1/partners"),
        "directory": of_stores("/v1/couriers"),
        "directory, partners only": of_stores("/v1/couriers?partner=true"),
        "directory, a name": [
            (f"/v1/couriers?q={quote(name)}", f"store-{n % STORES + 1}") for n, name in enumerate(names)],
        "directory, nobody": of_stores("/v1/couriers?q=nitko%20ni%C5%A1ta"),
    }


def until_idle(cluster):
    """Statements run on whose clients have gone."""
    while cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
                      "AND backend_type = 'client backend'") != "0":
        time.sleep(0.2)


class Table:
    """Calls by sizes."""

    def __init__(self, what, sizes, options):
        self.what, self.sizes, self.options = what, sizes, options
        # By call: of each size the number that is compared, and what is shown; and what it costs the database.
        self.rows, self.costs = {}, {}
        self.too_large = []

    def measure(self, kurir, call, kind, lines=()):
        if not self.wants(call):
            return
        path = f"{kurir.cluster.directory}/lines"
        with open(path, "w") as file:
            file.writelines(f"{asked} {token}\n" for asked, token in lines)
        options, rounds = self.options, []
        # What takes longer than a round is not asked for again.
        while len(rounds) < options.rounds and (not rounds or rounds[-1].rate):
            try:
                rounds.append(kurir.measure(options.connections, options.seconds, 1, kind, path))
            except WrongAnswers:
                rounds.append(Figures(0, math.nan, math.nan))
            until_idle(kurir.cluster)
        figures = medians(rounds)
        disturbed = "!" if figures.others > 0.05 else " "
        self.costs.setdefault(call, []).append(figures.database)
        self.add(call, figures.rate, f"{figures.rate:,.0f}/s {figures.p50:.1f} {figures.p99:.1f}{disturbed}"
                 if figures.rate else f"none in {options.seconds} s ")

    def time_statements(self, kurir, call, ask):
        """What of the call takes the database longest, while nobody else asks for anything."""
        if not self.wants(call):
            return
        took, text = kurir.cluster.largest_statement(ask)
        self.add(call, took, f"{took:,.1f} ms{'!' if took > LARGEST else ' '}")
        if took > LARGEST:
            self.too_large.append(f"{call} at {kurir.total:,}: {took:,.1f} ms in {text}")

    def wants(self, call):
        return any(call.startswith(name) for name in self.options.calls)

    def add(self, call, number, text):
        self.rows.setdefault(call, []).append((number, text))

    def print(self):
        heads = "".join(f"{size:>24,} " for size in self.sizes)
        print(f"\n{self.what:<25}{heads}{'last/first':>11}{'db first':>10}{'last':>8}")
        for call, cells in self.rows.items():
            shown = "".join(f"{text:>25}" for _, text in cells)
            costs = self.costs.get(call)
            costs = f"{costs[0]:>10.2f}{costs[-1]:>8.2f}" if costs else ""
            print(f"{call:<25}{shown}{cells[-1][0] / (cells[0][0] or 1):>11.2f}{costs}")
        print(flush=True)


@contextlib.contextmanager
def grown(options, total, pending, **size):
    """A Kurir with so much in it."""
    with passing_cluster(options.shared_buffers, options.statements) as cluster:
        began = time.monotonic()
        kurir = Kurir(options.kurir, cluster, total, pending, **size)
        print(f"{total:,} deliveries and {size.get('couriers', COURIERS):,} couriers, made in "
              f"{time.monotonic() - began:.0f} s, take "
              + cluster.sql("SELECT pg_size_pretty(pg_database_size(current_database())) || ' beside shared_buffers of ' "
                            "|| current_setting('shared_buffers')"), flush=True)
        try:
            yield kurir
        finally:
            kurir.stop()


def measure_deliveries(options):
    sizes = powers(10_000, options.deliveries)
    room = sizes[-1] * (LONG_ROOM if options.long_texts else ROOM)
    if room > (free := shutil.disk_usage(tempfile.gettempdir()).free):
        sys.exit(f"{sizes[-1]:,} deliveries want some {room >> 30} GiB of disk, and {free >> 30} GiB are free")
    table = Table("deliveries", sizes, options)
    for total in sizes:
        with grown(options, total, PENDING, text_length=3400 if options.long_texts else 100) as kurir:
            if options.statements:
                time_statements(table, kurir, reads_of_deliveries(kurir))
                for call in "accept", "deliver", "create":
                    kurir.reserve(call, 1, 3)
                    table.time_statements(kurir, call, lambda: kurir.wrk(1, 1, call, ""))
                continue
            for call, lines in reads_of_deliveries(kurir).items():
                table.measure(kurir, call, "lines", lines)
            if table.wants("search"):
                measure_searches(table, kurir)
            # Last, since they make it grow.
            for call in "accept", "deliver", "create":
                table.measure(kurir, call, call)
    table.print()
    return table


def measure_searches(table, kurir):
    client = Client(kurir)
    nowhere = [(NOWHERE, f"store-{n % STORES + 1}") for n in range(5)]
    for call, searches in ("search to its end", wanted_texts(kurir, 5)), ("search for nothing", nowhere):
        client.search(*searches[0])
        times, pages = zip(*(client.search(*search) for search in searches))
        time = statistics.median(times)
        table.add(call, time, f"{time:,.0f} ms, {max(pages)} pages ")


def measure_couriers(options):
    table = Table("couriers", powers(1_000, options.couriers), options)
    for couriers in table.sizes:
        with grown(options, 10 * PENDING, PENDING, couriers=couriers) as kurir:
            if options.statements:
                time_statements(table, kurir, reads_of_couriers(kurir))
                continue
            for call, lines in reads_of_couriers(kurir).items():
                table.measure(kurir, call, "lines", lines)
    table.print()
    return table


def time_statements(table, kurir, reads):
    client = Client(kurir)
    for call, lines in reads.items():
        table.time_statements(kurir, call, lambda: [client.page(*line) for line in lines[:ASKED]])


def powers(first, last):
    return [first * 10**power for power in range(10) if first * 10**power <= last]


def main():
    parser = arguments(__doc__, seconds=2)
    parser.add_argument("--deliveries", type=int, default=10**6, help="up to how many; 0 for none")
    parser.add_argument("--couriers", type=int, default=10**6, help="up to how many; 0 for none")
    parser.add_argument("--calls", nargs="*", default=[""], help="only those whose names begin so")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--long-texts", action="store_true", help="almost 4 KB of description, and as much of instructions")
    parser.add_argument(
        "--statements", action="store_true",
        help="instead: the longest statement of each call in ms, alone; 1 at the end if one takes longer than 50")
    options = parser.parse_args()
    print("requests a second, p50 and p99 in ms (! others had more than 5 % of the machine); last/first: of the rates, "
          "or of the times; db: processor ms that a request costs the database at the first and at the last size\n")
    tables = []
    if options.deliveries:
        tables.append(measure_deliveries(options))
    if options.couriers:
        tables.append(measure_couriers(options))
    if too_large := [line for table in tables for line in table.too_large]:
        sys.exit("\n".join([f"longer than {LARGEST} ms:", *too_large]))


if __name__ == "__main__":
    main()
