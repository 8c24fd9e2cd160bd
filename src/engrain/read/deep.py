"""Help by models: other phrasings of a question, made-up answers, its intent; and deep recall, which asks again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isfinite
from typing import TypeGuard, TypeVar

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.dates import windows
from engrain.language.questions import asks_when
from engrain.llm.replies import ModelTask, attribution, failure_reason
from engrain.llm.tasks import Intents
from engrain.model.memory import Status
from engrain.model.results import Hit, Recall, Stage
from engrain.protocols import Grade, Grader, QueryTransformer
from engrain.read.question import INTENTS, Phrasing, Trace, difficulty, is_unclear
from engrain.read.ranking import fuse
from engrain.read.request import Request, question
from engrain.text import digest, normalise

T = TypeVar("T")

MAX_PHRASINGS = 6  # strings that a question is asked by, itself included
_VARIANT = 0.5  # of the question's own weight
_READ = 100  # of the strings that a transformer gives


def phrasings_of(request: Request) -> tuple[list[Phrasing], list[str]]:
    """Return the other ways to ask a question, and what to note of them for the trace.

    `multi_query` is how many strings in all are asked by, the question included. Without a transformer, or when it
    fails, there are none, which is no error.
    """
    query, hyde, several = request.query, request.hyde, request.multi_query > 1
    found, notes = list[Phrasing](), list[str]()
    if request.transformer is None:
        wanted = [name for name, asked in (("multi_query", several), ("hyde", hyde)) if asked]
        return found, [f"{' and '.join(wanted)} left out: no query transformer"]
    transformer = _Transforming(request.transformer)
    if several:
        more = transformer.variants(query, min(request.multi_query, MAX_PHRASINGS) - 1)
        found += [Phrasing(text, _VARIANT) for text in more]
        notes += [f"no more than {MAX_PHRASINGS} strings are asked by"] if request.multi_query > MAX_PHRASINGS else []
        notes += [f"also asked: {text}" for text in more] or ["the query transformer gave no variants"]
    if hyde:
        passage = transformer.hypothetical(query)
        if askable(passage):
            found.append(Phrasing(passage, _VARIANT, passage=True))
            notes.append("also looked for what a made-up answer means")
        else:
            notes.append("the query transformer gave no passage")
    return found, [*notes, *transformer.notes(answered=bool(found))]


def askable(text: object) -> TypeGuard[str]:
    """Say whether what foreign code gave is a text that can be asked: not blank, and no longer than a question."""
    try:
        return bool(question(text, 1).strip())
    except (TypeError, ValueError):
        return False


class _Transforming:
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
        if not isinstance(self._transformer, ModelTask):
            return []
        why = [failure_reason(self._transformer, self._failed[:1])] if self._failed else []
        return [f"rewritten by {attribution(self._transformer)}", *why] if answered else why

    def _guarded(self, call: Callable[[], T]) -> T | None:
        return guard("the query transformer", call, failed=self._failed.append)


def name_intent(engine: Engine, request: Request, intents: Intents, trace: Trace) -> Request:
    """Return the request with the intent that a model names, if the rules leave it unclear and it names one.

    Where not, or when it fails, the rules decide.
    """
    temporal = asks_when(request.query) or bool(windows(request.query, request.now))
    if not is_unclear(request.query, temporal=temporal):
        return request
    key = digest(request.where.org, request.where.user or "", normalise(request.query).casefold())
    known = engine.intent_cache.get(key)
    if known is not None:
        trace.add("intent", 1, 1, f"intent {known}, as it was told before")
        return replace(request, intent=known)
    failed: list[Exception] = []
    given = guard("telling the intent", lambda: intents.intent(request.query), failed=failed.append)
    if not isinstance(given, str) or given not in INTENTS:
        why = failure_reason(intents, failed) if failed else "it is none of the five"
        trace.add("intent", 1, 1, f"intent by the rules: {why}")
        return request
    engine.intent_cache.put(key, given)
    trace.add("intent", 1, 1, f"intent by {attribution(intents)}")
    return replace(request, intent=given)


# ---------------------------------------------------------------------------------------------------------- deep recall

MAX_LOOKS = 5
_SHOWN = 8  # hits that a grader sees
_ENOUGH = Grade(sufficient=True, confidence=0.0)

Look = Callable[[str, bool], Recall]


def look_again(request: Request, look: Look, grader: Grader | None, *, iterations: int) -> Recall:
    """Ask a question as often as its grader wants, at most `iterations` times; `look(text, wider)` is one recall.

    An easy question, any without a grader and one for no hits is asked once and not graded. Hits are always judged
    against the question as it was asked. A grader that fails ends the loop, which is no abstention.
    """
    query, k = request.query, request.k
    looks = _Looks(query, k)
    hard = difficulty(query, temporal=asks_when(query) or bool(windows(query, request.now)))
    why = "easy" if not hard.hard else "no grader" if grader is None else "no hits wanted" if k <= 0 else ""
    notes = (f"{hard.score:.2f}: {', '.join(hard.reasons) or 'plain'}", why and f"{why}: one look")
    looks.trace.append(Stage("difficulty", 1, 1, 0.0, tuple(filter(None, notes))))
    looks.add(query, look(query, False))
    if not hard.hard or grader is None or k <= 0:
        return looks.answer(abstained=looks.found[0].abstained, sufficient=True)
    while True:
        grade = _graded(grader, looks)
        words = (grade.reformulation or "").strip()
        enough = grade.sufficient or len(looks.found) >= min(iterations, MAX_LOOKS)
        if enough or not words or looks.asked_already(words):
            return looks.answer(abstained=not grade.sufficient, sufficient=grade.sufficient)
        looks.add(words, look(words, True))


@dataclass(slots=True)
class _Looks:
    """What was asked and found so far."""

    query: str
    k: int
    queries: list[str] = field(default_factory=list)
    found: list[Recall] = field(default_factory=list)
    trace: list[Stage] = field(default_factory=list)

    def add(self, text: str, found: Recall) -> None:
        self.queries.append(text)
        self.found.append(found)
        self.trace += found.trace

    def asked_already(self, text: str) -> bool:
        return text.casefold() in {each.strip().casefold() for each in self.queries}

    def hits(self) -> Sequence[Hit]:
        return self.found[0] if len(self.found) == 1 else fuse(self.query, self.found)[: self.k]

    def note(self, *notes: str) -> None:
        count = len(self.hits())
        self.trace.append(Stage("grade", count, count, 0.0, notes))

    def answer(self, *, abstained: bool, sufficient: bool) -> Recall:
        return self.found[0].among(
            self.hits(),
            trace=self.trace,
            abstained=abstained,
            sufficient=sufficient,
            queries=self.queries,
        )


def _graded(grader: Grader, looks: _Looks) -> Grade:
    asks = isinstance(grader, ModelTask)  # a language model is shown nothing that waits to be admitted
    hits = [hit for hit in looks.hits() if not (asks and hit.memory.status is Status.QUARANTINED)]

    def judged() -> Grade:
        grade = grader.grade(looks.query, hits[:_SHOWN])
        if not isinstance(grade, Grade):
            raise ProviderError(f"the grader gave a {type(grade).__name__}, not a Grade")
        sufficient: object = grade.sufficient
        if not isinstance(sufficient, bool) or not isfinite(grade.confidence):
            raise ProviderError(f"the grader gave no verdict: {grade}")
        return grade if askable(grade.reformulation) else replace(grade, reformulation=None)

    failed: list[Exception] = []
    grade = guard("the grader", judged, failed=failed.append)
    if grade is None:
        looks.note("the grader failed: no further look", *([failure_reason(grader, failed)] if asks else []))
        return _ENOUGH
    again = f"ask again: {grade.reformulation}" if grade.reformulation and not grade.sufficient else ""
    verdict = "sufficient" if grade.sufficient else "not sufficient"
    by = f"graded by {attribution(grader)}" if asks else ""
    looks.note(*filter(None, (f"{verdict}, confidence {grade.confidence:.2f}", again, by)))
    return grade
