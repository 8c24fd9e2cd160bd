"""Use of a language model before the search: `name_intent` classifies a question, `other_phrasings` rewords it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.locales import has
from engrain.language.times import windows
from engrain.llm.replies import ModelTask, attribution, failure_reason
from engrain.protocols import QueryTransformer
from engrain.read.request import Request, checked_question
from engrain.read.retrieval import INTENTS, Phrasing, Trace, is_unclear
from engrain.text import digest, normalise

if TYPE_CHECKING:
    from engrain.llm.tasks import Intents

T = TypeVar("T")

MAX_PHRASINGS = 6  # of a question, including itself
_VARIANT = 0.5  # of the question's own weight
_READ = 100  # strings of a transformer that are used


def name_intent(engine: Engine, request: Request, intents: Intents, trace: Trace) -> Request:
    """Return the request with the intent that a model names, if the rules leave it unclear and it names one."""
    if not is_unclear(request.query, temporal=is_temporal(request)):
        return request
    key = digest(request.where.org, request.where.user or "", normalise(request.query).casefold())
    known = engine.intent_cache.get(key)
    if known is not None:
        trace.add("intent", 1, 1, f"intent {known}, as it was decided before")
        return replace(request, intent=known)
    failed: list[Exception] = []
    given = guard("reading the intent", lambda: intents.intent(request.query), failed=failed.append)
    if not isinstance(given, str) or given not in INTENTS:
        why = failure_reason(intents, failed) if failed else "it is none of the five"
        trace.add("intent", 1, 1, f"intent by the rules: {why}")
        return request
    engine.intent_cache.put(key, given)
    trace.add("intent", 1, 1, f"intent by {attribution(intents)}")
    return replace(request, intent=given)


def is_temporal(request: Request) -> bool:
    """Return whether a question names a time or asks for one."""
    return has(request.query, "asks_when") or bool(windows(request.query, request.now))


def other_phrasings(request: Request, trace: Trace) -> list[Phrasing]:
    """Return `multi_query` - 1 other phrasings of a question; none without a transformer, or if it fails."""
    query, several, failed = request.query, request.multi_query > 1, list[Exception]()
    transformer = request.transformer
    if transformer is None:
        wanted = [name for name, asked in (("multi_query", several), ("hyde", request.hyde)) if asked]
        trace.add("phrase", 1, 1, f"{' and '.join(wanted)} left out: no query transformer")
        return []

    def guarded(call: Callable[[], T]) -> T | None:
        return guard("the query transformer", call, failed=failed.append)

    found, notes = list[Phrasing](), list[str]()
    if several:
        most = min(request.multi_query, MAX_PHRASINGS) - 1
        more = guarded(lambda: _variants(transformer, query, most)) or []
        found += [Phrasing(text, _VARIANT) for text in more]
        notes += [f"no more than {MAX_PHRASINGS} strings are asked by"] if request.multi_query > MAX_PHRASINGS else []
        notes += [f"also asked: {text}" for text in more] or ["the query transformer gave no variants"]
    if request.hyde:
        passage: object = guarded(lambda: transformer.hypothetical(query))
        if askable(passage):
            found.append(Phrasing(passage, _VARIANT, passage=True))
            notes.append("also looked for what a made-up answer means")
        else:
            notes.append("the query transformer gave no passage")
    if isinstance(transformer, ModelTask):
        notes += [f"rewritten by {attribution(transformer)}"] if found else []
        notes += [failure_reason(transformer, failed[:1])] if failed else []
    trace.add("phrase", 1, 1 + len(found), *notes)
    return found


def _variants(transformer: QueryTransformer, query: str, most: int) -> list[str]:
    """Return other phrasings, without repeats."""
    given = transformer.variants(query, most)
    if isinstance(given, str):
        raise ProviderError("the query transformer gave one string, not a list of them")
    texts = {query.strip().casefold(): query}
    for text in islice(given, _READ):
        if askable(text):
            texts.setdefault(text.strip().casefold(), text.strip())
    return list(texts.values())[1 : most + 1]


def askable(text: object) -> TypeGuard[str]:
    """Return whether an output of user code is a valid question: text, not blank, and not too long."""
    try:
        return bool(checked_question(text, 1).strip())
    except (TypeError, ValueError):
        return False
