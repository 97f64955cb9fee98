"""Holds a running Kurir to its own description: python conformance.py http://127.0.0.1:8080 GATEWAY_KEY"""

import os
import subprocess
import sys
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


def main(address, key):
    description = requests.get(f"{address}/openapi.json", timeout=10).json()
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    open_to_all = [operation["operationId"] for operation in operations if "security" not in operation]
    store, courier = walk(address, key)
    try_everything(address, but=[])
    for token in [store, courier]:
        try_everything(address, f"--header=Authorization: Bearer {token}", but=SIGNING_OUT + open_to_all)
        answer = requests.get(f"{address}/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=10)
        assert answer.status_code == 200, "the session ended on the way, and what was tried after that as nobody"
    accounts_only = [
        operation["operationId"] for operation in operations if {"gateway_key": []} not in operation.get("security", [])]
    try_everything(address, f"--header=Authorization: Bearer {key}", but=accounts_only)


def try_everything(address, *options, but):
    """Lets schemathesis try what it can think of, the same on every run."""
    subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--no-color", "run", f"{address}/openapi.json",
            "--checks", ",".join(CHECKS), "--continue-on-failure", "--warnings=off",
            "--seed=1", "--max-examples=15", "--generation-database=none", "--request-timeout=60",
            *[f"--exclude-operation-id={operation}" for operation in but], *options,
        ],
        env=os.environ | {"SCHEMATHESIS_HOOKS": "closed", "PYTHONPATH": str(Path(__file__).parent)},
        check=True,
    )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
