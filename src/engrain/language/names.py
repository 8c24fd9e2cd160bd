"""Names in text: whether a text has any, whether a question asks for one, and which words are names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from importlib.resources import files

from engrain.language.analyzer import is_stop, stem
from engrain.text import pattern

_LOWER, _UPPER = "a-zß-öø-ÿа-яёα-ωά-ώ", "A-ZÀ-ÖØ-ÞА-ЯЁΑ-ΩΆ-Ώ"
_NAMED = pattern(rf"(?<=[{_LOWER},;:] )[\"“‘'(«„]?[{_UPPER}][{_LOWER}{_UPPER}]")
# "Thanks, Ana!" speaks to somebody; it tells no name to anybody who asks for one.
_GREETING = "hey hi hello hola thanks wow yeah yep yup congrats congratulations yes no sure bye oh well ok okay".split()
_ADDRESSED = pattern(
    rf"(?:,\s+|\b(?i:{'|'.join(_GREETING)})\s+)[{_UPPER}][{_LOWER}]+(?=\s*(?:[.!?,;…-]|$))", re.MULTILINE
)

_PERSON = "person people friend character actor actress artist author singer band musician player team celebrity hero"
_PLACE = (
    "city country state town village place location island park beach restaurant cafe bar hotel museum store shop "
    "school college university venue area region continent street river mountain lake"
)
_WORK = (
    "book novel movie film show series song album game play painting podcast magazine newspaper app website title "
    "poem story"
)
_BODY = "company brand organi[sz]ation charity club platform agency bank model product tool language breed"
_DOING = "event festival tournament holiday conference course class program project"
_PET = "pet dog cat horse instrument"
_KIND = "|".join(word for group in (_PERSON, _PLACE, _WORK, _BODY, _DOING, _PET) for word in group.split())
_NOT_A_NOUN = "is|are|was|were|do|does|did|has|have|had|can|could|will|would"
_ASKS = pattern(
    r"\b(?:who|whose|whom|where|which|names?|named|called|nickname|titled?)\b"
    rf"|\b(?:what|which)(?:\s+(?!(?:{_NOT_A_NOUN})\b)[\w'’-]+){{0,3}}?\s+(?:(?:{_KIND})(?:e?s)?"
    r"|cities|countries|universities|companies|charities|agencies|stories|parties|classes)\b",
    re.IGNORECASE,
)


def has_names(text: str) -> bool:
    """Say whether a text names somebody or something: a capital inside a sentence, other than in an address."""
    return bool(_NAMED.search(_ADDRESSED.sub(" ", text.replace("’", "'"))))


def asks_name(text: str) -> bool:
    """Say whether a question asks for the name of a person, a place, a work or a thing: who, where, which book."""
    return bool(_ASKS.search(text))


_WORD = pattern(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?")
_OPENERS = frozenset(
    """
    yes no ja nein sí si oui non not
    both all each every some most many several few there here it they she he we you i the
    a an this that these those his her their its our my your according based currently recently originally previously
    first second third finally then later earlier since until before after during while when where who what which how
    mr mrs ms dr prof sir herr frau señor señora monsieur madame memory memories user ok true false unknown none nothing
    nobody everybody everyone someone somebody anyone however also additionally overall therefore moreover because if as
    der die das ein eine er sie es wir ich ihr im am in an auf seit nach vor bei mit und aber
    el la los las un una ella ellos en con desde por según y pero le les il elle ils elles depuis dans avec selon et
    mais
    """.split()
)
_GERMAN = pattern(r"\b(?:der|das|und|ist|nicht|eine|hat|mit|dem|wohnt|seit|heißt|sind|wurde|haben)\b")
_BEFORE_NOUN = pattern(
    r"(?:\b(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|kein\w*|sein\w*|ihr\w*|mein\w*|unser\w*|als|zwei|drei"
    r"|vier|fünf|sechs|sieben|acht|neun|zehn|viele|keine|alle|zum|zur|im|am|vom|beim|ins|\w+(?:en|er|es|em|ige|iche))"
    r"|\d+[.,]?|,|\b(?:hat|haben|mag|trinkt|isst|hatte|braucht|und|oder))\s+$",
    re.IGNORECASE,
)
_FIRST = pattern(r"(?:^|[.!?:;…]\s+|\n\s*|[-•]\s+)[\"“‘'(«„¿¡]*$")
_SURE = pattern(
    r"['’]s\b|\s+(?:and\s+)?[A-Z][a-z]|\s+(?:is|was|has|had|lives?|works?|said|says|and|will|moved|likes?|ist|hat|es|est)\b"
)
_PREFIX = 5  # letters from which on one name may be a form of another: Georgia, Georgian


def names(text: str) -> Iterator[str]:
    """Yield the names of a text, in small letters and without a genitive's s."""
    german = _GERMAN.search(text.lower()) is not None
    for match in _WORD.finditer(text):
        word = match[0]
        if not word[0].isupper() or len(word) == 1 or word.lower() in _OPENERS:
            continue
        before = text[max(match.start() - 30, 0) : match.start()]
        if _FIRST.search(before) and (is_stop(word) or not _SURE.match(text, match.end())):
            continue
        if german and _BEFORE_NOUN.search(before):
            continue
        yield folded(word)


def folded(word: str) -> str:
    """Return a name as it is compared."""
    return re.sub(r"['’](?:s|$)", "", word.casefold())


def is_held(name: str, words: Collection[str]) -> bool:
    """Say whether words have a name, or a form of it."""
    if name in words or stem(name) in words or (name.endswith("s") and name[:-1] in words):
        return True
    if len(name) < _PREFIX:
        return False
    return any(
        len(word) >= _PREFIX and (word.startswith(name) or name.startswith(word)) and abs(len(word) - len(name)) <= 3
        for word in words
    )


_PART = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INNER_CAPITAL = re.compile(r"[a-zß-öø-ÿ][A-ZÀ-ÖØ-Þ]|[A-Z]{2,}[a-z]{2,}")
_SUFFIXES = ("'s", "’s", "s", "es", "ed", "d", "ing", "er", "ers", "ly", "y", "r", "rs", "al", "ness", "less", "ful")
_OPENING = " \t\"'“”‘’([{*_>#-•–—"
_LONGEST = 32  # letters of an ordinary word
_SHORT = {"dr", "mr", "mrs", "ms", "prof", "st", "sr", "jr", "vs", "no", "inc", "e.g", "i.e", "u.s", "u.k"}


@cache
def word_list(name: str) -> frozenset[str]:
    """Return one of the word lists kept beside this module: `common`, `endings`, `family`, `given`, `places`."""
    text = (files("engrain.graph") / "wordlists" / f"{name}.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def common(word: str) -> bool:
    """Say whether a word, in small letters, is ordinary English in one of its usual forms."""
    return len(word) < _LONGEST and _common(word)


@lru_cache(8192)
def _common(word: str) -> bool:
    known = word_list("common")
    if word in known:
        return True
    for suffix in _SUFFIXES:
        if len(word) > len(suffix) + 2 and word.endswith(suffix):
            stem = word[: -len(suffix)]
            if stem in known or stem + "e" in known or (stem[-1] == "i" and stem[:-1] + "y" in known):
                return True
            if len(stem) > 3 and stem[-1] == stem[-2] and stem[:-1] in known:
                return True
    return False


def ordinary(word: str) -> bool:
    """Say whether a word, in small letters, is ordinary English, somebody's name, or in the name of a place."""
    return common(word) or word in word_list("given") or word in word_list("family") or word in _place_words()


@cache
def _place_words() -> frozenset[str]:
    return frozenset(word for place in word_list("places") for word in place.split())


@cache
def distinctive(name: str) -> bool:
    """Say whether a name can be told from ordinary words wherever it stands.

    It has a digit, an inner capital, or a word that is neither common nor a given name. Letters standing alone, and
    capitals of fewer than four letters, tell nothing.
    """
    parts = _PART.findall(name)
    if any(char.isdigit() for char in name) and any(char.isalpha() for char in name) and len(name) > 3:
        return True
    if name.islower() and name.isalpha() and _compound(name):
        return False
    telling = [part for part in parts if len(part) > 3 or (len(part) == 3 and not part.isupper())]
    if any(_INNER_CAPITAL.search(part) for part in telling):
        return True
    return any(not ordinary(part.casefold()) and len(part) > 3 for part in telling)


def cased(written: str, read: str) -> bool:
    """Say whether a name of one word is read in capitals that let it mean the one that is written so in a table.

    Letters that spell an ordinary word tell nothing but by their capitals.
    """
    if written.isalpha() and written.isupper():
        return read.isupper()
    if read != written and any(common(part.casefold()) for part in _PART.findall(written)):
        return False
    return not (read.islower() and read.isalpha() and written.istitle())


def _compound(word: str) -> bool:
    """Say whether a word is two ordinary ones written together."""
    known = word_list("common")
    return any(word[:cut] in known and word[cut:] in known for cut in range(4, len(word) - 3))


def at_sentence_start(text: str, start: int) -> bool:
    """Say whether a capital at this place is there because a sentence starts."""
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False
    before = text[max(0, start - 24) : start].rstrip(_OPENING)
    if not before:
        return True
    if before[-1] not in ".!?:;…\n\r|":
        return not (before[-1].isalnum() or before[-1] in ",%&)]'\"/+=$")
    last = before[:-1].rsplit(None, 1)[-1:] if before[-1] == "." else []
    return not (last and last[0].casefold() in _SHORT)
