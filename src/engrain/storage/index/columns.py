"""A namespace's columns, held as arrays in the process, so that a filter is a mask and not a scan of rows.

The store is the only truth: every read first asks it what has happened since the last one, and applies just that. The
columns may be ahead of a reader that began earlier, never behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engrain.arrays import Ints, Mask, Numbers, np
from engrain.model.memory import Kind, SourceType
from engrain.storage.index.source import (
    CODED,
    CONVERSATION,
    OF_ORG,
    REAL,
    USES,
    WHOLE,
    IndexChanges,
    IndexKey,
    IndexVersion,
    column_names,
)

ACCESS_COLUMNS = frozenset((*USES, "access_count", "strength"))
"""What every recall changes: whatever is derived from it is not kept."""
_TYPES = {**dict.fromkeys(WHOLE, "i8"), **dict.fromkeys(REAL, "f8"), **dict.fromkeys((*CODED, *OF_ORG), "i4")}
_FEW_NAMESPACES = 500  # of an org, that are named one by one
_SMALL = 4096  # rows of a namespace whose neighbours are all kept


class NamespaceColumns:
    """The columns of one namespace, or of all namespaces of an org. Not thread-safe by itself.

    `edits` counts the changes of rows that were held already, in anything but what every recall changes: with the same
    `edits` and `size`, whatever was derived from the other columns still holds. `moves` counts all changes.
    """

    def __init__(self, key: IndexKey) -> None:
        self.key = key
        self.of_org = isinstance(key, str)
        coded = CODED + OF_ORG if self.of_org else CODED
        self.codes: dict[str, dict[str, int]] = {name: {} for name in coded}
        self._names = column_names(key)
        self._columns: dict[str, Any] = {}
        self.version: IndexVersion | None = None
        self.edits = self.moves = 0
        self._clear()

    def _clear(self) -> None:
        self.edits += 1
        self._columns = {name: np.zeros(0, _TYPES[name]) for name in self._names}
        self._alive = np.zeros(0, np.bool_)
        self.size = 0
        self._positions = SessionPositions()
        self._totals: tuple[tuple[int, int], Numbers, Numbers] = ((-1, -1), np.zeros(1), np.zeros(1))

    def __getitem__(self, column: str) -> Any:
        return self._columns[column][: self.size]

    @property
    def last(self) -> int:
        """The number of the last row that was read."""
        return 0 if self.version is None else self.version.last_row

    @property
    def alive(self) -> Mask:
        """The rows that still exist."""
        return self._alive[: self.size]

    @property
    def state(self) -> tuple[int, int]:
        """What stays the same as long as nothing but what recalls change has changed."""
        return self.edits, self.size

    @property
    def count(self) -> int:
        """How many rows still exist."""
        return int(self.totals()[0].sum())

    def totals(self) -> tuple[Numbers, Numbers]:
        """Return how many rows each namespace has and how many index terms they hold, by the codes of `parts`."""
        if self._totals[0] != self.state:
            alive, lengths = self.alive, self["length"]
            if self.of_org:
                held = [np.bincount(self["ns"], of, minlength=1).astype(np.float64) for of in (alive, lengths)]
            else:
                held = [np.array([of.sum()], np.float64) for of in (alive, lengths)]
            self._totals = self.state, held[0], held[1]
        return self._totals[1:]

    def parts(self) -> Ints:
        """Return the code of each row's namespace, 0 in the columns of a single one."""
        return np.asarray(self["ns"]) if self.of_org else np.zeros(self.size, np.int64)

    @property
    def conversations(self) -> Ints:
        """The session of each row by its code, such that no two namespaces share one; -1 where it has none."""
        return np.asarray(self[CONVERSATION if self.of_org else "session"])

    @property
    def conversation_count(self) -> int:
        """How many sessions there are."""
        return len(self.codes[CONVERSATION if self.of_org else "session"])

    def namespaces_after(self, row: int) -> list[int] | None:
        """Return the namespaces of an org with rows after one, None where that are too many or all, or in no org's."""
        if not self.of_org or not row:
            return None
        newer = np.unique(self["ns"][int(np.searchsorted(self["num"], row, side="right")) :])
        numbers = list(self.codes["ns"])
        return [int(numbers[code]) for code in newer.tolist()] if len(newer) <= _FEW_NAMESPACES else None

    @property
    def held_bytes(self) -> int:
        """About how much memory the columns take."""
        return sum(column.nbytes for column in self._columns.values())

    # -------------------------------------------------------------------------------------------------------- freshness

    def reset(self) -> None:
        """Hold nothing any more: the next changes are all rows."""
        self._clear()
        self.version = None

    def apply(self, changes: IndexChanges) -> None:
        """Apply what has happened since `version`."""
        if changes.reloaded:
            self._clear()
        if changes.version != self.version:
            self.moves += 1
        if changes.changed:
            self._apply_changed(changes.changed)
        for rows in changes.added:
            self._append(rows)
        self.version = changes.version

    def _append(self, rows: Sequence[Sequence[Any]]) -> None:
        start, end = self.size, self.size + len(rows)
        if end > len(self._alive):
            room = max(end, int(len(self._alive) * 1.5), 64)
            self._columns = {name: grown(column, room) for name, column in self._columns.items()}
            self._alive = grown(self._alive, room)
        self._write(slice(start, end), rows)
        self.size = end

    def _write(self, at: slice | list[int], rows: Sequence[Sequence[Any]]) -> set[str]:
        """Put rows in their places and return the columns whose values differ from before."""
        changed = set()
        for name, values in zip(self._names, zip(*rows, strict=True), strict=True):
            column = self._columns[name]
            alike = values.count(values[0]) == len(values)  # in many columns all rows have one value
            some = values[:1] if alike else values
            now = np.array(self._coded(name, some) if name in self.codes else some, column.dtype)
            if isinstance(at, slice) or (column[at] != now).any():
                changed.add(name)
                column[at] = now
        self._alive[at] = True
        return changed

    def _coded(self, column: str, values: Iterable[str | None]) -> list[int]:
        codes = self.codes[column]
        return [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]

    def _apply_changed(self, changed: Sequence[tuple[int, bool, Sequence[Any] | None]]) -> None:
        places = self.places(np.array([num for num, _, _ in changed], np.int64)).tolist()
        known = [(place, row) for place, (_, _, row) in zip(places, changed, strict=True) if place >= 0]
        there = [(place, row) for place, row in known if row is not None]
        names = self._write([place for place, _ in there], [row for _, row in there]) if there else set()
        gone = [place for place, row in known if row is None]
        if gone:
            self._alive[gone], self._columns["length"][gone], self._columns["session"][gone] = False, 0, -1
            self.conversations[gone] = -1
            names.add("session")
        if names - ACCESS_COLUMNS:
            self.edits += 1
        if names & {"session", "position"}:
            self._positions = SessionPositions()

    # ---------------------------------------------------------------------------------------------------------- reading

    def places(self, nums: Ints) -> Ints:
        """Return where each row number is in the columns, -1 for those of other namespaces."""
        mine = self["num"]
        if not self.size:
            return np.full(len(nums), -1, np.int64)
        first = int(mine[0])
        if int(mine[-1]) - first == self.size - 1:  # without a gap
            at = nums - first
            return np.asarray(np.where((at >= 0) & (at < self.size), at, -1), np.int64)
        at = np.minimum(np.searchsorted(mine, nums), self.size - 1)
        return np.asarray(np.where(mine[at] == nums, at, -1), np.int64)

    def neighbours(self, places: Ints, span: int) -> Ints:
        """Return the places at positions -span..-1 and 1..span of each row's session, -1 where there is none."""
        return self._positions.neighbours(self.conversations, self["position"], places, span)


def grown(column: Any, room: int) -> Any:
    """Return a copy of an array with room for more rows."""
    larger = np.zeros((room, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger


# ------------------------------------------------------------------------------------------------------------- sessions


class _SortedKeys:
    """Keys in order, and the rows that they belong to."""

    def __init__(self, keys: Ints, first: int = 0) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows = keys[order], order + first
        held = self._keys[np.searchsorted(self._keys, 0) :]
        self.distinct = bool((held[1:] != held[:-1]).all())

    def find(self, keys: Ints) -> Ints:
        if not len(self._keys):
            return np.full(keys.shape, -1, np.int64)
        at = np.minimum(np.searchsorted(self._keys, keys, side="right") - 1, len(self._keys) - 1)
        return np.asarray(np.where((at >= 0) & (self._keys[at] == keys), self._rows[at], -1), np.int64)


class SessionPositions:
    """Finds the row of a (session, position): most rows in one sorted table, the newest in a small one next to it.

    In a small namespace the neighbours of all rows are kept. Rows may only be added: for other changes take a new one.
    """

    def __init__(self) -> None:
        self._size = self._settled = 0
        self._old = self._new = _SortedKeys(np.zeros(0, np.int64))
        self._distinct = True  # whether no two rows of a session are at one position
        self._table: Ints | None = None

    def neighbours(self, session: Ints, position: Ints, places: Ints, span: int) -> Ints:
        """Return the rows at positions -span..-1 and 1..span of each row's session, -1 where there is none."""
        if len(session) > _SMALL:
            return self._neighbours(session, position, places, span)
        if self._table is None or self._table.shape != (len(session), 2 * span):
            self._table = self._neighbours(session, position, np.arange(len(session)), span)
        return self._table.take(places, axis=0)

    def _neighbours(self, session: Ints, position: Ints, places: Ints, span: int) -> Ints:
        self._extend(session, position)
        steps = np.array([step for step in range(-span, span + 1) if step], np.int64)
        mine, at = session[places].astype(np.int64)[:, None], position[places][:, None]
        around = at + steps
        wanted = np.where((mine < 0) | (at < 0) | (around < 0), -1, (mine << 32) | around)
        if not self._distinct:  # several at one position: the newest counts
            return np.asarray(np.where(wanted >= 0, self._find(wanted), -1), np.int64)
        found = np.clip(places[:, None] + steps, 0, len(session) - 1)  # mostly a session's rows follow one another
        found[(session[found] != mine) | (position[found] != around) | (wanted < 0)] = -1
        elsewhere = (found < 0) & (wanted >= 0)
        found[elsewhere] = self._find(wanted[elsewhere])
        return np.asarray(found)

    def _extend(self, session: Ints, position: Ints) -> None:
        size = len(session)
        if size == self._size:
            return
        if size - self._settled > 64 + self._settled // 8:
            self._old, self._new, self._settled = _SortedKeys(_keys(session, position)), _SortedKeys(position[:0]), size
            self._distinct = self._old.distinct
        else:
            keys = _keys(session[self._settled :], position[self._settled :])
            self._new = _SortedKeys(keys, self._settled)
            alone = not (self._old.find(keys[keys >= 0]) >= 0).any()
            self._distinct = self._old.distinct and self._new.distinct and alone
        self._size = size

    def _find(self, keys: Ints) -> Ints:
        newest = self._new.find(keys)
        return np.asarray(np.where(newest >= 0, newest, self._old.find(keys)), np.int64)


def _keys(session: Ints, position: Ints) -> Ints:
    return np.asarray(
        np.where((session < 0) | (position < 0), -1, (session.astype(np.int64) << 32) | position), np.int64
    )


# -------------------------------------------------------------------------------------------------------------- ranking

RANKED_AS = {
    **dict.fromkeys(("session", "position", "actor", "source_type", "valid_from", "recorded_at", "length"), "i8"),
    **dict.fromkeys(("marks", "kind", "domain", "agent", "used_at", "access_count"), "i8"),
    **dict.fromkeys(("importance", "strength", "trust"), "f4"),
}
"""What ranking needs of a row, and the type of each array."""
FIXED_CODES = {
    "source_type": {source_type.value: place for place, source_type in enumerate(SourceType)},
    "kind": {kind.value: place for place, kind in enumerate(Kind)},
}
"""Codes that are places in an enumeration."""


@dataclass(frozen=True, slots=True)
class NameCodes:
    """The codes that names get, in the order in which they are met, in all namespaces."""

    actor: dict[str, int] = field(default_factory=dict)
    domain: dict[str, int] = field(default_factory=dict)
    agent: dict[str, int] = field(default_factory=dict)


def ranked_columns(columns: NamespaceColumns, places: Ints, first: int, names: NameCodes) -> dict[str, Any]:
    """Return what ranking needs of rows by their places; sessions get codes from `first` on."""
    known = {name: columns[name].take(places) for name in RANKED_AS}
    sessions = columns.conversations.take(places).astype(np.int64)
    known["session"] = np.where(sessions >= 0, sessions + first, -1) if first else sessions
    for name in ("actor", "domain", "agent"):
        known[name] = _translated(columns.codes[name], getattr(names, name))[known[name]]
    for name, codes in FIXED_CODES.items():
        known[name] = _translated(columns.codes[name], codes)[known[name]]
    return {name: known[name].astype(kind, copy=False) for name, kind in RANKED_AS.items()}


def _translated(codes: Mapping[str, int], common: dict[str, int]) -> Ints:
    """Return the common code of each of a namespace's codes; the last place is for the code -1, nobody."""
    return np.array([*(common.setdefault(name, len(common)) for name in codes), -1], np.int64)
