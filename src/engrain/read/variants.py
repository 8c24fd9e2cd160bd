"""Variants of a question: rephrasings, hypothetical answers, and the intent a model names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeGuard, TypeVar

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.dates import windows
from engrain.language.questions import asks_when
from engrain.llm.extractor import Mind, credit, trouble
from engrain.protocols import QueryTransformer
from engrain.read.question import INTENTS, Trace, is_unclear
from engrain.read.request import Request, question
from engrain.text import digest, normalise

T = TypeVar("T")

MOST = 6  # strings that a question is asked by, itself included
_VARIANT = 0.5  # of the question's own weight
_READ = 100  # of the strings that a transformer gives


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A text to search by, and what it counts beside the question; a passage is looked for by meaning alone."""

    text: str
    weight: float = 1.0
    passage: bool = False


def phrasings(request: Request) -> tuple[list[Phrasing], list[str]]:
    """Return the ways to ask, the question itself first, and what to note of them.

    `multi_query` is how many strings in all are asked by. Without a transformer, or when it fails, the question stands
    alone: nothing is called and nothing is an error.
    """
    query, hyde, several = request.query, request.hyde, request.multi_query > 1
    found, notes = [Phrasing(query)], list[str]()
    if not query.strip() or request.k <= 0 or not (several or hyde):
        return found, notes
    if request.transformer is None:
        wanted = [name for name, asked in (("multi_query", several), ("hyde", hyde)) if asked]
        return found, [f"{' and '.join(wanted)} left out: no query transformer"]
    transformer = _Asked(request.transformer)
    if several:
        more = transformer.variants(query, min(request.multi_query, MOST) - 1)
        found += [Phrasing(text, _VARIANT) for text in more]
        notes += [f"no more than {MOST} strings are asked by"] if request.multi_query > MOST else []
        notes += [f"also asked: {text}" for text in more] or ["the query transformer gave no variants"]
    if hyde:
        passage = transformer.hypothetical(query)
        if askable(passage):
            found.append(Phrasing(passage, _VARIANT, passage=True))
            notes.append("also looked for what a made-up answer means")
        else:
            notes.append("the query transformer gave no passage")
    return found, [*notes, *transformer.notes(answered=len(found) > 1)]


def askable(text: object) -> TypeGuard[str]:
    """Say whether what foreign code gave is a text that can be asked: not blank, and no longer than a question."""
    try:
        return bool(question(text, 1).strip())
    except (TypeError, ValueError):
        return False


class _Asked:
    """A transformer that is asked, and what went wrong with it."""

    def __init__(self, transformer: QueryTransformer) -> None:
        self._transformer = transformer
        self._failed: list[Exception] = []

    def variants(self, query: str, most: int) -> Sequence[str]:
        """Return other ways to ask, none twice."""

        def given() -> list[object]:
            found = self._transformer.variants(query, most)
            if isinstance(found, str):
                raise ProviderError("the query transformer gave one string, not a list of them")
            return list(islice(found, _READ))

        known, kept = {query.strip().casefold()}, list[str]()
        for text in self._guarded(given) or []:
            if askable(text) and text.strip().casefold() not in known:
                known.add(text.strip().casefold())
                kept.append(text.strip())
        return kept[:most]

    def hypothetical(self, query: str) -> object:
        """Return what it gives for a passage."""
        return self._guarded(lambda: self._transformer.hypothetical(query))

    def notes(self, *, answered: bool) -> list[str]:
        """Return which model it was and what it took, and why it did not."""
        if not isinstance(self._transformer, Mind):
            return []
        why = [trouble(self._transformer, self._failed[:1])] if self._failed else []
        return [f"rewritten by {credit(self._transformer)}", *why] if answered else why

    def _guarded(self, call: Callable[[], T]) -> T | None:
        return guard("the query transformer", call, failed=self._failed.append)


def meant(engine: Engine, request: Request, trace: Trace) -> Request:
    """Return the request with the kind of its question, where somebody is to be asked and gives one of the five.

    Where not, or when it fails, the rules' word stands.
    """
    asks = request.intents
    if asks is None or request.k <= 0 or not request.query.strip():
        return request
    temporal = asks_when(request.query) or bool(windows(request.query, request.now))
    if not is_unclear(request.query, temporal=temporal):
        return request
    key = digest(request.where.org, request.where.user or "", normalise(request.query).casefold())
    known = engine.intents.get(key)
    if known is not None:
        trace.add("intent", 1, 1, f"intent {known}, as it was told before")
        return replace(request, intent=known)
    failed: list[Exception] = []
    given = guard("telling the intent", lambda: asks.intent(request.query), failed=failed.append)
    if not isinstance(given, str) or given not in INTENTS:
        why = trouble(asks, failed) if failed else "it is none of the five"
        trace.add("intent", 1, 1, f"intent by the rules: {why}")
        return request
    engine.intents.keep(key, given)
    trace.add("intent", 1, 1, f"intent by {credit(asks)}")
    return replace(request, intent=given)
