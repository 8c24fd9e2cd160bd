"""Reflection: insights that cite the memories they are derived from, and wait for review."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound, ProviderError
from engrain.guard import log
from engrain.language.tokens import terms
from engrain.lifecycle.consolidation import checked_batch
from engrain.llm.asker import Account
from engrain.llm.client import name_of
from engrain.llm.replies import ask_model, json_list, prompt
from engrain.model.filters import Test, within
from engrain.model.memory import UNCONFIRMED, Fact, Kind, Memory, Scope, Slot, SourceType, Status, slot
from engrain.model.results import OFFLINE, Reflection, Remembered, Worked
from engrain.policies.entries import says_all
from engrain.protocols import LLM
from engrain.security.admission import least_trusted
from engrain.storage.interface import Reader, Transaction, holders
from engrain.storage.rows import Record
from engrain.text import digest, normalise
from engrain.write import verdicts
from engrain.write.conflicts import conflict_rules
from engrain.write.pipeline import Writer
from engrain.write.prepare import UNREAD, Prepared, draft, embedded, index, prepare, probes

VALUES, CHANGES = 3, 3  # of one thing before they are told together; versions of a value before it is said to change
_MOST = 12  # values that one sentence names


@dataclass(frozen=True, slots=True)
class Insight:
    """A sentence and the memories that it rests on; `about` is the same for all that is told of one thing."""

    content: str
    evidence: tuple[Memory, ...]
    about: str


def insights_of(facts: Sequence[Memory], single_valued: frozenset[str]) -> Iterator[Insight]:
    """Yield what facts say together, in the order in which their things were first told."""
    groups: dict[tuple[str, str], list[tuple[Slot, Fact, Memory]]] = {}
    for memory in sorted(facts, key=lambda memory: (memory.valid_from, memory.id)):
        if memory.fact is not None:
            known = slot(memory.fact)
            groups.setdefault((known.subject, known.predicate), []).append((known, memory.fact, memory))
    for (subject, predicate), held in groups.items():
        about = f"{subject}/{predicate}"
        found = _changes(held, about) if predicate in single_valued else _values(held, about)
        if found is not None:
            yield found


def reference(insight: Insight) -> str:
    """Return under what reference an insight is kept: what it is about, and how much it tells."""
    return f"insight:{digest(insight.about)[:24]}:{len(insight.evidence)}"


def _values(held: Sequence[tuple[Slot, Fact, Memory]], about: str) -> Insight | None:
    once: dict[str, tuple[Fact, Memory]] = {}
    for known, fact, memory in held:
        if not memory.is_superseded:
            once.setdefault(known.object, (fact, memory))
    if not VALUES <= len(once) <= _MOST:
        return None
    fact = held[0][1]
    told = _listed([value.object for value, _ in once.values()])
    return Insight(f"{_opening(fact)} {told}.", tuple(memory for _, memory in once.values()), about)


def _changes(held: Sequence[tuple[Slot, Fact, Memory]], about: str) -> Insight | None:
    steps: list[tuple[Slot, Fact, Memory]] = []
    for step in held:
        if not steps or steps[-1][0].object != step[0].object:
            steps.append(step)
    if not CHANGES <= len(steps) <= _MOST or steps[-1][2].is_superseded:
        return None
    fact = steps[0][1]
    what = fact.predicate.replace("_", " ")
    path = ", then ".join(each.object for _, each, _ in steps)
    told = f"{fact.subject}: {what} has changed {len(steps) - 1} times ({path})."
    return Insight(told, tuple(memory for _, _, memory in steps), about)


def _opening(fact: Fact) -> str:
    """Return how a sentence about a fact begins: "Ana likes", "Ana, allergic to:"."""
    words = fact.predicate.replace("_", " ").strip()
    verb = words.split(" ")[0]
    return f"{fact.subject} {words}" if verb.endswith("s") and len(verb) > 3 else f"{fact.subject}, {words}:"


def _listed(values: Sequence[str]) -> str:
    return f"{', '.join(values[:-1])} and {values[-1]}"


WAITING = 100  # insights that wait at once
SURE = 0.9  # of the least confidence of the evidence
REFLECTION = "reflection"  # the `source.id` of an insight
_FACTS, _SHOWN, _HELD = 1000, 40, 64  # facts looked at; shown to a model; rows that may hold a rare word
_GROWN = 1.5  # times as much evidence, and an insight that was settled is told anew


def reflect(engine: Engine, scope: Scope, *, batch_size: int = 10) -> Reflection:
    """Return at most `batch_size` new insights into the facts that a view sees; none is admitted by this.

    Each is `derived_from` its evidence, less sure than that, of tier C, and quarantined until `validate` admits it or a
    later memory of another origin says the same. One whose evidence is gone is withdrawn. A model finds them where
    there is one; over its budget nothing is asked, and none returned: `worked.why_not` says so.
    """
    checked_batch(batch_size)
    now = engine.clock.now()
    _settle(engine, scope, now)
    with engine.store.read(scope.org) as reader:
        known = _Known.of(reader, scope)
        facts = _facts(reader, scope, now)
    room = min(batch_size, WAITING - known.waiting)
    if room < 1 or not facts:
        return Reflection()
    account = Account(engine)
    found = [insight for some in _by_reader(facts) for insight in _insights(engine, some, account)]
    items = [item for insight in found if known.is_new(insight) and (item := _item(engine, insight, now)) is not None]
    kept = items[:room]
    made = engine.store.write(partial(_keep, engine, kept, now), scope.org) if kept else []
    return Reflection(made, Worked(**account.worked()))


def _facts(reader: Reader, scope: Scope, now: datetime) -> list[Memory]:
    wanted = within(scope).but(
        Test("kind", "eq", Kind.SEMANTIC), Test("status", "eq", Status.ACTIVE), Test("believed_until", "eq", None)
    )
    found = reader.find(Record, wanted, order="-recorded_at", limit=_FACTS)
    return [record.memory for record in found if _is_evidence(record.memory, now)]


def _is_evidence(memory: Memory, now: datetime) -> bool:
    """Say whether an insight may rest on a memory: admitted, not contested, not gone, and itself no retelling."""
    return (
        memory.as_of_clock(now).status is Status.ACTIVE
        and memory.believed_until is None
        and not memory.is_contested
        and memory.metadata.get("is_summary") is not True
        and memory.source.id != REFLECTION
    )


def _by_reader(facts: Sequence[Memory]) -> list[list[Memory]]:
    """Return facts by user and agent: what one agent knows by itself is no evidence for another's."""
    groups: dict[tuple[str | None, str | None], list[Memory]] = {}
    for memory in facts:
        groups.setdefault((memory.scope.user, memory.scope.agent), []).append(memory)
    return list(groups.values())


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
    record = json.dumps({str(number): memory.content for number, memory in enumerate(facts, 1)}, ensure_ascii=False)
    said = ask_model(llm, prompt("insights"), json_list(_Entry), record=record)
    return [insight for entry in said if (insight := _cited(facts, entry)) is not None]


@dataclass
class _Entry:
    insight: str
    cites: list[int]

    def __post_init__(self) -> None:
        if not self.insight.strip():
            raise ValueError("it says nothing")


def _cited(facts: Sequence[Memory], entry: _Entry) -> Insight | None:
    shown = all(1 <= number <= len(facts) for number in entry.cites)
    evidence = tuple(facts[number - 1] for number in dict.fromkeys(entry.cites)) if shown else ()
    said = frozenset(terms(" ".join(memory.content for memory in evidence)))
    figures = {term for term in terms(entry.insight) if any(character.isdigit() for character in term)}
    if len(evidence) < 2 or not figures <= said:
        return None
    return Insight(entry.insight.strip(), evidence, normalise(entry.insight))


# -------------------------------------------------------------------------------------------------------- what is known


@dataclass(frozen=True, slots=True)
class _Known:
    """The insights that there are or were, by what they are about, and how many wait."""

    told: Mapping[str, int]
    waiting: int

    @classmethod
    def of(cls, reader: Reader, scope: Scope) -> _Known:
        found = reader.find(Record, within(scope).but(Test("source_id", "eq", REFLECTION)))
        told: dict[str, int] = {}
        for record in found:
            about, _, count = record.memory.source.ref.rpartition(":")
            told[about] = max(told.get(about, 0), int(count) if count.isdecimal() else 0)
        return cls(told, sum(_waits(record.memory) for record in found))

    def is_new(self, insight: Insight) -> bool:
        about, _, count = reference(insight).rpartition(":")
        return int(count) >= _GROWN * self.told.get(about, 0)


def _waits(memory: Memory) -> bool:
    return memory.status is Status.QUARANTINED and memory.status_reason == UNCONFIRMED


# ------------------------------------------------------------------------------------------------------------- keeping


def _item(engine: Engine, insight: Insight, now: datetime) -> Prepared | None:
    """Return an insight ready to be stored, as one that waits; None for a text that may not be kept."""
    types, llm = [memory.source.type for memory in insight.evidence], engine.llm  # which has found it, if there is one
    first = insight.evidence[0].scope
    try:
        item = draft(
            insight.content,
            scope=Scope(first.org, first.user, first.agent),
            settings=engine.settings,
            kind="semantic",
            source_type=least_trusted([*types, SourceType.LLM_GENERATED] if llm is not None else types),
            source_id=REFLECTION,
            source_ref=reference(insight),
            confidence=round(SURE * min(memory.confidence for memory in insight.evidence), 4),
            tier="C",
            metadata={"is_summary": True, "is_insight": True, "told_by": OFFLINE if llm is None else name_of(llm)},
            derived_from=[memory.id for memory in insight.evidence],
        )
    except MemoryRejected:
        return None
    new = prepare(engine, item, now)
    reason = new.memory.status_reason or UNCONFIRMED
    waiting = replace(new.memory, status=Status.QUARANTINED, status_reason=reason, fact=None)
    situate = engine.settings.situate  # under the words that it has while it waits
    new = replace(new, memory=waiting, statement=UNREAD, indexed=index(waiting, situate=situate))
    return embedded(engine, [new])[0]


def _keep(engine: Engine, items: Sequence[Prepared], now: datetime, transaction: Transaction) -> list[Remembered]:
    """Store insights whose evidence is still there; one that somebody else has stored meanwhile is not new."""
    kept: list[Remembered] = []
    for item in items:
        ids = item.derived_from
        found = transaction.find(Record, [Test("id", "in", ids)])
        if len(found) < len(ids) or not all(_is_evidence(record.memory, now) for record in found):
            continue
        (result,) = Writer(engine, transaction, now).write([item])
        if result.status == "quarantined":
            kept.append(result)
    return kept


# ------------------------------------------------------------------------------------------------------------ settling


def _settle(engine: Engine, scope: Scope, now: datetime) -> None:
    """Admit the waiting insights that another memory confirms, and withdraw those whose evidence is gone."""
    with engine.store.read(scope.org) as reader:
        tests = [Test("status", "eq", Status.QUARANTINED), Test("source_id", "eq", REFLECTION)]
        waiting = [r for r in reader.find(Record, within(scope).but(*tests)) if _waits(r.memory)]
    for record in waiting:
        gone, witness = engine.store.write(partial(_looked_at, record, now), scope.org)
        verdict = verdicts.Verdict(Scope(scope.org, scope.user, scope.agent), now, authority=False)
        try:
            if gone:
                verdicts.reject(engine, replace(verdict, reason="its evidence is gone"), record.memory.id)
            elif witness is not None:
                verdicts.validate(engine, replace(verdict, reason=f"corroborated by {witness}"), record.memory.id)
        except (NotFound, ValueError):  # settled by somebody else meanwhile
            continue


def _looked_at(record: Record, now: datetime, transaction: Transaction) -> tuple[bool, str | None]:
    """Return whether the evidence of an insight is gone, and the id of a memory that says the same by itself."""
    ids = tuple(link.memory_id for link in record.memory.links if link.relation == "derived_from")
    found = transaction.find(Record, [Test("id", "in", ids)]) if ids else []
    if len(found) < len(ids) or not found or not all(_is_evidence(each.memory, now) for each in found):
        return True, None
    return False, _witness(record, frozenset(ids), now, transaction)


def _witness(record: Record, evidence: frozenset[str], now: datetime, transaction: Transaction) -> str | None:
    memory = record.memory
    if memory.evidence_count > 1:  # somebody stated it in just these words
        return memory.id
    held = holders(transaction, memory.scope.org, memory.scope.user, probes(memory.keywords), limit=_HELD)
    nums = {num for nums in held for num in nums} - {record.num}
    found = transaction.find(Record, [Test("num", "in", tuple(nums))]) if nums else []
    for other in found:
        if _is_independent(other.memory, memory, evidence, now) and says_all(other.memory.content, memory.content):
            return other.memory.id
    return None


def _is_independent(other: Memory, insight: Memory, evidence: frozenset[str], now: datetime) -> bool:
    """Say whether a memory is later than an insight, trusted as much, for the same readers, with other grounds."""
    rests = {link.memory_id for link in other.links if link.relation == "derived_from"}
    return (
        other.recorded_at > insight.recorded_at
        and other.trust >= insight.trust - 1e-9
        and other.scope.agent == insight.scope.agent
        and other.id not in evidence
        and evidence.isdisjoint(rests)
        and _is_evidence(other, now)
    )
