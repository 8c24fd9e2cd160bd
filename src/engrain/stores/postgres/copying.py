"""An org read whole, as raw rows, along the keys of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engrain.arrays import np
from engrain.stores.postgres.session import Session
from engrain.stores.sql import called
from engrain.stores.sql_copy import COPIED, NUMBERED, Copied, Pages
from engrain.stores.sql_read import SQLReader

HEADER = 4  # bytes before the numbers of a vector as pgvector sends it
_REAL = ("importance", "confidence", "trust", "strength", "weight")


class PostgresCopying(SQLReader):
    """The verbs that read a whole org."""

    _session: Session

    def amount(self) -> int:
        """Return how many rows there are to copy."""
        counts = (
            f"(SELECT count(*) FROM {each.read_from} WHERE org = ? AND {each.condition or 'true'})" for each in COPIED
        )
        return int(self._ask(f"SELECT {' + '.join(counts)}", [self._org] * len(COPIED))[0][0])

    def numbers(self) -> dict[str, int]:
        """Return the highest numbers that were ever given, by table, whoever's they are."""
        owned = {name: "id" if name in ("namespace", "entity", "relation") else "num" for name in NUMBERED}
        owned["revision"] = "seq"
        asked = ", ".join(f"pg_sequence_last_value('{name}_{column}_seq'::regclass)" for name, column in owned.items())
        return {name: number or 0 for name, number in zip(owned, self._ask(f"SELECT {asked}")[0], strict=True)}

    def rows(self, table: Copied, org: str) -> Pages:
        """Go through the rows of the org, page by page, each with where it ends."""
        key = [name for name in table.key if name != "org"] or ["org"]
        named, marks = ", ".join(key), ", ".join("?" * len(key))
        select = f"SELECT {named}, {_listed(table)} FROM {table.read_from} WHERE org = ?"
        select += f" AND {table.condition}" if table.condition else ""
        tail = f"ORDER BY {named} LIMIT {table.size}"
        found = self._pages(table, f"{select} {tail}", [org])
        while found:
            last = list(found[-1][: len(key)])
            yield last, [row[len(key) :] for row in found]
            if len(found) < table.size:
                return
            found = self._pages(table, f"{select} AND ({named}) > ({marks}) {tail}", [org, *last])

    def _pages(self, table: Copied, statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
        if table.name != "vector":
            return self._ask(statement, params)
        self._session.turn_to(str(self._org))
        found = self._session.ask(statement, params, raw=True)
        return [(*row[:-1], np.frombuffer(row[-1], ">i2", offset=HEADER).astype("<i2").tobytes()) for row in found]


def _listed(table: Copied) -> str:
    # A zero has no sign in the other engine.
    return ", ".join(f"{column} + 0" if column in _REAL else called(column) for column in table.columns)
