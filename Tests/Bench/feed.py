#!/usr/bin/env python3
"""Measures three ways to give events their place in the feeds, by what a commit writes of them: a batch of 64 deliveries,
each told to a store and to three couriers, 256 events in all, among 100 stores and 1,000 couriers.

- by transaction: a row an event, ordered by the transaction's id (as it was before; whatever stays open holds up all).
- counters: a row an event, numbered in the commit by a counter an account, whose rows are locked until it ends.
- journal: a row a delivery, numbered after the commit by `number_events`, which runs beside it as it does in a node.

Then the same beside a transaction that has written of one store and stays open; and how long after its answer a new
delivery comes in the feed of a courier that waits, alone and beside such a transaction.
"""
import contextlib
import http.client
import json
import subprocess
import threading
import time

from deliveries import Kurir
from harness import arguments, passing_cluster, ratio, run, warmed
from seed import COURIERS, STORES, uuid

OTHERS = f"""
CREATE TABLE events_by_transaction (
    account_id uuid NOT NULL, xact xid8 NOT NULL DEFAULT pg_current_xact_id(), id bigint GENERATED ALWAYS AS IDENTITY,
    type text NOT NULL, delivery_id uuid, seq integer, at timestamptz NOT NULL, PRIMARY KEY (account_id, xact, id));
CREATE TABLE events_by_counter (
    account_id uuid NOT NULL, number bigint NOT NULL, type text NOT NULL, delivery_id uuid, seq integer,
    at timestamptz NOT NULL, PRIMARY KEY (account_id, number));
CREATE TABLE counters (account_id uuid PRIMARY KEY, number bigint NOT NULL) WITH (fillfactor = 50);
INSERT INTO counters SELECT {uuid(1, 'n')}, 0 FROM generate_series(1, {STORES}) n
    UNION ALL SELECT {uuid(2, 'n')}, 0 FROM generate_series(1, {COURIERS}) n;
"""
a_courier = uuid(2, f"floor(random() * {COURIERS}) + 1")
DONE = f"""WITH done AS MATERIALIZED (
    SELECT gen_random_uuid() AS id, ARRAY[{uuid(1, f'floor(random() * {STORES}) + 1')}, {a_courier}, {a_courier}, {a_courier}] AS readers,
        '{{delivery.created,delivery.offered,delivery.offered,delivery.offered}}'::text[] AS types
    FROM generate_series(1, 64))"""
FORMS = {
    "by transaction": DONE + """
INSERT INTO events_by_transaction (account_id, type, delivery_id, seq, at)
    SELECT e.reader, e.type, id, 1, now() FROM done, unnest(readers, types) AS e(reader, type);""",
    "counters": DONE + """,
told AS MATERIALIZED (
    SELECT e.reader, e.type, id, row_number() OVER (PARTITION BY e.reader) AS n
    FROM done, unnest(readers, types) AS e(reader, type)),
locked AS MATERIALIZED (
    SELECT c.account_id, t.n FROM (SELECT reader, max(n) AS n FROM told GROUP BY reader) t
        JOIN counters c ON c.account_id = t.reader ORDER BY c.account_id FOR NO KEY UPDATE OF c),
counted AS (
    UPDATE counters c SET number = c.number + l.n FROM locked l WHERE l.account_id = c.account_id
    RETURNING c.account_id, c.number - l.n AS before)
INSERT INTO events_by_counter (account_id, number, type, delivery_id, seq, at)
    SELECT account_id, before + n, type, id, 1, now() FROM told JOIN counted ON account_id = reader;""",
    "journal": DONE + """
INSERT INTO event_journal (accounts, types, delivery_id, seq, at) SELECT readers, types, id, 1, now() FROM done;""",
}
HOLDING = {
    "by transaction": f"INSERT INTO events_by_transaction (account_id, type, at) VALUES ({uuid(1, 1)}, 'a.b', now())",
    "counters": f"UPDATE counters SET number = number + 1 WHERE account_id = {uuid(1, 1)}",
    "journal": f"INSERT INTO event_journal (accounts, types) VALUES (ARRAY[{uuid(1, 1)}], '{{a.b}}')",
}
# As often as a busy node does: twice its cost apart.
NUMBERING = """\\set rest 5
SELECT number_events(4000);
\\sleep :rest ms
"""


@contextlib.contextmanager
def numbering(cluster, seconds):
    """What a node does beside its commits."""
    command = [cluster.pgbench, "-n", "-M", "prepared", "-T", seconds, "-f", f"{cluster.directory}/numbering.sql", cluster.url]
    beside = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"PGOPTIONS": cluster.SETTINGS})
    try:
        yield
    finally:
        beside.terminate()
        beside.wait()


def measure(cluster, form, clients, seconds):
    def once(warmup):
        with numbering(cluster, warmup + seconds + 60) if form == "journal" else contextlib.nullcontext():
            return cluster.measure(f"{form}.sql", clients, seconds, warmup)
    figures, _ = warmed(once, 1)
    # Whatever is left is not the next round's.
    while cluster.sql("SELECT coalesce(number_events(100000), true)") == "t":
        pass
    return figures


@contextlib.contextmanager
def open_transaction(cluster, form):
    """Somebody has written of one store and has not committed yet."""
    opened = subprocess.Popen(
        [cluster.psql, cluster.url, "-q"], stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
    opened.stdin.write(f"BEGIN; {HOLDING[form]};\n")
    opened.stdin.flush()
    time.sleep(0.5)
    try:
        yield
    finally:
        opened.stdin.write("COMMIT;\n")
        opened.stdin.close()
        opened.wait()


def held_up(cluster, form, seconds):
    """Commits a second meanwhile."""
    # Nobody waits longer than the measuring takes.
    script = f"{cluster.directory}/held.sql"
    with open(f"{cluster.directory}/{form}.sql") as file, open(script, "w") as held:
        held.write(file.read())
    with open_transaction(cluster, form):
        output = subprocess.run(
            [cluster.pgbench, "-n", "-c", "2", "-j", "2", "-T", str(seconds), "-f", script, cluster.url],
            capture_output=True, text=True, env={"PGOPTIONS": f"-c statement_timeout={seconds * 1000}"}).stdout
    done = [line.split(":")[1].split("/")[0] for line in output.splitlines() if "transactions actually processed" in line]
    return int(done[0]) / seconds if done else 0


def call(connection, method, path, token, body=None):
    connection.request(method, path, body and json.dumps(body), {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    answer = connection.getresponse()
    return json.loads(answer.read())


def delays(kurir, count=200):
    """Milliseconds from the answer that a delivery was made to its event, for each of so many."""
    store, courier = (http.client.HTTPConnection(kurir.address) for _ in range(2))
    delivery = {"recipient": {"first_name": "Iva", "last_name": "Ivić", "address": "Ilica 1"}, "description": "Torta",
                "courier_ids": ["00000002-0000-7000-8000-00000000000c"]}
    cursor = call(courier, "GET", "/v1/events?after=now", "courier-12")["next_cursor"]
    found = []
    for _ in range(count):
        came = {}

        def wait():
            came["page"] = call(courier, "GET", f"/v1/events?after={cursor}&wait_seconds=30", "courier-12")
            came["at"] = time.perf_counter()
        waiter = threading.Thread(target=wait)
        waiter.start()
        time.sleep(0.02)
        made = call(store, "POST", "/v1/deliveries", "store-10", delivery)
        answered = time.perf_counter()
        waiter.join()
        if [item["delivery_id"] for item in came["page"]["items"]] != [made.get("id")]:
            raise SystemExit(f"{made} was made, and {came['page']} came")
        cursor = came["page"]["items"][-1]["cursor"]
        found.append((came["at"] - answered) * 1000)
    return sorted(found)


def measure_delays(options):
    with passing_cluster(options.shared_buffers) as cluster:
        kurir = Kurir(options.kurir, cluster, 1000, 100)
        try:
            for what, beside in [("alone", contextlib.nullcontext()), ("beside it", open_transaction(cluster, "journal"))]:
                with beside:
                    found = delays(kurir)
                print(f"an event, {what:<14} p50 {found[len(found) // 2]:.1f} ms, p99 {found[len(found) * 99 // 100]:.1f} ms, "
                      f"the latest {found[-1]:.1f} ms after the answer", flush=True)
        finally:
            kurir.stop()


def main():
    options = arguments(__doc__, seconds=3).parse_args()
    with passing_cluster(options.shared_buffers) as cluster:
        run([options.kurir, "migrate", "--database", cluster.url])
        cluster.sql(OTHERS)
        for name, text in (FORMS | {"numbering": NUMBERING}).items():
            with open(f"{cluster.directory}/{name}.sql", "w") as file:
                file.write(text if name == "numbering" else " ".join(text.split()) + "\n")
        print(f"{'batches of 256 events':<24}{'clients':>8}{'rate':>10}{'p50':>11}{'p99':>11}{'to before':>12}")
        for clients in (1, 2, 8):
            rounds = {form: [] for form in FORMS}
            for _ in range(options.rounds):
                for form in FORMS:
                    rounds[form].append(measure(cluster, form, clients, options.seconds))
            for form, figures in rounds.items():
                rate, p50, p99 = (sorted(one[place] for one in figures)[len(figures) // 2] for place in range(3))
                print(f"{form:<24}{clients:>8}{rate:>8,.0f}/s{p50:>8.2f} ms{p99:>8.2f} ms"
                      f"{ratio(figures, rounds['by transaction']):>12.2f}", flush=True)
        print("\nbeside a transaction that has written of one store and stays open")
        for form in FORMS:
            print(f"{form:<24}{2:>8}{held_up(cluster, form, options.seconds):>8,.0f}/s", flush=True)
    print()
    measure_delays(options)


if __name__ == "__main__":
    main()
