"""Scoring: convex fusion of words and meaning, then bounded boosts for who, when and how well it is known. Pure.

The shape and the constants follow measurements on long conversations (see docs/benchmarks.md): words carry a turn's
score, its neighbours and its session lend to it, meaning adds to it, and names and dates multiply it without ever
filtering.
"""

from __future__ import annotations

from typing import Any

from recollect.numeric import Floats, np
from recollect.policies import Convex
from recollect.read.query import Question
from recollect.read.ranking.boosts import best_of_session, boosts, dated, latest
from recollect.read.ranking.scored import Scored, boosted
from recollect.read.retrievers import SPAN, Candidates

CHAT_LENGTH = 25  # mean telling words of a text up to which neighbours lend: people chatting, not documents
SPREAD = 0.3  # of cosines from the worst to the best: where they differ less, meaning decides less
ALONE = 0.6  # of the boost for a date is added too: a question may name nothing but a date
FADING = 0.6  # of what a turn lends, with each turn further away
BEFORE, AFTER = 0.8, 0.5  # what the turns next to it lend
ANSWER, NO_ANSWER = 1.25, 0.875  # of that, from the turn before: a question that is answered, or anything else
_SHARES = [BEFORE * FADING**j for j in reversed(range(SPAN))] + [AFTER * FADING**j for j in range(SPAN)]


STATIC, CONTEXTUAL = 0.5, 0.8  # weight of meaning by a static embedder, and by one that reads whole sentences


def score(question: Question, found: Candidates, recipe: Convex, weight: float = STATIC) -> Scored:
    """Score the candidates of a question; the order of the result is the order of `found.nums`.

    `weight` is that of meaning, which depends on the embedder.
    """
    chatting = found.stats.average_length <= CHAT_LENGTH
    neighbours = float(chatting) if recipe.neighbours is None else recipe.neighbours
    lexical = _peak(_lent(found, neighbours) + recipe.session * found.session_words)
    meaning = _meaning(found, neighbours)
    total = lexical + weight * meaning
    parts = {"words": lexical, "meaning": meaning}
    if recipe.graph and found.graph.any():
        parts["graph"] = found.graph
        total = total + recipe.graph * found.graph
    if question.windows:
        total = total + ALONE * recipe.date * dated(question, found.columns.valid_from)
    scored = boosted(total, parts, boosts(recipe, question, found, chatting=chatting))
    if not question.wants_latest or not recipe.latest:
        return scored
    leading = {"latest": latest(found, scored.scores, recipe.latest)}
    return boosted(scored.scores, scored.parts, leading, before=scored.boosts)


def _lent(found: Candidates, weight: float) -> Floats:
    """Return the scores by words, each word counted once: where it stands in the turn or, for a share, nearby.

    In a chat the answer often stands beside the words of the question. A word that the turn has itself gains nothing
    from its neighbours, so that turns which say all of it come before turns in the midst of much talk of one word.
    """
    if not weight or not found.terms.size:
        return found.words
    lent = found.terms
    for step, share in enumerate(_SHARES):
        heard: Any = np.float32(weight * share)
        if step == SPAN - 1:
            heard = heard * np.where(found.answers, np.float32(ANSWER), np.float32(NO_ANSWER))
        lent = np.maximum(lent, found.terms_around[:, step] * heard)
    return np.asarray(lent.sum(axis=0))


def _peak(scores: Floats) -> Floats:
    top = float(scores.max(initial=0.0))
    return scores / np.float32(top) if top > 0 else scores


def _meaning(found: Candidates, weight: float) -> Floats:
    """Return the cosines scaled to 0..1, each with a little of its session's best and, in a chat, its neighbours'."""
    known = ~np.isnan(found.cosine)
    if not known.any():
        return np.zeros(len(found.nums), np.float32)
    low, high = float(found.cosine[known].min()), float(found.cosine[known].max())
    span = max(high - low, SPREAD)
    own = np.where(known, (found.cosine - low) / span, 0.0)
    total = own + 0.2 * best_of_session(own, found.columns.session)
    if weight:
        scaled = (found.cosine_next_to - low) / span
        total = total + 0.2 * weight * _peak(np.fmin(np.fmax(scaled, 0.0), 1.0).sum(axis=0))
    return np.asarray(total, np.float32)
