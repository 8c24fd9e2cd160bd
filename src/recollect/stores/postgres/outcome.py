"""What came of a transaction whose commit was not answered."""

from __future__ import annotations

import psycopg

from recollect.errors import StoreUnavailable
from recollect.stores.postgres.connections import Address, tries

# Nobody is behind it any more. By the low half of its number it is found, whatever stands between it and us.
_END = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid::text = (%s::numeric %% 4294967296)::text"
)


def was_committed(address: Address, name: str, patience: float) -> bool:
    """Ask the server, once it can be asked; a transaction that still stands open there is ended.

    Raises `StoreUnavailable` when it cannot be known: the server does not come back, or another has taken its place.
    """
    try:
        for one in tries(patience):
            with one, address.connect() as connection:
                found = connection.execute("SELECT pg_xact_status(%s::xid8)", [name]).fetchone()
                status = None if found is None else found[0]
                if status == "in progress":
                    connection.execute(_END, [name])
                    raise psycopg.OperationalError("it is still in progress")
    except psycopg.Error as error:
        raise _unknown(address, str(error)) from error
    if status is None:
        raise _unknown(address, "it was too long ago")
    return bool(status == "committed")


def _unknown(address: Address, why: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"{address.shown} went away while a change was committed, and cannot be asked whether it was kept ({why}): "
        "look before you make it again",
        path=address.shown,
    )
