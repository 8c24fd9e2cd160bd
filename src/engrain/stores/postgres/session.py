"""A transaction on one connection: the org it is turned to, and how its statements are put."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from typing import Any

import psycopg
from psycopg import sql as compose

from engrain.stores.postgres.connections import Connection
from engrain.stores.postgres.schema import APP

Sizes = dict[tuple[str, str], int]
_LOCKS = 0x52434C54  # "RCLT": the class of our advisory locks
_TURN = f"pg_advisory_xact_lock({_LOCKS}, hashtext({{0}}))"


@lru_cache(maxsize=4096)
def numbered(statement: str) -> str:
    """Return a statement whose values stand as `$1`, `$2` instead of `?`."""
    number = count(1)
    return re.sub(r"\?", lambda _: f"${next(number)}", statement)


class Session:
    """What a transaction says, first of all who asks and whose rows it is about: row-level security shows it no others.

    `settings` hold until its end, as the role does: what the backend was before, and is after, does not matter. Writers
    of one org take turns from their first statement on, so that what they read is still so when they write.
    """

    def __init__(
        self,
        connection: Connection,
        settings: Mapping[str, str],
        *,
        writes: bool,
        indexed_from: int,
        sizes: Sizes | None = None,
    ) -> None:
        self.connection, self.writes, self.indexed_from = connection, writes, indexed_from
        self._settings = {"role": APP, **settings}
        self.org: str | None = None
        self.made = 0  # new records
        self.sizes = {} if sizes is None else sizes  # dimensions by org and embedder
        self._locked: set[str] = set()

    @contextmanager
    def begun(self, org: str | None) -> Iterator[None]:
        """Begin, turned to an org, and roll back what is not committed in the end."""
        how = "" if self.writes else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
        taken = [f"set_config('{name}', {self._quoted(value)}, true)" for name, value in self._settings.items()]
        if org is not None:
            name = self._quoted(org)
            taken.append(f"set_config('engrain.org', {name}, true)")
            taken += [_TURN.format(name)] * self.writes
            self.org = org
            self._locked.add(org)
        try:
            self.connection.execute(f"BEGIN{how}; SELECT {', '.join(taken)}")  # one message: no round trip more
            yield
        finally:
            if not self.connection.closed and self.connection.pgconn.transaction_status:
                with suppress(psycopg.OperationalError):  # then the server does so, when it sees that nobody is there
                    self.connection.execute("ROLLBACK" if self.writes else "COMMIT")

    def turn_to(self, org: str, *, locking: bool = True) -> None:
        """Go on with another org; a writer waits for its turn there."""
        wants = self.writes and locking and org not in self._locked
        if self.org == org and not wants:
            return
        turn = f", {_TURN.format('$1')}" if wants else ""
        self.connection.execute(f"SELECT set_config('engrain.org', $1, true){turn}", (org,))
        self.org = org
        if wants:
            self._locked.add(org)

    def turned_to(self, org: str) -> bool:
        """Go on with another org as its writer, if it is nobody else's turn there."""
        if org in self._locked:
            self.turn_to(org)
            return True
        turn = _TURN.format("$1").replace("pg_advisory", "pg_try_advisory")
        ((_, mine),) = self.ask(f"SELECT set_config('engrain.org', $1, true), {turn}", (org,))
        self.org = org
        if mine:
            self._locked.add(org)
        return bool(mine)

    def ask(self, statement: str, params: Sequence[object], *, raw: bool = False) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds; `raw` leaves values of foreign types as the bytes that were sent."""
        cursor = self.connection.execute(numbered(statement), params, binary=raw)
        return cursor.fetchall() if cursor.description else []

    def do(self, statement: str, params: Sequence[object]) -> int:
        """Carry out a statement; return how many rows it changed."""
        return self.connection.execute(numbered(statement), params).rowcount

    def do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out a statement for each of many rows, without waiting for one before the next."""
        if len(rows) == 1:
            self.do(statement, rows[0])
            return
        with self.connection.cursor() as cursor:
            cursor.executemany(numbered(statement), rows)

    def commit(self) -> None:
        """Make it durable."""
        self.connection.execute("COMMIT")

    def _quoted(self, text: str) -> str:
        return compose.Literal(text).as_string(self.connection)
