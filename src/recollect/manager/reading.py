"""Reading: questions, lists, histories, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.checks import When, checked_bool, checked_budget
from recollect.filters import Filter, Test, listed, live, reachable
from recollect.manager.view import View
from recollect.models import Memory, Status
from recollect.protocols import Record
from recollect.read import chain, counting, listing
from recollect.read.pipeline import recall as find
from recollect.read.selection import select
from recollect.results import ChainReport, Page, Recall, Stats
from recollect.scopes import identifier, nearest
from recollect.security.audit import check


class Reading(View):
    """The methods that read."""

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
        wanted = reachable(self._scope).but(named(memory_id, key), Test("status", "ne", Status.FORGOTTEN))
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
        return chain.history(self._engine, self._scope, identifier(memory_id, "memory_id"))

    def stats(self) -> Stats:
        """Count the view's memories, jobs and vectors, and this manager's own calls."""
        return counting.stats(self._engine, self._scope)

    get_stats = stats

    def verify_audit(self) -> ChainReport:
        """Walk this org's audit chain and say whether an entry was edited, removed, reordered or cut off."""
        return check(self._engine, self._scope.org)


_ASKED = "kinds domain tags all_tags tiers where session shared since until min_trust"
_LISTED = "status kinds domain tags all_tags tiers where session actor since until"


def _picked(values: Mapping[str, Any], names: str) -> dict[str, Any]:
    return {name: values[name] for name in names.split()}


def named(memory_id: str | None, key: str | None) -> Test:
    """Return the test of the one memory that a caller names, by id or by key."""
    if (memory_id is None) == (key is None):
        raise ValueError("name one memory: by its id, or by key=")
    if memory_id is not None:
        return Test("id", "eq", identifier(memory_id, "memory_id"))
    return Test("key", "eq", identifier(key, "key"))
