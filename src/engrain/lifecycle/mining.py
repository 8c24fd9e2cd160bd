"""Procedures mined from the sessions of a view."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import heappop, heappush
from itertools import accumulate, chain, zip_longest
from typing import Any, NamedTuple

from engrain.chat.logs import OUTCOME, arguments_of, role_named, usual
from engrain.conversation.durable import is_silent
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.language.tokens import content_pairs
from engrain.lifecycle.procedures import key_of
from engrain.model.filters import Meta, Test, within
from engrain.model.memory import Kind, Memory, Scope, SourceType, Status
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.model.scope import is_whole
from engrain.security.injection.detector import suspicions
from engrain.security.trust import classify
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import ConversationRow, Record, TurnRow, conversation_id
from engrain.text import digest
from engrain.validation import checked_metadata, checked_share
from engrain.write.pipeline import Writer
from engrain.write.prepare import (
    Draft,
    Intent,
    Prepared,
    draft,
    embedded,
    prepare,
    screened_text,
    text_of,
    with_procedure,
)

MOST_CALLS = 200
"""Calls of a session that are looked at: its first."""
_TRACES_LONGEST_NAME, _LONGEST_ARGUMENTS, _LONGEST_WORDS = 128, 20_000, 4_000
_NAMELESS = "unknown"  # what a call without a name is called
_ERROR = re.compile(
    r"(?:[\w.]*(?:error|exception)|failed|failure)(?::|!|$)|traceback \(most recent"
    r"|(?:exit(?:ed with)?(?: code| status)?|returned)[ :]+[1-9]\d*\b|(?:HTTP(?:/[\d.]+)? )[45]\d\d\b|[1-9]\d* failed\b"
    r"|[^\n]{0,80}: (?:command not found|No such file or directory|Permission denied)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Episode:
    """A message as mining reads it; `memory_id` is "" where it is no memory, and one that is `hidden` tells nothing."""

    role: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    memory_id: str = ""
    source: SourceType = SourceType.LLM_GENERATED
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, the memories that tell of it, and whether it went well; nobody knows of one unanswered."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    episodes: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """The calls of one session; `said` is what its user said, each with the number of calls that came before.

    `succeeded` is False where the session is known to have failed. `source` is the least trusted of what it is read
    from.
    """

    session: str
    calls: tuple[Call, ...]
    said: tuple[tuple[int, str], ...] = ()
    succeeded: bool = True
    agent: str | None = None
    source: SourceType = SourceType.TOOL_RESULT

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools called, failed calls included."""
        return tuple(call.tool for call in self.calls)

    @property
    def good(self) -> tuple[int, ...]:
        """The places of the calls that did not fail."""
        return tuple(at for at, call in enumerate(self.calls) if not call.failed)

    def before(self, at: int) -> str:
        """Return what the user had said when the call at a place was made."""
        return "\n".join(text for calls, text in self.said if calls <= at)[:_LONGEST_WORDS]


@dataclass
class _Reading:
    calls: list[Call] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    open: dict[int, str] = field(default_factory=dict)
    succeeded: bool = True


def trace_of(session: str, episodes: Iterable[Episode], *, agent: str | None = None) -> Trace:
    """Return what was done in a session, told by its messages in order.

    Calls of one message are parallel, and stand in the order of their names. A call counts as failed when its result
    is marked so (`success` False) or begins as errors do; a session when the last message that carries
    `session_success` says False. What is hidden takes the calls away that it makes or answers.
    """
    reading, least = _Reading(), SourceType.TOOL_RESULT
    trust = list(SourceType)
    for episode in episodes:
        if not episode.hidden:
            least = max(least, episode.source, key=trust.index)
            told = episode.metadata.get(OUTCOME)
            reading.succeeded = told if isinstance(told, bool) else reading.succeeded
        if episode.role == "tool":
            _answer(reading, episode)
        elif episode.role == "user" and not episode.hidden:
            reading.said.append((len(reading.calls), episode.text))
        _call(reading, episode)
    kept = [at for at in range(len(reading.calls)) if at not in reading.gone]
    shift = {at: sum(other < at for other in kept) for at in {calls for calls, _ in reading.said}}
    said = tuple((shift[calls], text) for calls, text in reading.said)
    return Trace(session, tuple(reading.calls[at] for at in kept), said, reading.succeeded, agent, least)


def _call(reading: _Reading, episode: Episode) -> None:
    """Note the calls that a message makes; those with a name that is none, or no honest one, are left out."""
    made = episode.metadata.get("tool_calls")
    calls = [usual(call) for call in made if isinstance(call, Mapping)] if isinstance(made, list) else []
    for call in sorted(calls, key=lambda call: str(call["function"]["name"])):
        tool = call["function"]["name"]
        if len(reading.calls) >= MOST_CALLS or tool == _NAMELESS or not is_name(tool):
            continue
        at = len(reading.calls)
        own = (episode.memory_id,) if episode.memory_id else ()
        given = arguments_of(call) if len(call["function"]["arguments"]) <= _LONGEST_ARGUMENTS else {}
        reading.calls.append(Call(tool, given, own))
        reading.open[at] = call["id"]
        if episode.hidden:
            reading.gone.add(at)


def _answer(reading: _Reading, episode: Episode) -> None:
    """Note how a call went: the one that the result names, else the oldest unanswered one of its tool."""
    named, name = episode.metadata.get("tool_call_id"), episode.metadata.get("name")
    for at, call_id in reading.open.items():
        if call_id == named if named and call_id else name in (None, "", reading.calls[at].tool):
            break
    else:
        return
    del reading.open[at]
    if episode.hidden:
        reading.gone.add(at)
        return
    call = reading.calls[at]
    own = (*call.episodes, episode.memory_id) if episode.memory_id else call.episodes
    failed = episode.metadata.get("success") is False or tells_failure(episode.text)
    reading.calls[at] = replace(call, episodes=own, failed=failed)


def tells_failure(text: str) -> bool:
    """Say whether what a tool returned says that it failed: an error by its first words, or by its JSON fields."""
    start = text[:_LONGEST_ARGUMENTS].strip()
    if _ERROR.match(start):
        return True
    if not start.startswith("{"):
        return False
    try:
        found = json.loads(start)
    except (ValueError, RecursionError):
        return False
    refused = any(found.get(name) is False for name in ("success", "ok"))
    return refused or bool(found.get("error")) or str(found.get("status")).lower() in ("error", "failed", "failure")


def is_name(tool: str) -> bool:
    """Say whether a text can name a tool or an argument: short, on one line, and no order to its reader."""
    return (
        bool(tool.strip())
        and len(tool) <= _TRACES_LONGEST_NAME
        and tool.isprintable()
        and not suspicions(tool, SourceType.TOOL_RESULT)
    )


MOST_SESSIONS = 2_000
"""Sessions that are looked at: those that called tools last."""
_CALLING = 20_000  # messages with calls that are looked at to find them
_AT_ONCE = 100  # sessions read at once
_MESSAGES = 50_000  # of so many sessions
_USERS = ("user", "human")


class _Placed(NamedTuple):
    """A message, and where in its session it stands."""

    position: int
    episode: Episode


def traces(engine: Engine, scope: Scope) -> dict[str | None, list[Trace]]:
    """Return, by user, what was done in the sessions that a view sees; nothing of one user is beside another's."""
    now = engine.clock.now()
    found: dict[str | None, list[Trace]] = {}
    with engine.store.read(scope.org) as reader:
        places = _places(reader, scope)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            said = _said(engine, reader, scope, some, now)
            for place in some:
                episodes = [each.episode for each in sorted(said[place], key=lambda each: each.position)]
                trace = trace_of(place.session or "", episodes, agent=place.agent)
                if trace.calls:
                    found.setdefault(place.user, []).append(trace)
    return found


def _places(reader: Reader, scope: Scope) -> list[Scope]:
    """Return the sessions in which tools were called, the last first."""
    calling = (Test("kind", "eq", Kind.EPISODIC), Test("session", "ne", None), Meta("tool_calls", "exists", True))
    records = reader.find(Record, within(scope).but(*calling), order="-recorded_at", limit=_CALLING)
    found = dict.fromkeys(record.memory.scope for record in records)
    talks = reader.find(ConversationRow, within(scope), order="-num", limit=MOST_SESSIONS)
    silent = {row.num: row for row in talks if row.scope not in found}
    for row in reader.find(TurnRow, [Test("conversation", "in", tuple(silent)), Test("num", "eq", None)]):
        if row.metadata.get("tool_calls"):
            found.setdefault(silent[row.conversation].scope)
    return list(found)[:MOST_SESSIONS]


def _said(
    engine: Engine, reader: Reader, scope: Scope, places: Sequence[Scope], now: datetime
) -> dict[Scope, list[_Placed]]:
    """Return the messages of some sessions: what is a memory, and what only the log holds."""
    said: dict[Scope, list[_Placed]] = {place: [] for place in places}
    names = tuple({place.session for place in places})
    episodic = within(scope).but(Test("kind", "eq", Kind.EPISODIC), Test("session", "in", names))
    for record in reader.find(Record, episodic, order="num", limit=_MESSAGES):
        if record.memory.scope in said:
            said[record.memory.scope].append(_remembered(record.memory, now))
    ids = tuple(map(conversation_id, places))
    held = {row.num: row.scope for row in reader.find(ConversationRow, [Test("id", "in", ids)])}
    logged = [Test("conversation", "in", tuple(held)), Test("num", "eq", None)]
    for row in reader.find(TurnRow, logged, order="position", limit=_MESSAGES):
        if held[row.conversation] in said:
            said[held[row.conversation]].append(_logged(engine, row))
    return said


def _remembered(memory: Memory, now: datetime) -> _Placed:
    """Return a memory as a message of its session; what is not in force tells nothing."""
    role = "assistant"
    if memory.source.type is SourceType.TOOL_RESULT or "tool_call_id" in memory.metadata:
        role = "tool"
    elif memory.source.type is SourceType.USER_INPUT or (memory.actor or "").lower() in _USERS:
        role = "user"
    hidden = memory.as_of_clock(now).status is not Status.ACTIVE
    episode = Episode(role, memory.content, memory.metadata, memory.id, memory.source.type, hidden)
    return _Placed(memory.position or 0, episode)


def _logged(engine: Engine, row: TurnRow) -> _Placed:
    """Return a turn that is no memory as a message of its session."""
    role, source = role_named(row.role)
    trust = classify(source, engine.settings.origins)[0]
    return _Placed(row.position, Episode(role, row.content or "", row.metadata, "", trust, is_silent(row, engine)))


GAP = 2
"""The most other items between two neighbours of a pattern."""
LONGEST = 8
"""The most items of a pattern."""
EFFORT = 600_000
"""The places that are looked at before a search ends; the most frequent patterns are found first."""
Items = Sequence[str]
Ends = dict[int, tuple[int, ...]]
"""By list, where occurrences of a pattern end."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Items that occur in this order, and in which of the lists."""

    items: tuple[str, ...]
    lists: tuple[int, ...]


def frequent(lists: Sequence[Items], least: int, *, effort: int = EFFORT) -> list[Pattern]:
    """Return the closed patterns of two or more items that at least `least` lists hold, the most frequent first.

    A pattern is closed when no longer one that holds it occurs in the same lists. Patterns grow at their end, the most
    frequent first, until `effort` is spent.
    """
    waiting: list[tuple[int, tuple[str, ...], Ends]] = []
    for item, ends in singles(lists).items():
        if len(ends) >= least:
            heappush(waiting, (-len(ends), (item,), ends))
    found: list[Pattern] = []
    while waiting and effort > 0:
        _, items, ends = heappop(waiting)
        if len(items) > 1:
            found.append(Pattern(items, tuple(sorted(ends))))
        if len(items) < LONGEST:
            longer, spent = _longer(lists, ends)
            effort -= spent
            for item, reached in longer.items():
                if len(reached) >= least:
                    heappush(waiting, (-len(reached), (*items, item), reached))
    return _closed(found)


def singles(lists: Sequence[Items]) -> dict[str, Ends]:
    """Return, by item, in which lists it stands, and where."""
    found: dict[str, dict[int, list[int]]] = {}
    for number, items in enumerate(lists):
        for place, item in enumerate(items):
            found.setdefault(item, {}).setdefault(number, []).append(place)
    return {item: {number: tuple(places) for number, places in ends.items()} for item, ends in found.items()}


def _longer(lists: Sequence[Items], ends: Ends) -> tuple[dict[str, Ends], int]:
    """Return, by item, where patterns end that are longer by it, and how many places were looked at."""
    found: dict[str, dict[int, set[int]]] = {}
    spent = 0
    for number, places in ends.items():
        items = lists[number]
        after = {after for place in places for after in range(place + 1, min(place + 2 + GAP, len(items)))}
        spent += 1 + len(after)
        for place in after:
            found.setdefault(items[place], {}).setdefault(number, set()).add(place)
    return {item: {n: tuple(places) for n, places in reached.items()} for item, reached in found.items()}, spent


def _closed(found: Sequence[Pattern]) -> list[Pattern]:
    alike: dict[tuple[int, ...], list[Pattern]] = {}
    for pattern in found:
        alike.setdefault(pattern.lists, []).append(pattern)
    closed = []
    for group in alike.values():
        kept: list[Pattern] = []
        for pattern in sorted(group, key=lambda pattern: -len(pattern.items)):
            if not any(holds(longer.items, pattern.items) for longer in kept):
                kept.append(pattern)
        closed += kept
    return sorted(closed, key=lambda pattern: (-len(pattern.lists), -len(pattern.items), pattern.items))


def extended(lists: Sequence[Items], ends: Ends, items: Items) -> Ends:
    """Return where a pattern ends that is longer by some items than the one that ends at `ends`."""
    for item in items:
        reached: Ends = {}
        for number, places in ends.items():
            row = lists[number]
            after = {n for place in places for n in range(place + 1, min(place + 2 + GAP, len(row))) if row[n] == item}
            if after:
                reached[number] = tuple(after)
        ends = reached
    return ends


def holds(items: Items, pattern: Items) -> bool:
    """Say whether a list holds a pattern at all, whatever stands in between."""
    following = iter(items)
    return all(item in following for item in pattern)


def occurrence(items: Items, pattern: Items) -> tuple[int, ...] | None:
    """Return the places of a pattern's first occurrence in a list, with no more than `GAP` between; None if none."""
    steps: list[dict[int, int]] = []
    for number, item in enumerate(pattern):
        if number == 0:
            steps.append({place: -1 for place, each in enumerate(items) if each == item})
            continue
        step: dict[int, int] = {}
        for before in sorted(steps[-1]):
            for place in range(before + 1, min(before + 2 + GAP, len(items))):
                if items[place] == item:
                    step.setdefault(place, before)
        steps.append(step)
    if not steps or not steps[-1]:
        return None
    places = [min(steps[-1])]
    for step in reversed(steps[1:]):
        places.append(step[places[-1]])
    return tuple(reversed(places))


_DEEPEST, _TEMPLATES_MOST, _LONGEST = 6, 40, 200  # levels, arguments of a level, characters of a value that stays
_MISSING = object()


def template(calls: Sequence[Mapping[str, Any]], *, within: str = "", depth: int = 0) -> dict[str, Any]:
    """Return the arguments that all calls give: the value where they agree, `{name}` where not, objects by their parts.

    An object's parts are named `{object.part}`. Long values, and what looks like an attack on its reader, never stay.
    """
    found: dict[str, Any] = {}
    for name in calls[0] if calls else ():
        values = [call.get(name, _MISSING) for call in calls]
        if len(found) == _TEMPLATES_MOST or _MISSING in values or not is_name(name):
            continue
        place = f"{within}.{name}" if within else name
        if depth < _DEEPEST and all(isinstance(value, Mapping) and value for value in values):
            found[name] = template(values, within=place, depth=depth + 1)
        else:
            found[name] = values[0] if _stays(values) else f"{{{place}}}"
    return found


def matches(found: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    """Say whether a call is one that a template stands for."""
    for name, wanted in found.items():
        if name not in call:
            return False
        value = call[name]
        if isinstance(wanted, Mapping) and isinstance(value, Mapping) and value:
            if not matches(wanted, value):
                return False
        elif not _is_place(wanted) and _written(wanted) != _written(value):
            return False
    return True


def _stays(values: Sequence[object]) -> bool:
    first = _written(values[0])
    try:
        checked_metadata({"value": values[0]})
    except ValueError:  # a number or a text that no store could keep
        return False
    return (
        len(first) <= _LONGEST
        and all(_written(value) == first for value in values)
        and not suspicions(_plain(values[0]), SourceType.TOOL_RESULT)
    )


def _is_place(value: object) -> bool:
    return isinstance(value, str) and value.startswith("{") and value.endswith("}")


def _plain(value: object) -> str:
    return value if isinstance(value, str) else _written(value)


def _written(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


_TRIGGERS_MOST = 5
_SHARED, _RARER = 0.6, 3.0  # of the sessions at least so many say it, and so many times more often than the others
_SHORTEST = 3
_EDGE = ".,;:!?()[]{}<>\"'`*-"


def said_words(text: str) -> dict[str, str]:
    """Return the words that tell something of a request, by index term: no names, no numbers, nothing very short.

    Names and ids tell for whom something is done, and not what: a word counts where it begins with a small letter, or
    in a script that has none.
    """
    plain = (bare for word in text.split() if (bare := word.strip(_EDGE)).isalpha() and not bare[0].isupper())
    found: dict[str, str] = {}
    for word, term in content_pairs(" ".join(plain)):
        if len(term) >= _SHORTEST or not word.isascii():
            found.setdefault(term, word)
    return found


def shared_words(own: Sequence[Mapping[str, str]], there: Mapping[str, int], others: int) -> dict[str, str]:
    """Return, by term, at most five words that most of `own` say and few of the others, the most telling first.

    `there` is how many of the `others` say a term.
    """
    here = Counter(term for words in own for term in words)
    told = []
    for term, count in here.items():
        share, elsewhere = count / len(own), there.get(term, 0) / max(others, 1)
        if share >= (_SHARED if others else 1.0) and share >= _RARER * elsewhere:
            told.append((elsewhere - share, term))
    return {term: _usual(term, own) for _, term in sorted(told)[:_TRIGGERS_MOST]}


def is_asked(triggers: Iterable[str], said: Iterable[str]) -> bool:
    """Say whether at least half of the terms of a trigger are said; one without terms always is asked."""
    wanted, heard = set(triggers), set(said)
    return 2 * len(wanted & heard) >= len(wanted)


def _usual(term: str, own: Sequence[Mapping[str, str]]) -> str:
    """Return the word that is mostly said for a term."""
    counts = Counter(words[term].lower() for words in own if term in words)
    return min(counts, key=lambda word: (-counts[word], word))


MOST_WEIGHED = 300
"""Patterns whose confidence is worked out: those that explain most calls."""
MOST_READ = 40_000
"""Sessions that are read for that, one for each pattern that they show."""
MOST_MINED = 50
"""Procedures of one run."""
MOST_CITED = 100
"""Episodes that a procedure cites."""
_MINING_LONGEST_NAME = 160


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
    if len(name) <= _MINING_LONGEST_NAME:
        return name
    return f"{tools[0][:60]} to {tools[-1][:60]} in {len(tools)} steps ({digest(*tools)[:8]})"


def _in_turns(told: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Return the episodes of all sessions, the first of each, then the second ...; as many as are cited."""
    found = dict.fromkeys(each for row in zip_longest(*told) for each in row if each)
    return tuple(found)[:MOST_CITED]


GROWN = 1.5
"""How much more support than when it was refused lets a procedure be proposed again."""
_TRIES = 3


def mine(engine: Engine, scope: Scope, *, min_support: int, min_confidence: float) -> list[Memory]:
    """Propose what recurs in the traces of a view, user by user; see `Procedures.mine`."""
    if not is_whole(min_support) or min_support < 1:
        raise ValueError(f"min_support is {min_support!r}: it must be a whole number from 1")
    if min_confidence is None:
        raise TypeError("min_confidence must be a number from 0 to 1, not None")
    checked_share(min_confidence, "min_confidence")
    proposed: list[Memory] = []
    for user, seen in traces(engine, scope).items():
        place = replace(scope, user=user, session=None)
        for agent in sorted({trace.agent for trace in seen} | {None}, key=lambda name: name or ""):
            proposed += _mined(engine, place, agent, seen, (min_support, min_confidence))
    return proposed


def _mined(
    engine: Engine, place: Scope, agent: str | None, seen: Sequence[Trace], least: tuple[int, float]
) -> list[Memory]:
    """Propose what an agent did by itself or in common; what two agents did apart is nobody's in common."""
    for left in reversed(range(_TRIES)):
        own = [trace for trace in seen if trace.agent in (None, agent)]
        found = mined(own, min_support=least[0], min_confidence=least[1])
        try:
            return _proposed(engine, place, found)
        except NotFound:  # an episode was forgotten meanwhile, and supports nothing any more
            if not left:
                raise
            seen = traces(engine, place).get(place.user, [])
    return []


def _proposed(engine: Engine, scope: Scope, found: Sequence[Mined]) -> list[Memory]:
    now = engine.clock.now()
    items = tuple(item for each in found if (item := _item(engine, scope, each, now)) is not None)
    return engine.store.write(_Proposal(engine, scope, items, now).run, scope.org) if items else []


def _item(engine: Engine, scope: Scope, found: Mined, now: datetime) -> Prepared | None:
    """Return what is to be stored of a mined procedure; None where its text is one that may not be kept."""
    try:
        new = prepare(engine, _draft(engine, scope, found), now)
    except MemoryRejected:
        return None
    return embedded(engine, [new])[0]


def _draft(engine: Engine, scope: Scope, found: Mined) -> Draft:
    procedure = found.procedure
    written = draft(
        text_of(procedure),
        scope=replace(scope, agent=scope.agent or found.agent),
        settings=engine.settings,
        kind="procedural",
        key=key_of(screened_text(procedure.name, engine.settings)),
        source_type=found.source,
        confidence=procedure.confidence,
        tier="C",
        metadata={"mined": True, "support": found.support, "confidence": procedure.confidence},
        derived_from=found.episodes,
        intent=Intent(unconfirmed=True),
    )
    return with_procedure(written, procedure, engine.settings)


@dataclass(frozen=True, slots=True)
class _Proposal:
    """What was mined, ready to be put where nothing of its name is known."""

    engine: Engine
    scope: Scope
    items: tuple[Prepared, ...]
    now: datetime

    def run(self, transaction: Transaction) -> list[Memory]:
        """Put what is new, as it stands when nobody else writes."""
        keys = tuple(item.memory.key for item in self.items)
        tests = (Test("kind", "eq", Kind.PROCEDURAL), Test("key", "in", keys))
        held: dict[str | None, list[Memory]] = {}
        for record in transaction.find(Record, within(self.scope).but(*tests)):
            held.setdefault(record.memory.key, []).append(record.memory)
        new = [item for item in self.items if _is_new(item.memory, held.get(item.memory.key, []))]
        results = Writer(self.engine, transaction, self.now).write(new) if new else []
        return [result.memory for result in results]


def _is_new(memory: Memory, known: Sequence[Memory]) -> bool:
    """Say whether nobody who reads it knows a procedure of that name, or all refused it at much less support."""
    known = [other for other in known if other.scope.agent in (None, memory.scope.agent)]
    if any(other.status in (Status.ACTIVE, Status.QUARANTINED) for other in known):
        return False
    refused = [_support(other) for other in known]
    return all(_support(memory) >= GROWN * support for support in refused)


def _support(memory: Memory) -> float:
    support = memory.metadata.get("support")
    return float(support) if isinstance(support, int | float) else 0.0
