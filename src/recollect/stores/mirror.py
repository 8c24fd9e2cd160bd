"""A namespace's columns, held as arrays beside the file, so that a filter is a mask and not a scan of rows.

The file stays the only truth: every read first asks it what is new (row numbers above the last one seen) and what has
changed (the change log), and applies just that. A mirror may be ahead of a reader that began earlier, never behind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.filters import AnyOf, Condition, Test
from recollect.numeric import Ints, Mask, np
from recollect.stores.sql import stored

AT_ONCE = 4096  # rows read at a time: a large namespace is never held twice
NONE = 2**63 - 1  # a time that is not set
_TIMES = ("valid_from", "valid_until", "recorded_at", "believed_until", "expires_at")
_WHOLE = ("num", "position", "length", "marks", *_TIMES)
_REAL = ("importance", "trust", "strength")
_CODED = ("agent", "session", "actor", "kind", "status", "domain", "tier", "source_type", "superseded")
_SELECTED = tuple(
    f"coalesce({name}, {NONE})" if name in _TIMES else "coalesce(position, -1)" if name == "position" else name
    for name in (*_WHOLE, *_REAL)
) + tuple("CASE WHEN superseded_by IS NULL THEN NULL ELSE 1 END" if n == "superseded" else n for n in _CODED)
_SELECT = f"SELECT {', '.join(_SELECTED)} FROM memory"
_NEWEST = (
    "SELECT coalesce((SELECT max(seq) FROM change WHERE ns = :ns), 0), "
    "coalesce((SELECT min(seq) FROM change WHERE ns = :ns), 0), "
    "coalesce((SELECT max(num) FROM memory WHERE ns = :ns), 0)"
)
_TYPES = {**dict.fromkeys(_WHOLE, "i8"), **dict.fromkeys(_REAL, "f8"), **dict.fromkeys(_CODED, "i4")}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True)
class Changes:
    """What a refresh found: rows to look at again, whether any text changed, or that everything was read anew."""

    nums: tuple[int, ...] = ()
    texts: bool = False
    reloaded: bool = False


class Mirror:
    """The columns of one namespace; not safe for threads by itself."""

    def __init__(self, namespace: int) -> None:
        self.namespace = namespace
        self.codes: dict[str, dict[str, int]] = {name: {} for name in _CODED}
        self._columns: dict[str, Any] = {}
        self._clear()

    def _clear(self) -> None:
        self._columns = {name: np.zeros(0, kind) for name, kind in _TYPES.items()}
        self._alive = np.zeros(0, np.bool_)
        self.size = 0
        self.last = 0
        self._seq = -1
        self._places = _Places()

    def __getitem__(self, column: str) -> Any:
        return self._columns[column][: self.size]

    @property
    def alive(self) -> Mask:
        """The rows that still exist."""
        return self._alive[: self.size]

    @property
    def count(self) -> int:
        """How many rows still exist."""
        return int(np.count_nonzero(self.alive))

    @property
    def held_bytes(self) -> int:
        """About how much memory the columns take."""
        return sum(column.nbytes for column in self._columns.values())

    # -------------------------------------------------------------------------------------------------------- freshness

    def refresh(self, connection: sqlite3.Connection) -> Changes:
        """Bring the columns up to what `connection` sees."""
        ns = self.namespace
        latest, oldest, last = connection.execute(_NEWEST, {"ns": ns}).fetchone()
        changes = Changes()
        if self._seq >= 0 and latest > self._seq and oldest > self._seq + 1:
            self._clear()  # the log no longer reaches back to what was seen
        if self._seq < 0:
            self._seq, changes = latest, Changes(reloaded=True)
        elif latest > self._seq:
            changes = self._reread(connection)
            self._seq = latest
        if last > self.last:
            found = connection.execute(f"{_SELECT} WHERE ns = ? AND num > ? ORDER BY num", (ns, self.last))
            while rows := found.fetchmany(AT_ONCE):
                self._append(rows)
        return changes

    def is_ahead_of(self, connection: sqlite3.Connection) -> bool:
        """Say whether this holds rows or changes that the connection's snapshot does not know."""
        seq, last = connection.execute(
            "SELECT (SELECT max(seq) FROM change WHERE ns = ?), "
            "(SELECT seq FROM sqlite_sequence WHERE name = 'memory')",
            (self.namespace,),
        ).fetchone()
        return self._seq > (seq or 0) or self.last > (last or 0)

    def _append(self, rows: Sequence[tuple[Any, ...]]) -> None:
        start, end = self.size, self.size + len(rows)
        if end > len(self._alive):
            room = max(end, int(len(self._alive) * 1.5), 64)
            self._columns = {name: grown(column, room) for name, column in self._columns.items()}
            self._alive = grown(self._alive, room)
        self._write(slice(start, end), rows)
        self.size = end
        self.last = int(rows[-1][0])

    def _write(self, at: slice | list[int], rows: Sequence[tuple[Any, ...]]) -> None:
        for name, values in zip(_TYPES, zip(*rows, strict=True), strict=True):
            self._columns[name][at] = self._coded(name, values) if name in self.codes else values
        self._alive[at] = True

    def _coded(self, column: str, values: Iterable[str | None]) -> list[int]:
        codes = self.codes[column]
        return [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]

    def _reread(self, connection: sqlite3.Connection) -> Changes:
        log = connection.execute(
            "SELECT num, max(text) FROM change WHERE ns = ? AND seq > ? AND num <= ? GROUP BY num",
            (self.namespace, self._seq, self.last),
        ).fetchall()
        nums = [num for num, _ in log]
        places = self.places(np.array(nums, np.int64)).tolist()
        moved = False
        for num, place in zip(nums, places, strict=True):
            row = connection.execute(f"{_SELECT} WHERE num = ?", (num,)).fetchone()
            if place < 0:
                continue
            session = self._columns["session"][place]
            if row is None:
                self._alive[place], self._columns["length"][place], self._columns["session"][place] = False, 0, -1
            else:
                self._write([place], [row])
            moved |= bool(session != self._columns["session"][place])
        if moved:
            self._places = _Places()
        return Changes(tuple(nums), any(text for _, text in log))

    # ---------------------------------------------------------------------------------------------------------- reading

    def places(self, nums: Ints) -> Ints:
        """Return where each row number stands in the columns, -1 for those of other namespaces."""
        mine = self["num"]
        if not self.size:
            return np.full(len(nums), -1, np.int64)
        at = np.minimum(np.searchsorted(mine, nums), self.size - 1)
        return np.asarray(np.where(mine[at] == nums, at, -1), np.int64)

    def mask(self, conditions: Sequence[Condition], elsewhere: Callable[[Condition], Ints]) -> Mask:
        """Return which rows pass; `elsewhere` gives the row numbers for a condition on what is not mirrored."""
        passing = self.alive.copy()
        for test in conditions:
            passing &= self._evaluate(test, elsewhere)
        return passing

    def _evaluate(self, test: Condition, elsewhere: Callable[[Condition], Ints]) -> Mask:
        if isinstance(test, AnyOf):
            passing = np.zeros(self.size, np.bool_)
            for branch in test.branches:
                passing |= self.mask(branch, elsewhere)
            return passing
        if isinstance(test, Test):
            if test.column in self.codes and test.op in ("eq", "ne", "in", "nin"):
                return self._coded_test(test)
            if test.column == "superseded_by" and test.value is None:
                return np.asarray((self["superseded"] == -1) == (test.op == "eq"))
            if test.column in _TIMES or test.column in _REAL or test.column == "num":
                return self._numeric_test(test)
        places = self.places(elsewhere(test))
        passing = np.zeros(self.size, np.bool_)
        passing[places[places >= 0]] = True
        return passing

    def _coded_test(self, test: Test) -> Mask:
        column, codes = self[test.column], self.codes[test.column]
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

    def _numeric_test(self, test: Test) -> Mask:
        column = self[test.column]
        if test.value is None:
            return np.asarray((column == NONE) == (test.op == "eq"))
        if test.op == "in":
            passing = np.isin(column, [NONE if value is None else stored(value) for value in test.value])
            return np.asarray(passing | (column == NONE) if test.or_null else passing)
        if test.op == "nin":
            passing = ~np.isin(column, [stored(value) for value in test.value if value is not None])
            return np.asarray(passing | (column == NONE) if test.or_null else passing & (column != NONE))
        passing = _COMPARE[test.op](column, stored(test.value))
        later = test.op in ("gt", "ge", "ne")  # NONE stands after every time, so it passes these by itself
        if test.column in _TIMES and test.or_null != later:
            passing = passing | (column == NONE) if test.or_null else passing & (column != NONE)
        return np.asarray(passing)

    def beside(self, places: Ints, span: int) -> Ints:
        """Return the places at positions -span..-1 and 1..span of each row's session, -1 where there is none."""
        self._places.extend(self["session"], self["position"])
        session, position = self["session"][places].astype(np.int64), self["position"][places]
        steps = np.array([step for step in range(-span, span + 1) if step], np.int64)
        wanted = (session[:, None] << 32) | np.maximum(position[:, None] + steps, 0)
        nowhere = (session[:, None] < 0) | (position[:, None] < 0) | (position[:, None] + steps < 0)
        return np.asarray(np.where(nowhere, -1, self._places.find(wanted)), np.int64)


class _Sorted:
    """Keys in order and the rows they stand for."""

    def __init__(self, keys: Ints, first: int = 0) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows = keys[order], order + first

    def find(self, keys: Ints) -> Ints:
        if not len(self._keys):
            return np.full(keys.shape, -1, np.int64)
        at = np.minimum(np.searchsorted(self._keys, keys, side="right") - 1, len(self._keys) - 1)
        return np.asarray(np.where((at >= 0) & (self._keys[at] == keys), self._rows[at], -1), np.int64)


class _Places:
    """Finds the row of a (session, position): most rows in one sorted table, the newest in a small one beside it."""

    def __init__(self) -> None:
        self._size = self._settled = 0
        self._old = self._new = _Sorted(np.zeros(0, np.int64))

    def extend(self, session: Ints, position: Ints) -> None:
        size = len(session)
        if size == self._size:
            return
        if size - self._settled > 64 + self._settled // 8:
            self._old, self._new, self._settled = _Sorted(_keys(session, position)), _Sorted(position[:0]), size
        else:
            self._new = _Sorted(_keys(session[self._settled :], position[self._settled :]), self._settled)
        self._size = size

    def find(self, keys: Ints) -> Ints:
        newest = self._new.find(keys)
        return np.asarray(np.where(newest >= 0, newest, self._old.find(keys)), np.int64)


def _keys(session: Ints, position: Ints) -> Ints:
    return np.asarray(
        np.where((session < 0) | (position < 0), -1, (session.astype(np.int64) << 32) | position), np.int64
    )


def grown(column: Any, room: int) -> Any:
    """Return a copy of an array with room for more rows."""
    larger = np.zeros((room, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger
