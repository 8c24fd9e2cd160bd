"""How well procedures mined from one half of recorded sessions predict the tool calls of the other."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeAlias

from benchmarks.report import Progress, Report
from engrain.chat.formats import turns_of
from engrain.chat.logs import read_json
from engrain.lifecycle.mining import (
    GAP,
    MinedProcedure,
    SessionMessage,
    SessionTrace,
    is_requested,
    mined,
    request_words,
    trace_of,
)

LEVELS = (0.7, 0.5, 0.0)
"""The minimum confidences that are tried: the default, and lower ones."""
_TOP, _ROUNDS, _SEED = 3, 2_000, 20240229
_MESSAGES = ("traj", "messages")
Traces: TypeAlias = Sequence[SessionTrace]
Predictor: TypeAlias = Callable[[SessionTrace, int], Sequence[str]]
"""Returns the tools that may be called at a place of a trace, likeliest first."""


_HEAD = (
    f"{'split':<11}{'by':<38}{'mined':>6}{'calls':>7}{'predicted':>11}{'right':>7}{'first':>7}{'95%':>15}{'of 3':>7}"
)


@dataclass(frozen=True, slots=True)
class Prediction:
    """How often one predictor named the next call first, or among the first three.

    Of `calls` it named anything for `predicted`, of which it named the share `right` first. `low` and `high` are the
    95% interval of `first`, the share of all calls, drawn by session; `among` is the share among the first three.
    """

    split: str
    by: str
    procedures: int | None
    calls: int
    predicted: int
    right: float
    first: float
    low: float
    high: float
    among: float


@dataclass(frozen=True, kw_only=True)
class Procedures(Report):
    """The sessions, and the figures of each predictor and split."""

    sessions: int
    successful: int
    calls: int
    rows: tuple[Prediction, ...]

    def lines(self) -> list[str]:
        lines = [
            f"{self.sessions:,} sessions, {self.successful:,} of them successful, {self.calls:,} tool calls",
            "",
            _HEAD,
        ]
        for row in self.rows:
            count = "-" if row.procedures is None else str(row.procedures)
            bounds = f"{row.low:.3f}-{row.high:.3f}"
            shares = f"{row.right:>7.3f}{row.first:>7.3f}{bounds:>15}{row.among:>7.3f}"
            lines.append(f"{row.split:<11}{row.by:<38}{count:>6}{row.calls:>7,}{row.predicted:>11,}{shares}")
        return lines


def evaluate(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Procedures:
    """Mine the first half of the sessions of a file, and predict the calls of the others.

    Where rows name a task, a second split keeps the tasks apart: none of those predicted was mined. Sessions are mined
    with their outcomes, and as if all had succeeded, as where outcomes are unknown.

    Args:
        path: JSON lines with `messages` (or `traj`) as chat APIs have them, `success` (or `reward`, 1 for success) and
            perhaps `task_id`.
        progress: Called after each split.

    Raises:
        ValueError: A row is not a recorded session.
    """
    file = Path(path)
    read = [(row.value, f"{file}, line {row.line}") for row in read_json(file)]
    traces = [_trace(value, where) for value, where in read]
    tasks = [value.get("task_id") for value, _ in read if isinstance(value, Mapping)]
    rows: list[Prediction] = []
    splits = _splits(traces, tasks)
    for number, (name, seen, rest) in enumerate(splits, start=1):
        rows += _figures(name, seen, rest)
        if progress is not None:
            progress(number, len(splits), name)
    return Procedures(
        sessions=len(traces),
        successful=sum(trace.succeeded for trace in traces),
        calls=sum(len(trace.calls) for trace in traces),
        rows=tuple(rows),
    )


def _trace(row: object, where: str) -> SessionTrace:
    messages = next((row[name] for name in _MESSAGES if name in row), None) if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(messages, list):
        raise ValueError(f"{where}: not a recorded session: it needs a list of messages")
    try:
        turns = turns_of(messages)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error
    outcome = row.get("success", row.get("reward"))
    succeeded = outcome is None or (isinstance(outcome, int | float) and outcome >= 1)
    trace = trace_of(where, (SessionMessage(turn.role, turn.content, turn.metadata) for turn in turns))
    return replace(trace, succeeded=trace.succeeded and succeeded)


def _splits(traces: Traces, tasks: Sequence[object]) -> list[tuple[str, Traces, Traces]]:
    half = (len(traces) + 1) // 2
    found: list[tuple[str, Traces, Traces]] = [("by order", traces[:half], traces[half:])]
    distinct = list(dict.fromkeys(map(str, tasks)))
    if None not in tasks and 1 < len(distinct) < len(traces):
        first = set(distinct[: (len(distinct) + 1) // 2])
        sides: dict[bool, list[SessionTrace]] = {True: [], False: []}
        for trace, task in zip(traces, tasks, strict=True):
            sides[str(task) in first].append(trace)
        found.append(("by task", sides[True], sides[False]))
    return found


def _figures(split: str, seen: Traces, rest: Traces) -> list[Prediction]:
    """Return the figures of every predictor of the rest that what was seen makes."""
    frequent, following = _most_frequent(seen), _bigram(seen)
    rows = [_measure(split, "most frequent", None, frequent, rest), _measure(split, "bigram", None, following, rest)]
    for name, known in (("", seen), (", outcomes unknown", [replace(trace, succeeded=True) for trace in seen])):
        for level in LEVELS:
            found = mined(known, min_confidence=level)
            procedures = _next_steps(found)
            rows.append(_measure(split, f"procedures from {level}{name}", len(found), procedures, rest))
            rows.append(_measure(split, "  else bigram", len(found), _either(procedures, following), rest))
    return rows


def _measure(split: str, by: str, procedures: int | None, predict: Predictor, rest: Traces) -> Prediction:
    hits: list[tuple[int, int]] = []  # of each session: calls, and those named first
    predicted = among = 0
    for trace in rest:
        right = 0
        for at, tool in enumerate(trace.tools):
            named = list(dict.fromkeys(predict(trace, at)))[:_TOP]
            predicted, among, right = predicted + bool(named), among + (tool in named), right + (named[:1] == [tool])
        hits.append((len(trace.calls), right))
    calls, first = sum(each for each, _ in hits), sum(each for _, each in hits)
    low, high = _interval(hits)
    whole = max(calls, 1)
    return Prediction(
        split, by, procedures, calls, predicted, first / max(predicted, 1), first / whole, low, high, among / whole
    )


def _interval(hits: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return the bootstrapped 95% interval of the share of hits; calls of one session are drawn together."""
    if not hits:
        return 0.0, 0.0
    random, shares = Random(_SEED), []
    for _ in range(_ROUNDS):
        drawn = random.choices(hits, k=len(hits))
        shares.append(sum(first for _, first in drawn) / max(sum(calls for calls, _ in drawn), 1))
    shares.sort()
    return shares[round(0.025 * (_ROUNDS - 1))], shares[round(0.975 * (_ROUNDS - 1))]


def _most_frequent(seen: Traces) -> Predictor:
    ranked = _ranked(Counter(tool for trace in seen for tool in trace.tools))
    return lambda trace, at: ranked


def _bigram(seen: Traces) -> Predictor:
    """Return what mostly followed the last call, then what is called most."""
    counts: dict[str, Counter[str]] = {}
    for trace in seen:
        for before, tool in zip(("", *trace.tools), trace.tools, strict=False):
            counts.setdefault(before, Counter())[tool] += 1
    after = {before: _ranked(count) for before, count in counts.items()}
    frequent = _most_frequent(seen)
    return lambda trace, at: [*after.get(trace.tools[at - 1] if at else "", ()), *frequent(trace, at)]


def _ranked(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda tool: (-counts[tool], tool))


def _either(one: Predictor, other: Predictor) -> Predictor:
    return lambda trace, at: [*one(trace, at), *other(trace, at)]


def _next_steps(found: Sequence[MinedProcedure]) -> Predictor:
    """Return the next steps of the procedures that a session is in, the furthest advanced first.

    It is in one when it has done the first half of it, which is what its confidence is about; before the first call,
    when the user has asked with the words of its trigger.
    """

    def predict(trace: SessionTrace, at: int) -> list[str]:
        done, words = trace.tools[:at], request_words(trace.before(at))
        named: list[tuple[tuple[float, ...], str]] = []
        for each in found:
            steps = [str(step.tool_name) for step in each.procedure.steps]
            asked = is_requested(each.triggers, words)
            begun = _begun(done, steps)
            counts = 2 * begun >= len(steps) or (not done and each.triggers and asked)
            if begun < len(steps) and counts:
                named.append(((-begun, -asked, -each.procedure.confidence, -each.support), steps[begun]))
        return [tool for _, tool in sorted(named)]

    return predict


def _begun(done: Sequence[str], steps: Sequence[str]) -> int:
    """Return how many of the first steps were done, the last of them no longer ago than the gap of a procedure."""
    ends: list[set[int]] = [set() for _ in steps]
    for place, tool in enumerate(done):
        for number, step in enumerate(steps):
            reached = number == 0 or any(place - 1 - GAP <= end < place for end in ends[number - 1])
            if step == tool and reached:
                ends[number].add(place)
    recent = (number for number, places in enumerate(ends, start=1) if any(p >= len(done) - 1 - GAP for p in places))
    return max(recent, default=0)
