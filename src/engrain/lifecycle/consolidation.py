"""Consolidation: what episodes state becomes facts, with links to the episodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle, islice

from engrain.conversation.compaction import Shortened, TierCompactor
from engrain.conversation.windows import transcript
from engrain.engine import Engine
from engrain.errors import MemoryRejected, ProviderError
from engrain.guard import guard, log
from engrain.language.statements import LONGEST, read
from engrain.llm.budget import Account, Spent
from engrain.llm.extractor import ModelExtractor
from engrain.model.filters import AnyOf, Condition, Filter, Test, unexpired, within
from engrain.model.memory import Expiry, Job, JobState, Kind, Memory, Scope, SourceType, Status, Turn, slot
from engrain.model.results import OFFLINE, Consolidation, Decision, Remembered
from engrain.model.scope import by_org, is_whole
from engrain.policies.consolidation import says_all
from engrain.policies.retention import Retention
from engrain.protocols import Candidate, Extractor
from engrain.security.audit import Trail, who
from engrain.security.trust import least_trusted
from engrain.storage.interface import Reader, Transaction
from engrain.storage.queries import holders
from engrain.storage.rows import Edge, Record, Setting, Vector
from engrain.text import normalise, pattern, sentences
from engrain.write.conflicts import EXACT, Rules, speaker
from engrain.write.draft import Draft, Intent, draft
from engrain.write.extraction import Limits, OfflineExtractor, Origin, drafts_of, found_by, is_chatter, worth
from engrain.write.ingest import Progress
from engrain.write.neighbours import probes
from engrain.write.pipeline import STORED, Commit, Item, compose, rules_of
from engrain.write.prepare import embed, identity, index_text, is_of_oneself
from engrain.write.transitions import borne_out, noted, tell_consolidated, tell_extracted


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
_POINTS = pattern(r"\b(?:this|that|these|those|it|them|they|here|there|you|your)\b", re.IGNORECASE)
_KIN = (
    "sister|brother|mother|mom|mum|father|dad|wife|husband|spouse|partner|boyfriend|girlfriend|fiancée?|son|daughter"
    "|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|dog|cat|puppy|kitten|boss|manager"
)
_WHO = rf"(?:(?:I(?:['’]m|\ am))|(?:[Mm]y\ (?:\w+\ )?(?:{_KIN})|[A-Z][\w-]+(?:\ [A-Z][\w-]+)?)(?:['’]s|\ is))"
_LASTS = pattern(
    rf"""(?:(?:Oh|Well|Yeah|Yes|And|So|Actually|Also|By\ the\ way),?\ )?(?:
    {_WHO}\ (?:\w+ly\ |very\ |also\ )?(?:allergic|intolerant)\ to\ \w
    |{_WHO}\ (?:an?\ )?(?:strict\ )?(?:vegan|vegetarian|pescatarian|diabetic|left-handed|colou?r[- ]blind|retired)\b
    |{_WHO}\ (?:originally\ )?from\ [A-Z]
    |(?:I\ (?:currently\ )?(?:live|work|teach|study)|I(?:['’]m|\ am)\ (?:currently\ )?(?:living|working|studying))
        \ (?:in|at|as|for|near)[ ]
    |I(?:['’]m|\ am)\ (?:currently\ )?based\ in[ ]
    |I\ (?:was\ born|grew\ up)\ (?:in|on)[ ]
    |I\ (?:(?:really|strongly|usually|always|generally|much)\ )?prefer\ \w
    |I\ (?:have|own|['’]ve\ got)\ (?:an?|one|two|three|four|five|\d+)\ (?:\w+\ ){{0,2}}
        (?:{_KIN}|(?:{_KIN})s|kids|children|pets?|siblings|degree|allergy)\b
    |[Mm]y\ (?:\w+\ )?(?:{_KIN})(?:['’]s\ name\ is|\ is\ (?:called|named))\b
    |[Mm]y\ (?:favou?rite\ (?:\w+\ ){{1,3}}|name|birthday|job|hometown|degree|blood\ type|anniversary)\ ?(?:is|are)[ ]
    )""",
    re.VERBOSE,
)


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
    statement = read(sentence, speaker=who, languages=languages)
    if statement.fact is not None:
        return Candidate(content=sentence, rating=max(worth(sentence), _LIFTING_LEAST), fact=statement.fact)
    lasting = _LASTS.match(sentence) is not None or (leaves and worth(sentence) >= _NOTABLE)
    lasting = lasting and not _POINTS.search(sentence)
    return Candidate(content=sentence, rating=max(worth(sentence), _LIFTING_LEAST)) if lasting else None


def is_said(memory: Memory) -> bool:
    """Say whether an episode is what somebody said or noted: no answer of an assistant, no tool's, nothing retold."""
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
    trust = borne_out(transaction, known.num, known.memory, source.memory, said_by=source.memory.id)
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
        composed = compose(self.engine, item, self.now)
        count = len({occasion(memory) for memory in memories})
        composed = replace(composed, memory=replace(composed.memory, evidence_count=count))
        commit = Commit(self.engine, self.transaction, self.now, "create", rules_of(self.engine))
        (result,) = commit.run([Item(composed, identity(composed.memory), None)])
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
    if is_of_oneself(memory.content) and other.actor != memory.actor:
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
RELATED = 0.6  # the least cosine of a member and the episode that the cluster was found around
GROWN = 1.5  # times as many members as when it was told, and a cluster is told anew
NOTABLE = 0.4  # the least importance of a member
_CLUSTERING_HELD, _CLUSTERING_READ, _SHARED = (
    64,
    64,
    2,
)  # rows that may hold a rare word; rows that are compared; rare words in common
_SHORTEST, _LONGEST = 60, 300  # tokens of what is told
_MARK = "is_cluster"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Episodes that belong together, oldest first, and the memory that tells fewer of them so far."""

    members: tuple[Record, ...]
    told: Record | None = None


def tell_clusters(engine: Engine, around: Sequence[Record], now: datetime, account: Account) -> int:
    """Tell the clusters that there are around episodes, none twice; return how many memories that made."""
    made = 0
    named = [record for record in around if _is_member(record.memory, frozenset(), now)]
    for scope, records in _by_user(named).items():
        with engine.store.read(scope.org) as reader:
            talking = frozenset(actor.casefold() for actor in reader.actors(within(scope)))
        about = [each for each in records if _is_member(each.memory, talking, now)]
        told = sum(_told(engine, each, talking, now, account) for each in about)
        engine.counters.count("created", scope, told)
        made += told
    return made


def _by_user(records: Sequence[Record]) -> dict[Scope, list[Record]]:
    found: dict[Scope, list[Record]] = {}
    for record in records:
        found.setdefault(Scope(record.memory.scope.org, record.memory.scope.user), []).append(record)
    return found


def _told(engine: Engine, record: Record, talking: frozenset[str], now: datetime, account: Account) -> bool:
    org = record.memory.scope.org
    cluster = engine.store.write(lambda transaction: _Search(engine, transaction, talking, now).around(record), org)
    item = None if cluster is None else _item(engine, cluster, now, account)
    if item is None:
        return False

    def change(transaction: Transaction) -> bool:
        if _Search(engine, transaction, talking, now).around(record) != cluster:
            return False  # another worker told it, or one of them has changed
        (result,) = Commit(engine, transaction, now, "create", rules_of(engine)).run([item])
        return result.status in STORED

    made = engine.store.write(change, org)
    if made and item.composed.memory.metadata["told_by"] != OFFLINE:
        account.did()
    return made


def _is_member(memory: Memory, talking: frozenset[str], now: datetime) -> bool:
    """Say whether an episode may be one of a cluster: it states something, and not only of those who talk."""
    return (
        memory.kind is Kind.EPISODIC
        and not leaves_by_word(memory)
        and memory.scope.session is not None
        and memory.importance >= NOTABLE
        and is_said(memory)
        and memory.is_live_at(now)
        and bool(_things(memory, talking))
    )


def _things(memory: Memory, talking: frozenset[str]) -> frozenset[str]:
    """Return what an episode names, but for who talks."""
    return frozenset(name.casefold() for name in memory.entities) - talking


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for a cluster inside one transaction; changes nothing."""

    engine: Engine
    transaction: Transaction
    talking: frozenset[str]
    now: datetime

    def around(self, record: Record) -> Cluster | None:
        """Return the cluster around an episode if it is to be told now."""
        members = self._members(record)
        if not _is_enough(members):
            return None
        told = self._told(members)
        if told is None:
            return Cluster(_in_order(members))
        tests = [Test("source", "eq", told.num), Test("relation", "eq", "derived_from")]
        nums = {edge.target for edge in self.transaction.find(Edge, tests)}
        fit = [each for each in members if each.memory.trust >= told.memory.trust - 1e-9]  # what may take its place
        both = {each.num for each in fit} | nums
        if len(both) < GROWN * len(nums) or len(both) > MOST:
            return None
        every = self.transaction.find(Record, [Test("num", "in", tuple(both))])
        return Cluster(_in_order([each for each in every if _is_member(each.memory, self.talking, self.now)]), told)

    def _members(self, record: Record) -> list[Record]:
        memory, scope = record.memory, record.memory.scope
        shared: dict[int, int] = {}
        for held in holders(self.transaction, scope.org, scope.user, probes(memory), limit=_CLUSTERING_HELD + 1):
            for num in held if len(held) <= _CLUSTERING_HELD else ():
                shared[num] = shared.get(num, 0) + 1
        nums = sorted((n for n, count in shared.items() if count >= _SHARED and n != record.num), reverse=True)[
            :_CLUSTERING_READ
        ]
        if len(nums) < FEWEST - 1:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(nums))])
        fit = [each for each in found if self._belongs(each.memory, memory)]
        found_alike = cosines(self.engine, self.transaction, record, fit)
        return [record, *(each for each, cosine in zip(fit, found_alike, strict=True) if cosine >= RELATED)]

    def _belongs(self, other: Memory, memory: Memory) -> bool:
        if other.scope.agent != memory.scope.agent or not _is_member(other, self.talking, self.now):
            return False
        return not _things(other, self.talking).isdisjoint(_things(memory, self.talking))

    def _told(self, members: Sequence[Record]) -> Record | None:
        """Return the memory that tells most of these episodes together already."""
        nums = tuple(each.num for each in members)
        edges = self.transaction.find(Edge, [Test("target", "in", nums), Test("relation", "eq", "derived_from")])
        counts: dict[int, int] = {}
        for edge in edges:
            counts[edge.source] = counts.get(edge.source, 0) + 1
        found = self.transaction.find(Record, [Test("num", "in", tuple(counts))]) if counts else []
        live = [r for r in found if r.memory.metadata.get(_MARK) is True and r.memory.is_live_at(self.now)]
        return max(live, key=lambda r: (counts[r.num], -r.num), default=None)


def _is_enough(members: Sequence[Record]) -> bool:
    """Say whether episodes tell enough: what is only said again and again is no cluster."""
    texts = {normalise(each.memory.content) for each in members}
    return len(texts) >= FEWEST and len({occasion(each.memory) for each in members}) >= SESSIONS


def _in_order(members: Sequence[Record]) -> tuple[Record, ...]:
    return tuple(sorted(members, key=lambda each: (each.memory.valid_from, each.num)))


def _item(engine: Engine, cluster: Cluster, now: datetime, account: Account) -> Item | None:
    """Return the memory that tells a cluster; None when nobody can tell it now, or nothing of it may be kept."""
    memories = [each.memory for each in cluster.members]
    turns = [Turn(role="user", content=m.content, actor=m.actor, at=m.valid_from) for m in memories]
    text = transcript(turns)
    llm = account.asker(memories[0].scope, "summary")
    target = min(max(engine.tokenizer.count_tokens(text) // 3, _SHORTEST), _LONGEST)
    failed: list[Exception] = []
    compactor = TierCompactor(llm, engine.tokenizer, on_error=lambda tier, error: failed.append(error))
    told = guard("telling a cluster", partial(compactor.shortened, text, 1, target)) or Shortened("")
    for error in failed:
        account.failed(error)
    if not told.text.strip() or any(isinstance(error, ProviderError) for error in failed):
        return None  # a model that is paused or down tells it when its next episode comes
    try:
        item = _written(engine, told, memories, cluster.told)
    except MemoryRejected:
        return None
    composed = compose(engine, item, now)
    vector = embed(engine.embedder, [index_text(composed.memory, situate=engine.settings.situate)])[0]
    return Item(composed, identity(composed.memory), vector)


def _written(engine: Engine, told: Shortened, memories: Sequence[Memory], old: Record | None) -> Draft:
    first = memories[0]
    types = [memory.source.type for memory in memories]
    return draft(
        told.text.strip(),
        scope=Scope(first.scope.org, first.scope.user, first.scope.agent),
        settings=engine.settings,
        kind="semantic",
        domain=first.domain,
        source_type=least_trusted([*types, SourceType.LLM_GENERATED] if told.is_by_model else types),
        tier="C" if told.is_by_model else None,
        metadata={"is_summary": True, _MARK: True, "original_count": len(memories), "told_by": told.by},
        derived_from=[memory.id for memory in memories],
        valid_from=first.valid_from if old is None else None,
        resolve="off",
        intent=None if old is None else Intent(target=old.memory.id, reason="it tells more episodes"),
    )


IN_A_ROW = 3  # failures of a run before it ends: whoever finds the facts is down
ATTEMPTS = 10  # before an episode is given up, over about two days
SHORTEST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)  # between attempts, four times as long each
_LIMITS = Limits(min_importance=3, max_facts=10)  # of one episode
_ROLES = {SourceType.LLM_GENERATED: "assistant", SourceType.TOOL_RESULT: "tool", SourceType.SYSTEM: "system"}


def consolidate(
    engine: Engine, scope: Scope | None, *, batch_size: int = 10, progress: Progress | None = None
) -> Consolidation:
    """Learn from the next `batch_size` episodes that a view sees; without a scope, of the whole store.

    See `MemoryManager.consolidate`.
    """
    checked_batch(batch_size)
    if engine.store.read_only:
        return Consolidation()
    now = engine.clock.now()
    with engine.store.read(None if scope is None else scope.org) as reader:
        episodes = next_of(reader, scope, engine.settings.retaining, now, batch_size)
        gone = obsolete(reader, now)
    for org, jobs in by_org(gone, lambda job: job.org).items():
        mine = [Test("id", "in", tuple(job.id for job in jobs)), Test("run_at", "le", now)]
        engine.store.write(partial(_without, mine), org)
    run = _Run(engine, now, Account(engine))
    for group in _groups(episodes, 1 if asks_others(engine) else len(episodes)):
        run.learn(group)
        if progress is not None and asks_others(engine):
            progress(len(run.learnt) + run.failed, len(episodes), "episodes")
        if run.paused or run.in_a_row >= IN_A_ROW:
            break
    if not run.paused:
        tell_clusters(engine, run.learnt, now, run.account)
    if scope is None and episodes:
        _pass_turn(engine, episodes[-1].memory.scope)
    done = run.outcome()
    if episodes:
        log.info(
            "consolidation: %d episodes, %d facts added, %d told again, %d failed",
            done.processed,
            done.facts_added,
            done.facts_merged,
            done.failed,
        )
    return done


def checked_batch(batch_size: int) -> int:
    """Return the size of a batch; raises `TypeError` or `ValueError`."""
    if not is_whole(batch_size):
        raise TypeError(f"batch_size must be a whole number, not {type(batch_size).__name__}")
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}: it must be 1 or more")
    return batch_size


def asks_others(engine: Engine) -> bool:
    """Say whether somebody else's code finds the facts, which may be slow: then each episode is kept by itself."""
    return engine.llm is not None or _own(engine) is not None


def _own(engine: Engine) -> Extractor | None:
    """Return the extractor of the caller's, None where only the offline one is in force."""
    return None if engine.extractor is None or type(engine.extractor) is OfflineExtractor else engine.extractor


def _groups(episodes: Sequence[Record], size: int) -> Iterator[Sequence[Record]]:
    yield from (episodes[start : start + size] for start in range(0, len(episodes), max(size, 1)))


def _without(jobs: Sequence[Condition], transaction: Transaction) -> None:
    transaction.delete(Job, jobs)


def _pass_turn(engine: Engine, scope: Scope) -> None:
    def change(transaction: Transaction) -> None:
        namespace = transaction.namespace(scope.org, scope.user)
        if last_turn(transaction) != namespace:
            transaction.put(Setting(TURN, str(namespace)))

    engine.store.write(change, scope.org)


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What one episode states, ready to be stored."""

    record: Record
    items: tuple[Item, ...]


@dataclass(slots=True)
class _Kept:
    """What became of lessons in a transaction."""

    learnt: list[Record] = field(default_factory=list)
    added: list[Scope] = field(default_factory=list)  # of each new fact
    merged: int = 0
    told: list[tuple[Memory, list[Remembered]]] = field(default_factory=list)  # episodes, and their facts


@dataclass
class _Run:
    """One run: what came of it so far."""

    engine: Engine
    now: datetime
    account: Account
    learnt: list[Record] = field(default_factory=list)
    added: int = 0
    merged: int = 0
    failed: int = 0
    in_a_row: int = 0
    paused: bool = False

    def outcome(self) -> Consolidation:
        """Return what came of it."""
        counts = (len(self.learnt), self.added, self.merged, self.failed, self.paused)
        return Consolidation(*counts, **self.account.worked())

    def learn(self, episodes: Sequence[Record]) -> None:
        """Find what episodes state, and keep it."""
        lessons: list[_Lesson] = []
        for record in episodes:
            try:
                lessons.append(_Lesson(record, self._items(record.memory)))
            except Spent as error:
                self.account.failed(error)
                log.warning("consolidation pauses: the budget for the language model is spent for today")
                self.paused = True
                break
            except (ProviderError, ValueError) as error:
                self.account.failed(error)
                self.failed, self.in_a_row = self.failed + 1, self.in_a_row + 1
                self._put_off(record.memory, error)
        for org, some in by_org(lessons, lambda lesson: lesson.record.memory.scope.org).items():
            self.in_a_row = 0
            kept = self.engine.store.write(partial(self._keep, some), org)
            self.learnt += kept.learnt
            self.added += len(kept.added)
            self.merged += kept.merged
            for scope in kept.added:
                self.engine.counters.count("created", scope)
            if self.engine.callbacks:
                self._tell(kept)

    def _tell(self, kept: _Kept) -> None:
        """Tell the callbacks what was found in each episode, and what became of it."""
        for episode, facts in kept.told:
            tell_extracted(self.engine.callbacks, [_as_turn(episode)], facts)
            tell_consolidated(self.engine.callbacks, facts, partial(self._known, episode.scope.org))

    def _known(self, org: str, memory_id: str) -> Memory | None:
        with self.engine.store.read(org) as reader:
            found = reader.find(Record, [Test("id", "eq", memory_id)])
        return found[0].memory if found else None

    # --------------------------------------------------------------------------------------- before the transaction

    def _items(self, memory: Memory) -> tuple[Item, ...]:
        engine, said = self.engine, _as_turn(memory)
        found = self._found(memory, said)
        scope = Scope(memory.scope.org, memory.scope.user, memory.scope.agent)
        drafts = drafts_of(engine, scope, found, Origin(said, memory.id, self._given(memory)))
        composed = [compose(engine, self._ending(item, memory), self.now) for item in drafts]
        vectors = embed(engine.embedder, [index_text(c.memory, situate=engine.settings.situate) for c in composed])
        return tuple(Item(c, identity(c.memory), vector) for c, vector in zip(composed, vectors, strict=True))

    def _found(self, memory: Memory, said: Turn) -> list[Candidate]:
        """Return what an episode states; raises `ProviderError` or `ValueError` when that could not be found out."""
        engine, largest = self.engine, self.engine.settings.max_content_bytes
        if memory.metadata.get("is_summary") is True:
            return []
        own = _own(engine)
        if own is not None:
            failed: list[Exception] = []
            found = guard("the extractor", lambda: found_by(own, [said], max_bytes=largest), failed=failed.append)
            if found is None:
                raise ProviderError(f"the extractor failed ({type(failed[0]).__name__ if failed else 'nothing'})")
            return _LIMITS.best(found)
        llm = self.account.asker(memory.scope, "extract")
        if llm is not None:
            facts = _LIMITS.best(found_by(ModelExtractor(llm), [said], max_bytes=largest))
            self.account.did()
            return facts
        leaves = engine.settings.retaining.of(memory).ttl is not None and not memory.pinned
        return lifted(memory, engine.settings.languages, leaves=leaves)

    def _given(self, memory: Memory) -> dict[str, object]:
        """Return what the facts of an episode have from it."""
        return {
            "source_type": memory.source.type.value,
            "source_id": memory.source.id,
            "domain": memory.domain,
            "actor": memory.actor,
            "derived_from": (memory.id,),
            "valid_from": memory.valid_from,
            "valid_until": memory.valid_until,
            "confidence": memory.confidence,
        }

    def _ending(self, item: Draft, memory: Memory) -> Draft:
        """Let a fact leave when the episode does, where its caller said when that is."""
        if memory.expires_at is None or not leaves_by_word(memory):
            return item
        return replace(item, ttl=memory.expires_at - self.now)

    # --------------------------------------------------------------------------------------- in the transaction

    def _keep(self, lessons: Sequence[_Lesson], transaction: Transaction) -> _Kept:
        kept = _Kept()
        for lesson in sorted(lessons, key=_told_at):  # so that what was said later takes the place of what was before
            record = self._still(transaction, lesson.record)
            if record is None:  # another worker was faster, or it was edited or left meanwhile
                continue
            facts = self._stored(transaction, lesson, record)
            more = sum(fact.status in STORED for fact in facts)
            again = len(facts) - more
            if not lesson.items:
                more, again = Repetition(self.engine, transaction, self.now).heard(record)
            done = noted(self.engine.settings.retaining, replace(record.memory, consolidated_at=self.now), self.now)
            transaction.update(Record, [Test("num", "eq", record.num)], consolidated_at=self.now, **done)
            transaction.delete(Job, [Test("id", "eq", job_id(record.memory.id))])
            kept.learnt.append(record)
            kept.added += [record.memory.scope] * more
            kept.merged += again
            kept.told.append((record.memory, facts))
        return kept

    def _still(self, transaction: Transaction, before: Record) -> Record | None:
        """Return an episode as it is now, None when it is no longer what was looked at."""
        found = transaction.find(Record, [Test("num", "eq", before.num), Test("id", "eq", before.memory.id)])
        fit = bool(found) and may_be_learnt(found[0].memory, self.now)
        return found[0] if fit and found[0].memory.content == before.memory.content else None

    def _stored(self, transaction: Transaction, lesson: _Lesson, record: Record) -> list[Remembered]:
        facts: list[Remembered] = []
        for item in lesson.items:
            known = same_fact(self.engine, transaction, item.composed.memory, self.now)
            if known is not None:
                bear_witness(transaction, known, record, self.now)
                told_again = Decision("duplicate", EXACT, f"{known.memory.id} states the same")
                facts.append(Remembered(known.memory, "noop", told_again))
                continue
            commit = Commit(self.engine, transaction, self.now, "create", rules_of(self.engine))
            facts += commit.run([item])
        return facts

    # --------------------------------------------------------------------------------------- what failed

    def _put_off(self, memory: Memory, error: Exception) -> None:
        """Let a failed episode wait, longer each time, and in the end for somebody to look at it."""
        says = str(error) if isinstance(error, ProviderError) else type(error).__name__

        def change(transaction: Transaction) -> None:
            if not transaction.find(Record, [Test("id", "eq", memory.id)]):
                return  # erased meanwhile
            held = transaction.find(Job, [Test("id", "eq", job_id(memory.id))])
            attempts = (held[0].attempts if held else 0) + 1
            wait = min(SHORTEST_WAIT * 4 ** (attempts - 1), LONGEST_WAIT)
            state = JobState.DEAD if attempts >= ATTEMPTS else JobState.QUEUED
            org = memory.scope.org
            transaction.put(Job(job_id(memory.id), CONSOLIDATE, org, memory.id, self.now + wait, state, attempts, says))

        self.engine.store.write(change, memory.scope.org)


def _told_at(lesson: _Lesson) -> tuple[datetime, int]:
    return lesson.record.memory.valid_from, lesson.record.num


def _as_turn(memory: Memory) -> Turn:
    """Return an episode as the turn that an extractor is shown."""
    return Turn(
        role=_ROLES.get(memory.source.type, "user"),
        content=memory.content,
        id=memory.id,
        actor=speaker(memory),
        at=memory.valid_from,
    )
