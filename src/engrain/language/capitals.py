"""Names by capital letters and quotation marks, and the words of a text cut once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from sys import maxsize

from engrain.language.names import at_sentence_start, common, word_list
from engrain.model.entities import NAME, Mention
from engrain.text import pattern

MOST = 10_000
"""How many of a kind are read in one text: a bound on what a text costs that is nothing but names."""

_WORD = re.compile(r"[^\W_]+")
_FOLDED = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))


class Wording:
    """A text with its words in small letters: `words` in order, `known` as a set."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.words = text.encode().translate(_FOLDED).decode().split()
        else:  # folding may lengthen it, and so cut it otherwise: each word is folded on its own
            self.words = [word.casefold() for word in _WORD.findall(text)]
        self.known = frozenset(self.words)

    @cached_property
    def places(self) -> list[re.Match[str]]:
        """Where each of the words stands."""
        return list(_WORD.finditer(self.text))


@lru_cache(1)
def wording(text: str) -> Wording:
    """Return the words of a text; those of the last one asked for are at hand."""
    return Wording(text)


def each(expression: re.Pattern[str], text: str, low: int = 0, high: int = maxsize) -> Iterator[re.Match[str]]:
    """Yield what fits an expression, as often as counts in one text."""
    return islice(expression.finditer(text, low, high), MOST)


def stretches(anchor: re.Pattern[str], text: str, before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield, in order and apart, the stretches of a text around whatever fits the anchor.

    An expression that is slow to search for, and ends in what is quick to, is searched for in these alone.
    """
    low = high = -1
    for found in each(anchor, text):
        start = max(0, found.start() - before)
        if start > high:
            if high >= 0:
                yield low, high
            low = start
        high = found.end() + after
    if high >= 0:
        yield low, high


_UPPER = "A-ZÀ-ÖØ-ÞŁŠŽČĐА-ЯЁΑ-Ω"
_REST = rf"(?:[\w&]|['’.-](?=[^\W\d_]))*+(?<!['’]s)(?:(?<=\b[{_UPPER}])\.)?"
_CAP = rf"[{_UPPER}]{_REST}"
_TITLED = rf"(?:(?:(?<=D)r|(?<=M)(?:rs?|s|x)|(?<=P)rof)\.? [{_UPPER}])?"
_OF = (
    "(?:"
    + "|".join(
        f"(?<={word} )"
        for word in """University Bank Ministry Department Institute Bureau College School Academy Council Museum House
        Game
        Lord Church Republic Board Office Center Centre Association Society Federation Order Isle Gulf Bay Cape
        Strait""".split()
    )
    + ")of(?: the)?"
)
# It begins with one set of characters, so that the search for it is a plain scan.
_CAPITAL_RUN = pattern(
    rf"[{_UPPER}](?<![\w@#/\\.&$%-][{_UPPER}]){_TITLED}{_REST}"
    rf"(?:(?: (?:{_OF}|de|da|del|di|la|van|von|van der|van den|bin|al|&))? (?:{_CAP}|\d{{1,3}}(?![\w.:%/]))){{0,7}}+"
)
_QUOTED = pattern(r"[\"“]([A-Z0-9][^\"“”\n.!?;:]{1,58}[^\s\"“”\n.!?,;:])[\"”]")
_TITLE = pattern(
    r"^(?:Dr|Mr|Mrs|Ms|Prof|Mx|Professor|Doctor|President|Senator|Captain|Judge|Sir|Lady|Aunt|Uncle)\b\.? "
)
_SMALL = frozenset("of the and a an in on at to for de la van von with is".split())
# Capitalised wherever they stand, and names of nobody and nothing that a memory would be about.
_NEVER = frozenset(
    """i i'm i've i'll i'd im ive ok okay lol omg btw tbh idk imo fyi asap rip diy tv pc id cv ps am pm ad bc
    etc eg ie aka faq monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december mom dad mum grandma grandpa mommy daddy god
    jesus christmas easter halloween thanksgiving english french german spanish italian chinese japanese
    korean russian american british european asian african indian mexican canadian australian latin dutch
    greek turkish arabic ai qa hr vip ceo cto cfo usd eur gbp""".split()
)
_BODY = pattern(
    r"(?:^| )(?:Inc|Incorporated|Labs?|Laborator(?:y|ies)|Ltd|Limited|LLC|LLP|GmbH|AG|Corp|Corporation"
    r"|Co|PLC|SA|University|College|Institute"
    r"|School|Academy|Bank|Foundation|Association|Agency|Ministry|Department|Bureau|Committee"
    r"|Commission|Council|Society|Union|Party|Hospital"
    r"|Clinic|Museum|Group|Holdings|Partners|Technologies|Technology|Systems|Software|Security"
    r"|Networks|Airlines|Airways|Motors|Pharmaceuticals"
    r"|Industries|Solutions|Services|Consulting|Studios|Press|Organi[sz]ation|Center|Centre|Team"
    r"|Intelligence|Research)\.?(?: of(?: the)? .+)?$"
)
_INTO = pattern(r"\b(?:in|to|from|near|around|across|visit(?:ed|ing)?|outside|throughout|within) (?:the )?$")
_BEFORE_PLACE = 20
_MAYBE_PLACE = "person or place"  # Paris, Florence: what stands before it tells
_LONGEST = 160  # characters of capitalised words that may be a name


def capitalised(text: str) -> Iterator[Mention]:
    """Yield what stands in capitals: not what a sentence starts with, a pronoun, a day, or a word that is shouted."""
    loud = None
    for found in islice(_CAPITAL_RUN.finditer(text), 4 * MOST):
        run, start = found[0], found.start()
        if len(run) > _LONGEST or (read := _read(run, at_sentence_start(text, start))) is None:
            continue
        begin, end, type_, name = read
        if type_ == _MAYBE_PLACE:
            type_ = "place" if _INTO.search(text, max(0, start + begin - _BEFORE_PLACE), start + begin) else NAME
        if type_ == NAME and " " not in name:
            loud = _loud(text) if loud is None else loud
            if loud:
                continue
        yield Mention(type_, name, start + begin, start + end)


def quoted(text: str) -> Iterator[Mention]:
    """Yield what stands in quotation marks and looks like a name: every word but the small ones has a capital."""
    if '"' in text or "“" in text:
        for found in each(_QUOTED, text):
            words = found[1].split()
            named = all(word[0].isupper() or word[0].isdigit() or word in _SMALL for word in words)
            if (
                len(words) < 8
                and named
                and not (len(words) == 1 and (common(words[0].casefold()) or words[0].isdigit()))
            ):
                yield Mention(NAME, found[1], found.start(1), found.end(1))


@lru_cache(4096)
def _read(run: str, opening: bool) -> tuple[int, int, str, str] | None:
    """Return where in a run of capitalised words a name stands, its type, and the name; None when it names nothing.

    `opening` says that a sentence starts with the run. The same few names fill most texts, so answers are kept.
    """
    low = run.casefold()
    if low in _NEVER or (opening and " " not in run and common(low)):
        return None
    begin, end = _trimmed(run, opening)
    read = run[begin:end]
    if not read.endswith(("Inc.", "Ltd.", "Co.", "Corp.")):
        read = read.rstrip(".&")
    if len(read) < 3:
        return None
    type_ = _type(read)
    return begin, begin + len(read), type_, _TITLE.sub("", read) if type_ == "person" else read


def _loud(text: str) -> bool:
    """Say whether capitals mean nothing here, as in a headline."""
    words = text.split(None, 60)[:60]
    high = sum([word[0].isupper() for word in words])
    return len(words) > 5 and high > 0.7 * len(words)


def _trimmed(text: str, opening: bool) -> tuple[int, int]:
    """Cut off what is no part of a name: the sentence's first word, pronouns and shouted words at either edge."""
    start, end = 0, len(text)
    if _TITLE.match(text):
        return start, end
    while start < end:
        word, _, rest = text[start:end].partition(" ")
        low = word.casefold().rstrip(".")
        contracted = "'" in low or "’" in low
        idle = low in _NEVER or (contracted and common(re.split("['’]", low)[0]))
        plain = common(low) or low in _SMALL
        if not (
            idle
            or (opening and plain and not (rest and _BODY.search(rest)))
            or (word.isupper() and len(word) > 1 and plain)
        ):
            break
        start += len(word) + (1 if rest else 0)
        opening = opening and plain
        while text[start:end].split(" ", 1)[0] in _SMALL and start < end:
            start += len(text[start:end].split(" ", 1)[0]) + 1
        start = min(start, end)
    while start < end:
        last = text[start:end].rpartition(" ")[2]
        if last.casefold() not in _NEVER and not (last.isdigit() and start + len(last) == end):
            break
        end = max(start, end - len(last) - 1)
    return start, end


def _type(read: str) -> str:
    """Return the type of a name by what it is made of, `name` where that tells none."""
    words, low = read.split(" "), read.casefold()
    if _TITLE.match(read) and len(words) > 1:
        return "person"
    if low in word_list("places"):
        return "place" if len(words) > 1 or low not in word_list("given") else _MAYBE_PLACE
    if len(words) > 1 and _BODY.search(read):
        return "organization"
    if 1 < len(words) < 4 and words[0].casefold() in word_list("given") and not common(words[-1].casefold()):
        return "person"
    return NAME
