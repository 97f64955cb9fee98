#!/usr/bin/env python3
"""Measures how fast pictures are taken, how soon hostile ones are refused, and what both do to everybody else's latency.
Runs `kurir serve` on a trial database of its own.
"""
import http.client
import io
import os
import statistics
import struct
import sys
import threading
import time
import zlib

from PIL import Image

from harness import arguments, processor_seconds
from signins import PASSWORD, Kurir, p99_beside_a_busy_core

# As many as one account may send at a time.
SENDERS = 4


def photo():
    """Twelve megapixels with the grain of a phone's camera."""
    grain = Image.effect_noise((4000, 3000), 24)
    sky = Image.linear_gradient("L").resize((4000, 3000))
    file = io.BytesIO()
    Image.merge("RGB", [Image.blend(grain, sky, share) for share in (0.6, 0.7, 0.8)]).save(file, "JPEG", quality=80)
    return file.getvalue()


def png(width, height, rows):
    """A PNG that says it is so large, with these bytes in the place of its pixels."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def hostile(good):
    return {
        "100 megapixels": png(10_000, 10_000, bytes(1 << 20)),
        "a bomb of 900 megapixels": png(30_000, 30_000, bytes(400 << 20)),
        "truncated": good[: len(good) // 2],
        "with a program behind it": good + b"PK\3\4" + bytes(1000),
        "no picture": os.urandom(4 << 20),
    }


class Sender:
    """Somebody who sends pictures one after the other."""

    def __init__(self, kurir, token):
        self.connection = http.client.HTTPConnection(kurir.address, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/jpeg"}

    def send(self, picture, wanted):
        """Milliseconds until it was answered."""
        began = time.perf_counter()
        self.connection.request("POST", "/v1/files", picture, self.headers)
        answer = self.connection.getresponse()
        answer.read()
        if answer.status != wanted:
            sys.exit(f"a picture was answered {answer.status} and not {wanted}")
        return (time.perf_counter() - began) * 1000


def beside(kurir, token, picture, wanted, seconds):
    """What others wait for meanwhile, how many pictures were answered, and what they cost the server."""
    stop, counts = threading.Event(), []

    def go_on():
        sender, count = Sender(kurir, token), 0
        while not stop.is_set():
            sender.send(picture, wanted)
            count += 1
        counts.append(count)

    threads = [threading.Thread(target=go_on) for _ in range(SENDERS)]
    spent = processor_seconds(kurir.process.pid)
    for thread in threads:
        thread.start()
    p99 = kurir.p99(token, seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return p99, sum(counts), processor_seconds(kurir.process.pid) - spent


def main():
    options = arguments(__doc__, seconds=3, has_cluster=False).parse_args()
    kurir = Kurir(options.kurir)
    try:
        status, made = kurir.post("/v1/stores", {
            "email": "bench@example.com", "password": PASSWORD, "name": "Pekara", "tax_id": "12345678903",
            "address": "Ilica 1", "phone": "01 4828 111"})
        token = made["session"]["token"] if status == 201 else sys.exit(f"registering was answered {status}")
        good = photo()
        megabytes = len(good) / 1e6
        quiet, floor, busy, rates, costs = [], [], [], [], []
        for _ in range(options.rounds):
            quiet.append(kurir.p99(token, options.seconds))
            floor.append(p99_beside_a_busy_core(kurir, token, options.seconds))
            p99, count, cost = beside(kurir, token, good, 201, options.seconds)
            busy.append(p99)
            rates.append(count * megabytes / options.seconds)
            costs.append(count * megabytes / cost)
        print(f"pictures of {megabytes:.1f} MB and 12 megapixels by {SENDERS} connections: "
              f"{statistics.median(rates):.0f} MB/s, {statistics.median(costs):.0f} MB for each second of a core")
        print(f"p99 of others: {statistics.median(quiet):.1f} ms quiet, {statistics.median(floor):.1f} ms beside a process that "
              f"computes, {statistics.median(busy):.1f} ms beside them")
        sender = Sender(kurir, token)
        for name, picture in hostile(good).items():
            times = [sender.send(picture, 422) for _ in range(20 * options.rounds)]
            p99, count, cost = beside(kurir, token, picture, 422, options.seconds)
            print(f"{name + ',':<26}{len(picture) / 1e6:>5.1f} MB: refused after {statistics.median(times):>5.1f} ms, at most "
                  f"{max(times):.1f}; {cost * 1000 / count:.1f} ms of a core each; p99 of others {p99:.1f} ms")
    finally:
        kurir.stop()


if __name__ == "__main__":
    main()
