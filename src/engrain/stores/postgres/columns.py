"""What ranking asks of rows on PostgreSQL: their columns, their neighbours, the latest of them, and who speaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from engrain.arrays import Ints, np
from engrain.model.filters import Filter
from engrain.model.memory import Kind, SourceType
from engrain.storerows import Columns
from engrain.stores.known import KNOWN
from engrain.stores.postgres.asking import MOST, PostgresAsking, whole
from engrain.stores.postgres.connections import Nums
from engrain.stores.tables import stored

_NAMED = ("actor", "domain", "agent")
_FIXED = {
    "source_type": {source_type.value: place for place, source_type in enumerate(SourceType)},
    "kind": {kind.value: place for place, kind in enumerate(Kind)},
}
_FEW = 16  # namespaces whose latest rows are asked of each by itself, along its index


class PostgresColumns(PostgresAsking):
    """The verbs about rows as ranking sees them."""

    def columns(self, nums: Ints) -> Columns:
        """Return what ranking needs to know of rows already found."""
        names = [name for name in KNOWN if name not in ("session", "position")]
        found = self._ask(
            f"SELECT num, ns, session, coalesce(position, -1), {', '.join(names)} FROM memory "
            "WHERE org = ? AND num = ANY(CAST(? AS bigint[])) ORDER BY num",
            [self._org, Nums(dict.fromkeys(nums.tolist()))],
        )
        out: dict[str, Any] = {name: np.zeros(len(nums), kind) for name, kind in KNOWN.items()}
        codes: dict[str, dict[str, int]] = {name: {} for name in _NAMED}
        codes.update((name, dict(fixed)) for name, fixed in _FIXED.items())
        if found:
            ordered = whole(row[0] for row in found)
            at = np.minimum(np.searchsorted(ordered, nums), len(ordered) - 1)
            mine = ordered[at] == nums
            columns = zip(*found, strict=True)
            read: dict[str, Sequence[Any]] = dict(
                zip(("num", "ns", "session", "position", *names), columns, strict=True)
            )
            read["session"] = _coded({}, ((ns, s) if s is not None else None for ns, s, *_ in (r[1:3] for r in found)))
            for name, known in codes.items():
                read[name] = _coded(known, read[name])
            for name, kind in KNOWN.items():
                out[name][mine] = np.array(read[name], kind)[at[mine]]
            self._seen.rows.update(
                (row[0], (row[1], length)) for row, length in zip(found, read["length"], strict=True)
            )
        out["source_class"] = out.pop("source_type")
        return Columns(
            actors=tuple(codes["actor"]), domains=tuple(codes["domain"]), agents=tuple(codes["agent"]), **out
        )

    def neighbours(self, nums: Ints, where: Filter, *, span: int) -> Ints:
        """Return the rows around each in its session, as far as they pass the filter."""
        around = np.full((len(nums), 2 * max(span, 0)), -1, np.int64)
        spaces = self._namespaces(where)
        if not around.size or not spaces:
            return around
        asked = Nums(dict.fromkeys(nums.tolist()))
        inside, params = self._walled(where)
        of, offset, beside, passes, space, length = self._arrays(
            ("num", "apart", "beside", "passes", "ns", "length"),
            "WITH a AS MATERIALIZED (SELECT num, ns, session, position FROM memory WHERE org = ? "
            "AND num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[])) "
            "AND session IS NOT NULL AND position >= 0) "
            "SELECT a.num, n.position - a.position, n.num, n.inside::int, a.ns, n.length FROM a CROSS JOIN LATERAL "
            f"(SELECT num, position, length, coalesce({inside}, false) AS inside FROM memory WHERE org = ? "
            "AND ns = a.ns AND session = a.session AND position BETWEEN greatest(a.position - ?, 0) AND a.position + ? "
            "AND position <> a.position OFFSET 0) n",
            [self._org, asked, spaces, *params, self._org, span, span],
        )
        if len(of):
            order = np.argsort(beside, kind="stable")  # of several at one place the newest counts
            of, offset, beside, passes = of[order], offset[order], beside[order], passes[order]
            once = np.flatnonzero(np.diff(beside, prepend=-1))
            known = zip(space[order][once].tolist(), length[order][once].tolist(), strict=True)
            self._seen.rows.update(zip(beside[once].tolist(), known, strict=True))
            table = np.full((len(asked), 2 * span), -1, np.int64)
            rows = np.argsort(asked)[np.searchsorted(np.sort(asked), of)]
            table[rows, offset + span - (offset > 0)] = np.where(passes > 0, beside, -1)
            place = {num: row for row, num in enumerate(asked)}
            around = table[[place[num] for num in nums.tolist()]]
        return around

    def latest(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, newest first."""
        spaces = self._namespaces(where)
        if limit <= 0 or not spaces:
            return whole(())
        inside, params, limit = *self._walled(where), min(limit, MOST)
        for sign, moment in ((">=", since), ("<", until)):
            if moment is not None:
                inside, params = f"{inside} AND valid_from {sign} ?", [*params, stored(moment)]
        by = "ORDER BY valid_from DESC, num DESC LIMIT ?"
        if len(spaces) > _FEW:
            found = self._ask(f"SELECT num FROM memory WHERE org = ? AND {inside} {by}", [self._org, *params, limit])
        else:
            found = self._ask(
                "SELECT m.num FROM unnest(CAST(? AS bigint[])) s (ns) CROSS JOIN LATERAL (SELECT num, valid_from "
                f"FROM memory WHERE org = ? AND memory.ns = s.ns AND {inside} {by}) m "
                "ORDER BY m.valid_from DESC, m.num DESC LIMIT ?",
                [spaces, self._org, *params, limit, limit],
            )
        return whole(num for (num,) in found)

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass, by name."""
        spaces = self._namespaces(where)
        if not spaces:
            return []
        inside, params = self._walled(where)
        first = "SELECT min(actor) FROM memory WHERE org = ? AND memory.ns ="
        found = self._ask(  # from name to name along the index, however many rows each has
            f"WITH RECURSIVE said (ns, actor) AS (SELECT s.ns, ({first} s.ns) FROM unnest(CAST(? AS bigint[])) s (ns) "
            f"UNION ALL SELECT said.ns, ({first} said.ns AND memory.actor > said.actor) FROM said "
            "WHERE said.actor IS NOT NULL) "
            "SELECT DISTINCT actor FROM said WHERE actor IS NOT NULL AND (SELECT 1 FROM memory WHERE org = ? "
            f"AND memory.ns = said.ns AND memory.actor = said.actor AND {inside} LIMIT 1) = 1 ORDER BY actor",
            [self._org, spaces, self._org, self._org, *params],
        )
        return [actor for (actor,) in found]


def _coded(codes: dict[Any, int], values: Iterable[Any]) -> list[int]:
    return [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]
