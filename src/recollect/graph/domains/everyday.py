"""How people say that things relate in everyday texts."""

from __future__ import annotations

from recollect.entities import NAME, RelationPattern

_PEOPLE = ("person", NAME)
_BODIES = ("organization", NAME)
_PLACES = ("place", NAME)
_THINGS = ("organization", "event", "place", NAME)
_BEFORE = r"^[\"'”’)]*(?:,?\s+(?!and\b|or\b|who\b)[a-z][\w'’-]{1,14}){0,4}?,?\s+"
_AFTER = r"(?:\s+(?:the|a|an|our|their|his|her|new|big|annual|old))*\s*[\"'“‘(]*$"


def _says(relation: str, verb: str, sources: tuple[str, ...], targets: tuple[str, ...]) -> RelationPattern:
    return RelationPattern(relation, rf"{_BEFORE}(?P<said>{verb}){_AFTER}", sources, targets)


RELATIONS = (
    _says(
        "works_at",
        r"(?:works?|worked|working|is employed|was hired) (?:\w+ )?(?:at|for|by)|(?:has|got"
        r"|took) a (?:new )?job (?:at|with)|joined",
        _PEOPLE,
        ("organization",),
    ),
    _says(
        "works_at",
        r"(?:works?|working|is employed) (?:\w+ )?(?:at|for|by)|(?:has|got|took) a (?:new )?job (?:at|with)",
        _PEOPLE,
        _BODIES,
    ),
    _says("lives_in", r"(?:lives?|lived|living|resides?|moved|relocated|settled) (?:\w+ )?(?:in|to)", _PEOPLE, _PLACES),
    _says(
        "studied_at",
        r"(?:stud(?:ies|ied|ying)|graduated) (?:\w+ )?(?:at|from)|(?:goes|went) to",
        _PEOPLE,
        ("organization",),
    ),
    _says("founded", r"founded|co-founded|started|established", ("person", NAME, "organization"), ("organization",)),
    _says(
        "member_of",
        r"(?:is|was|became) (?:a|the|an)? ?(?:\w+ )?(?:member|ceo|cto|cfo|chair|director|president"
        r"|head|founder|employee) (?:of|at)",
        _PEOPLE,
        _BODIES,
    ),
    _says(
        "attended",
        r"attend(?:s|ed|ing)|took part in|went to the|participated in|spoke at|presented at",
        ("person", "organization", NAME),
        _THINGS,
    ),
    _says(
        "organized_by",
        r"(?:organi[sz]ed|hosted|run|held) by",
        ("event", NAME),
        ("person", "organization", NAME),
    ),
    _says(
        "based_in",
        r"(?:based|headquartered) (?:in|out of)",
        ("organization", "person", NAME),
        ("place",),
    ),
    _says(
        "located_at",
        r"(?:located|situated|held|takes? place|took place) (?:in|at|near)|is in",
        ("organization", "place", "event", NAME),
        ("place",),
    ),
    _says(
        "occurred_on",
        r"(?:held|takes? place|took place|happen(?:s|ed)|occurred"
        r"|scheduled|born|signed|released|launched|founded) (?:on|in|for)",
        ("organization", "event", "person", NAME),
        ("date",),
    ),
    _says("married_to", r"(?:is|was|got) (?:married|engaged) to|married", _PEOPLE, _PEOPLE),
    _says(
        "knows",
        r"(?:met|befriended|is (?:a )?(?:good |close |best )?friends? (?:of|with)|(?:is|was) (?:dating|seeing))",
        _PEOPLE,
        _PEOPLE,
    ),
    _says("acquired", r"acquired|bought|took over|has acquired", ("organization", NAME), ("organization",)),
    _says("developed", r"developed|invented|designed|created|built", ("person", "organization"), (NAME,)),
    _says("wrote", r"wrote|authored|published", ("person",), (NAME,)),
)
