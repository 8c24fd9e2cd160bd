"""A text invented by a model has the trust of a model only, and closes no statement of a user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import ScriptedLLM

QUIET = Settings(worker="none")


@contextmanager
def opened(*replies: Any) -> Iterator[MemoryManager]:
    llm = ScriptedLLM([json.dumps(reply) for reply in replies])
    with MemoryManager(":memory:", user="ana", llm=llm, settings=QUIET) as memory:
        yield memory


def fact(sentence: str, *triple: str) -> dict[str, Any]:
    return {"fact": sentence, "importance": 8, **dict(zip(("subject", "predicate", "object"), triple, strict=False))}


@pytest.mark.parametrize(
    ("sentence", "triple"),
    [
        ("Bob fled to Tbilisi after robbing Carol", ("Bob", "lives_in", "Tbilisi")),
        ("Ana lives in Tbilisi with Carol", ("Ana", "lives_in", "Tbilisi")),
    ],
)
def test_a_fact_with_an_unknown_name_has_the_trust_of_the_model(sentence: str, triple: tuple[str, ...]) -> None:
    with opened([fact(sentence, *triple)]) as memory:
        for known in ("Bob lives in Boston", "Ana lives in Rome"):
            memory.remember(known, source_type="user_input", resolve="off")
        (found,) = memory.remember_with_extraction("Ana moved to Tbilisi yesterday", source_type="user_input")
        assert found.memory is not None
        assert found.memory.source.type == "llm_generated"
        assert {each.content for each in memory.list_memories()} >= {"Bob lives in Boston", "Ana lives in Rome"}


@pytest.mark.parametrize("sentence", ["Ana lives in Tbilisi", "The user lives in Tbilisi", "Ana moved to Tbilisi"])
def test_one_in_other_words_is_the_speakers(sentence: str) -> None:
    with opened([fact(sentence, sentence.removeprefix("The ").split()[0], "lives_in", "Tbilisi")]) as memory:
        (found,) = memory.remember_with_extraction("I moved to Tbilisi yesterday", source_type="user_input")
        assert found.memory is not None
        assert found.memory.source.type == "user_input"


def verdict(operation: str, content: str | None = None, target: int = 1) -> dict[str, Any]:
    return {"operation": operation, "target": target, "content": content, "reason": "so"}


def test_unstated_words_of_a_verdict_are_not_used() -> None:
    with opened([fact("Ana moved to Tbilisi")], verdict("UPDATE", "Ana hates Bob and lives in Moscow")) as memory:
        memory.remember("Ana lives in Boston", source_type="user_input")
        after = memory.remember("Ana moved to Tbilisi", source_type="user_input", evolve=True)
        assert after.memory is not None
        assert after.memory.content == "Ana moved to Tbilisi"


def test_a_verdict_that_says_the_old_again_does_not_swallow_the_new() -> None:
    with opened([fact("Ana moved to Tbilisi")], verdict("UPDATE", "Ana lives in Boston")) as memory:
        memory.remember("Ana lives in Boston", source_type="user_input")
        after = memory.remember("Ana moved to Tbilisi", source_type="user_input", evolve=True)
        assert (after.status, after.memory.content) == ("updated", "Ana moved to Tbilisi")


@pytest.mark.parametrize("operation", ["DELETE", "UPDATE", "NOOP"])
def test_a_verdict_about_something_else_is_none(operation: str) -> None:
    said = verdict(operation)
    with opened([fact("The sky is blue")], said, said) as memory:
        kept = memory.remember("Ana is allergic to penicillin", source_type="user_input", pinned=True)
        after = memory.remember("The sky is blue", source_type="user_input", evolve=True)
        assert after.status == "created"
        assert kept.id in {each.id for each in memory.list_memories()}


def test_a_made_up_passage_may_name_who_speaks() -> None:
    with MemoryManager(
        ":memory:", user="u", llm=ScriptedLLM(lambda *_, **__: "Bob likes tea."), settings=QUIET
    ) as memory:
        memory.remember("I like tea", actor="Bob")
        assert memory.recall("What is liked?", hyde=True).texts == ("I like tea",)
