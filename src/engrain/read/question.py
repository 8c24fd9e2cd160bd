"""A question: its terms, intent and difficulty, and the trace of a recall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from engrain.arrays import Floats
from engrain.language.analyzer import content_pairs, query_terms, stem, words
from engrain.language.dates import Window, asks_latest, asks_when, has_time_words, windows
from engrain.language.names import asks_name
from engrain.model.results import Stage
from engrain.text import pattern


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

_CAUSAL = pattern(
    r"\b(?:why|because|causes?|caused|reasons?|led to|result(?:s|ed)? in|how come|what made)\b", re.IGNORECASE
)
_WHAT_DOES = (  # what somebody who is named has to do with things of a kind; of oneself one asks for the fact
    r"(?:what|which)(?: \w+){1,3}? (?:do|does|did|has|have) "
    r"(?!(?:i|you|we|they|he|she|it|my|your|our|his|her|their|this|that|these|those|one|people|a|an)\b"
    r"|the (?-i:[^A-Z]))"
    r"\w[^?\n]{0,60}? (?:uses?|used|deploy(?:ed)?|exploit(?:ed)?|target(?:ed)?|attack(?:ed)?)"
)
_RELATIONAL = pattern(
    r"\b(?:who (?:knows|works|is with)|relationships?|related|connected|between|friends? of|same as|both|"
    rf"{_WHAT_DOES})\b",
    re.IGNORECASE,
)
_EXPLORATORY = pattern(
    r"\b(?:tell me (?:about|more)|what do (?:we|you|i) know|overview|summar(?:y|ise|ize)|describe|everything)\b",
    re.IGNORECASE,
)
INTENTS = (FACTUAL, TEMPORAL, RELATIONAL, CAUSAL, EXPLORATORY)
_FACTUAL = pattern(
    r"^\W*(?:(?:what|which|who|whose|whom|where|how (?:many|much|old|long|far|tall|big|often))\b"
    r"|(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should)\b)",
    re.IGNORECASE,
)


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
    return next(iter(_seen(text, temporal=temporal)), FACTUAL)


def is_unclear(text: str, *, temporal: bool) -> bool:
    """Say whether nothing in a question says of what kind it is, or several things do that compete.

    One that begins as questions for one thing do, and shows nothing else, is plainly factual.
    """
    seen = _seen(text, temporal=temporal)
    return len(seen) > 1 or not (seen or _FACTUAL.search(text))


def _seen(text: str, *, temporal: bool) -> list[str]:
    """Return the kinds that something in a question speaks for, the strongest first."""
    marks = {
        CAUSAL: _CAUSAL.search(text),
        TEMPORAL: temporal,
        RELATIONAL: _RELATIONAL.search(text),
        EXPLORATORY: _EXPLORATORY.search(text),
    }
    return [kind for kind, there in marks.items() if there]


HARD = 0.5
_LONG = 12  # words

_STEPS = pattern(
    r"\bwho(?:m|se)?\b|\bwhich\b|\bthe\s+\w+\s+(?:of|that|whom?|which)\s+\w"
    r"|\bthe\s+(?:person|people|place|man|woman|one|thing|company|city|book|film|movie)\s+(?:i|we|he|she|they|you)\b"
    r"|['’]s\b.*['’]s\b",
    re.IGNORECASE,
)
_COMPARISON = pattern(
    r"\b(?:compar(?:e|ed|es|ing|ison)|versus|vs|differ(?:s|ed|ences?|ent(?:ly)?)?|both|either|neither|same\s+as|than"
    r"|more|less|fewer|most|least|better|worse|best|worst|first\s+or|earlier\s+or|later\s+or)\b",
    re.IGNORECASE,
)
_JOINT = pattern(r"[,;]|\b(?:and|or|but|while|when|after|before|because|then)\b", re.IGNORECASE)


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
    signs = (
        ("several steps", 40, bool(_STEPS.search(text))),
        ("a time", 30, temporal),
        ("a comparison", 30, bool(_COMPARISON.search(text))),
        ("several clauses", 20, len(_JOINT.findall(text)) >= 2 or text.count("?") >= 2),
        ("many words", 15, len(words(text)) >= _LONG),
    )
    found = [(name, worth) for name, worth, there in signs if there]
    return Difficulty(sum(worth for _, worth in found) / 100, tuple(name for name, _ in found))


_FIRST = re.compile(r"\b(?:i|i'm|i've|i'd|me|my|mine|myself)\b", re.IGNORECASE)
# "Can you suggest a place for my birthday?" asks something of the assistant, not about what it said.
_REQUEST = re.compile(r"\b(?:can|could|would|will) you\b|\bdo you (?:know|remember|think|have)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|yours|you're|you've)\b", re.IGNORECASE)


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
    addressed = _REQUEST.sub(" ", text)
    temporal = wants_time or bool(found)
    second = bool(_SECOND.search(addressed))
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
        by_user=bool(_FIRST.search(addressed)) and not second,
        by_assistant=second,
    )


def _timely(text: str) -> Iterator[str]:
    """Yield the terms of a question that name its times: months, years, weekdays, weeks."""
    for surface, term in content_pairs(text):
        if has_time_words(surface) or has_time_words(f"last {surface}"):
            yield term


def _naming(actor: str, asked: Set[str], capital: Set[str]) -> frozenset[str]:
    """Return the words of a question that name an actor: a part of the name, or, with a capital, how it begins."""
    parts = [part for part in words(actor) if len(part) > 1 and part not in ("user", "assistant", "system", "tool")]
    begun = {word for word in capital if len(word) >= 3 and any(part.startswith(word) for part in parts)}
    return frozenset(begun.union(set(parts) & asked))
