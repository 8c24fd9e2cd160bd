"""Chroma's persistent client; cosine distance, the index otherwise as it comes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chromadb

from benchmarks.adapters import Embedding, Turn
from engrain.protocols import Embedder


class Chroma:
    """One collection, its vectors handed over."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedding = Embedding(embedder)
        self._client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._turns = self._client.create_collection(
            "turns", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, turn: Turn) -> None:
        self.add_many([turn])

    def add_many(self, turns: Sequence[Turn]) -> None:
        texts = [turn.text for turn in turns]
        self._turns.add(
            ids=[turn.id for turn in turns],
            documents=texts,
            embeddings=self._embedding.table(texts),
            metadatas=[turn.fields() for turn in turns],
        )

    def search(self, question: str, k: int) -> list[str]:
        found = self._turns.query(query_embeddings=[self._embedding.query(question)], n_results=k)
        return list(found["ids"][0])

    def close(self) -> None:
        self._client.close()
