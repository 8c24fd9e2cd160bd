"""The graph's rows and methods: entities by name, those that can be seen, evidence that passes, and their scopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from engrain.model.filters import Filter, Test, begun
from engrain.model.memory import Status
from engrain.storage.interface import evidence, named, owners
from engrain.storage.rows import (
    ALL_AGENTS,
    MERGED,
    PROPOSED,
    STATED,
    TEXT,
    EntityNote,
    EntityRow,
    EvidenceRow,
    MentionRow,
    MergeRow,
    PointOfView,
    RelationEdge,
    RelationRow,
    Surroundings,
)
from engrain.testing.conformance.base import Conformance
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, NOON, memory, raises

WAITING = Test("state", "in", (PROPOSED,))
ACTIVE = Test("status", "eq", Status.ACTIVE)
SCOUT, COACH = (Test("agent", "eq", name, or_null=True) for name in ("scout", "coach"))


class GraphRows(Conformance):
    """Rows of the graph come back as they were put, are changed and removed, and those of one key are one."""

    def space(self, org: str = "default", user: str | None = None) -> int:
        """Return the number of a namespace."""
        return self.store.write(lambda tx: tx.namespace(org, user), org)

    def entity(
        self, name: str, ns: int | None = None, *, type: str = "tool", family: str = "software", org: str = "default"
    ) -> int:
        """Put an entity under its name, which is its key too; return its number."""
        (number,) = self.put(EntityRow(self.space() if ns is None else ns, type, family, name, name), org=org)
        return number

    def merge(self, other: int, into: int, agent: str | None = None) -> None:
        """Point one entity at another."""
        changed = [Test("id", "eq", other)]
        assert self.store.write(lambda tx: tx.update(EntityRow, changed, merged_into=into, agent=agent), self.org) == 1

    def test_an_entity_comes_back_with_a_number_of_its_own(self) -> None:
        ns = self.space()
        rows = [
            EntityRow(ns, "tool", "software", name, name.title()) for name in ("tea", "お茶", "a\u0301'\"\\%_", "🍵")
        ]
        numbers = self.put(*rows)
        assert len(set(numbers)) == len(rows)
        found = self.find(EntityRow, order="id")
        assert found == [row._replace(id=number) for row, number in zip(rows, numbers, strict=True)]

    def test_an_entity_is_one_by_namespace_family_and_key(self) -> None:
        ns, other = self.space(), self.space("default", "ana")
        row = EntityRow(ns, "tool", "software", "tea", "tea")
        self.put(row, row._replace(family="person"), row._replace(key="coffee"), row._replace(ns=other))
        with raises(Exception):
            self.put(row._replace(type="malware", name="TEA"))
        assert len(self.find(EntityRow, order="id")) == 4

    def test_an_entity_is_merged_and_parted(self) -> None:
        keep, other = self.entity("tea"), self.entity("chai")
        self.merge(other, keep, "scout")
        (found,) = self.find(EntityRow, [Test("merged_into", "in", (keep,))], order="id")
        assert (found.id, found.merged_into, found.agent) == (other, keep, "scout")
        assert [found.above(viewer) for viewer in (None, "scout", "coach")] == [keep, keep, None]
        here = [Test("id", "eq", other)]
        self.store.write(lambda tx: tx.update(EntityRow, here, merged_into=None, agent=None), self.org)
        assert all(row.merged_into is None for row in self.find(EntityRow, order="id"))

    def test_a_number_is_never_given_again(self) -> None:
        first = self.entity("tea")
        assert self.store.write(lambda tx: tx.delete(EntityRow, [Test("id", "eq", first)]), self.org) == 1
        assert self.entity("coffee") != first

    def test_a_note_is_one_by_entity_and_agent(self) -> None:
        entity = self.entity("tea")
        self.put(EntityNote(entity, ALL_AGENTS, "{}"), EntityNote(entity, "scout", '{"cups": 2}'))
        self.put(EntityNote(entity, ALL_AGENTS, '{"color": "ürün"}'))
        notes = {(note.agent, note.metadata) for note in self.find(EntityNote, order="entity")}
        assert notes == {("", '{"color": "ürün"}'), ("scout", '{"cups": 2}')}
        mine = [Test("entity", "eq", entity), Test("agent", "in", (ALL_AGENTS, "coach"))]
        assert self.store.write(lambda tx: tx.delete(EntityNote, mine), self.org) == 1

    def test_a_mention_is_one_by_entity_and_memory(self) -> None:
        entity, nums = self.entity("tea"), [self.add(memory(str(n))) for n in range(3)]
        self.put(*(MentionRow(entity, num, TEXT, True) for num in nums))
        self.put(MentionRow(entity, nums[0], STATED, False))
        assert self.find(MentionRow, [Test("entity", "eq", entity)]) == [
            MentionRow(entity, nums[0], STATED, False),
            MentionRow(entity, nums[1], TEXT, True),
            MentionRow(entity, nums[2], TEXT, True),
        ]
        newest = self.find(MentionRow, [Test("entity", "eq", entity), Test("pairs", "eq", 1)], order="-num", limit=1)
        assert [row.num for row in newest] == [nums[2]]
        read = [Test("num", "eq", nums[1]), Test("origin", "in", (TEXT,))]
        assert self.store.write(lambda tx: tx.delete(MentionRow, read), self.org) == 1

    def test_rows_of_one_memory_come_in_the_order_of_their_keys_and_those_of_none_come_first(self) -> None:
        num, entities = self.add(memory()), [self.entity(name) for name in ("tea", "cup", "pot")]
        self.put(*(MentionRow(entity, num, TEXT, True) for entity in reversed(entities)))
        assert [row.entity for row in self.find(MentionRow, [Test("num", "eq", num)])] == entities
        backwards = self.find(MentionRow, [Test("num", "eq", num)], order="-num")
        assert [row.entity for row in backwards] == entities[::-1]
        ends = [(entities[0], entities[1], evidence) for evidence in (num, None, num, None)]
        self.put(*(RelationRow(a, "holds", b, by, None, TEXT, 1.0, None, None, NOON) for a, b, by in ends))
        found = self.find(RelationRow)
        assert [row.num for row in found] == [None, None, num, num]
        assert [row.id for row in found[:2]] == sorted(row.id for row in found[:2])
        assert self.find(RelationRow, order="-num") == found[::-1]

    def test_a_relation_comes_back_as_it_was(self) -> None:
        tea, cup, num = self.entity("tea"), self.entity("cup"), self.add(memory())
        full = RelationRow(tea, "fills", cup, num, None, STATED, 0.25, FIRST_MOMENT, LAST_MOMENT, NOON, LAST_MOMENT)
        bare = RelationRow(cup, "holds", tea, None, "scout", STATED, 1.0, None, None, NOON)
        self.put(full, bare, bare)  # said twice: a list, not a set
        found = self.find(RelationRow, order="id")
        assert [row._replace(id=0) for row in found] == [full, bare, bare]
        assert len({row.id for row in found}) == 3
        told = [Test("num", "eq", None), Test("agent", "eq", "scout"), Test("believed_until", "eq", None)]
        assert len(self.find(RelationRow, told, order="id")) == 2
        self.store.write(
            lambda tx: tx.update(RelationRow, [Test("id", "eq", found[1].id)], believed_until=NOON), self.org
        )
        assert len(self.find(RelationRow, told, order="id")) == 1
        assert self.store.write(lambda tx: tx.delete(RelationRow, [Test("source", "eq", tea)]), self.org) == 1

    def test_a_merge_is_one_by_its_id_and_walled(self) -> None:
        ana = self.space("default", "ana")
        keep, other = self.entity("tea", ana), self.entity("chai", ana)
        row = MergeRow("mrg_1", ana, keep, other, None, "scout", PROPOSED, "so they say", NOON)
        self.put(row)
        self.put(row._replace(state=MERGED, agent=None))
        for where in (Filter("default", "ana"), Filter("default")):
            assert self.find(MergeRow, where, order="-at") == [row._replace(state=MERGED, agent=None)]
        for where in (Filter("default", "ben", shared=True), Filter("other"), Filter("default", "ana").but(WAITING)):
            assert self.find(MergeRow, where, order="-at") == []


class GraphVerbs(GraphRows):
    """What a view returns of the graph keeps to the scope of its filter."""

    def by_name(self, keys: Sequence[str], where: Filter) -> list[int]:
        """Return the numbers of the entities of these names."""
        with self.store.read(where.org) as view:
            return [row.id for row in named(view, keys, where)]

    def visible(self, where: Filter, **options: object) -> list[int]:
        """Return the numbers of the entities that can be seen."""
        with self.store.read(where.org) as view:
            return [row.id for row in view.entities(where, **options)]  # type: ignore[arg-type]

    def test_entities_are_found_by_key_inside_the_scope(self) -> None:
        places = [("default", None), ("default", "ana"), ("default", "ben"), ("other", None), ("other", "ana")]
        tea = [self.entity("tea", self.space(*place), org=place[0]) for place in places]
        self.entity("coffee", self.space("default", "ana"))
        named = self.entity("tea", self.space("default", "ana"), type="person", family="person")
        assert self.by_name(["tea"], Filter("default", "ana")) == [tea[1], named]
        assert self.by_name(["tea"], Filter("default", "ana", shared=True)) == [tea[0], tea[1], named]
        assert self.by_name(["tea"], Filter("default")) == [*tea[:3], named]
        assert self.by_name(["tea", "none", "tea"], Filter("other")) == tea[3:]
        assert self.by_name([], Filter("default")) == self.by_name(["tea"], Filter("default", "nobody")) == []

    def test_entities_are_found_by_any_number_of_names(self) -> None:
        tea = self.entity("tea")
        assert self.by_name([*(f"no {n}" for n in range(5_000)), "tea"], Filter("default")) == [tea]

    def test_entities_are_those_that_were_noted_or_that_a_passing_memory_mentions(self) -> None:
        ana = self.space("default", "ana")
        noted, mentioned, hidden, _nowhere = (self.entity(name, ana) for name in "abcd")
        live = self.add(memory(user="ana"))
        gone = self.add(memory(user="ana", status=Status.ARCHIVED))
        self.put(EntityNote(noted, ALL_AGENTS, "{}"))
        self.put(MentionRow(mentioned, live, TEXT, True), MentionRow(hidden, gone, TEXT, True))
        where = Filter("default", "ana", conditions=(ACTIVE,))
        assert self.visible(where) == [noted, mentioned]
        assert self.visible(Filter("default", "ana")) == [noted, mentioned, hidden]
        assert self.visible(Filter("default")) == [noted, mentioned, hidden]
        assert self.visible(Filter("default", "ben", shared=True)) == self.visible(Filter("other")) == []
        assert self.visible(where, among=[hidden, mentioned]) == [mentioned]
        assert self.visible(where, among=[]) == []

    def test_entities_come_in_pages_and_by_type(self) -> None:
        tools = [self.entity(name) for name in "abc"]
        person = self.entity("a", type="person", family="person")
        self.put(*(EntityNote(number, ALL_AGENTS, "{}") for number in (*tools, person)))
        assert self.visible(Filter("default"), limit=2) == tools[:2]
        assert self.visible(Filter("default"), limit=2, after=tools[1]) == [tools[2], person]
        assert self.visible(Filter("default"), type="person") == [person]

    def test_an_entity_is_seen_by_mentions_of_any_of_its_names(self) -> None:
        top, middle, low = (self.entity(name) for name in "abc")
        self.put(MentionRow(low, self.add(memory()), TEXT, True))
        self.merge(low, middle)
        self.merge(middle, top)
        assert self.visible(Filter("default")) == [top]

    def test_an_agents_notes_and_names_are_for_that_agent(self) -> None:
        ours, mine, alias = (self.entity(name) for name in "abc")
        self.put(
            EntityNote(ours, ALL_AGENTS, "{}"), EntityNote(mine, "scout", "{}"), EntityNote(alias, ALL_AGENTS, "{}")
        )
        self.merge(alias, ours, "scout")
        assert self.visible(Filter("default", conditions=(SCOUT,))) == [ours, mine]
        assert self.visible(Filter("default", conditions=(COACH,))) == [ours, alias]
        assert self.visible(Filter("default")) == [ours, mine]

    def test_evidence_is_of_the_memories_that_pass(self) -> None:
        mine = replace(memory(user="ana", agent="scout"), valid_until=LAST_MOMENT)
        theirs, foreign = memory(user="ana", agent="coach"), memory(user="ben")
        nums = [self.add(each) for each in (mine, theirs, foreign)]
        with self.store.read(self.org) as view:
            found = evidence(view, [*nums, 10_000], Filter("default", "ana", conditions=(SCOUT,)))
            assert found == {nums[0]: EvidenceRow(nums[0], mine.id, mine.valid_from, LAST_MOMENT)}
            assert set(evidence(view, nums * 2_000, Filter("default"))) == set(nums)
            assert evidence(view, [], Filter("default")) == {}

    def test_owners_are_the_users_of_the_namespaces_inside_the_scope(self) -> None:
        common, ana, ben = (self.space("default", user) for user in (None, "ana", "ben"))
        self.space("other", "carl")
        with self.store.read(self.org) as view:
            assert owners(view, Filter("default")) == {common: None, ana: "ana", ben: "ben"}
            assert owners(view, Filter("default", "ana")) == {ana: "ana"}
            assert owners(view, Filter("default", "ana", shared=True)) == {common: None, ana: "ana"}
        with self.store.read("nobody") as view:
            assert owners(view, Filter("nobody")) == {}

    # ------------------------------------------------------------------------------------------------------------ steps

    def relations(
        self, end: Literal["source", "target"], entity: int, where: Filter, at: PointOfView
    ) -> list[RelationEdge]:
        """Return the relations that have an entity at one end."""
        with self.store.read(self.org) as view:
            return sorted(view.traverse([entity], where, at, begun=begun(where), ends=(end,)).relations)

    def test_relations_are_found_from_either_end_by_passing_memories(self) -> None:
        tea, cup, pot = (self.entity(name) for name in ("tea", "cup", "pot"))
        live, gone = self.add(memory()), self.add(memory(status=Status.ARCHIVED))
        row = RelationRow(tea, "fills", cup, live, None, TEXT, 0.5, None, None, NOON)
        self.put(row, row._replace(target=pot, num=gone), row._replace(source=cup, target=pot, num=None, origin=STATED))
        where, at = Filter("default", conditions=(ACTIVE,)), PointOfView(None, NOON)
        assert self.relations("source", tea, where, at) == [(tea, "fills", cup, 0.5, live, None, None)]
        assert self.relations("target", cup, where, at) == [(tea, "fills", cup, 0.5, live, None, None)]
        assert self.relations("target", pot, where, at) == [(cup, "fills", pot, 0.5, 0, None, None)]
        assert self.relations("target", tea, where, at) == []
        assert len(self.relations("source", tea, Filter("default"), at)) == 2
        assert self.relations("source", tea, Filter("default", "ana"), at) == []

    def test_relations_keep_to_the_interval_the_agent_and_the_belief(self) -> None:
        tea, cup = self.entity("tea"), self.entity("cup")
        row = RelationRow(tea, "fills", cup, None, "scout", STATED, 1.0, NOON, LAST_MOMENT, NOON)
        self.put(row, row._replace(relation="filled", believed_until=LAST_MOMENT))
        named = [each[1] for each in self.relations("source", tea, Filter("default"), PointOfView(None, NOON))]
        assert named == ["fills"]
        early, late = PointOfView(None, FIRST_MOMENT), PointOfView(None, LAST_MOMENT)
        assert self.relations("source", tea, Filter("default"), early) == []
        assert self.relations("source", tea, Filter("default"), late) == []
        assert self.relations("source", tea, Filter("default"), PointOfView("coach", NOON)) == []
        then = self.relations("source", tea, Filter("default"), PointOfView("scout", NOON, NOON))
        assert [each[1] for each in then] == ["filled", "fills"]
        assert self.relations("source", tea, Filter("default"), PointOfView("scout", NOON, FIRST_MOMENT)) == []

    def test_a_relation_between_two_of_the_entities_comes_once(self) -> None:
        tea, cup, pot = (self.entity(name) for name in ("tea", "cup", "pot"))
        row = RelationRow(tea, "fills", cup, None, None, STATED, 1.0, None, None, NOON)
        self.put(row, row._replace(source=cup, relation="is next to", target=pot))
        where, at = Filter("default"), PointOfView(None, NOON)
        both = {(tea, "fills", cup), (cup, "is next to", pot)}
        with self.store.read(self.org) as view:
            found = view.traverse([tea, cup], where, at, begun=where, ends=("source", "target")).relations
            assert len(found) == 2
            assert {edge[:3] for edge in found} == both
            nothing = view.traverse([], where, at, begun=where, ends=("source", "target"), together=None, mentions=3)
            assert nothing == Surroundings()
            assert not view.traverse([tea], where, at, begun=where).relations

    def test_together_are_those_that_a_passing_memory_pairs(self) -> None:
        tea, cup, pot = (self.entity(name) for name in ("tea", "cup", "pot"))
        live, gone = self.add(memory()), self.add(memory(status=Status.ARCHIVED))
        self.put(*(MentionRow(entity, num, TEXT, True) for entity in (tea, cup) for num in (live, gone)))
        self.put(MentionRow(pot, gone, TEXT, False))
        everywhere = Filter("default")

        def together(entity: int, where: Filter, most: int | None = None) -> list[tuple[int, int, int]]:
            with self.store.read(self.org) as view:
                at = PointOfView(None, NOON)
                found = view.traverse([entity], where, at, begun=where, together=most).together
            return sorted((one, other, num) for one, other, num in found)

        assert together(tea, everywhere.but(ACTIVE)) == [(tea, cup, live)]
        everything = [(tea, cup, live), (tea, cup, gone), (tea, pot, gone)]
        assert together(tea, everywhere) == everything
        assert together(tea, everywhere, 1) == everything[1:]
        assert together(tea, everywhere, 0) == together(pot, everywhere) == []

    def test_newest_mentions_are_as_many_as_asked_for_of_each(self) -> None:
        tea, cup = self.entity("tea"), self.entity("cup")
        nums = [self.add(memory(str(number))) for number in range(3)]
        self.put(*(MentionRow(tea, num, TEXT, True) for num in nums), MentionRow(cup, nums[0], TEXT, True))
        where, at = Filter("default"), PointOfView(None, NOON)
        with self.store.read(self.org) as view:
            found = view.traverse([tea, cup], where, at, begun=where, mentions=2).mentions
        assert sorted(found) == [(tea, nums[1]), (tea, nums[2]), (cup, nums[0])]
