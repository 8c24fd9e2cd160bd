"""What a graph asks of a store beyond plain rows: entities by name, those that can be seen, evidence that lives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal

from engrain.graphrows import EVERYBODY, STATED, EntityRow, Living, Said, Together
from engrain.model.filters import Filter
from engrain.stores import sql, tables
from engrain.stores.bound import own
from engrain.stores.sql_ties import chunked

if TYPE_CHECKING:
    from engrain.graphdoor import Sighting

_ENTITY = tables.TABLES[EntityRow]
_COLUMNS = ", ".join(f"e.{name}" for name in _ENTITY.columns)
# An entity and every other name of it.
_UNDER = (
    "WITH RECURSIVE under (id) AS "
    "(VALUES (e.id) UNION SELECT o.id FROM entity o JOIN under ON o.merged_into = under.id{})"
)

# Whether the memory that a row cites passes a filter, whose columns are those of the memory.
_EVIDENCE = "EXISTS (SELECT 1 FROM memory WHERE memory.num = {}.num AND {})"


class SQLGraph:
    """The graph's verbs; a reader stands on them."""

    _dialect: sql.Dialect
    _org: str | None

    @abstractmethod
    def _ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return what a statement finds, its values bound where it says `?`."""

    @abstractmethod
    def _raw(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return what a statement finds, vectors as the engine keeps their bytes."""

    @abstractmethod
    def _legible(self) -> AbstractContextManager[None]:
        """Say of rows that make no sense that the store is damaged."""

    @abstractmethod
    def _walled(self, where: Filter) -> tuple[str, sql.Params]:
        """Return the whole filter as SQL over the memory table."""

    @abstractmethod
    def _namespaces(self, where: Filter) -> list[int]:
        """Return the numbers of the namespaces inside the walls of a filter."""

    def named(self, keys: Sequence[str], where: Filter) -> list[EntityRow]:
        """Return the entities inside the walls of a filter whose key is one of these, of whatever type, by id."""
        where = own(self._org, where)
        if not keys:
            return []
        if where.user is None:  # by name first: there may be many namespaces, and few that know it
            index, wall, of = (
                self._dialect.by_index("entity_named"),
                "+e.ns IN (SELECT id FROM namespace WHERE org = ?)",
                [where.org],
            )
        else:
            index, (wall, of) = "", sql.one_of("e.ns", self._namespaces(where), self._dialect)
        among, wanted = sql.one_of("e.key", keys, self._dialect)
        found = self._ask(f"SELECT {_COLUMNS} FROM entity e {index} WHERE {among} AND {wall}", [*wanted, *of])
        return sorted((_ENTITY.decode(row) for row in found), key=lambda row: row.id)

    def known(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        """Return entities under their canonical names, by id, that stand by themselves or that a memory mentions.

        `among` names the rows that are asked about. A name that another agent alone says is another's stands for
        itself.
        """
        params: sql.Params
        if where.user is None:
            wall, params = "e.ns IN (SELECT id FROM namespace WHERE org = ?)", [where.org]
        else:
            wall, params = sql.one_of("e.ns", self._namespaces(where), self._dialect)
        seen, of = self._walled(where)
        viewer, mine = where.agent, list[str]()
        under, noted = _UNDER.format(""), "SELECT 1 FROM under u JOIN entity_note n ON n.entity = u.id"
        root = "e.merged_into IS NULL"
        if viewer is not None:
            mine, root = [viewer], f"({root} OR e.agent <> ?)"
            under = _UNDER.format(" WHERE o.agent IS NULL OR o.agent = ?")
            noted, of = f"{noted} WHERE n.agent IN (?, ?)", [viewer, EVERYBODY, viewer, viewer, *of]
        memory = f"EXISTS (SELECT 1 FROM memory WHERE memory.num = t.num AND {seen})"
        mentioned = f"SELECT 1 FROM under u JOIN mention t ON t.entity = u.id WHERE {memory}"
        if type is not None:
            wall, params = f"{wall} AND e.type = ?", [*params, type]
        if among is not None:
            asked, wanted = sql.one_of("e.id", list(among), self._dialect)
            wall, params = f"{wall} AND {asked}", [*params, *wanted]
        rows = self._ask(
            f"SELECT {_COLUMNS} FROM entity e WHERE {wall} AND {root} AND e.id > ? "
            f"AND (EXISTS ({under} {noted}) OR EXISTS ({under} {mentioned})) ORDER BY e.id LIMIT ?",
            [*params, *mine, after, *of, limit],
        )
        return [_ENTITY.decode(row) for row in rows]

    def owners(self, where: Filter) -> Mapping[int, str | None]:
        """Return the namespaces inside the walls of a filter, by number, with the user of each."""
        inside, params = sql.one_of("id", self._namespaces(where), self._dialect)
        return dict(self._ask(f'SELECT id, "user" FROM namespace WHERE {inside} ORDER BY id', params))

    def living(self, nums: Collection[int], where: Filter) -> Mapping[int, Living]:
        """Return those of the rows that pass, with what a relation wants to know of its evidence."""
        seen, of = self._walled(where)
        found = chunked(
            self._ask,
            self._dialect,
            f"SELECT num, id, valid_from, valid_until FROM memory WHERE num {{}} AND {seen}",
            list(nums),
            also=of,
        )
        return {
            num: Living(memory_id, tables.required(since), tables.read_time(until))
            for num, memory_id, since, until in found
        }

    def said(
        self,
        end: Literal["source", "target"],
        entities: Collection[int],
        where: Filter,
        at: Sighting,
        *,
        begun: Filter,
    ) -> list[Said]:
        """Return the relations that have this end among entities, hold then, and whose evidence passes or is none."""
        if not entities:
            return []
        passing, of = self._walled(where)
        may_begin, begins = self._walled(begun)
        evidence = (
            f"{_EVIDENCE.format('r', passing)} OR (valid_from IS NOT NULL AND {_EVIDENCE.format('r', may_begin)})"
        )
        believed, when = _believed(at)
        valid_at = tables.stored_time(at.valid_at)
        among, ends = sql.one_of(end, list(entities), self._dialect)
        other = "target" if end == "source" else "source"
        rows = self._ask(
            "SELECT source, relation, target, weight, coalesce(num, 0), valid_from, valid_until "
            f"FROM relation r {self._dialect.by_index(f'relation_{end}')} WHERE {among} "
            "AND (valid_from IS NULL OR valid_from <= ?) AND (valid_until IS NULL OR ? < valid_until) "
            f"AND {believed} AND (num IS NULL OR {evidence}) ORDER BY {end}, relation, {other}, coalesce(num, 0), id",
            [*ends, valid_at, valid_at, *when, *of, *begins],
        )
        return [row if row[5] is row[6] is None else _dated(row) for row in rows]

    def newest_mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        """Return, of each entity, the `most` newest memories about it, as (entity, num), whether or not they pass."""
        each, asked = self._dialect.each(entities)
        return self._ask(
            f"SELECT a.entity, a.num FROM {each} j CROSS JOIN mention a WHERE a.entity = j.value AND a.num IN "
            "(SELECT num FROM mention WHERE entity = j.value ORDER BY num DESC LIMIT ?)",
            [*asked, most],
        )

    def together(self, entities: Collection[int], where: Filter, *, most: int | None = None) -> list[Together]:
        """Return who is named beside entities in memories that pass and say something by it."""
        passing, of = self._walled(where)
        newest, count = "", list[int]()
        if most is not None:
            newest = (
                "AND a.num IN (SELECT num FROM mention WHERE entity = j.value AND pairs = 1 ORDER BY num DESC LIMIT ?) "
            )
            count = [most]
        each, asked = self._dialect.each(entities)
        return self._ask(
            f"SELECT a.entity, b.entity, a.num FROM {each} j CROSS JOIN mention a CROSS JOIN mention b "
            f"WHERE a.entity = j.value AND a.pairs = 1 {newest}AND {_EVIDENCE.format('a', passing)} "
            "AND b.num = a.num AND b.entity <> a.entity ORDER BY a.num",
            [*asked, *count, *of],
        )


def _believed(at: Sighting) -> tuple[str, list[Any]]:
    """Return the condition that a statement is, or was, believed by who looks; evidence has times of its own."""
    if at.known_at is None:
        believed, when = "believed_until IS NULL", list[Any]()
    else:
        known_at = tables.stored_time(at.known_at)
        believed = f"(origin <> '{STATED}' OR (recorded_at <= ? AND (believed_until IS NULL OR ? < believed_until)))"
        when = [known_at, known_at]
    if at.agent is None:
        return believed, when
    return f"{believed} AND (agent IS NULL OR agent = ?)", [*when, at.agent]


def _dated(row: Sequence[Any]) -> Said:
    source, relation, target, weight, num, since, until = row
    return source, relation, target, weight, num, tables.read_time(since), tables.read_time(until)
