"""Consolidation: what episodes state becomes facts, with links to the episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from engrain.conversation.compaction import Shortened, TierCompactor
from engrain.conversation.windows import transcript
from engrain.engine import Engine
from engrain.errors import MemoryRejected, ProviderError
from engrain.guard import guard, log
from engrain.lifecycle.episodes import (
    CONSOLIDATE,
    FEWEST,
    MOST,
    SESSIONS,
    TURN,
    Repetition,
    bear_witness,
    cosines,
    is_said,
    job_id,
    last_turn,
    leaves_by_word,
    lifted,
    may_be_learnt,
    next_of,
    obsolete,
    occasion,
    same_fact,
)
from engrain.llm.asker import Account, Spent
from engrain.llm.extractor import ModelExtractor
from engrain.model.filters import Condition, Test, within
from engrain.model.memory import Job, JobState, Kind, Memory, Scope, SourceType, Turn
from engrain.model.results import OFFLINE, Consolidation, Decision, Remembered
from engrain.model.scope import by_org, is_whole
from engrain.protocols import Candidate, Extractor, Transaction
from engrain.security.trust import least_trusted
from engrain.storage.queries import holders
from engrain.storage.rows import Edge, Record, Setting
from engrain.text import normalise
from engrain.write.conflicts import EXACT
from engrain.write.extraction import Limits, OfflineExtractor, Origin, drafts_of, found_by
from engrain.write.ingest import Progress
from engrain.write.pipeline import STORED, Writer
from engrain.write.prepare import PLAIN, Draft, Intent, Prepared, draft, embedded, prepare, probes, speaker
from engrain.write.transitions import retention_columns, tell_consolidated, tell_extracted

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
        (result,) = Writer(engine, transaction, now).write([item])
        return result.status in STORED

    made = engine.store.write(change, org)
    if made and item.memory.metadata["told_by"] != OFFLINE:
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


def _item(engine: Engine, cluster: Cluster, now: datetime, account: Account) -> Prepared | None:
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
    return embedded(engine, [prepare(engine, item, now)])[0]


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
        intent=PLAIN if old is None else Intent(target=old.memory.id, reason="it tells more episodes"),
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
    items: tuple[Prepared, ...]


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

    def _items(self, memory: Memory) -> tuple[Prepared, ...]:
        engine, said = self.engine, _as_turn(memory)
        found = self._found(memory, said)
        drafts = drafts_of(engine, found, Origin(whole=self._whole(memory), turn=said, ref=memory.id))
        return tuple(embedded(engine, [prepare(engine, self._ending(item, memory), self.now) for item in drafts]))

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

    def _whole(self, memory: Memory) -> Draft:
        """Return the draft whose fields the facts of an episode take over."""
        return Draft(
            content=memory.content,
            scope=replace(memory.scope, session=None),
            kind=memory.kind,
            actor=memory.actor,
            domain=memory.domain,
            source_type=memory.source.type,
            source_id=memory.source.id,
            confidence=memory.confidence,
            derived_from=(memory.id,),
            valid_from=memory.valid_from,
            valid_until=memory.valid_until,
            intent=Intent(resolve=self.engine.settings.resolve == "auto"),
        )

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
            done = retention_columns(
                self.engine.settings.retaining, replace(record.memory, consolidated_at=self.now), self.now
            )
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
            known = same_fact(self.engine, transaction, item.memory, self.now)
            if known is not None:
                bear_witness(transaction, known, record, self.now)
                told_again = Decision("duplicate", EXACT, f"{known.memory.id} states the same")
                facts.append(Remembered(known.memory, "noop", told_again))
                continue
            facts += Writer(self.engine, transaction, self.now).write([item])
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
