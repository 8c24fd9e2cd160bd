"""After ranking: the reranker, near-copies, and fusion of several lists."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.tokens import is_stop, words
from engrain.llm.extractor import Mind, credit, trouble
from engrain.model.memory import Status
from engrain.model.results import Hit, Signal
from engrain.policies.fusion import fuse_rrf
from engrain.protocols import Reranker

DEPTH = 50  # hits that are read again


def reranked(hits: Sequence[Hit], query: str, reranker: Reranker) -> tuple[list[Hit], list[str]]:
    """Return the hits in a reranker's order, and what to note of it; in the order given if the reranker fails.

    The best `DEPTH` are read again and the others stand behind them; a language model is shown none that waits to be
    admitted. The scores are scaled to 0..1 and weighed by trust, so that no text argues its way past its source, and
    stay comparable within the result: those read again lie above 1, the others below.
    """
    asks = isinstance(reranker, Mind)
    head = [hit for hit in hits[:DEPTH] if not (asks and hit.memory.status is Status.QUARANTINED)]
    if asks and len(head) < 2:
        return list(hits), ["too few to be read again"]
    failed: list[Exception] = []
    scores = guard(
        f"the reranker {type(reranker).__name__}", lambda: _scores(head, query, reranker), failed=failed.append
    )
    if scores is None:
        why = [trouble(reranker, failed)] if asks else []
        return list(hits), ["the reranker failed: the order stays as it was", *why]
    again = {hit.id for hit in head}
    rest = [hit for hit in hits if hit.id not in again]
    notes = [f"the best {len(head)} read again", *([f"reranked by {credit(reranker)}"] if asks else [])]
    return _ordered(head, scores, rest), notes


def _ordered(head: Sequence[Hit], scores: Sequence[float], rest: Sequence[Hit]) -> list[Hit]:
    """Return those that were read again by their scores, and the others behind them."""
    halves = [score / 2 for score in scores]  # the span of two finite numbers need not be one, that of their halves is
    low, span = min(halves, default=0.0), max(halves, default=0.0) - min(halves, default=0.0)
    best = max((hit.score for hit in (*head, *rest)), default=0.0)
    again = []
    for hit, score in zip(head, scores, strict=True):
        scaled = (score / 2 - low) / span if span > 0 else 1.0
        signal = Signal("reranker", score)
        again.append(replace(hit, score=round(1 + scaled * _trust(hit), 6), signals=(*hit.signals, signal)))
    beneath = [replace(hit, score=round(hit.score / best, 6) if best > 0 else 0.0) for hit in rest]
    return [*sorted(again, key=lambda hit: -hit.score), *beneath]


def _scores(hits: Sequence[Hit], query: str, reranker: Reranker) -> list[float]:
    scores = [float(score) for score in reranker.rerank(query, [hit.content for hit in hits])]
    if len(scores) != len(hits) or not all(map(math.isfinite, scores)):
        raise ProviderError(f"the reranker gave {len(scores)} scores, not {len(hits)} finite ones")
    return scores


def _trust(hit: Hit) -> float:
    return next((signal.value for signal in hit.signals if signal.name == "x trust"), 1.0)


LIKE = 0.9  # share of words in common from which a text is a near-copy
_LOOSELY = 0.6  # the same of bare chunks of text, whose punctuation may differ
_QUICKLY = 100  # texts that are compared each with each
_FEWEST = 4  # words: of shorter texts only equal ones are copies


def diversified(hits: Sequence[Hit], k: int) -> tuple[list[Hit], dict[str, str]]:
    """Return the hits with the near-copies of better ones behind the first k others, and whose copy each is, by id.

    Nothing is dropped, and nothing moves where the page holds them all. A text that differs in a figure, a name or a
    negation is no copy.
    """
    if len(hits) <= k:  # a page that holds them all
        return list(hits), {}
    kept, moved, copies = list[Hit](), list[Hit](), dict[str, str]()
    said = [_said(hit.content) for hit in hits]
    common = Counter(word for each in said for word in each.words)
    held: dict[str, list[int]] = {}  # by rare words: the places of the texts that have them
    for place, hit in enumerate(hits):
        if len(kept) >= k:
            return _paged(kept, moved, hits[place:]), copies
        rare = _rare(said[place], common)
        near = sorted({other for word in rare for other in held.get(word, ())})
        original = next((other for other in near if _copied(said[place], said[other])), None)
        if original is not None:
            moved.append(hit)
            copies[hit.id] = hits[original].id
            continue
        kept.append(hit)
        for word in rare:
            held.setdefault(word, []).append(place)
    return _paged(kept, moved, ()), copies


def _rare(said: _Said, common: Counter[str]) -> list[str]:
    """Return the rarest words of a text, so many that a near-copy cannot lack them all."""
    spare = said.total - ceil(LIKE * said.total) if said.total >= _FEWEST else 0
    return sorted(said.words, key=lambda word: (common[word], word))[: spare + 1] or [""]


def _paged(kept: Sequence[Hit], moved: Sequence[Hit], rest: Sequence[Hit]) -> list[Hit]:
    """Put copies behind the page, and give them no more than the score of its last hit."""
    last = kept[-1].score if kept else 0.0
    behind = [
        replace(hit, score=min(hit.score, last), signals=(*hit.signals, Signal("near-copy", last))) for hit in moved
    ]
    return [*kept, *behind, *rest]


def may_hold_copies(hits: Sequence[Hit]) -> bool:
    """Say, quickly and rather once too often, whether some of the texts are near-copies of others."""
    if len(hits) > _QUICKLY:
        return bool(diversified(hits, len(hits) - 1)[1])
    texts = [set(hit.content.lower().split()) for hit in hits]
    seen, again = set[str](), set[str]()
    for chunks in texts:
        again |= seen & chunks
        seen |= chunks
    said = sorted((chunks for chunks in texts if len(chunks & again) >= _LOOSELY * len(chunks)), key=len)
    return any(
        len(one & other) >= _LOOSELY * len(other)
        for place, other in enumerate(said)
        for one in said[:place]
        if len(one) >= _LOOSELY * len(other)
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """A text, its words, folded, and how many there are."""

    text: str
    words: Counter[str]
    total: int


_NEGATIONS = frozenset("no not never none nobody nothing without cannot".split())


def _said(text: str) -> _Said:
    counted = Counter(words(text))
    return _Said(text, counted, counted.total())


def _telling(said: _Said) -> frozenset[str]:
    """Return the words of a text with a capital letter or a figure, and those that deny."""
    chunks = said.text.split()
    shaped = [chunk for chunk in chunks if any(c.isupper() or c.isdigit() for c in chunk) and not is_stop(chunk)]
    denying = {word for word in said.words if word in _NEGATIONS or word.endswith(("n't", "n’t"))}
    return frozenset(denying.union(*map(words, shaped)))


def _copied(said: _Said, other: _Said) -> bool:
    if min(said.total, other.total) < _FEWEST:
        return said.words == other.words
    if min(said.total, other.total) < LIKE * max(said.total, other.total):
        return False
    common = (said.words & other.words).total()
    if common < LIKE * (said.total + other.total - common):
        return False
    differing = ((said.words - other.words) + (other.words - said.words)).keys()
    return differing.isdisjoint(_telling(said) | _telling(other))


def fused(query: str, lists: Sequence[Sequence[Hit]], reranker: Reranker | None = None) -> list[Hit]:
    """Fuse lists of hits by reciprocal rank, then by the reranker unless it fails.

    Each hit keeps the best relevance it has in any list, and has a signal for every list it is in.
    """
    lists = [list(each) for each in lists]
    best: dict[str, Hit] = {}
    for hit in (hit for each in lists for hit in each):
        if not isinstance(hit, Hit):
            raise TypeError(f"lists hold hits, such as those of a recall, not {type(hit).__name__}")
        if hit.id not in best or hit.relevance > best[hit.id].relevance:
            best[hit.id] = hit
    ids = [list(dict.fromkeys(hit.id for hit in each)) for each in lists]
    ranks = [{memory_id: rank for rank, memory_id in enumerate(each, start=1)} for each in ids]
    found = []
    for memory_id, score in fuse_rrf(ids):
        held = [(i, place[memory_id]) for i, place in enumerate(ranks, start=1) if memory_id in place]
        signals = [Signal("rrf", score), *(Signal(f"rrf.list_{i}", 1.0, rank) for i, rank in held)]
        hit = best[memory_id]
        found.append(replace(hit, score=score, signals=(*hit.signals, *signals)))
    return found if reranker is None or not found else reranked(found, query, reranker)[0]
