"""Progressive summarization: turns, three summaries and facts within one budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.conversation import ProgressiveSummarizationMemory, TierConfig
from engrain.errors import ConfigError
from engrain.model.memory import KeyFact, Turn
from engrain.protocols import ConversationMemory, Tokenizer
from engrain.testing import FrozenClock
from tests.conversation.windows import POLICIES, TEXTS, TOKENIZERS, Choosing, Letters, failing


class Teller:
    """A compactor that keeps the last words, and takes words in capitals for facts."""

    def summarize(self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None) -> str:
        return f"{existing_summary or ''}{content}"[-target_tokens:]

    def extract_facts(self, content: str, source_tier: int = 0) -> list[KeyFact]:
        return [KeyFact(word, "entity") for word in content.split() if word.isupper()]


class Watcher:
    """Notes all it is notified of."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def __getattr__(self, event: str) -> Any:
        if not event.startswith("on_"):
            raise AttributeError(event)
        return lambda *arguments: self.heard.append((event, *arguments))


def in_letters(tokens: int = 64, **more: Any) -> ProgressiveSummarizationMemory:
    given: dict[str, Any] = {"tokenizer": Letters(), "compactor": Teller()}
    return ProgressiveSummarizationMemory(tokens, **given | more)


def filled(memory: ProgressiveSummarizationMemory, *contents: str) -> ProgressiveSummarizationMemory:
    for content in contents:
        memory.add_turn("user", content)
    return memory


def test_evicted_turns_are_summarised_in_the_first_tier():
    memory = filled(in_letters(), "A" * 16, "b" * 8, "c" * 8, "d" * 8)
    assert [turn.content[0] for turn in memory.turns] == ["b", "c", "d"]
    assert (memory.tiers[1].content, memory.tiers[1].source_turn_count) == ("A" * 8, 1)
    assert (memory.facts, memory.summary) == (["A" * 16], "A" * 8)
    assert (memory.total_tokens, memory.max_tokens) == (32, 64)


def test_a_quarter_of_the_turns_leaves_together():
    memory = filled(in_letters(), *("abcdefghi" * 4)[:33])
    assert isinstance(memory, ConversationMemory)
    assert (len(memory.turns), memory.tiers[1].source_turn_count) == (24, 9)


def test_items_come_oldest_first_and_the_facts_last():
    class Long(Teller):
        def summarize(
            self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
        ) -> str:
            return str(target_tier) * (target_tokens if existing_summary is None else 3 * target_tokens)

    memory = in_letters(compactor=Long())
    for number in range(20):
        memory.add_turn("user", f"FACT{number} " + "x" * 16)
        if len(memory.tiers) == 3:
            break
    items = memory.to_context_items()
    levels = [item.metadata.get("tier") for item in items]
    assert levels[: len(memory.tiers)] == sorted(memory.tiers, reverse=True)
    shown = [(item.priority, item.source) for item in items]
    assert shown[-len(memory.facts) :] == [(8, "memory")] * len(memory.facts)
    assert [item.score for item in items if item.source == "memory"] == [0.8] * len(memory.facts)
    by_tier = {item.metadata["tier"]: item for item in items if "tier" in item.metadata}
    assert {tier: item.priority for tier, item in by_tier.items()} == {
        tier: {1: 6, 2: 5, 3: 4}[tier] for tier in by_tier
    }
    assert all((item.score, item.metadata["summary"]) == (0.5, True) for item in by_tier.values())


@pytest.mark.parametrize(("priority", "expected"), [(7, [6, 7, 8]), (5, [4, 5, 6]), (0, [0, 0, 1]), (10, [9, 10, 10])])
def test_priorities_move_together(priority: int, expected: list[int]):
    memory = filled(in_letters(), "A" * 32, "b" * 32)
    assert [item.priority for item in memory.to_context_items(priority)] == expected


def test_tiers_of_ones_own_have_their_own_priorities():
    memory = in_letters(tier_config=[TierConfig(1, 8, 4, 2), TierConfig(0, 8, priority=9)])
    filled(memory, "aaaaaaaa", "bbbbbbbb")
    assert [item.priority for item in memory.to_context_items()] == [2, 9]
    assert memory.total_tokens <= 16


def test_sync_and_async_callbacks_are_called():
    class Fails:
        def __getattr__(self, event: str) -> Any:
            return failing

    class Long(Teller):
        def summarize(
            self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
        ) -> str:
            return "L" * 20

    watcher = Watcher()
    memory = filled(in_letters(callbacks=[Fails(), watcher], compactor=Long()), "A" * 32, "b" * 32)
    left, after = watcher.heard[5][1], watcher.heard[0][1]
    assert watcher.heard == [
        ("on_eviction", after, 32),
        ("on_facts_extracted", ["A" * 32], 0),
        ("on_facts_extracted", ["L" * 20], 1),
        ("on_tier_cascade", 1, 2, 20, 20),
        ("on_tier_cascade", 2, 3, 20, 20),
        ("on_compaction", left, "LLLL", None),
    ]
    assert [turn.content for turn in left] == [turn.content for turn in after] == ["A" * 32]
    assert memory.summary == "LLLL"


def test_a_compactor_that_fails_is_reported_and_loses_no_budget():
    class Fails(Teller):
        summarize: Any = failing

    watcher = Watcher()
    memory = filled(in_letters(callbacks=[watcher], compactor=Fails()), "a" * 32, "b" * 32, "c" * 32)
    assert [heard[1] for heard in watcher.heard if heard[0] == "on_compaction_error"] == [1, 1, 2]
    assert sum(tier.source_turn_count for tier in memory.tiers.values()) == 2
    assert memory.total_tokens <= 64


def test_a_tokenizer_that_fails_later_loses_no_turn():
    class Tires(Letters):
        def count_tokens(self, text: str) -> int:
            if text.startswith("user: "):
                raise OSError("tired")
            return len(text)

    class Same(Teller):
        def summarize(
            self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
        ) -> str:
            return content

    memory = filled(in_letters(tokenizer=Tires(), compactor=Same()), "a" * 32, "b" * 32)
    assert memory.tiers[1].source_turn_count == 1


@given(said=st.lists(TEXTS, max_size=10), budget=st.integers(16, 60), policy=POLICIES, tokenizer=TOKENIZERS)
def test_the_budget_holds_and_every_turn_is_somewhere(
    said: list[str], budget: int, policy: Choosing | None, tokenizer: Tokenizer
):
    memory = ProgressiveSummarizationMemory(budget, tokenizer=tokenizer, eviction_policy=policy, compactor=Teller())
    for content in said:
        memory.add_turn("user", content)
        assert memory.total_tokens <= budget
    assert len(memory.turns) + sum(tier.source_turn_count for tier in memory.tiers.values()) == len(said)
    assert sum(item.token_count for item in memory.to_context_items() if item.source == "conversation") <= budget


def test_without_a_model_it_works_offline():
    memory = ProgressiveSummarizationMemory(120)
    for number in range(30):
        memory.add_message("user", f"We decided to ship release {number} on 5 May 2026 from Oslo.")
    assert memory.summary
    assert memory.total_tokens <= 120


def test_a_model_summarises():
    class Model:
        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            return "a user"

    memory = ProgressiveSummarizationMemory(64, Model(), tokenizer=Letters())
    filled(memory, "a" * 32, "b" * 32)
    assert memory.summary == "a user"


def test_clear_forgets_all_also_what_is_being_summarised():
    class Clears(Teller):
        def summarize(
            self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
        ) -> str:
            memory.clear()
            return "late"

    memory = in_letters(compactor=Clears())
    filled(memory, "A" * 32, "b" * 32)
    assert (memory.turns, memory.tiers, memory.facts, memory.total_tokens) == ([], {}, [], 0)


def test_turns_are_added_either_way(clock: FrozenClock):
    memory = in_letters(clock=clock)
    assert memory.add_turn(Turn(role="user", content="hi")).at == clock.now()
    assert memory.add_message("user", "ho", lang="en").metadata == {"lang": "en"}


def test_a_model_by_name_without_its_library_names_the_extra():
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        ProgressiveSummarizationMemory(llm="anthropic/some-model")


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"max_tokens": 0}, ValueError, "max_tokens must be a positive integer"),
        ({"max_tokens": 15}, ValueError, "at least 16"),
        ({"llm": 7}, TypeError, "llm"),
        ({"max_facts": -1}, ValueError, "max_facts"),
        ({"max_facts": 1.5}, TypeError, "max_facts"),
        ({"fact_token_budget": -1}, ValueError, "fact_token_budget"),
        ({"tokenizer": 7}, TypeError, "tokenizer"),
        ({"callbacks": 7}, TypeError, "callbacks"),
        ({"tier_config": [7]}, TypeError, "TierConfig"),
        ({"tier_config": [TierConfig(0, 5)]}, ValueError, "at least two"),
        ({"tier_config": [TierConfig(0, 5), TierConfig(2, 5)]}, ValueError, "without a gap"),
        ({"tier_config": [TierConfig(0, 5), TierConfig(0, 5)]}, ValueError, "each once"),
        ({"tier_config": [TierConfig(0, 8000), TierConfig(1, 500)]}, ValueError, "more than max_tokens"),
    ],
)
def test_what_it_is_made_of_is_checked(wrong: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        ProgressiveSummarizationMemory(**wrong)


def test_a_compactor_has_its_own_model():
    class Model:
        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            return ""

    with pytest.raises(ValueError, match="not both"):
        ProgressiveSummarizationMemory(llm=Model(), compactor=Teller())
