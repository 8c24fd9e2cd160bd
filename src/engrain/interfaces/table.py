"""The table: every operation that interfaces offer, what it does to the store, and which role a server's key needs."""

from __future__ import annotations

from functools import partial

from engrain.graph.packs import installed_operations
from engrain.guard import guard
from engrain.interfaces.glossary import describe
from engrain.interfaces.operations import Operation, Parameter, Shape, operation, pack_operation
from engrain.manager import MemoryManager
from engrain.manager.conversing import Working
from engrain.manager.graph import Graph
from engrain.manager.keys import Keys
from engrain.manager.lifecycle import Lifecycle
from engrain.manager.procedures import Procedures
from engrain.model.audit import AuditHead, Role


def _objects(name: str, of: str) -> Parameter:
    return Parameter(name, Shape.OBJECT, describe(name, of), required=True, repeated=True, positional=True)


# What can be said of one text only, and so not of all the texts of a file.
_ONE_TEXT = ("key", "fact", "derived_from", "valid_from", "valid_until", "sync", "evolve")
_ALL_OF_A_BATCH = ("content", "key", "fact", "derived_from", "evolve")
_ALL_OF_A_CHAT = ("content", "key", "fact", "evolve", "kind")
_OWN_FIELDS = Parameter("metadata", Shape.OBJECT, describe("metadata"), nullable=True)
_HEAD = Parameter("head", Shape.OBJECT, describe("head", "audit verify"), nullable=True, read=AuditHead.from_dict)

OPERATIONS: tuple[Operation, ...] = (
    operation(MemoryManager.remember, effect="write"),
    operation(
        MemoryManager.remember_many,
        rest=MemoryManager.remember,
        omit=_ALL_OF_A_BATCH,
        effect="write",
        answer="outcomes",
    ),
    operation(
        MemoryManager.remember_messages,
        rest=MemoryManager.remember,
        omit=_ALL_OF_A_CHAT,
        also=(_objects("messages", "remember-messages"),),
        effect="write",
        answer="outcomes",
    ),
    operation(MemoryManager.remember_with_extraction, effect="write", answer="facts"),
    operation(MemoryManager.remember_report, effect="write", answer="facts"),
    operation(MemoryManager.recall),
    operation(MemoryManager.recall_deep, rest=MemoryManager.recall),
    operation(MemoryManager.why_not, rest=MemoryManager.recall, omit=("touch",)),
    operation(MemoryManager.context, rest=MemoryManager.recall, answer="context"),
    operation(MemoryManager.synthesize, name="ask", rest=MemoryManager.recall, omit=("tiers", "include_quarantined")),
    operation(MemoryManager.validate_synthesis, answer="checked"),
    operation(MemoryManager.get),
    operation(MemoryManager.list_memories, name="list"),
    operation(
        MemoryManager.count,
        summary="Count the memories that a listing with these filters would show.",
        rest=MemoryManager.list_memories,
        omit=("order", "limit", "cursor"),
        answer="count",
    ),
    operation(MemoryManager.facts, answer="memories"),
    operation(MemoryManager.neighbors, answer="hits"),
    operation(MemoryManager.recall_entity, answer="memories"),
    operation(MemoryManager.recall_cve, rest=MemoryManager.recall_entity, answer="memories"),
    operation(MemoryManager.recall_actor, rest=MemoryManager.recall_entity, answer="memories"),
    operation(MemoryManager.recall_tool, rest=MemoryManager.recall_entity, answer="memories"),
    operation(
        MemoryManager.add_message, name="chat-log append", also=(_OWN_FIELDS,), spread="metadata", effect="write"
    ),
    operation(MemoryManager.get_messages, name="chat-log window", answer="messages"),
    operation(Working.history, name="chat-log history", at="working", answer="messages"),
    operation(Working.items, name="chat-log items", at="working", answer="items"),
    operation(Working.summary, name="chat-log summary", at="working", answer="summary"),
    operation(Working.token_count, name="chat-log tokens", at="working", answer="token_count"),
    operation(Working.clear, name="chat-log clear", at="working", effect="write", answer="cleared"),
    operation(MemoryManager.assemble, name="chat-log assemble", rest=MemoryManager.recall, answer="assembled"),
    operation(MemoryManager.end_session, name="chat-log end", effect="write"),
    operation(MemoryManager.consolidate, effect="write"),
    operation(MemoryManager.update, effect="write"),
    operation(MemoryManager.supersede, rest=MemoryManager.remember, omit=("key", "evolve", "resolve"), effect="write"),
    operation(MemoryManager.mark_superseded, effect="write", answer="marked"),
    operation(MemoryManager.link, effect="write", answer="linked"),
    operation(MemoryManager.unlink, effect="write", answer="unlinked"),
    operation(MemoryManager.review, answer="items", role=Role.REVIEW),
    operation(MemoryManager.pending, answer="items", role=Role.REVIEW),
    operation(MemoryManager.validate, effect="write", role=Role.REVIEW, guarded={"force": Role.ADMIN}),
    operation(MemoryManager.reject, effect="write", role=Role.REVIEW),
    operation(MemoryManager.reinstate, effect="write", role=Role.REVIEW),
    operation(MemoryManager.promote, effect="write"),
    operation(MemoryManager.pin, effect="write"),
    operation(MemoryManager.unpin, effect="write"),
    operation(MemoryManager.forget, effect="destroy", guarded={"hard": Role.ADMIN}),
    operation(
        MemoryManager.forget_all,
        summary="Hide, or erase for good, all memories of a user, an agent, a session or the org, or those that match.",
        effect="destroy",
        role=Role.ADMIN,
    ),
    operation(MemoryManager.receipt, role=Role.REVIEW),
    operation(MemoryManager.receipts, answer="receipts", role=Role.REVIEW),
    operation(MemoryManager.history, answer="memories"),
    operation(
        MemoryManager.stats,
        summary="Count the view's memories, conversations, jobs and vectors, and the calls of this process.",
    ),
    operation(MemoryManager.audit_log, name="audit log", answer="entries", role=Role.REVIEW),
    operation(MemoryManager.verify_audit, name="audit verify", also=(_HEAD,), role=Role.REVIEW),
    operation(MemoryManager.audit_integrity, name="audit integrity", role=Role.REVIEW),
    operation(MemoryManager.audit_head, name="audit head", role=Role.REVIEW),
    operation(MemoryManager.sign_audit, name="audit sign", effect="write", role=Role.ADMIN),
    operation(
        MemoryManager.sweep,
        summary="Do now what the worker does from time to time, for this view, and say what was done.",
        effect="write",
        role=Role.ADMIN,
    ),
    operation(MemoryManager.flush, effect="write", answer="done"),
    operation(Lifecycle.reflect, name="reflect", at="lifecycle", effect="write", answer="insights"),
    operation(Lifecycle.policy, name="lifecycle policy", at="lifecycle"),
    operation(Lifecycle.timeline, name="lifecycle timeline", at="lifecycle", answer="counts"),
    operation(Lifecycle.jobs, name="jobs", at="lifecycle", answer="jobs", role=Role.REVIEW),
    operation(
        Lifecycle.retry,
        name="retry",
        at="lifecycle",
        summary="Let a job that failed or was given up be tried again now, and return it.",
        effect="write",
        role=Role.ADMIN,
    ),
    operation(Lifecycle.heat, name="heat", at="lifecycle", answer="heat"),
    operation(
        Lifecycle.effective_importance,
        name="importance",
        at="lifecycle",
        summary="Return what a memory counts, now or at a time.",
        answer="importance",
    ),
    operation(MemoryManager.ingest, rest=MemoryManager.remember, omit=_ONE_TEXT, effect="write"),
    operation(MemoryManager.export, summary="Write what the view sees as JSON lines.", answer="rows", role=Role.ADMIN),
    operation(MemoryManager.import_, scope="org", effect="write", role=Role.ADMIN),
    operation(Graph.import_stix, name="import-stix", at="graph", effect="write"),
    operation(Graph.export_stix, name="export-stix", at="graph", answer="path"),
    operation(MemoryManager.snapshot, answer="path", role=Role.ADMIN),
    operation(MemoryManager.restore, omit=("key",), scope="none", effect="write", answer="path", role=Role.ADMIN),
    operation(MemoryManager.migrate, scope="none", effect="write", role=Role.ADMIN),
    operation(MemoryManager.reindex, effect="write", role=Role.ADMIN),
    operation(Procedures.store, at="procedures", effect="write"),
    operation(Procedures.get, at="procedures"),
    operation(MemoryManager.list_memories, name="procedures list", omit=("kinds",)),
    operation(Procedures.find, at="procedures", answer="hits"),
    operation(Procedures.render, at="procedures", answer="procedures"),
    operation(Procedures.record_outcome, name="procedures outcome", at="procedures", effect="write", answer="recorded"),
    operation(Procedures.mine, at="procedures", effect="write", answer="procedures"),
    operation(Procedures.confirm, at="procedures", effect="write", role=Role.REVIEW),
    operation(
        Procedures.reject,
        at="procedures",
        summary="Refuse a mined procedure, and return it.",
        effect="write",
        role=Role.REVIEW,
    ),
    operation(Procedures.delete, at="procedures", effect="destroy", answer="deleted"),
    operation(Graph.entity, at="graph"),
    operation(Graph.entities, at="graph", answer="entities"),
    operation(MemoryManager.get_entity_relationships, name="graph show", answer="relationships"),
    operation(
        MemoryManager.traverse_graph,
        name="graph traverse",
        summary="Return every entity within some steps, breadth first, each once with a shortest way to it.",
        answer="reached",
    ),
    operation(
        Graph.pagerank,
        at="graph",
        summary="Return the entities that matter most from the seeds, with their personalised PageRank.",
        answer="ranked",
    ),
    operation(Graph.shortest_path, name="graph path", at="graph", answer="relationships"),
    operation(Graph.related, at="graph", answer="entities"),
    operation(Graph.memory_ids, name="graph memories", at="graph", answer="memories"),
    operation(Graph.relationships, at="graph", answer="relationships"),
    operation(Graph.export, at="graph", omit=("centre", "max_depth"), answer="path"),
    operation(Graph.add_entity, name="graph add", at="graph", effect="write"),
    operation(Graph.add_alias, name="graph alias", at="graph", effect="write"),
    operation(Graph.add_relationship, name="graph relate", at="graph", effect="write"),
    operation(Graph.add_relationships, name="graph relate-many", at="graph", effect="write", answer="stated"),
    operation(Graph.link_memory, name="graph link", at="graph", effect="write", answer="linked"),
    operation(Graph.merge, at="graph", effect="write"),
    operation(Graph.merges, at="graph", answer="merges"),
    operation(Graph.resolve, at="graph", effect="write", answer="merges"),
    operation(Graph.unmerge, at="graph", effect="write", answer="unmerged"),
    operation(Keys.create, at="keys", effect="write", role=Role.ADMIN),
    operation(Keys.list, at="keys", answer="keys", role=Role.ADMIN),
    operation(Keys.revoke, at="keys", effect="destroy", answer="revoked", role=Role.ADMIN),
    operation(Graph.remove_entity, name="graph remove", at="graph", effect="destroy", answer="removed"),
)

_NAMED = frozenset(each.name for each in OPERATIONS)
_ADDED = [each for each in installed_operations() if each.name not in _NAMED]
OPERATIONS += tuple(filter(None, (guard(f"operation {each.name!r}", partial(pack_operation, each)) for each in _ADDED)))
