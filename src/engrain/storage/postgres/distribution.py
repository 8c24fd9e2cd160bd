"""A store that is spread over the nodes of a Citus cluster: all rows of an org together on one of them."""

from __future__ import annotations

from engrain.storage.postgres.connections import Connection

_DISTRIBUTED = (
    "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('engrain.org') AND partmethod = 'h')"
)


def is_distributed(connection: Connection) -> bool:
    """Say whether the tables are spread over the nodes of a cluster."""
    with_citus = connection.execute("SELECT FROM pg_extension WHERE extname = 'citus'").fetchone() is not None
    return with_citus and bool((connection.execute(_DISTRIBUTED).fetchone() or (False,))[0])
