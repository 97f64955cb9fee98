#!/usr/bin/env python3
"""The whole cluster on one machine: each of its machines is a network namespace with its address from cluster.env, and runs
the same parts from the same files as it would by itself. Wants root, Kurir's binary, and Debian's packages patroni,
python3-etcd, etcd-server, haproxy, postgresql and iproute2.

    local.py DIRECTORY KURIR    brings it up, says where it is, and takes it down again on Ctrl-C
"""
import fcntl
import json
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
BRIDGE = "kurir0"
HOST = "10.77.0.254"
PARTS = {"a": ["etcd", "patroni", "proxy", "kurir"], "b": ["etcd", "patroni", "proxy", "kurir"],
         "c": ["etcd", "patroni", "proxy", "gateway"]}


def wait(condition, seconds, what):
    """Waits until it holds, and gives what it is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := condition():
                return found
        except OSError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"{what}: not within {seconds} seconds")


def get(url, timeout=2):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return answer.read()


class Machine:
    """One machine: its namespace, and the parts that run in it."""

    def __init__(self, name, address, cluster):
        self.name, self.address, self.cluster = name, address, cluster
        self.space = f"kurir-{name}"
        self.running = {}

    def connect(self):
        for command in (
            f"ip netns add {self.space}",
            f"ip link add {self.space} type veth peer name eth0 netns {self.space}",
            f"ip link set {self.space} master {BRIDGE} up",
            f"ip -n {self.space} addr add {self.address}/24 dev eth0",
            f"ip -n {self.space} link set eth0 up",
            f"ip -n {self.space} link set lo up",
        ):
            subprocess.run(command.split(), check=True)

    def start(self, part):
        log = open(self.cluster.directory / f"{self.name}-{part}.log", "ab")
        self.running[part] = subprocess.Popen(
            ["ip", "netns", "exec", self.space, str(HERE / "machine"), self.name, part],
            env=self.cluster.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def processes(self):
        """Everything that runs in its namespace."""
        listed = subprocess.run(["ip", "netns", "pids", self.space], capture_output=True, text=True)
        return [int(line) for line in listed.stdout.split()]

    def signal(self, number):
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def disconnect(self):
        for part in self.running.values():
            part.terminate()
        try:
            wait(lambda: not self.processes(), 20, f"{self.name} stops")
        except TimeoutError:
            self.remove()
        for part in self.running.values():
            part.wait()
        self.remove()

    def remove(self):
        """Whatever is left of it, also of one that was killed."""
        self.signal(signal.SIGKILL)
        for command in (f"ip netns del {self.space}", f"ip link del {self.space}"):
            subprocess.run(command.split(), capture_output=True)


class Cluster:
    """Three machines at a bridge, to be used in a `with`."""

    def __init__(self, directory, binary, **environment):
        self.directory, self.binary = pathlib.Path(directory).resolve(), binary
        self.directory.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o711)
        self.passwords = {name: secrets.token_hex(16) for name in ("POSTGRES", "REPLICATION", "SERVER", "GATEWAY")}
        self.write("secrets", "".join(f"{name}_PASSWORD={text}\n" for name, text in self.passwords.items()))
        self.write("cluster.env", f"source {HERE}/cluster.env\nSTATE={self.directory}\nSECRETS={self.directory}/secrets\nKEY={self.directory}/kurir.key\nBINARY={binary}\n")
        if not (self.directory / "kurir.key").exists():
            subprocess.run([binary, "keys", "make", self.directory / "kurir.key"], check=True, stdout=subprocess.DEVNULL, env={})
        self.environment = dict(os.environ, CLUSTER=str(self.directory / "cluster.env"), **environment)
        said = subprocess.run(
            ["bash", "-c", f"source {HERE}/cluster.env; echo $A $B $C"], check=True, capture_output=True, text=True)
        self.machines = {name: Machine(name, address, self) for name, address in zip("abc", said.stdout.split())}

    def write(self, name, text):
        (self.directory / name).touch(mode=0o600)
        (self.directory / name).write_text(text)

    def __enter__(self):
        self.lock = open("/run/lock/kurir-cluster", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("another cluster runs on this machine")
        self.remove()
        for command in (f"ip link add {BRIDGE} type bridge", f"ip addr add {HOST}/24 dev {BRIDGE}", f"ip link set {BRIDGE} up"):
            subprocess.run(command.split(), check=True)
        try:
            for machine in self.machines.values():
                machine.connect()
            for machine in self.machines.values():
                for part in PARTS[machine.name]:
                    # Kurir begins when there is a database to begin with.
                    if part not in ("kurir", "gateway"):
                        machine.start(part)
            wait(self.is_whole, 180, "a leader with two that follow")
            for name, part in (("a", "kurir"), ("b", "kurir")):
                self.machines[name].start(part)
            for url in self.fronts:
                wait(lambda: get(f"{url}/readyz"), 60, f"{url} is ready")
            self.machines["c"].start("gateway")
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for machine in self.machines.values():
            machine.signal(signal.SIGCONT)
        for machine in self.machines.values():
            machine.disconnect()
        self.remove()

    def remove(self):
        for machine in self.machines.values():
            machine.remove()
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)

    @property
    def fronts(self):
        """Where clients come in."""
        return [f"http://{machine.address}" for machine in self.machines.values()]

    def is_whole(self):
        """Whether there is a leader, both others have what it writes as it writes it, and Patroni knows who may follow it:
        before that, some seconds after a fail-over, nobody would."""
        leader = self.leader()
        if not leader:
            return False
        return self.follower(leader) is not None and self.ask(
            leader, "SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync') FROM pg_stat_replication"
            " WHERE application_name IN ('a', 'b', 'c') AND state = 'streaming' AND flush_lsn IS NOT NULL") == "2|1"

    def follower(self, leader):
        """The one that has every commit of the leader's."""
        members = json.loads(get(f"http://{leader.address}:8008/cluster"))["members"]
        return next((self.machines[member["name"]] for member in members if member["role"] == "sync_standby"), None)

    def ask(self, machine, sql, database="postgres"):
        """What PostgreSQL answers there."""
        return subprocess.run(
            ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command", sql],
            env=dict(os.environ, PGHOST=machine.address, PGUSER="postgres", PGDATABASE=database,
                     PGPASSWORD=self.passwords["POSTGRES"], PGCONNECT_TIMEOUT="3"),
            capture_output=True, text=True).stdout.strip()

    def leader(self):
        """The one that takes writes and says so itself."""
        for machine in self.machines.values():
            try:
                get(f"http://{machine.address}:8008/primary", timeout=1)
                return machine
            except OSError:
                continue
        return None


def main():
    binary = pathlib.Path(sys.argv[2]).resolve()
    began = time.monotonic()
    with Cluster(sys.argv[1], binary) as cluster:
        print(f"Ready after {time.monotonic() - began:.0f} s. Kurir: {' '.join(cluster.fronts)}", flush=True)
        print(f"Leader: {cluster.leader().name}. Logs and data: {cluster.directory}", flush=True)
        signal.pause()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        main()
    except KeyboardInterrupt:
        pass
