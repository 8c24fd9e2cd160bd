from __future__ import annotations

import re

import pytest

from engrain.graph import Domain
from engrain.graph.extraction import extracted
from engrain.graph.packs import Packs
from engrain.model.entities import Mention, Named, RelationPattern, Triple
from engrain.protocols import Domain as Protocol

GARDEN = Domain(
    name="garden",
    patterns={"plant": r"\b(?P<name>Rosa [a-z]+)\b"},
    aliases={"pest": {"Aphidoidea": ["greenfly", "plant lice"]}, "tool": {"Felco 2": []}},
    relation_patterns=[RelationPattern("harms", r"\b(?:eats?|harms?)\b", ("pest",), ("plant",))],
    cues=["spray"],
)
PACKS = Packs.of([GARDEN])
BERTH = re.compile(r"\b([A-F])-?(\d\d)\b")


def test_it_is_a_pack() -> None:
    assert isinstance(GARDEN, Protocol)
    assert GARDEN.entity_types == ("plant", "pest", "tool")
    assert GARDEN.domains == ("garden",)


def test_it_names_and_relates() -> None:
    found = extracted("Aphidoidea eats Rosa canina.", domain="garden", packs=PACKS)
    pest, plant = Named("pest", "Aphidoidea"), Named("plant", "Rosa canina")
    assert {(each.type, each.name) for each in found.mentions} == {pest, plant}
    assert [each._replace(weight=1.0) for each in found.triples] == [Triple(pest, "harms", plant)]


def test_ordinary_words_count_in_its_own_memories_only() -> None:
    text = "I had to spray plant lice."
    assert [each.name for each in extracted(text, domain="garden", packs=PACKS).mentions] == ["Aphidoidea"]
    assert not extracted(text, domain="general", packs=PACKS).mentions


def test_code_of_a_pack_runs_only_where_its_expression_is_found() -> None:
    asked = []

    def berths(text: str) -> list[Mention]:
        asked.append(text)
        return [Mention("berth", found[1] + found[2], *found.span()) for found in BERTH.finditer(text)]

    packs = Packs.of([Domain(name="marina", entity_types=["berth"], finders={r"[A-F]-?\d": berths})])
    for text in ("The Kestrel is at B-07.", "Nobody is at home."):
        extracted(text, domain="marina", packs=packs)
    assert asked == ["The Kestrel is at B-07."]
    assert extracted(asked[0], domain="marina", packs=packs).mentions == (Mention("berth", "B07", 18, 22),)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": " "}, "a pack needs a name"),
        ({"name": "x", "patterns": {"plant": "("}}, "the pattern of type 'plant' is no regular expression"),
        ({"name": "x", "patterns": {"My Plant": "a"}}, "'My Plant' is no type name.*'my_plant'"),
        ({"name": "x", "aliases": {"plant": {"Rosa": [" "]}}}, "' ' is no name; leave it out"),
        ({"name": "x", "finders": {"(": list}}, "a trigger of finders is no regular expression"),
        ({"name": "x", "relation_patterns": [RelationPattern("a", "(")]}, "the relation pattern of 'a' is no regular"),
    ],
)
def test_bad_values_are_refused_with_what_to_do(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Domain(**given)  # type: ignore[arg-type]


def test_a_string_is_no_list_of_names() -> None:
    with pytest.raises(TypeError, match="put 'rose' into a list"):
        Domain(name="x", aliases={"plant": {"Rosa": "rose"}})
