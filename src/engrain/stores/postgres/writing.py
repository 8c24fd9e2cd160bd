"""The writing verbs on PostgreSQL: what is shared with other engines, and what it does its own way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from engrain.arrays import Floats, np
from engrain.model.memory import Job, JobState
from engrain.storerows import Posting, Row, Vector
from engrain.stores.postgres.connections import Halfvec
from engrain.stores.postgres.copying import HEADER
from engrain.stores.postgres.reading import PostgresReader
from engrain.stores.postgres.session import Session
from engrain.stores.sql import Params, called
from engrain.stores.sql_copy import Copied, SQLLoading
from engrain.stores.sql_copy import Rows as Raw
from engrain.stores.sql_read import Names
from engrain.stores.tables import TABLES, Table, stored_time

_JOB = TABLES[Job]
_COLUMNS = ", ".join(map(called, _JOB.columns))
# The job that has been due longest and that no other worker is taking at this moment.
_CLAIM = (
    f"UPDATE job SET state = '{JobState.RUNNING.value}', leased_by = ?, lease_until = ?, attempts = attempts + 1 "
    "WHERE id = (SELECT id FROM job WHERE kind = ANY(?) AND state = ? AND {due} <= ? "
    f"ORDER BY {{due}}, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING {_COLUMNS}"
)
_KINDS = (
    "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute "
    "WHERE attrelid = CAST(CAST(? AS text) AS regclass) AND attnum > 0"
)
_DUE = " UNION ALL ".join(
    f"(SELECT {due} FROM job WHERE kind = ANY(?) AND state = '{state}' AND {due} <= ? ORDER BY {due} LIMIT 1)"
    for state, due in ((JobState.QUEUED.value, "run_at"), (JobState.RUNNING.value, "lease_until"))
)
_IMPRINT = 32  # bytes by which a vector is known


class PostgresTransaction(SQLLoading, PostgresReader):
    """A view of one org that may also write."""

    _counted = ("tally", "extent")

    def __init__(self, session: Session, org: str, names: Names) -> None:
        PostgresReader.__init__(self, session, org, names)
        self._numbers = {}

    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        self._session.turn_to(self._org)
        return self._session.do(statement, params)

    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self._session.turn_to(self._org)
        self._session.do_all(statement, rows)

    def _forget(self) -> None:
        self._forget_searches()

    def _moved(self, rows: Iterable[tuple[int, int]], *, text: bool = False) -> None:
        """Nobody holds a copy of rows here: every view reads them anew."""

    def _conflict(self, table: Table) -> tuple[str, ...]:
        return table.key if "org" in table.key else ("org", *table.key)

    def _free(self, count: int) -> Sequence[int]:
        if not count:
            return []
        self._session.made += count
        return [n for (n,) in self._ask("SELECT nextval('memory_num_seq') FROM generate_series(1, ?)", (count,))]

    def _put_rows(self, kind: type, rows: Sequence[Row]) -> None:
        if kind is not Posting:
            super()._put_rows(kind, rows)
            return
        columns: Any = zip(*sorted(map(TABLES[Posting].encode, rows), key=lambda row: (row[1], row[2])), strict=True)
        spaces, terms, nums, counts = map(list, columns)
        self._do(
            "INSERT INTO posting (ns, term, num, count) SELECT * FROM "
            "unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]))",
            (spaces, terms, nums, counts),
        )

    def _load_rows(self, table: Copied, rows: Raw) -> None:
        kinds = dict(self._ask(_KINDS, (table.read_from,)))
        arrays = ", ".join(f"CAST(? AS {kinds[column]}[])" for column in table.columns)
        self._do(
            f"INSERT INTO {table.read_from} ({', '.join(map(called, table.columns))}) SELECT * FROM unnest({arrays})",
            [list(values) for values in zip(*rows, strict=True)],
        )

    def _number_after(self, table: str, number: int) -> None:
        self._ask("SELECT number_after(?, ?)", (table, number))

    def _put_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        known = self._dimensions_of(embedder)
        if known not in (None, values.shape[1]):
            raise ValueError(f"{embedder} makes {known} dimensions, not {values.shape[1]}: give it another id")
        self._do_all(
            "INSERT INTO vector (ns, embedder, num, v) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (org, ns, embedder, num) DO UPDATE SET v = excluded.v",
            [
                (vector.namespace, embedder, vector.num, Halfvec(row))
                for vector, row in zip(vectors, values.astype(np.float16), strict=True)
            ],
        )

    def _dimensions_of(self, embedder: str) -> int | None:
        """Return how many dimensions the org's vectors by an embedder have, which never changes; None without any."""
        sizes = self._session.sizes
        if (self._org, embedder) not in sizes:
            found = self._ask("SELECT vector_dims(v) FROM vector WHERE embedder = ? LIMIT 1", (embedder,))
            if not found:
                return None
            sizes[self._org, embedder] = int(found[0][0])
        return sizes[self._org, embedder]

    def _delete_vectors(self, clause: str, params: Params) -> int:
        return self._do(f"DELETE FROM vector WHERE {clause}", params)

    def imprints(self, nums: Sequence[int]) -> Sequence[bytes]:
        """Return the bytes by which the stored vectors of these rows are known."""
        found = self._raw("SELECT v FROM vector WHERE num = ANY(CAST(? AS bigint[]))", ([int(num) for num in nums],))
        # In the files of the server, whose numbers are little-endian on every machine it is common on.
        kept = (np.frombuffer(v, ">i2", offset=HEADER).astype("<i2").tobytes()[:_IMPRINT] for (v,) in found)
        return [each for each in kept if any(each)]

    def due(self, kinds: Sequence[str], now: datetime) -> int | None:
        """Return since when the job that could be claimed has been due; its org's writers are not waited for."""
        self._session.turn_to(self._org, locking=False)
        found = self._session.ask(_DUE, (list(kinds), stored_time(now)) * 2)
        return min((since for (since,) in found), default=None)

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease the job that has been due longest, or whose lease ran out; what another takes is passed over."""
        self._session.turn_to(self._org, locking=False)
        for state, due in ((JobState.QUEUED, "run_at"), (JobState.RUNNING, "lease_until")):
            found = self._session.ask(
                _CLAIM.format(due=due),
                (worker, stored_time(lease_until), list(kinds), state.value, stored_time(now)),
            )
            if found:
                return _JOB.decode(found[0])  # type: ignore[no-any-return]
        return None
