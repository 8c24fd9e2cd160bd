"""Where each operation is found over HTTP: a verb and a path, in which `{name}` is a parameter or the session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from engrain.interfaces.operations import Shape
from engrain.interfaces.table import OPERATIONS

Verb = Literal["GET", "POST", "PATCH", "DELETE"]


class Route(NamedTuple):
    """A verb and a path under `/v1`. What the path does not name is in the body, or for GET and DELETE in the query."""

    verb: Verb
    path: str

    @property
    def names(self) -> list[str]:
        """The names that stand in the path."""
        return re.findall(r"{(\w+)", self.path)

    @property
    def has_body(self) -> bool:
        """Whether arguments come as a JSON document."""
        return self.verb in ("POST", "PATCH")


def _get(path: str) -> Route:
    return Route("GET", path)


def _post(path: str) -> Route:
    return Route("POST", path)


def _delete(path: str) -> Route:
    return Route("DELETE", path)


# What packs add; a file of the machine is no caller's to name.
_ADDED = {each.name: {p.shape for p in each.parameters} for each in OPERATIONS if each.function is not None}

ROUTES: Mapping[str, tuple[Route, ...]] = {
    "remember": (_post("/memories"),),
    "remember-many": (_post("/memories/batch"),),
    "remember-messages": (_post("/memories/messages"),),
    "remember-with-extraction": (_post("/memories/extract"),),
    "remember-report": (_post("/memories/report"),),
    "list": (_get("/memories"),),
    "count": (_get("/count"),),
    "get": (_get("/memories/{memory_id}"), _get("/memory")),
    "update": (Route("PATCH", "/memories/{memory_id}"),),
    "forget": (_delete("/memories/{memory_id}"), _delete("/memory")),
    "forget-all": (_post("/forget-all"),),
    "history": (_get("/memories/{memory_id}/history"),),
    "supersede": (_post("/memories/{old_id}/supersede"),),
    "mark-superseded": (_post("/memories/{old_id}/superseded-by"),),
    "link": (_post("/memories/{from_id}/links"),),
    "unlink": (_delete("/memories/{from_id}/links"),),
    "reinstate": (_post("/memories/{memory_id}/reinstate"),),
    "promote": (_post("/memories/{memory_id}/promote"),),
    "pin": (_post("/memories/{memory_id}/pin"),),
    "unpin": (_post("/memories/{memory_id}/unpin"),),
    "heat": (_get("/memories/{memory_id}/heat"),),
    "importance": (_get("/memories/{memory_id}/importance"),),
    "receipts": (_get("/receipts"),),
    "receipt": (_get("/receipts/{receipt_id}"),),
    # questions
    "recall": (_post("/recall"),),
    "recall-deep": (_post("/recall/deep"),),
    "why-not": (_post("/recall/why-not"),),
    "neighbors": (_post("/recall/neighbors"),),
    "context": (_post("/context"),),
    "ask": (_post("/synthesize"),),
    "validate-synthesis": (_post("/synthesize/validate"),),
    "facts": (_get("/facts"),),
    "recall-entity": (_get("/entities/memories"),),
    "recall-cve": (_get("/cves/{cve_id:text}/memories"),),
    "recall-actor": (_get("/actors/{name:text}/memories"),),
    "recall-tool": (_get("/tools/{name:text}/memories"),),
    # conversations
    "chat-log append": (_post("/sessions/{session:text}/messages"),),
    "chat-log window": (_get("/sessions/{session:text}/messages"),),
    "chat-log history": (_get("/sessions/{session:text}/history"),),
    "chat-log items": (_get("/sessions/{session:text}/items"),),
    "chat-log summary": (_get("/sessions/{session:text}/summary"),),
    "chat-log tokens": (_get("/sessions/{session:text}/tokens"),),
    "chat-log clear": (_post("/sessions/{session:text}/clear"),),
    "chat-log end": (_post("/sessions/{session:text}/end"),),
    "chat-log assemble": (_post("/assemble"),),
    # what waits, and what was done
    "review": (_get("/review"),),
    "pending": (_get("/review/pending"),),
    "validate": (_post("/review/{memory_id}/validate"),),
    "reject": (_post("/review/{memory_id}/reject"),),
    "audit log": (_get("/audit"),),
    "audit verify": (_post("/audit/verify"),),
    "audit integrity": (_get("/audit/integrity"),),
    "audit head": (_get("/audit/head"),),
    "audit sign": (_post("/audit/sign"),),
    "stats": (_get("/stats"),),
    # with time
    "consolidate": (_post("/lifecycle/consolidate"),),
    "sweep": (_post("/lifecycle/sweep"),),
    "reflect": (_post("/lifecycle/reflect"),),
    "flush": (_post("/lifecycle/flush"),),
    "lifecycle policy": (_get("/lifecycle/policy"),),
    "lifecycle timeline": (_get("/lifecycle/timeline"),),
    "jobs": (_get("/lifecycle/jobs"),),
    "retry": (_post("/lifecycle/jobs/{job_id}/retry"),),
    # how things are done
    "procedures store": (_post("/procedures"),),
    "procedures list": (_get("/procedures"),),
    "procedures find": (_post("/procedures/find"),),
    "procedures render": (_post("/procedures/render"),),
    "procedures mine": (_post("/procedures/mine"),),
    "procedures get": (_get("/procedures/{memory_id}"),),
    "procedures delete": (_delete("/procedures/{memory_id}"),),
    "procedures outcome": (_post("/procedures/{memory_id}/outcome"),),
    "procedures confirm": (_post("/procedures/{memory_id}/confirm"),),
    "procedures reject": (_post("/procedures/{memory_id}/reject"),),
    # the graph
    "graph entities": (_get("/entities"),),
    "graph entity": (_get("/entity"),),
    "graph add": (_post("/entities"),),
    "graph remove": (_delete("/entity"),),
    "graph alias": (_post("/entities/aliases"),),
    "graph show": (_get("/entities/relationships"),),
    "graph related": (_get("/entities/related"),),
    "graph memories": (_get("/entities/memory-ids"),),
    "graph link": (_post("/entities/memory-ids"),),
    "graph traverse": (_get("/graph/traverse"),),
    "graph pagerank": (_post("/graph/pagerank"),),
    "graph path": (_post("/graph/path"),),
    "graph relationships": (_get("/graph/relationships"),),
    "graph relate": (_post("/graph/relationships"),),
    "graph relate-many": (_post("/graph/relationships/batch"),),
    "graph merges": (_get("/graph/merges"),),
    "graph merge": (_post("/graph/merges"),),
    "graph resolve": (_post("/graph/resolve"),),
    "graph unmerge": (_delete("/graph/merges/{merge_id}"),),
    # files: written into the answer, or read out of the body
    "export": (_get("/export"),),
    "import": (_post("/import"),),
    "ingest": (_post("/ingest"),),
    "graph export": (_get("/graph/export"),),
    "export-stix": (_get("/graph/stix"),),
    "import-stix": (_post("/graph/stix"),),
    # a server's keys
    "keys create": (_post("/keys"),),
    "keys list": (_get("/keys"),),
    "keys revoke": (_delete("/keys/{key_id}"),),
    **{name: (_post(f"/packs/{name}"),) for name, shapes in _ADDED.items() if Shape.PATH not in shapes},
}

AT_THE_MACHINE: Mapping[str, str] = {
    "snapshot": "it holds the memories of every organisation",
    "restore": "it makes a store out of a file of the machine",
    "migrate": "it moves the memories of every organisation from one place of the machine to another",
    "reindex": "it goes through the memories of every organisation, and loads models",
    **{name: "it names a file of the machine" for name, shapes in _ADDED.items() if Shape.PATH in shapes},
}
"""What is not offered to callers of a server, and why: run the command where the store is."""
