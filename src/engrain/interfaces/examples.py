"""An example of each operation: what a caller sends, and what the OpenAPI document shows. A test sends every one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def _id(prefix: str, number: int) -> str:
    return f"{prefix}_{number:032x}"


HOME, TEA, SUSPECT, CONTESTED, PRACTICE, MINED = (_id("mem", number) for number in range(1, 7))
SAID = _id("mem", 1001)
SESSION = "monday"
_ANA, _MIMIKATZ = {"type": "person", "value": "Ana"}, {"type": "tool", "value": "Mimikatz"}
_TOOL, _ACTOR = ["tool", "Mimikatz"], ["actor", "APT28"]

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "remember": {"content": "Ana moved to Tbilisi", "source_type": "user_input", "tags": ["home"]},
    "remember-many": {"items": [{"content": "The lock opens at six"}, {"content": "Otar keeps the lock"}]},
    "remember-messages": {"messages": [{"role": "user", "content": "I am allergic to nuts"}], "session": SESSION},
    "remember-with-extraction": {"content": "We met. Nino is married to Teo.", "max_facts": 2},
    "remember-report": {"content": "The lock was rebuilt in 2019.", "published_date": "2024-03-01"},
    "recall": {"query": "where does Ana live?", "k": 5},
    "recall-deep": {"query": "who lives where Ana lives?", "max_iterations": 2},
    "why-not": {"query": "what does Ana drink?", "memory_id": TEA},
    "neighbors": {"text": "Ana drinks tea", "k": 3},
    "context": {"query": "where does Ana live?", "token_budget": 500},
    "ask": {"query": "where does Ana live?", "format": "direct_answer"},
    "validate-synthesis": {
        "synthesis": {
            "format": "direct_answer",
            "synthesis": {
                "answer": "Boston",
                "citations": [{"part": "answer", "text": "Boston", "memory_ids": [HOME]}],
            },
            "sources": [{"memory_id": HOME, "quote": "Ana lives in Boston"}],
            "metadata": {"confidence": 0.9},
        }
    },
    "get": {"memory_id": HOME},
    "list": {"kinds": ["semantic"], "limit": 10},
    "count": {"status": ["active"]},
    "facts": {"subject": "Ana"},
    "recall-entity": {"entity_type": "person", "value": "Ana"},
    "recall-cve": {"cve_id": "CVE-2024-3094"},
    "recall-actor": {"name": "APT28"},
    "recall-tool": {"name": "Mimikatz"},
    "chat-log append": {"session": SESSION, "role": "user", "content": "Good morning"},
    "chat-log window": {"session": SESSION},
    "chat-log history": {"session": SESSION, "limit": 10},
    "chat-log items": {"session": SESSION, "token_budget": 500},
    "chat-log summary": {"session": SESSION},
    "chat-log tokens": {"session": SESSION},
    "chat-log clear": {"session": SESSION},
    "chat-log assemble": {"query": "where does Ana live?", "session": SESSION, "token_budget": 500},
    "chat-log end": {"session": SESSION},
    "consolidate": {"batch_size": 10},
    "update": {"memory_id": TEA, "importance": 0.8, "reason": "she said so twice"},
    "supersede": {"old_id": TEA, "content": "Ana likes coffee now", "reason": "she changed her mind"},
    "mark-superseded": {"old_id": TEA, "new_id": HOME},
    "link": {"from_id": HOME, "to_id": TEA, "relation": "related"},
    "unlink": {"from_id": HOME, "to_id": TEA, "relation": "supports"},
    "review": {"kind": "quarantine"},
    "pending": {"limit": 10},
    "validate": {"memory_id": CONTESTED, "reason": "she told us"},
    "reject": {"memory_id": SUSPECT, "reason": "an attack"},
    "reinstate": {"memory_id": TEA},
    "promote": {"memory_id": SAID, "to": "semantic"},
    "pin": {"memory_id": HOME},
    "unpin": {"memory_id": HOME},
    "forget": {"memory_id": TEA, "reason": "no longer wanted"},
    "forget-all": {"session": SESSION, "dry_run": True},
    "receipt": {"receipt_id": _id("rcp", 1)},
    "receipts": {},
    "history": {"memory_id": HOME},
    "stats": {},
    "audit log": {"operation": "create", "limit": 10},
    "audit verify": {},
    "audit integrity": {},
    "audit head": {},
    "audit sign": {},
    "sweep": {"dry_run": True},
    "flush": {"timeout": 5},
    "reflect": {"batch_size": 5},
    "lifecycle policy": {"kind": "semantic"},
    "lifecycle timeline": {},
    "jobs": {"limit": 10},
    "retry": {"job_id": _id("job", 1)},
    "heat": {"memory_id": HOME},
    "importance": {"memory_id": HOME},
    "ingest": {"name": "notes.md"},
    "export": {},
    "import": {"on_conflict": "skip"},
    "import-stix": {},
    "export-stix": {},
    "procedures store": {
        "procedure": {"name": "open the lock", "description": "how to open it", "steps": [{"action": "turn the wheel"}]}
    },
    "procedures get": {"memory_id": PRACTICE},
    "procedures list": {"limit": 10},
    "procedures find": {"task": "brew tea", "k": 3},
    "procedures render": {"task": "brew tea"},
    "procedures outcome": {"memory_id": PRACTICE, "success": True},
    "procedures mine": {"min_support": 3},
    "procedures confirm": {"memory_id": MINED},
    "procedures reject": {"memory_id": MINED},
    "procedures delete": {"memory_id": PRACTICE},
    "graph entity": _ANA,
    "graph entities": {"type": "person"},
    "graph show": {"entity_type": "person", "value": "Ana"},
    "graph traverse": {"entity_type": "actor", "value": "APT28", "max_depth": 1},
    "graph pagerank": {"seeds": [_ACTOR], "k": 3},
    "graph path": {"source": _ACTOR, "target": _TOOL},
    "graph related": {"type": "actor", "value": "APT28"},
    "graph memories": _ANA,
    "graph relationships": {"limit": 10},
    "graph export": {"format": "graphml"},
    "graph add": {"type": "person", "value": "Nino Beridze", "aliases": ["Nino"]},
    "graph alias": {**_MIMIKATZ, "alias": "mimi"},
    "graph relate": {"source": _ACTOR, "relation": "uses", "target": ["tool", "X-Agent"], "weight": 0.7},
    "graph relate-many": {"items": [{"source": _ACTOR, "relation": "uses", "target": ["tool", "X-Tunnel"]}]},
    "graph link": {**_MIMIKATZ, "memory_id": TEA},
    "graph merge": {"keep": _TOOL, "other": ["tool", "mimi katz"]},
    "graph merges": {},
    "graph resolve": {},
    "graph unmerge": {"merge_id": _id("mrg", 1)},
    "graph remove": _MIMIKATZ,
    "keys create": {"role": "write", "user": "ana", "name": "the kitchen tablet"},
    "keys list": {},
    "keys revoke": {"key_id": _id("key", 1)},
}
