"""A store whose memories change before the eyes of a test, every change leaving the state before it behind."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from engrain.config import Settings
from engrain.engine import Engine
from engrain.language.tokens import index_counts
from engrain.model.filters import Filter, Test
from engrain.model.memory import Memory, Scope, Status
from engrain.model.results import Hit, Recall
from engrain.opening import open_store
from engrain.policies import Convex
from engrain.protocols import Embedder
from engrain.read import listing
from engrain.read.listing import facts
from engrain.read.ranking import resolve_scoring
from engrain.read.recall import recall
from engrain.read.request import PointInTime, Request, conditions_at, point_in_time, select, status_conditions
from engrain.storage.interface import Transaction
from engrain.storage.rows import Edge, Posting, Record, Revision, Vector
from engrain.testing import FakeEmbedder, FrozenClock
from engrain.testing.rows import memory
from engrain.text import OfflineTokenizer

DAY = timedelta(days=1)
ALL = Scope()


class World:
    """One store, its clock, and the verbs of a writer who only knows rows. It starts at noon of 1 March 2026."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.clock = FrozenClock("2026-03-01T12:00:00+00:00")
        self.store = open_store(":memory:", Settings(durability="normal"))
        self.engine = Engine(self.store, embedder, OfflineTokenizer(), Settings(), self.clock)

    @property
    def now(self) -> datetime:
        """The time by the clock."""
        return self.clock.now()

    def after(self, days: float = 1) -> datetime:
        """Let time pass and return what time it was halfway."""
        before = self.now
        self.clock.advance(days * DAY)
        return before + days * DAY / 2

    # -------------------------------------------------------------------------------------------------------- writing

    def add(self, content: str, **fields: Any) -> str:
        """Keep a memory from now on and return its id."""
        times = dict.fromkeys(("recorded_at", "updated_at", "valid_from"), self.now)
        made = memory(content, **{**times, **fields})
        self.store.write(lambda tx: self._put(tx, Record(made, identity=made.id, salt="salt")), made.scope.org)
        return made.id

    def edit(self, memory_id: str, *, change: str = "edit", **fields: Any) -> None:
        """Change a memory and keep the state before it; `change` says what for."""
        before = self.record(memory_id)
        state = json.dumps(before.memory.to_row())
        now, old = self.now, before.memory
        row = Revision(before.num, old.version, old.updated_at, now, state, change)
        self.store.write(lambda tx: tx.put(row), old.scope.org)
        self.overwrite(memory_id, updated_at=now, version=old.version + (change == "edit"), **fields)

    def overwrite(self, memory_id: str, **fields: Any) -> None:
        """Change a memory as if it had always been so."""
        before = self.record(memory_id)
        after = replace(before, memory=replace(before.memory, **fields))
        self.store.write(lambda tx: self._put(tx, after), before.memory.scope.org)

    def supersede(self, old: str, new: str) -> None:
        """Let a memory take another's place from its own beginning on."""
        ends = max(self.get(old).valid_from, self.get(new).valid_from)
        self.edit(old, change="supersede", superseded_by=new, valid_until=ends)

    def correct(self, old: str, new: str | None = None) -> None:
        """Say that a memory was never true."""
        self.edit(old, change="correct", superseded_by=new, believed_until=self.now)

    def forget(self, memory_id: str) -> None:
        """Hide a memory; its states are not kept for it."""
        self.overwrite(memory_id, status=Status.FORGOTTEN, believed_until=self.now, updated_at=self.now)

    def link(self, one: str, relation: str, other: str) -> None:
        """Join two memories."""
        source = self.record(one)
        edge = Edge(source.num, relation, self.record(other).num)
        self.store.write(lambda tx: tx.put(edge), source.memory.scope.org)

    def _put(self, tx: Transaction, record: Record) -> None:
        terms = index_counts(record.memory.content)
        namespace = tx.namespace(record.memory.scope.org, record.memory.scope.user)
        (num,) = tx.put(replace(record, length=sum(terms.values())))
        tx.delete(Posting, [Test("ns", "eq", namespace), Test("num", "eq", num)])
        tx.put(*(Posting(namespace, term, num, times) for term, times in terms.items()))
        if self.engine.embedder is not None:
            tx.delete(Vector, [Test("ns", "eq", namespace), Test("num", "eq", num)])
            (vector,) = FakeEmbedder().embed([record.memory.content])
            tx.put(Vector(namespace, self.engine.embedder.id, num, vector))

    # -------------------------------------------------------------------------------------------------------- reading

    def record(self, memory_id: str) -> Record:
        """Return the row of a memory as it is now."""
        with self.store.read() as reader:
            (found,) = reader.find(Record, [Test("id", "eq", memory_id)])
        return found

    def get(self, memory_id: str) -> Memory:
        """Return a memory as it is now."""
        return self.record(memory_id).memory

    def at(self, **when: Any) -> PointInTime:
        """Return a standpoint in time."""
        return point_in_time(self.engine, **when)

    def chosen(self, at: PointInTime, scope: Scope, **filters: Any) -> Filter:
        """Return the filter of a recall."""
        flags = {name: filters.pop(name) for name in ("exclude_superseded", "include_quarantined") if name in filters}
        return select(scope, conditions_at(at, **flags), **filters)

    def ask(
        self,
        query: str,
        *,
        k: int = 10,
        when: dict[str, Any],
        scope: Scope = ALL,
        ranking: Convex | None = None,
        **filters: Any,
    ) -> Recall:
        """Recall from a point in time."""
        at = self.at(**when)
        where = self.chosen(at, scope, **filters)
        scoring = resolve_scoring(ranking, self.engine.embedder, self.engine.retention)
        request = Request(query=query, where=where, k=k, now=at.now, known_at=at.known_at, ranking=scoring)
        return recall(self.engine, request)

    def texts(self, query: str = "", *, scope: Scope = ALL, **options: Any) -> set[str]:
        """Return the texts found from a point in time (`as_of`, `known_at`, `now`); an empty question finds all."""
        when: dict[str, Any] = {name: options.pop(name) for name in ("as_of", "known_at", "now") if name in options}
        return {hit.content for hit in self.ask(query, k=1000, when=when, scope=scope, **options)}

    def listed(self, status: str | list[str] = "active", *, scope: Scope = ALL, **when: Any) -> list[str]:
        """Return the texts of a listing, newest recorded first."""
        at = self.at(**when)
        where = select(scope, status_conditions(status, at))
        page = listing.list_memories(self.engine, where, at, order="-recorded_at", limit=1000)
        return [each.content for each in page]

    def facts(self, *, scope: Scope = ALL, where: Any = None, when: dict[str, Any], **parts: Any) -> list[str]:
        """Return the texts of facts from a point in time."""
        at = self.at(**when)
        found = facts(self.engine, select(scope, conditions_at(at), where=where), at, **parts)
        return [each.content for each in found]


def contents(found: Iterable[Memory | Hit]) -> list[str]:
    """Return the texts of memories or hits."""
    return [each.content for each in found]
