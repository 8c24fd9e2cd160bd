"""The table: every operation that interfaces offer, with its routes, its effect and the role it needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engrain.graph.packs import installed_operations
from engrain.guard import guard
from engrain.manager import MemoryManager
from engrain.model.audit import AuditHead, Role
from engrain.operations.schema import Operation, Parameter, Shape, operation, parameter_docs
from engrain.views import Graph, Keys, Lifecycle, Procedures, Records, Working

# What applies to one text only, and so not to all the texts of a batch or a file.
_ONE_TEXT = ("key", "fact", "derived_from", "valid_from", "valid_until", "sync", "evolve")
_MESSAGES = Parameter("messages", Shape.OBJECT, required=True, repeated=True, positional=True)
_METADATA = Parameter("metadata", Shape.OBJECT, nullable=True)
_DATA = Parameter("data", Shape.JSON, nullable=True)
_HEAD = Parameter("head", Shape.OBJECT, nullable=True, read=AuditHead.from_dict)
_ROLE = Parameter("role", Shape.TEXT, required=True, choices=tuple(role.value for role in Role))  # not positional
_COLLECTION = Parameter(
    "collection", Shape.TEXT, "The name of the collection, at most 256 characters.", required=True, positional=True
)
_VALUE = Parameter("value", Shape.JSON, required=True, nullable=True, positional=True)
_ERASING = {"erase": Role.ADMIN}
_PAGING = ("order", "limit", "cursor")
_SESSION, _RECORDS = "/sessions/{session:text}", "/records/{collection:text}"


def describe(name: str) -> str:
    """Return the description of a parameter that opens a view, such as `org`."""
    return parameter_docs(MemoryManager).get(name, "")


_read = operation
_write = partial(operation, effect="write")
_destroy = partial(operation, effect="destroy")
_admin = partial(_write, role=Role.ADMIN)
_review = partial(operation, role=Role.REVIEW)
_verdict = partial(_write, role=Role.REVIEW)
_question = partial(operation, rest=MemoryManager.recall)
_about = partial(operation, rest=MemoryManager.recall_entity, answer="memories")
_messages = partial(operation, also=(_MESSAGES,), answer="messages")
_record = partial(operation, opens="collection", also=(_COLLECTION,))

_OWN: tuple[Operation, ...] = (
    # writing
    _write(MemoryManager.remember, "POST /memories"),
    _write(
        MemoryManager.remember_many,
        "POST /memories/batch",
        rest=MemoryManager.remember,
        omit=("content", "key", "fact", "derived_from", "evolve"),
        answer="outcomes",
    ),
    _write(
        MemoryManager.remember_messages,
        "POST /memories/messages",
        rest=MemoryManager.remember,
        omit=("content", "key", "fact", "evolve", "kind"),
        also=(_MESSAGES,),
        answer="outcomes",
    ),
    _write(MemoryManager.remember_with_extraction, "POST /memories/extract", answer="facts"),
    _write(MemoryManager.remember_report, "POST /memories/report", answer="facts"),
    # questions
    _read(MemoryManager.recall, "POST /recall"),
    _question(MemoryManager.recall_deep, "POST /recall/deep"),
    _question(MemoryManager.why_not, "POST /recall/why-not", omit=("touch",)),
    _question(MemoryManager.context, "POST /context", answer="context"),
    _question(MemoryManager.synthesize, "POST /synthesize", name="ask", omit=("tiers", "include_quarantined")),
    _read(MemoryManager.validate_synthesis, "POST /synthesize/validate", answer="checked"),
    # reading
    _read(MemoryManager.get, "GET /memories/{memory_id}", "GET /memory"),
    _read(MemoryManager.list_memories, "GET /memories", name="list"),
    _read(MemoryManager.count, "GET /count", rest=MemoryManager.list_memories, omit=_PAGING, answer="count"),
    _read(MemoryManager.facts, "GET /facts", answer="memories"),
    _read(MemoryManager.neighbors, "POST /recall/neighbors", answer="hits"),
    _read(MemoryManager.recall_entity, "GET /entities/memories", answer="memories"),
    _about(MemoryManager.recall_cve, "GET /cves/{cve_id:text}/memories"),
    _about(MemoryManager.recall_actor, "GET /actors/{name:text}/memories"),
    _about(MemoryManager.recall_tool, "GET /tools/{name:text}/memories"),
    # conversations
    _write(
        MemoryManager.add_message,
        f"POST {_SESSION}/messages",
        name="chat-log append",
        also=(_METADATA, _DATA),
        spread="metadata",
    ),
    _messages(Working.extend, f"POST {_SESSION}/messages/batch", name="chat-log extend", effect="write"),
    _messages(Working.replace, f"POST {_SESSION}/messages/replace", name="chat-log replace", effect="destroy"),
    _destroy(Working.pop, f"POST {_SESSION}/messages/pop", name="chat-log pop", answer="message"),
    _read(Working.last, f"GET {_SESSION}/last", name="chat-log last", answer="messages"),
    _read(MemoryManager.get_messages, f"GET {_SESSION}/messages", name="chat-log window", answer="messages"),
    _read(MemoryManager.sessions, "GET /sessions", name="chat-log list", answer="sessions"),
    _read(Working.history, f"GET {_SESSION}/history", name="chat-log history", answer="messages"),
    _read(Working.items, f"GET {_SESSION}/items", name="chat-log items", answer="items"),
    _read(Working.summary, f"GET {_SESSION}/summary", name="chat-log summary", answer="summary"),
    _read(Working.token_count, f"GET {_SESSION}/tokens", name="chat-log tokens", answer="token_count"),
    _write(Working.clear, f"POST {_SESSION}/clear", name="chat-log clear", answer="cleared", guarded=_ERASING),
    _question(MemoryManager.assemble, "POST /assemble", name="chat-log assemble", answer="assembled"),
    _write(MemoryManager.end_session, f"POST {_SESSION}/end", name="chat-log end"),
    # exact records
    _read(MemoryManager.collections, "GET /records", name="records collections", answer="collections"),
    _record(Records.put, f"POST {_RECORDS}/put", also=(_COLLECTION, _VALUE), effect="write", answer="revision"),
    _record(Records.batch, f"POST {_RECORDS}/batch", effect="write", answer="results"),
    _record(Records.get, f"GET {_RECORDS}/record", guarded={"touch": Role.WRITE}),
    _record(Records.list, f"POST {_RECORDS}/list", answer="records", guarded={"touch": Role.WRITE}),
    _record(Records.keys, f"GET {_RECORDS}/keys", answer="keys"),
    _record(Records.delete, f"DELETE {_RECORDS}/record", effect="destroy", answer="deleted"),
    _record(Records.delete_all, f"POST {_RECORDS}/delete-all", effect="destroy", guarded=_ERASING),
    _record(Records.sweep, f"POST {_RECORDS}/sweep", effect="write", answer="removed"),
    # edits and links
    _write(MemoryManager.consolidate, "POST /lifecycle/consolidate"),
    _write(MemoryManager.update, "PATCH /memories/{memory_id}"),
    _write(
        MemoryManager.supersede,
        "POST /memories/{old_id}/supersede",
        rest=MemoryManager.remember,
        omit=("key", "evolve", "resolve"),
    ),
    _write(MemoryManager.mark_superseded, "POST /memories/{old_id}/superseded-by", answer="marked"),
    _write(MemoryManager.link, "POST /memories/{from_id}/links", answer="linked"),
    _write(MemoryManager.unlink, "DELETE /memories/{from_id}/links", answer="unlinked"),
    # review
    _review(MemoryManager.review, "GET /review", answer="items"),
    _review(MemoryManager.pending, "GET /review/pending", answer="items"),
    _verdict(MemoryManager.validate, "POST /review/{memory_id}/validate", guarded={"force": Role.ADMIN}),
    _verdict(MemoryManager.reject, "POST /review/{memory_id}/reject"),
    _verdict(MemoryManager.reinstate, "POST /memories/{memory_id}/reinstate"),
    _write(MemoryManager.promote, "POST /memories/{memory_id}/promote"),
    _write(MemoryManager.pin, "POST /memories/{memory_id}/pin"),
    _write(MemoryManager.unpin, "POST /memories/{memory_id}/unpin"),
    # erasure
    _destroy(MemoryManager.forget, "DELETE /memories/{memory_id}", "DELETE /memory", guarded={"hard": Role.ADMIN}),
    _destroy(MemoryManager.forget_all, "POST /forget-all", role=Role.ADMIN),
    _review(MemoryManager.receipt, "GET /receipts/{receipt_id}"),
    _review(MemoryManager.receipts, "GET /receipts", answer="receipts"),
    _read(MemoryManager.history, "GET /memories/{memory_id}/history", answer="memories"),
    _read(MemoryManager.stats, "GET /stats"),
    # audit
    _review(MemoryManager.audit_log, "GET /audit", name="audit log", answer="entries"),
    _review(MemoryManager.verify_audit, "POST /audit/verify", name="audit verify", also=(_HEAD,)),
    _review(MemoryManager.audit_integrity, "GET /audit/integrity", name="audit integrity"),
    _review(MemoryManager.audit_head, "GET /audit/head", name="audit head"),
    _review(MemoryManager.audit_proof, "GET /audit/proof", name="audit proof"),
    _admin(MemoryManager.sign_audit, "POST /audit/sign", name="audit sign"),
    # lifecycle
    _admin(MemoryManager.sweep, "POST /lifecycle/sweep"),
    _write(MemoryManager.flush, "POST /lifecycle/flush", answer="done"),
    _write(Lifecycle.reflect, "POST /lifecycle/reflect", name="reflect", answer="insights"),
    _read(Lifecycle.policy, "GET /lifecycle/policy", name="lifecycle policy"),
    _read(Lifecycle.timeline, "GET /lifecycle/timeline", name="lifecycle timeline", answer="counts"),
    _review(Lifecycle.jobs, "GET /lifecycle/jobs", name="jobs", answer="jobs"),
    _admin(Lifecycle.retry, "POST /lifecycle/jobs/{job_id}/retry", name="retry"),
    _read(Lifecycle.heat, "GET /memories/{memory_id}/heat", name="heat", answer="heat"),
    _read(
        Lifecycle.effective_importance, "GET /memories/{memory_id}/importance", name="importance", answer="importance"
    ),
    # files and stores; a server writes files into the answer, or reads them out of the body
    _write(MemoryManager.ingest, "POST /ingest", rest=MemoryManager.remember, omit=_ONE_TEXT),
    _write(
        MemoryManager.sync_folder,
        rest=MemoryManager.remember,
        omit=_ONE_TEXT,
        local_only="it reads and writes a folder of the machine",
    ),
    _read(MemoryManager.export, "GET /export", answer="rows", role=Role.ADMIN),
    _admin(MemoryManager.import_, "POST /import"),
    _write(Graph.import_stix, "POST /graph/stix", name="import-stix"),
    _read(Graph.export_stix, "GET /graph/stix", name="export-stix", answer="path"),
    _read(
        MemoryManager.snapshot, answer="path", role=Role.ADMIN, local_only="it holds the memories of every organisation"
    ),
    _admin(
        MemoryManager.restore, omit=("key",), answer="path", local_only="it makes a store out of a file of the machine"
    ),
    _admin(
        MemoryManager.migrate,
        local_only="it moves the memories of every organisation from one place of the machine to another",
    ),
    _admin(MemoryManager.reindex, local_only="it goes through the memories of every organisation, and loads models"),
    # procedures
    _write(Procedures.store, "POST /procedures"),
    _read(Procedures.get, "GET /procedures/{memory_id}"),
    _read(
        MemoryManager.list_memories,
        "GET /procedures",
        name="procedures list",
        omit=("kinds",),
        fixed={"kinds": ("procedural",)},
    ),
    _read(Procedures.find, "POST /procedures/find", answer="hits"),
    _read(Procedures.render, "POST /procedures/render", answer="procedures"),
    _write(
        Procedures.record_outcome, "POST /procedures/{memory_id}/outcome", name="procedures outcome", answer="recorded"
    ),
    _write(Procedures.mine, "POST /procedures/mine", answer="procedures"),
    _verdict(Procedures.confirm, "POST /procedures/{memory_id}/confirm"),
    _verdict(Procedures.reject, "POST /procedures/{memory_id}/reject"),
    _destroy(Procedures.delete, "DELETE /procedures/{memory_id}", answer="deleted"),
    # the graph
    _read(Graph.entity, "GET /entity"),
    _read(Graph.entities, "GET /entities", answer="entities"),
    _read(
        MemoryManager.get_entity_relationships, "GET /entities/relationships", name="graph show", answer="relationships"
    ),
    _read(MemoryManager.traverse_graph, "GET /graph/traverse", name="graph traverse", answer="reached"),
    _read(Graph.pagerank, "POST /graph/pagerank", answer="ranked"),
    _read(Graph.shortest_path, "POST /graph/path", name="graph path", answer="relationships"),
    _read(Graph.related, "GET /entities/related", answer="entities"),
    _read(Graph.memory_ids, "GET /entities/memory-ids", name="graph memories", answer="memories"),
    _read(Graph.relationships, "GET /graph/relationships", answer="relationships"),
    _read(Graph.export, "GET /graph/export", answer="path"),
    _write(Graph.add_entity, "POST /entities", name="graph add"),
    _write(Graph.add_alias, "POST /entities/aliases", name="graph alias"),
    _write(Graph.add_relationship, "POST /graph/relationships", name="graph relate"),
    _write(Graph.add_relationships, "POST /graph/relationships/batch", name="graph relate-many", answer="stated"),
    _write(Graph.link_memory, "POST /entities/memory-ids", name="graph link", answer="linked"),
    _write(Graph.merge, "POST /graph/merges"),
    _read(Graph.merges, "GET /graph/merges", answer="merges"),
    _write(Graph.resolve, "POST /graph/resolve", answer="merges"),
    _write(Graph.unmerge, "DELETE /graph/merges/{merge_id}", answer="unmerged"),
    # a server's keys
    _admin(Keys.create, "POST /keys", also=(_ROLE,)),
    _read(Keys.list, "GET /keys", answer="keys", role=Role.ADMIN),
    _destroy(Keys.revoke, "DELETE /keys/{key_id}", answer="revoked", role=Role.ADMIN),
    _destroy(Graph.remove_entity, "DELETE /entity", name="graph remove", answer="removed"),
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
