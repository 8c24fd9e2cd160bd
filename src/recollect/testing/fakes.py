"""Stand-ins that do as they are told: a clock, embedders, an extractor, a decider, a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Literal, NamedTuple, cast

from recollect.errors import ProviderError
from recollect.models import Turn
from recollect.numeric import Floats, np
from recollect.protocols import Candidate, Judgement
from recollect.results import Hit


class FrozenClock:
    """A clock that moves only when told to; `start` is an aware datetime or ISO 8601 text with an offset."""

    def __init__(self, start: datetime | str) -> None:
        moment = datetime.fromisoformat(start) if isinstance(start, str) else start
        if moment.tzinfo is None:
            raise ValueError(f"the clock needs a time zone: {start!r} has none; add +00:00")
        self._now = moment.astimezone(UTC)

    def now(self) -> datetime:
        """Return the time at which it stands."""
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move it forward, or back by a negative `by`."""
        self._now += by


_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|ly|s|e)$")


class FakeEmbedder:
    """Embeds by hashing word stems: texts that share words are similar, and a text has one vector anywhere."""

    def __init__(self, dimensions: int = 64, *, id: str | None = None) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be at least 1, not {dimensions}")
        self.dimensions = dimensions
        self.id = f"fake/words/{dimensions}/1" if id is None else id

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one row per text, of length 1."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.casefold()) or ("",):
                row += self._direction(_ENDING.sub("", word))
            row /= np.linalg.norm(row) or 1.0
        return rows

    def _direction(self, stem: str) -> Floats:
        seed = int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)


class FailingEmbedder(FakeEmbedder):
    """A `FakeEmbedder` that raises `ProviderError` the first `times` calls, or always when `times` is None."""

    def __init__(self, times: int | None = None, dimensions: int = 64, *, id: str | None = None) -> None:
        super().__init__(dimensions, id=id)
        self.times = times
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Floats:
        """Fail, or embed once the failures are used up."""
        self.calls += 1
        if self.times is None or self.calls <= self.times:
            raise ProviderError(f"the embedder {self.id} was told to fail (call {self.calls})")
        return super().embed(texts)


class ScriptedExtractor:
    """An extractor that answers from a script: each call gets the next list of candidates, or what a function returns.

    A plain string stands for a candidate of that text. `calls` holds the turns of each call; a call past the end of the
    script is an `IndexError`.
    """

    def __init__(self, script: Sequence[Sequence[Candidate | str]] | Callable[..., Sequence[Candidate | str]]) -> None:
        self._script = script
        self.calls: list[Sequence[Turn]] = []

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the next candidates of the script."""
        self.calls.append(turns)
        script = self._script
        found = script(turns, context=context) if callable(script) else script[len(self.calls) - 1]
        return [Candidate(content=one) if isinstance(one, str) else one for one in found]


class ScriptedDecider:
    """A decider that answers from a script: each call gets the next judgement, or what a function returns.

    The name of an operation stands for it on the nearest neighbour (ADD when there is none). `calls` holds each
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
    """What a `ScriptedLLM` was asked."""

    prompt: str
    system: str
    max_tokens: int | None


class ScriptedLLM:
    """A language model that answers from a script: each call gets the next reply, or what a function returns.

    A reply that is an exception is raised. A function is given what `complete` is. `calls` holds what was asked; a call
    past the end of the script is an `AssertionError`.
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
            return self._replies(prompt, system=system, max_tokens=max_tokens)
        if len(self.calls) > len(self._replies):
            raise AssertionError(f"call {len(self.calls)}, but the script has {len(self._replies)} replies: {prompt!r}")
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply
