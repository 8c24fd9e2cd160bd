"""What is too long for one question is asked part by part: cut between turns and sentences, and none of it left out."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

from engrain.errors import ProviderError
from engrain.llm.tasks import CONTEXT_TOKENS, PART_TOKENS, ModelExtractor, in_parts
from engrain.model.memory import Turn
from engrain.testing import LLMReply, LLMRequest, ScriptedLLMServer
from engrain.text import OfflineTokenizer
from tests.llm.asked import asking

SENTENCES = [f"Guest number {n} likes tea from hill {n + 1}. " for n in range(1_000)]


def turn(text: str, actor: str = "Ana") -> Turn:
    return Turn(role="user", content=text, actor=actor)


def test_a_short_text_is_one_unchanged_part() -> None:
    turns = [turn("I like tea."), turn("So do I.", "Bob")]
    (part,) = in_parts(turns, "They speak of drinks.")
    assert part == (tuple(turns), "They speak of drinks.")
    assert list(in_parts([])) == []


@pytest.mark.parametrize(
    "text",
    ["".join(SENTENCES), "tea " * 9_000, "x" * 60_000, "\U0001f375" * 9_000, " " * 30_000, "", "\n\n".join(SENTENCES)],
)
def test_parts_joined_are_the_text_and_each_fits(text: str) -> None:
    parts = list(in_parts([turn("Hello."), turn(text), turn("Bye.", "Bob")]))
    count = OfflineTokenizer().count_tokens
    assert "".join(each.content for part in parts for each in part.turns) == f"Hello.{text}Bye."
    assert all(sum(count(each.content) for each in part.turns) <= PART_TOKENS for part in parts)
    assert all(count(part.context) <= CONTEXT_TOKENS for part in parts)
    assert {each.actor for each in parts[0].turns} | {each.actor for each in parts[-1].turns} == {"Ana", "Bob"}


def test_any_mix_of_turns_is_kept_whole() -> None:
    dice = random.Random(7)
    for _ in range(20):
        turns = [turn("".join(dice.choices(SENTENCES, k=dice.randrange(200)))) for _ in range(dice.randrange(6))]
        parts = list(in_parts(turns))
        joined = "".join(each.content for part in parts for each in part.turns)
        assert joined == "".join(each.content for each in turns)


def test_a_cut_is_between_sentences_and_the_sentence_before_it_is_context() -> None:
    parts = list(in_parts([turn("".join(SENTENCES))]))
    assert len(parts) > 3
    for before, part in pairwise(parts):
        assert part.turns[0].content.startswith("Guest number")
        assert before.turns[-1].content.strip().endswith(part.context[-40:])
        assert part.context.startswith("Guest number")


def reading(request: LLMRequest) -> LLMReply:
    """Find a fact in each sentence of the record, as a model would."""
    record = json.loads(request.prompt.partition(">\n")[2].rpartition("\n</")[0])
    said = record["said"] if isinstance(record, dict) else record
    found = [line for each in said for line in each["says"].split(". ") if line]
    return LLMReply.json([{"fact": f"{line.removesuffix('.')}."} for line in found])


def test_no_fact_of_a_long_text_is_lost() -> None:
    with ScriptedLLMServer(reading) as server, asking(server.llm) as model:
        found = ModelExtractor(model).extract([turn("".join(SENTENCES).strip())])
        assert [each.content for each in found] == [sentence.strip() for sentence in SENTENCES]
        assert len(server.calls) > 3
        assert all(OfflineTokenizer().count_tokens(call.prompt) < 2 * PART_TOKENS for call in server.calls)
        assert {call.max_tokens for call in server.calls} == {2000}


def test_a_part_that_fails_fails_the_whole() -> None:
    script = [LLMReply.json([]), LLMReply.too_long()]
    with ScriptedLLMServer(script) as server, asking(server.llm) as model:
        with pytest.raises(ProviderError, match="too long for this model"):
            ModelExtractor(model).extract([turn("".join(SENTENCES))])
        assert len(server.calls) == 2
