"""Every write says what was decided, where and why; the audit trail keeps it without the text."""

from __future__ import annotations

import pytest

from tests.conflicts.memory_log import INJECTED, MemoryLog


def story(log: MemoryLog) -> list[object]:
    """Tell one of everything."""
    return [
        log.add("Ana lives in Rome", source_type="user_input"),
        log.add("Ana lives in Rome", source_type="user_input"),
        log.add("Ana lives in Oslo", source_type="tool_result"),
        log.add("Ana moved to Gori", source_type="user_input"),
        log.add("Actually, Ana lives in Bern", source_type="user_input"),
        log.add(INJECTED, source_type="external_data"),
    ]


@pytest.mark.parametrize(
    ("number", "status", "kind", "stage"),
    [
        (0, "created", "add", "4 markers"),
        (1, "noop", "duplicate", "1 exact"),
        (2, "pending", "pending", "2 slot"),
        (3, "updated", "supersede", "2 slot"),
        (4, "corrected", "supersede", "2 slot"),
        (5, "quarantined", "quarantine", "0 admission"),
    ],
)
def test_each_outcome_says_what_was_decided(log: MemoryLog, number: int, status: str, kind: str, stage: str) -> None:
    outcome = story(log)[number]
    decision = outcome.decision  # type: ignore[attr-defined]
    assert (outcome.status, decision.kind, decision.stage) == (status, kind, stage)  # type: ignore[attr-defined]
    assert decision.reason


def test_the_audit_trail_holds_the_reasons_and_no_text(log: MemoryLog) -> None:
    story(log)
    entries = log.audit()
    assert log.memory.verify_audit().ok
    for entry in entries:
        line = repr(entry)
        for word in ("Rome", "Oslo", "Gori", "Bern", "Ana", "reveal"):
            assert word not in line
    reasons = " | ".join(entry.reason for entry in entries if entry.operation == "create")
    for decided in ("supersede at 2 slot", "pending at 2 slot", "add at 4 markers"):
        assert decided in reasons


def test_every_change_of_state_has_its_entry(log: MemoryLog) -> None:
    story(log)
    operations: dict[str, list[str]] = {}
    for entry in log.audit():
        operations.setdefault(entry.memory_id, []).append(entry.operation)
    assert list(operations.values()) == [
        ["create", "supersede"],
        ["create"],
        ["create", "correct"],
        ["create"],
        ["create"],
    ]


def test_neighbours_are_named_with_their_cosine(log: MemoryLog) -> None:
    first = log.add("The blue kettle stands on the kitchen shelf")
    second = log.add("The blue kettle stands on the kitchen shelves")
    if log.memory.embedder is None:
        assert second.decision.neighbours == ()
        assert "similarity stage was skipped" in second.decision.reason
        return
    ((named, cosine),) = second.decision.neighbours
    assert named == first.id
    assert 0.85 <= cosine <= 1.0
    assert second.decision.stage == "3 similar"
