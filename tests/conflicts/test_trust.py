"""Only what is trusted as much closes a memory; the others wait."""

from __future__ import annotations

from itertools import product

import pytest

from engrain.model.memory import SourceType
from tests.conflicts.memory_log import INJECTED, MemoryLog

CLASSES = list(SourceType)  # most trusted first


@pytest.mark.matrix
@pytest.mark.parametrize(("older", "newer"), list(product(CLASSES, CLASSES)))
def test_a_lower_class_waits_and_an_equal_or_higher_one_closes(
    log: MemoryLog, older: SourceType, newer: SourceType
) -> None:
    rome = log.add("Ana lives in Rome", source_type=older)
    oslo = log.add("Ana lives in Oslo", source_type=newer)
    if CLASSES.index(newer) <= CLASSES.index(older):
        assert oslo.status == "updated"
        assert log.live() == {"Ana lives in Oslo"}
        return
    assert (oslo.status, oslo.decision.kind) == ("pending", "pending")
    assert log.live() == {"Ana lives in Rome", "Ana lives in Oslo"}
    waiting, known = log.get(oslo), log.get(rome)
    assert (waiting.status, waiting.status_reason, waiting.is_contested) == ("active", "contested", True)
    assert (known.superseded_by, known.valid_until, known.is_contested) == (None, None, False)
    for one, other in ((waiting, known), (known, waiting)):
        assert [(link.relation, link.memory_id) for link in one.links] == [("contradicts", other.id)]
    found = {hit.content: hit.contested for hit in log.memory.recall("where does Ana live?")}
    assert found == {"Ana lives in Rome": (oslo.id,), "Ana lives in Oslo": (rome.id,)}


@pytest.mark.parametrize("text", ["Ana no longer lives in Rome", "Actually, Ana lives in Oslo", "Ana moved to Oslo"])
def test_a_marker_does_not_let_a_lower_class_close_a_higher_one(log: MemoryLog, text: str) -> None:
    log.add("Ana lives in Rome", source_type="user_input")
    assert log.add(text, source_type="external_data").status == "pending"
    assert "Ana lives in Rome" in log.live()


def test_less_confidence_waits(log: MemoryLog) -> None:
    log.add("Ana lives in Rome", confidence=0.8)
    assert log.add("Ana lives in Oslo", confidence=0.7).status == "pending"
    assert log.add("Ana lives in Bern", confidence=0.8).status == "updated"
    assert log.live() == {"Ana lives in Oslo", "Ana lives in Bern"}


def test_confidence_is_compared_as_it_was_given(log: MemoryLog) -> None:
    log.add("Ana lives in Rome")
    second = log.add("Ana lives in Oslo")  # inherits .95, and is compared as 1.0
    assert log.get(second).confidence == 0.95
    third = log.add("Ana lives in Bern", confidence=0.9)
    assert third.status == "pending"
    assert log.add("Ana lives in Gori").status == "updated"


def test_a_pending_memory_closes_nothing_and_is_closed_by_nothing(log: MemoryLog) -> None:
    log.add("Ana lives in Rome", source_type="user_input")
    waiting = log.add("Ana lives in Oslo", source_type="tool_result")
    bern = log.add("Ana lives in Bern", source_type="user_input")
    assert bern.status == "updated"
    assert log.live() == {"Ana lives in Oslo", "Ana lives in Bern"}
    assert log.get(waiting).is_contested
    log.memory.validate(waiting.id)
    assert log.live() == {"Ana lives in Bern"}  # it had arrived before Bern did


def test_a_quarantined_memory_closes_nothing(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome")
    hidden = log.add(f"Ana moved to Oslo. {INJECTED}", fact=("Ana", "lives_in", "Oslo"), source_type="system")
    assert hidden.status == "quarantined"
    assert log.live() == {"Ana lives in Rome"}
    assert log.get(rome).links == ()
    assert [hit.contested for hit in log.memory.recall("where does Ana live?")] == [()]


def test_a_memory_derived_from_less_is_trusted_no_more(log: MemoryLog) -> None:
    page = log.add("A page about Ana says Oslo", source_type="external_data")
    log.add("Ana lives in Rome", source_type="llm_generated")
    derived = log.add("Ana lives in Oslo", source_type="system", derived_from=[page.id])
    assert derived.status == "pending"


def test_a_second_and_better_source_settles_what_waited(log: MemoryLog) -> None:
    log.add("Ana lives in Rome", source_type="user_input")
    waiting = log.add("Ana lives in Oslo", source_type="tool_result")
    assert log.add("Ana lives in Oslo", source_type="llm_generated").status == "noop"
    assert log.get(waiting).is_contested
    settled = log.add("Ana lives in Oslo", source_type="user_input")
    assert (settled.status, settled.id) == ("updated", waiting.id)
    assert log.live() == {"Ana lives in Oslo"}
    assert not log.get(waiting).is_contested
