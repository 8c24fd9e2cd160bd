"""Signs that a text gives orders to the model that reads it: a rule each, found where one of its words stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recollect.patterns import pattern
from recollect.security.injection.speech import is_beginning, is_imperative, is_told

WORD = pattern(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Sign:
    """A rule: it begins at one of `words`, and `pattern` matches from there on, in lower case.

    `reason` is what a person is told, and signs of one reason count once. An `order` stands where an order may, and is
    not told of; one that `begins` stands where a clause does, in any language. `always` signs count whoever is the
    source. A `wish` is what a user may well want: from a model it counts only beside what is none.
    """

    reason: str
    weight: float
    words: frozenset[str]
    pattern: re.Pattern[str]
    order: bool = False
    always: bool = False
    begins: bool = False
    wish: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Where a sign was seen, and how much it weighs there."""

    place: int
    reason: str
    weight: float
    always: bool = False
    wish: bool = False


def sign(reason: str, weight: float, words: str, then: str, **marks: bool) -> Sign:
    """Return a rule; `then` goes on after the word, which is `words` split at blanks."""
    return Sign(reason, weight, frozenset(words.split()), pattern(rf"\w+{then}"), **marks)


def by_word(signs: Iterable[Sign]) -> dict[str, list[Sign]]:
    """Return the signs under each word that they begin with."""
    found: dict[str, list[Sign]] = {}
    for each in signs:
        for word in each.words:
            found.setdefault(word, []).append(each)
    return found


def seen(small: str, index: dict[str, list[Sign]]) -> Iterator[Found]:
    """Yield the signs of a text in lower case, in one pass over its words."""
    for word in WORD.finditer(small):
        for rule in index.get(word[0], ()):
            begin = word.start()
            if rule.pattern.match(small, begin) is None:
                continue
            if rule.order and (not is_imperative(small, begin) or is_told(small, begin)):
                continue
            if rule.begins and (not is_beginning(small, begin) or is_told(small, begin)):
                continue
            yield Found(begin, rule.reason, rule.weight, rule.always, rule.wish)
