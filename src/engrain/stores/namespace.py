"""Everything a process holds of one namespace, or of a crowd of them, to search it fast: columns, words, vectors."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from threading import Lock, RLock

from engrain.stores import exact
from engrain.stores.exact import Exact
from engrain.stores.lexical import Lexicon
from engrain.stores.masks import Masks
from engrain.stores.mirror import Mirror
from engrain.stores.sketches import Sketches
from engrain.stores.vectors import Matrix

_CONNECTIONS = 64  # whose last look is remembered
SKETCHED_FROM = 200_000  # rows: to scan more of them whole takes too long and too much memory


class Namespace:
    """A mirror with its lexicon and matrices: of a namespace by its number, or of all of an org's by the org's name.

    Hold `lock` from `refresh` until the reading is done. From `sketched_from` rows on vectors are held as sketches.
    """

    def __init__(self, of: int | str, sketched_from: int = SKETCHED_FROM) -> None:
        self.lock = RLock()
        self.busy = False
        self.mirror = Mirror(of)
        self.masks = Masks(self.mirror)
        self.lexicon = Lexicon(self.mirror)
        self._sketched_from = sketched_from
        self._matrices: dict[int, Matrix | Exact | Sketches] = {}
        self._current: dict[sqlite3.Connection, int] = {}

    def is_current(self, connection: sqlite3.Connection, version: int | None) -> bool:
        """Say whether it is what the connection saw when its file had this version, and is so still."""
        return version is not None and self._current.get(connection) == version

    def refresh(self, connection: sqlite3.Connection, version: int | None = None) -> None:
        """Bring all of it up to what `connection` sees; the connection must not be older than the last refresh."""
        current, self._current = self._current, {}
        moves = self.mirror.moves
        self._refresh(connection)
        if moves == self.mirror.moves and len(current) < _CONNECTIONS:
            self._current = current  # what the others saw is what this one sees
        if version is not None:
            self._current[connection] = version

    def _refresh(self, connection: sqlite3.Connection) -> None:
        changes = self.mirror.refresh(connection)
        if changes.texts or changes.reloaded:
            self.lexicon.forget()
        small = self.mirror.size <= exact.MOST
        for embedder, matrix in list(self._matrices.items()):
            if changes.reloaded or isinstance(matrix, Exact) != small:
                del self._matrices[embedder]
        for matrix in self._matrices.values():
            matrix.refresh(connection, changes.nums if changes.texts else ())

    def is_ahead_of(self, connection: sqlite3.Connection) -> bool:
        """Say whether this holds rows or changes that an older snapshot does not know."""
        return self.mirror.is_ahead_of(connection)

    def matrix(self, connection: sqlite3.Connection, embedder: int, dimensions: int) -> Matrix | Exact | Sketches:
        """Return the vectors by one embedder, reading them at first use, in the form that suits how many there are."""
        held = self._matrices.get(embedder)
        large = self.mirror.size >= self._sketched_from
        if held is None or (large and not isinstance(held, Sketches)):
            small = Exact if self.mirror.size <= exact.MOST else Matrix
            held = self._matrices[embedder] = (Sketches if large else small)(self.mirror, embedder, dimensions)
            held.refresh(connection)
        return held

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes."""
        return (
            self.mirror.held_bytes
            + self.lexicon.held_bytes
            + sum(matrix.held_bytes for matrix in self._matrices.values())
        )


_SELDOM = 256  # reads between two looks at what is held


class Namespaces:
    """The namespaces a process holds, the least recently read leaving first when they outgrow `room` bytes."""

    def __init__(self, room: int = 1 << 30, sketched_from: int = SKETCHED_FROM) -> None:
        self._room = room
        self._sketched_from = sketched_from
        self._held: OrderedDict[int | str, Namespace] = OrderedDict()
        self._lock = Lock()
        self._reads = 0

    def __call__(self, of: int | str) -> Namespace:
        with self._lock:
            found = self._held.get(of)
            if found is None:
                found = self._held[of] = Namespace(of, self._sketched_from)
            self._held.move_to_end(of)
            return found

    def trim(self) -> None:
        """Let go of what does not fit; looked at now and then, since to count it all takes a while."""
        self._reads += 1
        if self._reads % _SELDOM:
            return
        with self._lock:
            total = sum(space.held_bytes for space in self._held.values())
            while total > self._room and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                total -= oldest.held_bytes
