"""Stand-ins for what a memory leans on: a clock that stands still, an embedder that needs no model, one that fails."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from recollect.errors import ProviderError
from recollect.numeric import Floats, np


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
