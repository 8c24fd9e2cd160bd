"""What surrounds names in a sentence: where it begins and ends, and whether what it says is said to be so. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.patterns import pattern

# One set of characters begins every break, so that the search for them is a plain scan.
_BREAK = pattern(r"[.!?;\n\r](?:(?<=[.!?])([\"'”’)\]]*+\s++(?=[\"'“‘(\[]?[A-Z0-9]))|(?<=[\n\r])[\n\r]*|(?<=;))")
_ABBREVIATED = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|Inc|Ltd|Co|Corp|e\.g|i\.e|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec|No)\.$"
)

_DENIED = r"\b(?:not|never|neither|nor|no longer|no evidence|without|hardly|rather than|instead of|unlike)\b|n['’]t\b"
_OPEN = (
    r"\b(?:if|unless|whether|suppos(?:e|ing|edly)|assum(?:e|ing)|imagine|hypothetical(?:ly)?|allegedly"
    r"|might|could|would|should"
    r"|cannot|(?-i:may)(?!\s+\d)|perhaps|maybe|possibly|potentially|theoretically|rumou?r(?:s|ed)?|pretend(?:s|ed)?"
    r"|wants? to|hopes? to|plans? to|tried to|failed to|fails to|unable to|unclear|doubt(?:s|ed|ful)?|in case)\b"
)
_DENIED_AHEAD = (
    r"\b(?:no (?:evidence|indication|sign|proof|reason)|den(?:y|ies|ied)|doubts?|refut(?:es?|ed)"
    r"|false(?:ly)?|untrue|myth"
    r"|not true|not (?:believe|think|the case)|n['’]t (?:believe|think))\b"
)
_UNSURE_BETWEEN = pattern(f"{_DENIED}|{_OPEN}", re.IGNORECASE)
_UNSURE_AHEAD = pattern(f"{_DENIED_AHEAD}|{_OPEN}", re.IGNORECASE)
_NEAR = 160  # characters before a statement in which it can be taken back


def sentences_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence or line begins and ends."""
    start = 0
    for found in _BREAK.finditer(text):
        stop = found.start(1) if found[1] else found.start()
        if text[stop - 1 : stop] != "." or not _ABBREVIATED.search(text, max(start, stop - 6), stop):
            yield start, stop
            start = found.end()
    yield start, len(text)


def said_to_be_so(text: str, begin: int, first_end: int, second: int) -> bool:
    """Say whether what stands between two names, in a sentence from `begin` on, is stated plainly.

    It is not when it is denied, asked, only possible or depends on something.
    """
    if _UNSURE_BETWEEN.search(text, first_end, second):
        return False
    return not _UNSURE_AHEAD.search(text, max(begin, first_end - _NEAR), first_end)


def asks(text: str, end: int) -> bool:
    """Say whether the sentence that ends here is a question."""
    return text[max(0, end - 3) : end + 1].rstrip("\"'”’) \n").endswith("?")
