"""Who does it for a scope: what the caller gave, else the language model in force on that scope's account, else nobody.

Made anew for each call, so that what it took is that call's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from recollect.engine import Engine
from recollect.llm.asking import asker
from recollect.llm.decider import ModelDecider
from recollect.llm.extractor import ModelExtractor
from recollect.llm.grader import ModelGrader
from recollect.llm.reranker import ModelReranker
from recollect.llm.transformer import ModelTransformer
from recollect.models import Scope
from recollect.protocols import LLM, Decider, Extractor, Grader, QueryTransformer, Reranker

T = TypeVar("T")


class Intents(Protocol):
    """Tells the kind of a question in one word."""

    def intent(self, query: str) -> object: ...


def extractor(engine: Engine, scope: Scope) -> Extractor | None:
    """Return who finds facts; None leaves it to the offline extractor."""
    return _who(engine.extractor, engine, scope, "extract", ModelExtractor)


def decider(engine: Engine, scope: Scope) -> Decider | None:
    """Return who judges facts; None leaves it to the rules."""
    return _who(engine.decider, engine, scope, "verdict", ModelDecider)


def grader(engine: Engine, scope: Scope) -> Grader | None:
    """Return who grades the hits of a deep recall."""
    return _who(engine.grader, engine, scope, "grade", ModelGrader)


def transformer(engine: Engine, scope: Scope) -> QueryTransformer | None:
    """Return who says a question in other words."""
    return _who(engine.transformer, engine, scope, "rewrite", ModelTransformer)


def reranker(engine: Engine, scope: Scope) -> Reranker | None:
    """Return who reads the best hits again: the language model only where it was chosen for that."""
    given = engine.reranker
    if isinstance(given, str):
        return _who(None, engine, scope, "rerank", ModelReranker)
    return given


def intents(engine: Engine, scope: Scope) -> Intents | None:
    """Return whose word counts on the kind of a question that the rules cannot tell, where the settings ask for it."""
    if engine.settings.unclear_intents != "llm":
        return None
    own: Any = engine.transformer
    return _who(own if callable(getattr(own, "intent", None)) else None, engine, scope, "intent", ModelTransformer)


def _who(given: T | None, engine: Engine, scope: Scope, use: str, make: Callable[[LLM], T]) -> T | None:
    if given is not None:
        return given
    llm = asker(engine, scope, use)
    return None if llm is None else make(llm)
