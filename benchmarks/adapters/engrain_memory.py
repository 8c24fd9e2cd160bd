"""Engrain, as its documentation says to use it, and given only what the others get."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.adapters import Turn
from benchmarks.stores import NO_WORKER
from engrain import MemoryManager
from engrain.protocols import Embedder


class Engrain:
    """Who spoke, when and in which session are fields of a memory."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._manager = MemoryManager(folder / "memory.db", user="user", embedder=embedder, settings=NO_WORKER)

    def add(self, turn: Turn) -> None:
        self._manager.remember(**self.item(turn))

    def add_many(self, turns: Sequence[Turn]) -> None:
        self._manager.remember_many([self.item(turn) for turn in turns])

    def complete(self) -> None:
        self._manager.flush()

    def item(self, turn: Turn) -> dict[str, Any]:
        return {
            "content": turn.text.removeprefix(f"{turn.speaker}: "),
            "actor": turn.speaker,
            "session": turn.session,
            "source_type": "llm_generated" if turn.speaker == "assistant" else "user_input",
            "metadata": {"turn": turn.id},
            **({"valid_from": turn.at} if turn.at else {}),
        }

    def search(self, question: str, k: int) -> list[str]:
        turns = (hit.memory.metadata.get("turn") for hit in self._manager.recall(question, k=k))
        return [str(turn) for turn in turns if turn is not None]  # what was derived from several has none

    def close(self) -> None:
        self._manager.close()


class EngrainTexts(Engrain):
    """Nothing but the text."""

    def item(self, turn: Turn) -> dict[str, Any]:
        return {"content": turn.text, "metadata": {"turn": turn.id}}
