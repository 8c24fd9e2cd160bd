"""A namespace's columns, held as arrays beside the file, so that a filter is a mask and not a scan of rows.

The file stays the only truth: every read first asks it what is new (row numbers above the last one seen) and what has
changed (the change log), and applies just that. A mirror may be ahead of a reader that began earlier, never behind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engrain.arrays import Ints, Mask, Numbers, np
from engrain.stores.places import Places

AT_ONCE = 4096  # rows read at a time: a large namespace is never held twice
_ASKED = 500  # changed rows asked for at once
NONE = 2**63 - 1  # a time that is not set
USES = ("used_at", "accessed_3")
TIMES = ("valid_from", "valid_until", "recorded_at", "believed_until", "expires_at", *USES)
MOVED = frozenset((*USES, "access_count", "strength"))
"""What every recall moves: whatever is worked out of it is not kept."""
_WHOLE = ("num", "position", "length", "marks", "access_count", *TIMES)
REAL = ("importance", "trust", "strength")
_CODED = ("agent", "session", "actor", "kind", "status", "domain", "tier", "source_type", "superseded")
_TALK = "talk"  # a session of one namespace among those of a crowd
_CROWDED = ("ns", _TALK)
_AS = {
    **{name: f"coalesce({name}, {NONE})" for name in TIMES},
    "position": "coalesce(position, -1)",
    "superseded": "CASE WHEN superseded_by IS NULL THEN NULL ELSE 1 END",
    _TALK: "CASE WHEN session IS NULL THEN NULL ELSE ns || ' ' || session END",
}
_NEWEST = (
    "SELECT id, coalesce((SELECT max(seq) FROM change WHERE ns = namespace.id), 0), "
    "coalesce((SELECT min(seq) FROM change WHERE ns = namespace.id), 0), "
    "coalesce((SELECT max(num) FROM memory WHERE ns = namespace.id), 0) FROM namespace WHERE "
)
_TYPES = {**dict.fromkeys(_WHOLE, "i8"), **dict.fromkeys(REAL, "f8"), **dict.fromkeys((*_CODED, *_CROWDED), "i4")}


@dataclass(frozen=True, slots=True)
class Changes:
    """What a refresh found: rows to look at again, whether any text changed, or that everything was read anew."""

    nums: tuple[int, ...] = ()
    texts: bool = False
    reloaded: bool = False


class Mirror:
    """The columns of one namespace, or of a crowd: all namespaces of an org. Not safe for threads by itself.

    `edits` counts the changes of rows that were held already, in anything but what every recall
    moves: with the same `edits` and `size`, whatever was worked out of the other columns still holds. `moves` counts
    whatever a refresh found.
    """

    def __init__(self, of: int | str) -> None:
        self.of = of  # the number of a namespace, or the name of an org
        self.crowded = isinstance(of, str)
        coded = _CODED + _CROWDED if self.crowded else _CODED
        self.codes: dict[str, dict[str, int]] = {name: {} for name in coded}
        self._names = (*_WHOLE, *REAL, *coded)
        self._select = f"SELECT {', '.join(_AS.get(name, name) for name in self._names)} FROM memory"
        self._columns: dict[str, Any] = {}
        self.edits = self.moves = 0
        self._clear()

    def _clear(self) -> None:
        self.edits += 1
        self._columns = {name: np.zeros(0, _TYPES[name]) for name in self._names}
        self._alive = np.zeros(0, np.bool_)
        self.size = 0
        self.last = 0
        self._seqs: dict[int, int] | None = None
        self._places = Places()
        self._totals: tuple[tuple[int, int], Numbers, Numbers] = ((-1, -1), np.zeros(1), np.zeros(1))

    def __getitem__(self, column: str) -> Any:
        return self._columns[column][: self.size]

    @property
    def alive(self) -> Mask:
        """The rows that still exist."""
        return self._alive[: self.size]

    @property
    def state(self) -> tuple[int, int]:
        """What stays the same as long as nothing but what recalls move has changed."""
        return self.edits, self.size

    @property
    def count(self) -> int:
        """How many rows still exist."""
        return int(self.totals()[0].sum())

    def totals(self) -> tuple[Numbers, Numbers]:
        """Return how many rows each namespace has and how many index terms they hold, by the codes of `parts`."""
        if self._totals[0] != self.state:
            alive, lengths = self.alive, self["length"]
            if self.crowded:
                held = [np.bincount(self["ns"], of, minlength=1).astype(np.float64) for of in (alive, lengths)]
            else:
                held = [np.array([of.sum()], np.float64) for of in (alive, lengths)]
            self._totals = self.state, held[0], held[1]
        return self._totals[1:]

    def parts(self) -> Ints:
        """Return the code of each row's namespace: 0 but in a crowd."""
        return np.asarray(self["ns"]) if self.crowded else np.zeros(self.size, np.int64)

    @property
    def talks(self) -> Ints:
        """The session of each row by its code, such that no two namespaces share one; -1 where it has none."""
        return np.asarray(self[_TALK if self.crowded else "session"])

    @property
    def talk_count(self) -> int:
        """How many sessions there are."""
        return len(self.codes[_TALK if self.crowded else "session"])

    def inside(self, since: int = 0) -> tuple[str, tuple[int | str, ...]]:
        """Return an SQL condition on `ns` and its value: the namespaces held, or those with rows after `since`."""
        if not self.crowded:
            return "ns = ?", (self.of,)
        if since:
            newer = np.unique(self["ns"][int(np.searchsorted(self["num"], since, side="right")) :])
            if len(newer) <= _ASKED:
                numbers = list(self.codes["ns"])
                return f"ns IN ({','.join('?' * len(newer))})", tuple(numbers[code] for code in newer.tolist())
        return "ns IN (SELECT id FROM namespace WHERE org = ?)", (self.of,)

    @property
    def held_bytes(self) -> int:
        """About how much memory the columns take."""
        return sum(column.nbytes for column in self._columns.values())

    # -------------------------------------------------------------------------------------------------------- freshness

    def refresh(self, connection: sqlite3.Connection) -> Changes:
        """Bring the columns up to what `connection` sees."""
        newest = self._newest(connection)
        latest, last = {ns: seq for ns, seq, _, _ in newest}, max((num for _, _, _, num in newest), default=0)
        changes = Changes()
        if self._seqs is not None and any(
            latest[ns] > self._seqs.get(ns, 0) and oldest > self._seqs.get(ns, 0) + 1 for ns, _, oldest, _ in newest
        ):
            self._clear()  # the log no longer reaches back to what was seen
        if self._seqs is None:
            changes = Changes(reloaded=True)
        elif latest != self._seqs:
            changes = self._reread(connection, latest)
        if latest != self._seqs or last > self.last:
            self._seqs = latest
            self.moves += 1
        if last > self.last:
            where, of = self.inside()
            if self.last:
                where = "+" + where  # the new rows are at the end of the table: no index finds them sooner
            found = connection.execute(f"{self._select} WHERE {where} AND num > ? ORDER BY num", (*of, self.last))
            while rows := found.fetchmany(AT_ONCE):
                self._append(rows)
        return changes

    def _newest(self, connection: sqlite3.Connection) -> list[tuple[int, int, int, int]]:
        """Return each namespace with its latest and its oldest change and its last row."""
        return connection.execute(_NEWEST + ("org = ?" if self.crowded else "id = ?"), (self.of,)).fetchall()

    def is_ahead_of(self, connection: sqlite3.Connection) -> bool:
        """Say whether this holds rows or changes that the connection's snapshot does not know."""
        if self._seqs is None:
            return False
        known = {ns: seq for ns, seq, _, _ in self._newest(connection)}
        (last,) = connection.execute("SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'memory')").fetchone()
        return self.last > (last or 0) or any(seq > known.get(ns, 0) for ns, seq in self._seqs.items())

    def _append(self, rows: Sequence[tuple[Any, ...]]) -> None:
        start, end = self.size, self.size + len(rows)
        if end > len(self._alive):
            room = max(end, int(len(self._alive) * 1.5), 64)
            self._columns = {name: grown(column, room) for name, column in self._columns.items()}
            self._alive = grown(self._alive, room)
        self._write(slice(start, end), rows)
        self.size = end
        self.last = int(rows[-1][0])

    def _write(self, at: slice | list[int], rows: Sequence[tuple[Any, ...]]) -> set[str]:
        """Put rows in their places and return the columns in which they say something new."""
        changed = set()
        for name, values in zip(self._names, zip(*rows, strict=True), strict=True):
            column = self._columns[name]
            alike = values.count(values[0]) == len(values)  # many columns say the same of all rows
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

    def _reread(self, connection: sqlite3.Connection, latest: Mapping[int, int]) -> Changes:
        assert self._seqs is not None
        log: list[tuple[int, int]] = []
        for ns, seq in latest.items():
            if seq > self._seqs.get(ns, 0):
                log += connection.execute(
                    "SELECT num, max(text) FROM change WHERE ns = ? AND seq > ? AND num <= ? GROUP BY num",
                    (ns, self._seqs.get(ns, 0), self.last),
                )
        nums = [num for num, _ in log]
        for start in range(0, len(nums), _ASKED):
            self._reread_some(connection, nums[start : start + _ASKED])
        return Changes(tuple(nums), any(text for _, text in log))

    def _reread_some(self, connection: sqlite3.Connection, nums: list[int]) -> None:
        places = self.places(np.array(nums, np.int64)).tolist()
        known = {num: place for num, place in zip(nums, places, strict=True) if place >= 0}
        marks = ",".join("?" * len(known))
        rows = connection.execute(f"{self._select} WHERE num IN ({marks}) ORDER BY num", list(known)).fetchall()
        changed = self._write([known[row[0]] for row in rows], rows) if rows else set()
        gone = list(set(known.values()) - {known[row[0]] for row in rows})
        if gone:
            self._alive[gone], self._columns["length"][gone], self._columns["session"][gone] = False, 0, -1
            self.talks[gone] = -1
            changed.add("session")
        if changed - MOVED:
            self.edits += 1
        if changed & {"session", "position"}:
            self._places = Places()

    # ---------------------------------------------------------------------------------------------------------- reading

    def places(self, nums: Ints) -> Ints:
        """Return where each row number stands in the columns, -1 for those of other namespaces."""
        mine = self["num"]
        if not self.size:
            return np.full(len(nums), -1, np.int64)
        first = int(mine[0])
        if int(mine[-1]) - first == self.size - 1:  # without a gap
            at = nums - first
            return np.asarray(np.where((at >= 0) & (at < self.size), at, -1), np.int64)
        at = np.minimum(np.searchsorted(mine, nums), self.size - 1)
        return np.asarray(np.where(mine[at] == nums, at, -1), np.int64)

    def beside(self, places: Ints, span: int) -> Ints:
        """Return the places at positions -span..-1 and 1..span of each row's session, -1 where there is none."""
        return self._places.beside(self.talks, self["position"], places, span)


def grown(column: Any, room: int) -> Any:
    """Return a copy of an array with room for more rows."""
    larger = np.zeros((room, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger
