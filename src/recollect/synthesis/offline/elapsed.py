"""How much time lies between two things, or between one and now: counted from the days on which they happened."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from recollect.patterns import pattern
from recollect.synthesis.offline.dates import dated
from recollect.synthesis.offline.question import Asked, asked
from recollect.synthesis.offline.telling import Candidate, ranked
from recollect.synthesis.parts import Evidence, Said

_BETWEEN = pattern(
    r"how\s+(?:many\s+(?P<unit>day|week|month|year)s|long|much\s+time)\b.*?\bbetween\s+(?P<one>.+?)\s+and\s+(?P<two>.+)"
    r"|how\s+many\s+(?P<unit2>day|week|month|year)s\s+(?:had|have)\s+passed\s+since\s+(?P<since>.+?)\s+when\s+(?P<when>.+)",
    re.IGNORECASE,
)
_AGO = pattern(
    r"how\s+(?:many\s+(?P<unit>day|week|month|year)s|long)\s+(?:ago\s+(?:did|was|were|is)"
    r"|(?:has\s+it\s+been|is\s+it|have\s+passed|has\s+passed)\s+since)\s+(?P<one>.+)",
    re.IGNORECASE,
)
_SURE = 0.5  # of the words that name a thing: so many must stand in the sentence that dates it
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_ENOUGH = {"day": 0, "week": 21, "month": 90, "year": 730}  # days from which on a unit is used where none is asked for


@dataclass(frozen=True, slots=True)
class _Dated:
    """A thing that happened on a day, and the quote that says so."""

    on: date
    place: int
    start: int


def elapsed(question: Asked, evidence: Evidence) -> Said | None:
    """Return how much time passed, None where that is not asked or a day is not known."""
    if (between := _BETWEEN.search(question.text)) is not None:
        first, second = between["one"] or between["since"], between["two"] or between["when"]
        one, two = _when(first, evidence), _when(second, evidence)
        if one is None or two is None or (one.place, one.start) == (two.place, two.start):
            return None
        counted = _counted(abs(two.on - one.on).days, between["unit"] or between["unit2"])
        return Said(counted, tuple(dict.fromkeys((one.place, two.place)))) if counted else None
    if (ago := _AGO.search(question.text)) is not None:
        one = _when(ago["one"], evidence)
        if one is not None and (counted := _counted((evidence.now.date() - one.on).days, ago["unit"])):
            return Said(f"{counted} ago", (one.place,))
    return None


def _when(thing: str, evidence: Evidence) -> _Dated | None:
    """Return on which day something happened: by its sentence, or the day it was said; None when that is not sure."""
    candidates = ranked(asked(thing), evidence)
    if not candidates or candidates[0].found < _SURE:
        return None
    best = candidates[0]
    on = _day(best)
    return None if on is None else _Dated(on, best.place, best.line.start)


def _day(candidate: Candidate) -> date | None:
    said = candidate.quote.memory.valid_from
    times = dated(candidate.line.text, said)
    if not times:
        return said.date()
    return times[0].first if len(times[0].iso) == len("2023-05-07") else None


def _counted(days: int, unit: str | None) -> str:
    """Return days in the unit asked for, or in the largest that tells them well; "" for none, or time to come."""
    if days <= 0:
        return ""
    unit = unit.lower() if unit else next(name for name, least in reversed(_ENOUGH.items()) if days >= least)
    number = round(days / _DAYS[unit])
    return f"{number} {unit}{'s' * (number != 1)}" if number else ""
