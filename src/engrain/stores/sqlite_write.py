"""The writing verbs on SQLite; everything in one transaction, with a log of changed rows for the mirrors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from engrain.arrays import Floats, np
from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.storerows import Vector
from engrain.stores import sql, sqlite_remains
from engrain.stores.namespace import Namespace
from engrain.stores.sql_copy import SQLLoading
from engrain.stores.sql_read import Names
from engrain.stores.sqlite_read import VECTORS, SQLiteReader

_LOGGED = 20_000  # changes kept per namespace; a mirror further behind reads its columns anew


class SQLiteTransaction(SQLLoading, SQLiteReader):
    """A view that may also write. It sees its own changes; nobody else does before the commit."""

    def __init__(self, connection: sqlite3.Connection, names: Names, org: str | None = None) -> None:
        SQLiteReader.__init__(self, connection, Namespace, names, org)
        self._numbers = {}
        self._looked = True
        self._first_new: int | None = None
        self._changed: dict[tuple[int, int], bool] = {}

    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        return self._connection.execute(statement, params).rowcount

    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    def _forget(self) -> None:
        self._let_go()

    def _free(self, count: int) -> Sequence[int]:
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()
        free = (row[0] if row else 0) + 1
        if self._first_new is None:
            self._first_new = free
        return range(free, free + count)

    def _put_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        number, dimensions = self._known_embedder(embedder, values.shape[1])
        if values.shape[1] != dimensions:
            raise ValueError(f"{embedder} makes {dimensions} dimensions, not {values.shape[1]}: give it another id")
        peaks = np.abs(values).max(axis=1, keepdims=True)
        whole = np.rint(values * np.where(peaks > 0, 127 / np.where(peaks > 0, peaks, 1), 0)).astype(np.int8)
        scales = (peaks[:, 0] / 127).astype(float).tolist()
        self._connection.executemany(
            "INSERT OR REPLACE INTO vector (ns, embedder, num, scale, q) VALUES (?, ?, ?, ?, ?)",
            [
                (vector.namespace, number, vector.num, scale, row.tobytes())
                for vector, scale, row in zip(vectors, scales, whole, strict=True)
            ],
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO vector_exact (embedder, num, v) VALUES (?, ?, ?)",
            [
                (number, vector.num, row.tobytes())
                for vector, row in zip(vectors, values.astype(np.float16), strict=True)
            ],
        )

    def _known_embedder(self, name: str, dimensions: int) -> tuple[int, int]:
        known = self._embedder(name)
        if known is None:
            self._connection.execute("INSERT INTO embedder (name, dimensions) VALUES (?, ?)", (name, dimensions))
            known = self._embedder(name)
        assert known is not None
        return known

    def _delete_vectors(self, clause: str, params: sql.Params) -> int:
        rows = self._connection.execute(f"SELECT ns, code, num FROM {VECTORS} WHERE {clause}", params).fetchall()
        self._connection.executemany("DELETE FROM vector WHERE ns = ? AND embedder = ? AND num = ?", rows)
        self._connection.executemany(
            "DELETE FROM vector_exact WHERE embedder = ? AND num = ?", [(embedder, num) for _, embedder, num in rows]
        )
        self._moved([(ns, num) for ns, _, num in rows], text=True)
        return len(rows)

    def imprints(self, nums: Sequence[int]) -> Sequence[bytes]:
        """Return the bytes by which the stored vectors of these rows are known."""
        return list(sqlite_remains.imprints(self._connection, nums))

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

    def _noted(self, name: str, clause: str, params: sql.Params, *, text: bool = False) -> None:
        rows = self._connection.execute(f"SELECT DISTINCT ns, num FROM {name} WHERE {clause}", params)
        self._moved(rows.fetchall(), text=text)

    def finish(self) -> None:
        """Write the change log; called once, before the commit."""
        for namespace, entries in groupby(sorted(self._changed.items()), key=lambda entry: entry[0][0]):
            last = self._connection.execute("SELECT max(seq) FROM change WHERE ns = ?", (namespace,)).fetchone()[0] or 0
            rows: list[tuple[Any, ...]] = [
                (namespace, seq, key[1], int(text)) for seq, (key, text) in enumerate(entries, start=last + 1)
            ]
            self._connection.executemany("INSERT INTO change (ns, seq, num, text) VALUES (?, ?, ?, ?)", rows)
            self._connection.execute("DELETE FROM change WHERE ns = ? AND seq <= ?", (namespace, rows[-1][1] - _LOGGED))
