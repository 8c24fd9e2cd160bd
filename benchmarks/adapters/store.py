"""What every system is asked to do: keep texts and find them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from engrain.arrays import Floats, np
from engrain.protocols import Embedder


class Turn(NamedTuple):
    """Something said: `text` begins with the speaker's name."""

    id: str
    text: str
    speaker: str
    session: str
    at: datetime | None

    def fields(self) -> dict[str, str]:
        """Return what stands beside the text, as strings."""
        return {"speaker": self.speaker, "session": self.session, "at": self.at.isoformat() if self.at else ""}


class Store(Protocol):
    """A store with one scope. One that can take many at once has `add_many(turns)` too, done when it returns."""

    def add(self, id: str, text: str, speaker: str, session: str, at: datetime | None) -> None: ...
    def search(self, question: str, k: int) -> list[str]: ...
    def close(self) -> None: ...


class Open(Protocol):
    """How a store is opened: in a folder of its own."""

    def __call__(self, folder: Path, embedder: Embedder) -> Store: ...


class Embedding:
    """One embedder in the shapes that the systems want."""

    def __init__(self, embedder: Embedder) -> None:
        self.dimensions = embedder.dimensions
        self._embed = embedder.embed
        self._embed_query = getattr(embedder, "embed_query", None)

    def table(self, texts: Sequence[str]) -> Floats:
        """Return a row per text."""
        return np.asarray(self._embed(texts), np.float32)

    def query(self, question: str) -> Floats:
        """Return the vector of a question."""
        if self._embed_query is None:
            return self.table([question])[0]
        return np.asarray(self._embed_query(question), np.float32)

    def lists(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a list of numbers per text."""
        return self.table(texts).tolist()
