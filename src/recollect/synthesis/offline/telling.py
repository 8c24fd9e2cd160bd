"""Which sentences of the evidence answer a question best: by its words in them, their neighbours, and their rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recollect.patterns import pattern
from recollect.results import Hit
from recollect.synthesis.evidence import is_outweighed
from recollect.synthesis.offline.question import Asked
from recollect.synthesis.parts import Evidence, Quote, Said
from recollect.synthesis.passages import Line, bare, lines, share, weights
from recollect.words import stem, words

_MOST = 200  # sentences that are looked at: those of the first quotes
_BESIDE = 0.25  # what a word counts that stands elsewhere in the quote
_LEAST = 0.3  # what a sentence counts that shares no word with the question
_ASKS, _PICTURE, _OTHER = 0.5, 0.7, 0.75  # what a question, a picture, and what somebody else says, count
_OUTWEIGHED = 0.6  # what is replaced, or contradicted by what is trusted more
_EMPTY = 0.4  # what a sentence counts that only greets, thanks or agrees
_TELLING = 2  # words of a sentence that tells something
_IDLE = frozenset(
    map(
        stem,
        """wow hey hi hello thanks thank awesome great nice cool amazing good glad congrats congratulations sounds sure
        right definitely absolutely totally agreed bye love problem worries oh haha hear sorry exactly true
        know""".split(),
    )
)
_FITS = 1.35  # what it counts more that there is an answer of the sort asked for


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer: of which quote, and how well, about 0 to 2; `found` are its words of the question."""

    place: int
    quote: Quote
    line: Line
    score: float
    found: float = 0.0

    @property
    def idle(self) -> bool:
        """It asks, or tells next to nothing."""
        return self.line.asks or len(self.line.terms - _IDLE) < _TELLING

    @property
    def said(self) -> Said:
        """The sentence as it stands, with its source."""
        return Said(self.line.text, (self.place,))


def ranked(asked: Asked, evidence: Evidence, fits: Callable[[Candidate], bool] | None = None) -> list[Candidate]:
    """Return the sentences of the evidence, the most telling first; one that `fits` the question tells more."""
    held = [(place, quote, lines(quote.text)) for place, quote in enumerate(evidence.quotes)]
    worth = weights(asked.terms, [line.terms for _, _, some in held for line in some][:_MOST])
    named, idle = _named(asked, evidence), _actors(evidence) | _IDLE
    found: list[Candidate] = []
    hits = [quote.hit for quote in evidence.quotes]
    for place, quote, some in held:
        actor = _actor(quote)
        whole = share(worth, frozenset().union(actor, *(line.terms for line in some)))
        standing = (0.4 + 0.6 * min(quote.hit.relevance, 1.0)) / (1 + 0.06 * place)
        standing *= _OUTWEIGHED if quote.memory.is_superseded or is_outweighed(quote.hit, hits) else 1.0
        standing *= _OTHER if named and not named & actor else 1.0
        for line in some[: max(_MOST - len(found), 0)]:
            here = share(worth, line.terms | actor)
            score = standing * (_LEAST + here + _BESIDE * (whole - here))
            score *= _ASKS if line.asks else _PICTURE if line.is_picture else 1.0
            score *= _EMPTY if _is_idle(line, idle | actor) else 1.0
            candidate = Candidate(place, quote, line, score, here)
            if fits is not None and fits(candidate):
                candidate = Candidate(place, quote, line, score * _FITS, here)
            found.append(candidate)
    found = _below_rivals(found, hits)
    return sorted(found, key=lambda each: (-each.score, each.place, each.line.start))


def _below_rivals(found: Sequence[Candidate], hits: Sequence[Hit]) -> list[Candidate]:
    """Let what is replaced or outweighed tell less than the best sentence of what replaces or outweighs it."""
    best: dict[str, float] = {}
    for each in found:
        best[each.quote.memory.id] = max(each.score, best.get(each.quote.memory.id, 0.0))

    def most(each: Candidate) -> float:
        memory = each.quote.memory
        over = [memory.superseded_by] if memory.superseded_by else []
        over += each.quote.hit.contested if is_outweighed(each.quote.hit, hits) else ()
        above = [best[rival] for rival in over if rival in best and rival != memory.id]
        return 0.95 * max(above) if above and not _is_mutual(each, hits) else each.score

    return [replace(each, score=min(each.score, most(each))) for each in found]


def _is_mutual(each: Candidate, hits: Sequence[Hit]) -> bool:
    """Say whether what contradicts a memory is as doubtful as it is: then neither comes before the other."""
    rivals = [hit for hit in hits if hit.memory.id in each.quote.hit.contested]
    return bool(rivals) and not each.quote.memory.is_superseded and all(is_outweighed(hit, hits) for hit in rivals)


def _is_idle(line: Line, idle: frozenset[str]) -> bool:
    """Say whether a sentence only greets, thanks or agrees."""
    return not line.terms.isdisjoint(idle) and len(line.terms - idle) < _TELLING


def _actor(quote: Quote) -> frozenset[str]:
    return frozenset(map(stem, words(quote.memory.actor or "")))


def _named(asked: Asked, evidence: Evidence) -> frozenset[str]:
    """Return the words of the question that name whoever says some of the evidence."""
    return frozenset(asked.terms) & _actors(evidence)


_OF_HEARER = pattern(r"(?i)\b(?:you|your|yours|yourself|we|our|us)\b")


def is_of_another(asked: Asked, evidence: Evidence, best: Candidate) -> bool:
    """Say whether the best sentence is somebody's word of themselves, and the question is about somebody else."""
    named, actor = _named(asked, evidence), _actor(best.quote)
    if not named or not actor or named & actor:
        return False
    told = frozenset(map(stem, words(best.quote.text)))
    return named.isdisjoint(told) and _OF_HEARER.search(best.quote.text) is None


def is_disputed(quote: Quote) -> bool:
    """Say whether a memory is contested, or a newer one took its place."""
    return bool(quote.hit.contested) or quote.memory.is_superseded


def _actors(evidence: Evidence) -> frozenset[str]:
    return frozenset(word for quote in evidence.quotes for word in _actor(quote))


def apart(candidates: Sequence[Candidate], most: int, *, least: float = 0.0) -> list[Candidate]:
    """Return the best sentences that do not say the same, at most so many."""
    kept: list[Candidate] = []
    known: list[frozenset[str]] = []
    for each in candidates:
        if len(kept) >= most:
            break
        said = each.line.terms or frozenset({bare(each.line.text)})
        if each.score >= least and not any(len(said & other) > 0.6 * min(len(said), len(other)) for other in known):
            kept.append(each)
            known.append(said)
    return kept
