"""Two policies that fuse the lists of a recall otherwise: by rank, and by weights for the question's intent. Pure."""

from __future__ import annotations

from recollect.numeric import Floats, Ints, Numbers, np
from recollect.policies import Convex
from recollect.policies.fusion import K
from recollect.protocols import Mark
from recollect.read.intents import BLEND
from recollect.read.query import Question
from recollect.read.ranking.boosts import boosts, dated, trust
from recollect.read.ranking.scored import Scored, boosted
from recollect.read.retrievers import Candidates


def by_rank(question: Question, found: Candidates) -> Scored:
    """Score by reciprocal rank in the lists by words, by meaning and by time, then the default's boosts.

    A candidate that is in no list, because a neighbour brought it, scores 0.
    """
    parts = {
        "words": _reciprocal(found.nums, found.lexical.nums),
        "meaning": _reciprocal(found.nums, found.vector.nums),
        "time": _reciprocal(found.nums, found.dated),
        "graph": _reciprocal(found.nums, found.related),
    }
    total = parts["words"] + parts["meaning"] + parts["time"] + parts["graph"]
    return boosted(total, parts, boosts(Convex(), question, found, chatting=False))


def _reciprocal(nums: Ints, ranked: Ints) -> Floats:
    out = np.zeros(len(nums), np.float32)
    first, where = np.unique(ranked, return_index=True)
    if len(first):
        at = np.minimum(np.searchsorted(first, nums), len(first) - 1)
        out = np.where(first[at] == nums, 1.0 / (K + 1 + where[at]), 0.0).astype(np.float32)
    return out


def by_intent(question: Question, found: Candidates) -> Scored:
    """Score by words, meaning and time, each scaled from its worst to its best, weighed by the question's intent."""
    weights = BLEND[question.intent]
    parts = {"words": _scaled(found.words), "meaning": _scaled(found.cosine), "time": _timely(question, found)}
    total = weights.lexical * parts["words"] + weights.vector * parts["meaning"] + weights.temporal * parts["time"]
    if found.graph.any():
        parts["graph"] = found.graph
        total = total + weights.graph * found.graph
    return boosted(total, parts, {"trust": trust(found)})


def _scaled(scores: Floats) -> Floats:
    """Return scores scaled to 0..1; what has none, and all of them when they are one and the same, get 0 and 1."""
    known = ~np.isnan(scores)
    if not known.any():
        return np.zeros(len(scores), np.float32)
    low, high = float(scores[known].min()), float(scores[known].max())
    if high <= low:
        return np.asarray(known & (scores > 0), np.float32)
    return np.asarray(np.where(known, (scores - low) / (high - low), 0.0), np.float32)


def _timely(question: Question, found: Candidates) -> Floats:
    fit: Numbers = np.zeros(len(found.nums))
    if question.windows:
        fit = dated(question, found.columns.valid_from)
    elif question.wants_time:
        fit = np.asarray((found.columns.marks & Mark.TIME_WORDS) > 0, np.float64)
    return np.asarray(fit, np.float32)
