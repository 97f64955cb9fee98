#!/usr/bin/env python3
"""Replaces the nodes of a Kurir at work by those of another version, one by one, and back again.

    upgrade.py BEFORE NOW [--stores N]

Nobody may see an error who repeats with their key, and nothing acknowledged may be lost or told twice.
"""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/cluster"))
from load import Load  # noqa: E402
from local import get, wait  # noqa: E402

POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")


class Database:
    """A PostgreSQL on a socket in a directory, in a `with`."""

    def __init__(self, directory, programs=POSTGRES):
        self.directory, self.programs = directory, programs
        self.url = f"postgresql://kurir@/postgres?host={directory}"

    def __enter__(self):
        owner = "postgres" if os.getuid() == 0 else None
        if owner:
            shutil.chown(self.directory, owner)
        subprocess.run([self.programs / "initdb", "--auth=trust", "--username=kurir", "--pgdata", f"{self.directory}/data"],
                       check=True, stdout=subprocess.DEVNULL, user=owner)
        self.server = subprocess.Popen(
            [self.programs / "postgres", "-D", f"{self.directory}/data", "-k", self.directory, "-c", "listen_addresses="],
            user=owner, stderr=subprocess.DEVNULL)
        wait(self.is_ready, 120, "the database starts")
        return self

    def is_ready(self):
        return subprocess.run([self.programs / "pg_isready", "--quiet", f"--host={self.directory}"]).returncode == 0

    def key_for(self, binary):
        """The option that names the key. A version from before keys does without, and so does what it left unsealed."""
        options = subprocess.run([binary, "serve", "--help"], check=True, capture_output=True, text=True).stdout
        if "--key-file" not in options:
            return []
        file = pathlib.Path(self.directory) / "kurir.key"
        if not file.exists():
            subprocess.run([binary, "keys", "make", file], check=True, stdout=subprocess.DEVNULL, env={})
        return ["--key-file", file]

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGINT)
        self.server.wait()


class Node:
    """A place where one version or the other listens."""

    def __init__(self, number, database):
        self.url, self.database, self.process = f"http://127.0.0.1:{18080 + number}", database, None

    def run(self, binary):
        """Ends what runs here, then runs that, and comes back when it is ready."""
        self.end()
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", self.url.removeprefix("http://"), "--database", self.database.url,
             *self.database.key_for(binary)],
            env=dict(os.environ, KURIR_THROTTLE="off"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            wait(lambda: self.process.poll() is not None or get(f"{self.url}/readyz"), 120, f"{binary} is ready")
        finally:
            if self.process.poll() is not None:
                sys.exit(f"{binary} does not start: {self.process.stderr.read()}")

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(60) == 0, "a node does not end in good order"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("before", type=pathlib.Path)
    options.add_argument("now", type=pathlib.Path)
    options.add_argument("--stores", type=int, default=8)
    options = options.parse_args()
    directory = tempfile.mkdtemp(prefix="kurir-upgrade-", dir="/var/tmp")
    nodes = []
    try:
        with Database(directory) as database:
            nodes = [Node(number, database) for number in range(2)]
            for node in nodes:
                node.run(options.before.resolve())
            with Load([node.url for node in nodes], options.stores) as load:
                for way, binary in (("on", options.now), ("back", options.before), ("on again", options.now)):
                    for node in nodes:
                        goal = load.steps + 100
                        wait(lambda: load.steps >= goal, 120, "work goes on")
                        node.run(binary.resolve())
                        print(f"{way}: {node.url} runs {binary}, {load.steps} steps so far", flush=True)
                goal = load.steps + 100
                wait(lambda: load.steps >= goal, 120, "work goes on")
            wrong = load.report()
            for node in nodes:
                node.end()
    finally:
        for node in nodes:
            if node.process and node.process.poll() is None:
                node.process.kill()
        shutil.rmtree(directory, ignore_errors=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
