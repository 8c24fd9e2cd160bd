"""Edits by the caller: `update`, `supersede`, `pin`, `link`, `forget` and others change known memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from engrain import validation as checks
from engrain.arguments import UNSET, SuccessorFields
from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import read_topics
from engrain.model.audit import Forgotten
from engrain.model.choices import LinkRelation, checked_choice
from engrain.model.filters import Filter, Test, passes
from engrain.model.memory import Expiry, Memory, Scope, Source, SourceType, Status, may_review, need_review
from engrain.model.results import Remembered
from engrain.security.admission import BASE, Look, policies
from engrain.security.audit import signed_again
from engrain.storage.interface import Transaction
from engrain.storage.rows import SUPERSEDES, Edge, Record, TurnRow
from engrain.text import check_content, digest, normalise
from engrain.validation import MAX_TAGS, is_whole
from engrain.write import prepare, transitions
from engrain.write.conflicts import Neighbourhood, resolve, succession
from engrain.write.pipeline import remember, store_if
from engrain.write.prepare import CHECKS, Intent, Prepared
from engrain.write.transitions import WAS_FORGOTTEN

_SAME = 1e-9
_STATED = frozenset({"fact", "confidence", "valid_from", "valid_until", "ttl", "tier", "importance"})
"""The fields of a memory beside its text: its statement, lifetime and weight in a search."""


_BESIDE = ("tags", "metadata", "fact", "domain")
_NEEDED = ("importance", "confidence", "domain", "tier", "valid_from")
_PLAIN = (*_NEEDED, "pinned", "valid_until", "fact")
_OF_USE = (
    "key position links supersedes evidence_count access_count last_accessed strength evolution_count version pinned"
).split()
_UNUSED: Mapping[str, Any] = {each.name: each.default for each in fields(Memory) if each.name in _OF_USE}
"""The fields that a new memory has by default, not those of the memory that it is made from."""
_FORGET_AT_ONCE = 500  # memories hidden in one transaction


def checked_changes(engine: Engine, memory: Memory, given: Mapping[str, Any]) -> Memory:
    """Return `memory` with the arguments of an `update` applied; raises as a write of them would."""
    given = _screened(engine, memory, given)
    out: dict[str, Any] = {}
    if "content" in given:
        out |= _changed_text(engine, memory, given["content"])
    for name in _PLAIN:
        if name in given:
            out[name] = value = given[name]
            if value is None and name in _NEEDED:
                raise ValueError(f"{name} cannot be cleared: leave it out to keep it as it is")
            if value is not None or name == "pinned":
                out[name] = CHECKS[name](value, name)
    if "metadata" in given:
        out["metadata"] = transitions.merged_metadata(memory.metadata, given["metadata"])
    if "tags" in given or "domain" in given:
        kept = tuple(tag for tag in memory.tags if tag != memory.domain)
        tags = checks.checked_tags(given["tags"] or ()) if "tags" in given else kept
        out["tags"] = prepare.derived_tags(tags, out.get("domain", memory.domain))
    if "ttl" in given:
        span = checks.checked_ttl(given["ttl"], memory.kind)
        try:
            out |= {"expires_at": None if span is None else memory.recorded_at + span, "expiry": Expiry.GIVEN}
        except OverflowError:
            raise ValueError(f"ttl of {span} reaches past the year 9999: pass None for no expiry") from None
    _refuse_instructions(engine, memory, prepare.texts_in([out.get(name) for name in _BESIDE]))
    return transitions.checked_interval(replace(memory, **out))


def _refuse_instructions(engine: Engine, memory: Memory, written: str | Iterable[str]) -> None:
    """Raise for a text, or fields beside it, that look like instructions; a write of them would be quarantined."""
    found = prepare.screened(written, engine.settings, memory.source.type, source_id=memory.source.id)
    if found and memory.status is not Status.QUARANTINED:
        raise prepare.refused(found, memory.source.id)


def _screened(engine: Engine, memory: Memory, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return changes as allowed by the policies for secrets and personal data; raises for quarantined ones."""
    if prepare.is_open(engine.settings):
        return given
    look = Look(policies(engine.settings))
    clean: dict[str, Callable[[Any], object]] = {
        "content": lambda text: look.text(text) if isinstance(text, str) else text,
        "fact": lambda fact: look.fact(checks.checked_fact(fact)),
        "tags": lambda tags: look.texts(checks.checked_tags(tags)),
        "metadata": lambda metadata: look.value(checks.checked_metadata(metadata)),
    }
    screened = {name: clean[name](given[name]) for name in clean if given.get(name) is not None}
    look.settle(memory.source.id)
    if look.waits and memory.status is not Status.QUARANTINED:
        raise prepare.withheld(tuple(look.waits), memory.source.id)
    return {**given, **screened}


def _changed_text(engine: Engine, memory: Memory, content: str) -> dict[str, Any]:
    """Return the content with its derived fields, and with the fact if the old one was extracted from the text."""
    text = check_content(content, max_bytes=engine.settings.max_content_bytes)
    if text == memory.content:
        return {}
    _refuse_instructions(engine, memory, text)
    described = prepare.describe(text, engine.settings)
    source = replace(memory.source, content_hash=digest(text), signature=None)
    out = {"content": text, "summary": described.summary, "keywords": described.keywords, "source": source}
    out["valid_from"] = prepare.begun(memory, text)
    if transitions.is_fact_read(engine.settings, memory):
        out["fact"] = prepare.fact_in(engine.settings, replace(memory, content=text))
    return out


def update(
    engine: Engine,
    scope: Scope,
    memory_id: str,
    arguments: Mapping[str, Any],
    *,
    source: Source | None = None,
    reason: str = "",
    expected_version: int | None = None,
) -> Memory:
    """Edit a memory in scope, or propose what its `source` may not change; see `MemoryManager.update`."""
    if expected_version is not None and not is_whole(expected_version):
        raise TypeError(f"expected_version must be a whole number, not {type(expected_version).__name__}")
    prepare.screen_names([reason], engine.settings)
    given = {name: value for name, value in arguments.items() if value is not UNSET}
    if given.get("tags") is not None:  # they are iterated twice
        given["tags"] = tuple(checks.strings(given["tags"], "tags"))
    with engine.store.read(scope.org) as reader:
        before = transitions.find_record(reader, scope, memory_id, expected_version=expected_version).memory
    wanted = checked_changes(engine, before, given)
    by = source or (None if may_review() else Source(SourceType.LLM_GENERATED))
    if by is not None and BASE[by.type] < before.trust - _SAME:
        if normalise(wanted.content) != normalise(before.content):
            return propose(engine, scope, wanted, by, reason=reason)
        if source is not None:
            raise ValueError(f"{memory_id} keeps its text: who is trusted less can only propose another text")
        if not _STATED.isdisjoint(given):
            need_review("changing what is trusted more")
    texts, embedder = [prepare.index_text(wanted, situate=engine.settings.situate)], engine.embedder
    vector = prepare.embed(embedder, texts)[0] if wanted.content != before.content else None

    def change(editor: transitions.Editor) -> Memory:
        current = transitions.find_record(editor.transaction, scope, memory_id, expected_version=expected_version)
        known = vector if engine.embedder is embedder else None  # another one was configured meanwhile
        after = editor.edit(current, checked_changes(engine, current.memory, given), vector=known, reason=reason)
        return (after or current.memory).as_of_clock(editor.now)

    return transitions.transact(engine, scope, change)


def supersede(
    engine: Engine, scope: Scope, old_id: str, content: str, *, reason: str, fields: SuccessorFields
) -> Remembered:
    """Store a successor of a memory; see `MemoryManager.supersede`."""
    prepare.screen_names([reason], engine.settings)
    with engine.store.read(scope.org) as reader:
        old = transitions.find_record(reader, scope, old_id).memory
    # A version of the same fact has the same readers: every reader of the old one sees the new one.
    place = Scope(scope.org, old.scope.user, old.scope.agent, scope.session or old.scope.session)
    given: SuccessorFields = {"kind": old.kind, "domain": old.domain, **fields}
    if "fact" not in fields and old.fact is not None and transitions.is_fact_read(engine.settings, old):
        text = check_content(content, max_bytes=engine.settings.max_content_bytes)
        given["fact"] = prepare.fact_in(engine.settings, replace(old, content=text))
    authority = "source_type" not in fields and may_review()
    if authority and BASE[old.source.type] > BASE[SourceType.LLM_GENERATED]:
        given["source_type"] = old.source.type  # as an edit of the old one would keep it
    intent = Intent(target=old_id, authority=authority, reason=reason, agent=scope.agent)
    item = prepare.draft(content, scope=place, settings=engine.settings, intent=intent, **given)
    transitions.checked_sources(engine, item)
    is_less_trusted = BASE[item.source_type] < old.trust - _SAME
    if not intent.authority and is_less_trusted and normalise(item.content) == normalise(old.content):
        raise ValueError(f"{old_id} says exactly this: who is trusted less can only propose another text")
    return remember(engine, [item])[0]


def restate(engine: Engine, scope: Scope, memory_id: str) -> Memory:
    """Store a memory's statement anew, valid from now on, with authority over the current value of its fact."""
    with engine.store.read(scope.org) as reader:
        old = transitions.find_record(reader, scope, memory_id, forgotten=True).memory
    intent = Intent(authority=True, reason=f"{old.id} is reinstated", copies=old.id, agent=scope.agent)
    same: Any = {name: getattr(old, name) for name in "kind domain actor fact importance tier metadata".split()}
    item = prepare.draft(
        old.content,
        scope=old.scope,
        settings=engine.settings,
        source_type=old.source.type,
        source_id=old.source.id,
        source_ref=old.source.ref,
        tags=old.tags[:MAX_TAGS],
        intent=intent,
        **same,
    )
    (result,) = remember(engine, [item])
    return result.memory


def propose(engine: Engine, scope: Scope, wanted: Memory, source: Source, *, reason: str) -> Memory:
    """Store a change that its source may not make itself as a contested memory, and return that."""
    now, old_id = engine.clock.now(), wanted.id
    source = replace(source, content_hash=wanted.source.content_hash)
    trust = BASE[source.type]
    own_id = engine.new_id("mem")
    memory = replace(wanted, **_UNUSED, id=own_id, source=source, trust=trust, recorded_at=now, updated_at=now)
    indexed = prepare.index(memory, situate=engine.settings.situate)
    topics = read_topics(memory, engine.packs, fact_given=memory.fact is not None)
    intent = Intent(target=old_id, reason=reason, copies=old_id, agent=scope.agent)
    statement, given = prepare.stated(engine.settings, memory), frozenset({"confidence"})
    proposed = Prepared(memory, indexed, statement, given=given, intent=intent, mentions=topics)
    (result,) = store_if(engine, [proposed], now=now) or []
    return result.memory


@transitions.edits
def mark_superseded(editor: transitions.Editor, scope: Scope, old_id: str, new_id: str) -> bool:
    """Mark one known memory as superseded by another; see `MemoryManager.mark_superseded`."""
    if old_id == new_id:
        raise ValueError(f"{old_id} cannot supersede itself: name two memories")
    transaction = editor.transaction
    try:
        old, new = (transitions.find_record(transaction, scope, one) for one in (old_id, new_id))
    except NotFound:
        return False
    _check_succession(transaction, old.memory, new.memory.as_of_clock(editor.now))
    if new.memory.trust < old.memory.trust - _SAME:
        need_review("closing what is trusted more")
    editor.close(old, new.memory)
    columns = succession(new.memory, [old.memory])
    if new.memory.is_contested and not _still_contradicts(editor, new, old, scope):
        columns["status_reason"] = ""
    editor.change(new, "succeed", reason=f"takes the place of {old_id}", **columns)
    transaction.put(Edge(new.num, SUPERSEDES, old.num))
    return True


def _still_contradicts(editor: transitions.Editor, new: Record, old: Record, scope: Scope) -> bool:
    """Return whether a contested memory still contradicts another one after `old` was superseded."""
    others = (record.memory for record in transitions.targets(editor.transaction, new) if record.num != old.num)
    if any(other.believed_until is None and not other.is_superseded for other in others):
        return True
    neighbourhood = Neighbourhood(editor.engine, editor.transaction, editor.now)
    begins = replace(new.memory, status_reason="", valid_from=editor.now)
    again = Prepared(begins, intent=Intent(authority=True, agent=scope.agent), given=frozenset({"fact"}))
    found = resolve(again, neighbourhood.of_slot(again), neighbourhood.rules)
    return bool(found.closes or found.contests or found.later)


def _check_succession(transaction: Transaction, old: Memory, new: Memory) -> None:
    if old.scope.user != new.scope.user:
        raise ValueError(f"{new.id} and {old.id} belong to different users: a successor is for the same readers")
    if new.scope.agent is not None and new.scope.agent != old.scope.agent:
        raise ValueError(
            f"{new.id} is an agent's own and would take {old.id} from everybody else: remember it for all of them"
        )
    if new.superseded_by is not None and transitions.leads_to(transaction, new, old.id):
        raise ValueError(f"{new.id} was itself superseded by {old.id}: that would be a circle")
    transitions.check_unsuperseded(transaction, old)
    if new.stored_status is not Status.ACTIVE:
        raise ValueError(f"{new.id} is {new.status}: only an active memory can take another's place")
    transitions.check_unsuperseded(transaction, new)


@transitions.edits
def pin(editor: transitions.Editor, scope: Scope, memory_id: str, pinned: bool) -> Memory:
    """Exempt a memory from the defaults of retention, or end that; see `MemoryManager.pin`."""
    record = transitions.find_record(editor.transaction, scope, memory_id)
    if record.memory.pinned == pinned:
        return record.memory.as_of_clock(editor.now)
    changes: dict[str, Any] = {"pinned": pinned}
    if record.memory.as_of_clock(editor.now).status is not Status.EXPIRED:  # an expired one, swept or not, stays so
        changes = transitions.with_retention(editor.engine.retention, record.memory, changes)
    return editor.change(record, "pin" if pinned else "unpin", **changes).as_of_clock(editor.now)


@transitions.edits
def link(editor: transitions.Editor, scope: Scope, from_id: str, to_id: str, relation: LinkRelation) -> bool:
    """Create a link; see `MemoryManager.link`."""
    transaction = editor.transaction
    one, other = _ends(editor, scope, from_id, to_id, relation)
    if any(transaction.find(Edge, edge) for edge in _edges(one, other, relation)):
        return False
    transaction.put(Edge(one.num, relation, other.num))
    memory, kind = one.memory, other.memory.source.type
    if relation == "derived_from" and BASE[kind] < BASE[memory.source.type]:
        # A memory that turns out to derive from a less trusted source gets its trust class.
        after = replace(memory, source=replace(memory.source, type=kind), trust=BASE[kind])
        after = signed_again(memory, after, editor.engine.signer)
        columns = {"source_type": kind, "trust": BASE[kind], "signature": after.source.signature}
        transaction.update(Record, [Test("num", "eq", one.num)], **columns)
        memory = after
    editor.trail.add("link", memory, one.salt, reason=f"link {relation} {to_id}")
    return True


@transitions.edits
def unlink(editor: transitions.Editor, scope: Scope, from_id: str, to_id: str, relation: LinkRelation) -> bool:
    """Remove a link; see `MemoryManager.unlink`."""
    if relation == "derived_from":
        raise ValueError("derived_from is provenance and stays: forget the memory instead")
    one, other = _ends(editor, scope, from_id, to_id, relation)
    if not sum(editor.transaction.delete(Edge, edge) for edge in _edges(one, other, relation)):
        return False
    editor.trail.add("unlink", one.memory, one.salt, reason=f"unlink {relation} {to_id}")
    return True


def _ends(
    editor: transitions.Editor, scope: Scope, from_id: str, to_id: str, relation: LinkRelation
) -> tuple[Record, Record]:
    """Return the two memories of a link, which must belong to one user."""
    checked_choice(relation, "relation", LinkRelation)
    if from_id == to_id:
        raise ValueError(f"{from_id} cannot be linked to itself: name two memories")
    one, other = (transitions.find_record(editor.transaction, scope, each, links=False) for each in (from_id, to_id))
    if one.memory.scope.user != other.memory.scope.user:
        raise ValueError(f"{from_id} and {to_id} belong to different users: a link would show one to the other")
    weighed = {"contradicts": (one, other), "derived_from": (one,)}.get(relation, ())  # it affects belief
    if any(each.memory.trust > BASE[SourceType.LLM_GENERATED] + _SAME for each in weighed):
        need_review(f"{relation} of what is trusted more")
    return one, other


def _edges(one: Record, other: Record, relation: str) -> list[list[Test]]:
    """Return the conditions that find a link; some relations may be stored in either direction."""
    ends = [(one, other), (other, one)] if relation in ("related", "contradicts") else [(one, other)]
    of = Test("relation", "eq", relation)
    return [[Test("source", "eq", source.num), of, Test("target", "eq", target.num)] for source, target in ends]


@transitions.edits
def _forget_some(editor: transitions.Editor, scope: Scope, where: Filter, reason: str) -> tuple[list[str], int, int]:
    """Hide some memories and what was learnt from them alone; return ids, the number beside, and that of all found."""
    found = editor.transaction.find(Record, where, limit=_FORGET_AT_ONCE)
    derived = transitions.derivatives(editor.transaction, found).values()
    every = [(record, reason) for record in found]
    every += [(r, f"{source}{WAS_FORGOTTEN}") for r, source in derived if r.memory.status is not Status.FORGOTTEN]
    need_review("forgetting what waits for a verdict", (record.memory for record, _ in every))
    for record, why in every:
        # It keeps its identity until another memory takes it, so that an import recognises forgotten memories.
        gone: dict[str, Any] = {"status": Status.FORGOTTEN, "status_reason": why}
        editor.change(record, "forget", reason=why, believed_until=record.memory.believed_until or editor.now, **gone)
    for record, _ in every:
        editor.reopen(record, reason=f"{record.memory.id}{WAS_FORGOTTEN}", after=editor.now)
    of_them = Test("num", "in", tuple(record.num for record, _ in every))
    transitions.leave_windows(editor.transaction, editor.transaction.find(TurnRow, [of_them]))
    asked = [record.memory.id for record, _ in every if passes(record.memory, where, num=record.num)]
    return asked, len(every) - len(asked), len(found)


def forget(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> Forgotten:
    """Hide the memories of the scope that a filter passes and that are not forgotten yet."""
    wanted = where.but(Test("status", "ne", Status.FORGOTTEN))
    ids, beside, found = list[str](), 0, _FORGET_AT_ONCE
    while found == _FORGET_AT_ONCE:
        some, more, found = _forget_some(engine, scope, wanted, reason)
        ids, beside = ids + some, beside + more
    return Forgotten(len(ids), tuple(ids), beside=beside)
