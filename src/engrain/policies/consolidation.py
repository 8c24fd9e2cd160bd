"""Consolidation of stand-alone memory entries by similarity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, lru_cache

from engrain.arrays import Numbers, np
from engrain.language.locales import LOCALES, union
from engrain.language.tokens import STOP
from engrain.model.memory import MemoryEntry
from engrain.text import normalise, pattern

ENGLISH = LOCALES["en"]
_AROUND = ".,;:!?…\"'`()[]“”‘’«»"
_CLOSING = ".,;:"
_QUESTION = pattern(r"[?？؟]")

_CONTRACTED = pattern(r"n['’]t$")


@cache
def _turning() -> frozenset[str]:
    """Return words of which one more is another statement: numbers, and what turns one around or makes less of it."""
    numbers = (name for locale in LOCALES.values() for name in (*locale.numbers, *locale.scales))
    return union("turning").union(numbers)


def says_all(longer: str, shorter: str) -> bool:
    """Say whether `longer` holds every word of `shorter` in order, and neither has a fixed point the other lacks.

    Fixed points are numbers, identifiers, names, question marks, and words that turn a statement around.
    """
    long_words, short_words = list(_words(longer)), list(_words(shorter))
    rest = iter(long_words)
    return (
        all(word in rest for word in short_words)
        and bool(_QUESTION.search(longer)) == bool(_QUESTION.search(shorter))
        and _fixed(longer, short_words) == _fixed(shorter, long_words)
    )


def _words(text: str) -> Iterator[str]:
    """Yield the words as they are compared: a token with a digit or a symbol to the letter, others in small letters."""
    return (word for token in text.split() if (word := normalise(_bare(token))) and word not in ENGLISH.articles)


def _bare(token: str) -> str:
    inner = token.strip(_AROUND)
    return inner if not inner or _is_plain(inner) else token.rstrip(_CLOSING)


def _is_plain(token: str) -> bool:
    return all(char.isalpha() or char in "'’-" for char in token)


def _fixed(text: str, others: list[str]) -> set[str]:
    """Return what must be the same in both texts; `others` are the words of the other one.

    Where a sentence begins, a capital makes no name of a word that is common or that the other text has too.
    """
    found: set[str] = set()
    begins = True
    for token in text.split():
        bare = _bare(token)
        word = normalise(bare)
        if not _is_plain(bare) or word in _turning() or _CONTRACTED.search(word):
            found.add(word)
        elif bare != bare.lower() and not (begins and bare.istitle() and (word in STOP or word in others)):
            found.add(bare)
        begins = token.rstrip("\"'”’)").endswith((".", "!", "?", ":"))
    return found


Vectors = Callable[[str], Numbers | None]
_ROUNDING = 1e-9  # two equal vectors have a cosine of one, give or take a rounding


class MemoryOperation(StrEnum):
    """What is to be done with an entry."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NONE = "none"


class SimilarityConsolidator:
    """Merges entries that say the same thing: alike by their embeddings, and the same statement by their words.

    Unlike consolidators that go by the cosine alone it never lets a telling word go: "allergic to penicillin" is added
    beside "allergic to peanuts", however alike their vectors are. `embed_fn` embeds one text; up to `max_cache_size`
    vectors are remembered by text. It keeps no entries; the caller stores what it returns.
    """

    def __init__(
        self, embed_fn: Callable[[str], Sequence[float]], similarity_threshold: float = 0.85, max_cache_size: int = 1000
    ) -> None:
        if not callable(embed_fn):
            raise TypeError(f"embed_fn must be a function of one text, not {type(embed_fn).__name__}")
        if isinstance(similarity_threshold, bool) or not isinstance(similarity_threshold, int | float):
            raise TypeError(f"similarity_threshold must be a number, not {type(similarity_threshold).__name__}")
        if not 0 <= similarity_threshold <= 1:
            raise ValueError(f"similarity_threshold is {similarity_threshold}: it must be from 0 to 1")
        if isinstance(max_cache_size, bool) or not isinstance(max_cache_size, int):
            raise TypeError(f"max_cache_size must be a whole number, not {type(max_cache_size).__name__}")
        if max_cache_size < 0:
            raise ValueError(f"max_cache_size is {max_cache_size}: it cannot be negative")
        self._threshold = similarity_threshold - _ROUNDING
        self._vector = lru_cache(max_cache_size)(lambda text: _unit(embed_fn(text)))

    def consolidate(
        self, new_entries: Iterable[MemoryEntry], existing: Iterable[MemoryEntry]
    ) -> list[tuple[MemoryOperation, MemoryEntry | None]]:
        """Return for each new entry (ADD, itself), (UPDATE, the merged entry) or (NONE, None) for a text known already.

        A merged entry keeps the existing one's id, and takes its place at once for the new entries that follow. New
        entries are not merged with each other, but a text that comes twice is added once. Entries of different users,
        and existing ones that have expired, are never taken for the same.
        """
        known = [entry for entry in _entries(existing, "existing") if not entry.is_expired]
        seen = {(entry.user_id, entry.content_hash) for entry in known}
        vector = lru_cache(None)(self._vector)  # each text once in a call, however small the cache
        decided: list[tuple[MemoryOperation, MemoryEntry | None]] = []
        for entry in _entries(new_entries, "new_entries"):
            identity = (entry.user_id, entry.content_hash)
            if identity in seen:
                decided.append((MemoryOperation.NONE, None))
                continue
            seen.add(identity)
            place = self._twin(entry, known, vector)
            if place is None:
                decided.append((MemoryOperation.ADD, entry))
            else:
                known[place] = merged(known[place], entry)
                decided.append((MemoryOperation.UPDATE, known[place]))
        return decided

    def _twin(self, entry: MemoryEntry, known: Sequence[MemoryEntry], vector: Vectors) -> int | None:
        """Return the place of the most similar known entry among those that say the same."""
        alike = [
            (cosine, -place)
            for place, other in enumerate(known)
            if other.user_id == entry.user_id
            and (cosine := _cosine(vector(entry.content), vector(other.content))) is not None
            and cosine >= self._threshold
        ]
        places = (-place for _, place in sorted(alike, reverse=True))
        return next((place for place in places if _same(entry.content, known[place].content)), None)


def merged(existing: MemoryEntry, new: MemoryEntry) -> MemoryEntry:
    """Return both as one, under the existing entry's id: the longer text, all that either was tagged with."""
    endless = existing.expires_at is None or new.expires_at is None
    return replace(
        existing,
        content=_longer(new.content, existing.content),
        tags=_union(existing.tags, new.tags),
        links=_union(existing.links, new.links),
        source_turns=_union(existing.source_turns, new.source_turns),
        metadata={**existing.metadata, **new.metadata},
        access_count=existing.access_count + 1,
        relevance_score=max(existing.relevance_score, new.relevance_score),
        expires_at=None if endless else max(filter(None, (existing.expires_at, new.expires_at))),
        updated_at=datetime.now(UTC),
    )


def _same(new: str, existing: str) -> bool:
    kept = _longer(new, existing)
    return says_all(kept, existing if kept is new else new)


def _longer(new: str, existing: str) -> str:
    return new if len(new) >= len(existing) else existing


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _entries(values: object, name: str) -> list[MemoryEntry]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise TypeError(f"{name} must be a list of MemoryEntry, not {type(values).__name__}")
    kept = list(values)
    for value in kept:
        if not isinstance(value, MemoryEntry):
            raise TypeError(f"{name} holds a {type(value).__name__}: give MemoryEntry objects")
    return kept


def _unit(vector: Sequence[float]) -> Numbers | None:
    """Return the vector's direction, or None where it has none."""
    values = np.asarray(vector, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"embed_fn returned {values.ndim} dimensions: a vector has one")
    length = float(np.linalg.norm(values))
    return values / length if np.isfinite(length) and length > 0 else None


def _cosine(one: Numbers | None, other: Numbers | None) -> float | None:
    if one is None or other is None or one.shape != other.shape:
        return None
    return float(one @ other)
