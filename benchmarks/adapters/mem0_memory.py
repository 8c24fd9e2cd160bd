"""mem0 with its local Qdrant on disk, texts kept as they are; no language model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from mem0 import Memory

from benchmarks.adapters import Embedding, Turn
from engrain.protocols import Embedder

NOT_CALLED = {"provider": "openai", "config": {"api_key": "none: it is replaced before the first call"}}


class Mem0:
    """It has no call for many: a list of messages is kept one by one."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": embedder.dimensions, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
                "llm": NOT_CALLED,
                "embedder": NOT_CALLED,
            }
        )
        self._memory.embedding_model, self._memory.llm = _Embedding(embedder), _NoModel()

    def add(self, turn: Turn) -> None:
        fields = {"turn": turn.id, **turn.fields()}
        self._memory.add(turn.text, user_id="user", metadata=fields, infer=False)

    def search(self, question: str, k: int) -> list[str]:
        found = self._memory.search(question, top_k=k, filters={"user_id": "user"}, threshold=0.0)
        return [item["metadata"]["turn"] for item in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()


class _Embedding:
    def __init__(self, embedder: Embedder) -> None:
        self._embedding = Embedding(embedder)

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        if memory_action == "search":
            return list(map(float, self._embedding.query(text)))
        return self._embedding.lists([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return self._embedding.lists(texts)


class _NoModel:
    def generate_response(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise AssertionError("a language model was asked")
