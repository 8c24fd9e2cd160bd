"""The names in a sentence: words with a capital letter that it need not have. Pure.

Languages without capitals name nothing here. German writes nouns so too: there what follows an article or a number, or
stands where a noun does, is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from recollect.patterns import pattern
from recollect.words import is_stop, stem

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
