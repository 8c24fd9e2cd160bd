"""Ranking: policies, boosts and relevance of candidates; the reranker, near-copies, and fusion of lists of hits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, NamedTuple, get_args

from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.antecedents import clauses_of
from engrain.language.comparison import addresses, terms_about
from engrain.language.cues import denies, negations
from engrain.language.facts import UNREAD, slots_of
from engrain.language.locales import has_any, language_of, union
from engrain.language.reading import Tense
from engrain.language.tokens import index_term, is_stop, terms, terms_of_fields, words
from engrain.lazy import Floats, Ints, Mask, Numbers, np
from engrain.llm.replies import ModelTask, attribution, failure_reason
from engrain.model.choices import RankingName
from engrain.model.filters import Filter, Test
from engrain.model.memory import USER as USER_NAME
from engrain.model.memory import Kind, Memory, SourceType, Status, compared, slot, speaker
from engrain.model.results import Hit, Signal
from engrain.policies.retention import Retention, raised
from engrain.policies.scoring import Convex, EpisodicScore, K, SimilarityFirst, age_in_days, fuse_rrf
from engrain.protocols import Embedder, RankingPolicy, Reader, Reranker
from engrain.read import retrieval
from engrain.read.retrieval import SPAN, Candidates, Question, term_idf
from engrain.security.admission import TrustScorer
from engrain.storage.rows import Columns, Mark, Record
from engrain.text import key_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400_000_000  # microseconds
_REPORTED = 42 * DAY  # after an event, over which reports of it decrease
DOUBTED = 0.8  # the factor of tool results, external data, and memories derived from them
QUARANTINED = 0.3
_ANSWERS = 0.5  # of the best score, from which on a candidate may be an answer
_ABOUT_AS_GOOD = 0.75  # of it, from which on only time orders two: cosines differ that much by chance
_TIE = 0.001  # the weight of the score among those, less than one rank in time
_KINDS = tuple(Kind)
_RETENTION = Retention()
# By intent: the weights of words, meaning, graph and time, whose lists are all scaled to 0..1.
_BLEND = {
    retrieval.FACTUAL: (0.7, 0.3, 0.2, 0.0),
    retrieval.TEMPORAL: (0.1, 0.2, 0.2, 0.5),
    retrieval.RELATIONAL: (0.2, 0.2, 0.5, 0.1),
    retrieval.CAUSAL: (0.1, 0.1, 0.6, 0.2),
    retrieval.EXPLORATORY: (0.2, 0.5, 0.2, 0.1),
}
CHAT_LENGTH = 25  # mean informative words of a text up to which it is chat, so that neighbours lend their words
SPREAD = 0.3  # of cosines from the worst to the best: with less spread, meaning weighs less
ALONE = 0.6  # of the boost for a date is also added: a question may name nothing but a date
FADING = 0.6  # factor of what a turn lends, for each turn further away
# The cosines from which two texts are related and from which they are as good as certainly so, by embedder.
_RANGES = {"wordllama": (0.1, 0.8)}
_UNKNOWN = (0.3, 0.9)
_ANOTHERS = 0.5  # factor for statements of another actor than the one that the question names
_DEFAULT = Convex()
RERANKED = 50  # hits that a reranker scores
NEAR_COPY = "x near-copy"  # the signal of such a hit
LIKE = 0.9  # share of words in common from which a text is a near-copy
_FEWEST = 4  # words: of shorter texts only equal ones are copies
_MOST_COMPARED = 50  # better hits with a word in common that a hit is compared with
BEFORE_RIVAL = "+ rival"
"""The signal of a hit that precedes a less trusted one because both state one relation of one subject."""
_RANK = {source: place for place, source in enumerate(SourceType)}
_READ_OF_RIVALS = 1000  # characters of a text that are compared
_MOST_RIVALS = 50  # rivals that are loaded from the store
_MOST_IN_WORDS = 20  # trusted texts with the words of a question that are compared
USER, ASSISTANT, TOOL = 1, 2, 3  # places among the trust classes
BEFORE, AFTER = 0.8, 0.5  # factors of what the adjacent turns lend
ANSWER, NO_ANSWER = 1.25, 0.875  # of that, from the previous turn: if it is a question, or not
_SHARES = [BEFORE * FADING**j for j in reversed(range(SPAN))] + [AFTER * FADING**j for j in range(SPAN)]
STATIC, CONTEXTUAL = 0.5, 0.8  # weight of meaning by a static embedder, and by a contextual one
_FITS_ANOTHER, _FITS_ACTOR = 0.75, 1.2  # the actor's match relative to another's: no answer, and no doubt


class Scored(NamedTuple):
    """The scores of the candidates in their order: the sum of the `parts`, multiplied by the `boosts`, by name."""

    scores: Floats
    parts: Mapping[str, Floats]
    boosts: Mapping[str, Numbers]


def boosted(parts: Mapping[str, Floats], boosts: Mapping[str, Numbers]) -> Scored:
    """Return the sum of the parts with every multiplier applied."""
    total: Any = sum(parts.values())
    for boost in boosts.values():
        total = total * boost
    return Scored(np.asarray(total, np.float32), parts, boosts)


def boosts(
    recipe: Convex, question: Question, found: Candidates, *, chatting: bool = False, retention: Retention = _RETENTION
) -> dict[str, Numbers]:
    """Return the multipliers of the candidates that are not 1 for all, by name; importance fades by `retention`."""
    columns, marks = found.columns, found.columns.marks
    given: dict[str, Any] = {}
    by = _by_wanted_actor(question, found)
    if by is not None and by.any():
        given["speaker"] = 1 + recipe.speaker * by
    if question.windows:
        given["date"] = 1 + recipe.date * dated(question, columns.valid_from)
    asked = (
        ("time words", question.wants_time, recipe.time_words, Mark.TIME_WORDS),
        ("places", question.wants_place, recipe.places, Mark.PLACE),
    )
    given |= {name: 1 + weight * ((marks & mark) > 0) for name, wanted, weight, mark in asked if wanted}
    if question.wants_name or question.wants_description:
        # 1 for texts with a name, and 2 more for those that describe the question's subject.
        words = (found.terms > 0).sum(axis=0)
        describes = (words > 0) & (words == words.max(initial=0)) & ((marks & Mark.DESCRIPTION) > 0)
        naming = question.wants_name * ((marks & Mark.NAMES) > 0) + 2.0 * question.wants_description * describes
        given["names"] = 1 + recipe.names * np.asarray(naming)
    if chatting:
        given["question"] = 1 - min(recipe.question, 1.0) * ((marks & Mark.QUESTION) > 0)
    if (marks & Mark.SUMMARY).any():
        given["summary"] = 1 - min(recipe.summary, 1.0) * ((marks & Mark.SUMMARY) > 0)
    if recipe.importance:
        left = effective_importance(columns, retention, question.now)
        given["importance"] = 1 + min(recipe.importance, 1.0) * (left - 0.5)
    if recipe.recency:
        days = (columns.recorded_at.max(initial=0) - columns.recorded_at) / DAY  # before the newest of them
        given["recency"] = 1 - min(recipe.recency, 1.0) * (1 - 2.0 ** (-days / 30))  # days
    if recipe.strength:
        given["strength"] = 1 + recipe.strength * (columns.strength - 1)
    given["trust"] = trust(found)
    return given


def effective_importance(columns: Columns, retention: Retention, now: datetime) -> Numbers:
    """Return the effective importance of each row at `now`, as `Retention.effective` computes it."""
    at = (now - _EPOCH) // timedelta(microseconds=1)
    unused = np.maximum(at - np.maximum(columns.used_at, columns.recorded_at), 0) / DAY
    ages, left = unused / np.maximum(columns.strength, 1e-9), np.array(columns.importance, np.float64)
    codes = np.stack((columns.kind, columns.domain, columns.agent))
    for kind, domain, agent in np.unique(codes, axis=1).T.tolist():
        owner = columns.agents[agent] if agent >= 0 else None
        policy = retention.policy(_KINDS[kind], columns.domains[domain] if domain >= 0 else None, owner)
        its = (codes == [[kind], [domain], [agent]]).all(axis=0)
        left[its] *= policy.left(ages[its])
    since_use = np.where(columns.access_count > 0, np.maximum(at - columns.used_at, 0) / DAY, math.inf)
    return raised(left, since_use, columns.access_count)


def _by_wanted_actor(question: Question, found: Candidates) -> Mask | None:
    """Return which candidates are by the actor that the question asks about, None without one."""
    columns = found.columns
    if question.named_actor is not None:
        code = columns.actors.index(question.named_actor) if question.named_actor in columns.actors else -2
        has_name = (found.terms[list(question.name_terms)] > 0).any(axis=0)
        return np.asarray((columns.actor == code) | ((columns.actor < 0) & has_name))
    if question.by_user or question.by_assistant:
        return np.asarray(columns.source_class == (USER if question.by_user else ASSISTANT))
    return None


def trust(found: Candidates) -> Numbers:
    """Return the trust in each candidate's source."""
    return np.asarray(np.where(found.columns.source_class >= TOOL, DOUBTED, 1.0))


def dated(question: Question, valid_from: Ints) -> Numbers:
    """Return how well each event time fits the question's dates: 1 inside, after them 0.7 and decreasing."""
    fit = np.zeros(len(valid_from))
    for window in question.windows:
        start, end = ((at - _EPOCH) // timedelta(microseconds=1) for at in (window.start, window.end))
        later = np.maximum(0.7 * (1 - (valid_from - end) / _REPORTED), 0.0)
        fit = np.maximum(fit, np.where(valid_from < end, valid_from >= start, later))
    return fit


def latest(question: Question, found: Candidates, scores: Floats, weight: float) -> Numbers:
    """Return multipliers that put the newest of the candidates that answer about as well as the best first.

    Those at `_ABOUT_AS_GOOD` or more of the best are raised to it, each session as a whole, so that only event time
    orders them; those at `_ANSWERS` or more gain by that order, up to 1 + `weight`; all others stay unchanged.
    So the newest of the answers leads, but not a mere later event or the next turn. If the question asks for a
    place and one of those about as good names one, only candidates that name one count as answers.
    """
    out = np.ones(len(scores))
    best = float(scores.max(initial=0.0))
    if best <= 0:
        return out
    if question.wants_place:
        says_where = (found.columns.marks & Mark.PLACE) > 0
        if (says_where & (scores >= _ABOUT_AS_GOOD * best)).any():
            scores = np.where(says_where, scores, np.float32(0))
            best = float(scores.max())
    near = np.flatnonzero(scores >= _ANSWERS * best)
    times, order = np.unique(found.columns.valid_from[near], return_inverse=True)
    out[near] += weight * order / max(len(times) - 1, 1)
    alike = scores >= _ABOUT_AS_GOOD * best
    share = best_of_session(scores, found.columns.session)[alike] / best
    out[alike] *= (1 - _TIE * (1 - share)) / share
    return out


def best_of_session(own: Floats | Numbers, session: Ints) -> Numbers:
    """Return for each candidate the best score of its session; one without a session is its own group."""
    order = np.argsort(session, kind="stable")
    changes = np.diff(session[order], prepend=-2) != 0
    out = np.empty_like(own)
    out[order] = np.maximum.reduceat(own[order], np.flatnonzero(changes))[np.cumsum(changes) - 1]
    return np.asarray(np.where(session >= 0, out, own))


def by_rank(question: Question, found: Candidates) -> Scored:
    """Score by reciprocal rank in the lists of the searches, then the default's boosts; 0 for rows in no list."""
    lists = {}
    for name, listed in result_lists(found).items():
        lists[name] = np.zeros(len(found.nums), np.float32)
        places = np.searchsorted(found.nums, listed[::-1])  # of a row listed twice the better rank is kept
        lists[name][places] = 1 / (K + np.arange(len(listed), 0, -1))
    return boosted(lists, boosts(_DEFAULT, question, found))


def result_lists(found: Candidates) -> dict[str, Ints]:
    """Return the rows that each search found, best first, by the name of their signal."""
    matches = found.matches
    graph = matches.graph.nums[matches.graph.scores > 0]
    return {"words": matches.lexical.nums, "meaning": matches.vector.nums, "time": matches.dated, "graph": graph}


def by_intent(question: Question, found: Candidates) -> Scored:
    """Score by words, meaning and time, each scaled from its worst to its best, weighted by the question's intent."""
    lexical, vector, graph, temporal = _BLEND[question.intent]
    fit: Any = np.zeros(len(found.nums))
    if question.windows:
        fit = dated(question, found.columns.valid_from)
    elif question.wants_time:
        fit = (found.columns.marks & Mark.TIME_WORDS) > 0
    parts = {
        "words": lexical * _scaled(found.terms.sum(axis=0)),
        "meaning": vector * _scaled(found.cosine),
        "time": temporal * np.asarray(fit, np.float32),
        "graph": graph * found.graph,
    }
    return boosted(parts, {"trust": trust(found)})


def _scaled(scores: Floats) -> Floats:
    """Return scores scaled to 0..1; a row without one gets 0, and all get 1 if they are equal."""
    known = ~np.isnan(scores)
    if not known.any():
        return np.zeros(len(scores), np.float32)
    low, high = float(scores[known].min()), float(scores[known].max())
    if high <= low:
        return np.asarray(known & (scores > 0), np.float32)
    return np.asarray(np.where(known, (scores - low) / (high - low), 0.0), np.float32)


def score(
    question: Question, found: Candidates, recipe: Convex, weight: float = STATIC, retention: Retention = _RETENTION
) -> Scored:
    """Score candidates in the order of `found.nums`; `weight` is that of meaning, which depends on the embedder."""
    chatting = found.matches.stats.average_length <= CHAT_LENGTH
    neighbours = float(chatting) if recipe.neighbours is None else recipe.neighbours
    words, lent = found.terms.sum(axis=0), _lent(found, neighbours)
    session = recipe.session * found.session_words
    top = float((lent + session).max(initial=0.0))
    scale = np.float32(recipe.words / top if top > 0 else 0.0)
    near, alone = _meaning(found, neighbours), found.columns.session < 0  # which is a session of its own
    session = scale * session + weight * near[1]
    parts = {
        "words": scale * words + session * alone,
        "meaning": weight * near[0],
        "beside": scale * (lent - words) + weight * near[2],
        "session": session * ~alone,
        "graph": recipe.graph * found.graph,
    }
    if question.windows:
        parts["time"] = ALONE * recipe.date * dated(question, found.columns.valid_from)
    scored = boosted(parts, boosts(recipe, question, found, chatting=chatting, retention=retention))
    if question.wants_latest and recipe.latest:
        scored = _multiplied(scored, "latest", latest(question, found, scored.scores, recipe.latest))
    if question.wants_several and recipe.spread:
        better = _better_in_session(scored.scores, found.columns.session)
        scored = _multiplied(scored, "spread", np.power(1 - min(recipe.spread, 1.0), better, dtype=np.float64))
    return scored


def _multiplied(scored: Scored, name: str, factors: Numbers) -> Scored:
    scores = np.asarray(scored.scores * factors, np.float32)
    return scored._replace(scores=scores, boosts={**scored.boosts, name: scored.boosts.get(name, 1) * factors})


def _better_in_session(scores: Floats, session: Ints) -> Ints:
    """Return for each candidate how many of its session rank before it; 0 without a session."""
    order = np.lexsort((-scores, session))
    places = np.arange(len(order))
    begins = np.diff(session[order], prepend=-2) != 0
    better = np.empty_like(places)
    better[order] = places - np.maximum.accumulate(np.where(begins, places, 0))
    return np.where(session >= 0, better, 0)


def _lent(found: Candidates, weight: float) -> Floats:
    """Return the scores by words, each counted once: in the turn or, with a lower weight, in the turns around it."""
    if not weight or not found.terms.size:
        return np.asarray(found.terms.sum(axis=0))
    lent = found.terms
    for step, share in enumerate(_SHARES):
        lent_by: Any = np.float32(weight * share)
        if step == SPAN - 1:
            lent_by = lent_by * np.where(found.answers, np.float32(ANSWER), np.float32(NO_ANSWER))
        lent = np.maximum(lent, found.terms_around[:, step] * lent_by)
    return np.asarray(lent.sum(axis=0))


def _meaning(found: Candidates, weight: float) -> Floats:
    """Return three rows: the cosines scaled to 0..1, shares of the best of their sessions, and of their neighbours."""
    known = ~np.isnan(found.cosine)
    if not known.any():
        return np.zeros((3, len(found.nums)), np.float32)
    low, high = float(found.cosine[known].min()), float(found.cosine[known].max())
    span = max(high - low, SPREAD)
    own = np.where(known, (found.cosine - low) / span, 0.0)
    beside: Any = np.zeros(len(own))
    if weight:
        total = np.fmin(np.fmax((found.cosine_next_to - low) / span, 0.0), 1.0).sum(axis=0)
        beside = 0.2 * weight * (total / np.float32(max(float(total.max(initial=0.0)), 0.0) or 1.0))
    return np.asarray((own, 0.2 * best_of_session(own, found.columns.session), beside), np.float32)


def certainty(question: Question, found: Candidates, scored: Scored) -> float:
    """Return the upper bound of relevance, 1 unless the question names one actor.

    It falls as far as another actor's words match better than the named actor's: then the question may confuse the
    two. The three best of each are compared, the second for a half and the third for a third, by their scores without
    the multipliers for the actor and for recency.
    """
    others = _by_others(question, found)
    if others is None:
        return 1.0
    fit = scored.scores / (scored.boosts.get("speaker", 1.0) * scored.boosts.get("latest", 1.0))
    own, theirs = (np.sort(fit[those])[::-1] for those in (~others, others))
    count = max(min(3, len(own), len(theirs)), 1)
    fits, rival = (sum(fit / rank for rank, fit in enumerate(best[:count].tolist(), 1)) for best in (own, theirs))
    ratio = fits / rival if rival > 0 else _FITS_ACTOR
    return min(max((ratio - _FITS_ANOTHER) / (_FITS_ACTOR - _FITS_ANOTHER), 0.0), 1.0)


def _by_others(question: Question, found: Candidates) -> Mask | None:
    """Return which candidates are by another actor than the one that the question names, None without one."""
    actors, actor = found.columns.actors, found.columns.actor
    if question.named_actor not in actors:
        return None
    return np.asarray((actor >= 0) & (actor != actors.index(question.named_actor)))


def relevance(question: Question, found: Candidates, *, low: float, high: float) -> Numbers:
    """Return the absolute relevance of each candidate, in [0, 1], comparable across questions.

    It is 1 - (1 - words)(1 - meaning). `words` is the share of the question's words that a candidate has, weighted
    by idf: an answer counts with the words of its question, an event in the question's time with those of that time;
    question words ("tell", "latest") count only if there are no others. `meaning` is its cosine scaled between
    `low` (unrelated) and `high` (as good as certain). If the question names an actor, that name does not count, and
    statements of another actor count half; `certainty` bounds the result.
    """
    has = (found.terms > 0) | (found.answers & (found.terms_around[:, SPAN - 1] > 0))
    if question.time_terms:
        timely = [term in question.time_terms for term in question.terms]
        has[timely] |= dated(question, found.columns.valid_from) >= 0.5
    idf, names = term_idf(found.matches.stats), {question.terms[place] for place in question.name_terms}
    ignored = names | terms_of_fields("asking")  # words of asking: "latest"
    weights = np.array([0.0 if term in ignored else idf[term] for term in question.terms])
    if not weights.any():
        weights = np.array([idf[term] for term in question.terms])
    covered = weights / max(float(weights.sum()), 1e-9) @ np.asarray(has, np.float64)
    meaning = np.fmin(np.fmax((found.cosine - low) / max(high - low, 1e-9), 0.0), 1.0)  # 0 where the cosine is NaN
    relevant = np.asarray(1 - (1 - covered) * (1 - meaning))
    others = _by_others(question, found)
    return relevant if others is None else np.asarray(relevant * np.where(others, _ANOTHERS, 1.0))


def calibration(embedder: Embedder | None) -> tuple[float, float]:
    """Return the two cosines of an embedder between which similarity grows from 0 to certain."""
    if embedder is None:
        return _UNKNOWN
    own = getattr(embedder, "relevance_range", None)
    if own is not None:
        return float(own[0]), float(own[1])
    return _RANGES.get(embedder.id.split(":", maxsplit=1)[0], _UNKNOWN)


class Scoring(NamedTuple):
    """A ranking policy in use; `diverse` moves near-copies back, `graph` uses the graph, `judge` rates single hits."""

    name: str
    lists: Callable[[Question, Candidates], Scored]
    judge: RankingPolicy | None = None
    diverse: bool = True
    graph: bool = True


class Trusted:
    """The episodic score, multiplied by the trust in a memory by source, age and use."""

    _policy, _trust = EpisodicScore(), TrustScorer()

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the score times the trust."""
        memory = hit.memory
        admitted = QUARANTINED if memory.status is Status.QUARANTINED else 1.0
        age = age_in_days(memory.recorded_at, now)
        trust = self._trust.score(memory.source, access_count=memory.access_count, age_days=age)
        return self._policy.score(hit, query, now) * trust * admitted


_BY_LISTS: Mapping[str, Callable[[Question, Candidates], Scored]] = {"rrf": by_rank, "intent_blend": by_intent}
_BY_HIT: Mapping[str, Callable[[Retention], RankingPolicy]] = {
    "recency_similarity_importance": lambda _: Trusted(),
    "similarity_importance_recency": SimilarityFirst,
}


def resolve_scoring(ranking: object, embedder: Embedder | None, retention: Retention | None = None) -> Scoring:
    """Return the policy that a caller names or passes, None being `convex`; `ValueError` or `TypeError` for another."""
    own = isinstance(ranking, Convex)
    recipe = ranking if isinstance(ranking, Convex) else _DEFAULT
    meaning = recipe.meaning if recipe.meaning is not None else getattr(embedder, "weight", None)
    if meaning is None:
        meaning = STATIC if embedder is None or hasattr(embedder, "embed_weighted") else CONTEXTUAL
    name = "convex, with weights of the caller's" if own else "convex"
    judge = partial(score, recipe=recipe, weight=float(meaning), retention=retention or _RETENTION)
    convex = Scoring(name, judge, diverse=recipe.diversity > 0, graph=recipe.graph > 0)
    if ranking is None or ranking == "convex" or own:
        return convex
    if isinstance(ranking, str):
        if ranking in _BY_LISTS:
            return Scoring(ranking, _BY_LISTS[ranking])
        if ranking in _BY_HIT:
            return convex._replace(name=ranking, judge=_BY_HIT[ranking](retention or _RETENTION))
        known = ", ".join(get_args(RankingName))
        raise ValueError(f"unknown ranking {ranking!r}: use one of {known}, or an object with `score`")
    if isinstance(ranking, type):
        raise TypeError(f"ranking is the class {ranking.__name__}: give an object, such as {ranking.__name__}()")
    if not isinstance(ranking, RankingPolicy):
        raise TypeError(f"{type(ranking).__name__} is no ranking policy: it needs `score(hit, query, now)`")
    return convex._replace(name=type(ranking).__name__, judge=ranking)


def _with_part(scored: Scored, name: str, scores: Floats) -> Scored:
    """Return candidates with other scores, the difference being a part of its own."""
    factor = boosted({name: np.ones_like(scores)}, scored.boosts).scores
    more = np.asarray((scores - scored.scores) / np.maximum(factor, 1e-9), np.float32)
    return Scored(scores, {**scored.parts, name: more}, scored.boosts)


class RankedCandidates(NamedTuple):
    """Candidates with scores and relevance (`certain` at most); `order` has their indices, best first."""

    question: Question
    candidates: Candidates
    scored: Scored
    relevant: Numbers
    order: Ints
    certain: float


def rank(
    questions: Sequence[Question],
    found: Sequence[Candidates],
    scoring: Scoring,
    *,
    calibration: tuple[float, float],
    doubted: Ints | None = None,
) -> RankedCandidates:
    """Order the candidates of a question and its phrasings by a policy; `doubted` rows (not admitted) count less."""
    question, candidates = questions[0], found[0]
    scored = scoring.lists(question, candidates)
    for place, (other, its) in enumerate(zip(questions[1:], found[1:], strict=True), start=2):
        more = scoring.lists(other, its).scores[np.searchsorted(its.nums, candidates.nums)]
        top, best = float(scored.scores.max(initial=0.0)), float(more.max(initial=0.0))
        if best > 0:  # scaled so that its best adds its weight times the question's best
            factor = np.float32(other.weight * (top or 1.0) / best)
            scored = _with_part(scored, f"asked as {place}", np.asarray(scored.scores + factor * more, np.float32))
    if doubted is not None:
        scored = _multiplied(scored, "trust", np.where(np.isin(candidates.nums, doubted), QUARANTINED, 1.0))
    certain = certainty(question, candidates, scored)
    low, high = calibration
    bounded = np.minimum(relevance(question, candidates, low=low, high=high), certain)
    scores, bounded = _trusted_first(question, candidates, scored.scores, bounded)
    if scores is not scored.scores:
        scored = _with_part(scored, "rival", scores)
    relevant = np.asarray(np.round(bounded, 4), np.float64)  # the precision of hits and min_score
    order = np.lexsort((candidates.nums, -candidates.columns.recorded_at, -scored.scores))  # of equals the newest first
    return RankedCandidates(question, candidates, scored, relevant, order, certain)


def _trusted_first(question: Question, found: Candidates, scores: Floats, relevant: Numbers) -> tuple[Floats, Numbers]:
    """Return scores and relevance, more trusted statements raised to less trusted ones that share most of the words."""
    columns, words, source = found.columns, found.terms > 0, found.columns.source_class
    low = (source >= TOOL) | ((source == ASSISTANT) & (columns.kind == _KINDS.index(Kind.SEMANTIC)))
    if not low.any() or source.min() >= source[low].max():
        return scores, relevant
    small = terms_of_fields("asking").union(map(index_term, language_of(question.text).stop))
    words = words[[term not in small for term in question.terms]]
    low &= 2 * words.sum(axis=0) > len(words)
    says, scores, relevant = (columns.marks & Mark.QUESTION) == 0, scores.copy(), relevant.copy()
    for place in sorted({*source[low].tolist()}, reverse=True):
        yielding = low & (source == place)
        for has in np.unique(words[:, yielding], axis=1).T:
            alike, above = yielding & (has == words.T).all(axis=1), says & (source < place) & words[has].all(axis=0)
            scores[above] = np.maximum(scores[above], (1 + _TIE) * scores[alike].max())
            relevant[above] = np.maximum(relevant[above], relevant[alike].max())
    return scores, relevant


def rerank(hits: Sequence[Hit], query: str, reranker: Reranker) -> tuple[list[Hit], list[str]]:
    """Return the hits in a reranker's order, and notes on it; in the given order if the reranker fails.

    The best `RERANKED` are scored and the others follow; a language model is given no quarantined one. The scores
    are scaled to 0..1 and weighted by trust, so that no text overrules the trust in its source, and comparable within
    the result: those of reranked hits are above 1, the others below.
    """
    asks = isinstance(reranker, ModelTask)
    head = [hit for hit in hits[:RERANKED] if not (asks and hit.memory.status is Status.QUARANTINED)]
    if asks and len(head) < 2:
        return list(hits), ["too few to be read again"]

    def scored() -> list[float]:
        scores = [float(score) for score in reranker.rerank(query, [hit.memory.content for hit in head])]
        if len(scores) != len(head) or not all(map(math.isfinite, scores)):
            raise ProviderError(f"the reranker gave {len(scores)} scores, not {len(head)} finite ones")
        return scores

    failed: list[Exception] = []
    scores = guard(f"the reranker {type(reranker).__name__}", scored, failed=failed.append)
    if scores is None:
        why = [failure_reason(reranker, failed)] if asks else []
        return list(hits), ["the reranker failed: the order stays as it was", *why]
    halves = [score / 2 for score in scores]  # the difference of two finite numbers may overflow, that of halves cannot
    low, span = min(halves, default=0.0), max(halves, default=0.0) - min(halves, default=0.0)
    best = max((hit.score for hit in hits), default=0.0)
    again = []
    for hit, score, half in zip(head, scores, halves, strict=True):
        scaled = (half - low) / span if span > 0 else 1.0
        trusted = next((signal.value for signal in hit.signals if signal.name == "x trust"), 1.0)
        signals = (*without_parts(hit), Signal("reranker", score))
        again.append(replace(hit, score=round(1 + scaled * trusted, 6), signals=signals))
    ids = {hit.memory.id for hit in head}
    rest = [hit for hit in hits if hit.memory.id not in ids]
    lower = 1 / best if best > 0 else 0.0
    beneath = [replace(hit, score=round(hit.score * lower, 6), signals=without_parts(hit)) for hit in rest]
    notes = [f"the best {len(head)} read again", *([f"reranked by {attribution(reranker)}"] if asks else [])]
    return [*sorted(again, key=lambda hit: -hit.score), *beneath], notes


def without_parts(hit: Hit) -> tuple[Signal, ...]:
    """Return the signals of a hit but for the parts of its score, which another score replaces."""
    return tuple(signal for signal in hit.signals if not signal.name.startswith("+ "))


class _Text(NamedTuple):
    text: str
    words: Counter[str]
    total: int
    keys: tuple[tuple[frozenset[tuple[str, int]], str], ...]
    """Its figures with each of some of its words: a near-copy shares one."""

    def copies(self, known: _Text) -> bool:
        """Return whether it nearly repeats another text and does not differ in a figure, name or negation."""
        fewer, more = sorted((self.total, known.total))
        if fewer < _FEWEST:
            return self.words == known.words
        if fewer < LIKE * more:
            return False
        common = (self.words & known.words).total()
        if common < LIKE * (fewer + more - common):
            return False
        differing = (self.words - known.words) | (known.words - self.words)
        return differing.keys().isdisjoint(_distinctive(self) | _distinctive(known))


@lru_cache(1024)
def _compared(content: str) -> _Text:
    counted = Counter(words(content))
    total = counted.total()
    # So many of its words in a fixed order that a near-copy must contain one: long ones, which are mostly rare.
    spare = total - math.ceil(LIKE * total) if total >= _FEWEST else 0
    longest = sorted(sorted(counted), key=len, reverse=True)[: spare + 1] or [""]
    figures = frozenset(pair for pair in counted.items() if any(map(str.isdigit, pair[0])))
    return _Text(content, counted, total, tuple((figures, word) for word in longest))


def divide(hits: Iterable[Hit], k: int) -> tuple[list[Hit], list[Hit]]:
    """Return the first k hits that are no near-copies of better ones, and the near-copies before the last of them."""
    others, copies = list[Hit](), list[Hit]()
    originals: dict[object, list[_Text]] = {}  # by their keys
    for hit in hits:
        text = _compared(hit.memory.content)
        alike = [originals.setdefault(key, []) for key in text.keys]
        if any(text.copies(known) for some in alike for known in some[:_MOST_COMPARED]):
            copies.append(hit)
            continue
        for some in alike:
            some.append(text)
        others.append(hit)
        if len(others) >= k:
            break
    return others, copies


def _distinctive(each: _Text) -> frozenset[str]:
    """Return the words of a text with a capital letter or a digit, and the negations."""
    chunks = (chunk for chunk in each.text.split() if any(c.isupper() or c.isdigit() for c in chunk))
    denying = {word for word in each.words if word in negations() or word.endswith(("n't", "n’t"))}
    return frozenset(denying.union(*(words(chunk) for chunk in chunks if not is_stop(chunk))))


def diversify(hits: Sequence[Hit], k: int) -> tuple[list[Hit], list[Hit]]:
    """Return the hits with near-copies of better ones after the first k others; none moves if all fit on the page."""
    if not 0 < k < len(hits):
        return list(hits), []
    others, copies = divide(hits, k)
    return [*others, *move_back(copies, others), *hits[len(others) + len(copies) :]], copies


def move_back(copies: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """Return near-copies with at most the score of the last of the others, after which they are placed."""
    last = others[-1].score if others else 0.0
    moved = []
    for hit in copies:
        factor = last / hit.score if hit.score > last else 1.0
        moved.append(replace(hit, score=min(hit.score, last), signals=(*hit.signals, Signal(NEAR_COPY, factor))))
    return moved


def fuse(query: str, lists: Sequence[Sequence[Hit]], reranker: Reranker | None = None) -> list[Hit]:
    """Fuse hit lists by reciprocal rank, keeping the best relevance and a signal of each, then rerank if possible."""
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
        ranked = [(i, place[memory_id]) for i, place in enumerate(ranks, start=1) if memory_id in place]
        signals = [Signal("rrf", score), *(Signal(f"rrf.list_{i}", 1.0, rank) for i, rank in ranked)]
        hit = best[memory_id]
        found.append(replace(hit, score=score, signals=(*without_parts(hit), *signals)))
    return found if reranker is None or not found else rerank(found, query, reranker)[0]


def yields_to_trusted(memory: Memory) -> bool:
    """Return whether a memory ranks behind any more trusted one with the same words of a question: not for chat."""
    return rank_of(memory) >= TOOL or (rank_of(memory) > USER and memory.kind is Kind.SEMANTIC)


def rank_of(memory: Memory) -> int:
    """Return the rank of a memory's trust class, 0 for the most trusted."""
    return _RANK[memory.source.type]


def by_trust(memories: Sequence[Memory]) -> list[Memory]:
    """Return facts in their order, of those with one subject and predicate the most trusted first."""
    places: dict[object, list[int]] = {}
    for place, memory in enumerate(memories):
        places.setdefault(place if memory.fact is None else slot(memory.fact)[:2], []).append(place)
    ordered = list(memories)
    for some in places.values():
        for place, memory in zip(some, sorted((memories[at] for at in some), key=rank_of), strict=True):
            ordered[place] = memory
    return ordered


def trusted_first(reader: Reader, where: Filter, hits: list[Hit], query: str = "") -> list[Hit]:
    """Return hits with every less trusted one behind more trusted memories on the same subject, hits or not."""
    ranks = [rank_of(hit.memory) for hit in hits]
    has_own, all_own = min(ranks, default=USER) <= USER, max(ranks, default=USER) <= USER
    if all_own or not (has_own or any(map(_is_looked_up, hits))):
        return hits
    hits = list(_once(hits))
    more, outside = _from_store(reader, where, hits, query)
    candidates = [*(hit.memory for hit in hits), *more, *outside]
    known, placed = {hit.id: hit for hit in hits}, dict[str, Hit]()
    asker = where.user or USER_NAME
    for hit in hits:
        rivals = [each for each in candidates if _outranks(each, hit, query, asker)]
        for rival in sorted((each for each in rivals if each not in outside), key=rank_of):
            first = placed.get(rival.id)
            if first is None:
                placed[rival.id] = _raised(known.get(rival.id), rival, hit)
            else:  # so that a cut by relevance never keeps only the less trusted one
                placed[rival.id] = replace(first, relevance=max(first.relevance, hit.relevance))
        disputed = tuple(each.id for each in rivals if not _agrees(hit.memory, each))
        placed.setdefault(hit.id, replace(hit, contested=tuple(dict.fromkeys((*hit.contested, *disputed)))))
    return list(placed.values())


def _agrees(memory: Memory, rival: Memory) -> bool:
    """Return whether a text has the value of a rival's fact, no negation, and no figure that the rival lacks."""
    text, fact = memory.content, rival.fact
    if fact is None or fact.object.casefold() not in text.casefold() or denies(text) or has_any(text, "is_over"):
        return False
    clauses = clauses_of(text[:_READ_OF_RIVALS])
    if any(clause.negative or clause.over or clause.tense is Tense.PAST for clause in clauses):
        return False
    figures = {word for word in words(text) if word.isdigit() and any(map(str.isdigit, fact.object))}
    return figures.issubset(words(rival.content))


def _raised(hit: Hit | None, memory: Memory, rival: Hit) -> Hit:
    """Return a hit with at least the score and the relevance of the rival that it precedes."""
    hit = hit or Hit(memory, 0.0, rival.relevance, contested=(rival.id,) if memory.is_contested else ())
    score, relevance = max(hit.score, rival.score), max(hit.relevance, rival.relevance)
    factor = math.prod(signal.value for signal in hit.signals if signal.name.startswith("x "))
    more = Signal(BEFORE_RIVAL, (score - hit.score) / (factor or 1.0))
    return replace(hit, score=score, relevance=relevance, signals=(*hit.signals, more))


def _outranks(rival: Memory, hit: Hit, query: str, asker: str) -> bool:
    memory = hit.memory
    if rank_of(rival) >= rank_of(memory):
        return False
    stated = rank_of(memory) < TOOL
    own = _slots(rival, stated=stated and not denies(rival.content))
    if rival.id in hit.contested or not own.isdisjoint(_slots(memory, stated=stated)):
        return True
    return bool(query) and yields_to_trusted(memory) and _addresses(rival, memory, query, asker)


def _addresses(rival: Memory, memory: Memory, query: str, asker: str) -> bool:
    speakers, named = (speaker(rival) or "", speaker(memory) or ""), rank_of(memory) < TOOL
    return addresses(rival.content, memory.content, query, asker=asker, speakers=speakers, named=named)


def _slots(memory: Memory, *, stated: bool = False) -> frozenset[tuple[str, str]]:
    """Return the slots that a memory states, if it is an agent's or `stated`, else those that it mentions."""
    speaks, user = not (stated or USER < rank_of(memory) < TOOL), compared(memory.scope.user or "user")
    found = slots_of(memory.content[:_READ_OF_RIVALS], memory.fact, speaker(memory), any_clause=speaks)
    parts = ((*subject.partition("'s "), name) for subject, name in found)  # "the user's mother"
    return frozenset(((user if of in union("the_user") else of) + mark + rest, name) for of, mark, rest, name in parts)


def _once(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield hits, of equal texts from one less trusted source only the first."""
    seen: set[tuple[object, ...]] = set()
    for hit in hits:
        source = hit.memory.source
        key = (source.type, source.id, hit.memory.actor, " ".join(hit.content.casefold().split()))
        if rank_of(hit.memory) <= USER or key not in seen:
            seen.add(key)
            yield hit


def _is_looked_up(hit: Hit) -> bool:
    """Return whether rivals of a hit may exist only in the store: for a tool, a page, or an agent's statements."""
    states = hit.memory.fact is not None or bool(hit.contested)
    return rank_of(hit.memory) >= TOOL or (rank_of(hit.memory) > USER and states)


def _from_store(reader: Reader, where: Filter, hits: Sequence[Hit], query: str) -> tuple[list[Memory], list[Memory]]:
    """Return the rivals of less trusted hits that are not among the hits, then those that only the filter excludes."""
    low = [hit for hit in hits if _is_looked_up(hit)]
    known = {hit.id for hit in hits}
    linked = sorted({other for hit in low for other in hit.contested} - known)
    wanted = {each for hit in low for each in _slots(hit.memory) if not each[1].startswith(UNREAD)}
    wider = where.in_time.but(Test("kind", "ne", Kind.WORKING))
    found = list(reader.find(Record, wider.but(Test("id", "in", tuple(linked))))) if linked else []
    if wanted:
        subjects, predicates = (tuple(sorted({key_of(each[part]) for each in wanted})) for part in (0, 1))
        tests = Test("subject_key", "in", subjects), Test("predicate_key", "in", predicates)
        found += reader.find(Record, wider.but(*tests), order="-valid_from", limit=_MOST_RIVALS)
    low = [hit for hit in low if yields_to_trusted(hit.memory)]
    about = terms_about(query, where.user or USER_NAME) if low and query else frozenset[str]()
    unread = (subject for hit in low for subject, name in _slots(hit.memory) if name.startswith(UNREAD))
    about |= frozenset(terms(" ".join(unread)))
    if about:
        above = wider.but(Test("source_type", "in", tuple(SourceType)[: max(rank_of(hit.memory) for hit in low)]))
        nums = reader.search_text(dict.fromkeys(sorted(about), 1.0), above, limit=_MOST_IN_WORDS).nums
        asker = where.user or USER_NAME
        stated = reader.find(Record, above.but(Test("num", "in", tuple(nums.tolist()))))
        found += (each for each in stated if any(_outranks(each.memory, hit, query, asker) for hit in low))
    more = {record.num: record.memory for record in found if record.memory.id not in known}
    records = reader.find(Record, where.but(Test("num", "in", tuple(more)))) if more else ()
    return [more.pop(record.num) for record in records], list(more.values())
