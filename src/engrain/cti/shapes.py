"""What threat reports mention and no table has: names by their shape, sectors, and noun phrases. Pure.

Names by their shape are numbered groups, operations, and what is next to a kind of malware. Noun phrases are typed by
the noun at their end: "a phishing campaign", "exposed servers".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from engrain.cti.tables import is_verb, keyed_words, words
from engrain.language.names import common
from engrain.language.sentences import begins_sentence
from engrain.language.tokens import MOST, Wording, each, stretches
from engrain.model.entities import Mention
from engrain.text import pattern

_NUMBERED_LONGEST, _KIND_LONGEST, _SECTOR_LONGEST = 24, 100, 120  # characters that can matter around an anchor
_NUMBERED = pattern(
    r"(?<![\w.-])(?:(?:APT|apt|Apt)-?(?:C-)?\d{1,3}|APT (?:C-)?\d{1,3}|(?:FIN|fin)-?\d{1,2}|(?:TA|ta)-?\d{3,4}"
    r"|(?:UNC|unc)-?\d{3,5}|TEMP\.[A-Z][a-z]+|DEV-\d{4}|Storm-\d{4}|UAC-\d{4}|UTA\d{4}|CL-(?:STA|CRI|UNK)-\d{4}"
    r"|TAG-\d{2,3}|attack\.g\d{4})(?![\w-]|\.\d)"
)
_NUMBER_AT = pattern(
    r"[0-9T](?:(?<=[acgmnstvACGIKNTV][0-9])\d*+|(?<=[acgmnstvACGIKNTV]-[0-9])\d*+|(?<=[Tt] [0-9])\d*+|(?<=T)EMP\.)"
)
_GROUP_ID = pattern(r"G(?<![\w.-]G)[01]\d{3}(?![\w.-])")
_CAPITAL = r"[A-Z0-9][\w'-]*+"
_OPERATION = pattern(rf"O(?<!\wO)(?:peration|PERATION)((?: (?:{_CAPITAL}|of|the(?= [A-Z]))){{1,4}})")
_ACTORS = "gang|threat actors?|hacking group|ransomware gang|APT"
_ACTOR_WORDS = frozenset("gang actor actors group apt".split())


def shaped(wording: Wording) -> Iterator[Mention]:
    """Yield numbered groups and named operations, and, for reports, what is next to a kind of malware or a gang."""
    text, known = wording.text, wording.known
    for low, high in stretches(_NUMBER_AT, text, _NUMBERED_LONGEST, _NUMBERED_LONGEST):
        for found in each(_NUMBERED, text, low, high):
            yield Mention("intrusion_set", _written(found[0]), *found.span())
        for found in each(_GROUP_ID, text, low, high):
            yield Mention("intrusion_set", found[0], *found.span(), False)
    if "operation" in known:
        for found in each(_OPERATION, text):
            yield Mention("campaign", "Operation" + found[1], *found.span(), False)
    anchor, expression, kind_words = _kinds()
    if not known.isdisjoint(kind_words):
        for low, high in stretches(anchor, text, _KIND_LONGEST, _KIND_LONGEST):
            yield from _with_kind(expression, text, low, high)


def _written(read: str) -> str:
    """Return the usual writing of a numbered group: APT-28 and apt28 are APT28."""
    if read.startswith("attack."):
        return read[7:].upper()
    if read[:4].upper() == "TEMP" or read[:3] in ("DEV", "Sto", "UAC", "CL-", "TAG", "UTA"):
        return read
    plain = read.upper()
    if "C" in plain[:5] and plain.startswith("APT"):
        return re.sub(r"^APT[- ]?C?-?", "APT-C-", plain)
    return re.sub(r"(?<=[A-Z])[- ](?=\d)", "", plain)


@cache
def _kinds() -> tuple[re.Pattern[str], re.Pattern[str], frozenset[str]]:
    """Return what finds kinds of malware and actors, what finds names before them, and words that a text must have."""
    kinds = "|".join(sorted(words("kinds"), reverse=True))
    anchor = re.compile(rf" (?:{kinds}|{_ACTORS})")
    named = rf"(?<![\w.-])({_CAPITAL}(?: {_CAPITAL})?) (?:(?:[a-z]+ )?(?:{kinds})|({_ACTORS}))\b"
    needed = {word.casefold() for kind in words("kinds") for word in kind.split()}
    return anchor, re.compile(named), _ACTOR_WORDS | needed


def _with_kind(expression: re.Pattern[str], text: str, low: int, high: int) -> Iterator[Mention]:
    plain = words("plain")
    for found in each(expression, text, low, high):
        start, end = found.span(1)
        name = found[1].split()
        while name and common(name[0].casefold()) and (begins_sentence(text, start) or name[0].casefold() in plain):
            start += len(name[0]) + 1
            name = name[1:]
        if name and len(text[start:end]) > 2 and not name[0].isdigit() and name[-1].casefold() not in plain:
            yield Mention("intrusion_set" if found[2] else "malware", text[start:end], start, end, False)


# -------------------------------------------------------------------------------------------------------------- sectors


def sectors(wording: Wording) -> Iterator[Mention]:
    """Yield the sectors of the economy that a report names."""
    anchor, expression, first_words = _sector_patterns()
    if wording.known.isdisjoint(words("sector nouns")) or wording.known.isdisjoint(first_words):
        return
    for low, high in stretches(anchor, wording.text, _SECTOR_LONGEST, 0):
        for found in each(expression, wording.text, low, high):
            if sector := keyed_words("sectors").get(found[0].casefold()):  # a letter may fold into no letter of it
                yield Mention("sector", sector, *found.span(), False)


@cache
def _sector_patterns() -> tuple[re.Pattern[str], re.Pattern[str], frozenset[str]]:
    """Return what finds the nouns behind sectors, what finds sectors, and the words that sectors begin with."""
    nouns = "|".join(sorted(words("sector nouns"), reverse=True))
    names = sorted(keyed_words("sectors"), reverse=True)
    named = rf"\b(?:{'|'.join(names)})(?=[ -](?:{nouns})\b|(?:,| and| or)[ \w,]{{2,60}}? sectors?\b)"
    first_words = frozenset(re.split(r"\W", name)[0] for name in names)
    return re.compile(rf"[ -](?:{nouns})\b", re.IGNORECASE), re.compile(named, re.IGNORECASE), first_words


# --------------------------------------------------------------------------------------------------------- noun phrases

_AFTER = pattern(r"[\w/\\@'’-]|\.\w")
_PLURALS = frozenset({"actor", "person", "organization", "asset"})  # "attackers" are somebody, "an attacker" nobody
_JOINTS = ("-", "/", "'", "’")  # inside a word of several parts
_DAYS, _ZERO = ("day", "days"), ("zero", "0")
_WORD_LONGEST = 40  # characters
_PHRASE_LONGEST = 4  # words before the noun
_APPOSED = pattern(r"[\w)\"”](?:,| is| was| are| were) an? $")
_ARTICLE_ENDS = ("a ", "n ")


def phrases(wording: Wording) -> Iterator[Mention]:
    """Yield noun phrases whose last word tells their type; an article or a pronoun is no part of them.

    What is said to be what a name is ("Turla is an espionage group") is left to the name.
    """
    text, types = wording.text, _noun_types()
    heads = wording.known & types.keys()
    found = (place for place, word in enumerate(wording.words) if word in heads) if heads else ()
    for head in islice(found, MOST):
        noun, place = wording.words[head], wording.places[head]
        if noun in _DAYS and wording.words[max(0, head - 1)] not in _ZERO:
            continue
        first, type_ = _first(wording, head), types[noun]
        if (first < head or (type_ in _PLURALS and noun[-1] == "s")) and not _AFTER.match(text, place.end()):
            start = wording.places[first].start()
            if text[start - 2 : start] not in _ARTICLE_ENDS or not _APPOSED.search(text, max(0, start - 16), start):
                yield Mention(type_, text[start : place.end()], start, place.end(), False)


@cache
def _noun_types() -> dict[str, str]:
    """Return the type of each noun, in the singular and in the plural."""
    found: dict[str, str] = {}
    for noun, type_ in keyed_words("phrases").items():
        plural = re.sub(r"(?<![aeiou])y$", "ie", noun) + ("es" if noun[-1] == "s" else "s")
        found |= {plural: type_, noun: type_}
    return found


def _first(wording: Wording, head: int) -> int:
    """Return the place of the first word that belongs to a noun."""
    text, places = wording.text, wording.places
    first, spaces = head, 0
    while first and spaces <= _PHRASE_LONGEST:
        gap = text[places[first - 1].end() : places[first].start()]
        if gap not in _JOINTS and (gap != " " or spaces == _PHRASE_LONGEST or not _modifies(wording.words, first - 1)):
            break
        spaces += gap == " "
        first -= 1
    if first < head and first and wording.words[first - 1] == "to":  # "to collect credentials"
        first += 1
    return first


def _modifies(words_: list[str], place: int) -> bool:
    word, bounds = words_[place], words("phrase bounds")
    if word in bounds or len(word) > _WORD_LONGEST:
        return False
    if is_verb(word):  # "of compromised machines", "an actively exploited flaw", but not "Turla compromised machines"
        before = words_[place - 1] if place else ""
        return word.endswith("ed") and (before in bounds or before.endswith("ly"))
    return True
