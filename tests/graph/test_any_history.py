"""Whatever several users and agents remember, forget, state, merge and take back: every read equals a plain model."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engrain import MemoryManager, NotFound
from engrain.model.entities import Relationship
from engrain.testing import FrozenClock
from tests.graph.model import AddedMemory, Merged, Said, World
from tests.rounds import rounds

CVES = [f"CVE-2024-100{n}" for n in range(5)]
OTHERS = [f"CVE-2024-200{n}" for n in range(3)]
USERS = ("ana", "ben")
VIEWS = tuple((user, agent) for user in USERS for agent in (None, "scout", "coach"))
View = tuple[str, str | None]

names = st.sampled_from([*CVES, *OTHERS])
read_names = st.sets(st.sampled_from(CVES), max_size=3)
views = st.sampled_from(VIEWS)
picks = st.integers(0, 30)
relations = st.sampled_from(["uses", "causes"])
weights = st.sampled_from([0.25, 1.0])


def ends(found: list[Relationship], at: str) -> set[tuple[str, str, str, frozenset[str]]]:
    """Return relations in the form of the model; a mere co-mention has no direction."""
    out = set()
    for each in found:
        source, target = each.source.name, each.target.name
        if each.relation == "related_to" and target == at:
            source, target = target, source
        out.add((source, each.relation, target, frozenset(each.evidence)))
    return out


class Histories(RuleBasedStateMachine):
    """Users and agents at work on one store."""

    @initialize()
    def open(self) -> None:
        self.clock = FrozenClock("2026-01-05T12:00:00+00:00")
        self.memory = MemoryManager(":memory:", clock=self.clock, embedder=None)
        self.worlds = {user: World() for user in USERS}
        self.count = self.steps = 0

    def teardown(self) -> None:
        for view in VIEWS:
            self.reads_equal_the_model(view)
        self.memory.close()

    def at(self, view: View) -> tuple[MemoryManager, World, str | None]:
        self.clock.advance(timedelta(seconds=1))
        user, agent = view
        return self.memory.scoped(user=user, agent=agent), self.worlds[user], agent

    def text(self, read: set[str]) -> str:
        self.count += 1
        return f"Ticket {self.count} lists {' beside '.join(sorted(read)) or 'none'}"

    def some(self, world: World, agent: str | None, pick: int, *states: str) -> str | None:
        """Return a memory that the view reaches, None when there is none."""
        found = sorted(world.reach(agent, *states))
        return found[pick % len(found)] if found else None

    # ------------------------------------------------------------------------------------------------------- memories

    @rule(view=views, read=read_names)
    def remember(self, view: View, read: set[str]) -> None:
        m, world, agent = self.at(view)
        world.add(AddedMemory(m.remember(self.text(read)).id, view[0], agent, read))

    @rule(view=views, read=read_names, pick=picks)
    def supersede(self, view: View, read: set[str], pick: int) -> None:
        m, world, agent = self.at(view)
        if old := self.some(world, agent, pick, "live"):
            new = m.supersede(old, self.text(read), reason="newer")
            world.memories[old].state = "superseded"
            world.add(AddedMemory(new.id, view[0], world.memories[old].agent, read))

    @rule(view=views, read=read_names, pick=picks)
    def update(self, view: View, read: set[str], pick: int) -> None:
        m, world, agent = self.at(view)
        if old := self.some(world, agent, pick, "live"):
            m.update(old, content=self.text(read))
            world.reread(world.memories[old], read)

    @rule(view=views, pick=picks)
    def forget(self, view: View, pick: int) -> None:
        m, world, agent = self.at(view)
        if old := self.some(world, agent, pick, "live", "superseded"):
            m.forget(old)
            world.memories[old].state = "forgotten"

    # -------------------------------------------------------------------------------------------------------- by hand

    @rule(view=views, name=names, value=st.integers(0, 3))
    def add_entity(self, view: View, name: str, value: int) -> None:
        m, world, agent = self.at(view)
        m.graph.add_entity("cve", name, metadata={f"of {agent} and {name}": value})
        world.stand(name, agent, {f"of {agent} and {name}": value})

    @rule(view=views, name=names, pick=picks)
    def link(self, view: View, name: str, pick: int) -> None:
        m, world, agent = self.at(view)
        memory = self.some(world, agent, pick, "live", "superseded")
        if memory is None or not world.is_known(name, agent, "live", "superseded"):
            missing = memory or "mem_unknown"
            assert refused(lambda: m.graph.link_memory("cve", name, missing), NotFound)
        else:
            assert m.graph.link_memory("cve", name, memory) == world.link(name, memory)

    @rule(view=views, triple=st.tuples(names, relations, names), weight=weights, pick=st.none() | picks)
    def relate(self, view: View, triple: tuple[str, str, str], weight: float, pick: int | None) -> None:
        source, relation, target = triple
        m, world, agent = self.at(view)
        memory = None if pick is None else self.some(world, agent, pick, "live", "superseded")
        edge = (("cve", source), relation, ("cve", target))
        known = {source, target} <= world.rows.keys()
        if source == target or (known and world.top(source, agent) == world.top(target, agent)):
            assert refused(lambda: m.graph.add_relationship(*edge, evidence=memory, weight=weight), ValueError)
        else:
            m.graph.add_relationship(*edge, evidence=memory, weight=weight)
            world.relate(Said(source, relation, target, memory, agent if memory is None else None, weight))

    @rule(view=views, name=names, alias=names)
    def alias(self, view: View, name: str, alias: str) -> None:
        m, world, agent = self.at(view)
        known = alias in world.rows
        if name == alias or (known and name in world.rows and world.top(alias, agent) == world.top(name, agent)):
            pointer = world.rows.get(alias)
            for_all = pointer if name != alias and agent is None and pointer is not None and pointer[1] else None
            if for_all is not None and alias in world.anybodys(for_all[0]):
                assert refused(lambda: m.graph.add_alias("cve", name, alias), ValueError)
                return
            m.graph.add_alias("cve", name, alias)
            world.stand(name, agent)
            if for_all is not None:
                world.rows[alias] = (for_all[0], None)
                for merge in world.merges:
                    if (merge.other, merge.agent, merge.state) == (alias, for_all[1], "merged"):
                        merge.agent = None
        elif not known or (world.top(alias, agent) == alias and world.may_point(alias, name, agent)):
            met = known and (agent is None or world.is_known(alias, agent, "live", "superseded"))
            m.graph.add_alias("cve", name, alias)
            world.stand(name, agent)
            top = world.top(name, agent)
            world.point(alias, top, agent)
            if met:
                self.merged(m, world, top, alias, agent)
        else:
            assert refused(lambda: m.graph.add_alias("cve", name, alias), ValueError)

    @rule(view=views, keep=names, other=names)
    def merge(self, view: View, keep: str, other: str) -> None:
        m, world, agent = self.at(view)
        known = all(world.is_known(name, agent, "live", "superseded") for name in (keep, other))
        if not known:
            assert refused(lambda: m.graph.merge(("cve", keep), ("cve", other)), NotFound)
            return
        into, merged = world.top(keep, agent), world.top(other, agent)
        if into == merged or not world.may_point(merged, into, agent):
            assert refused(lambda: m.graph.merge(("cve", keep), ("cve", other)), ValueError)
        else:
            m.graph.merge(("cve", keep), ("cve", other))
            world.point(merged, into, agent)
            self.merged(m, world, into, merged, agent)

    def merged(self, m: MemoryManager, world: World, keep: str, other: str, agent: str | None) -> None:
        made = m.graph.merges()[0]
        assert (made.keep.name, made.other.name, made.state) == (keep, other, "merged")
        world.merges.append(Merged(made.id, keep, other, agent))

    @rule(view=views, pick=picks)
    def unmerge(self, view: View, pick: int) -> None:
        m, world, agent = self.at(view)
        if world.merges:
            merge = world.merges[pick % len(world.merges)]
            mine = agent is None or merge.agent in (None, agent)
            assert m.graph.unmerge(merge.id) == (mine and merge.state == "merged")
            assert not self.memory.scoped(user="carl").graph.unmerge(merge.id)
            if mine and merge.state == "merged":
                world.unmerge(merge)

    @rule(view=views, name=names)
    def remove_entity(self, view: View, name: str) -> None:
        m, world, agent = self.at(view)
        assert m.graph.remove_entity("cve", name) == world.remove(name, agent)

    # ------------------------------------------------------------------------------------------------------------ reads

    @invariant()
    def some_view_equals_the_model(self) -> None:
        self.steps += 1
        self.reads_equal_the_model(VIEWS[self.steps % len(VIEWS)])

    def reads_equal_the_model(self, view: View) -> None:
        """Assert that every read of a view equals the model."""
        user, agent = view
        m, world = self.memory.scoped(user=user, agent=agent), self.worlds[user]
        found = {e.name: (set(e.aliases), dict(e.metadata)) for e in m.graph.entities()}
        assert found == world.entities(agent)
        stated = {
            (r.source.name, r.relation, r.target.name): (r.weight, frozenset(r.evidence))
            for r in m.graph.relationships()
        }
        assert stated == world.relations(agent)
        merges = {(x.id, x.state) for x in m.graph.merges()}
        mine = (x for x in world.merges if agent is None or x.agent in (None, agent))
        assert merges == {(x.id, x.state) for x in mine}
        for name in (*CVES[:3], OTHERS[0]):
            self.one(m, world, agent, name)

    def one(self, m: MemoryManager, world: World, agent: str | None, name: str) -> None:
        entity = m.graph.entity("cve", name)
        assert (entity is not None) == world.is_known(name, agent, "live")
        top = world.top(name, agent) if name in world.rows else name
        assert entity is None or entity.name == top
        assert ends(m.get_entity_relationships("cve", name), top) == world.neighbours(name, agent)
        about = world.about(name, agent)
        assert set(m.graph.memory_ids("cve", name)) == about
        assert {memory.id for memory in m.recall_cve(name, k=100)} == about
        away = world.distances(name, agent)
        near = {each: depth for each, depth in away.items() if depth <= 2}
        walked: dict[str, Any] = {r.entity.name: (r.depth, len(r.path)) for r in m.traverse_graph("cve", name)}
        assert walked == {each: (depth, depth) for each, depth in near.items()}
        assert [e.name for e in m.graph.related("cve", name, max_depth=1)] == sorted(
            (each for each, depth in away.items() if depth == 1), key=m_order(m).index
        )
        within = about.union(*(world.about(each, agent) for each in near))
        assert set(m.graph.memory_ids("cve", name, max_depth=2)) == within
        ranked = {e.name for e, _ in m.graph.pagerank([("cve", name)], k=100)}
        assert ranked == {each for each, depth in away.items() if depth <= 3}
        for other in CVES[3:]:
            steps = m.graph.shortest_path(("cve", name), ("cve", other))
            goal = world.top(other, agent) if other in world.rows else other
            assert len(steps) == (away.get(goal, 0) if world.is_known(other, agent, "live") else 0)


def m_order(m: MemoryManager) -> list[str]:
    """Return the names of entities in the order in which they were made."""
    return [entity.name for entity in m.graph.entities()]


def refused(call: Any, error: type[Exception]) -> bool:
    """Say whether a call raises this error."""
    try:
        call()
    except error:
        return True
    return False


class TestHistories(Histories.TestCase):  # type: ignore[misc, valid-type]
    settings = settings(max_examples=rounds(4), stateful_step_count=25)
