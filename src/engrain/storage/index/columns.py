"""A namespace's columns as arrays in the process, never behind the store: a filter is a mask, not a scan of rows."""

from __future__ import annotations

import json
import operator
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from io import BytesIO
from typing import Any, Final, NamedTuple, Protocol

from engrain.lazy import Floats, Ints, Mask, Numbers, np
from engrain.model.filters import AnyOf, Condition, Test
from engrain.model.memory import Kind, SourceType
from engrain.storage.rows import Columns, ReadColumns, places_among, stored

IndexKey = int | str
"""The unit of an index: a namespace, by its number, or all namespaces of an org with many, by its name."""

UNSET = 2**63 - 1  # the value of an unset time in an array
USES = ("used_at", "accessed_3")
TIMES = ("valid_from", "valid_until", "recorded_at", "believed_until", "expires_at", *USES)
WHOLE = ("num", "position", "length", "marks", "access_count", *TIMES)
REAL = ("importance", "trust", "strength")
CODED = ("agent", "session", "actor", "kind", "status", "domain", "tier", "source_type", "superseded")
CONVERSATION = "conversation"  # a session of one namespace among those of all namespaces of an org
OF_ORG = ("ns", CONVERSATION)
ACCESS_COLUMNS = frozenset((*USES, "access_count", "strength"))
"""The columns that every recall changes; nothing derived from them is cached."""
_TYPES = {**dict.fromkeys(WHOLE, "i8"), **dict.fromkeys(REAL, "f8"), **dict.fromkeys((*CODED, *OF_ORG), "i4")}
_SMALL = 4096  # rows of a namespace whose neighbours are all cached
_FEW_NAMESPACES = 500  # of an org, up to which they are listed
RANKED_AS = {  # the columns for ranking, and the type of each array
    **dict.fromkeys(("session", "position", "actor", "source_type", "valid_from", "recorded_at", "length"), "i8"),
    **dict.fromkeys(("marks", "kind", "domain", "agent", "used_at", "access_count"), "i8"),
    **dict.fromkeys(("importance", "strength", "trust"), "f4"),
}
_KEPT = 8  # cached masks of a namespace: of the present, and a few narrower views
_UNSTEADY = frozenset(("num", *ACCESS_COLUMNS))
_ROOM = 4_000_000  # postings cached per namespace, 12 bytes each
NameCodes = dict[str, dict[str, int]]
Elsewhere = Callable[[Condition], "Ints"]  # the row numbers that pass a condition on data outside the index
Interval = tuple[int, int]  # the moments, both included, between which a comparison has one result
K1, B = 0.9, 0.4  # short texts need little length normalisation
SESSION_K1, SESSION_B = 1.2, 0.75  # a session is a long document


def column_names(key: IndexKey) -> tuple[str, ...]:
    """Return the columns of a row in the order in which a source gives them; those of `OF_ORG` only for an org."""
    return (*WHOLE, *REAL, *CODED, *OF_ORG) if isinstance(key, str) else (*WHOLE, *REAL, *CODED)


class IndexVersion(NamedTuple):
    """The state that an index has read: the last change in each namespace, and the last row."""

    changes: Mapping[int, int]
    last_row: int


class IndexChanges(NamedTuple):
    """The changes since a version: `changed` rows (None: deleted), `added` ones in batches, or `reloaded` all."""

    version: IndexVersion
    changed: Sequence[tuple[int, bool, Sequence[Any] | None]] = ()
    added: Iterable[Sequence[Sequence[Any]]] = ()
    reloaded: bool = False


class IndexSource(Protocol):
    """One consistent view of a store, as the index reads it."""

    @property
    def state(self) -> tuple[Hashable, int] | None:
        """A value that is equal as long as the store does not change; None if this view cannot know it."""

    def changes_since(self, key: IndexKey, version: IndexVersion | None) -> IndexChanges | None:
        """Return the changes since a version, all rows for None; None if this view is older than it."""

    def postings(
        self, key: IndexKey, since: Mapping[str, int], namespaces: Sequence[int] | None
    ) -> Iterable[tuple[str, Ints, Floats]]:
        """Return for each term the rows after a given one that contain it, with counts; `namespaces` narrows it."""

    def vectors(
        self, key: IndexKey, embedder: str, after: int, namespaces: Sequence[int] | None
    ) -> Iterator[tuple[Ints, Floats]]:
        """Yield the vectors by an embedder of the rows after a given one, in batches."""

    def vectors_of(self, key: IndexKey, embedder: str, nums: Ints) -> tuple[Ints, Floats]:
        """Return the existing vectors by an embedder of some rows, with the rows' numbers."""

    def block(self, key: IndexKey) -> Mapping[str, bytes]:
        """Return the parts of the saved block of an index; none if there is no block."""


def name_codes() -> NameCodes:
    """Return the codes of kinds and types of sources, which are fixed; names are added as they occur."""
    fixed = {"kind": Kind, "source_type": SourceType}
    codes = {name: {each.value: place for place, each in enumerate(members)} for name, members in fixed.items()}
    return {"actor": {}, "domain": {}, "agent": {}, **codes}


def ranking_columns(read: Callable[[str], Any], codes: NameCodes) -> Columns:
    """Return the columns for ranking, read by their names in `RANKED_AS`."""
    names = {f"{name}s": tuple(codes[name]) for name in ("actor", "domain", "agent")}
    stored = {"source_class": "source_type"}
    return ReadColumns(lambda name: names[name] if name in names else read(stored.get(name, name)))


class NamespaceColumns(dict[str, Any]):
    """The columns of a namespace or an org; `edits` counts changes of known rows but for use, `moves` all of them."""

    def __init__(self, key: IndexKey) -> None:
        self.key = key
        self.of_org: Final = isinstance(key, str)
        coded = CODED + OF_ORG if self.of_org else CODED
        self.codes: dict[str, dict[str, int]] = {name: {} for name in coded}
        self._names = column_names(key)
        self._columns: dict[str, Any] = {}
        self.version: IndexVersion | None = None
        self.edits: int = 0
        self.moves: int = 0
        self._clear()

    def _clear(self) -> None:
        self.edits += 1
        self._columns = {name: np.zeros(0, _TYPES[name]) for name in self._names}
        self._alive = np.zeros(0, np.bool_)
        self.size: int = 0
        self._beside: tuple[tuple[int, ...], Ints] = ((), np.zeros(0, np.int64))
        self._totals: tuple[tuple[int, int], Numbers, Numbers] = ((-1, -1), np.zeros(1), np.zeros(1))
        self._extent: tuple[int, Ints, Ints] = (0, np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._settle()

    def _settle(self) -> None:
        """Trim the columns to the number of rows; the arrays behind them are larger."""
        self.update({name: column[: self.size] for name, column in self._columns.items()})
        self.alive: Mask = self._alive[: self.size]  # the rows that still exist
        self.state: tuple[int, int] = (self.edits, self.size)  # equal while only recalls change something
        self.last: int = 0 if self.version is None else self.version.last_row  # the last row that was read

    @property
    def count(self) -> int:
        """How many rows still exist."""
        return int(self.totals()[0].sum())

    def totals(self) -> tuple[Numbers, Numbers]:
        """Return the number of rows and of index terms of each namespace, by the codes of `parts`."""
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
        """The session of each row by its code, unique across namespaces; -1 without one."""
        return np.asarray(self[CONVERSATION if self.of_org else "session"])

    @property
    def conversation_count(self) -> int:
        """How many sessions there are."""
        return len(self.codes[CONVERSATION if self.of_org else "session"])

    def namespaces_after(self, row: int) -> list[int] | None:
        """Return the namespaces of an org with rows after one, None if they are too many or all, or for a namespace."""
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
        """Drop everything: the next changes are all rows."""
        self.version = None
        self._clear()

    def apply(self, changes: IndexChanges) -> None:
        """Apply the changes since `version`."""
        if changes.reloaded:
            self._clear()
        if changes.version != self.version:
            self.moves += 1
        if changes.changed:
            self._apply_changed(changes.changed)
        for rows in changes.added:
            start, end = self.size, self.size + len(rows)
            if end > len(self._alive):
                room = max(end, int(len(self._alive) * 1.5), 64)
                self._columns = {name: grown(column, room) for name, column in self._columns.items()}
                self._alive = grown(self._alive, room)
            self._write(slice(start, end), rows)
            self.size = end
        self.version = changes.version
        self._settle()

    def block(self) -> dict[str, bytes]:
        """Return the existing rows, and the names in them, as the parts of a block; see `restore`."""
        names: dict[str, list[Any]] = {}
        parts: dict[str, bytes] = {}
        for name in self._names:
            values = self[name][self.alive]
            if (codes := self.codes.get(name)) is not None:
                present = np.unique(values[values >= 0])
                known = list(codes)
                names[name] = [known[code] for code in present.tolist()]
                values = np.where(values >= 0, np.searchsorted(present, values), -1)
            parts[name] = packed(values)
        assert self.version is not None
        head = {"columns": self._names, "names": names, "rows": self.count}
        head["version"] = self.version.changes, self.version.last_row
        return {"head": json.dumps(head).encode(), **parts}

    def restore(self, parts: Mapping[str, bytes]) -> bool:
        """Load the rows of a block; False, without a change, if it is of another version of the program."""
        head = json.loads(parts["head"]) if parts else {}
        if head.get("columns") != [*self._names]:
            return False
        changes, last_row = head["version"]
        self.size = head["rows"]
        self._columns = {name: unpacked(parts[name], self.size).astype(_TYPES[name]) for name in self._names}
        self._alive = np.ones(self.size, np.bool_)
        self.codes |= {name: {value: code for code, value in enumerate(each)} for name, each in head["names"].items()}
        self.version = IndexVersion({int(ns): seq for ns, seq in changes.items()}, last_row)
        self._settle()
        return True

    def _write(self, at: slice | list[int], rows: Sequence[Sequence[Any]]) -> set[str]:
        """Put rows in their places and return the columns whose values differ from before."""
        changed = set()
        for name, values in zip(self._names, zip(*rows, strict=True), strict=True):
            column = self._columns[name]
            alike = values.count(values[0]) == len(values)  # in many columns all rows have one value
            some: Sequence[Any] = values[:1] if alike else values
            if (codes := self.codes.get(name)) is not None:
                some = [-1 if value is None else codes.setdefault(value, len(codes)) for value in some]
            now = np.array(some, column.dtype)
            if isinstance(at, slice) or (column[at] != now).any():
                changed.add(name)
                column[at] = now
        self._alive[at] = True
        return changed

    def _apply_changed(self, changed: Sequence[tuple[int, bool, Sequence[Any] | None]]) -> None:
        places = self.places(np.array([num for num, _, _ in changed], np.int64)).tolist()
        known = [(place, row) for place, (_, _, row) in zip(places, changed, strict=True) if place >= 0]
        there = [(place, row) for place, row in known if row is not None]
        names = self._write([place for place, _ in there], [row for _, row in there]) if there else set()
        if "session" in names:
            self._extent = 0, self._extent[1][:0], self._extent[2][:0]
        if gone := [place for place, row in known if row is None]:
            self._alive[gone], self._columns["length"][gone], self._columns["session"][gone] = False, 0, -1
            self.conversations[gone] = -1
            names.add("session")
        if names - ACCESS_COLUMNS:
            self.edits += 1

    # ---------------------------------------------------------------------------------------------------------- reading

    def places(self, nums: Ints) -> Ints:
        """Return the index of each row number in the columns, -1 for those of other namespaces."""
        mine = self["num"]
        if self.size and int(mine[-1] - mine[0]) == self.size - 1:  # without a gap
            at = nums - int(mine[0])
            return np.asarray(np.where((at >= 0) & (at < self.size), at, -1), np.int64)
        return places_among(mine, nums)

    def neighbours(self, places: Ints, span: int) -> Ints:
        """Return the indices at positions -span..-1 and 1..span of each row's session, the newest, or -1."""
        if self.size > _SMALL:
            return self._neighbours(places, span)
        if self._beside[0] != (*self.state, span):
            self._beside = (*self.state, span), self._neighbours(np.arange(self.size), span)
        return self._beside[1].take(places, axis=0)

    def _neighbours(self, places: Ints, span: int) -> Ints:
        sessions, positions = self.conversations, self["position"]
        own = np.where(positions[places] >= 0, sessions[places], -1).astype(np.int64)
        around = positions[places][:, None] + np.array([step for step in range(-span, span + 1) if step], np.int64)
        asked = np.bincount(own + 1, minlength=self.conversation_count + 1)[1:] > 0
        rows = self._rows_of(np.flatnonzero(asked))
        rows = rows[(positions[rows] >= 0) & np.append(asked, False)[sessions[rows]]]
        keys = (sessions[rows].astype(np.int64) << 32) | positions[rows]
        order = np.argsort(keys, kind="stable")
        rows, keys = np.append(-1, rows[order]), np.append(-1, keys[order])
        wanted = (own[:, None] << 32) | around
        at = np.searchsorted(keys, wanted, side="right") - 1
        return np.asarray(np.where(keys[at] == wanted, rows[at], -1), np.int64)

    def _rows_of(self, codes: Ints) -> Ints:
        """Return the rows of sessions, whose turns are mostly near each other, and what is between them."""
        seen, first, last = self._extent
        if seen < self.size:
            added, more = self.conversations[seen:], self.conversation_count - len(first)
            first, last = np.append(first, np.full(more, self.size)), np.append(last, np.full(more, -1))
            rows = np.flatnonzero(added >= 0)
            np.minimum.at(first, added[rows], rows + seen)
            np.maximum.at(last, added[rows], rows + seen)
            self._extent = self.size, first, last
        counts = last[codes] - first[codes] + 1
        if counts.sum() >= self.size:
            return np.arange(self.size)
        return np.asarray(np.arange(counts.sum()) + np.repeat(first[codes] - (counts.cumsum() - counts), counts))

    def add_names(self, codes: NameCodes) -> None:
        """Give each name of these columns a code, if it has none."""
        for name, common in codes.items():
            for each in self.codes[name]:
                common.setdefault(each, len(common))

    def ranked(self, places: Ints, first: int, codes: NameCodes, name: str) -> Any:
        """Return a ranking column of rows by their indices, names by their `codes`; sessions get some from `first`."""
        if name == "session":
            sessions = self.conversations.take(places).astype(np.int64)
            return np.where(sessions >= 0, sessions + first, -1) if first else sessions
        values = self[name].take(places)
        if name not in codes:
            return values
        return np.array([*map(codes[name].__getitem__, self.codes[name]), -1], np.int64)[values]  # the last is for -1


def packed(values: Any) -> bytes:
    """Return an array as bytes: integers in as few bytes as they fit, one value if all are equal."""
    if len(values) and (values == values[0]).all():
        values = values[:1]
    if values.dtype.kind == "i" and len(values):
        kinds = (np.min_scalar_type(min(int(values.min()), -1)), np.min_scalar_type(-int(values.max()) - 1))
        values = values.astype(max(kinds, key=lambda kind: kind.itemsize))
    out = BytesIO()
    np.save(out, values, allow_pickle=False)
    return out.getvalue()


def unpacked(data: bytes, size: int) -> Any:
    """Return the packed array of `size` rows."""
    values = np.load(BytesIO(data), allow_pickle=False)
    return np.broadcast_to(values, (size,)) if values.shape == (1,) else values


def grown(column: Any, room: int) -> Any:
    """Return a copy of an array with room for more rows."""
    larger = np.zeros((room, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger


class PassingRows:
    """The rows that pass a filter, with lazily computed properties of them."""

    def __init__(self, columns: NamespaceColumns, mask: Mask) -> None:
        self._columns = columns
        self.mask = mask

    @cached_property
    def actors(self) -> list[str]:
        """The actors of these rows."""
        codes = self._columns["actor"][: len(self.mask)][self.mask]
        names = self._columns.codes["actor"]
        present = np.bincount(codes[codes >= 0], minlength=len(names))
        return [name for name, code in names.items() if present[code] and isinstance(name, str)]

    @cached_property
    def sessions(self) -> PassingSessions:
        """The sessions of these rows."""
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


class PassingSessions(NamedTuple):
    """The code and the length of each row's session; `parts` is the namespace's code, for `counts` and `averages`."""

    codes: Ints
    lengths: Numbers
    parts: Ints
    counts: Numbers
    averages: Numbers

    def holding(self, codes: Ints) -> Numbers:
        """Return the number of sessions of each namespace with these rows, given the codes of their sessions."""
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
    """The cached masks of one namespace."""

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
        except TypeError:  # a condition has a value without a hash
            key = known = None
        if key is None:
            return self._look(conditions, elsewhere).passing
        if self._edits != self._columns.edits:
            self._kept.clear()
            self._edits, known = self._columns.edits, None
        if known and not all(low <= at <= high for at, (low, high) in zip(moments, known.intervals, strict=True)):
            known = None
        if known is None or len(known.passing.mask) < self._columns.size:
            known = self._kept[key] = self._look(conditions, elsewhere, known)
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return known.passing

    def _look(self, conditions: Sequence[Condition], elsewhere: Elsewhere, before: _Kept | None = None) -> _Kept:
        test = _Test(self._columns, elsewhere, len(before.passing.mask) if before else 0)
        mask, intervals = test.all(conditions), test.intervals
        if before is not None:
            mask = np.concatenate((before.passing.mask, mask))
            intervals = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(before.intervals, intervals, strict=True)]
        return _Kept(PassingRows(self._columns, mask), intervals)


def _shape(conditions: Sequence[Condition], moments: list[int]) -> tuple[Any, ...] | None:
    """Return the cache key of a filter, without its moments, which are appended to the list; None if not cacheable."""
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
            if test.op not in ("lt", "le", "gt", "ge"):
                return None
            moments.append(stored(test.value))
            parts.append((test.column, test.op, test.or_null))
        else:
            parts.append((test.column, test.op, test.or_null, test.value))
    return tuple(parts)


def _is_held(test: Test) -> bool:
    if test.column in CODED:
        return test.op in ("eq", "ne", "in", "nin")
    if test.column == "superseded_by":
        return test.value is None
    return test.column in TIMES or test.column in REAL or test.column == "num"


class _Test:
    """One evaluation of a filter over the rows from `start` on; `intervals` are those of its moments, in order."""

    def __init__(self, columns: NamespaceColumns, elsewhere: Elsewhere, start: int = 0) -> None:
        self._columns = columns
        self._elsewhere, self._start = elsewhere, start
        self.intervals: list[Interval] = []

    def all(self, conditions: Sequence[Condition]) -> Mask:
        passing = self._columns.alive[self._start :].copy()
        for test in conditions:
            passing &= self._evaluate(test)
        return passing

    def _evaluate(self, test: Condition) -> Mask:
        if isinstance(test, Test) and _is_held(test):
            return self._compared(test)
        passing = np.zeros(self._columns.size - self._start, np.bool_)
        if isinstance(test, AnyOf):
            for branch in test.branches:
                passing |= self.all(branch)
        else:
            places = self._columns.places(self._elsewhere(test)) - self._start
            passing[places[places >= 0]] = True
        return passing

    def _compared(self, test: Test) -> Mask:
        name, op = "superseded" if test.column == "superseded_by" else test.column, test.op
        column, codes = self._columns[name][self._start :], self._columns.codes.get(name)
        unset = UNSET if codes is None else -1

        def held(value: object) -> Any:
            """Return a value in its form in the column; -2 is a code that no row has."""
            if value is None:
                return unset
            return stored(value) if codes is None else codes.get(stored(value), -2)

        if test.value is None:
            return np.asarray((column == unset) == (op == "eq"))
        if op in ("in", "nin"):
            passing = np.isin(column, [held(value) for value in test.value])
            passing = passing if op == "in" else ~passing
        else:
            passing = getattr(operator, op)(column, held(test.value))
        if isinstance(test.value, datetime):
            self.intervals.append(_interval(column, passing, op))
        if test.or_null:
            passing = passing | (column == unset)
        elif op in ("ne", "nin") or (op in ("gt", "ge") and name in TIMES):  # operators that an unset value passes
            passing = passing & (column != unset)
        return np.asarray(passing)


def _interval(column: Ints, passing: Mask, op: str) -> Interval:
    """Return how far the moment of a comparison may move before another row passes or one no longer does."""
    below = passing if op in ("lt", "le") else ~passing
    low = int(np.where(below, column, -UNSET).max(initial=-UNSET))
    high = int(np.where(below, UNSET, column).min(initial=UNSET))
    return (low + 1, high) if op in ("lt", "ge") else (low, high - 1)


@dataclass(slots=True)
class _List:
    """The rows with a term, its counts, and, for a state of the columns, its contribution to the score of each."""

    rows: Ints
    counts: Floats
    upto: int  # the last row that was read
    impacts: Floats | None = None
    state: tuple[int, int] = (-1, -1)


def idf(documents: Numbers, frequency: Ints | Numbers) -> Numbers:
    """Return the inverse document frequency of terms."""
    return np.asarray(np.log(1 + (documents - frequency + 0.5) / (frequency + 0.5)))


class PostingLists:
    """The posting lists of one namespace, read on first use and extended as rows are added."""

    def __init__(self, columns: NamespaceColumns) -> None:
        self._columns = columns
        self._lists: OrderedDict[str, _List] = OrderedDict()
        self._held = 0

    @property
    def held_bytes(self) -> int:
        """About how much memory the lists take."""
        return self._held * 12

    def forget(self) -> None:
        """Drop every list, because some text changed."""
        self._lists.clear()
        self._held = 0

    def read(self, source: IndexSource, terms: Iterable[str]) -> list[_List]:
        """Return the lists of terms, in order, after reading new lists and the new rows of the others."""
        terms, last = list(terms), self._columns.last
        since = {
            term: 0 if known is None else known.upto
            for term in terms
            if (known := self._lists.get(term)) is None or known.upto < last
        }
        if since:
            self._read(source, since)
        found = [self._lists[term] for term in terms]
        for term in terms:
            self._lists.move_to_end(term)
        while self._held > _ROOM and len(self._lists) > len(terms):
            self._held -= len(self._lists.popitem(last=False)[1].rows)
        return found

    def _read(self, source: IndexSource, since: Mapping[str, int]) -> None:
        rows = dict.fromkeys(since, (np.zeros(0, np.int64), np.zeros(0, np.float32)))
        namespaces = self._columns.namespaces_after(min(since.values()))
        for term, nums, counts in source.postings(self._columns.key, since, namespaces):
            rows[term] = nums, counts
        for term, (nums, counts) in rows.items():
            order = np.argsort(nums, kind="stable")
            places = self._columns.places(nums[order])
            new = (places >= 0) & (nums[order] > since[term])
            places, counts = places[new].astype(np.int32), counts[order][new]
            known = self._lists.get(term)
            self._held += len(places)
            if known is not None:
                places, counts = np.concatenate((known.rows, places)), np.concatenate((known.counts, counts))
            self._lists[term] = _List(places, counts, self._columns.last)

    def scores(self, source: IndexSource, terms: Mapping[str, float]) -> Floats:
        """Return the BM25 score of every row of the namespace."""
        total = np.zeros(self._columns.size, np.float32)
        for found, weight in zip(self.read(source, terms), terms.values(), strict=True):
            if len(found.rows):
                impacts = self._impacts(found)
                total[found.rows] += impacts if weight == 1 else impacts * np.float32(weight)
        return total

    def _impacts(self, found: _List) -> Floats:
        """Return the term's contribution to the score of each of its rows; computed again after any change."""
        if found.impacts is None or found.state != self._columns.state:
            documents, lengths = self._columns.totals()
            parts: Any = self._columns["ns"][found.rows] if self._columns.of_org else 0
            holding = np.bincount(parts, minlength=len(documents)) if self._columns.of_org else len(found.rows)
            averages = np.maximum(lengths / np.maximum(documents, 1), 1.0)
            rarity = idf(documents, np.asarray(holding))
            norm = K1 * (1 - B) + (K1 * B / averages)[parts] * self._columns["length"][found.rows]
            found.impacts = (rarity[parts] * (found.counts * (K1 + 1) / (found.counts + norm))).astype(np.float32)
            found.state = self._columns.state
        return found.impacts

    def term_scores(self, source: IndexSource, terms: Sequence[str], places: Ints) -> Floats:
        """Return the contribution of each term (by row) to the BM25 score of each of the indices (by column)."""
        columns = np.zeros(self._columns.size, np.int32)  # 0 for rows that were not requested
        columns[places] = np.arange(1, len(places) + 1)
        out = np.zeros((len(terms), len(places) + 1), np.float32)
        for row, found in zip(out, self.read(source, terms), strict=True):
            row[columns[found.rows]] = self._impacts(found)
        return out.take(columns[places], axis=1)

    def session_scores(
        self, source: IndexSource, terms: Mapping[str, float], sessions: PassingSessions, asked: Ints
    ) -> Floats:
        """Return the BM25 score of each requested session (by code) as one document made of the rows that pass."""
        wanted = np.flatnonzero(np.bincount(asked, minlength=len(sessions.lengths)))
        columns = np.full(len(sessions.lengths) + 1, len(wanted), np.int32)
        columns[wanted] = np.arange(len(wanted))
        lengths, parts = sessions.lengths[wanted], sessions.parts[wanted]
        norm = SESSION_K1 * (1 - SESSION_B) + (SESSION_K1 * SESSION_B / sessions.averages)[parts] * lengths
        total = np.zeros(len(wanted), np.float32)
        for found, weight in zip(self.read(source, terms), terms.values(), strict=True):
            holding = sessions.codes[found.rows]
            counts = np.bincount(columns[holding], found.counts, minlength=len(wanted))[: len(wanted)]
            rarity = idf(sessions.counts, sessions.holding(holding))
            total += (weight * rarity[parts] * (counts * (SESSION_K1 + 1) / (counts + norm))).astype(np.float32)
        return np.asarray(total[columns[asked]])
