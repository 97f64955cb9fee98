#!/usr/bin/env python3
"""Measures deliveries beside pgbench running the very same statements, one change at a time, at a million deliveries.

Each figure is the median of several rounds in which the contestants take turns. Everything runs in a directory that goes
away at the end.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

from bench import medians, milliseconds, passing_cluster, run, show

STORES, COURIERS = 100, 1000
PENDING_FROM = 900_001
TOTAL = 1_000_000


def uuid(kind, number):
    """SQL for the id of a seeded row; `number` is SQL too."""
    return f"('0000000{kind}-0000-7000-8000-' || lpad(to_hex(({number})::bigint), 12, '0'))::uuid"


def store(n):
    return f"(({n}) % {STORES} + 1)"


def courier(n, k=0):
    """The k-th of the three couriers that delivery n is offered to: all are partners of its store."""
    return f"((({n}) * 7 + {k} * 100) % {COURIERS} + 1)"


PEOPLE = f"""
INSERT INTO accounts (id, kind, password_hash, language)
    SELECT {uuid(1, 'n')}, 'store', '$scrypt$none', 'hr' FROM generate_series(1, {STORES}) n;
INSERT INTO accounts (id, kind, password_hash, language)
    SELECT {uuid(2, 'n')}, 'courier', '$scrypt$none', 'hr' FROM generate_series(1, {COURIERS}) n;
CREATE FUNCTION seeded_oib(n integer) RETURNS text LANGUAGE sql AS
    $$ SELECT lpad(n::text, 10, '0') || d FROM generate_series(0, 9) d WHERE is_oib(lpad(n::text, 10, '0') || d) $$;
INSERT INTO stores (id, email, tax_id, name, address, phone)
    SELECT {uuid(1, 'n')}, 'store' || n || '@example.com', seeded_oib(n), 'Pekara ' || n, 'Ilica ' || n, '+38514828111'
    FROM generate_series(1, {STORES}) n;
INSERT INTO couriers (id, first_name, last_name, phone)
    SELECT {uuid(2, 'n')}, 'Ana', 'Kurirka ' || n, '+3859' || 10000000 + n FROM generate_series(1, {COURIERS}) n;
INSERT INTO devices (token, account_id, platform)
    SELECT 'device of store ' || n, {uuid(1, 'n')}, 'fcm' FROM generate_series(1, {STORES}) n;
INSERT INTO devices (token, account_id, platform)
    SELECT 'device of courier ' || n, {uuid(2, 'n')}, 'fcm' FROM generate_series(1, {COURIERS}) n;
INSERT INTO partners (store_id, courier_id)
    SELECT {uuid(1, 's')}, {uuid(2, 'c')} FROM generate_series(1, {STORES}) s, generate_series(1, {COURIERS}) c;
INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
    SELECT gen_random_uuid(), {uuid(1, 'n')}, sha256(('store-' || n)::bytea), now() + interval '1 day', '127.0.0.1'
    FROM generate_series(1, {STORES}) n;
INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
    SELECT gen_random_uuid(), {uuid(2, 'n')}, sha256(('courier-' || n)::bytea), now() + interval '1 day', '127.0.0.1'
    FROM generate_series(1, {COURIERS}) n;
"""


def deliveries(first, last, status):
    """Deliveries with the entries of their couriers' lists, their first step and their events."""
    numbers = f"generate_series({first}, {last}) n"
    candidates = ", ".join(uuid(2, courier("n", k)) for k in range(3))
    holder = uuid(2, courier("n")) if status != "pending" else "NULL"
    accepted = "now()" if status != "pending" else "NULL"
    delivered = "now()" if status == "delivered" else "NULL"
    offered = range(3) if status == "pending" else range(1)
    jobs = " UNION ALL ".join(
        f"SELECT {uuid(2, courier('n', k))}, '{status}'::delivery_status, {uuid(3, 'n')}, {uuid(1, store('n'))} FROM {numbers}"
        for k in offered)
    return f"""
INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name, recipient_last_name,
        recipient_address, description, created_at, updated_at, accepted_at, delivered_at)
    SELECT {uuid(3, 'n')}, {uuid(1, store('n'))}, '{status}', 1, {holder}, ARRAY[{candidates}], 'Iva', 'Ivić',
        'Vukovarska ' || n, 'Torta za rođendan', now(), now(), {accepted}, {delivered}
    FROM {numbers};
INSERT INTO jobs (courier_id, status, delivery_id, store_id) {jobs};
INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at)
    SELECT {uuid(3, 'n')}, 1, 'create', 'store', {uuid(1, store('n'))}, 'pending', now() FROM {numbers};
INSERT INTO events (account_id, type, delivery_id, seq)
    SELECT {uuid(1, store('n'))}, 'delivery.created', {uuid(3, 'n')}, 1 FROM {numbers};
"""


def filled(statement, values):
    """The statement on one line, with SQL in the place of its parameters."""
    statement = re.sub("--[^\n]*", "", statement)
    for number in sorted(values, reverse=True):
        statement = statement.replace(f"${number}", str(values[number]))
    return " ".join(statement.split()) + ";\n"


COLUMNS = [
    "id", "store", "expected", "was", "status", "courier", "candidates", "declined", "forfeited", "content", "at",
    "accepted", "delivered", "cancelled", "action", "actor_kind", "actor", "about", "reason", "note", "added", "removed",
    "counter", "closed", "opened", "readers", "event_types", "withdrawn", "notices", "key", "fingerprint",
    "answer_status", "answer_headers", "answer_body"]
LISTS = {"declined", "forfeited", "added", "removed", "closed", "opened", "readers", "event_types", "withdrawn"}


def commit_of(sql, **given):
    """The committer's statement with one change."""
    values = {name: given.get(name, "'{}'" if name in LISTS else "NULL") for name in COLUMNS} | {"at": "now()"}
    return filled(sql["commit"], {place: f"ARRAY[{values[name]}]" for place, name in enumerate(COLUMNS, 1)})


def listed_text(*ids):
    return "'{' || " + " || ',' || ".join(f"{one}::text" for one in ids) + " || '}'"


def notices(kind, accounts, body):
    text = f"jsonb_build_array('Dostava', '{body}')"
    return (
        f"jsonb_build_array(jsonb_build_object('kind', '{kind}', 'by_sms', false, 'data', jsonb_build_object('type', "
        f"'{kind}', 'delivery_id', (:n)::bigint, 'store_name', 'Pekara'), 'texts', jsonb_build_object('hr', {text}, "
        f"'en', {text}), 'accounts', jsonb_build_array({accounts})))")


CONTENT = (
    """jsonb_build_object('first_name', 'Iva', 'last_name', 'Ivić', 'address', 'Vukovarska 5', 'phone', NULL,"""
    """ 'description', 'Torta za rođendan', 'instructions', NULL, 'reference', NULL)""")


def scripts(sql):
    """pgbench's scripts. Transitions go through their deliveries in order, each client through its own."""
    n = "(:base + :k * :clients + :client_id)"
    step = "\\set k :k + 1\n"
    couriers = [uuid(2, courier(":n", k)) for k in range(3)]
    three, mine, its_store = ", ".join(couriers), couriers[0], uuid(1, store(":n"))
    pick = f"\\set n random(1, {TOTAL})\n"
    find = filled(sql["find"], {1: mine, 2: uuid(3, ":n")})
    number = step + f"\\set n {n}\n"

    create = pick + filled(sql["partners"], {1: its_store, 2: f"ARRAY[{three}]"}) + commit_of(
        sql, id="gen_random_uuid()", store=its_store, expected="0", status="'pending'",
        candidates=listed_text(*couriers), content=CONTENT, action="'create'", actor_kind="'store'", actor=its_store,
        added=listed_text(*couriers), opened=listed_text(*couriers), readers=listed_text(its_store, *couriers),
        event_types="'{delivery.created,delivery.offered,delivery.offered,delivery.offered}'",
        notices=notices("delivery_offered", three, "Pekara ima dostavu za vas: Vukovarska 5"))
    by_courier = {
        "id": uuid(3, ":n"), "store": its_store, "courier": mine, "candidates": listed_text(*couriers),
        "accepted": "now()", "actor_kind": "'courier'", "actor": mine, "opened": listed_text(mine)}
    accept = number + find + commit_of(
        sql, **by_courier, expected="1", was="'pending'", status="'in_progress'", action="'accept'",
        counter="'accepted'", closed=listed_text(*couriers), readers=listed_text(its_store, *couriers),
        event_types="'{delivery.accepted,delivery.accepted,delivery.taken,delivery.taken}'",
        withdrawn=listed_text(*couriers), notices=notices("delivery_accepted", its_store, "Ana: Vukovarska 5"))
    deliver = number + find + commit_of(
        sql, **by_courier, expected="2", was="'in_progress'", status="'delivered'", delivered="now()",
        action="'deliver'", counter="'delivered'", closed=listed_text(mine), readers=listed_text(its_store, mine),
        event_types="'{delivery.delivered,delivery.delivered}'",
        notices=notices("delivery_delivered", its_store, "Ana: Vukovarska 5"))

    first = "'pending'::delivery_status", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"
    who = f"\\set s random(1, {STORES})\n\\set c random(1, {COURIERS})\n"

    def listed(name, account):
        text = sql[name].replace("$2::delivery_status", first[0]).replace(
            "$5::delivery_status", "'cancelled'::delivery_status")
        return who + filled(text, {1: account, 3: first[1], 4: "51"})

    return {
        "create": create, "accept": accept, "deliver": deliver, "find": pick + find,
        "list_store": listed("list_store", uuid(1, ":s")), "list_courier": listed("list_courier", uuid(2, ":c")),
        "feed": who + filled(sql["feed"], {1: uuid(1, ":s"), 2: "0", 3: "0", 4: "51"}),
    }


LUA = """
local thread_count, made = tonumber(os.getenv("THREADS")), 0
local first = tonumber(os.getenv("FIRST"))
function setup(thread) thread:set("place", made); made = made + 1 end
local function id(kind, n) return string.format("0000000%d-0000-7000-8000-%012x", kind, n) end
local function courier(n, k) return (n * 7 + k * 100) % 1000 + 1 end
local function headers(token) return {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json"} end
local n = -1
function init() math.randomseed(os.time() + place * 7919) end
local kinds = {
  create = function()
    local n = math.random(1, 1000000)
    return wrk.format("POST", "/v1/deliveries", headers("store-" .. n % 100 + 1), string.format(
      '{"recipient":{"first_name":"Iva","last_name":"Ivić","address":"Vukovarska 5"},"description":"Torta za rođendan","courier_ids":["%s","%s","%s"]}',
      id(2, courier(n, 0)), id(2, courier(n, 1)), id(2, courier(n, 2))))
  end,
  accept = function()
    n = n + 1
    local number = first + n * thread_count + place
    return wrk.format("POST", "/v1/deliveries/" .. id(3, number) .. "/accept", headers("courier-" .. courier(number, 0)))
  end,
  deliver = function()
    n = n + 1
    local number = first + n * thread_count + place
    return wrk.format("POST", "/v1/deliveries/" .. id(3, number) .. "/deliver", headers("courier-" .. courier(number, 0)))
  end,
  find = function()
    local n = math.random(1, 1000000)
    return wrk.format("GET", "/v1/deliveries/" .. id(3, n), headers("store-" .. n % 100 + 1))
  end,
  list_store = function() return wrk.format("GET", "/v1/deliveries", headers("store-" .. math.random(1, 100))) end,
  list_courier = function() return wrk.format("GET", "/v1/deliveries", headers("courier-" .. math.random(1, 1000))) end,
  feed = function() return wrk.format("GET", "/v1/events", headers("store-" .. math.random(1, 100))) end,
}
request = kinds[os.getenv("KIND")]
"""


class Kurir:
    def __init__(self, binary, url, directory):
        self.log = open(f"{directory}/kurir.log", "w")
        self.process = subprocess.Popen(
            [binary, "serve", "--database", url, "--listen", "127.0.0.1:0", "--throttle", "off", "--log-format", "json"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.address = self.process.stdout.readline().split("//")[1].strip()

    def measure(self, kind, connections, seconds, lua, first=0, rate=None):
        threads = min(2, connections)
        environment = os.environ | {"KIND": kind, "THREADS": str(threads), "FIRST": str(first)}
        output = subprocess.run(
            ["wrk", "-t", str(threads), "-c", str(connections), "-d", f"{seconds}s", "--latency", "-s", lua,
             f"http://{self.address}"], capture_output=True, text=True, env=environment).stdout
        if "Non-2xx" in output or "Socket errors" in output:
            sys.exit(f"{kind}: answers were missing or wrong:\n" + output)
        value = {}
        for line in output.splitlines():
            words = line.split()
            if len(words) == 2 and words[0] in ("50%", "99%", "Requests/sec:"):
                value[words[0]] = words[1]
        return float(value["Requests/sec:"]), milliseconds(value["50%"]), milliseconds(value["99%"])

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Bench:
    def __init__(self, options, cluster, directory):
        self.options, self.cluster, self.directory = options, cluster, directory
        self.lua = f"{directory}/deliveries.lua"
        with open(self.lua, "w") as file:
            file.write(LUA)
        run([options.kurir, "migrate", "--database", self.cluster.url])
        print("making a million deliveries …", flush=True)
        self.sql(PEOPLE)
        self.sql(deliveries(1, PENDING_FROM - 1, "delivered"))
        self.sql(deliveries(PENDING_FROM, TOTAL, "pending"))
        self.sql("VACUUM ANALYZE; CHECKPOINT;")
        self.next = TOTAL + 1
        for name, text in scripts(json.loads(run([options.server, "--statements"]))).items():
            with open(f"{directory}/{name}.sql", "w") as file:
                file.write(text)

    def sql(self, text):
        run([self.cluster.psql, self.cluster.url, "-q", "-v", "ON_ERROR_STOP=1"], input=text)

    def pending(self, count):
        """The number of the first of so many new deliveries that are pending."""
        first, self.next = self.next, self.next + count
        self.sql(deliveries(first, first + count - 1, "pending"))
        return first

    def theirs(self, kind, connections, seconds, first=0):
        path = f"{self.directory}/now.sql"
        with open(f"{self.directory}/{kind}.sql") as script, open(path, "w") as file:
            text = script.read()
            if ":base" in text:
                text = f"\\set base {first}\n\\set clients {connections}\n" + text
            file.write(text)
        return self.cluster.measure("now.sql", connections, seconds, ["-D", "k=-1"])

    def compare(self, title, kind):
        for connections in self.options.connections:
            ours, theirs = [], []
            for _ in range(self.options.rounds):
                theirs.append(self.theirs(kind, connections, self.options.seconds))
                ours.append(self.kurir.measure(kind, connections, self.options.seconds, self.lua))
            show(title, connections, medians(ours), medians(theirs))

    def compare_transitions(self):
        seconds = self.options.seconds
        for connections in self.options.connections:
            ours, theirs = [], []
            for _ in range(self.options.rounds):
                window = 4_000 * seconds if connections == 1 else 40_000 * seconds
                for figures, measure in ((theirs, self.theirs), (ours, self.ours)):
                    first = self.pending(window)
                    accepted = measure("accept", connections, seconds, first)
                    # Half the time, so that there are enough that were accepted.
                    delivered = measure("deliver", connections, max(1, seconds // 2), first)
                    figures.append([(a + d) / 2 for a, d in zip(accepted, delivered)])
            show("accept, deliver", connections, medians(ours), medians(theirs))

    def ours(self, kind, connections, seconds, first):
        return self.kurir.measure(kind, connections, seconds, self.lua, first)

    def run(self):
        print(f"{'':<29}{'Kurir':>12}{'p50':>9}{'p99':>9}{'pgbench':>17}{'p50':>9}{'p99':>9}{'ratio':>11}")
        self.kurir = Kurir(self.options.kurir, self.cluster.url, self.directory)
        try:
            wanted = self.options.only
            for title, kind in (
                    ("create", "create"), ("accept, deliver", "transitions"), ("one delivery", "find"),
                    ("courier's list of 50", "list_courier"), ("store's list of 50", "list_store"),
                    ("feed page of 50", "feed")):
                if wanted and kind not in wanted:
                    continue
                if kind == "transitions":
                    self.compare_transitions()
                else:
                    self.compare(title, kind)
        finally:
            self.kurir.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="the built bench-server, which knows the statements")
    parser.add_argument("kurir", help="the built kurir")
    parser.add_argument("--seconds", type=int, default=2, help="of each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, nargs="*", default=[1, 16, 64, 256])
    parser.add_argument("--only", nargs="*", help="create transitions find list_courier list_store feed")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with passing_cluster() as (cluster, directory):
        Bench(options, cluster, directory).run()


if __name__ == "__main__":
    main()
