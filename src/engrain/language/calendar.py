"""Dates and times of day as they are written in English, German, Spanish and French, in a form that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import product

from engrain.language.dates import windows
from engrain.text import pattern

Day = tuple[int, int, int]
"""Year, month and day; 0 where it is not said."""

_NAMES = """
january jan januar jänner enero janvier|february feb februar febrero février fevrier|march mar märz maerz marzo mars|
april apr abril avril|may mai mayo|june jun juni junio juin|july jul juli julio juillet|august aug agosto août aout|
september sep sept septiembre septembre|october oct oktober okt octubre octobre|november nov noviembre novembre|
december dec dezember dez diciembre décembre decembre
"""
MONTHS = {name: number for number, names in enumerate(_NAMES.split("|"), start=1) for name in names.split()}
_WEEKDAYS = """
monday mon montag lunes lundi|tuesday tue dienstag martes mardi|wednesday wed mittwoch miércoles mercredi|
thursday thu donnerstag jueves jeudi|friday fri freitag viernes vendredi|saturday sat samstag sábado samedi|
sunday sun sonntag domingo dimanche
"""
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS.split("|")) for name in names.split()}

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_OF = r"(?:of\s|del?\s)?\s*"
_DAYS = pattern(
    r"(?i)(?<![\w.-])(?:(?P<y1>\d{4})[-/](?P<m1>\d{1,2})(?:[-/](?P<d1>\d{1,2}))?(?![\w-])"
    r"|(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<y2>\d{4}|\d\d)(?!\w)"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s*(?:of\s+|de\s+)?(?P<m3>{_MONTH})\b\.?(?:,?\s*{_OF}(?P<y3>\d{{4}})\b)?"
    rf"|(?P<m4>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]|[.,]\d|\s*[ap]m\b)"
    r"(?:,?\s*(?P<y4>\d{4})\b)?"
    rf"|(?P<m5>{_MONTH})\b\.?,?\s+{_OF}(?P<y5>\d{{4}})\b"
    r"|(?<=the )(?P<d6>\d{1,2})(?:st|nd|rd|th)\b(?!\s+[a-z]))"
)
_YEAR = pattern(
    r"(?i)(?:(?<![\w.,$€£-])(?:in|since|from|until|till|by|to|of|during|before|after|early|late|and|the|year|im|jahr|seit|ab"
    r"|bis|en|desde|hasta|de|del|año|depuis|année)\s+|\()"
    r"(?P<y>(?:1\d|20)\d\d)(?![\w%]|[.,:-]\d|\s+(?-i:[a-zß-öø-ÿ]{3,}))"
    r"|(?<![\w.,$€£-])(?P<z>(?:1[5-9]|20)\d\d)(?=\s*(?:[.!?;)]\s|[.!?;)]?$))"
)
_CLOCK = pattern(
    r"(?i)(?<![\w.,:])(?:(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?(?::\d\d)?\s*(?P<half>[ap])\.?\s?m\b\.?"
    r"|(?P<h2>\d{1,2})(?:[:.](?P<m2>\d\d))?\s*(?:uhr\b(?:\s+(?P<m3>\d\d)\b)?|o['’]clock)"
    r"|(?P<h4>\d{1,2})(?::|h)(?P<m4>\d\d)(?::\d\d)?(?![\d:]))"
    r"|\b(?P<noon>noon|midday|mediodía|midi)\b|\b(?P<night>midnight|mitternacht|medianoche|minuit)\b"
)


def dates(text: str) -> tuple[list[tuple[Day, ...]], str]:
    """Return the dates of a text, each as what it may mean, and the text with blanks in their place."""
    found: list[tuple[Day, ...]] = []
    for rule in (_DAYS, _YEAR):
        for match in list(rule.finditer(text)):
            groups = match.groupdict()
            read = tuple(_read(groups)) if rule is _DAYS else ((int(groups["y"] or groups["z"]), 0, 0),)
            if read:
                found.append(read)
                text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return found, text


def _read(held: dict[str, str | None]) -> Iterator[Day]:
    """Yield the days that a match may mean; none where there is no such day."""
    if held["a"]:
        year = int(held["y2"] or 0)
        year += 2000 if year < 100 else 0
        one, two = int(held["a"]), int(held["b"] or 0)
        pairs = [(one, two)] if held["sep"] == "." else [(one, two), (two, one)]
        found = [(year, month, day) for day, month in dict.fromkeys(pairs)]
    elif held["y1"]:
        found = [(int(held["y1"]), int(held["m1"] or 0), int(held["d1"] or 0))]
    else:
        months = [MONTHS[held[name].lower()] for name in ("m3", "m4", "m5") if held[name]]  # type: ignore[union-attr]
        years = [int(held[name] or 0) for name in ("y3", "y4", "y5") if held[name]]
        on = [int(held[name] or 0) for name in ("d3", "d4", "d6") if held[name]]
        found = [((years or [0])[0], (months or [0])[0], (on or [0])[0])]
    yield from (each for each in found if each[1] <= 12 and each[2] <= 31 and any(each))


def times(text: str) -> tuple[list[frozenset[int]], str]:
    """Return the times of day, each as the minutes of the day that it may mean, and the text with blanks for them."""
    found: list[frozenset[int]] = []
    for match in list(_CLOCK.finditer(text)):
        minutes = _minutes(match.groupdict())
        if minutes:
            found.append(minutes)
            text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return found, text


def _minutes(held: dict[str, str | None]) -> frozenset[int]:
    if held["noon"] or held["night"]:
        return frozenset([720 if held["noon"] else 0])
    hour = int(held["h"] or held["h2"] or held["h4"] or 0)
    minute = int(held["m"] or held["m2"] or held["m3"] or held["m4"] or 0)
    if hour > 24 or minute > 59:
        return frozenset()
    if held["half"]:
        return frozenset([(hour % 12 + (12 if held["half"].lower() == "p" else 0)) * 60 + minute])
    said = hour % 24 * 60 + minute
    return frozenset([said, said + 720] if 1 <= hour < 12 else [said])


def known_days(text: str, told: datetime) -> frozenset[Day]:
    """Return the day a text was told, and the days that it names or that follow from its words; 0 for what is open."""
    days = {(told.year, told.month, told.day)}
    for window in windows(text, told):
        for edge in (window.start, window.end - timedelta(seconds=1)):
            days.add(
                (edge.year, 0 if window.unit == "year" else edge.month, edge.day if window.unit not in _WIDE else 0)
            )
    for year, month, day in (each for read in dates(text)[0] for each in read):
        years = [year] if year else [told.year - 1, told.year, told.year + 1]
        days |= {(each, month, day) for each in years}
    return frozenset(days)


_WIDE = ("month", "season", "year")


def is_known(said: Iterable[Day], known: Iterable[Day]) -> bool:
    """Say whether a date is one that is known, no more precise than that."""
    return any(
        all(not mine or mine == theirs for mine, theirs in zip(one, other, strict=True))
        for one, other in product(said, list(known))
    )


def day_words(known: Iterable[Day]) -> frozenset[str]:
    """Return the names of months and weekdays that days have."""
    months = {month for _, month, _ in known}
    weekdays = set()
    for year, month, day in known:
        try:
            weekdays.add(date(year, month, day).weekday())
        except ValueError:  # not known to the day
            continue
    named = {name for name, number in MONTHS.items() if number in months}
    return frozenset(named | {name for name, number in WEEKDAYS.items() if number in weekdays})
