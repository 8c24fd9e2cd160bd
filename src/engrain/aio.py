"""AsyncMemoryManager: the same memory for async code, each method derived from its sync twin by one hop to a thread."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from threading import Event
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, Unpack, cast

import anyio.to_thread
from anyio import CapacityLimiter

from engrain.arguments import ListFilters, other_name
from engrain.config import Settings
from engrain.guard import cancellable
from engrain.lifecycle.sweeps import Entries
from engrain.manager import ALIASES, OF_OTHERS, MemoryManager
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

    def __init__(self) -> None:
        self._limiters: list[CapacityLimiter] = []

    @property
    def limiter(self) -> CapacityLimiter:
        """What bounds them, made inside the event loop that it belongs to."""
        if not self._limiters:
            self._limiters.append(CapacityLimiter(THREADS))
        return self._limiters[0]


class Twin(Generic[S]):
    """An object with coroutines as methods, each of which runs its synchronous twin in a thread."""

    def __init__(self, sync: S, threads: Threads) -> None:
        self.sync, self._threads = sync, threads


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

    entity = _read(Graph.entity)
    entities = _read(Graph.entities)
    relationships = _read(Graph.relationships)
    memory_ids = _read(Graph.memory_ids)
    related = _read(Graph.related)
    shortest_path = _read(Graph.shortest_path)
    pagerank = _read(Graph.pagerank)
    merges = _read(Graph.merges)
    add_entity = _write(Graph.add_entity)
    add_alias = _write(Graph.add_alias)
    load_aliases = _write(Graph.load_aliases)
    add_relationship = _write(Graph.add_relationship)
    add_relationships = _write(Graph.add_relationships)
    link_memory = _write(Graph.link_memory)
    remove_entity = _write(Graph.remove_entity)
    merge = _write(Graph.merge)
    unmerge = _write(Graph.unmerge)
    resolve = _write(Graph.resolve)
    export = _write(Graph.export)
    import_stix = _write(Graph.import_stix)
    export_stix = _write(Graph.export_stix)


class AsyncWorking(Twin[Working]):
    """The working memory of an async manager's session: the same methods as `m.working`, as coroutines.

    `messages`, `summary` and `token_count` stay plain and read the store in the caller's thread;
    `await m.get_messages()` reads it in a thread.
    """

    @_twin_of(Working.__call__)
    def __call__(self, session: str) -> AsyncWorking:
        """The twin of `Working.__call__`; not a coroutine."""
        return AsyncWorking(self.sync(session), self._threads)

    messages = _Attribute[list[Turn]]("The window, oldest first.")
    summary = _Attribute[str | None]("The summary of the turns that have left the window.")
    token_count = _Attribute[int]("The tokens that the window holds.")
    add = _write(Working.add)
    extend = _write(Working.extend)
    replace = _write(Working.replace)
    pop = _write(Working.pop)
    last = _read(Working.last)
    history = _read(Working.history)
    items = _read(Working.items)
    clear = _write(Working.clear)


class AsyncLifecycle(Twin[Lifecycle]):
    """The lifecycle of an async manager: the same methods as `m.lifecycle`, as coroutines."""

    entries = _Attribute[Entries]("The view's memories as entries; their methods stay plain.")
    heat = _read(Lifecycle.heat)
    effective_importance = _read(Lifecycle.effective_importance)
    policy = _read(Lifecycle.policy)
    jobs = _read(Lifecycle.jobs)
    timeline = _read(Lifecycle.timeline)
    reflect = _write(Lifecycle.reflect)
    retry = _write(Lifecycle.retry)


class AsyncProcedures(Twin[Procedures]):
    """The procedures of an async manager: the same methods as `m.procedures`, as coroutines."""

    store = _write(Procedures.store)
    get = _read(Procedures.get)
    delete = _write(Procedures.delete)
    find = _read(Procedures.find)
    render = _read(Procedures.render)
    record_outcome = _write(Procedures.record_outcome)
    mine = _write(Procedures.mine)
    confirm = _write(Procedures.confirm)
    reject = _write(Procedures.reject)


class AsyncKeys(Twin[Keys]):
    """The keys of an async manager: the same methods as `m.keys`, as coroutines."""

    create = _write(Keys.create)
    list = _read(Keys.list)
    revoke = _write(Keys.revoke)
    recognise = _read(Keys.recognise)
    exist = _read(Keys.exist)


class AsyncRecords(Twin[Records]):
    """A collection of an async manager: the same methods as `m.records(name)`, as coroutines."""

    put = _write(Records.put)
    get = _write(Records.get)
    delete = _write(Records.delete)
    delete_all = _write(Records.delete_all)
    list = _write(Records.list)
    keys = _read(Records.keys)
    batch = _write(Records.batch)
    sweep = _write(Records.sweep)


class AsyncMemoryManager(Twin[MemoryManager]):
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

    settings = _Attribute[Settings]("The settings.")
    store = _Attribute[Store]("The store.")
    embedder = _Attribute[Embedder | None]("The embedder, None for words only.")
    llm = _Attribute[LLM | None]("The language model, None for none.")
    public_key = _Attribute[str | None]("The public half of the signing key, None without a key.")
    reranker = _Attribute[Reranker | str | None]("The reranker, None for none.")
    graph = _Attribute("The graph of the view, its methods as coroutines.", AsyncGraph)
    lifecycle = _Attribute("The lifecycle of the view's memories, its methods as coroutines.", AsyncLifecycle)
    working = _Attribute("The working memory of the view's session, its methods as coroutines.", AsyncWorking)
    procedures = _Attribute("How things are done, its methods as coroutines.", AsyncProcedures)
    keys = _Attribute("The keys of a server over this store, their methods as coroutines.", AsyncKeys)
    scope = _Attribute[Scope]("The scope that this view reads and writes.")

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

    remember = _write(MemoryManager.remember)
    remember_many = _write(MemoryManager.remember_many)
    remember_messages = _write(MemoryManager.remember_messages)
    remember_with_extraction = _write(MemoryManager.remember_with_extraction)
    remember_report = _write(MemoryManager.remember_report)
    ingest = _write(MemoryManager.ingest)
    sync_folder = _write(MemoryManager.sync_folder)
    update = _write(MemoryManager.update)
    supersede = _write(MemoryManager.supersede)
    mark_superseded = _write(MemoryManager.mark_superseded)
    link = _write(MemoryManager.link)
    unlink = _write(MemoryManager.unlink)
    validate = _write(MemoryManager.validate)
    reject = _write(MemoryManager.reject)
    reinstate = _write(MemoryManager.reinstate)
    forget = _write(MemoryManager.forget)
    forget_all = _write(MemoryManager.forget_all)
    receipts = _read(MemoryManager.receipts)
    receipt = _read(MemoryManager.receipt)
    promote = _write(MemoryManager.promote)
    pin = _write(MemoryManager.pin)
    unpin = _write(MemoryManager.unpin)
    sweep = _write(MemoryManager.sweep)
    work = _write(MemoryManager.work)
    recall = _read(MemoryManager.recall)
    recall_deep = _read(MemoryManager.recall_deep)
    why_not = _read(MemoryManager.why_not)
    synthesize = _read(MemoryManager.synthesize)
    validate_synthesis = _read(MemoryManager.validate_synthesis)
    check_synthesis_quality = _read(MemoryManager.check_synthesis_quality)
    fuse = _read(MemoryManager.fuse)
    set_reranker = _write(MemoryManager.set_reranker)
    recall_entity = _read(MemoryManager.recall_entity)
    recall_cve = _read(MemoryManager.recall_cve)
    recall_actor = _read(MemoryManager.recall_actor)
    recall_tool = _read(MemoryManager.recall_tool)
    get_entity_relationships = _read(MemoryManager.get_entity_relationships)
    traverse_graph = _read(MemoryManager.traverse_graph)
    add_message = _write(MemoryManager.add_message)
    get_messages = _read(MemoryManager.get_messages)
    end_session = _write(MemoryManager.end_session)
    sessions = _read(MemoryManager.sessions)
    collections = _read(MemoryManager.collections)
    assemble = _read(MemoryManager.assemble)
    consolidate = _write(MemoryManager.consolidate)
    context = _read(MemoryManager.context)
    get = _read(MemoryManager.get)
    facts = _read(MemoryManager.facts)
    neighbors = _read(MemoryManager.neighbors)
    review = _read(MemoryManager.review)
    pending = _read(MemoryManager.pending)
    list_memories = _read(MemoryManager.list_memories)
    count = _read(MemoryManager.count)
    history = _read(MemoryManager.history)
    stats = _read(MemoryManager.stats)
    verify_audit = _read(MemoryManager.verify_audit)
    audit_log = _read(MemoryManager.audit_log)
    audit_head = _read(MemoryManager.audit_head)
    audit_proof = _read(MemoryManager.audit_proof)
    audit_integrity = _read(MemoryManager.audit_integrity)
    sign_audit = _write(MemoryManager.sign_audit)
    snapshot = _write(MemoryManager.snapshot)
    export = _write(MemoryManager.export)
    import_ = _write(MemoryManager.import_)
    reindex = _write(MemoryManager.reindex)
    flush = _write(MemoryManager.flush)
    close = _write(MemoryManager.close)

    restore = staticmethod(_unbound(MemoryManager.restore))
    migrate = staticmethod(_unbound(MemoryManager.migrate))
    rekey = staticmethod(_unbound(MemoryManager.rekey))

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

    if TYPE_CHECKING:  # what `ALIASES` says, for type checkers
        get_context = context
        get_stats = stats
        mark_note_superseded = mark_superseded
    else:

        def __getattr__(self, name):
            return other_name(self, name, ALIASES)

    def __dir__(self) -> Iterable[str]:
        return set(super().__dir__()) - OF_OTHERS

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()
