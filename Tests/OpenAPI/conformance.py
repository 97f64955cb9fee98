"""Holds a running Kurir to its own description: python conformance.py http://127.0.0.1:8080 GATEWAY_KEY [EXAMPLES]

What is described is tried with each limit from both sides, and where so many examples are wanted, with what chance makes of it.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from walk import walk

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
]

# They end the session that the rest is tried with, and are part of the walk.
SIGNING_OUT = ["delete_sessions_current", "delete_sessions_id"]


def main(address, key, examples=None):
    description = requests.get(f"{address}/openapi.json", timeout=10).json()
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    open_to_all = [operation["operationId"] for operation in operations if "security" not in operation]
    store, courier = walk(address, key)
    accounts_only = [
        operation["operationId"] for operation in operations if {"gateway_key": []} not in operation.get("security", [])]
    signed_in = SIGNING_OUT + open_to_all
    # Each waits mostly for answers: they go on beside each other.
    with ThreadPoolExecutor() as pool:
        tries = pool.map(
            lambda one: try_everything(address, examples, *one),
            [(None, []), (store, signed_in), (courier, signed_in), (key, accounts_only)])
    for code, output in tries:
        print(output)
        assert code == 0, "what was found is above"
    for token in [store, courier]:
        answer = requests.get(f"{address}/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=10)
        assert answer.status_code == 200, "the session ended on the way, and what was tried after that as nobody"


def try_everything(address, examples, token, but):
    """Lets schemathesis try what it can think of, the same on every run; gives how that ended and what it said."""
    tried = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--no-color", "run", f"{address}/openapi.json",
            "--checks", ",".join(CHECKS), "--continue-on-failure", "--warnings=off",
            "--seed=1", "--generation-database=none", "--request-timeout=60",
            f"--max-examples={examples}" if examples else "--phases=examples,coverage",
            *[f"--exclude-operation-id={operation}" for operation in but],
            *([f"--header=Authorization: Bearer {token}"] if token else []),
        ],
        env=os.environ | {"SCHEMATHESIS_HOOKS": "closed", "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return tried.returncode, tried.stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
