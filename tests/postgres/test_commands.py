"""The commands on a database: `ENGRAIN_STORE` and `--store` name it everywhere, and no password is shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.postgres import servers

SECRET = "geheim"


def run(*arguments: str, store: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    environment = {**os.environ, "ENGRAIN_EMBEDDER": "none", "ENGRAIN_STORE": store}
    done = subprocess.run(
        [sys.executable, "-c", "from engrain.cli.main import main; main()", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert SECRET not in done.stdout + done.stderr
    return done


def test_commands_work_on_the_database_that_the_environment_or_an_option_names() -> None:
    with servers.database() as plain:
        url = f"{plain}&password={SECRET}"
        assert run("remember", "The kettle is on.", store=url).returncode == 0
        assert "The kettle is on." in run("recall", "kettle", store=url).stdout
        assert "The kettle is on." in run("recall", "kettle", "--store", url).stdout
        made = run("keys", "create", "reader", store=url)
        assert (made.returncode, "which is new" in made.stdout) == (0, False)
        assert run("keys", "list", store=url).returncode == 0
        found = json.loads(run("doctor", "--json", store=url).stdout)
        assert found["problems"] == []
        assert found["store"]["server"].startswith("PostgreSQL ")
        assert found["store"]["application_role"] == "under row security"
        assert found["store"]["tables_without_row_security"] == 0
        assert found["memories"]["total"] == 1
        assert "all is well" in run("doctor", store=url).stdout


def test_the_doctor_says_what_is_wrong_with_a_database() -> None:
    found = json.loads(run("doctor", "--json", store=f"postgresql://ana:{SECRET}@127.0.0.1:1/db").stdout)
    (problem,) = found["problems"]
    assert problem["what"].startswith("postgresql://ana@127.0.0.1:1/db cannot be reached")
    assert "docs/postgres.md" in problem["advice"]
