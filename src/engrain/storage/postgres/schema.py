"""The schema of a PostgreSQL database: created and migrated, checked, and distributed over a Citus cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

import psycopg
from psycopg import conninfo, errors, sql

from engrain.errors import ConfigError, SchemaMismatch, StoreCorrupt, StoreUnavailable

if TYPE_CHECKING:
    from engrain.storage.postgres.connections import Address

APP: Final = "engrain_app"
"""The role that reads and writes rows, in one org at a time; the role of the URL creates the tables."""
EACH_ORG: Final = "-- For each org"
"""The first line of a migration that changes rows: it runs once for every org, as `APP` and bound to that org."""
OLDEST_SERVER, OLDEST_VECTOR = 160000, (0, 8)
_SOCKET: Final = ("/", "@")  # prefixes of a host that is a socket in a folder, or an abstract one
_MARK: Final = "Engrain schema "
_LOCK: Final = 0x5265636F6C6C6563  # one process at a time migrates the schema; every release uses the same number
_NAME = sql.Identifier(APP)

_Connection = psycopg.Connection[Any]


def named_statements(file: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the statements of a file by name, as `search.sql` has them, with the given values inserted."""
    text = (files("engrain.storage.postgres") / file).read_text(encoding="utf-8")
    _, *parts = re.split(r"^-- (\w+):", text, flags=re.MULTILINE)
    known = dict(values)
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        _, *lines = body.splitlines()
        statement = " ".join(line.strip() for line in lines if line and not line.startswith("--"))
        known[name] = re.sub(r"\{(\w+)\}", lambda part: known.get(part[1], part[0]), statement)
    return known


ABOUT_SERVER: Final = named_statements("server.sql", {})  # statements about the server and its writers, by name


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """Return the numbered migrations in order, as (version, SQL)."""
    folder = files("engrain.storage") / "migrations" / "postgres"
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return tuple(sorted((int(entry.name[:4]), entry.read_text(encoding="utf-8")) for entry in found))


def parted(url: str) -> dict[str, Any] | None:
    """Return the parts of a database's URL; None if it cannot be parsed, or a secret would be in another part."""
    try:
        parts: dict[str, Any] = conninfo.conninfo_to_dict(url)
        hosts = str(parts.get("host") or "").split(",")
        for host in hosts:
            if not host.startswith(_SOCKET):
                host.encode("idna")  # as for the DNS lookup
    except (psycopg.Error, UnicodeError):
        return None
    _, scheme, rest = url.partition("://")
    where, _, name = rest.partition("?")[0].partition("/")
    ports = [port for port in str(parts.get("port") or "").split(",") if port]
    misread = (scheme and (where.count("@") > 1 or "@" in name)) or "://" in str(parts.get("dbname"))
    if misread or any("@" in host.lstrip("@") for host in hosts) or not all(port.isdecimal() for port in ports):
        return None
    return parts


def shown(url: str) -> str:
    """Return a database's URL without secrets: its location and the user's name."""
    if (parts := parted(url)) is None:
        return "postgresql://(unreadable)"
    hosts, ports, user = (str(parts.get(name) or "") for name in ("host", "port", "user"))
    if hosts.startswith(_SOCKET):  # a socket in a folder
        query = f"?host={quote(hosts, safe='/')}" + f"&port={ports}" * bool(ports)
        hosts = ports = ""
    else:
        query = ""
    named = hosts.split(",")
    places = zip_longest(named, ports.split(",")[: len(named)], fillvalue=ports.rpartition(",")[2])
    where = ",".join((f"[{host}]" if ":" in host else host) + f":{port}" * bool(port) for host, port in places)
    return f"postgresql://{quote(user)}{'@' * bool(user)}{where}/{quote(str(parts.get('dbname') or ''))}{query}"


def prepare(connection: _Connection, url: str) -> int:
    """Migrate a database and check that it can be used; return the version of its schema.

    The connection is in autocommit mode and of the URL's role; `url` is the name of the database in messages, without
    its password. Several processes may do this at once: one does it, the others wait. If this role may not do a step,
    or the database is read-only, the error names the missing statement.
    """
    (encoding,) = first_row(connection, "SHOW server_encoding")  # as bytes if texts have no encoding at all
    named = encoding if isinstance(encoding, str) else bytes(encoding).decode()
    check_server(connection.info.server_version, named, url)
    with _permitted(url):
        found, latest = version(connection, url), migrations()[-1][0]
        installed, _, home = _vector(connection)
        ready = installed is not None and _numbers(installed) >= OLDEST_VECTOR
        if found < latest or not (ready and _may_be_app(connection) and _reaches(connection, str(home))):
            if is_read_only(connection):
                state = f"has schema {found} and is not ready for {latest}" if found else "has no schema yet"
                why = f"{url} {state}, and cannot be written here (a replica, or read-only)"
                raise StoreUnavailable(f"{why}: open it once on the primary, by a role that may write", path=url)
            found = migrate(connection, url, migrations())
    _check_role(connection, url)
    return found


def path(connection: _Connection) -> str:
    """Return the search path for our statements: our schema, then that of pgvector's types."""
    _, _, home = _vector(connection)
    return sql.SQL(", ").join(map(sql.Identifier, ("engrain", str(home)))).as_string(connection)


def first_row(connection: _Connection, query: str, *params: object) -> Any:
    """Return the first row of an answer, None where there is none."""
    return connection.execute(query.encode(), params or None).fetchone()


def asked(connection: _Connection, name: str, *params: object) -> list[Any]:
    """Return the rows that a statement about the server finds."""
    return connection.execute(ABOUT_SERVER[name].encode(), params or None).fetchall()


def check_server(number: int, encoding: str, url: str) -> None:
    """Refuse a server that is too old, and a database whose encoding cannot represent every text."""
    if number < OLDEST_SERVER:
        needed = f"Engrain needs {OLDEST_SERVER // 10000} or newer, upgrade the server"
        raise StoreUnavailable(f"{url} is on PostgreSQL {number // 10000}: {needed}", path=url)
    if encoding != "UTF8":
        found = f"{url} holds texts as {encoding}, which has no place for most characters"
        made = "make a database with CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"
        raise StoreUnavailable(f"{found}: {made}", path=url)


def version(connection: _Connection, url: str) -> int:
    """Return the version of our schema, 0 without one; refuse one of another program, or a newer one."""
    mark, holds = first_row(connection, ABOUT_SERVER["our_schema"]) or (None, False)
    number = (mark or "").removeprefix(_MARK)
    if mark is None or not mark.startswith(_MARK) or not number.isascii() or not number.isdigit():
        if holds:
            advice = "name another database; this one was left as it is"
            raise StoreCorrupt(f"{url} has a schema 'engrain' that is another program's: {advice}", path=url)
        return 0
    supported = migrations()[-1][0]
    if int(number) > supported:
        newer = f"{url} was written by a newer Engrain (schema {number}, this one knows {supported}): upgrade"
        raise SchemaMismatch(newer, path=url, found=int(number), supported=supported)
    return int(number)


def _vector(connection: _Connection) -> tuple[str | None, str | None, str | None]:
    """Return the version of pgvector in the database, the one that the server has, and its schema."""
    found: tuple[str | None, str | None, str | None] = first_row(connection, ABOUT_SERVER["pgvector"])
    return found


def vector_step(installed: str | None, available: str | None, url: str) -> str | None:
    """Return the statement that updates pgvector, None if it is new enough; refuse if the server has none."""
    if installed is not None and _numbers(installed) >= OLDEST_VECTOR:
        return None
    wanted = ".".join(map(str, OLDEST_VECTOR))
    if available is None:
        package = "(the package is called postgresql-NN-pgvector or pgvector_NN), then open the store again"
        missing = f"the server of {url} has no pgvector: install version {wanted} or newer on it {package}"
        raise StoreUnavailable(missing, path=url)
    if _numbers(available) < OLDEST_VECTOR:
        raise StoreUnavailable(
            f"the server of {url} has pgvector {available}: Engrain needs {wanted} or newer, upgrade it there", path=url
        )
    return "CREATE EXTENSION IF NOT EXISTS vector" if installed is None else "ALTER EXTENSION vector UPDATE"


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in release.split(".")[:2])


def _may_be_app(connection: _Connection) -> bool:
    return bool(asked(connection, "may_set_role", APP)[0][0])


def _reaches(connection: _Connection, schema: str, role: str = APP) -> bool:
    return bool(first_row(connection, "SELECT has_schema_privilege(%s, %s, 'USAGE')", role, schema)[0])


def is_read_only(connection: _Connection) -> bool:
    """Return whether the database is read-only: a replica, or opened for reading."""
    return bool(asked(connection, "is_read_only")[0][0])


@contextmanager
def _permitted(url: str, statement: str = "", *, otherwise: str = "") -> Iterator[None]:
    """Turn a missing privilege into an error that names the statement that grants it, or an alternative."""
    try:
        yield
    except (errors.InsufficientPrivilege, errors.InvalidSchemaName) as error:
        cause = (error.diag.message_primary or str(error) or "permission denied").strip()
        how = f"an administrator runs in that database: {statement}" if statement else "open it once as its owner"
        how = f"{otherwise}, or {how}" if otherwise else how
        raise StoreUnavailable(f"the role of {url} may not make what is missing ({cause}): {how}", path=url) from error


def migrate(connection: _Connection, url: str, steps: Sequence[tuple[int, str]]) -> int:
    """Run the pending migrations, in one transaction and one process at a time; return the version."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")  # to see the previous process's changes
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SET LOCAL lock_timeout = 0")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        reached = version(connection, url)
        _bring_vector_up(connection, url)
        _bring_role_up(connection, url)
        for number, text in steps:
            if number > reached:
                _own_the_schema(connection, url)
                connection.execute(sql.SQL("COMMENT ON SCHEMA engrain IS {}").format(sql.Literal(f"{_MARK}{number}")))
                _carry_out(connection, text)
                reached = number
    return reached


def _bring_vector_up(connection: _Connection, url: str) -> None:
    installed, available, _ = _vector(connection)
    if step := vector_step(installed, available, url):
        with _permitted(url, f"{step};"):
            connection.execute(step.encode())
    _, _, home = _vector(connection)
    if home == "engrain":
        advice = "an administrator runs ALTER EXTENSION vector SET SCHEMA public;"
        raise ConfigError(f"pgvector is in the schema 'engrain' of {url}, which is Engrain's own: {advice}")


def _bring_role_up(connection: _Connection, url: str) -> None:
    """Create the role that reads and writes, and let this one assume it."""
    (user,) = first_row(connection, "SELECT session_user")
    if first_row(connection, "SELECT FROM pg_roles WHERE rolname = %s", APP) is None:
        try:
            with _permitted(url, f"CREATE ROLE {APP} NOLOGIN;"), connection.transaction():
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(_NAME))
        except (errors.DuplicateObject, errors.UniqueViolation):
            pass  # created meanwhile, from another database of the server
    if not _may_be_app(connection):
        grant = sql.SQL("GRANT {} TO {} WITH SET TRUE, INHERIT FALSE").format(_NAME, sql.Identifier(user))
        with _permitted(url, f"{grant.as_string(connection)};"):
            connection.execute(grant)
    _, _, home = _vector(connection)
    for role in (user, APP):  # the role that creates the tables, and the one that uses them
        if not _reaches(connection, str(home), role):
            use = sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.Identifier(str(home)), sql.Identifier(role))
            with _permitted(url, f"{use.as_string(connection)};"):
                connection.execute(use)
                if not _reaches(connection, str(home), role):  # a grant without the right to it is only a warning
                    raise errors.InsufficientPrivilege("no privileges were granted")


def _own_the_schema(connection: _Connection, url: str) -> None:
    """Become the owner of our schema, so that all objects in it have one owner; create it if it is missing."""
    connection.execute("SET LOCAL ROLE NONE")
    user, database, owner, may = first_row(connection, ABOUT_SERVER["owner"])
    if owner is None:
        allow = sql.SQL("GRANT CREATE ON DATABASE {} TO {};").format(sql.Identifier(database), sql.Identifier(user))
        first = "open it first as the role that is to own the tables"
        with _permitted(url, allow.as_string(connection), otherwise=first):
            connection.execute("CREATE SCHEMA engrain")
        return
    if not may:
        allow = sql.SQL("GRANT {} TO {};").format(sql.Identifier(owner), sql.Identifier(user))
        old = f"the schema 'engrain' of {url} belongs to {owner}, and has to be brought up to date"
        advice = f"open the store once as {owner}, or an administrator runs {allow.as_string(connection)}"
        raise StoreUnavailable(f"{old}: {advice}", path=url)
    connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(owner)))


def _carry_out(connection: _Connection, text: str) -> None:
    """Run one migration; see `EACH_ORG` for those that change rows."""
    connection.execute(f"SET LOCAL search_path = {path(connection)}".encode())
    if not text.startswith(EACH_ORG):
        connection.execute(text.encode())
        return
    connection.execute("SET LOCAL ROLE NONE")
    connection.execute(sql.SQL("SET LOCAL ROLE {}").format(_NAME))
    for (org,) in connection.execute("SELECT name FROM org ORDER BY name").fetchall():
        connection.execute(sql.SQL("SET LOCAL engrain.org = {}").format(sql.Literal(org)))
        connection.execute(text.encode())
    connection.execute("SET LOCAL engrain.org = ''")


def _check_role(connection: _Connection, url: str) -> None:
    """Refuse a database in which orgs would not be isolated from each other."""
    if names := [name for (name,) in asked(connection, "above_isolation", APP)]:
        statements = (
            f"ALTER ROLE {APP} NOSUPERUSER NOBYPASSRLS; and give its tables to another role"
            if APP in names
            else "".join(f"REVOKE {sql.Identifier(name).as_string(connection)} FROM {APP};" for name in names)
        )
        raise ConfigError(
            f"the role {APP} of {url} could read every org, as it is, or is a member of, {', '.join(names)}: an "
            f"administrator runs {statements}"
        )
    if not _reaches(connection, "engrain"):
        advice = f"its owner runs GRANT USAGE ON SCHEMA engrain TO {APP};"
        raise ConfigError(f"the role {APP} of {url} may not look into the schema 'engrain': {advice}")
    if bare := asked(connection, "unprotected"):
        tables = ", ".join(name for (name,) in bare)
        raise ConfigError(
            f"row-level security is off in {url} for {tables}, so one org could read another: its owner runs ALTER "
            "TABLE engrain.(name) ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; for each"
        )


SHARDS = 32  # the default number of parts of each table: the maximum number of nodes for a store


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


def has_citus(connection: _Connection) -> bool:
    """Return whether the database is, or may become, one of a cluster."""
    return bool(first_row(connection, ABOUT_SERVER["has_citus"])[0])


def distributed_tables(connection: _Connection) -> frozenset[str]:
    """Return the tables that are distributed over the nodes of a cluster; none without Citus."""
    if not has_citus(connection):
        return frozenset()
    return frozenset(name for (name,) in asked(connection, "distributed"))


def nodes(connection: _Connection) -> list[Node]:
    """Return the nodes that take rows."""
    return [Node(*row) for row in asked(connection, "nodes")]


def skew(found: list[Node]) -> float:
    """Return how much more the fullest node has than the average; 1 if all have the same."""
    sizes = [node.bytes for node in found]
    return max(sizes) * len(sizes) / sum(sizes) if sum(sizes) else 1.0


def distribute(connection: _Connection, url: str, *, shards: int = SHARDS) -> list[str]:
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
def each_node(address: Address, connection: _Connection) -> Iterator[list[_Connection]]:
    """Yield connections to all servers that hold rows: the given one, and one to each other node of its cluster."""
    found = [connection]
    try:
        if distributed_tables(connection):
            for host, port in asked(connection, "other_nodes"):
                found.append(address.at(host, port).connect())
        for each in found:
            each.execute("SET citus.override_table_visibility = off")  # to see the parts, too
        yield found
    finally:
        for each in found[1:]:
            each.close()
