#!/usr/bin/env python3
"""Measures what is asked of the road: a box with 200 of a million reports, of which a hundred thousand hold, by one client, the longest
statement of it, and its plan; and a circle with all that hold."""
import json
import re
import statistics
import time
import urllib.request

from harness import Meter, Served, arguments, passing_cluster

# As far apart as reports of a small country: 316 to a degree, so that so much of a degree has 200 that hold.
SIDE = 316
BOX = (200 ** 0.5) / SIDE


class Kurir(Served):
    def __init__(self, binary, cluster):
        super().__init__([
            str(binary), "serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--loops", "1", "--throttle", "off",
            *cluster.kept(binary)], cluster)
        self.address = self.process.stdout.readline().rsplit("http://", 1)[1].strip()
        form = {"first_name": "Ana", "last_name": "Anić", "phone": "+385915550101", "password": "krumpir-na-tavi"}
        request = urllib.request.Request(
            f"http://{self.address}/v1/couriers", json.dumps(form).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            self.token = json.load(answer)["session"]["token"]

    def ask(self, path):
        """The answer, and the milliseconds until it came."""
        began = time.perf_counter()
        request = urllib.request.Request(f"http://{self.address}{path}", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as answer:
            body = answer.read()
        return json.loads(body), 1000 * (time.perf_counter() - began)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def fill(cluster):
    """A million reports in a square of one degree, nine of ten of them over, a hundredth of those not taken out yet."""
    cluster.sql("""
        INSERT INTO road_reports (id, kind, road_type, title, lat, lon, valid_from, valid_until, is_listed)
        SELECT uuid_v7(), (ARRAY['roadworks', 'closure', 'danger', 'accident'])[1 + n % 4], 'city', 'Radovi ' || n,
            45 + random(), 15 + random(), now() - interval '3 days', now() + CASE WHEN n % 10 = 0 THEN interval '10 hours'
                ELSE interval '-10 hours' END, n % 10 = 0 OR n % 100 = 1
        FROM generate_series(1, 1000000) n""")
    cluster.sql("VACUUM ANALYZE road_reports")


def plan(cluster, south, west):
    """How what `roads_in` asks is found, by its own text and with its own settings."""
    query = cluster.sql("SELECT substring(prosrc FROM 'RETURN QUERY (.*);\\s*END') FROM pg_proc WHERE proname = 'roads_in'")
    for place, name in enumerate(("area", "middle", "kinds", "most"), 1):
        query = re.sub(rf"\b{name}\b", f"${place}", query)
    settings = cluster.sql("SELECT string_agg('SET ' || s || ';', ' ') FROM pg_proc, unnest(proconfig) AS s WHERE proname = 'roads_in'")
    return cluster.sql(f"""
        {settings} SET plan_cache_mode = force_generic_plan; PREPARE asked(box, point, text[], integer) AS {query};
        EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE asked(
            box(point({west}, {south}), point({west + BOX}, {south + BOX})), point({west + BOX / 2}, {south + BOX / 2}),
            '{{roadworks,closure,danger,accident}}', 10000)""")


def measure(kurir, cluster, name, path, seconds):
    meter, times = Meter(cluster.process.pid, kurir.pid), []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        times.append(kurir.ask(path)[1])
    others, cuts = meter.read().others, statistics.quantiles(times, n=100)
    print(f"{name:<34}p50 {cuts[49]:.2f} ms p99 {cuts[98]:.2f} ms, others had {others:.0%} of the machine")


def main():
    options = arguments(__doc__, seconds=5).parse_args()
    with passing_cluster(options.shared_buffers, times_statements=True) as cluster:
        kurir = Kurir(options.kurir, cluster)
        try:
            fill(cluster)
            south, west = 45.4, 15.4
            path = f"/v1/roads?box={south},{west},{south + BOX},{west + BOX}&limit="
            found = sum(kurir.ask(path + "1")[0]["counts"].values())
            for limit in (1, 50, 200):
                measure(kurir, cluster, f"{found} in the box, {limit} told", path + str(limit), options.seconds)
            took, _ = cluster.largest_statement(lambda: kurir.ask(path + "200"))
            print(f"{'its longest statement':<34}{took:.2f} ms")
            print(plan(cluster, south, west))
            circle = "/v1/roads?near=45.5,15.5&radius_m=100000"
            for name, kinds in (("a circle with all that hold", ""), ("a kind that none of them is", "&kinds=rockfall")):
                measure(kurir, cluster, name, circle + kinds, options.seconds)
                took, _ = cluster.largest_statement(lambda: kurir.ask(circle + kinds))
                print(f"{'its longest statement':<34}{took:.2f} ms")
        finally:
            kurir.stop()


if __name__ == "__main__":
    main()
