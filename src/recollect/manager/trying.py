"""The language model of a memory, tried out on the account of its view."""

from __future__ import annotations

from recollect.llm.asking import asker
from recollect.llm.trial import USE, Trial, tried
from recollect.manager import MemoryManager


def try_model(memory: MemoryManager) -> Trial | None:
    """Ask the model in force two small questions; None when there is no model."""
    llm = asker(memory._engine, memory.scope, USE)
    return None if llm is None else tried(llm)
