"""The REST guide is true: its problems are all problems, and its calls work."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from engrain.operations.table import OPERATIONS
from engrain.server.wire import TITLES
from tests.house_rules import ROOT
from tests.rest.servers import process

PAGE = (ROOT / "docs" / "rest.md").read_text(encoding="utf-8")
PORT = "8765"
_COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)


def rows(heading: str) -> list[str]:
    """Return the rows of the table under a heading of the page, without its head."""
    under = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in under.splitlines() if line.startswith("|")][2:]


def test_what_is_offered_at_the_machine_alone_is_documented() -> None:
    assert [each.name for each in OPERATIONS if each.local_only and f"`engrain {each.name}`" not in PAGE] == []


def test_every_type_of_problem_is_in_the_guide() -> None:
    assert [re.findall("`([a-z-]+)`", row)[0] for row in rows("Problems")] == list(TITLES)


def test_the_calls_of_the_guide_are_answered(tmp_path: Path) -> None:
    calls = [call for call in _COMMAND.findall(PAGE) if "curl" in call]
    assert len(calls) >= 15
    with process(tmp_path / "memory.db") as server:
        script = "\n".join(
            ["set -euo pipefail", 'curl() { command curl --fail-with-body "$@"; }', *_COMMAND.findall(PAGE)]
        )
        ran = subprocess.run(
            ["bash", "-c", script.replace(f"localhost:{PORT}", f"127.0.0.1:{server.port}")],
            cwd=tmp_path,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr}"
