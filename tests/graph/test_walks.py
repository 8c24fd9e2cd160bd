"""Walks find what a naive search finds over the same statements: by views, times, evidence, merges and namespaces."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

import pytest

import engrain

DAY = timedelta(days=1)
NAMES = [f"thing {letter}" for letter in "abcdefghij"]


@dataclass
class Note:
    """A memory as the naive search knows it."""

    id: str
    user: str | None
    agent: str | None
    since: datetime
    recorded: datetime
    forgotten: bool = False
    about: set[str] = field(default_factory=set)


@dataclass
class Said:
    """A relation as the naive search knows it."""

    user: str | None
    agent: str | None
    source: str
    relation: str
    target: str
    note: Note | None
    since: datetime | None
    until: datetime | None
    recorded: datetime


@dataclass
class Look:
    """Who looks, and when."""

    user: str
    agent: str | None
    at: datetime
    known_at: datetime | None = None
    shared: bool = False

    def reaches(self, user, agent):
        inside = user == self.user or (self.shared and user is None)
        return inside and (None in (agent, self.agent) or agent == self.agent)

    def knows(self, recorded):
        return self.known_at is None or recorded <= self.known_at

    def sees_note(self, note):
        seen = self.reaches(note.user, note.agent) and note.since <= self.at
        return seen and not note.forgotten and self.knows(note.recorded)

    def sees(self, said):
        inside = said.user == self.user or (self.shared and said.user is None)
        holds = (said.since is None or said.since <= self.at) and (said.until is None or self.at < said.until)
        if not (inside and holds and self.knows(said.recorded)):
            return False
        return self.sees_note(said.note) if said.note is not None else self.reaches(said.user, said.agent)


class World:
    """A store filled at random, and the same as plain lists."""

    def __init__(self, memory, clock, seed, *, merges=0, forgets=0):
        self.memory, self.clock, self.rng = memory, clock, Random(seed)
        self.notes: list[Note] = []
        self.said: list[Said] = []
        self.merged: dict[str, str] = {}
        for _ in range(6):
            for _ in range(2):
                self.remember()
            for _ in range(5):
                self.state()
            clock.advance(DAY)
        for _ in range(merges):
            self.merge()
        for note in self.rng.sample(self.notes, forgets):
            memory.scoped(user=note.user, agent=note.agent).forget(note.id) if note.user else memory.forget(note.id)
            note.forgotten = True

    def view(self):
        return self.rng.choice(["ana", "ana", "bob", None]), self.rng.choice([None, None, "x", "y"])

    def scoped(self, user, agent):
        return self.memory.scoped(user=user, agent=agent)

    def remember(self):
        user, agent = self.view()
        since = self.clock.now() - self.rng.choice([0, 0, 3]) * DAY
        kept = self.scoped(user, agent).remember(f"note {len(self.notes)} was taken.", valid_from=since)
        self.notes.append(Note(kept.id, user, agent, since, self.clock.now()))

    def state(self):
        user, agent = self.view()
        source, target = self.rng.sample(NAMES, 2)
        mine = [note for note in self.notes if note.user == user and note.agent in (None, agent)]
        note = self.rng.choice([None, *mine])
        now = self.clock.now()
        since = self.rng.choice([None, None, now - DAY, now + DAY])
        until = self.rng.choice([None, None, now + 2 * DAY])
        relation = self.rng.choice(["uses", "targets"])
        place = (user, agent if note is None else None, source, relation, target, note)
        if any((s.user, s.agent, s.source, s.relation, s.target, s.note) == place for s in self.said):
            return
        item = {"source": ("tool", source), "relation": relation, "target": ("tool", target), "valid_from": since}
        evidence = None if note is None else note.id
        self.scoped(user, agent).graph.add_relationships([{**item, "valid_until": until, "evidence": evidence}])
        self.said.append(Said(*place, since, until, now))
        if note is not None:
            note.about |= {source, target}

    def merge(self):
        known = sorted({end for said in self.said if said.user == "ana" for end in (said.source, said.target)})
        keep, other = self.rng.sample(known, 2)
        if self.top(keep) == self.top(other):
            return
        self.scoped("ana", None).graph.merge(("tool", keep), ("tool", other))
        self.merged[self.top(other)] = self.top(keep)

    def top(self, name):
        while name in self.merged:
            name = self.merged[name]
        return name

    def edges(self, look):
        """Return the steps that can be taken from each entity: (relation, direction, entity)."""
        found: dict[str, set[tuple[str, str, str]]] = {}
        for said in filter(look.sees, self.said):
            source, target = self.top(said.source), self.top(said.target)
            if source != target:
                found.setdefault(source, set()).add((said.relation, "out", target))
                found.setdefault(target, set()).add((said.relation, "in", source))
        for note in filter(look.sees_note, self.notes):
            for one in map(self.top, note.about):
                others = set(map(self.top, note.about)) - {one}
                found.setdefault(one, set()).update(("related_to", "out", other) for other in others)
        return found

    def depths(self, look, start, most):
        edges, depths, waiting = self.edges(look), {self.top(start): 0}, deque([self.top(start)])
        while waiting:
            here = waiting.popleft()
            for _, _, there in edges.get(here, ()):
                if there not in depths and depths[here] < most:
                    depths[there] = depths[here] + 1
                    waiting.append(there)
        return {name: depth for name, depth in depths.items() if depth}


def check(world, look):
    graph = world.memory.scoped(user=look.user, agent=look.agent)
    asked = {"shared": look.shared, "as_of": look.at, "known_at": look.known_at}
    edges = world.edges(look)
    for start in NAMES[::2]:
        for most in (2, 3):
            expected = world.depths(look, start, most)
            reached = graph.traverse_graph("tool", start, max_depth=most, **asked)
            assert {each.entity.name: each.depth for each in reached} == expected
            assert [each.depth for each in reached] == sorted(expected.values())
            assert {each.name for each in graph.graph.related("tool", start, max_depth=most, **asked)} == set(expected)
            for each in reached:
                here = world.top(start)
                for step in each.path:
                    assert (step.relation, step.direction, step.entity.name) in edges[here]
                    here = step.entity.name
                assert (len(each.path), here) == (each.depth, each.entity.name)
        near = graph.get_entity_relationships("tool", start, **asked)
        assert {each.entity.name for each in near} == set(world.depths(look, start, 1))
        far = world.depths(look, start, 6)
        for goal in NAMES:
            way = graph.graph.shortest_path(("tool", start), ("tool", goal), **asked)
            assert len(way) == far.get(world.top(goal), 0)


@pytest.fixture
def words(tmp_path, clock):
    with engrain.MemoryManager(tmp_path / "memory.db", clock=clock, embedder=None) as manager:
        yield manager


@pytest.mark.parametrize("seed", range(2))
def test_in_every_view_with_merges_and_forgotten_evidence(words, clock, seed):
    world = World(words, clock, seed, merges=3, forgets=2)
    for agent in (None, "x"):
        check(world, Look("ana", agent, clock.now()))


@pytest.mark.parametrize("seed", range(2))
def test_at_other_times(words, clock, seed):
    world, now = World(words, clock, seed), clock.now()
    check(world, Look("ana", "y", now - 4 * DAY))
    check(world, Look("ana", None, now, known_at=now - 3 * DAY - DAY / 2))


@pytest.mark.parametrize("seed", range(2))
def test_over_a_users_and_the_common_namespace(words, clock, seed):
    world = World(words, clock, seed)
    check(world, Look("ana", None, clock.now(), shared=True))
    check(world, Look("bob", "x", clock.now(), shared=True))
