#!/usr/bin/env python3
"""Measures what a delivery costs from its creation to its end: processor time, log, and room on the disk.

Stores create by HTTP, each for a courier who accepts and delivers, and everybody's feed is read as it is written. A gateway drains
the outbox. The rest is a table with which to multiply.
"""
import pathlib
import subprocess
import sys
import time
import uuid

from harness import Meter, Served, arguments, passing_cluster

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Deploy"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/cluster"))
from load import Load  # noqa: E402


class Room:
    """What the database has written and keeps."""

    def __init__(self, cluster):
        cluster.sql("VACUUM ANALYZE; CHECKPOINT;")
        self.log = int(cluster.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))
        rows = cluster.sql(
            "SELECT split_part(relname, '_y', 1), pg_total_relation_size(oid) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace").splitlines()
        self.tables = {}
        for name, size in (row.split("|") for row in rows):
            self.tables[name] = self.tables.get(name, 0) + int(size)


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main():
    options = arguments(__doc__, 60)
    options.add_argument("--stores", type=int, default=8)
    options = options.parse_args()
    with passing_cluster(options.shared_buffers) as cluster:
        kept = cluster.kept(options.kurir)
        kurir = Served(
            [options.kurir, "serve", *kept, "--admin-listen", "off", "--listen", "127.0.0.1:0", "--throttle", "off",
             "--log-format", "json"], cluster)
        address = kurir.process.stdout.readline().split("//")[1].strip()
        gateway = subprocess.Popen(
            [options.kurir, "gateway", "run", *kept, "--channel", "push,sms,email", "--to", "log"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            measure(cluster, kurir, f"http://{address}", options)
        finally:
            for process in (gateway, kurir.process):
                process.terminate()
                process.wait()


def measure(cluster, kurir, front, options):
    load = Load([front], options.stores)
    for shop in load.shops:
        # Who has a device is told of each step that concerns it.
        for person in (shop.store, shop.courier):
            person.call("PUT", f"/v1/me/devices/{uuid.uuid4()}", {"platform": "fcm"})
    with load:
        time.sleep(5)
        room, before, meter = Room(cluster), load.steps, Meter(cluster.process.pid, kurir.pid)
        time.sleep(options.seconds)
        costs, deliveries = meter.read(), (load.steps - before) / 3
        after = Room(cluster)
        memory = resident(kurir.pid)
    if load.report():
        sys.exit("what was measured was not right")
    print(f"{deliveries / options.seconds:.0f} deliveries a second; of each delivery:")
    print(f"  Kurir {costs.own / deliveries * 1000:.2f} ms of a core, the database {costs.database / deliveries * 1000:.2f} ms")
    print(f"  {(after.log - room.log) / deliveries / 1024:.1f} KiB of the database's log")
    grown = {name: size - room.tables.get(name, 0) for name, size in after.tables.items()}
    print(f"  {sum(grown.values()) / deliveries / 1024:.1f} KiB on the disk: " + ", ".join(
        f"{name} {size / deliveries / 1024:.2f}" for name, size in sorted(grown.items(), key=lambda of: -of[1])
        if size / deliveries > 50))
    print(f"Kurir's memory: {memory / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
