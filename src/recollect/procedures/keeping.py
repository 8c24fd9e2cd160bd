"""Procedures stored: one memory for each name in a scope; the same name with other steps is an edit of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.engine import Engine
from recollect.models import Memory, Scope
from recollect.procedure import Procedure
from recollect.text import digest, shorten
from recollect.write.draft import draft, screened_text, with_procedure
from recollect.write.pipeline import remember
from recollect.write.procedures import checked_procedure, text_of

_PREFIX = "procedure:"
_LONGEST_KEY = 200


def key_of(name: str) -> str:
    """Return the key of the memory of a procedure: its name, in small letters."""
    words = " ".join(name.casefold().split())
    return _PREFIX + (words if len(words) <= _LONGEST_KEY else digest(words)[:40])


def store(engine: Engine, scope: Scope, procedure: Procedure | Mapping[str, Any]) -> Memory:
    """Keep a procedure, or edit the one of that name; see `Procedures.store`."""
    checked = checked_procedure(procedure)
    written = draft(
        text_of(checked),
        scope=scope,
        settings=engine.settings,
        kind="procedural",
        key=key_of(screened_text(checked.name, engine.settings)),
        confidence=checked.confidence,
    )
    (outcome,) = remember(engine, [with_procedure(written, checked, engine.settings)])
    assert outcome.memory is not None
    return outcome.memory


def procedure_of(memory: Memory) -> Procedure:
    """Return the procedure that a procedural memory is; one that was remembered as a text alone is its own name."""
    if memory.procedure is not None:
        return memory.procedure
    return Procedure(name=shorten(memory.content, 80), description=memory.content, confidence=memory.confidence)
