"""The writing verbs on SQLite; everything in one transaction, with a log of changed rows for the mirrors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby

from engrain.arrays import Floats, np
from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.storage.index.namespaces import NamespaceIndex
from engrain.storage.rows import Vector
from engrain.storage.sql import filters
from engrain.storage.sql.transaction import SQLTransaction
from engrain.storage.sqlite.index_source import Embedders, SQLiteIndexSource
from engrain.storage.sqlite.reader import VECTORS, Memo, SQLiteReader

_LOGGED = 20_000  # changes kept per namespace; an index further behind reads its columns anew
_CUT_EVERY = 1_000  # changes after which those that are not kept are removed


class SQLiteTransaction(SQLTransaction, SQLiteReader):
    """A view that may also write. It sees its own changes; nobody else does before the commit."""

    def __init__(self, connection: sqlite3.Connection, memo: Memo, org: str | None = None) -> None:
        SQLiteReader.__init__(self, connection, NamespaceIndex, memo, org)
        self._begin_writing()
        self._looked = True
        self._own_embedders: Embedders = {}
        self._first_new: int | None = None
        self._changed: dict[tuple[int, int], bool] = {}

    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        return self._connection.execute(statement, params).rowcount

    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    def _forget(self) -> None:
        self._release()

    def _free(self, count: int) -> Sequence[int]:
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()
        free = (row[0] if row else 0) + 1
        if self._first_new is None:
            self._first_new = free
        return range(free, free + count)

    def _put_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        number, dimensions = self._embedder(embedder, values.shape[1])
        if values.shape[1] != dimensions:
            raise ValueError(f"{embedder} makes {dimensions} dimensions, not {values.shape[1]}: give it another id")
        self._connection.executemany(
            "INSERT OR REPLACE INTO vector (ns, embedder, num, v) VALUES (?, ?, ?, ?)",
            [
                (vector.namespace, number, vector.num, row.tobytes())
                for vector, row in zip(vectors, values.astype(np.float16), strict=True)
            ],
        )

    def _embedder(self, name: str, dimensions: int) -> tuple[int, int]:
        """Return the number and the dimensions of an embedder, which is noted when it is new."""
        known = self._source.embedder(name)
        if known is None:
            made = self._connection.execute("INSERT INTO embedder (name, dimensions) VALUES (?, ?)", (name, dimensions))
            known = self._own_embedders[name] = (int(made.lastrowid or 0), dimensions)
            self._source = SQLiteIndexSource(self._connection, {**self._memo.embedders, **self._own_embedders})
        return known

    def _delete_vectors(self, clause: str, params: filters.Params) -> int:
        rows = self._connection.execute(f"SELECT ns, code, num FROM {VECTORS} WHERE {clause}", params).fetchall()
        self._connection.executemany("DELETE FROM vector WHERE ns = ? AND embedder = ? AND num = ?", rows)
        self._moved([(ns, num) for ns, _, num in rows], text=True)
        return len(rows)

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease the job that has been due longest, or whose lease ran out."""
        due = [Test("kind", "in", tuple(kinds)), Test("state", "eq", JobState.QUEUED), Test("run_at", "le", now)]
        stuck = [due[0], Test("state", "eq", JobState.RUNNING), Test("lease_until", "le", now)]
        found = self.find(Job, due, order="run_at", limit=1) or self.find(Job, stuck, order="lease_until", limit=1)
        if not found:
            return None
        self.update(
            Job,
            [Test("id", "eq", found[0].id)],
            state=JobState.RUNNING,
            leased_by=worker,
            lease_until=lease_until,
            attempts=found[0].attempts + 1,
        )
        return self.find(Job, [Test("id", "eq", found[0].id)])[0]

    # --------------------------------------------------------------------------------------------------- whole stores

    def _number_after(self, table: str, number: int) -> None:
        if table == "revision":  # which goes on after its last row
            return
        if not self._do("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, table)):
            self._do("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))

    def _reload(self) -> None:
        """Leave a gap in the change logs: no mirror can follow there, so each reads its columns anew."""
        for (space,) in self._ask("SELECT id FROM namespace"):
            last = self._ask("SELECT max(seq) FROM change WHERE ns = ?", (space,))[0][0] or 0
            self._do("DELETE FROM change WHERE ns = ?", (space,))
            self._do("INSERT INTO change (ns, seq, num, text) VALUES (?, ?, 0, 1)", (space, last + 2))

    # ------------------------------------------------------------------------------------------------------ change log

    def _moved(self, rows: Iterable[tuple[int, int]], *, text: bool = False) -> None:
        for key in rows:
            if self._first_new is None or key[1] < self._first_new:
                self._changed[key] = self._changed.get(key, False) or text

    @property
    def _logs_changes(self) -> bool:
        return True

    def finish(self) -> None:
        """Write the counts and the change log; called once, before the commit."""
        super().finish()
        for namespace, entries in groupby(sorted(self._changed.items()), key=lambda entry: entry[0][0]):
            rows = json.dumps([(num, int(text)) for (_, num), text in entries])
            ((latest, count),) = [
                *self._connection.execute(
                    "SELECT coalesce(max(seq), 0), json_array_length(?) FROM change WHERE ns = ?", (rows, namespace)
                )
            ]
            self._connection.execute(
                "INSERT INTO change (ns, seq, num, text) "
                "SELECT ?, ? + key + 1, value ->> 0, value ->> 1 FROM json_each(?)",
                (namespace, latest, rows),
            )
            if (latest + count) // _CUT_EVERY > latest // _CUT_EVERY:
                oldest = latest + count - _LOGGED
                self._connection.execute("DELETE FROM change WHERE ns = ? AND seq <= ?", (namespace, oldest))
