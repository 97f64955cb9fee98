"""Watching Kurir: Prometheus' rules, Grafana's dashboard and what is said of alarms, tried on a Kurir that runs."""
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMETHEUS = ROOT / "deploy/prometheus"
RULES = yaml.safe_load((PROMETHEUS / "kurir.rules.yml").read_text())
ALL_RULES = [rule for group in RULES["groups"] for rule in group["rules"]]
ALARMS = {rule["alert"]: rule for rule in ALL_RULES if "alert" in rule}
DASHBOARD = json.loads((ROOT / "deploy/grafana/kurir.json").read_text())
QUERIES = [pytest.param(target["expr"], id=panel["title"] + target["refId"])
           for panel in DASHBOARD["panels"] for target in panel.get("targets", [])]
MARKS = [mark["expr"] for mark in DASHBOARD["annotations"]["list"]]
DOCS = (ROOT / "docs/alarms.md").read_text()
# A command is a line after `$ ` and those that follow it: the blocks show no answers.
COMMANDS = [command.strip() for block in re.findall(r"^```console\n(.*?)^```", DOCS, re.S | re.M)
            for command in re.split(r"^\$ ", block, flags=re.M) if command.strip()]
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
# A busy machine may take its time; whatever is waited for comes much sooner.
PATIENCE = 60


def eventually(what):
    """What `what` gives, once that is true."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.1)
    return found


def get(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read().decode()


def metric_names(expression):
    """The names of metrics in an expression: what is left of it without texts, matchers, labels, functions and words."""
    rest = re.sub(r'"[^"]*"', "", expression)
    rest = re.sub(r"\{[^}]*\}|\[[^]]*\]|\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", rest)
    rest = re.sub(r"\boffset\s+\w+|\b\d\w*", " ", rest)
    names = re.findall(r"[a-zA-Z_:][\w:]*\b(?!\s*\()", rest)
    return set(names) - {"and", "or", "unless", "bool", "sum", "max", "by"}


class Alertmanager(http.server.ThreadingHTTPServer):
    """Takes what Prometheus tells of alarms, as an Alertmanager does, and keeps the last of each."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.told = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        for alarm in json.loads(self.rfile.read(int(self.headers["Content-Length"]))):
            self.server.told[alarm["labels"]["alertname"]] = alarm
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


class Postgres:
    """A PostgreSQL of its own, on a socket in the directory."""

    def __init__(self, directory):
        self.data = directory / "data"
        self.url = f"postgresql://postgres@/postgres?host={directory}"
        shutil.chown(directory, "postgres")
        self.run("initdb", "--auth=trust", "--no-sync", "--username=postgres", "-D", self.data)
        (self.data / "postgresql.auto.conf").write_text(
            f"listen_addresses = ''\nunix_socket_directories = '{directory}'\nfsync = off\n")
        self.start()

    def start(self):
        self.run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.data / "log")

    def stop(self):
        self.run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self.data)

    def run(self, tool, *arguments):
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        subprocess.run([*as_postgres, POSTGRES / tool, *arguments], check=True, stdout=subprocess.DEVNULL, cwd="/")


class Watched:
    """A Kurir with a gateway, and a Prometheus with our files that looks at it every second."""

    def __init__(self, directory, at_end):
        self.directory, self.at_end = directory, at_end
        # The PostgreSQL's user must get through.
        directory.chmod(0o755)
        binaries = [os.environ.get("BINARY"), ROOT / ".build/release/kurir", ROOT / ".build/debug/kurir"]
        self.binary = next(path for path in binaries if path and os.path.exists(path))
        (directory / "postgres").mkdir()
        self.postgres = Postgres(directory / "postgres")
        at_end.callback(self.postgres.stop)
        # Kurir refuses variables that look like its own and mean nothing, such as the one with the binary.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("KURIR_", "PG"))}
        self.environment["DATABASE_URL"] = self.postgres.url
        self.environment["KURIR_KEY_FILE"] = str(directory / "kurir.key")
        subprocess.run(
            [self.binary, "keys", "make", directory / "kurir.key"], check=True, stdout=subprocess.DEVNULL, env=self.environment)
        self.kurir = self.start("kurir", self.binary, "serve", "--listen", "127.0.0.1:0", "--admin-listen", ":0")
        self.address = self.printed("kurir", self.kurir, r"listens on (http://\S+)")
        self.admin = self.printed("kurir", self.kurir, r"admin=(\S+)")
        self.start("gateway", self.binary, "gateway", "run", "--channel", "sms,push,email", "--to", "log")
        self.alertmanager = at_end.enter_context(Alertmanager())
        at_end.callback(self.alertmanager.shutdown)
        self.start_prometheus()

    def start(self, name, *command):
        with open(self.directory / name, "w") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, cwd=self.directory, env=self.environment)
        self.at_end.callback(process.wait)
        self.at_end.callback(process.kill)
        return process

    def printed(self, name, process, pattern):
        def look():
            text = (self.directory / name).read_text()
            assert process.poll() is None, text
            return re.search(pattern, text)
        return eventually(look).group(1)

    def start_prometheus(self):
        """With the files as they are, but for who is watched, who is told, and how soon."""
        config = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
        config["global"] |= {"scrape_interval": "1s", "evaluation_interval": "1s", "scrape_timeout": "1s"}
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [self.admin]
        config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [
            f"127.0.0.1:{self.alertmanager.server_port}"]
        rules = json.loads(json.dumps(RULES))
        for rule in (rule for group in rules["groups"] for rule in group["rules"] if "for" in rule):
            rule["for"] = "2s"
        (self.directory / "prometheus.yml").write_text(yaml.safe_dump(config))
        (self.directory / "kurir.rules.yml").write_text(yaml.safe_dump(rules))
        process = self.start(
            "prometheus", "prometheus", f"--config.file={self.directory}/prometheus.yml",
            f"--storage.tsdb.path={self.directory}/series", "--web.listen-address=127.0.0.1:0")
        self.prometheus = "http://" + self.printed("prometheus", process, r'msg="Listening on" address=(\S+)')
        self.printed("prometheus", process, "(Server is ready)")

    def call(self, path, body, token=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def query(self, expression):
        """What Prometheus finds. It is asked by form, and answers 4xx to what it does not understand."""
        form = urllib.parse.urlencode({"query": expression}).encode()
        with urllib.request.urlopen(self.prometheus + "/api/v1/query", form, timeout=PATIENCE) as answer:
            return json.loads(answer.read())["data"]["result"]

    def fires(self, alarm):
        return self.query(f'ALERTS{{alertname="{alarm}", alertstate="firing"}}')


@pytest.fixture(scope="module")
def watched():
    with tempfile.TemporaryDirectory(prefix="kurir-watch-") as directory, contextlib.ExitStack() as at_end:
        watched = Watched(pathlib.Path(directory), at_end)
        store = watched.call("/v1/stores", {
            "email": "pekara@example.com", "password": "krumpir-na-tavi", "name": "Pekara", "tax_id": "12345678903",
            "address": "Ilica 1, Zagreb", "phone": "01 4828 111"})
        watched.call("/v1/invites", {"phone": "091 234 5678"}, store["session"]["token"])
        yield watched


@pytest.mark.parametrize("command", [
    ["check", "config", "prometheus.yml"], ["check", "rules", "kurir.rules.yml"], ["test", "rules", "kurir.tests.yml"]],
    ids=lambda command: command[-1])
def test_promtool_has_nothing_against(command):
    checked = subprocess.run(["promtool", *command], cwd=PROMETHEUS, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_each_alarm_has_a_case_in_which_it_fires_and_one_in_which_it_does_not():
    cases = [case for test in yaml.safe_load((PROMETHEUS / "kurir.tests.yml").read_text())["tests"]
             for case in test["alert_rule_test"]]
    assert {case["alertname"] for case in cases if case.get("exp_alerts")} == set(ALARMS)
    assert {case["alertname"] for case in cases if not case.get("exp_alerts")} == set(ALARMS)


def test_each_alarm_has_its_section_and_each_section_its_alarm():
    assert re.findall(r"^## (.*)$", DOCS, re.M) == list(ALARMS)
    for name, alarm in ALARMS.items():
        assert alarm["annotations"]["runbook"] == f"docs/alarms.md#{name.lower()}"
        assert alarm["annotations"].keys() == {"summary", "description", "runbook"}
        assert alarm["labels"]["severity"] in ("critical", "warning")


def test_each_recorded_rule_is_used():
    used = [rule["expr"] for rule in ALARMS.values()] + [query.values[0] for query in QUERIES]
    for rule in ALL_RULES:
        assert "alert" in rule or any(rule["record"] in metric_names(expression) for expression in used), rule


def test_a_name_that_is_no_metric_is_seen():
    assert metric_names('max by (channel) (kurir_a{b="c d"}) > 0.5 * sum(rate(x:y[5m] offset 1d))') == {"kurir_a", "x:y"}


def test_each_metric_that_is_asked_for_exists(watched):
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", get(f"http://{watched.admin}/metrics"), re.M))
    histograms = [name for name, kind in kinds.items() if kind == "histogram"]
    exist = {name for name, kind in kinds.items() if kind != "histogram"}
    exist |= {name + suffix for name in histograms for suffix in ("_bucket", "_sum", "_count")}
    exist |= {rule["record"] for rule in ALL_RULES if "record" in rule} | {"up"}
    in_docs = [match for command in COMMANDS for match in re.findall(r"promtool query instant \S+ '(.*?)'", command)]
    for expression in [rule["expr"] for rule in ALL_RULES] + [query.values[0] for query in QUERIES] + in_docs:
        assert metric_names(expression), expression
        assert metric_names(expression) <= exist, expression


def test_prometheus_works_out_each_rule(watched):
    def evaluated():
        groups = json.loads(get(watched.prometheus + "/api/v1/rules"))["data"]["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        return all(rule["health"] != "unknown" for rule in rules) and rules
    rules = eventually(evaluated)
    assert len(rules) == len(ALL_RULES)
    assert [rule for rule in rules if rule["health"] != "ok"] == []


@pytest.mark.parametrize("expression", QUERIES)
def test_each_query_of_the_dashboard_gives_data(watched, expression):
    # The node by its name: `.*` would match a label that is not there.
    node = watched.admin
    asked = expression.replace("$instance", node).replace("$__rate_interval", "1m")
    assert "$" not in asked

    def ask():
        # Rates are of what happens between two looks.
        get(watched.address + "/v1/lifecycle")
        return any(series["value"][1] not in ("NaN", "+Inf") for series in watched.query(asked))
    eventually(ask)


def test_the_dashboard_asks_whichever_prometheus_is_chosen():
    variables = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource" and variables["datasource"]["query"] == "prometheus"
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD))) == variables.keys() | {"__rate_interval", "__all"}
    for panel in DASHBOARD["panels"]:
        for asked in [panel, *panel["targets"]] if panel["type"] != "row" else []:
            assert asked["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_what_is_to_be_looked_at_first_can_be(watched, tmp_path, command):
    (tmp_path / "kurir").symlink_to(watched.binary)
    environment = watched.environment | {
        "KURIR_REPLICA": watched.postgres.url, "KURIR": watched.address, "ADMIN": f"http://{watched.admin}", "PROMETHEUS": watched.prometheus, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0 and not ran.stderr, ran.stdout + ran.stderr


def test_a_database_that_stops_is_told_of_until_it_is_back(watched):
    eventually(lambda: watched.query("kurir_feed_delay_seconds"))
    assert not watched.fires("KurirDatabaseOut")
    watched.postgres.stop()
    try:
        told = eventually(lambda: watched.alertmanager.told.get("KurirDatabaseOut"))
        assert told["labels"]["severity"] == "critical"
        assert told["labels"]["instance"] in told["annotations"]["summary"]
        assert any(watched.query(mark) for mark in MARKS)
        assert not watched.fires("KurirNodeDown")
    finally:
        watched.postgres.start()
    eventually(lambda: not watched.fires("KurirDatabaseOut"))


def test_a_node_that_stands_still_is_told_of_until_it_goes_on(watched):
    eventually(lambda: not watched.fires("KurirNodeDown"))
    watched.kurir.send_signal(signal.SIGSTOP)
    try:
        eventually(lambda: watched.alertmanager.told.get("KurirNodeDown"))
    finally:
        watched.kurir.send_signal(signal.SIGCONT)
    eventually(lambda: not watched.fires("KurirNodeDown"))
