"""Scoring: convex fusion of words and meaning, then bounded boosts for who, when and how well it is known. Pure.

The shape and the constants follow measurements on long conversations (see docs/benchmarks.md): words carry a turn's
score, its neighbours and its session lend to it, meaning adds to it, and names and dates multiply it without ever
filtering.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.numeric import Floats, Ints, Mask, Numbers, np
from recollect.protocols import Mark
from recollect.read.query import Question
from recollect.read.retrievers import SPAN, Candidates, term_idf

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400_000_000  # microseconds
USER, ASSISTANT, TOOL = 1, 2, 3  # places among the trust classes
CHAT_LENGTH = 25  # mean telling words of a text up to which neighbours lend: people chatting, not documents
SEMANTIC = 0.5  # weight of meaning beside words
SPREAD = 0.3  # of cosines from the worst to the best: where they differ less, meaning decides less
SESSION = 0.6
SPEAKER = 0.8
DATED = 0.3


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of the candidates, and the multipliers that each was given, by name."""

    scores: Floats
    words: Floats
    meaning: Floats
    boosts: dict[str, Numbers]


def score(question: Question, found: Candidates) -> Scored:
    """Score the candidates of a question; the order of the result is the order of `found.nums`."""
    chatting = found.stats.average_length <= CHAT_LENGTH
    lexical = _peak(_lent(found.words, found.words_around, chatting) + SESSION * found.session_words)
    meaning = _meaning(found)
    boosts = _boosts(question, found, chatting)
    total = lexical + SEMANTIC * meaning
    if question.windows:
        total = total + DATED * _dated(question, found.columns.valid_from)  # a question may name nothing but a date
    for boost in boosts.values():
        total = total * boost
    return Scored(np.asarray(total, np.float32), lexical, meaning, boosts)


def _lent(own: Floats, around: Floats, chatting: bool) -> Floats:
    """Add to each turn's score a share of its neighbours': in a chat the answer often stands beside the words."""
    if not chatting or not len(own):
        return own
    before2, before1, after1, after2 = (around[:, i] for i in range(2 * SPAN))
    return np.asarray(own + 0.4 * before1 + 0.2 * before2 + 0.2 * after1 + 0.1 * after2)


def _peak(scores: Floats) -> Floats:
    top = float(scores.max(initial=0.0))
    return scores / np.float32(top) if top > 0 else scores


def _meaning(found: Candidates) -> Floats:
    """Return the cosines scaled to 0..1, each with a little of its neighbours' and of the best of its session."""
    known = ~np.isnan(found.cosine)
    if not known.any():
        return np.zeros(len(found.nums), np.float32)
    low, high = float(found.cosine[known].min()), float(found.cosine[known].max())
    span = max(high - low, SPREAD)
    own = np.where(known, (found.cosine - low) / span, 0.0)
    around = np.where(np.isnan(found.cosine_around), 0.0, np.clip((found.cosine_around - low) / span, 0.0, 1.0))
    beside = around[:, SPAN - 1] + around[:, SPAN]
    return np.asarray(own + 0.2 * _peak(beside) + 0.2 * _best_of_session(own, found.columns.session), np.float32)


def _best_of_session(own: Numbers, session: Ints) -> Numbers:
    names, places = np.unique(session, return_inverse=True)
    best = np.zeros(len(names), np.float64)
    np.maximum.at(best, places, own)
    return np.asarray(np.where(session >= 0, best[places], own))


def _boosts(question: Question, found: Candidates, chatting: bool) -> dict[str, Numbers]:
    columns = found.columns
    boosts: dict[str, Any] = {}
    speaking = _speaking(question, found)
    if speaking is not None and speaking.any():
        boosts["speaker"] = 1 + SPEAKER * speaking
    if question.windows:
        boosts["date"] = 1 + 0.5 * _dated(question, columns.valid_from)
    if question.wants_time:
        boosts["time words"] = 1 + 0.2 * ((columns.marks & Mark.TIME_WORDS) > 0)
    if question.wants_latest:
        boosts["latest"] = 1 + 0.5 * _newest(columns.valid_from)
    if chatting:
        boosts["question"] = 1 - 0.1 * ((columns.marks & Mark.QUESTION) > 0)
    boosts["importance"] = 1 + 0.1 * (columns.importance - 0.5)
    boosts["strength"] = 1 + 0.05 * (columns.strength - 1)
    boosts["trust"] = np.where(columns.source_class >= TOOL, 0.8, 1.0)
    return boosts


def _speaking(question: Question, found: Candidates) -> Mask | None:
    columns = found.columns
    if question.named_actor is not None:
        code = columns.actors.index(question.named_actor) if question.named_actor in columns.actors else -2
        return np.asarray(columns.actor == code)
    if question.by_user:
        return np.asarray(columns.source_class == USER)
    return np.asarray(columns.source_class == ASSISTANT) if question.by_assistant else None


def _dated(question: Question, valid_from: Ints) -> Numbers:
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


def _newest(valid_from: Ints) -> Numbers:
    if len(valid_from) < 2:
        return np.ones(len(valid_from))
    order = np.argsort(np.argsort(valid_from, kind="stable"), kind="stable")
    return np.asarray(order / (len(valid_from) - 1))


def _micro(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def relevance(question: Question, found: Candidates, *, low: float, high: float) -> Numbers:
    """Return the absolute relevance of each candidate, in [0, 1], comparable across questions.

    It is made of the share of the question's words that a candidate holds, each weighed by its idf, and of its cosine
    between `low` (says nothing) and `high` (as good as certain); either can carry it: 1 - (1 - words)(1 - meaning).
    """
    idf = term_idf(found.stats)
    weights = np.array([idf[term] for term in question.terms])
    covered = weights @ found.contains / max(float(weights.sum()), 1e-9)
    meaning = np.clip((np.nan_to_num(found.cosine, nan=low) - low) / (high - low), 0.0, 1.0)
    return np.asarray(1 - (1 - covered) * (1 - meaning))
