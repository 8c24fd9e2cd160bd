"""What the graph knew by memories that go: mentions, relations, merges, and names that nobody else speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from recollect.erasure.traces import words_of
from recollect.filters import AnyOf, Test
from recollect.graphrows import MERGED, EntityNote, EntityRow, MentionRow, MergeRow, RelationRow

if TYPE_CHECKING:
    from recollect.erasure.removing import Removal


def lose(removal: Removal, nums: Sequence[int], namespaces: Iterable[int]) -> None:
    """Remove what these memories say of entities, and the entities that nothing else is known of."""
    transaction, said = removal.transaction, Test("num", "in", tuple(nums))
    merges = transaction.find(MergeRow, [said], order="at")
    touched = {row.entity for row in transaction.find(MentionRow, [said])}
    touched |= {end for row in transaction.find(RelationRow, [said]) for end in (row.source, row.target)}
    touched |= {end for row in merges for end in (row.keep, row.other)}
    for merge in merges:
        if merge.state == MERGED:
            other = [Test("id", "eq", merge.other), Test("merged_into", "eq", merge.keep)]
            transaction.update(EntityRow, other, merged_into=None, agent=None)
        removal.traces.read(merge.reason)
    removal.count("mentions", transaction.delete(MentionRow, [said]))
    removal.count("relations", transaction.delete(RelationRow, [said]))
    removal.count("merges", transaction.delete(MergeRow, [said]))
    drop(removal, touched | _named(removal, namespaces))


def _named(removal: Removal, namespaces: Iterable[int]) -> set[int]:
    """Return the entities whose name holds a word that goes: an edit may have left one behind that nobody names."""
    spoken = {word.casefold() for word in removal.traces.words}
    return {
        row.id
        for namespace in namespaces
        for row in removal.transaction.find(EntityRow, [Test("ns", "eq", namespace)], order="id")
        if not spoken.isdisjoint(words_of(row.key))
    }


def drop(removal: Removal, entities: Iterable[int]) -> None:
    """Remove those of the entities of which nothing is known, and their merges, which leave others in the same case."""
    transaction, left = removal.transaction, set(entities)
    while left:
        entity = left.pop()
        if _is_known(removal, entity):
            continue
        found = transaction.find(EntityRow, [Test("id", "eq", entity)], order="id")
        if not found:
            continue
        removal.traces.read(found[0].name, found[0].key)
        either = AnyOf(((Test("keep", "eq", entity),), (Test("other", "eq", entity),)))
        merges = transaction.find(MergeRow, [either], order="at")
        for merge in merges:
            removal.traces.read(merge.reason)
            left |= {merge.keep, merge.other} - {entity}
        removal.count("merges", transaction.delete(MergeRow, [either]))
        under = [Test("merged_into", "eq", entity)]
        left |= {row.id for row in transaction.find(EntityRow, under, order="id")}
        above = found[0].merged_into
        left |= set() if above is None else {above}
        transaction.update(EntityRow, under, merged_into=None, agent=None)
        removal.count("entities", transaction.delete(EntityRow, [Test("id", "eq", entity)]))


def _is_known(removal: Removal, entity: int) -> bool:
    """Say whether a memory mentions an entity, a relation has it as an end, or somebody said so by hand."""
    transaction = removal.transaction
    ends = AnyOf(((Test("source", "eq", entity),), (Test("target", "eq", entity),)))
    return bool(
        transaction.find(MentionRow, [Test("entity", "eq", entity)], order="entity", limit=1)
        or transaction.find(EntityNote, [Test("entity", "eq", entity)], order="entity", limit=1)
        or transaction.find(RelationRow, [ends], order="id", limit=1)
    )
