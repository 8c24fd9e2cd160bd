"""How well mined procedures tell what is done next: the first half of recorded sessions mined, the rest foretold."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from engrain.chat.formats import turns_of
from engrain.chat.logs import read_json
from engrain.lifecycle.mining import GAP, Episode, Mined, Trace, is_asked, mined, said_words, trace_of

LEVELS = (0.7, 0.5, 0.0)
"""The least confidences at which it is mined: the default, and what it would be with less."""
_TOP, _ROUNDS, _SEED = 3, 2_000, 20240229
_MESSAGES = ("traj", "messages")
Progress = Callable[[int, int, str], None]
Foretelling = Callable[
    [Trace, int], Sequence[str]
]  # the tools that may be called at a place of a trace, likeliest first


@dataclass(frozen=True, slots=True)
class Foretold:
    """How often one way to foretell named the next call first, or among the first three.

    `told` counts the calls of which it said anything, `right` is the share of those that it named first. `low` and
    `high` bound `first`, drawn session by session.
    """

    split: str
    by: str
    procedures: int | None
    calls: int
    told: int
    right: float
    first: float
    low: float
    high: float
    among: float


@dataclass(frozen=True, slots=True)
class ProcedureFigures:
    """What was mined from and foretold, and the figures of each way and split."""

    sessions: int
    successful: int
    calls: int
    rows: tuple[Foretold, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return asdict(self)

    def table(self) -> str:
        """Return the figures as text for people."""
        head = f"{self.sessions:,} sessions, {self.successful:,} of them successful, {self.calls:,} tool calls"
        lines = [
            head,
            "",
            f"{'split':<11}{'by':<38}{'mined':>6}{'calls':>7}{'told':>7}{'right':>7}{'first':>7}{'95%':>15}{'of 3':>7}",
        ]
        for row in self.rows:
            count = "-" if row.procedures is None else str(row.procedures)
            bounds = f"{row.low:.3f}-{row.high:.3f}"
            shares = f"{row.right:>7.3f}{row.first:>7.3f}{bounds:>15}{row.among:>7.3f}"
            numbers = f"{count:>6}{row.calls:>7,}{row.told:>7,}{shares}"
            lines.append(f"{row.split:<11}{row.by:<38}{numbers}")
        return "\n".join(lines)


def evaluate(path: str | os.PathLike[str], *, progress: Progress | None = None) -> ProcedureFigures:
    """Mine the first half of the sessions of a file, and foretell the calls of the others.

    Each row holds `messages` (or `traj`) as chat APIs have them, and `success` (or `reward`, 1 for success). Where rows
    name a task, a second split keeps the tasks apart: none of those foretold was mined. It is mined with the outcomes
    of the sessions, and as if nobody knew them, as is usual where agents work. Nothing is chosen by what is foretold.
    """
    file = Path(path)
    read = [(row.value, f"{file}, line {row.line}") for row in read_json(file)]
    traces = [_trace(value, where) for value, where in read]
    tasks = [value.get("task_id") for value, _ in read if isinstance(value, Mapping)]
    rows: list[Foretold] = []
    splits = _splits(traces, tasks)
    for number, (name, seen, rest) in enumerate(splits, start=1):
        rows += _figures(name, seen, rest)
        if progress is not None:
            progress(number, len(splits), name)
    return ProcedureFigures(
        len(traces), sum(trace.succeeded for trace in traces), sum(len(trace.calls) for trace in traces), tuple(rows)
    )


def _trace(row: object, where: str) -> Trace:
    messages = next((row[name] for name in _MESSAGES if name in row), None) if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(messages, list):
        raise ValueError(f"{where}: no recorded session: it needs a list of messages")
    try:
        turns = turns_of(messages)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error
    told = row.get("success", row.get("reward"))
    went_well = told is None or (isinstance(told, int | float) and told >= 1)
    trace = trace_of(where, (Episode(turn.role, turn.content, turn.metadata) for turn in turns))
    return replace(trace, succeeded=trace.succeeded and went_well)


def _splits(traces: Sequence[Trace], tasks: Sequence[object]) -> list[tuple[str, Sequence[Trace], Sequence[Trace]]]:
    half = (len(traces) + 1) // 2
    found: list[tuple[str, Sequence[Trace], Sequence[Trace]]] = [("by order", traces[:half], traces[half:])]
    distinct = list(dict.fromkeys(map(str, tasks)))
    if None not in tasks and 1 < len(distinct) < len(traces):
        first = set(distinct[: (len(distinct) + 1) // 2])
        kept = [str(task) in first for task in tasks]
        seen = [trace for trace, is_first in zip(traces, kept, strict=True) if is_first]
        found.append(("by task", seen, [trace for trace, is_first in zip(traces, kept, strict=True) if not is_first]))
    return found


def _figures(split: str, seen: Sequence[Trace], rest: Sequence[Trace]) -> list[Foretold]:
    """Return the figures of every way to foretell the rest by what was seen."""
    frequent, following = _frequent(seen), _following(seen)
    rows = [_measured(split, "most frequent", None, frequent, rest), _measured(split, "bigram", None, following, rest)]
    for name, known in (("", seen), (", outcomes unknown", [replace(trace, succeeded=True) for trace in seen])):
        for level in LEVELS:
            found = mined(known, min_confidence=level)
            procedures = _practised(found)
            rows.append(_measured(split, f"procedures from {level}{name}", len(found), procedures, rest))
            rows.append(_measured(split, "  else bigram", len(found), _either(procedures, following), rest))
    return rows


def _measured(split: str, by: str, count: int | None, foretell: Foretelling, rest: Sequence[Trace]) -> Foretold:
    hits: list[tuple[int, int]] = []  # of each session: calls, and those named first
    told = among = 0
    for trace in rest:
        right = 0
        for at, tool in enumerate(trace.tools):
            named = list(dict.fromkeys(foretell(trace, at)))[:_TOP]
            told, among, right = told + bool(named), among + (tool in named), right + (named[:1] == [tool])
        hits.append((len(trace.calls), right))
    calls = sum(each for each, _ in hits)
    low, high = _interval(hits)
    first = sum(each for _, each in hits)
    whole = max(calls, 1)
    return Foretold(split, by, count, calls, told, first / max(told, 1), first / whole, low, high, among / whole)


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


def _frequent(seen: Sequence[Trace]) -> Foretelling:
    ranked = _ranked(Counter(tool for trace in seen for tool in trace.tools))
    return lambda trace, at: ranked


def _following(seen: Sequence[Trace]) -> Foretelling:
    """Return what mostly followed the last call, and after that what is called mostly."""
    counts: dict[str, Counter[str]] = {}
    for trace in seen:
        for before, tool in zip(("", *trace.tools), trace.tools, strict=False):
            counts.setdefault(before, Counter())[tool] += 1
    after = {before: _ranked(count) for before, count in counts.items()}
    frequent = _ranked(Counter(tool for trace in seen for tool in trace.tools))
    return lambda trace, at: [*after.get(trace.tools[at - 1] if at else "", ()), *frequent]


def _ranked(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda tool: (-counts[tool], tool))


def _either(one: Foretelling, other: Foretelling) -> Foretelling:
    return lambda trace, at: [*one(trace, at), *other(trace, at)]


def _practised(found: Sequence[Mined]) -> Foretelling:
    """Return the next steps of the procedures that a session is in, those first of which it has done most.

    It is in one when it has done the first half of it, which is what its confidence is about; before the first call,
    when the user has asked with the words of its trigger.
    """

    def foretell(trace: Trace, at: int) -> list[str]:
        done, said = trace.tools[:at], said_words(trace.before(at))
        named: list[tuple[tuple[float, ...], str]] = []
        for each in found:
            steps = [str(step.tool_name) for step in each.procedure.steps]
            asked = is_asked(each.triggers, said)
            begun = _begun(done, steps)
            counts = 2 * begun >= len(steps) or (not done and each.triggers and asked)
            if begun < len(steps) and counts:
                named.append(((-begun, -asked, -each.procedure.confidence, -each.support), steps[begun]))
        return [tool for _, tool in sorted(named)]

    return foretell


def _begun(done: Sequence[str], steps: Sequence[str]) -> int:
    """Return how many of the first steps were done, the last of them not longer ago than a procedure lets pass."""
    ends: list[set[int]] = [set() for _ in steps]
    for place, tool in enumerate(done):
        for number, step in enumerate(steps):
            reached = number == 0 or any(place - 1 - GAP <= end < place for end in ends[number - 1])
            if step == tool and reached:
                ends[number].add(place)
    recent = (number for number, places in enumerate(ends, start=1) if any(p >= len(done) - 1 - GAP for p in places))
    return max(recent, default=0)
