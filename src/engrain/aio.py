"""AsyncMemoryManager: the same memory for async code, each method derived from its sync twin by one hop to a thread."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter

from engrain.config import Settings
from engrain.lifecycle.sweeps import Entries
from engrain.manager import MemoryManager
from engrain.manager.conversing import Working
from engrain.manager.graph import Graph
from engrain.manager.keys import Keys
from engrain.manager.lifecycle import Lifecycle
from engrain.manager.procedures import Procedures
from engrain.model.memory import Memory, Scope, Turn
from engrain.model.results import Migrated
from engrain.protocols import LLM, Embedder, Reranker
from engrain.storage.interface import Store

P = ParamSpec("P")
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])
THREADS = 16
_PAGE = 200


class Threads:
    """The threads that the calls of one manager and its views hop to."""

    def __init__(self) -> None:
        self._limiters: list[CapacityLimiter] = []

    @property
    def limiter(self) -> CapacityLimiter:
        """What bounds them, made inside the event loop that it belongs to."""
        if not self._limiters:
            self._limiters.append(CapacityLimiter(THREADS))
        return self._limiters[0]


class Twin(Generic[S_co]):
    """An object whose methods are coroutines, each doing in a thread what its sync twin does."""

    sync: S_co
    _threads: Threads


def _hop(
    method: Callable[Concatenate[S, P], T], *, reads: bool = False
) -> Callable[Concatenate[Twin[S], P], Coroutine[Any, Any, T]]:
    """Return the coroutine twin of a method; a cancelled read may be abandoned, a started write always finishes."""

    @functools.wraps(method)
    async def call(self: Twin[S], /, *args: P.args, **kwargs: P.kwargs) -> T:
        bound: Callable[[], T] = functools.partial(getattr(self.sync, method.__name__), *args, **kwargs)
        return await anyio.to_thread.run_sync(bound, abandon_on_cancel=reads, limiter=self._threads.limiter)

    return call


def _twin_of(original: Callable[..., object]) -> Callable[[F], F]:
    """Give a twin written out the name, signature and words of its original; to type checkers it stays what it is."""

    def named(twin: F) -> F:
        functools.update_wrapper(twin, original)
        return twin

    return named


class AsyncGraph(Twin[Graph]):
    """The graph of an async manager: the same methods as `m.graph`, as coroutines."""

    def __init__(self, graph: Graph, threads: Threads) -> None:
        self.sync, self._threads = graph, threads

    entity = _hop(Graph.entity, reads=True)
    entities = _hop(Graph.entities, reads=True)
    relationships = _hop(Graph.relationships, reads=True)
    memory_ids = _hop(Graph.memory_ids, reads=True)
    related = _hop(Graph.related, reads=True)
    shortest_path = _hop(Graph.shortest_path, reads=True)
    pagerank = _hop(Graph.pagerank, reads=True)
    merges = _hop(Graph.merges, reads=True)
    add_entity = _hop(Graph.add_entity)
    add_alias = _hop(Graph.add_alias)
    load_aliases = _hop(Graph.load_aliases)
    add_relationship = _hop(Graph.add_relationship)
    add_relationships = _hop(Graph.add_relationships)
    link_memory = _hop(Graph.link_memory)
    remove_entity = _hop(Graph.remove_entity)
    merge = _hop(Graph.merge)
    unmerge = _hop(Graph.unmerge)
    resolve = _hop(Graph.resolve)
    export = _hop(Graph.export)
    draw = _hop(Graph.draw)
    import_stix = _hop(Graph.import_stix)
    export_stix = _hop(Graph.export_stix)


class AsyncWorking(Twin[Working]):
    """The working memory of an async manager's session: the same methods as `m.working`, as coroutines.

    `messages`, `summary` and `token_count` stay plain and read the store where they are asked for;
    `await m.get_messages()` reads it in a thread.
    """

    def __init__(self, working: Working, threads: Threads) -> None:
        self.sync, self._threads = working, threads

    @_twin_of(Working.__call__)
    def __call__(self, session: str) -> AsyncWorking:
        """The twin of `Working.__call__`; not a coroutine."""
        return AsyncWorking(self.sync(session), self._threads)

    @property
    def messages(self) -> list[Turn]:
        """The window, oldest first."""
        return self.sync.messages

    @property
    def summary(self) -> str | None:
        """What is told of the turns that left the window."""
        return self.sync.summary

    @property
    def token_count(self) -> int:
        """The tokens that the window holds."""
        return self.sync.token_count

    add = _hop(Working.add)
    extend = _hop(Working.extend)
    history = _hop(Working.history, reads=True)
    items = _hop(Working.items, reads=True)
    clear = _hop(Working.clear)


class AsyncLifecycle(Twin[Lifecycle]):
    """The lifecycle of an async manager: the same methods as `m.lifecycle`, as coroutines."""

    def __init__(self, lifecycle: Lifecycle, threads: Threads) -> None:
        self.sync, self._threads = lifecycle, threads

    @property
    def entries(self) -> Entries:
        """The view's memories as entries; what is asked of them is done where it is asked."""
        return self.sync.entries

    heat = _hop(Lifecycle.heat, reads=True)
    effective_importance = _hop(Lifecycle.effective_importance, reads=True)
    policy = _hop(Lifecycle.policy, reads=True)
    jobs = _hop(Lifecycle.jobs, reads=True)
    timeline = _hop(Lifecycle.timeline, reads=True)
    draw = _hop(Lifecycle.draw)
    reflect = _hop(Lifecycle.reflect)
    retry = _hop(Lifecycle.retry)


class AsyncProcedures(Twin[Procedures]):
    """The procedures of an async manager: the same methods as `m.procedures`, as coroutines."""

    def __init__(self, procedures: Procedures, threads: Threads) -> None:
        self.sync, self._threads = procedures, threads

    store = _hop(Procedures.store)
    get = _hop(Procedures.get, reads=True)
    delete = _hop(Procedures.delete)
    find = _hop(Procedures.find, reads=True)
    render = _hop(Procedures.render, reads=True)
    record_outcome = _hop(Procedures.record_outcome)
    mine = _hop(Procedures.mine)
    confirm = _hop(Procedures.confirm)
    reject = _hop(Procedures.reject)


class AsyncKeys(Twin[Keys]):
    """The keys of an async manager: the same methods as `m.keys`, as coroutines."""

    def __init__(self, keys: Keys, threads: Threads) -> None:
        self.sync, self._threads = keys, threads

    create = _hop(Keys.create)
    list = _hop(Keys.list, reads=True)
    revoke = _hop(Keys.revoke)
    recognise = _hop(Keys.recognise, reads=True)
    exist = _hop(Keys.exist, reads=True)


class AsyncMemoryManager(Twin[MemoryManager]):
    """The same memory as `MemoryManager`, for async code: the same constructor, the same names, as coroutines.

    `scoped`, `for_org` and the properties stay plain, `iter_memories` is an async iterator, `async with` closes. The
    sync manager behind it is `sync`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sync = MemoryManager(*args, **kwargs)
        self._threads = Threads()

    def _around(self, manager: MemoryManager) -> Self:
        view = object.__new__(type(self))
        view.sync, view._threads = manager, self._threads
        return view

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.sync.settings

    @property
    def store(self) -> Store:
        """The store."""
        return self.sync.store

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, None for words only."""
        return self.sync.embedder

    @property
    def llm(self) -> LLM | None:
        """The language model in force, None for none."""
        return self.sync.llm

    @property
    def public_key(self) -> str | None:
        """The public half of the signing key in force, None without a key."""
        return self.sync.public_key

    @property
    def reranker(self) -> Reranker | str | None:
        """The reranker in force, None for none."""
        return self.sync.reranker

    @property
    def graph(self) -> AsyncGraph:
        """The graph of the view, its methods as coroutines."""
        return AsyncGraph(self.sync.graph, self._threads)

    @property
    def lifecycle(self) -> AsyncLifecycle:
        """The lifecycle of the view's memories, its methods as coroutines."""
        return AsyncLifecycle(self.sync.lifecycle, self._threads)

    @property
    def working(self) -> AsyncWorking:
        """The working memory of the view's session, its methods as coroutines."""
        return AsyncWorking(self.sync.working, self._threads)

    @property
    def procedures(self) -> AsyncProcedures:
        """What the view knows of how things are done, its methods as coroutines."""
        return AsyncProcedures(self.sync.procedures, self._threads)

    @property
    def keys(self) -> AsyncKeys:
        """The keys of a server over this store, their methods as coroutines."""
        return AsyncKeys(self.sync.keys, self._threads)

    @property
    def scope(self) -> Scope:
        """Whose memories this view sees and writes."""
        return self.sync.scope

    @_twin_of(MemoryManager.scoped)
    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """The twin of `MemoryManager.scoped`; not a coroutine."""
        return self._around(self.sync.scoped(user=user, agent=agent, session=session))

    @_twin_of(MemoryManager.for_org)
    def for_org(self, name: str) -> Self:
        """The twin of `MemoryManager.for_org`; not a coroutine."""
        return self._around(self.sync.for_org(name))

    remember = _hop(MemoryManager.remember)
    remember_many = _hop(MemoryManager.remember_many)
    remember_messages = _hop(MemoryManager.remember_messages)
    remember_with_extraction = _hop(MemoryManager.remember_with_extraction)
    remember_report = _hop(MemoryManager.remember_report)
    ingest = _hop(MemoryManager.ingest)
    update = _hop(MemoryManager.update)
    supersede = _hop(MemoryManager.supersede)
    mark_superseded = _hop(MemoryManager.mark_superseded)
    mark_note_superseded = mark_superseded
    link = _hop(MemoryManager.link)
    unlink = _hop(MemoryManager.unlink)
    validate = _hop(MemoryManager.validate)
    reject = _hop(MemoryManager.reject)
    reinstate = _hop(MemoryManager.reinstate)
    forget = _hop(MemoryManager.forget)
    forget_all = _hop(MemoryManager.forget_all)
    receipts = _hop(MemoryManager.receipts, reads=True)
    receipt = _hop(MemoryManager.receipt, reads=True)
    promote = _hop(MemoryManager.promote)
    pin = _hop(MemoryManager.pin)
    unpin = _hop(MemoryManager.unpin)
    sweep = _hop(MemoryManager.sweep)
    work = _hop(MemoryManager.work)
    recall = _hop(MemoryManager.recall, reads=True)
    recall_deep = _hop(MemoryManager.recall_deep, reads=True)
    why_not = _hop(MemoryManager.why_not, reads=True)
    synthesize = _hop(MemoryManager.synthesize, reads=True)
    validate_synthesis = _hop(MemoryManager.validate_synthesis, reads=True)
    check_synthesis_quality = _hop(MemoryManager.check_synthesis_quality, reads=True)
    fuse = _hop(MemoryManager.fuse, reads=True)
    set_reranker = _hop(MemoryManager.set_reranker)
    recall_entity = _hop(MemoryManager.recall_entity, reads=True)
    recall_cve = _hop(MemoryManager.recall_cve, reads=True)
    recall_actor = _hop(MemoryManager.recall_actor, reads=True)
    recall_tool = _hop(MemoryManager.recall_tool, reads=True)
    get_entity_relationships = _hop(MemoryManager.get_entity_relationships, reads=True)
    traverse_graph = _hop(MemoryManager.traverse_graph, reads=True)
    add_message = _hop(MemoryManager.add_message)
    get_messages = _hop(MemoryManager.get_messages, reads=True)
    end_session = _hop(MemoryManager.end_session)
    assemble = _hop(MemoryManager.assemble, reads=True)
    consolidate = _hop(MemoryManager.consolidate)
    context = _hop(MemoryManager.context, reads=True)
    get_context = context
    get = _hop(MemoryManager.get, reads=True)
    facts = _hop(MemoryManager.facts, reads=True)
    neighbors = _hop(MemoryManager.neighbors, reads=True)
    review = _hop(MemoryManager.review, reads=True)
    pending = _hop(MemoryManager.pending, reads=True)
    list_memories = _hop(MemoryManager.list_memories, reads=True)
    count = _hop(MemoryManager.count, reads=True)
    history = _hop(MemoryManager.history, reads=True)
    stats = _hop(MemoryManager.stats, reads=True)
    get_stats = stats
    verify_audit = _hop(MemoryManager.verify_audit, reads=True)
    audit_log = _hop(MemoryManager.audit_log, reads=True)
    audit_head = _hop(MemoryManager.audit_head, reads=True)
    audit_integrity = _hop(MemoryManager.audit_integrity, reads=True)
    sign_audit = _hop(MemoryManager.sign_audit)
    snapshot = _hop(MemoryManager.snapshot)
    export = _hop(MemoryManager.export)
    import_ = _hop(MemoryManager.import_)
    reindex = _hop(MemoryManager.reindex)
    flush = _hop(MemoryManager.flush)
    close = _hop(MemoryManager.close)

    @classmethod
    @_twin_of(MemoryManager.restore.__func__)  # type: ignore[attr-defined]
    async def restore(cls, snapshot: Any, to: Any, *, key: Any = None) -> str:
        """The async twin of `MemoryManager.restore`."""
        return await anyio.to_thread.run_sync(functools.partial(MemoryManager.restore, snapshot, to, key=key))

    @classmethod
    @_twin_of(MemoryManager.migrate.__func__)  # type: ignore[attr-defined]
    async def migrate(cls, src: Any, dst: Any, *, progress: Any = None) -> Migrated:
        """The async twin of `MemoryManager.migrate`."""
        call = functools.partial(MemoryManager.migrate, src, dst, progress=progress)
        return await anyio.to_thread.run_sync(call)

    @classmethod
    @_twin_of(MemoryManager.rekey.__func__)  # type: ignore[attr-defined]
    async def rekey(cls, store: Any, to: Any, *, key: Any = None, new_key: Any = None) -> str:
        """The async twin of `MemoryManager.rekey`."""
        call = functools.partial(MemoryManager.rekey, store, to, key=key, new_key=new_key)
        return await anyio.to_thread.run_sync(call)

    @_twin_of(MemoryManager.iter_memories)
    async def iter_memories(self, *, order: str = "-recorded_at", **filters: Any) -> AsyncIterator[Memory]:
        """The async twin of `MemoryManager.iter_memories`."""
        cursor: str | None = None
        while True:
            page = await self.list_memories(order=order, limit=_PAGE, cursor=cursor, **filters)
            for memory in page:
                yield memory
            if page.next is None:
                return
            cursor = page.next

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()
