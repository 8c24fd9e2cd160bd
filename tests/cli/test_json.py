"""With `--json` each command writes one document with stable keys, and nothing else."""

from __future__ import annotations

from pathlib import Path

from engrain.model.memory import Memory, Status
from tests.cli.conftest import Run


def test_remember(run: Run) -> None:
    found = run("remember", "Ana lives in Boston", "--json").document
    assert set(found) == {"id", "status", "decision", "memory", "others"}
    assert found["status"] == "created"
    assert Memory.from_dict(found["memory"]).id == found["id"]


def test_recall(run: Run) -> None:
    run("remember", "Ana lives in Boston", "--tag", "home")
    found = run("recall", "where does Ana live", "--json").document
    assert {"query", "intent", "hits", "trace"} <= set(found)
    (hit,) = found["hits"]
    assert set(hit) == {"id", "memory", "score", "relevance", "signals", "contested"}
    assert hit["memory"]["tags"][0] == "home"
    assert set(hit["signals"][0]) == {"name", "value", "rank"}
    assert {"name", "came_in", "went_out", "ms", "notes"} == set(found["trace"][0])


def test_a_superseded_memory_says_so(run: Run) -> None:
    old = run("remember", "Ana lives in Boston", "--json").document["id"]
    run("supersede", old, "Ana lives in Tbilisi")
    shown = run("get", old, "--json").document
    assert shown["status"] == run("history", old, "--json").document["memories"][0]["status"] == "superseded"
    memory = Memory.from_dict(shown)
    assert (memory.status, memory.to_dict()["status"]) == ("superseded", "superseded")
    assert memory.stored_status is Status.ACTIVE  # as it is exported


def test_one_whose_end_is_known_is_active_until_then(run: Run) -> None:
    old = run("remember", "Ana lives in Boston", "--json").document["id"]
    run("supersede", old, "Ana lives in Tbilisi", "--valid-from", "2999-01-01")
    assert run("get", old, "--json").document["status"] == "active"


def test_context(run: Run) -> None:
    run("remember", "Ana lives in Boston")
    found = run("context", "Ana", "--token-budget", "200", "--json").document
    assert set(found) == {"context"}
    assert "Ana lives in Boston" in found["context"]


def test_get_and_update_write_the_memory(run: Run) -> None:
    run("remember", "Ana lives in Boston", "--key", "home")
    memory = Memory.from_dict(run("get", "--key", "home", "--json").document)
    assert memory.content == "Ana lives in Boston"
    changed = run("update", memory.id, "--content", "Ana lives in Tbilisi", "--json").document
    assert (changed["content"], changed["version"]) == ("Ana lives in Tbilisi", memory.version + 1)


def test_list_pages(run: Run) -> None:
    for number in range(3):
        run("remember", f"fact number {number}")
    first = run("list", "--limit", 2, "--json").document
    assert set(first) == {"memories", "next"}
    rest = run("list", "--limit", 2, "--cursor", first["next"], "--json").document
    assert rest["next"] is None
    assert len({memory["id"] for memory in first["memories"] + rest["memories"]}) == 3


def test_history(run: Run) -> None:
    memory_id = run("remember", "Ana lives in Boston", "--json").document["id"]
    run("update", memory_id, "--content", "Ana lives in Tbilisi")
    found = run("history", memory_id, "--json").document
    assert [memory["content"] for memory in found["memories"]] == ["Ana lives in Boston", "Ana lives in Tbilisi"]


def test_forget(run: Run) -> None:
    memory_id = run("remember", "Ana lives in Boston", "--json").document["id"]
    found = run("forget", memory_id, "--yes", "--json").document
    assert found == {"count": 1, "ids": [memory_id], "dry_run": False, "receipt": None, "beside": 0}


def test_an_erasure_and_its_receipt(run: Run) -> None:
    memory_id = run("remember", "Ana lives in Boston", "--json").document["id"]
    receipt = run("forget", memory_id, "--hard", "--yes", "--json").document["receipt"]
    assert (receipt["status"], receipt["verified"], receipt["memory_ids"]) == ("complete", True, [memory_id])
    assert run("receipt", receipt["id"], "--json").document == receipt
    assert run("receipts", "--json").document == {"receipts": [receipt], "next": None}


def test_stats(run: Run) -> None:
    run("remember", "Ana lives in Boston")
    found = run("stats", "--json").document
    assert found["total_notes"] == 1
    assert found["by_status"]["active"] == 1
    assert (found["conversations"], found["turns"]) == ({"open": 0, "ended": 0}, 0)


def test_files(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "notes.md"
    text.write_text("# Home\n\nAna lives in Boston, near the harbour.\n", encoding="utf-8")
    ingested = run("ingest", text, "--json").document
    assert set(ingested) == {"files", "created", "known", "failed", "left_out", "skipped"}
    assert (ingested["files"], ingested["created"], ingested["failed"]) == (1, 1, {})
    assert run("ingest", text, "--json").document["known"] == 1

    rows = run("export", tmp_path / "all.jsonl", "--json").document["rows"]
    assert rows >= 1
    imported = run("import", tmp_path / "all.jsonl", "--store", tmp_path / "other.db", "--json").document
    assert set(imported) == {"created", "known", "skipped", "rejected"}
    assert imported["created"] == 1

    path = run("snapshot", tmp_path / "copy.db", "--json").document["path"]
    restored = run("restore", path, tmp_path / "restored.db", "--json").document["path"]
    assert run("stats", "--store", restored, "--json").document["total_notes"] == 1
    assert set(run("reindex", "--json").document) == {"memories", "embedded", "texts", "removed"}
