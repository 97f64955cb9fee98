#!/usr/bin/env python3
"""Takes a million deliveries from before the steps of handing over along to the newest schema while others write, as the nodes of before
do that are replaced, and measures how long any of these waits. The database is made by the first migrations alone."""
import os
import pathlib
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import seed
from harness import arguments, passing_cluster, run

MIGRATIONS = pathlib.Path(__file__).parents[2] / "sql/migrations"
# The last one that knows of no steps between accepting and delivering.
BEFORE = 21
STATES = [("delivered", 1, 900_000), ("in_progress", 900_001, 950_000), ("pending", 950_001, 1_000_000)]
HISTORY = """
CREATE TABLE schema_migrations (number integer PRIMARY KEY, file text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
"""
# Many small writes, on all that the migrations change.
WRITE = f"""
\\set n random(1, {STATES[-1][2]})
BEGIN;
UPDATE deliveries SET updated_at = now() WHERE id = {seed.uuid(3, ':n')};
UPDATE jobs SET status = status WHERE courier_id = {seed.uuid(2, seed.courier(':n'))} AND delivery_id = {seed.uuid(3, ':n')};
UPDATE couriers SET declined = declined + 1 WHERE id = {seed.uuid(2, seed.courier(':n'))};
COMMIT;
"""


def make_former(cluster):
    """A database as it was, with the deliveries of a while."""
    cluster.sql(HISTORY)
    for number, path in enumerate(sorted(MIGRATIONS.glob("*.sql"))[:BEFORE], 1):
        text = path.read_text()
        cluster.sql(f"BEGIN;\n{text};\nINSERT INTO schema_migrations (number, file, checksum) "
                    f"VALUES ({number}, '{path.name}', encode(sha256(convert_to($migration${text}$migration$, 'UTF8')), 'hex'));\nCOMMIT;")
    cluster.sql(seed.people())
    for status, first, last in STATES:
        cluster.sql(seed.deliveries(first, last, status, has_instructions=False))
        cluster.sql(seed.steps(first, last, status, has_places=False))
    # What earlier migrations wanted of these rows is done with.
    cluster.sql("DELETE FROM schema_backfills")
    cluster.sql("VACUUM ANALYZE")


class Writers:
    """Four connections that write two hundred times a second in all, and how long each time took from when it was due, in milliseconds."""

    def __init__(self, cluster):
        self.cluster, self.is_over, self.took = cluster, False, []
        (pathlib.Path(cluster.directory) / "write.sql").write_text(WRITE)
        # Two by turns, so that there is no moment in which nobody writes.
        self.threads = ThreadPoolExecutor(2)
        self.ends = []
        for nth in range(2):
            self.ends.append(self.threads.submit(self.write, nth))
            time.sleep(1.5)

    def write(self, nth):
        prefix = f"{self.cluster.directory}/writes{nth}"
        while not self.is_over:
            subprocess.run(
                [self.cluster.pgbench, "-n", "-M", "prepared", "-c", "2", "-j", "1", "-R", "100", "-T", "3", "-l", "--log-prefix", prefix,
                 "-f", f"{self.cluster.directory}/write.sql", self.cluster.url], check=True, capture_output=True)
            for path in pathlib.Path(self.cluster.directory).glob(f"writes{nth}.*"):
                # The time in the schedule comes last, and is part of the latency.
                self.took += [int(line.split()[2]) / 1000 for line in path.read_text().splitlines()]
                os.remove(path)

    def stop(self):
        self.is_over = True
        # Whoever could not write says so here.
        for end in self.ends:
            end.result()
        return sorted(self.took)


def show(what, took):
    print(f"{what}: {len(took)} writes, p50 {statistics.median(took):.1f} ms p99 {took[int(len(took) * 0.99)]:.1f} ms "
          f"at most {took[-1]:.0f} ms", flush=True)


def main():
    options = arguments(__doc__, seconds=20).parse_args()
    with passing_cluster(options.shared_buffers or "1GB") as cluster:
        make_former(cluster)
        writers = Writers(cluster)
        time.sleep(options.seconds)
        show("before", writers.stop())
        writers = Writers(cluster)
        began = time.monotonic()
        try:
            run([options.kurir, "migrate", "--database", cluster.url])
        finally:
            seconds, took = time.monotonic() - began, writers.stop()
        show(f"while a million deliveries are taken along in {seconds:.0f} s", took)
        unplaced = cluster.sql("SELECT count(*) FROM jobs WHERE place IS NULL")
        print(f"entries of lists without a place afterwards: {unplaced}")


if __name__ == "__main__":
    main()
