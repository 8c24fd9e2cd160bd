"""Distribution of a store over the nodes of a Citus cluster, all rows of an org together on one of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from psycopg import sql

from engrain.errors import ConfigError
from engrain.storage.postgres.connections import Address, Connection
from engrain.storage.postgres.schema import APP, asked, first_row

SHARDS = 32
"""The default number of parts of each table: the maximum number of nodes for a store."""
_CITUS = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
_BESIDE = "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 AND isactive ORDER BY 1, 2"


class Node(NamedTuple):
    """A node of a cluster, and what it has of the store."""

    host: str
    port: int
    is_active: bool
    shards: int
    bytes: int

    def __str__(self) -> str:
        state = "" if self.is_active else ", not active"
        return f"{self.host}:{self.port}, {self.shards} shards, {self.bytes:,} bytes{state}"


def has_citus(connection: Connection) -> bool:
    """Return whether the database is, or may become, one of a cluster."""
    return bool(first_row(connection, _CITUS)[0])


def distributed_tables(connection: Connection) -> frozenset[str]:
    """Return the tables that are distributed over the nodes of a cluster; none without Citus."""
    if not has_citus(connection):
        return frozenset()
    return frozenset(name for (name,) in asked(connection, "distributed"))


def nodes(connection: Connection) -> list[Node]:
    """Return the nodes that take rows."""
    return [Node(*row) for row in asked(connection, "nodes")]


def skew(found: list[Node]) -> float:
    """Return how much more the fullest node has than the average; 1 if all have the same."""
    sizes = [node.bytes for node in found]
    return max(sizes) * len(sizes) / sum(sizes) if sum(sizes) else 1.0


def distribute(connection: Connection, url: str, *, shards: int = SHARDS) -> list[str]:
    """Distribute the tables that are not distributed yet, as their owner, one transaction each; return their names."""
    if not has_citus(connection):
        raise ConfigError(
            f"{url} has no Citus: an administrator runs CREATE EXTENSION citus; in that database on every node, then "
            "SELECT citus_set_coordinator_host('...'); and SELECT citus_add_node('...', 5432); here"
        )
    if not first_row(connection, "SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND isactive")[0]:
        advice = "SELECT citus_add_node('...', 5432); adds one"
        raise ConfigError(f"the cluster of {url} has no node that takes rows: {advice}")
    made = distributed_tables(connection)
    if APP not in {name for (name,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolcanlogin")}:
        connection.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(APP)))  # for connections between nodes
    connection.execute(sql.SQL("SET citus.shard_count = {}").format(sql.Literal(shards)))
    left = [name for (name,) in asked(connection, "tables_in_order") if name not in made]
    for name in left:
        table, column = sql.Identifier("engrain", name), "name" if name == "org" else "org"
        beside = "none" if name == "org" else "engrain.org"
        with connection.transaction():  # the owner must see the existing rows of every org
            connection.execute(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(table))
            place = "SELECT create_distributed_table(%s, %s, colocate_with => %s)"
            connection.execute(place, (f"engrain.{name}", column, beside))
            connection.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(table))
    return left


@contextmanager
def each_node(address: Address, connection: Connection) -> Iterator[list[Connection]]:
    """Yield connections to all servers that hold rows: the given one, and one to each other node of its cluster."""
    found = [connection]
    try:
        if distributed_tables(connection):
            for host, port in connection.execute(_BESIDE).fetchall():
                found.append(address.at(host, port).connect())
        for each in found:
            each.execute("SET citus.override_table_visibility = off")  # to see the parts, too
        yield found
    finally:
        for each in found[1:]:
            each.close()
