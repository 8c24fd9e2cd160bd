"""Quotes: where the words that somebody quotes stand in a text, and whether they are enough to tell anything. Pure."""

from __future__ import annotations

import re
import unicodedata

from recollect.words import content_pairs

_SHORTEST = 3  # characters of a quote that is not the whole of its memory
_LIKE = str.maketrans(
    {**dict.fromkeys("‘’ʼ‚‛′`", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‐‑‒–—−", "-")}
)


def found_in(text: str, quote: str) -> str | None:
    """Return the words of a text that a quote means, exactly as they stand there; None when they do not.

    Case, blanks, and the sorts of quotation marks and dashes may differ.
    """
    quote = quote.strip()
    if not quote:
        return None
    if quote in text:
        return quote
    small, places = _folded(text)
    wanted, _ = _folded(quote)
    at = small.find(wanted) if wanted else -1
    return text[places[at] : places[at + len(wanted) - 1] + 1] if at >= 0 else None


def _folded(text: str) -> tuple[str, list[int]]:
    """Return a text as quotes are compared, and where each of its characters stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for match in re.finditer(r"\s+|\S", text):
        if not match[0].isspace():
            for letter in unicodedata.normalize("NFKC", match[0]).casefold().translate(_LIKE):
                letters.append(letter)
                places.append(match.start())
        elif letters and match.end() < len(text):
            letters.append(" ")
            places.append(match.start())
    return "".join(letters), places


def is_telling(quote: str, text: str) -> bool:
    """Say whether a quote is the whole of a text, or whole words of it that tell something."""
    if quote.strip() == text.strip():
        return True
    pairs = content_pairs(quote)
    if not pairs or (len(quote) < _SHORTEST and quote.isascii() and not any(map(str.isdigit, quote))):
        return False
    at = text.find(quote)
    while at >= 0:
        if _is_edge(text, at) and _is_edge(text, at + len(quote)):
            return True
        at = text.find(quote, at + 1)
    return False


def _is_edge(text: str, at: int) -> bool:
    """Say whether a word ends or begins at a place; in scripts without blanks one may anywhere."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    return not (before.isalnum() and after.isalnum()) or ord(before) > _UNSPACED or ord(after) > _UNSPACED


_UNSPACED = 0xDFF  # from here on come the scripts that part no words
