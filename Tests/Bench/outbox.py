#!/usr/bin/env python3
"""Measures the outbox: putting messages in, and taking and acknowledging them over HTTP beside the same calls by pgbench.

A gateway claims a batch, acknowledges each message of it in one call, and claims again. Each figure is the median of
several rounds in which the contestants take turns. Everything runs in a directory that goes away at the end.
"""
import multiprocessing
import re
import socket
import statistics
import subprocess
import sys
import time

from harness import arguments, medians, passing_cluster, run

ADDRESSES = 100_000
FILL = """
INSERT INTO messages (kind, channel, address, language, title, body, data)
SELECT 'delivery_offered', 'sms', '+3859' || n %% %d, 'hr', 'Nova dostava',
    'Pekara Kruh nudi dostavu: Ilica 1, za 10 minuta. Otvorite aplikaciju.',
    jsonb_build_object('type', 'delivery_offered', 'delivery_id', gen_random_uuid())
FROM generate_series(1, %d) n;
"""
ONE = (
    "\\set n random(1, 100000)\n"
    "INSERT INTO messages (kind, channel, address, language, title, body, data) VALUES ('delivery_offered', 'email', "
    "'a' || :n || '@example.com', 'hr', 'Nova dostava', 'Pekara Kruh nudi dostavu: Ilica 1.', '{\"type\": \"x\"}');\n")
GATEWAY = (
    "SELECT coalesce(array_agg(id), '{}') AS ids, coalesce(array_agg(lease), '{}') AS leases "
    "FROM outbox_claim('sms', %d, 60) \\gset\n"
    "SELECT count(*) FROM outbox_ack(:ids, :leases)\n")


class Queue:
    """The outbox of a cluster, with enough in it."""

    def __init__(self, cluster):
        self.cluster = cluster

    def waiting(self):
        return int(self.cluster.sql("SELECT count(*) FROM message_queue WHERE channel = 'sms'"))

    def fill(self, count):
        while (missing := count - self.waiting()) > 0:
            self.cluster.sql(FILL % (ADDRESSES, min(missing, 200_000)))

    def done(self):
        return int(self.cluster.sql("SELECT count(*) FROM messages_done"))

    def fresh(self):
        self.cluster.sql("TRUNCATE message_queue, messages, messages_done; VACUUM ANALYZE message_queue; CHECKPOINT;")


class Client:
    """An HTTP connection that costs the machine as little as Python can."""

    def __init__(self, address, key):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = f" HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"

    def post(self, path, body):
        self.socket.sendall(f"POST {path}{self.head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.socket.recv(1 << 20)
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
        parts = [body]
        got = len(body)
        while got < length:
            parts.append(self.socket.recv(1 << 20))
            got += len(parts[-1])
        if b" 200 " not in head[:15]:
            sys.exit((head + body).decode())
        return b"".join(parts)


HELD = re.compile(rb'\{"id":"([^"]+)","lease":"([^"]+)"')


def gateway(address, key, batch, until, counts):
    client, count, laps = Client(address, key), 0, []
    claim = f'{{"channel":"sms","max":{batch},"lease_seconds":60}}'
    while (began := time.monotonic()) < until:
        held = HELD.findall(client.post("/v1/outbox/claim", claim))
        messages = ",".join(f'{{"id":"{id.decode()}","lease":"{lease.decode()}"}}' for id, lease in held)
        if held:
            count += client.post("/v1/outbox/ack", f'{{"messages":[{messages}]}}').count(b'"done"')
        laps.append((time.monotonic() - began) * 1000)
    counts.put((count, laps))


def over_http(address, key, batch, gateways, seconds):
    counts, until = multiprocessing.Queue(), time.monotonic() + seconds + 0.2
    began = time.monotonic()
    processes = [
        multiprocessing.Process(target=gateway, args=(address, key, batch, until, counts)) for _ in range(gateways)]
    for process in processes:
        process.start()
    results = [counts.get() for _ in processes]
    took = time.monotonic() - began
    for process in processes:
        process.join()
    laps = sorted(lap for _, laps in results for lap in laps)
    return sum(count for count, _ in results) / took, laps[len(laps) // 2], laps[int(len(laps) * 0.99)]


def over_sql(queue, batch, gateways, seconds):
    before = queue.done()
    figures = queue.cluster.measure(f"gateway{batch}.sql", gateways, seconds)
    return (queue.done() - before) / seconds, figures.p50, figures.p99


def measure_gateways(queue, address, key, options):
    print(f"{'claim and ack':<22}{'gateways':>8}{'HTTP':>12}{'p50':>9}{'p99':>9}{'pgbench':>16}{'p50':>9}{'p99':>9}{'ratio':>10}")
    for batch in (1, 10, 100):
        for gateways in (1, 4, 16):
            ours, theirs = [], []
            for _ in range(options.rounds):
                queue.fresh()
                queue.fill(50_000 * options.seconds * 2 if batch == 100 else 60_000 * options.seconds)
                queue.cluster.sql("CHECKPOINT; ANALYZE message_queue")
                ours.append(over_http(address, key, batch, gateways, options.seconds))
                theirs.append(over_sql(queue, batch, gateways, options.seconds))
            us, them = medians(ours), medians(theirs)
            print(
                f"batches of {batch:<11}{gateways:>8}{us.rate:>10,.0f}/s{us.p50:>9.2f}{us.p99:>9.2f} ms"
                f"{them.rate:>11,.0f}/s{them.p50:>9.2f}{them.p99:>9.2f} ms{us.rate / them.rate:>7.2f}", flush=True)


def measure_enqueue(queue, options):
    for title, script, clients, each in (
            ("one, 1 client", "one.sql", 1, 1), ("one, 16 clients", "one.sql", 16, 1), ("1,000, 1 client", "many.sql", 1, 1000)):
        rates = []
        for _ in range(options.rounds):
            queue.fresh()
            rates.append(queue.cluster.measure(script, clients, options.seconds))
        figures = medians(rates)
        print(f"put in: {title:<22}{figures.rate * each:>10,.0f}/s{figures.p50:>9.2f}{figures.p99:>9.2f} ms", flush=True)


def measure_pick_up(queue, address, key, count=300):
    """From a message's being written to its arrival at a gateway that waits."""
    queue.fresh()
    client, ages = Client(address, key), []
    writer = subprocess.Popen(
        [queue.cluster.psql, queue.cluster.url, "-qAt"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    claim = '{"channel":"sms","max":10,"lease_seconds":60,"wait_seconds":30}'
    for number in range(count):
        writer.stdin.write(f"SELECT pg_sleep({(number % 7) / 100 + 0.01});" + FILL % (ADDRESSES, 1))
        writer.stdin.flush()
        answer = client.post("/v1/outbox/claim", claim)
        arrived = time.time()
        ids = HELD.findall(answer)
        (written,) = re.findall(rb'"id":"([0-9a-f]{8})-([0-9a-f]{4})', answer)[:1]
        ages.append(arrived * 1000 - int(b"".join(written), 16))
        held = ",".join(f'{{"id":"{id.decode()}","lease":"{lease.decode()}"}}' for id, lease in ids)
        client.post("/v1/outbox/ack", f'{{"messages":[{held}]}}')
    writer.stdin.close()
    writer.wait()
    ages.sort()
    print(f"picked up by a waiting claim: p50 {ages[count // 2]:.1f} ms, p99 {ages[int(count * 0.99)]:.1f} ms")


def measure_held(queue, options):
    """The same while some other transaction, which has written and looks at an old state, stays open."""
    rates = {}
    for is_held in (False, True):
        queue.fresh()
        queue.fill(1_000_000)
        queue.cluster.sql("CHECKPOINT; ANALYZE message_queue")
        holder = subprocess.Popen([queue.cluster.psql, queue.cluster.url, "-qAt"], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE)
        if is_held:
            holder.stdin.write(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id(); SELECT count(*) FROM message_queue;\n")
            holder.stdin.flush()
            holder.stdout.readline(), holder.stdout.readline()
        rates[is_held] = [over_sql(queue, 100, 4, 5)[0] for _ in range(5)]
        holder.stdin.close()
        holder.wait()
    alone, held = (statistics.median(rates[is_held]) for is_held in (False, True))
    print(f"25 seconds, batches of 100, 4 gateways by SQL: {alone:,.0f}/s alone, {held:,.0f}/s beside an open transaction "
          f"({held / alone:.2f}; in its last five seconds {rates[True][-1]:,.0f}/s)")


def main():
    options = arguments(__doc__, seconds=3).parse_args()
    with passing_cluster(options.shared_buffers) as cluster:
        measure_all(options, cluster)


def measure_all(options, cluster):
    scripts = {f"gateway{batch}.sql": GATEWAY % batch for batch in (1, 10, 100)}
    scripts |= {"one.sql": ONE, "many.sql": FILL % (ADDRESSES, 1000)}
    for name, text in scripts.items():
        with open(f"{cluster.directory}/{name}", "w") as file:
            file.write(text)
    run([options.kurir, "migrate", "--database", cluster.url])
    # Budgets are not what is measured.
    cluster.sql("UPDATE trust SET (sms_of_store, sms_to_number, sms_in_all) = (NULL, NULL, NULL)")
    key = run([options.kurir, "gateway-key", "create", "--name", "bench", "--channel", "sms", "--database", cluster.url])
    server = subprocess.Popen(
        [options.kurir, "serve", "--listen", "127.0.0.1:0", *cluster.kept(options.kurir)], stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL, env={"KURIR_THROTTLE": "off", "PATH": "/usr/bin:/bin"})
    try:
        address = server.stdout.readline().split("http://")[1].strip()
        queue = Queue(cluster)
        measure_enqueue(queue, options)
        measure_gateways(queue, address, key.strip(), options)
        measure_pick_up(queue, address, key.strip())
        measure_held(queue, options)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
