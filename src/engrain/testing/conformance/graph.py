"""The graph: entities by name, those that can be seen, evidence that passes, and their scopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engrain.errors import StoreError
from engrain.model.filters import Filter, Test, begun
from engrain.model.memory import Status
from engrain.storage import rows as tables
from engrain.storage.interface import evidence, named, owners
from engrain.storage.rows import ALL_AGENTS, PROPOSED, STATED, TEXT, EntityNote, EntityRow, MentionRow, RelationRow
from engrain.testing.conformance.base import EVERYTHING, LIVE, Conformance
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, NOON, memory, raises

SCOUT, COACH = (EVERYTHING.but(Test("agent", "eq", name, or_null=True)) for name in ("scout", "coach"))
ANA, BEN = Filter("default", "ana"), Filter("default", "ben", shared=True)


class Graph(Conformance):
    """Rows of the graph, and the part of it that a view returns inside the scope of its filter."""

    def _entities(self, names: str, *, org: str = "default", user: str | None = None, **more: Any) -> list[int]:
        """Put entities under their names, which are their keys too; return their numbers."""
        ns = self.namespace(org, user)
        fields: dict[str, Any] = {"type": "tool", "family": "software", **more}
        return self.put(*(EntityRow(ns, key=name, name=name, **fields) for name in names.split()), org=org)

    def _mention(self, entities: Sequence[int], *nums: int) -> None:
        self.put(*(MentionRow(entity, num, TEXT, True) for entity in entities for num in nums))

    def _merge(self, other: int, into: int | None, agent: str | None = None) -> None:
        assert self.change(EntityRow, Test("id", "eq", other), merged_into=into, agent=agent) == 1

    def _visible(self, where: Filter, **options: Any) -> list[int]:
        with self.store.read(where.org) as view:
            return [row.id for row in view.entities(where, **options)]

    def _around(
        self, entities: Sequence[int], where: Filter = EVERYTHING, at: Any = (None, NOON), **asked: Any
    ) -> tables.Surroundings:
        with self.store.read(self.org) as view:
            return view.traverse(entities, where, tables.PointOfView(*at), begun=begun(where), **asked)

    def test_an_entity_has_a_number_that_is_never_given_again_and_is_one_by_its_key(self) -> None:
        ns, other, names = self.namespace(), self.namespace(user="ana"), ("tea", "お茶", "a\u0301'\"\\%_", "🍵")
        rows = [EntityRow(ns, "tool", "software", name, name.title()) for name in names]
        numbers = self.put(*rows)
        wanted = [row._replace(id=number) for row, number in zip(rows, numbers, strict=True)]
        assert self.find(EntityRow, order="id") == wanted
        self.put(rows[0]._replace(family="person"), rows[0]._replace(key="coffee"), rows[0]._replace(ns=other))
        with raises(StoreError):
            self.put(rows[0]._replace(type="malware", name="TEA"))
        assert len(self.find(EntityRow, order="id")) == 7
        assert self.delete(EntityRow, Test("id", "eq", numbers[0])) == 1
        assert self.put(rows[0]) != numbers[:1]

    def test_an_entity_is_merged_for_an_agent_and_parted(self) -> None:
        keep, other = self._entities("tea chai")
        self._merge(other, keep, "scout")
        (found,) = self.find(EntityRow, [Test("merged_into", "in", (keep,))], order="id")
        assert (found.id, found.merged_into, found.agent) == (other, keep, "scout")
        assert [found.above(viewer) for viewer in (None, "scout", "coach")] == [keep, keep, None]
        self._merge(other, None)
        assert all(row.merged_into is None for row in self.find(EntityRow, order="id"))

    def test_rows_of_one_memory_come_in_the_order_of_their_keys_and_those_of_none_come_first(self) -> None:
        num, entities = self.add(memory()), self._entities("tea cup pot")
        self._mention(entities[::-1], num)
        here = [Test("num", "eq", num)]
        assert [row.entity for row in self.find(MentionRow, here)] == entities
        assert [row.entity for row in self.find(MentionRow, here, order="-num")] == entities[::-1]
        for by in (num, None, num, None):
            self.put(RelationRow(entities[0], "holds", entities[1], by, None, TEXT, 1.0, None, None, NOON))
        found = self.find(RelationRow)
        assert [row.num for row in found] == [None, None, num, num]
        assert [row.id for row in found[:2]] == sorted(row.id for row in found[:2])
        assert self.find(RelationRow, order="-num") == found[::-1]

    def test_a_merge_is_in_the_scope_of_its_namespace(self) -> None:
        ana, (tea, chai) = self.namespace(user="ana"), self._entities("tea chai", user="ana")
        row = tables.MergeRow("mrg_1", ana, tea, chai, None, "scout", "merged", "alike", NOON)
        self.put(row)
        waiting = ANA.but(Test("state", "in", (PROPOSED,)))
        for where, wanted in ((ANA, [row]), (EVERYTHING, [row]), (BEN, []), (Filter("other"), []), (waiting, [])):
            assert self.find(tables.MergeRow, where, order="-at") == wanted

    def test_entities_are_found_by_any_number_of_keys_inside_the_scope(self) -> None:
        def by_name(keys: Sequence[str], where: Filter) -> list[int]:
            with self.store.read(where.org) as view:
                return [row.id for row in named(view, keys, where)]

        places = [("default", None), ("default", "ana"), ("default", "ben"), ("other", None), ("other", "ana")]
        tea = [self._entities("tea", org=org, user=user)[0] for org, user in places]
        self._entities("coffee", user="ana")
        (person,) = self._entities("tea", user="ana", type="person", family="person")
        assert by_name(["tea"], ANA) == [tea[1], person]
        assert by_name(["tea"], Filter("default", "ana", shared=True)) == [tea[0], tea[1], person]
        assert by_name([*(f"no {n}" for n in range(5_000)), "tea"], EVERYTHING) == [*tea[:3], person]
        assert by_name(["tea", "none", "tea"], Filter("other")) == tea[3:]
        assert by_name([], EVERYTHING) == by_name(["tea"], Filter("default", "nobody")) == []

    def test_entities_are_those_that_were_noted_or_that_a_passing_memory_mentions(self) -> None:
        noted, mentioned, hidden, _nowhere = self._entities("a b c d", user="ana")
        live, gone = self.add(memory(user="ana")), self.add(memory(user="ana", status=Status.ARCHIVED))
        self.put(EntityNote(noted, ALL_AGENTS, "{}"))
        self._mention([mentioned], live)
        self._mention([hidden], gone)
        passing = Filter("default", "ana", conditions=LIVE.conditions)
        assert self._visible(passing) == [noted, mentioned]
        assert self._visible(ANA) == self._visible(EVERYTHING) == [noted, mentioned, hidden]
        assert self._visible(BEN) == self._visible(Filter("other")) == []
        assert self._visible(passing, among=[hidden, mentioned]) == [mentioned]
        assert self._visible(passing, among=[]) == []

    def test_entities_come_in_pages_and_by_type_under_their_top_names(self) -> None:
        tools, (person,) = self._entities("a b c"), self._entities("a", type="person", family="person")
        self.put(*(EntityNote(number, ALL_AGENTS, "{}") for number in (*tools, person)))
        assert self._visible(EVERYTHING, limit=2) == tools[:2]
        assert self._visible(EVERYTHING, limit=2, after=tools[1]) == [tools[2], person]
        assert self._visible(EVERYTHING, type="person") == [person]
        top, middle, low = self._entities("top middle low")
        self._mention([low], self.add(memory()))
        self._merge(low, middle)
        self._merge(middle, top)
        assert self._visible(EVERYTHING, after=person) == [top]

    def test_an_agents_notes_and_names_are_for_that_agent(self) -> None:
        ours, mine, alias = self._entities("a b c")
        self.put(*(EntityNote(each, agent, "{}") for each, agent in ((ours, ""), (mine, "scout"), (alias, ""))))
        self._merge(alias, ours, "scout")
        assert self._visible(SCOUT) == self._visible(EVERYTHING) == [ours, mine]
        assert self._visible(COACH) == [ours, alias]
        top, low = self._entities("top low")
        self._mention([low], self.add(memory()))
        self._merge(low, top, "scout")
        assert self._visible(SCOUT, after=alias) == [top]
        assert self._visible(COACH, after=alias) == [low]

    def test_evidence_and_owners_are_those_of_the_scope(self) -> None:
        mine = replace(memory(user="ana", agent="scout"), valid_until=LAST_MOMENT)
        nums = [self.add(each) for each in (mine, memory(user="ana", agent="coach"), memory(user="ben"))]
        common, ana, ben = (self.namespace(user=user) for user in (None, "ana", "ben"))
        self.namespace("other", "carl")
        with self.store.read(self.org) as view:
            found = evidence(view, [*nums, 10_000], ANA.but(*SCOUT.conditions))
            row = tables.EvidenceRow(nums[0], mine.id, mine.valid_from, LAST_MOMENT, mine.source.type)
            assert found == {nums[0]: row}
            assert set(evidence(view, nums * 2_000, EVERYTHING)) == set(nums)
            assert evidence(view, [], EVERYTHING) == {}
            assert owners(view, EVERYTHING) == {common: None, ana: "ana", ben: "ben"}
            assert owners(view, ANA) == {ana: "ana"}
            assert owners(view, Filter("default", "ana", shared=True)) == {common: None, ana: "ana"}
        with self.store.read("nobody") as view:
            assert owners(view, Filter("nobody")) == {}

    # ------------------------------------------------------------------------------------------------------------ steps

    def test_relations_are_found_from_either_end_by_passing_memories(self) -> None:
        tea, cup, pot = self._entities("tea cup pot")
        live, gone = self.add(memory()), self.add(memory(status=Status.ARCHIVED))
        row = RelationRow(tea, "fills", cup, live, None, TEXT, 0.5, None, None, NOON)
        self.put(row, row._replace(target=pot, num=gone), row._replace(source=cup, target=pot, num=None, origin=STATED))
        fills, holds = (tea, "fills", cup, 0.5, live, None, None), (cup, "fills", pot, 0.5, 0, None, None)
        related = {("source", tea): [fills], ("target", cup): [fills], ("target", pot): [holds]}
        for end, entity in (*related, ("target", tea)):
            assert self._around([entity], LIVE, ends=(end,)).relations == related.get((end, entity), [])
        assert len(self._around([tea], ends=("source",)).relations) == 2
        assert self._around([tea], ANA, ends=("source",)).relations == []
        both = self._around([tea, cup], LIVE, ends=("source", "target")).relations
        assert sorted(both) == sorted([fills, holds])  # each once, though the first is between the two
        assert self._around([], ends=("source", "target"), together=None, mentions=3) == tables.Surroundings()
        assert not self._around([tea]).relations

    def test_relations_keep_to_the_interval_the_agent_and_the_belief(self) -> None:
        tea, cup = self._entities("tea cup")
        row = RelationRow(tea, "fills", cup, None, "scout", STATED, 1.0, NOON, LAST_MOMENT, NOON)
        self.put(row, row._replace(relation="filled", believed_until=LAST_MOMENT))
        seen: dict[Any, list[str]] = {(None, NOON): ["fills"], ("scout", NOON, NOON): ["filled", "fills"]}
        unseen = ((None, FIRST_MOMENT), (None, LAST_MOMENT), ("coach", NOON), ("scout", NOON, FIRST_MOMENT))
        for at in (*seen, *unseen):
            assert [edge[1] for edge in self._around([tea], at=at, ends=("source",)).relations] == seen.get(at, [])

    def test_together_are_those_that_a_passing_memory_pairs_and_mentions_are_the_newest(self) -> None:
        tea, cup, pot = self._entities("tea cup pot")
        live, gone = self.add(memory()), self.add(memory(status=Status.ARCHIVED))
        self._mention([tea, cup], live, gone)
        self.put(MentionRow(pot, gone, TEXT, False))
        everything = [(tea, cup, live), (tea, cup, gone), (tea, pot, gone)]
        for entity, where, most, wanted in (
            (tea, LIVE, None, everything[:1]),
            (tea, EVERYTHING, None, everything),
            (tea, EVERYTHING, 1, everything[1:]),
            (tea, EVERYTHING, 0, []),
            (pot, EVERYTHING, None, []),
        ):
            assert sorted(self._around([entity], where, together=most).together) == wanted
        newest = self.add(memory())
        self._mention([tea], newest)
        found = self._around([tea, cup, pot], mentions=2).mentions
        assert sorted(found) == [(tea, gone), (tea, newest), (cup, live), (cup, gone), (pot, gone)]
