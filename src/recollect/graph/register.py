"""Who is who in one namespace: names turned into entities, made when they are new, inside a transaction.

Offline, two names are one entity when their keys are equal or somebody said so: by hand, in a pack's table, or in the
names that an import brought to the org. A text alone can only propose it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.entities import NAME, Named, family, name_key
from recollect.filters import Filter, Test
from recollect.graph.candidates import tells_threat
from recollect.graph.chunks import among
from recollect.graph.packs import Packs
from recollect.graphrows import EVERYBODY, MERGED, EntityNote, EntityRow, MentionRow, MergeRow
from recollect.models import Status
from recollect.protocols import Reader, Record, Transaction

_AT_ONCE = 500  # keys looked up together
_HEARD = 50  # memories that are heard about a name
_SAME_TRUST = 1e-9


class Author(NamedTuple):
    """Whose text names something: how far it is trusted, and the agent whose own memory it is."""

    trust: float
    agent: str | None


class Register:
    """The entities of one namespace, by name, inside the transaction it was made with.

    A `cautious` one takes no mere name of ordinary words for a threat: "Inception" is a film unless threats are talked
    about.
    """

    def __init__(
        self, transaction: Transaction, packs: Packs, org: str, user: str | None, *, cautious: bool = False
    ) -> None:
        self._transaction, self._packs, self._cautious, self._org = transaction, packs, cautious, org
        self._namespace = transaction.namespace(org, user)
        self._with_common = None if user is None else Filter(org, user, shared=True)
        self._rows: dict[str, list[EntityRow]] = {}
        self._common: dict[str, list[EntityRow]] = {}

    @property
    def namespace(self) -> int:
        """The number of the namespace."""
        return self._namespace

    def ids(self, names: Sequence[Named], by: Author | None = None) -> list[int]:
        """Return the row of each name, making those that are new; a merged one stays a row of its own.

        `by` is whose text names them, None when they are stated: a text gives no type to what others speak of.
        """
        self._look_up({name_key(*each) for each in names})
        return [self._id(each, by) for each in names]

    def find(self, named: Named) -> EntityRow | None:
        """Return the row of a name, None when the namespace does not know it."""
        self._look_up({name_key(*named)})
        found = self._own(named)
        if found is None and (called := self._called(named)) != named:
            self._look_up({name_key(*called)})
            found = self._own(called)
        return found

    def known(self, names: Sequence[Named]) -> list[EntityRow | None]:
        """Return the rows of names, None for those that neither the namespace nor the org's common one knows."""
        self._look_up({name_key(*each) for each in names})
        return [self._own(each) or self._of_all(each) for each in names]

    def _look_up(self, keys: Iterable[str]) -> None:
        unknown = [key for key in keys if key and key not in self._rows]
        for start in range(0, len(unknown), _AT_ONCE):
            some = unknown[start : start + _AT_ONCE]
            self._rows.update((key, []) for key in some)
            here = [Test("ns", "eq", self._namespace), Test("key", "in", tuple(some))]
            for row in self._transaction.find(EntityRow, here, order="id"):
                self._rows[row.key].append(row)
            missing = [key for key in some if not self._rows[key]]
            if missing and self._with_common is not None:
                for row in self._transaction.named(missing, self._with_common):
                    self._common.setdefault(row.key, []).append(row)

    def _own(self, named: Named) -> EntityRow | None:
        return best(self._meant(self._rows, named), named.type)

    def _of_all(self, named: Named) -> EntityRow | None:
        return best(self._meant(self._common, named), named.type)

    def _meant(self, rows: Mapping[str, Sequence[EntityRow]], named: Named) -> Sequence[EntityRow]:
        found = rows.get(name_key(*named), ())
        if not self._cautious or named.type != NAME:
            return found
        return [row for row in found if tells_threat(row, named.name)]

    def _id(self, named: Named, by: Author | None) -> int:
        found = self._own(named)
        if found is None:
            called = self._called(named)
            if called != named:
                self._look_up({name_key(*called)})
                found = self._own(called) or self._made(called)
            else:
                found = self._made(named)
        elif found.family == NAME != named.type:  # now somebody says what it is
            may = by is None or self._speaks_alone(found, by)
            found = self._typed(found, named.type) if may else self._made(named)
        return found.id

    def _speaks_alone(self, row: EntityRow, by: Author) -> bool:
        """Say whether nobody speaks of a mere name who is trusted more, nor anybody beside an agent in its memories."""
        here = [Test("entity", "eq", row.id)]
        nums = tuple(mention.num for mention in self._transaction.find(MentionRow, here, order="-num", limit=_HEARD))
        told = self._transaction.find(Record, Filter(self._org).but(Test("num", "in", nums))) if nums else []
        others = (record.memory for record in told if record.memory.status is not Status.FORGOTTEN)
        return not any(
            each.trust > by.trust + _SAME_TRUST or by.agent not in (None, each.scope.agent) for each in others
        )

    def _called(self, named: Named) -> Named:
        """Return the canonical name that the org's common entities, or a pack's table, give to a name."""
        common = commonly(self._transaction, self._meant(self._common, named), named)
        if common is not None:
            return common
        if self._cautious and named.type == NAME:
            return named  # a pack that took it for no more has looked into its table
        return self._packs.canonical(named.type, named.name) or named

    def _made(self, named: Named, *, into: int | None = None, agent: str | None = None) -> EntityRow:
        place = self._namespace, named.type, family(named.type), name_key(*named)
        row = EntityRow(*place, named.name.strip(), into, agent)
        (number,) = self._transaction.put(row)
        row = row._replace(id=number)
        self._rows.setdefault(row.key, []).append(row)
        return row

    def _typed(self, row: EntityRow, type_: str) -> EntityRow:
        """Give a row that is a mere name its type."""
        after = row._replace(type=type_, family=family(type_))
        self._transaction.update(EntityRow, [Test("id", "eq", row.id)], type=after.type, family=after.family)
        rows = self._rows[row.key]
        rows[rows.index(row)] = after
        return after

    # ------------------------------------------------------------------------------------------------- what is stated

    def stand(self, entity: int, agent: str | None, metadata: Mapping[str, Any]) -> None:
        """Let an entity stand by itself, for one agent or all; metadata merges into what is there, None removes a key.

        Raises `ValueError` for more metadata than a memory may have.
        """
        whose = agent or EVERYBODY
        here = [Test("entity", "eq", entity), Test("agent", "eq", whose)]
        held = self._transaction.find(EntityNote, here, order="entity")
        before = json.loads(held[0].metadata) if held else {}
        merged = {key: value for key, value in {**before, **metadata}.items() if value is not None}
        if not held or merged != before:
            self._transaction.put(EntityNote(entity, whose, json.dumps(merged, ensure_ascii=False)))

    def retyped(self, entity: int, type_: str) -> None:
        """Let an entity have the type that its owner states, within its family."""
        self._transaction.update(EntityRow, [Test("id", "eq", entity)], type=type_)

    def top(self, entity: int, agent: str | None) -> EntityRow:
        """Return the entity that a row counts as, as an agent sees it."""
        rows = self._transaction.find(EntityRow, [Test("id", "eq", entity)], order="id")
        return rooted(self._transaction, rows, agent)[entity]

    def alias(self, entity: int, named: Named, agent: str | None) -> EntityRow | None:
        """Make a name another name of an entity, for one agent or all; return its row if it was an entity of its own.

        Raises `ValueError` when it is another name of a third one.
        """
        top = self.top(entity, agent)
        self._look_up({name_key(*named)})
        row = self._own(named)
        if row is None:
            self._made(named, into=top.id, agent=agent)
            return None
        held = rooted(self._transaction, [row], agent)[row.id]
        if held.id == top.id:
            if agent is None and row.agent is not None:  # what one agent said, all are told now
                self._transaction.update(
                    MergeRow, [Test("other", "eq", row.id), Test("state", "eq", MERGED)], agent=None
                )
                self._point(row.id, merged_into=row.merged_into, agent=None)
            return None
        if held.id != row.id:
            raise ValueError(f"{named.name!r} is another name of {held.name!r} already: unmerge it first")
        self.merge(row.id, top.id, agent)
        return row

    def merge(self, other: int, into: int, agent: str | None) -> None:
        """Point one root at another, for one agent or all; raises `ValueError` where another agent's word stands."""
        row = self._transaction.find(EntityRow, [Test("id", "eq", other)], order="id")[0]
        if row.merged_into is not None:
            raise ValueError(f"{row.name!r} is another name of an entity already, by another agent's word")
        if self.top(into, None).id == other:
            raise ValueError(f"{row.name!r} is what the other counts as already, by another agent's word")
        (above,) = self._transaction.find(EntityRow, [Test("id", "eq", into)], order="id")
        # A mere name that becomes another name of a tool is no longer there to be a place's, or anything else's.
        kin = above.family if row.family == NAME else row.family
        self._point(other, merged_into=into, agent=agent, family=self._free(row, kin))

    def part(self, other: int) -> None:
        """Let a row that was merged stand for itself again."""
        (row,) = self._transaction.find(EntityRow, [Test("id", "eq", other)], order="id")
        self._point(other, merged_into=None, agent=None, family=self._free(row, family(row.type)))

    def _free(self, row: EntityRow, wanted: str) -> str:
        """Return the family that a row shall have, its own where another row of its name has that one."""
        here = [Test("ns", "eq", row.ns), Test("key", "eq", row.key), Test("family", "eq", wanted)]
        return row.family if self._transaction.find(EntityRow, here, order="id", limit=1) else wanted

    def _point(self, row: int, **pointer: object) -> None:
        self._transaction.update(EntityRow, [Test("id", "eq", row)], **pointer)
        self._rows.clear()
        self._common.clear()


def best(rows: Sequence[EntityRow], type_: str) -> EntityRow | None:
    """Return the row that a name of a type means: its family's, else one whose type is not known; any for a mere name.

    A mere name that several typed entities have means the first of them.
    """
    wanted = family(type_)
    same = [row for row in rows if row.family == wanted]
    if same:
        return same[0]
    if wanted == NAME:
        return rows[0] if rows else None
    return next((row for row in rows if row.family == NAME), None)


def rooted(reader: Reader, rows: Sequence[EntityRow], viewer: str | None) -> dict[int, EntityRow]:
    """Return, by the id of each row, the entity that it counts as: itself, or what it is merged into.

    What another agent than the viewer has merged is not; a viewer of None sees every agent's merges.
    """
    above = {row.id: row for row in rows}
    missing = {at for row in rows if (at := row.above(viewer)) is not None} - above.keys()
    while missing:
        found = among(reader, EntityRow, "id", missing)
        above.update((row.id, row) for row in found)
        missing = {at for row in found if (at := row.above(viewer)) is not None} - above.keys()
    return {row.id: _top(row, above, viewer) for row in rows}


def _top(row: EntityRow, above: Mapping[int, EntityRow], viewer: str | None) -> EntityRow:
    while (at := row.above(viewer)) is not None and at in above:
        row = above[at]
    return row


def commonly(reader: Reader, rows: Sequence[EntityRow], named: Named) -> Named | None:
    """Return the canonical name that the org's common entities give to a name, None when nobody stated any.

    What a text or a single agent says of a name there is no word on anybody else's.
    """
    row = best(rows, named.type)
    if row is None:
        return None
    top = rooted(reader, [row], EVERYBODY)[row.id]
    stated = [Test("entity", "eq", top.id), Test("agent", "eq", EVERYBODY)]
    if not reader.find(EntityNote, stated, order="entity", limit=1):
        return None
    return Named(named.type if top.type == NAME else top.type, top.name)
