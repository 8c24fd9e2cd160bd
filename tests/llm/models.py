"""A language model for tests that answers by what it is asked for, and memories that ask it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from engrain import MemoryManager, Settings
from engrain.llm.replies import prompt
from engrain.model.memory import Memory, Scope
from engrain.model.results import Hit
from engrain.testing import FakeEmbedder, FrozenClock, ScriptedLLM

NOON = "2026-01-05T12:00:00+00:00"
REFUSAL = "I'm sorry, but I cannot help with that."
USELESS = [
    "not json",
    REFUSAL,
    "   ",
    "]]][[{{",
    '{"wrong": "shape"}',
    '["wrong", 7]',
    "{" * 5_000,
    "word " * 200_000,
    ConnectionError("the model is down"),
]
"""What no work can use; an exception is raised."""


class Model(ScriptedLLM):
    """Answers each prompt by its name; one that is not expected fails the test.

    An answer is a text, something that is written as JSON, an exception, or a function of the prompt; a list named
    `script` is given one after another. `asked` holds the names of the prompts, in order.
    """

    name = "test:model"

    def __init__(self, **answers: Any) -> None:
        super().__init__(self._answered)
        self.answers = answers
        self.asked: list[str] = []
        self.prompts: list[str] = []

    def _answered(self, text: str, *, system: str = "", max_tokens: int | None = None) -> str:
        name = next(name for name in NAMES if _beginning(name) in text)
        self.asked.append(name)
        self.prompts.append(text)
        assert name in self.answers, f"{name} was not to be asked"
        return written(self.answers[name], text)


class Script(list[Any]):
    """Answers that are given one after another."""


NAMES = ("extract", "verdict", "grade", "variants", "hypothetical", "intent", "rerank")


def _beginning(name: str) -> str:
    return prompt(name).template.template.splitlines()[0]


def written(answer: Any, text: str = "") -> str:
    """Return an answer as a model writes it."""
    if isinstance(answer, Script):
        return written(answer.pop(0), text)
    if isinstance(answer, Exception):
        raise answer
    if callable(answer):
        return written(answer(text), text)
    return answer if isinstance(answer, str) else json.dumps(answer)


def opened(place: Path | str = ":memory:", llm: Any = None, **given: Any) -> MemoryManager:
    """Open a memory of Ana's that asks a model; nothing is tried twice."""
    names = ("llm_budget", "unclear_intents")
    chosen = {name: given.pop(name) for name in names if name in given}
    settings = Settings(worker="none", llm_retries=0, **chosen)
    usual: dict[str, Any] = {"user": "ana", "embedder": FakeEmbedder(), "clock": FrozenClock(NOON)}
    store = place if place == ":memory:" else Path(place) / "memory.db"
    return MemoryManager(store, llm=llm, settings=settings, **{**usual, **given})


def hits(*contents: str) -> list[Hit]:
    """Return hits with these texts, the first the best, called m1, m2 and so on."""
    at = datetime.fromisoformat(NOON)
    made = []
    for number, content in enumerate(contents, start=1):
        memory = Memory(
            id=f"m{number}",
            content=content,
            scope=Scope("default", "ana"),
            recorded_at=at,
            updated_at=at,
            valid_from=at,
        )
        made.append(Hit(memory, 1.0 / number, 0.5))
    return made


def found(*facts: Any) -> Callable[[str], Any]:
    """Return the answer of an extractor: facts by their texts, or as they are."""
    entries = [{"fact": fact, "importance": 6} if isinstance(fact, str) else fact for fact in facts]
    return lambda _: entries
