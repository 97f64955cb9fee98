"""What the parts of the bench share: databases that pass, servers under load, and what is told of both."""
import argparse
import contextlib
import glob
import math
import os
import pathlib
import pwd
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

BUILT = pathlib.Path(__file__).parents[2] / ".build/release"
TICKS = os.sysconf("SC_CLK_TCK")


class Figures(NamedTuple):
    """What a round came to."""

    # A second.
    rate: float
    # Milliseconds.
    p50: float
    p99: float
    # Processor seconds that a thousand requests cost the server itself, and the processes of its database.
    own: float = math.nan
    database: float = math.nan
    # The share of the machine that went to processes which have nothing to do with it.
    others: float = 0


def medians(rounds):
    return Figures(*map(statistics.median, zip(*rounds)))


def ratio(ours, theirs):
    """How ours stand to theirs: round by round, since what slows the machine down slows neighbours down alike."""
    return statistics.median(a.rate / b.rate for a, b in zip(ours, theirs))


def heading(ours, theirs):
    """Above what `show` prints."""
    print("own, db: processor seconds that a thousand requests cost the server itself, and all of its database\n")
    columns = f"{'p50':>10}{'p99':>10}{'p99/p50':>9}{'own':>8}{'db':>8}"
    print(f"{'':<27}{ours:>12}{columns}{theirs:>14}{columns if theirs != 'pgbench' else columns[:29]}{'ratio':>8}", flush=True)


def cells(figures):
    line = f"{figures.rate:>10,.0f}/s{figures.p50:>7.2f} ms{figures.p99:>7.2f} ms{figures.p99 / (figures.p50 or math.nan):>9.1f}"
    # Of pgbench it is not known what it pays.
    return line if math.isnan(figures.own) else line + f"{figures.own:>8.3f}{figures.database:>8.3f}"


def show(title, connections, ours, theirs=()):
    """A line of medians."""
    line = f"{title:<22}{connections:>5}{cells(medians(ours))}"
    if theirs:
        line += f"  {cells(medians(theirs))}{ratio(ours, theirs):>8.2f}"
    others = medians([*ours, *theirs]).others
    print(line + (f"  others had {others:.0%} of the machine" if others > 0.05 else ""), flush=True)


class Cluster:
    """A durable PostgreSQL with its usual settings, on a Unix socket."""

    def __init__(self, directory, shared_buffers=None, times_statements=False):
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
        settings = ["listen_addresses=", "max_connections=300", f"unix_socket_directories={self.data}"]
        if shared_buffers:
            settings.append(f"shared_buffers={shared_buffers}")
        if times_statements:
            settings.append("shared_preload_libraries=pg_stat_statements")
        self.process = subprocess.Popen(
            self.user + [f"{binaries}/postgres", "-D", self.data] + [word for one in settings for word in ("-c", one)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"postgresql://kurir@{self.data.replace('/', '%2F')}/postgres"
        self.wait()
        if times_statements:
            self.sql("CREATE EXTENSION pg_stat_statements")

    def wait(self):
        for _ in range(100):
            if subprocess.run([self.psql, self.url, "-c", ""], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        sys.exit("PostgreSQL does not start")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def kept(self, binary):
        """The options by which a binary serves this database: with a key of its own, unless it is of the time before keys."""
        key = f"{self.directory}/kurir.key"
        if not os.path.exists(key) and subprocess.run([binary, "keys", "make", key], capture_output=True).returncode == os.EX_USAGE:
            return ["--database", self.url]
        return ["--database", self.url, "--key-file", key]

    def sql(self, text):
        return run([self.psql, self.url, "-qAt", "-v", "ON_ERROR_STOP=1"], input=text).strip()

    def largest_statement(self, ask):
        """Milliseconds that the longest statement takes while `ask` does its work for the second time, and its beginning."""
        ask()
        self.sql("SELECT pg_stat_statements_reset()")
        ask()
        took, text = self.sql(
            "SELECT max_exec_time, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) FROM pg_stat_statements "
            "WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY max_exec_time DESC LIMIT 1").split("|", 1)
        return float(took), text

    # What Kurir asks of its sessions, too.
    SETTINGS = "-c plan_cache_mode=force_generic_plan -c jit=off -c max_parallel_workers_per_gather=0 -c enable_seqscan=off " \
        "-c enable_hashjoin=off -c enable_mergejoin=off -c enable_incremental_sort=off"

    def measure(self, script, clients, seconds, warmup=0, options=()):
        """The figures of pgbench; none if some client was not warm yet when the last `seconds` began."""
        prefix = f"{self.directory}/pgbench_log"
        meter = Meter(self.process.pid)
        run([self.pgbench, "-n", "-M", "prepared", "-c", clients, "-j", min(2, clients), "-T", warmup + seconds,
             "-l", "--log-prefix", prefix, "-f", f"{self.directory}/{script}", *options, self.url], environment={"PGOPTIONS": self.SETTINGS})
        others = meter.read().others
        ends = {}
        for path in glob.glob(prefix + ".*"):
            with open(path) as log:
                for line in log:
                    client, _, latency, _, second, microsecond = line.split()
                    ends.setdefault(client, []).append((int(second) + int(microsecond) / 1e6, int(latency) / 1000))
            os.remove(path)
        # How often the busiest client went through the script.
        self.turns = max(map(len, ends.values()), default=0)
        figures = figures_of(ends, clients, seconds, warmup > 0)
        return figures and figures._replace(others=others)


# A session's first transactions prepare its statements and fill its caches.
PREPARING = 5


def figures_of(ends, clients, seconds, is_warm):
    """The figures of transactions, of which `ends` has the time of its end and the latency, by client in their order."""
    begin, end = 0, math.inf
    if is_warm:
        if len(ends) < clients or min(map(len, ends.values())) <= PREPARING:
            return None
        # Till here all of them were at it, and from there.
        end = min(times[-1][0] for times in ends.values())
        begin = end - seconds
        if begin < max(times[PREPARING - 1][0] for times in ends.values()):
            return None
    latencies = sorted(latency for times in ends.values() for time, latency in times if begin < time <= end)
    return Figures(len(latencies) / seconds, *percentiles(latencies))


def percentiles(values):
    return [values[int(len(values) * part)] if values else 0 for part in (0.5, 0.99)]


def warmed(measure, warmup):
    """What `measure` gives with a warm-up that was long enough, and how long that is."""
    while (figures := measure(warmup)) is None:
        warmup *= 2
    return figures, warmup


@contextlib.contextmanager
def passing_cluster(shared_buffers=None, times_statements=False):
    """A PostgreSQL and its directory, which both go away at the end."""
    directory = tempfile.mkdtemp(prefix="kurir-bench-")
    try:
        cluster = Cluster(directory, shared_buffers, times_statements)
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(directory)


def processor_seconds(pid):
    """What a process has computed, with its children that have ended."""
    with open(f"/proc/{pid}/stat") as stat:
        return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:15])) / TICKS


def processor_seconds_of_all(pid):
    """The same with the children that still run."""
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        running = children.read().split()
    try:
        return sum(map(processor_seconds, [pid, *running]))
    except OSError:
        # One ended just now, and counts as its parent's from now on.
        return processor_seconds_of_all(pid)


def processor_seconds_of_the_machine():
    """All but idleness, so that what a hypervisor gives to others is among it."""
    with open("/proc/stat") as stat:
        spent = list(map(int, stat.readline().split()[1:9]))
    return (sum(spent) - spent[3] - spent[4]) / TICKS


class Meter:
    """Processor seconds from now on: of a server, of its database, and the share of the machine that others had."""

    def __init__(self, database, server=None):
        self.database, self.server = database, server
        self.began, self.before = time.monotonic(), self.now()

    def now(self):
        load = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (
            processor_seconds(self.server) if self.server else 0, processor_seconds_of_all(self.database),
            processor_seconds_of_the_machine(), load.ru_utime + load.ru_stime)

    def read(self):
        own, database, all, load = (after - before for after, before in zip(self.now(), self.before))
        machine = (time.monotonic() - self.began) * os.cpu_count()
        return Costs(own, database, max(0, all - own - database - load) / machine)


class Costs(NamedTuple):
    own: float
    database: float
    others: float


class WrongAnswers(SystemExit):
    """Ends the bench with what wrk said, unless somebody expects it."""


class Served:
    """A server and the cluster behind it, under the load of wrk."""

    def __init__(self, command, cluster, **channels):
        self.cluster, self.log = cluster, open(f"{cluster.directory}/server.log", "w")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True, **channels)
        self.pid = self.process.pid

    def wrk(self, connections, seconds, path="", script=None, environment={}):
        output = run(
            ["wrk", "-t", min(2, connections), "-c", connections, "-d", f"{seconds}s", "--timeout", "60s", "--latency",
             *(["-s", script] if script else []), f"http://{self.address}{path}"], environment=environment)
        if "Non-2xx" in output or "Socket errors" in output:
            raise WrongAnswers(f"answers were missing or wrong: {environment}\n{output}")
        return output

    def measure(self, connections, seconds, warmup, *what):
        """wrk has no warm-up of its own: it loads the server before, as long as pgbench has."""
        self.wrk(connections, warmup, *what)
        meter = Meter(self.cluster.process.pid, self.pid)
        output = self.wrk(connections, seconds, *what)
        costs = meter.read()
        requests = re.search(r"(\d+) requests in", output)
        rate = re.search(r"Requests/sec:\s*([\d.]+)", output)
        latencies = [re.search(rf"(?m)^ +{part}% +(\S+)\s*$", output) for part in (50, 99)]
        if None in (requests, rate, *latencies):
            sys.exit("this is not what wrk says as a rule:\n" + output)
        thousands = int(requests.group(1)) / 1000 or math.nan
        return Figures(
            float(rate.group(1)), *[milliseconds(latency.group(1)) for latency in latencies], costs.own / thousands,
            costs.database / thousands, costs.others)


def milliseconds(text):
    number, unit = re.match(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


def run(command, input=None, environment={}):
    command = [str(word) for word in command]
    result = subprocess.run(command, input=input, capture_output=True, text=True, env=os.environ | environment)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def arguments(about, seconds, has_cluster=True):
    """The options that parts share."""
    # Every connection is a file.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--server", default=BUILT / "bench-server", help="the built bench-server")
    parser.add_argument("--kurir", default=BUILT / "kurir", help="the built kurir")
    parser.add_argument("--seconds", type=int, default=seconds, help="of each round")
    parser.add_argument("--rounds", type=int, default=3)
    if has_cluster:
        parser.add_argument("--shared-buffers", help="PostgreSQL's; its own default without")
    return parser
