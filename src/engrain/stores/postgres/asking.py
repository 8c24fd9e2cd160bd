"""What the searches on PostgreSQL stand on: how a statement is asked, and what one view of the store remembers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engrain.arrays import Ints, np
from engrain.stores.postgres.connections import Nums
from engrain.stores.postgres.session import Session
from engrain.stores.sql_read import SQLReader

MOST = 2**62  # rows that a statement may be asked for


class Extent(NamedTuple):
    """How many memories a namespace holds, and their index terms."""

    documents: int = 0
    length: int = 0


@dataclass(slots=True)
class Seen:
    """What was asked of one view of the store, which stays true as long as nothing is written in it."""

    extents: dict[int, Extent] = field(default_factory=dict)
    frequency: dict[tuple[int, str], int] = field(default_factory=dict)  # rows that hold a term in a namespace
    rows: dict[int, tuple[int, int]] = field(default_factory=dict)  # namespace and length by row number
    sizes: dict[tuple[str, int], int] = field(default_factory=dict)  # dimensions by embedder and namespace
    indexed: dict[str, float] = field(default_factory=dict)  # vectors in an embedder's index, 0 without one


class PostgresAsking(SQLReader):
    """A transaction bound to an org, as its searches see it."""

    _org: str
    _session: Session
    _seen: Seen

    def _forget_searches(self) -> None:
        """Begin to remember anew: at the start, and after each write in the same transaction."""
        self._seen = Seen()

    def _arrays(self, names: Sequence[str], statement: str, params: Sequence[object]) -> list[Ints]:
        """Return the columns that a statement finds, whole numbers all: thousands of rows cost little as arrays."""
        every = ", ".join(f"array_agg({name}::bigint)" for name in names)
        ((*found,),) = self._raw(f"SELECT {every} FROM ({statement}) x ({', '.join(names)})", params)
        return [whole(()) if column is None else column for column in found]

    def _rows(self, nums: Ints) -> dict[int, tuple[int, int]]:
        """Return namespace and length of rows by their numbers; those that are not there are missing."""
        known = self._seen.rows
        strange = [num for num in dict.fromkeys(nums.tolist()) if num not in known]
        if strange:
            asked = "SELECT num, ns, length FROM memory WHERE org = ? AND num = ANY(CAST(? AS bigint[]))"
            known.update((num, (ns, length)) for num, ns, length in self._ask(asked, [self._org, Nums(strange)]))
        return known

    def _measure(self, namespaces: Iterable[int], terms: Iterable[str]) -> None:
        """Learn how large namespaces are and in how many of their rows the terms stand, in one look."""
        seen, spaces, named = self._seen, list(namespaces), list(dict.fromkeys(terms))
        new = [ns for ns in spaces if ns not in seen.extents]
        strange = [term for term in named if any((ns, term) not in seen.frequency for ns in spaces)]
        if not new and not strange:
            return
        for ns in new:
            seen.extents[ns] = Extent()
        seen.frequency.update(dict.fromkeys(((ns, term) for ns in spaces for term in strange), 0))
        found = self._ask(
            "SELECT ns, NULL AS term, documents, length FROM extent WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) "
            "UNION ALL SELECT ns, term, count(*)::bigint, 0 FROM posting WHERE org = ? "
            "AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[])) GROUP BY ns, term",
            [self._org, new, self._org, spaces, strange],
        )
        for ns, term, number, length in found:
            if term is None:
                seen.extents[ns] = Extent(number, length)
            else:
                seen.frequency[ns, term] = number


def whole(values: Iterable[int]) -> Ints:
    """Return whole numbers as an array."""
    return np.array(list(values), np.int64)
