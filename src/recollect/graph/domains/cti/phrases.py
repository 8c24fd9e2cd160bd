"""What reports speak of without a name, by the noun at the end: "a phishing campaign", "exposed servers". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from recollect.entities import Mention
from recollect.graph.domains.cti.relations import VERB
from recollect.graph.wording import MOST, Wording
from recollect.patterns import pattern

_NOUNS = {
    "vulnerability": "vulnerability flaw zero-day 0-day exploit",
    "malware": "backdoor ransomware malware trojan loader downloader dropper infostealer stealer implant wiper botnet"
    " spyware rootkit webshell shell payload keylogger rat worm",
    "tool": "tool utility script framework toolkit kit",
    "campaign": "campaign operation attack intrusion",
    "actor": "attacker hacker operator affiliate adversary cybercriminal criminal actor group gang",
    "organization": "organization organisation company government agency institution entity business firm embassy ministry"
    " university contractor provider researcher vendor",
    "person": "victim user customer employee individual journalist activist dissident diplomat developer",
    "asset": "server system device computer machine host network account credential password email e-mail message"
    " attachment document file link website site domain infrastructure data information endpoint router appliance wallet"
    " browser software application app instance archive installer executable dll command code service channel lure page"
    " plugin extension",
    "technique": "phishing spearphishing spear-phishing",
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
_HEADS = {noun: noun.rpartition("-")[2] for noun in _TYPES}  # with the last of its words
_BEFORE, _AFTER = frozenset(' \t\n"“('), pattern(r"[\w/\\@'’-]|\.\w")
_MODIFIER = re.compile(r"(?:[\w/.+-]|(?<=\w)['’](?=s\b))+$")
_PLURALS = frozenset({"actor", "person", "organization", "asset"})  # "attackers" are somebody, "an attacker" nobody
_BOUND, _VERB, _PART = range(3)  # what a word before a noun is: an end of the phrase, what somebody does, part of it
_WORD_LONGEST = 40  # characters
_MOST = 4  # words before the noun
_LONGEST = 90  # characters of them
_APPOSED = pattern(r"[\w)\"”](?:,| is| was| are| were) an? $")
_ARTICLES = frozenset("a an the its their his her our this these those such new several multiple".split())
# What ends a phrase to the left: no noun and no adjective.
_STOPS = frozenset(
    """and or but nor of in to by with for from on at as into onto over under via through during against between among
    about is was were are be been being has had have having do does did can could may might will would shall should must
    that which who whose whom when where while if because since after before until than then so not no also only just
    all any some each every both many most more other another it they he she we you i there here how why what more than
    including include includes such like called named known dubbed tracked within without upon across per up out off down
    if via using allow allows allowed lead leads led make makes made take takes took gain gains gained steal steals
    stole stolen send sends sent contain contains contained become became remain appear appears began begin against
    further still even already often typically later recently mainly primarily actively successfully first""".split()
)
_BOUNDS = _ARTICLES | _STOPS


def phrases(text: str) -> Iterator[Mention]:
    """Yield noun phrases whose last word tells their type; an article or a pronoun is no part of them.

    What is said to be what a name is ("Turla is an espionage group") is left to the name.
    """
    for head, end in islice(_nouns(text), MOST):
        start, noun = _start(text, head), text[head:end].casefold()
        type_ = _TYPES[noun]
        if start < head or (type_ in _PLURALS and noun[-1] == "s"):
            if not _APPOSED.search(text, max(0, start - 16), start):
                yield Mention(type_, text[start:end], start, end, False)


def _nouns(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the nouns of the table stand that are words of their own."""
    low = text.lower()
    if len(low) != len(text):  # a letter of two letters' length in small: places would not agree
        low = text
    known = Wording(text).known
    for noun, last in _HEADS.items():
        place = low.find(noun) if last in known else -1
        while place >= 0:
            end = place + len(noun)
            if low[place - 1 : place] in _BEFORE and not _AFTER.match(low, end):
                yield place, end
            place = low.find(noun, end)


def _start(text: str, head: int) -> int:
    """Return where the words begin that belong to a noun."""
    words = text[max(0, head - _LONGEST) : head].split(" ")[1:-1]
    place = len(words)
    while place and len(words) - place < _MOST and _modifies(words, place - 1):
        place -= 1
    if place and words[place - 1] == "to":  # "to collect credentials"
        place += 1
    return head - sum(len(word) + 1 for word in words[place:])


def _modifies(words: list[str], place: int) -> bool:
    word = words[place]
    part = _part(word) if len(word) < _WORD_LONGEST else _BOUND
    if part == _VERB:  # "of compromised machines", "an actively exploited flaw", but not "Turla compromised machines"
        before = words[place - 1].casefold() if place else ""
        return word.endswith("ed") and (before in _BOUNDS or before.endswith("ly"))
    return part == _PART


@lru_cache(4096)
def _part(word: str) -> int:
    low = word.casefold()
    if low in _BOUNDS or not _MODIFIER.match(word):
        return _BOUND
    return _VERB if VERB.fullmatch(low) else _PART
