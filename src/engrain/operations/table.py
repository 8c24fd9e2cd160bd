"""The table: every operation that interfaces offer, with its route, an example, its effect and the role it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from engrain.graph.packs import installed_operations
from engrain.guard import guard
from engrain.manager import MemoryManager
from engrain.model.audit import AuditHead, Role
from engrain.operations.schema import Operation, Parameter, Route, Shape, operation, parameter_docs
from engrain.views import Graph, Keys, Lifecycle, Procedures, Working


def describe(name: str) -> str:
    """Return the description of a parameter that opens a view, such as `org`."""
    return parameter_docs(MemoryManager).get(name, "")


# What applies to one text only, and so not to all the texts of a batch or a file.
_ONE_TEXT = ("key", "fact", "derived_from", "valid_from", "valid_until", "sync", "evolve")
_ALL_OF_A_BATCH = ("content", "key", "fact", "derived_from", "evolve")
_ALL_OF_A_CHAT = ("content", "key", "fact", "evolve", "kind")
_MESSAGES = Parameter("messages", Shape.OBJECT, required=True, repeated=True, positional=True)
_METADATA = Parameter("metadata", Shape.OBJECT, nullable=True)
_HEAD = Parameter("head", Shape.OBJECT, nullable=True, read=AuditHead.from_dict)
_ROLE = Parameter("role", Shape.TEXT, required=True, choices=tuple(role.value for role in Role))  # not positional

_write = partial(operation, effect="write")
_working, _lifecycle, _procedures, _graph, _keys = (
    partial(operation, at=name) for name in ("working", "lifecycle", "procedures", "graph", "keys")
)


def _id(prefix: str, number: int) -> str:
    return f"{prefix}_{number:032x}"


# What examples name; the tests make a store that has it.
HOME, TEA, SUSPECT, CONTESTED, PRACTICE, MINED = (_id("mem", number) for number in range(1, 7))
SAID = _id("mem", 1001)
SESSION = "monday"
_ANA, _MIMIKATZ = {"type": "person", "value": "Ana"}, {"type": "tool", "value": "Mimikatz"}
_TOOL, _ACTOR = ["tool", "Mimikatz"], ["actor", "APT28"]

_OWN: tuple[Operation, ...] = (
    # writing
    _write(
        MemoryManager.remember,
        "POST /memories",
        {"content": "Ana moved to Tbilisi", "source_type": "user_input", "tags": ["home"]},
    ),
    _write(
        MemoryManager.remember_many,
        "POST /memories/batch",
        {"items": [{"content": "The lock opens at six"}, {"content": "Otar keeps the lock"}]},
        rest=MemoryManager.remember,
        omit=_ALL_OF_A_BATCH,
        answer="outcomes",
    ),
    _write(
        MemoryManager.remember_messages,
        "POST /memories/messages",
        {"messages": [{"role": "user", "content": "I am allergic to nuts"}], "session": SESSION},
        rest=MemoryManager.remember,
        omit=_ALL_OF_A_CHAT,
        also=(_MESSAGES,),
        answer="outcomes",
    ),
    _write(
        MemoryManager.remember_with_extraction,
        "POST /memories/extract",
        {"content": "We met. Nino is married to Teo.", "max_facts": 2},
        answer="facts",
    ),
    _write(
        MemoryManager.remember_report,
        "POST /memories/report",
        {"content": "The lock was rebuilt in 2019.", "published_date": "2024-03-01"},
        answer="facts",
    ),
    # questions
    operation(MemoryManager.recall, "POST /recall", {"query": "where does Ana live?", "k": 5}),
    operation(
        MemoryManager.recall_deep,
        "POST /recall/deep",
        {"query": "who lives where Ana lives?", "max_iterations": 2},
        rest=MemoryManager.recall,
    ),
    operation(
        MemoryManager.why_not,
        "POST /recall/why-not",
        {"query": "what does Ana drink?", "memory_id": TEA},
        rest=MemoryManager.recall,
        omit=("touch",),
    ),
    operation(
        MemoryManager.context,
        "POST /context",
        {"query": "where does Ana live?", "token_budget": 500},
        rest=MemoryManager.recall,
        answer="context",
    ),
    operation(
        MemoryManager.synthesize,
        "POST /synthesize",
        {"query": "where does Ana live?", "format": "direct_answer"},
        name="ask",
        rest=MemoryManager.recall,
        omit=("tiers", "include_quarantined"),
    ),
    operation(
        MemoryManager.validate_synthesis,
        "POST /synthesize/validate",
        {
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
        answer="checked",
    ),
    # reading
    operation(MemoryManager.get, ("GET /memories/{memory_id}", "GET /memory"), {"memory_id": HOME}),
    operation(MemoryManager.list_memories, "GET /memories", {"kinds": ["semantic"], "limit": 10}, name="list"),
    operation(
        MemoryManager.count,
        "GET /count",
        {"status": ["active"]},
        summary="Count the memories that a listing with these filters would show.",
        rest=MemoryManager.list_memories,
        omit=("order", "limit", "cursor"),
        answer="count",
    ),
    operation(MemoryManager.facts, "GET /facts", {"subject": "Ana"}, answer="memories"),
    operation(MemoryManager.neighbors, "POST /recall/neighbors", {"text": "Ana drinks tea", "k": 3}, answer="hits"),
    operation(
        MemoryManager.recall_entity,
        "GET /entities/memories",
        {"entity_type": "person", "value": "Ana"},
        answer="memories",
    ),
    operation(
        MemoryManager.recall_cve,
        "GET /cves/{cve_id:text}/memories",
        {"cve_id": "CVE-2024-3094"},
        rest=MemoryManager.recall_entity,
        answer="memories",
    ),
    operation(
        MemoryManager.recall_actor,
        "GET /actors/{name:text}/memories",
        {"name": "APT28"},
        rest=MemoryManager.recall_entity,
        answer="memories",
    ),
    operation(
        MemoryManager.recall_tool,
        "GET /tools/{name:text}/memories",
        {"name": "Mimikatz"},
        rest=MemoryManager.recall_entity,
        answer="memories",
    ),
    # conversations
    _write(
        MemoryManager.add_message,
        "POST /sessions/{session:text}/messages",
        {"session": SESSION, "role": "user", "content": "Good morning"},
        name="chat-log append",
        also=(_METADATA,),
        spread="metadata",
    ),
    operation(
        MemoryManager.get_messages,
        "GET /sessions/{session:text}/messages",
        {"session": SESSION},
        name="chat-log window",
        answer="messages",
    ),
    _working(
        Working.history,
        "GET /sessions/{session:text}/history",
        {"session": SESSION, "limit": 10},
        name="chat-log history",
        answer="messages",
    ),
    _working(
        Working.items,
        "GET /sessions/{session:text}/items",
        {"session": SESSION, "token_budget": 500},
        name="chat-log items",
        answer="items",
    ),
    _working(
        Working.summary,
        "GET /sessions/{session:text}/summary",
        {"session": SESSION},
        name="chat-log summary",
        answer="summary",
    ),
    _working(
        Working.token_count,
        "GET /sessions/{session:text}/tokens",
        {"session": SESSION},
        name="chat-log tokens",
        answer="token_count",
    ),
    _working(
        Working.clear,
        "POST /sessions/{session:text}/clear",
        {"session": SESSION},
        name="chat-log clear",
        effect="write",
        answer="cleared",
    ),
    operation(
        MemoryManager.assemble,
        "POST /assemble",
        {"query": "where does Ana live?", "session": SESSION, "token_budget": 500},
        name="chat-log assemble",
        rest=MemoryManager.recall,
        answer="assembled",
    ),
    _write(MemoryManager.end_session, "POST /sessions/{session:text}/end", {"session": SESSION}, name="chat-log end"),
    # edits and links
    _write(MemoryManager.consolidate, "POST /lifecycle/consolidate", {"batch_size": 10}),
    _write(
        MemoryManager.update,
        "PATCH /memories/{memory_id}",
        {"memory_id": TEA, "importance": 0.8, "reason": "she said so twice"},
    ),
    _write(
        MemoryManager.supersede,
        "POST /memories/{old_id}/supersede",
        {"old_id": TEA, "content": "Ana likes coffee now", "reason": "she changed her mind"},
        rest=MemoryManager.remember,
        omit=("key", "evolve", "resolve"),
    ),
    _write(
        MemoryManager.mark_superseded,
        "POST /memories/{old_id}/superseded-by",
        {"old_id": TEA, "new_id": HOME},
        answer="marked",
    ),
    _write(
        MemoryManager.link,
        "POST /memories/{from_id}/links",
        {"from_id": HOME, "to_id": TEA, "relation": "related"},
        answer="linked",
    ),
    _write(
        MemoryManager.unlink,
        "DELETE /memories/{from_id}/links",
        {"from_id": HOME, "to_id": TEA, "relation": "supports"},
        answer="unlinked",
    ),
    # review
    operation(MemoryManager.review, "GET /review", {"kind": "quarantine"}, answer="items", role=Role.REVIEW),
    operation(MemoryManager.pending, "GET /review/pending", {"limit": 10}, answer="items", role=Role.REVIEW),
    _write(
        MemoryManager.validate,
        "POST /review/{memory_id}/validate",
        {"memory_id": CONTESTED, "reason": "she told us"},
        role=Role.REVIEW,
        guarded={"force": Role.ADMIN},
    ),
    _write(
        MemoryManager.reject,
        "POST /review/{memory_id}/reject",
        {"memory_id": SUSPECT, "reason": "an attack"},
        role=Role.REVIEW,
    ),
    _write(MemoryManager.reinstate, "POST /memories/{memory_id}/reinstate", {"memory_id": TEA}, role=Role.REVIEW),
    _write(MemoryManager.promote, "POST /memories/{memory_id}/promote", {"memory_id": SAID, "to": "semantic"}),
    _write(MemoryManager.pin, "POST /memories/{memory_id}/pin", {"memory_id": HOME}),
    _write(MemoryManager.unpin, "POST /memories/{memory_id}/unpin", {"memory_id": HOME}),
    # erasure
    operation(
        MemoryManager.forget,
        ("DELETE /memories/{memory_id}", "DELETE /memory"),
        {"memory_id": TEA, "reason": "no longer wanted"},
        effect="destroy",
        guarded={"hard": Role.ADMIN},
    ),
    operation(
        MemoryManager.forget_all,
        "POST /forget-all",
        {"session": SESSION, "dry_run": True},
        summary="Hide, or erase for good, all memories of a user, an agent, a session or the org, or those that match.",
        effect="destroy",
        role=Role.ADMIN,
    ),
    operation(MemoryManager.receipt, "GET /receipts/{receipt_id}", {"receipt_id": _id("rcp", 1)}, role=Role.REVIEW),
    operation(MemoryManager.receipts, "GET /receipts", answer="receipts", role=Role.REVIEW),
    operation(MemoryManager.history, "GET /memories/{memory_id}/history", {"memory_id": HOME}, answer="memories"),
    operation(
        MemoryManager.stats,
        "GET /stats",
        summary="Count the view's memories, conversations, jobs and vectors, and the calls of this process.",
    ),
    # audit
    operation(
        MemoryManager.audit_log,
        "GET /audit",
        {"operation": "create", "limit": 10},
        name="audit log",
        answer="entries",
        role=Role.REVIEW,
    ),
    operation(MemoryManager.verify_audit, "POST /audit/verify", name="audit verify", also=(_HEAD,), role=Role.REVIEW),
    operation(MemoryManager.audit_integrity, "GET /audit/integrity", name="audit integrity", role=Role.REVIEW),
    operation(MemoryManager.audit_head, "GET /audit/head", name="audit head", role=Role.REVIEW),
    _write(MemoryManager.sign_audit, "POST /audit/sign", name="audit sign", role=Role.ADMIN),
    # lifecycle
    _write(
        MemoryManager.sweep,
        "POST /lifecycle/sweep",
        {"dry_run": True},
        summary="Do the worker's periodic work for this view now, and report it.",
        role=Role.ADMIN,
    ),
    _write(MemoryManager.flush, "POST /lifecycle/flush", {"timeout": 5}, answer="done"),
    _lifecycle(
        Lifecycle.reflect,
        "POST /lifecycle/reflect",
        {"batch_size": 5},
        name="reflect",
        effect="write",
        answer="insights",
    ),
    _lifecycle(Lifecycle.policy, "GET /lifecycle/policy", {"kind": "semantic"}, name="lifecycle policy"),
    _lifecycle(Lifecycle.timeline, "GET /lifecycle/timeline", name="lifecycle timeline", answer="counts"),
    _lifecycle(Lifecycle.jobs, "GET /lifecycle/jobs", {"limit": 10}, name="jobs", answer="jobs", role=Role.REVIEW),
    _lifecycle(
        Lifecycle.retry,
        "POST /lifecycle/jobs/{job_id}/retry",
        {"job_id": _id("job", 1)},
        name="retry",
        summary="Queue a failed job again, and return it.",
        effect="write",
        role=Role.ADMIN,
    ),
    _lifecycle(Lifecycle.heat, "GET /memories/{memory_id}/heat", {"memory_id": HOME}, name="heat", answer="heat"),
    _lifecycle(
        Lifecycle.effective_importance,
        "GET /memories/{memory_id}/importance",
        {"memory_id": HOME},
        name="importance",
        summary="Return the effective importance of a memory, now or at a time.",
        answer="importance",
    ),
    # files and stores; a server writes files into the answer, or reads them out of the body
    _write(MemoryManager.ingest, "POST /ingest", {"name": "notes.md"}, rest=MemoryManager.remember, omit=_ONE_TEXT),
    operation(
        MemoryManager.export,
        "GET /export",
        summary="Write the rows of the view as JSON lines.",
        answer="rows",
        role=Role.ADMIN,
    ),
    _write(MemoryManager.import_, "POST /import", {"on_conflict": "skip"}, scope="org", role=Role.ADMIN),
    _graph(Graph.import_stix, "POST /graph/stix", name="import-stix", effect="write"),
    _graph(Graph.export_stix, "GET /graph/stix", name="export-stix", answer="path"),
    operation(
        MemoryManager.snapshot, answer="path", role=Role.ADMIN, local_only="it holds the memories of every organisation"
    ),
    _write(
        MemoryManager.restore,
        omit=("key",),
        scope="none",
        answer="path",
        role=Role.ADMIN,
        local_only="it makes a store out of a file of the machine",
    ),
    _write(
        MemoryManager.migrate,
        scope="none",
        role=Role.ADMIN,
        local_only="it moves the memories of every organisation from one place of the machine to another",
    ),
    _write(
        MemoryManager.reindex,
        role=Role.ADMIN,
        local_only="it goes through the memories of every organisation, and loads models",
    ),
    # procedures
    _procedures(
        Procedures.store,
        "POST /procedures",
        {
            "procedure": {
                "name": "open the lock",
                "description": "how to open it",
                "steps": [{"action": "turn the wheel"}],
            }
        },
        effect="write",
    ),
    _procedures(Procedures.get, "GET /procedures/{memory_id}", {"memory_id": PRACTICE}),
    operation(
        MemoryManager.list_memories,
        "GET /procedures",
        {"limit": 10},
        name="procedures list",
        omit=("kinds",),
        fixed={"kinds": ("procedural",)},
    ),
    _procedures(Procedures.find, "POST /procedures/find", {"task": "brew tea", "k": 3}, answer="hits"),
    _procedures(Procedures.render, "POST /procedures/render", {"task": "brew tea"}, answer="procedures"),
    _procedures(
        Procedures.record_outcome,
        "POST /procedures/{memory_id}/outcome",
        {"memory_id": PRACTICE, "success": True},
        name="procedures outcome",
        effect="write",
        answer="recorded",
    ),
    _procedures(Procedures.mine, "POST /procedures/mine", {"min_support": 3}, effect="write", answer="procedures"),
    _procedures(
        Procedures.confirm,
        "POST /procedures/{memory_id}/confirm",
        {"memory_id": MINED},
        effect="write",
        role=Role.REVIEW,
    ),
    _procedures(
        Procedures.reject,
        "POST /procedures/{memory_id}/reject",
        {"memory_id": MINED},
        summary="Refuse a mined procedure, and return it.",
        effect="write",
        role=Role.REVIEW,
    ),
    _procedures(
        Procedures.delete, "DELETE /procedures/{memory_id}", {"memory_id": PRACTICE}, effect="destroy", answer="deleted"
    ),
    # the graph
    _graph(Graph.entity, "GET /entity", _ANA),
    _graph(Graph.entities, "GET /entities", {"type": "person"}, answer="entities"),
    operation(
        MemoryManager.get_entity_relationships,
        "GET /entities/relationships",
        {"entity_type": "person", "value": "Ana"},
        name="graph show",
        answer="relationships",
    ),
    operation(
        MemoryManager.traverse_graph,
        "GET /graph/traverse",
        {"entity_type": "actor", "value": "APT28", "max_depth": 1},
        name="graph traverse",
        summary="Return every entity within some steps, breadth first, each once with a shortest path to it.",
        answer="reached",
    ),
    _graph(
        Graph.pagerank,
        "POST /graph/pagerank",
        {"seeds": [_ACTOR], "k": 3},
        summary="Rank entities from the seeds by personalised PageRank.",
        answer="ranked",
    ),
    _graph(
        Graph.shortest_path,
        "POST /graph/path",
        {"source": _ACTOR, "target": _TOOL},
        name="graph path",
        answer="relationships",
    ),
    _graph(Graph.related, "GET /entities/related", {"type": "actor", "value": "APT28"}, answer="entities"),
    _graph(Graph.memory_ids, "GET /entities/memory-ids", _ANA, name="graph memories", answer="memories"),
    _graph(Graph.relationships, "GET /graph/relationships", {"limit": 10}, answer="relationships"),
    _graph(Graph.export, "GET /graph/export", {"format": "graphml"}, answer="path"),
    _graph(
        Graph.add_entity,
        "POST /entities",
        {"type": "person", "value": "Nino Beridze", "aliases": ["Nino"]},
        name="graph add",
        effect="write",
    ),
    _graph(
        Graph.add_alias, "POST /entities/aliases", {**_MIMIKATZ, "alias": "mimi"}, name="graph alias", effect="write"
    ),
    _graph(
        Graph.add_relationship,
        "POST /graph/relationships",
        {"source": _ACTOR, "relation": "uses", "target": ["tool", "X-Agent"], "weight": 0.7},
        name="graph relate",
        effect="write",
    ),
    _graph(
        Graph.add_relationships,
        "POST /graph/relationships/batch",
        {"items": [{"source": _ACTOR, "relation": "uses", "target": ["tool", "X-Tunnel"]}]},
        name="graph relate-many",
        effect="write",
        answer="stated",
    ),
    _graph(
        Graph.link_memory,
        "POST /entities/memory-ids",
        {**_MIMIKATZ, "memory_id": TEA},
        name="graph link",
        effect="write",
        answer="linked",
    ),
    _graph(Graph.merge, "POST /graph/merges", {"keep": _TOOL, "other": ["tool", "mimi katz"]}, effect="write"),
    _graph(Graph.merges, "GET /graph/merges", answer="merges"),
    _graph(Graph.resolve, "POST /graph/resolve", effect="write", answer="merges"),
    _graph(
        Graph.unmerge, "DELETE /graph/merges/{merge_id}", {"merge_id": _id("mrg", 1)}, effect="write", answer="unmerged"
    ),
    # a server's keys
    _keys(
        Keys.create,
        "POST /keys",
        {"role": "write", "user": "ana", "name": "the kitchen tablet"},
        also=(_ROLE,),
        effect="write",
        role=Role.ADMIN,
    ),
    _keys(Keys.list, "GET /keys", answer="keys", role=Role.ADMIN),
    _keys(
        Keys.revoke,
        "DELETE /keys/{key_id}",
        {"key_id": _id("key", 1)},
        effect="destroy",
        answer="revoked",
        role=Role.ADMIN,
    ),
    _graph(Graph.remove_entity, "DELETE /entity", _MIMIKATZ, name="graph remove", effect="destroy", answer="removed"),
)
_NAMES = frozenset(each.name for each in _OWN)


def _from_packs() -> Iterator[Operation]:
    """Yield the operations that installed packs add; one that cannot be described is logged and left out."""
    for added in installed_operations():
        if added.name not in _NAMES:
            describe_it = partial(operation, added.call, effect=added.effect, answer=added.answer)
            if (row := guard(f"operation {added.name!r}", describe_it)) is not None:
                yield row


OPERATIONS = (*_OWN, *_from_packs())

ROUTES: Mapping[str, tuple[Route, ...]] = {each.name: each.routes for each in OPERATIONS if each.routes}
EXAMPLES: Mapping[str, Mapping[str, Any]] = {each.name: each.example for each in OPERATIONS if each.routes}
LOCAL_ONLY: Mapping[str, str] = {each.name: each.local_only for each in OPERATIONS if each.local_only}
