"""Episodes settle into facts: what they state is lifted out of them, and they are marked as learnt from.

An extractor or a model is asked before any transaction. The facts of an episode and its mark are written in one, so a
run that is killed loses nothing and does nothing twice. No episode is ever changed or deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.filters import Condition, Test
from recollect.foreign import guard, log
from recollect.lifecycle.clustering import tell_clusters
from recollect.lifecycle.lifting import lifted
from recollect.lifecycle.repeating import Repetition
from recollect.lifecycle.unlearnt import (
    CONSOLIDATE,
    TURN,
    job_id,
    last_turn,
    leaves_by_word,
    may_be_learnt,
    next_of,
    obsolete,
)
from recollect.lifecycle.witnessing import bear_witness, same_fact
from recollect.llm.budget import Spent
from recollect.llm.extractor import ModelExtractor
from recollect.llm.worked import Account
from recollect.models import Job, JobState, Memory, Scope, SourceType, Turn
from recollect.protocols import Candidate, Extractor, Record, Setting, Transaction
from recollect.results import Consolidation, Decision, Remembered
from recollect.scopes import by_org, is_whole
from recollect.write.commit import STORED, Commit, Item
from recollect.write.conflicts import EXACT, speaker
from recollect.write.draft import Draft
from recollect.write.duplicates import identity
from recollect.write.embedding import embed
from recollect.write.enrichment import index_text
from recollect.write.extraction import Limits, OfflineExtractor, Origin, drafts_of, found_by
from recollect.write.pipeline import compose, rules_of
from recollect.write.reports import Progress
from recollect.write.retaining import noted
from recollect.write.watching import tell_consolidated, tell_extracted

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
