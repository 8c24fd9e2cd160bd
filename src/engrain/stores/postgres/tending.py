"""What a database wants done now and then: tables measured, and an index made for vectors that have become many."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from psycopg import sql

from engrain.guard import log
from engrain.stores.postgres.connections import Connection
from engrain.stores.postgres.session import Session

_BLOCKING_UPTO = 100_000  # vectors that are indexed while writers wait, where it cannot be done beside them
_MADE_OF = (
    "SELECT DISTINCT ON (embedder) embedder, vector_dims(v) FROM vector "
    "WHERE ns IN (SELECT ns FROM extent WHERE documents > ?) ORDER BY embedder"
)
_INDEXES = (
    "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
    "WHERE indrelid = to_regclass('vector')"
)
# Of a table in parts an index is made for all of them at once, while writers wait.
_BESIDE = "SELECT relkind = 'r' AND pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'engrain.vector'::regclass"


class Many(NamedTuple):
    """Vectors of one embedder that are so many in some namespace that an index is worth while."""

    embedder: str
    dimensions: int

    @property
    def place(self) -> str:
        """The name of their index, as the function `index_vectors` makes it."""
        return f"vector_{sha256(f'{self.embedder} {self.dimensions}'.encode()).hexdigest()[:32]}"


def measure(session: Session) -> None:
    """Have the tables measured, in a transaction of its own."""
    with session.begun(None):
        session.ask("SELECT measure()", ())
        session.commit()


def many(session: Session, orgs: Iterable[str]) -> set[Many]:
    """Return the vectors that want an index and have none."""
    found: set[Many] = set()
    for org in orgs:
        session.turn_to(org)
        found |= {Many(*row) for row in session.ask(_MADE_OF, (session.indexed_from,))}
    made = {name for name, valid in session.ask(_INDEXES, ()) if valid}
    return {each for each in found if each.place not in made and each.dimensions <= 4000}


def indexed(vectors: Many, owner: Connection, session: Session) -> None:
    """Make an index: beside writers if the URL's role owns the tables, else while they wait, unless that is long."""
    if (owner.execute(_BESIDE).fetchone() or (False,))[0]:
        index = sql.Identifier("engrain", vectors.place)
        owner.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(index))  # one that was broken off
        owner.execute(
            sql.SQL(
                "CREATE INDEX CONCURRENTLY {} ON engrain.vector USING hnsw ((v::halfvec({})) halfvec_ip_ops) "
                "WITH (m = 32, ef_construction = 200) WHERE embedder = {}"
            ).format(sql.Identifier(vectors.place), sql.Literal(vectors.dimensions), sql.Literal(vectors.embedder))
        )
        return
    rows = session.ask("SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'engrain.vector'::regclass", ())[0][0]
    if rows > _BLOCKING_UPTO:
        log.warning(
            "%d vectors by %s are searched without an index: the owner of the tables runs SELECT "
            "engrain.index_vectors(%r, %d) when writers may wait",
            *(rows, vectors.embedder, vectors.embedder, vectors.dimensions),
        )
        return
    with session.begun(None):
        session.ask("SELECT index_vectors(?, ?)", (vectors.embedder, vectors.dimensions))
        session.commit()
