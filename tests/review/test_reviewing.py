"""What waits for a verdict is listed with what the verdict is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from tests.conflicts.memory_log import INJECTED, MemoryLog


def waiting(log: MemoryLog) -> tuple[str, str, str]:
    """Let one memory be contested and another hidden; return their ids and that of the contradicted one."""
    known = log.add("Ana lives in Rome", source_type="user_input")
    contested = log.add("Ana lives in Oslo", source_type="tool_result")
    hidden = log.add(INJECTED)
    log.add("The door is red")
    return contested.id, hidden.id, known.id


def test_a_pending_memory_is_listed_newest_first(log: MemoryLog) -> None:
    contested, hidden, known = waiting(log)
    items = log.memory.review()
    assert [(item.id, item.kind) for item in items] == [(hidden, "quarantine"), (contested, "contradiction")]
    assert [[other.id for other in item.others] for item in items] == [[], [known]]
    assert "ignore previous instructions" in items[0].reason


def test_a_rival_that_was_replaced_meanwhile_is_still_named(log: MemoryLog) -> None:
    contested, _, known = waiting(log)
    log.memory.supersede(known, "Ana lives in Bern", source_type="user_input")
    (item,) = log.memory.review(kind="contradiction")
    assert (item.id, [(other.id, other.status) for other in item.others]) == (contested, [(known, "superseded")])


def test_a_kind_is_listed_alone(log: MemoryLog) -> None:
    contested, hidden, _ = waiting(log)
    assert [item.id for item in log.memory.review(kind="quarantine")] == [hidden]
    assert [item.id for item in log.memory.review(kind="contradiction")] == [contested]
    assert [item.id for item in log.memory.pending()] == [contested]
    assert list(log.memory.review(kind="merge")) == []
    with pytest.raises(ValueError, match="kind"):
        log.memory.review(kind="gossip")  # type: ignore[arg-type]


def test_a_page_leads_to_the_next(log: MemoryLog) -> None:
    for n in range(5):
        log.add(f"{INJECTED} Part {n}.")
    seen, cursor = [], None
    while True:
        page = log.memory.review(limit=2, cursor=cursor)
        seen += [item.id for item in page]
        cursor = page.next
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 5


@pytest.mark.parametrize("verdict", ["validate", "reject", "forget"])
def test_a_memory_with_a_verdict_is_no_longer_pending(log: MemoryLog, verdict: str) -> None:
    for each in waiting(log)[:2]:
        given = {"force": True, "reason": "a quotation"} if verdict == "validate" else {}
        getattr(log.memory, verdict)(each, **given)
    assert list(log.memory.review()) == []
    assert list(log.memory.pending()) == []


def test_a_review_does_not_cross_tenants(log: MemoryLog) -> None:
    ana = log.memory.scoped(user="ana")
    ana.remember(INJECTED)
    ana.scoped(agent="scout").remember(f"{INJECTED} Now.")
    assert len(ana.review()) == 2
    assert len(ana.scoped(agent="clerk").review()) == 1
    assert len(log.memory.scoped(user="bo").review()) == 0
    assert len(log.memory.for_org("other").review()) == 0
    assert len(log.memory.review()) == 2


def test_each_state_has_its_listing(log: MemoryLog) -> None:
    contested, hidden, known = waiting(log)
    gone = log.add("The gate is red")
    log.memory.forget(gone.id)
    log.add("The lamp is on", ttl=60)
    oslo = log.add("Ana moved to Gori", source_type="user_input")
    log.memory.reject(contested)
    found = {
        name: {m.content for m in log.memory.iter_memories(status=name)}
        for name in ("active", "superseded", "quarantined", "archived", "expired", "forgotten")
    }
    assert found == {
        "active": {"The door is red", "Ana moved to Gori"},
        "superseded": {"Ana lives in Rome"},
        "quarantined": {INJECTED},
        "archived": {"Ana lives in Oslo"},
        "expired": {"The lamp is on"},
        "forgotten": {"The gate is red"},
    }
    assert log.memory.count(status="all") == 7
    assert {log.get(oslo).supersedes, (known,)} == {(known,)}
    assert hidden


def test_a_pending_memory_is_imported_as_it_waited(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "a.db", embedder=None) as one:
        hidden = one.remember(INJECTED)
        note = one.remember("A plain note")
        one.link(hidden.id, note.id, "causes")
        one.export(tmp_path / "all.jsonl")
    with MemoryManager(tmp_path / "b.db", embedder=None) as other:
        assert other.import_(tmp_path / "all.jsonl").created == 2
        kept = other.get(hidden.id)
        assert kept is not None
        assert (kept.status, kept.causal_chain) == ("quarantined", (note.id,))
        assert [item.id for item in other.review()] == [hidden.id]


def test_an_attack_in_an_export_is_not_admitted_by_the_import(tmp_path: Path) -> None:
    allowing = Settings(injection="allow")
    with MemoryManager(tmp_path / "a.db", embedder=None, settings=allowing) as one:
        known = one.remember(INJECTED)
        assert known.status == "created"
        one.export(tmp_path / "all.jsonl")
    with MemoryManager(tmp_path / "b.db", embedder=None) as other:
        other.import_(tmp_path / "all.jsonl", trust="system")
        assert [item.id for item in other.review(kind="quarantine")] == [known.id]
        assert other.count() == 0


def test_a_review_shows_no_other_agents_memory(log: MemoryLog) -> None:
    ana = log.memory.scoped(user="ana")
    ana.remember("Mia lives in Rome", source_type="user_input")
    contested = ana.remember("Mia lives in Oslo", source_type="tool_result")
    private = ana.scoped(agent="scout").remember("Mia told scout a secret")
    ana.link(contested.id, private.id, "contradicts")
    (item,) = ana.scoped(agent="clerk").review()
    assert [other.content for other in item.others] == ["Mia lives in Rome"]
    (item,) = ana.review()
    assert len(item.others) == 2
