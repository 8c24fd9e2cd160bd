"""What came of a transaction whose commit was not answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import psycopg
from psycopg import sql as compose

from engrain.errors import StoreUnavailable
from engrain.storage.postgres.connections import Address, Connection, tries
from engrain.storage.postgres.schema import APP

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


SINCE = "(SELECT stats_reset::text FROM pg_stat_bgwriter)"
# Nobody is behind it any more. By the low half of its number it is found, whatever stands between it and us.
_END = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid::text = (%s::numeric %% 4294967296)::text"
)


class Name(NamedTuple):
    """By what the server knows a transaction, also after it has ended.

    A crash may take back numbers that were given and not yet written down, and give them to others. It also takes the
    server's statistics, so their age tells whether there was one.
    """

    number: str
    since: str


def was_committed(address: Address, name: Name, patience: float) -> bool:
    """Ask the server, once it can be asked; a transaction that still stands open there is ended.

    Raises `StoreUnavailable` when it cannot be known: the server does not come back, or it crashed and may mean another
    transaction, or another server has taken its place.
    """
    try:
        for one in tries(patience):
            with one, address.connect() as connection:
                status = _status(connection, name)
    except psycopg.errors.InvalidParameterValue:  # it gave no such number: what it had of it went in a crash
        return False
    except psycopg.Error as error:
        raise _unknown(address, str(error)) from error
    if status is None:
        raise _unknown(address, "it crashed, or it was too long ago")
    return bool(status == "committed")


def _status(connection: Connection, name: Name) -> str | None:
    row = connection.execute(f"SELECT pg_xact_status(%s::xid8), {SINCE}", [name.number]).fetchone()
    status, since = row or (None, "")
    if since != name.since:
        return None if status in (None, "committed") else "aborted"
    if status == "in progress":
        connection.execute(_END, [name.number])
        raise psycopg.OperationalError("it is still in progress")
    return str(status) if status else None


def _unknown(address: Address, why: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"{address.shown} went away while a change was committed, and cannot be asked whether it was kept ({why}): "
        "look before you make it again",
        path=address.shown,
    )
