"""The schema with every table in parts by org: the same migrations, read with `PARTITION BY HASH (org)`."""

from __future__ import annotations

import re

from engrain.storage.postgres import schema

_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\)( WITH \([^)]*\))?;", re.MULTILINE | re.DOTALL)

# The application reaches rows by their table alone: its walls and its grants are what counts there.
_PARTS = f"""
DO $$
DECLARE
    part text;
BEGIN
    FOR part IN SELECT relname FROM pg_class WHERE relnamespace = 'engrain'::regnamespace AND relispartition
                AND relkind = 'r'
    LOOP
        EXECUTE format('REVOKE ALL ON %I FROM {schema.APP}', part);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    END LOOP;
END
$$;
"""


def partitioned(parts: int) -> tuple[tuple[int, str], ...]:
    """Return the migrations with each table but `org` split into so many partitions."""
    return tuple((number, _in_parts(text, parts)) for number, text in schema.migrations())


def _in_parts(text: str, parts: int) -> str:
    def cut(found: re.Match[str]) -> str:
        name, columns, settings = found[1], found[2], found[3] or ""
        if name == "org":
            return found[0]
        pieces = [
            f"CREATE TABLE {name}_{part} PARTITION OF {name} FOR VALUES WITH (MODULUS {parts}, REMAINDER {part})"
            f"{settings};"
            for part in range(parts)
        ]
        return "\n".join([f"CREATE TABLE {name} ({columns}) PARTITION BY HASH (org);", *pieces])

    whole = _TABLE.sub(cut, text)
    whole = whole.replace("relkind = 'r' AND attnum", "relkind IN ('r', 'p') AND attnum")
    return (
        whole.replace("relkind = 'r' AND relname", "relkind IN ('r', 'p') AND NOT relispartition AND relname") + _PARTS
    )
