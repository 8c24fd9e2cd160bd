"""Direct answers without a model: the shortest words of the evidence that answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from engrain.language import event_dates as dates
from engrain.language.analyzer import BASE, content_pairs, is_stop, stem, terms, words
from engrain.language.dates import has_time_words
from engrain.language.event_dates import dated
from engrain.language.names import word_list
from engrain.model.memory import Kind
from engrain.synthesis.evidence import Evidence, Said, Told
from engrain.synthesis.question import (
    Answer,
    Asked,
    Candidate,
    Wanted,
    apart,
    asked,
    bearing,
    chosen,
    is_disputed,
    is_of_another,
    is_row,
    parts,
    ranked,
)
from engrain.text import pattern

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


_NOT = pattern(r"(?i)\b(?:not|never|\w+n['’]t|cannot)\b")
_NEGATIVE = pattern(
    r"(?i)\b(?:not|no|never|nobody|nothing|none|neither|nor|without|\w+n['’]t|cannot|hardly|barely|rarely|seldom)\b"
)
_QUANTITY = pattern(
    r"(?i)\b(?:every\w*|all|any(?:body|one|thing)?|some(?:body|one|thing)?|only|both|each|most|none|always|ever|still|yet|more"
    r"|less|than|enough|too|other|another)\b"
)
_UNSURE = pattern(
    r"(?i)\b(?:if|unless|until|till|once|when|would|could|may|might|should|will|shall|can|going\s+to|gonna|maybe|perhaps|possibly"
    r"|probably|likely|almost|nearly|supposed|suppose\w*|only|except|instead|anymore|any\s+more|used\s+to|former\w*|before"
    r"|think\w*|thought|say\w*|said|claim\w*|hear\w*|believ\w*|guess\w*|hope\w*|hoping|wish\w*|want\w*|plan\w*|dream\w*|doubt\w*"
    r"|wonder\w*|pretend\w*|rumou?r\w*|seem\w*|apparently|allegedly|correction|longer|against|quit|stop\w*|ceased?|but|although"
    r"|though|joke\w*|joking|kidding|imagin\w*|expect\w*|try|trying|tried|fail\w*|refus\w*|den(?:y|ies|ied)|forgot\w*)\b"
)
_PRESENT = pattern(r"(?i)^\W*(?:do|does|is|are|am)\b")
_DID = pattern(r"(?i)^\W*did\b")
_PAST = pattern(r"(?i)\b(?:was|were|had|did|been|ex)\b")
_I = frozenset({"i", "we", "my", "our"})


def plain(candidate: Candidate, asked: Asked) -> str:
    """Return "Yes" or "No", "" where the sentence does not plainly say so."""
    text = candidate.line.text
    if _NEGATIVE.search(asked.text) or _QUANTITY.search(asked.text) or _UNSURE.search(text) or candidate.line.asks:
        return ""
    for start, stop in parts(text):
        clause = text[start:stop]
        denies = _NOT.search(clause)
        if not denies and _NEGATIVE.search(clause):
            continue
        if _states(clause, candidate, asked, whole=denies is not None):
            return "No" if denies else "Yes"
    return ""


def _states(clause: str, candidate: Candidate, asked: Asked, *, whole: bool) -> bool:
    """Say whether a clause has the question's words in their order with nothing telling between them.

    With `whole` nothing telling may follow either: who did not sell it on Monday may have sold it.
    """
    if _PRESENT.search(asked.text) and _PAST.search(clause):
        return False
    wanted = content_pairs(asked.text)
    there = content_pairs(clause)
    speaker = frozenset(map(stem, words(candidate.quote.memory.actor or "")))
    if speaker and wanted and wanted[0][1] in speaker and not _I.isdisjoint(words(clause)):
        wanted = wanted[1:]
    if not wanted or len(there) < len(wanted) or (whole and len(there) > len(wanted)):
        return False
    pairs = list(zip(wanted, there, strict=False))
    if any(one[1] != other[1] for one, other in pairs):
        return False
    return _tense_fits(asked, [(one[0].lower(), other[0].lower()) for one, other in pairs], denied=whole)


def _tense_fits(asked: Asked, pairs: list[tuple[str, str]], *, denied: bool) -> bool:
    """Say whether the words have the forms that the question's tense asks for."""
    if _DID.search(asked.text) and not denied:
        return any(_is_past(there, of) for of, there in pairs)
    return all(there == of or there in _present(of) or of in _present(there) for of, there in pairs)


def _present(word: str) -> tuple[str, ...]:
    """Return the forms of a word in which it is still of the present: smokes, does, carries."""
    return f"{word}s", f"{word}es", f"{word[:-1]}ies"


def _is_past(there: str, of: str) -> bool:
    return there != of and (there.endswith("ed") or there in BASE)


Answers = Callable[[Candidate], tuple[str, ...]]
_CHANGE = pattern(
    r"(?i)\b(?:now|nowadays|currently|moved|chang(?:ed|es)|correct(?:ion|ed)|no\s+longer|any\s*more|(?:the|my|our|[’']s)\s+new|instead|actually|updated?"
    r"|postponed|rescheduled|raised|increased|lowered|reduced|replaced|switched|jetzt|nun|neu\w*|ahora|maintenant|désormais)\b"
)
_MOVED = pattern(r"(?i)\b(?:moved|relocated)\s+(?:\w+\s+)?to\b")
_OF_BEFORE = pattern(
    r"(?i)\b(?:did|was|were|had|first|original\w*|initial\w*|previous\w*|before|used\s+to|old|former\w*|last|ago)\b"
)


def newest_first(asked: Asked, candidates: Sequence[Candidate], answers: Answers) -> Sequence[Candidate]:
    """Return the sentences with the one first that amends the best, where there is one and today is asked about."""
    if asked.several or asked.wanted is Wanted.YES_NO or _OF_BEFORE.search(asked.text):
        return candidates
    best = candidates[0]
    newer = [each for each in candidates[1:] if _age(each) > _age(best) and _amends(each, best, asked, answers)]
    if not newer:
        return candidates
    first = max(newer, key=_age)
    return [first, *(each for each in candidates if each is not first)]


def _age(candidate: Candidate) -> tuple[object, ...]:
    memory = candidate.quote.memory
    return memory.valid_from, memory.recorded_at


def _amends(newer: Candidate, best: Candidate, asked: Asked, answers: Answers) -> bool:
    found = answers(newer)
    if newer.line.asks or bool(found) != bool(answers(best)):
        return False
    text = newer.line.text
    shared = frozenset(asked.terms) & _terms(best)
    if _CHANGE.search(text) and shared and shared <= _terms(newer):
        return True
    if asked.wanted is Wanted.PLACE and _MOVED.search(text):
        return shared & asked.names <= _terms(newer) and bool(shared & asked.names)
    return bool(found) and _frame(newer, found) == _frame(best, answers(best))


def _terms(candidate: Candidate) -> frozenset[str]:
    return candidate.line.terms | frozenset(map(stem, words(candidate.quote.memory.actor or "")))


def _frame(candidate: Candidate, found: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a sentence without its answer: what two values of one thing have in common."""
    said = frozenset({candidate.quote.memory.actor or ""})
    return said | frozenset(terms(candidate.line.text)) - frozenset(term for text in found for term in terms(text))


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
_ELAPSED_SURE = 0.5  # of the words that name a thing: so many must stand in the sentence that dates it
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
    if not candidates or candidates[0].found < _ELAPSED_SURE:
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


_POINTS = 5
_LISTED = 4  # quotes whose answers are put together where a list is asked for
_NEAR = 0.55  # of the best sentence's score: what scores less is not of the same list
_BORNE = 0.4  # of the same: what scores less does not bear it out
_DIRECT_SURE = 0.75  # of the question's words: so many must stand where a plain yes or no is said
_AKIN = 0.3  # of them: with fewer, what stands beside them is no answer

Find = Callable[[Candidate, Asked], Iterator[Answer]]


def direct(asked: Asked, evidence: Evidence) -> Told:
    """Return the answer, and up to five sentences that bear it out."""
    find = _FINDERS.get(asked.wanted)

    known: dict[tuple[int, int], tuple[str, ...]] = {}

    def answers(candidate: Candidate) -> tuple[str, ...]:
        key = candidate.place, candidate.line.start
        if key not in known:
            known[key] = chosen(candidate.line.text, asked, find(candidate, asked)) if find is not None else ()
        return known[key]

    candidates = ranked(asked, evidence, lambda each: bool(answers(each)))
    if not candidates:
        return Told(tuple(Said(quote.text, (place,)) for place, quote in enumerate(evidence.quotes[:1])))
    best, fitting = candidates[0], bearing(asked, evidence, candidates)
    if not fitting or _is_beside(asked, fitting[0], best) or is_of_another(asked, evidence, fitting[0]):
        return Told(())
    told_of = newest_first(asked, fitting, answers)
    lead = elapsed(asked, evidence) or _lead(asked, told_of, answers)
    least = _BORNE * told_of[0].score
    points = tuple(each.said for each in apart(told_of, _POINTS, least=least) if each.said != lead)
    return Told((lead,), points)


def _is_beside(asked: Asked, first: Candidate, best: Candidate) -> bool:
    """Say whether the first sentence about what the question names tells something else of it."""
    return first is not best and (frozenset(asked.terms) - asked.names).isdisjoint(first.line.terms)


def _lead(asked: Asked, candidates: Sequence[Candidate], answers: Callable[[Candidate], tuple[str, ...]]) -> Said:
    best = candidates[0]
    if asked.wanted is Wanted.YES_NO:
        best = _newest_sure(candidates)
        if not is_disputed(best.quote) and (plainly := answers(best)):
            return Said(plainly[0], (best.place,))
        return best.said
    if asked.several and (listed := _listed(candidates, answers)) is not None:
        return listed
    for each in candidates[:3]:
        if each.score >= 0.8 * best.score and (found := answers(each)):
            return Said(found[0], (each.place,))
    if asked.wanted is Wanted.TIME:
        return Said(_beside(best), (best.place,))
    if is_row(best.line.text):
        return best.said
    start, stop = trimmed(best.line.text)
    return Said(best.line.text[start:stop], (best.place,))


def _newest_sure(candidates: Sequence[Candidate]) -> Candidate:
    """Return the newest of the sentences that have nearly all words of the question, the best where none has."""
    sure = [each for each in candidates if each.found >= _DIRECT_SURE]
    return max(sure, key=lambda each: each.quote.memory.valid_from) if sure else candidates[0]


def _listed(candidates: Sequence[Candidate], answers: Callable[[Candidate], tuple[str, ...]]) -> Said | None:
    """Return the answers of the best sentences put together, None when there are none."""
    found: dict[str, int] = {}
    for each in candidates[:_LISTED]:
        if each.score >= _NEAR * candidates[0].score:
            for text in answers(each)[:1]:
                if not any(text.lower() in other.lower() or other.lower() in text.lower() for other in found):
                    found[text] = each.place
    if not found:
        return None
    return Said(", ".join(found), tuple(dict.fromkeys(found.values())))


# ------------------------------------------------------------------------------------------------ the sorts of answers


def _times(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    """Yield the times that a sentence names, other than those that the question names itself."""
    said, text = candidate.quote.memory.valid_from, candidate.line.text
    clock = [Answer(start, stop, text[start:stop]) for start, stop in dates.clock_times(text)]
    if dates.asks_clock(asked.text):
        yield from clock
    known = frozenset(asked.terms)
    for each in dates.dated(text, said):
        telling = [term for _, term in content_pairs(text[each.start : each.stop])]
        if not telling or not known.issuperset(telling):
            yield Answer(each.start, each.stop, each.written)
    yield from clock


def _beside(candidate: Candidate) -> str:
    """Return the one time that is named elsewhere in the quote, or the day on which what happened was told.

    The sentence, where that tells of nothing that happened: the day on which something was said is no time of its own.
    """
    said = candidate.quote.memory.valid_from
    found = {each.written for each in dates.dated(candidate.quote.text, said)}
    if len(found) == 1:
        return found.pop()
    memory = candidate.quote.memory
    dated = memory.valid_from != memory.recorded_at  # somebody said since when it is true
    told = dated or memory.actor is not None or memory.kind is Kind.EPISODIC
    return dates.day(said) if told and not found and dates.happened(candidate.line.text) else candidate.line.text


def _texts(find: Callable[[str, Asked], Iterator[Span]]) -> Find:
    def found(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
        text = candidate.line.text
        return (Answer(start, stop, text[start:stop]) for start, stop in find(text, asked))

    return found


def _yes_or_no(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    if candidate.found >= _DIRECT_SURE and (said := plain(candidate, asked)):
        yield Answer(0, len(candidate.line.text), said)


def _things(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    if candidate.found >= _AKIN:
        yield from _texts(objects)(candidate, asked)


_FINDERS: dict[Wanted, Find] = {
    Wanted.TIME: _times,
    Wanted.DURATION: _texts(lambda text, asked: dates.durations(text)),
    Wanted.FREQUENCY: _texts(lambda text, asked: dates.frequencies(text)),
    Wanted.PLACE: _texts(places),
    Wanted.PERSON: _texts(people),
    Wanted.NAME: _texts(names),
    Wanted.COUNT: _texts(counts),
    Wanted.AMOUNT: _texts(lambda text, asked: amounts(text)),
    Wanted.REASON: _texts(lambda text, asked: reasons(text)),
    Wanted.MANNER: _texts(lambda text, asked: manners(text)),
    Wanted.YES_NO: _yes_or_no,
    Wanted.THING: _things,
}
