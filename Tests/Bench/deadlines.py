#!/usr/bin/env python3
"""Measures what deadlines cost, and how late they are told: nodes look once a second at a million open deliveries of which none is due,
and then many of them fall due while one of the nodes is killed."""
import json
import sys
import time

import seed
from harness import Served, arguments, passing_cluster, run

NODES = 3
# As many fall due as late, and as many since nobody accepted, within so many seconds.
DUE, WITHIN = 2000, 10
HALF = 500_000
SWEEPS = "FROM pg_stat_statements WHERE query LIKE 'SELECT EXISTS (SELECT FROM deliveries%turn_at%'"
TAKING = "FROM pg_stat_statements WHERE query LIKE 'WITH due AS MATERIALIZED%'"


def deliveries(status, first, holder, alert):
    """Half a million, each with a time of its own in the days to come."""
    return seed.UNCHECKED + f"""
INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name, recipient_last_name, recipient_address,
        description, due_at, late_at, alert_at, created_at, updated_at, accepted_at)
    SELECT {seed.uuid(3, 'n')}, {seed.uuid(1, seed.store('n'))}, '{status}', 1, {holder}, ARRAY[{seed.uuid(2, seed.courier('n'))}], 'Iva', 'Ivić',
        'Ilica ' || n, 'Torta', at, at, {alert}, now(), now(), {"NULL" if status == "pending" else "now()"}
    FROM generate_series({first}, {first + HALF - 1}) n, LATERAL (SELECT now() + interval '1 hour' + random() * interval '7 days' AS at) due;
"""


class Kurir(Served):
    def __init__(self, binary, cluster):
        super().__init__(
            [binary, "serve", *cluster.kept(binary), "--listen", "127.0.0.1:0",
             "--admin-listen", "off", "--loops", "1", "--throttle", "off", "--gateway", "webpush=off"], cluster)
        if "http://" not in self.process.stdout.readline():
            sys.exit("a node does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def fall_due(cluster):
    """Has some fall due within the next seconds, and notes when each does."""
    cluster.sql(f"""
CREATE TABLE dues (delivery_id uuid, type text, at timestamptz);
INSERT INTO dues SELECT {seed.uuid(3, f"n * 200 + CASE WHEN type = 'delivery.late' THEN {HALF} ELSE 0 END")}, type,
        clock_timestamp() + interval '5 seconds' + random() * interval '{WITHIN} seconds'
    FROM generate_series(1, {DUE}) n, unnest('{{delivery.late,delivery.unaccepted}}'::text[]) type;
UPDATE deliveries d SET late_at = at FROM dues WHERE delivery_id = d.id AND type = 'delivery.late';
UPDATE deliveries d SET alert_at = at FROM dues WHERE delivery_id = d.id AND type = 'delivery.unaccepted';
""")


def told(cluster):
    """How many events stores were told, of how many deliveries, and how long after their time: median, 99th percentile, most, in seconds."""
    return json.loads(cluster.sql("""
SELECT json_build_array(count(*), count(DISTINCT (e.delivery_id, e.type)),
    to_json(percentile_cont('{0.5,0.99,1}'::float[]) WITHIN GROUP (ORDER BY extract(epoch FROM e.numbered_at - d.at))))
FROM dues d JOIN deliveries o ON o.id = d.delivery_id
    JOIN events e ON e.account_id = o.store_id AND (e.delivery_id, e.type) = (d.delivery_id, d.type)
"""))


def main():
    options = arguments(__doc__, seconds=20).parse_args()
    with passing_cluster(options.shared_buffers, times_statements=True) as cluster:
        run([options.kurir, "migrate", "--database", cluster.url])
        cluster.sql(seed.people())
        cluster.sql(deliveries("pending", 1, "NULL", "now() + interval '1 hour' + random() * interval '4 hours'"))
        cluster.sql(deliveries("in_progress", HALF + 1, seed.uuid(2, seed.courier("n")), "NULL"))
        cluster.sql("VACUUM ANALYZE")
        nodes = [Kurir(options.kurir, cluster) for _ in range(NODES)]
        try:
            cluster.sql("SELECT pg_stat_statements_reset()")
            time.sleep(options.seconds)
            count, mean, most = cluster.sql(f"SELECT sum(calls), sum(total_exec_time) / sum(calls), max(max_exec_time) {SWEEPS}").split("|")
            print(f"a million open, {count} sweeps of {NODES} nodes: {float(mean):.3f} ms each, {float(most):.3f} at most")
            fall_due(cluster)
            # Those that are due are told by who is left.
            time.sleep(WITHIN)
            nodes.pop().process.kill()
            while told(cluster)[1] < 2 * DUE:
                time.sleep(0.2)
            # Time for one to be told twice.
            time.sleep(options.seconds / 4)
            events, once, (median, p99, late) = told(cluster)
            print(f"{2 * DUE} fell due within {WITHIN} s, one of {NODES} nodes killed: {events} told, {once} of them different, "
                  f"p50 {median:.2f} s p99 {p99:.2f} s at most {late:.2f} s late")
            mean = cluster.sql(f"SELECT sum(total_exec_time) / sum(calls) {TAKING}")
            print(f"taking up to 200 of them: {float(mean):.2f} ms")
        finally:
            for node in nodes:
                node.stop()


if __name__ == "__main__":
    main()
