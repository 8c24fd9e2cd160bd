"""Client: a memory behind a server, with the manager's own methods."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Self, Unpack

from engrain.arguments import IngestFields, ListFilters
from engrain.client.calls import Remote, beside, operation_of, refuse, remote
from engrain.client.connection import Connection
from engrain.client.files import download, sent, upload
from engrain.client.parts import RemoteGraph, RemoteKeys, RemoteLifecycle, RemoteProcedures, RemoteWorking
from engrain.errors import ConfigError
from engrain.manager import MemoryManager
from engrain.model.choices import Order
from engrain.model.memory import Memory, Scope
from engrain.model.results import Hit, Ingested, Migrated, Synthesis
from engrain.model.scope import identifier, narrowed, scope_of
from engrain.operations.schema import SCOPE
from engrain.read.ranking import fuse
from engrain.read.request import question
from engrain.synthesis import checking as grading
from engrain.write.ingest import discover

__all__ = ["Client"]

_PAGE = 200
Progress = Callable[[int, int, str], None]


class Client(Remote):
    """The methods of `MemoryManager` for a memory that a server keeps: the same arguments, results and errors.

    `url` is the server's address, `key` what its keeper gave out. `org`, `user`, `agent` and `session` bind the view as
    they bind a manager's; without an org it is the key's. What a lost connection or a busy server interrupted is asked
    again, at most `retries` times, and no write is carried out twice for it. `timeout` is how many seconds the server
    may be silent, None for any.

    Safe for threads; views share one pool of connections. Close it, or use it as a context manager. What can be done
    only beside the store raises `ConfigError`. A server out of reach is `StoreUnavailable`.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        org: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        timeout: float | None = 60.0,
        retries: int = 2,
    ) -> None:
        if not str(url).startswith(("http://", "https://")):
            raise ValueError(f"url is {url!r}: it must be a server's address, as http://127.0.0.1:8765")
        self._scope = scope_of("default" if org is None else org, user, agent, session)
        self._names_org = org is not None
        self._connection = Connection(url, key=key, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        scope = ", ".join(f"{n}={v!r}" for n in SCOPE if (v := getattr(self._scope, n)))
        return f"{type(self).__name__}({self._connection.url!r}, {scope})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, of all views; the server and its store stay open."""
        self._connection.close()

    @property
    def scope(self) -> Scope:
        """Whose memories this view sees and writes; its org is `default` where it was left to the key."""
        return self._scope

    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """Return a narrower view over the same connections; free. Changing a field that is set is a `ValueError`."""
        return self._narrower(type(self), narrowed(self._scope, user=user, agent=agent, session=session))

    def for_org(self, name: str) -> Self:
        """Return another org's view over the same connections, from a view without user, agent and session."""
        if self._scope != Scope(self._scope.org):
            raise ValueError("for_org needs a view without user, agent and session: call it on the client itself")
        return self._narrower(type(self), Scope(identifier(name, "org")), names_org=True)

    @property
    def graph(self) -> RemoteGraph:
        """The graph of the view."""
        return self._narrower(RemoteGraph, self._scope)

    @property
    def working(self) -> RemoteWorking:
        """The working memory of the view's session."""
        return self._narrower(RemoteWorking, self._scope)

    @property
    def lifecycle(self) -> RemoteLifecycle:
        """The lifecycle of the view's memories."""
        return self._narrower(RemoteLifecycle, self._scope)

    @property
    def procedures(self) -> RemoteProcedures:
        """What the view knows of how things are done."""
        return self._narrower(RemoteProcedures, self._scope)

    @property
    def keys(self) -> RemoteKeys:
        """The keys of the server."""
        return self._narrower(RemoteKeys, self._scope)

    remember = remote(MemoryManager.remember)
    remember_many = remote(MemoryManager.remember_many)
    remember_messages = remote(MemoryManager.remember_messages)
    remember_with_extraction = remote(MemoryManager.remember_with_extraction)
    remember_report = remote(MemoryManager.remember_report)
    update = remote(MemoryManager.update)
    supersede = remote(MemoryManager.supersede)
    mark_superseded = remote(MemoryManager.mark_superseded)
    mark_note_superseded = mark_superseded
    link = remote(MemoryManager.link)
    unlink = remote(MemoryManager.unlink)
    validate = remote(MemoryManager.validate)
    reject = remote(MemoryManager.reject)
    reinstate = remote(MemoryManager.reinstate)
    forget = remote(MemoryManager.forget)
    forget_all = remote(MemoryManager.forget_all)
    receipts = remote(MemoryManager.receipts)
    receipt = remote(MemoryManager.receipt)
    promote = remote(MemoryManager.promote)
    pin = remote(MemoryManager.pin)
    unpin = remote(MemoryManager.unpin)
    sweep = remote(MemoryManager.sweep)
    recall = remote(MemoryManager.recall)
    recall_deep = remote(MemoryManager.recall_deep)
    why_not = remote(MemoryManager.why_not)
    synthesize = remote(MemoryManager.synthesize)
    validate_synthesis = remote(MemoryManager.validate_synthesis)
    recall_entity = remote(MemoryManager.recall_entity)
    recall_cve = remote(MemoryManager.recall_cve)
    recall_actor = remote(MemoryManager.recall_actor)
    recall_tool = remote(MemoryManager.recall_tool)
    get_entity_relationships = remote(MemoryManager.get_entity_relationships)
    traverse_graph = remote(MemoryManager.traverse_graph)
    add_message = remote(MemoryManager.add_message)
    get_messages = remote(MemoryManager.get_messages)
    end_session = remote(MemoryManager.end_session)
    assemble = remote(MemoryManager.assemble)
    consolidate = remote(MemoryManager.consolidate)
    context = remote(MemoryManager.context)
    get_context = context
    get = remote(MemoryManager.get)
    facts = remote(MemoryManager.facts)
    neighbors = remote(MemoryManager.neighbors)
    review = remote(MemoryManager.review)
    pending = remote(MemoryManager.pending)
    list_memories = remote(MemoryManager.list_memories)
    count = remote(MemoryManager.count)
    history = remote(MemoryManager.history)
    stats = remote(MemoryManager.stats)
    get_stats = stats
    verify_audit = remote(MemoryManager.verify_audit)
    audit_log = remote(MemoryManager.audit_log)
    audit_head = remote(MemoryManager.audit_head)
    audit_integrity = remote(MemoryManager.audit_integrity)
    sign_audit = remote(MemoryManager.sign_audit)
    flush = remote(MemoryManager.flush)
    export = download(MemoryManager.export)
    import_ = upload(MemoryManager.import_)
    snapshot = beside(MemoryManager.snapshot)
    reindex = beside(MemoryManager.reindex)
    set_reranker = beside(MemoryManager.set_reranker)
    work = beside(MemoryManager.work, "the server has its worker, or `engrain worker` beside it")

    def iter_memories(self, *, order: Order = "-recorded_at", **filters: Unpack[ListFilters]) -> Iterator[Memory]:
        """Yield every memory of the view that passes the filters of `list_memories`, a page at a time."""
        cursor: str | None = None
        while True:
            page = self.list_memories(order=order, limit=_PAGE, cursor=cursor, **filters)
            yield from page
            if (cursor := page.next) is None:
                return

    def ingest(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        report: bool = False,
        progress: Progress | None = None,
        name: str | None = None,
        **defaults: Unpack[IngestFields],
    ) -> Ingested:
        """Send files and folders of this machine to be read into memory; see `MemoryManager.ingest`.

        Memories are told to come from a file by its folder's name and its own, not by its whole path.
        """
        if progress is not None:
            raise ConfigError("progress does not travel: send the files one by one to see how far it is")
        files = discover(paths)
        if name is not None and len(files) != 1:
            raise ValueError(f"name is what one file is called, and paths leads to {len(files)}")
        told = [self._ingested(file, name, report=report, **defaults) for file in files]
        failed = {where: why for each in told for where, why in each.failed.items()}
        return Ingested(
            sum(each.files for each in told),
            sum(each.created for each in told),
            sum(each.known for each in told),
            failed,
        )

    def _ingested(self, file: Path, name: str | None, **given: Any) -> Ingested:
        called = f"{file.absolute().parent.name}/{file.name}" if name is None else name
        operation = operation_of("", "ingest")
        unknown = sorted(given.keys() - {p.name for p in operation.parameters})
        if unknown:
            raise TypeError(f"ingest has no argument {unknown[0]!r}")
        try:
            found: Ingested = sent(self, operation, {"name": called, **given}, file)
        except OSError as error:
            return Ingested(0, 0, 0, {str(file): str(error)})
        return replace(found, failed={str(file): why for why in found.failed.values()})

    def fuse(self, query: str, lists: Sequence[Sequence[Hit]], *, k: int = 10) -> list[Hit]:
        """Fuse lists of hits by reciprocal rank and return the best k; a reranker of the server's is not asked."""
        return fuse(question(query, k), lists)[: max(k, 0)]

    def check_synthesis_quality(self, synthesis: Synthesis | Mapping[str, Any]) -> dict[str, Any]:
        """Grade an answer here, by its form; see `MemoryManager.check_synthesis_quality`."""
        return grading.quality(synthesis)

    @classmethod
    def restore(cls, snapshot: str | os.PathLike[str], to: str | os.PathLike[str], *, key: Any = None) -> str:
        """Works beside the store only."""
        refuse("restore")

    @classmethod
    def migrate(cls, src: str | os.PathLike[str], dst: str | os.PathLike[str], *, progress: Any = None) -> Migrated:
        """Works beside the stores only."""
        refuse("migrate")

    @classmethod
    def rekey(
        cls, store: str | os.PathLike[str], to: str | os.PathLike[str], *, key: Any = None, new_key: Any = None
    ) -> str:
        """Works beside the store only."""
        refuse("rekey")

    @property
    def settings(self) -> NoReturn:
        """The settings are the server's."""
        refuse("settings")

    @property
    def store(self) -> NoReturn:
        """The store is the server's."""
        refuse("store")

    @property
    def embedder(self) -> NoReturn:
        """The embedder is the server's."""
        refuse("embedder")

    @property
    def llm(self) -> NoReturn:
        """The language model is the server's."""
        refuse("llm")

    @property
    def reranker(self) -> NoReturn:
        """The reranker is the server's."""
        refuse("reranker")

    @property
    def public_key(self) -> NoReturn:
        """The signing key is the server's."""
        refuse("public_key", "audit_head names the key that signed it")
