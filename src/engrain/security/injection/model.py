"""A small trained model: how likely a text was written to steer whoever reads it as a prompt.

It adds up what each word, each word's beginning and each pair of neighbours speaks for, in windows of a few words, and
goes by the window that speaks loudest. The weights come from `training/injection`; docs/injection.md has figures.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING
from zlib import crc32

from engrain.arrays import np
from engrain.text import pattern

if TYPE_CHECKING:
    from engrain.arrays import Bytes, Ints, Mask, Numbers

BUCKETS = 1 << 17
WINDOW = 20  # tokens looked at together; each window overlaps the next by half
WEIGHTS = "weights.npz"
SILENT = -20.0
"""The loudness of a text without words."""

_STEP = WINDOW // 2
_FEW = 40  # features below which a window is taken for one of so many: a word alone proves little
_LONG = 24  # characters of a token that count
_START = 4  # characters that words of one family share
_NEXT, _SPREAD = 2654435761, 2246822519  # odd numbers that spread what is hashed over the buckets
_HASH = 32  # bits of one
_SCRIPTS = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff"  # written without spaces: each character is a token
_TOKEN = pattern(rf"[^\W\d_{_SCRIPTS}]+|\d+|[{_SCRIPTS}]|[^\w\s]")
_PLAIN_TOKEN = pattern(r"[a-z]+|[0-9]+|[^\w\s]")  # the same of plain Latin letters, and faster
_NOT_ASCII = pattern(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Weights:
    """What each bucket speaks for, in steps of `scale`; one more bucket, of no weight, fills up windows."""

    steps: Bytes
    scale: float
    bias: float

    def loudness(self, text: str) -> float:
        """Return how much the loudest window of a text speaks for an attack: the logarithm of the odds."""
        buckets = windows(text)
        if not len(buckets):
            return SILENT
        new = distinct(buckets)
        sums = np.where(new, self.steps[buckets], 0).sum(axis=1) * self.scale
        return float((sums * shares(new)).max()) + self.bias


def loudness(text: str) -> float:
    """Return how much a text speaks for having been written to steer its reader; an attack is above nought.

    Takes time linear in the text, and is the loudness of the loudest window of a long one.
    """
    return _trained().loudness(text)


def windows(text: str) -> Ints:
    """Return the sorted buckets of each window of a text, a row each, the last filled up with `BUCKETS`."""
    found = _features(text)
    if not len(found):
        return np.empty((0, WINDOW * 4), np.int32)
    starts = np.arange(0, max(1, len(found) - _STEP), _STEP)
    padded = np.full((int(starts[-1]) + WINDOW, 4), BUCKETS, np.int32)
    padded[: len(found)] = found
    rows: Ints = padded[starts[:, None] + np.arange(WINDOW)].reshape(len(starts), WINDOW * 4)
    rows.sort(axis=1)
    return rows


def distinct(buckets: Ints) -> Mask:
    """Say which entries of windows count: what is said twice in one counts once."""
    new = buckets < BUCKETS
    new[:, 1:] &= buckets[:, 1:] != buckets[:, :-1]
    return new


def shares(new: Mask) -> Numbers:
    """Return by what the sum of each window is multiplied, so that long windows do not speak louder than short ones."""
    return np.asarray(1 / np.sqrt(np.maximum(new.sum(axis=1), _FEW)), np.float64)


def _features(text: str) -> Ints:
    """Return the buckets of each token: alone, with the token before it, and the same of their beginnings."""
    plain = _NOT_ASCII.sub(_plain, text).lower()
    tokens = (_PLAIN_TOKEN if plain.isascii() else _TOKEN).findall(plain)
    both = np.array([0, *map(_hashes, tokens)], np.uint64)
    mixed = np.empty((len(both) - 1, 4), np.uint64)
    for column, hashes in ((0, both & (1 << _HASH) - 1), (2, both >> _HASH)):
        mixed[:, column] = hashes[1:]
        mixed[:, column + 1] = hashes[:-1] * _NEXT + hashes[1:]
    mixed *= _SPREAD
    mixed >>= 20
    mixed &= BUCKETS - 1
    return mixed.astype(np.int32)


@lru_cache(8192)
def _hashes(token: str) -> int:
    """Return the hash of a token, and above it that of its beginning."""
    token = "0" if token.isdigit() else token[:_LONG]
    word, head = (part.encode(errors="surrogatepass") for part in (token, "^" + token[:_START]))
    return crc32(word) | crc32(head) << _HASH


def _plain(char: re.Match[str]) -> str:
    return _shape(char[0])


@lru_cache(4096)
def _shape(char: str) -> str:
    apart = unicodedata.normalize("NFKD", char)
    kept = "".join(part for part in apart if unicodedata.category(part) not in ("Cf", "Mn", "Me"))
    return unicodedata.normalize("NFKC", kept)


@cache
def _trained() -> Weights:
    with (files(__package__) / WEIGHTS).open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return Weights(stored["steps"], float(stored["scale"]), float(stored["bias"]))
