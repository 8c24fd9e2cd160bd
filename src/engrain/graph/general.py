"""The pack for everyday text: people, organisations, places, dates, addresses, hashtags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from engrain.graph.addresses import emails, urls
from engrain.language.capitals import capitalised, each, quoted
from engrain.model.entities import NAME, Mention, RelationPattern
from engrain.text import pattern

_MONTHS = "january february march april may june july august september october november december".split()
_NUMBER_OF = {name[:3]: place for place, name in enumerate(_MONTHS, start=1)}
_MONTH = (
    r"(Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust"
    r"|\.)?|Sep(?:t|tember)?\.?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_ISO = pattern(r"(?<![\w./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=T\d\d:|(?![\w/-]|\.\d))")
_DAY_MONTH = pattern(rf"(?<![\w.])(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (\d{{4}}))?(?!\w)")
_MONTH_DAY = pattern(rf"(?<!\w){_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?(?![\w:]|[.,]\d)")
_MONTH_YEAR = pattern(rf"(?<!\w){_MONTH},? (?:of )?(\d{{4}})(?!\w)")
_SLASHED = pattern(r"(?<![\w./-])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![\w/]|\.\d)")
_YEAR = pattern(
    r"\b(?:[Ii]n|[Ss]ince|[Dd]uring|[Uu]ntil|by|from|early|late|mid|of)[ -]((?:19|20)\d\d)(?![\w-]|[.,:/]\d)"
)
# What must be there for any of them to fit; each of these begins with one set of characters, which is a plain scan.
_DIGIT = pattern(r"\d")
_NUMBERS = pattern(r"\d[-/.]\d{1,2}[-/.]\d")
_A_MONTH = pattern(r"[JFMASOND](?:an|eb|ar|pr|ay|un|ul|ug|ep|ct|ov|ec)")
_CENTURY = pattern(r"[12][09]\d\d")


def dates(text: str) -> Iterator[Mention]:
    """Yield the dates of a text: `2023-05-07`, `2023-05`, `2023`, and `7 May` where no year is told.

    Numbers that may be day and month either way stay as they are written.
    """
    if _DIGIT.search(text):
        if _NUMBERS.search(text):
            yield from _numbered(text)
        if _A_MONTH.search(text):
            yield from _with_month(text)
        if _CENTURY.search(text):
            for found in each(_YEAR, text):
                yield Mention("date", found[1], *found.span(1))


def _numbered(text: str) -> Iterator[Mention]:
    for found in each(_ISO, text):
        yield from _mention(_iso(found[1], found[3], found[4]), found.span())
    for found in each(_SLASHED, text):
        yield from _mention(_either(found[0], int(found[1]), int(found[3]), found[4]), found.span())


def _with_month(text: str) -> Iterator[Mention]:
    for found in each(_DAY_MONTH, text):
        yield from _mention(_named(found[3], found[2], found[1]), found.span())
    for found in each(_MONTH_DAY, text):
        yield from _mention(_named(found[3], found[1], found[2]), found.span())
    for found in each(_MONTH_YEAR, text):
        yield Mention("date", f"{found[2]}-{_number(found[1]):02}", *found.span())


def _mention(value: str | None, span: tuple[int, int]) -> Iterator[Mention]:
    if value:
        yield Mention("date", value, *span)


def _number(month: str) -> int:
    return _NUMBER_OF[month[:3].casefold()]


def _named(year: str | None, month: str, day: str) -> str | None:
    if year:
        return _iso(year, str(_number(month)), day)
    return f"{int(day)} {_MONTHS[_number(month) - 1].capitalize()}" if 1 <= int(day) <= 31 else None


def _either(written: str, first: int, second: int, year: str) -> str | None:
    if first <= 12 and second <= 12 and first != second:
        return written
    day, month = (first, second) if first > 12 else (second, first)
    return _iso(year, str(month), str(day))


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


_HASHTAG = pattern(r"(?<![\w&/#])#([^\W\d_]\w{1,49})(?![\w#])")

_PEOPLE = ("person", NAME)
_BODIES = ("organization", NAME)
_PLACES = ("place", NAME)
_THINGS = ("organization", "event", "place", NAME)
_BEFORE = r"^[\"'”’)]*(?:,?\s+(?!and\b|or\b|who\b)[a-z][\w'’-]{1,14}){0,4}?,?\s+"
_AFTER = r"(?:\s+(?:the|a|an|our|their|his|her|new|big|annual|old))*\s*[\"'“‘(]*$"


def _relation(relation: str, verb: str, sources: tuple[str, ...], targets: tuple[str, ...]) -> RelationPattern:
    return RelationPattern(relation, rf"{_BEFORE}(?P<said>{verb}){_AFTER}", sources, targets)


_RELATIONS = (
    _relation(
        "works_at",
        r"(?:works?|worked|working|is employed|was hired) (?:\w+ )?(?:at|for|by)|(?:has|got"
        r"|took) a (?:new )?job (?:at|with)|joined",
        _PEOPLE,
        ("organization",),
    ),
    _relation(
        "works_at",
        r"(?:works?|working|is employed) (?:\w+ )?(?:at|for|by)|(?:has|got|took) a (?:new )?job (?:at|with)",
        _PEOPLE,
        _BODIES,
    ),
    _relation(
        "lives_in", r"(?:lives?|lived|living|resides?|moved|relocated|settled) (?:\w+ )?(?:in|to)", _PEOPLE, _PLACES
    ),
    _relation(
        "studied_at",
        r"(?:stud(?:ies|ied|ying)|graduated) (?:\w+ )?(?:at|from)|(?:goes|went) to",
        _PEOPLE,
        ("organization",),
    ),
    _relation(
        "founded", r"founded|co-founded|started|established", ("person", NAME, "organization"), ("organization",)
    ),
    _relation(
        "member_of",
        r"(?:is|was|became) (?:a|the|an)? ?(?:\w+ )?(?:member|ceo|cto|cfo|chair|director|president"
        r"|head|founder|employee) (?:of|at)",
        _PEOPLE,
        _BODIES,
    ),
    _relation(
        "attended",
        r"attend(?:s|ed|ing)|took part in|went to the|participated in|spoke at|presented at",
        ("person", "organization", NAME),
        _THINGS,
    ),
    _relation(
        "organized_by",
        r"(?:organi[sz]ed|hosted|run|held) by",
        ("event", NAME),
        ("person", "organization", NAME),
    ),
    _relation(
        "based_in",
        r"(?:based|headquartered) (?:in|out of)",
        ("organization", "person", NAME),
        ("place",),
    ),
    _relation(
        "located_at",
        r"(?:located|situated|held|takes? place|took place) (?:in|at|near)|is in",
        ("organization", "place", "event", NAME),
        ("place",),
    ),
    _relation(
        "occurred_on",
        r"(?:held|takes? place|took place|happen(?:s|ed)|occurred"
        r"|scheduled|born|signed|released|launched|founded) (?:on|in|for)",
        ("organization", "event", "person", NAME),
        ("date",),
    ),
    _relation("married_to", r"(?:is|was|got) (?:married|engaged) to|married", _PEOPLE, _PEOPLE),
    _relation(
        "knows",
        r"(?:met|befriended|is (?:a )?(?:good |close |best )?friends? (?:of|with)|(?:is|was) (?:dating|seeing))",
        _PEOPLE,
        _PEOPLE,
    ),
    _relation("acquired", r"acquired|bought|took over|has acquired", ("organization", NAME), ("organization",)),
    _relation("developed", r"developed|invented|designed|created|built", ("person", "organization"), (NAME,)),
    _relation("wrote", r"wrote|authored|published", ("person",), (NAME,)),
)


class _Everyday:
    """Finds what people name in any text; precision goes before completeness."""

    name = "general"
    domains = ("general",)
    entity_types = ("person", "organization", "place", "date", "url", "email", "hashtag", "name")
    aliases: Mapping[str, Mapping[str, Sequence[str]]] = {}
    relation_patterns: Sequence[RelationPattern] = _RELATIONS

    def extract(self, text: str) -> list[Mention]:
        """Find the names of a text; what nothing tells the type of is a `name`."""
        found = [*dates(text), *_addresses(text)]
        return [*found, *quoted(text), *capitalised(text)]


def _addresses(text: str) -> Iterator[Mention]:
    if "://" in text:
        yield from urls(text)
    if "@" in text:
        yield from emails(text)
    if "#" in text:
        for found in each(_HASHTAG, text):
            yield Mention("hashtag", found[1], *found.span())


GENERAL = _Everyday()
"""The built-in pack `general`."""
