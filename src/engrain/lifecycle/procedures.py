"""Procedures as memories: stored, ranked, rendered, and updated by outcomes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from engrain.arguments import WriteFields
from engrain.config import Settings
from engrain.engine import Engine
from engrain.language.tokens import query_terms
from engrain.model.filters import Test, reachable
from engrain.model.memory import Kind, Memory, Scope, Status
from engrain.model.procedure import Procedure
from engrain.model.results import Hit, Signal
from engrain.protocols import Tokenizer
from engrain.read.packing import fenced
from engrain.storage.rows import Record
from engrain.text import digest, shorten
from engrain.validation import checked_budget
from engrain.write import prepare
from engrain.write.pipeline import remember
from engrain.write.prepare import PLAIN, Draft, Intent
from engrain.write.transitions import Editor, transact, with_retention

_OPERATIONS = {"validated": "validate", "demoted": "demote", "failed": "archive", "": "recover"}
WIDER = 4  # hits that are ranked for each one wanted
_STANDING = {"validated": 1.05, "demoted": 0.5, "failed": 0.25, "": 1.0}
_CONFIDENCE = 0.05  # the weight of full confidence against none
_TRIGGERED = 0.25  # the weight of a trigger condition with all its words in the task
MET = 2 / 3
"""The share of the words of a trigger condition from which on a task meets it, whatever names it has beside them."""


def key_of(name: str) -> str:
    """Return the key of the memory of a procedure: its name in lower case."""
    words = " ".join(name.casefold().split())
    return f"procedure:{words if len(words) <= 200 else digest(words)[:40]}"


def draft_of(
    procedure: Procedure, scope: Scope, settings: Settings, *, intent: Intent = PLAIN, **fields: Unpack[WriteFields]
) -> Draft:
    """Return the draft of a procedure's memory, whose text describes it and whose key is its name."""
    key = key_of(prepare.screened_text(procedure.name, settings))
    fields |= {"kind": "procedural", "key": key, "confidence": procedure.confidence}
    item = prepare.draft(prepare.text_of(procedure), scope=scope, settings=settings, intent=intent, **fields)
    return prepare.screened_draft(replace(item, procedure=procedure), settings)


def store(engine: Engine, scope: Scope, procedure: Procedure | Mapping[str, Any]) -> Memory:
    """Keep a procedure, or edit the one of that name; see `Procedures.store`."""
    (outcome,) = remember(engine, [draft_of(prepare.checked_procedure(procedure), scope, engine.settings)])
    assert outcome.memory is not None
    return outcome.memory


def procedure_of(memory: Memory) -> Procedure:
    """Return the procedure of a procedural memory; one stored as plain text has that text as name and description."""
    if memory.procedure is not None:
        return memory.procedure
    return Procedure(name=shorten(memory.content, 80), description=memory.content, confidence=memory.confidence)


def record_outcome(engine: Engine, scope: Scope, memory_id: str, *, success: bool) -> bool:
    """Count one outcome of a procedure; only a change of its status makes a revision."""
    now = engine.clock.now()
    tests = (Test("id", "eq", memory_id), Test("kind", "eq", Kind.PROCEDURAL), Test("status", "ne", Status.FORGOTTEN))

    def change(editor: Editor) -> bool:
        found = editor.transaction.find(Record, reachable(scope).but(*tests))
        if not found:
            return False
        record, memory = found[0], found[0].memory
        before = procedure_of(memory)
        after = before.used(success=success, at=now)
        changes: dict[str, Any] = {"procedure": after, "confidence": after.confidence}
        reason = f"{after.success_count} of {after.uses} uses went well: confidence {after.confidence:.2f}"
        fails = after.standing == "failed" and not success and memory.stored_status is Status.ACTIVE
        if fails:
            changes |= {"status": Status.ARCHIVED, "status_reason": reason, "identity": None}
            changes = with_retention(engine.retention, memory, changes)
        if fails or after.standing != before.standing:
            operation = "outcome" if memory.status is Status.QUARANTINED else _OPERATIONS[after.standing]
            if after.standing == "failed" and not fails:
                operation = "demote"  # the status stays
            editor.change(record, operation, reason=reason, **changes)
        else:
            editor.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
            outcome = "success" if success else "failure"
            editor.trail.add("outcome", replace(memory, **changes), record.salt, reason=outcome)
        return True

    return transact(engine, scope, change, now=now)


def ranked(task: str, hits: Sequence[Hit], k: int) -> list[Hit]:
    """Return the best k of the hits, by how well they answer, then by trigger conditions and outcomes."""
    weighed: list[Hit] = []
    for hit in hits:
        procedure, score = procedure_of(hit.memory), hit.score
        factors = {
            "x triggered": 1 + _TRIGGERED * triggered(task, procedure),
            "x standing": _STANDING[procedure.standing],
            "x confidence": 1 - _CONFIDENCE * (1 - procedure.confidence),
        }
        for factor in factors.values():
            score *= factor
        signals = tuple(Signal(name, factor) for name, factor in factors.items() if factor != 1)
        weighed.append(replace(hit, score=score, signals=(*hit.signals, *signals)))
    return sorted(weighed, key=lambda hit: -hit.score)[:k]


def triggered(task: str, procedure: Procedure) -> float:
    """Return the largest share of the words of a trigger condition that a task has."""
    terms = frozenset(query_terms(task))
    conditions = (frozenset(query_terms(condition)) for condition in procedure.trigger_conditions)
    return max((len(words & terms) / len(words) for words in conditions if words), default=0.0)


def render(memories: Sequence[Memory], tokenizer: Tokenizer, token_budget: int) -> str:
    """Return whole procedures as a block within the budget, else the first steps of the best; "" if not one fits."""
    budget = checked_budget(token_budget)
    shown: list[Memory] = []
    for memory in memories:
        if tokenizer.count_tokens(_block([*shown, memory], len(memories))) <= budget:
            shown.append(memory)
    if shown:
        return _block(shown, len(memories))
    return _cut(memories[0], len(memories), tokenizer, budget) if memories else ""


def _block(shown: Sequence[Memory], total: int, text: str | None = None) -> str:
    """Return procedures, each under a line with its id and standing; `text` replaces their content."""
    count = f"{total}" if len(shown) == total else f"{len(shown)} of {total}, limited by the token budget"
    parts = [f"## Procedures ({count})"]
    for number, memory in enumerate(shown, start=1):
        standing = "" if memory.procedure is None or not memory.procedure.standing else f", {memory.procedure.standing}"
        head = f"### [{number}] {memory.id} (confidence: {memory.confidence:.2f}{standing})"
        parts.append(f"{head}\n{fenced(memory.content if text is None else text)}")
    return "\n\n".join(parts)


def _cut(memory: Memory, total: int, tokenizer: Tokenizer, budget: int) -> str:
    procedure = memory.procedure
    if procedure is None or prepare.text_of(procedure) != memory.content:
        return ""
    head, steps = list(prepare.heading(procedure)), list(prepare.numbered(procedure))

    def first(count: int) -> str:
        rest = f"[{len(steps) - count} more steps, limited by the token budget]"
        return _block([memory], total, "\n".join([*head, *steps[:count], rest]))

    fitting = bisect_right(range(1, len(steps)), budget, key=lambda count: tokenizer.count_tokens(first(count)))
    return first(fitting) if fitting else ""
