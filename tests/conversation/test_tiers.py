"""Tiers summarise the turns that left, each within its budget, whatever the compactor returns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.conversation import SummaryTier, TierConfig, Tiers, default_tiers
from engrain.conversation.window import WindowRules, summarised
from engrain.model.memory import FactType, KeyFact, Turn
from engrain.protocols import Tokenizer
from tests.conversation.windows import TEXTS, TOKENIZERS, Letters, Words, failing

CONFIGS = default_tiers(64)


class Fixed:
    """A compactor that returns the given summary and facts."""

    def __init__(self, said: Any = "s", facts: Any = ()) -> None:
        self.said, self.facts = said, facts
        self.calls: list[tuple[str, int, int, str | None]] = []
        self.searched: list[tuple[str, int]] = []

    def summarize(self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None) -> Any:
        self.calls.append((content, target_tier, target_tokens, existing_summary))
        return self.said(content, target_tier) if callable(self.said) else self.said

    def extract_facts(self, content: str, source_tier: int = 0) -> Any:
        self.searched.append((content, source_tier))
        return self.facts() if callable(self.facts) else self.facts


def turns(*contents: str) -> list[Turn]:
    return [Turn(role="user", content=content) for content in contents]


def rules(by: Fixed, tokenizer: Tokenizer | None = None, **more: Any) -> WindowRules:
    given: dict[str, Any] = {"tiers": CONFIGS, "max_facts": 50, "fact_token_budget": 500} | more
    return WindowRules(tokenizer=tokenizer or Letters(), compactor=by, **given)


def after(before: Tiers, *contents: str, by: Fixed, events: list[Any] | None = None, **more: Any) -> Tiers:
    return summarised(
        before, turns(*contents), rules(by, **more), lambda *event: None if events is None else events.append(event)
    )


def test_the_budgets_are_halved_from_tier_to_tier():
    assert list(CONFIGS) == [
        TierConfig(0, 32, 0, 7),
        TierConfig(1, 16, 8, 6),
        TierConfig(2, 8, 4, 5),
        TierConfig(3, 4, 2, 4),
    ]
    for budget in range(16, 200):
        assert sum(tier.max_tokens for tier in default_tiers(budget)) <= budget


@pytest.mark.parametrize(
    "wrong", [(4, 10), (-1, 10), (True, 10), (0, 0), (0, -1), (1, 10, -1), (1, 10, 11), (1, 10, 5, 11)]
)
def test_a_configuration_is_checked(wrong: tuple[Any, ...]):
    with pytest.raises(ValueError, match="must be"):
        TierConfig(*wrong)
    with pytest.raises(ValueError, match="at least 16"):
        default_tiers(15)


def test_a_tier_merges_its_earlier_summary_with_what_is_new():
    fixed = Fixed()
    first = after(Tiers(), "a", "b", by=fixed)
    second = after(first, "c", by=fixed)
    assert fixed.calls == [("user: a\nuser: b", 1, 8, None), ("user: c", 1, 9, "s")]
    assert second == Tiers((SummaryTier(1, "s", 1, 3),))
    assert after(second, by=fixed) == second


def test_turns_that_overflow_a_tier_are_summarised_in_the_next():
    events: list[Any] = []
    before = Tiers((SummaryTier(1, "one", 3, 5), SummaryTier(2, "two", 3, 7), SummaryTier(3, "3", 1, 9)))
    fixed = Fixed(lambda content, tier: {1: "one\n" + "x" * 17, 2: "two\n" + "y" * 9, 3: "z" * 5}[tier])
    found = after(before, "a", by=fixed, events=events)
    assert found == Tiers((SummaryTier(3, "zzzz", 4, 22),))
    assert events == [("on_tier_cascade", 1, 2, 21, 13), ("on_tier_cascade", 2, 3, 13, 5)]
    assert [(call[0], call[1], call[3]) for call in fixed.calls] == [
        ("user: a", 1, "one"),
        ("one\n" + "x" * 17, 2, "two"),
        ("two\n" + "y" * 9, 3, "3"),
    ]
    assert fixed.searched == [("user: a", 0), ("one\n" + "x" * 17, 1)]
    assert (found.source_turn_count, found.total_tokens, found.summary) == (22, 4, "zzzz")


def test_only_the_oldest_lines_of_a_full_tier_move_on():
    before = Tiers((SummaryTier(1, "aaaa\nbbbb\ncccc", 14, 9),))
    fixed = Fixed(lambda content, tier: "aaaa\nbbbb\ncccc\ndddd" if tier == 1 else "ab")
    found = after(before, "x", by=fixed)
    assert found == Tiers((SummaryTier(1, "cccc\ndddd", 9, 5), SummaryTier(2, "ab", 2, 5)))
    assert [(call[0], call[1]) for call in fixed.calls] == [("user: x", 1), ("aaaa\nbbbb", 2)]


def test_a_text_is_summarised_in_a_quarter_of_its_tokens():
    fixed = Fixed()
    after(Tiers(), "x" * 394, by=fixed, tiers=default_tiers(4096), max_facts=0)
    assert fixed.calls[0][2] == 100
    assert fixed.searched == []


def test_summaries_are_read_oldest_first():
    tiers = Tiers((SummaryTier(1, "new", 3, 1), SummaryTier(3, "old", 3, 1)))
    assert tiers.summary == "old\nnew"
    assert Tiers().summary is None


@pytest.mark.parametrize("said", [failing, None, " ", 7])
def test_where_the_compactor_fails_the_beginnings_are_kept(said: Any):
    events: list[Any] = []
    fixed = Fixed(said)
    tiers = after(Tiers(), "abcdefgh", by=fixed, events=events)
    assert tiers.at(1).content == "user: ab"
    tiers = after(tiers, "wxyz", by=fixed)
    assert tiers.at(1).content == "user: wx"
    assert (tiers.at(2).content, tiers.source_turn_count) == ("user", 2)
    assert [event[:2] for event in events] == [("on_compaction_error", 1)]


def facts_of(*contents: str) -> list[KeyFact]:
    return [KeyFact(content, "decision", token_count=len(content)) for content in contents]


def test_facts_are_kept_apart_the_newest_last():
    events: list[Any] = []
    tiers = after(Tiers(), "a", by=Fixed(facts=facts_of("one", "two")), events=events)
    assert events == [("on_facts_extracted", ["one", "two"], 0)]
    tiers = after(tiers, "b", by=Fixed(facts=facts_of("three", "one")))
    assert tiers.facts == ("two", "three", "one")
    assert [(fact.fact_type, fact.token_count, fact.source_tier) for fact in tiers.facts][0] == (
        FactType.DECISION,
        3,
        0,
    )


def test_facts_leave_by_number_and_then_by_tokens_the_oldest_first():
    tiers = Tiers(facts=tuple(facts_of("a", "b")))
    by = Fixed(facts=facts_of("cc", "x" * 50, "dd"))
    assert after(tiers, "t", by=by, max_facts=3, fact_token_budget=9).facts == ("b", "cc", "dd")
    assert after(tiers, "t", by=by, fact_token_budget=4).facts == ("cc", "dd")
    assert after(tiers, "t", by=by, max_facts=0).facts == ()
    assert after(tiers, "t", by=by, fact_token_budget=0).facts == ()


@pytest.mark.parametrize("found", [failing, None, 7, ["", " ", None, 3]])
def test_facts_that_are_none_are_left_out(found: Any):
    assert after(Tiers(), "a", by=Fixed(facts=found)).facts == ()


def test_a_plain_string_may_be_a_fact():
    [fact] = after(Tiers(), "a", by=Fixed(facts=["plain"])).facts
    assert (fact, fact.source_tier, type(fact)) == ("plain", 0, KeyFact)


SAID = st.one_of(st.none(), st.text(alphabet="ab \n", max_size=60), st.just(failing), st.just(lambda text, tier: text))


@given(
    rounds=st.lists(st.tuples(st.lists(TEXTS, max_size=3), SAID, st.lists(TEXTS, max_size=3)), max_size=6),
    tokenizer=TOKENIZERS,
)
def test_every_tier_holds_its_budget_and_every_turn_is_counted_once(
    rounds: list[tuple[list[str], Any, list[str]]], tokenizer: Tokenizer
):
    tiers = Tiers()
    for contents, said, facts in rounds:
        tiers = after(tiers, *contents, by=Fixed(said, facts), tokenizer=tokenizer, max_facts=2, fact_token_budget=10)
        assert all(tier.token_count <= CONFIGS[tier.level].max_tokens for tier in tiers.summaries)
        assert all(
            not tier.content or tokenizer.count_tokens(tier.content) <= CONFIGS[tier.level].max_tokens
            for tier in tiers.summaries
        )
        assert len(tiers.facts) == len(set(tiers.facts)) <= 2
        assert sum(fact.token_count for fact in tiers.facts) <= 10
        assert Tiers.of_json(json.loads(json.dumps(tiers.as_json()))) == tiers
    assert tiers.source_turn_count == sum(len(contents) for contents, _, _ in rounds)


def test_tiers_are_read_back_from_json():
    assert Tiers.of_json({}) == Tiers.of_json({"summaries": []}) == Tiers()
    before = Tiers((SummaryTier(1, "x", 1, 2),), tuple(KeyFact("f", "date", source_tier=1, token_count=3) for _ in "x"))
    [fact] = Tiers.of_json(before.as_json()).facts
    assert (fact.fact_type, fact.source_tier, fact.token_count) == (FactType.DATE, 1, 3)


def test_a_tokenizer_that_counts_words_is_as_good():
    tiers = after(Tiers(), "a", by=Fixed("w " * 40), tokenizer=Words())
    assert tiers.summaries == (SummaryTier(3, "w w w w", 4, 1),)
