#!/usr/bin/env python3
"""Measures the house beside pgbench on the very same statements, in one run, on one machine.

Each figure is the median of several rounds in which the contestants take turns, so that a machine that is slow for
a while is slow for all of them. Needs wrk and PostgreSQL; everything runs in a directory that goes away at the end.
"""
import argparse
import contextlib
import glob
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

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


class Cluster:
    """A durable PostgreSQL with its usual settings, on a Unix socket."""

    def __init__(self, directory):
        binaries = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        self.pgbench, self.psql = f"{binaries}/pgbench", f"{binaries}/psql"
        self.directory, self.data = directory, f"{directory}/data"
        self.user = []
        os.mkdir(self.data, 0o700)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.data, owner.pw_uid, owner.pw_gid)
            os.chmod(directory, 0o755)
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        run(self.user + [f"{binaries}/initdb", "-D", self.data, "-U", "kurir", "--auth=trust", "-k"])
        self.process = subprocess.Popen(
            self.user + [
                f"{binaries}/postgres", "-D", self.data, "-c", "listen_addresses=", "-c", "max_connections=300",
                "-c", f"unix_socket_directories={self.data}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"postgresql://kurir@{self.data.replace('/', '%2F')}/postgres"
        self.wait()
        run([self.psql, self.url, "-q", "-v", "ON_ERROR_STOP=1"], input=SETUP)

    def wait(self):
        for _ in range(100):
            if subprocess.run([self.psql, self.url, "-c", ""], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        sys.exit("PostgreSQL does not start")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    # What Kurir asks of its sessions, too.
    SETTINGS = "-c plan_cache_mode=force_generic_plan -c jit=off -c max_parallel_workers_per_gather=0 -c enable_seqscan=off"

    def measure(self, script, clients, seconds, options=()):
        """Transactions a second, and median and 99th percentile of their latency in milliseconds."""
        prefix = f"{self.directory}/pgbench_log"
        output = run([
            self.pgbench, "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(2, clients)), "-T", str(seconds),
            "-f", f"{self.directory}/{script}", "-l", "--log-prefix", prefix, "--sampling-rate=0.1",
            *options, self.url], environment={"PGOPTIONS": self.SETTINGS})
        rate = float(re.search(r"tps = ([\d.]+)", output).group(1))
        latencies = []
        for path in glob.glob(prefix + ".*"):
            with open(path) as log:
                latencies += [int(line.split()[2]) / 1000 for line in log]
            os.remove(path)
        latencies.sort()
        return rate, *[latencies[int(len(latencies) * part)] if latencies else 0 for part in (0.5, 0.99)]


@contextlib.contextmanager
def passing_cluster():
    """A PostgreSQL and its directory, which both go away at the end."""
    directory = tempfile.mkdtemp(prefix="kurir-bench-")
    cluster = Cluster(directory)
    try:
        yield cluster, directory
    finally:
        cluster.stop()
        shutil.rmtree(directory)


class Server:
    def __init__(self, binary, url, loops, pool, directory):
        self.log = open(f"{directory}/server.log", "w")
        self.process = subprocess.Popen(
            [binary, url, str(loops), str(pool)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
            text=True)
        pid, self.address = self.process.stdout.readline().split()
        self.pid = int(pid)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def memory(self):
        """Resident MiB."""
        with open(f"/proc/{self.pid}/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize() / 2**20

    def measure(self, path, connections, seconds, script=None, method="GET"):
        command = [
            "wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s", "--latency",
            f"http://{self.address}{path}"]
        if script:
            command += ["-s", script.format(method)]
        output = run(command)
        if "Non-2xx" in output or "Socket errors" in output:
            sys.exit("answers were missing or wrong:\n" + output)
        rate = re.search(r"Requests/sec:\s*([\d.]+)", output)
        latencies = [re.search(rf"(?m)^ +{part}% +(\S+)\s*$", output) for part in (50, 99)]
        if not rate or None in latencies:
            sys.exit("this is not what wrk says as a rule:\n" + output)
        return float(rate.group(1)), *[milliseconds(latency.group(1)) for latency in latencies]


def milliseconds(text):
    number, unit = re.match(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


def run(command, input=None, environment={}):
    result = subprocess.run(command, input=input, capture_output=True, text=True, env=os.environ | environment)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def medians(rounds):
    return [statistics.median(column) for column in zip(*rounds)]


def show(title, connections, ours, theirs=None):
    line = f"{title:<22}{connections:>5}  {ours[0]:>9,.0f}/s  {ours[1]:>7.2f} {ours[2]:>8.2f} ms"
    if theirs:
        line += f"   {theirs[0]:>9,.0f}/s  {theirs[1]:>7.2f} {theirs[2]:>8.2f} ms   {ours[0] / theirs[0]:>5.2f}"
    print(line, flush=True)


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="the built bench-server")
    parser.add_argument("--seconds", type=int, default=3, help="of each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pool", type=int, default=8, help="database connections of each loop")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    with passing_cluster() as (cluster, directory):
        measure_all(options, cluster, directory)


def measure_all(options, cluster, directory):
    scripts = {"read.sql": READ, "write.sql": WRITE}
    scripts |= {f"{method}.lua": LUA.replace("METHOD", method) for method in ("GET", "POST")}
    for name, text in scripts.items():
        with open(f"{directory}/{name}", "w") as file:
            file.write(text)
    lua = directory + "/{}.lua"
    print(f"{'':<29}{'Kurir':>12}{'p50':>9}{'p99':>9}{'pgbench':>17}{'p50':>9}{'p99':>9}{'ratio':>11}")

    server = Server(options.server, cluster.url, 1, options.pool, directory)
    for connections in (1, 16, 64):
        rounds = [server.measure("/nothing", connections, options.seconds) for _ in range(options.rounds)]
        show("no database, one loop", connections, medians(rounds))
    server.stop()

    server = Server(options.server, cluster.url, os.cpu_count(), options.pool, directory)
    for title, script, method in ("one-row read", "read.sql", "GET"), ("one-row durable write", "write.sql", "POST"):
        for connections in (1, 16, 64):
            ours, theirs = [], []
            for _ in range(options.rounds):
                theirs.append(cluster.measure(script, connections, options.seconds))
                ours.append(server.measure("/things/1", connections, options.seconds, lua, method))
            show(title, connections, medians(ours), medians(theirs))
    server.stop()

    server = Server(options.server, cluster.url, os.cpu_count(), options.pool, directory)
    print(f"\nresident memory: {server.memory():.0f} MiB after the start", end="", flush=True)
    clients = open_idle(server.address, 5000)
    print(f", {server.memory():.0f} MiB with {len(clients)} open connections", flush=True)
    for client in clients:
        client.close()
    server.stop()


if __name__ == "__main__":
    main()
