#!/usr/bin/env python3
"""Measures what two hundred sign-ins at once do to everybody else's latency, and whether a wrong password takes as long
as an account that does not exist. Runs `kurir serve` on a trial database of its own.
"""
import http.client
import json
import re
import statistics
import subprocess
import sys
import threading
import time

from harness import arguments

SIGN_INS = 200
PASSWORD = "krumpir-na-tavi"


class Kurir:
    def __init__(self, binary):
        self.process = subprocess.Popen(
            [binary, "serve", "--demo", "--listen", "127.0.0.1:0", "--throttle", "off"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().split("//")[1].strip()

    def post(self, path, form):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request("POST", path, json.dumps(form), {"Content-Type": "application/json"})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, json.loads(body)

    def p99(self, token, seconds):
        """Milliseconds, of what a client asks one after the other."""
        output = subprocess.run(
            ["wrk", "-t1", "-c1", f"-d{seconds}s", "--latency", "-H", f"Authorization: Bearer {token}",
             f"http://{self.address}/v1/me"], capture_output=True, text=True).stdout
        if "Non-2xx" in output or "Socket errors" in output:
            sys.exit("other requests failed:\n" + output)
        number, unit = re.search(r"(?m)^ +99% +([\d.]+)(us|ms|s)$", output).groups()
        return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def sign_in_together(kurir, statuses):
    def sign_in():
        statuses.append(kurir.post("/v1/sessions", {"phone": "0912345678", "password": PASSWORD})[0])

    threads = [threading.Thread(target=sign_in) for _ in range(SIGN_INS)]
    for thread in threads:
        thread.start()
    return threads


def p99_beside_a_busy_core(kurir, token, seconds):
    """What any other process that computes does to the same requests, however little it asks for: the machine's own floor."""
    burner = subprocess.Popen(["nice", "-n", "10", sys.executable, "-c", "while True: pass"])
    try:
        return kurir.p99(token, seconds)
    finally:
        burner.kill()
        burner.wait()


def measure_latency(kurir, token, rounds, seconds):
    quiet, busy, stormy, statuses = [], [], [], []
    for _ in range(rounds):
        quiet.append(kurir.p99(token, seconds))
        busy.append(p99_beside_a_busy_core(kurir, token, seconds))
        threads = sign_in_together(kurir, statuses)
        # Till all are in: the threads of this script take a core for so long.
        time.sleep(0.5)
        stormy.append(kurir.p99(token, seconds))
        for thread in threads:
            thread.join()
    before, beside, during = (statistics.median(values) for values in (quiet, busy, stormy))
    served = statuses.count(201)
    print(f"p99 of GET /v1/me: {before:.2f} ms, beside a process that computes {beside:.2f} ms, during {SIGN_INS} sign-ins "
          f"{during:.2f} ms: ratios {during / before:.2f} and {during / beside:.2f}")
    print(f"of the sign-ins {served} were served, {statuses.count(503)} were told to come back, "
          f"{len(statuses) - served - statuses.count(503)} got something else")


def measure_refusals(kurir, count=40):
    forms = {"wrong password": {"phone": "0912345678"}, "no such account": {"phone": "0999999999"}}
    times = {name: [] for name in forms}
    for _ in range(count):
        for name, form in forms.items():
            began = time.perf_counter()
            status, _ = kurir.post("/v1/sessions", form | {"password": "something else"})
            times[name].append((time.perf_counter() - began) * 1000)
            if status != 401:
                sys.exit(f"{name}: {status}")
    print(", ".join(f"{name}: {statistics.median(values):.1f} ms" for name, values in times.items()))


def main():
    options = arguments(__doc__, seconds=5, has_cluster=False).parse_args()
    kurir = Kurir(options.kurir)
    try:
        _, answer = kurir.post("/v1/couriers", {
            "first_name": "Ana", "last_name": "Anić", "phone": "0912345678", "password": PASSWORD})
        measure_latency(kurir, answer["session"]["token"], options.rounds, options.seconds)
        measure_refusals(kurir)
    finally:
        kurir.stop()


if __name__ == "__main__":
    main()
