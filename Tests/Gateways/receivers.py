#!/usr/bin/env python3
"""What gateways send to, as strict as the real ones: a webhook, and providers of SMS, push and e-mail.

Prints a line with its ports and keys, then a line for whatever arrives, and ends when it is told to. How it answers
is said by the message's title: "answer 410", "answer 429 7" (with Retry-After), "hang", "garbage", "close", "long",
"slow".
"""
import asyncio
import base64
import datetime
import email
import email.policy
import json
import ipaddress
import os
import signal
import socket
import ssl
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import h2.config
import h2.connection
import h2.events
import http_ece
import jwt
from aiosmtpd.controller import Controller
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from py_vapid import Vapid02
from standardwebhooks.webhooks import Webhook

lock = threading.Lock()
# What has arrived, for tests that do not read what is printed.
arrived = []


def certificate(key):
    """One for 127.0.0.1, signed by itself."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receivers")])
    now = datetime.datetime.now(datetime.timezone.utc)
    return x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now - datetime.timedelta(hours=1),
        now + datetime.timedelta(hours=1)
    ).add_extension(
        x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
    ).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True
    ).sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def tell(**what):
    with lock:
        arrived.append(what)
        print(json.dumps(what, ensure_ascii=False), flush=True)


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        with lock:
            found = [one for one in arrived if f"/{one.get('to')}" == self.path]
        self.answer(200, found)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urllib.parse.urlsplit(self.path).path
        if path == "/hook":
            self.webhook(body)
        elif path == "/plain":
            tell(to="plain", message=json.loads(body))
            self.answer(200, {})
        elif path == "/token":
            self.token(body)
        elif path.startswith("/v1/projects/"):
            self.firebase(path, body)
        elif path.startswith("/2010-04-01/"):
            self.twilio(path, body)
        else:
            self.answer(404, {})

    def answer(self, status, json_body, **headers):
        text = json.dumps(json_body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def webhook(self, body):
        try:
            message = Webhook(secret).verify(body, dict(self.headers))
        except Exception as error:
            tell(to="webhook", refused=repr(error))
            return self.answer(400, {"error": "signature"})
        tell(to="webhook", id=self.headers["webhook-id"], message=message, at=time.time())
        self.behave(message["title"], 200)

    def behave(self, title, usual):
        words = title.split()
        if words[0] == "answer":
            more = {"Retry_After": words[2]} if len(words) > 2 else {}
            return self.answer(int(words[1]), {"why": title}, **more)
        if words[0] == "hang":
            return stopped.wait()
        if words[0] == "garbage":
            return self.wfile.write(b"\0\1\2 this is no HTTP\r\n\r\n")
        if words[0] == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                return
        if words[0] == "close":
            self.close_connection = True
            return self.connection.close()
        if words[0] == "slow":
            time.sleep(1)
        # More than a gateway reads of an answer.
        self.answer(usual, {"padding": "x" * 1_000_000} if words[0] == "long" else {})

    def twilio(self, path, body):
        account, token = base64.b64decode(self.headers["Authorization"].split()[1]).decode().split(":")
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        right = path == f"/2010-04-01/Accounts/{account}/Messages.json" and (account, token) == ("AC1", "tok en")
        tell(to="twilio", right=right, type=self.headers["Content-Type"], form=form)
        if form["To"].endswith("404"):
            return self.answer(400, {"code": 21211, "message": "no such number"})
        if form["To"].endswith("429"):
            return self.answer(429, {"code": 20429}, Retry_After="9")
        self.answer(201, {"sid": "SM1"})

    def token(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode()))
        claims = jwt.decode(form["assertion"], rsa_key.public_key(), algorithms=["RS256"], audience=f"{base}/token")
        tell(to="token", grant=form["grant_type"], claims=claims)
        self.answer(200, {"access_token": "ya29.x", "expires_in": 3600, "token_type": "Bearer"})

    def firebase(self, path, body):
        message = json.loads(body)["message"]
        tell(to="fcm", path=path, authorization=self.headers["Authorization"], message=message)
        if message["token"] == "gone":
            return self.answer(404, {"error": {"status": "NOT_FOUND", "details": [{"errorCode": "UNREGISTERED"}]}})
        if message["token"] == "wrong":
            return self.answer(400, {"error": {"status": "INVALID_ARGUMENT"}})
        if message["token"] == "busy":
            return self.answer(503, {"error": {"status": "UNAVAILABLE"}}, Retry_After="11")
        self.answer(200, {"name": "projects/kurir/messages/1"})


class PushService(Handler):
    """A browser's push service, by TLS: takes what RFC 8030 wants, and reads it as the browser would."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name = self.path.rsplit("/", 1)[1]
        try:
            assert self.headers["Content-Encoding"] == "aes128gcm" and int(self.headers["TTL"]) >= 0
            assert len(body) <= 4096 and len(self.headers.get("Topic", "")) <= 32
            assert Vapid02.verify(self.headers["Authorization"])
            token = self.headers["Authorization"].split("t=")[1].split(",")[0]
            payload = json.loads(http_ece.decrypt(body, private_key=browser_key, auth_secret=browser_auth, version="aes128gcm"))
        except Exception as error:
            tell(to="webpush", refused=repr(error))
            return self.answer(400, {})
        tell(to="webpush", name=name, payload=payload, size=len(body), claims=jwt.decode(token, options={"verify_signature": False}),
             key=self.headers["Authorization"].split("k=")[1],
             head={field: self.headers[field] for field in ("TTL", "Urgency", "Topic")})
        if name.isdigit():
            return self.answer(int(name), {}, **({"Retry_After": "13"} if name in ("429", "503") else {}))
        self.answer(413 if name == "short" and len(body) > 1500 else 201, {})


async def apple(reader, writer):
    """APNs: HTTP/2 and nothing else."""
    assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2"
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    connection.initiate_connection()
    requests, reasons = {}, {"gone": (410, "Unregistered"), "bad": (400, "BadDeviceToken"), "many": (429, "TooManyRequests")}
    writer.write(connection.data_to_send())
    while data := await reader.read(65536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                requests[event.stream_id] = (dict(event.headers), bytearray())
            elif isinstance(event, h2.events.DataReceived):
                requests[event.stream_id][1].extend(event.data)
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                headers, body = requests.pop(event.stream_id)
                token = headers["authorization"].removeprefix("bearer ")
                claims = jwt.decode(token, ec_key.public_key(), algorithms=["ES256"])
                tell(to="apns", headers={k: v for k, v in headers.items() if k != "authorization"}, claims=claims,
                     key=jwt.get_unverified_header(token)["kid"], payload=json.loads(body))
                status, reason = reasons.get(headers[":path"].rsplit("/", 1)[1], (200, None))
                connection.send_headers(event.stream_id, [(":status", str(status))])
                text = json.dumps({"reason": reason}).encode() if reason else b""
                connection.send_data(event.stream_id, text, end_stream=True)
        writer.write(connection.data_to_send())
        await writer.drain()
    writer.close()


class Mailbox:
    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("blocked@"):
            return "550 we take nothing from you"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 no such mailbox"
        if address.startswith("full@"):
            return "452 mailbox full"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        tell(to="smtp", sender=envelope.mail_from, recipients=envelope.rcpt_tos, subject=mail["Subject"],
             head={name: mail[name] for name in ("From", "To", "Message-ID", "Date", "Content-Language")},
             text=mail.get_content(), longest=max(map(len, envelope.content.split(b"\r\n"))))
        return "250 OK"


# Before there is any other thread, so that all leave it to the one that waits.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
secret = sys.argv[1]
stopped = threading.Event()
rsa_key = rsa.generate_private_key(65537, 2048)
ec_key = ec.generate_private_key(ec.SECP256R1())
# Many come at once.
ThreadingHTTPServer.request_queue_size = 256
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
base = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
mail = Controller(Mailbox(), hostname="127.0.0.1", port=0, ready_timeout=30)
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()
trusted = certificate(ec_key)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.set_alpn_protocols(["h2"])
with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
    file.write(pem(ec_key) + trusted)
    file.flush()
    tls.load_cert_chain(file.name)
apns = asyncio.run_coroutine_threadsafe(asyncio.start_server(apple, "127.0.0.1", 0, ssl=tls), loop).result()
browser_key, browser_auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
browser_point = browser_key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
# A push service that takes connections, and says nothing.
silent = socket.create_server(("127.0.0.2", 0), backlog=1024)
push = ThreadingHTTPServer(("127.0.0.1", 0), PushService)
push.daemon_threads = True
push_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
    file.write(pem(ec_key) + trusted)
    file.flush()
    push_tls.load_cert_chain(file.name)
push.socket = push_tls.wrap_socket(push.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=push.serve_forever, daemon=True).start()
smtp = asyncio.run_coroutine_threadsafe(
    loop.create_server(mail.factory, "127.0.0.1", 0), loop).result()
tell(http=base, apns=f"https://127.0.0.1:{apns.sockets[0].getsockname()[1]}",
     smtp=f"smtp://127.0.0.1:{smtp.sockets[0].getsockname()[1]}", p8=pem(ec_key), ca=trusted,
     silent=f"https://127.0.0.2:{silent.getsockname()[1]}", webpush=f"https://127.0.0.1:{push.server_port}", p256dh=base64url(browser_point), auth=base64url(browser_auth),
     account={"project_id": "kurir-test", "client_email": "kurir@test.example", "private_key": pem(rsa_key),
              "token_uri": f"{base}/token"})
# Until it is told to stop, or whoever started it is gone.
parent = os.getppid()
while os.getppid() == parent and not signal.sigtimedwait({signal.SIGTERM, signal.SIGINT}, 1):
    pass
stopped.set()
