"""What the index reads an engine's rows through; it knows nothing else of an engine."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engrain.arrays import Floats, Ints

IndexKey = int | str
"""What is indexed together: a namespace, by its number, or all namespaces of an org that has many, by its name."""

UNSET = 2**63 - 1
"""A time that is not set, in an array."""
USES = ("used_at", "accessed_3")
TIMES = ("valid_from", "valid_until", "recorded_at", "believed_until", "expires_at", *USES)
WHOLE = ("num", "position", "length", "marks", "access_count", *TIMES)
REAL = ("importance", "trust", "strength")
CODED = ("agent", "session", "actor", "kind", "status", "domain", "tier", "source_type", "superseded")
CONVERSATION = "conversation"  # a session of one namespace among those of all namespaces of an org
OF_ORG = ("ns", CONVERSATION)


def column_names(key: IndexKey) -> tuple[str, ...]:
    """Return the columns of a row in the order in which a source gives them.

    A time that is not set is `UNSET`, a position that is not set -1. `superseded` is 1 or None. Those of `OF_ORG`
    are there in an org's index alone.
    """
    return (*WHOLE, *REAL, *CODED, *OF_ORG) if isinstance(key, str) else (*WHOLE, *REAL, *CODED)


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """How far an index has read: the last change in each namespace, and the last row."""

    changes: Mapping[int, int]
    last_row: int


@dataclass(frozen=True, slots=True)
class IndexChanges:
    """What has happened since a version, which leads to another one.

    `changed` are rows that the index holds: their number, whether their words or vectors changed too, and their columns
    or None when they are gone. `added` are the rows after the last one that it holds, some at a time, in their order.
    `reloaded` says that the changes since are not known any more: all rows are `added`.
    """

    version: IndexVersion
    changed: Sequence[tuple[int, bool, Sequence[Any] | None]] = ()
    added: Iterable[Sequence[Sequence[Any]]] = ()
    reloaded: bool = False


class IndexSource(Protocol):
    """One consistent view of a store, as the index reads it."""

    @property
    def state(self) -> tuple[Hashable, int] | None:
        """What stays the same as long as the store does not change, as far as this view can tell; None if it cannot."""
        ...

    def changes_since(self, key: IndexKey, version: IndexVersion | None) -> IndexChanges | None:
        """Return what has happened since a version, all rows for None; None when this view is older than it."""
        ...

    def postings(
        self, key: IndexKey, since: Mapping[str, int], namespaces: Sequence[int] | None
    ) -> Iterable[tuple[str, Ints, Floats]]:
        """Return for each term the rows after a given one that hold it and how often, in no order of their own.

        `namespaces` are those of an org that have such rows, if that is known.
        """
        ...

    def vectors(
        self, key: IndexKey, embedder: str, after: int, namespaces: Sequence[int] | None
    ) -> Iterator[tuple[Ints, Floats]]:
        """Return the vectors by an embedder of the rows after a given one, some at a time."""
        ...

    def vectors_of(self, key: IndexKey, embedder: str, nums: Ints) -> tuple[Ints, Floats]:
        """Return the vectors by an embedder of some rows, as far as they have one, with the rows' numbers."""
        ...
