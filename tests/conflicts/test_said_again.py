"""What is said again: known, a new version, afresh, or still hidden."""

from __future__ import annotations

from tests.conflicts.memory_log import INJECTED, MemoryLog


def test_back_to_rome_is_a_new_version(log: MemoryLog) -> None:
    outcomes = [log.add(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Rome")]
    assert [outcome.status for outcome in outcomes] == ["created", "updated", "updated"]
    assert len({outcome.id for outcome in outcomes}) == 3
    assert log.live() == {"Ana lives in Rome"}
    assert log.past(outcomes[0]) == ["Ana lives in Rome", "Ana lives in Oslo", "Ana lives in Rome"]


def test_a_forgotten_memory_is_kept_afresh(log: MemoryLog) -> None:
    known = log.add("The door is red", tags=["old"])
    log.memory.forget(known.id)
    again = log.add("The door is red")
    assert (again.status, again.id == known.id) == ("created", False)
    assert again.memory is not None
    assert "old" not in again.memory.tags


def test_a_forgotten_successor_leaves_its_predecessor_closed(log: MemoryLog) -> None:
    log.add("Ana lives in Rome")
    oslo = log.add("Ana lives in Oslo")
    log.memory.forget(oslo.id)
    assert log.live() == set()
    assert log.add("Ana lives in Rome").status == "created"
    assert log.live() == {"Ana lives in Rome"}


def test_a_repeated_quarantined_text_stays_hidden(log: MemoryLog) -> None:
    hidden = log.add(INJECTED, source_type="external_data")
    for source_type in ("external_data", "user_input", "system"):
        again = log.add(INJECTED, source_type=source_type)
        assert again.id == hidden.id
        assert log.get(hidden).status == "quarantined"
    assert log.live() == set()


def test_another_witness_counts_once(log: MemoryLog) -> None:
    known = log.add("The door is red", source_id="one", confidence=0.5)
    for source_id in ("one", "two", "two"):
        log.add("The  DOOR is red", source_id=source_id, confidence=0.7, tags=[source_id])
    merged = log.get(known)
    assert merged.confidence == 0.7
    assert set(merged.tags) == {"one", "two"}
    assert merged.evidence_count >= 2


def test_a_key_edits_without_comparison(log: MemoryLog) -> None:
    log.add("Ana lives in Rome", key="home")
    assert log.add("Ana lives in Oslo", key="home").status == "updated"
    assert log.add("Ana lives in Oslo", key="home").status == "noop"
    (memory,) = log.memory.iter_memories()
    assert (memory.content, memory.version) == ("Ana lives in Oslo", 2)
    assert log.past(memory) == ["Ana lives in Rome", "Ana lives in Oslo"]


def test_a_closed_memory_gives_its_key_back(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", key="home")
    log.add("Ana lives in Oslo")
    again = log.add("Ana lives in Bern", key="home")
    assert again.id != rome.id
    assert log.live() == {"Ana lives in Bern"}
    named = log.memory.get(key="home")
    assert named is not None
    assert named.id == again.id


def test_a_batch_is_the_same_as_one_after_another(log: MemoryLog) -> None:
    texts = [
        ("Ana lives in Rome", {}),
        ("Ana lives in Oslo", {}),
        ("Ana lives in Rome", {}),
        ("Ana lives in Bern", {"valid_from": log.days(-5)}),
        ("Ana lives in Rome", {}),
        ("Ana likes tea", {}),
        ("Ana no longer likes tea", {}),
        ("Ana likes tea", {}),
    ]
    together = MemoryLog(log.memory.embedder)
    outcomes = together.memory.remember_many([{"content": text, **given} for text, given in texts])
    alone = [log.memory.remember(text, **given) for text, given in texts]
    assert [o.status for o in outcomes] == [o.status for o in alone]
    assert together.live() == log.live() == {"Ana lives in Rome", "Ana likes tea", "Ana no longer likes tea"}
    assert [o.status for o in outcomes[:5]] == ["created", "updated", "updated", "created", "noop"]
    assert together.past(outcomes[0]) == log.past(alone[0])
    assert together.memory.verify_audit().ok
    together.memory.close()
