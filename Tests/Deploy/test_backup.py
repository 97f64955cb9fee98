"""Backup and restore as docs/backup.md has them: the files of deploy/backup on a real PostgreSQL under Kurir.

Prints what it has measured: pytest -s Tests/Deploy/test_backup.py"""
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import types
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BACKUP = ROOT / "deploy/backup"
BUILT = [ROOT / ".build/release/kurir", ROOT / ".build/debug/kurir"]
BINARY = os.environ.get("BINARY") or next(filter(pathlib.Path.exists, BUILT))
POSTGRES = "/usr/lib/postgresql/15/bin"
PASSWORD = "krumpir-na-tavi"
# Seconds after which what does not happen has failed, on however busy a machine.
PATIENCE = 120
# In place of the minute of deploy/backup/postgresql.conf, for which nobody here waits.
ARCHIVE_TIMEOUT = 2


def wait(what, happens):
    """What `happens` gives, once that is something."""
    end = time.monotonic() + PATIENCE
    while not (result := happens()):
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.05)
    return result


# MARK: People


def call(address, method, path, body=None, token=None, headers=()):
    """Status, JSON and headers of an answer."""
    request = urllib.request.Request(
        address + path, json.dumps(body).encode() if body is not None else None, method=method,
        headers={"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {}) | dict(headers))
    try:
        answer = urllib.request.urlopen(request, timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, json.loads(answer.read() or b"null"), answer.headers


def said(status, answer):
    """The JSON of an answer, which must have that status."""
    assert answer[0] == status, answer[:2]
    return answer[1]


def tax_id():
    digits = [random.randrange(10) for _ in range(10)]
    rest = 10
    for digit in digits:
        rest = ((rest + digit) % 10 or 10) * 2 % 11
    return "".join(map(str, [*digits, (11 - rest) % 10]))


def store_form(name):
    return {"email": f"{name}@example.com", "password": PASSWORD, "name": "Pekara", "tax_id": tax_id(),
            "address": "Ilica 1, Zagreb", "phone": "+38514830000"}


def register(address, phone, code):
    return call(address, "POST", "/v1/couriers", {
        "first_name": "Ana", "last_name": "Anić", "phone": phone, "password": PASSWORD, "invite_code": code})


def invite(address, store, phone, status=201):
    return said(status, call(address, "POST", "/v1/invites", {"phone": phone}, store))["code"]


def create(address, store, courier_id, key):
    return call(address, "POST", "/v1/deliveries", {
        "recipient": {"first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Split"},
        "description": "Torta", "courier_ids": [courier_id]}, store, {"Idempotency-Key": key})


def feed(address, token, after=None):
    """All events after a cursor."""
    items = []
    while True:
        cursor = f"&after={items[-1]['cursor'] if items else after}" if items or after else ""
        page = said(200, call(address, "GET", f"/v1/events?limit=200{cursor}", token=token))["items"]
        if not page:
            return items
        items += page


def told(items):
    return [(item["number"], item["type"], item["delivery_id"], item["seq"]) for item in items]


def versions(address, store):
    """How many steps each delivery has made."""
    found, cursor = {}, ""
    while cursor is not None:
        page = said(200, call(address, "GET", f"/v1/deliveries?limit=200{cursor}", token=store))
        found |= {item["id"]: item["version"] for item in page["items"]}
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    return found


def claim(address, key):
    form = {"channel": "sms", "max": 500, "lease_seconds": 3600, "wait_seconds": 30}
    return said(200, call(address, "POST", "/v1/outbox/claim", form, key))["messages"]


class Traffic:
    """A store and its courier, who take deliveries from create to deliver, each step with when it was sent and answered."""

    def __init__(self, address, store, courier, courier_id):
        self.address, self.store, self.courier, self.courier_id = address, store, courier, courier_id
        # By delivery, its steps; and by Idempotency-Key the delivery.
        self.steps, self.keys, self.stopped, self.trouble = {}, {}, threading.Event(), None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.stopped.is_set():
                key, sent = f"key-{len(self.steps)}", time.time()
                delivery = said(201, create(self.address, self.store, self.courier_id, key))["id"]
                self.steps[delivery], self.keys[key] = [(sent, time.time())], delivery
                for action in ["accept", "deliver"]:
                    sent = time.time()
                    said(200, call(self.address, "POST", f"/v1/deliveries/{delivery}/{action}", {}, self.courier))
                    self.steps[delivery].append((sent, time.time()))
        except Exception as error:
            self.trouble = error

    def go_on(self, deliveries):
        """Waits for so many more."""
        enough = len(self.steps) + deliveries
        wait("deliveries", lambda: self.trouble or len(self.steps) >= enough)
        assert self.trouble is None, self.trouble

    def stop(self):
        self.stopped.set()
        self.thread.join()
        assert self.trouble is None, self.trouble

    def answered(self, begin, end):
        return sum(begin < answered < end for steps in list(self.steps.values()) for _, answered in list(steps))


# MARK: The house


class House:
    """PostgreSQL set up as Debian does (settings beside the data), the repository of its backups, and Kurir."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kurir-backup-", dir="/tmp"))
        self.data, self.repository = self.directory / "data", self.directory / "repository"
        self.etc, self.socket, self.programs = (self.directory / name for name in ["etc", "socket", "programs"])
        self.server = self.kurir = None
        self.as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
        self.directory.chmod(0o755)
        self.etc.mkdir()
        self.programs.mkdir()
        self.make("data", "repository", "socket", "spool", "log", "scratch")
        # Where an operator puts them, as postgres may read them wherever the sources are.
        shutil.copy(BACKUP / "pgbackrest.conf", self.etc)
        shutil.copy(BACKUP / "postgresql.conf", self.etc / "kurir-backup.conf")
        shutil.copy(BACKUP / "prove-restore", self.programs / "kurir-prove-restore")
        shutil.copy(BINARY, self.programs / "kurir")
        (self.etc / "postgresql.conf").write_text("include 'kurir-backup.conf'\n")
        (self.etc / "pg_hba.conf").write_text("local all all trust\n")
        self.environment = {
            "PATH": f"{self.programs}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "PGBACKREST_CONFIG": f"{self.etc}/pgbackrest.conf", "PGBACKREST_PG1_PATH": str(self.data),
            "PGBACKREST_PG1_SOCKET_PATH": str(self.socket), "PGBACKREST_REPO1_PATH": str(self.repository),
            "PGBACKREST_PG1_USER": "postgres", "PGBACKREST_SPOOL_PATH": f"{self.directory}/spool",
            "PGBACKREST_LOCK_PATH": f"{self.directory}/spool/lock", "PGBACKREST_LOG_PATH": f"{self.directory}/log",
        }  # fmt: skip
        self.url = f"postgresql://kurir@/kurir?host={str(self.socket).replace('/', '%2F')}"
        self.run("kurir", "keys", "make", self.directory / "spool/kurir.key")
        self.environment["KURIR_KEY_FILE"] = f"{self.directory}/spool/kurir.key"

    def make(self, *names):
        """Directories of user postgres."""
        for name in names:
            (self.directory / name).mkdir(mode=0o700)
            if self.as_postgres:
                shutil.chown(self.directory / name, "postgres", "postgres")

    def run(self, *command, status=0, before=(), **environment):
        """What a command of user postgres prints."""
        done = subprocess.run(
            [*before, *self.as_postgres, *map(str, command)], cwd="/", env=self.environment | environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def pgbackrest(self, *command, **environment):
        return self.run("pgbackrest", "--stanza=kurir", *command, **environment)

    def unit(self, unit, *more, status=0, before=(), **environment):
        """Does what a systemd unit does."""
        name, _, instance = unit.partition("@")
        text = (BACKUP / f"{name}{'@' if instance else ''}.service").read_text()
        command = re.search(r"^ExecStart=(.*)$", text, re.M)[1].replace("%i", instance)
        return self.run(*shlex.split(command.replace("/usr/local/bin", str(self.programs))), *more,
                        status=status, before=before, **environment)

    def prove(self, *more, status=0, before=(), **environment):
        """The one line of prove-restore, which leaves nothing behind, and writes nothing that is the original's."""
        sealed = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; exec "$@"',
                  self.directory / "spool"] if self.as_postgres else []
        line = self.unit("kurir-prove-restore", "--scratch", self.directory / "scratch", *more,
                         status=status, before=[*map(str, sealed), *map(str, before)], **environment)
        assert line.count("\n") == 1 and not os.listdir(self.directory / "scratch"), line
        print(line, end="")
        return line

    def sql(self, text):
        return self.run(f"{POSTGRES}/psql", self.url, "-XqAtc", text).strip()

    def start_postgres(self):
        self.server = subprocess.Popen(
            [*self.as_postgres, f"{POSTGRES}/postgres", "-D", self.data, "-c", f"config_file={self.etc}/postgresql.conf",
             "-c", f"hba_file={self.etc}/pg_hba.conf", "-c", "listen_addresses=", "-c", f"unix_socket_directories={self.socket}",
             "-c", f"archive_timeout={ARCHIVE_TIMEOUT}"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=open(self.directory / "postgres.log", "a"))
        # Not only for reading, as while it recovers.
        ready = [f"{POSTGRES}/psql", "-h", self.socket, "-U", "postgres", "-XqAtc", "SELECT pg_is_in_recovery()"]
        answer = lambda: subprocess.run(ready, capture_output=True, text=True).stdout
        wait("PostgreSQL", lambda: self.server.poll() is not None or answer() == "f\n")
        assert self.server.poll() is None, (self.directory / "postgres.log").read_text()

    def start_kurir(self):
        self.kurir = subprocess.Popen(
            [*self.as_postgres, self.programs / "kurir", "serve", "--listen", "127.0.0.1:0", "--throttle", "off", "--database", self.url],
            env=self.environment, stdout=subprocess.PIPE, stderr=open(self.directory / "kurir.log", "a"), text=True)
        line = self.kurir.stdout.readline()
        assert "http://" in line, (self.directory / "kurir.log").read_text()
        self.address = line.split()[-1]
        with urllib.request.urlopen(f"{self.address}/readyz", timeout=PATIENCE) as answer:
            assert answer.status == 200

    def archived(self):
        """Waits until the repository has all that is written now."""
        segment = self.sql("SELECT pg_walfile_name(pg_current_wal_insert_lsn())")
        wait("archiving", lambda: self.sql("SELECT last_archived_wal FROM pg_stat_archiver")[8:] >= segment[8:])

    def stop(self):
        for process in filter(None, [self.kurir, self.server]):
            process.send_signal(signal.SIGINT)
            process.wait()

    def remove(self):
        # A last asynchronous push may still be at it.
        def removed():
            shutil.rmtree(self.directory, ignore_errors=True)
            return not self.directory.exists()
        wait("cleaning up", removed)


@pytest.fixture(scope="module")
def house():
    house = House()
    try:
        house.run(f"{POSTGRES}/initdb", "-D", house.data, "-U", "postgres", "--auth=trust", "-k", "--no-sync")
        house.start_postgres()
        for text in ["CREATE ROLE kurir LOGIN", "CREATE DATABASE kurir OWNER kurir"]:
            house.run(f"{POSTGRES}/psql", "-h", house.socket, "-U", "postgres", "-Xqc", text)
        yield house
    finally:
        house.stop()
        house.remove()


@pytest.fixture(scope="module")
def story(house):
    """Work, a backup under it, a moment to come back to, more work, a disaster, and the restore."""
    seconds = lambda begin: f"{time.time() - begin:.1f} s"
    story = types.SimpleNamespace()
    house.pgbackrest("stanza-create")
    house.pgbackrest("check")
    house.start_kurir()
    address = house.address

    # A store with a courier, another invited one, and a gateway.
    story.store = said(201, call(address, "POST", "/v1/stores", store_form("shop")))["session"]["token"]
    registered = said(201, register(address, "+385911111111", invite(address, story.store, "+385911111111")))
    story.courier, story.courier_id = registered["session"]["token"], registered["account"]["id"]
    story.code = invite(address, story.store, "+385912222222")
    invite(address, story.store, "+385915555555")
    story.key = house.run("kurir", "gateway-key", "create", "--name", "sms", "--channel", "sms", "--database", house.url).strip()
    story.secret = house.run("kurir", "gateway", "secret", "--database", house.url)
    story.traffic = traffic = Traffic(address, story.store, story.courier, story.courier_id)
    try:
        traffic.go_on(10)
        begin = time.time()
        house.unit("kurir-backup@full")
        print(f"\nfull backup under traffic: {seconds(begin)}")
        story.during_backup = traffic.answered(begin, time.time())
        traffic.go_on(10)

        # The moment comes while everybody works.
        story.before = {token: feed(address, token) for token in [story.store, story.courier]}
        story.point = time.time()
        traffic.go_on(10)
        story.late_store = said(201, call(address, "POST", "/v1/stores", store_form("late")))["session"]["token"]
        story.late_code = invite(address, story.store, "+385913333333")
        messages = claim(address, story.key)
        held = [{"id": one["id"], "lease": one["lease"]} for one in messages]
        said(200, call(address, "POST", "/v1/outbox/ack", {"messages": held}, story.key))
        story.sent = [one["id"] for one in messages if one["address"] == "+385915555555"]
        story.newer = {token: feed(address, token)[-1] for token in [story.store, story.courier]}
        story.safe = time.time()
        house.archived()
        traffic.go_on(5)
    finally:
        traffic.stop()
    info = json.loads(house.pgbackrest("info", "--output=json"))[0]["backup"][0]["info"]
    print(f"database {info['size'] / 1e6:.1f} MB, its backup {info['repository']['delta'] / 1e6:.1f} MB; "
          f"{len(list(house.repository.glob('archive/kurir/*/*/*.zst')))} segments of WAL "
          f"{sum(path.stat().st_size for path in house.repository.glob('archive/kurir/*/*/*.zst')) / 1e6:.1f} MB")

    house.server.kill()
    house.server.wait()
    story.disaster = time.time()
    shutil.rmtree(house.data)
    story.target = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(story.point)) + f"{story.point % 1:.6f}"[1:] + "+00:00"
    # What can be told of the repository while there is nothing else.
    story.proof_begun = time.time()
    story.proof = house.prove()
    story.proof_of_point = house.prove("--target", story.target)

    house.kurir.terminate()
    assert house.kurir.wait() == 0
    begin = time.time()
    house.make("data")
    house.pgbackrest("--type=time", f"--target={story.target.replace('T', ' ')}", "--target-action=promote", "restore")
    house.start_postgres()
    house.start_kurir()
    print(f"restored to a point in time, and Kurir ready: {seconds(begin)}")
    story.restored = versions(house.address, story.store)
    return story


# MARK: What must hold


def test_what_was_answered_before_the_point_is_there_and_nothing_that_was_sent_after_it(story):
    assert story.during_backup > 0, "there was no traffic during the backup"
    lost = 0
    for delivery, steps in story.traffic.steps.items():
        least = sum(answered < story.point for _, answered in steps)
        most = sum(sent < story.point for sent, _ in steps)
        assert least <= story.restored.get(delivery, 0) <= most, delivery
        lost += most == 0
    assert lost > 0, "nothing came after the point"
    assert story.restored.keys() <= story.traffic.steps.keys()


def test_the_proof_tells_what_a_disaster_takes(story):
    lost = int(re.search(r" (\d+) s would be lost", story.proof)[1])
    assert story.proof_begun - story.disaster <= lost + 1 and lost <= time.time() - story.safe
    count = int(re.search(r" (\d+) deliveries", story.proof)[1])
    steps = [steps[0] for steps in story.traffic.steps.values()]
    assert sum(answered < story.safe for _, answered in steps) <= count <= len(steps)
    # What it restores as of the point is what was then restored in earnest.
    assert f" {len(story.restored)} deliveries" in story.proof_of_point


def test_feeds_go_on_without_loss_or_repetition(house, story):
    # What was committed before the point, and not numbered yet, is numbered now.
    told_of = lambda token: {(item["delivery_id"], item["seq"]) for item in feed(house.address, token)}
    newest = {(id, version) for id, version in story.restored.items()}
    for token, before in story.before.items():
        wait("all events", lambda: newest <= told_of(token))
        # Who stands where everything is there goes on from there.
        after = feed(house.address, token, before[-1]["cursor"])
        everything = told(feed(house.address, token))
        assert told(before) + told(after) == everything
        assert [number for number, *_ in everything] == list(range(1, len(everything) + 1))
        # It tells each step that is there, once; a courier is offered what a store creates.
        restored = versions(house.address, story.store)
        steps = [(delivery, seq) for _, _, delivery, seq in everything if delivery]
        assert sorted(steps) == sorted((id, seq) for id, version in restored.items() for seq in range(1, version + 1))

        # Who was further than that gets what was numbered since the restore, and sees by the number that it went back.
        newer = story.newer[token]
        assert newer["number"] > before[-1]["number"]
        late = feed(house.address, token, newer["cursor"])
        said(201, create(house.address, story.store, story.courier_id, f"after-{token}"))
        wait("the event", lambda: len(feed(house.address, token)) > len(everything))
        [new] = feed(house.address, token, after[-1]["cursor"] if after else before[-1]["cursor"])
        assert new["number"] == len(everything) + 1 and new["type"] in ["delivery.created", "delivery.offered"]
        behind = told(feed(house.address, token, newer["cursor"]))
        assert behind == told(late) + told([new])
        assert behind[0][0] <= newer["number"]


def test_secret_codes_sessions_and_keys_are_those_of_the_point(house, story):
    assert house.run("kurir", "gateway", "secret", "--database", house.url) == story.secret
    # The code follows from the secret, and is redeemed by its hash.
    assert invite(house.address, story.store, "+385912222222", status=200) == story.code
    assert said(201, register(house.address, "+385912222222", story.code))["partner"]
    assert said(404, register(house.address, "+385913333333", story.late_code))["code"] == "unknown_code"
    said(401, call(house.address, "GET", "/v1/me", token=story.late_store))
    said(201, call(house.address, "POST", "/v1/stores", store_form("late")))
    # A request that was answered before the point is known; a later one is done anew when it is sent again.
    for key, delivery in [list(story.traffic.keys.items())[place] for place in (0, -1)]:
        answer = create(house.address, story.store, story.courier_id, key)
        is_known = delivery in story.restored
        assert (said(201, answer)["id"] == delivery) == is_known == (answer[2]["Idempotent-Replayed"] == "true")
    assert not is_known


def test_passwords_cost_what_is_documented(house, story):
    """Debug builds, on which most tests run, make do with less."""
    assert house.sql("SELECT DISTINCT substring(password_hash FROM '^(.*)[$].*[$]') FROM accounts") == "$scrypt$ln=14,r=8,p=5"


def test_a_gateway_gets_again_what_it_reported_after_the_point(house, story):
    again = [one["id"] for one in claim(house.address, story.key)]
    assert story.sent and set(story.sent) <= set(again)


def test_the_newest_backup_after_a_restore_is_proven_until_archiving_breaks(house, story):
    # On the new timeline; also the unit of the other days.
    house.unit("kurir-backup@diff")
    invite(house.address, story.store, "+385916666666")
    house.archived()
    assert re.match(r"\d{8}-\d{6}F_\d{8}-\d{6}D restores as of .* 2 stores, 2 couriers", house.prove())

    archive = house.repository / "archive/kurir"
    house.run("chmod", "-R", "a-w", archive)
    broken = time.time()
    invite(house.address, story.store, "+385914444444")
    wait("archiving to fail", lambda: int(house.sql("SELECT failed_count FROM pg_stat_archiver")))
    bound = time.time() - broken
    line = house.prove("--most-lost", bound, status=1)
    lost = re.match(r"not proven: (\d+) s would be lost: nothing after .* is in the archive", line)
    assert float(lost[1]) >= bound - 1
    house.run("chmod", "-R", "u+w", archive)


def test_a_damaged_backup_is_not_proven(house, story):
    copy = house.directory / "damaged"
    house.make("damaged")
    house.run("cp", "-r", f"{house.repository}/.", copy)
    for file in copy.glob("backup/kurir/*F/bundle/*"):
        content = bytearray(file.read_bytes())
        # What a later backup has anew is not read.
        for place in range(0, len(content), 4096):
            content[place:place + 16] = bytes(byte ^ 0xFF for byte in content[place:place + 16])
        file.write_bytes(content)
    # Without a pause between tries to read it.
    line = house.prove(status=1, PGBACKREST_REPO1_PATH=str(copy), PGBACKREST_JOB_RETRY="0")
    assert line.startswith("not proven: not restored: ") and "ERROR: [" in line


def test_no_stanza_and_no_backup_are_told(house, story):
    house.make("empty", "unused")
    line = house.prove(status=1, PGBACKREST_REPO1_PATH=f"{house.directory}/empty")
    assert line == "not proven: stanza kurir: missing stanza path\n"
    house.pgbackrest("stanza-create", PGBACKREST_REPO1_PATH=f"{house.directory}/unused")
    line = house.prove(status=1, PGBACKREST_REPO1_PATH=f"{house.directory}/unused")
    assert line == "not proven: stanza kurir: no valid backups\n"
    line = house.prove("--target", "2020-01-01T00:00:00+01:00", status=1)
    assert line == "not proven: no backup is older than 2020-01-01T00:00:00+01:00\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root to have a full disk")
@pytest.mark.parametrize("room, told", [
    ("8m", "MiB free, and the copy takes"), ("44m", "has no room left: PostgreSQL does not recover: ")])
def test_a_full_disk_is_told(house, story, room, told):
    small = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size="$0" none "$1" && shift && exec "$@"', room,
             house.directory / "scratch"]
    assert told in house.prove(status=1, before=small)


@pytest.mark.skipif(os.geteuid() != 0, reason="there is another user to be")
def test_root_is_told_whom_to_be(house, story):
    done = subprocess.run([house.programs / "kurir-prove-restore"], env=house.environment, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("not proven: run this as the user that backs up")


def test_a_stopped_proof_leaves_nothing(house, story):
    scratch = house.directory / "scratch"
    command = [*house.as_postgres, house.programs / "kurir-prove-restore", "--scratch", scratch]
    proof = subprocess.Popen(command, env=house.environment, stderr=subprocess.PIPE, text=True)
    pid = wait("the copy's PostgreSQL", lambda: next(scratch.glob("*/data/postmaster.pid"), None))
    server = int(wait("its number", pid.read_text).split()[0])
    proof.terminate()
    assert proof.communicate()[1] == "not proven: stopped\n" and proof.returncode == 1
    assert not os.listdir(scratch) and not os.path.exists(f"/proc/{server}")


def test_units_are_as_systemd_wants_them(tmp_path):
    for unit in BACKUP.glob("kurir-*"):
        # The programs that are here, in place of those that are to be.
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/local/bin/kurir-prove-restore", "/usr/bin/true"))
    units = [tmp_path / unit.name.replace("@.", "@incr.") for unit in BACKUP.glob("kurir-*")]
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
