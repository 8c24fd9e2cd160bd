"""What a question asks for, and the parts of a sentence that may answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache

from engrain.language.dates import calendar_words
from engrain.language.locales import LOCALES, Locale, expression, has, language_of, one_of, phrases, template, union
from engrain.language.names import word_list
from engrain.language.tokens import content_pairs, inner_stops_masked, is_stop, words
from engrain.text import pattern


class Wanted(StrEnum):
    """The sort of answer that fits a question, in the order in which the beginning of a question is compared."""

    FREQUENCY = "frequency"
    DURATION = "duration"
    COUNT = "count"
    AMOUNT = "amount"
    TIME = "time"
    PLACE = "place"
    PERSON = "person"
    NAME = "name"
    REASON = "reason"
    MANNER = "manner"
    THING = "thing"
    YES_NO = "yes or no"
    ANYTHING = "anything"


_ANYWHERE = (Wanted.FREQUENCY, Wanted.DURATION, Wanted.COUNT, Wanted.TIME, Wanted.PLACE, Wanted.PERSON)
_OWNS = pattern(r"['’]s?$")
_WORD = pattern(r"[^\W\d_]+")


def kinds_of(query: str) -> list[str]:
    """Return which of "causal", "relational", "exploratory" and "factual" something in a question speaks for."""
    return [kind for kind in ("causal", "relational", "exploratory", "factual") if has(query, kind)]


def difficulties(query: str) -> list[str]:
    """Return what makes a question hard: "several steps", "a comparison", "several clauses", "many words"."""
    joints = len(expression("joints", language_of(query)).findall(query)) + query.count(",") + query.count(";")
    signs = {
        "several steps": has(query, "steps"),
        "a comparison": has(query, "comparison"),
        "several clauses": joints >= 2 or query.count("?") >= 2,
        "many words": len(words(query)) >= 12,
    }
    return [name for name, there in signs.items() if there]


def is_about_asker(query: str) -> bool:
    """Say whether a question is about its asker, and not about its hearer."""
    locale, addressed = _addressed(query)
    return not locale.myself.isdisjoint(addressed) and locale.hearer.isdisjoint(addressed)


def is_about_asked(query: str) -> bool:
    """Say whether a question is about its hearer ("What did you recommend?"), beyond asking for a favour."""
    locale, addressed = _addressed(query)
    return not locale.hearer.isdisjoint(addressed)


def _addressed(query: str) -> tuple[Locale, list[str]]:
    """Return the language of a question, and its words without those of a request."""
    locale = language_of(query)
    return locale, _WORD.findall(expression("request", locale).sub(" ", query).lower())


# ------------------------------------------------------------------------------------------------- the answer that fits


def sort_of_answer(query: str) -> Wanted:
    """Return the sort of answer that a question asks for."""
    locale = language_of(query)
    for each in Wanted:
        if _asking(locale, each, rf"^\W*(?:(?:{locale.question_leads})\W+)*").search(query):
            return Wanted.THING if each is Wanted.YES_NO and expression("either", locale).search(query) else each
    anywhere = r"(?:\b|(?<=\W)|(?=[^\x00-\x7f]))"
    return next((each for each in _ANYWHERE if _asking(locale, each, anywhere).search(query)), Wanted.ANYTHING)


@cache
def _asking(locale: Locale, wanted: Wanted, before: str) -> re.Pattern[str]:
    return re.compile(rf"{before}(?:{locale.asked.get(wanted, '(?!)')})", re.IGNORECASE)


_HEAD = template(
    r"^\W*(?:\w+\s+)?(?:{which}|{how_many})\s+((?:(?!(?:{question_auxiliaries})\b)[\w'’+&-]+\s+){0,5}?)"
    r"(?=(?:{question_auxiliaries})(?:\b|\s))"
)
_PREDICATE = template(r"^\W*(?:\w+\s+)?(?:{which})\b[^?]*?\b(?:{question_auxiliaries})\s(.*)")


def head_of(query: str) -> tuple[str, bool]:
    """Return the index term that names what is wanted ("which books"), "" for none, and whether it is a plural."""
    locale = language_of(query)
    found = _HEAD(locale).search(query)
    phrase = found[1].strip() if found else ""
    pairs = content_pairs(expression("kind_of", locale).sub("", phrase).strip() or phrase)
    if not pairs:
        return "", False
    surface, term = pairs[-1]
    small = surface.lower()
    plural = small.endswith("s") and not small.endswith("ss") and small not in locale.singular_nouns
    return term, plural or small in locale.plural_nouns


def owner_of(query: str) -> str:
    """Return the last word of a question for a part or property of somebody or something, "" for none."""
    found = expression("last_of", language_of(query)).fullmatch(query.strip(" \t\n?¿"))
    return found["whose"] if found and not is_stop(found["whose"]) else ""


def verb_of(query: str, names: frozenset[str]) -> str:
    """Return the index term of what somebody does in "what did Ana buy": neither a name nor what somebody has."""
    locale = language_of(query)
    found = _PREDICATE(locale).search(query)
    owning, owned = locale.articles | locale.determiners | locale.joined, False
    for word in found[1].split() if found else ():
        pairs = content_pairs(word)
        if pairs and not owned and pairs[0][1] not in names:
            return pairs[0][1]
        owned = _OWNS.search(word) is not None or word.lower() in owning
    return ""


Span = tuple[int, int]

_CAP = r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w'’&.-]*[\w]|[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]"
_NAME = pattern(rf"(?:{_CAP})(?:\.?\s+(?:(?:of|the|and|de|la|del|von|van|der|du|&)\s+){{0,2}}(?:{_CAP}))*")
_QUOTED = pattern(r"(?<!\w)[\"“„«]([^\"“”„«»\n]{2,80})[\"”“»]|(?<!\w)['‘]([^'‘’\n]{2,80})['’](?!\w)")
_INITIAL_STOP = pattern(r"(?<=[^.])\.\s+")
_INITIALS = pattern(r"(?<!\w)(?:[^\W\d_]\.){2,}$")  # "D.C."
_CODE_AT_END = pattern(r"(?:^|\s)(?=\S*\d)(?=\S*[A-Za-z])\S+!+$")  # its mark may belong to it, as in a password


_FLUFF = pattern(
    rf"^(?:(?:{phrases('fluff')})(?:\s+(?:{phrases('after_fluff')}|(?-i:[A-Z][a-z]+)))?\s*[,!.:-]+\s*"
    rf"|(?:{one_of(union('coordinating'))}|so)\s+)+",
    re.IGNORECASE,
)


def trimmed(text: str) -> Span:
    """Return a sentence without what only greets or agrees at its beginning, and without its last mark."""
    found = _FLUFF.match(text)
    start = found.end() if found and len(text) - found.end() >= 8 else 0
    return start, len(text if _CODE_AT_END.search(text) else text.rstrip(" .!,;:…"))


def named_spans(text: str, known: frozenset[str]) -> Iterator[Span]:
    """Yield quoted titles, and names that do not consist of `known` index terms alone."""
    for found in _QUOTED.finditer(text):
        yield found.span(1 if found[1] else 2)
    for found in _NAME.finditer(text):
        for low, high in _split_at_stops(text, *found.span()):
            start, stop = _bare_name(text, low, high)
            if start < stop and not known.issuperset(term for _, term in content_pairs(text[start:stop])):
                yield start, stop


def _split_at_stops(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield a run of names, parted at full stops that end no abbreviation: "Dr. Sousa" is one."""
    low = start
    for seam in _INITIAL_STOP.finditer(text, start, stop):
        word = text[low : seam.start()].rpartition(" ")[2]
        if len(word) > 1 and word.casefold() not in union("abbreviations"):
            yield low, seam.start()
            low = seam.end()
    yield low, stop


_NO_NAMES = union("no_names", "pronouns") | calendar_words()


def _bare_name(text: str, start: int, stop: int) -> Span:
    """Return a name without the words at its ends that only begin a sentence."""

    def idle(part: Span) -> bool:
        word = text[part[0] : part[1]].lower()
        return word in _NO_NAMES or word.partition("'")[0] in _NO_NAMES or is_stop(word)

    parts = [(start + found.start(), start + found.end()) for found in re.finditer(r"\S+", text[start:stop])]
    while parts and idle(parts[0]):
        parts.pop(0)
    while parts and idle(parts[-1]):
        parts.pop()
    if not parts:
        return start, start
    begin, stop = parts[0][0], parts[-1][1]
    for clitic in ("'s", "’s"):
        stop -= len(clitic) if text[begin:stop].endswith(clitic) else 0
    return begin, stop + (_INITIALS.search(text[begin : stop + 1]) is not None)


def person_spans(text: str, known: frozenset[str]) -> Iterator[Span]:
    """Yield names of people that do not consist of known terms, and kin and company: "my aunt"."""
    places = word_list("places")
    for start, stop in named_spans(text, known):
        given = text[start:stop].split(maxsplit=1)[0].lower() in word_list("given")
        if (start > 0 or given) and text[start:stop].lower() not in places:
            yield start, stop
    yield from phrase_spans(text, "kin")


_WHERE = template(
    r"\b(?:{place_prepositions})\s+((?:(?:{articles+determiners})\s+)?(?:[\w'’.-]+\s+){0,3}?[\w'’-]+(?:\.[\w'’-]+)*)"
    r"(?=\s*(?:[,.;!?)\]—–:](?:\s|$)|$)|\s+(?:{ends_of_place})\b)"
)


def place_spans(text: str, known: frozenset[str]) -> Iterator[Span]:
    """Yield known places, then what follows a word such as "in" or "at"; what consists of known terms is none."""
    listed, locale, named = word_list("places"), language_of(text), list(named_spans(text, known))
    yield from ((start, stop) for start, stop in named if text[start:stop].lower() in listed)
    for found in _WHERE(locale).finditer(inner_stops_masked(text)):
        informative = [term for _, term in content_pairs(text[slice(*found.span(1))])]
        if informative and not known.issuperset(informative) and not expression("no_place", locale).search(found[1]):
            start, end = found.span(1)
            yield start, max(end, *(stop for low, stop in named if start <= low < end), end)


_NUMBER_WORDS = {name for locale in LOCALES.values() for name in (*locale.numbers, *locale.scales) if len(name) > 2}
_NUMBERS = (
    rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{phrases('counted_phrases')}"
    rf"|{one_of(_NUMBER_WORDS - union('unsure_numbers') | {'one'})})"
)
_NUMBER = pattern(rf"(?<![\w$€£.:/-]){_NUMBERS}(?![\w:/]|\.\d|,\d|\s*%)", re.IGNORECASE)


def count_spans(text: str, head: str) -> Iterator[Span]:
    """Yield numbers that count what `head` names by its index term ("" for anything): "3 kids"."""
    for found in _NUMBER.finditer(text):
        after = [term for _, term in content_pairs(text[found.end() : found.end() + 40])[:3]]
        if not head or head in after:
            yield found.span()


def age_spans(text: str) -> Iterator[Span]:
    """Yield how old somebody is, as a text states it."""
    found = _age(language_of(text)).finditer(text)
    return (each.span("age" if each["age"] else "years") for each in found)


@cache
def _age(locale: Locale) -> re.Pattern[str]:
    units = "|".join(name for unit in ("year", "month", "week") for name in locale.units[unit].split())
    return re.compile(
        rf"(?:{locale.before_age})(?P<age>{_NUMBERS})(?!\w|[.,:]\d|\s*%)(?!\s+(?!(?:{units}|{locale.after_age})\b)\w)"
        rf"|(?<![\w.])(?P<years>{_NUMBERS})[\s-]+(?:{units})[\s-]+(?:{locale.old})\b",
        re.IGNORECASE,
    )


_AMOUNT_UNITS = union("amount_nouns").union(
    *(names.split() for locale in LOCALES.values() for names in locale.measures.values()),
    *(locale.units[unit].split() for locale in LOCALES.values() for unit in ("hour", "minute")),
)
_AMOUNT = pattern(
    r"[$€£¥]\s?\d[\d,.]*(?:\s?(?:k|million|billion)\b)?"
    rf"|\d[\d,.]*\s?(?:[%€]|k?m\b|(?:{one_of(name for name in _AMOUNT_UNITS if name.isalpha() and len(name) > 1)})\b)",
    re.IGNORECASE,
)


def amount_spans(text: str) -> Iterator[Span]:
    """Yield sums of money, measures and percentages."""
    return (found.span() for found in _AMOUNT.finditer(text))


def phrase_spans(text: str, field: str, group: str | int = 0) -> Iterator[Span]:
    """Yield where a text has the phrases of a field in its own language, or a group of them."""
    return (found.span(group) for found in expression(field, language_of(text)).finditer(text))


_LEADS = template(r"^(?:(?:{leading_words})\s+)+")
_TRAILS = template(r"(?:\s+(?:{trailing_words}))+$")


def stripped(text: str, start: int, stop: int) -> Span:
    """Return a stretch without the small words and marks at its ends."""
    locale = language_of(text)
    while start < stop and not text[start].isalnum() and text[start] not in "\"“'‘$€£":
        start += 1
    if found := _LEADS(locale).match(text[start:stop]):
        start += found.end()
    if found := _TRAILS(locale).search(text[start:stop]):
        stop = start + found.start()
    while start < stop and (text[stop - 1].isspace() or text[stop - 1] in ".,;:!?-–—("):
        stop -= 1
    return start, stop


def speaks_to_hearer(text: str) -> bool:
    """Say whether a text is about its hearer: "you", "we"."""
    locale = language_of(text)
    return not (locale.hearer | (locale.oneself - locale.myself)).isdisjoint(_WORD.findall(text.lower()))


def refers_to_named(text: str) -> bool:
    """Say whether a text has a pronoun for somebody or something named before."""
    return not language_of(text).third_person.isdisjoint(_WORD.findall(text.lower()))


_PERSON_NAMED_BEFORE = pattern(
    rf"(?:^|[.!?]\s+)(?:{one_of(map(str.capitalize, union('people_pronouns')))})\b|(?i:\bthe user\b)"
)


def refers_to_person(text: str) -> bool:
    """Say whether a sentence of a text begins with a pronoun for somebody named before, or with "the user"."""
    return _PERSON_NAMED_BEFORE.search(text) is not None
