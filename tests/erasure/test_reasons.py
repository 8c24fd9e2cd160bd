"""Reasons that quote what is erased go with it, wherever they are; those of other owners and other things stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.model.audit import Receipt
from tests.rows import standing

SECRET = "Vexillo4711q"


def erased(view: MemoryManager, memory_id: str, reason: str | None = None) -> Receipt:
    receipt = view.forget(memory_id, hard=True, reason=reason).receipt
    assert receipt is not None
    assert receipt.verified
    return receipt


def reasons(view: MemoryManager) -> str:
    return " ".join(entry.reason for entry in view.audit_log())


def test_that_of_the_erasure_itself(memory: MemoryManager, tmp_path: Path) -> None:
    gone = memory.remember(f"the code is {SECRET}").id
    assert erased(memory, gone, f"{SECRET.lower()} was changed").removed["reasons"] == 2
    assert standing(tmp_path / "memory.db", [SECRET, SECRET.lower()]) == []
    other = memory.remember("the gate has a code").id
    erased(memory, other, "asked for")
    assert memory.audit_log(operation="erase")[0].reason == "asked for"


@pytest.mark.parametrize("mark", ["\u00ad", "\u200b", "\u2060", "\u2063", "\ufe0f", "\U000e0041"])
def test_that_of_the_erasure_itself_with_a_character_that_is_not_shown(memory: MemoryManager, mark: str) -> None:
    gone = memory.remember(f"the code is {SECRET}").id
    erased(memory, gone, f"{SECRET[:4]}{mark}{SECRET[4:]} was changed")
    assert "4711" not in reasons(memory)


def test_those_of_other_memories(memory: MemoryManager, tmp_path: Path) -> None:
    ana = memory.scoped(user="ana")
    gone = ana.remember(f"the code is {SECRET}").id
    tea, old, waits = (ana.remember(text).id for text in ("Ana drinks tea", "Rex sleeps in the barn", "Mia is ill"))
    ana.update(tea, importance=0.9, reason=f"told with {SECRET}")
    ana.update(tea, importance=0.8, reason="she likes it")
    ana.supersede(tea, "Ana drinks coffee", reason=f"so says {SECRET}")
    ana.forget(old, reason=f"false, by {SECRET}")
    ana.forget(waits, reason=f"false, by {SECRET}")
    ana.reinstate(waits)  # its earlier state has the reason too
    erased(ana, gone)
    assert standing(tmp_path / "memory.db", [SECRET]) == []
    assert SECRET not in reasons(memory)
    assert "she likes it" in reasons(ana)
    assert [each.status_reason for each in memory.history(waits)] == [""]
    assert memory.verify_audit().ok
    assert memory.audit_integrity().integrity_score == 1.0


def test_that_of_an_erasure_before(memory: MemoryManager, tmp_path: Path) -> None:
    ana = memory.scoped(user="ana")
    gone, first = ana.remember(f"the code is {SECRET}").id, ana.remember("Ana drinks tea").id
    ana.forget(first, hard=True, reason=f"it stood beside {SECRET}")
    erased(ana, gone)
    assert standing(tmp_path / "memory.db", [SECRET]) == []


def test_a_quotation_in_full_of_ordinary_words(memory: MemoryManager, tmp_path: Path) -> None:
    gone = memory.remember("the gate opens at seven").id
    note = memory.remember("at seven the other gate opens").id
    memory.update(note, importance=0.9, reason="not as in: the gate opens at seven")
    erased(memory, gone)
    assert standing(tmp_path / "memory.db", ["the gate opens at seven"]) == []


def test_those_of_another_owner_and_of_decisions_stay(memory: MemoryManager) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    gone = ana.remember(f"nothing is known of {SECRET}").id
    theirs, own = bo.remember("Bo drinks tea").id, ana.remember("Ana drinks tea").id
    bo.update(theirs, importance=0.9, reason=f"as in {SECRET}")
    bo.forget(theirs, reason=f"as in {SECRET}")
    before = reasons(bo), memory.audit_log(memory_id=own)[0].reason
    erased(ana, gone)
    assert (reasons(bo), memory.audit_log(memory_id=own)[0].reason) == before
    assert "nothing" in before[1]
    (state,) = bo.list_memories(status="forgotten")
    assert SECRET in state.status_reason


def test_the_log_of_its_owner_shows_the_erasure(memory: MemoryManager) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    scout = ana.scoped(agent="scout")
    gone, hidden = ana.remember("the code is 4711").id, scout.remember("the scout saw a bird").id
    kept = ana.remember("Ana drinks tea").id
    erased(ana, gone, "asked for")
    erased(scout, hidden)
    shown = [(entry.operation, entry.reason) for entry in ana.audit_log(memory_id=gone)]
    assert shown == [("erase", "asked for"), ("create", "")]
    assert {entry.memory_id for entry in ana.audit_log()} == {gone, hidden, kept}
    assert {entry.memory_id for entry in scout.audit_log()} == {hidden, kept}
    assert list(bo.audit_log()) == list(bo.audit_log(memory_id=gone)) == []
    assert {entry.memory_id for entry in memory.for_org("acme").audit_log()} == set()


def test_an_entity_without_memories_is_erased_too(memory: MemoryManager, tmp_path: Path) -> None:
    ana = memory.scoped(user="ana")
    gone = ana.remember(f"nothing is known of {SECRET}").id
    common, waits = memory.remember("The river is wide").id, memory.remember("The gate is narrow").id
    memory.update(common, importance=0.8, reason=f"as in {SECRET}")
    memory.update(common, importance=0.7, reason="measured")
    memory.forget(waits, reason=f"false, by {SECRET}")
    memory.reinstate(waits)
    memory.forget(memory.remember("The door is open").id, reason=f"false, by {SECRET}")
    erased(ana, gone)
    assert SECRET not in reasons(memory)
    assert "measured" in reasons(memory)
    assert standing(tmp_path / "memory.db", [SECRET]) == []


def test_a_word_that_nobodys_memory_has_may_stay_in_its_reasons(memory: MemoryManager) -> None:
    ana = memory.scoped(user="ana")
    gone = ana.remember("the gate opens at seven").id
    common = memory.remember("The gate is narrow").id
    memory.update(common, importance=0.8, reason="the gate was rebuilt")
    erased(ana, gone)
    assert "the gate was rebuilt" in reasons(memory)
