"""The commands on a database: `ENGRAIN_STORE` and `--store` name it everywhere, and no password is shown."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests import children
from tests.postgres import servers

SECRET = "geheim"


@dataclass
class Runner:
    """Runs commands, each as a process of its own."""

    folder: Path

    def __call__(self, *arguments: str, store: str = "") -> tuple[int | None, str]:
        """Return how a command ended, and what it printed."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        child = children.command(arguments, log, {**os.environ, "ENGRAIN_EMBEDDER": "none", "ENGRAIN_STORE": store})
        child.join(120)
        printed = log.read_text("utf-8")
        assert SECRET not in printed
        return child.exitcode, printed


def test_commands_work_on_the_database_that_the_environment_or_an_option_names(tmp_path: Path) -> None:
    run = Runner(tmp_path)
    with servers.database() as plain:
        url = f"{plain}&password={SECRET}"
        assert run("remember", "The kettle is on.", store=url)[0] == 0
        assert "The kettle is on." in run("recall", "kettle", store=url)[1]
        assert "The kettle is on." in run("recall", "kettle", "--store", url)[1]
        ended, printed = run("keys", "create", "--role", "read", "--name", "reader", store=url)
        assert (ended, "which is new" in printed) == (0, False)
        assert run("keys", "list", store=url)[0] == 0
        found = json.loads(run("doctor", "--json", store=url)[1])
        assert found["problems"] == []
        assert found["store"]["server"].startswith("PostgreSQL ")
        assert found["store"]["application_role"] == "under row security"
        assert found["store"]["tables_without_row_security"] == 0
        assert found["memories"]["total"] == 1
        assert "all is well" in run("doctor", store=url)[1]


def test_the_doctor_says_what_is_wrong_with_a_database(tmp_path: Path) -> None:
    found = json.loads(Runner(tmp_path)("doctor", "--json", store=f"postgresql://ana:{SECRET}@127.0.0.1:1/db")[1])
    (problem,) = found["problems"]
    assert problem["what"].startswith("postgresql://ana@127.0.0.1:1/db cannot be reached")
    assert "docs/postgres.md" in problem["advice"]
