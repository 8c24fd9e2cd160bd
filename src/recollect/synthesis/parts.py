"""What an answer is made of before it is written down: quotes, and sentences that rest on them. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.models import Memory
from recollect.results import Hit


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a memory, exactly as it stands in it."""

    hit: Hit
    text: str

    @property
    def memory(self) -> Memory:
        """The memory that it stands in."""
        return self.hit.memory


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to answer a question with: quotes, the most telling first; no memory is quoted twice.

    `now` is the clock of the question.
    """

    query: str
    intent: str
    now: datetime
    quotes: tuple[Quote, ...]

    @property
    def confidence(self) -> float:
        """How well the best of it answers: relevance, 0 to 1."""
        return max((quote.hit.relevance for quote in self.quotes), default=0.0)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer, and the places (from 0) of the quotes that bear it out: one or more."""

    text: str
    quotes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: its date in ISO 8601, as precise as is known (2024, 2024-05, 2024-05-07), and what."""

    date: str
    said: Said


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation between two named things, and the quotes that state it."""

    source: str
    relation: str
    target: str
    quotes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """An answer: `lead` is its answer or summary, the rest is what its format has besides."""

    lead: tuple[Said, ...]
    points: tuple[Said, ...] = ()
    events: tuple[Event, ...] = ()
    entities: tuple[str, ...] = ()
    ties: tuple[Tie, ...] = ()
