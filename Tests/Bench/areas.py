#!/usr/bin/env python3
"""Measures how long a store's figures by area take, with so many deliveries in thirty days and as many in the thirty before: counted from
the deliveries, as long as the days are not kept yet, and then as they are kept, with one that was changed since.
"""
import http.client
import json
import statistics
import sys
import time

import seed
from harness import Served, arguments, passing_cluster, run

DAYS = 30


def deliveries(count):
    """Those of the first store: two periods full, delivered and others, at some hundred places of a town, more of them in its middle."""
    at = f"now() - n * interval '{DAYS} days' / {count}"
    return f"""
INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name, recipient_last_name,
        recipient_address, recipient_lat, recipient_lon, description, created_at, updated_at, accepted_at, delivered_at, cancelled_at)
    SELECT overlay(first_uuid(at)::text PLACING lpad(n::text, 12, '0') FROM 25)::uuid, {seed.uuid(1, 1)},
        CASE WHEN n % 20 = 0 THEN 'cancelled' ELSE 'delivered' END::delivery_status, 3, {seed.uuid(2, 'n % 100 + 1')},
        ARRAY[{seed.uuid(2, 'n % 100 + 1')}], 'Iva', 'Ivić', 'Ilica ' || n,
        45.8 + (random() - .5) * random() * .2, 15.98 + (random() - .5) * random() * .3, 'Torta', at, at, at + interval '2 minutes',
        CASE WHEN n % 20 > 0 THEN at + interval '2 minutes' + random() * interval '1 hour' END,
        CASE WHEN n % 20 = 0 THEN at + interval '1 hour' END
    FROM generate_series(0, {2 * count - 1}) n, LATERAL (SELECT {at} AS at) made;
INSERT INTO delivery_extras (delivery_id, attempts) SELECT id, 1 FROM deliveries WHERE random() < .05;
VACUUM ANALYZE;
"""


class Kurir(Served):
    def __init__(self, binary, cluster, count):
        run([binary, "migrate", "--database", cluster.url])
        seed.STORES, seed.PARTNERS = 1, seed.COURIERS
        cluster.sql(seed.people())
        # What is seeded is noted by no trigger.
        cluster.sql(f"INSERT INTO area_stores (store_id) VALUES ({seed.uuid(1, 1)})")
        cluster.sql(seed.UNCHECKED + deliveries(count))
        super().__init__(
            [binary, "serve", *cluster.kept(binary), "--listen", "127.0.0.1:0", "--throttle", "off", "--gateway", "webpush=off"], cluster)
        self.address = self.process.stdout.readline().split("//")[1].strip()
        self.connection = http.client.HTTPConnection(self.address)

    def areas(self):
        """Milliseconds until they are there, and what they say."""
        began = time.perf_counter()
        self.connection.request("GET", f"/v1/stats/areas?days={DAYS}", headers={"Authorization": "Bearer store-1"})
        answer = self.connection.getresponse()
        body = answer.read()
        took = (time.perf_counter() - began) * 1000
        if answer.status != 200:
            sys.exit(f"the figures are {answer.status} {body.decode()}")
        return took, json.loads(body)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def measure(kurir, title, rounds):
    asked = [kurir.areas() for _ in range(rounds)]
    times = sorted(took for took, _ in asked)
    print(f"{title:<40}{statistics.median(times):>8.1f} ms, at best {times[0]:.1f}, at worst {times[-1]:.1f}", flush=True)
    return asked[-1][1]


def main():
    parser = arguments(__doc__, seconds=0)
    parser.add_argument("--deliveries", type=int, default=100_000, help="in thirty days")
    options = parser.parse_args()
    with passing_cluster(options.shared_buffers) as cluster:
        kurir = Kurir(options.kurir, cluster, options.deliveries)
        try:
            plain = measure(kurir, "counted from the deliveries", 1)
            while cluster.sql("SELECT through < current_date - 2 OR through IS NULL FROM area_stores") != "f":
                time.sleep(0.2)
            told = measure(kurir, "as kept", 50)
            if told["total"] != plain["total"]:
                sys.exit(f"counted {plain['total']}, and kept {told['total']}")
            # A day of the period, which is counted anew, as all of today would be late in the evening.
            cluster.sql(f"""
                UPDATE deliveries SET version = version + 1
                WHERE id = (SELECT id FROM deliveries ORDER BY id DESC OFFSET {options.deliveries // 2} LIMIT 1)""")
            measure(kurir, "with a day that was changed since", 50)
            print(f"{told['total']['deliveries']['value']:,} deliveries in {DAYS} days, {len(told['items'])} areas told")
        finally:
            kurir.stop()


if __name__ == "__main__":
    main()
