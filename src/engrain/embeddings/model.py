"""The base of embedders that use a model: a cache, and the prefixes of model families."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from threading import Lock, RLock
from typing import ClassVar, Generic, NamedTuple, TypedDict, TypeVar, cast

from engrain.errors import ConfigError, ProviderError
from engrain.lazy import Floats, np
from engrain.text import check_text

T = TypeVar("T")
FAILURES = (OSError, RuntimeError, ValueError)  # the errors that libraries of models raise
_OVERHEAD = 200  # bytes that an entry takes beside its numbers
_SEARCH = "Represent this sentence for searching relevant passages: "
CACHE_BYTES = 32 * 2**20
BATCH_LETTERS = 200_000  # of one batch in all: servers count tokens
_SPEC = re.compile(r"(?P<provider>[\w-]+)[:/]\s*(?P<model>.+?)\s*", re.DOTALL)


class OfProcess(Generic[T]):
    """A value that each process makes for itself, at its first use."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: dict[int, T] = {}

    def __call__(self) -> T:
        """Return this process's value."""
        mine = os.getpid()
        value = self._values.get(mine)
        return value if value is not None else self._values.setdefault(mine, self._make())  # of two made at once, one


class VectorCache:
    """The vectors of the last texts asked for, by content hash, in at most `size` bytes (0 keeps none). Thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._used = 0
        self._rows: OrderedDict[bytes, Floats] = OrderedDict()
        self._lock = OfProcess(Lock)

    def known(self, keys: Iterable[bytes]) -> dict[bytes, Floats]:
        """Return the cached ones among the vectors."""
        found = {}
        with self._lock():
            for key in keys:
                if (row := self._rows.get(key)) is not None:
                    self._rows.move_to_end(key)
                    found[key] = row
        return found

    def keep(self, made: Mapping[bytes, Floats]) -> None:
        """Keep vectors; the least recently used are evicted."""
        with self._lock():
            for key, row in made.items():
                if key not in self._rows:
                    self._rows[key] = row.copy()
                    self._used += row.nbytes + _OVERHEAD
            while self._used > self._size:
                _, oldest = self._rows.popitem(last=False)
                self._used -= oldest.nbytes + _OVERHEAD


Range = tuple[float, float]


class Family(NamedTuple):
    """The parameters of a family of models: prompts, and the cosines from "irrelevant" to "as good as certain"."""

    query: str = ""
    passage: str = ""
    relevance_range: Range = (0.2, 0.9)


_FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"\be5-(small|base|large)(-v2|-unsupervised)?$", Family("query: ", "passage: ", (0.75, 0.92))),
    (r"\bbge-(small|base|large)-en\b", Family(_SEARCH, "", (0.45, 0.85))),
    (r"\bmxbai-embed-large\b", Family(_SEARCH, "", (0.35, 0.8))),
    (r"\bsnowflake-arctic-embed(-xs|-s|-m|-l|-m-long)?$", Family(_SEARCH)),
    (r"\bnomic-embed-text\b", Family("search_query: ", "search_document: ", (0.45, 0.85))),
)


Rows = Sequence[Sequence[float]] | Floats


class Options(TypedDict, total=False):
    """The arguments that every embedder of a named model takes, by keyword."""

    dimensions: int | None
    batch_size: int
    normalise: bool
    query_prompt: str | None
    passage_prompt: str | None
    cache_bytes: int
    inline: bool
    relevance_range: Range | None
    weight: float
    version: str


class ModelEmbedder(ABC):
    """Embeds with a named model: each distinct text once, in batches of like lengths, every answer checked.

    `dimensions` is what the vectors must have; left out, the model is asked, which may load it. Prompts left out are
    those that the model's makers ask for. `cache_bytes` bounds the vectors kept in memory. `relevance_range` and
    `weight` say how ranking reads this model's cosines. Change `version` when the same name means other
    weights than before. Threads may share one.
    """

    provider: ClassVar[str]

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        batch_size: int = 32,
        normalise: bool = True,
        query_prompt: str | None = None,
        passage_prompt: str | None = None,
        cache_bytes: int = CACHE_BYTES,
        inline: bool = False,
        relevance_range: Range | None = None,
        weight: float = 0.8,
        version: str = "1",
    ) -> None:
        if not model.strip():
            raise ValueError("the model's name is blank")
        self.model = model
        self._dimensions = None if dimensions is None else checked_positive(dimensions, "dimensions")
        self._batch_size = checked_positive(batch_size, "batch_size")
        self._normalise = normalise
        name = model.lower().partition(":")[0]  # without a tag
        family = next((known for pattern, known in _FAMILIES if re.search(pattern, name)), Family())
        passage = family.passage if passage_prompt is None else passage_prompt
        self._prompts = (passage, family.query if query_prompt is None else query_prompt)
        self.inline = inline
        self.relevance_range: Range = family.relevance_range if relevance_range is None else relevance_range
        if not rises(self.relevance_range, strictly=True):
            raise ValueError(f"relevance_range is two rising cosines, not {relevance_range!r}")
        self.weight = weight
        trace = blake2b(passage.encode(), digest_size=4).hexdigest()
        self._version = version if passage == family.passage else f"{version}+{trace}"
        self._cache = VectorCache(cache_bytes)
        self._lock = OfProcess(RLock)

    @property
    def id(self) -> str:
        """Provider, model, dimensions and version, the version with a trace of a passage prompt of one's own."""
        return f"{self.name}:{self.dimensions}:{self._version}"

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self.provider}:{self.model}"

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; asks the model the first time unless it was given."""
        if self._dimensions is None:
            with self._lock():
                if self._dimensions is None:
                    self._dimensions = self._measured()
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one row per text, in their order; zeros for a blank one. Raises `ProviderError`."""
        return self._rows(texts, query=False)

    def embed_query(self, text: str) -> Floats:
        """Return the vector of a question."""
        return cast(Floats, self._rows([text], query=True)[0])

    @abstractmethod
    def _ask(self, texts: list[str], *, query: bool) -> Rows:
        """Return the model's rows for one batch; prompts are still to be written before the texts."""

    def _measured(self) -> int:
        """Find out how many dimensions the model's vectors have."""
        return int(self._table(self._ask(["how many dimensions?"], query=False), 1).shape[1])

    def _rows(self, texts: Sequence[str], *, query: bool) -> Floats:
        kind = b"query" if query else b"passage"  # of the same words they may have two vectors
        keys = [blake2b(t.encode("utf-8", "surrogatepass"), digest_size=16, key=kind).digest() for t in texts]
        found = self._cache.known(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found and text.strip()}
        for batch in self._batches(new):
            rows = self._checked(self._ask([new[key] for key in batch], query=query), len(batch))
            made = dict(zip(batch, rows, strict=True))
            self._cache.keep(made)  # immediately: paid results are not lost when the next batch fails
            found |= made
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, key in zip(out, keys, strict=True):
            if key in found:
                row[:] = found[key]
        return out

    def _batches(self, texts: dict[bytes, str]) -> Iterator[list[bytes]]:
        """Yield the keys in batches of like lengths, the longest first: padding is cheap, and memory runs out early."""
        batch: list[bytes] = []
        letters = 0
        for key in sorted(texts, key=lambda key: -len(texts[key])):
            if batch and (len(batch) == self._batch_size or letters + len(texts[key]) > BATCH_LETTERS):
                yield batch
                batch, letters = [], 0
            batch.append(key)
            letters += len(texts[key])
        if batch:
            yield batch

    def _table(self, answer: Rows, count: int) -> Floats:
        try:
            with np.errstate(over="ignore"):  # too large a number becomes an infinite one, which is reported below
                rows = np.asarray(answer, np.float32)
        except (TypeError, ValueError) as error:
            raise ProviderError(f"{self.name} answered something that is no table of numbers") from error
        if rows.ndim != 2 or len(rows) != count or not rows.shape[1]:
            raise ProviderError(f"{self.name} answered an array of shape {rows.shape} to {count} texts")
        if not np.isfinite(rows).all():
            raise ProviderError(f"{self.name} answered numbers that are not finite")
        return rows

    def _checked(self, answer: Rows, count: int) -> Floats:
        rows = self._table(answer, count)
        if rows.shape[1] != self.dimensions:
            raise ProviderError(
                f"{self.name} answered vectors of {rows.shape[1]} dimensions, and {self.dimensions} were expected: "
                f"name it with #{rows.shape[1]} or dimensions={rows.shape[1]} and run reindex, or name the model it was"
            )
        if not self._normalise:
            return rows
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def checked_positive(value: int, name: str) -> int:
    """Return a positive whole number."""
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} is a positive whole number, not {value!r}")
    return value


def rises(ends: object, *, strictly: bool = False) -> bool:
    """Return whether a value is two cosines, the lower first."""
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        return False
    return -1 <= ends[0] <= ends[1] <= 1 and not (strictly and ends[0] == ends[1])


def made_of(spec: str, providers: Mapping[str, Callable[[str], T]], unknown: str, *, what: str) -> T:
    """Return the provider's model for `"provider:model"`; `ConfigError` for a name that none knows."""
    found = _SPEC.fullmatch(spec)
    make = providers.get(found["provider"].lower().replace("_", "-")) if found else None
    if found is None or make is None or not found["model"].strip():
        raise ConfigError(unknown)
    return make(check_text(found["model"], what=what))
