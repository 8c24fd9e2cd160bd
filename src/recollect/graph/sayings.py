"""The ways in which relations are said, found by the types of two names and by the words between them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.entities import RelationPattern

_SAID = "(?P<said>"
_AFTER_SPACE = "\\s+"
_LITERAL = re.compile(r"[a-z][a-z0-9]+(?![?*{])")


class Saying(NamedTuple):
    """One way: its expression, and the first two letters that one of the words between must begin with, if known."""

    pattern: RelationPattern
    expression: re.Pattern[str]
    openings: frozenset[str] | None
    left: tuple[str, ...]
    right: tuple[str, ...]

    def verb(self, found: re.Match[str]) -> int:
        """Return where what is said begins."""
        return found.start("said" if "said" in self.expression.groupindex else 0)


class Sayings:
    """The ways in which relations are said, by the types of the names they are said of; the first that fits counts.

    A pattern's group `said`, if it has one, is the verb: no fitting third name may stand between it and either end.
    """

    def __init__(self, patterns: Iterable[RelationPattern]) -> None:
        self._all = [_saying(each) for each in patterns]
        self._of: dict[tuple[str, str], tuple[Saying, ...]] = {}

    def of(self, first: str, second: str, between: str) -> Sequence[Saying]:
        """Return those that may stand between names of two types in these words."""
        if (known := self._of.get((first, second))) is None:
            known = tuple(each for each in self._all if fits(first, each.left) and fits(second, each.right))
            self._of[first, second] = known
        if not known:
            return ()
        openings = {word[:2] for word in between.casefold().split()}
        return [each for each in known if each.openings is None or not each.openings.isdisjoint(openings)]


def fits(type_: str, types: tuple[str, ...]) -> bool:
    """Say whether a type is among those wanted, of which none means any."""
    return not types or type_ in types


def _saying(pattern: RelationPattern) -> Saying:
    left, right = pattern.source_types, pattern.target_types
    if pattern.inverse:
        left, right = right, left
    return Saying(pattern, re.compile(pattern.match, re.IGNORECASE), _openings(pattern.match), left, right)


def _openings(match: str) -> frozenset[str] | None:
    """Return the two letters that each alternative of what is said begins with, None where one begins otherwise."""
    before, marked, rest = match.partition(_SAID)
    found = set()
    for alternative in _alternatives(rest) if marked and before.endswith(_AFTER_SPACE) else ("",):
        if not (literal := _LITERAL.match(alternative)):
            return None
        found.add(literal[0][:2])
    return frozenset(found)


def _alternatives(rest: str) -> list[str]:
    """Return the alternatives of the group whose inside a text begins with; a group that one begins with is opened."""
    found, depth, start = [], 0, 0
    for place, sign in enumerate(rest):
        if rest[place - 1 : place] == "\\":
            continue
        if sign == "(":
            depth += 1
        if depth == 0 and sign in "|)":
            found.append(rest[start:place])
            start = place + 1
        if sign == ")":
            depth -= 1
            if depth < 0:
                break
    opened = []
    for each in found:
        closed = _closing(each)
        opened += _alternatives(each[3:]) if each.startswith("(?:") and closed else [each]
    return opened


def _closing(each: str) -> bool:
    """Say whether the group that a text begins with must be there: nothing after it makes it optional."""
    depth = 0
    for place, sign in enumerate(each):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return each[place + 1 : place + 2] not in ("?", "*", "{")
    return False
