"""Fakes for the dependencies of a memory, with scripted answers: a clock, embedders, extractors, deciders, models."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Final, Literal, NamedTuple, cast

from engrain.errors import ProviderError
from engrain.language.calendar import parse_when
from engrain.lazy import Floats, np
from engrain.model.memory import Turn
from engrain.model.results import Hit
from engrain.protocols import Candidate, Judgement

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|ly|s|e)$")


class FrozenClock:
    """A clock that moves only when a test advances it.

    `start` is an aware datetime, ISO 8601 text with an offset, or a date in either form: its midnight in UTC.
    """

    def __init__(self, start: datetime | date | str) -> None:
        self._now = parse_when(start, name="the clock's time")

    def now(self) -> datetime:
        """Return its time."""
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move it forward, or back by a negative `by`."""
        self._now += by


def _taken(function: Callable[..., object], **offered: object) -> dict[str, object]:
    """Return the keyword arguments among `offered` that a function takes; none if its signature is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return {}
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return offered
    named = {each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)}
    return {name: value for name, value in offered.items() if name in named}


class FakeEmbedder:
    """Embeds by hashing word stems: texts that share words are similar, and a text has one vector anywhere."""

    def __init__(self, dimensions: int = 64, *, id: str | None = None) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be at least 1, not {dimensions}")
        self.dimensions = dimensions
        self.id: Final = f"fake/words/{dimensions}/1" if id is None else id

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one row per text, of length 1."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.casefold()) or ("",):
                stem = _ENDING.sub("", word).encode()
                chance = np.random.default_rng(int.from_bytes(blake2b(stem, digest_size=8).digest(), "big"))
                row += chance.standard_normal(self.dimensions).astype(np.float32)
            row /= np.linalg.norm(row) or 1.0
        return rows


class FailingEmbedder(FakeEmbedder):
    """A `FakeEmbedder` that raises `ProviderError` the first `times` calls, or always when `times` is None."""

    def __init__(self, times: int | None = None, dimensions: int = 64, *, id: str | None = None) -> None:
        super().__init__(dimensions, id=id)
        self.times = times
        self.calls: int = 0

    def embed(self, texts: Sequence[str]) -> Floats:
        """Fail, or embed once the failures are used up."""
        self.calls += 1
        if self.times is None or self.calls <= self.times:
            raise ProviderError(f"the embedder {self.id} was told to fail (call {self.calls})")
        return super().embed(texts)


class ScriptedExtractor:
    """An extractor that answers from a script: each call gets the next list of candidates, or the result of a function.

    A plain string is a candidate of that text. A function is given the turns, and `context` if it takes that.
    `calls` holds the turns of each call; a call past the end of the
    script is an `IndexError`.
    """

    def __init__(self, script: Sequence[Sequence[Candidate | str]] | Callable[..., Sequence[Candidate | str]]) -> None:
        self._script = script
        self.calls: list[Sequence[Turn]] = []

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the next candidates of the script."""
        self.calls.append(turns)
        script = self._script
        found = script(turns, **_taken(script, context=context)) if callable(script) else script[len(self.calls) - 1]
        return [Candidate(content=one) if isinstance(one, str) else one for one in found]


class ScriptedDecider:
    """A decider that answers from a script: each call gets the next judgement, or the result of a function.

    The name of an operation is a judgement on the nearest neighbour (ADD when there is none). `calls` holds each
    candidate with its neighbours; a call past the end of the script is an `IndexError`.
    """

    def __init__(
        self, script: Sequence[Judgement | str] | Callable[[Candidate, Sequence[Hit]], Judgement | str]
    ) -> None:
        self._script = script
        self.calls: list[tuple[Candidate, Sequence[Hit]]] = []

    def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement:
        """Return the next judgement of the script."""
        self.calls.append((candidate, neighbours))
        script = self._script
        found = script(candidate, neighbours) if callable(script) else script[len(self.calls) - 1]
        if not isinstance(found, str):
            return found
        if not neighbours:
            return Judgement(operation="ADD")
        operation = cast(Literal["ADD", "UPDATE", "DELETE", "NOOP"], found)
        return Judgement(operation=operation, target=None if found == "ADD" else neighbours[0].id)


class LLMCall(NamedTuple):
    """A request to a `ScriptedLLM`."""

    prompt: str
    system: str
    max_tokens: int | None


class ScriptedLLM:
    """A language model that answers from a script: each call gets the next reply, or the result of a function.

    A reply that is an exception is raised. A function is given the prompt, and of `system` and `max_tokens` what it
    takes. `calls` holds what was asked; a call past the end of the script is an `AssertionError`.
    """

    def __init__(self, replies: Sequence[str | Exception] | Callable[..., str]) -> None:
        if isinstance(replies, str):
            raise TypeError("replies is a list of texts, not one text")
        self._replies = replies
        self.calls: list[LLMCall] = []

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the next reply of the script."""
        self.calls.append(LLMCall(prompt, system, max_tokens))
        if callable(self._replies):
            return self._replies(prompt, **_taken(self._replies, system=system, max_tokens=max_tokens))
        if len(self.calls) > len(self._replies):
            raise AssertionError(f"call {len(self.calls)}, but the script has {len(self._replies)} replies: {prompt!r}")
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply
