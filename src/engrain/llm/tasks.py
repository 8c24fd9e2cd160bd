"""What a language model does for a scope: judge, grade, rerank, transform queries, name intents."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol, TypeVar, cast

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.language.names import names_and_numbers
from engrain.language.tokens import content_pairs, terms, words
from engrain.llm.asker import Asker, asker
from engrain.llm.client import Usage
from engrain.llm.extractor import Mind, ModelExtractor, is_founded
from engrain.llm.replies import asked, one, prompt, several
from engrain.model.memory import Scope
from engrain.model.results import Hit
from engrain.protocols import LLM, Candidate, Decider, Extractor, Grade, Grader, Judgement, QueryTransformer, Reranker
from engrain.text import normalise

Operation = Literal["ADD", "UPDATE", "DELETE", "NOOP"]
_OPERATIONS = frozenset({"ADD", "UPDATE", "DELETE", "NOOP"})
_ALSO = {"NONE": "NOOP", "NO_OP": "NOOP", "NO-OP": "NOOP"}
_DECIDER_LONGEST = 2_000  # characters that are shown of a known text
_REASON = 200  # characters that are kept of a reason


@dataclass
class _Verdict:
    """A verdict as a model writes it down."""

    operation: str
    target: Any = None
    content: str | None = None
    reason: str | None = None


class ModelDecider(Mind):
    """Judges a candidate by asking a language model; with no neighbours there is nothing to ask.

    A verdict without a target is about the nearest. Words of the model's own that say more than it was shown are left
    out, and the candidate's stand. Raises what the model raises, and `ProviderError` when it answers twice with
    nothing that is a verdict.
    """

    def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement:
        """Return what becomes of the candidate."""
        if not neighbours:
            return Judgement(operation="ADD", reason="nothing known is near it")
        record = {"new": candidate.content, "known": [_shown(n, hit) for n, hit in enumerate(neighbours, start=1)]}
        text = json.dumps(record, ensure_ascii=False, indent=0)
        return asked(self._llm, prompt("verdict"), partial(_read, candidate, neighbours), record=text)


def _shown(number: int, hit: Hit) -> dict[str, object]:
    return {"n": number, "since": hit.memory.valid_from.date().isoformat(), "says": hit.content[:_DECIDER_LONGEST]}


def _read(candidate: Candidate, neighbours: Sequence[Hit], answer: str) -> Judgement:
    """Return the verdict of an answer; raises `ValueError`, which quotes no text."""
    verdict = one(_Verdict)(answer)
    word = verdict.operation.strip().upper()
    operation = _ALSO.get(word, word)
    if operation not in _OPERATIONS:
        raise ValueError("its operation is none of ADD, UPDATE, DELETE and NOOP")
    about = None if operation == "ADD" else _target(verdict.target, [hit.id for hit in neighbours])
    target = next((hit for hit in neighbours if hit.id == about), None)
    if target is not None and not _touch(candidate.content, target.content):
        raise ValueError("the known text that it names has no word of the new one")
    return Judgement(
        operation=cast(Operation, operation),
        target=about,
        content=_content(verdict, candidate, target) if target is not None and operation != "NOOP" else None,
        reason=" ".join((verdict.reason or "").split())[:_REASON],
    )


def _target(given: object, ids: Sequence[str]) -> str:
    """Return the id that a verdict means: by its number, or as it is."""
    if given is None or given == "":
        return ids[0]
    text = str(given).strip().lstrip("#")
    if isinstance(given, int | str) and not isinstance(given, bool):
        if text in ids:
            return text
        if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(ids):
            return ids[int(text) - 1]
    raise ValueError("its target is no number of a known text")


def _content(verdict: _Verdict, candidate: Candidate, target: Hit) -> str | None:
    """Return the words that shall take the target's place, None where the candidate's own do.

    They must name nobody and nothing but what the two texts do, say something of the new one, and not the old again.
    """
    said = (verdict.content or "").strip()
    shown = f"{candidate.content}\n{target.content}"
    if not said or normalise(said) == normalise(target.content) or not is_founded(said, frozenset(terms(shown))):
        return None
    strange = names_and_numbers(said) - frozenset(words(shown))
    return None if strange or not _touch(candidate.content, said) else said


def _touch(one: str, other: str) -> bool:
    """Say whether two texts share a telling word, or one has none."""
    telling = [frozenset(term for _, term in content_pairs(text)) for text in (one, other)]
    return not all(telling) or not telling[0].isdisjoint(telling[1])


_SHOWN = 8  # hits
_GRADER_LONGEST = 1_000  # characters of each


@dataclass
class _Entry:
    """A grade as a model writes it down."""

    sufficient: bool
    confidence: float | None = None
    query: str | None = None


class ModelGrader(Mind):
    """Grades hits by asking a language model.

    Raises what the model raises, and `ProviderError` when it answers twice with nothing that is a grade.
    """

    def grade(self, query: str, hits: Sequence[Hit]) -> Grade:
        """Return whether the best of the hits answer the question; the first eight are shown."""
        found = [
            {"n": n, "since": hit.memory.valid_from.date().isoformat(), "says": hit.content[:_GRADER_LONGEST]}
            for n, hit in enumerate(hits[:_SHOWN], start=1)
        ]
        record = json.dumps({"question": query, "found": found}, ensure_ascii=False, indent=0)
        entry = asked(self._llm, prompt("grade"), one(_Entry), record=record)
        words = None if entry.sufficient else (entry.query or "").strip() or None
        return Grade(sufficient=entry.sufficient, confidence=_share(entry.confidence), reformulation=words)


def _share(confidence: float | None) -> float:
    if confidence is None or not math.isfinite(confidence):
        return 1.0
    return min(max(confidence, 0.0), 1.0)


AT_ONCE = 25  # texts of one call
LONGEST = 800  # characters of a text that are read
_TOP = 10.0


@dataclass
class _Mark:
    """What one text is given, as a model writes it down."""

    n: int
    score: float


class ModelReranker(Mind):
    """Scores texts from 0 to 10 by asking a language model, so many at a time, each cut to its beginning.

    Raises what the model raises, and `ProviderError` when it twice leaves a text without a score.
    """

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """Return one score for each text; for no texts nobody is asked."""
        scores: list[float] = []
        for start in range(0, len(documents), AT_ONCE):
            scores += self._some(query, documents[start : start + AT_ONCE])
        return scores

    def _some(self, query: str, documents: Sequence[str]) -> list[float]:
        texts = [{"n": n, "says": text[:LONGEST]} for n, text in enumerate(documents, start=1)]
        record = json.dumps({"question": query, "texts": texts}, ensure_ascii=False, indent=0)
        return asked(self._llm, prompt("rerank"), partial(_scores, len(documents)), record=record)


def _scores(count: int, answer: str) -> list[float]:
    """Return the scores of an answer in the order of the texts; raises `ValueError` when one has none."""
    marks = {mark.n: mark.score for mark in several(_Mark)(answer) if math.isfinite(mark.score)}
    if not marks.keys() >= set(range(1, count + 1)):
        raise ValueError(f"it does not give each of the {count} texts a score")
    return [min(max(marks[n], 0.0), _TOP) for n in range(1, count + 1)]


_TRANSFORMER_LONGEST = 1_000  # characters of a passage


@dataclass
class _Kind:
    """What kind of question it is, as a model writes it down."""

    intent: str


class ModelTransformer(Mind):
    """Says questions in other words by asking a language model.

    Raises what the model raises, and `ProviderError` when it answers twice with nothing that can be read.
    """

    def variants(self, query: str, n: int) -> Sequence[str]:
        """Return up to `n` other ways to ask; for none nobody is asked."""
        if n < 1:
            return []
        found = asked(self._llm, prompt("variants"), several(str), question=query, count=str(n))
        return [text.strip() for text in found if text.strip()][:n]

    def hypothetical(self, query: str) -> str:
        """Return a passage that would answer the question, made up."""
        text, system = prompt("hypothetical").filled(question=query)
        passage = self._llm.complete(text, system=system)
        if not passage.strip():
            raise ProviderError("the language model gave no passage")
        return passage.strip()[:_TRANSFORMER_LONGEST]

    def intent(self, query: str) -> str:
        """Return the kind of a question in one word, which need not be one that is known."""
        return asked(self._llm, prompt("intent"), one(_Kind), question=query).intent.strip().lower()


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


USE = "trial"
_RECORD = "The door of the shed is green."
_ANSWER = 400  # tokens: models that think do so before their one word


@dataclass
class _Colour:
    colour: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did: the seconds and tokens of its calls, whether it keeps to JSON, and why it gave no answer."""

    seconds: float
    usage: Usage
    answers: bool = False
    keeps_to_json: bool = False
    error: ProviderError | None = None


def tried(llm: Asker) -> Trial:
    """Ask a model for a word, then for JSON; both calls count for the budget."""
    start, answers = time.perf_counter(), False
    try:
        text, system = prompt("trial").filled(record=_RECORD)
        llm.complete(text, system=system, max_tokens=_ANSWER)
        answers = True
        text, system = prompt("trial_json").filled(record=_RECORD)
        keeps = _is_read(llm.complete(text, system=system, max_tokens=_ANSWER))
    except ProviderError as error:
        return Trial(time.perf_counter() - start, llm.usage, answers, error=error)
    return Trial(time.perf_counter() - start, llm.usage, answers, keeps)


def _is_read(answer: str) -> bool:
    try:
        one(_Colour)(answer)
    except ValueError:
        return False
    return True
