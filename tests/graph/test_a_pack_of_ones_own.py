from __future__ import annotations

import pytest

from engrain.graph import Domain
from engrain.graph.extraction import extracted
from engrain.graph.packs import Packs, labels
from engrain.model.entities import Named, RelationPattern, Triple
from engrain.protocols import Domain as Protocol

GARDEN = Domain(
    name="garden",
    patterns={"plant": r"\b(?P<name>Rosa [a-z]+)\b"},
    aliases={"pest": {"Aphidoidea": ["greenfly", "plant lice"]}, "tool": {"Felco 2": []}},
    relation_patterns=[RelationPattern("harms", r"\b(?:eats?|harms?)\b", ("pest",), ("plant",))],
    cues=["spray"],
)
PACKS = Packs.of([GARDEN])


def test_it_is_a_pack() -> None:
    assert isinstance(GARDEN, Protocol)
    assert GARDEN.entity_types == ("plant", "pest", "tool")
    assert labels(GARDEN) == {"garden"}


def test_it_names_and_relates() -> None:
    found = extracted("Aphidoidea eats Rosa canina.", domain="garden", packs=PACKS)
    pest, plant = Named("pest", "Aphidoidea"), Named("plant", "Rosa canina")
    assert {(each.type, each.name) for each in found.mentions} == {pest, plant}
    assert [each._replace(weight=1.0) for each in found.triples] == [Triple(pest, "harms", plant)]


def test_ordinary_words_count_in_its_own_memories_only() -> None:
    text = "I had to spray plant lice."
    assert [each.name for each in extracted(text, domain="garden", packs=PACKS).mentions] == ["Aphidoidea"]
    assert not extracted(text, domain="general", packs=PACKS).mentions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": " "}, "a pack needs a name"),
        ({"name": "x", "patterns": {"plant": "("}}, "the pattern of type 'plant' is no regular expression"),
        ({"name": "x", "patterns": {"My Plant": "a"}}, "'My Plant' is no type name.*'my_plant'"),
        ({"name": "x", "aliases": {"plant": {"Rosa": [" "]}}}, "' ' is no name; leave it out"),
        ({"name": "x", "relation_patterns": [RelationPattern("a", "(")]}, "the relation pattern of 'a' is no regular"),
    ],
)
def test_bad_values_are_told_what_to_do(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Domain(**given)  # type: ignore[arg-type]


def test_a_string_is_no_list_of_names() -> None:
    with pytest.raises(TypeError, match="put 'rose' into a list"):
        Domain(name="x", aliases={"plant": {"Rosa": "rose"}})
