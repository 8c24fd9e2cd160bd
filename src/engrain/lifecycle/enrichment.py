"""Background jobs: missing vectors, descriptions by a language model, and merges of names that it confirms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import islice, pairwise, product
from typing import Final, Literal

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.graph.entity_store import EntityStore
from engrain.graph.extraction import CAUSAL, mentioned
from engrain.guard import log
from engrain.language.locales import word_list
from engrain.language.tokens import sentences
from engrain.lazy import Floats
from engrain.llm.asker import Asker, asker
from engrain.llm.replies import Unreadable, ask_model, json_object, prompt
from engrain.llm.tasks import Description, described, label
from engrain.model.entities import NAME, name_key
from engrain.model.filters import Condition, Test, live, within
from engrain.model.memory import ENRICH, Job, JobState, Memory, SourceType, Status
from engrain.protocols import Embedder
from engrain.security.audit import Trail
from engrain.security.injection import suspicious
from engrain.storage.interface import Reader, Transaction, among, grouped, rooted
from engrain.storage.rows import ASKED, MERGED, PROPOSED, EntityRow, MentionRow, MergeRow, Record, Revision, Vector
from engrain.text import shorten
from engrain.validation import MAX_TAGS
from engrain.write.graph_edits import DIGITS, UNCOMPARED
from engrain.write.prepare import index, index_text, is_described, vectors
from engrain.write.transitions import Editor, find_by_id, put_terms

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LEAST, _TYPO = 3, 7  # letters of a name that is compared, and of one that may be misspelt
_INITIALS = 3  # words whose first letters may be a name of their own
PAIRS = 3  # pairs of names that a model is asked about for one memory
_LONGEST_ANSWER = 100  # tokens
_OUTSIDE = (SourceType.EXTERNAL_DATA, SourceType.TOOL_RESULT)
_JOBS_AT_ONCE = 500
_MOST_NAMES, _MOST_ALIKE, _MOST_READ = 12, 300, 20  # names of a memory, names like each, memories read for evidence


def may_be_one(one: EntityRow, other: EntityRow) -> bool:
    """Return whether two names may be of one entity: not if types, digits or identifiers differ, or keys agree."""
    if len({one.family, other.family} - {NAME}) > 1 or not UNCOMPARED.isdisjoint({one.type, other.type}):
        return False
    keys = name_key(one.type, one.name), name_key(other.type, other.name)
    if keys[0] == keys[1] or min(map(len, keys)) < _LEAST or DIGITS.findall(keys[0]) != DIGITS.findall(keys[1]):
        return False
    words = [_WORD.findall(key) for key in keys]
    if _without_form(words[0]) == _without_form(words[1]) or _shortened(*words) or _shortened(*reversed(words)):
        return True
    return _abbreviates(one.name, words[1]) or _abbreviates(other.name, words[0]) or _misspelt(*keys)


def beginnings(row: EntityRow) -> tuple[str, ...]:
    """Return prefixes of the keys of names that may be other names of an entity; few other keys have them."""
    key = name_key(row.type, row.name)
    words = _WORD.findall(key)
    if not words:
        return ()
    if row.name.isupper() or any(len(word) == 1 for word in words):
        return (key[:1],)
    initials = ("".join(word[0] for word in words),) if len(words) >= _INITIALS else ()
    return (key[:_LEAST], f"{key[0]} ", f"{key[0]}.", *initials)


def _without_form(words: Sequence[str]) -> tuple[str, ...]:
    """Return a name without the legal form of the company or group at its end."""
    kept = list(words)
    while len(kept) > 1 and kept[-1] in word_list("forms"):
        kept.pop()
    return tuple(kept)


def _shortened(long: Sequence[str], short: Sequence[str]) -> bool:
    """Return whether a name is another with given names cut to their initials, or middle names left out."""
    if len(short) < 2 or len(long) < len(short) or long[-1] != short[-1]:
        return False
    given, initials = list(long[:-1]), list(short[:-1])
    if len(given) > len(initials):
        return given[: len(initials)] == initials or given[0][0] == initials[0]
    pairs = list(zip(given, initials, strict=True))
    return all(full == part or full[0] == part for full, part in pairs) and any(full != part for full, part in pairs)


def _abbreviates(name: str, words: Sequence[str]) -> bool:
    """Return whether a name of capitals is the first letters of another's words."""
    return name.isupper() and len(words) >= _INITIALS and name.casefold() == "".join(word[0] for word in words)


def _misspelt(one: str, other: str) -> bool:
    """Return whether two long names differ by a letter: another one, one more, or two that changed places."""
    if min(len(one), len(other)) < _TYPO or abs(len(one) - len(other)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def embed_all(engine: Engine, jobs: Sequence[Job], embedder: Embedder, leased: Sequence[Condition]) -> None:
    """Store the vectors of memories, and remove their jobs that are still `leased`, in one transaction for each org."""
    groups = grouped(jobs, lambda job: job.org)
    wanted: dict[str, list[Record]] = {}
    for org, some in groups.items():
        ids = tuple(dict.fromkeys(job.memory_id for job in some))
        with engine.store.read(org) as reader:
            wanted[org] = reader.find(Record, [Test("id", "in", ids), Test("status", "ne", Status.FORGOTTEN)])
    texts = [index_text(r.memory, situate=engine.settings.situate) for records in wanted.values() for r in records]
    rows = iter(vectors(embedder, texts) if texts else ())  # one call for all orgs
    for org, some in groups.items():
        made = {record.num: (record.memory.content, next(rows)) for record in wanted[org]}
        done = [Test("id", "in", tuple(job.id for job in some)), *leased]
        users = {record.memory.scope.user for record in wanted[org]}
        engine.store.write(partial(_store_vectors, embedder, made, done), org, users)


def _store_vectors(
    embedder: Embedder, made: Mapping[int, tuple[str, Floats]], done: Sequence[Condition], transaction: Transaction
) -> None:
    for record in transaction.find(Record, [Test("num", "in", tuple(made))]):
        content, values = made[record.num]
        if record.memory.content == content:
            scope = record.memory.scope
            transaction.put(Vector(transaction.namespace(scope.org, scope.user), embedder.id, record.num, values))
    transaction.delete(Job, done)


class Interrupted(ProviderError):
    """The worker stops, or its caller's time is up: a model is not asked again."""


class LeasedModel:
    """A language model; the lease of the worker's job is renewed before each call."""

    def __init__(self, llm: Asker, renew: Callable[[], bool]) -> None:
        self.name: Final = llm.name
        self._llm, self._renew = llm, renew
        self._begun = False

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer; raises `Interrupted` if there is no time for another call after the first."""
        if not self._renew() and self._begun:
            raise Interrupted("there was no time to ask again")
        self._begun = True
        return self._llm.complete(prompt, system=system, max_tokens=max_tokens)


@dataclass
class _SameAnswer:
    verdict: Literal["same", "different", "unsure"]


@dataclass(frozen=True, slots=True)
class MergeQuestion:
    """Two entities that may be one, a memory that names each, an embedder's proposal, and the answer: `same`, `by`."""

    keep: EntityRow
    other: EntityRow
    evidence: tuple[Record, Record]
    proposal: MergeRow | None
    same: bool = False
    by: str = ""


def _ask_about_names(engine: Engine, record: Record, renew: Callable[[], bool]) -> list[MergeQuestion]:
    """Return names that a model takes for those of known entities; after a failed call the rest is left out."""
    model = asker(engine, record.memory.scope, "adjudicate")
    if model is None:
        return []
    llm, answered = LeasedModel(model, renew), list[MergeQuestion]()
    for question in _questions(engine, record):
        sides = zip(("first", "second"), (question.keep, question.other), question.evidence, strict=True)
        values: dict[str, str] = {}
        for side, row, evidence in sides:
            key, content = name_key(NAME, row.name), evidence.memory.content
            parts = sentences(content)
            quote = next((part for part in parts if key in name_key(NAME, part)), parts[0] if parts else content)
            values |= {side: row.name, f"{side}_said": shorten(quote, 300)}  # characters
        try:
            answer = ask_model(llm, prompt("same"), json_object(_SameAnswer), max_tokens=_LONGEST_ANSWER, **values)
        except ProviderError as error:
            log.warning("%s was not asked about more names of %s: %s", llm.name, record.memory.id, error)
            break
        answered.append(replace(question, same=answer.verdict == "same", by=f"{llm.name} ({prompt('same').label})"))
    return answered


def _questions(engine: Engine, record: Record) -> list[MergeQuestion]:
    """Return the pairs to ask about: first the proposals of an embedder, then names that look alike."""
    if not _is_evidence(record.memory):
        return []
    with engine.store.read(record.memory.scope.org) as reader:
        found = (
            MergeQuestion(keep, other, evidence, proposal)
            for keep, other, proposal in _pairs(reader, record)
            if (evidence := _evidence(engine, reader, record, keep, other)) is not None
        )
        return [*islice(found, PAIRS)]


def _pairs(reader: Reader, record: Record) -> Iterable[tuple[EntityRow, EntityRow, MergeRow | None]]:
    """Return undecided pairs of entities: of a memory's names and proposals, or of similar names."""
    agent = record.memory.scope.agent
    mentions = reader.find(MentionRow, [Test("num", "eq", record.num)], order="entity")
    rows = among(reader, EntityRow, "id", [each.entity for each in mentions][:_MOST_NAMES]) if mentions else []
    found = rooted(reader, [row for row in rows if row.type not in UNCOMPARED], agent).values()
    tops = {top.id: top for top in found}.values()
    pairs: dict[tuple[int, int], tuple[EntityRow, EntityRow, MergeRow | None]] = {}
    for top, end in product(tops, ("keep", "other")):
        waiting = [Test("ns", "eq", top.ns), Test("state", "eq", PROPOSED), Test("num", "eq", None)]
        for proposal in reader.find(MergeRow, [*waiting, Test(end, "eq", top.id)], order="id"):
            ends = among(reader, EntityRow, "id", (proposal.keep, proposal.other))
            if len(ends) == 2 and proposal.agent == agent and not any(each.merged_into for each in ends):
                keep, other = ends if ends[0].id == proposal.keep else reversed(ends)
                if not _is_decided(reader, keep, other, Test("state", "eq", ASKED)):
                    pairs.setdefault((keep.id, other.id), (keep, other, proposal))
    for top in tops:
        for alike in _alike(reader, top):
            keep, other = sorted((top, alike), key=lambda row: (row.family == NAME, row.id))
            if not _is_decided(reader, keep, other):
                pairs.setdefault((keep.id, other.id), (keep, other, None))
    return pairs.values()


def _alike(reader: Reader, row: EntityRow) -> list[EntityRow]:
    found: dict[int, EntityRow] = {}
    for start in beginnings(row):
        near = [Test("ns", "eq", row.ns), Test("key", "ge", start), Test("key", "lt", f"{start}\U0010ffff")]
        found |= {each.id: each for each in reader.find(EntityRow, near, order="key", limit=_MOST_ALIKE)}
    rows = (each for each in found.values() if each.id != row.id and each.merged_into is None)
    return [other for other in rows if may_be_one(row, other)]


def _is_decided(reader: Reader, first: EntityRow, second: EntityRow, *also: Test) -> bool:
    """Return whether a decision about two entities is stored or proposed, or a model was asked."""
    ids = (first.id, second.id)
    return bool(reader.find(MergeRow, [Test("keep", "in", ids), Test("other", "in", ids), *also], order="id", limit=1))


def _evidence(
    engine: Engine, reader: Reader, record: Record, keep: EntityRow, other: EntityRow
) -> tuple[Record, Record] | None:
    """Return a visible memory that names each of two entities, None if one has none; a text that names both is none."""
    where = within(record.memory.scope).but(*live(engine.clock.now()))
    tests = [Test("entity", "eq", row.id) for row in (keep, other)]
    naming = [[each.num for each in reader.find(MentionRow, [test], order="-num")] for test in tests]
    found: list[Record] = []
    for own, others in (naming, reversed(naming)):
        nums = tuple(num for num in own if num not in others)[:_MOST_READ]
        records = reader.find(Record, where.but(Test("num", "in", nums)), order="-num") if nums else []
        records.sort(key=lambda each: each.num != record.num)
        found += [each for each in records if _is_evidence(each.memory)][:1]
    return (found[0], found[1]) if len(found) == 2 else None


def _is_evidence(memory: Memory) -> bool:
    """Return whether a memory is evidence about names: not of an outside source, and not contested."""
    return memory.source.type not in _OUTSIDE and not memory.is_contested


def _settle(engine: Engine, transaction: Transaction, question: MergeQuestion, record: Record, trail: Trail) -> None:
    """Store a model's answer, to be erased with its memory, if both entities and their evidence are unchanged."""
    scope, proposal, pair = record.memory.scope, question.proposal, (question.keep.id, question.other.id)
    rows = among(transaction, EntityRow, "id", pair)
    tops = {row.id for row in rooted(transaction, rows, scope.agent).values()} if len(rows) == 2 else set()
    shown = {each.num: each.memory.content for each in question.evidence}
    where = within(scope).but(*live(engine.clock.now()), Test("num", "in", tuple(shown)))
    now = {each.num: each.memory.content for each in transaction.find(Record, where) if _is_evidence(each.memory)}
    if tops != set(pair) or now != shown:
        return
    if proposal is None:
        if _is_decided(transaction, question.keep, question.other):
            return
    elif not transaction.find(MergeRow, [Test("id", "eq", proposal.id), Test("state", "eq", PROPOSED)], order="id"):
        return
    place = engine.new_id("mrg"), question.keep.ns, *pair
    if not question.same:
        reason = f"{question.by} does not consider them the same"
        transaction.put(MergeRow(*place, record.num, scope.agent, ASKED, reason, trail.at))
        return
    reason = f"{question.by} considers them the same"
    if proposal is not None:
        place, reason = (proposal.id, proposal.ns, *pair), f"{proposal.reason}; {reason}"
    try:
        register = EntityStore(transaction, engine.packs, scope.org, scope.user)
        register.merge(question.other.id, question.keep.id, scope.agent, trail.at)
    except ValueError:
        return  # an agent's decision prevails
    transaction.put(MergeRow(*place, record.num, scope.agent, MERGED, reason, trail.at))
    trail.note("merge", place[0], reason=f"by {question.by}")


def enrich(engine: Engine, job: Job, leased: Sequence[Condition], renew: Callable[[], bool]) -> None:
    """Describe a memory with a model, and ask it about its names; the job is removed with that if still `leased`.

    `renew` renews the lease, and says whether there is time for more. Raises `Spent`, `Interrupted` if there was none,
    and the errors of the model. A memory that has changed in the meantime is described anew.
    """
    with engine.store.read(job.org) as reader:
        record = find_by_id(reader, job.memory_id)
    if record is None or not is_described(engine, record.memory, engine.clock.now()):
        engine.store.write(lambda transaction: transaction.delete(Job, leased), job.org)
        return
    memory = record.memory
    model = asker(engine, memory.scope, ENRICH)
    assert model is not None  # a worker takes no such job without one
    llm, causes = LeasedModel(model, renew), memory.domain in CAUSAL
    description = _description(engine, llm, memory, causes=causes)
    answers = _ask_about_names(engine, record, renew) if renew() else []

    def change(transaction: Transaction) -> None:
        jobs, now = transaction.find(Job, list(leased), order="id"), engine.clock.now()
        if not jobs:
            return
        found = transaction.find(Record, [Test("num", "eq", record.num)])
        if found and is_described(engine, found[0].memory, now):
            current = found[0].memory
            if any(getattr(current, name) != getattr(memory, name) for name in ("id", "version", "content", "domain")):
                transaction.put(replace(jobs[0], state=JobState.QUEUED, run_at=now, leased_by="", lease_until=None))
                return
            trail = Trail(engine, transaction, current.scope, actor="worker", at=now)
            reason = f"by {llm.name} ({label(causes=causes)})"
            _describe(engine, transaction, found[0], description, trail, reason=reason)
            for answer in answers:
                _settle(engine, transaction, answer, found[0], trail)
            trail.write()
        transaction.delete(Job, list(leased))

    engine.store.write(change, job.org, (memory.scope.user,))


def _description(engine: Engine, llm: LeasedModel, memory: Memory, *, causes: bool) -> Description:
    """Return a model's description; an empty one if its reply cannot be read, without a summary like an injection."""
    names = mentioned(memory.content, domain=memory.domain, packs=engine.packs) if causes else ()
    try:
        found = described(llm, memory.content, causes=causes, mentions=names)
    except Unreadable:
        log.warning("%s gave no description of %s that can be read: it keeps its own", llm.name, memory.id)
        return Description()
    return replace(found, summary="") if suspicious(found.summary, memory.source.type, engine.settings) else found


def _describe(
    engine: Engine, transaction: Transaction, record: Record, found: Description, trail: Trail, *, reason: str
) -> None:
    """Store a description, in place of the tags of an earlier one, with its relations and one audit entry."""
    old, situate = record.memory, engine.settings.situate
    editor = Editor(engine, transaction, trail)
    read = editor.recorder.read(record.num, old, found.triples)
    earlier = _described_tags(transaction, record)
    kept = [tag for tag in old.tags if tag not in earlier]
    tags = (*kept, *[tag for tag in found.tags if tag not in kept][: max(MAX_TAGS - len(kept), 0)])
    wanted = {"summary": found.summary or old.summary, "keywords": found.keywords or old.keywords, "tags": tags}
    columns = {name: value for name, value in wanted.items() if value != getattr(old, name)}
    if not columns:
        if read:
            trail.add(ENRICH, old, record.salt, reason=reason)
        return
    after = editor.change(record, ENRICH, reason=reason, **columns)
    if index_text(after, situate=situate) != index_text(old, situate=situate):
        indexed = index(after, situate=situate)
        transaction.update(Record, [Test("num", "eq", record.num)], length=indexed.length, marks=indexed.marks)
        put_terms(transaction, replace(record, memory=after), old, indexed)


def _described_tags(transaction: Transaction, record: Record) -> frozenset[str]:
    """Return the tags that a description of an earlier text has added."""
    states = transaction.find(Revision, [Test("num", "eq", record.num)], order="seq")
    tags = [*(frozenset(json.loads(state.memory)["tags"]) for state in states), frozenset(record.memory.tags)]
    given = frozenset[str]()
    for state, (before, after) in zip(states, pairwise(tags), strict=True):
        if state.change == ENRICH:
            given = (given & before) | (after - before)
    return given


def put_off(engine: Engine, job: Job, leased: Sequence[Condition]) -> None:
    """Postpone a job, and all others on the same account, to the next day (UTC): the budget is spent."""
    tomorrow = engine.clock.now().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    later = {"run_at": tomorrow, "state": JobState.QUEUED, "leased_by": "", "lease_until": None, "attempts": 0}
    engine.store.write(lambda transaction: transaction.update(Job, leased, **later), job.org)
    with engine.store.read(job.org) as reader:
        record = find_by_id(reader, job.memory_id)
    if record is None:
        return
    log.warning("the budget for the language model is spent: descriptions wait until %s", tomorrow.isoformat())
    account = within(replace(record.memory.scope, agent=None, session=None))
    due = [Test("kind", "eq", ENRICH), Test("state", "eq", JobState.QUEUED), Test("run_at", "lt", tomorrow)]

    def some(transaction: Transaction) -> int:
        ids = tuple(each.id for each in transaction.find(Job, account.but(*due), order="id", limit=_JOBS_AT_ONCE))
        return transaction.update(Job, [Test("id", "in", ids), *due], run_at=tomorrow) if ids else 0

    while engine.store.write(some, job.org) == _JOBS_AT_ONCE:
        pass
