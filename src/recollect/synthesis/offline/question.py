"""What a question wants to hear: a time, a place, a name, a number, yes or no, a list. Rules for its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from recollect.patterns import pattern
from recollect.synthesis.passages import terms_of
from recollect.words import content_pairs


class Wanted(StrEnum):
    """The sort of answer that fits a question."""

    TIME = "time"
    DURATION = "duration"
    FREQUENCY = "frequency"
    PLACE = "place"
    PERSON = "person"
    COUNT = "count"
    AMOUNT = "amount"
    YES_NO = "yes or no"
    NAME = "name"
    REASON = "reason"
    MANNER = "manner"
    THING = "thing"
    ANYTHING = "anything"


_AUX = r"(?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|might|may|should|shall|must|'s|’s|['’]re)"
_TIMES = "date|day|weekday|week|weekend|month|season|quarter|year|decade|century|time|hour"
_PLACES = (
    "city|cities|country|countries|state|town|village|place|location|island|region|continent|street|neighbou?rhood"
)
_PEOPLE = "person|people|man|woman|actor|actress|artist|author|singer|band|musician|player|friend|colleague|doctor"
_WORKS = (
    "book|novel|movie|film|show|series|song|album|game|play|podcast|magazine|newspaper|app|website|title|poem|brand|"
    "company|companies|restaurant|museum|university|school|team|festival|store|shop|breed|model"
)
_S = r"(?:e?s)?"
_FREQUENCY = r"how\s+often\b|wie\s+oft\b|combien\s+de\s+fois\b|con\s+qu[eé]\s+frecuencia\b"
_DURATION = (
    r"(?:for\s+)?how\s+long\b|how\s+many\s+(?:more\s+)?(?:seconds|minutes|hours|days|nights|weeks|months|years)\b"
    r"|how\s+much\s+time\b|wie\s+lange\b|seit\s+wann\b|cu[aá]nto\s+tiempo\b|combien\s+de\s+temps\b|since\s+when\b"
)
_COUNT = r"how\s+many\b|wie\s*viele\b|cu[aá]nt[oa]s\b|combien\b|how\s+old\b"
_AMOUNT = r"how\s+(?:much|far|tall|high|big|large|fast|heavy|expensive)\b|wie\s*viel\b|cu[aá]nto\b"
_TIME = (
    r"(?:on\s+|in\s+|at\s+|around\s+)?when\b|how\s+recently\b"
    rf"|(?:on\s+|in\s+|at\s+|by\s+|during\s+)?(?:what|which)\s+(?:\w+\s+)?(?:{_TIMES}){_S}\b(?!\s+(?:of|zone))"
    r"|what(?:'s|’s|\s+(?:is|was))\s+the\s+(?:exact\s+)?(?:date|day|month|year|time)\b"
    r"|wann\b|cu[aá]ndo\b|quand\b|welches\s+(?:datum|jahr)\b|什么时候|いつ|何时"
)
_PLACE = (
    rf"(?:from\s+)?where\b|(?:in\s+|to\s+|from\s+|at\s+)?(?:what|which)\s+(?:\w+\s+)?(?:{_PLACES}){_S}\b"
    r"|wo(?:her|hin)?\b|(?:a|de\s+)?d[oó]nde\b|d?['’]?o[uù]\b(?!\s+bien)|哪里|どこ"
)
_PERSON = (
    rf"who(?:m|se)?\b|(?:with\s+|to\s+|from\s+|by\s+)?(?:what|which)\s+(?:\w+\s+)?(?:{_PEOPLE}){_S}\b"
    r"|wer\b|wen\b|wem\b|qui[eé]n(?:es)?\b|qui\b|谁|誰"
)
_NAME = (
    rf"(?:(?:at|in|from|by|with|to)\s+)?(?:what|which)\s+(?:[\w'’-]+\s+){{0,2}}?(?:{_WORKS}){_S}\s+(?={_AUX}\b)"
    r"|what\s+(?:is|was|are|were)\s+(?:[\w'’-]+\s+){1,4}?(?:names?|nicknames?|called|named)\b"
    r"|what(?:'s|’s)\s.*\bnames?\b|what\s+\w+\s+(?:[\w'’-]+\s+){0,3}(?:named|called)\b"
)
_REASON = r"why\b|what\s+(?:was|is)\s+(?:the|\S+)\s+reason\b|how\s+come\b|warum\b|wieso\b|por\s+qu[eé]\b|pourquoi\b"
_RULES: tuple[tuple[Wanted, str], ...] = (
    (Wanted.FREQUENCY, _FREQUENCY),
    (Wanted.DURATION, _DURATION),
    (Wanted.COUNT, _COUNT),
    (Wanted.AMOUNT, _AMOUNT),
    (Wanted.TIME, _TIME),
    (Wanted.PLACE, _PLACE),
    (Wanted.PERSON, _PERSON),
    (Wanted.NAME, _NAME),
    (Wanted.REASON, _REASON),
    (Wanted.MANNER, r"how\b|wie\b|c[oó]mo\b|comment\b"),
    (Wanted.THING, r"(?:\w+\s+)?(?:what|which|whose)\b|welche[rsn]?\b|qu[eé]\b|quel(?:le)?s?\b"),
    (Wanted.YES_NO, rf"(?:{_AUX}|do(?:es)?n['’]t|didn['’]t|isn['’]t|wasn['’]t)\s"),
)
"""In the order they are tried, at the beginning of the question."""
_LEAD = (
    r"^\W*(?:(?:and|so|but|then|ok|hey|hi|please|according\s+to\s+\w+,?"
    r"|(?:can|could)\s+you\s+(?:please\s+)?(?:tell|remind)\s+me)\W+)*"
)
_ANYWHERE = frozenset((Wanted.TIME, Wanted.PLACE, Wanted.PERSON, Wanted.COUNT, Wanted.DURATION, Wanted.FREQUENCY))
_EITHER = pattern(r"\bor\b|\boder\b", re.IGNORECASE)
_HEAD = pattern(
    rf"^\W*(?:\w+\s+)?(?:what|which|how\s+(?:many|much))\s+((?:(?!{_AUX}\b)[\w'’+&-]+\s+){{0,5}}?)(?={_AUX}(?:\b|\s))",
    re.IGNORECASE,
)
_DOES = pattern(rf"^\W*(?:\w+\s+)?(?:what|which)\b[^?]*?\b{_AUX}\s(.*)", re.IGNORECASE)
_OWNS = pattern(r"(?i)['’]s?$|^(?:the|an?|my|your|his|her|its|our|their|and|this|that)$")
_OF = pattern(r".*\b(?:kinds?|types?|sorts?|of)\s+(?:of\s+)?", re.IGNORECASE)
_SORTS = frozenset("kind type sort exact name".split())  # of questions, not of answers
_ONE_EACH = frozenset(
    "news series species clothes glasses jeans pants scissors business always this his its was is".split()
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as read: `head` is the telling word that names what is wanted ("books"), `names` are those it names.

    `verb` is what whoever is asked about does, where the question is after its object: "what did Ana buy".
    `several` says that a list is expected.
    """

    text: str
    wanted: Wanted
    terms: tuple[str, ...]
    head: str = ""
    verb: str = ""
    names: frozenset[str] = frozenset()
    several: bool = False

    @property
    def anchors(self) -> frozenset[str]:
        """The words beside which the answer stands: those that are no name and do not say what is wanted."""
        return frozenset(self.terms) - self.names - _SORTS - {self.head}


def asked(query: str) -> Asked:
    """Read a question."""
    text = " ".join(query[:2000].split())
    wanted = _wanted(text)
    names = frozenset(
        term for surface, term in content_pairs(text.partition(" ")[2]) if surface[:1].isupper() and surface.isalpha()
    )
    head, several = _head(text)
    return Asked(text, wanted, terms_of(query), head, _verb(text, names), names, several)


def _verb(text: str, names: frozenset[str]) -> str:
    """Return the first telling word behind the auxiliary that is neither a name nor what somebody has."""
    found = _DOES.search(text)
    before = ""
    for word in found[1].split() if found else ():
        pairs = content_pairs(word)
        owned = _OWNS.search(before) is not None
        before = word
        if pairs and not owned and pairs[0][1] not in names:
            return pairs[0][1]
    return ""


def _wanted(text: str) -> Wanted:
    for wanted, rule in _RULES:
        if pattern_of(_LEAD + f"(?:{rule})").search(text):
            if wanted is Wanted.YES_NO and _EITHER.search(text):
                return Wanted.THING
            return wanted
    for wanted, rule in _RULES:
        if wanted in _ANYWHERE and pattern_of(rf"(?:\b|(?<=\W)|(?=[^\x00-\x7f]))(?:{rule})").search(text):
            return wanted
    return Wanted.ANYTHING


@lru_cache(64)
def pattern_of(text: str) -> re.Pattern[str]:
    """Compile a rule at its first use, without regard to case."""
    return re.compile(text, re.IGNORECASE)


def _head(text: str) -> tuple[str, bool]:
    """Return the telling word that names what is wanted, and whether it is a plural."""
    found = _HEAD.search(text)
    if found is None:
        return "", False
    phrase = _OF.sub("", found[1].strip()) or found[1].strip()
    pairs = content_pairs(phrase)
    if not pairs:
        return "", False
    surface, term = pairs[-1]
    plural = surface.lower().endswith("s") and not surface.lower().endswith("ss") and surface.lower() not in _ONE_EACH
    return term, plural or surface.lower() in ("people", "children")
