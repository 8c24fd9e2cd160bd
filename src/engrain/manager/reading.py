"""Reading without a question: one memory, lists, histories, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from engrain.manager.answering import Answering
from engrain.model.filters import Filter, Test
from engrain.model.memory import Kind, Memory, Status
from engrain.model.results import Page, ReviewItem, Stats
from engrain.model.scope import identifier, narrowed
from engrain.read import listing
from engrain.read import listing as chain
from engrain.read import listing as counting
from engrain.read import listing as queue
from engrain.read import listing as slots
from engrain.read.history import Standpoint, listed, shown, standpoint
from engrain.read.request import ENDED, heard, is_silent, select
from engrain.validation import When


class Reading(Answering):
    """The methods that read what is named or listed."""

    def get(
        self,
        memory_id: str | None = None,
        *,
        key: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> Memory | None:
        """Return one memory by id or by the caller's key; None when unknown, foreign or forgotten.

        Its `status` is the one it has now by the clock. Superseded, quarantined, archived and expired memories are
        returned too. With `known_at` it is as it was then, with `as_of` None unless it was valid then. A key means the
        view's own, then its user's common one; several further ones are a `ValueError`.
        """
        at = standpoint(self._engine, as_of=as_of, known_at=known_at)
        memory = listing.get(self._engine, self._scope, named(memory_id, key), at)
        if memory is not None and memory.kind is Kind.WORKING and is_silent(self._engine, memory.scope):
            memory = replace(memory, status=Status.ARCHIVED, status_reason=ENDED)
        return None if memory is None else self._accesses.shown(memory)

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[Memory]:
        """Return the memories that carry such a fact and are live, newest event time first.

        Parts are compared as facts are: case, articles and usual names of a predicate make no difference. Without any
        part all facts are returned. `as_of` and `known_at` look from another time, as in `recall`.
        """
        at = standpoint(self._engine, as_of=as_of, known_at=known_at)
        chosen = select(self._scope, shown(at), where=where)
        return slots.facts(self._engine, chosen, at, subject=subject, predicate=predicate, object=object)

    def review(self, *, kind: str | None = None, limit: int = 100, cursor: str | None = None) -> Page[ReviewItem]:
        """Return a page of what waits for a verdict; `validate` and `reject` settle it by its id.

        `kind` is quarantine (not admitted), contradiction (contested), procedure (mined, not confirmed) or merge (a
        text says that two entities are one). Memories come first, newest first, then merges.
        """
        return queue.review(self._engine, self._scope, kind, limit=limit, cursor=cursor)

    def pending(self, *, limit: int = 100, cursor: str | None = None) -> Page[ReviewItem]:
        """Return a page of the contradictions among what waits for a verdict."""
        return self.review(kind="contradiction", limit=limit, cursor=cursor)

    def list_memories(
        self,
        *,
        kinds: Iterable[str] | None = None,
        status: str | Iterable[str] = "active",
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        all_tags: Iterable[str] | None = None,
        tiers: Iterable[str] | None = None,
        heat: Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        actor: str | None = None,
        since: When | None = None,
        until: When | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        order: str = "-recorded_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """Return a page of memories; pass its `next` as `cursor` for the one after.

        `status` is one or several of active (live now), superseded, quarantined, archived, expired, forgotten, or
        all; `heat` of hot, warm and cold. `as_of` and `known_at` look from another time, as in `recall`. `order` is
        recorded_at, updated_at, valid_from or importance, with a leading `-` for the largest first.
        """
        chosen, at = self._listed(**_picked(locals(), _LISTED))
        return listing.list_memories(
            self._engine, chosen, order=order, limit=limit, cursor=cursor, known_at=at.known_at
        )

    def iter_memories(self, /, *, order: str = "-recorded_at", **filters: Any) -> Iterator[Memory]:
        """Go through all memories that `list_memories` would list with these filters."""
        chosen, at = self._listed(**filters)
        return listing.iterate(self._engine, chosen, order=order, known_at=at.known_at)

    def count(self, /, **filters: Any) -> int:
        """Count the memories that `list_memories` would list with these filters."""
        chosen, at = self._listed(**filters)
        return counting.count(self._engine, chosen, known_at=at.known_at)

    def _listed(self, *, status: str | Iterable[str] = "active", **filters: Any) -> tuple[Filter, Standpoint]:
        unknown = filters.keys() - set(_LISTED.split())
        if unknown:
            raise TypeError(f"unknown filter {min(unknown)!r}: use status, {', '.join(_LISTED.split()[1:])}")
        statuses = status if isinstance(status, str) else tuple(status)
        at = standpoint(self._engine, **{name: filters.pop(name, None) for name in ("as_of", "known_at")})
        scope = self._scope if filters.get("session") is None else narrowed(self._scope, session=filters["session"])
        if filters.get("heat") is not None:
            self._accesses.write(self._engine)
        where = select(self._scope, listed(statuses, at), **filters, clock=at.clock)
        alone = statuses in ("active", ("active",))
        return heard(self._engine, scope, where) if alone else where, at

    def history(self, memory_id: str) -> list[Memory]:
        """Return every version of what a memory says, oldest to newest; [] for an unknown id.

        The whole chain, both ways: what it superseded, what superseded it, and the texts each had before it was edited;
        forgotten ones included.
        """
        return chain.history(self._engine, self._scope, identifier(memory_id, "memory_id"))

    def stats(self) -> Stats:
        """Count the view's memories, conversations, jobs and vectors, and this manager's own calls."""
        return counting.stats(self._engine, self._scope)

    get_stats = stats


_LISTED = "status kinds domain tags all_tags tiers heat where session actor since until as_of known_at"


def _picked(values: Mapping[str, Any], names: str) -> dict[str, Any]:
    return {name: values[name] for name in names.split()}


def named(memory_id: str | None, key: str | None) -> Test:
    """Return the test of the one memory that a caller names, by id or by key."""
    if (memory_id is None) == (key is None):
        raise ValueError("name one memory: by its id, or by key=")
    if memory_id is not None:
        return Test("id", "eq", identifier(memory_id, "memory_id"))
    return Test("key", "eq", identifier(key, "key"))
