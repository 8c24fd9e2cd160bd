"""Facts without a store file: entries in memory, and which of them have to do with a question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from threading import Lock

from recollect.models import MemoryEntry
from recollect.words import query_terms, terms


class InMemoryEntryStore:
    """A store of entries in memory, gone with the process; threads may share it. An entry replaces one of its id."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: dict[str, MemoryEntry] = {}

    def add(self, entry: MemoryEntry) -> MemoryEntry:
        """Keep an entry, and return it."""
        if not isinstance(entry, MemoryEntry):
            raise TypeError(f"a store of entries keeps MemoryEntry objects, not a {type(entry).__name__}")
        with self._lock:
            self._entries[entry.id] = entry
        return entry

    def search(self, query: str, top_k: int = 5) -> list[MemoryEntry]:
        """Return up to `top_k` entries that share words with the query or contain it, best first."""
        entries = self.list_all()
        found = related(entries, query, top_k)
        seen = {entry.id for entry in found}
        wanted = query.casefold().strip()
        held = [entry for entry in entries if wanted and wanted in entry.content.casefold() and entry.id not in seen]
        return [*found, *sorted(held, key=lambda entry: -entry.relevance_score)][: max(top_k, 0)]

    def list_all(self) -> list[MemoryEntry]:
        """Return the entries that have not expired, in the order in which they came."""
        return [entry for entry in self.list_all_unfiltered() if not entry.is_expired]

    def list_all_unfiltered(self) -> list[MemoryEntry]:
        """Return all entries, also those that have expired."""
        with self._lock:
            return list(self._entries.values())

    def delete(self, entry_id: str) -> bool:
        """Delete an entry; False says that there was none of this id."""
        with self._lock:
            return self._entries.pop(entry_id, None) is not None

    def clear(self) -> None:
        """Delete all entries."""
        with self._lock:
            self._entries.clear()


def related(entries: Sequence[MemoryEntry], query: str, top_k: int) -> list[MemoryEntry]:
    """Return up to `top_k` entries that share word stems with a question, best first.

    Rare stems count more; among equals the relevance, and then who came last. Tags count as words of the text.
    """
    wanted = set(query_terms(query))
    shared = [wanted.intersection(terms(" ".join((entry.content, *entry.tags)))) for entry in entries]
    holders = Counter(term for held in shared for term in held)
    weights = {term: math.log(1 + len(entries) / count) for term, count in holders.items()}
    scored = [
        (sum(sorted(weights[term] for term in held)), entry.relevance_score, place)
        for place, (entry, held) in enumerate(zip(entries, shared, strict=True))
        if held
    ]
    return [entries[place] for _, _, place in sorted(scored, reverse=True)[: max(top_k, 0)]]
