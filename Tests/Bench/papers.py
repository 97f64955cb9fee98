#!/usr/bin/env python3
"""Measures what it costs to read couriers' certificates, and what somebody who sends nothing but hostile ones costs the others: how long a
neighbour waits for its own account, first alone and then beside the attack."""
import http.client
import itertools
import json
import pathlib
import subprocess
import sys
import threading
import time

from harness import Served, arguments, passing_cluster, run

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Papers"))
import certificates  # noqa: E402

ATTACKERS = 4


class Client:
    """One connection, signed in as somebody."""

    def __init__(self, address, token=None):
        self.connection, self.token = http.client.HTTPConnection(address, timeout=60), token

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read() or "null")

    def register(self, number):
        form = {"first_name": "Ana", "last_name": "Anić", "phone": f"+38591{number:07d}", "password": "krumpir-na-tavi"}
        return self.call("POST", "/v1/couriers", form)[1]["session"]["token"]


def waits(client, seconds):
    """Milliseconds that each look at one's own account takes, in their order by length."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        assert client.call("GET", "/v1/me")[0] == 200
        found.append(1000 * (time.monotonic() - began))
    return sorted(found)


def attack(address, token, codes, is_over, statuses):
    client = Client(address, token)
    for code in itertools.cycle(codes):
        if is_over.is_set():
            return
        status, _ = client.call("POST", "/v1/me/credentials", {"raw": code})
        statuses[status] = statuses.get(status, 0) + 1


def told(title, found):
    print(f"{title:<34}{len(found):>7} looks  p50 {found[len(found) // 2]:.2f} ms  p99 {found[len(found) * 99 // 100]:.2f} ms")


def main():
    options = arguments(__doc__, seconds=5).parse_args()
    made = certificates.make(time.time())
    with passing_cluster(options.shared_buffers) as cluster:
        keys = pathlib.Path(cluster.directory) / "dcc-keys"
        keys.write_text(json.dumps(made["keys"]))
        said = run([options.server, "--papers", keys], input=json.dumps({name: made[name] for name in ("codes", "broken")}))
        print(said.strip())
        kurir = Served(
            [options.kurir, "serve", *cluster.kept(options.kurir), "--admin-listen", "off", "--listen", "127.0.0.1:0",
             "--throttle", "off", "--dcc-keys", keys], cluster)
        try:
            address = kurir.process.stdout.readline().split("//")[1].strip()
            neighbour = Client(address, Client(address).register(1))
            token, statuses, is_over = Client(address).register(2), {}, threading.Event()
            told("a neighbour alone", waits(neighbour, options.seconds))
            attackers = [
                threading.Thread(target=attack, args=[address, token, list(made["broken"].values()), is_over, statuses])
                for _ in range(ATTACKERS)]
            for one in attackers:
                one.start()
            told("beside hostile codes", waits(neighbour, options.seconds))
            is_over.set()
            for one in attackers:
                one.join()
            print(f"{sum(statuses.values())} hostile codes, answered {statuses}")
        finally:
            kurir.process.send_signal(subprocess.signal.SIGTERM)
            kurir.process.wait()


if __name__ == "__main__":
    main()
