"""Two cells, each a Kurir with a database of its own: what one does, suffers or knows is nothing to the other."""
import os
import pathlib
import signal
import sys
import tempfile
import urllib.error

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/cluster"))
from load import Client, Failed, Shop  # noqa: E402
from local import get, wait  # noqa: E402
from upgrade import Database, Node  # noqa: E402

KURIR = pathlib.Path(__file__).resolve().parents[2] / ".build/release/kurir"


@pytest.fixture(scope="module")
def cells():
    with tempfile.TemporaryDirectory(prefix="kurir-cell-") as first, tempfile.TemporaryDirectory(prefix="kurir-cell-") as second:
        os.chmod(first, 0o755), os.chmod(second, 0o755)
        with Database(first) as here, Database(second) as there:
            nodes = [Node(10 + number, database) for number, database in enumerate((here, there))]
            try:
                for node in nodes:
                    node.run(KURIR)
                yield nodes
            finally:
                for node in nodes:
                    node.end()


@pytest.fixture(scope="module")
def shops(cells):
    """The same people in both, as far as anybody can tell from outside."""
    return [Shop(1, [cell.url]) for cell in cells]


class Clock:
    times = [0]

    def acknowledged(self):
        pass


def test_the_same_number_and_tax_id_are_somebody_else_in_another_cell(shops):
    here, there = shops
    assert here.courier_id != there.courier_id
    for shop in shops:
        shop.work(Clock())
    assert not set(here.acknowledged) & set(there.acknowledged)


def test_a_session_is_worth_nothing_in_another_cell(cells, shops):
    stranger = Client([cells[1].url], shops[0].store.token)
    with pytest.raises(Failed, match="401"):
        stranger.call("GET", "/v1/me")


def test_an_invite_is_unknown_in_another_cell(shops):
    here, there = shops
    code = here.store.call("POST", "/v1/invites", {"phone": "+385910099999"})["code"]
    with pytest.raises(Failed, match="unknown_code"):
        there.courier.call("POST", "/v1/partners", {"code": code})


def test_a_feed_counts_for_itself(shops):
    for shop in shops:
        shop.read(None)
        assert [event["number"] for event in shop.events] == list(range(1, len(shop.events) + 1))


def test_a_cell_whose_database_stands_still_slows_no_other(cells, shops):
    """All processes of the database stop, as where a disk hangs."""
    processes = [cells[0].database.server.pid] + [
        int(child) for child in
        pathlib.Path(f"/proc/{cells[0].database.server.pid}/task/{cells[0].database.server.pid}/children").read_text().split()]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        def is_away():
            try:
                get(f"{cells[0].url}/readyz", timeout=1)
            except urllib.error.HTTPError as error:
                return error.code == 503
            return False

        wait(is_away, 60, "the cell says that it cannot work")
        for _ in range(20):
            shops[1].work(Clock())
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)
    wait(lambda: get(f"{cells[0].url}/readyz"), 60, "the cell is back")
    shops[0].work(Clock())
