"""PostgreSQL's errors said in Engrain's words: what happened to the store, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from engrain.errors import StoreCorrupt, StoreError, StoreUnavailable

_UNAVAILABLE = {
    "25006": "is read-only: name the primary server, or open it where the database may be written",
    "25P03": "ended a transaction that stood idle: raise idle_in_transaction_session_timeout",
    "25P04": "ended a transaction that took too long: raise transaction_timeout",
    "28000": "did not let this role in: check the URL and pg_hba.conf",
    "28P01": "refused the password: check the URL",
    "3D000": "does not exist: create the database first",
    "40001": "was changed by others meanwhile, again and again: try again",
    "40P01": "was changed by others meanwhile, again and again: try again",
    "42501": "does not allow this: see docs/postgres.md for the rights that a role needs",
    "53100": "cannot grow, the server's disk is full: free some space; what was acknowledged is safe",
    "53200": "cannot be used, the server's memory ran out",
    "53300": "has no connection left: close some, raise max_connections, or let a pooler stand before it",
    "55P03": "is locked by other writers for too long: try again, or see in pg_stat_activity what they wait for",
    "57014": "cancelled a statement that took too long: raise statement_timeout, or ask for less",
    "57P01": "was shut down: start it again, or try again",
    "57P02": "was shut down: start it again, or try again",
    "57P03": "is starting or shutting down: try again",
}
UNPREPARED = frozenset(("26000", "42P05"))
"""Somebody took away, or put down, what the connection has prepared."""
_AGAIN = frozenset(("40001", "40P01", "57P01", "57P02", "57P03", "53300")) | UNPREPARED
_ENDED = frozenset(("25P03", "25P04", "57P05"))  # by a time-out of the server, and the connection with it
_DAMAGED = frozenset(("42P01", "42703", "42883", "3F000", "XX001", "XX002"))


class Unreached(psycopg.OperationalError):
    """No connection could be made. libpq tells no code for it, so whoever asked finds out why: see `Why`."""

    def __init__(self, said: str, why: Why) -> None:
        super().__init__(said)
        self.why = why


class Why(Enum):
    """Why no connection could be made, and what is to be done about it."""

    DOWN = "cannot be reached: check that the server runs, and the host and the port in the URL"
    STARTING = "is starting or shutting down: try again"
    FULL = _UNAVAILABLE["53300"]
    REFUSED = "lets nobody in by this URL: check its user, its password and its database, and pg_hba.conf"
    OPTIONS = (
        "stands behind a pooler that takes no such parameter: leave it out of the URL and set it for the role "
        "(ALTER ROLE ... SET ...)"
    )
    STATEMENTS = "stands behind a pooler that takes no transactions: set its pool_mode to transaction or session"
    WAITED = "stands behind a pooler that had no connection left for too long: raise its default_pool_size"
    BEHIND = "stands behind a pooler that cannot reach the server: check that the server runs, then try again"


# No code tells these; poolers say them in English, whatever the server's language is.
_SAID = {
    "too many clients": Why.FULL,
    "too many connections": Why.FULL,
    "remaining connection slots": Why.FULL,
    "no more connections allowed": Why.FULL,
    "unsupported startup parameter": Why.OPTIONS,
    "transaction blocks not allowed": Why.STATEMENTS,
    "query_wait_timeout": Why.WAITED,
    "server_login_retry": Why.BEHIND,
    "cannot connect to server": Why.BEHIND,
}


def why(said: str) -> Why | None:
    """Return why a connection could not be made or was ended, where what was said tells it."""
    return next((reason for text, reason in _SAID.items() if text in said), None)


def is_lost(error: BaseException) -> bool:
    """Say whether the connection itself is gone, and with it whatever was not committed."""
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, PoolTimeout | PoolClosed):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def is_transient(error: BaseException) -> bool:
    """Say whether the same may work when it is tried again from the beginning."""
    if isinstance(error, Unreached):
        return error.why not in (Why.REFUSED, Why.OPTIONS)
    return is_lost(error) or (isinstance(error, psycopg.Error) and error.sqlstate in _AGAIN)


def is_busy(error: BaseException) -> bool:
    """Say whether a server is there that has no place yet; one that is not there never was."""
    return isinstance(error, Unreached) and error.why in (Why.STARTING, Why.FULL)


def ended_by_server(error: BaseException) -> bool:
    """Say whether a time-out of the server ended the connection, which the same would run into again."""
    return isinstance(error, psycopg.Error) and error.sqlstate in _ENDED


@contextmanager
def legible() -> Iterator[None]:
    """Turn the errors of reading rows that make no sense into `StoreCorrupt`; `explained` adds the address."""
    try:
        yield
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise StoreCorrupt(f"holds a row that makes no sense ({error}): restore a backup of it") from error


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Turn the engine's own errors into `StoreError`s that name the database, never its password."""
    try:
        yield
    except StoreCorrupt as error:
        raise error if error.path else StoreCorrupt(f"{address} {error}", path=address) from error
    except psycopg.IntegrityError as error:
        raise StoreError(f"{address}: the change breaks a rule of the store ({_first(error)})", path=address) from error
    except psycopg.errors.ProgramLimitExceeded as error:
        raise StoreError(
            f"{address} has no room for this: names that are looked up together (of an organisation, an agent and a "
            "key; of a fact's parts) take up to 2,700 bytes, vectors up to 16,000 dimensions: shorten them "
            f"({_first(error)})",
            path=address,
        ) from error
    except PoolClosed as error:
        raise StoreUnavailable(f"the store {address} is closed: open it again", path=address) from error
    except PoolTimeout as error:
        raise StoreUnavailable(
            f"{address}: every connection is in use, and none came back in time: read less at a time, not a view "
            "within a view, or give PostgresStore more of them (connections=...); where a pooler stands before the "
            "server, give that more too (default_pool_size)",
            path=address,
        ) from error
    except psycopg.Error as error:
        raise _said(error, address) from error


def _said(error: psycopg.Error, address: str) -> Exception:
    state = error.sqlstate or ""
    if state in _DAMAGED:
        return StoreCorrupt(f"{address} is damaged, or was changed by hand ({_first(error)})", path=address)
    if state in _UNAVAILABLE:
        return StoreUnavailable(f"{address} {_UNAVAILABLE[state]} ({_first(error)})", path=address)
    if isinstance(error, Unreached):
        return StoreUnavailable(f"{address} {error.why.value} ({error})", path=address)
    if isinstance(error, psycopg.OperationalError):
        if reason := why(str(error)):
            return StoreUnavailable(f"{address} {reason.value} ({_first(error)})", path=address)
        advice = "check that the server runs, then try again"
        return StoreUnavailable(f"{address} broke the connection off: {advice} ({_first(error)})", path=address)
    return StoreError(f"{address} refused a statement: {_first(error)}", path=address)


def _first(error: psycopg.Error) -> str:
    """Return what the server says, in one line: never a value, which may be somebody's text."""
    said = error.diag.message_primary or str(error)
    return said.strip().partition("\n")[0]
