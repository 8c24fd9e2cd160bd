"""What is asked of a store again and again, said once in the verbs of its interface."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from engrain.arrays import Floats, Ints, np, places_of
from engrain.model.filters import Condition, Filter, Test
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import (
    Columns,
    ConversationRow,
    CounterRow,
    EntityRow,
    EvidenceRow,
    MergeRow,
    NamespaceRow,
    Record,
    Row,
    TextStats,
    Vector,
)

_IMPRINT = 24  # bytes of a vector by which it is known

T = TypeVar("T")


def highest(reader: Reader, kind: type[Row], column: str, where: Sequence[Condition] = ()) -> int | None:
    """Return the largest value of a column of whole numbers by which rows can be ordered; None when no row has one."""
    found = reader.find(kind, [*where, Test(column, "ne", None)], order=f"-{column}", limit=1)
    row: Any = found[0] if found else None
    if row is None:
        return None
    return int(getattr(row if hasattr(row, column) else row.memory, column))


def text_stats(reader: Reader, terms: Sequence[str], where: Filter) -> TextStats:
    """Return how common terms are in the namespaces of a filter's scope."""
    return reader.search_text(dict.fromkeys(terms, 1.0), where, limit=0).stats


def gains(reader: Reader, terms: Sequence[str], nums: Ints, where: Filter) -> Floats:
    """Return what each of some terms (by row) adds to the BM25 score of each of some rows (by column)."""
    found = reader.describe(nums, where, terms=dict.fromkeys(terms, 1.0))
    return np.asarray(found.gains.take(places_of(found.rows, nums), axis=1))


def cosines(reader: Reader, embedder: str, vector: Floats, nums: Ints, where: Filter) -> Floats:
    """Return the cosine of each of some rows; NaN where one has no vector."""
    found = reader.describe(nums, where, embedder=embedder, vector=vector)
    return np.asarray(found.cosines[places_of(found.rows, nums)])


def columns(reader: Reader, nums: Ints, where: Filter) -> Columns:
    """Return the columns of some rows, in the order given."""
    found = reader.describe(nums, where)
    return found.columns.take(places_of(found.rows, nums))


def holders(reader: Reader, org: str, user: str | None, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
    """Return, for each term, rows of a namespace that hold it, in row order and at most `limit`, without a scan."""
    return reader.look_up(org, user, terms=terms, rows=limit).holders


# ---------------------------------------------------------------------------------------------------------------- graph


def named(reader: Reader, keys: Collection[str], where: Filter) -> list[EntityRow]:
    """Return the entities in the scope of a filter whose key is one of these, of whatever type, by id."""
    if not keys:
        return []
    scope = Filter(where.org, where.user, where.shared, (Test("key", "in", tuple(keys)),))
    return reader.find(EntityRow, scope, order="id")


def evidence(reader: Reader, nums: Collection[int], where: Filter) -> Mapping[int, EvidenceRow]:
    """Return those of some memories that pass, by number, with what a relation needs of its evidence."""
    if not nums:
        return {}
    found = reader.find(EvidenceRow, where.but(Test("num", "in", tuple(nums))))
    return {row.num: row for row in found}


# ----------------------------------------------------------------------------------------------------------- namespaces


def users(reader: Reader, org: str) -> list[str | None]:
    """Return the users of an org that the store knows, None for what carries no user."""
    return list(owners(reader, Filter(org)).values())


def owners(reader: Reader, where: Filter) -> dict[int, str | None]:
    """Return the namespaces in the scope of a filter, by number, with the user of each."""
    scope = Filter(where.org, where.user, where.shared)
    return {row.id: row.user for row in reader.find(NamespaceRow, scope, order="id")}


def abandon(transaction: Transaction, org: str, user: str | None) -> bool:
    """Give up the name of a user's namespace that holds nothing any more; False when it still holds something.

    Its number is never used again.
    """
    if user is None:
        return False
    number = transaction.namespace(org, user)
    here = [Test("ns", "eq", number)]
    kinds: tuple[tuple[type[Row], str], ...] = (
        (Record, "num"),
        (EntityRow, "id"),
        (ConversationRow, "num"),
        (MergeRow, "id"),
    )
    if any(transaction.find(kind, here, order=order, limit=1) for kind, order in kinds):
        return False
    transaction.delete(CounterRow, here)
    transaction.update(NamespaceRow, [Test("id", "eq", number)], user=f"erased {uuid.uuid4().hex}")
    return True


# -------------------------------------------------------------------------------------------------------------- erasure


def imprints(transaction: Transaction, nums: Sequence[int]) -> list[bytes]:
    """Return the bytes by which the vectors of some rows would be known in the engine's files."""
    found = transaction.find(Vector, [Test("num", "in", tuple(nums))], order="num") if nums else []
    kept = (row.values.astype("<f2").tobytes()[:_IMPRINT] for row in found)
    return [each for each in kept if any(each)]


def by_org(rows: Iterable[T], org_of: Callable[[T], str]) -> dict[str, list[T]]:
    """Return rows by the org they are of, as a transaction may hold one org's alone."""
    found: dict[str, list[T]] = {}
    for row in rows:
        found.setdefault(org_of(row), []).append(row)
    return found
