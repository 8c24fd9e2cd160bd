"""The entity store of a namespace: entities stated by callers or found in texts, resolved by name, with mentions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from engrain.graph.extraction import CAUSAL, Candidate, can_mean, candidates, extracted, is_mention
from engrain.graph.packs import Packs
from engrain.language.calendar import parse_when
from engrain.language.names import is_given
from engrain.lazy import tomllib
from engrain.model import entities as models
from engrain.model.entities import IDENTIFIERS, NAME, Entity, Mention, Named, Triple, family, name_key, relation_name
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import Memory, Scope, Status
from engrain.storage import rows as tables
from engrain.storage.interface import AT_ONCE, Reader, Transaction, among, batches, rooted
from engrain.storage.rows import FACT, MERGED, MODEL, OWN, TEXT, TOLD, EntityRow, MentionRow, MergeRow, RelationRow
from engrain.text import check_text
from engrain.validation import When, checked_share, identifier, names

MAX_NAME = 2_048  # characters: URLs are names too
PAIRS = 12  # names of one memory up to which they count as co-mentions
_NEWEST = 50  # memories about a name that decide whose type it gets
_SAME_TRUST = 1e-9
_SHORT = 4  # words up to which a part of an extracted fact counts as a name
_NO_TAGS = frozenset((NAME, "date", "event"))  # types that give no tag


def entity_named(type_: str, value: str) -> Named:
    """Return an entity by a caller's type and name; raises `ValueError` or `TypeError` for an invalid one."""
    kind = models.type_name(identifier(type_, "entity type"))
    if not kind:
        raise ValueError(f"entity type {type_!r} has no letters: name one, such as 'actor' or 'person'")
    name = " ".join(check_text(value, what="entity name").split())
    if len(name) > MAX_NAME:
        raise ValueError(f"the entity name is {len(name):,} characters long, the limit is {MAX_NAME:,}")
    if not any(map(str.isprintable, name_key(kind, name))):
        raise ValueError(f"entity name {value!r} is blank, or nothing but punctuation: give its name")
    return Named(kind, models.refanged(name) if kind in IDENTIFIERS else name)


def pair(value: Sequence[str], what: str) -> Named:
    """Return an entity named by a `(type, name)` pair."""
    if isinstance(value, str) or len(value) != 2:
        raise TypeError(f"{what} must be a (type, name) pair, such as ('actor', 'APT28'), not {value!r}")
    return entity_named(value[0], value[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRelation:
    """A relation stated by a caller: its evidence, weight and validity."""

    source: Named
    relation: str
    target: Named
    evidence: tuple[str, ...] = ()
    weight: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None


def stated_relation(
    source: tuple[str, str],
    relation: str,
    target: tuple[str, str],
    *,
    evidence: str | Iterable[str] | None = None,
    weight: float = 1.0,
    valid_from: When | None = None,
    valid_until: When | None = None,
) -> StatedRelation:
    """Return a relation from the arguments of `Graph.add_relationship`; raises `ValueError` or `TypeError`."""
    ids = (evidence,) if isinstance(evidence, str) else () if evidence is None else names(evidence, "evidence")
    since = None if valid_from is None else parse_when(valid_from, name="valid_from")
    until = None if valid_until is None else parse_when(valid_until, name="valid_until")
    if since is not None and until is not None and until < since:
        raise ValueError(f"valid_until {until.isoformat()} is before valid_from {since.isoformat()}")
    name = relation_name(identifier(relation, "relation"))
    if not name:
        raise ValueError(f"relation {relation!r} has no letters: name it, as in 'uses'")
    one, other = pair(source, "source"), pair(target, "target")
    if (family(one.type), name_key(*one)) == (family(other.type), name_key(*other)):
        raise ValueError(f"{one.name!r} and {other.name!r} are one: a relation needs two entities")
    return StatedRelation(
        source=one,
        relation=name,
        target=other,
        evidence=ids,
        weight=checked_share(weight, "weight") or 0.0,
        valid_from=since,
        valid_until=until,
    )


def stated_relation_of(item: object, place: int) -> StatedRelation:
    """Return a relation from a mapping of the arguments; errors give its index among many."""
    if not isinstance(item, Mapping):
        raise TypeError(f"item {place}: a mapping with source, relation and target is needed, not {item!r}")
    known = StatedRelation.__dataclass_fields__
    missing = [name for name in ("source", "relation", "target") if name not in item]
    unknown = [name for name in item if name not in known]
    if missing or unknown:
        none_of = f"has {unknown[0]!r}, which is none of {', '.join(sorted(known))}" if unknown else ""
        raise TypeError(f"item {place} {f'lacks {missing[0]}' if missing else none_of}")
    try:
        return stated_relation(**item)
    except (TypeError, ValueError) as error:
        raise type(error)(f"item {place}: {error}") from None


def stated_in_batches(
    items: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[list[Mapping[str, Any]], list[StatedRelation]]]:
    """Yield the mappings of `Graph.add_relationships`, a thousand at a time, each thousand with its relations."""
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise TypeError("items must be an iterable of mappings with the arguments of add_relationship")
    for some in batches(enumerate(items), 1_000):
        yield [item for _, item in some], [stated_relation_of(item, number) for number, item in some]


def vocabulary(path: str | os.PathLike[str]) -> list[tuple[Named, list[str]]]:
    """Read a TOML or JSON file of aliases, `{type: {name: [aliases]}}`; raises `ValueError` for any other shape."""
    file = Path(path)
    text = file.read_text(encoding="utf-8")
    try:
        table = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read as {file.suffix or 'TOML'}: {error}") from None
    found = []
    for level in (table, *(table.values() if isinstance(table, Mapping) else ())):
        if not isinstance(level, Mapping):
            raise ValueError(f"{file} must hold types, in them names, and of each a list of aliases, not {level!r}")
    for type_, entries in table.items():
        for name, aliases in entries.items():
            if isinstance(aliases, str) or not isinstance(aliases, Sequence):
                raise ValueError(f"{file}: the aliases of {name!r} must be a list, not {aliases!r}")
            found.append((entity_named(type_, name), [entity_named(type_, alias).name for alias in aliases]))
    return found


class Author(NamedTuple):
    """The author of texts: the trust in them, and the agent whose private memories they are."""

    trust: float
    agent: str | None


KnownNames = tuple[Iterable[str], Sequence[EntityRow]]
"""Keys of looked-up names, and the rows found, of a namespace and of the org's common one."""


class EntityStore:
    """The entities of a namespace in one transaction; a `cautious` one takes no untyped ordinary word for a threat."""

    def __init__(
        self,
        transaction: Transaction,
        packs: Packs,
        org: str,
        user: str | None,
        *,
        cautious: bool = False,
        known: KnownNames = ((), ()),
    ) -> None:
        self._transaction, self._packs, self._cautious, self._org, self._user = transaction, packs, cautious, org, user
        self.namespace: int = transaction.namespace(org, user)
        self._rows: dict[str, list[EntityRow]] = {}
        self._common: dict[str, list[EntityRow]] = {}
        self._hidden: set[int] = set()  # rows that the author does not know
        self._unwritten: dict[int, EntityRow] = {}  # new rows, by a number below 0 until they are put together
        self.created: list[EntityRow] = []
        self._learn(*known)

    def ids(self, names: Sequence[Named], by: Author | None = None) -> list[int]:
        """Return the row of each name, new ones included; a text (`by`) types no name of more trusted authors."""
        self.look_up(names)
        found = list[int]()
        for each in names:
            row, resolved = self._resolved(each)
            if row is None:
                row = self._drafted(resolved)
            elif resolved == each and row.family == NAME != each.type:  # an untyped name is given a type
                row = self._typed(row, each.type) if by is None or self._may_type(row, by) else self._drafted(each)
            found.append(row.id)
        if not self._unwritten:
            return found
        new, self._unwritten = self._unwritten, {}
        ids = dict(zip(new, self._transaction.put(*(row._replace(id=0) for row in new.values())), strict=True))
        for number, row in new.items():
            same = self._rows[row.key]
            same[same.index(row)] = row._replace(id=ids[number])
            self.created.append(row._replace(id=ids[number]))
        return [ids.get(number, number) for number in found]

    def find(self, named: Named) -> EntityRow | None:
        """Return the row of a name, None if the namespace has none."""
        self.look_up([named])
        return self._resolved(named)[0]

    def known(self, names: Iterable[Named]) -> dict[Named, EntityRow]:
        """Return the rows of names in the namespace, or else the org's common ones, without hidden ones."""
        found = {each: self._best(self._rows, each) or self._best(self._common, each) for each in names}
        return {each: row for each, row in found.items() if row is not None and row.id not in self._hidden}

    def hide(self, agent: str | None) -> None:
        """Hide, of the looked-up names, those that only other agents than the author's know."""
        rows = [row for some in self._rows.values() for row in some] if agent is not None else []
        tops = rooted(self._transaction, rows, agent) if rows else {}
        wanted = {top.id for top in tops.values()}
        seen = self._transaction.entities(self._reach(agent), among=wanted, limit=len(wanted)) if wanted else []
        self._hidden = {row for row, top in tops.items() if top.id not in {each.id for each in seen}}

    def look_up(self, names: Iterable[Named]) -> None:
        """Load the rows of names in one query; later reads use them."""
        unknown = [key for key in dict.fromkeys(name_key(*each) for each in names) if key and key not in self._rows]
        for start in range(0, len(unknown), AT_ONCE):
            some = unknown[start : start + AT_ONCE]
            self._learn(some, self._transaction.look_up(self._org, self._user, names=some).entities)

    def _learn(self, keys: Iterable[str], rows: Sequence[EntityRow]) -> None:
        """Note looked-up rows; the org's common entities count for names that the namespace lacks."""
        self._rows.update((key, []) for key in keys)
        for row in rows:
            if row.ns == self.namespace:
                self._rows[row.key].append(row)
        for row in rows:
            if row.ns != self.namespace and not self._rows[row.key]:
                self._common.setdefault(row.key, []).append(row)

    def _best(self, rows: Mapping[str, list[EntityRow]], named: Named) -> EntityRow | None:
        found: Sequence[EntityRow] = rows.get(name_key(*named), ())
        if found and self._cautious and named.type == NAME:
            found = [row for row in found if can_mean(row, named.name)]
        if self._hidden:  # a hidden one of the same family is used all the same: there is no second of it
            open_, wanted = [row for row in found if row.id not in self._hidden], family(named.type)
            return best(open_, named.type) or next((row for row in found if row.family == wanted), None)
        return best(found, named.type) if found else None

    def _resolved(self, named: Named) -> tuple[EntityRow | None, Named]:
        """Return the row of a name or of its canonical name, and the name that it was found or is to be created by."""
        found = self._best(self._rows, named)
        if found is not None:
            return found, named
        common = self._best(self._common, named)
        canonical = None if common is None else common_name(self._transaction, common, named)
        if canonical is None and not (self._cautious and named.type == NAME):  # else a pack has used its table already
            canonical = self._packs.table.canonical(named.type, named.name)
        if canonical is None or canonical == named:
            return None, named
        self.look_up([canonical])
        return self._best(self._rows, canonical), canonical

    def _may_type(self, row: EntityRow, by: Author) -> bool:
        """Return whether no more trusted memory, nor for an agent's own one another agent's, uses an untyped name."""
        rows = newest_about(self._transaction, row.id)
        return not any(one.trust > by.trust + _SAME_TRUST or by.agent not in (None, one.scope.agent) for one in rows)

    def _drafted(self, named: Named, *, into: int | None = None, agent: str | None = None) -> EntityRow:
        """Return a new row, which `ids` puts together with the others."""
        place = self.namespace, named.type, family(named.type), name_key(*named)
        row = EntityRow(*place, named.name.strip(), into, agent, id=-1 - len(self._unwritten))
        self._unwritten[row.id] = row
        self._rows.setdefault(row.key, []).append(row)
        return row

    def _typed(self, row: EntityRow, type_: str) -> EntityRow:
        after = row._replace(type=type_, family=family(type_))
        if row.id in self._unwritten:
            self._unwritten[row.id] = after
        else:
            self._transaction.update(EntityRow, [Test("id", "eq", row.id)], type=after.type, family=after.family)
        rows = self._rows[row.key]
        rows[rows.index(row)] = after
        return after

    # -------------------------------------------------------------------------------------------------- stated by hand

    def keep(self, entity: int, agent: str | None, metadata: Mapping[str, Any]) -> None:
        """Keep an entity without a memory and merge its metadata; None removes a key, too much is a `ValueError`."""
        owner = agent or tables.ALL_AGENTS
        here = [Test("entity", "eq", entity), Test("agent", "eq", owner)]
        notes = self._transaction.find(tables.EntityNote, here, order="entity")
        before = json.loads(notes[0].metadata) if notes else {}
        merged = {key: value for key, value in {**before, **metadata}.items() if value is not None}
        if not notes or merged != before:
            self._transaction.put(tables.EntityNote(entity, owner, json.dumps(merged, ensure_ascii=False)))

    def retyped(self, entity: int, type_: str) -> None:
        """Give an entity the type that its owner states, within its family."""
        self._transaction.update(EntityRow, [Test("id", "eq", entity)], type=type_)

    def top(self, entity: int, agent: str | None) -> EntityRow:
        """Return the entity that a row is merged into for an agent, or itself."""
        return rooted(self._transaction, [self._row(entity)], agent)[entity]

    def alias(self, entity: int, named: Named, agent: str | None, at: datetime) -> EntityRow | None:
        """Make a name an alias of an entity; return the entity that had it; `ValueError` if it is another's alias."""
        top = self.top(entity, agent)
        self.look_up([named])
        row = self._best(self._rows, named)
        if row is None:
            self._drafted(named, into=top.id, agent=agent)
            self.ids([])  # puts it
            return None
        above = rooted(self._transaction, [row], agent)[row.id]
        if above.id == top.id:
            if agent is None and row.agent is not None:  # one agent's statement counts for all now
                if row.merged_into is not None and row.id in self._in_any_view(row.merged_into):
                    raise ValueError(f"{named.name!r} is what {top.name!r} counts as already in an agent's view")
                merged = [Test("other", "eq", row.id), Test("state", "eq", MERGED), Test("agent", "eq", row.agent)]
                self._transaction.update(MergeRow, merged, agent=None)
                self._point(row.id, merged_into=row.merged_into, agent=None)
            return None
        if above.id != row.id:
            raise ValueError(f"{named.name!r} is another name of {above.name!r} already: unmerge it first")
        known = agent is None or self._transaction.entities(self._reach(agent), among=[row.id], limit=1)
        self.merge(row.id, top.id, agent, at)
        return row if known else None

    def _reach(self, agent: str | None) -> Filter:
        """Return the filter of the memories visible to an agent, or to all agents for None."""
        return reachable(Scope(self._org, self._user, agent)).but(Test("status", "ne", Status.FORGOTTEN))

    def merge(self, other: int, into: int, agent: str | None, at: datetime) -> None:
        """Point one root at another, for all agents or one, which may need its own row; `ValueError` for a cycle."""
        row = self._row(other)
        if agent is None:
            if other in self._in_any_view(into):
                raise ValueError(f"{row.name!r} is what the other counts as already in an agent's view")
        elif row.merged_into is not None or self.top(into, None).id == other:
            self._transaction.put(MergeRow(f"own_{other}_{agent}", row.ns, into, other, None, agent, OWN, "", at))
            return
        # An untyped name that becomes an alias of a tool can no longer be that of a place or anything else.
        wanted = self._row(into).family if row.family == NAME else row.family
        self._point(other, merged_into=into, agent=agent, family=self._free_family(row, wanted))

    def _in_any_view(self, entity: int) -> set[int]:
        found, new = set[int](), {entity}
        while new:
            rows = among(self._transaction, EntityRow, "id", new)
            found |= new
            here = Test("ns", "eq", self.namespace), Test("state", "eq", OWN)
            own = among(self._transaction, MergeRow, "other", new, *here)
            new = {row.merged_into for row in rows if row.merged_into is not None} | {row.keep for row in own}
            new -= found
        return found

    def part(self, other: int, agent: str | None) -> None:
        """Undo the merge of a row, in the view of an agent or of all."""
        row, own = self._row(other), [Test("other", "eq", other), Test("state", "eq", OWN)]
        if self._transaction.delete(MergeRow, [Test("ns", "eq", row.ns), *own, Test("agent", "eq", agent)]):
            return
        self._point(other, merged_into=None, agent=None, family=self._free_family(row, family(row.type)))

    def _row(self, entity: int) -> EntityRow:
        (row,) = self._transaction.find(EntityRow, [Test("id", "eq", entity)], order="id")
        return row

    def _free_family(self, row: EntityRow, wanted: str) -> str:
        """Return the wanted family, or the row's own where another row of its name has that one."""
        here = [Test("ns", "eq", row.ns), Test("key", "eq", row.key), Test("family", "eq", wanted)]
        return row.family if self._transaction.find(EntityRow, here, order="id", limit=1) else wanted

    def _point(self, row: int, **pointer: object) -> None:
        self._transaction.update(EntityRow, [Test("id", "eq", row)], **pointer)
        self._rows.clear()
        self._common.clear()


def best(rows: Sequence[EntityRow], type_: str) -> EntityRow | None:
    """Return the row that a typed name refers to: of its family, else untyped, else the first of the name."""
    wanted = family(type_)
    own = next((row for row in rows if row.family == wanted), rows[0] if wanted == NAME and rows else None)
    return own or next((row for row in rows if row.family == NAME), None)


def newest_about(reader: Reader, entity: int) -> list[Memory]:
    """Return the newest memories that mention an entity, except forgotten ones."""
    mentions = reader.find(MentionRow, [Test("entity", "eq", entity)], order="-num", limit=_NEWEST)
    found = among(reader, tables.Record, "num", [mention.num for mention in mentions], order="num")
    return [record.memory for record in found if record.memory.status is not Status.FORGOTTEN]


def common_name(reader: Reader, row: EntityRow, named: Named) -> Named | None:
    """Return the canonical name that a common entity of the org gives to a name, None without one."""
    top = rooted(reader, [row], tables.ALL_AGENTS)[row.id]
    stated = [Test("entity", "eq", top.id), Test("agent", "eq", tables.ALL_AGENTS)]
    if not reader.find(tables.EntityNote, stated, order="entity", limit=1):
        return None
    return Named(named.type if top.type == NAME else top.type, top.name)


class Topics(NamedTuple):
    """The entities and relations that a memory is about."""

    named: tuple[Named, ...] = ()  # the entities that its text names
    stated: tuple[Entity, ...] = ()  # those that its writer stated
    triples: tuple[tuple[Triple, str], ...] = ()  # relations, each with its origin
    same: tuple[tuple[Named, Named], ...] = ()  # pairs of names that the text states are one entity
    maybe: tuple[Candidate, ...] = ()  # spans that may be known names
    found: tuple[Mention, ...] = ()  # every mention that the packs found in its text

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the memory for display, those its writer stated first."""
        names = [*(each.name for each in self.stated), *(each.name for each in self.named)]
        return tuple(dict.fromkeys(names))[:64]  # names that a memory shows; the graph has all of them

    @property
    def tags(self) -> tuple[str, ...]:
        """The types of its entities, for tags."""
        types = [*(each.type for each in self.stated), *(each.type for each in self.named)]
        return tuple(type_ for type_ in dict.fromkeys(types) if type_ not in _NO_TAGS)

    @property
    def by_writer(self) -> frozenset[Named]:
        """The entities that its writer stated explicitly."""
        ends = [end for triple, origin in self.triples if origin == TOLD for end in (triple.source, triple.target)]
        return frozenset([*(Named(each.type, each.name) for each in self.stated), *ends])

    @property
    def all(self) -> tuple[Named, ...]:
        """Every entity that the memory is about, each once."""
        stated = (Named(each.type, each.name) for each in self.stated)
        ends = (end for triple, _ in self.triples for end in (triple.source, triple.target))
        return tuple(dict.fromkeys((*self.named, *stated, *ends)))


NO_TOPICS = Topics()  # the topics of a memory without names, or that is not admitted


def read_topics(memory: Memory, packs: Packs, *, about: models.About | None = None, fact_given: bool = False) -> Topics:
    """Extract the topics of a memory, none of a quarantined one; its fact is a relation if both ends are names."""
    if memory.status is Status.QUARANTINED:
        return NO_TOPICS
    found = extracted(memory.content, domain=memory.domain, packs=packs)
    named = tuple(Named(mention.type, mention.name) for mention in found.mentions)
    triples = [(triple, TEXT) for triple in found.triples]
    ends: list[Named] = []
    for part in (memory.fact.subject, memory.fact.object) if memory.fact is not None else ():
        known = next((each for each in named if name_key(*each) == name_key(each.type, part)), None)
        if known is not None or fact_given or len(part.split()) <= _SHORT:
            ends.append(known or Named(NAME, part))
    keys = [(family(end.type), name_key(*end)) for end in ends]
    if memory.fact is not None and len(ends) == 2 and keys[0] != keys[1] and all(key for _, key in keys):
        same = [each for each in triples if {each[0].source, each[0].target} == set(ends)]
        if len(same) == 1 and not fact_given:  # the fact is the relation that the text states of the two
            triples.remove(same[0])
        triples.append((Triple(ends[0], relation_name(memory.fact.predicate) or "related_to", ends[1]), FACT))
    if about is not None:
        triples += [(triple, TOLD) for triple in about.triples]
    maybe = candidates(memory.content, found.mentions)
    return Topics(named, about.entities if about is not None else (), tuple(triples), found.same, maybe, found.found)


Described = tuple[int, Memory, Topics]  # the row number of a memory, the memory, and its topics


class Recorder:
    """Stores the topics of memories; `new_id` names proposed merges."""

    def __init__(self, transaction: Transaction, packs: Packs, new_id: Callable[[str], str], at: datetime) -> None:
        self._transaction, self._packs, self._new_id, self._at = transaction, packs, new_id, at
        self.known: dict[tuple[str, str | None], KnownNames] = {}
        """The looked-up names of an org's user, until something changes them."""

    def record(self, described: Sequence[Described], *, are_new: bool = False) -> None:
        """Put the entities, mentions and relations of stored memories; ones that `are_new` have no mentions yet."""
        groups: dict[tuple[str, str | None, bool], dict[Author, list[Described]]] = {}
        for each in described:
            _, memory, about = each
            if about.named or about.stated or about.triples or about.maybe:
                of = memory.scope.org, memory.scope.user, memory.domain not in CAUSAL
                groups.setdefault(of, {}).setdefault(Author(memory.trust, memory.scope.agent), []).append(each)
        for (org, user, cautious), authors in groups.items():
            known = self.known.pop((org, user), ((), ()))
            store = EntityStore(self._transaction, self._packs, org, user, cautious=cautious, known=known)
            for author, some in authors.items():
                self._put(store, some, author, are_new=are_new)

    def again(self, num: int, memory: Memory, about: Topics) -> None:
        """Replace the topics of a memory's text after it was edited or admitted."""
        here, origins = Test("num", "eq", num), (TEXT, FACT, TOLD) if about.by_writer else (TEXT, FACT)
        for kind in (MentionRow, RelationRow):
            self._transaction.delete(kind, [here, Test("origin", "in", origins)])
        self._transaction.delete(MergeRow, [here, Test("state", "eq", tables.PROPOSED)])
        self.record([(num, memory, about)])

    def unread(self, num: int) -> None:
        """Remove the relations that a language model extracted from a memory's text, which has changed."""
        for kind in (MentionRow, RelationRow):
            self._transaction.delete(kind, [Test("num", "eq", num), Test("origin", "eq", MODEL)])

    def read(self, num: int, memory: Memory, triples: Sequence[Triple]) -> int:
        """Replace a model's relations of a memory, except those that the text states; return the number of new ones."""
        self.unread(num)
        scope, cautious = memory.scope, memory.domain not in CAUSAL
        store = EntityStore(self._transaction, self._packs, scope.org, scope.user, cautious=cautious)
        ends = list(dict.fromkeys(end for triple in triples for end in (triple.source, triple.target)))
        store.look_up(ends)
        store.hide(scope.agent)
        ids = dict(zip(ends, store.ids(ends, Author(memory.trust, scope.agent)), strict=True))
        known = {row[:3] for row in self._transaction.find(RelationRow, [Test("num", "eq", num)], order="id")}
        new = [row for row in self._related(num, [(triple, MODEL) for triple in triples], ids) if row[:3] not in known]
        about = dict.fromkeys(end for row in new for end in (row.source, row.target))
        self._transaction.put(*self._unmentioned([MentionRow(entity, num, MODEL, False) for entity in about]), *new)
        return len(new)

    def _put(self, store: EntityStore, described: Sequence[Described], author: Author, *, are_new: bool) -> None:
        spans = [Named(NAME, each.name) for _, _, about in described for each in about.maybe]
        store.look_up([*spans, *(name for _, _, about in described for name in about.all)])
        store.hide(author.agent)
        described = self._with_known(store.known(spans), described)
        stated = list(dict.fromkeys(name for _, _, about in described for name in about.by_writer))
        named = list(dict.fromkeys(name for _, _, about in described for name in about.all))
        ids = dict(zip(stated + named, store.ids(stated) + store.ids(named, author), strict=True))
        mentions, relations = list[MentionRow](), list[RelationRow]()
        for num, memory, about in described:
            for entity in about.stated:
                self._state(store, ids[Named(entity.type, entity.name)], entity, num, memory.scope.agent)
            by_writer = {ids[name] for name in about.by_writer}
            entities = dict.fromkeys(ids[name] for name in about.all)
            paired = len(entities) <= PAIRS
            mentions += [MentionRow(each, num, TOLD if each in by_writer else TEXT, paired) for each in entities]
            relations += self._related(num, about.triples, ids)
        self._transaction.put(*(mentions if are_new else self._unmentioned(mentions)), *relations)
        for num, memory, about in described:
            for same in about.same:
                self._propose(store, num, memory, same)
        created, store.created = store.created, []
        for row in created:
            if row.type in (NAME, "person") and is_given(row.key.split(" ", 1)[0]):
                num, memory, _ = next(each for each in described if row.id in {ids[name] for name in each[2].all})
                self._propose_part(num, memory, row)

    def _with_known(self, rows: Mapping[Named, EntityRow], described: Sequence[Described]) -> Sequence[Described]:
        if not rows:
            return described
        out: list[Described] = []
        for num, memory, about in described:
            known: list[Mention] = []
            for each in about.maybe:  # the longest first
                row = rows.get(Named(NAME, each.name))
                free = not any(other.start < each.end and each.start < other.end for other in known)
                if row is not None and free and is_mention(each, row, memory.domain):
                    known.append(Mention(row.type, row.name, each.start, each.end))
            if known:
                found = extracted(
                    memory.content, domain=memory.domain, packs=self._packs, known=known, found=about.found
                )
                # the topics of the writer and of the fact stay
                stated = [each for each in about.triples if each[1] != TEXT]
                triples = (*((triple, TEXT) for triple in found.triples), *stated)
                named = tuple(Named(mention.type, mention.name) for mention in found.mentions)
                before, about = about.names, Topics(named, about.stated, triples, found.same)
                if about.names != before:
                    self._transaction.update(tables.Record, [Test("num", "eq", num)], entities=about.names)
            out.append((num, memory, about))
        return out

    def _unmentioned(self, mentions: Sequence[MentionRow]) -> list[MentionRow]:
        """Return the mentions that are not stored already, by a caller or by the writer."""
        nums = tuple(dict.fromkeys(row.num for row in mentions))
        found = self._transaction.find(MentionRow, [Test("num", "in", nums)]) if nums else []
        known = {(row.entity, row.num) for row in found}
        return [row for row in mentions if (row.entity, row.num) not in known]

    def _state(self, store: EntityStore, row: int, entity: Entity, num: int, agent: str | None) -> None:
        store.keep(row, agent, entity.metadata)
        store.retyped(row, entity.type)
        for alias in entity.aliases:
            try:
                before = store.alias(row, Named(entity.type, alias), agent, self._at)
            except ValueError:
                continue  # the name stays another's
            if before is not None:
                place, keep = (self._new_id("mrg"), store.namespace), store.top(row, agent).id
                reason = f"{alias} is another name of {entity.name}"
                self._transaction.put(MergeRow(*place, keep, before.id, num, agent, MERGED, reason, self._at))

    def _related(self, num: int, triples: Iterable[tuple[Triple, str]], ids: Mapping[Named, int]) -> list[RelationRow]:
        rows: dict[tuple[int, str, int], RelationRow] = {}
        for triple, origin in triples:
            source, target, weight = ids[triple.source], ids[triple.target], min(max(triple.weight, 0.0), 1.0)
            place = source, relation_name(triple.relation), target
            if source != target and (place not in rows or rows[place].weight < weight):
                rows[place] = RelationRow(*place, num, None, origin, weight, None, None, self._at)
        return list(rows.values())

    def _propose(self, store: EntityStore, num: int, memory: Memory, same: tuple[Named, Named]) -> None:
        """Propose the merge of two names that a text states are one: a text alone never merges entities."""
        families = {family(each.type) for each in same}
        if len(families) == 2 and NAME not in families:
            return
        keep, other = store.ids(sorted(same, key=lambda each: each.type == NAME))
        rows = self._transaction.find(EntityRow, [Test("id", "in", (keep, other))], order="id")
        rows = sorted(rows, key=lambda row: row.id != keep)
        self._put_proposal(num, memory, rows, f"{same[0].name} is also called {same[1].name}")

    def _put_proposal(self, num: int, memory: Memory, rows: Sequence[EntityRow], reason: str) -> None:
        """Propose to merge the second of two entities into the first, unless they are one or that was decided."""
        tops = {row.id for row in rooted(self._transaction, rows, memory.scope.agent).values()}
        if len(tops) != 2:
            return
        agent, both = memory.scope.agent, [Test("keep", "in", tuple(tops)), Test("other", "in", tuple(tops))]
        decided = self._transaction.find(MergeRow, [*both, Test("state", "ne", tables.ASKED)], order="id")
        if not any(agent is None or row.agent in (None, agent) for row in decided):
            (keep, other), place = rows, (self._new_id("mrg"), rows[0].ns)
            self._transaction.put(MergeRow(*place, keep.id, other.id, num, agent, tables.PROPOSED, reason, self._at))

    def _propose_part(self, num: int, memory: Memory, new: EntityRow) -> None:
        """Propose that "Omar" is the only "Omar Haddad" of the scope; a second "Omar ..." withdraws that."""
        given, agent = new.key.split(" ", 1)[0], memory.scope.agent
        here = [Test("ns", "eq", new.ns), Test("key", "ge", given), Test("key", "lt", f"{given}\uffff")]
        rows = self._transaction.find(EntityRow, here, order="id")
        rows = [row for row in rows if row.type in (NAME, "person") and row.key.split(" ", 1)[0] == given]
        parts = [row for row in rows if row.key == given]
        full = [row for row in rows if row.key != given and row.merged_into is None]
        if agent is not None and len(full) > 1:  # those of other agents do not count
            full = [row for row in full if row.id == new.id or self._is_mentioned(row, agent)]
        if not parts or not full:
            return
        if len(full) > 1:
            waiting = [Test("other", "eq", parts[0].id), Test("keep", "in", tuple(row.id for row in full))]
            mine = [] if agent is None else [Test("agent", "eq", agent)]
            self._transaction.delete(MergeRow, [*waiting, Test("state", "eq", tables.PROPOSED), *mine])
        elif self._is_mentioned(full[0] if new.key == given else parts[0], agent):
            reason = f"{parts[0].name} may be {full[0].name}: no other {parts[0].name} is known by a full name"
            self._put_proposal(num, memory, [full[0], parts[0]], reason)

    def _is_mentioned(self, row: EntityRow, agent: str | None) -> bool:
        """Return whether a memory of all agents, or of this one, mentions an entity."""
        return any(each.scope.agent in (None, agent) for each in newest_about(self._transaction, row.id))
