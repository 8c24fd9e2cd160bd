"""A question whose kind the rules cannot decide is decided by the model where the settings ask for it, once."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import MemoryManager
from engrain.read.retrieval import is_unclear
from tests.llm.models import USELESS, Model, Script, opened
from tests.recall.world import notes

UNCLEAR = "tea in the hills"


def known(llm: Any, **given: Any) -> MemoryManager:
    memory = opened(llm=llm, **{"unclear_intents": "llm", **given})
    memory.remember("Tea comes from the hills")
    return memory


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("what is my dog called?", False),
        ("Where does Ana live?", False),
        ("how many dogs do I have", False),
        ("do I like tea?", False),
        ("why did the ferry stop?", False),
        ("tell me about Ana", False),
        ("who is related to Ana?", False),
        ("tea in the hills", True),
        ("show me the invoice", True),
        ("how do the teams get along?", True),
        ("why are Ana and Bo related?", True),
        ("", True),
    ],
)
def test_a_question_is_unclear_when_nothing_speaks_or_several_things_do(text: str, unclear: bool) -> None:
    assert is_unclear(text, temporal=False) is unclear


def test_a_time_competes_too() -> None:
    assert not is_unclear("what was last week?", temporal=True)
    assert is_unclear("why was it closed last week?", temporal=True)


def test_the_model_decides_once_what_the_rules_cannot() -> None:
    llm = Model(intent={"intent": "Exploratory"})
    with known(llm) as memory:
        first = memory.recall(UNCLEAR)
        again = memory.recall(f"  {UNCLEAR.upper()} ")
        assert memory.recall("what is tea?").intent == "factual"
    assert (first.intent, again.intent) == ("exploratory", "exploratory")
    assert notes(first, "intent")[0].startswith("intent by test:model (")
    assert notes(again, "intent") == ["intent exploratory, as it was decided before"]
    assert llm.asked == ["intent"]


def test_one_users_question_is_another_question_of_the_others() -> None:
    llm = Model(intent={"intent": "causal"})
    with known(llm, user=None) as memory:
        for user in ("ana", "bo", "ana"):
            memory.scoped(user=user).recall(UNCLEAR)
    assert llm.asked == ["intent", "intent"]


@pytest.mark.parametrize("word", ["philosophical", "", "factual or causal", "FACTUAL!"])
def test_any_other_word_is_the_rules_word(word: str) -> None:
    llm = Model(intent={"intent": word})
    with known(llm) as memory:
        found = memory.recall(UNCLEAR)
        assert memory.recall(UNCLEAR).intent == "factual"
    assert found.intent == "factual"
    assert notes(found, "intent") == ["intent by the rules: it is none of the five"]
    assert llm.asked == ["intent", "intent"]


@pytest.mark.parametrize("useless", USELESS, ids=lambda each: str(each)[:20])
def test_a_model_that_cannot_leaves_it_to_the_rules_and_the_trace_says_why(useless: object) -> None:
    with known(Model(intent=useless)) as memory:
        found = memory.recall(UNCLEAR)
    assert found.intent == "factual"
    assert found.texts
    (note,) = notes(found, "intent")
    assert note.startswith("intent by the rules: the language model")
    assert "is down" not in note


def test_a_spent_budget_is_reported() -> None:
    llm = Model()
    with known(llm, llm_budget={"calls": 0}) as memory:
        note = notes(memory.recall(UNCLEAR), "intent")
    assert [each.startswith("intent by the rules: the budget for the language model") for each in note] == [True]
    assert llm.asked == []


def test_without_the_setting_no_model_is_asked() -> None:
    llm = Model(grade={"sufficient": True})
    with known(llm, unclear_intents="rules") as memory:
        memory.recall(UNCLEAR)
        memory.recall_deep("Anna's brother's company's manager before 2020")
    assert "intent" not in llm.asked


def test_a_deep_recall_asks_where_the_setting_says_so() -> None:
    llm = Model(grade={"sufficient": True}, intent={"intent": "relational"})
    with known(llm) as memory:
        found = memory.recall_deep("Anna's brother's company's manager")
    assert found.intent == "relational"


def test_a_transformer_of_the_callers_own_decides_it_where_it_can() -> None:
    class Silent:
        def variants(self, query: str, n: int) -> list[str]:
            return []

        def hypothetical(self, query: str) -> str:
            return ""

    class Telling(Silent):
        def intent(self, query: str) -> str:
            return "causal"

    llm = Model(intent=Script([{"intent": "temporal"}]))
    with known(llm, query_transformer=Telling()) as memory:
        found = memory.recall(UNCLEAR)
        assert (found.intent, notes(found, "intent")) == ("causal", ["intent by Telling"])
    with known(llm, query_transformer=Silent()) as memory:
        assert memory.recall(UNCLEAR).intent == "temporal"
    with known(None) as memory:
        assert memory.recall(UNCLEAR).intent == "factual"


def test_a_missing_memory_is_explained_by_the_same_word() -> None:
    llm = Model(intent={"intent": "causal"})
    with known(llm) as memory:
        (hit,) = memory.recall(UNCLEAR)
        assert memory.why_not(UNCLEAR, hit.id).stage == "found"
    assert llm.asked == ["intent"]
