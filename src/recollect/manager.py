"""MemoryManager: the one object. It builds the rooms, hands work between them, and is the front door."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from recollect import opening
from recollect.checks import Lifetime, When, checked_bool, checked_budget, checked_reason
from recollect.config import Settings
from recollect.engine import Engine
from recollect.errors import ScopeMissing
from recollect.filters import Filter, Test, listed, live, reachable
from recollect.models import Fact, Memory, Scope, SourceType, Status
from recollect.protocols import Clock, Embedder, Record, Store, Tokenizer
from recollect.read import counting, listing
from recollect.read.access import AccessLog
from recollect.read.pipeline import recall as find
from recollect.read.selection import select
from recollect.results import ChainReport, Forgotten, Imported, Ingested, Page, Recall, Reindexed, Remembered, Stats
from recollect.scopes import identifier, narrowed, nearest, scope_of
from recollect.security.audit import check
from recollect.transfer import copying
from recollect.transfer.export import export, import_
from recollect.transfer.reindex import reindex
from recollect.worker import Worker
from recollect.write import batches, edit
from recollect.write.draft import draft
from recollect.write.edit import UNSET, Unset
from recollect.write.forget import forget
from recollect.write.ingest import Progress, ingest
from recollect.write.pipeline import remember


class MemoryManager:
    """An agent's memory over one store.

    `store` is a path, `":memory:"`, a `Store`, or None for the default data file. `org`, `user`, `agent` and
    `session` bind the view: org and user are walls, an agent sees its own and its user's common memories, a session
    is where new memories belong. `embedder` is `"auto"` (built in, offline), None (words only), a `"provider:model"`
    string or an `Embedder`.

    Safe for threads; several processes may open one store. Close it, or use it as a context manager. Raises
    `ConfigError`, `StoreError` or `ValueError` when it cannot be opened as asked.

    >>> with MemoryManager(":memory:", user="ana") as m:
    ...     memory, status = m.remember("Ana is allergic to penicillin")
    ...     m.recall("what is Ana allergic to?").texts
    ('Ana is allergic to penicillin',)
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | Store | None = None,
        *,
        org: str = "default",
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        embedder: str | Embedder | None = "auto",
        tokenizer: Tokenizer | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._bound = scope_of(org, user, agent, session)
        self._engine: Engine = opening.engine(store, embedder, tokenizer, settings, clock)
        self._accesses = AccessLog()
        self._worker = Worker(self._engine, self._accesses)
        opening.greet(self._engine, self._worker)

    # ---------------------------------------------------------------------------------------------------------- views

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._engine.settings

    @property
    def store(self) -> Store:
        """The store."""
        return self._engine.store

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, None for words only."""
        return self._engine.embedder

    @property
    def scope(self) -> Scope:
        """Whose memories this view sees and writes."""
        return self._bound

    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """Return a narrower view over the same engine; free. Changing a field that is set is a `ValueError`."""
        return self._view(narrowed(self._bound, user=user, agent=agent, session=session))

    def for_org(self, name: str) -> Self:
        """Return another org's view over the same engine, from a view without user, agent and session."""
        if self._bound != Scope(self._bound.org):
            raise ValueError("for_org needs a view without user, agent and session: call it on the manager itself")
        return self._view(Scope(identifier(name, "org")))

    def _view(self, scope: Scope) -> Self:
        view = object.__new__(type(self))
        view._engine, view._accesses, view._worker = self._engine, self._accesses, self._worker
        view._bound = scope
        return view

    @property
    def _scope(self) -> Scope:
        """The scope of a call. A view that must have a user and has none may open other views, and nothing else."""
        if self._engine.settings.require_user and self._bound.user is None:
            raise ScopeMissing("settings.require_user is on: open the view with user=..., or use scoped(user=...)")
        return self._bound

    # ---------------------------------------------------------------------------------------------------------- write

    def remember(
        self,
        content: str,
        *,
        kind: str | None = None,
        key: str | None = None,
        domain: str = "general",
        source_type: str = "llm_generated",
        source_id: str = "",
        source_ref: str = "",
        session: str | None = None,
        actor: str | None = None,
        fact: Fact | tuple[str, str, str] | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        tier: str | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        derived_from: Iterable[str] = (),
        valid_from: When | None = None,
        valid_until: When | None = None,
        ttl: Lifetime | None = None,
        pinned: bool = False,
        sync: bool = False,
    ) -> Remembered:
        """Keep a text; it is durable and can be found by its words when this returns.

        `kind` defaults to episodic in a session and semantic without. The same text again is the same memory
        (`noop`); a known `key` edits the memory that has it (`updated`). `importance` and `confidence` are 0 to 1;
        without an importance the text is rated. `ttl` is a `timedelta` or seconds. `derived_from` names memories in
        scope, and the new one is trusted no more than the least of them. `sync` also waits for the vector. Raises
        `GovernanceViolation` for content that cannot be kept, `NotFound` for an unknown source, `ValueError` or
        `TypeError` for the rest; then nothing is stored.
        """
        fields = {name: value for name, value in locals().items() if name not in ("self", "content", "sync")}
        checked_bool(sync, "sync")
        item = draft(content, **fields, scope=self._scope, settings=self._engine.settings)
        (result,) = remember(self._engine, [item])
        return self._written([result], sync=sync)[0]

    def remember_many(
        self, /, items: Iterable[Mapping[str, Any]], *, on_error: str = "raise", batch_size: int = 1000, **defaults: Any
    ) -> list[Remembered]:
        """Keep many texts: dicts of `remember`'s arguments, over `defaults`; one transaction for each batch.

        Every item of a batch is checked before the batch is touched. With `on_error="raise"` a bad item stores
        nothing of its batch (earlier batches stay); with `"skip"` its place holds `Remembered(None, "rejected",
        decision)`.
        """
        sync = checked_bool(defaults.pop("sync", False), "sync")
        results = batches.remember_many(
            self._engine, self._scope, items, on_error=on_error, batch_size=batch_size, defaults=defaults
        )
        return self._written(results, sync=sync)

    def ingest(
        self,
        /,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        progress: Progress | None = None,
        **defaults: Any,
    ) -> Ingested:
        """Read files and folders into memory: text, Markdown, chat logs and conversation data sets, `.gz` of each too.

        Reading a file twice adds nothing. `progress(done, total, label)` is called with bytes. `defaults` are
        arguments of `remember` that hold for every item. A file that cannot be read is told in `failed` and stops no
        other; a path that does not exist is a `FileNotFoundError` before anything is read.
        """
        result = ingest(self._engine, self._scope, paths, progress=progress, defaults=defaults)
        self._worker.wake()
        return result

    def _written(self, results: list[Remembered], *, sync: bool) -> list[Remembered]:
        if sync:
            self._worker.flush(None, early=False)
        elif self._engine.counters.queued:
            self._worker.wake()
        return results

    def update(
        self,
        memory_id: str,
        *,
        content: str | Unset = UNSET,
        fact: Fact | tuple[str, str, str] | Unset | None = UNSET,
        importance: float | Unset = UNSET,
        confidence: float | Unset = UNSET,
        tags: Iterable[str] | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        domain: str | Unset = UNSET,
        tier: str | Unset = UNSET,
        valid_from: When | Unset = UNSET,
        valid_until: When | Unset | None = UNSET,
        ttl: Lifetime | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Edit a memory that was written wrongly, and return it as it is now; what it said before stays in `history`.

        An argument left out is unchanged, None clears where a memory may lack the value. `metadata` merges into what
        is there; a None value removes its key. Raises `NotFound`, `Conflict` when `expected_version` is not its
        version, and `ValueError` when the text is that of another live memory.
        """
        given = {n: v for n, v in locals().items() if n not in ("self", "memory_id", "reason", "expected_version")}
        changes = {name: value for name, value in given.items() if value is not UNSET}
        identifier(memory_id, "memory_id")
        memory = edit.update(
            self._engine, self._scope, memory_id, changes, reason=checked_reason(reason), expected=expected_version
        )
        if self._engine.counters.queued:
            self._worker.wake()
        return self._accesses.shown(memory)

    def forget(self, memory_id: str | None = None, *, key: str | None = None, reason: str | None = None) -> Forgotten:
        """Hide a memory, named by id or key, from every read; `history` and the audit trail still know it.

        Its text and key may be used again. An unknown or foreign one counts 0. A key names the memory that `get` shows.
        """
        if memory_id is None and key is not None:
            held = self.get(key=key)
            if held is None:
                return Forgotten(0)
            memory_id, key = held.id, None
        return forget(self._engine, self._scope, _named(memory_id, key), reason=checked_reason(reason))

    # ----------------------------------------------------------------------------------------------------------- read

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        kinds: Iterable[str] | None = None,
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        all_tags: Iterable[str] | None = None,
        tiers: Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        shared: bool = False,
        since: When | None = None,
        until: When | None = None,
        now: When | None = None,
        min_score: float = 0.0,
        min_trust: float = 0.0,
        touch: bool = True,
    ) -> Recall:
        """Find what answers a question, best first: by words and by meaning, every filter inside the search.

        `now` is the clock of the question: what "last week" is relative to and what is valid. `since` and `until`
        compare event time, half-open. `where` filters metadata (see `docs/recall.md`). `shared` adds the org's
        memories without a user. `min_score` cuts on `relevance`, `min_trust` on the trust class; both are 0 to 1.
        `touch=False` counts no access. An empty query ranks by recency and importance; `k <= 0` finds nothing.
        """
        asked, at = counting.question(query, k), counting.moment(self._engine, now)
        checked_bool(touch, "touch")
        filters = _picked(locals(), _ASKED)
        chosen = select(self._scope, live(at), **filters)
        found = find(self._engine, asked, chosen, k=k, now=at, min_score=counting.share(min_score, "min_score"))
        self._engine.counters.recalls += 1
        if touch and found and not self._engine.store.read_only:
            self._accesses.add([hit.id for hit in found], self._engine.clock.now())
            self._worker.wake()
        return found

    def context(self, /, query: str, *, token_budget: int = 4000, k: int = 10, **filters: Any) -> str:
        """Return what answers a question as Markdown for a prompt, within a budget in tokens; filters as in recall."""
        checked_budget(token_budget)
        return self.recall(query, k=k, **filters).context(token_budget)

    get_context = context

    def get(self, memory_id: str | None = None, *, key: str | None = None) -> Memory | None:
        """Return one memory by id or by the caller's key; None when unknown, foreign or forgotten.

        Its `status` is the one it has now by the clock. Archived and expired memories are returned too. A key means the
        view's own, then its user's common one; several further ones are a `ValueError`.
        """
        wanted = reachable(self._scope).but(_named(memory_id, key), Test("status", "ne", Status.FORGOTTEN))
        with self._engine.store.read() as reader:
            found = reader.find(Record, wanted)
        if not found:
            return None
        memory = nearest(self._scope, [record.memory for record in found])
        return self._accesses.shown(memory.as_of_clock(self._engine.clock.now()))

    def list_memories(
        self,
        *,
        kinds: Iterable[str] | None = None,
        status: str | Iterable[str] = "active",
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        all_tags: Iterable[str] | None = None,
        tiers: Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        actor: str | None = None,
        since: When | None = None,
        until: When | None = None,
        order: str = "-recorded_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """Return a page of memories; pass its `next` as `cursor` for the one after.

        `status` is one or several of active (live now), superseded, quarantined, archived, expired, forgotten, or
        all. `order` is recorded_at, updated_at, valid_from or importance, with a leading `-` for the largest first.
        """
        chosen = self._listed(**_picked(locals(), _LISTED))
        return listing.list_memories(self._engine, chosen, order=order, limit=limit, cursor=cursor)

    def iter_memories(self, /, *, order: str = "-recorded_at", **filters: Any) -> Iterator[Memory]:
        """Go through all memories that `list_memories` would list with these filters."""
        return listing.iterate(self._engine, self._listed(**filters), order=order)

    def count(self, /, **filters: Any) -> int:
        """Count the memories that `list_memories` would list with these filters."""
        return counting.count(self._engine, self._listed(**filters))

    def _listed(self, *, status: str | Iterable[str] = "active", **filters: Any) -> Filter:
        unknown = filters.keys() - set(_LISTED.split())
        if unknown:
            raise TypeError(f"unknown filter {min(unknown)!r}: use status, {', '.join(_LISTED.split()[1:])}")
        statuses = status if isinstance(status, str) else tuple(status)
        return select(self._scope, listed(statuses, self._engine.clock.now()), **filters)

    def history(self, memory_id: str) -> list[Memory]:
        """Return every version of a memory, oldest to newest, forgotten ones included; [] for an unknown id."""
        return edit.history(self._engine, self._scope, identifier(memory_id, "memory_id"))

    def stats(self) -> Stats:
        """Count the view's memories, jobs and vectors, and this manager's own calls."""
        return counting.stats(self._engine, self._scope)

    get_stats = stats

    def verify_audit(self) -> ChainReport:
        """Walk this org's audit chain and say whether an entry was edited, removed, reordered or cut off."""
        return check(self._engine, self._scope.org)

    # ----------------------------------------------------------------------------------------------------------- data

    def snapshot(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write a complete copy of the store, online, and return its path; it opens as a store. Overwrites nothing."""
        self._accesses.write(self._engine)
        return copying.snapshot(self._engine, path)

    @classmethod
    def restore(cls, snapshot: str | os.PathLike[str], to: str | os.PathLike[str]) -> str:
        """Put a checked copy of a snapshot at `to`, where nothing may be yet, and return its path."""
        return copying.restore(snapshot, to)

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write the view's memories and revisions as JSON lines (gzip with `.gz`) to a new file; return the rows."""
        self._accesses.write(self._engine)
        return export(self._engine, self._scope, path)

    def import_(
        self, path: str | os.PathLike[str], *, trust: str = "external_data", on_conflict: str = "skip"
    ) -> Imported:
        """Read an export into this org; every row is checked like a write and keeps its id and times.

        `trust` is the highest trust class a row may keep. `on_conflict` says what becomes of a row whose id is taken
        by another text: `"skip"` it, or `"reject"` it with a reason. Needs a view without user, agent and session.
        """
        if self._scope != Scope(self._scope.org):
            raise ValueError("import_ needs a view without user, agent and session: the rows carry their own")
        if on_conflict not in ("skip", "reject"):
            raise ValueError(f"on_conflict is 'skip' or 'reject', not {on_conflict!r}")
        if trust not in list(SourceType):
            raise ValueError(f"trust is one of {', '.join(SourceType)}, not {trust!r}")
        result = import_(self._engine, self._scope, path, trust=SourceType(trust), on_conflict=on_conflict)
        self._worker.wake()
        return result

    def reindex(self, embedder: str | Embedder | None = None) -> Reindexed:
        """Give every memory of the store a vector by `embedder` (default: this manager's); reads and writes go on.

        A run that was stopped goes on where it was. At its end the embedder is the one in force and vectors of others
        are gone.
        """
        chosen = self._engine.embedder if embedder is None else opening.embedder_of(embedder)
        result = reindex(self._engine, chosen)
        self._engine.embedder = chosen
        return result

    def flush(self, timeout: float | None = None) -> bool:
        """Do the queued background work now; True when all is done and visible, False when `timeout` (seconds) ran out.

        False too when there is no embedder or it failed: the worker tries again later.
        """
        return self._worker.flush(timeout)

    def close(self) -> None:
        """Finish the running job, write the access counts and close the store for all views; twice is once."""
        self._worker.close()
        self._engine.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        scope = ", ".join(f"{n}={v!r}" for n in ("org", "user", "agent", "session") if (v := getattr(self._bound, n)))
        return f"{type(self).__name__}({self._engine.store.url!r}, {scope})"


_ASKED = "kinds domain tags all_tags tiers where session shared since until min_trust"
_LISTED = "status kinds domain tags all_tags tiers where session actor since until"


def _picked(values: Mapping[str, Any], names: str) -> dict[str, Any]:
    return {name: values[name] for name in names.split()}


def _named(memory_id: str | None, key: str | None) -> Test:
    if (memory_id is None) == (key is None):
        raise ValueError("name one memory: by its id, or by key=")
    if memory_id is not None:
        return Test("id", "eq", identifier(memory_id, "memory_id"))
    return Test("key", "eq", identifier(key, "key"))
