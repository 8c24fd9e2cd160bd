"""Text on paper: what can be written there, how wide it comes out, and how much of it fits; pure."""

from __future__ import annotations

import re
import unicodedata

from engrain.text import visible

_NARROW, _BROAD = frozenset("ijlI.,:;'|!()[] ft1r-"), frozenset("mwMW@%")
# What no XML document can hold, even escaped.
_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def valid(text: str) -> str:
    """Return text that an XML document can hold: each character that none can becomes `�`."""
    return _INVALID.sub("\ufffd", text)


def printable(text: str) -> str:
    """Return text that shows as it is in a picture: control characters and changes of direction are seen."""
    return valid(visible(text))


def width(text: str, letters: float) -> float:
    """Return about how wide a text is in a common font of that size."""
    return letters * sum(map(_ems, text))


def _ems(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.37
    if character in _BROAD:
        return 0.93
    return 0.69 if character.isupper() else 0.63


def fitting(text: str, room: float, letters: float) -> str:
    """Return a text on one line as it fits into so much room, cut at its end where it does not."""
    flat = " ".join(printable(text[:400]).split())
    if width(flat, letters) <= room:
        return flat
    while flat and width(flat + "…", letters) > room:
        flat = flat[:-1]
    return flat.rstrip() + "…"
