"""What has to go with a memory: the turns it came from, and all that was derived from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.filters import Test, within
from recollect.models import Kind, Memory, Scope
from recollect.protocols import Edge, Reader, Record

_HEARD = (Kind.EPISODIC, Kind.WORKING)
_DERIVED = Test("relation", "eq", "derived_from")


@dataclass(frozen=True, slots=True)
class Doomed:
    """The memories asked for, those they came from, and those that came of them."""

    asked: tuple[Record, ...]
    sources: tuple[Record, ...] = ()
    derived: tuple[Record, ...] = ()

    @property
    def all(self) -> tuple[Record, ...]:
        """All of them."""
        return (*self.asked, *self.sources, *self.derived)


def doomed(transaction: Reader, scope: Scope, asked: Sequence[Record]) -> Doomed:
    """Return what goes with the memories asked for.

    A fact goes with the turns that it was read in, as far as the view holds them. What retells many memories (a
    summary, a conclusion, a habit) leaves those alone; but it goes with any of them, whoever's it is: it holds what it
    was told from. What was known before a memory was recorded does not derive from it, even if that bears it out.
    """
    held = {record.num: record for record in asked}
    facts = [record for record in asked if record.memory.kind is Kind.SEMANTIC and not _retells(record.memory)]
    above = [num for num in _sources(transaction, [fact.num for fact in facts]) if num not in held]
    nums = Test("num", "in", tuple(above))
    found = transaction.find(Record, within(scope).but(nums, Test("kind", "in", _HEARD))) if above else []
    sources = {record.num: record for record in found}
    held |= sources
    derived: dict[int, Record] = {}
    new, first = dict(held), True
    while new:
        below = _below(transaction, new)
        new = {
            record.num: record
            for source, record in below
            if record.num not in held and (source not in sources or not first or _retells(record.memory))
        }
        derived |= new
        held |= new
        first = False
    return Doomed(tuple(asked), tuple(sources.values()), tuple(derived.values()))


def other_sources(transaction: Reader, doomed: Doomed) -> list[int]:
    """Return the rows of episodes that stay, from which something was learnt that goes."""
    going = {record.num for record in doomed.all}
    return [num for num in _sources(transaction, [r.num for r in doomed.derived]) if num not in going]


def _below(transaction: Reader, above: dict[int, Record]) -> Iterator[tuple[int, Record]]:
    """Return each memory that derives from one of these, with that one."""
    edges = transaction.find(Edge, [Test("target", "in", tuple(above)), _DERIVED])
    nums = tuple({edge.source for edge in edges})
    found = {record.num: record for record in transaction.find(Record, [Test("num", "in", nums)])} if nums else {}
    for edge in edges:
        record = found[edge.source]
        if record.memory.recorded_at >= above[edge.target].memory.recorded_at:
            yield edge.target, record


def _sources(transaction: Reader, nums: Iterable[int]) -> list[int]:
    edges = transaction.find(Edge, [Test("source", "in", tuple(nums)), _DERIVED])
    return list(dict.fromkeys(edge.target for edge in edges))


def _retells(memory: Memory) -> bool:
    return memory.kind is Kind.PROCEDURAL or memory.metadata.get("is_summary") is True
