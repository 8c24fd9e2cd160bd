"""The built-in embedder: static vectors of word pieces, which byte-pair encoding cuts, averaged."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from heapq import heapify, heappop, heappush
from mmap import mmap
from pathlib import Path

from engrain.errors import ProviderError
from engrain.lazy import Floats, np

BUILTIN = "wordllama:l2_supercat_256"
_SPACE = "▁"  # the mark of the space before a word in pieces
_SPECIAL = ("<unk>", "<s>", "</s>")
_NO_PAIR = -1


@cache
def builtin() -> StaticEmbedder:
    """Return the built-in embedder, one for the process."""
    return StaticEmbedder()


class StaticEmbedder:
    """Averages the static vectors of word pieces (256 dimensions) that WordLlama trained; no network needed.

    It is blind to word order and to most digits: cosine 1.0 between two texts does not make them the same statement.
    Files are read at first use; `ProviderError` if the installed package lacks them.
    """

    inline = True
    dimensions = 256
    id: str = f"{BUILTIN}:{dimensions}:1"
    """Provider, model, dimensions and version: vectors of two ids are never compared."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[int]] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one row per text, unit length; zeros for a text without any known piece."""
        weights = _weights()
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(out, texts, strict=True):
            if pieces := [piece for word in text.split() for piece in self._known(word)]:
                row[:] = weights.take(pieces, axis=0).sum(axis=0)
        return _unit(out)

    def embed_weighted(self, text: str, weight: Callable[[str], float]) -> Floats:
        """Embed a question, each word weighed by `weight(word)`: rare words count more."""
        pieces: list[int] = []
        worth: list[float] = []
        for word in text.split():
            known = self._known(word)
            pieces += known
            worth += [weight(word)] * len(known)
        if not pieces:
            return np.zeros(self.dimensions, np.float32)
        return np.asarray(_unit(np.array([worth], np.float32) @ _weights().take(pieces, axis=0))[0])

    def _known(self, word: str) -> list[int]:
        if (pieces := self._pieces.get(word)) is None:
            pieces = _vocabulary().rows(word)
            _weights()[pieces] = np.multiply(*(part.take(pieces, axis=0) for part in _stored()))
            if len(self._pieces) > 50_000:
                self._pieces = {}
            self._pieces[word] = pieces
        return pieces


class WordPieces:
    """Sorted pieces and their rows: of two pairs the one that makes the piece of the earlier row is merged first."""

    def __init__(self, pieces: Sequence[str], rows: Sequence[int]) -> None:
        self._pieces, self._rows = pieces, rows
        self._order = lru_cache(65_536)(self._ordered)
        self._special = re.compile(f"({'|'.join(_SPECIAL)})")

    def rows(self, word: str) -> list[int]:
        """Return the rows of a word's pieces, from left to right; characters without a piece are split into bytes."""
        if "<" in word and len(pieces := list(filter(None, self._special.split(word)))) > 1:
            return [row for piece in pieces for row in self.rows(piece)]
        if word in _SPECIAL:
            return self._rows_of([word])
        text, parts = _SPACE + word, list[str]()
        for character, row in zip(text, self._rows_of(text), strict=True):
            unknown = character.encode(errors="replace") if row < 0 else b""
            parts += [f"<0x{byte:02X}>" for byte in unknown] or [character]
        end = len(parts)
        after, before = [*range(1, end + 1)], [*range(-1, end - 1)]
        orders = [*map(self._order, parts, parts[1:]), _NO_PAIR]  # of each part with the one after it
        waiting = [(order, place) for place, order in enumerate(orders) if order != _NO_PAIR]
        heapify(waiting)
        while waiting:
            order, place = heappop(waiting)
            if orders[place] != order:
                continue  # one of the two has been merged with another neighbour since
            other = after[place]
            parts[place] += parts[other]
            parts[other], orders[other] = "", _NO_PAIR
            after[place] = following = after[other]
            if following < end:
                before[following] = place
            for left, right in ((before[place], place), (place, following)):
                if left >= 0:
                    orders[left] = self._order(parts[left], parts[right]) if right < end else _NO_PAIR
                    if orders[left] != _NO_PAIR:
                        heappush(waiting, (orders[left], left))
        return self._rows_of(filter(None, parts))

    def _ordered(self, left: str, right: str) -> int:
        """Return the order in which two neighbours are merged: by the merged, the left, the right piece."""
        rank, first, second = self._rows_of((left + right, left, right))
        last = len(self._pieces) * (not (left + right).strip(_SPACE))  # runs of spaces come last
        return rank if rank == _NO_PAIR else rank + last << 32 | first << 16 | second

    def _rows_of(self, parts: Iterable[str]) -> list[int]:
        """Return the row of each part, or `_NO_PAIR`."""
        places = ((part, bisect_left(self._pieces, part)) for part in parts)
        return [self._rows[at] if self._pieces[at : at + 1] == [part] else _NO_PAIR for part, at in places]


def _unit(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1), np.float32)


def _file(name: str) -> Path:
    path = Path(__file__).parent / "wordllama" / name
    if not path.exists():
        raise ProviderError(f"the built-in embedder's file {path} is missing: reinstall engrain or use embedder=None")
    return path


@cache
def _vocabulary() -> WordPieces:
    pieces = np.load(_file("pieces.npy")).tobytes().decode().split("\n")  # a dictionary of them takes longer to build
    return WordPieces(pieces, np.load(_file("rows.npy")).data)


@cache
def _stored() -> tuple[Floats, Floats]:
    """Return the table in whole numbers (int8) and the scale of each row."""
    return np.asarray(np.load(_file("vectors.npy"), mmap_mode="r")), np.load(_file("scales.npy"))


@cache
def _weights() -> Floats:
    """Return the table in single precision; rows are filled in when a word needs them, and take no memory before."""
    stored = _stored()[0]  # numpy would ask for huge pages, and each word would fill one
    return np.frombuffer(mmap(-1, 4 * stored.size), np.float32).reshape(stored.shape)
