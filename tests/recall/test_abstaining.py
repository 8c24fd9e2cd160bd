"""A recall that finds nothing relevant enough says so, and shows its hits all the same."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, Settings
from tests.recall.world import opened, remember_all

TEXTS = ("tea in the garden", "a lantern on the wall", "the ferry leaves at noon")


@pytest.mark.parametrize(
    ("below", "question", "abstained"),
    [
        (0.0, "zebra", False),
        (0.25, "zebra", True),
        (0.25, "garden tea", False),
        (1.0, "garden tea", False),
        (1.0, "garden zebra", True),
        (1.0, "", False),
        (1.0, "  ", False),
    ],
)
def test_a_recall_abstains_when_nothing_is_relevant_enough(below: float, question: str, abstained: bool) -> None:
    with opened(settings=Settings(worker="none", abstain_below=below)) as memory:
        remember_all(memory, *TEXTS)
        found = memory.recall(question, touch=False)
        assert found.abstained == abstained == memory.recall_deep(question, touch=False).abstained
        assert memory.recall(question, k=0).abstained is False


def test_abstaining_keeps_the_hits() -> None:
    with opened(settings=Settings(worker="none", abstain_below=1.0)) as memory:
        remember_all(memory, *TEXTS)
        found = memory.recall("garden zebra")
        assert found.abstained
        assert found.texts == ("tea in the garden",)


def test_min_score_may_leave_nothing_to_answer_from() -> None:
    with opened() as memory:
        remember_all(memory, *TEXTS)
        least = memory.recall("garden zebra", touch=False)[0].relevance
        assert memory.recall("garden zebra", min_score=least, touch=False).texts == ("tea in the garden",)
        found = memory.recall("garden zebra", min_score=least + 0.0001, touch=False)
        assert found.abstained
        assert not found


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, True, "high"])
def test_min_score_is_a_share(value: Any) -> None:
    with opened() as memory, pytest.raises((TypeError, ValueError), match="min_score"):
        memory.recall("tea", min_score=value)


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("0.1", 0.1), ("1", 1.0)])
def test_the_environment_sets_where_abstaining_begins(monkeypatch: pytest.MonkeyPatch, text: str, value: float) -> None:
    monkeypatch.setenv("ENGRAIN_ABSTAIN_BELOW", text)
    with MemoryManager(":memory:", embedder=None) as memory:
        assert memory.settings.abstain_below == value
        memory.remember("tea in the garden")
        assert memory.recall("garden zebra").abstained == (value == 1.0)


@pytest.mark.parametrize("text", ["-0.1", "1.5", "nan", "high", "true", ""])
def test_the_environment_is_checked(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ENGRAIN_ABSTAIN_BELOW", text)
    with pytest.raises(ConfigError, match="(?i)abstain_below"):
        Settings.load()


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, True, "0.5", None])
def test_it_begins_between_0_and_1(value: Any) -> None:
    with pytest.raises(ConfigError, match="abstain_below"):
        Settings(abstain_below=value)
