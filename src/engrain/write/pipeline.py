"""The write path: `remember` prepares drafts, compares them with known memories, and commits in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from os import urandom
from typing import Any, Final, NamedTuple

from engrain.config import Settings
from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import Recorder, Topics
from engrain.language.antecedents import has_open_pronoun, with_antecedents
from engrain.language.changes import changes_in
from engrain.language.cues import BANDS
from engrain.language.locales import has_any, is_read
from engrain.model import memory as models
from engrain.model.entities import NAME, name_key
from engrain.model.filters import Test, within
from engrain.model.memory import CONTESTED, UNCONFIRMED, Kind, Link, Memory, Scope, SourceType, Status
from engrain.model.results import Decision, Remembered
from engrain.security.admission import BASE, least_trusted
from engrain.security.audit import Trail, signed, signed_again
from engrain.storage.interface import Transaction, highest
from engrain.storage.rows import CORRECTS, SUPERSEDES, Edge, Posting, Record, Row, Vector, WitnessRow
from engrain.text import normalise
from engrain.write import conflicts, prepare, transitions
from engrain.write.conflicts import EXACT, NOT_COMPARED, VERDICT, Neighbourhood, Neighbours, Resolution
from engrain.write.prepare import PLAIN, SUSPECTED, Draft, Intent, Prepared
from engrain.write.transitions import Editor

STORED = ("created", "updated", "corrected", "pending", "quarantined")
"""The statuses of a write that created a memory; an edit under a known key is `updated` too."""
FROM_HIDDEN = "derived from a quarantined memory"  # a status reason; links name the source to readers who may see it
_SHORTEST, _SHORT = 40, 120  # characters of a text that may continue the topic of the previous one
_JUST_BEFORE, _LATELY = 4, timedelta(hours=1)  # how many, and how old, memories a text without a subject may refer to
RULES = "rules"  # the judge of facts without a decider


def remember(engine: Engine, drafts: Sequence[Draft]) -> list[Remembered]:
    """Store drafts of one org in one transaction; the results are in the given order."""
    now = engine.clock.now()
    return store_if(engine, [prepare.prepare(engine, item, now) for item in drafts], now=now) or []


def store_if(
    engine: Engine,
    prepared: Sequence[Prepared],
    *,
    now: datetime,
    operation: str = "create",
    first: Sequence[Prepared] = (),
    still_valid: Callable[[Transaction], bool] | None = None,
) -> list[Remembered] | None:
    """Embed and store memories, before them the sources `first`; None unless `still_valid` in the transaction."""
    embedder = engine.embedder  # another may be configured before the change runs
    news = prepare.embedded(engine, [*first, *prepared])

    def change(transaction: Transaction) -> list[Remembered] | None:
        if still_valid is not None and not still_valid(transaction):
            return None
        current = news if engine.embedder is embedder else [new._replace(vector=None) for new in news]
        done = Writer(engine, transaction, now, operation).write(current[: len(first)]) if first else []
        return done + Writer(engine, transaction, now, operation).write(current[len(first) :])

    scopes = [new.memory.scope for new in news]
    results = engine.store.write(change, scopes[0].org if scopes else None, {scope.user for scope in scopes})
    if results is None:
        return None
    for new, result in zip(news, results, strict=True):
        engine.counters.count("created", new.memory.scope, result[1] in STORED)
    return [
        explained(result, new.intent, new.redacted) if new.redacted or new.intent is not PLAIN else result
        for result, new in zip(results[len(first) :], prepared, strict=True)
    ]


def explained(result: Remembered, intent: Intent, redacted: Sequence[str] = ()) -> Remembered:
    """Return a result with a decision that names extractor and judge, and what was redacted before."""
    if not (redacted or intent.notes or intent.found_by or intent.judged_by):
        return result
    decision = result.decision
    judged = intent.judged_by and (intent.judged_by if decision.stage == VERDICT else RULES)
    reason = f"{decision.reason}; redacted: {', '.join(redacted)}" if redacted else decision.reason
    fallback = "; ".join(intent.notes)
    decision = replace(decision, reason=reason, found_by=intent.found_by, judged_by=judged, fallback=fallback)
    return Remembered(result.memory, result.status, decision, result.others)


def written_over(settings: Settings, old: Memory, written: Prepared) -> Memory:
    """Return the memory `old` after a write under its key, with only the fields that the writer gave changed."""
    new, given = written.memory, written.given
    changes = {name: getattr(new, name) for name in given - {"ttl"}}
    if "ttl" in given:
        changes |= {"expires_at": new.expires_at, "expiry": new.expiry}
    if new.content != old.content:
        for name in ("summary", "keywords", "importance", "source", "trust", "entities"):
            changes[name] = getattr(new, name)
        if "fact" not in changes and transitions.is_fact_read(settings, old):
            changes["fact"] = prepare.fact_in(settings, new)
        changes.setdefault("valid_from", prepare.begun(old, new.content))
    if "metadata" in given:
        changes["metadata"] = transitions.merged_metadata(old.metadata, new.metadata)
    if new.procedure is not None and old.procedure is not None:
        known = new.procedure.following(old.procedure)
        changes |= {"procedure": known, "confidence": known.confidence}
    changes["links"] = (*old.links, *prepare.added_links(old, new))
    return transitions.checked_interval(replace(old, **changes))


class _Unwritten(NamedTuple):
    """A record to be put, its draft, and its edges: relation, the other row, and the direction."""

    record: Record
    new: Prepared
    edges: Sequence[tuple[str, int, bool]]
    witnesses: Sequence[WitnessRow]


def _ahead(new: Prepared) -> datetime | None:
    """Return the date of a change that a text announces, None for a change that has happened."""
    return new.begins if new.begins is not None and new.begins > new.memory.valid_from else None


def _as_dated(new: Prepared, found: Resolution, *, is_one: bool) -> dict[str, Any]:
    """Return the columns of a memory that begins at the date of its change; an announcement has no fact until then."""
    memory, begins = new.memory, new.begins
    if begins is None or found.corrected or found.later is not None:
        return {}
    if _ahead(new) is not None and not new.derived_from:
        return {} if "fact" in new.given or not (is_one or found.closes) else {"fact": None}
    if not (is_one or found.closes) or (_ahead(new) is None and any(old.valid_from >= begins for old in found.closes)):
        return {}  # what it replaces was stated since: it holds from its own statement on
    return {"valid_from": begins, "metadata": {**memory.metadata, models.STATED_AT: memory.valid_from.isoformat()}}


class Writer:
    """Commits prepared memories in one transaction, putting them when needed; an import is compared with nothing."""

    def __init__(self, engine: Engine, transaction: Transaction, now: datetime, operation: str = "create") -> None:
        self.are_several: bool = False
        self.engine = engine
        self.transaction = transaction
        self.now = now
        self.operation = operation
        self.creates: Final = operation == "create"
        self.retention: Final = engine.retention
        self.neighbourhood: Final = Neighbourhood(engine, transaction, now)
        self.lowers: Final = self.creates and engine.settings.importance == "auto"  # repeats are less important
        self.recorder: Final = Recorder(transaction, engine.packs, engine.new_id, now)
        self.twins: dict[tuple[str | None, str], Record] = {}  # by user and identity; num 0 is not put yet
        self.positions: dict[tuple[str | None, str], int] = {}  # by user and session
        self.unwritten: list[_Unwritten] = []
        self.unwritten_keys: set[tuple[str | None, str | None, str]] = set()  # by user and agent
        self.free_keys: set[tuple[str | None, str]] = set()  # by user: unused keys

    def write(self, news: Sequence[Prepared], *, is_looked_up: bool = False) -> list[Remembered]:
        """Commit all memories, and return their results in order; `is_looked_up` if `look_up` was called."""
        if not news:
            return []
        first = news[0]
        author = first.memory.scope if first.intent.agent is None else first.writer
        author = author if self.creates else Scope(author.org)  # an import has no author here
        self.trail: Trail = Trail(self.engine, self.transaction, author, at=self.now)
        if not is_looked_up:
            self.look_up(news)
        if self.engine.embedder is not self.neighbourhood.embedder:  # replaced while this write waited for its turn
            news = [new._replace(vector=None) for new in news]
        results = [self.commit(new) for new in news]
        self.put()
        self.trail.write()
        return results

    @cached_property
    def editor(self) -> Editor:
        """The editor of known memories, which records in this trail."""
        return Editor(self.engine, self.transaction, self.trail)

    def commit(self, new: Prepared) -> Remembered:
        """Write one memory: edit the one with its key, merge it into an identical one, or store it as a new one."""
        if new.derived_from or new.intent.copies is not None:
            new = self.inherit_trust(new)
        if new.memory.key is not None and self.creates and (known := self.find_by_key(new, new.memory.key)):
            return self.edit(known, new)
        if twin := self.find_identical(new):
            return self.merge(twin, new)
        result = self.apply(new, self.resolve(new))
        content = new.memory.content
        cues = ("corrects", "moves", "stated_words", *(("from_now",) if len(content) <= _SHORTEST else ()))
        may_correct = not new.derived_from and len(content) <= _SHORT and has_any(content, *cues)
        if may_correct and result.status == "created" and self.is_compared(new):
            self.complete(new)
        return result

    def complete(self, new: Prepared) -> None:
        """Complete an elliptical correction from a recent statement: "no wait, Thursday"."""
        memory, intent = new.memory, new.intent
        changes = changes_in(memory.content, memory.valid_from)
        is_open = has_open_pronoun(memory.content)
        is_elliptical = len(changes) == 1 and changes[0].is_elliptical and not changes[0].reading.qualifiers
        is_known = is_read(memory.content, self.engine.settings.languages)
        if not (is_known and (is_open or is_elliptical)) or intent.closes or memory.stored_status is not Status.ACTIVE:
            return
        self.put()
        namespace = transitions.namespace_of(self.transaction, memory)
        tests = [Test("ns", "eq", namespace), Test("kind", "eq", Kind.SEMANTIC)]
        last = [record.memory for record in self.transaction.find(Record, tests, order="-num", limit=_JUST_BEFORE)]
        near = [old for old in last if old.id != memory.id and self.is_near(old, memory)]
        whole = with_antecedents(memory.content, "\n".join(old.content for old in reversed(near)))
        olds: list[Memory] = []
        if whole == memory.content and is_elliptical:
            records = conflicts.earlier(self.transaction, memory, changes[0]) if changes[0].swap is not None else ()
            live = (r.memory for r in records if r.memory.scope == memory.scope and r.memory.is_live_at(self.now))
            if (found := conflicts.completed(changes[0], near, live)) is not None:
                whole, olds = found
        if whole != memory.content:
            item = prepare.draft(
                whole,
                scope=memory.scope,
                settings=self.engine.settings,
                kind="semantic",
                domain=memory.domain,
                source_type=memory.source.type,
                actor=memory.actor,
                derived_from=[memory.id],
                valid_from=memory.valid_from,
                ttl=models.time_left((memory, *olds), self.now),
                intent=replace(intent, closes=tuple(old.id for old in olds)),
            )
            self.recorder.known.clear()  # the new text may have other names
            completed = prepare.embedded(self.engine, [prepare.prepare(self.engine, item, self.now)])
            self.look_up(completed)  # its statement may be known
            self.commit(completed[0])

    def is_near(self, old: Memory, memory: Memory) -> bool:
        """Return whether a memory was written shortly before another, by the same writer in the same scope."""
        is_same = old.actor == memory.actor and old.scope == memory.scope
        return is_same and old.is_live_at(self.now) and self.now - old.recorded_at <= _LATELY

    # --------------------------------------------------------------------------------------------------------- look up

    def look_up(self, news: Sequence[Prepared]) -> None:
        """Look up together, for each namespace, identical memories, rows with rare words, and entities by name."""
        self.are_several |= len(news) > 1  # they must be compared with each other
        by_user: dict[str | None, list[Prepared]] = {}
        for new in news:
            by_user.setdefault(new.memory.scope.user, []).append(new)
        for user, some in by_user.items():
            scope, topics = some[0].memory.scope, [new.mentions for new in some]
            names = {name_key(*name) for about in topics for name in about.all}
            names.update(name_key(NAME, each.name) for about in topics for each in about.maybe)
            names.discard("")
            identities = [new.identity for new in some]
            near = [new for new in some if self.is_compared(new)]
            repeating = [new for new in some if self.may_lower(new)]
            found = self.neighbourhood.look_up(
                scope, identities=identities, near=near, repeating=repeating, names=sorted(names)
            )
            twins = self.transaction.find(Record, [Test("num", "in", tuple(found.twins))]) if found.twins else []
            if self.are_several and (keys := tuple(new.memory.key for new in some if new.memory.key is not None)):
                here = [Test("ns", "eq", self.transaction.namespace(scope.org, scope.user)), Test("key", "in", keys)]
                taken = {record.memory.key for record in self.transaction.find(Record, here)}
                self.free_keys.update((user, key) for key in keys if key not in taken)
            self.twins.update(((user, str(twin.identity)), twin) for twin in twins)
            self.recorder.known[scope.org, user] = (names, found.entities)

    def may_lower(self, new: Prepared) -> bool:
        """Return whether a repeat counts less: rated by default, not trivial, not derived, and compared."""
        return (
            self.lowers
            and (new.intent.resolve or new.memory.kind is not Kind.SEMANTIC)
            and "importance" not in new.given
            and new.memory.importance >= BANDS[0]
            and new.memory.stored_status is Status.ACTIVE
            and not new.derived_from
            and not (new.statement.change or new.statement.correction or new.statement.ended)
        )

    def inherit_trust(self, new: Prepared) -> Prepared:
        """Give a derived memory the lowest class and tier of its sources, a copy the link to its original alone."""
        intent, memory = new.intent, new.memory
        ids = new.derived_from if intent.copies is None else (intent.copies,)
        found = self.transaction.find(Record, within(new.writer).but(Test("id", "in", ids)))
        links = tuple(Link("derived_from", source_id) for source_id in ids)
        if intent.copies is not None:
            return new._replace(memory=replace(memory, links=links), sources=tuple(found))
        sources = {record.memory.id: record for record in found}
        for source_id in ids:
            if source_id not in sources or sources[source_id].memory.status is Status.FORGOTTEN:
                raise NotFound(source_id)
        lowest = least_trusted([memory.source.type, *(record.memory.source.type for record in found)])
        tier = memory.tier if "tier" in new.given else max(record.memory.tier for record in found)
        memory = replace(memory, source=replace(memory.source, type=lowest), trust=BASE[lowest], tier=tier, links=links)
        hidden = any(record.memory.status is Status.QUARANTINED for record in found)
        if hidden and memory.stored_status is Status.ACTIVE:  # a quarantined source admits nothing
            memory = replace(memory, status=Status.QUARANTINED, status_reason=FROM_HIDDEN)
        return new._replace(memory=memory, sources=tuple(sources[source_id] for source_id in ids))

    def find_by_key(self, new: Prepared, key: str) -> Record | None:
        """Return the memory with the caller's key; one that has ended, or is to be replaced, loses the key."""
        scope, target = new.memory.scope, new.intent.target
        if (scope.user, scope.agent, key) in self.unwritten_keys:
            self.put()
        elif (scope.user, key) in self.free_keys:
            self.free_keys.remove((scope.user, key))  # it is used now
            return None
        known = transitions.find_by_key(self.transaction, scope, key)
        if known is None:
            return None
        if target not in (None, known.memory.id):
            raise ValueError(f"key {key!r} belongs to {known.memory.id}: a successor needs a key of its own, or none")
        if prepare.holds_its_slot(known.memory, self.now) and known.memory.id != target:
            return known
        self.transaction.update(Record, [Test("num", "eq", known.num)], key=None)
        self.trail.add("release", replace(known.memory, key=None), known.salt, reason="its key belongs to another now")
        return None

    def find_identical(self, new: Prepared) -> Record | None:
        """Return the live memory with this identity; one that has left, or is suspected while this is not, loses it."""
        place = (new.memory.scope.user, new.identity)
        twin = self.twins.get(place)
        if twin is None or not prepare.holds_its_slot(new.memory, self.now):
            return None
        known = twin.memory
        suspected = known.status is Status.QUARANTINED and known.status_reason.startswith(SUSPECTED)
        if prepare.holds_its_slot(known, self.now) and not (suspected and new.memory.stored_status is Status.ACTIVE):
            return twin if known.id != new.intent.target else None
        if not twin.num:
            self.put()
            twin = self.reload(twin)
        del self.twins[place]
        self.transaction.update(Record, [Test("num", "eq", twin.num)], identity=None)
        return None

    # -------------------------------------------------------------------------------------------------- known memories

    def edit(self, known: Record, new: Prepared) -> Remembered:
        """Set the fields that the caller gave on the memory with the caller's key, or propose them if trusted less."""
        memory, old = new.memory, known.memory
        models.need_review("touching what waits for a verdict", [old])
        is_own = memory.source.type is SourceType.LLM_GENERATED and models.may_review()  # text of the application
        if not is_own and BASE[memory.source.type] < BASE[old.source.type]:
            if normalise(memory.content) == normalise(old.content):
                return Remembered(old, "noop", Decision("duplicate", EXACT, f"{old.id} has this, and is trusted more"))
            intent = replace(new.intent, target=old.id)
            return self.commit(new._replace(memory=replace(memory, key=None), intent=intent))
        if memory.status is Status.QUARANTINED:  # for its own text, or for its source
            suspicious = memory.status_reason.startswith(SUSPECTED)
            if suspicious or memory.status_reason.startswith(UNCONFIRMED):
                is_barred = memory.content != old.content
            else:
                is_barred = old.status is not Status.QUARANTINED
            if is_barred:
                raise (prepare.refused if suspicious else prepare.withheld)((memory.status_reason,), memory.source.id)
        self.recorder.known.clear()  # an edit may add entities
        self.link_sources(known, new)
        wanted = written_over(self.engine.settings, old, new)
        after = self.editor.edit(known, wanted, vector=new.vector, mentions=new.mentions)
        if after is None:
            return Remembered(old, "noop", Decision("duplicate", EXACT, f"key {memory.key!r} has this already"))
        self.moved(known)
        self.neighbourhood.reworded()
        return Remembered(after, "updated", Decision("add", EXACT, f"key {memory.key!r} was known: edited"))

    def merge(self, twin: Record, new: Prepared) -> Remembered:
        """Add an identical memory to the known one; that may settle its contest, or replace another one."""
        if not twin.num:  # stored earlier in this batch
            if prepare.merged(twin.memory, new.memory) == twin.memory:
                return Remembered(twin.memory, "noop", Decision("duplicate", EXACT, "repeated in one batch"))
            self.put()
            twin = self.reload(twin)
        memory, target = self.add_statement(twin, new), new.intent.target
        if models.is_hidden(memory):  # the writer sees only what it wrote
            own = replace(new.memory, id=memory.id, status=memory.status, status_reason=memory.status_reason)
            return Remembered(own, "quarantined", Decision("duplicate", EXACT, f"{memory.id} has the same text"))
        result = Remembered(memory, "noop", Decision("duplicate", EXACT, f"{memory.id} has the same text"))
        if memory.stored_status is not Status.ACTIVE or (target is None and not memory.is_contested):
            return result
        self.put()  # so that it is compared with the previous ones of this batch
        if target is not None:
            named = Prepared(memory, statement=new.statement, intent=replace(new.intent, judgement=None))
            found = conflicts.resolve(named, Neighbours(target=self.find_target(target)), self.neighbourhood.rules)
        elif new.memory.trust > twin.memory.trust:
            memory = replace(memory, valid_from=new.memory.valid_from)
            settles = self.settles_contest(twin, replace(memory, status_reason=""), new)
            if settles is None:
                return result
            found = settles
        else:
            return result
        return self.contend(twin, found) if found.contests else self.succeed(twin, memory, found)

    def add_statement(self, twin: Record, new: Prepared) -> Memory:
        """Count a memory as another statement of the known one; return that in its new state."""
        old = twin.memory
        known = prepare.merged(old, new.memory)
        if (known.source.type, known.source.id) != (old.source.type, old.source.id):
            transitions.note_author(self.transaction, twin.num, known)
        known = replace(known, trust=transitions.add_witness(self.transaction, twin.num, known, new.memory))
        if known != old:
            known = signed_again(old, replace(known, updated_at=self.now), self.engine.signer)
            record = self.editor.put(twin, known, twin.identity)
            known = record.memory
            self.twins[old.scope.user, str(twin.identity)] = record
            self.link_sources(twin, new)
            self.trail.add("merge", known, twin.salt)
        if new.mentions.by_writer and known.status is not Status.QUARANTINED:
            self.recorder.again(twin.num, known, new.mentions)
        return known

    def settles_contest(self, twin: Record, memory: Memory, new: Prepared) -> Resolution | None:
        """Return the resolution when a better source states a contested text; None if it stays contested."""
        again = Prepared(memory, statement=new.statement, intent=replace(new.intent, judgement=None), given=new.given)
        found = conflicts.resolve(again, self.neighbourhood.find(again), self.neighbourhood.rules)
        others = (each for each in transitions.targets(self.transaction, twin) if each.memory.is_live_at(self.now))
        contested = [target for target in others if target.memory.valid_from <= memory.valid_from]
        if found.contests or any(conflicts.barrier(again, target.memory) for target in contested):
            return None
        self.neighbourhood.records.update((target.memory.id, target) for target in contested)
        closes = {one.id: one for one in (*found.closes, *(target.memory for target in contested))}
        decision = Decision("supersede", EXACT, f"{twin.memory.id} needed a source that is trusted as much")
        return replace(found, decision=decision, status="updated", closes=tuple(closes.values()))

    def contend(self, twin: Record, found: Resolution) -> Remembered:
        """Mark a known text as contesting memories that it may not close; no change if it does already."""
        if not twin.memory.is_contested:
            raise ValueError(f"{twin.memory.id} says exactly this and may not take the place: {found.decision.reason}")
        contested = {record.num for record in transitions.targets(self.transaction, twin)}
        nums = [num for other in found.contests if (num := self.neighbourhood.num(other)) not in contested]
        self.transaction.put(*(Edge(twin.num, relation, n) for relation in ("contradicts", SUPERSEDES) for n in nums))
        return Remembered(self.reload(twin).memory, "pending" if nums else "noop", found.decision)

    def succeed(self, twin: Record, memory: Memory, found: Resolution) -> Remembered:
        """Supersede others by a known text."""
        before = self.reload(twin)
        columns = {"status_reason": "", "valid_from": memory.valid_from, "confidence": memory.confidence}
        columns |= conflicts.succession(memory, found.closes, found.later)
        if found.later is not None:
            self.transaction.put(Edge(self.neighbourhood.num(found.later), SUPERSEDES, twin.num))
        memory = self.editor.change(before, "succeed", reason=found.decision.reason, **columns)
        self.settle(memory, found)
        self.transaction.put(*(Edge(twin.num, SUPERSEDES, self.neighbourhood.num(old)) for old in found.closes))
        after = self.reload(twin)
        indexed = prepare.index(after.memory, situate=self.engine.settings.situate)
        transitions.put_terms(self.transaction, after, before.memory, indexed)
        self.neighbourhood.reworded()
        return Remembered(after.memory, found.status, found.decision)

    # ---------------------------------------------------------------------------------------------------- new memories

    def is_compared(self, new: Prepared) -> bool:
        """Return whether a memory goes through the stages of conflict resolution after the exact one."""
        intent = new.intent
        if not self.creates or intent.archived:
            return False
        if intent.target is not None or intent.judgement is not None:
            return True
        return intent.resolve and new.memory.kind is Kind.SEMANTIC

    def resolve(self, new: Prepared) -> Resolution:
        """Return the resolution of a new memory and of those that it is compared with."""
        if not self.is_compared(new):
            return NOT_COMPARED
        intent, judgement, neighbourhood = new.intent, new.intent.judgement, self.neighbourhood
        named = intent.target is not None or judgement is not None
        if self.unwritten and (named or neighbourhood.may_meet_unwritten(new)):
            self.put()
        known = Neighbours(compared=new.vector is not None)
        target = None if intent.target is None else self.find_target(intent.target)
        judged = None
        if judgement is not None and judgement.target and judgement.operation != "ADD":
            judged = neighbourhood.live(judgement.target, new)
        if new.memory.stored_status is Status.ACTIVE:
            known = neighbourhood.find(new)
        if target is not None or judged is not None:
            known = known._replace(target=target, judged=judged)
        return conflicts.resolve(new, known, neighbourhood.rules)

    def find_target(self, memory_id: str) -> Memory:
        """Return the memory to be replaced; it must exist and be at the head of its chain."""
        found = self.transaction.find(Record, [Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN)])
        if not found:
            raise NotFound(memory_id)
        transitions.check_unsuperseded(self.transaction, found[0].memory)
        self.neighbourhood.records[memory_id] = found[0]
        return found[0].memory

    def apply(self, new: Prepared, found: Resolution) -> Remembered:
        """Store a new memory, after its effect on the others."""
        if found.archived and self.is_archived_already(new.memory, found):
            return Remembered(found.supports[0], found.status, found.decision)
        memory, edges = self.linked(new, found)
        witnesses = self.witnesses(memory, found) if found.supports else []
        if witnesses:
            memory = replace(memory, trust=transitions.witnessed_trust(self.transaction, memory, witnesses))
        if memory.valid_from != new.memory.valid_from:  # it is part of the index text
            new = new._replace(indexed=prepare.index(memory, situate=self.engine.settings.situate))
        if found.closes or found.supports or found.later is not None:
            self.settle(memory, found, begins=_ahead(new))
        identity = new.identity if prepare.holds_its_slot(memory, self.now) else None
        if new.intent.target is not None and identity is not None:
            self.check_unstated(memory, identity)
        if self.may_lower(new):
            memory = self.neighbourhood.lowered(memory, new, found)
        evicted: tuple[str, ...] = ()
        if self.creates and memory.scope.agent is not None:  # caps are per agent
            evicted = self.editor.make_room(memory, self.put)
        memory = self.retention.expiring(memory)
        if self.engine.signer is not None or memory.source.signature is not None:  # an import may have one
            memory = signed(memory, self.engine.signer)
        indexed, due_at = new.indexed, self.retention.due_at(memory)
        record = Record(memory, identity, urandom(16).hex(), length=indexed.length, marks=indexed.marks, due_at=due_at)
        self.add(_Unwritten(record, new, edges, witnesses), found)
        decision, result = found.decision, found.supports[0] if found.archived else memory
        if memory.status is Status.QUARANTINED:
            return Remembered(result, "quarantined", Decision("quarantine", "0 admission", memory.status_reason))
        return Remembered(result, found.status, replace(decision, evicted=evicted) if evicted else decision)

    def check_unstated(self, memory: Memory, identity: str) -> None:
        """Raise `ValueError` if the memory to be replaced stays and has the same identity."""
        if (other := self.editor.holder(Record(memory, identity, ""), identity)) is not None:
            named = f"{other.memory.id} says exactly this and does not end yet"
            raise ValueError(f"{named}: update it, or change the text")

    def add(self, added: _Unwritten, found: Resolution) -> None:
        """Note a record to be put, for later memories of the transaction, and in the audit trail."""
        record, memory, decision = added.record, added.record.memory, found.decision
        self.unwritten.append(added)
        if self.creates and self.are_several:
            self.neighbourhood.note(memory, added.new.vector)
        if memory.key is not None:
            self.unwritten_keys.add((memory.scope.user, memory.scope.agent, memory.key))
        if record.identity is not None:
            self.twins[memory.scope.user, record.identity] = record
        reason = "" if found is NOT_COMPARED else f"{decision.kind} at {decision.stage}: {decision.reason}"
        self.trail.add(self.operation, memory, record.salt, reason=reason)

    def linked(self, new: Prepared, found: Resolution) -> tuple[Memory, list[tuple[str, int, bool]]]:
        """Return a new memory with its position in its session and the values inherited from others, and its edges."""
        single, fact = self.neighbourhood.rules.single_valued, new.memory.fact
        is_one = fact is not None and models.slot(fact).predicate in single
        changes = {} if new.begins is None else _as_dated(new, found, is_one=is_one)
        memory, num = replace(new.memory, **changes) if changes else new.memory, self.neighbourhood.num
        edges = [("derived_from", source.num, True) for source in new.sources]
        if memory.scope.session is not None and memory.position is None:
            changes["position"] = self.next_position(memory, memory.scope.session)
        linked = [("contradicts", found.contests), ("supports", found.supports), ("related", found.related)]
        if any(other.id not in self.neighbourhood.records for _, others in linked for other in others):
            self.put()
        quarantined = memory.status is Status.QUARANTINED
        linked = linked[1:] if quarantined else linked  # a hidden memory is not shown at the other end
        links = [Link(relation, other.id) for relation, others in linked for other in others]
        edges += [(relation, num(other), True) for relation, others in linked for other in others]
        takes = CORRECTS if found.corrected else SUPERSEDES
        edges += [(takes, num(other), True) for other in (*found.closes, *found.contests)]
        if links:
            changes["links"] = (*memory.links, *links)
        if found.closes:
            changes["supersedes"] = tuple(sorted(other.id for other in found.closes))
            if found.corrected and "valid_from" not in new.given:
                # A memory that was never true leaves no gap: the right value begins where the wrong one did.
                changes["valid_from"] = min(old.valid_from for old in found.closes)
        if found.contests and not quarantined:
            changes["status_reason"] = CONTESTED
        if found.archived:
            changes |= {"status": Status.ARCHIVED, "status_reason": "a decider judged that it is known"}
        if found.later is not None:
            edges.append((SUPERSEDES, num(found.later), False))
        if found.closes or found.later is not None:
            given = "confidence" in new.given
            changes |= conflicts.succession(memory, found.closes, found.later, confidence_given=given)
        return replace(memory, **changes) if changes else memory, edges

    def next_position(self, memory: Memory, session: str) -> int:
        """Return the next position in a session."""
        place = (memory.scope.user, session)
        if place not in self.positions:
            namespace = transitions.namespace_of(self.transaction, memory)
            tests = [Test("ns", "eq", namespace), Test("session", "eq", session)]
            last = highest(self.transaction, Record, "position", tests)
            self.positions[place] = -1 if last is None else last
        self.positions[place] += 1
        return self.positions[place]

    def is_archived_already(self, memory: Memory, found: Resolution) -> bool:
        """Return whether the text of a memory is archived already beside the one that states the same."""
        to_known = [Test("target", "eq", self.neighbourhood.num(found.supports[0])), Test("relation", "eq", "supports")]
        sources = tuple(edge.source for edge in self.transaction.find(Edge, to_known))
        tests = [Test("num", "in", sources), Test("status", "eq", Status.ARCHIVED)]
        kept = self.transaction.find(Record, tests) if sources else []
        return any(record.memory.source.content_hash == memory.source.content_hash for record in kept)

    def witnesses(self, memory: Memory, found: Resolution) -> list[WitnessRow]:
        """Return the witnesses of a new memory: those that state the same, unless only a decider judged so."""
        if found.archived:
            return []
        others = [transitions.witness(self.transaction, other, kept_as=other.id) for other in found.supports]
        own = (memory.source.type, memory.source.id)
        return [row for row in others if row is not None and (row.type, row.source) != own]

    def settle(self, memory: Memory, found: Resolution, *, begins: datetime | None = None) -> None:
        """Close the memories that a new one replaces, and count it as evidence for those that state the same."""
        records = self.neighbourhood.records
        for old in found.closes:
            (record,) = self.transaction.find(Record, [Test("num", "eq", records.pop(old.id).num)])  # with its links
            self.editor.close(record, memory, corrected=found.corrected, begins=begins)
            self.moved(record)
        for old in found.supports:
            (record,) = self.transaction.find(Record, [Test("num", "eq", self.neighbourhood.num(old))])
            self.editor.support(record, memory)
            self.moved(record)
        if found.later is not None:
            later = records[found.later.id]
            # each of these has one more predecessor
            for each in (later, *transitions.successors(self.transaction, later.memory)):
                count = each.memory.evolution_count + 1
                self.transaction.update(Record, [Test("num", "eq", each.num)], evolution_count=count)

    # ------------------------------------------------------------------------------------------------------------ rows

    def put(self) -> None:
        """Put the pending records, with their terms, edges, vectors, jobs and mentions."""
        if not self.unwritten:
            return
        engine, (news, self.unwritten) = self.engine, (self.unwritten, [])
        nums = self.transaction.put(*(each.record for each in news))
        postings: list[Row] = []
        edges: list[Row] = []
        witnesses: list[Row] = []
        vectors: list[Row] = []
        jobs: list[Row] = []
        mentions: list[tuple[int, Memory, Topics]] = []
        for num, (record, new, ends, added_witnesses) in zip(nums, news, strict=True):
            namespace = self.transaction.namespace(record.memory.scope.org, record.memory.scope.user)
            postings += [Posting(namespace, term, num, times) for term, times in new.indexed.terms.items()]
            edges += [Edge(num, name, other) if outward else Edge(other, name, num) for name, other, outward in ends]
            witnesses += [row._replace(num=num) for row in added_witnesses]
            if engine.embedder is not None and new.vector is not None:
                vectors.append(Vector(namespace, engine.embedder.id, num, new.vector))
            elif engine.embedder is not None:
                jobs.append(prepare.embed_job(engine.new_id, record.memory, self.now))
            if record.memory.status is not Status.QUARANTINED:
                mentions.append((num, record.memory, new.mentions))
        self.transaction.put(*postings, *edges, *witnesses, *vectors, *jobs)
        engine.counters.queued += len(jobs)
        if self.creates and engine.llm is not None:  # an import was described at its origin
            prepare.put_jobs(engine, self.transaction, (each.record.memory for each in news), self.now)
        self.recorder.record(mentions, are_new=True)
        self.unwritten_keys.clear()
        self.neighbourhood.put((num, each.new) for num, each in zip(nums, news, strict=True))

    def link_sources(self, known: Record, new: Prepared) -> None:
        """Link a known memory to the sources of another statement of it."""
        links = {link.memory_id for link in prepare.added_links(known.memory, new.memory)}
        edges = [Edge(known.num, "derived_from", source.num) for source in new.sources if source.memory.id in links]
        if edges:
            self.transaction.put(*edges)

    def moved(self, before: Record) -> None:
        """Note that a memory was changed, and may have another identity now."""
        self.twins.pop((before.memory.scope.user, str(before.identity)), None)
        self.reload(before)

    def reload(self, record: Record) -> Record:
        """Return the current state of a stored record, and use it from now on."""
        (after,) = self.transaction.find(Record, [Test("id", "eq", record.memory.id)])
        if after.identity is not None:
            self.twins[after.memory.scope.user, after.identity] = after
        return after
