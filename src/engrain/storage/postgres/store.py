"""The store on PostgreSQL: many processes on many machines, one database, each org isolated by row-level security."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeVar, cast
from weakref import WeakValueDictionary

import psycopg
from psycopg import sql

from engrain.errors import StoreUnavailable
from engrain.guard import log
from engrain.model.audit import PENDING
from engrain.model.filters import Test
from engrain.storage import forks
from engrain.storage.byte_search import Needles
from engrain.storage.interface import Reader, Transaction
from engrain.storage.postgres import connections, erasure, schema
from engrain.storage.postgres.connections import Address, Connection, Connections, Met, Session, Sizes, explained
from engrain.storage.postgres.reader import INDEXED_FROM, SQL, PostgresReader
from engrain.storage.postgres.transaction import EveryOrg, EveryOrgTransaction, PostgresTransaction
from engrain.storage.rows import ReceiptRow, Residue
from engrain.storage.sql.copying import Loading, OrgCopy, Whole
from engrain.storage.sql.reader import Names
from engrain.storage.sql.transaction import Queue, Queued
from engrain.storage.sqlite.files import environment_key, snapshot_at
from engrain.storage.sqlite.store import SQLiteStore

T = TypeVar("T")
REWRITTEN = 1 << 26  # bytes of tables and indexes up to which an erasure rewrites them at once, while others wait
_BEYOND = (
    "archives of the server's write-ahead log, its replicas and its base backups",
    "logs of the server, where it is set to write the values of statements into them",
)
_LOG = "the server's write-ahead log, which the role of the store's URL may not turn over"
_FIRST_MEASURED = 200  # memories added by a process
_ABANDONED: list[Connections] = []  # of a parent process: closing them would end its sessions


class Many(NamedTuple):
    """An embedder whose vectors in some namespace are so many that an index is worthwhile."""

    embedder: str
    dimensions: int

    @property
    def place(self) -> str:
        """The name of their index, as the function `index_vectors` creates it."""
        return f"vector_{sha256(f'{self.embedder} {self.dimensions}'.encode()).hexdigest()[:32]}"


def many(session: Session, orgs: Iterable[str]) -> set[Many]:
    """Return the embedders that need an index and have none."""
    found: set[Many] = set()
    for org in orgs:
        session.turn_to(org)
        found |= {Many(*row) for row in session.ask(SQL["embedders_of_many"], (session.indexed_from,))}
    made = {name for name, valid in session.ask(SQL["indexes_of_vectors"], ()) if valid}
    return {each for each in found if each.place not in made and each.dimensions <= 4000}


def indexed(vectors: Many, owner: Connection, session: Session) -> None:
    """Build an index: concurrently if the URL's role owns the tables, else while writers wait, unless that is long."""
    if schema.asked(owner, "may_index")[0][0]:
        index = sql.Identifier("engrain", vectors.place)
        owner.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(index))  # left by an interrupted run
        owner.execute(
            sql.SQL(
                "CREATE INDEX CONCURRENTLY {} ON engrain.vector USING hnsw ((v::halfvec({})) halfvec_ip_ops) "
                "WITH (m = 32, ef_construction = 200) WHERE embedder = {}"
            ).format(sql.Identifier(vectors.place), sql.Literal(vectors.dimensions), sql.Literal(vectors.embedder))
        )
        return
    rows = session.ask("SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'engrain.vector'::regclass", ())[0][0]
    if rows > 100_000:  # vectors that are indexed while writers wait, if it cannot be done concurrently
        log.warning(
            "%d vectors by %s are searched without an index: the owner of the tables runs SELECT "
            "engrain.index_vectors(%r, %d) when writers may wait",
            *(rows, vectors.embedder, vectors.embedder, vectors.dimensions),
        )
        return
    with session.begun(None):
        session.ask("SELECT engrain.index_vectors(?, ?)", (vectors.embedder, vectors.dimensions))
        session.commit()


class PostgresStore:
    """A store in a PostgreSQL database, shared by any number of threads, processes and machines.

    `url` is `postgresql://user@host/database?sslmode=require`, with any parameter that libpq knows. `durability`
    `"normal"` may lose the last commits when the server's machine fails (`synchronous_commit = off`). `patience` is how
    many seconds a call waits for other writers, for one of the `connections`, or for a server to come back; one that
    is absent at the opening is an error at once. The vectors of a namespace of more than `indexed_from` memories are
    searched by an index (HNSW), smaller ones by a scan. An erasure rewrites tables of up to `rewrite_upto` bytes at
    once, None for any size; larger ones keep its receipt pending. Opening creates or migrates the schema `engrain` if
    the URL's role may. Raises `StoreUnavailable`, `StoreCorrupt`, `SchemaMismatch` or `ConfigError` if the database
    cannot be used; a database of another program is left unchanged.
    """

    keeps_deleted = True  # whether deleted rows stay in the files until the tables are rewritten

    def __init__(
        self,
        url: str,
        *,
        durability: str = "full",
        patience: float = 30.0,
        connections: int = 16,
        indexed_from: int = INDEXED_FROM,
        rewrite_upto: int | None = REWRITTEN,
    ) -> None:
        if durability not in ("full", "normal"):
            raise ValueError(f"durability is 'full' or 'normal', not {durability!r}")
        if connections < 1:
            raise ValueError(f"connections is at least 1, not {connections}")
        if rewrite_upto is not None and rewrite_upto < 0:
            raise ValueError(f"rewrite_upto is a number of bytes or None, not {rewrite_upto}")
        self._address, self._rewrite_upto = Address(url), rewrite_upto
        self._patience, self._most, self._durability = patience, connections, durability
        self._indexed_from = indexed_from
        self.closed: bool = False
        self.names: Final = Names()
        self._sizes: Sizes = {}
        self._met: Met = {}
        self._prepare()
        self._begin()
        forks.watch(self)

    def _prepare(self) -> None:
        with explained(self.url), self._administering() as connection:
            self.schema_version: int = schema.prepare(connection, self.url)
            with connection.transaction():  # which a pooler of single statements refuses, here and now
                self.read_only: bool = schema.is_read_only(connection)
                self._path = schema.path(connection)
                self.on_citus: bool = schema.has_citus(connection)

    def _begin(self) -> None:
        self._owner = os.getpid()
        # The first one has those after it sent to every node of a cluster.
        self._settings = {"citus.propagate_set_commands": "'local'"} if self.on_citus else {}
        self._settings |= {
            "search_path": self._path,
            # Planning takes longer than execution: once, for any values. Citus finds the node of an org by its name.
            "plan_cache_mode": f"force_{'custom' if self.on_citus else 'generic'}_plan",
            "enable_seqscan": "off",
            "enable_mergejoin": "off",
            "hash_mem_multiplier": "8",
            "jit": "off",
            "lock_timeout": str(max(int(self._patience * 1000), 1)),
            "log_parameter_max_length_on_error": "0",  # a server's log must not contain user data
        }
        if self._durability == "normal":
            self._settings["synchronous_commit"] = "off"
        how: dict[str, Any] = {"most": self._most, "patience": self._patience, "settings": self._settings}
        self._connections = Connections.shared(self._address, **how)
        self._queues: WeakValueDictionary[tuple[str | None, frozenset[str] | None], Queue] = WeakValueDictionary()
        self._lock, self._rewriting = threading.Lock(), threading.Lock()
        self._done = frozenset[tuple[str, str]]()  # erasures that had removed their rows before the last rewrite
        self._here = threading.local()  # whether this thread is running changes
        self._made, self._measured_at = 0, _FIRST_MEASURED

    @property
    def url(self) -> str:
        """The address of the database, without its password."""
        return self._address.shown

    def rest(self) -> None:
        """Do nothing: open connections stay the parent's."""

    def wake(self) -> None:
        """Start again in a child: its parent's connections are not its own."""
        if self._owner != os.getpid():
            _ABANDONED.append(self._connections)
            self._begin()

    def _check(self) -> None:
        if self.closed:
            raise StoreUnavailable(f"the store {self.url} is closed: open it again", path=self.url)

    def _administering(self) -> Connection:
        """Connect as the role of the URL; a server that starts or is full is waited for, an absent one is an error."""
        return connections.retried(self._patience, self._address.connect, connections.is_busy)

    # -------------------------------------------------------------------------------------------------------- reading

    @contextmanager
    def read(self, org: str | None = None) -> Iterator[Reader]:
        """Open a consistent view of an org, or of all of them; nothing committed after it began is visible in it."""
        self._check()
        with explained(self.url), self._begun(org) as session:
            if org is None:
                yield cast(Reader, EveryOrg(session, self.names, PostgresReader))
            else:
                yield PostgresReader(session, org, self.names)

    @contextmanager
    def _begun(self, org: str | None) -> Iterator[Session]:
        """Begin to read; after a broken idle connection, or while a server is starting, it tries again."""
        with ExitStack() as reading:

            def begin() -> Session:
                with ExitStack() as opening:
                    session = self._session(opening.enter_context(self._connections.lent()), writes=False)
                    opening.enter_context(session.begun(org))
                    reading.push(opening.pop_all())
                return session

            yield connections.retried(self._patience, begin)

    # -------------------------------------------------------------------------------------------------------- writing

    def write(
        self, change: Callable[[Transaction], T], org: str | None = None, users: Collection[str | None] | None = None
    ) -> T:
        """Run `change` in a transaction, once more if the server was lost before; the commit's outcome is asked for."""
        self._check()
        if self.read_only:
            raise StoreUnavailable(
                f"{self.url} is read-only: name the primary server, or a database that may be written", path=self.url
            )
        if getattr(self._here, "writing", False):  # two such, in two orgs, would deadlock
            raise RuntimeError("a change must not write to its own store: use the transaction it was given")
        turn = None if users is None else frozenset(user or "" for user in users)
        with self._lock:
            queue = self._queues.get((org, turn))
            if queue is None:
                queue = self._queues[org, turn] = Queue(partial(self._together, org, turn))
        return queue.write(change, org)

    def _together(self, org: str | None, turn: frozenset[str] | None, batch: Sequence[Queued[object]]) -> None:
        left = list(batch)
        self._here.writing = True

        def commit() -> None:
            for queued in left:
                queued.error = None  # of the previous attempt
            with self._connections.lent() as connection:
                session = self._session(connection, turn)
                try:
                    with session.begun(org):
                        self._commit(session, org, left)
                except BaseException:
                    self._forget()
                    raise

        def commit_in_turn() -> None:
            nonlocal turn
            while True:
                try:
                    return commit()
                except connections.OtherTurn as other:
                    turn = frozenset((*(turn or ()), other.user))

        try:
            with explained(self.url):
                connections.retried(self._patience, commit_in_turn)
        finally:
            self._here.writing = False

    def _session(self, connection: Connection, turn: Collection[str] | None = None, *, writes: bool = True) -> Session:
        known: dict[str, Any] = {"indexed_from": self._indexed_from, "sizes": self._sizes, "met": self._met}
        return Session(connection, self._settings, writes=writes, users=turn, **known)

    def _forget(self) -> None:
        """Drop cached state that a rolled-back transaction may have set."""
        self.names.clear()
        self._sizes.clear()

    def _commit(self, session: Session, org: str | None, left: list[Queued[object]]) -> None:
        alone = len(left) == 1
        for queued in tuple(left):
            self._apply(session, org, queued, alone=alone)
            if session.connection.broken:  # by the change itself, which fails: the others begin again without it
                left.remove(queued)
                raise psycopg.OperationalError("a time-out of the server ended the connection")
        if all(queued.error is not None for queued in left):
            return
        try:
            session.commit()
        except psycopg.OperationalError as error:
            if not connections.is_lost(error) or not self._was_committed(session):
                raise
        except psycopg.Error as error:
            if not self.on_citus:
                raise
            raise connections.unknown(self._address, f"{error.diag.message_primary}") from error
        except KeyboardInterrupt:
            if self._was_committed(session):
                _done(left)
            raise
        _done(left)
        self._measure(session)

    def _was_committed(self, session: Session) -> bool:
        if session.name is None:  # it had not begun
            return False
        return connections.was_committed(self._address, session.name, self._patience, spread=self.on_citus)

    def _measure(self, session: Session) -> None:
        """Analyse the tables whenever this process has doubled the number of memories it added."""
        self._made += session.made
        if self._made < self._measured_at or session.connection.broken:
            return
        self._measured_at = 2 * self._made
        try:
            if not (self.on_citus and schema.distributed_tables(session.connection)):  # whose nodes analyse their parts
                self._measure_tables(session)
        except psycopg.Error as error:  # the write itself is done
            log.warning("the tables of %s could not be measured: %s", self.url, error)

    def _measure_tables(self, session: Session) -> None:
        with session.begun(None):
            session.ask("SELECT engrain.measure()", ())
            session.commit()

    def _apply(self, session: Session, org: str | None, queued: Queued[object], *, alone: bool) -> None:
        if not alone:
            session.ask("SAVEPOINT one", ())
        transaction = EveryOrgTransaction(session, self.names) if org is None else None
        with queued:
            queued.run(transaction or PostgresTransaction(session, cast(str, org), self.names))
            if not alone or self.on_citus:
                session.send()  # an error here is of this change, not of the commit
        error = queued.error
        if error is None:
            if not alone:
                session.later("RELEASE one", ())
            return
        self._forget()
        if connections.is_transient(error) or isinstance(error, connections.OtherTurn):
            queued.error = None
            raise error
        with queued, explained(self.url):
            raise error
        if not alone and not session.connection.broken:
            session.undo(" TO one")
            session.later("RELEASE one", ())

    # -------------------------------------------------------------------------------------------------------- erasing

    def purge(self, *, rewrite: bool = False) -> bool:
        """Return whether no transaction sees deleted rows any more, or with `rewrite` remove them, unless too large."""
        if rewrite:
            return self._rewrite()
        with self._servers() as nodes:
            self._check_size(nodes)
            return not any(map(erasure.is_pinned, nodes))

    def _rewrite(self) -> bool:
        """Rewrite our tables and indexes with living rows only, and switch the server's log as far as permitted.

        False while a transaction still sees deleted rows, or the server keeps its log for a consumer. If erasures
        wait, and all of them had removed their rows before the last rewrite of this store, that one counts for them.
        """
        with self._rewriting, self._servers() as nodes:
            erasure.check_backend(nodes[0], self._address)
            erasure.lock_rewriting(nodes[0], self._patience)
            with self.read() as view:
                pending = view.find(ReceiptRow, [Test("status", "eq", PENDING)], order="id")
            waiting = frozenset((row.org, row.body.partition('"shared"')[0]) for row in pending)  # with their progress
            if not waiting or not waiting <= self._done:
                self._check_size(nodes)
                if not all(erasure.rewrite(node, schema.distributed_tables(node)) for node in nodes):
                    return False
                self._done = waiting
            return all(erasure.turn_over(node) for node in nodes if erasure.rights(node).turns)

    @contextmanager
    def _server(self) -> Iterator[Connection]:
        """Connect to the server of the URL, as its role, for a method of this store."""
        self._check()
        with explained(self.url), self._administering() as connection:
            yield connection

    @contextmanager
    def _servers(self) -> Iterator[list[Connection]]:
        """Connect as `_server` does to all servers that hold rows of this store, the one of the URL first."""
        with self._server() as connection, schema.each_node(self._address, connection) as nodes:
            yield nodes

    def _check_size(self, nodes: Iterable[Connection]) -> None:
        found = sum(int(schema.first_row(node, erasure.SIZE)[0]) for node in nodes)
        if self._rewrite_upto is not None and found > self._rewrite_upto:
            raise StoreUnavailable(
                f"the tables take {found:,} bytes, of which up to {self._rewrite_upto:,} are written anew while others "
                f"wait: when they may, ENGRAIN_REWRITE_UPTO={2 * found} engrain flush finishes this",
                path=self.url,
            )

    def residue(self, traces: Collection[bytes]) -> Residue | None:
        """Return the traces in the files of our tables or in the server's log; None without the privilege."""
        self._check()
        needles = Needles(traces)
        if not needles:
            return Residue()
        with self._servers() as nodes:
            searched = [erasure.search(node, needles) for node in nodes]
            if None in searched:
                return None
            found = frozenset[bytes]().union(*filter(None, searched))
            if not found:
                return Residue()
            living = frozenset[bytes]().union(*(erasure.own_words(node, Needles(found)) for node in nodes))
            places = [erasure.Place(*row) for row in schema.asked(nodes[0], "columns", ["text", "halfvec", "bytea"])]
        with explained(self.url), self._begun(None) as session:
            orgs = [name for (name,) in session.ask("SELECT name FROM engrain.org", ())]
        for org in orgs:
            with explained(self.url), self._begun(org) as session:
                session.begin()
                living |= erasure.in_rows(session.connection, places, found - living)
        return Residue(found - living, living)

    def drop_copies(self) -> int:
        """Return 0: the engine makes no copies beside the database."""
        return 0

    def out_of_reach(self) -> tuple[str, ...]:
        """Return the copies of deleted rows that this store can never reach."""
        with self._servers() as nodes:
            return _BEYOND if all(erasure.rights(node).turns for node in nodes) else (_LOG, *_BEYOND)

    # ---------------------------------------------------------------------------------------------------------- whole

    def maintain(self) -> None:
        """Analyse the tables, and build the index of vectors that have become many; memories are unchanged."""
        self._check()
        if self.read_only:
            return
        with explained(self.url):
            with self._begun(None) as session:
                wanted = many(session, EveryOrg(session, self.names, PostgresReader).orgs())
            with self._connections.lent() as connection, self._administering() as owner:
                session = self._session(connection)
                self._measure_tables(session)
                for vectors in sorted(wanted):
                    try:
                        indexed(vectors, owner, session)
                    except psycopg.DataError as error:  # an org has others under the same id: they are found without
                        log.warning("vectors by %s cannot be indexed: %s", vectors.embedder, error)

    def distribute(self, *, shards: int = schema.SHARDS) -> tuple[list[str], list[schema.Node]]:
        """Distribute the tables over a Citus cluster; return those, and the nodes; `ConfigError` without either."""
        with self._server() as connection:
            return schema.distribute(connection, self.url, shards=shards), schema.nodes(connection)

    def size(self) -> int:
        """Return the bytes that our tables and their indexes take; the server's log is not counted."""
        self._check()
        with explained(self.url), self._begun(None) as session:
            local = int(session.ask(erasure.SIZE, ())[0][0])
            if self.on_citus and schema.distributed_tables(session.connection):
                local += sum(node.bytes for node in schema.nodes(session.connection))
            return local

    def snapshot(self, path: str) -> str:
        """Write a consistent SQLite copy to the new `path`, encrypted if the environment names a key for files."""
        self._check()
        with (
            snapshot_at(path) as (target, partial),
            closing(SQLiteStore(partial, durability="normal", key=environment_key())) as copy,
        ):
            with self.read() as reader:
                view = cast(Whole, reader)
                orgs = view.orgs()
                for org in orgs:
                    OrgCopy(view, copy, org, lambda rows, table: None, marked=False).run()
                numbers = view.numbers()
            copy.write(lambda transaction: cast(Loading, transaction).complete(orgs, numbers))
        return str(target)

    def close(self) -> None:
        """Close every connection; twice is once."""
        if not self.closed and self._owner == os.getpid():
            self._connections.close()
        self.closed = True


def _done(left: Sequence[Queued[object]]) -> None:
    """Mark committed changes, or another thread would run them again when this one is interrupted."""
    for queued in left:
        queued.done = True
