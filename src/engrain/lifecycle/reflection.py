"""Reflection: `reflect` proposes insights that cite the memories they are derived from, and await review."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import NamedTuple

from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound, ProviderError
from engrain.guard import log
from engrain.language.tokens import terms
from engrain.llm.asker import Account
from engrain.llm.client import name_of
from engrain.llm.replies import ask_model, is_supported, json_list, prompt
from engrain.model.filters import Test, within
from engrain.model.memory import UNCONFIRMED, Fact, Kind, Memory, Scope, Slot, SourceType, Status, slot, time_left
from engrain.model.results import OFFLINE, Reflection, Remembered, Worked
from engrain.policies.entries import says_all
from engrain.protocols import LLM
from engrain.security.admission import least_trusted
from engrain.storage.interface import Reader, Transaction, grouped, holders
from engrain.storage.rows import Record
from engrain.text import digest, normalise
from engrain.validation import checked_whole
from engrain.write import edits, verdicts
from engrain.write.conflicts import conflict_rules
from engrain.write.pipeline import Writer
from engrain.write.prepare import UNREAD, Prepared, draft, embedded, index, prepare, probes

VALUES, CHANGES = 3, 3  # of one thing before a sentence lists them; versions of a value before it counts as changing
WAITING = 100  # insights that wait at once
REFLECTION = "reflection"  # the `source.id` of an insight
_MOST = 12  # values that one sentence names
_SURE = 0.9  # of the least confidence of the evidence
_FACTS, _SHOWN, _HOLDERS = 1000, 40, 64  # facts looked at; shown to a model; rows that may have a rare word
_GROWN = 1.5  # times as much evidence, and an insight that was settled is proposed again


class Insight(NamedTuple):
    """A sentence and the memories that it is derived from; `about` is the same for all sentences about one thing."""

    content: str
    evidence: tuple[Memory, ...]
    about: str


def reflect(engine: Engine, scope: Scope, *, batch_size: int = 10) -> Reflection:
    """Return at most `batch_size` new insights into a view's facts, quarantined; withdraw those without evidence."""
    checked_whole(batch_size, "batch_size", least=1)
    now = engine.clock.now()
    _settle(engine, scope, now)
    with engine.store.read(scope.org) as reader:
        known = [r.memory for r in reader.find(Record, within(scope).but(Test("source_id", "eq", REFLECTION)))]
        wanted = [Test("kind", "eq", Kind.SEMANTIC), Test("status", "eq", Status.ACTIVE)]
        believed = within(scope).but(*wanted, Test("believed_until", "eq", None))
        newest = reader.find(Record, believed, order="-recorded_at", limit=_FACTS)
        facts = [record.memory for record in newest if verdicts.is_evidence(record.memory, now)]
    room = min(batch_size, WAITING - sum(map(_waits, known)))
    if room < 1 or not facts:
        return Reflection()
    account, counts = Account(engine), Counter[str]()  # of the evidence of insights, by what they are about
    for memory in known:
        about, _, count = memory.source.ref.rpartition(":")
        counts[about] = max(counts[about], int(count) if count.isdecimal() else 0)
    # What one agent knows is no evidence for another's.
    groups = grouped(facts, lambda memory: (memory.scope.user, memory.scope.agent))
    found = (insight for group in groups.values() for insight in _insights(engine, group, account))
    grown = (insight for insight in found if len(insight.evidence) >= _GROWN * counts[_reference(insight)])
    kept = [item for insight in grown for item in _prepared(engine, insight, now)][:room]
    made = engine.store.write(partial(_keep, engine, kept, now), scope.org) if kept else []
    return Reflection(made, Worked(**account.worked()))


def _waits(memory: Memory) -> bool:
    return memory.status is Status.QUARANTINED and memory.status_reason == UNCONFIRMED


def _reference(insight: Insight) -> str:
    return f"insight:{digest(insight.about)[:24]}"


def insights_of(facts: Sequence[Memory], single_valued: frozenset[str]) -> Iterator[Insight]:
    """Yield what facts state together, in the order in which their things were first stated."""
    ordered = sorted(facts, key=lambda memory: (memory.valid_from, memory.id))
    known = ((slot(memory.fact), memory.fact, memory) for memory in ordered if memory.fact is not None)
    for (subject, predicate), stated in grouped(known, lambda each: (each[0].subject, each[0].predicate)).items():
        about = f"{subject}/{predicate}"
        found = _changes(stated, about) if predicate in single_valued else _values(stated, about)
        if found is not None:
            yield found


def _values(stated: Sequence[tuple[Slot, Fact, Memory]], about: str) -> Insight | None:
    once: dict[str, tuple[str, Memory]] = {}
    for known, fact, memory in stated:
        if not memory.is_superseded:
            once.setdefault(known.object, (fact.object, memory))
    if not VALUES <= len(once) <= _MOST:
        return None
    *values, last = (value for value, _ in once.values())
    fact = stated[0][1]
    words = fact.predicate.replace("_", " ").strip()
    verb = words.split(" ")[0]
    is_verb = verb.endswith("s") and len(verb) > 3  # "Ana likes", but "Ana, allergic to:"
    opening = f"{fact.subject} {words}" if is_verb else f"{fact.subject}, {words}:"
    return Insight(f"{opening} {', '.join(values)} and {last}.", tuple(memory for _, memory in once.values()), about)


def _changes(stated: Sequence[tuple[Slot, Fact, Memory]], about: str) -> Insight | None:
    steps = [next(same) for _, same in groupby(stated, key=lambda step: step[0].object)]
    if not CHANGES <= len(steps) <= _MOST or steps[-1][2].is_superseded:
        return None
    fact = steps[0][1]
    path = ", then ".join(each.object for _, each, _ in steps)
    content = f"{fact.subject}: {fact.predicate.replace('_', ' ')} has changed {len(steps) - 1} times ({path})."
    return Insight(content, tuple(memory for _, _, memory in steps), about)


@dataclass
class _Entry:
    insight: str
    cites: list[int]

    def __post_init__(self) -> None:
        if not self.insight.strip():
            raise ValueError("it says nothing")


def _insights(engine: Engine, facts: Sequence[Memory], account: Account) -> Iterable[Insight]:
    llm = account.asker(facts[0].scope, "reflect")
    if llm is None:
        return insights_of(facts, conflict_rules(engine).single_valued)
    try:
        found = _asked(llm, facts[:_SHOWN])
    except ProviderError as error:
        account.failed(error)
        log.warning("reflection found nothing: %s", error)
        return ()
    account.did()
    return found


def _asked(llm: LLM, facts: Sequence[Memory]) -> list[Insight]:
    """Return a model's insights that cite two facts or more that exist, and state no number that these do not."""
    record = json.dumps({str(number): memory.content for number, memory in enumerate(facts, 1)}, ensure_ascii=False)
    found: list[Insight] = []
    for entry in ask_model(llm, prompt("insights"), json_list(_Entry), record=record):
        cites = dict.fromkeys(entry.cites)
        if len(cites) < 2 or not all(1 <= number <= len(facts) for number in cites):
            continue
        evidence = tuple(facts[number - 1] for number in cites)
        if is_supported(entry.insight, frozenset(terms(" ".join(memory.content for memory in evidence)))):
            found.append(Insight(entry.insight.strip(), evidence, normalise(entry.insight)))
    return found


def _prepared(engine: Engine, insight: Insight, now: datetime) -> list[Prepared]:
    """Return an insight ready to be stored, as one that waits; none for a text that may not be kept."""
    types, llm = [memory.source.type for memory in insight.evidence], engine.llm  # which has found it, if there is one
    first, in_force = insight.evidence[0].scope, sum(memory.is_live_at(now) for memory in insight.evidence)
    by = OFFLINE if llm is None else name_of(llm)
    try:
        item = draft(
            insight.content,
            scope=Scope(first.org, first.user, first.agent),
            settings=engine.settings,
            kind="semantic",
            source_type=least_trusted([*types, SourceType.LLM_GENERATED] if llm is not None else types),
            source_id=REFLECTION,
            source_ref=f"{_reference(insight)}:{len(insight.evidence)}",
            confidence=round(_SURE * min(memory.confidence for memory in insight.evidence), 4),
            tier="C",
            metadata={"is_summary": True, "is_insight": True, "told_by": by, verdicts.IN_FORCE: in_force},
            ttl=time_left(insight.evidence, now),
            derived_from=[memory.id for memory in insight.evidence],
        )
    except MemoryRejected:
        return []
    new = prepare(engine, item, now)
    reason = new.memory.status_reason or UNCONFIRMED
    waiting = replace(new.memory, status=Status.QUARANTINED, status_reason=reason, fact=None)
    situate = engine.settings.situate  # under the words that it has while it waits
    return embedded(engine, [new._replace(memory=waiting, statement=UNREAD, indexed=index(waiting, situate=situate))])


def _keep(engine: Engine, items: Sequence[Prepared], now: datetime, transaction: Transaction) -> list[Remembered]:
    """Store insights whose evidence is still there; one that was stored by others meanwhile is not new."""
    items = [item for item in items if verdicts.has_evidence(transaction, item.memory, now, item.derived_from)]
    results = [result for item in items for result in Writer(engine, transaction, now).write([item])]
    return [result for result in results if result.status == "quarantined"]


def _settle(engine: Engine, scope: Scope, now: datetime) -> None:
    """Admit the waiting insights that another memory confirms, and withdraw any whose evidence is gone."""
    with engine.store.read(scope.org) as reader:
        tests = [Test("status", "in", (Status.ACTIVE, Status.QUARANTINED)), Test("source_id", "eq", REFLECTION)]
        found = reader.find(Record, within(scope).but(*tests))
    verdict = verdicts.Verdict(Scope(scope.org, scope.user, scope.agent), now, "its evidence is gone", authority=False)
    for record in found:
        memory = record.memory.as_of_clock(now)
        if memory.stored_status is not Status.ACTIVE and not _waits(memory):
            continue
        ids = frozenset(link.memory_id for link in memory.links if link.relation == "derived_from")
        with engine.store.read(scope.org) as reader:
            valid = verdicts.has_evidence(reader, memory, now)
            witness = _witness(reader, record, ids, now) if valid and _waits(memory) else None
        try:
            if not valid and (_waits(memory) or memory.supersedes):
                verdicts.reject(engine, verdict, memory.id)
            elif not valid:
                edits.forget(engine, scope, within(scope).but(Test("id", "eq", memory.id)), reason=verdict.reason)
            elif witness is not None:
                verdicts.validate(engine, replace(verdict, reason=f"corroborated by {witness}"), memory.id)
        except (NotFound, ValueError):  # settled by another call meanwhile
            continue


def _witness(reader: Reader, record: Record, evidence: frozenset[str], now: datetime) -> str | None:
    """Return the id of a later memory that states the same by other evidence, as trusted and for the same readers."""
    memory = record.memory
    if memory.evidence_count > 1:  # stated by another source in the same words
        return memory.id
    found = holders(reader, memory.scope.org, memory.scope.user, probes(memory.keywords), limit=_HOLDERS)
    nums = {num for nums in found for num in nums} - {record.num}
    for other in (each.memory for each in reader.find(Record, [Test("num", "in", tuple(nums))])) if nums else ():
        sources = {link.memory_id for link in other.links if link.relation == "derived_from"}
        if (
            other.recorded_at > memory.recorded_at
            and other.trust >= memory.trust - 1e-9
            and other.scope.agent == memory.scope.agent
            and evidence.isdisjoint(sources | {other.id})
            and verdicts.is_evidence(other, now)
            and says_all(other.content, memory.content)
        ):
            return other.id
    return None
