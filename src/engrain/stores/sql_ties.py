"""What ties a memory to others: its links, what it superseded and what it led to, read beside its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from engrain.model.memory import RELATIONS, Link
from engrain.storerows import Record
from engrain.stores.sql import Dialect

Ask = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
_AT_ONCE = 500
# Whether a memory has links to show, and whether it took another's place: few have, and for the others nobody asks.
TIED = (
    "EXISTS (SELECT 1 FROM link WHERE source = memory.num) OR EXISTS (SELECT 1 FROM link WHERE target = memory.num), "
    "EXISTS (SELECT 1 FROM memory other WHERE other.superseded_by = memory.id)"
)


def tied(
    ask: Ask, rows: Sequence[tuple[Any, ...]], records: list[Record], viewer: str | None, dialect: Dialect
) -> list[Record]:
    """Return the records with their ties; each row ends with what `TIED` says of it.

    What only another agent than the `viewer` may see is not told of; None may see every agent's.
    """
    links = _links(ask, [row[0] for row in rows if row[-2]], viewer, dialect)
    replaced = _supersedes(ask, [row[1] for row in rows if row[-1]], viewer, dialect)
    if not links and not replaced:
        return records
    found = []
    for record in records:
        shown, before = links.get(record.num, ()), replaced.get(record.memory.id, ())
        if shown or before:
            causes = _caused(ask, record.num, viewer) if any(link.relation == "causes" for link in shown) else ()
            record = replace(record, memory=replace(record.memory, links=shown, supersedes=before, causal_chain=causes))
        found.append(record)
    return found


def _links(ask: Ask, nums: Sequence[int], viewer: str | None, dialect: Dialect) -> dict[int, tuple[Link, ...]]:
    # What stands in a session's working memory shows at the far end of a link only to that session's.
    shown = "(m.kind <> 'working' OR m.session = t.session OR (m.session IS NULL AND t.session IS NULL))"
    found = chunked(
        ask,
        dialect,
        "SELECT l.source AS num, l.relation, m.id, l.target AS other, m.agent FROM link l "
        "JOIN memory m ON m.num = l.target JOIN memory t ON t.num = l.source "
        f"WHERE l.source {{0}} AND {shown} UNION "
        "SELECT l.target, l.relation, m.id, l.source, m.agent FROM link l "
        "JOIN memory m ON m.num = l.source JOIN memory t ON t.num = l.target "
        f"WHERE l.target {{0}} AND l.relation IN ('related', 'contradicts') AND {shown} ORDER BY 1, 2, 4",
        nums,
        times=2,
    )
    seen = (row for row in found if row[1] in RELATIONS and (None in (viewer, row[4]) or row[4] == viewer))
    return {num: tuple(Link(row[1], row[2]) for row in rows) for num, rows in groupby(seen, key=lambda row: row[0])}


def _caused(ask: Ask, num: int, viewer: str | None) -> tuple[str, ...]:
    """Return the ids reached along `causes`, the nearest first, by way of what the viewer may see."""
    seen = "" if viewer is None else " AND (t.agent IS NULL OR t.agent = ?)"
    found = ask(
        "WITH RECURSIVE reached (num, depth) AS (SELECT num, 0 FROM memory WHERE num = ? UNION "
        "SELECT l.target, depth + 1 FROM reached r JOIN link l ON l.source = r.num AND l.relation = 'causes' "
        f"JOIN memory t ON t.num = l.target WHERE depth < 64{seen}) "
        "SELECT m.id FROM reached r JOIN memory m ON m.num = r.num WHERE r.num <> ? "
        "GROUP BY r.num, m.id ORDER BY min(depth), r.num",
        (num, *([] if viewer is None else [viewer]), num),
    )
    return tuple(memory_id for (memory_id,) in found)


def _supersedes(ask: Ask, ids: Sequence[str], viewer: str | None, dialect: Dialect) -> dict[str, tuple[str, ...]]:
    asked = "SELECT superseded_by, id, agent FROM memory WHERE superseded_by {} ORDER BY superseded_by, num"
    seen = (row for row in chunked(ask, dialect, asked, ids) if None in (viewer, row[2]) or row[2] == viewer)
    return {head: tuple(row[1] for row in rows) for head, rows in groupby(seen, key=lambda row: row[0])}


def chunked(
    ask: Ask,
    dialect: Dialect,
    statement: str,
    values: Sequence[object],
    *,
    times: int = 1,
    also: Sequence[object] = (),
) -> Iterable[tuple[Any, ...]]:
    """Ask for some values at a time; `times` is how often the statement names them, `also` what it binds after them."""
    for start in range(0, len(values), _AT_ONCE):
        among, params = dialect.among(values[start : start + _AT_ONCE])
        yield from ask(statement.format(among), [*params * times, *also])
