"""The choices that signatures name are those that there are."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, get_args

import pytest

from engrain import Kind, Role, SourceType, Status
from engrain.chat.formats import FORMATS
from engrain.graph import files
from engrain.model import choices
from engrain.model.choices import checked_choice
from engrain.model.memory import RELATIONS, Heat, JobState
from engrain.model.results import Format
from engrain.read.ranking import resolve_scoring

ENUMERATIONS: dict[str, type[StrEnum]] = {
    "KindName": Kind,
    "SourceTypeName": SourceType,
    "HeatName": Heat,
    "JobStateName": JobState,
    "RoleName": Role,
    "AnswerFormat": Format,
}
LITERALS = sorted(name for name, value in vars(choices).items() if name[0].isupper() and get_args(value))


def values(name: str) -> tuple[Any, ...]:
    return get_args(getattr(choices, name))


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_a_choice_has_the_values_of_its_enumeration(name: str) -> None:
    assert values(name) == tuple(ENUMERATIONS[name])


def test_others_are_made_of_these() -> None:
    assert set(values("PromotionTarget")) == set(values("KindName")) - {"working"}
    assert set(values("StatusFilter")) == {*Status, "superseded", "all"}
    assert set(values("ImportTrust")) == {*values("SourceTypeName"), "file"}
    assert set(values("MessageFormat")) == {*FORMATS, "messages"} == set(values("PromptFormat")) - {"text"}
    assert {each.removeprefix("-") for each in values("Order")} == {*values("Order")[::2]}


def test_what_they_name_is_there() -> None:
    assert set(values("GraphFormat")) == set(files._FORMATS)
    assert values("LinkRelation") == RELATIONS
    assert [resolve_scoring(name, None).name for name in values("RankingName")] == list(values("RankingName"))


@pytest.mark.parametrize("name", LITERALS)
def test_a_choice_is_checked_against_the_same_list(name: str) -> None:
    literal = getattr(choices, name)
    assert [checked_choice(each, "word", literal) for each in values(name)] == list(values(name))
    wrongs: tuple[object, ...] = ("", "lore", None, 5, [], values(name))
    for wrong in wrongs:
        with pytest.raises(ValueError, match=f"unknown word .*: use one of {values(name)[0]}"):
            checked_choice(wrong, "word", literal)
