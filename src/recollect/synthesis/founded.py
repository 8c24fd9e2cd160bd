"""Whether a sentence follows from what it cites, as far as that can be checked without understanding it.

Every number, date, time, name and address in it must stand in a cited memory, in whatever notation, or follow from its
time words; it must not deny what they say, nor say what they deny; and the two must share a word. What cannot be
checked so is not claimed to be true: it is shown beside its quotes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from recollect.models import Memory
from recollect.patterns import pattern
from recollect.synthesis.calendar import Day, dates, day_words, is_known, known_days, times
from recollect.synthesis.denial import Clauses, clauses, contradicts
from recollect.synthesis.figures import Figure, Key, figures, plain
from recollect.synthesis.names import folded, is_held, names
from recollect.words import stem, terms, words

_COUNTED = 20  # the highest number that may be a count of what is cited
_LINK = pattern(r"(?i)\b(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.\w[\w.-]*")
_OPENING = pattern(r"(?i)^\W*(?:yes|no|ja|nein|sí|si|oui|non)\b[\s,.;:!–—-]*")
_SPEAKS = pattern(r"\b(?:I|me|my|mine|we|our|ich|mein\w*|wir|unser\w*|yo|mi|mis|je|j'|mon|ma|mes|nous)\b|我")
_PRONOUN = pattern(r"(?:^|[.!?]\s+)(?:She|He|They|Her|His|Their|Sie|Er|Ella|Él|Elle|Il)\b|(?i:\bthe user\b)")
_WRITTEN = 1500
"""Characters of a memory that are shown, and read."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a cited memory bears out: reckoned once, whatever rests on it."""

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    days: frozenset[Day]
    minutes: frozenset[int]
    keys: frozenset[Key]
    counted: dict[str, frozenset[Decimal]]
    clauses: Clauses
    speaks: bool


def shown(content: str, quote: str) -> str:
    """Return what of a memory is shown to a model: the whole when it is not long, else what is quoted of it."""
    return content if len(content) <= _WRITTEN else quote[:_WRITTEN]


def ground(memory: Memory, text: str) -> Ground:
    """Return what a memory bears out, by a part of its text."""
    text = plain(text)
    _, rest = dates(text)
    clock, rest = times(rest)
    found = figures(rest)
    days = known_days(text, memory.valid_from)
    by = f"{memory.actor or ''} {memory.scope.user or ''} {memory.scope.agent or ''} {' '.join(memory.entities)}"
    held = frozenset(words(f"{text} {by}")) | frozenset(map(folded, f"{text} {by}".split()))
    counted: dict[str, set[Decimal]] = defaultdict(set)
    for figure in found:
        counted[figure.noun] |= figure.values
    keys = {key for figure in found for key in figure.keys}
    keys |= {("num", value) for figure in found for value in figure.values}
    return Ground(
        text=text.casefold(),
        terms=frozenset(terms(f"{text} {by}")),
        names=held | day_words(days) | frozenset(map(stem, held)),
        days=days,
        minutes=frozenset(minute for each in clock for minute in each),
        keys=frozenset(keys),
        counted={noun: frozenset(values) for noun, values in counted.items()},
        clauses=clauses(text),
        speaks=(not memory.actor and bool(_SPEAKS.search(text))) or bool(_PRONOUN.search(text)),
    )


def is_founded(text: str, grounds: Sequence[Ground], query: str = "", *, counting: bool = True) -> bool:
    """Say whether a sentence may rest on memories; names of the question count where they speak as I, she or he.

    A bare yes or no may, and so may the number of memories when `counting`.
    """
    text = _OPENING.sub("", plain(text))
    if not text:
        return bool(grounds)
    return (
        _shares(text, grounds)
        and has_names(text, grounds, query)
        and all(any(link.casefold() in each.text for each in grounds) for link in _LINK.findall(text))
        and _has_figures(text, grounds, counting)
        and not contradicts(text, [each.clauses for each in grounds])
    )


def _shares(text: str, grounds: Sequence[Ground]) -> bool:
    """Say whether a sentence and its memories share a word, a time or a figure."""
    there = frozenset(terms(text)) | frozenset(words(text))
    if any(not there.isdisjoint(each.terms | each.names) for each in grounds):
        return True
    said, rest = dates(text)
    clock, rest = times(rest)
    return bool(said or clock or figures(rest))


def has_names(text: str, grounds: Sequence[Ground], query: str) -> bool:
    """Say whether every name of a sentence is one of its memories."""
    held = frozenset(name for each in grounds for name in each.names)
    if any(each.speaks for each in grounds):
        held |= frozenset(map(folded, words(query)))
    rest = _LINK.sub(" ", dates(text)[1])
    return all(is_held(name, held) for name in names(rest))


def _has_figures(text: str, grounds: Sequence[Ground], counting: bool) -> bool:
    """Say whether every date, time and number of a sentence is one of its memories."""
    said, rest = dates(_LINK.sub(" ", text))
    days = frozenset(day for each in grounds for day in each.days)
    keys = frozenset(key for each in grounds for key in each.keys)
    minutes = frozenset(minute for each in grounds for minute in each.minutes)
    if not all(is_known(day, days) or _is_plain_year(day, keys) for day in said):
        return False
    clock, rest = times(rest)
    if any(each.isdisjoint(minutes) for each in clock):
        return False
    counts = {("num", Decimal(len(grounds)).normalize())} if counting and len(grounds) <= _COUNTED else set()
    return all(_is_borne(figure, grounds, keys | counts) for figure in figures(rest))


def _is_plain_year(said: tuple[Day, ...], keys: frozenset[Key]) -> bool:
    return all(not month and not day and ("num", Decimal(year).normalize()) in keys for year, month, day in said)


def _is_borne(figure: Figure, grounds: Sequence[Ground], keys: frozenset[Key]) -> bool:
    """Say whether a number stands in memories, and they do not count other numbers of the same thing."""
    others = [each.counted for each in grounds if figure.noun and figure.noun in each.counted]
    told = [values for counted in others for values in (counted[figure.noun], counted.get("", frozenset()))]
    if others and all(figure.values.isdisjoint(values) for values in told):
        return False
    return not figure.sure or not figure.keys.isdisjoint(keys)
