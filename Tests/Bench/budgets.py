#!/usr/bin/env python3
"""Counts what budgets, rates and throttles cost the database: statements a request that are not there with `--throttle off`, for one
client that asks for one thing after the other. What is judged within a statement that is there anyway costs none.
"""
import http.client
import json
import uuid
from collections import Counter

from harness import Served, arguments, passing_cluster

PASSWORD = "krumpir-na-tavi"
# The usual rates, 600 times as many tries, and so many SMS that none is refused: what is judged costs the same.
BOUNDS = ["--throttle", "600", "--rates", "1,10,33", "--sms-budget", "1000000,1000000,1000000"]


class Client:
    """One connection, for whoever has that token."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=60)

    def call(self, method, path, form=None, token=None, expected=(200, 201, 202)):
        # From where no account has been before.
        head = {"Content-Type": "application/json", "X-Forwarded-For": "192.0.2.7" if token is None else "192.0.2.8"}
        if token:
            head["Authorization"] = f"Bearer {token}"
        self.connection.request(method, path, None if form is None else json.dumps(form), head)
        response = self.connection.getresponse()
        body = response.read()
        if response.status not in expected:
            raise SystemExit(f"{method} {path}: {response.status} {body.decode()}")
        return json.loads(body) if body else {}


class People:
    """A store, and a courier without a device, who is told by SMS."""

    def __init__(self, client):
        self.client, self.number = client, 0
        store = client.call("POST", "/v1/stores", {
            "email": "pekara@example.com", "password": PASSWORD, "name": "Pekara", "tax_id": "12345678903",
            "address": "Ilica 1", "phone": "01 4828 111"})
        self.store = store["session"]["token"]
        invite = client.call("POST", "/v1/invites", {"phone": "+385912345678"}, self.store)
        courier = client.call("POST", "/v1/couriers", {
            "first_name": "Ana", "last_name": "Anić", "phone": "+385912345678", "password": "bicikl-i-kaciga",
            "invite_code": invite["code"]})
        self.courier, self.courier_id = courier["session"]["token"], courier["account"]["id"]

    def create(self):
        return self.client.call("POST", "/v1/deliveries", {
            "recipient": {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5"}, "description": "Torta",
            "reference": str(uuid.uuid4()), "courier_ids": [self.courier_id]}, self.store)["id"]

    def accepted(self):
        id = self.create()
        self.client.call("POST", f"/v1/deliveries/{id}/accept", {}, self.courier)
        return id

    def invite(self):
        self.number += 1
        answer = self.client.call("POST", "/v1/invites", {"phone": f"+38591{3_000_000 + self.number}"}, self.store)
        assert answer["channel"] == "sms", answer

    def works(self, requests):
        """What is done so often, by name."""
        shown = self.create()
        carried = [self.accepted() for _ in range(requests)]
        store, call = self.store, self.client.call
        return {
            "read of a delivery": lambda: call("GET", f"/v1/deliveries/{shown}", token=store),
            "read of a list": lambda: call("GET", "/v1/deliveries", token=store),
            "read of a feed": lambda: call("GET", "/v1/events?after=now", token=store),
            "invite by SMS": self.invite,
            "reset by SMS": lambda: call("POST", "/v1/password_resets", {"phone": "+385912345678"}),
            "step told by SMS": lambda: call("POST", f"/v1/deliveries/{carried.pop()}/cancel", {}, store),
            "create": self.create,
        }


def statements(cluster):
    """How often each has been run, but for those that functions run within one."""
    rows = cluster.sql("SELECT md5(query), sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY 1")
    return Counter({name: int(calls) for name, calls in (row.split("|") for row in rows.splitlines())})


def counted(options, mode):
    """The statements of so many requests, by what is asked for, and all that there were."""
    with passing_cluster(options.shared_buffers, times_statements=True) as cluster:
        kurir = Served(
            [options.kurir, "serve", *cluster.kept(options.kurir), "--admin-listen", "off", "--listen", "127.0.0.1:0",
             "--trusted-proxies", "127.0.0.1", "--max-jobs", "10000", "--verify", "off", *mode], cluster)
        try:
            people = People(Client(kurir.process.stdout.readline().split("//")[1].strip()))
            costs = {}
            for name, ask in people.works(options.requests + 1).items():
                # The first prepares.
                ask()
                before = statements(cluster)
                for _ in range(options.requests):
                    ask()
                costs[name] = statements(cluster) - before
            sent = int(cluster.sql("SELECT count(*) FROM messages WHERE kind = 'delivery_cancelled' AND channel = 'sms'"))
            assert sent == options.requests + 1, f"{sent} steps were told by SMS"
            return costs, statements(cluster)
        finally:
            kurir.process.terminate()
            kurir.process.wait()


def main():
    options = arguments(__doc__, seconds=0)
    options.add_argument("--requests", type=int, default=200, help="of each kind")
    options = options.parse_args()
    without, usual = counted(options, ["--throttle", "off"])
    within, _ = counted(options, BOUNDS)
    # What goes on beside requests is in both.
    print(f"{'statements a request':<22}{'without bounds':>16}{'for bounds':>12}")
    for name, costs in within.items():
        ours = sum(calls for statement, calls in costs.items() if statement not in usual)
        print(f"{name:<22}{without[name].total() / options.requests:>16.1f}{ours / options.requests:>12.2f}")


if __name__ == "__main__":
    main()
