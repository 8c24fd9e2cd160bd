"""`engrain procedures`: every command for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import MemoryManager
from tests.cli.conftest import Run
from tests.procedures.trips import bookings

TEA = json.dumps({"name": "Brew tea", "steps": [{"action": "boil water"}, {"action": "pour"}]})


def test_one_is_kept_got_rated_and_deleted(run: Run) -> None:
    assert run("procedures", "store", TEA).out.startswith("Brew tea\n1. boil water\n2. pour\n")
    run("remember", "Ana drinks tea")
    (listed,) = run("procedures", "list", "--json").document["memories"]
    name = listed["id"]
    assert run("procedures", "get", name).out.startswith("Brew tea")
    assert run("procedures", "outcome", name, "--success", "--json").document == {"recorded": True}
    assert "1 of 1 uses went well" in run("procedures", "list").out
    assert run("procedures", "find", "brew tea", "-k", 1, "--json").document["hits"][0]["id"] == name
    assert "\n1. boil water\n2. pour\n" in run("procedures", "render", "brew tea").out
    assert run("procedures", "delete", name, "--yes", "--json").document == {"deleted": True}
    for words in (("get", name), ("outcome", name, "--no-success"), ("delete", name, "--yes")):
        assert run("procedures", *words).code == 1


def test_many_come_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "procedures.jsonl"
    file.write_text(f"{TEA}\n{TEA.replace('tea', 'coffee')}\n", encoding="utf-8")
    assert len(run("procedures", "store", "--file", file, "--json").document["procedures"]) == 2
    assert "Brew coffee" in run("procedures", "list").out
    assert run("procedures", "store").code == 2
    assert run("procedures", "store", TEA, "--file", file).code == 2


@pytest.mark.parametrize("verdict", ["confirm", "reject"])
def test_mined_procedures_are_settled(run: Run, store: Path, verdict: str) -> None:
    with MemoryManager(store) as memory:
        bookings(memory)
    (mined,) = run("procedures", "mine", "--json").document["procedures"]
    assert mined["status"] == "quarantined"
    assert run("procedures", verdict, mined["id"]).code == 0
    assert len(run("procedures", "list").out.splitlines()) > 1 or verdict == "reject"
