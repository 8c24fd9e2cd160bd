"""Episodes before consolidation: what they state, who states it, which are next, and what is repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

from engrain.engine import Engine
from engrain.language.analyzer import analyzer
from engrain.language.cues import is_chatter, lasts, points_elsewhere, speaks_of_oneself, worth
from engrain.language.sentences import sentences
from engrain.language.statements import LONGEST
from engrain.model.filters import AnyOf, Condition, Filter, Test, unexpired, within
from engrain.model.memory import Expiry, Job, JobState, Kind, Memory, Scope, SourceType, Status, slot
from engrain.policies.consolidation import says_all
from engrain.policies.retention import Retention
from engrain.protocols import Candidate, Reader, Transaction
from engrain.security.audit import Trail, who
from engrain.security.trust import least_trusted
from engrain.storage.queries import holders
from engrain.storage.rows import Edge, Record, Setting, Vector
from engrain.text import normalise
from engrain.write.conflicts import Rules, rules_of
from engrain.write.pipeline import STORED, Writer
from engrain.write.prepare import draft, identity, prepare, probes, speaker
from engrain.write.transitions import add_witness


def cosines(engine: Engine, transaction: Transaction, record: Record, others: Sequence[Record]) -> list[float]:
    """Return the cosine of a memory with each of others, -1 where one of the two has no vector."""
    embedder, unknown = engine.embedder, [-1.0] * len(others)
    if embedder is None or not others:
        return unknown
    scope = record.memory.scope
    namespace = transaction.namespace(scope.org, scope.user)
    nums = tuple(each.num for each in (record, *others))
    tests = [Test("ns", "eq", namespace), Test("embedder", "eq", embedder.id), Test("num", "in", nums)]
    found = {row.num: row.values for row in transaction.find(Vector, tests)}
    own = found.get(record.num)
    if own is None:
        return unknown
    return [float(found[other.num] @ own) if other.num in found else -1.0 for other in others]


_SAMPLE = 20_000  # characters of a long text that are looked at
_MOST = 5  # facts of one episode
_LIFTING_LEAST = 3.0  # the rating from which a statement is worth a memory of its own
_NOTABLE = 5.0  # the rating of a notable sentence
_SAID = frozenset({SourceType.SYSTEM, SourceType.USER_INPUT, SourceType.LLM_GENERATED})
_MACHINES = frozenset({"assistant", "ai", "bot", "model", "agent", "system", "tool", "function"})


def lifted(memory: Memory, languages: Sequence[str], *, leaves: bool = False) -> list[Candidate]:
    """Return what lasts of what an episode states, each sentence as it was said, in order.

    Of one that `leaves` afterwards, notable sentences are kept too: nothing else will tell them.
    """
    if not is_said(memory):
        return []
    if memory.fact is not None and len(memory.content) <= LONGEST:
        return [Candidate(content=memory.content, rating=max(worth(memory.content), _LIFTING_LEAST), fact=memory.fact)]
    who = speaker(memory)
    found = [
        _read(each, who, languages, leaves=leaves)
        for each in sentences(memory.content[:_SAMPLE])
        if len(each) <= LONGEST
    ]
    return [candidate for candidate in found if candidate is not None][:_MOST]


def _read(sentence: str, who: str | None, languages: Sequence[str], *, leaves: bool) -> Candidate | None:
    if is_chatter(sentence):
        return None
    statement = analyzer().statement(sentence, speaker=who, languages=languages)
    if statement.fact is not None:
        return Candidate(content=sentence, rating=max(worth(sentence), _LIFTING_LEAST), fact=statement.fact)
    lasting = lasts(sentence) or (leaves and worth(sentence) >= _NOTABLE)
    lasting = lasting and not points_elsewhere(sentence)
    return Candidate(content=sentence, rating=max(worth(sentence), _LIFTING_LEAST)) if lasting else None


def is_said(memory: Memory) -> bool:
    """Say whether an episode is what somebody said or noted: no answer of an assistant, no tool's, nothing repeated."""
    if memory.metadata.get("is_summary") is True or (memory.actor or "").casefold() in _MACHINES:
        return False
    return memory.source.type in _SAID or memory.fact is not None


MOST = 500  # episodes that one memory names as its sources
_COMPARED = 64


def occasion(memory: Memory) -> tuple[str, str]:
    """Return when an episode was told, as witnesses count: the day of its session, else the episode itself.

    What is said again in one conversation is one saying.
    """
    if memory.scope.session is None:
        return "", memory.id
    return memory.scope.session, memory.valid_from.date().isoformat()


def bear_witness(transaction: Transaction, known: Record, source: Record, now: datetime) -> bool:
    """Derive what is known from one more episode; False when it already is, or has enough sources."""
    tests = [Test("source", "eq", known.num), Test("relation", "eq", "derived_from")]
    sources = {edge.target for edge in transaction.find(Edge, tests)}
    if source.num in sources or len(sources) >= MOST:
        return False
    told = transaction.find(Record, [Test("num", "in", tuple(sources))]) if sources else []
    new = occasion(source.memory) not in {occasion(record.memory) for record in told}
    transaction.put(Edge(known.num, "derived_from", source.num))
    trust = add_witness(transaction, known.num, known.memory, source.memory, said_by=source.memory.id)
    count = known.memory.evidence_count + new
    after = replace(known.memory, evidence_count=count, updated_at=now, trust=trust)
    row = [Test("num", "eq", known.num)]
    transaction.update(Record, row, evidence_count=count, updated_at=now, trust=trust)
    scope = known.memory.scope
    trail = Trail(transaction, scope.org, actor=who(Scope(scope.org)), at=now)
    trail.add("support", after, known.salt, reason=f"by {source.memory.id}")
    trail.write()
    return True


def same_fact(engine: Engine, transaction: Transaction, memory: Memory, now: datetime) -> Record | None:
    """Return what is known to state the fact of a new memory, as somebody of the same user and agent told it.

    Of a fact with one value at a time only what began no later: what was so before is another matter.
    """
    if memory.fact is None:
        return None
    wanted, rules = slot(memory.fact), rules_of(engine)
    tests: list[Condition] = [
        Test("ns", "eq", transaction.namespace(memory.scope.org, memory.scope.user)),
        Test("subject_key", "eq", wanted.subject),
        Test("predicate_key", "eq", wanted.predicate),
        Test("object_key", "eq", wanted.object),
    ]
    found = transaction.find(Record, tests, order="-importance", limit=_COMPARED)
    fit = [r for r in found if is_known(r.memory, memory.scope.agent, now) and _holds(r.memory, memory, rules)]
    return min(fit, key=lambda record: record.num, default=None)


def is_known(memory: Memory, agent: str | None, now: datetime) -> bool:
    """Say whether a memory is a fact that is established for exactly that agent, and no summary of others."""
    return (
        memory.kind is Kind.SEMANTIC
        and memory.scope.agent == agent
        and memory.status is Status.ACTIVE
        and not memory.is_contested
        and memory.metadata.get("is_summary") is not True
        and memory.is_live_at(now)
    )


def _holds(known: Memory, new: Memory, rules: Rules) -> bool:
    assert new.fact is not None
    return slot(new.fact).predicate not in rules.single_valued or known.valid_from <= new.valid_from


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


OCCASIONS = 3  # on which something is said before it counts as known
ALIKE = 0.95  # the least cosine of two texts that say the same
_REPEATING_HELD, _REPEATING_READ = (
    256,
    64,
)  # episodes that may hold a word before it proposes nobody; those that are compared
_REPEATING_LEAST = 3.0  # the rating from which a statement is worth a memory of its own


@dataclass(frozen=True, slots=True)
class Repetition:
    """Looks up, inside one transaction, whether an episode says what others said before, and keeps that as known."""

    engine: Engine
    transaction: Transaction
    now: datetime

    def heard(self, record: Record) -> tuple[int, int]:
        """Take note of an episode; return how many facts that added and how many it told again."""
        if not _is_statement(record.memory):
            return 0, 0
        scope = record.memory.scope
        same = self._same(record)
        known = [r for r in same if is_known(r.memory, scope.agent, self.now) and _says(record.memory, r.memory)]
        if known:
            oldest = min(known, key=lambda other: other.num)
            return 0, int(bear_witness(self.transaction, oldest, record, self.now))
        told = _in_agreement([record, *(other for other in same if _is_statement(other.memory))])
        if len({occasion(each.memory) for each in told}) < OCCASIONS:
            return 0, 0
        return self._kept(told)

    def _same(self, record: Record) -> list[Record]:
        """Return what says the same: facts and episodes of the same user and agent."""
        memory = record.memory
        nums = self._proposed(record)
        if not nums:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(nums))])
        fit = [other for other in found if _is_comparable(other.memory, memory, self.now)]
        found_alike = cosines(self.engine, self.transaction, record, fit)
        return [r for r, cosine in zip(fit, found_alike, strict=True) if _says_the_same(r.memory, memory, cosine)]

    def _proposed(self, record: Record) -> list[int]:
        """Return the newest rows that share most of the rarer words of an episode."""
        scope = record.memory.scope
        shared: dict[int, int] = {}
        rare = 0
        for held in holders(self.transaction, scope.org, scope.user, probes(record.memory), limit=_REPEATING_HELD + 1):
            if 0 < len(held) <= _REPEATING_HELD:
                rare += 1
                for num in held:
                    shared[num] = shared.get(num, 0) + 1
        return sorted((num for num in shares_most(shared, rare) if num != record.num), reverse=True)[:_REPEATING_READ]

    def _kept(self, told: Sequence[Record]) -> tuple[int, int]:
        """Keep what the first of these episodes says and all say, as one memory that is derived from them all."""
        memories = [each.memory for each in told[:MOST]]
        shortest = told[0].memory
        scope = Scope(shortest.scope.org, shortest.scope.user, shortest.scope.agent)
        actors = {memory.actor for memory in memories}
        item = draft(
            shortest.content,
            scope=scope,
            settings=self.engine.settings,
            kind="semantic",
            domain=shortest.domain,
            source_type=least_trusted(memory.source.type for memory in memories),
            source_ref=f"{shortest.id}:repeated",
            actor=actors.pop() if len(actors) == 1 else None,
            fact=shortest.fact,
            importance=max(memory.importance for memory in memories),
            confidence=max(memory.confidence for memory in memories),
            derived_from=[memory.id for memory in memories],
            valid_from=min(memory.valid_from for memory in memories),
        )
        new = prepare(self.engine, item, self.now)
        count = len({occasion(memory) for memory in memories})
        memory = replace(new.memory, evidence_count=count)
        new = replace(new, memory=memory, identity=identity(memory))
        (result,) = Writer(self.engine, self.transaction, self.now).write([new])
        return (1, 0) if result.status in STORED else (0, 1)


def shares_most(shared: dict[int, int], rare: int) -> list[int]:
    """Return the rows that share at least two thirds of the rarer words that there are."""
    return [num for num, count in shared.items() if count * 3 >= rare * 2]


def _is_statement(memory: Memory) -> bool:
    """Say whether an episode is one statement that may be kept for good."""
    return (
        memory.kind is Kind.EPISODIC
        and not leaves_by_word(memory)
        and len(memory.content) <= LONGEST
        and is_said(memory)
        and not is_chatter(memory.content)
        and worth(memory.content) >= _REPEATING_LEAST
        and len(sentences(memory.content)) == 1
    )


def _is_comparable(other: Memory, memory: Memory, now: datetime) -> bool:
    if other.scope.agent != memory.scope.agent or not other.is_live_at(now) or other.is_contested:
        return False
    if speaks_of_oneself(memory.content) and other.actor != memory.actor:
        return False
    return other.kind in (Kind.EPISODIC, Kind.SEMANTIC)


def _says_the_same(one: Memory, other: Memory, cosine: float) -> bool:
    if normalise(one.content) == normalise(other.content):
        return True
    return (_says(one, other) or _says(other, one)) and cosine >= ALIKE


def _says(one: Memory, other: Memory) -> bool:
    """Say whether one memory says all that another says."""
    return normalise(one.content) == normalise(other.content) or says_all(one.content, other.content)


def _in_agreement(told: Sequence[Record]) -> list[Record]:
    """Return the shortest episode of those whose words most of them say, then all that say it, newest first."""
    texts = sorted(told, key=lambda each: (len(each.memory.content), each.num))
    agreeing = [[each, *(r for r in told if r is not each and _says(r.memory, each.memory))] for each in texts]
    first, *others = max(agreeing, key=len)
    return [first, *sorted(others, key=lambda record: -record.num)]


FEWEST, SESSIONS = 4, 3  # episodes of a cluster, and sessions that they come from
