"""Links between memories, drawn by the caller."""

from __future__ import annotations

import pytest

from engrain import NotFound
from engrain.model.choices import LinkRelation
from engrain.model.memory import RELATIONS
from tests.conflicts.told import Told

BOTH_WAYS = ("related", "contradicts")


def ends(told: Told, one: object, other: object) -> list[list[tuple[str, str]]]:
    """Return the links of both."""
    return [[(link.relation, link.memory_id) for link in told.get(each).links] for each in (one, other)]  # type: ignore[arg-type]


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_link_is_drawn_once_and_shows_where_it_should(told: Told, relation: LinkRelation) -> None:
    rain, mud = told.tell("It rained all night"), told.tell("The yard is full of mud")
    assert told.memory.link(rain.id, mud.id, relation) is True
    assert told.memory.link(rain.id, mud.id, relation) is False
    back = [(relation, rain.id)] if relation in BOTH_WAYS else []
    assert ends(told, rain, mud) == [[(relation, mud.id)], back]
    assert told.memory.link(mud.id, rain.id, relation) is (relation not in BOTH_WAYS)
    assert [entry.operation for entry in told.audit(rain)] == ["create", "link"]


@pytest.mark.parametrize("relation", [name for name in RELATIONS if name != "derived_from"])
def test_a_link_is_taken_away_from_either_end_it_shows_on(told: Told, relation: LinkRelation) -> None:
    rain, mud = told.tell("It rained all night"), told.tell("The yard is full of mud")
    told.memory.link(rain.id, mud.id, relation)
    one, other = (mud, rain) if relation in BOTH_WAYS else (rain, mud)
    assert told.memory.unlink(one.id, other.id, relation) is True
    assert told.memory.unlink(one.id, other.id, relation) is False
    assert ends(told, rain, mud) == [[], []]


def test_provenance_stays(told: Told) -> None:
    rain, mud = told.tell("It rained all night"), told.tell("The yard is full of mud")
    told.memory.link(mud.id, rain.id, "derived_from")
    with pytest.raises(ValueError, match="provenance"):
        told.memory.unlink(mud.id, rain.id, "derived_from")


def test_causes_form_a_chain_even_in_a_circle(told: Told) -> None:
    rain, mud, boots = (told.tell(text) for text in ("It rained", "There is mud", "The boots are dirty"))
    told.memory.link(rain.id, mud.id, "causes")
    told.memory.link(mud.id, boots.id, "causes")
    assert told.get(rain).causal_chain == (mud.id, boots.id)
    told.memory.link(boots.id, rain.id, "causes")
    assert set(told.get(rain).causal_chain) >= {mud.id, boots.id}


def test_what_turns_out_to_derive_from_less_is_trusted_no_more(told: Told) -> None:
    page = told.tell("A page says that the door is red", source_type="external_data")
    known = told.tell("The door is red", source_type="user_input")
    told.memory.link(known.id, page.id, "derived_from")
    assert (told.get(known).trust, told.get(known).source.type) == (0.3, "external_data")
    told.memory.link(page.id, known.id, "derived_from")
    assert told.get(page).trust == 0.3


def test_walls_have_no_doors(told: Told) -> None:
    mine = told.memory.scoped(user="ana").remember("The door is red")
    foreign = told.memory.scoped(user="bo").remember("The door is red")
    for one, other in ((mine.id, foreign.id), (foreign.id, mine.id), (mine.id, "mem_unknown")):
        for act in (told.memory.scoped(user="ana").link, told.memory.scoped(user="ana").unlink):
            with pytest.raises(NotFound):
                act(one, other)
    with pytest.raises(ValueError, match="different users"):
        told.memory.link(mine.id, foreign.id)
    assert ends(told, mine, foreign) == [[], []]


def test_an_unknown_relation_and_a_loop_are_refused(told: Told) -> None:
    one, other = told.tell("It rained all night"), told.tell("The yard is full of mud")
    for relation in ("supersedes", "Related", "", "likes"):
        with pytest.raises(ValueError, match="relation"):
            told.memory.link(one.id, other.id, relation)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="itself"):
        told.memory.link(one.id, one.id)
