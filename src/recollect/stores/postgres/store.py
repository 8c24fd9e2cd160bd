"""The store on PostgreSQL: many processes on many machines, one database, each org behind a wall of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar, cast
from weakref import WeakValueDictionary

import psycopg

from recollect.errors import StoreUnavailable
from recollect.foreign import log
from recollect.protocols import Reader, Transaction
from recollect.stores.postgres import schema, tending
from recollect.stores.postgres.connections import Address, Connection, Connections, tries
from recollect.stores.postgres.errors import explained, is_lost, is_transient
from recollect.stores.postgres.everywhere import EveryOrg, EveryOrgTransaction
from recollect.stores.postgres.reading import PostgresReader
from recollect.stores.postgres.session import Session
from recollect.stores.postgres.vectors import INDEXED_FROM
from recollect.stores.postgres.writing import PostgresTransaction
from recollect.stores.queueing import Queue, Queued
from recollect.stores.sql_read import Names

T = TypeVar("T")
_FIRST_MEASURED = 200  # memories added by a process
_ABANDONED: list[Connections] = []  # of a parent process: to close them would end what the parent says there


class PostgresStore:
    """A store in a PostgreSQL database, shared by any number of threads, processes and machines.

    `url` is `postgresql://user@host/database?sslmode=require`, with any parameter that libpq knows. `durability`
    `"normal"` may lose the last commits when the server's machine fails (`synchronous_commit = off`). `patience` is how
    many seconds a call waits for other writers, for one of the `connections`, or for a server that is starting again.
    The vectors of a namespace of more than `indexed_from` memories are searched by an index (HNSW), smaller ones whole.
    Opening it makes or migrates the schema `recollect` when the URL's role may. Raises `StoreUnavailable`,
    `StoreCorrupt`, `SchemaMismatch` or `ConfigError` when the database cannot be used; one that is not ours is left as
    it is.
    """

    def __init__(
        self,
        url: str,
        *,
        durability: str = "full",
        patience: float = 30.0,
        connections: int = 16,
        indexed_from: int = INDEXED_FROM,
    ) -> None:
        if durability not in ("full", "normal"):
            raise ValueError(f"durability is 'full' or 'normal', not {durability!r}")
        if connections < 1:
            raise ValueError(f"connections is at least 1, not {connections}")
        self._address = Address(url)
        self._patience, self._most, self._durability = patience, connections, durability
        self._indexed_from = indexed_from
        self._closed = False
        self._names: Names = {}
        self._prepare()
        self._begin()

    def _prepare(self) -> None:
        with explained(self.url), self._administering() as connection:
            self.schema_version = schema.prepare(connection, self.url)
            self.read_only = schema.is_read_only(connection)
            self._path = schema.path(connection)

    def _begin(self) -> None:
        self._owner = os.getpid()
        settings = [
            f"SET search_path = {self._path}",
            # A plan for any values cannot use an index of some rows alone, and guesses badly how long lists are.
            "SET plan_cache_mode = force_custom_plan",
            "SET jit = off",
            f"SET lock_timeout = '{max(int(self._patience * 1000), 1)}ms'",
        ]
        if self._durability == "normal":
            settings.append("SET synchronous_commit = off")
        self._connections = self._connected("; ".join(settings))
        self._queues: WeakValueDictionary[str | None, Queue] = WeakValueDictionary()
        self._lock = threading.Lock()
        self._made, self._measured_at = 0, _FIRST_MEASURED

    def _connected(self, settings: str) -> Connections:
        return Connections(self._address, most=self._most, patience=self._patience, settings=settings)

    @property
    def url(self) -> str:
        """The address of the database, without its password."""
        return self._address.shown

    def _check(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"the store {self.url} is closed: open it again", path=self.url)
        if self._owner != os.getpid():  # a fork: what is open belongs to the parent
            _ABANDONED.append(self._connections)
            self._begin()

    @contextmanager
    def _administering(self) -> Iterator[Connection]:
        """Lend a connection of the role that the URL names, for what concerns the database and not its rows."""
        for one in tries(self._patience):
            with one:
                connection = self._address.connect()
        with connection:
            yield connection

    # -------------------------------------------------------------------------------------------------------- reading

    @contextmanager
    def read(self, org: str | None = None) -> Iterator[Reader]:
        """Open a consistent view of an org, or of all of them; nothing committed after it began is seen in it."""
        self._check()
        with explained(self.url), self._begun(org) as session:
            if org is None:
                yield cast(Reader, EveryOrg(session, self._names, PostgresReader))
            else:
                yield PostgresReader(session, org, self._names)

    @contextmanager
    def _begun(self, org: str | None) -> Iterator[Session]:
        """Begin to read; a connection that broke while it was idle, or a server that is starting, is tried again."""
        for one in tries(self._patience):
            with one, self._connections.lent() as connection:
                session = Session(connection, writes=False, indexed_from=self._indexed_from)
                with session.begun(org):
                    one.made = True
                    yield session
                return

    # -------------------------------------------------------------------------------------------------------- writing

    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        """Run `change` in a transaction, alone or with other threads' changes, and return once it is durable.

        It is tried again from the beginning when the server went away before it was committed; when it went away while
        it was committing, the server is asked what came of it.
        """
        self._check()
        if self.read_only:
            raise StoreUnavailable(
                f"{self.url} is read-only: name the primary server, or a database that may be written", path=self.url
            )
        with self._lock:
            queue = self._queues.get(org)
            if queue is None:
                queue = self._queues[org] = Queue(partial(self._together, org))
        return queue.write(change, org)

    def _together(self, org: str | None, batch: Sequence[Queued[object]]) -> None:
        try:
            with explained(self.url):
                for one in tries(self._patience):
                    with one, self._connections.lent() as connection:
                        session = Session(connection, writes=True, indexed_from=self._indexed_from)
                        with session.begun(org):
                            self._commit(session, org, batch)
        except BaseException:
            self._names.clear()  # it may know namespaces that were rolled back
            raise

    def _commit(self, session: Session, org: str | None, batch: Sequence[Queued[object]]) -> None:
        for queued in batch:
            self._apply(session, org, queued, alone=len(batch) == 1)
        if all(queued.error is not None for queued in batch):
            return
        name = session.name()
        try:
            session.commit()
        except psycopg.OperationalError as error:
            if not is_lost(error) or not self._was_committed(name, error):
                raise
            return
        self._measure(session)

    def _measure(self, session: Session) -> None:
        """Have the tables measured whenever this process has added as many memories as it had added before."""
        self._made += session.made
        if self._made < self._measured_at:
            return
        self._measured_at = 2 * self._made
        try:
            session.ask("SELECT measure()", ())
        except psycopg.Error as error:  # what was asked for is done
            log.warning("the tables of %s could not be measured: %s", self.url, error)

    def _apply(self, session: Session, org: str | None, queued: Queued[object], *, alone: bool) -> None:
        if not alone:
            session.do("SAVEPOINT one", ())
        transaction = EveryOrgTransaction(session, self._names) if org is None else None
        view = transaction or PostgresTransaction(session, cast(str, org), self._names)
        with queued:
            queued.run(cast(Transaction, view))
        if queued.error is None:
            if not alone:
                session.do("RELEASE one", ())
            return
        self._names.clear()  # it may have named a namespace that was rolled back
        if is_transient(queued.error):
            raise queued.error
        with queued, explained(self.url):
            raise queued.error
        if not alone:
            session.do("ROLLBACK TO one", ())
            session.do("RELEASE one", ())

    def _was_committed(self, name: str, lost: psycopg.OperationalError) -> bool:
        """Ask what came of a transaction whose commit was not answered."""
        try:
            for one in tries(self._patience):
                with one, self._address.connect() as connection:
                    while True:
                        row = connection.execute("SELECT pg_xact_status(%s::xid8)", (name,)).fetchone()
                        if row is not None and row[0] != "in progress":
                            return bool(row[0] == "committed")
        except psycopg.Error as error:
            raise StoreUnavailable(
                f"{self.url} went away while a change was committed, and cannot be asked whether it was kept: look "
                "before you make it again",
                path=self.url,
            ) from error
        raise lost

    # ---------------------------------------------------------------------------------------------------------- whole

    def tend(self) -> None:
        """Have the tables measured, and make the index of vectors that have become many; memories stay as they are."""
        self._check()
        if self.read_only:
            return
        with explained(self.url):
            with self._begun(None) as session:
                wanted = tending.many(session, EveryOrg(session, self._names, PostgresReader).orgs())
            with self._connections.lent() as connection, self._administering() as owner:
                session = Session(connection, writes=True, indexed_from=self._indexed_from)
                session.ask("SELECT measure()", ())
                for vectors in sorted(wanted):
                    tending.indexed(vectors, owner, session)

    def close(self) -> None:
        """Close every connection; twice is once."""
        if not self._closed and self._owner == os.getpid():
            self._connections.close()
        self._closed = True
