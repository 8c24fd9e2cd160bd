"""Stating relations by hand, one or a thousand in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.engine import Engine
from recollect.entities import Named
from recollect.errors import NotFound
from recollect.filters import Test, reachable
from recollect.graph.chunks import among
from recollect.graph.packs import Packs
from recollect.graph.register import Register, rooted
from recollect.graphrows import EVERYBODY, STATED, EntityNote, EntityRow, MentionRow, RelationRow
from recollect.models import Scope, Status
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail, who

_AT_ONCE = 500  # memories looked up together


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A relation stated by hand: the memories that are its evidence, how strong it is, and when it holds."""

    source: Named
    relation: str
    target: Named
    evidence: tuple[str, ...] = ()
    weight: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None


def add_relationships(engine: Engine, scope: Scope, said: Sequence[Statement]) -> int:
    """State relations in one transaction and return how many are new; nodes that are missing are made.

    Said again, the new statement takes the place of the old. Raises `NotFound` for a memory that is not there, and
    `ValueError` for a relation of an entity with itself; then nothing is stated.
    """
    now = engine.clock.now()

    def run(transaction: Transaction) -> int:
        return _Batch(transaction, engine.packs, scope, now).state(said)

    return engine.store.write(run, scope.org)


_Placed = tuple[Statement, str | None, int | None]
"""A statement, in which user's namespace it stands, and the memory that is its evidence."""


class _Batch:
    """Some relations stated in one transaction."""

    def __init__(self, transaction: Transaction, packs: Packs, scope: Scope, now: datetime) -> None:
        self._transaction, self._scope, self._now = transaction, scope, now
        self._packs = packs
        self._trail = Trail(transaction, scope.org, actor=who(scope), at=now)

    def state(self, said: Sequence[Statement]) -> int:
        """Put what is new of the statements and all that they need."""
        cited = self._memories([memory_id for each in said for memory_id in each.evidence])
        last = self._transaction.highest(EntityRow, "id", []) or 0
        placed = [(each, *place) for each in said for place in self._places(each, cited)]
        ids = self._ids(placed)
        self._check(placed, ids)
        own = self._scope.user
        self._stand({ids[own, end] for each, _, num in placed if num is None for end in (each.source, each.target)})
        told = [(ids[user, end], num) for each, user, num in placed if num for end in (each.source, each.target)]
        self._mention(list(dict.fromkeys(told)))
        rows: dict[tuple[int, str, int, int | None], RelationRow] = {}
        for each, user, num in placed:
            row = self._row(each, (ids[user, each.source], ids[user, each.target]), num)
            rows[row.source, row.relation, row.target, row.num] = row
        new = [row for row in rows.values() if max(row.source, row.target) > last or self._takes_over(row)]
        self._transaction.put(*new)
        for source in dict.fromkeys(row.source for row in new):
            self._trail.note("add_relationship", f"ent_{source}")
        self._trail.write()
        return len(new)

    def _places(self, said: Statement, cited: Mapping[str, Record]) -> Iterator[tuple[str | None, int | None]]:
        """Yield where a statement stands: beside each memory that says so, or in the view's own place."""
        for memory_id in said.evidence:
            yield cited[memory_id].memory.scope.user, cited[memory_id].num
        if not said.evidence:
            yield self._scope.user, None

    def _ids(self, placed: Sequence[_Placed]) -> dict[tuple[str | None, Named], int]:
        """Return the entity of each name, in the namespace of each user."""
        names: dict[str | None, dict[Named, None]] = {}
        for said, user, _ in placed:
            names.setdefault(user, {}).update({said.source: None, said.target: None})
        found: dict[tuple[str | None, Named], int] = {}
        for user, some in names.items():
            register = Register(self._transaction, self._packs, self._scope.org, user)
            found |= {(user, named): number for named, number in zip(some, register.ids(list(some)), strict=True)}
        return found

    def _memories(self, ids: Sequence[str]) -> dict[str, Record]:
        """Return memories that the view reaches."""
        wanted, found = list(dict.fromkeys(ids)), dict[str, Record]()
        for start in range(0, len(wanted), _AT_ONCE):
            some = Test("id", "in", tuple(wanted[start : start + _AT_ONCE]))
            reached = reachable(self._scope).but(some, Test("status", "ne", Status.FORGOTTEN))
            found |= {record.memory.id: record for record in self._transaction.find(Record, reached)}
        missing = next((memory_id for memory_id in wanted if memory_id not in found), None)
        if missing is not None:
            raise NotFound(missing)
        return found

    def _check(self, placed: Sequence[_Placed], ids: Mapping[tuple[str | None, Named], int]) -> None:
        """Raise for a relation of an entity with itself, under whichever of its names."""
        rows = among(self._transaction, EntityRow, "id", set(ids.values()))
        tops = {row: top.id for row, top in rooted(self._transaction, rows, self._scope.agent).items()}
        for each, user, _ in placed:
            if tops[ids[user, each.source]] == tops[ids[user, each.target]]:
                one, other = each.source.name, each.target.name
                raise ValueError(f"{one!r} and {other!r} are one: a relation needs two entities")

    def _stand(self, entities: set[int]) -> None:
        """Let entities stand by themselves that no memory is to vouch for."""
        whose = self._scope.agent or EVERYBODY
        held = among(self._transaction, EntityNote, "entity", entities, Test("agent", "eq", whose), order="entity")
        new = sorted(entities - {note.entity for note in held})
        self._transaction.put(*(EntityNote(entity, whose, "{}") for entity in new))

    def _mention(self, cited: Sequence[tuple[int, int]]) -> None:
        """Let memories be about the ends of what they are the evidence of."""
        nums = {num for _, num in cited}
        held = among(self._transaction, MentionRow, "num", nums, Test("origin", "eq", STATED), order="num")
        known = {(row.entity, row.num) for row in held}
        self._transaction.put(*(MentionRow(*each, STATED, True) for each in cited if each not in known))

    def _row(self, said: Statement, entities: tuple[int, int], num: int | None) -> RelationRow:
        ends = entities[0], said.relation, entities[1]
        agent = self._scope.agent if num is None else None
        interval = said.valid_from, said.valid_until
        return RelationRow(*ends, num, agent, STATED, said.weight, *interval, self._now)

    def _takes_over(self, row: RelationRow) -> bool:
        """Close the statement that a new one replaces; False when it says just the same."""
        same = [Test(column, "eq", getattr(row, column)) for column in ("source", "relation", "target", "num", "agent")]
        told = [Test("origin", "eq", STATED), Test("believed_until", "eq", None)]
        held = self._transaction.find(RelationRow, [*same, *told], order="id")
        if any(before._replace(recorded_at=self._now, id=0) == row for before in held):
            return False
        for before in held:
            self._transaction.update(RelationRow, [Test("id", "eq", before.id)], believed_until=self._now)
        return True
