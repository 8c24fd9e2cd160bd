"""The comparison with other systems measures Engrain alone where none of them is installed, and says so."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.evaluation.conversations import lines, locomo

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "peers.py"
OTHERS = {"chroma": "chromadb", "langgraph-memory": "langgraph", "mem0": "mem0ai", "txtai": "txtai"}
TIMES = {"add_cpu_ms", "bulk_cpu_ms", "search_cpu_ms_p50", "search_cpu_ms_p95", "search_wall_ms_p50"}


@pytest.fixture
def run(tmp_path):
    (tmp_path / "chats.jsonl").write_text(lines(locomo()))

    def run(*arguments):
        command = [sys.executable, str(SCRIPT), str(tmp_path / "chats.jsonl"), "--size", "40", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    return run


def missing():
    found = []
    for name, package in OTHERS.items():
        try:
            version(package)
        except PackageNotFoundError:
            found.append(name)
    return found


def test_engrain_is_measured_and_what_is_not_installed_is_a_row_that_says_so(run, monkeypatch):
    done = run("--json", "--systems", "engrain", *missing())
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    first = told["systems"]["engrain"]
    assert (first["file"]["memories"], first["file"]["questions"], first["made_up"]["memories"]) == (6, 3, 40)
    assert first["file"]["metrics"]["recall@10"][0] == 1.0
    assert set(first["file"]) & set(first["made_up"]) >= TIMES
    assert {"python", "numpy", "engrain"} <= set(told["machine"])
    assert {name: told["systems"][name]["failed"] for name in missing()} == dict.fromkeys(missing(), "not installed")

    monkeypatch.syspath_prepend(SCRIPT.parent)
    rows = [line for line in import_module("peers").report(told).splitlines() if line.startswith("|")]
    assert rows[0].startswith("| system | memories | R@5 |")
    assert [row.split("|")[2].strip() for row in rows[2:4]] == ["6", "40"]
    assert ["not installed" in row for row in rows[4:]] == [True] * len(missing())
    assert {row.count("|") for row in rows} == {rows[0].count("|")}


def test_what_cannot_be_measured_is_refused_before_anything_is(run, tmp_path):
    assert "--size is at least 2" in run("--size", "1").stderr
    (tmp_path / "chats.jsonl").write_text('{"messages": []}')
    assert "line 1: not a conversation with questions" in run().stderr
