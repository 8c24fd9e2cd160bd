"""Filters of memories: one typed description, and its evaluation on a single memory."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from engrain.model.choices import HeatName, StatusFilter, checked_choice
from engrain.model.memory import COLD, COOLS, Kind, Memory, Scope, SourceType, Status, slot
from engrain.text import check_text

Op = Literal["eq", "ne", "lt", "le", "gt", "ge", "in", "nin"]
_IN_TIME = (("valid_from", "le"), ("valid_until", "gt"), ("expires_at", "gt"), ("believed_until", "eq"))
_LATELY = timedelta(hours=1)
_SAID = frozenset({SourceType.USER_INPUT, SourceType.LLM_GENERATED})
_OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "exists")
_SCALARS = (str, int, float, bool, type(None))
_MAX_DEPTH = 20
_MAX_TERMS = 500
_MAX_VALUES = 5000
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "gte": operator.ge,
    "lte": operator.le,
}
_SCOPE = ("org", "user", "agent", "session")
_ACCESSES = {"accessed_2": 0, "accessed_3": 1}
_SLOT = {"subject_key": 0, "predicate_key": 1, "object_key": 2}


class Test(NamedTuple):
    """A column of a stored row compared with a value; `or_null` lets a missing value pass."""

    column: str
    op: Op
    value: Any
    or_null: bool = False


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Passes when every condition of at least one branch passes."""

    branches: tuple[tuple[Condition, ...], ...]


@dataclass(frozen=True, slots=True)
class Tagged:
    """Passes when the memory carries any (or `every`) of the tags, compared exactly."""

    tags: tuple[str, ...]
    every: bool = False


@dataclass(frozen=True, slots=True)
class Meta:
    """One comparison inside the caller's metadata."""

    key: str
    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class Logic:
    """`and`, `or` or `not` over comparisons inside the caller's metadata."""

    op: Literal["and", "or", "not"]
    terms: tuple[Meta | Logic, ...]


Condition = Test | AnyOf | Tagged | Meta | Logic
_ACTIVE = Test("status", "eq", Status.ACTIVE)
_BELIEVED = Test("believed_until", "eq", None)
_NO_SUCCESSOR = Test("superseded_by", "eq", None)


@dataclass(frozen=True, slots=True)
class Filter:
    """The owner of memories, and conditions; an agent's has those without one too, `shared` those without a user."""

    org: str
    user: str | None = None
    shared: bool = False
    conditions: tuple[Condition, ...] = ()

    @property
    def agent(self) -> str | None:
        """The agent that reads; None sees the memories of every agent."""
        views = (t.value for t in self.conditions if isinstance(t, Test) and t.column == "agent" and t.or_null)
        return next(views, None)

    @property
    def isolation(self) -> Filter:
        """The same owner and agent without the other conditions."""
        return within(Scope(self.org, self.user, self.agent), shared=self.shared)

    @property
    def in_time(self) -> Filter:
        """The same owner, agent and time, for active memories, without the other conditions."""
        tests = (each for each in self.conditions if isinstance(each, Test) and each[:2] in _IN_TIME)
        return self.isolation.but(_ACTIVE, *tests)

    def but(self, *conditions: Condition) -> Filter:
        """Return the filter narrowed by more conditions."""
        return replace(self, conditions=self.conditions + conditions)


Where = Filter | Sequence[Condition]  # a filter with its scope, or conditions without one


def turns_beside(memory: Memory) -> tuple[Test, ...]:
    """Return the conditions of turns that may continue a memory: those of its session, or without one of an hour."""
    if memory.kind is Kind.EPISODIC and memory.scope.session:
        return (Test("session", "eq", memory.scope.session),)
    is_derived = any(link.relation == "derived_from" for link in memory.links)
    if is_derived or memory.scope.session or memory.source.type not in _SAID:
        return ()
    tests = [Test("agent", "eq", memory.scope.agent), Test("session", "eq", None), Test("kind", "eq", memory.kind)]
    for column, when in (("recorded_at", memory.recorded_at), ("valid_from", memory.valid_from)):
        tests += [Test(column, "ge", when - _LATELY), Test(column, "le", when + _LATELY)]
    return tuple(tests)


def preceding_turns(memory: Memory) -> tuple[tuple[Test, ...], str]:
    """Return the conditions of the turns before a memory, as `turns_beside`, and the order, the newest first."""
    column, last = ("position", memory.position) if memory.position is not None else ("valid_from", memory.valid_from)
    beside = turns_beside(memory)
    return (*beside, Test(column, "lt", last)) if beside else (), f"-{column}"


@lru_cache(1024)
def within(scope: Scope, *, shared: bool = False) -> Filter:
    """Return the filter of a view's scope: org, user and agent. A session does not filter."""
    agent = () if scope.agent is None else (Test("agent", "eq", scope.agent, or_null=True),)
    return Filter(scope.org, scope.user, shared, agent)


def reachable(scope: Scope) -> Filter:
    """Return the filter of memories that a view may name by id or key: not working memory of other sessions."""
    lasting, working = Test("kind", "ne", Kind.WORKING), Test("kind", "eq", Kind.WORKING)
    if scope.session is None:
        return within(scope).but(lasting)
    return within(scope).but(AnyOf(((working, Test("session", "eq", scope.session)), (lasting,))))


def begun(where: Filter) -> Filter:
    """Return a filter that also passes memories that become valid later."""
    kept = (each for each in where.conditions if not (isinstance(each, Test) and each[:2] == ("valid_from", "le")))
    return replace(where, conditions=tuple(kept))


def unsuperseded(now: datetime) -> AnyOf:
    """Not superseded yet at `now`: its successor may begin later."""
    return AnyOf(((_NO_SUCCESSOR,), (Test("valid_until", "gt", now),)))


def live(now: datetime) -> tuple[Condition, ...]:
    """Return the conditions of now: active, not superseded, still believed, inside its validity and not expired."""
    valid = Test("valid_from", "le", now), Test("valid_until", "gt", now, or_null=True)
    return (_ACTIVE, unsuperseded(now), _BELIEVED, *valid, unexpired(now))


def unexpired(now: datetime) -> Test:
    """Not past its `expires_at` at `now`, swept or not."""
    return Test("expires_at", "gt", now, or_null=True)


def heated(names: Iterable[str], now: datetime) -> AnyOf:
    """Return the condition of being hot, warm or cold at `now`, as `engrain.model.memory` defines it."""
    week, hour = now - COLD, now - COOLS
    seldom = AnyOf(((Test("accessed_3", "lt", week, or_null=True),), (Test("used_at", "lt", hour),)))
    heats: dict[str, tuple[Condition, ...]] = {
        "hot": (Test("accessed_3", "ge", week), Test("used_at", "ge", hour)),
        "warm": (Test("used_at", "ge", week), seldom),
        "cold": (Test("used_at", "lt", week),),
    }
    return AnyOf(tuple(heats[checked_choice(name, "heat", HeatName)] for name in names))


def listed(
    status: str | Sequence[str], now: datetime, active: tuple[Condition, ...] | None = None, at: datetime | None = None
) -> tuple[Condition, ...]:
    """Return the conditions of `list_memories(status=)`, which for `active` are being live now, else at a time."""
    names = (status,) if isinstance(status, str) else tuple(status)
    for name in names:
        checked_choice(name, "status", StatusFilter)
    if not names:
        raise ValueError(f"status is empty: use one or several of {', '.join(get_args(StatusFilter))}")
    if "all" in names:
        return ()
    branches: list[tuple[Condition, ...]] = []
    for name in names:
        if name == "active":
            branches.append(live(now) if active is None else active)
        elif name == "superseded":
            over = AnyOf(((Test("valid_until", "eq", None),), (Test("valid_until", "le", at or now),)))
            branches.append((_ACTIVE, Test("superseded_by", "ne", None), over, unexpired(now)))
        elif name == "expired":
            branches.append((Test("status", "eq", Status.EXPIRED),))
            branches.append((_ACTIVE, Test("expires_at", "le", now)))
        else:
            branches.append((Test("status", "eq", Status(name)),))
    return (AnyOf(tuple(branches)),)


_ANYTHING = Logic("and", ())


def parse_where(where: Mapping[str, Any] | None) -> tuple[Condition, ...]:
    """Check a caller's `where=` and return it as conditions.

    `{"project": "x", "year": {"gte": 2020}}` means both; `and`/`or` take a list of such mappings and `not` one. A
    value compares only with values of its own type (numbers with numbers, text with text). A key that is missing
    passes `ne` and `nin`, and nothing else but `{"exists": False}`. Anything else is a `ValueError` or `TypeError`
    that names the place.
    """
    if where is None:
        return ()
    tree = _WhereReader().read(where, depth=0)
    return () if tree == _ANYTHING else (tree,)


class _WhereReader:
    """Parses conditions, with limits on their depth, their number, and the number of values that they list."""

    _terms = _values = 0

    def read(self, where: object, *, depth: int) -> Meta | Logic:
        if not isinstance(where, Mapping):
            raise TypeError(f"where must be a mapping of metadata keys to conditions, not {type(where).__name__}")
        if depth > _MAX_DEPTH:
            raise ValueError(f"where is nested deeper than {_MAX_DEPTH} levels: flatten it")
        terms: list[Meta | Logic] = []
        for key, value in where.items():
            if not isinstance(key, str) or not key:
                raise ValueError(f"where keys are non-empty strings, not {key!r}")
            check_text(key, what="a key of where")
            found = [self._logic(key, value, depth)] if key in ("and", "or", "not") else list(_comparisons(key, value))
            terms += found
            self._terms += len(found)
            self._values += sum(len(one.value) for one in found if isinstance(one, Meta) and one.op in ("in", "nin"))
            if self._terms > _MAX_TERMS:
                raise ValueError(f"where has more than {_MAX_TERMS} conditions")
            if self._values > _MAX_VALUES:
                raise ValueError(f"where lists more than {_MAX_VALUES} values in all")
        return terms[0] if len(terms) == 1 else Logic("and", tuple(terms))

    def _logic(self, op: str, value: object, depth: int) -> Logic:
        if op == "not":
            return Logic("not", (self.read(value, depth=depth + 1),))
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise TypeError(f"where {op!r} takes a non-empty list of mappings")
        if len(value) > _MAX_TERMS:
            raise ValueError(f"where {op!r} lists more than {_MAX_TERMS} conditions")
        return Logic("and" if op == "and" else "or", tuple(self.read(item, depth=depth + 1) for item in value))


def _comparisons(key: str, value: object) -> Iterable[Meta]:
    if not isinstance(value, Mapping):
        value = {"eq": value}
    if not value:
        raise ValueError(f"where[{key!r}] is empty: give a value or one of {', '.join(_OPERATORS)}")
    for op, operand in value.items():
        if op not in _OPERATORS:
            raise ValueError(f"where[{key!r}]: unknown operator {op!r}; use one of {', '.join(_OPERATORS)}")
        yield Meta(key, op, _operand(key, op, operand))


def _operand(key: str, op: str, value: object) -> object:
    place = f"where[{key!r}][{op!r}]"
    if op == "exists":
        if not isinstance(value, bool):
            raise TypeError(f"{place} is True or False")
        return value
    if op in ("in", "nin"):
        if not isinstance(value, Sequence | set | frozenset) or isinstance(value, str | bytes):
            raise TypeError(f"{place} takes a list of values")
        if len(value) > _MAX_TERMS:
            raise ValueError(f"{place} has more than {_MAX_TERMS} values")
        return tuple(_scalar(place, item) for item in value)
    if op in ("gt", "gte", "lt", "lte") and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        raise TypeError(f"{place} compares numbers or text, not {type(value).__name__}")
    return _scalar(place, value)


def _scalar(place: str, value: object) -> object:
    if not isinstance(value, _SCALARS):
        raise TypeError(f"{place} takes text, a number, True, False or None, not {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place} must be finite")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise ValueError(f"{place} must fit in 64 bits")
    if isinstance(value, str):
        check_text(value, what=place)
    return value


def passes(memory: Memory, where: Filter, *, num: int = 0) -> bool:
    """Return whether the memory, stored under the row number `num`, is inside the filter."""
    scope = memory.scope
    inside = where.user is None or scope.user == where.user or (where.shared and scope.user is None)
    return scope.org == where.org and inside and all(_holds(memory, each, num) for each in where.conditions)


def column(memory: Memory, name: str, *, num: int = 0) -> Any:
    """Return the value of a memory for the column of a stored row."""
    if name == "num":
        return num
    if name in _SCOPE:
        return getattr(memory.scope, name)
    if name in _SLOT:
        return None if memory.fact is None else slot(memory.fact)[_SLOT[name]]
    if name == "used_at":
        return memory.last_accessed or memory.recorded_at
    if name in _ACCESSES:
        return (*memory.accessed_before, None, None)[_ACCESSES[name]]
    if name == "status":
        return memory.stored_status
    return memory.source.type if name == "source_type" else getattr(memory, name)


def _holds(memory: Memory, condition: Condition, num: int) -> bool:
    if isinstance(condition, Test):
        return _test(column(memory, condition.column, num=num), condition)
    if isinstance(condition, AnyOf):
        return any(all(_holds(memory, each, num) for each in branch) for branch in condition.branches)
    if isinstance(condition, Tagged):
        found = [tag in memory.tags for tag in condition.tags]
        return all(found) if condition.every else any(found)
    return _meta(memory.metadata, condition)


def _test(value: Any, test: Test) -> bool:
    if test.value is None:
        return (value is None) == (test.op == "eq")
    if value is None:
        return test.or_null
    if test.op in ("in", "nin"):
        return (value in test.value) == (test.op == "in")
    return _COMPARE[test.op](value, test.value)


def _meta(metadata: Mapping[str, object], term: Meta | Logic) -> bool:
    if isinstance(term, Logic):
        passed = [_meta(metadata, part) for part in term.terms]
        return not passed[0] if term.op == "not" else any(passed) if term.op == "or" else all(passed)
    present, value, wanted = term.key in metadata, metadata.get(term.key), term.value
    if term.op == "exists":
        return present is wanted
    if term.op in ("ne", "nin"):
        return not present or not any(_same(value, other) for other in (wanted if term.op == "nin" else (wanted,)))
    if not present:
        return False
    if term.op in ("eq", "in"):
        return any(_same(value, other) for other in (wanted if term.op == "in" else (wanted,)))
    if term.op == "contains":
        return _contains(value, wanted)
    return _kind(value) == _kind(wanted) and _COMPARE[term.op](value, wanted)


def passes_json(value: Mapping[str, object], where: Iterable[Condition]) -> bool:
    """Return whether a JSON object passes the conditions of `parse_where`; `a.b` is the field `b` in the field `a`."""
    nested = _Nested(value)
    return all(_meta(nested, term) for term in where if isinstance(term, Meta | Logic))


class _Nested(Mapping[str, object]):
    """A JSON object whose names lead into the objects in it; a name with dots of its own comes first."""

    def __init__(self, value: Mapping[str, object]) -> None:
        self._value = value

    def __getitem__(self, name: str) -> object:
        if name in self._value:
            return self._value[name]
        for place in (place for place, character in enumerate(name) if character == "."):
            inner = self._value.get(name[:place])
            if isinstance(inner, Mapping) and name[place + 1 :] in (nested := _Nested(inner)):
                return nested[name[place + 1 :]]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def __len__(self) -> int:
        return len(self._value)


def _kind(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return repr(value)
    return "number" if isinstance(value, int | float) else type(value).__name__


def _same(value: object, other: object) -> bool:
    return _kind(value) == _kind(other) and value == other


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, Sequence) and any(_same(item, wanted) for item in value)
