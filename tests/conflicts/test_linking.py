"""Links between memories, drawn by the caller."""

from __future__ import annotations

import pytest

from engrain import NotFound
from engrain.model.choices import LinkRelation
from engrain.model.memory import RELATIONS
from tests.conflicts.memory_log import MemoryLog

BOTH_WAYS = ("related", "contradicts")


def ends(log: MemoryLog, one: object, other: object) -> list[list[tuple[str, str]]]:
    """Return the links of both."""
    return [[(link.relation, link.memory_id) for link in log.get(each).links] for each in (one, other)]  # type: ignore[arg-type]


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_link_is_drawn_once_and_shows_where_it_should(log: MemoryLog, relation: LinkRelation) -> None:
    rain, mud = log.add("It rained all night"), log.add("The yard is full of mud")
    assert log.memory.link(rain.id, mud.id, relation) is True
    assert log.memory.link(rain.id, mud.id, relation) is False
    back = [(relation, rain.id)] if relation in BOTH_WAYS else []
    assert ends(log, rain, mud) == [[(relation, mud.id)], back]
    assert log.memory.link(mud.id, rain.id, relation) is (relation not in BOTH_WAYS)
    assert [entry.operation for entry in log.audit(rain)] == ["create", "link"]


@pytest.mark.parametrize("relation", [name for name in RELATIONS if name != "derived_from"])
def test_a_link_is_taken_away_from_either_end_it_shows_on(log: MemoryLog, relation: LinkRelation) -> None:
    rain, mud = log.add("It rained all night"), log.add("The yard is full of mud")
    log.memory.link(rain.id, mud.id, relation)
    one, other = (mud, rain) if relation in BOTH_WAYS else (rain, mud)
    assert log.memory.unlink(one.id, other.id, relation) is True
    assert log.memory.unlink(one.id, other.id, relation) is False
    assert ends(log, rain, mud) == [[], []]


def test_provenance_stays(log: MemoryLog) -> None:
    rain, mud = log.add("It rained all night"), log.add("The yard is full of mud")
    log.memory.link(mud.id, rain.id, "derived_from")
    with pytest.raises(ValueError, match="provenance"):
        log.memory.unlink(mud.id, rain.id, "derived_from")


def test_causes_form_a_chain_even_in_a_circle(log: MemoryLog) -> None:
    rain, mud, boots = (log.add(text) for text in ("It rained", "There is mud", "The boots are dirty"))
    log.memory.link(rain.id, mud.id, "causes")
    log.memory.link(mud.id, boots.id, "causes")
    assert log.get(rain).causal_chain == (mud.id, boots.id)
    log.memory.link(boots.id, rain.id, "causes")
    assert set(log.get(rain).causal_chain) >= {mud.id, boots.id}


def test_a_memory_found_to_derive_from_a_less_trusted_one_loses_trust(log: MemoryLog) -> None:
    page = log.add("A page says that the door is red", source_type="external_data")
    known = log.add("The door is red", source_type="user_input")
    log.memory.link(known.id, page.id, "derived_from")
    assert (log.get(known).trust, log.get(known).source.type) == (0.3, "external_data")
    log.memory.link(page.id, known.id, "derived_from")
    assert log.get(page).trust == 0.3


def test_isolation_has_no_exception(log: MemoryLog) -> None:
    mine = log.memory.scoped(user="ana").remember("The door is red")
    foreign = log.memory.scoped(user="bo").remember("The door is red")
    for one, other in ((mine.id, foreign.id), (foreign.id, mine.id), (mine.id, "mem_unknown")):
        for act in (log.memory.scoped(user="ana").link, log.memory.scoped(user="ana").unlink):
            with pytest.raises(NotFound):
                act(one, other)
    with pytest.raises(ValueError, match="different users"):
        log.memory.link(mine.id, foreign.id)
    assert ends(log, mine, foreign) == [[], []]


def test_an_unknown_relation_and_a_loop_are_refused(log: MemoryLog) -> None:
    one, other = log.add("It rained all night"), log.add("The yard is full of mud")
    for relation in ("supersedes", "Related", "", "likes"):
        with pytest.raises(ValueError, match="relation"):
            log.memory.link(one.id, other.id, relation)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="itself"):
        log.memory.link(one.id, one.id)
