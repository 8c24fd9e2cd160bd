"""Why a hit ranks where it does: the lists that found it, the multipliers it was given, and the steps of the recall."""

from __future__ import annotations

import math

import pytest

from engrain import Hit, MemoryManager, Recall
from engrain.model.choices import RankingName
from engrain.policies import Convex, EpisodicScore
from tests.recall.world import Says, opened, remember_all


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


def added_up(hit: Hit) -> float:
    """Return the sum of the parts of a hit, times its factors."""
    parts = sum(signal.value for signal in hit.signals if signal.name.startswith("+ "))
    return parts * math.prod(signal.value for signal in hit.signals if signal.name.startswith("x "))


@pytest.fixture
def chat(memory: MemoryManager) -> MemoryManager:
    """A memory of chats, linked statements, near-copies, less trusted ones, and one known by its neighbours only."""
    for day, session in enumerate(("harbour", "market", "station"), start=1):
        for turn in ("Where do you live, Ana?", "I live in Porto now", "Nice!", "Ben lives in Graz", "I sold my bike"):
            at, actor = f"2025-03-0{day}", "Ben" if turn.endswith("?") else "Ana"
            memory.remember(f"{turn} {'again ' * day}", session=session, actor=actor, valid_from=at, kind="episodic")
    one = memory.remember("Ana lives in Lisbon since the winter", source_type="user_input").id
    memory.remember("Ana lives in Dresden since the winter", source_type="external_data")
    memory.link(one, memory.remember("The kettle whistles", fact=("Ana", "owns", "a kettle")).id, "supports")
    return memory


@pytest.mark.matrix
@pytest.mark.parametrize("ranking", ["convex", "rrf", "intent_blend"])
@pytest.mark.parametrize(
    "question",
    ["where does Ana live?", "what happened on 2 March 2025?", "where does Ana live now?", "kettle", "who lives?", ""],
)
def test_the_parts_of_a_hit_add_up_to_its_score(chat: MemoryManager, question: str, ranking: RankingName) -> None:
    for k in (3, 30):
        found = chat.recall(question, k=k, ranking=ranking, expand_hops=1, touch=False)
        assert [added_up(hit) for hit in found] == pytest.approx([hit.score for hit in found], abs=2e-5)


def test_the_parts_of_a_question_with_other_phrasings_add_up() -> None:
    with opened(query_transformer=Says(["tea garden", "the lantern"])) as memory:
        remember_all(memory, "tea in the garden", "a lantern on the wall", "the ferry leaves at noon")
        found = memory.recall("tea", multi_query=3, touch=False)
    assert len(found.queries) == 3
    assert [added_up(hit) for hit in found] == pytest.approx([hit.score for hit in found], abs=2e-5)


def test_what_neighbours_and_the_session_lend_is_a_part_of_its_own(chat: MemoryManager) -> None:
    nice = next(hit for hit in chat.recall("where does Ana live?", k=30) if hit.content.startswith("Nice! again"))
    lisbon = next(hit for hit in chat.recall("where does Ana live?", k=30) if "Lisbon" in hit.content)
    assert {"+ beside", "+ session"} <= values(nice).keys()
    assert values(lisbon).keys().isdisjoint({"+ beside", "+ session"})


def test_a_policy_alone_makes_the_score_of_its_hits(chat: MemoryManager) -> None:
    for hit in chat.recall("where does Ana live?", ranking=EpisodicScore(), touch=False):
        assert {name for name in values(hit) if name.startswith("+ ")} <= {"+ rival"}


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

    def test_a_memory_put_before_a_less_trusted_one_counts_among_the_hits(self, memory: MemoryManager) -> None:
        memory.remember("Ana lives in Minsk, near the river Svislach", source_type="external_data")
        memory.remember("Ana lives in Rome", source_type="user_input")
        found = memory.recall("Svislach", k=1)
        assert found.texts == ("Ana lives in Rome",)
        assert (found.trace[-1].name, found.trace[-1].went_out) == ("trust", len(found))

    def test_understanding_says_what_it_understood(self, memory: MemoryManager) -> None:
        memory.remember("I adopted a dog", actor="Ana", session="s")
        (understood, *_) = memory.recall("why did Ana adopt a dog?").trace
        assert "intent causal" in understood.notes
        assert "names Ana" in understood.notes
        assert any(note.startswith("words ") and "dog" in note for note in understood.notes)

    def test_a_bar_on_relevance_is_noted(self, tea: MemoryManager) -> None:
        assert tea.recall("tea", min_score=0.25).trace[-1].notes == ("relevance at least 0.25",)
