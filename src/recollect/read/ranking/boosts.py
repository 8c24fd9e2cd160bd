"""Bounded multipliers: who speaks, when it was, what kind of text it is, and how well it is known. Pure.

They lift and lower; they never filter.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.numeric import Floats, Ints, Mask, Numbers, np
from recollect.policies import Convex
from recollect.protocols import Mark
from recollect.read.query import Question
from recollect.read.retrievers import Candidates

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
