"""Ranking: list scores, boosts, relevance, policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from engrain.arrays import Floats, Ints, Mask, Numbers, np
from engrain.language.analyzer import stem
from engrain.model.memory import Status
from engrain.model.results import Hit
from engrain.policies.fusion import Convex, K
from engrain.policies.retention import Retention
from engrain.policies.scoring import EpisodicScore, SimilarityFirst, age_in_days
from engrain.protocols import Embedder, RankingPolicy
from engrain.read.question import BLEND, Question
from engrain.read.retrieval import SPAN, Candidates, term_idf
from engrain.security.trust import TrustScorer
from engrain.storage.rows import Mark


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of the candidates in their order; what each list gave them; the multipliers of each, by name."""

    scores: Floats
    parts: Mapping[str, Floats]
    boosts: Mapping[str, Numbers]


def boosted(
    total: Any,
    parts: Mapping[str, Floats],
    boosts: Mapping[str, Numbers],
    *,
    before: Mapping[str, Numbers] | None = None,
) -> Scored:
    """Return the scores with every multiplier applied; those named in `before` have been."""
    for boost in boosts.values():
        total = total * boost
    return Scored(np.asarray(total, np.float32), parts, {**(before or {}), **boosts})


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400_000_000  # microseconds
USER, ASSISTANT, TOOL = 1, 2, 3  # places among the trust classes
DOUBTED = 0.8  # tool results, external data, and what derives from them
HELD_BACK = 0.3  # quarantined
_ANSWERS = 0.5  # of the best score, from which on a candidate may be an answer
_ABOUT_AS_GOOD = 0.75  # of it, from which on two are told apart by their time alone: cosines differ that much by chance
_TIE = 0.001  # what the score still weighs among those, less than one place in time
_HALF_LIFE = 30  # days


def boosts(recipe: Convex, question: Question, found: Candidates, *, chatting: bool) -> dict[str, Numbers]:
    """Return the multipliers of the candidates that are not 1 for all, by name."""
    columns = found.columns
    given: dict[str, Any] = {}
    speaking = _speaking(question, found)
    if speaking is not None and speaking.any():
        given["speaker"] = 1 + recipe.speaker * speaking
    if question.windows:
        given["date"] = 1 + recipe.date * dated(question, columns.valid_from)
    if question.wants_time:
        given["time words"] = 1 + recipe.time_words * ((columns.marks & Mark.TIME_WORDS) > 0)
    if question.wants_name:
        given["names"] = 1 + recipe.names * ((columns.marks & Mark.NAMES) > 0)
    if chatting:
        given["question"] = 1 - min(recipe.question, 1.0) * ((columns.marks & Mark.QUESTION) > 0)
    told = (columns.marks & Mark.SUMMARY) > 0
    if told.any():
        given["summary"] = 1 - min(recipe.summary, 1.0) * told
    given["importance"] = 1 + min(recipe.importance, 1.0) * (columns.importance - 0.5)
    if recipe.recency:
        given["recency"] = 1 - min(recipe.recency, 1.0) * _aged(columns.recorded_at)
    given["strength"] = 1 + recipe.strength * (columns.strength - 1)
    given["trust"] = trust(found)
    return given


def trust(found: Candidates) -> Numbers:
    """Return how far each candidate's source is to be trusted."""
    return np.asarray(np.where(found.columns.source_class >= TOOL, DOUBTED, 1.0))


def _speaking(question: Question, found: Candidates) -> Mask | None:
    columns = found.columns
    if question.named_actor is not None:
        code = columns.actors.index(question.named_actor) if question.named_actor in columns.actors else -2
        return np.asarray((columns.actor == code) | ((columns.actor < 0) & found.holding(question.name_terms)))
    if question.by_user:
        return np.asarray(columns.source_class == USER)
    return np.asarray(columns.source_class == ASSISTANT) if question.by_assistant else None


def dated(question: Question, valid_from: Ints) -> Numbers:
    """Return how well each event time fits the question's dates; things are told later, so later fits a little."""
    fit = np.zeros(len(valid_from))
    for window in question.windows:
        start, end = _micro(window.start), _micro(window.end)
        inside = (valid_from >= start) & (valid_from < end)
        if window.unit == "day":
            near = (valid_from >= start - DAY) & (valid_from < end + DAY)
            late = np.where(valid_from < end + 14 * DAY, 0.7, np.where(valid_from < end + 45 * DAY, 0.25, 0.0))
            score = np.where(near, 1.0, np.where(valid_from >= end, late, 0.0))
        elif window.unit in ("week", "month"):
            score = np.where(inside, 1.0, np.where((valid_from >= end) & (valid_from < end + 21 * DAY), 0.5, 0.0))
        else:
            score = np.where(inside, 0.5, 0.0)
        fit = np.maximum(fit, score)
    return fit


def latest(found: Candidates, scores: Floats, weight: float) -> Numbers:
    """Return multipliers by which, of the candidates that answer about as well as the best, the newest leads.

    Those at `_ABOUT_AS_GOOD` or more of the best are lifted to it, each session as a whole, so that the order in event
    time alone is between them; those at `_ANSWERS` or more gain by that order, up to 1 + `weight`; all others stay as
    they are. So the newest of the answers leads, and what merely happened later, or was said next, does not.
    """
    out = np.ones(len(scores))
    best = float(scores.max(initial=0.0))
    if best <= 0:
        return out
    near = np.flatnonzero(scores >= _ANSWERS * best)
    times, order = np.unique(found.columns.valid_from[near], return_inverse=True)
    out[near] += weight * order / max(len(times) - 1, 1)
    alike = scores >= _ABOUT_AS_GOOD * best
    share = best_of_session(scores, found.columns.session)[alike] / best
    out[alike] *= (1 - _TIE * (1 - share)) / share
    return out


def best_of_session(own: Floats | Numbers, session: Ints) -> Numbers:
    """Return for each candidate the best that one of its session has; what is in no session stands for itself."""
    order = np.argsort(session, kind="stable")
    changes = np.diff(session[order], prepend=-2) != 0
    best = np.maximum.reduceat(own[order], np.flatnonzero(changes))
    out = np.empty_like(own)
    out[order] = best[np.cumsum(changes) - 1]
    return np.asarray(np.where(session >= 0, out, own))


def _aged(recorded_at: Ints) -> Numbers:
    """Return how much older each is than the newest of them, from 0 to 1: the clock plays no part in an order."""
    days = (recorded_at.max(initial=0) - recorded_at) / DAY
    return np.asarray(1 - 2.0 ** (-days / _HALF_LIFE))


def _micro(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


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


# Where the cosine of two texts begins to mean something and where it is as good as certain, by embedder.
_RANGES = {"wordllama": (0.1, 0.8)}
_UNKNOWN = (0.3, 0.9)
_ASKING = frozenset(
    map(
        stem,
        "tell know say said talk mention describe summary summarise summarize overview thing anything something "
        "everything latest recent recently last newest current currently now happen".split(),
    )
)
_IN_TIME = 0.5  # how well an event time must fit the question's
_ANOTHERS = 0.5  # of what another said than the one that the question names


def relevance(question: Question, found: Candidates, *, low: float, high: float) -> Numbers:
    """Return the absolute relevance of each candidate, in [0, 1], comparable across questions.

    It is made of the share of the question's words that a candidate holds, each weighed by its idf, and of its cosine
    between `low` (says nothing) and `high` (as good as certain); either can carry it: 1 - (1 - words)(1 - meaning). An
    answer holds the words of what it was asked, and what happened when the question says holds the words that say when.
    Where the question names who speaks, that name is no word to be held, what another said counts half, and all counts
    less as far as another's words fit better than theirs: then the question may have mistaken the one for the other.
    """
    covered = _weights(question, found) @ _held(question, found)
    meaning = np.fmin(np.fmax((found.cosine - low) / max(high - low, 1e-9), 0.0), 1.0)  # 0 where the cosine is NaN
    relevant = np.asarray(1 - (1 - covered) * (1 - meaning))
    if question.named_actor not in found.columns.actors:
        return relevant
    actor = found.columns.actor
    others = (actor >= 0) & (actor != found.columns.actors.index(question.named_actor))
    doubt = relevant[others].max(initial=0.0) - relevant[~others].max(initial=0.0)
    return np.asarray(relevant * np.where(others, _ANOTHERS, 1.0) * (1 - max(float(doubt), 0.0)))


def _held(question: Question, found: Candidates) -> Numbers:
    held = (found.terms > 0) | (found.answers & (found.terms_around[:, SPAN - 1] > 0))
    if question.time_terms:
        timely = [term in question.time_terms for term in question.terms]
        held[timely] |= dated(question, found.columns.valid_from) >= _IN_TIME
    return np.asarray(held, np.float64)


def _weights(question: Question, found: Candidates) -> Numbers:
    """Return what each of the question's words counts: 1 in all, a rare one more; the name of who speaks nothing.

    Nor does a word that only asks ("tell", "latest"). Where nothing else is left, all count.
    """
    idf = term_idf(found.stats)
    names = {question.terms[place] for place in question.name_terms}
    weights = np.array([0.0 if term in names or term in _ASKING else idf[term] for term in question.terms])
    if not weights.any():
        weights = np.array([idf[term] for term in question.terms])
    return np.asarray(weights / max(float(weights.sum()), 1e-9))


def calibration(embedder: Embedder | None) -> tuple[float, float]:
    """Return the two cosines between which an embedder's likeness grows from nothing to certain."""
    if embedder is None:
        return _UNKNOWN
    own = getattr(embedder, "relevance_range", None)
    if own is not None:
        return float(own[0]), float(own[1])
    return _RANGES.get(embedder.id.split(":", maxsplit=1)[0], _UNKNOWN)


Ranking: TypeAlias = str | Convex | RankingPolicy | None
ByLists = Callable[[Question, Candidates], Scored]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A policy in force: over the lists, and, where it judges one hit at a time, by `hits` after that.

    `graph` says whether the graph is to be asked.
    """

    name: str
    lists: ByLists
    hits: RankingPolicy | None = None
    diverse: bool = True
    graph: bool = True


@dataclass(frozen=True, slots=True)
class Trusted:
    """A policy's score, and how far the memory is to be trusted by source, age and use."""

    policy: RankingPolicy
    trust: TrustScorer = field(default_factory=TrustScorer)

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the policy's score times the trust."""
        memory = hit.memory
        admitted = HELD_BACK if memory.status is Status.QUARANTINED else 1.0
        age = age_in_days(memory.recorded_at, now)
        trust = self.trust.score(memory.source, access_count=memory.access_count, age_days=age)
        return self.policy.score(hit, query, now) * trust * admitted


_LISTS: Mapping[str, ByLists] = {"rrf": by_rank, "intent_blend": by_intent}
_HITS: Mapping[str, Callable[[Retention], RankingPolicy]] = {
    "recency_similarity_importance": lambda _: Trusted(EpisodicScore()),
    "similarity_importance_recency": SimilarityFirst,
}
NAMES = ("convex", *_LISTS, *_HITS)


def chosen(ranking: Ranking, embedder: Embedder | None, retention: Retention | None = None) -> Chosen:
    """Return the policy that a caller means; None is `convex`. By `retention` one of them fades what is not used.

    An unknown name is a `ValueError`, an object that cannot score a `TypeError`.
    """
    default = _convex(Convex(), embedder, "convex")
    if ranking is None or ranking == "convex":
        return default
    if isinstance(ranking, Convex):
        return _convex(ranking, embedder, "convex, with weights of the caller's")
    if isinstance(ranking, str):
        if ranking in _LISTS:
            return Chosen(ranking, _LISTS[ranking])
        if ranking in _HITS:
            return Chosen(ranking, default.lists, _HITS[ranking](retention or Retention()))
        raise ValueError(f"there is no ranking {ranking!r}: use {', '.join(NAMES)}, or an object with `score`")
    if isinstance(ranking, type):
        raise TypeError(f"ranking is the class {ranking.__name__}: give an object, such as {ranking.__name__}()")
    if not isinstance(ranking, RankingPolicy):
        raise TypeError(f"{type(ranking).__name__} is no ranking policy: it needs `score(hit, query, now)`")
    return Chosen(type(ranking).__name__, default.lists, ranking)


def _convex(recipe: Convex, embedder: Embedder | None, name: str) -> Chosen:
    meaning = _weight(embedder) if recipe.meaning is None else recipe.meaning

    def lists(question: Question, found: Candidates) -> Scored:
        return score(question, found, recipe, meaning)

    return Chosen(name, lists, diverse=recipe.diversity > 0, graph=recipe.graph > 0)


def _weight(embedder: Embedder | None) -> float:
    """Return what meaning weighs beside words: an embedder may say so itself."""
    own = getattr(embedder, "weight", None)
    if own is not None:
        return float(own)
    static = embedder is None or hasattr(embedder, "embed_weighted")
    return STATIC if static else CONTEXTUAL
