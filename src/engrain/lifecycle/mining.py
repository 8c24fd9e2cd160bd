"""Mining of procedures from the tool calls of recorded sessions: `mine` proposes them, `mined` finds them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, islice, zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

from engrain.chat.logs import OUTCOME, arguments_of, role_named, usual
from engrain.config import Settings
from engrain.conversation.sessions import is_hidden
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.language.locales import language_of
from engrain.language.names import is_word
from engrain.language.tokens import content_pairs
from engrain.lifecycle.procedures import draft_of
from engrain.model.filters import Meta, Test, within
from engrain.model.memory import Kind, Memory, Scope, SourceType, Status, given_end
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.security.injection import Signs, signs_by, suspicions
from engrain.storage.interface import Reader, Transaction, grouped
from engrain.storage.rows import ConversationRow, Record, TurnRow, conversation_id
from engrain.text import digest
from engrain.validation import checked_metadata, checked_share, is_whole
from engrain.write import prepare
from engrain.write.pipeline import Writer
from engrain.write.prepare import Draft, Intent, Prepared

MOST_CALLS = 200  # calls of a session that are read: its first
_LONGEST_TOOL, _LONGEST_ARGUMENTS, _LONGEST_REQUEST = 128, 20_000, 4_000  # characters
_ERROR = re.compile(
    r"(?:[\w.]*(?:error|exception)|failed|failure)(?::|!|$)|traceback \(most recent"
    r"|(?:exit(?:ed with)?(?: code| status)?|returned)[ :]+[1-9]\d*\b|(?:HTTP(?:/[\d.]+)? )[45]\d\d\b|[1-9]\d* failed\b"
    r"|[^\n]{0,80}: (?:command not found|No such file or directory|Permission denied)",
    re.IGNORECASE,
)
_TRUST_ORDER = list(SourceType).index  # the larger, the less trusted
_MOST_SESSIONS = 2_000  # the last that called tools
_MOST_CALLING = 20_000  # messages with calls that are read to find them
GAP = 2  # the most other items between two neighbours of a pattern
LONGEST = 8  # the most items of a pattern
_EFFORT = 600_000  # positions that are read before a search ends
_SHORTEST = 3
_EDGE = ".,;:!?()[]{}<>\"'`*-"
_MOST_WEIGHED = 300  # patterns that are tried: those that explain most calls
_MOST_READ = 40_000  # sessions that are read for that, once for each pattern that they have
_LONGEST_NAME = 160
_GROWN = 1.5  # times the support at its rejection, and a procedure is proposed again
_ATTEMPTS = 3
_SESSIONS_AT_ONCE, _MESSAGES_AT_ONCE = 100, 50_000
_DEEPEST, _MOST_ARGUMENTS, _LONGEST_VALUE = 6, 40, 200  # levels, arguments of a level, characters of a kept value
_SHARED, _RARER = 0.6, 3.0  # the least share of own sessions with a word, and how much more often than in others


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message of a session; `memory_id` is "" for one that is no memory, and a `hidden` one is not evidence."""

    role: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    memory_id: str = ""
    source: SourceType = SourceType.LLM_GENERATED
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class TracedCall:
    """A call of a tool, the ids of the memories that record it, and whether its result is known to be a failure."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    episodes: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class SessionTrace:
    """The calls of one session, its user's `requests` with the calls before each, and its least trusted `source`."""

    session: str
    calls: tuple[TracedCall, ...]
    requests: tuple[tuple[int, str], ...] = ()
    succeeded: bool = True
    agent: str | None = None
    source: SourceType = SourceType.TOOL_RESULT

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools called, failed calls included."""
        return tuple(call.tool for call in self.calls)

    @property
    def good(self) -> tuple[int, ...]:
        """The positions of the calls that did not fail."""
        return tuple(at for at, call in enumerate(self.calls) if not call.failed)

    def before(self, at: int) -> str:
        """Return the user's texts from before the call at a position."""
        return "\n".join(text for calls, text in self.requests if calls <= at)[:_LONGEST_REQUEST]


def trace_of(
    session: str, messages: Iterable[SessionMessage], *, agent: str | None = None, signs: Signs = suspicions
) -> SessionTrace:
    """Return the trace of a session from its messages in order.

    Calls of one message are parallel, and are ordered by name. A call failed if its result is marked so (`success`
    False) or begins like an error; a session failed if the last message with `session_success` says False. A result
    without a call id answers the oldest unanswered call of its tool. Calls of hidden messages are left out.
    """
    calls: list[TracedCall] = []
    requests: list[tuple[int, str]] = []
    unanswered: dict[int, str] = {}
    hidden: set[int] = set()
    succeeded, source = True, SourceType.TOOL_RESULT
    for message in messages:
        metadata, cited = message.metadata, (message.memory_id,) if message.memory_id else ()
        if not message.hidden:
            source = max(source, message.source, key=_TRUST_ORDER)
            outcome = metadata.get(OUTCOME)
            succeeded = outcome if isinstance(outcome, bool) else succeeded
        if message.role == "user" and not message.hidden:
            requests.append((len(calls), message.text))
        elif message.role == "tool" and (at := _answered(metadata, calls, unanswered)) is not None:
            del unanswered[at]
            if message.hidden:
                hidden.add(at)
            else:
                failed = metadata.get("success") is False or reports_failure(message.text)
                calls[at] = replace(calls[at], episodes=(*calls[at].episodes, *cited), failed=failed)
        for call_id, tool, arguments in islice(_made(metadata.get("tool_calls"), signs), MOST_CALLS - len(calls)):
            if message.hidden:
                hidden.add(len(calls))
            unanswered[len(calls)] = call_id
            calls.append(TracedCall(tool, arguments, cited))
    kept = [at for at in range(len(calls)) if at not in hidden]
    visible = tuple((sum(at < before for at in kept), text) for before, text in requests)
    return SessionTrace(session, tuple(calls[at] for at in kept), visible, succeeded, agent, source)


def _made(calls: object, signs: Signs) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the id, the tool and the arguments of each call, ordered by tool."""
    found = [usual(call) for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    for call in sorted(found, key=lambda call: call["function"]["name"]):
        tool, given = call["function"]["name"], call["function"]["arguments"]
        if tool != "unknown" and is_name(tool, signs):
            yield call["id"], tool, arguments_of(call) if len(given) <= _LONGEST_ARGUMENTS else {}


def _answered(metadata: Mapping[str, Any], calls: Sequence[TracedCall], unanswered: Mapping[int, str]) -> int | None:
    wanted, name = metadata.get("tool_call_id"), metadata.get("name")
    for at, call_id in unanswered.items():
        if call_id == wanted if wanted and call_id else name in (None, "", calls[at].tool):
            return at
    return None


def reports_failure(text: str) -> bool:
    """Return whether a tool's result reports a failure, by its first words or by the fields of its JSON object."""
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


def is_name(text: str, signs: Signs) -> bool:
    """Return whether a text may name a tool or an argument: short, printable, on one line, and no prompt injection."""
    is_line = bool(text.strip()) and text.isprintable() and len(text) <= _LONGEST_TOOL
    return is_line and not signs(text, SourceType.TOOL_RESULT)


def traces(engine: Engine, scope: Scope) -> dict[str | None, list[SessionTrace]]:
    """Return the traces of the sessions visible in a view, by user: users are never mixed."""
    now = engine.clock.now()
    found: dict[str | None, list[SessionTrace]] = {}
    with engine.store.read(scope.org) as reader:
        sessions = _sessions(reader, scope)
        for start in range(0, len(sessions), _SESSIONS_AT_ONCE):
            some = sessions[start : start + _SESSIONS_AT_ONCE]
            for session, messages in _messages(engine, reader, scope, some, now).items():
                trace = trace_of(session.session or "", messages, agent=session.agent, signs=signs_by(engine.settings))
                if trace.calls:
                    found.setdefault(session.user, []).append(trace)
    return found


def _sessions(reader: Reader, scope: Scope) -> list[Scope]:
    """Return the sessions that called tools, the last ones first."""
    calling = (Test("kind", "eq", Kind.EPISODIC), Test("session", "ne", None), Meta("tool_calls", "exists", True))
    records = reader.find(Record, within(scope).but(*calling), order="-recorded_at", limit=_MOST_CALLING)
    found = dict.fromkeys(record.memory.scope for record in records)
    rows = reader.find(ConversationRow, within(scope), order="-num", limit=_MOST_SESSIONS)
    others = {row.num: row.scope for row in rows if row.scope not in found}
    for turn in reader.find(TurnRow, [Test("conversation", "in", tuple(others)), Test("num", "eq", None)]):
        if turn.metadata.get("tool_calls"):
            found.setdefault(others[turn.conversation])
    return list(found)[:_MOST_SESSIONS]


def _messages(
    engine: Engine, reader: Reader, scope: Scope, sessions: Sequence[Scope], now: datetime
) -> dict[Scope, list[SessionMessage]]:
    """Return the messages of sessions in order: memories, and turns of the log that are none."""
    placed: dict[Scope, list[tuple[int, SessionMessage]]] = {session: [] for session in sessions}
    names = tuple({session.session for session in sessions})
    episodic = within(scope).but(Test("kind", "eq", Kind.EPISODIC), Test("session", "in", names))
    for record in reader.find(Record, episodic, order="num", limit=_MESSAGES_AT_ONCE):
        if record.memory.scope in placed:
            placed[record.memory.scope].append((record.memory.position or 0, _remembered(record.memory, now)))
    ids = tuple(map(conversation_id, sessions))
    rows = {row.num: row.scope for row in reader.find(ConversationRow, [Test("id", "in", ids)])}
    logged = [Test("conversation", "in", tuple(rows)), Test("num", "eq", None)]
    for turn in reader.find(TurnRow, logged, order="position", limit=_MESSAGES_AT_ONCE):
        if rows[turn.conversation] in placed:
            role, named = role_named(turn.role)
            source = prepare.classify(named, engine.settings.origins)[0]
            message = SessionMessage(role, turn.content or "", turn.metadata, "", source, is_hidden(turn, engine))
            placed[rows[turn.conversation]].append((turn.position, message))
    return {session: [message for _, message in sorted(found, key=itemgetter(0))] for session, found in placed.items()}


def _remembered(memory: Memory, now: datetime) -> SessionMessage:
    role = "assistant"
    if memory.source.type is SourceType.TOOL_RESULT or "tool_call_id" in memory.metadata:
        role = "tool"
    elif memory.source.type is SourceType.USER_INPUT or (memory.actor or "").lower() in ("user", "human"):
        role = "user"
    hidden = memory.as_of_clock(now).stored_status is not Status.ACTIVE or given_end(memory) is not None
    return SessionMessage(role, memory.content, memory.metadata, memory.id, memory.source.type, hidden)


Items = Sequence[str]
Ends = Mapping[int, Iterable[int]]  # by list, the positions at which occurrences of a pattern end


class CallPattern(NamedTuple):
    """Items that occur in this order, and the numbers of the lists that have them."""

    items: tuple[str, ...]
    lists: tuple[int, ...]


def frequent(lists: Sequence[Items], least: int, *, effort: int = _EFFORT) -> list[CallPattern]:
    """Return the closed patterns of two or more items in `least` lists, the most frequent first, within an `effort`."""
    waiting: list[tuple[int, tuple[str, ...], Ends]] = [
        (-len(ends), (item,), ends) for item, ends in _extensions(lists).items() if len(ends) >= least
    ]
    heapify(waiting)
    found: dict[tuple[int, ...], list[CallPattern]] = {}
    while waiting and effort > 0:
        _, items, ends = heappop(waiting)
        if len(items) > 1:
            where = tuple(sorted(ends))
            found.setdefault(where, []).append(CallPattern(items, where))
        if len(items) < LONGEST:
            longer = _extensions(lists, ends)
            effort -= len(ends) + sum(len(places) for reached in longer.values() for places in reached.values())
            for item, reached in longer.items():
                if len(reached) >= least:
                    heappush(waiting, (-len(reached), (*items, item), reached))
    closed: list[CallPattern] = []
    for group in found.values():
        longest_first = sorted(group, key=lambda pattern: -len(pattern.items))
        for place, pattern in enumerate(longest_first):
            if not any(holds(longer.items, pattern.items) for longer in longest_first[:place]):
                closed.append(pattern)
    return sorted(closed, key=lambda pattern: (-len(pattern.lists), -len(pattern.items), pattern.items))


def _extensions(lists: Sequence[Items], ends: Ends | None = None) -> dict[str, dict[int, set[int]]]:
    """Return, by next item, where patterns end that are longer by it; without `ends` those of one item."""
    found: dict[str, dict[int, set[int]]] = {}
    for number in range(len(lists)) if ends is None else ends:
        items = lists[number]
        after: Iterable[int] = range(len(items))
        if ends is not None:
            after = {n for place in ends[number] for n in range(place + 1, min(place + 2 + GAP, len(items)))}
        for place in after:
            found.setdefault(items[place], {}).setdefault(number, set()).add(place)
    return found


def holds(items: Items, pattern: Items) -> bool:
    """Return whether a list includes the items of a pattern in order, with any gaps."""
    following = iter(items)
    return all(item in following for item in pattern)


def occurrence(items: Items, pattern: Items) -> tuple[int, ...] | None:
    """Return the positions of a pattern's first occurrence in a list, with gaps of at most `GAP`; None if none."""
    paths: dict[int, tuple[int, ...]] = {n: (n,) for n, item in enumerate(items) if item == pattern[0]}
    for item in pattern[1:]:
        longer: dict[int, tuple[int, ...]] = {}
        for before in sorted(paths):
            for place in range(before + 1, min(before + 2 + GAP, len(items))):
                if items[place] == item:
                    longer.setdefault(place, (*paths[before], place))
        paths = longer
    return paths[min(paths)] if paths else None


def template(
    calls: Sequence[Mapping[str, Any]], *, within: str = "", depth: int = 0, signs: Signs = suspicions
) -> dict[str, Any]:
    """Return the arguments of all calls, by parts: a value that is common, short and harmless, else `{object.part}`."""
    found: dict[str, Any] = {}
    for name in calls[0] if calls else ():
        if len(found) == _MOST_ARGUMENTS or not all(name in call for call in calls) or not is_name(name, signs):
            continue
        values = [call[name] for call in calls]
        place = f"{within}.{name}" if within else name
        if depth < _DEEPEST and all(isinstance(value, Mapping) and value for value in values):
            found[name] = template(values, within=place, depth=depth + 1, signs=signs)
        else:
            found[name] = values[0] if _is_constant(values, signs) else f"{{{place}}}"
    return found


def _is_constant(values: Sequence[object], signs: Signs) -> bool:
    first, *others = (json.dumps(value, sort_keys=True, ensure_ascii=False) for value in values)
    try:
        checked_metadata({"value": values[0]})
    except ValueError:  # a number or a text that no store could keep
        return False
    plain = values[0] if isinstance(values[0], str) else first
    is_same = len(first) <= _LONGEST_VALUE and all(other == first for other in others)
    return is_same and not signs(plain, SourceType.TOOL_RESULT)


def request_words(text: str) -> dict[str, str]:
    """Return the words that describe a request, by index term: no names, no numbers, nothing very short."""
    plain, begins, locale = list[str](), True, language_of(text)
    for word in text.split():
        bare = word.strip(_EDGE)
        may_have = begins or locale.has_noun_capitals
        if bare.isalpha() and (not bare[0].isupper() or (may_have and is_word(bare, locale))):
            plain.append(bare.lower())
        begins = word.endswith((".", "!", "?", ":"))
    found: dict[str, str] = {}
    for word, term in content_pairs(" ".join(plain)):
        if len(term) >= _SHORTEST or not word.isascii():
            found.setdefault(term, word)
    return found


def is_requested(triggers: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether a request has at least half of the terms of a trigger; a trigger without terms always applies."""
    wanted = set(triggers)
    return 2 * len(wanted.intersection(words)) >= len(wanted)


@dataclass(frozen=True, slots=True)
class MinedProcedure:
    """A procedure, the `supporting` sessions of those that `begun` it, the `episodes` of its calls, its triggers."""

    procedure: Procedure
    begun: int
    episodes: tuple[str, ...]
    source: SourceType
    agent: str | None
    supporting: tuple[int, ...]
    triggers: tuple[str, ...]

    @property
    def support(self) -> int:
        """How many sessions succeeded with it."""
        return len(self.supporting)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of its steps."""
        return tuple(str(step.tool_name) for step in self.procedure.steps)


def mined(
    traces: Sequence[SessionTrace], *, min_support: int = 3, min_confidence: float = 0.7, signs: Signs = suspicions
) -> list[MinedProcedure]:
    """Return the procedures in traces, the best supported first.

    A session supports a sequence of calls if each call of it succeeded, with at most two others between neighbours,
    and the session is not known to have failed. The confidence is the share of these sessions among those that began
    the sequence: they made the first half of its calls, failed ones included, and their user asked with the words of
    its trigger, if it has one. A sequence inside a longer one is left out if the longer one has half its support.
    """
    miner = _Miner(traces, signs)
    patterns = frequent(miner.succeeded, max(min_support, 1))
    weighed = sorted(patterns, key=lambda each: -len(each.lists) * (len(each.items) - 1))[:_MOST_WEIGHED]
    sure: list[MinedProcedure] = []
    for pattern, read in zip(weighed, accumulate(len(each.lists) for each in weighed), strict=True):
        if read > _MOST_READ and sure:
            break
        if (candidate := miner.candidate(pattern, min_confidence)) is not None:
            sure.append(candidate)
    kept: list[MinedProcedure] = []
    for one in sorted(sure, key=lambda each: (-len(each.tools), -each.support, each.tools)):
        if not any(2 * longer.support >= one.support and holds(longer.tools, one.tools) for longer in kept):
            kept.append(one)
    return sorted(kept, key=lambda each: (-each.support, -len(each.tools), each.tools))[:50]  # procedures of one run


class _Miner:
    """Traces, with what is read of each more than once."""

    def __init__(self, traces: Sequence[SessionTrace], signs: Signs) -> None:
        self.traces, self.signs = traces, signs
        self.good = [one.good if one.succeeded else () for one in traces]
        self.succeeded = [tuple(one.calls[at].tool for at in good) for one, good in zip(traces, self.good, strict=True)]
        self._tools = [one.tools for one in traces]
        self._words = [request_words(one.before(len(one.calls))) for one in traces]
        self._counts = Counter(term for words in self._words for term in words)
        self._ends: dict[tuple[str, ...], Ends] = {(tool,): ends for tool, ends in _extensions(self._tools).items()}

    def candidate(self, pattern: CallPattern, least: float) -> MinedProcedure | None:
        """Return the procedure of a pattern; None below the least confidence, or if it looks like prompt injection."""
        places = {number: self._places(number, pattern.items) for number in pattern.lists}
        triggers = self._triggers(pattern, {number: found[0] for number, found in places.items()})
        half = pattern.items[: (len(pattern.items) + 1) // 2]
        asked = {number for number in self._reached(half) if is_requested(triggers, self._words[number])}
        support, begun = len(pattern.lists), len(asked.union(pattern.lists))
        if support / begun < least:
            return None
        made = [[self.traces[number].calls[at] for at in found] for number, found in places.items()]
        procedure = Procedure(
            name=name_of(pattern.items),
            description=f"Done in {support} sessions that went well, of {begun} that began so.",
            trigger_conditions=(", ".join(triggers.values()),) if triggers else (),
            steps=tuple(
                ProcedureStep(f"Call {tool}", tool, template([call.arguments for call in step], signs=self.signs))
                for tool, step in zip(pattern.items, zip(*made, strict=True), strict=True)
            ),
            confidence=support / begun,
            metadata={"mined": True, "support": support, "begun": begun},
        )
        if self.signs(prepare.text_of(procedure), SourceType.TOOL_RESULT):
            return None
        cited = [dict.fromkeys(chain.from_iterable(call.episodes for call in each)) for each in made]
        in_turn = dict.fromkeys(each for row in zip_longest(*cited) for each in row if each)
        sources = (self.traces[number].source for number in pattern.lists)
        agents = {self.traces[number].agent for number in pattern.lists} - {None}
        return MinedProcedure(
            procedure,
            begun,
            episodes=tuple(in_turn)[:100],  # episodes of one procedure
            source=max(sources, key=_TRUST_ORDER),
            agent=agents.pop() if len(agents) == 1 else None,
            supporting=pattern.lists,
            triggers=tuple(triggers),
        )

    def _places(self, number: int, items: tuple[str, ...]) -> tuple[int, ...]:
        """Return the positions of a pattern's calls in a trace that has it."""
        found = occurrence(self.succeeded[number], items)
        assert found is not None
        return tuple(self.good[number][at] for at in found)

    def _reached(self, items: tuple[str, ...]) -> Ends:
        """Return which traces have a sequence, failed calls included, and where it ends."""
        if items not in self._ends:
            self._ends[items] = _extensions(self._tools, self._reached(items[:-1])).get(items[-1], {})
        return self._ends[items]

    def _triggers(self, pattern: CallPattern, first: Mapping[int, int]) -> dict[str, str]:
        """Return, by term, the words that most requests which led to a pattern have, and few of the others."""
        others = [number for number in self._reached(pattern.items) if number not in first]
        own = [request_words(self.traces[number].before(at)) for number, at in first.items()]
        own += [self._words[number] for number in others]
        inside = Counter(term for number in (*first, *others) for term in self._words[number])
        rest = len(self.traces) - len(own)
        distinctive: list[tuple[float, str]] = []
        for term, count in Counter(term for words in own for term in words).items():
            share, elsewhere = count / len(own), (self._counts[term] - inside[term]) / max(rest, 1)
            if share >= (_SHARED if rest else 1.0) and share >= _RARER * elsewhere:
                distinctive.append((elsewhere - share, term))
        found: dict[str, str] = {}
        for _, term in sorted(distinctive)[:5]:
            forms = Counter(words[term].lower() for words in own if term in words)
            found[term] = min(forms, key=lambda word: (-forms[word], word))
        return found


def name_of(tools: Sequence[str]) -> str:
    """Return the name of a sequence of tools, different for each sequence."""
    name = ", then ".join(tools)
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{tools[0][:60]} to {tools[-1][:60]} in {len(tools)} steps ({digest(*tools)[:8]})"


def mine(engine: Engine, scope: Scope, *, min_support: int, min_confidence: float) -> list[Memory]:
    """Propose the recurring procedures of a view by user and agent; see `Procedures.mine`."""
    if not is_whole(min_support) or min_support < 1:
        raise ValueError(f"min_support is {min_support!r}: it must be a whole number from 1")
    if min_confidence is None:
        raise TypeError("min_confidence must be a number from 0 to 1, not None")
    checked_share(min_confidence, "min_confidence")
    proposed: list[Memory] = []
    for user, known in traces(engine, scope).items():
        place = replace(scope, user=user, session=None)
        for agent in sorted({trace.agent for trace in known} | {None}, key=lambda name: name or ""):
            for attempt in range(1, _ATTEMPTS + 1):
                own = [trace for trace in known if trace.agent in (None, agent)]
                signs = signs_by(engine.settings)
                found = mined(own, min_support=min_support, min_confidence=min_confidence, signs=signs)
                try:
                    proposed += _propose(engine, place, found)
                    break
                except NotFound:  # an episode was forgotten in the meantime, and is no evidence any more
                    if attempt == _ATTEMPTS:
                        raise
                    known = traces(engine, place).get(user, [])
    return proposed


def _propose(engine: Engine, scope: Scope, found: Sequence[MinedProcedure]) -> list[Memory]:
    """Store what was mined as quarantined memories, except procedures that are known already."""
    now, items = engine.clock.now(), list[Prepared]()
    for each in found:
        with suppress(MemoryRejected):
            items += prepare.embedded(engine, [prepare.prepare(engine, _draft(engine.settings, scope, each), now)])

    def change(transaction: Transaction) -> list[Memory]:
        tests = (Test("kind", "eq", Kind.PROCEDURAL), Test("key", "in", tuple(item.memory.key for item in items)))
        memories = (record.memory for record in transaction.find(Record, within(scope).but(*tests)))
        known = grouped(memories, lambda memory: memory.key)
        new = [item for item in items if _is_new(item.memory, known.get(item.memory.key, []))]
        return [result.memory for result in Writer(engine, transaction, now).write(new)] if new else []

    return engine.store.write(change, scope.org) if items else []


def _draft(settings: Settings, scope: Scope, found: MinedProcedure) -> Draft:
    return draft_of(
        found.procedure,
        replace(scope, agent=scope.agent or found.agent),
        settings,
        source_type=found.source,
        tier="C",
        metadata={"mined": True, "support": found.support, "confidence": found.procedure.confidence},
        derived_from=found.episodes,
        intent=Intent(unconfirmed=True),
    )


def _is_new(memory: Memory, known: Sequence[Memory]) -> bool:
    """Return whether no procedure of that name is known, or every one was rejected with much less support."""
    visible = [other for other in known if other.scope.agent in (None, memory.scope.agent)]
    if any(other.stored_status in (Status.ACTIVE, Status.QUARANTINED) for other in visible):
        return False
    return all(_support(memory) >= _GROWN * _support(other) for other in visible)


def _support(memory: Memory) -> float:
    support = memory.metadata.get("support")
    return float(support) if isinstance(support, int | float) else 0.0
