"""What reports speak of without a name, by the noun at the end: "a phishing campaign", "exposed servers". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from engrain.graph.domains.cti.relations import VERB
from engrain.language.tokens import MOST, Wording
from engrain.model.entities import Mention
from engrain.text import pattern

_NOUNS = {
    "vulnerability": "vulnerability flaw day exploit",
    "malware": "backdoor ransomware malware trojan loader downloader dropper infostealer stealer implant wiper botnet"
    " spyware rootkit webshell shell payload keylogger rat worm",
    "tool": "tool utility script framework toolkit kit",
    "campaign": "campaign operation attack intrusion",
    "actor": "attacker hacker operator affiliate adversary cybercriminal criminal actor group gang",
    "organization": "organization organisation company government agency institution entity business firm embassy"
    " ministry university contractor provider researcher vendor",
    "person": "victim user customer employee individual journalist activist dissident diplomat developer",
    "asset": "server system device computer machine host network account credential password email mail message"
    " attachment document file link website site domain infrastructure data information endpoint router appliance"
    " wallet browser software application app instance archive installer executable dll command code service channel"
    " lure page plugin extension",
    "technique": "phishing spearphishing",
}


def _forms() -> dict[str, str]:
    """Return each noun with its type, in the singular and in the plural."""
    found: dict[str, str] = {}
    for type_, nouns in _NOUNS.items():
        for noun in nouns.split():
            plural = re.sub(r"(?<![aeiou])y$", "ie", noun) + ("es" if noun[-1] == "s" else "s")
            found |= {plural: type_, noun: type_}
    return found


_TYPES = _forms()
_AFTER = pattern(r"[\w/\\@'’-]|\.\w")
_PLURALS = frozenset({"actor", "person", "organization", "asset"})  # "attackers" are somebody, "an attacker" nobody
_JOINTS = ("-", "/", "'", "’")  # inside a word of several parts
_DAYS, _ZERO = ("day", "days"), ("zero", "0")
_WORD_LONGEST = 40  # characters
_MOST = 4  # words before the noun
_APPOSED = pattern(r"[\w)\"”](?:,| is| was| are| were) an? $")
_ARTICLE_ENDS = ("a ", "n ")
_ARTICLES = frozenset("a an the its their his her our this these those such new several multiple".split())
# What ends a phrase to the left: no noun and no adjective.
_STOPS = frozenset(
    """and or but nor of in to by with for from on at as into onto over under via through during against between among
    about is was were are be been being has had have having do does did can could may might will would shall should must
    that which who whose whom when where while if because since after before until than then so not no also only just
    all any some each every both many most more other another it they he she we you i there here how why what more than
    including include includes such like called named known dubbed tracked within without upon across per up out off
    down via using allow allows allowed lead leads led make makes made take takes took gain gains gained steal steals
    stole send sends sent contain contains contained become became remain appear appears began begin against
    further still even already often typically later recently mainly primarily actively successfully first""".split()
)
_BOUNDS = _ARTICLES | _STOPS


def phrases(wording: Wording) -> Iterator[Mention]:
    """Yield noun phrases whose last word tells their type; an article or a pronoun is no part of them.

    What is said to be what a name is ("Turla is an espionage group") is left to the name.
    """
    text, heads = wording.text, wording.known & _TYPES.keys()
    found = (place for place, word in enumerate(wording.words) if word in heads) if heads else ()
    for head in islice(found, MOST):
        noun, place = wording.words[head], wording.places[head]
        if noun in _DAYS and wording.words[max(0, head - 1)] not in _ZERO:
            continue
        first, type_ = _first(wording, head), _TYPES[noun]
        if (first < head or (type_ in _PLURALS and noun[-1] == "s")) and not _AFTER.match(text, place.end()):
            start = wording.places[first].start()
            if text[start - 2 : start] not in _ARTICLE_ENDS or not _APPOSED.search(text, max(0, start - 16), start):
                yield Mention(type_, text[start : place.end()], start, place.end(), False)


def _first(wording: Wording, head: int) -> int:
    """Return the place of the first word that belongs to a noun."""
    text, words, places = wording.text, wording.words, wording.places
    first, spaces = head, 0
    while first and spaces <= _MOST:
        gap = text[places[first - 1].end() : places[first].start()]
        if gap not in _JOINTS and (gap != " " or spaces == _MOST or not _modifies(words, first - 1)):
            break
        spaces += gap == " "
        first -= 1
    if first < head and first and words[first - 1] == "to":  # "to collect credentials"
        first += 1
    return first


def _modifies(words: list[str], place: int) -> bool:
    word = words[place]
    if word in _BOUNDS or len(word) > _WORD_LONGEST:
        return False
    if _is_verb(word):  # "of compromised machines", "an actively exploited flaw", but not "Turla compromised machines"
        before = words[place - 1] if place else ""
        return word.endswith("ed") and (before in _BOUNDS or before.endswith("ly"))
    return True


@lru_cache(4096)
def _is_verb(word: str) -> bool:
    return VERB.fullmatch(word) is not None
