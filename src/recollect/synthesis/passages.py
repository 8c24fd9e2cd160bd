"""Sentences of a text and how much of a question each speaks of. Pure; every sentence is a slice of its text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.patterns import pattern
from recollect.text import character_end, sentence_spans
from recollect.words import content_pairs, query_terms, words

SHORT = 300
"""Characters up to which a memory is quoted whole."""
_LONGEST = 600  # characters of one sentence; what is longer is cut between words
_PART = 8_000  # characters of one text that are read sentence by sentence
_LINE_ENDS = pattern(r"\s*\n\s*")
_PICTURE = pattern(r"\[image: [^\]]*\]")
_DAY_ENDS = pattern(r"(?<!\d)\d{1,2}\.\s+$")
_MONTH = pattern(
    r"(?:Jan|Jän|Feb|März|Mrz|April|Apr|Mai|Jun|Jul|Aug|Sept?|Okt|Nov|Dez)(?:uar|ner|ruar|i|ust|tember|ober|ember)?\b"
)
_ASKING = pattern(r"[?？]\W*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: `text` is what stands from `start` on in the text it is of, `terms` are its telling words."""

    text: str
    start: int
    terms: frozenset[str]

    @property
    def stop(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        """It is a question, which answers none."""
        return _ASKING.search(self.text[-8:]) is not None

    @property
    def is_picture(self) -> bool:
        """It describes a picture that was sent along."""
        return _PICTURE.fullmatch(self.text) is not None


def lines(text: str) -> tuple[Line, ...]:
    """Return the sentences of a text, in order; a text without letters has none."""
    found: list[Line] = []
    for start, stop in _stretches(text):
        piece = text[start:stop]
        bare = piece.strip()
        if any(map(str.isalnum, bare)):
            begin = start + piece.index(bare[0])
            found.append(Line(bare, begin, frozenset(term for _, term in content_pairs(bare))))
    return tuple(found)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end: none runs over a line's end, into a picture or is too long to be quoted."""
    start = 0
    for whole in _whole(sentence_spans(text)):
        seams = {start, start + len(whole)}
        for seam in _LINE_ENDS.finditer(whole):
            seams.add(start + seam.end())
        for picture in _PICTURE.finditer(whole):
            seams |= {start + picture.start(), start + picture.end()}
        ordered = sorted(seams)
        for low, high in pairwise(ordered):
            yield from _cut(text, low, high)
        start += len(whole)


def _whole(sentences: Iterable[str]) -> Iterator[str]:
    """Yield sentences with those put together again that a date's point parts: "am 12. Juni"."""
    held = ""
    for sentence in sentences:
        if held and not (_DAY_ENDS.search(held[-8:]) and _MONTH.match(sentence)):
            yield held
            held = ""
        held += sentence
    if held:
        yield held


def _cut(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    while high - low > _LONGEST:
        blank = text.rfind(" ", low + _LONGEST // 2, low + _LONGEST)
        seam = blank if blank > 0 else max(low + 1, character_end(text, low + _LONGEST))
        yield low, seam
        low = seam
    yield low, high


def terms_of(query: str) -> tuple[str, ...]:
    """Return the telling words of a question."""
    return tuple(query_terms(query))


def weights(wanted: Collection[str], texts: Sequence[Collection[str]]) -> dict[str, float]:
    """Return how much each word tells: the fewer of the texts have it, the more."""
    seen = Counter(term for terms in texts for term in set(wanted).intersection(terms))
    return {term: math.log(1 + (len(texts) + 1) / (seen[term] + 0.5)) for term in wanted}


def share(worth: Mapping[str, float], terms: Collection[str]) -> float:
    """Return how much of a question's words are among some terms, by their weights: 0 to 1."""
    total = sum(worth.values())
    return sum(weight for term, weight in worth.items() if term in terms) / total if total else 0.0


def passage(text: str, query: str) -> str:
    """Return the part of a text that speaks of a question: the whole when short, else its best sentences in a row."""
    if len(text) <= SHORT:
        return text
    text = _part(text, query)
    found = lines(text)
    if not found:
        return text[: character_end(text, SHORT)]
    worth = weights(terms_of(query), [line.terms for line in found])
    rated = [share(worth, line.terms) * (0.6 if line.asks else 1.0) for line in found]
    best = max(range(len(found)), key=lambda place: (rated[place], -place))
    low = high = best
    while (grown := _grown(found, rated, low, high)) is not None:
        low, high = grown
    return text[found[low].start : found[high].stop]


def _part(text: str, query: str) -> str:
    """Return the part of a long text that has most of a question's words, by their letters: the rest is not read."""
    if len(text) <= _PART:
        return text
    wanted = set(words(query))

    def held(part: str) -> int:
        small = part.casefold()
        return sum(word in small for word in wanted)

    starts = [*range(0, len(text) - _PART, _PART // 2), len(text) - _PART]
    parts = [text[character_end(text, start) : character_end(text, start + _PART)] for start in starts]
    return max(parts, key=held)


def _grown(found: Sequence[Line], rated: Sequence[float], low: int, high: int) -> tuple[int, int] | None:
    """Return a wider row of sentences that is still short, on the side that says more; None when there is none."""
    sides = [
        (rated[place], place < low, ends)
        for place, ends in ((low - 1, (low - 1, high)), (high + 1, (low, high + 1)))
        if 0 <= place < len(found) and found[ends[1]].stop - found[ends[0]].start <= SHORT
    ]
    return max(sides, key=lambda side: (side[0], not side[1]))[2] if sides else None


def bare(text: str) -> str:
    """Return a text in which near-copies are one: its words in small letters."""
    return " ".join(re.findall(r"\w+", text.casefold()))
