"""A store whose memories a scripted model describes, and what tests of that ask."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engrain import MemoryManager, Settings
from engrain.model.memory import Memory
from engrain.protocols import LLM
from engrain.testing import FrozenClock, ScriptedLLM

TEXT = "The outage in Berlin was caused by an expired certificate. APT28 deployed Zebrocy against 3 ministries."
ANSWER = {
    "summary": "An expired certificate took Berlin down; APT28 hit 3 ministries",
    "keywords": ["expired certificate", "Zebrocy"],
    "tags": ["certificate"],
    "triples": [{"subject": "APT28", "relation": "targets", "object": "3 ministries"}],
}


def answering(**changes: Any) -> ScriptedLLM:
    """Return a model that always describes the same, and takes any two names for one."""
    text = json.dumps(ANSWER | changes)

    def reply(prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        return '{"verdict": "same"}' if prompt.startswith("Two names") else text

    return ScriptedLLM(reply)


def opened(place: Path, clock: FrozenClock, llm: LLM | None, **settings: Any) -> MemoryManager:
    """Open a store that only `flush` works on, without an embedder."""
    values: dict[str, Any] = {"worker": "none", "llm_retries": 0, **settings}
    chosen = Settings(**values)
    return MemoryManager(place / "memory.db", user="ana", clock=clock, settings=chosen, llm=llm, embedder=None)


def stated(memory: MemoryManager, name: str = "APT28", type_: str = "actor") -> list[tuple[str, str, float]]:
    """Return what an entity has to do with others: relation, other end, weight; what is merely named beside it not."""
    found = memory.get_entity_relationships(type_, name)
    return sorted((each.relation, each.entity.name, each.weight) for each in found if each.relation != "related_to")


def kept(memory: MemoryManager, memory_id: str) -> Memory:
    """Return a memory that is there."""
    found = memory.get(memory_id)
    assert found is not None
    return found


def changed(memory: MemoryManager, memory_id: str) -> list[tuple[str, str]]:
    """Return who described a memory, and in which words: actor and reason of the entries."""
    entries = memory.audit_log(memory_id=memory_id)
    return [(each.actor, each.reason) for each in entries if each.operation == "enrich"]


def is_whole(memory: MemoryManager) -> bool:
    """Say whether the audit trail and every memory are as they were written."""
    report = memory.audit_integrity()
    return memory.verify_audit().ok and not report.tampered_ids and not report.missing_provenance_ids
