"""Writing down what memories are about, in the transaction that stores them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from recollect.entities import NAME, Entity, Mention, Named, Triple, family, relation_name
from recollect.filters import Test
from recollect.graph.candidates import apart, is_meant
from recollect.graph.causes import CAUSAL
from recollect.graph.packs import Packs
from recollect.graph.register import Author, Register, rooted
from recollect.graph.seen import PAIRS, Seen, seen_again
from recollect.graphrows import (
    ASKED,
    FACT,
    MERGED,
    MODEL,
    PROPOSED,
    TEXT,
    TOLD,
    EntityRow,
    MentionRow,
    MergeRow,
    RelationRow,
)
from recollect.models import Memory
from recollect.protocols import Record, Transaction

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
