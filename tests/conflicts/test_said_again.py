"""What is said again: known, a new version, afresh, or still hidden."""

from __future__ import annotations

from tests.conflicts.told import INJECTED, Told


def test_back_to_rome_is_a_new_version(told: Told) -> None:
    outcomes = [told.tell(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Rome")]
    assert [outcome.status for outcome in outcomes] == ["created", "updated", "updated"]
    assert len({outcome.id for outcome in outcomes}) == 3
    assert told.live() == {"Ana lives in Rome"}
    assert told.past(outcomes[0]) == ["Ana lives in Rome", "Ana lives in Oslo", "Ana lives in Rome"]


def test_what_was_forgotten_is_kept_afresh(told: Told) -> None:
    known = told.tell("The door is red", tags=["old"])
    told.memory.forget(known.id)
    again = told.tell("The door is red")
    assert (again.status, again.id == known.id) == ("created", False)
    assert again.memory is not None
    assert "old" not in again.memory.tags


def test_a_forgotten_successor_leaves_its_predecessor_closed(told: Told) -> None:
    told.tell("Ana lives in Rome")
    oslo = told.tell("Ana lives in Oslo")
    told.memory.forget(oslo.id)
    assert told.live() == set()
    assert told.tell("Ana lives in Rome").status == "created"
    assert told.live() == {"Ana lives in Rome"}


def test_a_quarantined_text_stays_hidden_however_often_it_is_said(told: Told) -> None:
    hidden = told.tell(INJECTED, source_type="external_data")
    for source_type in ("external_data", "user_input", "system"):
        again = told.tell(INJECTED, source_type=source_type)
        assert again.id == hidden.id
        assert told.get(hidden).status == "quarantined"
    assert told.live() == set()


def test_another_witness_counts_once(told: Told) -> None:
    known = told.tell("The door is red", source_id="one", confidence=0.5)
    for source_id in ("one", "two", "two"):
        told.tell("The  DOOR is red", source_id=source_id, confidence=0.7, tags=[source_id])
    merged = told.get(known)
    assert merged.confidence == 0.7
    assert set(merged.tags) == {"one", "two"}
    assert merged.evidence_count >= 2


def test_a_key_edits_and_meets_nobody(told: Told) -> None:
    told.tell("Ana lives in Rome", key="home")
    assert told.tell("Ana lives in Oslo", key="home").status == "updated"
    assert told.tell("Ana lives in Oslo", key="home").status == "noop"
    (memory,) = told.memory.iter_memories()
    assert (memory.content, memory.version) == ("Ana lives in Oslo", 2)
    assert told.past(memory) == ["Ana lives in Rome", "Ana lives in Oslo"]


def test_a_closed_memory_gives_its_key_back(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", key="home")
    told.tell("Ana lives in Oslo")
    again = told.tell("Ana lives in Bern", key="home")
    assert again.id != rome.id
    assert told.live() == {"Ana lives in Bern"}
    named = told.memory.get(key="home")
    assert named is not None
    assert named.id == again.id


def test_a_batch_is_the_same_as_one_after_another(told: Told) -> None:
    texts = [
        ("Ana lives in Rome", {}),
        ("Ana lives in Oslo", {}),
        ("Ana lives in Rome", {}),
        ("Ana lives in Bern", {"valid_from": told.days(-5)}),
        ("Ana lives in Rome", {}),
        ("Ana likes tea", {}),
        ("Ana no longer likes tea", {}),
        ("Ana likes tea", {}),
    ]
    together = Told(told.memory.embedder)
    outcomes = together.memory.remember_many([{"content": text, **given} for text, given in texts])
    alone = [told.memory.remember(text, **given) for text, given in texts]
    assert [o.status for o in outcomes] == [o.status for o in alone]
    assert together.live() == told.live() == {"Ana lives in Rome", "Ana likes tea", "Ana no longer likes tea"}
    assert [o.status for o in outcomes[:5]] == ["created", "updated", "updated", "created", "noop"]
    assert together.past(outcomes[0]) == told.past(alone[0])
    assert together.memory.verify_audit().ok
    together.memory.close()
