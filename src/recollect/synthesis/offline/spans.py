"""The words of a sentence that answer: places, people, names, numbers, reasons, what stands beside a question's words.

Every function yields `(start, stop)` in the text it is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from recollect.graph.names import word_list
from recollect.patterns import pattern
from recollect.synthesis.offline.question import Asked
from recollect.timewords import has_time_words
from recollect.words import content_pairs, is_stop, stem

Span = tuple[int, int]

_CAP = r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w'’&.-]*[\w]|[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]"
_NAME = pattern(rf"(?:{_CAP})(?:\s+(?:(?:of|the|and|de|la|del|von|van|der|du|&)\s+){{0,2}}(?:{_CAP}))*")
_QUOTED = pattern(r"(?<!\w)[\"“„«]([^\"“”„«»\n]{2,80})[\"”“»]|(?<!\w)['‘]([^'‘’\n]{2,80})['’](?!\w)")
_NOT_NAMES = frozenset(
    """i i'm i've i'd i'll im it it's that's the this that these those he she they we you my your our his her their what
    when where who why how yeah yes no hey hi hello wow thanks thank oh ok okay well so and but also just sure congrats
    hope glad good great awesome nice cool sounds let's let absolutely definitely totally really since because if as at
    in on for with from to an a by there here not now then last next one all some any every both our us me yesterday
    today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december image lately recently currently actually maybe plus btw lol
    omg bye after before during while once two three four five six seven eight nine ten can could would should did do
    does is are was were have has had will been being don't didn't can't won't couldn't appreciate believe agreed
    exactly right""".split()
)
_KIN = pattern(
    r"\b(?:my|our|his|her|their)\s+(?:[\w-]+\s+)?(?:mom|mother|dad|father|parents|brothers?|sisters?|siblings?|aunt|uncle"
    r"|cousins?|grandma|grandpa|grandmother|grandfather|grandparents|wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|son"
    r"|sons|daughters?|kids|children|nieces?|nephews?|friends?|best\s+friend|boss|manager|colleagues?|coworkers?|teammates?"
    r"|neighbou?rs?|roommates?|teacher|coach|mentors?|therapist|doctor|family)\b",
    re.IGNORECASE,
)
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen"
    r"|twenty|thirty|forty|fifty|hundred|an?\s+dozen|a\s+couple|both|twice|once)"
)
_COUNT = pattern(rf"(?<![\w$€£.:/-]){_NUMBER}(?![\w:/]|\.\d|,\d|\s*%)", re.IGNORECASE)
_HOW_OLD = pattern(r"(?i)\bhow\s+old\b")
_AGE = pattern(
    rf"\b(?:is|am|are|was|were|be|turn(?:s|ed|ing)?|aged?(?:\s+of)?|['’](?:s|m|re))\s+(?:about\s+|only\s+|almost\s+|nearly\s+)?"
    rf"(?P<age>{_NUMBER})(?!\w|[.,:]\d|\s*%)(?!\s+(?!years?|months?|weeks?|old|now|today|and|but|or|this|last|next|in|on|when)\w)"
    rf"|(?<![\w.])(?P<years>{_NUMBER})[\s-]+(?:years?|months?|weeks?)[\s-]+old\b",
    re.IGNORECASE,
)
_AMOUNT = pattern(
    r"[$€£¥]\s?\d[\d,.]*(?:\s?(?:k|million|billion)\b)?|\d[\d,.]*\s?(?:%|percent\b|dollars\b|euros?\b|pounds\b|bucks\b|k?m\b|km\b"
    r"|miles?\b|kilomet\w+|met(?:er|re)s?\b|feet\b|ft\b|inch(?:es)?\b|kg\b|lbs?\b|grams?\b|hours?\b|minutes?\b|people\b"
    r"|followers\b|pages\b|steps\b|degrees\b|gb\b|mb\b|tb\b)",
    re.IGNORECASE,
)
_WHERE = pattern(
    r"\b(?:in|at|to|from|near|by|around|inside|outside|under|on|through|into|behind|across)\s+"
    r"((?:(?:the|an?|my|our|his|her|their|this|that)\s+)?(?:[\w'’-]+\s+){0,3}?[\w'’-]+)(?=\s*(?:[,.;!?)\]—–:]|$)"
    r"|\s+(?:and|but|with|last|this|next|yesterday|today|when|where|which|that|for|to|on|in|at|was|is|were|it|we|i|so"
    r"|because|since|with|from|by|as|who)\b)",
    re.IGNORECASE,
)
_REASON = pattern(
    r"(?:\b|['’](?=c))(?:because(?:\s+of)?|(?<=['’])cause|since|so\s+that|due\s+to|thanks\s+to|in\s+order\s+to|weil|porque|parce\s+que?)\s+(?!last\b|then\b"
    r"|our\b|i\s+was\b|\d)(?P<why>[^.;!?\n]{4,})",
    re.IGNORECASE,
)
_MANNER = pattern(r"\bby\s+(?P<how>\w+ing\b[^.;!?\n]*)", re.IGNORECASE)
_CLAUSE = pattern(
    r"\s*[,;:.!?()\[\]\"“”—–…]+(?=\s|$)\s*|\s+[—–-]+\s*|(?<=\w)[-–—]\s+"
    r"|\s+(?=(?:but|because|so|when|while|which|who|since|though|although|where|if|until|then|as\s+well|before|after)\b)"
    r"|\s+(?=(?:and\s+)?(?:i|we|he|she|they|it|you|i'm|it's|i've|we're|they're|that's|i'd|i’m|it’s)\s)",
    re.IGNORECASE,
)
_LONG = 10  # words of an answer that is no sentence
_SUBJECT = pattern(r"i|we|you|he|she|they", re.IGNORECASE)
_WORD = pattern(r"[\w'’+#&-]+")
_LEADS = pattern(
    r"^(?:(?:the|an?|to|for|with|about|of|at|in|on|by|from|up|out|is|was|are|were|be|been|being|it|its|it's|some|very|really|so"
    r"|just|also|all|that|this|these|those|and|or|as|into|my|our|me|us|him|her|them|has|have|had|i'm|will|would|can|'s|’s)"
    r"\s+)+",
    re.IGNORECASE,
)
_TRAILS = pattern(
    r"(?:\s+(?:and|or|the|an?|to|for|with|about|of|at|in|on|by|from|is|was|are|too|so|that|it|lately|recently|though|yet|now"
    r"|right\s+now|today|yesterday|last\s+\w+|this\s+\w+|next\s+\w+|as\s+well|again))+$",
    re.IGNORECASE,
)
_FLUFF = pattern(
    r"^(?:(?:(?:oh|hey|hi|hello|yeah|yes|yep|wow|thanks|thank\s+you|congrats|congratulations|sure|absolutely|definitely|totally"
    r"|exactly|ok|okay|well|no|nope|cool|great|awesome|nice|sounds\s+\w+|true|agreed|of\s+course|btw|so|and|but|lately|actually"
    r"|honestly|luckily|plus|also|anyway|right|haha|aw|aww|ah|hmm|no\s+(?:problem|worries)|you're\s+(?:right|welcome))"
    r"(?:\s+(?:so\s+much|a\s+lot|for\s+asking|again|man|dude|there|buddy|[A-Z][a-z]+))?)\s*[,!.:-]+\s*|(?:and|but|so)\s+)+",
    re.IGNORECASE,
)


_CODE_ENDS = pattern(r"(?:^|\s)(?=\S*\d)(?=\S*[A-Za-z])\S+!+$")
"""A mark that may belong to what stands before it, as in a password."""


def trimmed(text: str) -> Span:
    """Return a sentence without what only greets or agrees at its beginning, and without its last mark."""
    found = _FLUFF.match(text)
    start = found.end() if found and len(text) - found.end() >= 8 else 0
    return start, len(text if _CODE_ENDS.search(text) else text.rstrip(" .!,;:…"))


def names(text: str, asked: Asked) -> Iterator[Span]:
    """Yield quoted titles, and names that the question does not hold."""
    known = frozenset(asked.terms)
    for found in _QUOTED.finditer(text):
        yield found.span(1 if found[1] else 2)
    for found in _NAME.finditer(text):
        start, stop = _bare_name(text, *found.span())
        if start < stop and not known.issuperset(term for _, term in content_pairs(text[start:stop])):
            yield start, stop


def _bare_name(text: str, start: int, stop: int) -> Span:
    """Return a name without the words at its ends that only begin a sentence."""
    parts = [(start + found.start(), start + found.end()) for found in re.finditer(r"[^\s]+", text[start:stop])]

    def idle(part: Span) -> bool:
        word = text[part[0] : part[1]].lower()
        return word in _NOT_NAMES or word.partition("'")[0] in _NOT_NAMES or is_stop(word)

    while parts and idle(parts[0]):
        parts.pop(0)
    while parts and idle(parts[-1]):
        parts.pop()
    if not parts:
        return start, start
    stop = parts[-1][1]
    for clitic in ("'s", "’s"):
        stop -= len(clitic) if text[parts[0][0] : stop].endswith(clitic) else 0
    return parts[0][0], stop


_WHO_IS = pattern(r"\W*(?i:who\s+(?:is|was|are|were)|who['’]s)\s+[^\W\d_a-z][\w-]*(?:\s+[^\W\d_a-z][\w-]*)*\W*$")


def people(text: str, asked: Asked) -> Iterator[Span]:
    """Yield names of people that the question does not hold, and kin and company: "my aunt"."""
    if _WHO_IS.match(asked.text):  # whom it names is known: what is told of them answers
        return
    places = word_list("places")
    for start, stop in names(text, asked):
        given = text[start:stop].split(maxsplit=1)[0].lower() in word_list("given")
        if (start > 0 or given) and text[start:stop].lower() not in places:
            yield start, stop
    for found in _KIN.finditer(text):
        yield found.span()


def places(text: str, asked: Asked) -> Iterator[Span]:
    """Yield known places, then what follows a word such as "in" or "at"; what the question holds is none."""
    known, listed = frozenset(asked.terms), word_list("places")
    for start, stop in names(text, asked):
        if text[start:stop].lower() in listed:
            yield start, stop
    for found in _WHERE.finditer(text):
        telling = [term for _, term in content_pairs(found[1])]
        if telling and not known.issuperset(telling) and not _TIMELY.search(found[1]):
            yield found.span(1)


_TIMELY = pattern(
    r"\b\d{1,2}(?::\d\d|\s*[ap]\.?m\b)|\b(?:noon|midnight|tomorrow|yesterday|tonight)\b|\b(?:\d{4}|day|night|week|weekend|month|year|morning|evening|afternoon|time|moment|today|summer|winter|spring|last|ago"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december|first|life|mind|future|past|love|way|lot|help|fact|me|you|him|them|us|it|general|addition)s?\b",
    re.IGNORECASE,
)


def counts(text: str, asked: Asked) -> Iterator[Span]:
    """Yield numbers that count what the question counts: "3 kids" where it asks how many children."""
    if _HOW_OLD.search(asked.text):
        yield from (found.span("age" if found["age"] else "years") for found in _AGE.finditer(text))
        return
    for found in _COUNT.finditer(text):
        after = [term for _, term in content_pairs(text[found.end() : found.end() + 40])[:3]]
        if not asked.head or asked.head in after:
            yield found.span()


def amounts(text: str) -> Iterator[Span]:
    """Yield sums of money, measures and percentages."""
    return (found.span() for found in _AMOUNT.finditer(text))


def reasons(text: str) -> Iterator[Span]:
    """Yield what stands behind "because" and its kin."""
    return (found.span("why") for found in _REASON.finditer(text))


def manners(text: str) -> Iterator[Span]:
    """Yield what stands behind "by", where it tells what somebody does."""
    return (found.span("how") for found in _MANNER.finditer(text))


def clauses(text: str) -> list[Span]:
    """Return the clauses of a sentence, without the marks between them."""
    seams = [(0, 0), *(found.span() for found in _CLAUSE.finditer(text)), (len(text), len(text))]
    return [(low, high) for (_, low), (high, _) in pairwise(seams) if text[low:high].strip()]


def objects(text: str, asked: Asked) -> Iterator[Span]:
    """Yield what stands right behind the question's verb, up to the end of its clause, where that tells something new.

    Too many words are none, nor is another sentence's subject, nor a time: then the sentence itself answers better.
    """
    known = frozenset(asked.terms)
    for low, high in clauses(text) if asked.verb else ():
        verb = next((word for word in _WORD.finditer(text, low, high) if stem(word[0]) == asked.verb), None)
        if verb is not None and not _is_done_to(asked, text[low : verb.start()], text[verb.end() : high]):
            start, stop = stripped(text, verb.end(), high)
            words = _WORD.findall(text, start, stop)
            new = not known.issuperset(term for _, term in content_pairs(text[start:stop]))
            if (
                new
                and len(words) <= _LONG
                and not _SUBJECT.fullmatch(words[0])
                and not has_time_words(text[start:stop])
            ):
                yield start, stop
            return


def _is_done_to(asked: Asked, before: str, after: str) -> bool:
    """Say whether a clause tells what was done to whom is asked about, not what they did."""
    subject = next((term for term in asked.terms if term in asked.names), None)
    if subject is None or any(term == subject for _, term in content_pairs(before)):
        return False
    return any(term == subject for _, term in content_pairs(after))


def stripped(text: str, start: int, stop: int) -> Span:
    """Return a stretch without the small words and marks at its ends."""
    while start < stop and not text[start].isalnum() and text[start] not in "\"“'‘$€£":
        start += 1
    if found := _LEADS.match(text[start:stop]):
        start += found.end()
    if found := _TRAILS.search(text[start:stop]):
        stop = start + found.start()
    while start < stop and (text[stop - 1].isspace() or text[stop - 1] in ".,;:!?-–—("):
        stop -= 1
    return start, stop
