"""Which rows of a namespace pass a filter: as masks, kept from one question to the next while they stay right.

Questions ask again and again for what is true now, and now moves on. A comparison of times with a moment says the same
of every row until the moment reaches the next time in the column: with a mask are kept the intervals in which each of
its moments may move. Rows that were added are tested by themselves; any other change of what a filter tests ends it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from engrain.arrays import Ints, Mask, Numbers, np
from engrain.model.filters import AnyOf, Condition, Test
from engrain.storage.index.columns import ACCESS_COLUMNS, NamespaceColumns
from engrain.storage.index.source import REAL, TIMES, UNSET
from engrain.storage.rows import stored

_KEPT = 8  # masks of a namespace: what is true now, and a few narrower views
_UNSTEADY = frozenset(("num", *ACCESS_COLUMNS))
_MASKED = ("eq", "ne", "in", "nin")
_MOVING = ("lt", "le", "gt", "ge")
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
Elsewhere = Callable[[Condition], "Ints"]  # the row numbers that pass a condition on what is not held in the index
Interval = tuple[int, int]  # the moments, both included, between which a comparison says the same


class PassingRows:
    """The rows that pass a filter, and what is worked out of them when first asked for."""

    def __init__(self, columns: NamespaceColumns, mask: Mask) -> None:
        self._columns = columns
        self.mask = mask

    @cached_property
    def actors(self) -> list[str]:
        """Who speaks or acts in these rows."""
        codes = self._columns["actor"][: len(self.mask)][self.mask]
        names = self._columns.codes["actor"]
        present = np.bincount(codes[codes >= 0], minlength=len(names))
        return [name for name, code in names.items() if present[code]]

    @cached_property
    def sessions(self) -> PassingSessions:
        """The sessions that these rows make up."""
        columns, size = self._columns, len(self.mask)
        count, parts = columns.conversation_count, len(columns.codes["ns"]) if columns.of_org else 1
        conversations = columns.conversations[:size]
        codes = np.where(self.mask & (conversations >= 0), conversations, count).astype(np.int64)
        lengths = np.bincount(codes, columns["length"][:size], minlength=count + 1)[:count].astype(np.float64)
        of = np.zeros(count + 1, np.int64)
        of[codes] = columns.parts()[:size]
        filled = np.maximum(np.bincount(of[:count], lengths > 0, minlength=parts), 1)
        total = np.bincount(of[:count], lengths, minlength=parts)
        return PassingSessions(codes, lengths, of[:count], filled, np.maximum(total / filled, 1.0))


@dataclass(frozen=True, slots=True)
class PassingSessions:
    """The session of each row by its code (one more than there are where it has none), and how long each session is.

    `parts` is the code of each session's namespace, by which `counts` and `averages` say how many there are and how
    long they are.
    """

    codes: Ints
    lengths: Numbers
    parts: Ints
    counts: Numbers
    averages: Numbers

    def holding(self, codes: Ints) -> Numbers:
        """Return in how many sessions of each namespace these rows are, given the codes of their sessions."""
        held = np.zeros(len(self.parts) + 1, np.bool_)
        held[codes] = True
        if len(self.counts) == 1:
            return np.array([np.count_nonzero(held[:-1])], np.float64)
        return np.asarray(np.bincount(self.parts, held[:-1], minlength=len(self.counts)), np.float64)


@dataclass(slots=True)
class _Kept:
    passing: PassingRows
    intervals: list[Interval]


class MaskCache:
    """The masks of one namespace."""

    def __init__(self, columns: NamespaceColumns) -> None:
        self._columns = columns
        self._kept: OrderedDict[Any, _Kept] = OrderedDict()
        self._edits = columns.edits

    def passing(self, conditions: Sequence[Condition], elsewhere: Elsewhere) -> PassingRows:
        """Return the rows that pass."""
        moments: list[int] = []
        try:
            key = _shape(conditions, moments)
            known = None if key is None else self._kept.get(key)
        except TypeError:  # a condition holds a value without a hash
            key = known = None
        if key is None:
            return PassingRows(self._columns, _Test(self._columns, elsewhere).all(conditions))
        if self._edits != self._columns.edits:
            self._kept.clear()
            self._edits, known = self._columns.edits, None
        if known is None or not all(
            low <= at <= high for at, (low, high) in zip(moments, known.intervals, strict=True)
        ):
            known = self._look(conditions, elsewhere)
        elif len(known.passing.mask) < self._columns.size:
            known = self._look(conditions, elsewhere, known)
        self._kept[key] = known
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return known.passing

    def _look(self, conditions: Sequence[Condition], elsewhere: Elsewhere, before: _Kept | None = None) -> _Kept:
        if before is None:
            test = _Test(self._columns, elsewhere)
            return _Kept(PassingRows(self._columns, test.all(conditions)), test.intervals)
        test = _Test(self._columns, elsewhere, len(before.passing.mask))
        mask = np.concatenate((before.passing.mask, test.all(conditions)))
        narrower = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(before.intervals, test.intervals, strict=True)]
        return _Kept(PassingRows(self._columns, mask), narrower)


def _shape(conditions: Sequence[Condition], moments: list[int]) -> tuple[Any, ...] | None:
    """Return what two filters with one mask have in common, their moments apart; None when it cannot be kept."""
    parts: list[Any] = []
    for test in conditions:
        if isinstance(test, AnyOf):
            branches = tuple(_shape(branch, moments) for branch in test.branches)
            if None in branches:
                return None
            parts.append(branches)
        elif not isinstance(test, Test) or not _is_held(test) or test.column in _UNSTEADY:
            return None
        elif isinstance(test.value, datetime):
            if test.op not in _MOVING:
                return None
            moments.append(stored(test.value))
            parts.append((test.column, test.op, test.or_null))
        else:
            parts.append((test.column, test.op, test.or_null, test.value))
    return tuple(parts)


def _is_held(test: Test) -> bool:
    if test.column in _CODED:
        return test.op in _MASKED
    if test.column == "superseded_by":
        return test.value is None
    return test.column in TIMES or test.column in REAL or test.column == "num"


_CODED = ("agent", "session", "actor", "kind", "status", "domain", "tier", "source_type")


class _Test:
    """One evaluation of a filter over the rows from `start` on; `intervals` are those of its moments, in order."""

    def __init__(self, columns: NamespaceColumns, elsewhere: Elsewhere, start: int = 0) -> None:
        self._columns = columns
        self._elsewhere = elsewhere
        self._start = start
        self.intervals: list[Interval] = []

    def _column(self, name: str) -> Any:
        return self._columns[name][self._start :]

    def all(self, conditions: Sequence[Condition]) -> Mask:
        """Return which rows pass every condition."""
        passing = self._columns.alive[self._start :].copy()
        for test in conditions:
            passing &= self._evaluate(test)
        return passing

    def _evaluate(self, test: Condition) -> Mask:
        if isinstance(test, AnyOf):
            passing = np.zeros(self._columns.size - self._start, np.bool_)
            for branch in test.branches:
                passing |= self.all(branch)
            return passing
        if isinstance(test, Test) and _is_held(test):
            if test.column == "superseded_by":
                return np.asarray((self._column("superseded") == -1) == (test.op == "eq"))
            return self._coded(test) if test.column in _CODED else self._numeric(test)
        places = self._columns.places(self._elsewhere(test)) - self._start
        passing = np.zeros(self._columns.size - self._start, np.bool_)
        passing[places[places >= 0]] = True
        return passing

    def _coded(self, test: Test) -> Mask:
        column, codes = self._column(test.column), self._columns.codes[test.column]
        if test.op == "eq" and not test.or_null:  # nearly always
            return np.asarray(column == (-1 if test.value is None else codes.get(stored(test.value), -2)))
        wanted = [test.value] if test.op in ("eq", "ne") else list(test.value)
        numbers = [-1 if value is None else codes.get(stored(value), -2) for value in wanted]
        passing = column == numbers[0] if len(numbers) == 1 else np.isin(column, numbers)
        if test.op == "nin":
            passing = ~passing & (column != -1)
        elif test.op == "ne":
            passing = ~passing & (column != -1) if test.value is not None else column != -1
        return np.asarray(passing | (column == -1) if test.or_null else passing)

    def _numeric(self, test: Test) -> Mask:
        column = self._column(test.column)
        if test.value is None:
            return np.asarray((column == UNSET) == (test.op == "eq"))
        if test.op == "in":
            passing = np.isin(column, [UNSET if value is None else stored(value) for value in test.value])
            return np.asarray(passing | (column == UNSET) if test.or_null else passing)
        if test.op == "nin":
            passing = ~np.isin(column, [stored(value) for value in test.value if value is not None])
            return np.asarray(passing | (column == UNSET) if test.or_null else passing & (column != UNSET))
        passing = _COMPARE[test.op](column, stored(test.value))
        if isinstance(test.value, datetime):
            self.intervals.append(_interval(column, passing, test.op))
        later = test.op in ("gt", "ge", "ne")  # UNSET stands after every time, so it passes these by itself
        if test.column in TIMES and test.or_null != later:
            passing = passing | (column == UNSET) if test.or_null else passing & (column != UNSET)
        return np.asarray(passing)


def _interval(column: Ints, passing: Mask, op: str) -> Interval:
    """Return how far the moment that a column was compared with may move before any row passes or no longer does."""
    below = passing if op in ("lt", "le") else ~passing
    low = int(np.where(below, column, -UNSET).max(initial=-UNSET))
    high = int(np.where(below, UNSET, column).min(initial=UNSET))
    return (low + 1, high) if op in ("lt", "ge") else (low, high - 1)
