"""The procedures for a task: those that fit, the proven before the doubtful."""

from __future__ import annotations

from engrain import MemoryManager
from engrain.model.memory import Memory


def stored(memory: MemoryManager, name: str, outcomes: str = "", **fields: object) -> Memory:
    kept = memory.procedures.store({"name": name, "steps": [{"action": f"do {name}"}], **fields})
    for outcome in outcomes:
        memory.procedures.record_outcome(kept.id, success=outcome == "+")
    return kept


def test_words_and_trigger_conditions_find_it(memory: MemoryManager) -> None:
    tea = stored(memory, "Brew tea")
    coat = stored(memory, "Fetch a coat", trigger_conditions=["freezing outside"])
    assert memory.procedures.find("brew some tea")[0].id == tea.id
    assert memory.procedures.find("it is freezing outside")[0].id == coat.id
    assert memory.recall("brew tea", kinds=["procedural"])[0].id == tea.id


def test_nothing_but_procedures_is_found(memory: MemoryManager) -> None:
    memory.remember("Ana brews tea every day")
    assert memory.procedures.find("brew tea") == []


def test_the_proven_come_first_and_the_demoted_last(memory: MemoryManager) -> None:
    doubtful, fresh, proven = (
        stored(memory, f"Brew tea {way}", outcomes) for way, outcomes in (("a", "+----"), ("b", ""), ("c", "++++"))
    )
    found = memory.procedures.find("brew tea")
    assert [hit.id for hit in found] == [proven.id, fresh.id, doubtful.id]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert "x standing" in {signal.name for signal in found[0].signals}


def test_a_fulfilled_trigger_raises_it(memory: MemoryManager) -> None:
    plain = stored(memory, "Pack the bag slowly")
    fitting = stored(memory, "Pack the bag quickly", trigger_conditions=["late train"])
    assert {plain.id, fitting.id} == {hit.id for hit in memory.procedures.find("pack the bag")}
    assert memory.procedures.find("pack the bag: late for the train")[0].id == fitting.id


def test_as_many_as_are_asked_for(memory: MemoryManager) -> None:
    for number in range(9):
        stored(memory, f"Brew tea number {number}")
    assert len(memory.procedures.find("brew tea")) == 5
    assert len(memory.procedures.find("brew tea", k=2)) == 2
    assert memory.procedures.find("brew tea", k=0) == []


def test_only_what_is_found_counts_as_accessed(memory: MemoryManager) -> None:
    ids = [stored(memory, f"Brew tea number {number}").id for number in range(4)]
    found = {hit.id for hit in memory.procedures.find("brew tea", k=1)}
    assert {name for name in ids if (held := memory.get(name)) and held.access_count} == found
