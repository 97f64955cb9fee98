#!/usr/bin/env python3
"""Measures conversations: how many messages a second are committed, while both sides look and while neither does and each has a
device to be told on; how long one takes to the other's screen, on one node and across two; and how long the first and the thousandth page
take to read in a thread of a million.
"""
import http.client
import json
import os
import re
import socket
import statistics
import sys
import time

import seed
from harness import Meter, Served, arguments, passing_cluster, run

LUA = os.path.join(os.path.dirname(__file__), "messages.lua")
LONG = 1_000_000
PAGE = 50


def talks(stores, couriers):
    """A conversation of each courier with one store, and one more that is very long."""
    one, store = seed.uuid(5, "c"), seed.uuid(1, f"(c - 1) % {stores} + 1")
    long = seed.uuid(5, "0")
    return seed.UNCHECKED + f"""
DELETE FROM partners;
INSERT INTO partners (store_id, courier_id) SELECT {store}, {seed.uuid(2, 'c')} FROM generate_series(1, {couriers}) c;
INSERT INTO conversations (id, store_id, courier_id, is_open) SELECT {one}, {store}, {seed.uuid(2, 'c')}, true
    FROM generate_series(1, {couriers}) c;
INSERT INTO conversations (id, store_id, courier_id, is_open, last_seq, latest_at)
    SELECT {long}, {seed.uuid(1, '2')}, {seed.uuid(2, '1')}, true, {LONG},
        date_trunc('week', now()) + {LONG} * interval '1 millisecond';
INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, text)
    SELECT {long}, date_trunc('week', now()) + n * interval '1 millisecond', n, gen_random_uuid(), n % 2 = 0, 'Nitko ne otvara'
    FROM generate_series(1, {LONG}) n;
VACUUM ANALYZE;
"""


class Kurir(Served):
    def __init__(self, binary, cluster):
        super().__init__(
            [binary, "serve", *cluster.kept(binary), "--listen", "127.0.0.1:0", "--admin-listen", "off", "--throttle", "off", "--gateway", "webpush=off"], cluster)
        self.address = self.process.stdout.readline().split("//")[1].strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Stream:
    """What a store sees."""

    def __init__(self, address, who):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.sendall(
            f"GET /v1/events?after=now HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n"
            f"Authorization: Bearer {who}\r\n\r\n".encode())
        self.wait(b": welcome", b"retry:")

    def wait(self, *texts):
        read = b""
        while not any(text in read for text in texts):
            more = self.socket.recv(65536)
            if not more:
                sys.exit("a stream ended")
            read += more


def ask(address, method, path, who, body=None):
    connection = http.client.HTTPConnection(address)
    connection.request(method, path, body and json.dumps(body),
        {"Authorization": f"Bearer {who}", "Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status >= 300:
        sys.exit(f"{path}: {answer.status} {answer.read()}")
    return json.loads(answer.read())


def one(talk):
    return f"/v1/conversations/00000005-0000-7000-8000-{talk:012x}/messages"


def latency(here, there, count=50):
    """Milliseconds from sending on one node until it is seen on another: in the middle, and at the 95th percentile."""
    stream, times = Stream(there.address, "store-1"), []
    for number in range(count):
        text = f"latency {number} {time.monotonic_ns()}"
        began = time.perf_counter()
        ask(here.address, "POST", one(1), "courier-1", {"text": text})
        stream.wait(text.encode())
        times.append((time.perf_counter() - began) * 1000)
        time.sleep(0.05)
    times.sort()
    return statistics.median(times), times[int(count * 0.95)]


def pages(kurir):
    """Milliseconds for the first page, and for the thousandth, each at the best of ten times."""
    cursor, path = "", f"{one(0)}?limit={PAGE}"
    for number in range(1, 1001):
        if number in (1, 1000):
            times = []
            for _ in range(10):
                began = time.perf_counter()
                answer = ask(kurir.address, "GET", path + cursor, "store-2")
                times.append((time.perf_counter() - began) * 1000)
            yield min(times)
        else:
            answer = ask(kurir.address, "GET", path + cursor, "store-2")
        cursor = f"&cursor={answer['next_cursor']}"


def measure(kurir, title, options):
    environment = {"TALKS": str(options.couriers), "STORES": str(options.stores)}
    for _ in range(options.rounds):
        meter, began = Meter(kurir.cluster.process.pid, kurir.pid), time.monotonic()
        output = kurir.wrk(options.connections, options.seconds, script=LUA, environment=environment)
        took, costs = time.monotonic() - began, meter.read()
        rate, machine = float(re.search(r"Requests/sec:\s*([\d.]+)", output).group(1)), took * os.cpu_count()
        late = re.search(r"(?m)^ +99% +(\S+)\s*$", output).group(1)
        print(f"{title:<28}{rate:>7,.0f} messages/s, p99 {late:>8}; of the machine: Kurir {costs.own / machine:.1%}, "
              f"database {costs.database / machine:.1%}", flush=True)


def main():
    parser = arguments(__doc__, seconds=10)
    parser.add_argument("--stores", type=int, default=100)
    parser.add_argument("--couriers", type=int, default=1000, help="each with a conversation")
    parser.add_argument("--connections", type=int, default=128)
    options = parser.parse_args()
    with passing_cluster(options.shared_buffers) as cluster:
        run([options.kurir, "migrate", "--database", cluster.url])
        seed.STORES, seed.PARTNERS = options.stores, options.couriers
        cluster.sql(seed.people(options.couriers))
        cluster.sql(talks(options.stores, options.couriers))
        kurir = Kurir(options.kurir, cluster)
        try:
            first, thousandth = pages(kurir)
            print(f"of a thread of {LONG:,} page 1 takes {first:.1f} ms, page 1,000 {thousandth:.1f} ms", flush=True)
            other = Kurir(options.kurir, cluster)
            try:
                for title, there in [("one node", kurir), ("two nodes", other)]:
                    middle, late = latency(kurir, there)
                    print(f"on the other screen, {title}: {middle:.0f} ms in the middle, {late:.0f} ms at the 95th percentile", flush=True)
            finally:
                other.stop()
            cluster.sql("UPDATE conversations SET store_read_at = 'infinity', courier_read_at = 'infinity'")
            measure(kurir, "both look", options)
            cluster.sql("UPDATE conversations SET store_read_at = NULL, courier_read_at = NULL")
            measure(kurir, "both are told", options)
        finally:
            kurir.stop()


if __name__ == "__main__":
    main()
