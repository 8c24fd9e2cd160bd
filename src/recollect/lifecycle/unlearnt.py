"""Episodes of which nothing was learnt yet: which there are, and in what order they are gone through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

from recollect.filters import AnyOf, Condition, Filter, Test, unexpired, within
from recollect.models import Expiry, Job, JobState, Kind, Memory, Scope, Status
from recollect.policies.retention import Retention
from recollect.protocols import Reader, Record, Setting

CONSOLIDATE = "consolidate"
"""The kind of the jobs of episodes that could not be learnt from yet."""
SOON, LONG = timedelta(days=3), timedelta(days=7)  # before an episode leaves, and after it was told
TURN = "consolidate_next"  # the setting that holds whose turn is next, where a run goes through the whole store
_FIRST = datetime.min.replace(tzinfo=UTC)
UNLEARNT: tuple[Condition, ...] = (Test("unlearnt", "ge", _FIRST),)
"""What holds of such episodes; said so it is looked up in an index, and nothing else is read."""
_LOOKED_AT = 1000  # of those that may leave early, the oldest

Place = Filter | tuple[Condition, ...]


def job_id(memory_id: str) -> str:
    """Return the id of the job of an episode that could not be learnt from."""
    return f"job_consolidate_{memory_id}"


def may_be_learnt(memory: Memory, now: datetime) -> bool:
    """Say whether something is to be learnt of a memory now: a live episode from which nothing was learnt yet."""
    return (
        memory.kind is Kind.EPISODIC
        and memory.consolidated_at is None
        and memory.believed_until is None
        and not memory.is_superseded
        and memory.as_of_clock(now).status is Status.ACTIVE
    )


def leaves_by_word(memory: Memory) -> bool:
    """Say whether its caller said when a memory leaves; what is made of it must not outlive it."""
    return memory.expires_at is not None and memory.expiry is not Expiry.DEFAULT


def next_of(reader: Reader, scope: Scope | None, retention: Retention, now: datetime, count: int) -> list[Record]:
    """Return the episodes that come next, at most `count`; without a scope of the whole store, each user in turn.

    What leaves within three days or has waited for a week comes first, the soonest and the oldest of them; then the
    newest. One that failed waits until its job is due.
    """
    held = _held(reader, now)
    if scope is not None:
        return _Line(reader, within(scope), retention, now, held).first(count)
    spaces = _spaces(reader)
    lines = [iter(_Line(reader, (Test("ns", "eq", ns),), retention, now, held).first(count)) for ns in spaces[:count]]
    return list(islice(_in_turn(lines), count))


def last_turn(reader: Reader) -> int:
    """Return the namespace whose turn was last in a run through the whole store, -1 before the first."""
    found = reader.find(Setting, [Test("name", "eq", TURN)])
    return int(found[0].value) if found else -1


def _spaces(reader: Reader) -> list[int]:
    """Return the namespaces that hold such episodes, from the one whose turn it is."""
    found = sorted(int(ns) for ns in reader.count(Record, UNLEARNT, by="ns"))
    last = last_turn(reader)
    return [ns for ns in found if ns > last] + [ns for ns in found if ns <= last]


def _in_turn(lines: Sequence[Iterator[Record]]) -> Iterator[Record]:
    left = list(lines)
    for line in cycle(tuple(lines)):
        if not left:
            return
        if line in left:
            record = next(line, None)
            if record is None:
                left.remove(line)
            else:
                yield record


def obsolete(reader: Reader, now: datetime) -> list[Job]:
    """Return jobs that are due and have nothing to do any more: their episodes have left, or were learnt from."""
    tests = [Test("kind", "eq", CONSOLIDATE), Test("state", "eq", JobState.QUEUED), Test("run_at", "le", now)]
    due = reader.find(Job, tests, order="run_at", limit=_LOOKED_AT)
    ids = Test("id", "in", tuple(job.memory_id for job in due))
    waiting = {r.memory.id for r in reader.find(Record, [ids]) if may_be_learnt(r.memory, now)} if due else set()
    return [job for job in due if job.memory_id not in waiting]


def _held(reader: Reader, now: datetime) -> frozenset[str]:
    """Return the episodes that failed and are not to be tried now."""
    later = AnyOf(((Test("state", "eq", JobState.DEAD),), (Test("run_at", "gt", now),)))
    jobs = reader.find(Job, [Test("kind", "eq", CONSOLIDATE), later])
    return frozenset(job.memory_id for job in jobs)


class _Line:
    """The episodes of one place, in order."""

    def __init__(self, reader: Reader, place: Place, retention: Retention, now: datetime, held: frozenset[str]) -> None:
        self._reader, self._place, self._retention, self._now, self._held = reader, place, retention, now, held

    def first(self, count: int) -> list[Record]:
        """Return those that come first."""
        urgent = {record.num: record for record in (*self._leaving(count), *self._waiting(count))}
        ordered = sorted(urgent.values(), key=self._urgency)[:count]
        for record in self._found(count + len(ordered), newest=True):
            if len(ordered) < count and record.num not in urgent:
                ordered.append(record)
        return ordered

    def _leaving(self, count: int) -> list[Record]:
        """Return those that are about to leave, by their caller's word or by what their policy will say."""
        given = self._found(_LOOKED_AT, Test("due_at", "le", self._now + SOON))
        shortest = _shortest(self._retention)
        if shortest is None or shortest >= LONG + SOON:
            return given
        found = self._found(_LOOKED_AT, Test("unlearnt", "le", self._now + SOON - shortest))
        return given + [record for record in found if self._end(record.memory) <= self._now + SOON]

    def _waiting(self, count: int) -> list[Record]:
        return self._found(count, Test("unlearnt", "lt", self._now - LONG))

    def _found(self, count: int, *tests: Condition, newest: bool = False) -> list[Record]:
        """Return episodes in the order in which they were recorded; of one moment the lesser id first."""
        wanted = (*UNLEARNT, Test("superseded_by", "eq", None), unexpired(self._now), *tests)
        where = self._place.but(*wanted) if isinstance(self._place, Filter) else (*self._place, *wanted)
        order = "-unlearnt" if newest else "unlearnt"
        found = self._reader.find(Record, where, order=order, limit=count + len(self._held))
        fit = [r for r in found if r.memory.id not in self._held and may_be_learnt(r.memory, self._now)]
        way = -1 if newest else 1
        fit.sort(key=lambda record: (way * record.memory.recorded_at.timestamp(), record.memory.id))
        return fit[:count]

    def _urgency(self, record: Record) -> tuple[datetime, datetime, str]:
        return self._end(record.memory), record.memory.recorded_at, record.memory.id

    def _end(self, memory: Memory) -> datetime:
        """Return when an episode leaves, once it is learnt."""
        if memory.expires_at is not None and leaves_by_word(memory):
            return memory.expires_at
        ttl = self._retention.of(memory).ttl
        return memory.recorded_at + ttl if isinstance(ttl, timedelta) else datetime.max.replace(tzinfo=self._now.tzinfo)


def _shortest(retention: Retention) -> timedelta | None:
    """Return the shortest life that a policy may give an episode."""
    policies = (retention.policy(Kind.EPISODIC), *(p for p in retention.policies if p.kind in (None, Kind.EPISODIC)))
    return min((policy.ttl for policy in policies if isinstance(policy.ttl, timedelta)), default=None)
