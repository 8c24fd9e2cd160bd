"""What came of a transaction whose commit was not answered."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from engrain.errors import StoreUnavailable
from engrain.stores.postgres.connections import Address, Connection, tries

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
