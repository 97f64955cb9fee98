#!/usr/bin/env python3
"""Measures the server beside pgbench on the very same statements, in one run, on one machine.

Each figure is the median of several rounds in which the contestants take turns, so that a machine that is slow for
a while is slow for all of them. Needs wrk and PostgreSQL; everything runs in a directory that goes away at the end.
"""
import os
import resource
import socket
import subprocess
import sys

from harness import Served, arguments, heading, passing_cluster, show, warmed

ROWS = 100_000
SETUP = f"""
CREATE TABLE bench_things (id integer PRIMARY KEY, name text NOT NULL, count integer NOT NULL) WITH (fillfactor = 70);
INSERT INTO bench_things SELECT n, 'thing number ' || n, 0 FROM generate_series(1, {ROWS}) n;
VACUUM ANALYZE bench_things;
"""
READ = f"\\set id random(1, {ROWS})\nSELECT id, name, count FROM bench_things WHERE id = :id;\n"
WRITE = (
    f"\\set id random(1, {ROWS})\n"
    "UPDATE bench_things SET count = count + 1 WHERE id = :id RETURNING id, name, count;\n"
)
LUA = """
local requests = {}
function init(arguments)
  math.randomseed(os.time() + tonumber(tostring({}):sub(8), 16) % 100000)
  for n = 1, 4096 do requests[n] = wrk.format("METHOD", "/things/" .. math.random(1, 100000)) end
end
local n = 0
function request()
  n = n % 4096 + 1
  return requests[n]
end
"""


class BenchServer(Served):
    """The house without a product; it ends when its standard input does."""

    def __init__(self, binary, cluster, loops, pool):
        super().__init__([binary, cluster.url, str(loops), str(pool)], cluster, stdin=subprocess.PIPE)
        self.address = self.process.stdout.readline().split()[1]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def memory(self):
        """Resident MiB."""
        with open(f"/proc/{self.pid}/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


def open_idle(address, count):
    """Connections that have sent one request each and stay open."""
    host, port = address.rsplit(":", 1)
    request = f"GET /nothing HTTP/1.1\r\nHost: {address}\r\n\r\n".encode()
    clients = []
    for _ in range(count):
        client = socket.create_connection((host, int(port)))
        client.sendall(request)
        clients.append(client)
    for client in clients:
        if b"200 OK" not in client.recv(4096):
            sys.exit("an idle client was not served")
    return clients


def main():
    parser = arguments(__doc__, seconds=3)
    parser.add_argument("--pool", type=int, default=8, help="database connections of each loop")
    options = parser.parse_args()
    with passing_cluster(options.shared_buffers) as cluster:
        cluster.sql(SETUP)
        scripts = {"read.sql": READ, "write.sql": WRITE}
        scripts |= {f"{method}.lua": LUA.replace("METHOD", method) for method in ("GET", "POST")}
        for name, text in scripts.items():
            with open(f"{cluster.directory}/{name}", "w") as file:
                file.write(text)
        measure_all(options, cluster)


def measure_all(options, cluster):
    heading("Kurir", "pgbench")
    rounds, seconds = range(options.rounds), options.seconds

    server = BenchServer(options.server, cluster, 1, options.pool)
    for connections in (1, 16, 64):
        show("no database, one loop", connections, [server.measure(connections, seconds, 1, "/nothing") for _ in rounds])
    server.stop()

    server = BenchServer(options.server, cluster, os.cpu_count(), options.pool)
    for title, script, method in ("one-row read", "read.sql", "GET"), ("one-row durable write", "write.sql", "POST"):
        for connections in (1, 16, 64):
            ours, theirs, warmup = [], [], 1
            for _ in rounds:
                figures, warmup = warmed(lambda warmup: cluster.measure(script, connections, seconds, warmup), warmup)
                theirs.append(figures)
                ours.append(server.measure(connections, seconds, warmup, "/things/1", f"{cluster.directory}/{method}.lua"))
            show(title, connections, ours, theirs)
    server.stop()

    server = BenchServer(options.server, cluster, os.cpu_count(), options.pool)
    print(f"\nresident memory: {server.memory():.0f} MiB after the start", end="", flush=True)
    clients = open_idle(server.address, 5000)
    print(f", {server.memory():.0f} MiB with {len(clients)} open connections", flush=True)
    for client in clients:
        client.close()
    server.stop()


if __name__ == "__main__":
    main()
