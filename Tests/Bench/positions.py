#!/usr/bin/env python3
"""Measures what it costs that couriers say where they are and stores watch them: fixes at a given rate, first alone, then beside
streams of stores, each of which sees its couriers. Each courier carries three deliveries, with places.
"""
import http.client
import json
import os
import random
import re
import selectors
import socket
import statistics
import sys
import threading
import time

import seed
from harness import Meter, Served, arguments, passing_cluster, run

LUA = os.path.join(os.path.dirname(__file__), "positions.lua")
CARRIED = 3
# What one of them carries besides: a suggested route then has twenty stops.
MORE = 17


def jobs(stores, couriers):
    """What each courier carries, all of it for the one store that it works for."""
    numbered = (
        f"(SELECT c, k FROM generate_series(1, {couriers}) c, generate_series(0, {CARRIED - 1}) k "
        f"UNION ALL SELECT 1, {couriers * CARRIED} + k FROM generate_series(1, {MORE}) k) numbered")
    delivery, courier = seed.uuid(3, f"c * {CARRIED} + k"), seed.uuid(2, "c")
    store = seed.uuid(1, f"((c + {stores - 2}) % {stores} + 1)")
    return seed.UNCHECKED + f"""
UPDATE couriers SET share_position = 'always';
INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name, recipient_last_name,
        recipient_address, recipient_lat, recipient_lon, description, created_at, updated_at, accepted_at)
    SELECT {delivery}, {store}, 'in_progress', 1, {courier}, ARRAY[{courier}], 'Iva', 'Ivić', 'Ilica ' || c,
        45.75 + random() / 10, 15.9 + random() / 10, 'Torta', now(), now(), now() FROM {numbered};
INSERT INTO jobs (courier_id, status, delivery_id, store_id, place)
    SELECT {courier}, 'in_progress', {delivery}, {store}, k FROM {numbered};
INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at)
    SELECT {delivery}, 1, 'create', 'store', {store}, 'pending', now() FROM {numbered};
VACUUM ANALYZE;
"""


def fill(binary, cluster, options):
    run([binary, "migrate", "--database", cluster.url])
    seed.STORES, seed.PARTNERS = options.stores, options.couriers // options.stores
    cluster.sql(seed.people(options.couriers))
    cluster.sql(jobs(options.stores, options.couriers))


class Kurir(Served):
    """One node."""

    def __init__(self, binary, cluster):
        super().__init__(
            [binary, "serve", *cluster.kept(binary), "--listen", "127.0.0.1:0", "--throttle", "off", "--gateway", "webpush=off"], cluster)
        self.address = self.process.stdout.readline().split("//")[1].strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def watch(address, store):
    """A store's stream, of which nothing but the head has been read."""
    host, port = address.rsplit(":", 1)
    stream = socket.create_connection((host, int(port)))
    stream.sendall(
        f"GET /v1/positions HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n"
        f"Authorization: Bearer store-{store}\r\n\r\n".encode())
    if b"200 OK" not in stream.recv(4096):
        sys.exit("a stream was refused")
    return stream


class Watchers:
    """Streams of stores, which are read and counted."""

    def __init__(self, address, stores):
        self.selector, self.events, self.stopped = selectors.DefaultSelector(), 0, False
        self.sockets = []
        for store in range(1, stores + 1):
            stream = watch(address, store)
            self.selector.register(stream, selectors.EVENT_READ)
            self.sockets.append(stream)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while not self.stopped:
            for key, _ in self.selector.select(0.2):
                read = key.fileobj.recv(65536)
                if not read:
                    sys.exit("a stream ended")
                self.events += read.count(b"event: position\n")

    def stop(self):
        self.stopped = True
        self.thread.join()
        for stream in self.sockets:
            stream.close()


def fixes(kurir, rate, couriers, seconds):
    """The rate that it came to, and the 99th percentile of what a call took."""
    connections = max(2, rate // 10)
    # Each connection rests, and then waits for its answer.
    output = kurir.wrk(connections, seconds, script=LUA, environment={
        "COURIERS": str(couriers), "PAUSE": str(max(1, connections * 1000 // rate - 12)), "THREADS": "2"})
    latency = re.search(r"(?m)^ +99% +(\S+)\s*$", output).group(1)
    return float(re.search(r"Requests/sec:\s*([\d.]+)", output).group(1)), latency


def delays(nodes, stores, rounds=30):
    """Milliseconds from a courier's word to one node until its store hears of it on another, half of them and at most."""
    stream = watch(nodes[1].address, (1 + stores - 2) % stores + 1)
    stream.settimeout(10)
    said, times = http.client.HTTPConnection(nodes[0].address), []
    for number in range(rounds):
        # No courier is told of more often than once a second; the rest falls anywhere in a round of the other node.
        time.sleep(1 + random.random())
        place, heard = round(45.75 + (number + 1) / 10_000, 4), b""
        now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        began = time.perf_counter()
        said.request("POST", "/v1/me/positions", json.dumps({"fixes": [{"lat": place, "lon": 15.9, "accuracy_m": 8, "at": now + "Z"}]}),
                     {"Authorization": "Bearer courier-1", "Content-Type": "application/json"})
        if json.loads(said.getresponse().read())["taken"] != 1:
            sys.exit("a fix was not taken")
        while f'"lat":{place},'.encode() not in heard:
            heard += stream.recv(65536)
        times.append((time.perf_counter() - began) * 1000)
    stream.close()
    return statistics.median(times), max(times)


def suggestion(kurir):
    """Milliseconds that it takes to have twenty stops ordered, at the best of ten times."""
    connection = http.client.HTTPConnection(kurir.address)
    times = []
    for _ in range(10):
        began = time.perf_counter()
        connection.request("GET", "/v1/me/route/suggestion", headers={"Authorization": "Bearer courier-1"})
        answer = json.loads(connection.getresponse().read())
        times.append((time.perf_counter() - began) * 1000)
        if len(answer["delivery_ids"]) != CARRIED + MORE:
            sys.exit(f"a suggestion was {answer}")
    return min(times), answer["saves_seconds"]


def measure(kurir, title, options, watchers):
    fixes(kurir, options.rate, options.couriers, 2)
    for _ in range(options.rounds):
        meter, before, began = Meter(kurir.cluster.process.pid, kurir.pid), watchers.events if watchers else 0, time.monotonic()
        rate, latency = fixes(kurir, options.rate, options.couriers, options.seconds)
        took, costs = time.monotonic() - began, meter.read()
        told = (watchers.events - before) / took if watchers else 0
        machine = took * os.cpu_count()
        print(f"{title:<28}{rate:>7,.0f} fixes/s, p99 {latency:>8}, {told:>7,.0f} events/s; of the machine: Kurir "
              f"{costs.own / machine:.1%}, database {costs.database / machine:.1%}", flush=True)


def drop_week(options):
    """Seconds that it takes to drop a week of trails, as the server does each day with one, and how large that was."""
    with passing_cluster(options.shared_buffers) as cluster:
        run([options.kurir, "migrate", "--database", cluster.url])
        for day in range(1, 8):
            cluster.sql(
                f"CREATE TABLE trails_2020010{day} (LIKE trails INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES);"
                f"ALTER TABLE trails ATTACH PARTITION trails_2020010{day} FOR VALUES FROM ('2020-01-0{day} 00:00+00') TO ('2020-01-0{day + 1} 00:00+00');"
                f"INSERT INTO trails SELECT {seed.uuid(2, 'n % 10000')}, '2020-01-0{day} 00:00+00'::timestamptz + n / 10000 * interval '10 seconds', "
                f"45.8, 15.9, 8 FROM generate_series(0, {options.trail // 7 - 1}) n")
        count = "SELECT count(*) FROM trails WHERE at < '2020-02-01'"
        rows, size = int(cluster.sql(count)), cluster.sql(
            "SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM pg_inherits WHERE inhparent = 'trails'::regclass")
        began = time.perf_counter()
        cluster.sql("SELECT trail_partitions(7)")
        took = time.perf_counter() - began
        if cluster.sql(count) != "0":
            sys.exit("something was left")
        print(f"a week of trails, {rows:,} fixes in {size}, is dropped in {took * 1000:.0f} ms")


def main():
    parser = arguments(__doc__, seconds=10)
    parser.add_argument("--rate", type=int, default=2000, help="fixes a second, one a call")
    parser.add_argument("--stores", type=int, default=500, help="how many watch")
    parser.add_argument("--couriers", type=int, default=10_000)
    parser.add_argument("--trail", type=int, default=0, help="instead: so many fixes of a week are dropped")
    options = parser.parse_args()
    if options.trail:
        return drop_week(options)
    with passing_cluster(options.shared_buffers) as cluster:
        fill(options.kurir, cluster, options)
        kurir = Kurir(options.kurir, cluster)
        try:
            other = Kurir(options.kurir, cluster)
            try:
                half, most = delays([kurir, other], options.stores)
            finally:
                other.stop()
            print(f"a courier's move is seen on another node in {half:.0f} ms at the median, {most:.0f} ms at most", flush=True)
            took, saved = suggestion(kurir)
            print(f"a suggestion for {CARRIED + MORE} stops takes {took:.1f} ms, and saves {saved / 60:.0f} minutes", flush=True)
            measure(kurir, "alone", options, None)
            watchers = Watchers(kurir.address, options.stores)
            try:
                measure(kurir, f"beside {options.stores} streams", options, watchers)
            finally:
                watchers.stop()
        finally:
            kurir.stop()


if __name__ == "__main__":
    main()
