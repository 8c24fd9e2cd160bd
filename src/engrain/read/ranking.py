"""Ranking: policies, boosts and relevance of candidates; the reranker, near-copies, and fusion of lists of hits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Any, get_args

from engrain.arrays import Floats, Ints, Mask, Numbers, np
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.locales import union
from engrain.language.polarity import negations
from engrain.language.tokens import is_stop, stem, words
from engrain.llm.replies import ModelTask, attribution, failure_reason
from engrain.model.choices import RankingName
from engrain.model.memory import Status
from engrain.model.results import Hit, Signal
from engrain.policies.retention import Retention
from engrain.policies.scoring import Convex, EpisodicScore, K, SimilarityFirst, age_in_days, fuse_rrf
from engrain.protocols import Embedder, RankingPolicy, Reranker
from engrain.read.question import BLEND, Question
from engrain.read.retrieval import SPAN, Candidates, term_idf
from engrain.security.admission import TrustScorer
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
    summaries = (columns.marks & Mark.SUMMARY) > 0
    if summaries.any():
        given["summary"] = 1 - min(recipe.summary, 1.0) * summaries
    if recipe.importance:
        given["importance"] = 1 + min(recipe.importance, 1.0) * (columns.importance - 0.5)
    if recipe.recency:
        days = (columns.recorded_at.max(initial=0) - columns.recorded_at) / DAY  # before the newest of them
        given["recency"] = 1 - min(recipe.recency, 1.0) * (1 - 2.0 ** (-days / _HALF_LIFE))
    if recipe.strength:
        given["strength"] = 1 + recipe.strength * (columns.strength - 1)
    given["trust"] = trust(found)
    return given


def trust(found: Candidates) -> Numbers:
    """Return how far each candidate's source is to be trusted."""
    return np.asarray(np.where(found.columns.source_class >= TOOL, DOUBTED, 1.0))


def _speaking(question: Question, found: Candidates) -> Mask | None:
    """Say whose words the question asks for, None where it asks for nobody's."""
    columns = found.columns
    if question.named_actor is not None:
        code = columns.actors.index(question.named_actor) if question.named_actor in columns.actors else -2
        holding = (found.terms[list(question.name_terms)] > 0).any(axis=0)
        return np.asarray((columns.actor == code) | ((columns.actor < 0) & holding))
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


def _micro(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def by_rank(question: Question, found: Candidates) -> Scored:
    """Score by reciprocal rank in the lists by words, by meaning and by time, then the default's boosts.

    A candidate that is in no list, because a neighbour brought it, scores 0.
    """
    lists = {name: _reciprocal(found.nums, ranked) for name, ranked in result_lists(found).items()}
    total = lists["words"] + lists["meaning"] + lists["time"] + lists["graph"]
    return boosted(total, lists, boosts(_DEFAULT, question, found, chatting=False))


def result_lists(found: Candidates) -> dict[str, Ints]:
    """Return the rows that each search found, best first, by the name of their signal."""
    matches = found.matches
    graph = matches.graph.nums[matches.graph.scores > 0]
    return {"words": matches.lexical.nums, "meaning": matches.vector.nums, "time": matches.dated, "graph": graph}


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
    parts = {
        "words": _scaled(found.terms.sum(axis=0)),
        "meaning": _scaled(found.cosine),
        "time": _timely(question, found),
    }
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
    chatting = found.matches.stats.average_length <= CHAT_LENGTH
    neighbours = float(chatting) if recipe.neighbours is None else recipe.neighbours
    lexical = _peak(_lent(found, neighbours) + recipe.session * found.session_words)
    meaning = _meaning(found, neighbours)
    total = recipe.words * lexical + weight * meaning
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
        return np.asarray(found.terms.sum(axis=0))
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


@cache
def _asking() -> frozenset[str]:
    """Return the index terms of questions that tell nothing of what they ask for."""
    return frozenset(map(stem, union("asking")))


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
    idf = term_idf(found.matches.stats)
    names = {question.terms[place] for place in question.name_terms}
    asking = _asking()
    weights = np.array([0.0 if term in names or term in asking else idf[term] for term in question.terms])
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


@dataclass(frozen=True, slots=True)
class Scoring:
    """A ranking policy in use: `lists` scores all candidates, then `judge`, if any, one hit at a time.

    `diverse` says whether near-copies are moved back, `graph` whether the graph is to be asked.
    """

    name: str
    lists: Callable[[Question, Candidates], Scored]
    judge: RankingPolicy | None = None
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


_DEFAULT = Convex()
_BY_LISTS: Mapping[str, Callable[[Question, Candidates], Scored]] = {"rrf": by_rank, "intent_blend": by_intent}
_BY_HIT: Mapping[str, Callable[[Retention], RankingPolicy]] = {
    "recency_similarity_importance": lambda _: Trusted(EpisodicScore()),
    "similarity_importance_recency": SimilarityFirst,
}


def resolve_scoring(ranking: object, embedder: Embedder | None, retention: Retention | None = None) -> Scoring:
    """Return the policy that a caller means; None is `convex`. By `retention` one of them fades what is not used.

    An unknown name is a `ValueError`, an object that cannot score a `TypeError`.
    """
    own = isinstance(ranking, Convex)
    recipe = ranking if isinstance(ranking, Convex) else _DEFAULT
    meaning = _meaning_weight(embedder) if recipe.meaning is None else recipe.meaning
    convex = Scoring(
        "convex, with weights of the caller's" if own else "convex",
        partial(score, recipe=recipe, weight=meaning),
        diverse=recipe.diversity > 0,
        graph=recipe.graph > 0,
    )
    if ranking is None or ranking == "convex" or own:
        return convex
    if isinstance(ranking, str):
        if ranking in _BY_LISTS:
            return Scoring(ranking, _BY_LISTS[ranking])
        if ranking in _BY_HIT:
            return replace(convex, name=ranking, judge=_BY_HIT[ranking](retention or Retention()))
        known = ", ".join(get_args(RankingName))
        raise ValueError(f"unknown ranking {ranking!r}: use one of {known}, or an object with `score`")
    if isinstance(ranking, type):
        raise TypeError(f"ranking is the class {ranking.__name__}: give an object, such as {ranking.__name__}()")
    if not isinstance(ranking, RankingPolicy):
        raise TypeError(f"{type(ranking).__name__} is no ranking policy: it needs `score(hit, query, now)`")
    return replace(convex, name=type(ranking).__name__, judge=ranking)


def _meaning_weight(embedder: Embedder | None) -> float:
    """Return what meaning weighs beside words: an embedder may say so itself."""
    own = getattr(embedder, "weight", None)
    if own is not None:
        return float(own)
    static = embedder is None or hasattr(embedder, "embed_weighted")
    return STATIC if static else CONTEXTUAL


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """A question's candidates with their scores and relevance; `order` holds their places, best first."""

    question: Question
    candidates: Candidates
    scored: Scored
    relevant: Numbers
    order: Ints
    scoring: Scoring


def rank(
    questions: Sequence[Question],
    found: Sequence[Candidates],
    scoring: Scoring,
    *,
    calibration: tuple[float, float],
    doubted: Ints | None = None,
) -> RankedCandidates:
    """Put the candidates of a question, the first, in the order of a policy; its other phrasings add to their scores.

    `doubted` are rows that count less, for they wait to be admitted.
    """
    question, candidates = questions[0], found[0]
    scored = scoring.lists(question, candidates)
    for other, its in zip(questions[1:], found[1:], strict=True):
        more = scoring.lists(other, its).scores[np.searchsorted(its.nums, candidates.nums)]
        scored = _added(scored, more, other.weight)
    if doubted is not None:
        less = np.where(np.isin(candidates.nums, doubted), HELD_BACK, 1.0)
        boosts = {**scored.boosts, "trust": scored.boosts["trust"] * less}
        scored = Scored(np.asarray(scored.scores * less, np.float32), scored.parts, boosts)
    low, high = calibration
    relevant = np.round(relevance(question, candidates, low=low, high=high), 4)  # as hits show it and min_score cuts it
    order = np.lexsort((candidates.nums, -candidates.columns.recorded_at, -scored.scores))  # of equals the newest
    return RankedCandidates(question, candidates, scored, relevant, order, scoring)


def _added(scored: Scored, more: Floats, weight: float) -> Scored:
    """Add another phrasing's scores, scaled so that its best counts `weight` times the question's best."""
    top, best = float(scored.scores.max(initial=0.0)), float(more.max(initial=0.0))
    if best <= 0:
        return scored
    factor = np.float32(weight * (top or 1.0) / best)
    return replace(scored, scores=np.asarray(scored.scores + factor * more, np.float32))


# ------------------------------------------------------------------------------------------------------------ reranking

RERANKED = 50  # hits that are read again


def rerank(hits: Sequence[Hit], query: str, reranker: Reranker) -> tuple[list[Hit], list[str]]:
    """Return the hits in a reranker's order, and what to note of it; in the order given if the reranker fails.

    The best `RERANKED` are read again and the others stand behind them; a language model is shown none that waits to be
    admitted. The scores are scaled to 0..1 and weighed by trust, so that no text argues its way past its source, and
    stay comparable within the result: those read again lie above 1, the others below.
    """
    asks = isinstance(reranker, ModelTask)
    head = [hit for hit in hits[:RERANKED] if not (asks and hit.memory.status is Status.QUARANTINED)]
    if asks and len(head) < 2:
        return list(hits), ["too few to be read again"]
    failed: list[Exception] = []
    scores = guard(
        f"the reranker {type(reranker).__name__}", lambda: _scores(head, query, reranker), failed=failed.append
    )
    if scores is None:
        why = [failure_reason(reranker, failed)] if asks else []
        return list(hits), ["the reranker failed: the order stays as it was", *why]
    again = {hit.memory.id for hit in head}
    rest = [hit for hit in hits if hit.memory.id not in again]
    notes = [f"the best {len(head)} read again", *([f"reranked by {attribution(reranker)}"] if asks else [])]
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
    scores = [float(score) for score in reranker.rerank(query, [hit.memory.content for hit in hits])]
    if len(scores) != len(hits) or not all(map(math.isfinite, scores)):
        raise ProviderError(f"the reranker gave {len(scores)} scores, not {len(hits)} finite ones")
    return scores


def _trust(hit: Hit) -> float:
    return next((signal.value for signal in hit.signals if signal.name == "x trust"), 1.0)


# ---------------------------------------------------------------------------------------------------------- near-copies

LIKE = 0.9  # share of words in common from which a text is a near-copy
_FEWEST = 4  # words: of shorter texts only equal ones are copies


class NearCopies:
    """Finds the texts that nearly repeat one before them; they are given best first.

    A text that differs in a figure, a name or a negation is no copy.
    """

    def __init__(self) -> None:
        self._originals: list[tuple[str, Counter[str], int]] = []  # text, its words, how many there are
        self._holding: dict[str, list[int]] = {}  # by word: places of the originals that are looked up by it

    def original(self, text: str) -> int | None:
        """Return the place among the originals of the one that a text copies; None makes it an original itself."""
        counted = Counter(words(text))
        total = counted.total()
        # Of its words in a fixed order, so many that a near-copy cannot lack them all: rare ones are mostly long.
        spare = total - math.ceil(LIKE * total) if total >= _FEWEST else 0
        looked_up = [word for _, word in sorted((-len(word), word) for word in counted)[: spare + 1]] or [""]
        for place in sorted({place for word in looked_up for place in self._holding.get(word, ())}):
            other, its, size = self._originals[place]
            if min(total, size) < _FEWEST:
                if counted == its:
                    return place
            elif min(total, size) >= LIKE * max(total, size):
                common = (counted & its).total()
                differing = (counted - its) | (its - counted)
                if common >= LIKE * (total + size - common) and differing.keys().isdisjoint(
                    _telling(text, counted) | _telling(other, its)
                ):
                    return place
        for word in looked_up:
            self._holding.setdefault(word, []).append(len(self._originals))
        self._originals.append((text, counted, total))
        return None


def _telling(text: str, counted: Counter[str]) -> frozenset[str]:
    """Return the words of a text with a capital letter or a figure, and those that deny."""
    shaped = [chunk for chunk in text.split() if any(c.isupper() or c.isdigit() for c in chunk) and not is_stop(chunk)]
    denying = {word for word in counted if word in negations() or word.endswith(("n't", "n’t"))}
    return frozenset(denying.union(*map(words, shaped)))


def diversify(hits: Sequence[Hit], k: int) -> tuple[list[Hit], dict[str, str]]:
    """Return the hits with the near-copies of better ones behind the first k others, and whose copy each is, by id.

    Nothing is dropped, and nothing moves where the page holds them all.
    """
    if len(hits) <= k:
        return list(hits), {}
    seen, kept, moved, copies = NearCopies(), list[Hit](), list[Hit](), dict[str, str]()
    for hit in hits:
        if len(kept) >= k:
            break
        original = seen.original(hit.memory.content)
        if original is None:
            kept.append(hit)
        else:
            moved.append(hit)
            copies[hit.memory.id] = kept[original].memory.id
    return [*kept, *move_back(moved, kept), *hits[len(kept) + len(moved) :]], copies


def move_back(copies: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """Return near-copies with no more than the score of the last of the others, behind which they are put."""
    last = others[-1].score if others else 0.0
    return [
        replace(hit, score=min(hit.score, last), signals=(*hit.signals, Signal("near-copy", last))) for hit in copies
    ]


def fuse(query: str, lists: Sequence[Sequence[Hit]], reranker: Reranker | None = None) -> list[Hit]:
    """Fuse lists of hits by reciprocal rank, then by the reranker unless it fails.

    Each hit keeps the best relevance it has in any list, and has a signal for every list it is in.
    """
    lists = [list(each) for each in lists]
    best: dict[str, Hit] = {}
    for hit in (hit for each in lists for hit in each):
        if not isinstance(hit, Hit):
            raise TypeError(f"lists hold hits, such as those of a recall, not {type(hit).__name__}")
        known = best.get(hit.memory.id)
        if known is None or hit.relevance > known.relevance:
            best[hit.memory.id] = hit
    ids = [list(dict.fromkeys(hit.memory.id for hit in each)) for each in lists]
    ranks = [{memory_id: rank for rank, memory_id in enumerate(each, start=1)} for each in ids]
    found = []
    for memory_id, score in fuse_rrf(ids):
        held = [(i, place[memory_id]) for i, place in enumerate(ranks, start=1) if memory_id in place]
        signals = [Signal("rrf", score), *(Signal(f"rrf.list_{i}", 1.0, rank) for i, rank in held)]
        hit = best[memory_id]
        found.append(replace(hit, score=score, signals=(*hit.signals, *signals)))
    return found if reranker is None or not found else rerank(found, query, reranker)[0]
