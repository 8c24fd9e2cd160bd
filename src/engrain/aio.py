"""AsyncMemoryManager: the same memory for async code, each method derived from its sync twin by one hop to a thread."""

from __future__ import annotations

import atexit
import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, Unpack, cast

import anyio.to_thread
from anyio import CapacityLimiter

from engrain.arguments import ListFilters, NamesOfOthers
from engrain.config import Settings
from engrain.guard import cancellable
from engrain.lifecycle.sweeps import Entries
from engrain.manager import MemoryManager
from engrain.model.choices import Order
from engrain.model.memory import Memory, Scope, Turn
from engrain.protocols import LLM, Embedder, Reranker, Store
from engrain.views import Graph, Keys, Lifecycle, Procedures, Records, Working

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])
THREADS = 16
_PAGE = 200


class Threads:
    """The threads that the calls of one manager and its views hop to."""

    @functools.cached_property
    def limiter(self) -> CapacityLimiter:
        """The limiter of concurrent threads, made inside the event loop that it belongs to."""
        return CapacityLimiter(THREADS)


class Twin(Generic[S]):
    """An object with coroutines as methods; each runs its synchronous counterpart in a thread."""

    def __init__(self, sync: S, threads: Threads) -> None:
        self.sync, self._threads = sync, threads

    def __repr__(self) -> str:
        return f"Async{self.sync!r}"


class _Attribute(Generic[T]):
    """An attribute of the sync twin, read in the caller's thread; one with methods in the form that `wrap` gives it."""

    def __init__(self, doc: str, wrap: Callable[[Any, Threads], T] | None = None) -> None:
        self.__doc__, self._wrap = doc, wrap

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, twin: Any, owner: type) -> T:
        if twin is None:
            return cast(T, self)
        found = getattr(twin.sync, self._name)
        return cast(T, found) if self._wrap is None else self._wrap(found, twin._threads)


def _hop(
    method: Callable[Concatenate[S, P], T], *, abandon: bool
) -> Callable[Concatenate[Twin[S], P], Coroutine[Any, Any, T]]:
    @functools.wraps(method)
    async def call(self: Twin[S], /, *args: P.args, **kwargs: P.kwargs) -> T:
        bound: Callable[[], T] = functools.partial(getattr(self.sync, method.__name__), *args, **kwargs)
        abandoned = Event()
        try:
            with cancellable(abandoned.is_set):
                return await anyio.to_thread.run_sync(bound, abandon_on_cancel=abandon, limiter=self._threads.limiter)
        finally:
            abandoned.set()

    return call


def _write(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[Twin[S], P], Coroutine[Any, Any, T]]:
    """Return the coroutine twin of a method; once it has started it always finishes."""
    return _hop(method, abandon=False)


def _read(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[Twin[S], P], Coroutine[Any, Any, T]]:
    """Return the coroutine twin of a method that only reads; cancelled it is abandoned, and a recall ends soon."""
    return _hop(method, abandon=True)


def _unbound(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return the coroutine twin of a class method, which needs no manager."""

    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await anyio.to_thread.run_sync(functools.partial(function, *args, **kwargs))

    return call


def _constructed_like(
    original: Callable[Concatenate[Any, P], None],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Give a constructor the arguments of another, to type checkers and to `inspect`."""
    return lambda own: functools.update_wrapper(cast(Callable[Concatenate[Any, P], None], own), original)


def _twin_of(original: Callable[..., object]) -> Callable[[F], F]:
    """Give a twin that is written out the name, signature and docstring of its original; its own types stay."""

    def named(twin: F) -> F:
        functools.update_wrapper(twin, original)
        return twin

    return named


class AsyncGraph(Twin[Graph]):
    """The graph of an async manager: the same methods as `m.graph`, as coroutines."""

    entity: Final = _read(Graph.entity)
    entities: Final = _read(Graph.entities)
    relationships: Final = _read(Graph.relationships)
    memory_ids: Final = _read(Graph.memory_ids)
    related: Final = _read(Graph.related)
    shortest_path: Final = _read(Graph.shortest_path)
    pagerank: Final = _read(Graph.pagerank)
    merges: Final = _read(Graph.merges)
    add_entity: Final = _write(Graph.add_entity)
    add_alias: Final = _write(Graph.add_alias)
    load_aliases: Final = _write(Graph.load_aliases)
    add_relationship: Final = _write(Graph.add_relationship)
    add_relationships: Final = _write(Graph.add_relationships)
    link_memory: Final = _write(Graph.link_memory)
    remove_entity: Final = _write(Graph.remove_entity)
    merge: Final = _write(Graph.merge)
    unmerge: Final = _write(Graph.unmerge)
    resolve: Final = _write(Graph.resolve)
    export: Final = _write(Graph.export)
    import_stix: Final = _write(Graph.import_stix)
    export_stix: Final = _write(Graph.export_stix)


class AsyncWorking(Twin[Working]):
    """The working memory of an async manager's session: the same methods as `m.working`, as coroutines.

    `messages`, `summary` and `token_count` stay plain and read the store in the caller's thread;
    `await m.get_messages()` reads it in a thread.
    """

    @_twin_of(Working.__call__)
    def __call__(self, session: str) -> AsyncWorking:
        """The twin of `Working.__call__`; not a coroutine."""
        return AsyncWorking(self.sync(session), self._threads)

    messages: Final = _Attribute[list[Turn]]("The window, oldest first.")
    summary: Final = _Attribute[str | None]("The summary of the turns that have left the window.")
    token_count: Final = _Attribute[int]("The tokens that the window holds.")
    add: Final = _write(Working.add)
    extend: Final = _write(Working.extend)
    replace: Final = _write(Working.replace)
    pop: Final = _write(Working.pop)
    last: Final = _read(Working.last)
    history: Final = _read(Working.history)
    items: Final = _read(Working.items)
    clear: Final = _write(Working.clear)


class AsyncLifecycle(Twin[Lifecycle]):
    """The lifecycle of an async manager: the same methods as `m.lifecycle`, as coroutines."""

    entries: Final = _Attribute[Entries]("The view's memories as entries; their methods stay plain.")
    heat: Final = _read(Lifecycle.heat)
    effective_importance: Final = _read(Lifecycle.effective_importance)
    policy: Final = _read(Lifecycle.policy)
    jobs: Final = _read(Lifecycle.jobs)
    timeline: Final = _read(Lifecycle.timeline)
    reflect: Final = _write(Lifecycle.reflect)
    retry: Final = _write(Lifecycle.retry)


class AsyncProcedures(Twin[Procedures]):
    """The procedures of an async manager: the same methods as `m.procedures`, as coroutines."""

    store: Final = _write(Procedures.store)
    get: Final = _read(Procedures.get)
    delete: Final = _write(Procedures.delete)
    find: Final = _read(Procedures.find)
    render: Final = _read(Procedures.render)
    record_outcome: Final = _write(Procedures.record_outcome)
    mine: Final = _write(Procedures.mine)
    confirm: Final = _write(Procedures.confirm)
    reject: Final = _write(Procedures.reject)


class AsyncKeys(Twin[Keys]):
    """The keys of an async manager: the same methods as `m.keys`, as coroutines."""

    create: Final = _write(Keys.create)
    list: Final = _read(Keys.list)
    revoke: Final = _write(Keys.revoke)
    recognise: Final = _read(Keys.recognise)
    exist: Final = _read(Keys.exist)


class AsyncRecords(Twin[Records]):
    """A collection of an async manager: the same methods as `m.records(name)`, as coroutines."""

    put: Final = _write(Records.put)
    get: Final = _write(Records.get)
    delete: Final = _write(Records.delete)
    delete_all: Final = _write(Records.delete_all)
    list: Final = _write(Records.list)
    keys: Final = _read(Records.keys)
    batch: Final = _write(Records.batch)
    sweep: Final = _write(Records.sweep)


class AsyncMemoryManager(NamesOfOthers, Twin[MemoryManager]):
    """The same memory as `MemoryManager`, for async code: the same constructor, the same names, as coroutines.

    `scoped`, `for_org` and the properties stay plain, `iter_memories` is an async iterator, `async with` closes. The
    sync manager behind it is `sync`.
    """

    @_constructed_like(MemoryManager.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(MemoryManager(*args, **kwargs), Threads())

    def _around(self, manager: MemoryManager) -> Self:
        view = object.__new__(type(self))
        Twin.__init__(view, manager, self._threads)
        return view

    settings: Final = _Attribute[Settings]("The settings.")
    store: Final = _Attribute[Store]("The store.")
    embedder: Final = _Attribute[Embedder | None]("The embedder, None for words only.")
    llm: Final = _Attribute[LLM | None]("The language model, None for none.")
    public_key: Final = _Attribute[str | None]("The public half of the signing key, None without a key.")
    reranker: Final = _Attribute[Reranker | str | None]("The reranker, None for none.")
    graph: Final = _Attribute("The graph of the view, its methods as coroutines.", AsyncGraph)
    lifecycle: Final = _Attribute("The lifecycle of the view's memories, its methods as coroutines.", AsyncLifecycle)
    working: Final = _Attribute("The working memory of the view's session, its methods as coroutines.", AsyncWorking)
    procedures: Final = _Attribute("How things are done, its methods as coroutines.", AsyncProcedures)
    keys: Final = _Attribute("The keys of a server over this store, their methods as coroutines.", AsyncKeys)
    scope: Final = _Attribute[Scope]("The scope that this view reads and writes.")

    @_twin_of(MemoryManager.scoped)
    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """The twin of `MemoryManager.scoped`; not a coroutine."""
        return self._around(self.sync.scoped(user=user, agent=agent, session=session))

    @_twin_of(MemoryManager.for_org)
    def for_org(self, name: str) -> Self:
        """The twin of `MemoryManager.for_org`; not a coroutine."""
        return self._around(self.sync.for_org(name))

    @_twin_of(MemoryManager.records)
    def records(self, name: str) -> AsyncRecords:
        """The twin of `MemoryManager.records`; not a coroutine."""
        return AsyncRecords(self.sync.records(name), self._threads)

    remember: Final = _write(MemoryManager.remember)
    remember_many: Final = _write(MemoryManager.remember_many)
    remember_messages: Final = _write(MemoryManager.remember_messages)
    remember_with_extraction: Final = _write(MemoryManager.remember_with_extraction)
    remember_report: Final = _write(MemoryManager.remember_report)
    ingest: Final = _write(MemoryManager.ingest)
    sync_folder: Final = _write(MemoryManager.sync_folder)
    update: Final = _write(MemoryManager.update)
    supersede: Final = _write(MemoryManager.supersede)
    mark_superseded: Final = _write(MemoryManager.mark_superseded)
    link: Final = _write(MemoryManager.link)
    unlink: Final = _write(MemoryManager.unlink)
    validate: Final = _write(MemoryManager.validate)
    reject: Final = _write(MemoryManager.reject)
    reinstate: Final = _write(MemoryManager.reinstate)
    forget: Final = _write(MemoryManager.forget)
    forget_all: Final = _write(MemoryManager.forget_all)
    receipts: Final = _read(MemoryManager.receipts)
    receipt: Final = _read(MemoryManager.receipt)
    promote: Final = _write(MemoryManager.promote)
    pin: Final = _write(MemoryManager.pin)
    unpin: Final = _write(MemoryManager.unpin)
    sweep: Final = _write(MemoryManager.sweep)
    work: Final = _write(MemoryManager.work)
    recall: Final = _read(MemoryManager.recall)
    recall_deep: Final = _read(MemoryManager.recall_deep)
    why_not: Final = _read(MemoryManager.why_not)
    synthesize: Final = _read(MemoryManager.synthesize)
    validate_synthesis: Final = _read(MemoryManager.validate_synthesis)
    check_synthesis_quality: Final = _read(MemoryManager.check_synthesis_quality)
    fuse: Final = _read(MemoryManager.fuse)
    set_reranker: Final = _write(MemoryManager.set_reranker)
    recall_entity: Final = _read(MemoryManager.recall_entity)
    recall_cve: Final = _read(MemoryManager.recall_cve)
    recall_actor: Final = _read(MemoryManager.recall_actor)
    recall_tool: Final = _read(MemoryManager.recall_tool)
    get_entity_relationships: Final = _read(MemoryManager.get_entity_relationships)
    traverse_graph: Final = _read(MemoryManager.traverse_graph)
    add_message: Final = _write(MemoryManager.add_message)
    get_messages: Final = _read(MemoryManager.get_messages)
    end_session: Final = _write(MemoryManager.end_session)
    sessions: Final = _read(MemoryManager.sessions)
    collections: Final = _read(MemoryManager.collections)
    assemble: Final = _read(MemoryManager.assemble)
    consolidate: Final = _write(MemoryManager.consolidate)
    context: Final = _read(MemoryManager.context)
    get: Final = _read(MemoryManager.get)
    facts: Final = _read(MemoryManager.facts)
    neighbors: Final = _read(MemoryManager.neighbors)
    review: Final = _read(MemoryManager.review)
    pending: Final = _read(MemoryManager.pending)
    list_memories: Final = _read(MemoryManager.list_memories)
    count: Final = _read(MemoryManager.count)
    history: Final = _read(MemoryManager.history)
    stats: Final = _read(MemoryManager.stats)
    verify_audit: Final = _read(MemoryManager.verify_audit)
    audit_log: Final = _read(MemoryManager.audit_log)
    audit_head: Final = _read(MemoryManager.audit_head)
    audit_proof: Final = _read(MemoryManager.audit_proof)
    audit_integrity: Final = _read(MemoryManager.audit_integrity)
    sign_audit: Final = _write(MemoryManager.sign_audit)
    snapshot: Final = _write(MemoryManager.snapshot)
    export: Final = _write(MemoryManager.export)
    import_: Final = _write(MemoryManager.import_)
    reindex: Final = _write(MemoryManager.reindex)
    flush: Final = _write(MemoryManager.flush)
    close: Final = _write(MemoryManager.close)

    restore: Final = staticmethod(_unbound(MemoryManager.restore))
    migrate: Final = staticmethod(_unbound(MemoryManager.migrate))
    rekey: Final = staticmethod(_unbound(MemoryManager.rekey))

    @_twin_of(MemoryManager.iter_memories)
    async def iter_memories(
        self, *, order: Order = "-recorded_at", **filters: Unpack[ListFilters]
    ) -> AsyncIterator[Memory]:
        """The async twin of `MemoryManager.iter_memories`."""
        cursor: str | None = None
        while True:
            page = await self.list_memories(order=order, limit=_PAGE, cursor=cursor, **filters)
            for memory in page:
                yield memory
            if page.next is None:
                return
            cursor = page.next

    if TYPE_CHECKING:  # the names of `ALIASES`, for type checkers
        get_context = context
        get_stats = stats
        mark_note_superseded = mark_superseded

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()


_lock = Lock()
_managers: list[MemoryManager] = []
_async_managers: list[AsyncMemoryManager] = []


def get_memory_manager() -> MemoryManager:
    """Return the process-wide manager over the default store, the same one until it is closed; safe for threads."""
    with _lock:
        if not _managers or _managers[-1].store.closed:
            _managers[:] = [MemoryManager()]
            atexit.register(_managers[-1].close)
        return _managers[-1]


def get_async_memory_manager() -> AsyncMemoryManager:
    """Return the process-wide async manager, the same one until it is closed; safe for threads."""
    with _lock:
        if not _async_managers or _async_managers[-1].sync.store.closed:
            _async_managers[:] = [AsyncMemoryManager()]
            atexit.register(_async_managers[-1].sync.close)
        return _async_managers[-1]
