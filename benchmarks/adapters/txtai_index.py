"""txtai's embeddings database: faiss and SQLite, by vectors alone or with words beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from txtai import Embeddings

from benchmarks.adapters import Embedding, Turn
from engrain.protocols import Embedder


class Txtai:
    """It is saved after each bulk; what is added one by one is not kept until then."""

    hybrid = False

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._path = str(folder / "index")
        table = Embedding(embedder).table
        # A function and nothing else that can be called; questions come to it too.
        transform = lambda texts: table(texts)  # noqa: E731, PLW0108
        self._index = Embeddings(method="external", transform=transform, content=True, hybrid=self.hybrid)

    def add(self, turn: Turn) -> None:
        self._index.upsert([_row(turn)])

    def add_many(self, turns: Sequence[Turn]) -> None:
        self._index.upsert([_row(turn) for turn in turns])
        self._index.save(self._path)

    def search(self, question: str, k: int) -> list[str]:
        return [found["id"] for found in self._index.search(question, k)]

    def close(self) -> None:
        self._index.close()


class TxtaiHybrid(Txtai):
    """BM25 and vectors, half and half."""

    hybrid = True


def _row(turn: Turn) -> tuple[str, dict[str, str], None]:
    return turn.id, {"text": turn.text, **turn.fields()}, None
