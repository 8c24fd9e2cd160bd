"""The interface of a store: what each engine implements, and what everything above it is written against.

A `Store` hands out consistent views of its rows: a `Reader` to read them, a `Transaction` to change them too. Rows are
typed (`engrain.storage.rows`), filters are values (`engrain.filters`). Functions derived from these methods are
written once, at the end of this module; `engrain.testing.StoreConformance` tests an engine.

Every method of a view raises `StoreUnavailable` when the store cannot be reached or is closed, `StoreCorrupt` when a
row is invalid, and `RuntimeError` when a filter or a row names another org than that of the view.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

from engrain.language.tokens import ANALYSER
from engrain.lazy import Floats, Ints, np
from engrain.model.filters import Condition, Filter, Test, Where
from engrain.model.memory import Job, Scope
from engrain.storage import rows as tables
from engrain.storage.rows import ALL_AGENTS, OWN, STORE_ORG, CollectionRow, ConversationRow, EntityRow, MergeRow, Row

T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K")
AT_ONCE = 500  # values of one query
TOKENS = "analyser"  # the setting of a store that names the analyser of its texts


class Reader(Protocol):
    """A consistent view of the store: nothing that is committed after it began is visible in it.

    Every search takes a `Filter`, evaluates it inside the search, and returns nothing outside it.
    """

    def find(
        self, kind: type[R], where: Where = (), *, order: str = "num", limit: int | None = None, links: bool = True
    ) -> list[R]:
        """Return rows of one kind.

        Args:
            kind: The type of the rows, one of those in `Row`.
            where: A filter, whose scope holds for records and for everything that belongs to one or to a namespace; or
                conditions on columns, all of which must hold, that know no scope.
            order: A column, descending with a leading `-`; what is missing comes first, and last when descending. Ties
                are in the order of the rows' numbers, or else of their key.
            limit: The most rows to return; None for all.
            links: False reads records without their links and what they superseded, however many there are.

        Returns:
            The rows. Records have their links, and what they superseded, as far as the filter's agent may see them.

        Raises:
            ValueError: Rows of this kind cannot be ordered by that column.
        """

    def together(self, *calls: Callable[[], Any], last: bool = False) -> list[Any]:
        """Return the results of several calls of this reader; an engine on a server runs them concurrently.

        Args:
            calls: Functions that only read. One may be called again from its beginning until it is answered.
            last: As a rule nothing is read after them: the view may end with what they ask for, and what is read after
                that is of a later one. A transaction goes on.
        """

    def count(self, kind: type[Row], where: Where = (), *, by: str | None = None) -> Mapping[str, int]:
        """Count rows.

        Args:
            kind: The type of the rows.
            where: As in `find`.
            by: A column whose values are counted apart; None for all rows together.

        Returns:
            The numbers by the column's values as text, in their order; without `by` one number under the key ``""``.
        """

    def look_up(
        self,
        org: str,
        user: str | None,
        *,
        identities: Sequence[str] = (),
        terms: Sequence[str] = (),
        rows: int = 0,
        names: Sequence[str] = (),
    ) -> tables.LookUp:
        """Return at once what a write needs before it reads any memory.

        Args:
            org: The org.
            user: The user, None for the namespace of what carries none.
            identities: The identities of new memories; see `Record.identity`.
            terms: Index terms to return the rows of.
            rows: The most rows of the namespace to return for each term, the oldest first, without reading on.
            names: Keys of entities that are wanted, of whatever type.

        Returns:
            What was found; the namespace is not made when it is missing.
        """

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> tables.Ranked:
        """Rank rows by BM25, with the statistics of the searched namespaces.

        Args:
            terms: Index terms and how much each counts; 1.0 is as it is.
            where: The rows that may be found.
            limit: The most rows to return; 0 for the statistics of the terms alone.

        Returns:
            The rows that have any of the terms, best first, equal ones in the order of their numbers, with the
            statistics of the terms in the namespaces of the filter's scope.
        """

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> tables.Ranked:
        """Rank rows by the cosine of their vector with another one, exactly.

        Args:
            embedder: The id of the embedder whose vectors are compared.
            vector: The vector to compare with, of any length but zero.
            where: The rows that may be found.
            limit: The most rows to return.

        Returns:
            The rows that have such a vector, best first, equal ones in the order of their numbers.

        Raises:
            ValueError: The vector is not finite, or has another number of dimensions than those of the embedder.
        """

    def search_time(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, newest first, equal ones by falling number.

        Args:
            where: The rows that may be found.
            limit: The most rows to return.
            since: The earliest event time, included; None for no bound.
            until: The first event time that is too late; None for no bound.
        """

    def describe(
        self,
        nums: Ints,
        where: Filter,
        *,
        span: int = 0,
        lenders: Ints | None = None,
        terms: Mapping[str, float] | None = None,
        embedder: str | None = None,
        vector: Floats | None = None,
        nearest: int = 0,
    ) -> tables.Description:
        """Return the columns that ranking needs of rows that were found.

        Args:
            nums: The rows; numbers that are no row's are answered with zeros.
            where: The rows that count as neighbours and for the scores of sessions.
            span: How many positions before and after each row to look at in its session.
            lenders: Rows whose neighbours are described as if they had been asked for; None for none.
            terms: Index terms to score rows and sessions by, and how much each counts for a session; None for none.
            embedder: The id of the embedder whose vectors `vector` is compared with; None for no cosines.
            vector: The vector of the question.
            nearest: How many of the rows nearest to the vector to find, as `search_vector` does, and describe too.

        Returns:
            What is asked for. All of it is finite, but for the cosines of rows that have none.

        Raises:
            ValueError: As in `search_vector`.
        """

    def actors(self, where: Filter) -> Sequence[str]:
        """Return the actors of the rows that pass, each once."""

    def entities(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        """Return the entities that are visible, under their canonical names, by id.

        A visible entity is mentioned by a visible memory or was added by a caller. A name that another agent alone
        merged into another one is an entity by itself.

        Args:
            where: The memories that count as evidence, and whose scope the entities are in.
            type: The type of the entities; None for any.
            among: The only ids that may be returned; None for all.
            after: Only greater ids are returned.
            limit: The most entities to return.
        """

    def traverse(
        self,
        entities: Collection[int],
        where: Filter,
        at: tables.PointOfView,
        *,
        begun: Filter,
        ends: Sequence[str] = (),
        together: int | None = 0,
        mentions: int = 0,
    ) -> tables.Surroundings:
        """Return the relations and mentions of entities, one step around them.

        Args:
            entities: The rows of the entities, under all their names.
            where: The memories that count as evidence.
            at: Who looks, and when.
            begun: The memories that are evidence of relations with an interval of their own, begun or not.
            ends: The ends of relations to look at: `source`, `target` or both; each relation comes once.
            together: Of how many of each entity's newest mentions that pass to return who else is there; None for all.
            mentions: How many of each entity's newest mentions to return, whether or not they pass.

        Returns:
            The relations that hold then and whose evidence passes, or that need none, ordered by end, relation, other
            end and evidence; who is named together with an entity, by row; and rows that mention entities.
        """


class Transaction(Reader, Protocol):
    """A reader that may also write; it sees its own changes, and everything in it commits together or not at all."""

    def namespace(self, org: str, user: str | None) -> int:
        """Return the number of a namespace, which is made when it is new.

        Args:
            org: The org.
            user: The user, None for the namespace of what carries none.
        """

    def put(self, *rows: Row) -> Sequence[int]:
        """Insert rows of any kinds, in the order given.

        A record with a number replaces that row, and an access row what is counted of its record. A setting, head,
        vector, job, edge, receipt, witness, note, mention, merge, summary or exact record replaces that of its key.

        Args:
            rows: The rows. Those that name their org must be of the transaction's.

        Returns:
            The numbers of the records and the ids of the entities among them, in order.

        Raises:
            StoreError: A row breaks a rule of the store, such as a second memory with one identity.
            ValueError: A vector is not finite, or of other dimensions than the embedder's others.
        """

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int:
        """Set columns of the rows that pass.

        Args:
            kind: The type of the rows.
            where: Conditions on columns, all of which must hold.
            changes: The new values by column.

        Returns:
            How many rows there were.
        """

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        """Remove the rows that pass.

        Args:
            kind: The type of the rows.
            where: Conditions on columns, all of which must hold.

        Returns:
            How many rows there were.

        Raises:
            StoreError: Other rows refer to one of them.
        """

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease a job: the one that has been due longest, else the one whose lease ran out first.

        Args:
            kinds: The kinds of jobs that the worker carries out.
            worker: The name of the worker.
            now: The time at which jobs are due.
            lease_until: When the lease runs out.

        Returns:
            The job, its attempts raised by one; None when there is none, or others are taking what there is.
        """


class Store(Protocol):
    """Where memories are kept: one file, or a database on a server. Safe for threads; a process may hold several.

    `org` is the org of the rows that are read and written, and nothing else is found then; None is for what concerns
    the whole store, such as a worker that looks for jobs.
    """

    @property
    def url(self) -> str:
        """Where it is: a path, ``":memory:"``, or an address without its password."""

    @property
    def read_only(self) -> bool:
        """Whether it can be read alone; `write` raises `StoreUnavailable` then."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called; nothing can be read or written then."""

    def read(self, org: str | None = None) -> AbstractContextManager[Reader]:
        """Open a consistent view, which ends with the `with` block.

        Args:
            org: The org that the view is bound to, None for none.
        """

    def write(
        self, change: Callable[[Transaction], T], org: str | None = None, users: Collection[str | None] | None = None
    ) -> T:
        """Run a change in a transaction and return its result once it is durable.

        The changes of several callers may share one commit; each succeeds or fails alone.

        Args:
            change: Called with the transaction. It must be repeatable and free of side effects outside of it: it may
                run again after a conflict. Whatever thread it runs in, it sees the context variables of the caller.
            org: The org that the transaction is bound to, None for none.
            users: The users whose namespaces it changes, None among them for what carries no user: writers of others
                need not wait for it. Default None: it waits for all writers of the org, and they for it.

        Returns:
            What `change` returned.

        Raises:
            RuntimeError: A change writes to its own store.
            StoreUnavailable: The store is read-only, locked by others for too long, full, or cannot be reached.
        """

    def snapshot(self, path: str) -> str:
        """Write a complete, consistent copy, which opens as a store of its own.

        Args:
            path: Where to write it; nothing may be there. A copy that is interrupted is never found under that name.

        Returns:
            The absolute path.

        Raises:
            StoreUnavailable: Something is there already, or it cannot be written.
        """

    def purge(self, *, rewrite: bool = False) -> bool:
        """Remove what was deleted from logs and free space.

        Args:
            rewrite: Write the files anew too, of living rows only.

        Returns:
            True when deleted bytes are gone as far as the engine knows (`residue` looks whether they are); False while
            a reader, or the engine itself, still needs what was there before.

        Raises:
            StoreUnavailable: The files are larger than those that the engine rewrites unasked.
        """

    def residue(self, traces: Collection[bytes]) -> tables.Residue | None:
        """Return the byte strings that are anywhere in the files, used or free.

        Args:
            traces: What to look for; shorter ones than 6 bytes are not looked for.

        Returns:
            What was found; None when the files cannot be searched.
        """

    def drop_copies(self) -> int:
        """Delete the copies of the store that the engine itself made next to it; return how many there were."""

    def maintain(self) -> None:
        """Do the periodic maintenance of the engine, in the background; stored content does not change."""

    def size(self) -> int:
        """Return the bytes the store takes on disk."""

    def close(self) -> None:
        """Close every connection; closing twice is closing once. Methods raise `StoreUnavailable` afterwards."""


def first(reader: Reader, kind: type[R], *tests: Condition, order: str = "num") -> R | None:
    """Return the first row of a kind that passes, None without one."""
    return next(iter(reader.find(kind, tests, order=order, limit=1)), None)


def in_pages(
    reader: Reader, kind: type[R], column: str, *tests: Condition, after: Any = 0, size: int = AT_ONCE
) -> Iterator[list[R]]:
    """Yield the rows that pass, some at a time, in the order of a column of theirs, whose values are all different."""
    while page := reader.find(kind, [*tests, Test(column, "gt", after)], order=column, limit=size):
        yield page
        after = getattr(page[-1], column)


def highest(reader: Reader, kind: type[Row], column: str, where: Sequence[Condition] = ()) -> int | None:
    """Return the largest value of an integer column by which rows can be ordered; None if no row has one."""
    rows: list[Any] = reader.find(kind, [*where, Test(column, "ne", None)], order=f"-{column}", limit=1, links=False)
    return int(getattr(rows[0] if hasattr(rows[0], column) else rows[0].memory, column)) if rows else None


def text_stats(reader: Reader, terms: Sequence[str], where: Filter) -> tables.TextStats:
    """Return how common terms are in the namespaces of a filter's scope."""
    return reader.search_text(dict.fromkeys(terms, 1.0), where, limit=0).stats


def gains(reader: Reader, terms: Sequence[str], nums: Ints, where: Filter) -> Floats:
    """Return the contribution of each term (by row) to the BM25 score of each of some rows (by column)."""
    found = reader.describe(nums, where, terms=dict.fromkeys(terms, 0.0))
    return np.asarray(found.gains.take(tables.places_of(found.rows, nums), axis=1))


def cosines(reader: Reader, embedder: str, vector: Floats, nums: Ints, where: Filter) -> Floats:
    """Return the cosine of each of some rows; NaN for one without a vector."""
    found = reader.describe(nums, where, embedder=embedder, vector=vector)
    return np.asarray(found.cosines[tables.places_of(found.rows, nums)])


def holders(reader: Reader, org: str, user: str | None, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
    """Return, for each term, rows of a namespace that contain it, in row order and at most `limit`, without a scan."""
    return reader.look_up(org, user, terms=terms, rows=limit).holders


def writers(scope: Scope) -> tuple[str | None, ...] | None:
    """Return the users that a view writes for, as `Store.write` takes them: the organisation's view for any."""
    return None if scope.user is None else (scope.user,)


def named(reader: Reader, keys: Collection[str], where: Filter) -> list[EntityRow]:
    """Return the entities in the scope of a filter with one of these keys, of any type, by id."""
    if not keys:
        return []
    scope = Filter(where.org, where.user, where.shared, (Test("key", "in", tuple(keys)),))
    return reader.find(EntityRow, scope, order="id")


def among(
    reader: Reader, kind: type[R], column: str, values: Collection[Any], *tests: Condition, order: str = "id"
) -> list[R]:
    """Return the rows of a kind with a column that is one of the values and that pass the tests."""
    some = ([Test(column, "in", tuple(batch)), *tests] for batch in batches(values, AT_ONCE))
    return [*chain(*reader.together(*(partial(reader.find, kind, each, order=order) for each in some)))]


def above(reader: Reader, rows: Sequence[EntityRow], viewer: str | None) -> dict[int, int]:
    """Return what entities are merged into for all agents, or for the viewer; None sees the merges of every agent."""
    found = {row.id: into for row in rows if (into := row.above(viewer)) is not None}
    if viewer in (None, ALL_AGENTS):
        return found
    free = [row for row in rows if row.id not in found]
    return found | {row.other: row.keep for row in _own(reader, "other", free, viewer)}


def below(reader: Reader, rows: Collection[EntityRow], viewer: str | None) -> list[tuple[EntityRow, int]]:
    """Return the rows merged into entities, one level down, in the view of an agent, each with the id of the entity."""
    ids = {row.id for row in rows}
    found = {row.id: row for row in among(reader, EntityRow, "merged_into", ids)}
    if viewer is not None:
        own = {row.other for row in _own(reader, "keep", rows, viewer)} - found.keys()
        found |= {row.id: row for row in among(reader, EntityRow, "id", own)}
    into = above(reader, list(found.values()), viewer)
    return [(found[each], into[each]) for each in sorted(found) if into.get(each) in ids]


def _own(reader: Reader, end: str, rows: Collection[EntityRow], agent: str) -> list[MergeRow]:
    """Return an agent's own merges with one of the entities at one end, if its row has another agent's."""
    own = Test("ns", "in", tuple({row.ns for row in rows})), Test("state", "eq", OWN), Test("agent", "eq", agent)
    return among(reader, MergeRow, end, [row.id for row in rows], *own)


def rooted(reader: Reader, rows: Sequence[EntityRow], viewer: str | None) -> dict[int, EntityRow]:
    """Return, by the id of each row, the entity that it is merged into for an agent, or itself."""
    known, into = {row.id: row for row in rows}, dict[int, int]()
    new = list(rows)
    while new:
        into |= above(reader, new, viewer)
        new = among(reader, EntityRow, "id", set(into.values()) - known.keys())
        known |= {row.id: row for row in new}
    found = {}
    for row in rows:
        top = row.id
        while into.get(top) in known:
            top = into[top]
        found[row.id] = known[top]
    return found


def evidence(reader: Reader, nums: Collection[int], where: Filter) -> Mapping[int, tables.EvidenceRow]:
    """Return the memories that pass, by number, with the evidence data for a relation."""
    if not nums:
        return {}
    return {row.num: row for row in reader.find(tables.EvidenceRow, where.but(Test("num", "in", tuple(nums))))}


def users(reader: Reader, org: str) -> list[str | None]:
    """Return the users of an org that the store knows, None for rows without a user."""
    return list(owners(reader, Filter(org)).values())


def owners(reader: Reader, where: Filter) -> dict[int, str | None]:
    """Return the namespaces in the scope of a filter, by number, with the user of each."""
    scope = Filter(where.org, where.user, where.shared)
    return {row.id: row.user for row in reader.find(tables.NamespaceRow, scope, order="id")}


def abandon(transaction: Transaction, org: str, user: str | None) -> bool:
    """Free the name of a user's empty namespace, whose number is never used again; False if it is not empty."""
    if user is None:
        return False
    number = transaction.namespace(org, user)
    here = Test("ns", "eq", number)
    kinds: tuple[type[Row], ...] = (tables.Record, EntityRow, ConversationRow, CollectionRow, MergeRow)
    if any(first(transaction, kind, here) is not None for kind in kinds):
        return False
    transaction.delete(tables.CounterRow, [here])
    transaction.update(tables.NamespaceRow, [Test("id", "eq", number)], user=f"erased {uuid.uuid4().hex}")
    return True


def setting(store: Store, name: str) -> str | None:
    """Return the value of a setting of the whole store, None without one of that name."""
    with store.read(STORE_ORG) as reader:
        return value_of(reader, STORE_ORG, name)


def other_analyser(store: Store) -> str | None:
    """Return the analyser that made the index terms of a store, None if it is the present one."""
    made_by, _, _ = (setting(store, TOKENS) or ANALYSER).partition(",")
    return made_by if made_by != ANALYSER else None


def value_of(reader: Reader, org: str, name: str) -> str | None:
    """Return the value of a setting of an org, None without one of that name."""
    found = first(reader, tables.Setting, Test("org", "eq", org), Test("name", "eq", name))
    return None if found is None else found.value


def imprints(transaction: Transaction, nums: Sequence[int]) -> list[bytes]:
    """Return the byte strings by which the vectors of some rows are recognised in the engine's files."""
    found = transaction.find(tables.Vector, [Test("num", "in", tuple(nums))], order="num") if nums else []
    kept = (row.values.astype("<f2").tobytes()[:24] for row in found)  # bytes of a vector by which it is known
    return [each for each in kept if any(each)]


def batches(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield rows in lists of at most `size`."""
    waiting = iter(rows)
    while batch := list(islice(waiting, size)):
        yield batch


def grouped(rows: Iterable[T], key_of: Callable[[T], K]) -> dict[K, list[T]]:
    """Return rows grouped by a key, such as the org, since a transaction may write rows of only one org."""
    found: dict[K, list[T]] = {}
    for row in rows:
        found.setdefault(key_of(row), []).append(row)
    return found
