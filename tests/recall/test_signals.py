"""Why a hit ranks where it does: the lists that found it, the multipliers it was given, and the steps of the recall."""

from __future__ import annotations

import pytest

from engrain import Hit, MemoryManager, Recall
from engrain.policies import Convex


@pytest.fixture
def tea(memory: MemoryManager) -> MemoryManager:
    """A memory with three things about tea and one about something else."""
    memory.remember("Ana drinks green tea every morning")
    memory.remember("Ben bought tea in Kyoto")
    memory.remember("The kettle is for tea", importance=0.9)
    memory.remember("The bus leaves at eight")
    return memory


def values(hit: Hit) -> dict[str, float]:
    """Return the signals of a hit by name."""
    return {signal.name: signal.value for signal in hit.signals}


def names(found: Recall) -> list[str]:
    """Return the stages of a recall."""
    return [stage.name for stage in found.trace]


def test_the_lists_that_found_a_hit_are_named_with_its_rank(tea: MemoryManager) -> None:
    ranks = [{s.name: s.rank for s in hit.signals if s.rank} for hit in tea.recall("green tea")]
    assert ranks[0] == {"words": 1, "meaning": 1}
    assert sorted(rank["meaning"] for rank in ranks) == [1, 2, 3, 4]
    assert [rank["words"] for rank in ranks if "words" in rank].count(1) == 1


def test_a_hit_found_by_meaning_alone_says_so(tea: MemoryManager) -> None:
    (hit,) = (hit for hit in tea.recall("tea") if "bus" in hit.content)
    assert [signal.name for signal in hit.signals if signal.rank] == ["meaning"]


def test_multipliers_are_named_and_have_no_rank(tea: MemoryManager) -> None:
    (hit,) = (hit for hit in tea.recall("kettle", ranking=Convex(importance=0.1)) if "kettle" in hit.content)
    (boost,) = (signal for signal in hit.signals if signal.name == "x importance")
    assert boost.value == pytest.approx(1.04)
    assert boost.rank == 0


def test_multipliers_that_change_nothing_are_left_out(memory: MemoryManager) -> None:
    memory.remember("Ana drinks tea", importance=0.5)
    assert not [signal for signal in memory.recall("tea")[0].signals if signal.name.startswith("x ")]


@pytest.mark.parametrize(
    ("source_type", "factor"),
    [("system", None), ("user_input", None), ("llm_generated", None), ("tool_result", 0.8), ("external_data", 0.8)],
)
def test_a_memory_of_little_trust_counts_less(memory: MemoryManager, source_type: str, factor: float | None) -> None:
    memory.remember("the tea is cold", source_type=source_type)
    assert values(memory.recall("tea")[0]).get("x trust") == factor


def test_a_trusted_twin_ranks_first(memory: MemoryManager) -> None:
    memory.remember("the tea is cold", source_type="external_data", kind="procedural")
    memory.remember("the tea is cold", source_type="user_input", kind="semantic")
    assert [hit.memory.source.type for hit in memory.recall("cold tea")] == ["user_input", "external_data"]


def test_an_often_recalled_memory_outranks_its_twin_by_strength(memory: MemoryManager) -> None:
    memory.remember("the tea is cold", kind="semantic")
    memory.remember("the tea is cold", kind="procedural")
    for _ in range(5):
        memory.recall("tea", kinds=["procedural"])
    memory.flush()
    assert "x strength" not in values(memory.recall("tea", touch=False)[0])
    first = memory.recall("tea", ranking=Convex(strength=0.05))[0]
    assert first.memory.kind == "procedural"
    assert values(first)["x strength"] == pytest.approx(1.025)


class TestSpeakers:
    def test_who_is_named_is_boosted(self, memory: MemoryManager) -> None:
        memory.remember("I adopted a cat", actor="Ben", session="s")
        memory.remember("I adopted a dog", actor="Ana", session="s")
        found = memory.recall("what did Ana adopt?")
        assert found.texts[0] == "I adopted a dog"
        assert values(found[0])["x speaker"] == pytest.approx(1.8)

    def test_who_is_named_is_no_filter(self, memory: MemoryManager) -> None:
        memory.remember("I adopted a cat", actor="Ben", session="s")
        memory.remember("I like rain", actor="Ana", session="s")
        assert "I adopted a cat" in memory.recall("what did Ana adopt?").texts

    def test_i_is_the_user_and_you_the_assistant(self, memory: MemoryManager) -> None:
        memory.remember("the blue paint is best", source_type="user_input", session="s", actor="user")
        memory.remember("the blue paint is best", source_type="llm_generated", session="s", actor="assistant")
        mine, yours = memory.recall("what did I say of blue paint?"), memory.recall("what did you say of blue paint?")
        assert (mine[0].memory.actor, yours[0].memory.actor) == ("user", "assistant")


class TestTrace:
    def test_each_step_of_a_recall_is_there(self, tea: MemoryManager) -> None:
        assert names(tea.recall("tea")) == ["understand", "words", "meaning", "gather", "fuse and boost", "cut"]

    def test_a_date_adds_a_step(self, tea: MemoryManager) -> None:
        assert "time" in names(tea.recall("what tea did we drink in January 2026?"))

    def test_an_empty_question_has_its_own(self, tea: MemoryManager) -> None:
        found = tea.recall("")
        assert names(found) == ["understand", "newest"]
        assert found.trace[-1].notes == ("the question is empty: recency and importance alone",)

    def test_what_came_in_and_went_out_adds_up(self, tea: MemoryManager) -> None:
        steps = {stage.name: stage for stage in tea.recall("tea", k=2).trace}
        assert (steps["words"].came_in, steps["words"].went_out) == (4, 3)
        assert steps["gather"].went_out == steps["fuse and boost"].came_in == 4
        assert (steps["cut"].came_in, steps["cut"].went_out) == (4, 2)
        assert all(stage.ms >= 0 for stage in steps.values())

    def test_understanding_says_what_it_understood(self, memory: MemoryManager) -> None:
        memory.remember("I adopted a dog", actor="Ana", session="s")
        (understood, *_) = memory.recall("why did Ana adopt a dog?").trace
        assert "intent causal" in understood.notes
        assert "names Ana" in understood.notes
        assert any(note.startswith("words ") and "dog" in note for note in understood.notes)

    def test_a_bar_on_relevance_is_noted(self, tea: MemoryManager) -> None:
        assert tea.recall("tea", min_score=0.25).trace[-1].notes == ("relevance at least 0.25",)
