"""Reading rows by SQL, for every engine: which statement, over which tables, inside which scope."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast

from engrain.model.filters import Condition, Filter
from engrain.model.memory import RELATIONS, AuditEntry, Job, Link
from engrain.storage.interface import Sighting
from engrain.storage.rows import (
    EVERYBODY,
    NOBODYS,
    STATED,
    AnswerRow,
    EntityRow,
    Head,
    KeyRow,
    Living,
    MentionRow,
    ReceiptRow,
    Record,
    Revision,
    Row,
    Said,
    Setting,
    Together,
    TurnRow,
    Vector,
    read_time,
    required,
    stored_time,
)
from engrain.storage.sql import filters, tables
from engrain.storage.sql.filters import Dialect

_OWNED = (Job, Head, AuditEntry, Setting, KeyRow, ReceiptRow, AnswerRow)


def own(org: str | None, where: Filter) -> Filter:
    """Return a filter whose walls are the transaction's own org's; refuse any other."""
    check_org(org, where.org, "a filter")
    return where


def check_rows(org: str | None, rows: Iterable[Row]) -> None:
    """Refuse rows of another org, and, where no org was named, rows that do not say whose they are."""
    for row in rows:
        if isinstance(row, Record):
            check_org(org, row.memory.scope.org, "a record")
        elif isinstance(row, _OWNED):
            if not (isinstance(row, Setting) and row.org == NOBODYS):
                check_org(org, row.org, f"a {type(row).__name__}")
        elif org is None:
            raise RuntimeError(f"a {type(row).__name__} does not say whose it is: write it with the org it is of")


def check_org(org: str | None, named: str, what: str = "a name") -> None:
    """Refuse what belongs to another org than the transaction's; one of no org refuses nobody's."""
    if org is not None and named != org:
        raise RuntimeError(f"{what} of org {named!r} in a transaction of org {org!r}: each org has its own")


_WORKED_ON = ("memory", "conversation")


def jobs_of(
    where: Filter, walled: Callable[[Filter], tuple[str, filters.Params]], dialect: filters.Dialect
) -> tuple[str, filters.Params]:
    """Return a filter over jobs as SQL: its walls are those of what a job is for, its other tests the job's own.

    A view of a whole org sees all of its jobs.
    """
    walls = where.walls
    tests = [test for test in where.conditions if test not in walls.conditions]
    own, of = filters.compile_conditions(tests, dialect)
    if where.user is where.agent is None:
        return f"org = ? AND {own}", [where.org, *of]
    inside, params = walled(walls)
    held = (f"EXISTS (SELECT 1 FROM {name} t WHERE t.id = job.memory_id AND {inside})" for name in _WORKED_ON)
    return f"org = ? AND {own} AND ({' OR '.join(held)})", [where.org, *of, *params, *params]


Ask = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
# What is in a session's working memory shows at the far end of a link only to that session.
_SHOWN = "(m.kind <> 'working' OR m.session = memory.session OR (m.session IS NULL AND memory.session IS NULL))"
_MUTUAL = ", ".join(f"'{relation}'" for relation in ("related", "contradicts"))


@lru_cache
def _relations_of_memory(dialect: Dialect) -> str:
    """Return the two columns that hold a memory's links and what it superseded, each as a JSON list or NULL."""
    links = (
        f"SELECT {dialect.json_rows('l.relation', 'l.target', 'm.id', 'm.agent')} FROM link l "
        f"JOIN memory m ON m.num = l.target WHERE l.source = memory.num AND {_SHOWN}"
    )
    linked = (
        f"SELECT {dialect.json_rows('l.relation', 'l.source', 'm.id', 'm.agent')} FROM link l "
        f"JOIN memory m ON m.num = l.source WHERE l.target = memory.num AND l.relation IN ({_MUTUAL}) AND {_SHOWN}"
    )
    superseded = (
        f"SELECT {dialect.json_rows('m.num', 'm.id', 'm.agent')} FROM memory m WHERE m.superseded_by = memory.id"
    )
    return f"({links}), ({linked}), ({superseded})"


def _with_relations(ask: Ask, row: Sequence[Any], record: Record, viewer: str | None) -> Record:
    """Return a record with its links and what it superseded, from the last columns of its row.

    What only another agent than the `viewer` may see is left out; None may see every agent's.
    """
    links, linked, superseded = (json.loads(value) if value else [] for value in row[-3:])
    seen = sorted(
        (relation, num, other)
        for relation, num, other, agent in {tuple(each) for each in (*links, *linked)}
        if relation in RELATIONS and (viewer is None or agent in (None, viewer))
    )
    before = [other for _, other, agent in sorted(superseded) if viewer is None or agent in (None, viewer)]
    if not seen and not before:
        return record
    causes = _caused(ask, record.num, viewer) if any(relation == "causes" for relation, _, _ in seen) else ()
    shown = tuple(Link(relation, other) for relation, _, other in seen)
    return replace(record, memory=replace(record.memory, links=shown, supersedes=tuple(before), causal_chain=causes))


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


_ENTITY = tables.TABLES[EntityRow]
_ENTITY_COLUMNS = ", ".join(f"e.{name}" for name in _ENTITY.columns)
# An entity and every other name of it.
_UNDER = (
    "WITH RECURSIVE under (id) AS "
    "(VALUES (e.id) UNION SELECT o.id FROM entity o JOIN under ON o.merged_into = under.id{})"
)

# Whether the memory that a row cites passes a filter, whose columns are those of the memory.
_EVIDENCE = "EXISTS (SELECT 1 FROM memory WHERE memory.num = {}.num AND {})"


class SQLGraph:
    """The graph's verbs; a reader stands on them."""

    _dialect: filters.Dialect
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
    def _walled(self, where: Filter) -> tuple[str, filters.Params]:
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
            index, (wall, of) = "", filters.one_of("e.ns", self._namespaces(where), self._dialect)
        among, wanted = filters.one_of("e.key", keys, self._dialect)
        found = self._ask(f"SELECT {_ENTITY_COLUMNS} FROM entity e {index} WHERE {among} AND {wall}", [*wanted, *of])
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
        params: filters.Params
        if where.user is None:
            wall, params = "e.ns IN (SELECT id FROM namespace WHERE org = ?)", [where.org]
        else:
            wall, params = filters.one_of("e.ns", self._namespaces(where), self._dialect)
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
            asked, wanted = filters.one_of("e.id", list(among), self._dialect)
            wall, params = f"{wall} AND {asked}", [*params, *wanted]
        rows = self._ask(
            f"SELECT {_ENTITY_COLUMNS} FROM entity e WHERE {wall} AND {root} AND e.id > ? "
            f"AND (EXISTS ({under} {noted}) OR EXISTS ({under} {mentioned})) ORDER BY e.id LIMIT ?",
            [*params, *mine, after, *of, limit],
        )
        return [_ENTITY.decode(row) for row in rows]

    def owners(self, where: Filter) -> Mapping[int, str | None]:
        """Return the namespaces inside the walls of a filter, by number, with the user of each."""
        inside, params = filters.one_of("id", self._namespaces(where), self._dialect)
        return dict(self._ask(f'SELECT id, "user" FROM namespace WHERE {inside} ORDER BY id', params))

    def living(self, nums: Collection[int], where: Filter) -> Mapping[int, Living]:
        """Return those of the rows that pass, with what a relation wants to know of its evidence."""
        seen, of = self._walled(where)
        among, asked = filters.one_of("num", list(nums), self._dialect)
        found = self._ask(
            f"SELECT num, id, valid_from, valid_until FROM memory WHERE {among} AND {seen}", [*asked, *of]
        )
        return {num: Living(memory_id, required(since), read_time(until)) for num, memory_id, since, until in found}

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
        valid_at = stored_time(at.valid_at)
        among, ends = filters.one_of(end, list(entities), self._dialect)
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
        known_at = stored_time(at.known_at)
        believed = f"(origin <> '{STATED}' OR (recorded_at <= ? AND (believed_until IS NULL OR ? < believed_until)))"
        when = [known_at, known_at]
    if at.agent is None:
        return believed, when
    return f"{believed} AND (agent IS NULL OR agent = ?)", [*when, at.agent]


def _dated(row: Sequence[Any]) -> Said:
    source, relation, target, weight, num, since, until = row
    return source, relation, target, weight, num, read_time(since), read_time(until)


R = TypeVar("R")
_MEMORY = ", ".join(tables.MEMORY_COLUMNS)
_ORDERS = (
    "recorded_at updated_at valid_from importance confidence num position access_count used_at due_at noted unlearnt"
)
_FINDABLE = tuple(sorted(_ORDERS.split()))
Names = dict[int, tuple[str, str | None]]
"""The org and the user of namespaces, by number."""
Scope = tuple[str, str | None, bool]
"""The org, the user and `shared` of a filter."""


class SQLReader(SQLGraph):
    """A view that finds rows by SQL; an engine says how it asks, and adds its searches.

    `org` is whose rows it is about, None for all. `names` are the org and user of namespaces by number, as far as they
    are known.
    """

    def __init__(self, names: Names, org: str | None) -> None:
        self._names, self._org = names, org
        self._scope_numbers: dict[Scope, list[int]] = {}

    @abstractmethod
    def _vectors(self) -> tuple[str, str]:
        """Return the table of vectors and the columns of a `Vector`, its values last as `_values` reads them."""

    @abstractmethod
    def _values(self, stored: Any) -> Any:
        """Read the values of a vector."""

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", limit: int | None = None
    ) -> list[R]:
        """Return rows of one kind; records come with their links. A `Filter` walls revisions by their memories."""
        clause, params = self._where(where, kind)
        tail = "" if limit is None else f" LIMIT {int(limit)}"
        if kind is Record:
            by = filters.ordering(order, _FINDABLE)
            relations = _relations_of_memory(self._dialect)
            rows = self._ask(f"SELECT {_MEMORY}, {relations} FROM memory WHERE {clause} {by}{tail}", params)
            viewer = where.agent if isinstance(where, Filter) else None
            with self._legible():
                return cast(list[R], self._records(rows, viewer))
        if kind is Vector:
            name, columns = self._vectors()
            by = filters.ordering(order, ("ns", "embedder", "num"), ("ns", "embedder", "num"))
            rows = self._raw(f"SELECT {columns} FROM {name} WHERE {clause} {by}{tail}", params)
            with self._legible():
                return cast(list[R], [Vector(ns, code, num, self._values(held)) for ns, code, num, held in rows])
        table = tables.TABLES[kind]
        columns = ", ".join(map(filters.called, (*table.columns, *table.shown)))
        by = filters.ordering(order, table.columns, table.key)
        rows = self._ask(f"SELECT {columns} FROM {table.read_from} WHERE {clause} {by}{tail}", params)
        with self._legible():
            return cast(list[R], list(map(table.decode, rows)))

    def count(
        self, kind: type[Row], where: Filter | Sequence[Condition] = (), *, by: str | None = None
    ) -> Mapping[str, int]:
        """Count rows, in all or by the values of one column."""
        clause, params = self._where(where, kind)
        name = self._vectors()[0] if kind is Vector else self._table(kind)
        if by is None:
            return {"": self._ask(f"SELECT count(*) FROM {name} WHERE {clause}", params)[0][0]}
        column = filters.called(by)
        rows = self._ask(f"SELECT {column}, count(*) FROM {name} WHERE {clause} GROUP BY {column} ORDER BY 1", params)
        return {str(value): number for value, number in rows}

    def highest(self, kind: type[Row], column: str, where: Sequence[Condition]) -> int | None:
        """Return the largest value of a column of whole numbers, None when no row has one."""
        clause, params = self._where(where, kind)
        found = self._ask(f"SELECT max({column}) FROM {self._table(kind)} WHERE {clause}", params)[0][0]
        return None if found is None else int(found)

    def _table(self, kind: type[Row]) -> str:
        return "memory" if kind is Record else tables.TABLES[kind].name

    def _where(self, where: Filter | Sequence[Condition], kind: type[object] = Record) -> tuple[str, filters.Params]:
        if not isinstance(where, Filter):
            return filters.compile_conditions(where, self._dialect)
        where = own(self._org, where)
        if kind is Job:
            return jobs_of(where, self._walled, self._dialect)
        if kind is MentionRow or (kind is Vector and where.conditions):  # inside a filter when its memory is
            inside, params = self._walled(where)
            return f"num IN (SELECT num FROM memory WHERE {inside})", params
        if kind is TurnRow:  # a turn is inside a filter when its conversation is
            inside, params = self._walled(where)
            return f"conversation IN (SELECT num FROM conversation WHERE {inside})", params
        return self._walled(where, kind)

    def _walled(self, where: Filter, kind: type[object] = Record) -> tuple[str, filters.Params]:
        namespaces = None if own(self._org, where).user is None else self._namespaces(where)
        return filters.scoped(where, namespaces, self._dialect, by_memory=kind is Revision)

    def _records(self, rows: Sequence[tuple[Any, ...]], viewer: str | None) -> list[Record]:
        return [_with_relations(self._ask, row, tables.decode_record(row, *self._name(row[2])), viewer) for row in rows]

    def _name(self, namespace: int) -> tuple[str, str | None]:
        known = self._names.get(namespace)
        if known is None:
            org, user = self._ask('SELECT org, "user" FROM namespace WHERE id = ?', (namespace,))[0]
            known = self._names[namespace] = (org, user)
        return known

    def _named(self, org: str, user: str | None) -> list[tuple[Any, ...]]:
        mine, params = self._dialect.of_user(user)
        return self._ask(f"SELECT id FROM namespace WHERE org = ? AND {mine}", (org, *params))

    def _namespaces(self, where: Filter) -> list[int]:
        wall = (own(self._org, where).org, where.user, where.shared)
        if wall not in self._scope_numbers:
            if where.user is None:
                found = [row[0] for row in self._ask("SELECT id FROM namespace WHERE org = ?", (where.org,))]
            elif where.shared:
                mine = self._namespaces(replace(where, shared=False, conditions=()))
                found = [*mine, *(row[0] for row in self._named(where.org, None))]
            else:
                found = [row[0] for row in self._named(where.org, where.user)]
            self._scope_numbers[wall] = sorted(found)
        return self._scope_numbers[wall]
