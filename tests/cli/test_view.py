"""Store, organisation, user, agent and session are named before the command or after it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def contents(ran: Run, *words: object) -> set[str]:
    return {memory["content"] for memory in ran(*words, "--json").document["memories"]}


def test_before_and_after_mean_the_same(run: Run) -> None:
    run("--user", "ana", "remember", "Ana likes tea")
    run("remember", "Ben likes coffee", "--user", "ben")
    assert contents(run, "list", "--user", "ana") == {"Ana likes tea"}
    assert contents(run, "--user", "ben", "list") == {"Ben likes coffee"}
    assert contents(run, "list") == {"Ana likes tea", "Ben likes coffee"}


def test_json_is_asked_for_before_the_command_too(run: Run) -> None:
    run("remember", "Ana likes tea")
    assert run("--json", "list").document == run("list", "--json").document
    assert run("--json", "graph", "entities").document == run("graph", "entities", "--json").document


def test_after_the_command_wins(run: Run) -> None:
    run("--user", "ana", "remember", "Ben likes coffee", "--user", "ben")
    assert contents(run, "list", "--user", "ben") == {"Ben likes coffee"}


def test_organisations_are_isolated(run: Run) -> None:
    run("remember", "the door code is 9026", "--org", "north")
    assert contents(run, "list", "--org", "south") == set()
    assert contents(run, "list", "--org", "north") == {"the door code is 9026"}


def test_another_store_is_another_memory(run: Run, tmp_path: Path) -> None:
    run("remember", "Ana likes tea", "--store", tmp_path / "other.db")
    assert contents(run, "list") == set()
    assert contents(run, "--store", tmp_path / "other.db", "list") == {"Ana likes tea"}


def test_a_session_before_the_command_is_the_views_and_after_it_the_calls(run: Run) -> None:
    run("remember", "see you on Friday", "--session", "monday")
    run("--session", "tuesday", "remember", "see you on Sunday")
    assert contents(run, "list", "--session", "monday") == {"see you on Friday"}
    assert contents(run, "--session", "monday", "list") == {"see you on Friday", "see you on Sunday"}
    (memory,) = run("list", "--session", "tuesday", "--json").document["memories"]
    assert (memory["scope"]["session"], memory["kind"]) == ("tuesday", "episodic")
