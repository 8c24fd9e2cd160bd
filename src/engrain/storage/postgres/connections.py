"""Connections of a process to a database, the sessions on them, and the outcome of unanswered commits."""

from __future__ import annotations

import logging
import os
import re
import struct
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from enum import Enum
from functools import lru_cache, partial
from importlib.resources import files
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import psycopg
from psycopg import conninfo
from psycopg import sql as compose
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format, PGconn, Ping, TransactionStatus
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from engrain.errors import ConfigError, StoreCorrupt, StoreError, StoreUnavailable
from engrain.lazy import Floats, np, tomllib
from engrain.storage.postgres.schema import ABOUT_SERVER, APP, asked, parted, shown
from engrain.storage.rows import TABLES

_UNAVAILABLE = tomllib.loads((files("engrain.storage.postgres") / "unavailable.toml").read_text("utf-8"))
UNPREPARED = frozenset(("26000", "42P05"))
"""Errors of a prepared statement that is missing on the server, or exists already."""
_AGAIN = frozenset(("40001", "40P01", "57P01", "57P02", "57P03", "53300")) | UNPREPARED
_DAMAGED = frozenset(("42P01", "42703", "42883", "3F000", "XX001", "XX002"))
_NAMES = {"memory", "vector", *(name for table in TABLES.values() for name in (table.name, table.read_from))}
_TABLE = "|".join(sorted(_NAMES, key=len, reverse=True))
_READ = re.compile(rf"(?<!DELETE )\b(FROM|JOIN) ({_TABLE})\b( [a-z]\w*)?")  # keywords are written in capitals
_CHANGED = re.compile(rf"^(UPDATE|DELETE FROM) ({_TABLE})\b(.*?) WHERE ")
_INSERTED = re.compile(rf"^INSERT INTO ({_TABLE}) \((.*?)\) (VALUES|SELECT \* FROM) ")
# The org is taken from its row, so that a distributed database inserts there, without collecting the rows first.
_BESIDE = "SELECT o.name, u.* FROM engrain.org o CROSS JOIN {} u WHERE o.name = $1"
_SHARED = "setting"  # the store's own are visible from every org
T = TypeVar("T")
_PAUSE = 0.05  # seconds before the first retry; each later one waits twice as long
_LONGEST = 1.0
_LOOK = 0.25  # seconds that a caller waits for a connection before it checks whether any can be made
_AT_ONCE = 0.001
_SPREAD = "citus.propagate_set_commands"
_POOL_NAME = "engrain"
# A machine that vanished is noticed within a minute; a client that did so leaves its turn to others.
_KEEPALIVES = {"idle": 30, "interval": 10, "count": 3}
_DEFAULTS = {"application_name": "engrain", "connect_timeout": "10", "tcp_user_timeout": "60000"}
_LASTING = "; ".join(f"SET tcp_keepalives_{name} = {value}" for name, value in _KEEPALIVES.items())
_ANSWER = "FATAL:"  # from a running server or pooler, which may be slow to refuse the next one
HEADER = 4  # the header of a vector in pgvector's binary format
_NUMBER: Final = 20  # the oid of bigint
_NUMBERS: Final = 1016
_REALS: Final = 1022  # the same of double precision
_EACH: Final = [("bytes", ">i4"), ("value", ">i8")]
# Bytes before the first number: dimensions, flags, type, length and first index; of none there are 12.
_HEAD: Final = 20
_REMEMBERED = 16  # namespaces of an org that its next session begins with
_ROLLBACKS = count()
Sizes = dict[tuple[str, str | int], int]
Met = dict[str, dict[str | None, int]]  # the namespaces that were looked up last: by org, the number of each user's
_Opening = list[tuple[str, Sequence[object] | None]]
"""Statements with their values; None for a text of one org that is not worth preparing."""


class Unreached(psycopg.OperationalError):
    """No connection could be made. libpq gives no code for it, so the reason is found by its text: see `Why`."""

    def __init__(self, message: str, why: Why) -> None:
        super().__init__(message)
        self.why = why


class Why(Enum):
    """The reason why no connection could be made, with the remedy."""

    DOWN = "cannot be reached: check that the server runs, and the host and the port in the URL"
    STARTING = "is starting or shutting down: try again"
    FULL = _UNAVAILABLE["53300"]
    REFUSED = "lets nobody in by this URL: check its user, its password and its database, and pg_hba.conf"
    OPTIONS = (
        "is behind a pooler that takes no such parameter: leave it out of the URL and set it for the role "
        "(ALTER ROLE ... SET ...)"
    )
    STATEMENTS = "is behind a pooler that takes no transactions: set its pool_mode to transaction or session"
    WAITED = "is behind a pooler that had no connection left for too long: raise its default_pool_size"
    BEHIND = "is behind a pooler that cannot reach the server: check that the server runs, then try again"


def why(message: str) -> Why | None:
    """Return why a connection could not be made or was ended, None if the message is unknown."""
    return next((Why[name] for text, name in _UNAVAILABLE["pooler"].items() if text in message), None)


def is_lost(error: BaseException) -> bool:
    """Return whether the connection itself is lost, and with it everything uncommitted."""
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, PoolTimeout | PoolClosed):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def is_transient(error: BaseException) -> bool:
    """Return whether a retry from the beginning may succeed."""
    if isinstance(error, Unreached):
        return error.why not in (Why.REFUSED, Why.OPTIONS)
    return is_lost(error) or (isinstance(error, psycopg.Error) and error.sqlstate in _AGAIN)


def is_busy(error: BaseException) -> bool:
    """Return whether a running server has no capacity yet; an absent server does not count."""
    return isinstance(error, Unreached) and error.why in (Why.STARTING, Why.FULL)


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Turn the engine's own errors into `StoreError`s that name the database, never its password."""
    try:
        yield
    except StoreCorrupt as error:
        raise error if error.path else StoreCorrupt(f"{address} {error}", path=address) from error
    except psycopg.IntegrityError as error:
        broken = f"{address}: the change breaks a rule of the store ({_first_line(error)})"
        raise StoreError(broken, path=address) from error
    except psycopg.errors.ProgramLimitExceeded as error:
        raise StoreError(f"{address} {_UNAVAILABLE['too_large']} ({_first_line(error)})", path=address) from error
    except PoolClosed as error:
        raise StoreUnavailable(f"the store {address} is closed: open it again", path=address) from error
    except PoolTimeout as error:
        raise StoreUnavailable(f"{address}: {_UNAVAILABLE['in_use']}", path=address) from error
    except psycopg.Error as error:
        raise _store_error(error, address) from error


def _store_error(error: psycopg.Error, address: str) -> StoreError:
    state, message = error.sqlstate or "", _first_line(error)
    if state in _DAMAGED:
        return StoreCorrupt(f"{address} is damaged, or was changed by hand ({message})", path=address)
    if state in _UNAVAILABLE:
        reason = f"{_UNAVAILABLE[state]} ({message})"
    elif isinstance(error, Unreached):
        reason = f"{error.why.value} ({error})"
    elif isinstance(error, psycopg.OperationalError):
        known = why(str(error))
        lost = "broke the connection off: check that the server runs, then try again"
        reason = f"{known.value if known else lost} ({message})"
    else:
        return StoreError(f"{address} refused a statement: {message}", path=address)
    return StoreUnavailable(f"{address} {reason}", path=address)


def _first_line(error: psycopg.Error) -> str:
    """Return the server's message, in one line, without values, which may be user data."""
    return (error.diag.message_primary or str(error)).strip().partition("\n")[0]


Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Cursor: TypeAlias = psycopg.Cursor[tuple[Any, ...]]
# Waiting callers get the reason.
logging.getLogger("psycopg.pool").addFilter(lambda record: _POOL_NAME not in (record.args or ()))
_DEFAULTS |= {f"keepalives_{name}": str(value) for name, value in _KEEPALIVES.items()}
_PINGED: dict[Ping, Why] = {Ping.OK: Why.REFUSED, Ping.REJECT: Why.STARTING}


class Halfvec(NamedTuple):
    """Numbers to bind as pgvector's `halfvec`."""

    values: Floats


class _HalfvecDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Halfvec) -> bytes:
        """Return the dimensions and the numbers, as `halfvec_recv` reads them."""
        return len(obj.values).to_bytes(2, "big") + b"\0\0" + obj.values.astype(">f2").tobytes()


class Nums(list[int]):
    """Integers to bind as one `bigint[]`: there may be hundreds, in many statements of a recall."""


class _NumsDumper(Dumper):
    format = Format.BINARY
    oid = _NUMBERS

    def dump(self, obj: Nums) -> bytes:
        """Return dimensions, flags, type, length and first index, then each number after its size, as it is sent."""
        if not obj:
            return struct.pack(">iii", 0, 0, _NUMBER)
        each = np.empty(len(obj), _EACH)
        each["bytes"], each["value"] = 8, obj
        return struct.pack(">iiiii", 1, 0, _NUMBER, len(obj), 1) + each.tobytes()


class _NumsLoader(Loader):
    format = Format.BINARY
    each, kind = _EACH, "i8"

    def load(self, data: Buffer) -> Any:
        """Return the numbers of an array of one dimension without nulls, as `_NumsDumper` would send it."""
        return np.frombuffer(data, self.each, offset=min(_HEAD, len(data)))["value"].astype(self.kind)


class _RealsLoader(_NumsLoader):
    each, kind = [("bytes", ">i4"), ("value", ">f8")], "f8"


class Address:
    """The address of a database: the parts of a URL that libpq finds, and those that may be shown."""

    def __init__(self, url: str) -> None:
        if (known := parted(url)) is None:
            raise ConfigError(  # libpq's message may contain a part of the password
                "the address of the database cannot be read: write postgresql://user:password@host:5432/database, with "
                "%40 for an @ in a name or a password, %2F for a /, and only parameters that libpq knows behind the ?"
            )
        self.conninfo: Final = conninfo.make_conninfo("", **{**_DEFAULTS, **known})
        self.shown: Final = shown(url)

    def connect(self, **how: Any) -> Connection:
        """Connect as the role that the URL names; the caller closes it. Raises `Unreached` with the reason."""
        try:
            return psycopg.connect(self.conninfo, autocommit=True, prepare_threshold=None, **how)
        except psycopg.OperationalError as error:
            message = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
            raise Unreached(message, why(message) or self._asked(message)) from None

    def at(self, host: str, port: int) -> Address:
        """Return the address of the same database on another node of a cluster."""
        return Address(conninfo.make_conninfo(self.conninfo, host=host, port=port))

    def _asked(self, message: str) -> Why:
        answer = Ping(PGconn.ping(conninfo.make_conninfo(self.conninfo, connect_timeout=2).encode()))
        return _PINGED.get(answer, Why.REFUSED if _ANSWER in message else Why.DOWN)


def is_pooled(connection: Connection, pid: int) -> bool:
    """Return whether a pooler is in front of the server: `pid` is not the backend connected to."""
    return pid != connection.info.backend_pid


def is_open(connection: Connection) -> bool:
    """Return whether the server has not announced that it ended an idle connection."""
    with suppress(psycopg.OperationalError):
        for _ in range(2):  # the server's last message comes before the end itself
            connection.pgconn.consume_input()
        return True
    return False


class Connections:
    """The pool, one for all stores of a process with the same parameters; callers wait `patience` seconds for one.

    Connections have `settings` for good, except those of a pooler, which another backend may answer, and to a cluster,
    whose nodes get them in each transaction.
    """

    def __init__(self, address: Address, *, most: int, patience: float, settings: Mapping[str, str]) -> None:
        self._address, self._patience, self._settings = address, patience, settings
        self._users = 0
        self._failed = 0  # failures to connect
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            address.conninfo,
            kwargs={"autocommit": True, "cursor_factory": psycopg.RawCursor, "prepare_threshold": 2},
            min_size=0,
            max_size=most,
            open=False,
            configure=self._configure,
            num_workers=1,
            name=_POOL_NAME,
            reconnect_timeout=_AT_ONCE,  # waiting callers retry, and get the reason in the end
            reconnect_failed=self._note,
        )

    @classmethod
    def shared(cls, address: Address, *, most: int, patience: float, settings: Mapping[str, str]) -> Connections:
        """Return the open pool for these parameters, or a new one; each caller closes it once."""
        place = (os.getpid(), address.conninfo, most, patience, tuple(settings.items()))
        with _turn:
            held = _shared[place] = _shared.get(place) or cls(address, most=most, patience=patience, settings=settings)
            held._users += 1
            return held

    def _note(self, _: object) -> None:
        self._failed += 1

    def _configure(self, connection: Connection) -> None:
        connection.prepared_max = 500  # statements of a connection that the server keeps prepared
        ((pid, kind),) = asked(connection, "backend")
        if is_pooled(connection, pid):
            connection.prepare_threshold = None  # another backend would not have it, or have another of its name
        else:
            own = {} if _SPREAD in self._settings else self._settings
            connection.execute("; ".join((_LASTING, *(f"SET {name} = {value}" for name, value in own.items()))))
        connection.adapters.register_dumper(Halfvec, type("HalfvecDumper", (_HalfvecDumper,), {"oid": kind or 0}))
        connection.adapters.register_dumper(Nums, _NumsDumper)
        connection.adapters.register_loader(_NUMBERS, _NumsLoader)
        connection.adapters.register_loader(_REALS, _RealsLoader)

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """Lend a connection of the pool; a broken one is not lent again, nor one that broke with it."""
        connection = self._taken()
        try:
            yield connection
        except psycopg.Error as error:
            if error.sqlstate in UNPREPARED:
                connection.close()  # its state is no longer valid
            raise
        finally:
            broken = connection.broken
            self._pool.putconn(connection)
            if broken and not self._pool.closed:
                self._pool.check()

    def _taken(self) -> Connection:
        try:
            self._pool.open(wait=False)  # on first use: its threads would not survive a fork
        except psycopg.OperationalError as error:  # it would not reopen, however often it was tried
            raise PoolClosed(str(error)) from error
        until = time.monotonic() + self._patience
        while True:
            failed, left = self._failed, until - time.monotonic()
            try:
                connection = self._pool.getconn(max(min(left, _LOOK), _AT_ONCE))
                if is_open(connection):
                    return connection
                self._pool.putconn(connection)
            except PoolTimeout:
                if self._failed > failed:
                    # As the pool makes one, to raise its error.
                    with self._address.connect(cursor_factory=psycopg.RawCursor) as own:
                        self._configure(own)
                elif left <= _LOOK:
                    raise

    def close(self) -> None:
        """Close the pool unless another store uses it; lent connections close when they are returned."""
        with _turn:
            self._users -= 1
            if self._users > 0:
                return
            for place in [place for place, held in _shared.items() if held is self]:
                del _shared[place]
        self._pool.close()


_shared: dict[tuple[object, ...], Connections] = {}  # by process: a child has its own, and closes none
_turn = threading.RLock()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_turn.release)


def retried(patience: float, act: Callable[[], T], passes: Callable[[BaseException], bool] = is_transient) -> T:
    """Return the result of `act`, repeated after transient errors until the patience is used up."""
    until, pause = time.monotonic() + patience, _PAUSE
    while True:
        try:
            return act()
        except psycopg.Error as error:
            if not passes(error) or time.monotonic() >= until:
                raise
        time.sleep(min(pause, max(until - time.monotonic(), 0)))
        pause = min(2 * pause, _LONGEST)


class Name(NamedTuple):
    """The identity of a transaction for the server, whose statistics show whether a crash may have taken it back."""

    number: str
    since: str


class OtherTurn(Exception):
    """A change writes to the chain of a user whose turn it did not wait for ("" for no user): it begins again."""

    def __init__(self, user: str) -> None:
        super().__init__("the turn of another user")
        self.user = user


class Session:
    """The statements of a transaction, bound to one org at a time: row-level security hides all other rows.

    It begins with the first statement, in one round trip with it. `namespaces` are the expected ones
    by org and user; when it begins, `SerializationFailure` is raised if one belongs to another user by now.
    `settings`, as SQL has them, hold until its end, as the role does, unless the connection has them: see
    `Connections`. Writers of one namespace take turns from their first statement on, so their reads stay valid.
    `users` are those of the namespaces that are written, "" for rows without a user; None for all of an org.
    """

    def __init__(
        self,
        connection: Connection,
        settings: Mapping[str, str],
        *,
        writes: bool,
        indexed_from: int,
        sizes: Sizes,
        met: Met,
        users: Collection[str] | None = None,
    ) -> None:
        self.users = users
        self.connection: Final = connection
        self.writes: Final = writes
        self.indexed_from: Final = indexed_from
        lasting = connection.prepare_threshold is not None and _SPREAD not in settings
        self._settings = {"role": APP, **({} if lasting else settings)}
        self.org: str | None = None
        self.made = 0  # new records
        self.sizes: Final = sizes  # by org: dimensions by embedder, rows by namespace when they were counted
        self._met: Final = met
        self._opening: _Opening = []  # the statements that begin it, before the first query
        self.name: Name | None = None
        self.namespaces: dict[tuple[str, str | None], int] = {}  # by org and user, those that are known
        self._locked: set[str] = set()
        self._waiting: list[tuple[Cursor, bytes, Sequence[Sequence[object]]]] = []

    @contextmanager
    def begun(self, org: str | None) -> Iterator[None]:
        """Begin a transaction bound to an org, and roll back what is not committed in the end."""
        first: _Opening = [("BEGIN" if self.writes else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())]
        first += [(f"SET LOCAL {name} = {value}", ()) for name, value in self._settings.items()]
        known = self._met.get(org, {}) if org is not None else {}
        self.namespaces = {(str(org), user): number for user, number in known.items()}
        if org is not None:
            first += self._turning(org, locking=self.writes)
            first.append((ABOUT_SERVER["users_of_namespaces"], (org, Nums(known.values()))))
        first += [(ABOUT_SERVER["transaction_id"], ())] if self.writes else []
        self._first = self._opening = first
        try:
            yield
        finally:
            if not self.connection.closed and self.connection.pgconn.transaction_status:
                with suppress(psycopg.OperationalError):  # then the server does so, when it notices the lost client
                    if self.writes or self.connection.pgconn.transaction_status == TransactionStatus.INERROR:
                        self.undo()
                    else:
                        self.connection.execute("COMMIT")

    def begin(self) -> None:
        """Begin the transaction now, unless it has begun."""
        if opening := self._opening:
            self._opening = []
            with self.connection.pipeline():
                begun = self._sent(opening)
            self._began(begun)

    def _began(self, begun: Sequence[Cursor]) -> None:
        """Process the results of the opening statements."""
        found = [cursor.fetchall() for cursor in begun if cursor.rownumber is not None]
        if self.writes:
            self.name = Name(*found.pop()[0])
        if self.namespaces and self.namespaces != {(str(self.org), user): number for number, user in found[-1]}:
            self.forget_namespaces()
            raise psycopg.errors.SerializationFailure("a namespace is another's by now")

    def note_namespace(self, org: str, user: str | None, number: int) -> None:
        """Make sessions of an org begin with a namespace that was looked up."""
        known = {user: number, **self._met.get(org, {})}
        self._met[org] = dict(list(known.items())[:_REMEMBERED])

    def forget_namespaces(self) -> None:
        """Discard cached namespaces."""
        self.namespaces.clear()
        self._met.clear()

    def turn_to(self, org: str, *, locking: bool = True) -> None:
        """Switch to another org; a writer waits for its turn there."""
        wants = self.writes and locking and org not in self._locked
        if self.org != org or wants:
            self._say(self._turning(org, locking=wants))

    def _turning(self, org: str, *, locking: bool) -> _Opening:
        self.org = org
        turn: _Opening = [(f"SET LOCAL engrain.org = {self._quoted(org)}", None)]
        if locking:
            self._locked.add(org)  # the turn of each user is waited for, always in the same order
            users = [""] if self.users is None else sorted(self.users)
            if not any(of == org for of, _ in self.namespaces):  # an org with namespaces is known
                turn.append((ABOUT_SERVER["add_org"], (org,)))
            turn += [(ABOUT_SERVER["lock_writer"], (org, user)) for user in users]
            turn += [(ABOUT_SERVER["lock_writers"], (org,))] if self.users is None else []
        return turn

    def set(self, **settings: str) -> None:
        """Set parameters of the server until the end of the transaction; `__` is the dot in a name."""
        named = {name.replace("__", "."): self._quoted(value) for name, value in settings.items()}
        self._say([(f"SET LOCAL {name} = {value}", None) for name, value in named.items()])

    def _say(self, statements: _Opening) -> None:
        """Run statements after the queued ones."""
        self.begin()
        self.send()
        with self.connection.pipeline():
            self._sent(statements)

    def _sent(self, statements: _Opening) -> list[Cursor]:
        """Send statements, each in a message of its own: Citus forwards a `SET LOCAL` with its whole message."""
        execute = self.connection.execute
        return [execute(text.encode(), sent, prepare=False if sent is None else None) for text, sent in statements]

    def later(self, statement: str, *rows: Sequence[object], raw: bool = False) -> Cursor:
        """Queue a statement for each row of values, sent with the next one; `raw` leaves extension types as bytes."""
        text, owned = bound(statement)
        cursor = self.connection.cursor(binary=raw)
        self._waiting.append((cursor, text.encode(), [(self.org, *row) for row in rows] if owned else rows))
        return cursor

    def send(self, *, ends: bool = False) -> None:
        """Send the queued statements in one round trip, with `ends` also the commit; raise the first error."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        opening, self._opening = self._opening, (self._first if ends else [])
        with self.connection.pipeline() if len(waiting) > 1 or opening or ends else nullcontext():
            begun = self._sent(opening)
            for cursor, text, rows in waiting:
                if len(rows) == 1:
                    cursor.execute(text, rows[0])
                else:
                    cursor.executemany(text, rows)
            if ends:
                self.connection.execute(b"COMMIT")
        if begun:
            self._began(begun)

    def undo(self, since: str = "") -> None:
        """Roll back everything, or to a savepoint; queued statements are not sent.

        Of statements that were sent together some may not have been prepared: psycopg counts none as prepared after a
        rollback that it has not seen before.
        """
        self._waiting.clear()
        self.connection.execute(f"ROLLBACK{since} -- {next(_ROLLBACKS)}".encode())

    def ask(self, statement: str, params: Sequence[object], *, raw: bool = False) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds, see `later`."""
        cursor = self.later(statement, params, raw=raw)
        self.send()
        return cursor.fetchall() if cursor.rownumber is not None else []

    def commit(self) -> None:
        """Send the queued statements, and commit."""
        if self._waiting:
            self.begin()  # so that the transaction has a name to ask for
        if not self._opening:
            self.ask("COMMIT", ())

    def _quoted(self, text: str) -> str:
        return compose.Literal(text).as_string(self.connection)


def was_committed(address: Address, name: Name, patience: float, *, spread: bool) -> bool:
    """Return whether a transaction was committed, as the server says; one that is still open there is ended.

    Raises `StoreUnavailable` if it cannot be known: the server does not come back, or it crashed and the number may be
    another transaction's, or another server replaced it; if rows are `spread`, their node may have committed what the
    server that was asked has not.
    """
    try:
        status = retried(patience, partial(_status, address, name))
    except psycopg.errors.InvalidParameterValue:  # the number is unknown: it was lost in a crash
        return False
    except psycopg.Error as error:
        raise unknown(address, str(error)) from error
    if status is None:
        raise unknown(address, "it crashed, or it was too long ago")
    if spread and status != "committed":
        raise unknown(address, "another node has the rows")
    return bool(status == "committed")


def _status(address: Address, name: Name) -> str | None:
    with address.connect() as connection:
        ((status, since),) = asked(connection, "transaction_status", name.number)
        if since != name.since:
            return None if status in (None, "committed") else "aborted"
        if status == "in progress":
            asked(connection, "end", name.number)
            raise psycopg.OperationalError("it is still in progress")
        return str(status) if status else None


def unknown(address: Address, why: str) -> StoreUnavailable:
    """Return the error of a commit with an unknown outcome."""
    unsure = f"went away while a change was committed, and cannot be asked whether it was kept ({why})"
    return StoreUnavailable(f"{address.shown} {unsure}: look before you make it again", path=address.shown)


@lru_cache(maxsize=4096)
def bound(statement: str) -> tuple[str, bool]:
    """Return a statement for the rows of one org, a second boundary to row-level security, and whether `$1` is it."""
    text = _READ.sub(_rows, statement)
    text = _CHANGED.sub(lambda found: f"{found[1]} engrain.{found[2]}{found[3]} WHERE {_mine(found[2])} AND ", text)
    if inserted := _INSERTED.match(text):
        table, columns, source = inserted.groups()
        rest = text[inserted.end() :]
        if source != "VALUES":
            rest = _BESIDE.format(rest)
        elif "org" in columns.split(", "):
            return _numbered(f"INSERT INTO engrain.{table} ({columns}) VALUES {rest}")
        else:
            rest = f"VALUES {rest}".replace("(?", "($1, ?")
        text = f"INSERT INTO engrain.{table} (org, {columns}) {rest}"
    return _numbered(text)


def _numbered(text: str) -> tuple[str, bool]:
    owned = "$1" in text
    number = count(1 + owned)
    return re.sub(r"\?", lambda _: f"${next(number)}", text), owned


def _rows(found: re.Match[str]) -> str:
    word, table, alias = found.groups()
    return f"{word} (SELECT * FROM engrain.{table} WHERE {_mine(table)}){alias or f' {table}'}"


def _mine(table: str) -> str:
    return "org IN ($1, '')" if table == _SHARED else "org = $1"
