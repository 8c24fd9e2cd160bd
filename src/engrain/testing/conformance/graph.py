"""The graph's rows and verbs: entities by name, those that can be seen, evidence that lives, and their walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from engrain.model.filters import Filter, Test, begun
from engrain.model.memory import Status
from engrain.storage.interface import Sighting
from engrain.storage.rows import (
    EVERYBODY,
    MERGED,
    PROPOSED,
    STATED,
    TEXT,
    EntityNote,
    EntityRow,
    Living,
    MentionRow,
    MergeRow,
    RelationRow,
    Said,
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
        self.put(EntityNote(entity, EVERYBODY, "{}"), EntityNote(entity, "scout", '{"cups": 2}'))
        self.put(EntityNote(entity, EVERYBODY, '{"color": "ürün"}'))
        notes = {(note.agent, note.metadata) for note in self.find(EntityNote, order="entity")}
        assert notes == {("", '{"color": "ürün"}'), ("scout", '{"cups": 2}')}
        mine = [Test("entity", "eq", entity), Test("agent", "in", (EVERYBODY, "coach"))]
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
    """What a view tells of the graph keeps to the walls of its filter."""

    def called(self, keys: Sequence[str], where: Filter) -> list[int]:
        """Return the numbers of the entities of these names."""
        with self.store.read(where.org) as view:
            return [row.id for row in view.named(keys, where)]

    def seen(self, where: Filter, **options: object) -> list[int]:
        """Return the numbers of the entities that can be seen."""
        with self.store.read(where.org) as view:
            return [row.id for row in view.known(where, **options)]  # type: ignore[arg-type]

    def test_named_finds_by_key_inside_the_walls(self) -> None:
        places = [("default", None), ("default", "ana"), ("default", "ben"), ("other", None), ("other", "ana")]
        tea = [self.entity("tea", self.space(*place), org=place[0]) for place in places]
        self.entity("coffee", self.space("default", "ana"))
        named = self.entity("tea", self.space("default", "ana"), type="person", family="person")
        assert self.called(["tea"], Filter("default", "ana")) == [tea[1], named]
        assert self.called(["tea"], Filter("default", "ana", shared=True)) == [tea[0], tea[1], named]
        assert self.called(["tea"], Filter("default")) == [*tea[:3], named]
        assert self.called(["tea", "none", "tea"], Filter("other")) == tea[3:]
        assert self.called([], Filter("default")) == self.called(["tea"], Filter("default", "nobody")) == []

    def test_named_takes_any_number_of_names(self) -> None:
        tea = self.entity("tea")
        assert self.called([*(f"no {n}" for n in range(5_000)), "tea"], Filter("default")) == [tea]

    def test_known_are_those_that_stand_or_that_a_passing_memory_mentions(self) -> None:
        ana = self.space("default", "ana")
        noted, mentioned, hidden, _nowhere = (self.entity(name, ana) for name in "abcd")
        live = self.add(memory(user="ana"))
        gone = self.add(memory(user="ana", status=Status.ARCHIVED))
        self.put(EntityNote(noted, EVERYBODY, "{}"))
        self.put(MentionRow(mentioned, live, TEXT, True), MentionRow(hidden, gone, TEXT, True))
        where = Filter("default", "ana", conditions=(ACTIVE,))
        assert self.seen(where) == [noted, mentioned]
        assert self.seen(Filter("default", "ana")) == [noted, mentioned, hidden]
        assert self.seen(Filter("default")) == [noted, mentioned, hidden]
        assert self.seen(Filter("default", "ben", shared=True)) == self.seen(Filter("other")) == []
        assert self.seen(where, among=[hidden, mentioned]) == [mentioned]
        assert self.seen(where, among=[]) == []

    def test_known_pages_by_number_and_by_type(self) -> None:
        tools = [self.entity(name) for name in "abc"]
        person = self.entity("a", type="person", family="person")
        self.put(*(EntityNote(number, EVERYBODY, "{}") for number in (*tools, person)))
        assert self.seen(Filter("default"), limit=2) == tools[:2]
        assert self.seen(Filter("default"), limit=2, after=tools[1]) == [tools[2], person]
        assert self.seen(Filter("default"), type="person") == [person]

    def test_known_counts_what_is_said_under_any_name(self) -> None:
        top, middle, low = (self.entity(name) for name in "abc")
        self.put(MentionRow(low, self.add(memory()), TEXT, True))
        self.merge(low, middle)
        self.merge(middle, top)
        assert self.seen(Filter("default")) == [top]

    def test_an_agents_notes_and_names_are_for_that_agent(self) -> None:
        ours, mine, alias = (self.entity(name) for name in "abc")
        self.put(EntityNote(ours, EVERYBODY, "{}"), EntityNote(mine, "scout", "{}"), EntityNote(alias, EVERYBODY, "{}"))
        self.merge(alias, ours, "scout")
        assert self.seen(Filter("default", conditions=(SCOUT,))) == [ours, mine]
        assert self.seen(Filter("default", conditions=(COACH,))) == [ours, alias]
        assert self.seen(Filter("default")) == [ours, mine]

    def test_living_tells_of_the_evidence_that_passes(self) -> None:
        mine = replace(memory(user="ana", agent="scout"), valid_until=LAST_MOMENT)
        theirs, foreign = memory(user="ana", agent="coach"), memory(user="ben")
        nums = [self.add(each) for each in (mine, theirs, foreign)]
        with self.store.read(self.org) as view:
            found = view.living([*nums, 10_000], Filter("default", "ana", conditions=(SCOUT,)))
            assert found == {nums[0]: Living(mine.id, mine.valid_from, LAST_MOMENT)}
            assert set(view.living(nums * 2_000, Filter("default"))) == set(nums)
            assert view.living([], Filter("default")) == {}

    def test_owners_are_the_users_of_the_namespaces_inside_the_walls(self) -> None:
        common, ana, ben = (self.space("default", user) for user in (None, "ana", "ben"))
        self.space("other", "carl")
        with self.store.read(self.org) as view:
            assert view.owners(Filter("default")) == {common: None, ana: "ana", ben: "ben"}
            assert view.owners(Filter("default", "ana")) == {ana: "ana"}
            assert view.owners(Filter("default", "ana", shared=True)) == {common: None, ana: "ana"}
        with self.store.read("nobody") as view:
            assert view.owners(Filter("nobody")) == {}

    # ------------------------------------------------------------------------------------------------------------ walks

    def said(self, end: Literal["source", "target"], entity: int, where: Filter, at: Sighting) -> list[Said]:
        """Return the relations that have an entity at one end."""
        with self.store.read(self.org) as view:
            return sorted(view.said(end, [entity], where, at, begun=begun(where)))

    def test_said_tells_from_either_end_what_passing_memories_say(self) -> None:
        tea, cup, pot = (self.entity(name) for name in ("tea", "cup", "pot"))
        live, gone = self.add(memory()), self.add(memory(status=Status.ARCHIVED))
        row = RelationRow(tea, "fills", cup, live, None, TEXT, 0.5, None, None, NOON)
        self.put(row, row._replace(target=pot, num=gone), row._replace(source=cup, target=pot, num=None, origin=STATED))
        where, at = Filter("default", conditions=(ACTIVE,)), Sighting(None, NOON)
        assert self.said("source", tea, where, at) == [(tea, "fills", cup, 0.5, live, None, None)]
        assert self.said("target", cup, where, at) == [(tea, "fills", cup, 0.5, live, None, None)]
        assert self.said("target", pot, where, at) == [(cup, "fills", pot, 0.5, 0, None, None)]
        assert self.said("target", tea, where, at) == []
        assert len(self.said("source", tea, Filter("default"), at)) == 2
        assert self.said("source", tea, Filter("default", "ana"), at) == []

    def test_said_keeps_to_the_interval_the_agent_and_the_belief(self) -> None:
        tea, cup = self.entity("tea"), self.entity("cup")
        row = RelationRow(tea, "fills", cup, None, "scout", STATED, 1.0, NOON, LAST_MOMENT, NOON)
        self.put(row, row._replace(relation="filled", believed_until=LAST_MOMENT))
        named = [each[1] for each in self.said("source", tea, Filter("default"), Sighting(None, NOON))]
        assert named == ["fills"]
        early, late = Sighting(None, FIRST_MOMENT), Sighting(None, LAST_MOMENT)
        assert self.said("source", tea, Filter("default"), early) == []
        assert self.said("source", tea, Filter("default"), late) == []
        assert self.said("source", tea, Filter("default"), Sighting("coach", NOON)) == []
        then = self.said("source", tea, Filter("default"), Sighting("scout", NOON, NOON))
        assert [each[1] for each in then] == ["filled", "fills"]
        assert self.said("source", tea, Filter("default"), Sighting("scout", NOON, FIRST_MOMENT)) == []

    def test_together_are_those_that_a_passing_memory_pairs(self) -> None:
        tea, cup, pot = (self.entity(name) for name in ("tea", "cup", "pot"))
        live, gone = self.add(memory()), self.add(memory(status=Status.ARCHIVED))
        self.put(*(MentionRow(entity, num, TEXT, True) for entity in (tea, cup) for num in (live, gone)))
        self.put(MentionRow(pot, gone, TEXT, False))
        with self.store.read(self.org) as view:
            assert view.together([tea], Filter("default", conditions=(ACTIVE,))) == [(tea, cup, live)]
            everything = sorted(view.together([tea], Filter("default")))
            assert everything == [(tea, cup, live), (tea, cup, gone), (tea, pot, gone)]
            assert sorted(view.together([tea], Filter("default"), most=1)) == everything[1:]
            assert view.together([pot], Filter("default")) == view.together([], Filter("default")) == []

    def test_newest_mentions_are_as_many_as_asked_for_of_each(self) -> None:
        tea, cup = self.entity("tea"), self.entity("cup")
        nums = [self.add(memory(str(number))) for number in range(3)]
        self.put(*(MentionRow(tea, num, TEXT, True) for num in nums), MentionRow(cup, nums[0], TEXT, True))
        with self.store.read(self.org) as view:
            assert sorted(view.newest_mentions([tea, cup], 2)) == [(tea, nums[1]), (tea, nums[2]), (cup, nums[0])]
            assert view.newest_mentions([], 2) == []
