"""The SQL that engines share, as it is sent to PostgreSQL: every table by its schema, and its rows of one org alone.

Row-level security shows a transaction no other rows. That each statement says so too is a second boundary, a constant
for the planner, and how a distributed database finds the rows.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from itertools import count

from engrain.storage.rows import TABLES

_NAMES = {"memory", "vector", *(name for table in TABLES.values() for name in (table.name, table.read_from))}
_TABLE = "|".join(sorted(_NAMES, key=len, reverse=True))
_READ = re.compile(rf"(?<!DELETE )\b(FROM|JOIN) ({_TABLE})\b( [a-z]\w*)?")  # keywords are written in capitals
_CHANGED = re.compile(rf"^(UPDATE|DELETE FROM) ({_TABLE})\b(.*?) WHERE ")
_INSERTED = re.compile(rf"^INSERT INTO ({_TABLE}) \((.*?)\) (VALUES|SELECT \* FROM) ")
# The org is taken from its row: so a distributed database inserts where that is, without collecting the rows first.
_BESIDE = "SELECT o.name, u.* FROM engrain.org o CROSS JOIN {} u WHERE o.name = $1"
_SHARED = "setting"  # the store's own are seen from every org


def named_statements(file: str) -> dict[str, str]:
    """Return the statements of a file by name, as `search.sql` has them."""
    text = (files("engrain.storage.postgres") / file).read_text(encoding="utf-8")
    _, *parts = re.split(r"^-- (\w+):", text, flags=re.MULTILINE)
    found: dict[str, str] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        _, *lines = body.splitlines()
        statement = " ".join(line.strip() for line in lines if line and not line.startswith("--"))
        found[name] = re.sub(r"\{(\w+)\}", lambda part: found.get(part[1], part[0]), statement)
    return found


@lru_cache(maxsize=4096)
def bound(statement: str) -> tuple[str, bool]:
    """Return a statement of one org, `$2`, `$3` instead of `?`, and whether it has the org as `$1`."""
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
