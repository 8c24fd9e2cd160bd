"""Procedures as memories: stored, found, rendered, and updated by outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engrain.engine import Engine
from engrain.language.tokens import query_terms
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import Kind, Memory, Scope, Status
from engrain.model.procedure import Procedure
from engrain.model.results import Hit, Signal
from engrain.protocols import Tokenizer
from engrain.read.packing import fenced
from engrain.security.audit import Trail, who
from engrain.storage.interface import Transaction
from engrain.storage.rows import Record
from engrain.text import digest, shorten
from engrain.validation import checked_budget
from engrain.write.pipeline import remember
from engrain.write.prepare import checked_procedure, draft, heading, numbered, screened_text, text_of, with_procedure
from engrain.write.transitions import Closer, with_retention

_PREFIX = "procedure:"
_LONGEST_KEY = 200


def key_of(name: str) -> str:
    """Return the key of the memory of a procedure: its name, in small letters."""
    words = " ".join(name.casefold().split())
    return _PREFIX + (words if len(words) <= _LONGEST_KEY else digest(words)[:40])


def store(engine: Engine, scope: Scope, procedure: Procedure | Mapping[str, Any]) -> Memory:
    """Keep a procedure, or edit the one of that name; see `Procedures.store`."""
    checked = checked_procedure(procedure)
    written = draft(
        text_of(checked),
        scope=scope,
        settings=engine.settings,
        kind="procedural",
        key=key_of(screened_text(checked.name, engine.settings)),
        confidence=checked.confidence,
    )
    (outcome,) = remember(engine, [with_procedure(written, checked, engine.settings)])
    assert outcome.memory is not None
    return outcome.memory


def procedure_of(memory: Memory) -> Procedure:
    """Return the procedure that a procedural memory is; one that was remembered as a text alone is its own name."""
    if memory.procedure is not None:
        return memory.procedure
    return Procedure(name=shorten(memory.content, 80), description=memory.content, confidence=memory.confidence)


_NAMES = {"validated": "validate", "demoted": "demote", "failed": "archive", "": "recover"}


def procedural(scope: Scope, memory_id: str) -> Filter:
    """Return what names one procedural memory of a view that is not forgotten."""
    tests = (Test("id", "eq", memory_id), Test("kind", "eq", Kind.PROCEDURAL))
    return reachable(scope).but(*tests, Test("status", "ne", Status.FORGOTTEN))


def record_outcome(engine: Engine, scope: Scope, memory_id: str, *, success: bool) -> bool:
    """Count one outcome of a procedure in one transaction; see `Procedures.record_outcome`."""
    now = engine.clock.now()

    def change(transaction: Transaction) -> bool:
        found = transaction.find(Record, procedural(scope, memory_id))
        if not found:
            return False
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        _count(engine, Closer(transaction, trail), found[0], success=success)
        trail.write()
        return True

    return engine.store.write(change, scope.org)


def _count(engine: Engine, closer: Closer, record: Record, *, success: bool) -> None:
    """Change the procedure of a memory, and its state where the outcome changes that.

    A revision is kept only of a change of standing: counts are no more a change of what is said than accesses are.
    """
    memory = record.memory
    before = procedure_of(memory)
    after = before.used(success=success, at=closer.trail.at)
    changes: dict[str, Any] = {"procedure": after, "confidence": after.confidence}
    fails = after.standing == "failed" and not success and memory.status is Status.ACTIVE
    why = _why(after)
    if fails:
        changes |= {"status": Status.ARCHIVED, "status_reason": why, "identity": None}
        changes = with_retention(engine.settings.retaining, memory, changes)
    if fails or after.standing != before.standing:
        closer.change(record, _operation(after, memory, archives=fails), reason=why, **changes)
        return
    closer.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
    closer.trail.add("outcome", replace(memory, **changes), record.salt, reason="success" if success else "failure")


def _operation(after: Procedure, memory: Memory, *, archives: bool) -> str:
    """Return what a change of standing is called in the audit trail; one that is no change of status is a demotion."""
    if after.standing == "failed" and not archives:
        return "demote"
    return "outcome" if memory.status is Status.QUARANTINED else _NAMES[after.standing]


def _why(after: Procedure) -> str:
    return f"{after.success_count} of {after.uses} uses went well: confidence {after.confidence:.2f}"


WIDER = 4  # hits looked at for each one wanted
_STANDING = {"validated": 1.05, "demoted": 0.5, "failed": 0.25, "": 1.0}
_BELIEVED = 0.05  # what full confidence is worth against none
_TRIGGERED = 0.25  # what a trigger condition is worth whose words the task all says


def ranked(task: str, hits: Sequence[Hit], k: int) -> list[Hit]:
    """Return the best k of the hits, ordered by how well they answer, then by what is known of how they go.

    A hit whose trigger conditions the task fulfils rises, a validated and a more confident one comes before its like,
    and a demoted one sinks below them; the multipliers are among the signals of the hit.
    """
    asked = frozenset(query_terms(task))
    weighed = [_weighed(hit, asked) for hit in hits]
    return sorted(weighed, key=lambda hit: -hit.score)[: max(k, 0)]


def _weighed(hit: Hit, asked: frozenset[str]) -> Hit:
    procedure = procedure_of(hit.memory)
    factors = {
        "x triggered": 1 + _TRIGGERED * triggered(procedure, asked),
        "x standing": _STANDING[procedure.standing],
        "x confidence": 1 - _BELIEVED * (1 - procedure.confidence),
    }
    score = hit.score
    for factor in factors.values():
        score *= factor
    told = tuple(Signal(name, factor) for name, factor in factors.items() if factor != 1)
    return replace(hit, score=score, signals=(*hit.signals, *told))


def triggered(procedure: Procedure, asked: frozenset[str]) -> float:
    """Return the largest share of the words of a trigger condition that a task says."""
    conditions = (frozenset(query_terms(condition)) for condition in procedure.trigger_conditions)
    return max((len(words & asked) / len(words) for words in conditions if words), default=0.0)


def render(memories: Sequence[Memory], tokenizer: Tokenizer, token_budget: int) -> str:
    """Return the procedures as a block that never exceeds the budget; "" when not even one step fits.

    One that does not fit whole is left out as long as another fits, and the title says how many there were; only if
    none fits is the best one cut after a step, which its last line says.
    """
    budget = checked_budget(token_budget)
    shown: list[Memory] = []
    for memory in memories:
        if tokenizer.count_tokens(_block([*shown, memory], len(memories))) <= budget:
            shown.append(memory)
    if shown:
        return _block(shown, len(memories))
    return _cut(memories[0], len(memories), tokenizer, budget) if memories else ""


def _block(shown: Sequence[Memory], of: int) -> str:
    return "\n\n".join([_title(len(shown), of), *(_one(n, memory) for n, memory in enumerate(shown, start=1))])


def _title(shown: int, of: int) -> str:
    return f"## Procedures ({shown})" if shown == of else f"## Procedures ({shown} of {of}, for want of room)"


def _one(number: int, memory: Memory, text: str | None = None) -> str:
    """Return one procedure under a line that names it and says how it goes; a text that was edited stands as it is."""
    standing = "" if memory.procedure is None or not memory.procedure.standing else f", {memory.procedure.standing}"
    first = f"### [{number}] {memory.id} (confidence: {memory.confidence:.2f}{standing})"
    return f"{first}\n{fenced(memory.content if text is None else text)}"


def _cut(memory: Memory, of: int, tokenizer: Tokenizer, budget: int) -> str:
    """Return the best procedure's first steps, as many as the budget holds."""
    procedure = memory.procedure
    if procedure is None or text_of(procedure) != memory.content:
        return ""
    head, steps = list(heading(procedure)), list(numbered(procedure))
    low, high, best = 0, len(steps) - 1, ""
    while low < high:
        middle = (low + high + 1) // 2
        text = "\n".join([*head, *steps[:middle], f"[{len(steps) - middle} more steps, for want of room]"])
        block = "\n\n".join([_title(1, of), _one(1, memory, text)])
        if tokenizer.count_tokens(block) <= budget:
            low, best = middle, block
        else:
            high = middle - 1
    return best
