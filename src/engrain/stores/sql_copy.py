"""Whole stores as raw rows, for every engine: which tables are copied and in what order, and how rows are loaded.

What engines derive by themselves is not copied: tallies and extents, change logs, indexes, the short form of vectors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engrain.arrays import np
from engrain.graphrows import EntityNote, EntityRow, MentionRow, MergeRow, RelationRow
from engrain.model.memory import AuditEntry, Job
from engrain.storerows import AnswerRow, Edge, Head, KeyRow, Posting, ReceiptRow, Revision, Setting, Vector, WitnessRow
from engrain.stores import tables
from engrain.stores.sql import called
from engrain.stores.sql_write import SQLTransaction
from engrain.turnrows import ConversationRow, ToldRow, TurnRow

MARK = "migration"
"""The setting of a store into which another one is being moved; those that say how far begin with it."""
MARKED = f"name LIKE '{MARK}%'"

Place: TypeAlias = list[Any]
"""Where in a table one is, as an engine counts it; later places are greater."""
Rows: TypeAlias = Sequence[tuple[Any, ...]]
Pages: TypeAlias = Iterator[tuple[Place, Rows]]


@dataclass(frozen=True, slots=True)
class Copied:
    """A table, or a part of one, as it is copied: by pages of `size` rows in the order of `key`.

    Where a table does not say whose its rows are, they hang on a row of its `parent` by their column `by`.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    parent: str = ""
    by: str = ""
    table: str = ""
    condition: str = ""
    size: int = 500

    @property
    def read_from(self) -> str:
        """The table whose rows they are."""
        return self.table or self.name


def _kept(kind: type, parent: str = "", by: str = "", **more: Any) -> Copied:
    table = tables.TABLES[kind]
    key = tuple(column for column in table.key if column != "org")
    return Copied(table.name, table.columns, key or table.key, parent, by, **more)


# After what they hang on, each.
COPIED: tuple[Copied, ...] = (
    Copied("namespace", ("id", "org", "user"), ("id",)),
    Copied("memory", tables.MEMORY_COLUMNS, ("num",), "namespace", "ns"),
    _kept(Revision, "memory", "num"),
    _kept(Edge, "memory", "source"),
    _kept(Posting, "namespace", "ns", size=10_000),
    Copied("vector", ("ns", "embedder", "num", "v"), ("ns", "embedder", "num"), "namespace", "ns", size=2_000),
    _kept(WitnessRow, "memory", "num"),
    _kept(EntityRow, "entity", "id"),
    # Entities are merged into one another, so they are all there before any is.
    Copied("merged", ("id", "merged_into"), ("id",), "entity", "id", "entity", "merged_into IS NOT NULL"),
    _kept(EntityNote, "entity", "entity"),
    _kept(MentionRow, "entity", "entity", size=5_000),
    _kept(RelationRow, "entity", "source"),
    _kept(MergeRow, "namespace", "ns"),
    _kept(ConversationRow, "conversation", "num"),
    _kept(ToldRow, "conversation", "conversation"),
    _kept(TurnRow, "conversation", "conversation"),
    _kept(AuditEntry, size=2_000),
    _kept(Head),
    _kept(ReceiptRow),
    _kept(Job, size=2_000),
    _kept(KeyRow),
    _kept(AnswerRow),
    _kept(Setting, condition=f"NOT {MARKED}"),
)
NUMBERED = ("namespace", "memory", "revision", "entity", "relation", "conversation")
"""Tables whose rows have numbers that are given once."""
_ENTITY, _ID, _MERGED_INTO = "entity", "id", "merged_into"


class SQLLoading(SQLTransaction):
    """A view that may also take in rows as another store has them."""

    def load(self, table: Copied, rows: Rows) -> None:
        """Insert rows as they were read, numbers and all; nothing else may be of their keys."""
        self._forget()
        if table.name == "vector":
            self._load_vectors(rows)
        elif table.name == "merged":
            self._do_all(
                f"UPDATE {_ENTITY} SET {_MERGED_INTO} = ? WHERE {_ID} = ?", [(into, one) for one, into in rows]
            )
        elif table.name == _ENTITY:
            at = table.columns.index(_MERGED_INTO)
            self._load_rows(table, [(*row[:at], None, *row[at + 1 :]) for row in rows])
        else:
            self._load_rows(table, rows)

    def _load_rows(self, table: Copied, rows: Rows) -> None:
        columns, marks = ", ".join(map(called, table.columns)), ", ".join("?" * len(table.columns))
        self._do_all(f"INSERT INTO {table.read_from} ({columns}) VALUES ({marks})", rows)

    def _load_vectors(self, rows: Rows) -> None:
        by_embedder: dict[str, list[tuple[Vector, Any]]] = {}
        for space, embedder, num, stored in rows:
            values = np.frombuffer(stored, "<f2").astype(np.float32)
            by_embedder.setdefault(embedder, []).append((Vector(space, embedder, num, values), values))
        for embedder, found in by_embedder.items():
            self._put_vectors(embedder, [vector for vector, _ in found], np.stack([values for _, values in found]))

    def cleared(self) -> None:
        """Drop what the opening of a store has written into one that is empty: settings and jobs of the store's own."""
        for name in ("setting", "job"):
            self._do(f"DELETE FROM {name} WHERE org = ''")

    def complete(self, orgs: Iterable[str], numbers: Mapping[str, int]) -> None:
        """Take away the marks of a move, and go on counting after the highest numbers that the source has given."""
        for org in orgs:
            self._do(f"DELETE FROM setting WHERE org = ? AND {MARKED}", (org,))
        for name, number in numbers.items():
            if number:
                self._number_after(name, number)
        self._reload()

    @abstractmethod
    def _number_after(self, table: str, number: int) -> None:
        """Let the numbers of a table go on after one, and never begin at a smaller one than they would."""

    def _reload(self) -> None:
        """See to it that whoever holds a copy of rows reads them anew."""
