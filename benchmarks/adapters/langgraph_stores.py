"""LangGraph's long-term stores: the one in memory, and the one in SQLite."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from benchmarks.adapters import Embedding, Turn
from engrain.protocols import Embedder

SPACE = ("turns",)


class LangGraphMemory:
    """Values in dictionaries, vectors in lists."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._stack = ExitStack()
        self._store: Any = InMemoryStore(index={**_index(embedder), "fields": ["text"]})

    def add(self, turn: Turn) -> None:
        self._store.put(SPACE, turn.id, _value(turn))

    def add_many(self, turns: Sequence[Turn]) -> None:
        self._store.batch([PutOp(SPACE, turn.id, _value(turn)) for turn in turns])

    def search(self, question: str, k: int) -> list[str]:
        return [item.key for item in self._store.search(SPACE, query=question, limit=k)]

    def close(self) -> None:
        self._stack.close()


class LangGraphSqlite(LangGraphMemory):
    """A file with the sqlite-vec extension."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            # This Python was built without it: another build of SQLite stands in, for this store only.
            import pysqlite3

            sys.modules["sqlite3"] = pysqlite3
        from langgraph.store.sqlite import SqliteStore

        self._stack = ExitStack()
        opened = SqliteStore.from_conn_string(
            str(folder / "store.db"), index={**_index(embedder), "fields": ["text"], "text_fields": ["text"]}
        )
        self._store = self._stack.enter_context(opened)
        self._store.setup()


def _index(embedder: Embedder) -> dict[str, Any]:
    embedding = Embedding(embedder)
    return {"dims": embedding.dimensions, "embed": embedding.lists}


def _value(turn: Turn) -> dict[str, str]:
    return {"text": turn.text, **turn.fields()}
