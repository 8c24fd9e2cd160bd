"""Everything a process holds of one namespace, or of all namespaces of an org: columns, masks, words, vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock, RLock

from engrain.storage.index.columns import NamespaceColumns
from engrain.storage.index.masks import MaskCache
from engrain.storage.index.postings import PostingLists
from engrain.storage.index.source import IndexChanges, IndexKey, IndexSource
from engrain.storage.index.vectors import EXACT_UP_TO, FloatVectors, HeldVectors, Int8Vectors, SketchedVectors

SKETCHED_FROM = 200_000  # rows: to scan more of them whole takes too long and too much memory
_VIEWS = 64  # whose last state is remembered
_BETWEEN_TRIMS = 256  # reads


class NamespaceIndex:
    """The index of one namespace, or of all namespaces of an org.

    Hold `lock` from `refresh` until the reading is done. From `sketched_from` rows on vectors are held as sketches.
    """

    def __init__(self, key: IndexKey, sketched_from: int = SKETCHED_FROM) -> None:
        self.lock = RLock()
        self.busy = False
        self.columns = NamespaceColumns(key)
        self.masks = MaskCache(self.columns)
        self.postings = PostingLists(self.columns)
        self._sketched_from = sketched_from
        self._vectors: dict[str, HeldVectors] = {}
        self._seen: dict[Hashable, int] = {}  # states in which what is held here was read, by view

    def refresh(self, source: IndexSource) -> bool:
        """Bring all of it up to what a view sees; False, and nothing changes, when the view is older than the index."""
        state = source.state
        if state is not None and self._seen.get(state[0]) == state[1]:
            return True
        try:
            changes = source.changes_since(self.columns.key, self.columns.version)
            if changes is None:
                return False
            self._apply(source, changes)
        except BaseException:  # a part may have been applied: begin again next time
            self.columns.reset()
            self._seen = {}
            raise
        if state is not None:
            self._seen[state[0]] = state[1]
        return True

    def _apply(self, source: IndexSource, changes: IndexChanges) -> None:
        moves, seen, self._seen = self.columns.moves, self._seen, {}
        self.columns.apply(changes)
        texts = any(text for _, text, _ in changes.changed)
        if texts or changes.reloaded:
            self.postings.forget()
        small = self.columns.size <= EXACT_UP_TO
        for embedder, held in list(self._vectors.items()):
            if changes.reloaded or isinstance(held, FloatVectors) != small:
                del self._vectors[embedder]
        changed = [num for num, _, _ in changes.changed] if texts else []
        for held in self._vectors.values():
            held.refresh(source, changed)
        if moves == self.columns.moves and len(seen) < _VIEWS:
            self._seen = seen  # what the others saw is what this one sees

    def vectors(self, source: IndexSource, embedder: str, dimensions: int) -> HeldVectors:
        """Return the vectors by one embedder, reading them at first use, in the form that suits how many there are."""
        held, size = self._vectors.get(embedder), self.columns.size
        large = size >= self._sketched_from
        if held is None or (large and not isinstance(held, SketchedVectors)):
            small = FloatVectors if size <= EXACT_UP_TO else Int8Vectors
            held = self._vectors[embedder] = (SketchedVectors if large else small)(self.columns, embedder, dimensions)
            held.refresh(source)
        return held

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes."""
        vectors = sum(held.held_bytes for held in self._vectors.values())
        return self.columns.held_bytes + self.postings.held_bytes + vectors


class IndexCache:
    """The indexes a process holds, the least recently read leaving first when they outgrow `room` bytes."""

    def __init__(self, room: int = 1 << 30, sketched_from: int = SKETCHED_FROM) -> None:
        self._room = room
        self._sketched_from = sketched_from
        self._held: OrderedDict[IndexKey, NamespaceIndex] = OrderedDict()
        self._lock = Lock()
        self._reads = 0

    def __call__(self, key: IndexKey) -> NamespaceIndex:
        with self._lock:
            found = self._held.get(key)
            if found is None:
                found = self._held[key] = NamespaceIndex(key, self._sketched_from)
            self._held.move_to_end(key)
            return found

    def trim(self) -> None:
        """Let go of what does not fit; checked now and then, since to count it all takes a while."""
        self._reads += 1
        if self._reads % _BETWEEN_TRIMS:
            return
        with self._lock:
            total = sum(index.held_bytes for index in self._held.values())
            while total > self._room and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                total -= oldest.held_bytes
