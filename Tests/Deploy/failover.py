#!/usr/bin/env python3
"""Kills, stops and cuts off the leader of a whole cluster under load, again and again, and looks what was lost.

    failover.py KURIR [--rounds N] [--stores N] [--faults kill stop cut]

Every acknowledged step must be there in the end, and every feed must tell of each step once, in order. Prints for each kind of
fault how long nothing was acknowledged.
"""
import argparse
import collections
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
from local import Cluster, wait  # noqa: E402

# How long a machine stays away.
ABSENCE = 40


def kill(cluster, leader):
    """PostgreSQL dies at once, all of it."""
    for process in leader.processes():
        command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        if command.startswith((b"/usr/lib/postgresql", b"postgres:")):
            os.kill(process, signal.SIGKILL)


def stop(cluster, leader):
    """The whole machine stands still, and goes on later as if nothing had been."""
    leader.signal(signal.SIGSTOP)
    time.sleep(ABSENCE)
    leader.signal(signal.SIGCONT)


def cut(cluster, leader):
    """Nobody hears of the machine, and it hears of nobody, for a while."""
    subprocess.run(["ip", "link", "set", leader.space, "down"], check=True)
    time.sleep(ABSENCE)
    subprocess.run(["ip", "link", "set", leader.space, "up"], check=True)


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--stores", type=int, default=8)
    options.add_argument("--faults", nargs="+", default=["kill", "stop", "cut"])
    options = options.parse_args()
    directory = tempfile.mkdtemp(prefix="kurir-failover-", dir="/var/tmp")
    silences = collections.defaultdict(list)
    try:
        with Cluster(directory, options.binary.resolve(), KURIR_THROTTLE="off") as cluster:
            with Load(cluster.fronts, options.stores) as load:
                for number in range(options.rounds):
                    for fault in options.faults:
                        silences[fault].append(fail(cluster, load, fault, number))
            wrong = load.report()
    except BaseException:
        print(f"logs and data are kept in {directory}", file=sys.stderr)
        raise
    shutil.rmtree(directory)
    for fault, seconds in silences.items():
        print(f"{fault}: {len(seconds)} times, seconds without writes: median {percentile(seconds, 0.5):.1f}, "
              f"95th percentile {percentile(seconds, 0.95):.1f}, longest {max(seconds):.1f}")
    sys.exit(1 if wrong else 0)


def fail(cluster, load, fault, number):
    """One fault of the leader; gives how long nothing was acknowledged."""
    wait(cluster.is_whole, 180, "the cluster is whole")
    time.sleep(3)
    leader, since = cluster.leader(), time.monotonic()
    {"kill": kill, "stop": stop, "cut": cut}[fault](cluster, leader)
    wait(lambda: load.clock.times[-1] > since + 1 and cluster.is_whole(), 180, "work goes on")
    silence = load.clock.longest_silence(since)
    print(f"round {number + 1}, at {since - load.clock.times[0]:.1f} s: {leader.name} {fault}: {silence:.1f} s without "
          f"writes, now {cluster.leader().name} leads, {load.steps} steps so far", flush=True)
    return silence


if __name__ == "__main__":
    main()
