"""The language model of a memory, tried out on the account of its view."""

from __future__ import annotations

from engrain.llm.budget import asker
from engrain.llm.tasks import USE, Trial, tried
from engrain.manager import MemoryManager


def try_model(memory: MemoryManager) -> Trial | None:
    """Ask the model in force two small questions; None when there is no model."""
    llm = asker(memory._engine, memory.scope, USE)
    return None if llm is None else tried(llm)
