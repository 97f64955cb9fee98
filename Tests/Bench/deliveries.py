#!/usr/bin/env python3
"""Measures deliveries beside pgbench running the very same statements, one change at a time, at a million deliveries;
or, given the binary of an earlier state, beside that.

Each figure is the median of several rounds in which the contestants take turns. Everything runs in directories that go
away at the end.
"""
import contextlib
import json
import pathlib
import re
import statistics
import sys

from harness import Figures, Served, arguments, heading, passing_cluster, run, show, warmed
import seed
from seed import COURIERS, STORES, courier, store, uuid

# The status of what a kind of requests changes.
CHANGED = {"accept": "pending", "deliver": "in_progress"}
# More changes than anybody gets through in a second.
AT_MOST, AT_MOST_ALONE = 8_000, 3_000
# Behind all other numbers, and small enough to be multiplied a little.
FAR = 200_000_000
TOTAL, PENDING = 1_000_000, 100_000
LUA = pathlib.Path(__file__).with_name("requests.lua")


def filled(statement, values):
    """The statement on one line, with SQL in the place of its parameters."""
    statement = re.sub("--[^\n]*", "", statement)
    for number in sorted(values, reverse=True):
        statement = statement.replace(f"${number}", str(values[number]))
    return " ".join(statement.split()) + ";\n"


COUNTS = {"more_accepted", "more_delivered", "more_cancelled", "more_declined"}
LISTS = {
    "kept", "moved", "declined", "forfeited", "added", "removed", "closed", "opened", "readers", "event_types", "untrue",
    "untrue_to"}


def commit_of(measured, name, partners, **given):
    """A committing statement with one change, for which these couriers must be partners of the store."""
    columns = measured["columns"][name]
    given |= {"at": "now()", "asked": len(partners), "place": 0}
    if not set(columns).issuperset(given):
        sys.exit(f"the statement takes no {set(given) - set(columns)}")
    usual = dict.fromkeys(COUNTS, "0") | dict.fromkeys(LISTS, "'{}'")
    arrays = [f"ARRAY[{given.get(column, usual.get(column, 'NULL'))}]" for column in columns]
    arrays += [f"ARRAY[{', '.join(of(one) for one in partners)}]" for of in
               (lambda _: "1", lambda _: given["store_id"], str, lambda _: "false")]
    return filled(measured["statements"][name], dict(enumerate(arrays, 1)))


def listed_text(*ids):
    return "'{' || " + " || ',' || ".join(f"{one}::text" for one in ids) + " || '}'"


def notices(kind, subject, accounts, body):
    text = f"jsonb_build_array('Dostava', '{body}')"
    return (
        f"jsonb_build_array(jsonb_build_object('kind', '{kind}', 'subject', {subject}, 'data', jsonb_build_object('type', "
        f"'{kind}', 'delivery_id', (:n)::bigint, 'store_name', 'Pekara'), 'texts', jsonb_build_object('hr', {text}, "
        f"'en', {text}), 'accounts', jsonb_build_array({', '.join(accounts)})))")


CONTENT = (
    """jsonb_build_object('first_name', 'Iva', 'last_name', 'Ivić', 'address', 'Vukovarska 5', 'phone', NULL,"""
    """ 'description', 'Torta za rođendan', 'instructions', NULL, 'reference', NULL)""")


def scripts(measured):
    """pgbench's scripts. Transitions go through their deliveries in order, each client through its own."""
    sql = measured["statements"]
    n = "(:base + :k * :clients + :client_id)"
    step = "\\set k :k + 1\n"
    couriers = [uuid(2, courier(":n", k)) for k in range(3)]
    mine, its_store = couriers[0], uuid(1, store(":n"))
    pick = f"\\set n random(1, {TOTAL})\n"
    find = filled(sql["find"], {1: mine, 2: uuid(3, ":n")})
    number = step + f"\\set n {n}\n"

    create = pick + filled(sql["partners"], {1: its_store, 2: "'{}'", 3: f"ARRAY[{', '.join(couriers)}]"}) + commit_of(
        measured, "create", couriers, id="gen_random_uuid()", store_id=its_store, status="'pending'",
        candidates=listed_text(*couriers), content=CONTENT, action="'create'", actor_kind="'store'", actor_id=its_store,
        added=listed_text(*couriers), opened=listed_text(*couriers), readers=listed_text(its_store, *couriers),
        event_types="'{delivery.created,delivery.offered,delivery.offered,delivery.offered}'",
        notices=notices("delivery_offered", "gen_random_uuid()", couriers, "Pekara ima dostavu za vas: Vukovarska 5"))
    by_courier = {
        "id": uuid(3, ":n"), "store_id": its_store, "courier_id": mine, "candidates": listed_text(*couriers),
        "accepted_at": "now()", "actor_kind": "'courier'", "actor_id": mine, "counted_id": mine, "opened": listed_text(mine)}
    # As long as what is signed of a delivery without more to it.
    proof = {
        "bundle": "repeat('b', 1200)", "signature": "decode(repeat('5a', 64), 'hex')", "key_id": "repeat('k', 43)",
        "disclosures": "jsonb_build_object('/recipient', repeat('r', 300), '/description', repeat('d', 60))::text"}
    accept = number + find + commit_of(
        measured, "step", [mine], **by_courier, version="2", was="'pending'", status="'in_progress'", action="'accept'",
        more_accepted="1", closed=listed_text(*couriers), readers=listed_text(its_store, *couriers),
        event_types="'{delivery.accepted,delivery.accepted,delivery.taken,delivery.taken}'",
        untrue="'{delivery_offered,delivery_offered,delivery_offered,delivery_unaccepted}'",
        untrue_to=listed_text(*couriers, "'NULL'"),
        notices=notices("delivery_accepted", uuid(3, ":n"), [its_store], "Ana: Vukovarska 5"))
    deliver = number + find + commit_of(
        measured, "step", [mine], **by_courier, version="2", was="'in_progress'", status="'delivered'", delivered_at="now()",
        action="'deliver'", **proof, more_delivered="1", closed=listed_text(mine), readers=listed_text(its_store, mine),
        event_types="'{delivery.delivered,delivery.delivered}'", untrue="'{delivery_changed,delivery_reopened}'",
        untrue_to="'{NULL,NULL}'",
        notices=notices("delivery_delivered", uuid(3, ":n"), [its_store], "Ana: Vukovarska 5"))

    first = "'pending'::delivery_status", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"
    who = f"\\set s random(1, {STORES})\n\\set c random(1, {COURIERS})\n"

    def listed(name, account):
        text = sql[name].replace("$2::delivery_status", first[0]).replace(
            "$6::delivery_status", "'cancelled'::delivery_status")
        return who + filled(text, {1: account, 3: str(2**63 - 1), 4: first[1], 5: "51"})

    return {
        "create": create, "accept": accept, "deliver": deliver, "find": pick + find,
        "list_store": listed("list_store", uuid(1, ":s")), "list_courier": listed("list_courier", uuid(2, ":c")),
        "feed": who + filled(sql["feed"], {1: uuid(1, ":s"), 2: "'1970-01-01'::timestamptz", 3: "0", 4: "51"}),
    }


class Kurir(Served):
    """A binary at work on a seeded cluster of its own."""

    def __init__(self, binary, cluster, total, pending, couriers=COURIERS, text_length=100):
        run([binary, "migrate", "--database", cluster.url])
        self.total = total
        # What was seeded to be changed and was not yet, by status: the numbers of the first and of the last.
        self.untouched = {"pending": (total + 1, total), "in_progress": (FAR + 1, FAR)}
        self.has_instructions = text_length > 100
        cluster.sql(seed.people(couriers, text_length))
        seed.fill(cluster, 1, total - pending, "delivered", self.has_instructions, has_events=True)
        seed.fill(cluster, total - pending + 1, total, "pending", self.has_instructions, has_events=True)
        seed.words(cluster)
        cluster.sql("VACUUM ANALYZE; CHECKPOINT;")
        super().__init__(
            [binary, "serve", *cluster.kept(binary), "--listen", "127.0.0.1:0", "--throttle", "off", "--log-format",
             "json"], cluster)
        self.address = self.process.stdout.readline().split("//")[1].strip()
        # Nobody else is to be found for so many deliveries.
        if cluster.sql("SELECT 1 FROM information_schema.columns WHERE table_name = 'trust' AND column_name = 'max_jobs'"):
            cluster.sql("UPDATE trust SET max_jobs = 1000000")

    def reserve(self, kind, connections, seconds):
        """Sees that there are deliveries enough for so many seconds of that kind."""
        if kind == "accept":
            # Nobody carries a hundred deliveries, and who carries more costs more.
            self.cluster.sql(f"DELETE FROM jobs WHERE status = 'in_progress' AND delivery_id < {uuid(3, FAR)}")
        if kind in CHANGED:
            first, last = self.untouched[CHANGED[kind]]
            end = first + seconds * (AT_MOST_ALONE if connections == 1 else AT_MOST)
            if last < end:
                seed.fill(self.cluster, last + 1, end, CHANGED[kind], self.has_instructions)
                self.untouched[CHANGED[kind]] = first, end

    def first(self, kind):
        return self.untouched[CHANGED[kind]][0] if kind in CHANGED else 0

    def use(self, kind, count):
        if kind in CHANGED:
            first, last = self.untouched[CHANGED[kind]]
            if first + count > last:
                sys.exit(f"there were not enough deliveries to {kind}")
            self.untouched[CHANGED[kind]] = first + count, last

    def measure(self, connections, seconds, warmup, kind, lines=""):
        self.reserve(kind, connections, warmup + seconds)
        return super().measure(connections, seconds, warmup, kind, lines)

    def wrk(self, connections, seconds, kind, lines):
        output = super().wrk(connections, seconds, script=LUA, environment={
            "KIND": kind, "TOTAL": str(self.total), "FIRST": str(self.first(kind)), "LINES": lines,
            "THREADS": str(min(2, connections))})
        self.use(kind, int(re.search(r"used (\d+)", output).group(1)))
        return output

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Pgbench:
    """The same statements on the same cluster, by pgbench."""

    def __init__(self, kurir, measured):
        self.kurir, self.cluster = kurir, kurir.cluster
        self.scripts = scripts(measured)

    def measure(self, connections, seconds, warmup, kind):
        self.kurir.reserve(kind, connections, warmup + seconds)
        with open(f"{self.cluster.directory}/now.sql", "w") as file:
            file.write(f"\\set base {self.kurir.first(kind)}\n\\set clients {connections}\n{self.scripts[kind]}")
        figures = self.cluster.measure("now.sql", connections, seconds, warmup, ["-D", "k=-1"])
        self.kurir.use(kind, self.cluster.turns * connections)
        return figures


WORKS = [
    ("create", ["create"]), ("accept, deliver", ["accept", "deliver"]), ("one delivery", ["find"]),
    ("courier's list of 50", ["list_courier"]), ("store's list of 50", ["list_store"]), ("feed page of 50", ["feed"])]


def measure(contestant, kinds, connections, seconds, warmup):
    """The mean of a round of each kind; none if some was not warmed up long enough."""
    rounds = []
    for kind in kinds:
        rounds.append(contestant.measure(connections, seconds, warmup, kind))
        if rounds[-1] is None:
            return None
    return Figures(*map(statistics.mean, zip(*rounds)))


def compare(options, kurir, rival):
    seconds = options.seconds
    for title, kinds in WORKS:
        if options.only and not set(kinds) & set(options.only):
            continue
        for connections in options.connections:
            ours, theirs, warmup = [], [], 1
            for _ in range(options.rounds):
                figures, warmup = warmed(
                    lambda warmup: measure(rival, kinds, connections, seconds, warmup), warmup)
                theirs.append(figures)
                ours.append(measure(kurir, kinds, connections, seconds, warmup))
            show(title, connections, ours, theirs)


def main():
    parser = arguments(__doc__, seconds=2)
    parser.add_argument("--before", help="the kurir of an earlier state, to measure beside it instead of pgbench")
    parser.add_argument("--connections", type=int, nargs="*", default=[1, 16, 64, 256])
    parser.add_argument("--only", nargs="*", choices=[kind for _, kinds in WORKS for kind in kinds])
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        def served(binary):
            cluster = stack.enter_context(passing_cluster(options.shared_buffers))
            print(f"making {TOTAL:,} deliveries, shared_buffers {cluster.sql('SHOW shared_buffers')} …", flush=True)
            kurir = Kurir(binary, cluster, TOTAL, PENDING)
            stack.callback(kurir.stop)
            return kurir

        kurir = served(options.kurir)
        if options.before:
            rival = served(options.before)
        else:
            rival = Pgbench(kurir, json.loads(run([options.server, "--statements"])))
        heading("now" if options.before else "Kurir", "before" if options.before else "pgbench")
        compare(options, kurir, rival)


if __name__ == "__main__":
    main()
