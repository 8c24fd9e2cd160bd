"""Names that may be two of one thing by how they are written: who looks closer decides, nobody merges by this. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.entities import IDENTIFIERS, NAME, name_key
from recollect.graphrows import EntityRow

UNCOMPARED = IDENTIFIERS | {"event"}
"""Types whose names are never compared: identifiers differ when a character does, and events are told in words."""
_FORMS = frozenset(
    "inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag kg se sa sas srl spa bv nv ab as oy "
    "oyj kk pty group holding holdings international team project software technologies labs".split()
)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LEAST, _TYPO = 3, 7  # letters of a name that is compared, and of one that may be misspelt
_INITIALS = 3  # words whose first letters may be a name of their own


def may_be_one(one: EntityRow, other: EntityRow) -> bool:
    """Say whether two entities may be one: not if their types, digits or identifiers differ, or they share a key."""
    kinds = {one.family, other.family}
    if len(kinds - {NAME}) > 1 or not UNCOMPARED.isdisjoint({one.type, other.type}):
        return False
    keys = name_key(one.type, one.name), name_key(other.type, other.name)
    if keys[0] == keys[1] or min(map(len, keys)) < _LEAST or _DIGITS.findall(keys[0]) != _DIGITS.findall(keys[1]):
        return False
    words = [_WORD.findall(key) for key in keys]
    return (
        _without_form(words[0]) == _without_form(words[1])
        or _shortened(*words)
        or _shortened(*reversed(words))
        or _abbreviates(one.name, words[1])
        or _abbreviates(other.name, words[0])
        or _misspelt(*keys)
    )


def beginnings(row: EntityRow) -> tuple[str, ...]:
    """Return what the keys of names begin with that may be other names of an entity; few others begin so."""
    key = name_key(row.type, row.name)
    words = _WORD.findall(key)
    if not words:
        return ()
    if row.name.isupper() or any(len(word) == 1 for word in words):
        return (key[:1],)
    initials = ("".join(word[0] for word in words),) if len(words) >= _INITIALS else ()
    return (key[:_LEAST], f"{key[0]} ", f"{key[0]}.", *initials)


def _without_form(words: Sequence[str]) -> tuple[str, ...]:
    """Return a name without the form of the company or group that ends it."""
    kept = list(words)
    while len(kept) > 1 and kept[-1] in _FORMS:
        kept.pop()
    return tuple(kept)


def _shortened(long: Sequence[str], short: Sequence[str]) -> bool:
    """Say whether a name is another with given names cut to their initials, or middle names left out."""
    if len(short) < 2 or len(long) < len(short) or long[-1] != short[-1]:
        return False
    given, initials = list(long[:-1]), list(short[:-1])
    if len(given) > len(initials):
        return given[: len(initials)] == initials or given[0][0] == initials[0]
    pairs = list(zip(given, initials, strict=True))
    return all(full == part or full[0] == part for full, part in pairs) and any(full != part for full, part in pairs)


def _abbreviates(name: str, words: Sequence[str]) -> bool:
    """Say whether a name of capitals is the first letters of another's words."""
    return name.isupper() and len(words) >= _INITIALS and name.casefold() == "".join(word[0] for word in words)


def _misspelt(one: str, other: str) -> bool:
    """Say whether two long names differ by a letter: another one, one more, or two that changed places."""
    if min(len(one), len(other)) < _TYPO or abs(len(one) - len(other)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])
