"""Kurir on one machine: the units under a systemd that boots, the image's root file system, and the composition.

Runs as root on a Debian 12 with systemd-container, mmdebstrap, docker-compose and postgresql.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest
import yaml
import zxingcpp
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
# Each with how much it may expose, in tenths; a part of the cluster begins as root and becomes somebody else.
UNITS = {"systemd/kurir.service": 15, "systemd/kurir-gateway@.service": 15, "cluster/kurir-cluster@.service": 30}
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
BINARY = pathlib.Path(os.environ.get("BINARY") or next(
    (path for kind in ("release", "debug") if (path := ROOT / f".build/{kind}/kurir").exists()), "no kurir"))
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Seconds: for what other work on the machine may hold up.
PATIENCE = 60


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def until(condition, what):
    """Waits for what `condition` answers, as soon as it is something."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)
    return answer


def options_of(command):
    """The environment's names that a command of Kurir knows."""
    return set(re.findall(r"environment: (\w+)", run(BINARY, *command.split(), "--help", check=True).stdout))


class Inside:
    """What can be done in the namespaces of a process."""

    def __init__(self, leader):
        self.leader = leader

    def command(self, *command):
        return ["nsenter", "--target", str(self.leader), "--all", "--root", "env", "-i", PATH,
                *map(str, command)]

    def curl(self, *arguments):
        """Asks by the machine's own curl, for which only the network needs to be another."""
        return run("nsenter", "--target", self.leader, "--net", "curl", "--silent", "--max-time", 30, *arguments)

    def status(self, path="/readyz"):
        return self.curl("--output", "/dev/null", "--write-out", "%{http_code}", "http://127.0.0.1:8080" + path).stdout

    def post(self, path, body, token=None):
        head = ["-H", f"Authorization: Bearer {token}"] if token else []
        return json.loads(self.curl(
            "--fail", "-H", "Content-Type: application/json", *head, "-d", json.dumps(body),
            "http://127.0.0.1:8080" + path).stdout)

    def invite(self):
        """A store registers and invites a courier: the page, passwords, the database and the picture all work."""
        assert "<!doctype html>" in self.curl("http://127.0.0.1:8080/").stdout.lower()
        store = self.post("/v1/stores", {
            "email": "pekarnica@example.com", "password": "krumpir-na-tavi", "name": "Pekara",
            "tax_id": "12345678903", "address": "Ilica 1, Zagreb", "phone": "01 4828 111"})
        token = store["session"]["token"]
        invite = self.post("/v1/invites", {"phone": "091 234 5678"}, token)
        svg = self.curl("--fail", f"http://127.0.0.1:8080/i/{invite['code']}/qr.svg").stdout
        side = int(re.search(r'viewBox="0 0 (\d+) ', svg)[1])
        picture = Image.new("L", (side, side), "white")
        for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h", svg):
            picture.paste("black", (int(x), int(y), int(x) + int(width), int(y) + 1))
        (read,) = zxingcpp.read_barcodes(picture.resize((8 * side, 8 * side)))
        assert read.text == invite["url"]
        return invite


def field(pid, name):
    return re.search(rf"^{name}:\s*(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1].split()


def child_of(process, wanted):
    """The host's number of the first process in a namespace that `process` made."""
    def found():
        assert process.poll() is None, "ended already"
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            with contextlib.suppress(OSError, TypeError):
                if field(child, "NSpid")[1:] == ["1"] and field(child, "Name") == [wanted]:
                    return int(child)
    return until(found, wanted)


def end(process, sign=signal.SIGTERM):
    if process.poll() is None:
        process.send_signal(sign)
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


# By systemd


@pytest.fixture
def machine(tmp_path):
    """A Debian that boots by systemd: this one's files, with a layer above for what is written, and nobody's data."""
    layer = tmp_path / "layer"
    layer.mkdir()
    name = f"kurir-{os.getpid()}"
    # Its systemd has control groups to itself, or machines that are tried at once would share theirs.
    mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    groups = [pathlib.Path(mount[1]) / name for mount in mounts if mount[2] == "cgroup2" or "name=systemd" in mount[3]]
    for group in groups:
        group.mkdir()
    # What is mounted goes away with the last process of its namespace.
    prepare = f"""
        for group in {shlex.join(map(str, groups))}; do echo $$ > $group/cgroup.procs; done
        mount -t tmpfs layer {layer}
        mkdir {layer}/upper {layer}/work {layer}/root
        mount -t overlay -o lowerdir=/,upperdir={layer}/upper,workdir={layer}/work overlay {layer}/root
        exec systemd-nspawn --quiet --directory={layer}/root --machine={name} --register=no --keep-unit \
            --private-network --console=pipe --link-journal=no --boot \
            --tmpfs=/etc/postgresql --tmpfs=/var/lib/postgresql \
            --bind-ro={DEPLOY}:/srv/deploy --bind-ro={BINARY.resolve()}:/srv/.build/release/kurir \
            -- --unit=basic.target"""
    with open(tmp_path / "console", "w") as console:
        booted = subprocess.Popen(["setpriv", "--pdeathsig=TERM", "unshare", "--mount", "bash", "-ec", prepare],
                                  stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)
    try:
        inside = Inside(child_of(booted, "systemd"))
        shell(inside, "until systemctl is-active --quiet basic.target; do sleep 0.1; done")
        # What the installation of Debian's package does.
        shell(inside, "pg_createcluster 15 main && systemctl start postgresql@15-main")
        yield inside
    finally:
        try:
            end(booted)
        except subprocess.TimeoutExpired:
            os.kill(inside.leader, signal.SIGKILL)
            raise
        for group in groups:
            for folder, _, _ in os.walk(group, topdown=False):
                os.rmdir(folder)


def shell(machine, text):
    done = run(*machine.command("bash", "-euo", "pipefail", "-c", f"cd /srv\n{text}"), timeout=2 * PATIENCE)
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    return done.stdout


def show(machine, unit, name):
    return shell(machine, f"systemctl show --property={name} --value {unit}").strip()


def told(machine, pattern):
    """The lines of the gateway's journal that are like `pattern`."""
    return shell(machine, f"journalctl --output=cat --unit kurir-gateway@log | grep '{pattern}' || true")


def blocks():
    """What docs/installing.md has to be typed for systemd."""
    text = (ROOT / "docs/installing.md").read_text().split("## By systemd")[1].split("## In containers")[0]
    return re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)


def test_what_the_documentation_says_for_systemd_installs_upgrades_and_removes_kurir(machine):
    packages, user, service, ready, gateway, secret, upgrade, removal = blocks()
    wanted = [word for word in packages.split()[2:] if not word.startswith("--")]
    assert set(wanted) == set(installed_by(image_steps())) | {"postgresql", "curl"}
    for block in (user, service, ready, gateway):
        shell(machine, block)

    server = show(machine, "kurir", "MainPID")
    status = shell(machine, f"cat /proc/{server}/status")
    assert re.search(r"^Uid:\s+(\d+)", status, re.M)[1] == shell(machine, "id -u kurir").strip() != "0"
    assert re.findall(r"^Cap\w+:\s+0*([1-9a-f]\w*)", status, re.M) == []
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.M) and re.search(r"^Seccomp:\s+2$", status, re.M)
    for folder in ("/etc", "/usr", "/var/lib", "/srv"):
        refused = run(*machine.command("nsenter", "--target", server, "--mount", "touch", folder + "/written"))
        assert "Read-only file system" in refused.stderr
    # Hashing gives way, which the filter of system calls must let it do.
    nice = shell(machine, f"for t in /proc/{server}/task/*; do echo $(cat $t/comm) $(cut -d' ' -f19 $t/stat); done")
    assert set(re.findall(r"^scrypt-\d+ (\S+)$", nice, re.M)) == {"10"}

    machine.invite()
    # A store that has just registered proves its address first.
    assert "pekarnica@example.com" in until(lambda: told(machine, "^{"), "a code")
    assert shell(machine, secret).startswith("whsec_")

    shell(machine, "systemctl kill --signal=KILL kurir")
    until(lambda: show(machine, "kurir", "NRestarts") == "1" and machine.status() == "200", "the server to come back")
    shell(machine, upgrade)
    # A gateway minds signals from when it says this.
    until(lambda: told(machine, "stops it$").count("\n") == 2, "the gateway to be another one")

    # And with what it wants for the port of the web.
    wanted = re.findall(r"`((?:Capability|Ambient|Private)\w+=\w+)`", (ROOT / "docs/installing.md").read_text())
    assert len(wanted) == 3
    shell(machine, f"""
        mkdir /etc/systemd/system/kurir.service.d
        printf '%s\\n' '[Service]' {shlex.join(wanted)} 'ExecStart=' 'ExecStart=/usr/local/bin/kurir serve --listen 127.0.0.1:443' \\
            > /etc/systemd/system/kurir.service.d/web.conf
        systemctl daemon-reload && systemctl restart kurir""")
    until(lambda: machine.curl("--fail", "http://127.0.0.1:443/readyz").returncode == 0, "the server at port 443")
    shell(machine, "rm -r /etc/systemd/system/kurir.service.d && systemctl daemon-reload && systemctl restart kurir")
    until(lambda: machine.status() == "200", "the server where it was")

    shell(machine, "systemctl stop kurir kurir-gateway@log")
    for unit in ("kurir", "kurir-gateway@log"):
        assert [show(machine, unit, name) for name in ("Result", "ExecMainStatus")] == ["success", "0"]

    shell(machine, "systemctl stop postgresql@15-main && systemctl start kurir")
    until(lambda: int(show(machine, "kurir", "NRestarts")) > 0, "a start without the database to fail")
    shell(machine, "systemctl start postgresql@15-main")
    until(lambda: machine.status() == "200", "the server to find the database")

    for unit, file in (("kurir", "kurir.env"), ("kurir-gateway@log", "gateway-log.env")):
        shell(machine, f"echo KURIR_NONSENSE=1 >> /etc/kurir/{file} && systemctl --no-block restart {unit}")
        until(lambda: show(machine, unit, "ActiveState") == "failed", "the refusal of what means nothing")
        assert [show(machine, unit, name) for name in ("ExecMainStatus", "NRestarts")] == ["64", "0"]

    shell(machine, removal)
    assert shell(machine, "ls -d /etc/kurir* /usr/local/bin/kurir /etc/systemd/system/*kurir* 2>&1 || true").count(
        "No such file") == 3
    assert shell(machine, "getent passwd kurir kurir-gateway || true") == ""
    assert shell(machine, "runuser -u postgres -- psql -Atc 'SELECT rolname FROM pg_roles' | grep kurir || true") == ""


def test_every_unit_is_tried():
    backups = set((DEPLOY / "backup").glob("*.service"))
    assert {DEPLOY / unit for unit in UNITS} == set(DEPLOY.glob("*/*.service")) - backups


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_understood_and_exposes_little(name, tmp_path):
    unit = DEPLOY / name
    # A unit is only right with a program to start, which this machine need not have.
    copy = tmp_path / unit.name
    text = unit.read_text().replace("/usr/local/share/kurir/deploy", str(DEPLOY))
    copy.write_text(text.replace("/usr/local/bin/kurir", str(BINARY.resolve())))
    verified = run("systemd-analyze", "verify", "--recursive-errors=no", copy)
    assert (verified.returncode, verified.stderr) == (0, "")
    exposure = run("systemd-analyze", "security", "--offline=true", f"--threshold={UNITS[name]}", unit)
    assert exposure.returncode == 0, exposure.stdout.splitlines()[-1]
    # Web push, gateways and services are elsewhere.
    assert "IPAddressDeny" not in unit.read_text()


def test_a_cluster_s_proxy_takes_the_ports_of_the_web():
    unit = (DEPLOY / "cluster/kurir-cluster@.service").read_text()
    kept = re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.M)[1].split()
    bound = ",".join(["-all", *(name.replace("CAP_", "+").lower() for name in kept)])
    opened = run("unshare", "--net", "setpriv", f"--bounding-set={bound}", "python3", "-c",
                 "import socket; socket.create_server(('0.0.0.0', 80))")
    assert opened.returncode == 0, opened.stderr


def test_units_are_guarded_alike():
    def guards(unit):
        lines = unit.read_text().split("[Service]")[1].splitlines()
        kinds = "Protect|Private|Restrict[^P]|Capability|NoNew|MemoryDeny|Lock|Remove|UMask|Device"
        return [line for line in lines if re.match(kinds, line)]

    server, gateway = (DEPLOY / "systemd" / name for name in ("kurir.service", "kurir-gateway@.service"))
    assert guards(server) == guards(gateway)


# The image


def image_steps():
    """The Containerfile's last stage; what this test would not do as an engine does is refused."""
    text = re.sub(r"\\\n", "", (DEPLOY / "Containerfile").read_text())
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    last = max(number for number, (name, _) in enumerate(steps) if name == "FROM")
    known = {"FROM", "RUN", "COPY", "USER", "ENV", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in steps[last:]} <= known
    return steps[last:]


def only(steps, name):
    (value,) = [value for step, value in steps if step == name]
    return value


def installed_by(steps):
    return re.search(r"apt-get install (?:-\S+ )+(.*?) *&&", only(steps, "RUN"))[1].split()


@pytest.fixture(scope="session")
def tree():
    """The last stage's files but for the binary; kept for the next time, as it takes a while."""
    steps = image_steps()
    base, command = only(steps, "FROM"), only(steps, "RUN")
    suite = re.fullmatch(r"debian:(\w+)-slim", base)[1]
    made = ROOT / ".build/deploy" / hashlib.sha256(f"{base}\n{command}".encode()).hexdigest()[:16]
    made.parent.mkdir(parents=True, exist_ok=True)
    with open(made.with_suffix(".lock"), "w") as lock:
        # Several at once wait for the first.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            making = made.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            run("mmdebstrap", "--variant=minbase", "--dpkgopt=force-unsafe-io", suite, making, check=True)
            for file in ("resolv.conf", "hosts"):
                shutil.copy(f"/etc/{file}", making / "etc" / file)
            done = run("chroot", making, "env", "-i", PATH, "DEBIAN_FRONTEND=noninteractive", "sh", "-c", command)
            assert done.returncode == 0, done.stderr
            making.rename(made)
    return made


@contextlib.contextmanager
def postgres(folder):
    """A PostgreSQL that has deploy/database.sql, and is reached by its socket alone."""
    folder.mkdir()
    shutil.chown(folder, "postgres", "postgres")
    as_postgres = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"
    run(*as_postgres, POSTGRES / "initdb", "--auth=trust", "--no-sync", "-D", data, check=True)
    server = subprocess.Popen(
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=INT", POSTGRES / "postgres",
         "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
        stderr=open(folder / "log", "w"))
    try:
        psql = ["psql", "--host", folder, "--username=postgres", "--set", "ON_ERROR_STOP=1"]
        until(lambda: run(*psql, "-c", "SELECT").returncode == 0, "PostgreSQL")
        run(*psql, "--file", DEPLOY / "database.sql", check=True)
        yield server
    finally:
        end(server, signal.SIGINT)


@pytest.fixture
def database(tmp_path):
    # Short, as sockets' paths must be, and where another user gets to.
    folder = pathlib.Path(run("mktemp", "--directory", "/tmp/kurir-image.XXXXXX", check=True).stdout.strip())
    folder.chmod(0o755)
    try:
        with postgres(folder / "pg") as server:
            yield folder / "pg", server
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def container(tree, steps, socket, folder):
    """The image's command in namespaces of its own, with nothing but what an engine gives: /proc, /dev, a tmpfs."""
    root = folder / "root"
    root.mkdir()
    user, group = only(steps, "USER").split(":")
    run(BINARY, "keys", "make", folder / "kurir.key", check=True, env={})
    # The binary is where COPY would put it, and PostgreSQL's socket where a volume would be.
    copied, place = only(steps, "COPY").split()[1:]
    assert copied == "/kurir/.build/release/kurir"
    mounts = f"""
        mount --make-rprivate /
        mount --bind {tree} {root}
        mount -t tmpfs tmpfs {root}/usr/local/bin
        install {BINARY.resolve()} {root}{place}
        mount -o remount,ro {root}/usr/local/bin
        mount -t tmpfs tmpfs {root}/run
        install -o {user} -m 0400 {folder}/kurir.key {root}/run/kurir.key
        mkdir {root}/run/postgresql && mount --bind {socket} {root}/run/postgresql
        mount -t tmpfs tmpfs {root}/tmp
        mount -t proc proc {root}/proc
        mount -o remount,bind,ro {root}
        ip link set lo up
        cd {root} && pivot_root . mnt
        umount --lazy /mnt"""
    arguments = json.loads(only(steps, "ENTRYPOINT")) + json.loads(only(steps, "CMD"))
    guarded = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs",
               "--bounding-set=-all", "--inh-caps=-all", "env", "-i", PATH, *shlex.split(only(steps, "ENV")),
               "DATABASE_URL=postgresql://kurir@/kurir?host=/run/postgresql", "KURIR_KEY_FILE=/run/kurir.key"]
    log = folder / "image.log"
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig=TERM", "unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork",
         "--kill-child", "bash", "-ec", f"{mounts}\nexec {shlex.join(guarded + arguments)}"], stdout=open(log, "w"), stderr=subprocess.STDOUT)
    try:
        leader = child_of(process, "kurir")
        inside = Inside(leader)
        yield process, inside, guarded
    except AssertionError as error:
        error.add_note(log.read_text())
        raise
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def healthy(inside, steps, guarded):
    test = re.search(r"CMD (\[.*\])$", only(steps, "HEALTHCHECK"))[1]
    bound = int(re.search(r"--timeout=(\d+)s", only(steps, "HEALTHCHECK"))[1])
    try:
        return run(*inside.command(*guarded, *json.loads(test)), timeout=bound).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test_the_image_serves_without_a_right_and_says_how_it_is(tree, database, tmp_path):
    steps = image_steps()
    socket, server = database
    with container(tree, steps, socket, tmp_path) as (process, inside, guarded):
        until(lambda: healthy(inside, steps, guarded), "the image to be healthy")
        assert inside.status() == "200"
        assert only(steps, "EXPOSE") == only(steps, "ENV").rpartition(":")[2] == "8080"
        assert field(inside.leader, "Uid") == [only(steps, "USER").split(":")[0]] * 4 != ["0"] * 4
        assert {field(inside.leader, name)[0].strip("0") for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {""}
        for folder in ("/", "/etc", "/usr/local/bin", "/var/tmp"):
            assert "Read-only file system" in run(*inside.command("touch", folder + "/written")).stderr
        inside.invite()
        # The certificates of those to whom a gateway would speak.
        assert run(*inside.command("test", "-s", "/etc/ssl/certs/ca-certificates.crt")).returncode == 0

        os.kill(inside.leader, signal.SIGSTOP)
        assert not healthy(inside, steps, guarded)
        os.kill(inside.leader, signal.SIGCONT)
        until(lambda: healthy(inside, steps, guarded), "the image to be healthy again")
        end(server, signal.SIGINT)
        until(lambda: not healthy(inside, steps, guarded), "the image without a database to be unhealthy")
        os.kill(inside.leader, getattr(signal, only(steps, "STOPSIGNAL")))
        assert process.wait(PATIENCE) == 0


def test_the_image_installs_what_the_binary_is_linked_with_and_nothing_else(tree):
    linked = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--dynamic", BINARY, check=True).stdout)
    # Every Debian has the C library and its compiler's.
    files = [name for name in linked if not name.startswith(("libc.", "libm.", "libgcc_s.", "ld-linux"))]
    owners = [run("chroot", tree, "dpkg-query", "--search", f"*/{name}", check=True).stdout for name in files]
    assert {owner.split(":")[0] for owner in owners} == set(installed_by(image_steps())) - {"ca-certificates"}


def test_the_build_gets_everything_that_the_package_names(tmp_path):
    ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    context = tmp_path / "context"
    files = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", check=True).stdout.split("\n")
    for name in filter(None, files):
        if not any(pathlib.PurePath(name.split("/")[0]).match(pattern) for pattern in ignored):
            (context / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, context / name)
    assert {"Makefile", "Package.swift", "Sources", "Tests", "sql"} <= set(os.listdir(context))
    assert not {".git", "deploy", "docs"} & set(os.listdir(context))
    # Names the rules of the Containerfile's builder, without doing them.
    rules = re.findall(r"^RUN make (\w+)$", (DEPLOY / "Containerfile").read_text(), re.M)
    planned = run("make", "--dry-run", *rules, cwd=context)
    assert planned.returncode == 0 and "swift build -c release --static-swift-stdlib" in planned.stdout
    # Every target that the manifest has must have a folder.
    described = run("swift", "package", "describe", "--type", "json", cwd=context)
    assert described.returncode == 0, described.stderr


# The composition


@pytest.fixture(scope="session")
def composition():
    """deploy/compose.yaml as Compose understands it. The one that Debian has does not know the name of the whole yet."""
    text = re.sub(r"^name: kurir\n", "", (DEPLOY / "compose.yaml").read_text(), flags=re.M)
    told = {"KURIR_DOMAIN": "kurir.example", "SERVER_PASSWORD": "one", "GATEWAY_PASSWORD": "two"}
    read = run("docker-compose", "--project-name", "kurir", "--profile", "log", "--profile", "webhook", "--file", "-",
               "config", input=text, cwd=DEPLOY, env={**os.environ, **told})
    assert read.returncode == 0, read.stderr
    return yaml.safe_load(read.stdout)


def test_every_service_is_guarded_and_comes_back(composition):
    services = composition["services"]
    assert set(services) == {"kurir", "gateway-log", "gateway-webhook", "postgres", "caddy"}
    for name, service in services.items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["restart"] == "unless-stopped", name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else []), name
        assert ("ports" in service) == (name == "caddy"), name
        # The image of kurir has its own; a gateway has none.
        assert "healthcheck" in service or name == "kurir"
    assert composition["networks"]["database"]["internal"]
    assert set(services["postgres"]["networks"]) == {"database"}


def test_the_proxy_alone_is_believed(composition):
    services = composition["services"]
    (subnet,) = composition["networks"]["front"]["ipam"]["config"]
    assert services["kurir"]["environment"]["KURIR_TRUSTED_PROXIES"] == subnet["subnet"]
    assert [name for name, service in services.items() if "front" in service["networks"]] == ["caddy", "kurir"]
    exposed = only(image_steps(), "EXPOSE")
    assert services["caddy"]["environment"]["KURIR_UPSTREAMS"] == f"kurir:{exposed}"
    for variable in ("KURIR_DOMAIN", "KURIR_UPSTREAMS"):
        assert "{$" + variable in (DEPLOY / "Caddyfile").read_text()


def test_everything_that_is_mounted_is_there(composition):
    for service in composition["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert os.path.isfile(source) if source.startswith("/") else source in composition["volumes"], volume


def test_kurir_knows_what_compositions_and_units_tell_it(composition):
    services = composition["services"]
    told = {"serve": [services["kurir"]["environment"]],
            "gateway run": [services[name]["environment"] for name in ("gateway-log", "gateway-webhook")]}
    for command, name in (("serve", "kurir.env"), ("gateway run", "kurir-gateway.env")):
        # One that is commented out is an offer, which must mean something, too.
        lines = (DEPLOY / "systemd" / name).read_text()
        told[command].append(dict(re.findall(r"^#?([A-Z_]+)=(.*)$", lines, re.M)))
    for command, environments in told.items():
        for environment in environments:
            # PGPASSWORD is libpq's own.
            assert set(environment) - {"PGPASSWORD"} <= options_of(command), environment


def test_the_database_of_the_composition_has_passwords_for_its_users_and_none_for_the_superuser(database):
    socket, _ = database
    psql = ["psql", "--host", socket, "--username=postgres", "--set", "ON_ERROR_STOP=1"]
    run(*psql, "-c", "DROP DATABASE kurir", "-c", 'DROP ROLE kurir, "kurir-gateway", kurir_gateway', check=True)
    run(*psql, "-c", "ALTER ROLE postgres PASSWORD 'of the image'", check=True)
    run(*psql, "--file", DEPLOY / "database.sql", check=True,
        env={**os.environ, "SERVER_PASSWORD": "o'ne", "GATEWAY_PASSWORD": "two", "POSTGRES_PASSWORD": "of the image"})
    (socket.parent / "pg/data/pg_hba.conf").write_text("local all postgres trust\nlocal all all scram-sha-256\n")
    run(*psql, "-c", "SELECT pg_reload_conf()", check=True)

    def gets_in(role, password):
        return run("psql", "--host", socket, "--username", role, "--no-password", "-c", "SELECT", "kurir",
                   env={**os.environ, "PGPASSWORD": password}).returncode == 0

    until(lambda: not gets_in("kurir", "wrong"), "PostgreSQL to read who may come in")
    assert gets_in("kurir", "o'ne") and gets_in("kurir-gateway", "two") and not gets_in("kurir-gateway", "o'ne")
    # A gateway holds no lock by which servers take turns, and fills no disk.
    for call in ("pg_advisory_lock(1)", "pg_try_advisory_xact_lock(1)", "lo_create(0)"):
        kept = run("psql", "--host", socket, "--username=kurir-gateway", "--no-password", "-c", f"SELECT {call}", "kurir",
                   env={**os.environ, "PGPASSWORD": "two"})
        assert kept.returncode != 0 and "permission denied for function" in kept.stderr, call
    superuser = run(*psql, "-Atc", "SELECT rolpassword IS NULL FROM pg_authid WHERE rolname = 'postgres'", check=True)
    assert superuser.stdout == "t\n"
