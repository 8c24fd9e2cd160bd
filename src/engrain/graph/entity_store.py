"""Entities of a namespace in the store: resolved by name, created, and linked to memories within a transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from engrain.graph.extraction import Candidate, apart, candidates, extracted, is_meant, tells_threat
from engrain.graph.packs import Packs
from engrain.graph.relations import CAUSAL
from engrain.model.entities import NAME, About, Entity, Mention, Named, Triple, family, name_key, relation_name
from engrain.model.filters import Condition, Filter, Test
from engrain.model.memory import Memory, Status
from engrain.storage import queries
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import (
    ALL_AGENTS,
    ASKED,
    FACT,
    MERGED,
    MODEL,
    PROPOSED,
    TEXT,
    TOLD,
    EntityNote,
    EntityRow,
    MentionRow,
    MergeRow,
    Record,
    RelationRow,
)

R = TypeVar("R")
_CHUNKS_AT_ONCE = 500


def among(
    reader: Reader, kind: type[R], column: str, values: Collection[int], *tests: Condition, order: str = "id"
) -> list[R]:
    """Return the rows of a kind whose column is one of the values and that pass the tests."""
    wanted, found = list(values), list[R]()
    for start in range(0, len(wanted), _CHUNKS_AT_ONCE):
        some: Sequence[int] = tuple(wanted[start : start + _CHUNKS_AT_ONCE])
        found += reader.find(kind, [Test(column, "in", some), *tests], order=order)
    return found


_REGISTER_AT_ONCE = 500  # keys looked up together
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
        for start in range(0, len(unknown), _REGISTER_AT_ONCE):
            some = unknown[start : start + _REGISTER_AT_ONCE]
            self._rows.update((key, []) for key in some)
            here = [Test("ns", "eq", self._namespace), Test("key", "in", tuple(some))]
            for row in self._transaction.find(EntityRow, here, order="id"):
                self._rows[row.key].append(row)
            missing = [key for key in some if not self._rows[key]]
            if missing and self._with_common is not None:
                for row in queries.named(self._transaction, missing, self._with_common):
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
        whose = agent or ALL_AGENTS
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
    top = rooted(reader, [row], ALL_AGENTS)[row.id]
    stated = [Test("entity", "eq", top.id), Test("agent", "eq", ALL_AGENTS)]
    if not reader.find(EntityNote, stated, order="entity", limit=1):
        return None
    return Named(named.type if top.type == NAME else top.type, top.name)


PAIRS = 12  # names of one memory up to which it says something that they stand together
MOST_ENTITIES = 64  # names that a memory shows; the graph knows them all
_SHORT = 4  # words of a part of a fact that was read in a text, up to which it is taken for a name
_UNTOLD = frozenset((NAME, "date", "event"))  # types that make no tag


@dataclass(frozen=True, slots=True)
class Seen:
    """What a memory is about.

    `triples` come with where they are from; `same` are names that the text calls one; `maybe` are spans that may be
    names which the store knows already.
    """

    named: tuple[Named, ...] = ()
    stated: tuple[Entity, ...] = ()
    triples: tuple[tuple[Triple, str], ...] = ()
    same: tuple[tuple[Named, Named], ...] = ()
    maybe: tuple[Candidate, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the memory shows, those its writer stated first."""
        told = [*(entity.name for entity in self.stated), *(named.name for named in self.named)]
        return tuple(dict.fromkeys(told))[:MOST_ENTITIES]

    @property
    def tags(self) -> tuple[str, ...]:
        """The types of its entities, for tags."""
        types = [*(entity.type for entity in self.stated), *(named.type for named in self.named)]
        return tuple(type_ for type_ in dict.fromkeys(types) if type_ not in _UNTOLD)

    @property
    def told(self) -> frozenset[Named]:
        """The entities that its writer stated outright."""
        stated = (Named(entity.type, entity.name) for entity in self.stated)
        triples = (triple for triple, origin in self.triples if origin == TOLD)
        return frozenset((*stated, *(end for triple in triples for end in (triple.source, triple.target))))

    @property
    def ends(self) -> tuple[Named, ...]:
        """Every entity that the memory is about, each once."""
        stated = (Named(entity.type, entity.name) for entity in self.stated)
        ends = (end for triple, _ in self.triples for end in (triple.source, triple.target))
        return tuple(dict.fromkeys((*self.named, *stated, *ends)))


NOTHING = Seen()
"""What a memory is about that names nothing, or that is not admitted."""


def seen(memory: Memory, packs: Packs, *, about: About | None = None, fact_given: bool = False) -> Seen:
    """Read what a memory is about; what is quarantined is not read.

    `fact_given` says that its fact is its writer's own: both ends are entities, however they look.
    """
    if memory.status is Status.QUARANTINED:
        return NOTHING
    found = extracted(memory.content, domain=memory.domain, packs=packs)
    named = tuple(Named(mention.type, mention.name) for mention in found.mentions)
    triples = [(triple, TEXT) for triple in found.triples]
    stated = _of_fact(memory, named, fact_given)
    if stated is not None:
        triples.append((stated, FACT))
    if about is not None:
        triples += [(triple, TOLD) for triple in about.triples]
    maybe = candidates(memory.content, found.mentions)
    return Seen(named, about.entities if about is not None else (), tuple(triples), found.same, maybe)


def seen_again(before: Seen, memory: Memory, packs: Packs, known: Sequence[Mention]) -> Seen:
    """Read a text again with names in it that the store knew before; what was stated of it stays."""
    found = extracted(memory.content, domain=memory.domain, packs=packs, known=known)
    named = tuple(Named(mention.type, mention.name) for mention in found.mentions)
    triples = [(triple, TEXT) for triple in found.triples] + [each for each in before.triples if each[1] != TEXT]
    return Seen(named, before.stated, tuple(triples), found.same)


def _of_fact(memory: Memory, named: tuple[Named, ...], given: bool) -> Triple | None:
    """Return a memory's fact as a relation between two entities; None when an end of it is no name."""
    fact = memory.fact
    if fact is None:
        return None
    ends = []
    for part in (fact.subject, fact.object):
        known = next((each for each in named if name_key(each.type, each.name) == name_key(each.type, part)), None)
        if known is None and not (given or len(part.split()) <= _SHORT):
            return None
        ends.append(known or Named(NAME, part))
    keys = [(family(end.type), name_key(*end)) for end in ends]
    if keys[0] == keys[1] or not all(key for _, key in keys):
        return None
    return Triple(ends[0], relation_name(fact.predicate) or "related_to", ends[1])


NewId = Callable[[str], str]
Told = tuple[int, Memory, Seen]
"""The row number of a memory, the memory, and what it is about."""


class Recorder:
    """Writes down what memories are about; `new_id` names what is proposed."""

    def __init__(self, transaction: Transaction, packs: Packs, new_id: NewId, at: datetime) -> None:
        self._transaction, self._packs, self._new_id, self._at = transaction, packs, new_id, at

    def record(self, told: Sequence[Told]) -> None:
        """Put the entities, mentions and relations of memories that are stored already."""
        groups: dict[tuple[str, str | None, bool], dict[Author, list[Told]]] = {}
        for each in told:
            if each[2].ends or each[2].maybe:
                scope, cautious = each[1].scope, each[1].domain not in CAUSAL
                author = Author(each[1].trust, scope.agent)
                groups.setdefault((scope.org, scope.user, cautious), {}).setdefault(author, []).append(each)
        for (org, user, cautious), authors in groups.items():
            register = Register(self._transaction, self._packs, org, user, cautious=cautious)
            for author, some in authors.items():
                self._in(register, some, author)

    def again(self, num: int, memory: Memory, seen: Seen) -> None:
        """Put what a memory is about that was edited, or admitted, in place of what its text said before."""
        here, read = Test("num", "eq", num), (TEXT, FACT, TOLD) if seen.told else (TEXT, FACT)
        for kind in (MentionRow, RelationRow):
            self._transaction.delete(kind, [here, Test("origin", "in", read)])
        self._transaction.delete(MergeRow, [here, Test("state", "eq", PROPOSED)])
        self.record([(num, memory, seen)])

    def unread(self, num: int) -> None:
        """Take out what a language model read in a memory's text, which says something else by now."""
        for kind in (MentionRow, RelationRow):
            self._transaction.delete(kind, [Test("num", "eq", num), Test("origin", "eq", MODEL)])

    def read(self, num: int, memory: Memory, triples: Sequence[Triple]) -> int:
        """Put what a language model read in a memory's text, in place of what one read before; return how much is new.

        What the text was found to state anyway is left as it is.
        """
        self.unread(num)
        scope, cautious = memory.scope, memory.domain not in CAUSAL
        register = Register(self._transaction, self._packs, scope.org, scope.user, cautious=cautious)
        ends = list(dict.fromkeys(end for triple in triples for end in (triple.source, triple.target)))
        ids = dict(zip(ends, register.ids(ends, Author(memory.trust, scope.agent)), strict=True))
        held = self._transaction.find(RelationRow, [Test("num", "eq", num)], order="id")
        known = {row[:3] for row in held}
        rows = {row[:3]: row for triple in triples for row in [self._relation(num, triple, MODEL, ids)]}
        new = [row for place, row in rows.items() if place not in known and row.source != row.target]
        about = dict.fromkeys(end for row in new for end in (row.source, row.target))
        told = self._transaction.find(MentionRow, [Test("num", "eq", num)])
        named = {row.entity for row in told}
        mentions = [MentionRow(entity, num, MODEL, False) for entity in about if entity not in named]
        self._transaction.put(*mentions, *new)
        return len(new)

    def _in(self, register: Register, told: Sequence[Told], author: Author) -> None:
        told = self._with_known(register, told)
        stated = list(dict.fromkeys(end for _, _, seen in told for end in seen.told))
        named = list(dict.fromkeys(end for _, _, seen in told for end in seen.ends))
        ids = dict(zip(stated + named, register.ids(stated) + register.ids(named, author), strict=True))
        for num, memory, seen in told:
            for entity in seen.stated:
                self._stand(register, ids[Named(entity.type, entity.name)], entity, (num, memory.scope.agent))
        mentions = [row for num, _, seen in told for row in _mentions(num, seen, ids)]
        relations = [row for num, _, seen in told for row in self._relations(num, seen, ids)]
        self._transaction.put(*self._new(told, mentions), *relations)
        for num, memory, seen in told:
            for one, other in seen.same:
                self._propose(register, num, memory, (one, other))

    def _with_known(self, register: Register, told: Sequence[Told]) -> list[Told]:
        """Return what memories are about with the names that the store knew before, where their texts hold any."""
        spans = list(dict.fromkeys(Named(NAME, each.name) for _, _, seen in told for each in seen.maybe))
        rows = dict(zip(spans, register.known(spans), strict=True))
        out: list[Told] = []
        for num, memory, seen in told:
            found = [
                (candidate, row)
                for candidate in seen.maybe
                if (row := rows[Named(NAME, candidate.name)]) is not None and is_meant(candidate, row, memory.domain)
            ]
            known = [Mention(row.type, row.name, each.start, each.end) for each, row in apart(found)]
            if known:
                seen = seen_again(seen, memory, self._packs, known)
                self._transaction.update(Record, [Test("num", "eq", num)], entities=seen.names)
            out.append((num, memory, seen))
        return out

    def _new(self, told: Sequence[Told], mentions: Sequence[MentionRow]) -> list[MentionRow]:
        """Return the mentions that are not there already, by hand or by the writer."""
        held = self._transaction.find(MentionRow, [Test("num", "in", tuple(num for num, _, _ in told))])
        known = {(row.entity, row.num) for row in held}
        return [row for row in mentions if (row.entity, row.num) not in known]

    def _stand(self, register: Register, entity: int, told: Entity, by: tuple[int, str | None]) -> None:
        num, agent = by
        register.stand(entity, agent, told.metadata)
        register.retyped(entity, told.type)
        for alias in told.aliases:
            try:
                before = register.alias(entity, Named(told.type, alias), agent)
            except ValueError:
                continue  # the name is another's already, and stays it
            if before is not None:
                place, keep = (self._new_id("mrg"), register.namespace), register.top(entity, agent).id
                reason = f"{alias} is another name of {told.name}"
                self._transaction.put(MergeRow(*place, keep, before.id, num, agent, MERGED, reason, self._at))

    def _relations(self, num: int, seen: Seen, ids: Mapping[Named, int]) -> list[RelationRow]:
        rows: dict[tuple[int, str, int], RelationRow] = {}
        for triple, origin in seen.triples:
            row = self._relation(num, triple, origin, ids)
            place = row[:3]
            if row.source != row.target and (place not in rows or rows[place].weight < row.weight):
                rows[place] = row
        return list(rows.values())

    def _relation(self, num: int, triple: Triple, origin: str, ids: Mapping[Named, int]) -> RelationRow:
        source, target, weight = ids[triple.source], ids[triple.target], min(max(triple.weight, 0.0), 1.0)
        relation = relation_name(triple.relation)
        return RelationRow(source, relation, target, num, None, origin, weight, None, None, self._at)

    def _propose(self, register: Register, num: int, memory: Memory, same: tuple[Named, Named]) -> None:
        """Ask for a verdict on two names that a text says are one: a text renames nothing by itself."""
        families = {family(each.type) for each in same}
        if len(families) == 2 and NAME not in families:
            return
        keep, other = register.ids(sorted(same, key=lambda each: each.type == NAME))  # what it is, is known of the one
        rows = self._transaction.find(EntityRow, [Test("id", "in", (keep, other))], order="id")
        tops = {row.id for row in rooted(self._transaction, rows, memory.scope.agent).values()}
        pair = [Test("keep", "in", tuple(tops)), Test("other", "in", tuple(tops)), Test("state", "ne", ASKED)]
        if len(tops) == 2 and not self._transaction.find(MergeRow, pair, order="id", limit=1):
            reason, agent = f"{same[0].name} is also called {same[1].name}", memory.scope.agent
            place = (self._new_id("mrg"), register.namespace)
            self._transaction.put(MergeRow(*place, keep, other, num, agent, PROPOSED, reason, self._at))


def _mentions(num: int, seen: Seen, ids: Mapping[Named, int]) -> list[MentionRow]:
    told = {ids[end] for end in seen.told}
    about = dict.fromkeys(ids[end] for end in seen.ends)
    pairs = len(about) <= PAIRS
    return [MentionRow(entity, num, TOLD if entity in told else TEXT, pairs) for entity in about]
