#!/usr/bin/env python3
"""A gateway over HTTP as simple as can be, for being killed: gateway.py KURIR KEY RECEIVER"""
import http.client
import json
import sys
import time
import urllib.parse

kurir, key, receiver = sys.argv[1:]


def caller(url):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)

    def call(path, body, **headers):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"} | headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, (answer.status, text)
        return json.loads(text)
    return call


outbox, send = caller(kurir), caller(receiver)
key = {"Authorization": f"Bearer {key}"}
while True:
    begun = time.monotonic()
    claimed = outbox("/v1/outbox/claim", {"channel": "sms", "max": 20, "lease_seconds": 20, "wait_seconds": 2}, **key)
    for message in claimed["messages"]:
        # What it holds for no more than so long might be sent after somebody else has sent it, and what came later.
        if time.monotonic() > begun + 5:
            break
        send("/plain", message)
        held = [{"id": message["id"], "lease": message["lease"]}]
        outbox("/v1/outbox/ack", {"messages": held}, **key)
