"""A question: its terms, intent and difficulty, and the trace of a recall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from engrain.arrays import Floats
from engrain.language.dates import Window, names_time, windows
from engrain.language.questions import (
    asks_latest,
    asks_name,
    asks_when,
    difficulties,
    is_about_asked,
    is_about_asker,
    kinds_of,
)
from engrain.language.tokens import content_pairs, query_terms, stem, words
from engrain.model.results import Stage


@dataclass(slots=True)
class Trace:
    """Stages in the order in which they ended; each lasted since the one before it."""

    stages: list[Stage] = field(default_factory=list)
    began: float = field(default_factory=perf_counter)

    def add(self, name: str, came_in: int, went_out: int, *notes: str) -> None:
        """Note a stage that ends now."""
        now = perf_counter()
        self.stages.append(Stage(name, came_in, went_out, round((now - self.began) * 1000, 3), notes))
        self.began = now


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A text to search by, and what it counts beside the question; a passage is looked for by meaning alone."""

    text: str
    weight: float = 1.0
    passage: bool = False


@dataclass(frozen=True, slots=True)
class Embedded:
    """A question's vector by an embedder; without one the notes say why."""

    vector: Floats | None = None
    embedder: str = ""
    notes: tuple[str, ...] = ()


FACTUAL, TEMPORAL, RELATIONAL = "factual", "temporal", "relational"
CAUSAL, EXPLORATORY = "causal", "exploratory"

INTENTS = (FACTUAL, TEMPORAL, RELATIONAL, CAUSAL, EXPLORATORY)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each way of finding counts for a kind of question."""

    lexical: float
    vector: float
    graph: float
    temporal: float


# For the ranking policy `intent_blend`, whose lists are all scaled to 0..1.
BLEND: Mapping[str, Weights] = {
    FACTUAL: Weights(0.7, 0.3, 0.2, 0.0),
    TEMPORAL: Weights(0.1, 0.2, 0.2, 0.5),
    RELATIONAL: Weights(0.2, 0.2, 0.5, 0.1),
    CAUSAL: Weights(0.1, 0.1, 0.6, 0.2),
    EXPLORATORY: Weights(0.2, 0.5, 0.2, 0.1),
}


def intent(text: str, *, temporal: bool) -> str:
    """Return the kind of a question; `temporal` says that it names a time or asks for one."""
    return next(iter(_kinds(text, temporal=temporal)), FACTUAL)


def is_unclear(text: str, *, temporal: bool) -> bool:
    """Say whether nothing in a question says of what kind it is, or several things do that compete.

    One that begins as questions for one thing do, and shows nothing else, is plainly factual.
    """
    kinds = _kinds(text, temporal=temporal)
    return len(kinds) > 1 or not (kinds or FACTUAL in kinds_of(text))


def _kinds(text: str, *, temporal: bool) -> list[str]:
    """Return the kinds that something in a question speaks for, the strongest first."""
    found = {*kinds_of(text), *([TEMPORAL] if temporal else [])}
    return [kind for kind in (CAUSAL, TEMPORAL, RELATIONAL, EXPLORATORY) if kind in found]


HARD = 0.5
_WORTH = {"several steps": 40, "a time": 30, "a comparison": 30, "several clauses": 20, "many words": 15}


@dataclass(frozen=True, slots=True)
class Difficulty:
    """A score from 0 on, and what it is made of."""

    score: float
    reasons: tuple[str, ...]

    @property
    def hard(self) -> bool:
        """One look may not be enough."""
        return self.score >= HARD


def difficulty(text: str, *, temporal: bool) -> Difficulty:
    """Rate a question: several steps .4, a time .3, a comparison .3, several clauses .2, many words .15; hard at .5."""
    found = {*difficulties(text), *(["a time"] if temporal else [])}
    return Difficulty(sum(map(_WORTH.__getitem__, found)) / 100, tuple(name for name in _WORTH if name in found))


@dataclass(frozen=True, slots=True)
class Question:
    """A question, understood.

    `weight` is what it counts, 1 for the question itself and less for another phrasing. `embedded` is its vector where
    that was made before the store is read.
    """

    text: str
    now: datetime
    terms: tuple[str, ...]
    intent: str
    difficulty: Difficulty
    windows: tuple[Window, ...] = ()
    time_terms: frozenset[str] = frozenset()
    wants_time: bool = False
    wants_latest: bool = False
    wants_name: bool = False
    names: frozenset[str] = frozenset()
    name_terms: tuple[int, ...] = ()
    named_actor: str | None = None
    by_user: bool = False
    by_assistant: bool = False
    weight: float = 1.0
    embedded: Embedded | None = None

    def notes(self) -> list[str]:
        """Return what was read out of it, for the trace."""
        notes = [f"intent {self.intent}"]
        if self.terms:
            notes.append("words " + ", ".join(self.terms))
        if self.named_actor:
            notes.append(f"names {self.named_actor}")
        return notes + [f"{each.unit} {each.start.date()} to {each.end.date()}" for each in self.windows]


def understand(text: str, now: datetime, actors: Sequence[str]) -> Question:
    """Read a question. `actors` are those of the searched memories: the ones it names are boosted, never filtered."""
    asked = [surface for surface, _ in content_pairs(text)] if actors else []
    said = {surface.casefold() for surface in asked}
    capital = {surface.casefold() for surface in asked if surface[:1].isupper()}
    named = {actor: matched for actor in actors if (matched := _naming(actor, said, capital))}
    names = frozenset(word for matched in named.values() for word in matched)
    terms, named_by = tuple(query_terms(text)), {stem(name) for name in names}
    wants_time, found = asks_when(text), windows(text, now)
    temporal = wants_time or bool(found)
    return Question(
        text=text,
        now=now,
        terms=terms,
        intent=intent(text, temporal=temporal),
        difficulty=difficulty(text, temporal=temporal),
        windows=found,
        time_terms=frozenset(_timely(text)) if found else frozenset(),
        wants_time=wants_time,
        wants_latest=asks_latest(text),
        wants_name=asks_name(text),
        names=names,
        name_terms=tuple(place for place, term in enumerate(terms) if term in named_by),
        named_actor=next(iter(named)) if len(named) == 1 else None,
        by_user=is_about_asker(text),
        by_assistant=is_about_asked(text),
    )


def _timely(text: str) -> Iterator[str]:
    """Yield the terms of a question that name its times: months, years, weekdays, weeks."""
    for surface, term in content_pairs(text):
        if names_time(surface) or names_time(f"last {surface}"):
            yield term


def _naming(actor: str, asked: Set[str], capital: Set[str]) -> frozenset[str]:
    """Return the words of a question that name an actor: a part of the name, or, with a capital, how it begins."""
    parts = [part for part in words(actor) if len(part) > 1 and part not in ("user", "assistant", "system", "tool")]
    begun = {word for word in capital if len(word) >= 3 and any(part.startswith(word) for part in parts)}
    return frozenset(begun.union(set(parts) & asked))
