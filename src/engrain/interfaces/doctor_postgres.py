"""What the doctor says of a PostgreSQL database: its server, pgvector, the roles and the walls between orgs."""

from __future__ import annotations

from engrain.lazy import library
from engrain.model.memory import JSON

_ASKED = """
SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    obj_description(to_regnamespace('engrain'), 'pg_namespace'), session_user::text,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'engrain_app'),
    (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('engrain') AND relkind IN ('r', 'p')
        AND relname <> 'org' AND NOT (relrowsecurity AND relforcerowsecurity)),
    pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
        WHERE relnamespace = to_regnamespace('engrain') AND relkind IN ('r', 'm'))
"""


def about(url: str) -> JSON:
    """Return what a database says of itself; nothing is made or changed in it. Raises `StoreUnavailable`."""
    postgres = library("engrain.storage.postgres.connections", extra="postgres")
    errors = library("engrain.storage.postgres.connections", extra="postgres")
    address = postgres.Address(url)
    with errors.explained(address.shown), address.connect() as connection:
        server, vector, schema, role, over, bare, read_only, size = connection.execute(_ASKED).fetchone()
    return {
        "server": f"PostgreSQL {server}",
        "pgvector": vector,
        "schema": schema,
        "role": role,
        "application_role": "missing" if over is None else "above the walls" if over else "within the walls",
        "tables_without_walls": bare,
        "writable": not read_only,
        "bytes": size,
    }
