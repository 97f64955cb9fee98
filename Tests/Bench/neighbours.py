#!/usr/bin/env python3
"""Measures what creating costs those who share a loop with somebody whose every create is refused, because its reference
is taken: beside as many connections that create like everybody else, by turns."""
import contextlib
import os
import statistics
import subprocess

from deliveries import LUA, Kurir
from harness import arguments, passing_cluster

NEIGHBOURS, OTHERS = 16, 4


@contextlib.contextmanager
def beside(kurir, kind, seconds):
    """Somebody else at work meanwhile."""
    load = subprocess.Popen(
        ["wrk", "-t", "1", "-c", str(OTHERS), "-d", f"{seconds}s", "-s", str(LUA), f"http://{kurir.address}"],
        env=os.environ | {"KIND": kind, "TOTAL": str(kurir.total), "FIRST": "0", "LINES": "", "THREADS": "1"},
        stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        load.terminate()
        load.wait()


def main():
    options = arguments(__doc__, seconds=3).parse_args()
    kinds = {"create": "creates beside creates", "duplicate": "creates beside refused ones"}
    found = {kind: [] for kind in kinds}
    with passing_cluster(options.shared_buffers) as cluster:
        kurir = Kurir(options.kurir, cluster, 100_000, 10_000)
        try:
            for _ in range(options.rounds):
                for kind in kinds:
                    with beside(kurir, kind, 10 * options.seconds):
                        found[kind].append(kurir.measure(NEIGHBOURS, options.seconds, 1, "create"))
        finally:
            kurir.stop()
    for kind, figures in found.items():
        rate, p50, p99 = (statistics.median(getattr(one, name) for one in figures) for name in ("rate", "p50", "p99"))
        print(f"{kinds[kind]:<30}{rate:>8,.0f}/s p50 {p50:.1f} ms p99 {p99:.1f} ms")
    ratios = [ours.rate / theirs.rate for ours, theirs in zip(found["duplicate"], found["create"])]
    print(f"{'ratio':<30}{statistics.median(ratios):>8.2f}")


if __name__ == "__main__":
    main()
