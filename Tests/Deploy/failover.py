#!/usr/bin/env python3
"""Kills, stops and cuts off the leader of a whole cluster under load, again and again, takes away a node of Kurir and two
machines at once, and looks what was lost.

    failover.py KURIR [--rounds N] [--stores N] [--faults kill stop cut node two]

Every acknowledged step must be there in the end, every feed must tell of each step once, in order, and searches by way of
a replica must find it. Prints for each kind of fault how long nothing was acknowledged, which has a bar.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/cluster"))
from load import Load  # noqa: E402
from local import Cluster, get, wait  # noqa: E402

# How long a machine stays away.
ABSENCE = 40
# For how many seconds nothing may be acknowledged, at the 95th percentile.
BARS = {"kill": 20, "stop": 45, "cut": 45}


def end(machine, *commands):
    """Ends at once what runs there under a command that begins so."""
    for process in machine.processes():
        # One may have ended by itself just now.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if pathlib.Path(f"/proc/{process}/cmdline").read_bytes().startswith(commands):
                os.kill(process, signal.SIGKILL)


def link(machine, way):
    subprocess.run(["ip", "link", "set", machine.space, way], check=True)


def kill(cluster, load):
    """PostgreSQL dies at once, all of it."""
    end(cluster.leader(), b"/usr/lib/postgresql", b"postgres:")


def stop(cluster, load):
    """The whole machine stands still, and goes on later as if nothing had been."""
    leader = cluster.leader()
    leader.signal(signal.SIGSTOP)
    time.sleep(ABSENCE)
    leader.signal(signal.SIGCONT)


def cut(cluster, load):
    """Nobody hears of the machine, and it hears of nobody, for a while."""
    leader = cluster.leader()
    link(leader, "down")
    time.sleep(ABSENCE)
    link(leader, "up")


def node(cluster, load):
    """A node of Kurir dies at once, the other one has all clients, and it comes back."""
    machine = cluster.machines["a"]
    end(machine, os.fsencode(cluster.binary))
    machine.running["kurir"].wait()
    goes_on(load, 200)
    machine.start("kurir")
    wait(lambda: get(f"http://{machine.address}:8080/readyz"), 60, "the node is back")


def two(cluster, load):
    """The leader is gone with the one that has every commit, which alone comes back first: two of three go on."""
    leader = cluster.leader()
    gone = [leader, cluster.follower(leader)]
    for machine in gone:
        link(machine, "down")
    time.sleep(ABSENCE)
    link(gone[1], "up")
    goes_on(load, 20)
    link(gone[0], "up")


def goes_on(load, steps):
    """Waits for so many more steps."""
    goal = load.steps + steps
    wait(lambda: load.steps >= goal, 180, "work goes on")


FAULTS = {fault.__name__: fault for fault in (kill, stop, cut, node, two)}


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--stores", type=int, default=8)
    options.add_argument("--faults", nargs="+", choices=FAULTS, default=list(FAULTS))
    options = options.parse_args()
    directory = tempfile.mkdtemp(prefix="kurir-failover-", dir="/var/tmp")
    silences = collections.defaultdict(list)
    try:
        with Cluster(directory, options.binary.resolve(), KURIR_THROTTLE="off") as cluster:
            with Load(cluster.fronts, options.stores) as load:
                for number in range(options.rounds):
                    for fault in options.faults:
                        silences[fault].append(fail(cluster, load, fault, number))
            wrong = load.report() + search(cluster, load)
    except BaseException:
        print(f"logs and data are kept in {directory}", file=sys.stderr)
        raise
    shutil.rmtree(directory)
    sys.exit(1 if wrong + report(silences) else 0)


def report(silences):
    """Prints how long nothing was acknowledged, by fault; how many are over their bar."""
    late = 0
    for fault, seconds in silences.items():
        bar, most = BARS.get(fault), percentile(seconds, 0.95)
        is_late = bar is not None and most > bar
        late += is_late
        print(f"{fault}: {len(seconds)} times, seconds without writes: median {percentile(seconds, 0.5):.1f}, "
              f"95th percentile {most:.1f}, longest {max(seconds):.1f}"
              + (f" (bar {bar}{', MISSED' if is_late else ''})" if bar else ""))
    return late


def fail(cluster, load, fault, number):
    """One fault; gives how long nothing was acknowledged."""
    wait(cluster.is_whole, 180, "the cluster is whole")
    time.sleep(3)
    leader, since = cluster.leader(), time.monotonic()
    FAULTS[fault](cluster, load)
    wait(lambda: load.clock.times[-1] > since + 1 and cluster.is_whole(), 180, "work goes on")
    silence = load.clock.longest_silence(since)
    print(f"round {number + 1}, at {since - load.clock.times[0]:.1f} s: {leader.name} led, {fault}: {silence:.1f} s without "
          f"writes, now {cluster.leader().name} leads, {load.steps} steps so far", flush=True)
    return silence


def search(cluster, load):
    """Searches until a replica has read for it; the number of stores that did not find what they have."""
    replicas = [machine for machine in cluster.machines.values() if machine != cluster.leader()]

    def reads():
        return sum(int(cluster.ask(machine, "SELECT sum(idx_scan) FROM pg_stat_user_tables WHERE relname = 'delivery_words'", "kurir"))
                   for machine in replicas)

    def found():
        return [shop.store.call("GET", "/v1/deliveries?q=torta")["items"] for shop in load.shops]

    before = reads()
    wrong = sum(not items for items in found())
    wait(lambda: found() and reads() > before, 60, "a replica searches")
    print(f"searches by way of a replica: {wrong} of {len(load.shops)} stores did not find what they have")
    return wrong


if __name__ == "__main__":
    main()
