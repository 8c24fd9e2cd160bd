"""Copy of a whole store into another one: org by org, table by table, each transaction recording its progress."""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from engrain.errors import StoreError
from engrain.guard import checkpoint
from engrain.model.memory import AuditEntry, Job
from engrain.storage import rows as tables
from engrain.storage.interface import Store, Transaction, value_of
from engrain.storage.rows import MEMORY_COLUMNS, TABLES, AnswerRow, CollectionRow, ConversationRow, Edge, Head, Setting
from engrain.storage.sql.reader import SQLReader

MARK = "migration"
"""The setting of a store that is the target of a move; it is the prefix of those that record the progress."""
MARKED = f"name LIKE '{MARK}%'"

Place: TypeAlias = list[Any]  # a position in a table, in the engine's own form; later ones are greater
Rows: TypeAlias = Sequence[tuple[Any, ...]]
Pages: TypeAlias = Iterator[tuple[Place, Rows]]


class Copied(NamedTuple):
    """A table, or a part of one, to be copied: by pages of `size` rows in the order of `key`.

    Rows of a table without an org belong to a row of its `parent` by their column `by`.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    parent: str = ""
    by: str = ""
    table: str = ""
    condition: str = "1=1"
    size: int = 500

    @property
    def read_from(self) -> str:
        """The table that has the rows."""
        return self.table or self.name


def _kept(kind: type, parent: str = "", by: str = "", **more: Any) -> Copied:
    table = TABLES[kind]
    key = tuple(column for column in table.key if column != "org")
    return Copied(table.name, table.columns, key or table.key, parent, by, **more)


# Each after the tables that it refers to.
COPIED: tuple[Copied, ...] = (
    Copied("namespace", ("id", "org", "user"), ("id",)),
    Copied("memory", MEMORY_COLUMNS, ("num",), "namespace", "ns"),
    _kept(tables.Revision, "memory", "num"),
    _kept(Edge, "memory", "source"),
    _kept(tables.Posting, "namespace", "ns", size=10_000),
    Copied("vector", ("ns", "embedder", "num", "v"), ("ns", "embedder", "num"), "namespace", "ns", size=2_000),
    _kept(tables.WitnessRow, "memory", "num"),
    _kept(tables.EntityRow, "entity", "id"),
    # Entities are merged into one another, so all of them are copied before any merge.
    Copied("merged", ("id", "merged_into"), ("id",), "entity", "id", "entity", "merged_into IS NOT NULL"),
    _kept(tables.EntityNote, "entity", "entity"),
    _kept(tables.MentionRow, "entity", "entity", size=5_000),
    _kept(tables.RelationRow, "entity", "source"),
    _kept(tables.MergeRow, "namespace", "ns"),
    _kept(ConversationRow, "conversation", "num"),
    _kept(tables.SummaryRow, "conversation", "conversation"),
    _kept(tables.TurnRow, "conversation", "conversation"),
    _kept(CollectionRow, "namespace", "ns"),
    _kept(tables.ExactRow, "collection", "collection", size=20),  # whose values may be long
    _kept(AuditEntry, size=2_000),
    _kept(Head),
    _kept(tables.ReceiptRow),
    _kept(Job, size=2_000),
    _kept(tables.KeyRow),
    _kept(AnswerRow),
    _kept(Setting, condition=f"NOT {MARKED}"),
)
NUMBERED = {  # tables of rows with numbers that are assigned once, each with the column that has them
    each.name: each.key[0]
    for each in COPIED
    if each.name in ("namespace", "memory", "revision", "entity", "relation", "conversation", "collection")
}

_TOGETHER = 1_000  # rows: smaller pages are written together
_DIGEST = 16
_MOST = 1 << 8 * _DIGEST
Report = Callable[[int, str], None]


class Whole(Protocol):
    """A view of a whole store that can be copied."""

    def orgs(self) -> Sequence[str]:
        """Return the orgs with any rows, by name; '' is that of the store's own rows."""

    def amount(self) -> int:
        """Return how many rows there are to copy."""

    def numbers(self) -> dict[str, int]:
        """Return the highest numbers ever assigned, by table, in all orgs."""

    def rows(self, table: Copied, org: str) -> Pages:
        """Yield the rows of an org, page by page, each with its end position."""


class Loading(Protocol):
    """A transaction that loads raw rows."""

    def load(self, table: Copied, rows: Rows) -> None:
        """Insert raw rows with their numbers; no existing row may have their keys."""

    def cleared(self) -> None:
        """Delete the rows that opening an empty store creates: settings and jobs of the store's own."""

    def complete(self, orgs: Sequence[str], numbers: dict[str, int]) -> None:
        """Remove the marks of a move, and continue numbering after the highest numbers of the source."""


class CopyingReader(SQLReader):
    """A view that can be copied whole."""

    def _pages(self, table: Copied, column: str, of: object, inside: Sequence[int] = ()) -> Pages:
        """Follow the key among the rows whose column has one value; the positions of pages begin with `inside`."""
        key = [name for name in table.key if name != column] or [column]
        named, marks = ", ".join(map(tables.called, key)), ", ".join("?" * len(key))
        read = self._listed(table)
        select = f"SELECT {named}, {read} FROM {table.read_from} WHERE {column} = ? AND {table.condition}"
        tail = f"ORDER BY {named} LIMIT {table.size}"
        found = self._page(table, f"{select} {tail}", [of])
        while found:
            last = list(found[-1][: len(key)])
            yield [*inside, *last], [row[len(key) :] for row in found]
            if len(found) < table.size:
                return
            found = self._page(table, f"{select} AND ({named}) > ({marks}) {tail}", [of, *last])

    def _page(self, table: Copied, statement: str, params: Sequence[object]) -> list[tuple[Any, ...]]:
        return self._ask(statement, params)

    def _listed(self, table: Copied) -> str:
        return ", ".join(self._expression(table, column) for column in table.columns)

    def _expression(self, table: Copied, column: str) -> str:
        """Return the expression of a column, so that every engine has the same value."""
        return tables.called(column)


@dataclass(slots=True)
class Sum:
    """The number of rows, and one digest of them all, in any order."""

    rows: int = 0
    digest: int = 0

    def add(self, rows: Rows) -> None:
        """Add rows; a row is the same in every engine, to the last bit."""
        self.rows += len(rows)
        for row in rows:
            hashed = hashlib.blake2b(marshal.dumps(row, 0), digest_size=_DIGEST).digest()
            self.digest += int.from_bytes(hashed, "big")
        self.digest %= _MOST


Sums = dict[str, Sum]


class SourceChanged(StoreError):
    """The source has changed since a part of it was copied."""


def summed(view: Whole, org: str, report: Report) -> Sums:
    """Return the sums of an org's tables."""
    sums = {table.name: Sum() for table in COPIED}
    for table in COPIED:
        for _, rows in view.rows(table, org):
            sums[table.name].add(rows)
            report(len(rows), table.name)
    return sums


def mark_of(org: str) -> str:
    """Return the name of the setting that records the progress of the copy of an org."""
    return f"{MARK} {json.dumps([org], ensure_ascii=False)}"


@dataclass(slots=True)
class Progress:
    """The progress of the copy of an org: the sums of copied rows, and the table and position where it stopped."""

    sums: Sums = field(default_factory=dict)
    table: str = ""
    place: Place = field(default_factory=list)

    def written(self) -> str:
        """Return it as the text of a setting."""
        sums = {name: [total.rows, f"{total.digest:x}"] for name, total in self.sums.items()}
        return json.dumps({"sums": sums, "table": self.table, "place": self.place}, ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Progress:
        """Read the output of `written`."""
        found = json.loads(text)
        sums = {name: Sum(rows, int(digest, 16)) for name, (rows, digest) in found["sums"].items()}
        return cls(sums, found["table"], found["place"])


class OrgCopy:
    """The copy of one org. With `marked`, transactions record its progress, from which an interrupted one continues."""

    def __init__(self, view: Whole, target: Store, org: str, report: Report, *, marked: bool) -> None:
        self._view, self._target, self._org, self._report, self._marked = view, target, org, report, marked
        self._before: str | None = None
        self._progress = Progress()

    def run(self) -> Sums:
        """Copy the remaining rows; return the sums of the source."""
        if self._marked:
            with self._target.read(self._org) as reader:
                self._before = value_of(reader, self._org, mark_of(self._org))
        begun = Progress.read(self._before) if self._before else Progress()
        self._progress = Progress()
        for table in COPIED:
            self._table(table, begun.sums.get(table.name), begun.place if begun.table == table.name else None)
        return self._progress.sums

    def _table(self, table: Copied, known: Sum | None, place: Place | None) -> None:
        """Copy a table, `known` being the sum of the existing rows, up to a position or, without one, all."""
        total = self._progress.sums[table.name] = Sum()
        skipping, batch, last = known is not None, list[tuple[Any, ...]](), Place()
        for reached, rows in self._view.rows(table, self._org):
            checkpoint(writes=True)
            total.add(rows)
            self._report(len(rows), table.name)
            if skipping:
                if reached == place:
                    self._same(table, total, known)
                    skipping = False
                continue
            batch += rows
            last = reached
            if len(batch) >= min(_TOGETHER, 10 * table.size):
                self._write(table, batch, last)
                batch = []
        if skipping:  # up to its end
            self._same(table, total, known if place is None else None)
        elif batch:
            self._write(table, batch, last)

    def _same(self, table: Copied, found: Sum, known: Sum | None) -> None:
        if found != known:
            raise SourceChanged(f"rows of {table.name} that were copied before have changed since")

    def _write(self, table: Copied, rows: Rows, place: Place) -> None:
        self._progress.table, self._progress.place = table.name, place
        after = self._progress.written()
        self._target.write(partial(self._load, table, rows, after), self._org)
        self._before = after

    def _load(self, table: Copied, rows: Rows, after: str, transaction: Transaction) -> None:
        if self._marked:
            if value_of(transaction, self._org, mark_of(self._org)) != self._before:
                url = self._target.url
                advice = "run one migration at a time, and no other writer"
                raise StoreError(f"another process writes into {url}: {advice}", path=url)
            transaction.put(Setting(mark_of(self._org), after, self._org))
        cast(Loading, transaction).load(table, rows)
