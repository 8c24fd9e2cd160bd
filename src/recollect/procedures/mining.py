"""Procedures out of traces: recurring sequences of calls that went well, generalised. Decided on values alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, zip_longest
from typing import Any

from recollect.models import SourceType
from recollect.procedure import Procedure, ProcedureStep
from recollect.procedures.patterns import Ends, Pattern, extended, frequent, holds, occurrence, singles
from recollect.procedures.templates import template
from recollect.procedures.traces import Call, Trace
from recollect.procedures.triggers import is_asked, said_words, shared_words
from recollect.security.injection import suspicions
from recollect.text import digest
from recollect.write.procedures import text_of

MOST_WEIGHED = 300
"""Patterns whose confidence is worked out: those that explain most calls."""
MOST_READ = 40_000
"""Sessions that are read for that, one for each pattern that they show."""
MOST_MINED = 50
"""Procedures of one run."""
MOST_CITED = 100
"""Episodes that a procedure cites."""
_LONGEST_NAME = 160


@dataclass(frozen=True, slots=True)
class Mined:
    """A procedure as it was found: in how many sessions it went well, of how many that began it, and what tells so.

    `supporting` are the places of those sessions among the traces, `triggers` the terms of its trigger.
    """

    procedure: Procedure
    support: int
    begun: int
    episodes: tuple[str, ...]
    source: SourceType
    agent: str | None
    supporting: tuple[int, ...] = ()
    triggers: tuple[str, ...] = ()


def mined(traces: Sequence[Trace], *, min_support: int = 3, min_confidence: float = 0.7) -> list[Mined]:
    """Return the procedures that traces show, the best supported first.

    A sequence of calls supports a procedure where every call of it went well, with at most two others between
    neighbours, in a session that is not known to have failed. Its confidence is the share of such sessions among those
    that began it: they made the first half of its calls, failed ones included, and their user asked with the words of
    its trigger, where it has one. One that a longer one holds is left out if that has half its support.
    """
    ground = _Ground(traces)
    lists = [tuple(trace.calls[at].tool for at in good) if trace.succeeded else () for trace, good in ground.pairs]
    patterns = frequent(lists, max(min_support, 1))
    weighed = sorted(patterns, key=lambda each: -len(each.lists) * (len(each.items) - 1))[:MOST_WEIGHED]
    sure: list[tuple[Pattern, Mined]] = []
    for pattern, read in zip(weighed, accumulate(len(each.lists) for each in weighed), strict=True):
        if read > MOST_READ and sure:
            break
        candidate = ground.candidate(pattern, min_confidence)
        if candidate is not None:
            sure.append((pattern, candidate))
    return _readable(sure)[:MOST_MINED]


def _readable(found: Sequence[tuple[Pattern, Mined]]) -> list[Mined]:
    """Leave out what a longer procedure says as well."""
    kept: list[tuple[Pattern, Mined]] = []
    for pattern, candidate in sorted(found, key=lambda each: (-len(each[0].items), -each[1].support, each[0].items)):
        longer = (one for one, _ in kept if 2 * len(one.lists) >= len(pattern.lists))
        if not any(holds(one.items, pattern.items) for one in longer):
            kept.append((pattern, candidate))
    return [each for _, each in sorted(kept, key=lambda each: (-each[1].support, -len(each[0].items), each[0].items))]


@dataclass
class _Ground:
    """The traces, and what is asked of each more than once."""

    traces: Sequence[Trace]
    words: list[dict[str, str]] = field(init=False)
    pairs: list[tuple[Trace, tuple[int, ...]]] = field(init=False)
    tools: list[tuple[str, ...]] = field(init=False)
    halves: dict[tuple[str, ...], Ends] = field(init=False)
    sayers: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.pairs = [(trace, trace.good) for trace in self.traces]
        self.tools = [trace.tools for trace in self.traces]
        self.words = [said_words(trace.before(len(trace.calls))) for trace in self.traces]
        self.sayers = Counter(term for words in self.words for term in words)
        self.halves = {(tool,): ends for tool, ends in singles(self.tools).items()}

    def candidate(self, pattern: Pattern, least: float) -> Mined | None:
        """Return the procedure that a pattern is; None when it is not sure enough, or looks like an attack."""
        places = {number: self._places(number, pattern) for number in pattern.lists}
        half = self._half(pattern.items[: (len(pattern.items) + 1) // 2])
        triggers = self._triggers(pattern, places, half)
        begun = {number for number in half if is_asked(triggers, self.words[number])} | set(pattern.lists)
        if len(pattern.lists) / len(begun) < least:
            return None
        calls = [[self.traces[n].calls[at] for at in found] for n, found in places.items()]
        procedure = _procedure(pattern, calls, triggers, len(begun))
        if suspicions(text_of(procedure), SourceType.TOOL_RESULT):
            return None
        told = [list(dict.fromkeys(chain(*(call.episodes for call in each)))) for each in calls]
        agents = {self.traces[n].agent for n in pattern.lists} - {None}
        return Mined(
            procedure,
            len(pattern.lists),
            len(begun),
            _in_turns(told),
            max((self.traces[n].source for n in pattern.lists), key=list(SourceType).index),
            agents.pop() if len(agents) == 1 else None,
            pattern.lists,
            tuple(triggers),
        )

    def _half(self, items: tuple[str, ...]) -> Ends:
        """Return in which traces items occur, and where they end, failed calls included."""
        if items not in self.halves:
            self.halves[items] = extended(self.tools, self._half(items[:-1]), items[-1:])
        return self.halves[items]

    def _places(self, number: int, pattern: Pattern) -> tuple[int, ...]:
        """Return where in a trace that supports it a pattern first occurs."""
        trace, good = self.pairs[number]
        found = occurrence([trace.calls[at].tool for at in good], pattern.items)
        assert found is not None
        return tuple(good[at] for at in found)

    def _triggers(self, pattern: Pattern, places: Mapping[int, tuple[int, ...]], half: Ends) -> dict[str, str]:
        """Return what its sessions ask for and those do not that do something else, whatever came of it."""
        whole = extended(self.tools, half, pattern.items[(len(pattern.items) + 1) // 2 :])
        more = [number for number in whole if number not in places]
        own = [said_words(self.traces[number].before(found[0])) for number, found in places.items()]
        own += [self.words[number] for number in more]
        inside = Counter(term for number in (*places, *more) for term in self.words[number])
        there = {term: self.sayers[term] - inside[term] for words in own for term in words}
        return shared_words(own, there, len(self.traces) - len(own))


def _procedure(pattern: Pattern, calls: Sequence[Sequence[Call]], triggers: Mapping[str, str], begun: int) -> Procedure:
    """Return the procedure of a pattern, out of the calls of each session that supports it."""
    support = len(pattern.lists)
    steps = tuple(
        ProcedureStep(action=f"Call {tool}", tool_name=tool, parameters_template=template([c.arguments for c in step]))
        for tool, step in zip(pattern.items, zip(*calls, strict=True), strict=True)
    )
    return Procedure(
        name=name_of(pattern.items),
        description=f"Done in {support} sessions that went well, of {begun} that began so.",
        trigger_conditions=(", ".join(triggers.values()),) if triggers else (),
        steps=steps,
        confidence=support / begun,
        metadata={"mined": True, "support": support, "begun": begun},
    )


def name_of(tools: Sequence[str]) -> str:
    """Return what a sequence of tools is called; another sequence has another name."""
    name = ", then ".join(tools)
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{tools[0][:60]} to {tools[-1][:60]} in {len(tools)} steps ({digest(*tools)[:8]})"


def _in_turns(told: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Return the episodes of all sessions, the first of each, then the second ...; as many as are cited."""
    found = dict.fromkeys(each for row in zip_longest(*told) for each in row if each)
    return tuple(found)[:MOST_CITED]
