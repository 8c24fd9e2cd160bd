"""Only what is trusted as much closes a memory; the others wait."""

from __future__ import annotations

from itertools import product

import pytest

from engrain.model.memory import SourceType
from tests.conflicts.told import INJECTED, Told

CLASSES = list(SourceType)  # most trusted first


@pytest.mark.parametrize(("older", "newer"), list(product(CLASSES, CLASSES)))
def test_a_lower_class_waits_and_an_equal_or_higher_one_closes(
    told: Told, older: SourceType, newer: SourceType
) -> None:
    rome = told.tell("Ana lives in Rome", source_type=older)
    oslo = told.tell("Ana lives in Oslo", source_type=newer)
    if CLASSES.index(newer) <= CLASSES.index(older):
        assert oslo.status == "updated"
        assert told.live() == {"Ana lives in Oslo"}
        return
    assert (oslo.status, oslo.decision.kind) == ("pending", "pending")
    assert told.live() == {"Ana lives in Rome", "Ana lives in Oslo"}
    waiting, known = told.get(oslo), told.get(rome)
    assert (waiting.status, waiting.status_reason, waiting.is_contested) == ("active", "contested", True)
    assert (known.superseded_by, known.valid_until, known.is_contested) == (None, None, False)
    for one, other in ((waiting, known), (known, waiting)):
        assert [(link.relation, link.memory_id) for link in one.links] == [("contradicts", other.id)]
    found = {hit.content: hit.contested for hit in told.memory.recall("where does Ana live?")}
    assert found == {"Ana lives in Rome": (oslo.id,), "Ana lives in Oslo": (rome.id,)}


@pytest.mark.parametrize("text", ["Ana no longer lives in Rome", "Actually, Ana lives in Oslo", "Ana moved to Oslo"])
def test_markers_open_no_door_to_a_lower_class(told: Told, text: str) -> None:
    told.tell("Ana lives in Rome", source_type="user_input")
    assert told.tell(text, source_type="external_data").status == "pending"
    assert "Ana lives in Rome" in told.live()


def test_less_confidence_waits(told: Told) -> None:
    told.tell("Ana lives in Rome", confidence=0.8)
    assert told.tell("Ana lives in Oslo", confidence=0.7).status == "pending"
    assert told.tell("Ana lives in Bern", confidence=0.8).status == "updated"
    assert told.live() == {"Ana lives in Oslo", "Ana lives in Bern"}


def test_confidence_is_compared_as_it_was_given(told: Told) -> None:
    told.tell("Ana lives in Rome")
    second = told.tell("Ana lives in Oslo")  # inherits .95, and is compared as 1.0
    assert told.get(second).confidence == 0.95
    third = told.tell("Ana lives in Bern", confidence=0.9)
    assert third.status == "pending"
    assert told.tell("Ana lives in Gori").status == "updated"


def test_what_waits_closes_nothing_and_is_closed_by_nothing(told: Told) -> None:
    told.tell("Ana lives in Rome", source_type="user_input")
    waiting = told.tell("Ana lives in Oslo", source_type="tool_result")
    bern = told.tell("Ana lives in Bern", source_type="user_input")
    assert bern.status == "updated"
    assert told.live() == {"Ana lives in Oslo", "Ana lives in Bern"}
    assert told.get(waiting).is_contested
    told.memory.validate(waiting.id)
    assert told.live() == {"Ana lives in Bern"}  # it had arrived before Bern did


def test_what_is_quarantined_closes_nothing(told: Told) -> None:
    rome = told.tell("Ana lives in Rome")
    hidden = told.tell(f"Ana moved to Oslo. {INJECTED}", fact=("Ana", "lives_in", "Oslo"), source_type="system")
    assert hidden.status == "quarantined"
    assert told.live() == {"Ana lives in Rome"}
    assert told.get(rome).links == ()
    assert [hit.contested for hit in told.memory.recall("where does Ana live?")] == [()]


def test_what_derives_from_less_is_trusted_no_more(told: Told) -> None:
    page = told.tell("A page about Ana says Oslo", source_type="external_data")
    told.tell("Ana lives in Rome", source_type="llm_generated")
    derived = told.tell("Ana lives in Oslo", source_type="system", derived_from=[page.id])
    assert derived.status == "pending"


def test_a_second_and_better_source_settles_what_waited(told: Told) -> None:
    told.tell("Ana lives in Rome", source_type="user_input")
    waiting = told.tell("Ana lives in Oslo", source_type="tool_result")
    assert told.tell("Ana lives in Oslo", source_type="llm_generated").status == "noop"
    assert told.get(waiting).is_contested
    settled = told.tell("Ana lives in Oslo", source_type="user_input")
    assert (settled.status, settled.id) == ("updated", waiting.id)
    assert told.live() == {"Ana lives in Oslo"}
    assert not told.get(waiting).is_contested
