"""What one piece of work asked of the language model: for its result, which says who did it and what that cost."""

from __future__ import annotations

from typing import Any

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.llm.asking import Asker, asker
from recollect.llm.named import Usage, name_of
from recollect.models import Scope
from recollect.results import OFFLINE


class Account:
    """The askers of one piece of work, whether the model did any of it, and why it did not do the rest."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._askers: list[Asker] = []
        self._by = OFFLINE
        self._why_not = ""

    def asker(self, scope: Scope, use: str) -> Asker | None:
        """Return the model in force on the account of a scope, as `asking.asker` does; what it takes is counted."""
        llm = asker(self._engine, scope, use)
        if llm is not None:
            self._askers.append(llm)
        return llm

    def did(self) -> None:
        """Say that the model did some of the work."""
        if self._engine.llm is not None:
            self._by = name_of(self._engine.llm)

    def failed(self, error: Exception) -> None:
        """Say why the model did not do some of the work; the first reason stays."""
        self._why_not = self._why_not or reason(error)

    def worked(self) -> dict[str, Any]:
        """Return the fields of `results.Worked`."""
        used = sum((each.usage for each in self._askers), Usage())
        return {"by": self._by, "calls": used.calls, "tokens": used.tokens, "why_not": self._why_not}


def reason(error: Exception) -> str:
    """Say why a model was no help, in words that hold no text of a memory: those of foreign errors may."""
    if isinstance(error, ProviderError):
        return str(error)
    return f"the language model failed ({type(error).__name__})"
