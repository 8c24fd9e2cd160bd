"""Background jobs: vectors for memories stored without, descriptions and merge proposals by a language model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

from engrain.arrays import Floats
from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.graph.entity_store import EntityStore, Recorder, among, rooted
from engrain.graph.extraction import CAUSAL, mentioned
from engrain.guard import log
from engrain.language.names import word_list
from engrain.language.sentences import sentences
from engrain.llm.asker import Asker, asker
from engrain.llm.describing import Description, described, label
from engrain.llm.replies import Unreadable, ask_model, json_object, prompt
from engrain.model.entities import IDENTIFIERS, NAME, name_key
from engrain.model.filters import Condition, Test, live, within
from engrain.model.memory import ENRICH, Job, JobState, Memory, Scope, SourceType, Status
from engrain.model.scope import by_org
from engrain.protocols import Embedder
from engrain.security.audit import Trail
from engrain.security.injection.detector import suspicions
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import ASKED, MERGED, PROPOSED, EntityRow, MentionRow, MergeRow, Record, Revision, Vector
from engrain.text import shorten
from engrain.validation import MAX_TAGS
from engrain.write.prepare import index, index_text, is_described, vectors
from engrain.write.transitions import Closer, put_terms

UNCOMPARED = IDENTIFIERS | {"event"}
"""Types whose names are never compared: identifiers differ when a character does, and events are told in words."""
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LEAST, _TYPO = 3, 7  # letters of a name that is compared, and of one that may be misspelt
_INITIALS = 3  # words whose first letters may be a name of their own


def may_be_one(one: EntityRow, other: EntityRow) -> bool:
    """Say whether two entities may be one: not if their types, digits or identifiers differ, or they share a key."""
    kinds = {one.family, other.family}
    if len(kinds - {NAME}) > 1 or not UNCOMPARED.isdisjoint({one.type, other.type}):
        return False
    keys = name_key(one.type, one.name), name_key(other.type, other.name)
    if keys[0] == keys[1] or min(map(len, keys)) < _LEAST or _DIGITS.findall(keys[0]) != _DIGITS.findall(keys[1]):
        return False
    words = [_WORD.findall(key) for key in keys]
    return (
        _without_form(words[0]) == _without_form(words[1])
        or _shortened(*words)
        or _shortened(*reversed(words))
        or _abbreviates(one.name, words[1])
        or _abbreviates(other.name, words[0])
        or _misspelt(*keys)
    )


def beginnings(row: EntityRow) -> tuple[str, ...]:
    """Return what the keys of names begin with that may be other names of an entity; few others begin so."""
    key = name_key(row.type, row.name)
    words = _WORD.findall(key)
    if not words:
        return ()
    if row.name.isupper() or any(len(word) == 1 for word in words):
        return (key[:1],)
    initials = ("".join(word[0] for word in words),) if len(words) >= _INITIALS else ()
    return (key[:_LEAST], f"{key[0]} ", f"{key[0]}.", *initials)


def _without_form(words: Sequence[str]) -> tuple[str, ...]:
    """Return a name without the form of the company or group that ends it."""
    kept = list(words)
    while len(kept) > 1 and kept[-1] in word_list("forms"):
        kept.pop()
    return tuple(kept)


def _shortened(long: Sequence[str], short: Sequence[str]) -> bool:
    """Say whether a name is another with given names cut to their initials, or middle names left out."""
    if len(short) < 2 or len(long) < len(short) or long[-1] != short[-1]:
        return False
    given, initials = list(long[:-1]), list(short[:-1])
    if len(given) > len(initials):
        return given[: len(initials)] == initials or given[0][0] == initials[0]
    pairs = list(zip(given, initials, strict=True))
    return all(full == part or full[0] == part for full, part in pairs) and any(full != part for full, part in pairs)


def _abbreviates(name: str, words: Sequence[str]) -> bool:
    """Say whether a name of capitals is the first letters of another's words."""
    return name.isupper() and len(words) >= _INITIALS and name.casefold() == "".join(word[0] for word in words)


def _misspelt(one: str, other: str) -> bool:
    """Say whether two long names differ by a letter: another one, one more, or two that changed places."""
    if min(len(one), len(other)) < _TYPO or abs(len(one) - len(other)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


class LeftForLater(ProviderError):
    """There is no time to ask again: the worker is told to stop, or whoever waits for it has waited long enough."""


class Held:
    """A language model whose worker holds on to its job for as long as an answer may take."""

    def __init__(self, llm: Asker, hold: Callable[[], bool]) -> None:
        self._llm, self._hold, self.name = llm, hold, llm.name
        self._begun = False

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer; raises `LeftForLater` when there is no time for another after the first."""
        if not self._hold() and self._begun:
            raise LeftForLater("there was no time to ask again")
        self._begun = True
        return self._llm.complete(prompt, system=system, max_tokens=max_tokens)


def embed_all(engine: Engine, jobs: Sequence[Job], embedder: Embedder, mine: Sequence[Condition]) -> None:
    """Give the memories of leased jobs their vectors, and remove the jobs that are still `mine`, org by org.

    An org's vectors and jobs are of one transaction. A text that was edited meanwhile keeps waiting for the job that
    its edit has put.
    """
    groups = by_org(jobs, lambda job: job.org)
    wanted = {org: _wanted(engine, org, some) for org, some in groups.items()}
    texts = [index_text(r.memory, situate=engine.settings.situate) for records in wanted.values() for r in records]
    rows = iter(vectors(embedder, texts) if texts else ())  # all in one call, whosever they are
    made = {org: [(record, next(rows)) for record in records] for org, records in wanted.items()}
    for org, some in groups.items():
        done = [Test("id", "in", tuple(job.id for job in some)), *mine]
        engine.store.write(partial(_keep, embedder, made[org], done), org)


def _wanted(engine: Engine, org: str, jobs: Sequence[Job]) -> list[Record]:
    ids = tuple(job.memory_id for job in jobs)
    with engine.store.read(org) as reader:
        records = {r.memory.id: r for r in reader.find(Record, [Test("id", "in", ids)])}
    found = [records[memory_id] for memory_id in dict.fromkeys(ids) if memory_id in records]
    return [record for record in found if record.memory.status is not Status.FORGOTTEN]


def _keep(
    embedder: Embedder, made: Sequence[tuple[Record, Floats]], done: Sequence[Condition], transaction: Transaction
) -> None:
    held = {r.num: r for r in transaction.find(Record, [Test("num", "in", tuple(record.num for record, _ in made))])}
    for record, row in made:
        now = held.get(record.num)
        if now is not None and now.memory.content == record.memory.content:
            scope = record.memory.scope
            transaction.put(Vector(transaction.namespace(scope.org, scope.user), embedder.id, record.num, row))
    transaction.delete(Job, done)


PAIRS = 3  # that one memory has a model asked about
USE = "adjudicate"
_NAMES, _LIKE, _HEARD = 12, 300, 20  # names of a memory; names beside each; memories that are looked at for a sentence
_SENTENCE = 300  # characters
_ANSWER = 100  # tokens
_OUTSIDE = (SourceType.EXTERNAL_DATA, SourceType.TOOL_RESULT)
_LAST = "\U0010ffff"


@dataclass
class _Entry:
    """What a model says of two names."""

    verdict: Literal["same", "different", "unsure"]


@dataclass(frozen=True, slots=True)
class Question:
    """Two entities, a memory that names each, and the proposal that waits, if one does."""

    keep: EntityRow
    other: EntityRow
    told: tuple[Record, Record]
    proposal: MergeRow | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model, by its name, made of a question."""

    question: Question
    same: bool
    by: str


def verdicts(engine: Engine, record: Record, going_on: Callable[[], bool]) -> list[Verdict]:
    """Ask about the names in a memory that may be other names of what is known; a model that fails leaves the rest."""
    model = asker(engine, record.memory.scope, USE)
    if model is None:
        return []
    llm, found = Held(model, going_on), list[Verdict]()
    for question in _questions(engine, record):
        try:
            values = _values(question)
            said = ask_model(llm, prompt("same"), json_object(_Entry), max_tokens=_ANSWER, **values)
        except ProviderError as error:
            log.warning("%s was not asked about more names of %s: %s", llm.name, record.memory.id, error)
            break
        found.append(Verdict(question, said.verdict == "same", f"{llm.name} ({prompt('same').label})"))
    return found


def _values(question: Question) -> dict[str, str]:
    first, second = question.keep, question.other
    return {
        "first": first.name,
        "first_said": _sentence(first, question.told[0].memory),
        "second": second.name,
        "second_said": _sentence(second, question.told[1].memory),
    }


def _sentence(row: EntityRow, memory: Memory) -> str:
    """Return the sentence of a memory that names an entity, its beginning where the text has another name for it."""
    key, parts = name_key(NAME, row.name), sentences(memory.content)
    found = next((part for part in parts if key in name_key(NAME, part)), parts[0] if parts else memory.content)
    return shorten(found, _SENTENCE)


# ------------------------------------------------------------------------------------------------------------ questions


def _questions(engine: Engine, record: Record) -> list[Question]:
    """Return the pairs to be asked about: those that an embedder proposed, then those whose names look alike."""
    if not _vouches(record.memory):
        return []
    found: list[Question] = []
    with engine.store.read(record.memory.scope.org) as reader:
        for one_, other, proposal in _pairs(reader, record):
            told = _told(engine, reader, record, (one_, other))
            if told is not None:
                found.append(Question(one_, other, told, proposal))
            if len(found) == PAIRS:
                break
    return found


def _pairs(reader: Reader, record: Record) -> list[tuple[EntityRow, EntityRow, MergeRow | None]]:
    agent = record.memory.scope.agent
    mentions = reader.find(MentionRow, [Test("num", "eq", record.num)], order="entity")
    rows = among(reader, EntityRow, "id", [each.entity for each in mentions][:_NAMES]) if mentions else []
    rows = [row for row in rows if row.type not in UNCOMPARED]
    tops = {top.id: top for top in rooted(reader, rows, agent).values()}
    found: dict[tuple[int, int], tuple[EntityRow, EntityRow, MergeRow | None]] = {}
    for top in tops.values():
        for waiting in _proposed(reader, top):
            ends = among(reader, EntityRow, "id", (waiting.keep, waiting.other))
            if len(ends) == 2 and waiting.agent == agent and not any(end.merged_into for end in ends):
                first, second = sorted(ends, key=lambda row: row.id != waiting.keep)
                if not _asked_about(reader, first, second):
                    found.setdefault((first.id, second.id), (first, second, waiting))
    for top in tops.values():
        for other in _like(reader, top):
            keep, under = sorted((top, other), key=lambda row: (row.family == NAME, row.id))
            if not _decided(reader, keep, under):
                found.setdefault((keep.id, under.id), (keep, under, None))
    return list(found.values())


def _proposed(reader: Reader, row: EntityRow) -> list[MergeRow]:
    """Return what waits of an entity that no text claims: an embedder took the names for likely one."""
    waiting = [Test("ns", "eq", row.ns), Test("state", "eq", PROPOSED), Test("num", "eq", None)]
    ends = (reader.find(MergeRow, [*waiting, Test(end, "eq", row.id)], order="id") for end in ("keep", "other"))
    return [each for found in ends for each in found]


def _like(reader: Reader, row: EntityRow) -> list[EntityRow]:
    """Return the entities of their own whose names may be other names of one."""
    found: dict[int, EntityRow] = {}
    for start in beginnings(row):
        near = [Test("ns", "eq", row.ns), Test("key", "ge", start), Test("key", "lt", start + _LAST)]
        found |= {each.id: each for each in reader.find(EntityRow, near, order="key", limit=_LIKE)}
    rows = (each for each in found.values() if each.id != row.id and each.merged_into is None)
    return [other for other in rows if may_be_one(row, other)]


def _asked_about(reader: Reader, one_: EntityRow, other: EntityRow) -> bool:
    return _decided(reader, one_, other, Test("state", "eq", ASKED))


def _decided(reader: Reader, one_: EntityRow, other: EntityRow, *also: Test) -> bool:
    """Say whether somebody decided about two entities, is asked to, or a model was."""
    ids = (one_.id, other.id)
    return bool(reader.find(MergeRow, [Test("keep", "in", ids), Test("other", "in", ids), *also], order="id", limit=1))


def _told(
    engine: Engine, reader: Reader, record: Record, pair: tuple[EntityRow, EntityRow]
) -> tuple[Record, Record] | None:
    """Return a memory that names each of two entities, within the memory's own view; None where one has none."""
    where = within(record.memory.scope).but(*live(engine.clock.now()))
    found = []
    naming = [
        {mention.num for mention in reader.find(MentionRow, [Test("entity", "eq", row.id)], order="-num", limit=_HEARD)}
        for row in pair
    ]
    both = _naming_both(reader, pair)
    for held in naming:
        nums = tuple(sorted(held - both))
        records = reader.find(Record, where.but(Test("num", "in", nums)), order="-num") if nums else []
        own = [each for each in records if each.num == record.num]
        first = next((each for each in (*own, *records) if _vouches(each.memory)), None)
        if first is None:
            return None
        found.append(first)
    return found[0], found[1]


def _naming_both(reader: Reader, pair: tuple[EntityRow, EntityRow]) -> set[int]:
    """Return the memories that name both of two entities: what such a text says of the two is a claim, no evidence."""
    first, second = ([Test("entity", "eq", row.id)] for row in pair)
    nums = {each.num for each in reader.find(MentionRow, first, order="num")}
    return nums & {each.num for each in reader.find(MentionRow, second, order="num")}


def _vouches(memory: Memory) -> bool:
    """Say whether a memory is evidence of who is who: what comes from outside, or waits, is not."""
    return memory.source.type not in _OUTSIDE and not memory.is_contested


# -------------------------------------------------------------------------------------------------------------- verdict


def put(engine: Engine, transaction: Transaction, verdict: Verdict, record: Record, trail: Trail) -> None:
    """Write down what a model said of two names, if both are still entities of their own, and vouched for.

    It goes when the memory is erased that had it asked.
    """
    question, scope = verdict.question, record.memory.scope
    pair = (question.keep.id, question.other.id)
    rows = among(transaction, EntityRow, "id", pair)
    tops = {row.id for row in rooted(transaction, rows, scope.agent).values()} if len(rows) == 2 else set()
    if tops != set(pair) or not _still(engine, transaction, question, scope):
        return
    proposal = question.proposal
    if proposal is None and _decided(transaction, question.keep, question.other):
        return
    place = engine.new_id("mrg"), question.keep.ns, *pair
    if not verdict.same:
        reason = f"{verdict.by} did not take them for one"
        transaction.put(MergeRow(*place, record.num, scope.agent, ASKED, reason, trail.at))
        return
    reason = f"{verdict.by} takes them for one"
    if proposal is not None:
        place, reason = (proposal.id, proposal.ns, *pair), f"{proposal.reason}; {reason}"
    try:
        register = EntityStore(transaction, engine.packs, scope.org, scope.user)
        register.merge(question.other.id, question.keep.id, scope.agent)
    except ValueError:
        return  # another agent's word stands
    transaction.put(MergeRow(*place, record.num, scope.agent, MERGED, reason, trail.at))
    trail.note("merge", place[0], reason=f"by {verdict.by}")


def _still(engine: Engine, transaction: Transaction, question: Question, scope: Scope) -> bool:
    """Say whether the memories that a model was shown say the same still, and the proposal waits."""
    nums = tuple({each.num for each in question.told})
    where = within(scope).but(*live(engine.clock.now()), Test("num", "in", nums))
    now = {each.num: each.memory for each in transaction.find(Record, where)}
    if any(each.num not in now or now[each.num].content != each.memory.content for each in question.told):
        return False
    if any(not _vouches(memory) for memory in now.values()):
        return False
    proposal = question.proposal
    if proposal is None:
        return True
    return bool(transaction.find(MergeRow, [Test("id", "eq", proposal.id), Test("state", "eq", PROPOSED)], order="id"))


_AT_ONCE = 500  # jobs put off in one transaction
_WORKER = "worker"


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be written: the memory that was asked about, who answered in whose words, and the answers."""

    record: Record
    reason: str
    description: Description
    verdicts: Sequence[Verdict]


def enrich(engine: Engine, job: Job, mine: Sequence[Condition], going_on: Callable[[], bool]) -> None:
    """Have a memory described, and the job removed with that, if it is still `mine`.

    `going_on` holds on to the job, and says whether there is time for more. Raises `Spent`, `LeftForLater` when there
    was none, and what the model raises.
    """
    record, now = _record(engine, job), engine.clock.now()
    if record is None or not is_described(engine, record.memory, now):
        engine.store.write(lambda transaction: transaction.delete(Job, mine), job.org)
        return
    memory = record.memory
    llm = asker(engine, memory.scope, ENRICH)
    assert llm is not None  # a worker takes no such job without one
    held, causes = Held(llm, going_on), memory.domain in CAUSAL
    found = _described(engine, held, memory, causes=causes)
    settled = verdicts(engine, record, going_on) if going_on() else []
    work = _Work(record, f"by {held.name} ({label(causes=causes)})", found, settled)
    engine.store.write(lambda transaction: _written(engine, transaction, work, mine), job.org)


def _described(engine: Engine, llm: Held, memory: Memory, *, causes: bool) -> Description:
    """Ask for a description; nothing when what comes cannot be read, or reads like an order to who reads it next."""
    names = mentioned(memory.content, domain=memory.domain, packs=engine.packs) if causes else ()
    try:
        found = described(llm, memory.content, causes=causes, mentions=names)
    except Unreadable:
        log.warning("%s gave no description of %s that can be read: it keeps its own", llm.name, memory.id)
        return Description()
    if engine.settings.injection != "allow" and suspicions(found.summary, memory.source.type):
        return replace(found, summary="")
    return found


def _record(engine: Engine, job: Job) -> Record | None:
    with engine.store.read(job.org) as reader:
        found = reader.find(Record, [Test("id", "eq", job.memory_id)])
    return found[0] if found else None


def _written(engine: Engine, transaction: Transaction, work: _Work, mine: Sequence[Condition]) -> None:
    """Write the answers of a job that is still held; of a memory that was changed meanwhile it is done anew."""
    jobs, now = transaction.find(Job, list(mine), order="id"), engine.clock.now()
    if not jobs:
        return
    found = transaction.find(Record, [Test("num", "eq", work.record.num)])
    if found and is_described(engine, found[0].memory, now):
        if _asked(found[0].memory) != _asked(work.record.memory):
            transaction.put(replace(jobs[0], state=JobState.QUEUED, run_at=now, leased_by="", lease_until=None))
            return
        trail = Trail(transaction, found[0].memory.scope.org, actor=_WORKER, at=now)
        _describe(engine, transaction, replace(work, record=found[0]), trail)
        for verdict in work.verdicts:
            put(engine, transaction, verdict, found[0], trail)
        trail.write()
    transaction.delete(Job, list(mine))


def _asked(memory: Memory) -> tuple[object, ...]:
    """Return what must not have changed since a model was asked."""
    return memory.id, memory.version, memory.content, memory.domain


def _describe(engine: Engine, transaction: Transaction, work: _Work, trail: Trail) -> None:
    """Put a description in place of what a memory had, and its relations into the graph; one entry says so."""
    record, found = work.record, work.description
    recorder = Recorder(transaction, engine.packs, engine.new_id, trail.at)
    read = recorder.read(record.num, record.memory, found.triples)
    columns = _columns(transaction, record, found)
    if columns:
        after = Closer(transaction, trail).change(record, ENRICH, reason=work.reason, **columns)
        _reindexed(engine, transaction, record, after)
    elif read:
        trail.add(ENRICH, record.memory, record.salt, reason=work.reason)


def _columns(transaction: Transaction, record: Record, found: Description) -> dict[str, Any]:
    """Return what changes of a memory: the tags that the caller gave, and those of its entities, always stay."""
    old = record.memory
    kept = [tag for tag in old.tags if tag not in _tagged_before(transaction, record)]
    room = max(MAX_TAGS - len(kept), 0)
    new = [tag for tag in found.tags if tag not in kept][:room]
    wanted = {
        "summary": found.summary or old.summary,
        "keywords": found.keywords or old.keywords,
        "tags": (*kept, *new),
    }
    return {name: value for name, value in wanted.items() if value != getattr(old, name)}


def _tagged_before(transaction: Transaction, record: Record) -> frozenset[str]:
    """Return the tags that an earlier description gave, when the text was another."""
    states = transaction.find(Revision, [Test("num", "eq", record.num)], order="seq")
    given = frozenset[str]()
    for place, state in enumerate(states):
        if state.change == ENRICH:
            before = _tags(state)
            after = _tags(states[place + 1]) if place + 1 < len(states) else frozenset(record.memory.tags)
            given = (given & before) | (after - before)
    return given


def _tags(state: Revision) -> frozenset[str]:
    return frozenset(json.loads(state.memory)["tags"])


def _reindexed(engine: Engine, transaction: Transaction, record: Record, after: Memory) -> None:
    """Index a memory by the tags it has now, if words are indexed by its tags."""
    situate = engine.settings.situate
    if index_text(after, situate=situate) == index_text(record.memory, situate=situate):
        return
    indexed = index(after, situate=situate)
    here = [Test("num", "eq", record.num)]
    transaction.update(Record, here, length=indexed.length, marks=indexed.marks)
    namespace = transaction.namespace(after.scope.org, after.scope.user)
    put_terms(transaction, namespace, replace(record, memory=after), record.memory, indexed)


def put_off(engine: Engine, job: Job, mine: Sequence[Condition]) -> None:
    """Let a job whose budget is spent wait for the next day (UTC), and all others that are on the same account."""
    tomorrow = next_day(engine.clock.now())
    later = {"run_at": tomorrow, "state": JobState.QUEUED, "leased_by": "", "lease_until": None, "attempts": 0}
    engine.store.write(lambda transaction: transaction.update(Job, mine, **later), job.org)
    record = _record(engine, job)
    if record is None:
        return
    log.warning("the budget for the language model is spent: descriptions wait until %s", tomorrow.isoformat())
    account = within(replace(record.memory.scope, agent=None, session=None))
    due = [Test("kind", "eq", ENRICH), Test("state", "eq", JobState.QUEUED), Test("run_at", "lt", tomorrow)]

    def some(transaction: Transaction) -> int:
        ids = tuple(each.id for each in transaction.find(Job, account.but(*due), order="id", limit=_AT_ONCE))
        return transaction.update(Job, [Test("id", "in", ids), *due], run_at=tomorrow) if ids else 0

    while engine.store.write(some, job.org) == _AT_ONCE:
        pass


def next_day(now: datetime) -> datetime:
    """Return when the day after a moment begins."""
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
