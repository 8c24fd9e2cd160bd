"""The connections of one process to a database: a pool of those that read and write rows, and the administrator's."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import conninfo
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.errors import ConfigError
from recollect.numeric import Floats, np
from recollect.stores.postgres.errors import is_transient
from recollect.stores.postgres.schema import APP, shown

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
_PREPARED = 500  # statements of a connection that the server keeps planned
_PAUSE = 0.05  # seconds before the first try again; each later one waits twice as long
_LONGEST = 1.0


class Halfvec:
    """Numbers that are bound as pgvector's `halfvec`."""

    def __init__(self, values: Floats) -> None:
        self.values = values


class _HalfvecDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Halfvec) -> bytes:
        """Return the dimensions and the numbers, as `halfvec_recv` reads them."""
        return len(obj.values).to_bytes(2, "big") + b"\0\0" + obj.values.astype(">f2").tobytes()


class Nums(list[int]):
    """Whole numbers that are bound as `bigint[]` at once: there may be hundreds, in many statements of a recall."""


_NUMBER: Final = 20  # bigint, as the server calls it; an array of them
_NUMBERS: Final = 1016
_EACH = np.dtype([("bytes", ">i4"), ("value", ">i8")])


class _NumsDumper(Dumper):
    format = Format.BINARY
    oid = _NUMBERS

    def dump(self, obj: Nums) -> bytes:
        """Return dimensions, flags, type, length and first place, then each number after its size, as it is sent."""
        if not obj:
            return struct.pack(">iii", 0, 0, _NUMBER)
        each = np.empty(len(obj), _EACH)
        each["bytes"], each["value"] = 8, obj
        return struct.pack(">iiiii", 1, 0, _NUMBER, len(obj), 1) + each.tobytes()


class Address:
    """Where a database is: what libpq makes of a URL, and what may be shown of it."""

    def __init__(self, url: str) -> None:
        known: dict[str, Any]
        try:
            known = conninfo.conninfo_to_dict(url)
        except psycopg.Error as error:
            said = str(error).strip().partition("\n")[0].replace(url, "the URL")
            raise ConfigError(f"the address of the database cannot be read: {said}") from error
        known.setdefault("application_name", "recollect")
        known.setdefault("connect_timeout", "10")
        self.conninfo = conninfo.make_conninfo("", **known)
        self.shown = shown(url)

    def connect(self) -> Connection:
        """Connect as the role that the URL names; whoever asks closes it."""
        return psycopg.connect(self.conninfo, autocommit=True)


class Connections:
    """The pool. `patience` is for how many seconds a caller waits for a connection or a server that comes back."""

    def __init__(self, address: Address, *, most: int, patience: float, settings: str) -> None:
        self._address, self._patience = address, patience
        self._settings = settings
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            address.conninfo,
            kwargs={"autocommit": True, "cursor_factory": psycopg.RawCursor, "prepare_threshold": 2},
            min_size=0,
            max_size=most,
            open=False,
            configure=self._configure,
            timeout=patience,
            num_workers=1,
            name="recollect",
        )
        self._pool.open(wait=False)

    def _configure(self, connection: Connection) -> None:
        connection.prepared_max = _PREPARED
        connection.execute(f"SET ROLE {APP}; {self._settings}")
        (kind,) = connection.execute("SELECT 'halfvec'::regtype::oid").fetchone() or (0,)
        dumper = type("HalfvecDumper", (_HalfvecDumper,), {"oid": kind})
        connection.adapters.register_dumper(Halfvec, dumper)
        connection.adapters.register_dumper(Nums, _NumsDumper)

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """Lend a connection of the pool; what broke is not lent again."""
        try:
            connection = self._pool.getconn()
        except PoolTimeout:
            self._address.connect().close()  # which says why, if the server is the reason
            raise
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def close(self) -> None:
        """Close them all."""
        self._pool.close()


def tries(patience: float) -> Iterator[Tries]:
    """Yield a try after another until one is made, or an error is none that passes, or patience is at an end."""
    until, pause = time.monotonic() + patience, _PAUSE
    while True:
        one = Tries(until)
        yield one
        if one.made:
            return
        time.sleep(min(pause, max(until - time.monotonic(), 0)))
        pause = min(2 * pause, _LONGEST)


class Tries:
    """One try, which swallows an error that may pass, as long as there is time."""

    def __init__(self, until: float) -> None:
        self._until, self.made = until, False

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if self.made or error is None:
            self.made = True
            return False
        return is_transient(error) and time.monotonic() < self._until
