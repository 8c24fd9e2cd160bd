"""The interface of a store: what each engine implements, and everything above it is written against."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from engrain.arrays import Floats, Ints
from engrain.model.filters import Condition, Filter
from engrain.model.memory import Job
from engrain.storage.rows import Columns, EntityRow, Living, Ranked, Residue, Row, Said, TextStats, Together

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Sighting:
    """Who looks at relations, None for an administrator, and when: what holds at `valid_at`.

    What was stated by hand counts as it is believed now, or was at `known_at`.
    """

    agent: str | None
    valid_at: datetime
    known_at: datetime | None = None


class GraphReader(Protocol):
    """What a view of the store tells of its graph; every answer keeps inside the walls of a filter."""

    def named(self, keys: Sequence[str], where: Filter) -> list[EntityRow]:
        """Return the entities inside the walls of a filter whose key is one of these, of whatever type, by id."""
        ...

    def known(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        """Return entities under their canonical names, by id, that stand by themselves or that a memory mentions.

        `among` names the rows that are asked about. A name that another agent alone says is another's stands for
        itself.
        """
        ...

    def owners(self, where: Filter) -> Mapping[int, str | None]:
        """Return the namespaces inside the walls of a filter, by number, with the user of each."""
        ...

    def living(self, nums: Sequence[int], where: Filter) -> Mapping[int, Living]:
        """Return those of the rows that pass, with what a relation wants to know of its evidence."""
        ...

    def said(
        self,
        end: Literal["source", "target"],
        entities: Collection[int],
        where: Filter,
        at: Sighting,
        *,
        begun: Filter,
    ) -> list[Said]:
        """Return the relations that have this end among entities, hold then, and whose evidence passes or is none.

        Of one with an interval of its own the evidence need not have begun to hold: it must pass `begun`.
        """
        ...

    def newest_mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        """Return, of each entity, the `most` newest memories about it, as (entity, num), whether or not they pass."""
        ...

    def together(self, entities: Collection[int], where: Filter, *, most: int | None = None) -> list[Together]:
        """Return who is named beside entities in memories that pass and say something by it.

        Of each entity the `most` newest mentions are looked at, whether or not they pass; None means all.
        """
        ...


class Reader(GraphReader, Protocol):
    """A consistent view of the store. Every search takes a `Filter` and returns nothing outside it."""

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", limit: int | None = None
    ) -> list[R]:
        """Return rows of one kind. Records take a `Filter`; `order` is a column, descending with a leading `-`."""
        ...

    def count(
        self, kind: type[Row], where: Filter | Sequence[Condition] = (), *, by: str | None = None
    ) -> Mapping[str, int]:
        """Count rows; with `by` per value of that column, else under the key ``""``."""
        ...

    def highest(self, kind: type[Row], column: str, where: Sequence[Condition]) -> int | None:
        """Return the largest value of a column of whole numbers, None when no row has one."""
        ...

    def text_stats(self, terms: Sequence[str], where: Filter) -> TextStats: ...
    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by BM25 (weights per term, statistics per namespace) over the rows that pass the filter."""
        ...

    def score_terms(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each of the terms (by row) adds to the BM25 score of each row found (by column), 0 where none."""
        ...

    def holders(self, namespace: int, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
        """Return, for each term, rows of a namespace that hold it, in row order and at most `limit`, without a scan."""
        ...

    def score_sessions(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Return for each row the BM25 score of its session as one document made of the rows that pass the filter."""
        ...

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine among the vectors of that embedder, exact and rescored."""
        ...

    def score_vector(self, embedder: str, vector: Floats, nums: Ints) -> Floats:
        """Return the cosine of each row, NaN where it has no vector of that embedder."""
        ...

    def neighbours(self, nums: Ints, where: Filter, *, span: int) -> Ints:
        """Return, for each row, the rows at positions -span..-1 and 1..span of its session that pass, -1 where none."""
        ...

    def latest(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, newest first; those from `since` on and before `until`."""
        ...

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass."""
        ...

    def columns(self, nums: Ints) -> Columns: ...


class Transaction(Reader, Protocol):
    """A reader that may also write; everything in it commits together or not at all."""

    def namespace(self, org: str, user: str | None) -> int:
        """Return the number of the namespace, making it when new."""
        ...

    def put(self, *rows: Row) -> Sequence[int]:
        """Insert rows (a `Setting`, `Head`, `Vector`, `Job` or graph row replaces its like).

        Returns the numbers of the records and the ids of the entities among them.
        """
        ...

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int: ...
    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int: ...
    def imprints(self, nums: Sequence[int]) -> Sequence[bytes]:
        """Return the byte strings by which the vectors of these rows would be known in the engine's files."""
        ...

    def users(self, org: str) -> Sequence[str | None]:
        """Return the users of an org that the store knows, None for what carries no user."""
        ...

    def abandon(self, org: str, user: str | None) -> bool:
        """Give up the name of a user's namespace that holds nothing any more; False when it still holds something."""
        ...

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease the next job that is due, or whose lease has run out, to `worker`; None when there is none."""
        ...


class Store(Protocol):
    """Where memories are kept. `write` may run several callers' functions in one commit; each stands or falls alone.

    `org` says whose rows are read and written, and nothing else is found then; None is for what concerns the whole
    store, such as a worker that looks for jobs.
    """

    @property
    def url(self) -> str: ...
    @property
    def read_only(self) -> bool: ...
    def read(self, org: str | None = None) -> AbstractContextManager[Reader]: ...
    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        """Run `change` in a transaction and return its result once it is durable.

        `change` must be repeatable and free of side effects outside the transaction: it may run again after a conflict.
        Whatever thread it runs in, it sees the context variables of whoever called.
        """
        ...

    def snapshot(self, path: str) -> str: ...
    def purge(self) -> bool:
        """Take what was deleted out of logs and free space; False while a reader, or the engine itself, still pins it.

        Returns True when deleted bytes are gone as far as the engine knows; `residue` looks whether they are.
        """
        ...

    def compact(self) -> bool:
        """Write the files anew, of living rows only; False while what was there before is still pinned."""
        ...

    def residue(self, traces: Collection[bytes]) -> Residue | None:
        """Return which of these byte strings stand anywhere in the files, used or free; None when they cannot be.

        Those of fewer than 6 bytes are not looked for.
        """
        ...

    def tend(self) -> None:
        """Do what the engine wants done now and then, and nobody waits for; what is kept stays as it is."""
        ...

    def drop_copies(self) -> int:
        """Delete the copies of the store that the engine itself made beside it; return how many there were."""
        ...

    def size(self) -> int:
        """Return the bytes the store takes on disk."""
        ...

    def close(self) -> None: ...
