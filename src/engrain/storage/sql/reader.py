"""Reading rows by SQL, for every engine: the statement, its tables, and the condition for the scope."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, Protocol, TypeVar, cast

from engrain.errors import StoreCorrupt
from engrain.model.filters import AnyOf, Condition, Filter, Logic, Meta, Tagged, Test, Where
from engrain.model.memory import RELATIONS, AuditEntry, Job, Link
from engrain.storage import rows as tables
from engrain.storage.interface import Reader, among, rooted
from engrain.storage.rows import OWN, STATED, TABLES, EntityRow, Head, Record, Row, Vector, called, legible, read_time

Params = list[Any]

TEXT, NUMBER, TRUE, FALSE, NULL = "text", "number", "true", "false", "null"
"""The kinds of values in JSON; values of two kinds are never equal."""
_NULLABLE = frozenset(("position", "due_at", "noted", "unlearnt"))  # columns to order by that may be NULL
_OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_AS_THEY_ARE = (str, int, float)  # types of values that need no conversion
R = TypeVar("R")
_ORDERS = "recorded_at updated_at valid_from importance confidence num position access_count used_at"
_FINDABLE = tuple(sorted((*_ORDERS.split(), "due_at", "noted", "unlearnt")))
_VECTOR_KEY = ("ns", "embedder", "num")
_JOB_SUBJECTS = ("memory", "conversation")  # tables of the subjects of jobs
# Rows that pass by their subject: the column that names it, and its table.
_PARTS = {
    tables.MentionRow: ("num", "memory"),
    Vector: ("num", "memory"),
    tables.TurnRow: ("conversation", "conversation"),
    tables.ExactKeyRow: ("collection", "collection"),
    tables.ExactRow: ("collection", "collection"),
}
_ENTITY_COLUMNS = ", ".join(f"e.{name}" for name in TABLES[EntityRow].columns)
# An entity and every alias of it.
_NAMES_OF = (
    "WITH RECURSIVE {}under (id) AS "
    "(VALUES (e.id){} UNION SELECT o.id FROM entity o JOIN under ON o.merged_into = under.id{})"
)
# Whether the memory that a row cites passes a filter; OFFSET keeps PostgreSQL from joining all memories to find it.
_EVIDENCE = "EXISTS (SELECT 1 FROM memory WHERE memory.num = {}.num AND {} LIMIT 1 OFFSET 0)"
# A session's working memory shows at the far end of a link only to that session.
_SHOWN = "(m.kind <> 'working' OR m.session = memory.session OR (m.session IS NULL AND memory.session IS NULL))"
_MUTUAL = "'related', 'contradicts'"  # relations that show at both ends
_OF_CHAIN = 'org = ? AND "user" = ?'
_OWNED = (Job, Head, AuditEntry, tables.Setting, tables.KeyRow, tables.ReceiptRow, tables.AnswerRow)
_OF_ROWS, _NAMED = frozenset(("num", "id")), frozenset(("eq", "in"))  # columns and operators that name rows
Scope = tuple[str, str | None, bool]  # the org, the user and `shared` of a filter
_MEMORY, _WIDTH = ", ".join(tables.MEMORY_COLUMNS), len(tables.MEMORY_COLUMNS)
_NAMESPACE, _HEAD, _HOLDER, _ENTITY_ROW, _TWIN, _LAST_NUM, _MERGED = range(7)  # parts of a write's lookup
_IS_OWN = Test("state", "eq", OWN)  # of a merge in the view of one agent


class Dialect(Protocol):
    """The SQL that differs between engines, and its values; a text depends only on their form, so that it is cached."""

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """Return the comparison after a column that it is one of the values."""

    def tagged(self, test: Tagged) -> tuple[str, Params]:
        """Return the condition that a memory has tags: true or false, never NULL."""

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """Return a comparison inside the caller's metadata: true or false, never NULL."""

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Return a table of whole numbers with one column, `value`."""

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """Return the condition that a namespace is a user's, or that of no user, in the form of its index."""

    def json_rows(self, *columns: str) -> str:
        """Return the aggregate that makes one JSON list of some columns of all rows, each row a list."""

    def by_index(self, name: str) -> str:
        """Return the index hint after a table, none if the planner of an engine chooses one itself."""
        return ""

    def tested(self, condition: str) -> str:
        """Return a condition in a form that is not used for an index lookup, if the planner does not estimate that."""
        return condition


def compile_conditions(tests: Sequence[Condition], dialect: Dialect) -> tuple[str, Params]:
    """Return the conjunction of the conditions, and its values; none at all is true. Columns come from our own code."""
    params: Params = []
    return _condition(tests, dialect, params), params


def _condition(test: Condition | Sequence[Condition], dialect: Dialect, params: Params) -> str:
    """Return the SQL of a condition, or of the conjunction of some, appending its values to `params` in order."""
    if isinstance(test, Test):
        return _comparison(test, dialect, params)
    if isinstance(test, Tagged | Meta):
        text, values = dialect.tagged(test) if isinstance(test, Tagged) else dialect.metadata(test)
        params += values
        return text
    terms: Sequence[Condition | Sequence[Condition]]
    if isinstance(test, AnyOf):
        word, terms = " OR ", test.branches
    elif not isinstance(test, Logic):
        word, terms = " AND ", test
    elif test.op == "not":
        return f"NOT ({_condition(test.terms, dialect, params)})"
    else:
        word, terms = f" {test.op.upper()} ", test.terms
    parts = [_condition(term, dialect, params) for term in terms]
    while len(parts) > 8:  # a chain of hundreds would exceed the depth limit of an engine's parser
        parts = [f"({word.join(parts[start : start + 8])})" for start in range(0, len(parts), 8)]
    return f"({word.join(parts)})" if parts else "1=1"


def _comparison(test: Test, dialect: Dialect, params: Params) -> str:
    column, value, or_null = called(test.column), test.value, test.or_null
    if test.op in ("in", "nin"):  # of no values it is never true
        wanted = [each if type(each) in _AS_THEY_ARE else tables.stored(each) for each in value if each is not None]
        or_null = or_null or (test.op == "in" and None in value)
        text = "1=0"
        if wanted:
            among, values = dialect.among(wanted)
            text = f"{column} {among}"
            params += values
        if test.op == "nin":
            text = f"NOT ({text})" if wanted else f"{column} IS NOT NULL"
    elif value is None:
        return f"{column} IS {'' if test.op == 'eq' else 'NOT '}NULL"
    else:
        text = f"{column} {_OPERATORS[test.op]} ?"
        params.append(value if type(value) in _AS_THEY_ARE else tables.stored(value))
    return f"({text} OR {column} IS NULL)" if or_null else text


def json_kinds(test: Meta) -> tuple[str, ...]:
    """Return the kinds of the values that a comparison inside the metadata names, in a fixed order."""
    if test.op == "exists":
        return (TRUE if test.value else FALSE,)
    found = {json_kind(value) for value in (test.value if test.op in ("in", "nin") else (test.value,))}
    return tuple(kind for kind in (TEXT, NUMBER, TRUE, FALSE, NULL) if kind in found)


def json_kind(value: object) -> str:
    """Return the kind of a value in JSON."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return TRUE if value else FALSE
    return TEXT if isinstance(value, str) else NUMBER


def one_of(column: str, values: Sequence[object], dialect: Dialect) -> tuple[str, Params]:
    """Return the condition that a column is one of the values; false for none."""
    if not values:
        return "1=0", []
    text, params = dialect.among(values)
    return f"{column} {text}", params


@lru_cache(maxsize=2048)
def ordering(order: str, columns: tuple[str, ...], key: tuple[str, ...] = (), *, filled: bool = False) -> str:
    """Return an ORDER BY clause from `column` or `-column`, ties in the order of rows; missing values are least."""
    column = order.removeprefix("-")
    if column == "num" and "num" not in columns:
        parts = [called(name) for name in key]
        return f"ORDER BY {', '.join(parts)}" if parts else ""
    if column not in columns:
        raise ValueError(f"cannot order by {order!r}: use one of {', '.join(columns)}, with a leading - for descending")
    direction = " DESC" if order.startswith("-") else " ASC"
    missing = column in _NULLABLE or (column == "num" and key not in ((), ("num",)))  # rows that may cite no memory
    nulls = "" if filled or not missing else " NULLS LAST" if order.startswith("-") else " NULLS FIRST"
    ties = [f", {called(tie)}{direction}" for tie in key or ("num",) if tie != column]
    return f"ORDER BY {called(column)}{direction}{nulls}{''.join(ties)}"


class Names(dict[int, tuple[str, str | None]]):
    """The known owners of the namespaces of a store; `clock` dates what is read, None for the system's clock."""

    clock: Callable[[], datetime] | None = None


def check_rows(org: str | None, rows: Iterable[Row]) -> None:
    """Refuse rows of another org, and, if the view has no org, rows that do not name theirs."""
    for row in rows:
        if isinstance(row, Record):
            named = row.memory.scope.org
        elif isinstance(row, _OWNED):
            if isinstance(row, tables.Setting) and row.org == tables.STORE_ORG:
                continue
            named = row.org
        elif org is None:
            raise RuntimeError(f"a {type(row).__name__} does not name its org: write it in a transaction of that org")
        else:
            continue
        check_org(org, named, "a record" if isinstance(row, Record) else f"a {type(row).__name__}")


def check_org(org: str | None, named: str, what: str = "a name") -> None:
    """Refuse an org other than the view's; a view without an org accepts all."""
    if org is not None and named != org:
        raise RuntimeError(f"{what} of org {named!r} in a transaction of org {org!r}: each org has its own")


class SQLReader:
    """A view that reads rows by SQL, bound to `org` if any; an engine runs the statements and adds its searches."""

    _dialect: Dialect
    _vectors: str  # the table of vectors
    _more_to_look_up: Sequence[str] = ()
    _last_num: int | None = None  # the last number assigned to a record, if a transaction has looked it up

    def __init__(self, names: Names, org: str | None) -> None:
        self._names, self._org = names, org
        self._scope_numbers: dict[Scope, list[int]] = {}
        self._clauses: dict[tuple[int, type[object]], tuple[Filter, str, Params]] = {}
        self._numbers: dict[tuple[str, str | None], int] = {}  # of namespaces that were looked up
        self._heads: dict[tuple[str, str], Head] = {}  # of audit chains that were looked up
        self._without_own: set[int] = set()  # looked-up namespaces in which no agent has merges of its own

    @abstractmethod
    def _ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds, its values bound to each `?`."""

    @abstractmethod
    def _raw(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds, vectors as the engine's bytes."""

    @abstractmethod
    def _values(self, stored: Any) -> Any:
        """Read the values of a vector."""

    @abstractmethod
    def _holders(self, namespace: str, terms: Sequence[str], rows: int) -> tuple[str, Params]:
        """Return the query for each `term` and the `nums` of a namespace's first rows with it, as one text."""

    def together(self, *calls: Callable[[], Any], last: bool = False) -> list[Any]:
        return [call() for call in calls]

    def _decoded(self, kind: type[R], rows: list[tuple[Any, ...]]) -> list[R]:
        with legible():
            return [TABLES[kind].decode(row) for row in rows]

    def find(
        self, kind: type[R], where: Where = (), *, order: str = "num", limit: int | None = None, links: bool = True
    ) -> list[R]:
        tests = where.conditions if isinstance(where, Filter) else where
        if kind is Head and [test[:2] for test in tests if isinstance(test, Test)] == [("org", "eq"), ("user", "eq")]:
            known = self._heads.get((tests[0].value, tests[1].value))  # type: ignore[union-attr]
            if known is not None:  # no concurrent change is possible
                return cast(list[R], [known])
        if kind is tables.MergeRow and self._without_own and _IS_OWN in tests:
            spaces = next((test.value for test in tests if isinstance(test, Test) and test[:2] == ("ns", "in")), None)
            if isinstance(where, Filter) and where.user is not None:
                spaces = self._namespaces(where)
            if spaces is not None and self._without_own.issuperset(spaces):
                return []
        clause, params = self._where(where, kind)
        column = order.removeprefix("-")  # if one test is that it is set, no row that passes lacks it
        filled = any(type(test) is Test and test[:3] == (column, "ne", None) for test in tests)
        end = "" if limit is None else " LIMIT ?"
        if limit is not None:
            params = [*params, int(limit)]
        if kind is Record:
            viewer = where.agent if isinstance(where, Filter) else None
            rest = f"{clause} {ordering(order, _FINDABLE, filled=filled)}{end}"
            users = isinstance(where, Filter) and where.user is None  # of many, most of them not looked up yet
            return cast(list[R], self._records(rest, params, viewer, links, users=users))
        if kind is Vector:
            by = ordering(order, _VECTOR_KEY, _VECTOR_KEY)
            rows = self._raw(f"SELECT ns, embedder, num, v FROM {self._vectors} WHERE {clause} {by}{end}", params)
            with legible():
                return cast(list[R], [Vector(ns, code, num, self._values(held)) for ns, code, num, held in rows])
        table = TABLES[kind]
        source = table.read_from
        by_name = any(isinstance(test, Test) and test.column == "key" for test in tests)
        if by_name and kind is EntityRow and isinstance(where, Filter) and where.user is None:
            source += f" {self._dialect.by_index('entity_named')}"  # of many namespaces few have a name
        by = ordering(order, table.columns, table.key, filled=filled)
        rows = self._ask(f"SELECT {table.listed} FROM {source} WHERE {clause} {by}{end}", params)
        return self._decoded(kind, rows)

    def _records(
        self, rest: str, params: Params, viewer: str | None, links: bool, *, users: bool = False
    ) -> list[Record]:
        columns = f"{_MEMORY}, {_relations_of_memory(self._dialect.json_rows)}" if links else _MEMORY
        columns += ', (SELECT org FROM namespace WHERE id = ns), (SELECT "user" FROM namespace WHERE id = ns)' * users
        records = []
        rows = self._ask(f"SELECT {columns} FROM memory WHERE {rest}", params)
        now = None if self._names.clock is None else self._names.clock()
        with legible():
            for row in rows:
                org, user = row[-2:] if users else self._names.get(row[2]) or self._name(row[2])
                record, relations = tables.decode_record(row, org, user, now), row[_WIDTH : len(row) - 2 * users]
                records.append(self._with_relations(record, relations, viewer) if any(relations) else record)
        return records

    def _with_relations(self, record: Record, relations: Sequence[str | None], viewer: str | None) -> Record:
        """Return a record with its links and predecessors visible to the `viewer`; None sees all."""
        links, linked, superseded = (json.loads(value) if value else [] for value in relations)
        visible = sorted(
            (relation, num, other)
            for relation, num, other, agent in {tuple(each) for each in (*links, *linked)}
            if relation in RELATIONS and (viewer is None or agent in (None, viewer))
        )
        before = [other for _, other, agent in sorted(superseded) if viewer is None or agent in (None, viewer)]
        if not visible and not before:
            return record
        causes = self._caused(record.num, viewer) if any(relation == "causes" for relation, _, _ in visible) else ()
        seen = tuple(Link(relation, other) for relation, _, other in visible)
        return replace(record, memory=replace(record.memory, links=seen, supersedes=tuple(before), causal_chain=causes))

    def _caused(self, num: int, viewer: str | None) -> tuple[str, ...]:
        """Return the ids reached along `causes`, the nearest first, through memories that the viewer may see."""
        visible = "" if viewer is None else " AND (t.agent IS NULL OR t.agent = ?)"
        found = self._ask(
            "WITH RECURSIVE reached (num, depth) AS (SELECT num, 0 FROM memory WHERE num = ? UNION "
            "SELECT l.target, depth + 1 FROM reached r JOIN link l ON l.source = r.num AND l.relation = 'causes' "
            f"JOIN memory t ON t.num = l.target WHERE depth < 64{visible}) "
            "SELECT m.id FROM reached r JOIN memory m ON m.num = r.num WHERE r.num <> ? "
            "GROUP BY r.num, m.id ORDER BY min(depth), r.num",
            (num, *([] if viewer is None else [viewer]), num),
        )
        return tuple(memory_id for (memory_id,) in found)

    def count(self, kind: type[Row], where: Where = (), *, by: str | None = None) -> Mapping[str, int]:
        clause, params = self._where(where, kind)
        name = self._vectors if kind is Vector else self._table(kind)
        if by is None:
            return {"": self._ask(f"SELECT count(*) FROM {name} WHERE {clause}", params)[0][0]}
        column = called(by)
        rows = self._ask(f"SELECT {column}, count(*) FROM {name} WHERE {clause} GROUP BY {column} ORDER BY 1", params)
        return {str(value): number for value, number in rows}

    def _table(self, kind: type[Row]) -> str:
        return "memory" if kind is Record else TABLES[kind].name

    def _where(self, where: Where, kind: type[object] = Record) -> tuple[str, Params]:
        """Return the condition that rows of a kind pass, and its values."""
        if not isinstance(where, Filter):
            return compile_conditions(where, self._dialect)
        known = self._clauses.get((id(where), kind))
        if known is None:
            if len(self._clauses) >= 256:  # compiled conditions that a view caches by filter
                self._clauses.clear()
            # Cached with the filter, so that its id stays unique.
            check_org(self._org, where.org, "a filter")
            known = self._clauses[id(where), kind] = (where, *self._inside(where, kind))
        return known[1], known[2]

    def _forget_scopes(self) -> None:
        self._scope_numbers.clear()
        self._clauses.clear()

    def _inside(self, where: Filter, kind: type[object]) -> tuple[str, Params]:
        if kind is Job:
            return self._jobs_inside(where)
        if kind in _PARTS and (where.conditions or kind is not Vector):
            column, whole = _PARTS[kind]
            inside, params = self._where(where)
            return f"{column} IN (SELECT num FROM {whole} WHERE {inside})", params
        scope, params = self._scope(where, "id" if kind is tables.NamespaceRow else "ns")
        if any(isinstance(test, Test) and test.column in _OF_ROWS and test.op in _NAMED for test in where.conditions):
            scope = self._dialect.tested(scope)  # otherwise all rows of a large namespace would be read
        if kind is tables.Revision:  # which is in the namespace of its memory
            scope = f"num IN (SELECT num FROM memory WHERE {scope})"
        text, more = compile_conditions(where.conditions, self._dialect)
        return f"{scope} AND {text}", params + more

    def _scope(self, where: Filter, column: str) -> tuple[str, Params]:
        """Return the condition that a column is the number of a namespace in the scope of a filter."""
        if where.user is None:
            return f"{column} IN (SELECT id FROM namespace WHERE org = ?)", [where.org]
        return one_of(column, self._namespaces(where), self._dialect)

    def _jobs_inside(self, where: Filter) -> tuple[str, Params]:
        """Return a filter over jobs: the scope of a job's subject, and tests of the job; an org sees all."""
        scope = where.isolation
        own = [test for test in where.conditions if test not in scope.conditions]
        tests, params = compile_conditions(own, self._dialect)
        if where.user is where.agent is None:
            return f"org = ? AND {tests}", [where.org, *params]
        inside, more = self._where(scope)
        held = (f"EXISTS (SELECT 1 FROM {name} t WHERE t.id = job.memory_id AND {inside})" for name in _JOB_SUBJECTS)
        return f"org = ? AND {tests} AND ({' OR '.join(held)})", [where.org, *params, *more, *more]

    def _name(self, namespace: int) -> tuple[str, str | None]:
        """Return the org and the user of a namespace, cached from then on."""
        org, user = self._ask('SELECT org, "user" FROM namespace WHERE id = ?', (namespace,))[0]
        self._names[namespace] = (org, user)
        return org, user

    def _number(self, org: str, user: str | None) -> int | None:
        if (org, user) not in self._numbers:
            mine, params = self._dialect.of_user(user)
            for (number,) in self._ask(f"SELECT id FROM namespace WHERE org = ? AND {mine}", (org, *params)):
                self._numbers[org, user] = number
        return self._numbers.get((org, user))

    def _namespaces(self, where: Filter) -> list[int]:
        check_org(self._org, where.org, "a filter")
        scope = (where.org, where.user, where.shared)
        if scope not in self._scope_numbers:
            if where.user is None:
                found = [number for (number,) in self._ask("SELECT id FROM namespace WHERE org = ?", (where.org,))]
            else:
                users = (where.user, None) if where.shared else (where.user,)
                found = [number for user in users if (number := self._number(where.org, user)) is not None]
            self._scope_numbers[scope] = sorted(found)
        return self._scope_numbers[scope]

    def look_up(
        self,
        org: str,
        user: str | None,
        *,
        identities: Sequence[str] = (),
        terms: Sequence[str] = (),
        rows: int = 0,
        names: Sequence[str] = (),
    ) -> tables.LookUp:
        check_org(self._org, org)
        mine, owner = self._dialect.of_user(user)
        nobodys, nobody = self._dialect.of_user(None)
        parts = [
            "SELECT 0, id, 0, 0, '', '', '', '', '' FROM space",
            f"SELECT 1, seq, signed_seq, 0, hash, signature, '', '', '' FROM audit_head WHERE {_OF_CHAIN}",
        ]
        params: Params = [org, *owner, org, user or ""]
        if terms and rows > 0:
            chosen, of = self._holders("(SELECT id FROM space)", terms, rows)
            parts.append(f"SELECT 2, 0, 0, 0, term, nums, '', '', '' FROM ({chosen}) chosen")
            params += of
        if names:
            among, of = self._dialect.among(names)
            parts.append(
                "SELECT 3, e.id, e.ns, e.merged_into, e.type, e.family, e.key, e.name, e.agent FROM entity e "
                "WHERE e.ns IN (SELECT id FROM space UNION ALL SELECT id FROM namespace "
                f"WHERE org = ? AND {nobodys}) AND e.key {among}"
            )
            params += [org, *nobody, *of]
            owned = f"EXISTS (SELECT 1 FROM merge WHERE ns = space.id AND state = '{OWN}')"
            parts.append(f"SELECT 6, id, 0, 0, '', '', '', '', '' FROM space WHERE NOT {owned}")
        if identities:
            among, of = self._dialect.among(identities)
            twins = "SELECT 4, num, 0, 0, '', '', '', '', '' FROM memory WHERE ns = (SELECT id FROM space) AND identity"
            parts.append(f"{twins} {among}")
            params += of
        parts += self._more_to_look_up
        space = f"WITH space AS (SELECT id FROM namespace WHERE org = ? AND {mine})"
        found = self._ask(f"{space} {' UNION ALL '.join(parts)}", params)
        if any(not isinstance(row[1], int) or bytes in map(type, row) for row in found):
            raise StoreCorrupt("holds an entry or a name that makes no sense: restore a snapshot of it")
        namespace, head = None, None
        for part, one, two, _, *texts in found:
            if part == _LAST_NUM:
                self._last_num = one
            elif part == _MERGED:
                self._without_own.add(one)
            elif part == _NAMESPACE:
                namespace = self._numbers[org, user] = one
                self._names[one] = (org, user)
            elif part == _HEAD:
                head = self._heads[org, user or ""] = Head(org, one, texts[0], two, texts[1], user or "")
        found_by = self._rows_holding({row[4]: row[5] for row in found if row[0] == _HOLDER}, terms, rows)
        named = ((row[2], *row[4:8], row[3], row[8], row[1]) for row in found if row[0] == _ENTITY_ROW)
        entities = sorted(map(EntityRow._make, named), key=attrgetter("id"))
        return tables.LookUp(namespace, head, sorted(row[1] for row in found if row[0] == _TWIN), found_by, entities)

    def _rows_holding(self, found: Mapping[str, str | None], terms: Sequence[str], rows: int) -> list[list[int]]:
        """Return the rows with each of some terms, at most `rows`, from the results of the query for holders."""
        return [[int(num) for num in (found.get(term) or "").split(",") if num] for term in terms]

    def entities(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        scope, params = self._scope(where, "e.ns")
        passing, of = self._where(where)
        viewer, mine = where.agent, list[str]()
        under, noted = _NAMES_OF.format("", "", ""), "SELECT 1 FROM under u JOIN entity_note n ON n.entity = u.id"
        root = "e.merged_into IS NULL"
        if viewer is not None:
            mine, root = [viewer], f"({root} OR e.agent <> ?)"
            listed, also = "", ""
            if own := self._own_names(where, viewer):
                root = f"{root} AND e.id NOT IN ({', '.join(map(str, own))})"
                listed = f"own (id, top) AS (VALUES {', '.join(f'({other}, {top})' for other, top in own.items())}), "
                also = " UNION SELECT own.id FROM own WHERE own.top = e.id"
            under = _NAMES_OF.format(listed, also, " WHERE o.agent IS NULL OR o.agent = ?")
            noted, of = f"{noted} WHERE n.agent IN (?, ?)", [viewer, tables.ALL_AGENTS, viewer, viewer, *of]
        mentioned = f"SELECT 1 FROM under u JOIN mention t ON t.entity = u.id WHERE {_EVIDENCE.format('t', passing)}"
        if type is not None:
            scope, params = f"{scope} AND e.type = ?", [*params, type]
        if among is not None:
            asked, wanted = one_of("e.id", list(among), self._dialect)
            scope, params = f"{scope} AND {asked}", [*params, *wanted]
        rows = self._ask(
            f"SELECT {_ENTITY_COLUMNS} FROM entity e WHERE {scope} AND {root} AND e.id > ? "
            f"AND (EXISTS ({under} {noted}) OR EXISTS ({under} {mentioned})) ORDER BY e.id LIMIT ?",
            [*params, *mine, after, *of, limit],
        )
        return self._decoded(EntityRow, rows)

    def _own_names(self, where: Filter, agent: str) -> dict[int, int]:
        """Return the entities that are aliases only in an agent's view, each with the entity it is merged into."""
        here = Filter(where.org, where.user, where.shared, (Test("state", "eq", OWN), Test("agent", "eq", agent)))
        if not (own := self.find(tables.MergeRow, here, order="id")):
            return {}
        reader = cast(Reader, self)
        rows = among(reader, EntityRow, "id", {row.other for row in own})
        return {other: top.id for other, top in rooted(reader, rows, agent).items()}

    def traverse(
        self,
        entities: Collection[int],
        where: Filter,
        at: tables.PointOfView,
        *,
        begun: Filter,
        ends: Sequence[str] = (),
        together: int | None = 0,
        mentions: int = 0,
    ) -> tables.Surroundings:
        check_org(self._org, where.org, "a filter")
        if not entities:
            return tables.Surroundings()
        beside, mentioned, *found = self.together(
            lambda: [] if together == 0 else self._together(entities, where, together),
            lambda: self._mentions(entities, mentions) if mentions else (),
            *(partial(self._relations, end, entities, where, at, begun) for end in ends),
        )
        met = frozenset(entities if "source" in ends else ())
        relations: list[tables.RelationEdge] = []
        for end, edges in zip(ends, found, strict=True):
            relations += edges if end == "source" else [edge for edge in edges if edge[0] not in met]
        return tables.Surroundings(relations, beside, mentioned)

    def _relations(
        self, end: str, entities: Collection[int], where: Filter, at: tables.PointOfView, begun: Filter
    ) -> list[tables.RelationEdge]:
        passing, of = self._where(where)
        may_begin, begins = self._where(begun)
        evidence, beginning = _EVIDENCE.format("r", passing), _EVIDENCE.format("r", may_begin)
        evidence = f"{evidence} OR (valid_from IS NOT NULL AND {beginning})"
        believed, when = _believed(at)
        valid_at = tables.stored(at.valid_at)
        among, asked = one_of(end, list(entities), self._dialect)
        other = "target" if end == "source" else "source"
        rows = self._ask(
            "SELECT source, relation, target, weight, coalesce(num, 0), valid_from, valid_until "
            f"FROM relation r {self._dialect.by_index(f'relation_{end}')} WHERE {among} "
            "AND (valid_from IS NULL OR valid_from <= ?) AND (valid_until IS NULL OR ? < valid_until) "
            f"AND {believed} AND (num IS NULL OR {evidence}) ORDER BY {end}, relation, {other}, coalesce(num, 0), id",
            [*asked, valid_at, valid_at, *when, *of, *begins],
        )
        with legible():
            read = [(*row[:3], float(row[3]), row[4], read_time(row[5]), read_time(row[6])) for row in rows]
        return cast(list[tables.RelationEdge], read)

    def _mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        each, asked = self._dialect.each(entities)
        newest = "(SELECT num FROM mention WHERE entity = j.value ORDER BY num DESC LIMIT ?) AS newest"
        found = self._ask(
            f"SELECT j.value, (SELECT {self._dialect.json_rows('num')} FROM {newest}) FROM {each} j", [most, *asked]
        )
        return [(entity, num) for entity, nums in found if nums for (num,) in json.loads(nums)]

    def _together(self, entities: Collection[int], where: Filter, most: int | None) -> list[tables.CoMention]:
        passing, of = self._where(where)
        newest, count = "", list[int]()
        if most is not None:
            latest = "SELECT num FROM mention WHERE entity = j.value AND pairs = 1 ORDER BY num DESC LIMIT ?"
            newest, count = f"AND a.num IN ({latest}) ", [most]
        each, asked = self._dialect.each(entities)
        found = self._ask(
            f"SELECT a.entity, b.entity, a.num FROM {each} j CROSS JOIN mention a CROSS JOIN mention b "
            f"WHERE a.entity = j.value AND a.pairs = 1 {newest}AND {_EVIDENCE.format('a', passing)} "
            "AND b.num = a.num AND b.entity <> a.entity ORDER BY a.num",
            [*asked, *count, *of],
        )
        return cast(list[tables.CoMention], found)


@lru_cache
def _relations_of_memory(json_rows: Callable[..., str]) -> str:
    """Return three columns, each a JSON list or NULL: links from a memory, those to it, and its predecessors."""
    links = (
        f"SELECT {json_rows('l.relation', 'l.target', 'm.id', 'm.agent')} FROM link l "
        f"JOIN memory m ON m.num = l.target WHERE l.source = memory.num AND {_SHOWN}"
    )
    linked = (
        f"SELECT {json_rows('l.relation', 'l.source', 'm.id', 'm.agent')} FROM link l "
        f"JOIN memory m ON m.num = l.source WHERE l.target = memory.num AND l.relation IN ({_MUTUAL}) AND {_SHOWN}"
    )
    closed = f"SELECT {json_rows('m.num', 'm.id', 'm.agent')} FROM memory m WHERE m.superseded_by = memory.id"
    return f"({links}), ({linked}), ({closed})"


def _believed(at: tables.PointOfView) -> tuple[str, list[Any]]:
    """Return the condition that a statement is, or was, believed by the viewer; evidence has times of its own."""
    if at.known_at is None:
        believed, when = "believed_until IS NULL", list[Any]()
    else:
        known_at = tables.stored(at.known_at)
        believed = f"(origin <> '{STATED}' OR (recorded_at <= ? AND (believed_until IS NULL OR ? < believed_until)))"
        when = [known_at, known_at]
    if at.agent is None:
        return believed, when
    return f"{believed} AND (agent IS NULL OR agent = ?)", [*when, at.agent]
