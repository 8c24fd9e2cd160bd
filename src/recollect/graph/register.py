"""Who is who in one namespace: names turned into entities, made when they are new, inside a transaction.

Offline, two names are one entity when their keys are equal or somebody said so: by hand, in a pack's table, or in the
names that an import brought to the org. A text alone can only propose it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.entities import NAME, Named, family, name_key
from recollect.filters import Filter, Test
from recollect.graph.candidates import tells_threat
from recollect.graph.chunks import among
from recollect.graph.packs import Packs
from recollect.graphrows import EVERYBODY, EntityNote, EntityRow
from recollect.protocols import Reader, Transaction

_AT_ONCE = 500  # keys looked up together


class Register:
    """The entities of one namespace, by name, inside the transaction it was made with.

    A `cautious` one takes no mere name of ordinary words for a threat: "Inception" is a film unless threats are talked
    about.
    """

    def __init__(
        self, transaction: Transaction, packs: Packs, org: str, user: str | None, *, cautious: bool = False
    ) -> None:
        self._transaction, self._packs, self._cautious = transaction, packs, cautious
        self._namespace = transaction.namespace(org, user)
        self._with_common = None if user is None else Filter(org, user, shared=True)
        self._rows: dict[str, list[EntityRow]] = {}
        self._common: dict[str, list[EntityRow]] = {}

    @property
    def namespace(self) -> int:
        """The number of the namespace."""
        return self._namespace

    def ids(self, names: Sequence[Named]) -> list[int]:
        """Return the row of each name, making those that are new; a merged one stays a row of its own."""
        self._look_up({name_key(*each) for each in names})
        return [self._id(each) for each in names]

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

    def _id(self, named: Named) -> int:
        found = self._own(named)
        if found is None:
            called = self._called(named)
            if called != named:
                self._look_up({name_key(*called)})
                found = self._own(called) or self._made(called)
            else:
                found = self._made(named)
        elif found.family == NAME != named.type:  # now somebody says what it is
            found = self._typed(found, named.type)
        return found.id

    def _called(self, named: Named) -> Named:
        """Return the canonical name that the org's common entities, or a pack's table, give to a name."""
        row = self._of_all(named)
        if row is not None:
            top = rooted(self._transaction, [row])[row.id]
            return Named(top.type if top.type != NAME else named.type, top.name)
        if self._cautious and named.type == NAME:
            return named  # a pack that took it for no more has looked into its table
        return self._packs.canonical(named.type, named.name) or named

    def _made(self, named: Named, *, into: int | None = None) -> EntityRow:
        row = EntityRow(self._namespace, named.type, family(named.type), name_key(*named), named.name.strip(), into)
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

    def alias(self, entity: int, named: Named) -> EntityRow | None:
        """Make a name another name of an entity; return the row that it had if it was an entity of its own.

        Raises `ValueError` when it is another name of a third one.
        """
        tops = rooted(self._transaction, self._transaction.find(EntityRow, [Test("id", "eq", entity)], order="id"))
        top = next(iter(tops.values()))
        self._look_up({name_key(*named)})
        row = self._own(named)
        if row is None:
            self._made(named, into=top.id)
            return None
        held = rooted(self._transaction, [row])[row.id]
        if held.id == top.id:
            return None
        if held.id != row.id:
            raise ValueError(f"{named.name!r} is another name of {held.name!r} already: unmerge it first")
        self.merge(row.id, top.id)
        return row

    def merge(self, other: int, into: int) -> None:
        """Point one root at another."""
        self._transaction.update(EntityRow, [Test("id", "eq", other)], merged_into=into)
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


def rooted(reader: Reader, rows: Sequence[EntityRow]) -> dict[int, EntityRow]:
    """Return, by the id of each row, the entity that it counts as: itself, or what it is merged into."""
    above = {row.id: row for row in rows}
    missing = {row.merged_into for row in rows if row.merged_into is not None} - above.keys()
    while missing:
        found = among(reader, EntityRow, "id", missing)
        above.update((row.id, row) for row in found)
        missing = {row.merged_into for row in found if row.merged_into is not None} - above.keys()
    return {row.id: _top(row, above) for row in rows}


def _top(row: EntityRow, above: Mapping[int, EntityRow]) -> EntityRow:
    while row.merged_into is not None and row.merged_into in above:
        row = above[row.merged_into]
    return row
