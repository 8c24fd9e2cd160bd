"""The writing verbs on SQLite; everything in one transaction, with a log of changed rows for the mirrors."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from recollect.filters import Condition, Test
from recollect.graphrows import EntityRow
from recollect.models import Job, JobState
from recollect.numeric import np
from recollect.protocols import Posting, Record, Row, Vector
from recollect.stores import sql, sqlite_remains
from recollect.stores.bound import check_org, check_rows
from recollect.stores.namespace import Namespace
from recollect.stores.sqlite_read import NAMED, VECTORS, SQLiteReader

_LOGGED = 20_000  # changes kept per namespace; a mirror further behind reads its columns anew
_INSERT = f"INSERT INTO memory ({', '.join(sql.MEMORY_COLUMNS)}) VALUES ({', '.join('?' * len(sql.MEMORY_COLUMNS))})"
_REPLACE = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in sql.MEMORY_COLUMNS[1:])} WHERE num = ?"


class SQLiteTransaction(SQLiteReader):
    """A view that may also write. It sees its own changes; nobody else does before the commit."""

    def __init__(
        self, connection: sqlite3.Connection, names: dict[int, tuple[str, str | None]], org: str | None = None
    ) -> None:
        super().__init__(connection, Namespace, names, org)
        self._looked = True
        self._numbers: dict[tuple[str, str | None], int] = {}
        self._first_new: int | None = None
        self._changed: dict[tuple[int, int], bool] = {}

    def namespace(self, org: str, user: str | None) -> int:
        """Return the number of the namespace, making it when new."""
        check_org(self._org, org)
        key = (org, user)
        if key in self._numbers:
            return self._numbers[key]
        row = self._connection.execute(NAMED, (org, user or "", user is None)).fetchone()
        if row is None:
            self._walls.clear()
            row = (self._connection.execute("INSERT INTO namespace (org, user) VALUES (?, ?)", key).lastrowid,)
        self._names[row[0]] = key
        self._numbers[key] = int(row[0])
        return self._numbers[key]

    def put(self, *rows: Row) -> Sequence[int]:
        """Insert rows, or replace those of the same key; return the numbers of the records and entities among them."""
        check_rows(self._org, rows)
        self._let_go()  # searches after this one shall see what it wrote
        nums: list[int] = []
        for kind, same in groupby(rows, type):
            if kind is Record:
                nums += self._put_records([row for row in same if isinstance(row, Record)])
            elif kind is EntityRow:
                nums += self._put_entities(list(same))
            elif kind is Vector:
                self._put_vectors([row for row in same if isinstance(row, Vector)])
            else:
                self._put_rows(kind, list(same))
        return nums

    def _put_rows(self, kind: type, rows: Sequence[Row]) -> None:
        table = sql.TABLES[kind]
        verb = "INSERT OR REPLACE" if table.replaces else "INSERT"
        marks = ", ".join("?" * len(table.columns))
        statement = f"{verb} INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks})"
        values = list(map(table.encode, rows))
        if kind is Posting:
            values.sort(key=itemgetter(1))  # by term, the order of the table: fewer pages are touched
        self._connection.executemany(statement, values)
        if kind is Posting:
            first = self._first_new
            postings = [row for row in rows if isinstance(row, Posting)]
            self._log(((p.namespace, p.num) for p in postings if first is None or p.num < first), text=True)

    def _put_records(self, records: Sequence[Record]) -> list[int]:
        spaces = {(r.memory.scope.org, r.memory.scope.user) for r in records}
        numbers = {key: self.namespace(*key) for key in spaces}
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()
        free = (row[0] if row else 0) + 1
        if self._first_new is None:
            self._first_new = free
        new, nums = [], []
        for record in records:
            namespace = numbers[record.memory.scope.org, record.memory.scope.user]
            values = sql.encode_record(record, namespace)
            if record.num:
                self._connection.execute(_REPLACE, (*values[1:], record.num))
                self._log([(namespace, record.num)])
                nums.append(record.num)
            else:
                new.append((free, *values[1:]))
                nums.append(free)
                free += 1
        self._connection.executemany(_INSERT, new)
        return nums

    def _put_vectors(self, vectors: Sequence[Vector]) -> None:
        for name, same in groupby(vectors, key=lambda vector: vector.embedder):
            batch = list(same)
            values: Any = np.stack([np.asarray(vector.values, np.float32) for vector in batch])
            embedder, dimensions = self._known_embedder(name, values.shape[1])
            if values.shape[1] != dimensions:
                raise ValueError(f"{name} makes {dimensions} dimensions, not {values.shape[1]}: give it another id")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} gave a vector that is not finite")
            norms = np.linalg.norm(values, axis=1, keepdims=True)
            values = values / np.where(norms > 0, norms, 1)
            peaks = np.abs(values).max(axis=1, keepdims=True)
            whole = np.rint(values * np.where(peaks > 0, 127 / np.where(peaks > 0, peaks, 1), 0)).astype(np.int8)
            scales = (peaks[:, 0] / 127).astype(float).tolist()
            self._connection.executemany(
                "INSERT OR REPLACE INTO vector (ns, embedder, num, scale, q) VALUES (?, ?, ?, ?, ?)",
                [
                    (vector.namespace, embedder, vector.num, scale, row.tobytes())
                    for vector, scale, row in zip(batch, scales, whole, strict=True)
                ],
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO vector_exact (embedder, num, v) VALUES (?, ?, ?)",
                [
                    (embedder, vector.num, row.tobytes())
                    for vector, row in zip(batch, values.astype(np.float16), strict=True)
                ],
            )
            first = self._first_new
            self._log(((v.namespace, v.num) for v in batch if first is None or v.num < first), text=True)

    def _known_embedder(self, name: str, dimensions: int) -> tuple[int, int]:
        known = self._embedder(name)
        if known is None:
            self._connection.execute("INSERT INTO embedder (name, dimensions) VALUES (?, ?)", (name, dimensions))
            known = self._embedder(name)
        assert known is not None
        return known

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int:
        """Set columns of the rows that pass; return how many there were."""
        self._let_go()
        name = "memory" if kind is Record else sql.TABLES[kind].name
        clause, params = self._where(where)
        if kind is Record:
            self._log(self._connection.execute(f"SELECT ns, num FROM memory WHERE {clause}", params).fetchall())
        columns = ", ".join(f"{column} = ?" for column in changes)
        values = [sql.stored(value) for value in changes.values()]
        return self._connection.execute(f"UPDATE {name} SET {columns} WHERE {clause}", [*values, *params]).rowcount

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        """Remove the rows that pass; return how many there were."""
        self._let_go()
        clause, params = self._where(where)
        if kind is Vector:
            return self._delete_vectors(clause, params)
        name = "memory" if kind is Record else sql.TABLES[kind].name
        if kind in (Record, Posting):
            touched = self._connection.execute(f"SELECT DISTINCT ns, num FROM {name} WHERE {clause}", params).fetchall()
            self._log(touched, text=True)
        return self._connection.execute(f"DELETE FROM {name} WHERE {clause}", params).rowcount

    def _delete_vectors(self, clause: str, params: sql.Params) -> int:
        rows = self._connection.execute(f"SELECT ns, code, num FROM {VECTORS} WHERE {clause}", params).fetchall()
        self._connection.executemany("DELETE FROM vector WHERE ns = ? AND embedder = ? AND num = ?", rows)
        self._connection.executemany(
            "DELETE FROM vector_exact WHERE embedder = ? AND num = ?", [(embedder, num) for _, embedder, num in rows]
        )
        self._log([(ns, num) for ns, _, num in rows], text=True)
        return len(rows)

    def imprints(self, nums: Sequence[int]) -> Sequence[bytes]:
        """Return the bytes by which the stored vectors of these rows are known."""
        return list(sqlite_remains.imprints(self._connection, nums))

    def users(self, org: str) -> Sequence[str | None]:
        """Return the users of an org that have a namespace, None for what carries no user."""
        check_org(self._org, org)
        rows = self._connection.execute("SELECT user FROM namespace WHERE org = ? ORDER BY id", (org,))
        return [user for (user,) in rows]

    def abandon(self, org: str, user: str | None) -> bool:
        """Give up the name of a namespace that holds nothing any more; its number is never used again."""
        check_org(self._org, org)
        if user is None:
            return False
        number = self.namespace(org, user)
        held = (f"SELECT 1 FROM {name} WHERE ns = ?" for name in ("memory", "entity", "conversation", "merge"))
        if self._connection.execute(f"SELECT EXISTS ({' UNION '.join(held)})", [number] * 4).fetchone()[0]:
            return False
        self._connection.execute("DELETE FROM tally WHERE ns = ?", (number,))
        name = f"erased {uuid.uuid4().hex}"
        self._connection.execute("UPDATE namespace SET user = ? WHERE id = ?", (name, number))
        self._numbers.pop((org, user))
        self._names[number] = (org, name)
        self._walls.clear()
        return True

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

    # ------------------------------------------------------------------------------------------------------ change log

    def _log(self, rows: Iterable[tuple[int, int]], *, text: bool = False) -> None:
        for key in rows:
            self._changed[key] = self._changed.get(key, False) or text

    def finish(self) -> None:
        """Write the change log; called once, before the commit."""
        for namespace, entries in groupby(sorted(self._changed.items()), key=lambda entry: entry[0][0]):
            last = self._connection.execute("SELECT max(seq) FROM change WHERE ns = ?", (namespace,)).fetchone()[0] or 0
            rows: list[tuple[Any, ...]] = [
                (namespace, seq, key[1], int(text)) for seq, (key, text) in enumerate(entries, start=last + 1)
            ]
            self._connection.executemany("INSERT INTO change (ns, seq, num, text) VALUES (?, ?, ?, ?)", rows)
            self._connection.execute("DELETE FROM change WHERE ns = ? AND seq <= ?", (namespace, rows[-1][1] - _LOGGED))
