"""The graph as it should be, in plain Python: what several users and agents said, and what each of them sees of it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import permutations


@dataclass
class AddedMemory:
    """A memory: whose it is, which names its text holds, and whether it is live, superseded or forgotten."""

    id: str
    user: str
    agent: str | None
    names: set[str]
    state: str = "live"


@dataclass
class Said:
    """A relation stated by hand, of a memory or of a view."""

    source: str
    relation: str
    target: str
    memory: str | None
    agent: str | None
    weight: float


@dataclass
class Merged:
    """One merge, made or undone."""

    id: str
    keep: str
    other: str
    agent: str | None
    state: str = "merged"


@dataclass
class World:
    """All that one user and the user's agents said. A viewer of None sees every agent's."""

    memories: dict[str, AddedMemory] = field(default_factory=dict)
    rows: dict[str, tuple[str, str | None] | None] = field(default_factory=dict)  # a name, whose other name, by whom
    own: dict[tuple[str, str], str] = field(default_factory=dict)  # of a further agent
    notes: dict[tuple[str, str | None], dict[str, int]] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)  # a name and a memory, by text or by hand
    by_hand: set[tuple[str, str]] = field(default_factory=set)
    said: list[Said] = field(default_factory=list)
    merges: list[Merged] = field(default_factory=list)

    # ------------------------------------------------------------------------------------------------------ who is who

    def above(self, name: str, viewer: str | None) -> str | None:
        pointer = self.rows.get(name)
        if pointer is None or not sees(viewer, pointer[1]):
            return None if viewer is None else self.own.get((name, viewer))
        return pointer[0]

    def top(self, name: str, viewer: str | None) -> str:
        while (above := self.above(name, viewer)) is not None:
            name = above
        return name

    def tree(self, name: str, viewer: str | None) -> set[str]:
        top = self.top(name, viewer)
        return {each for each in self.rows if self.top(each, viewer) == top}

    def reach(self, viewer: str | None, *states: str) -> set[str]:
        """Return the memories of these states that a viewer sees."""
        return {each.id for each in self.memories.values() if sees(viewer, each.agent) and each.state in states}

    def is_known(self, name: str, viewer: str | None, *states: str) -> bool:
        if name not in self.rows:
            return False
        tree, seen = self.tree(name, viewer), self.reach(viewer, *states)
        noted = any(each in tree and sees(viewer, agent) for each, agent in self.notes)
        return noted or any(each in tree and memory in seen for each, memory in self.links)

    # ----------------------------------------------------------------------------------------------------------- reads

    def entities(self, viewer: str | None) -> dict[str, tuple[set[str], dict[str, int]]]:
        out: dict[str, tuple[set[str], dict[str, int]]] = {}
        for name in self.rows:
            if self.top(name, viewer) == name and self.is_known(name, viewer, "live"):
                tree, metadata = self.tree(name, viewer), dict[str, int]()
                for (noted, agent), values in self.notes.items():
                    if noted in tree and sees(viewer, agent):
                        metadata |= values
                out[name] = (tree - {name}, metadata)
        return out

    def about(self, name: str, viewer: str | None) -> set[str]:
        if not self.is_known(name, viewer, "live"):
            return set()
        tree, seen = self.tree(name, viewer), self.reach(viewer, "live")
        return {memory for each, memory in self.links if each in tree and memory in seen}

    def relations(self, viewer: str | None) -> dict[tuple[str, str, str], tuple[float, frozenset[str]]]:
        """Return the relations stated, each with its weight and evidence."""
        seen, out = self.reach(viewer, "live"), dict[tuple[str, str, str], tuple[float, frozenset[str]]]()
        for each in self.said:
            visible = sees(viewer, each.agent) if each.memory is None else each.memory in seen
            source, target = self.top(each.source, viewer), self.top(each.target, viewer)
            if visible and source != target:
                weight, evidence = out.get((source, each.relation, target), (0.0, frozenset()))
                more = frozenset() if each.memory is None else {each.memory}
                out[source, each.relation, target] = (max(weight, each.weight), evidence | more)
        return out

    def beside(self, viewer: str | None) -> dict[frozenset[str], set[str]]:
        """Return the entities merely named together, with the memories where."""
        out: dict[frozenset[str], set[str]] = {}
        stated = {frozenset((source, target)) for source, _, target in self.relations(viewer)}
        for memory in self.reach(viewer, "live"):
            tops = {self.top(name, viewer) for name, where in self.links if where == memory}
            for pair in permutations(sorted(tops), 2):
                if frozenset(pair) not in stated:
                    out.setdefault(frozenset(pair), set()).add(memory)
        return out

    def neighbours(self, name: str, viewer: str | None) -> set[tuple[str, str, str, frozenset[str]]]:
        """Return the ends of every relation of an entity: source, relation, target, evidence."""
        if not self.is_known(name, viewer, "live"):
            return set()
        top = self.top(name, viewer)
        out = {(s, r, t, evidence) for (s, r, t), (_, evidence) in self.relations(viewer).items() if top in (s, t)}
        for pair, memories in self.beside(viewer).items():
            if top in pair:
                (other,) = pair - {top}
                out.add((top, "related_to", other, frozenset(memories)))
        return out

    def distances(self, name: str, viewer: str | None) -> dict[str, int]:
        """Return how many steps away everything is that can be reached."""
        if not self.is_known(name, viewer, "live"):
            return {}
        ties = {frozenset((source, target)) for source, _, target in self.relations(viewer)} | set(self.beside(viewer))
        start = self.top(name, viewer)
        found, queue = {start: 0}, deque([start])
        while queue:
            at = queue.popleft()
            for (other,) in (tie - {at} for tie in ties if at in tie):
                if other not in found:
                    found[other] = found[at] + 1
                    queue.append(other)
        return {each: depth for each, depth in found.items() if depth}

    # ----------------------------------------------------------------------------------------------------------- edits

    def add(self, memory: AddedMemory) -> None:
        self.memories[memory.id] = memory
        self.reread(memory, memory.names)

    def reread(self, memory: AddedMemory, names: set[str]) -> None:
        read = {(name, where) for name, where in self.links if where == memory.id} - self.by_hand
        memory.names, self.links = names, self.links - read
        for name in names:
            self.rows.setdefault(name, None)
            self.links.add((name, memory.id))

    def stand(self, name: str, agent: str | None, metadata: dict[str, int] | None = None) -> None:
        self.rows.setdefault(name, None)
        self.notes.setdefault((name, agent), {}).update(metadata or {})

    def link(self, name: str, memory: str) -> bool:
        new = (name, memory) not in self.links
        self.links.add((name, memory))
        self.by_hand.add((name, memory))
        return new

    def relate(self, said: Said) -> None:
        for end in (said.source, said.target):
            self.rows.setdefault(end, None)
            if said.memory is None:
                self.stand(end, said.agent)
            else:
                self.link(end, said.memory)
        place = (said.source, said.relation, said.target, said.memory, said.agent)
        same = [s for s in self.said if (s.source, s.relation, s.target, s.memory, s.agent) == place]
        self.said = [each for each in self.said if each not in same]
        self.said.append(said)

    def may_point(self, other: str, into: str, viewer: str | None) -> bool:
        """Say whether a name may become another's: of an agent always, of all where it is no circle for any agent."""
        return viewer is not None or other not in self.anybodys(into)

    def anybodys(self, name: str) -> set[str]:
        """Return a name and all its equivalents in any view."""
        found, new = set[str](), {name}
        while new:
            found |= new
            pointers = {pointer[0] for each in new if (pointer := self.rows.get(each)) is not None}
            new = (pointers | {into for (each, _), into in self.own.items() if each in new}) - found
        return found

    def point(self, other: str, into: str, agent: str | None) -> None:
        """Make a name another name: beside the first agent's where another agent was first."""
        if agent is not None and (self.rows.get(other) is not None or self.top(into, None) == other):
            self.own[other, agent] = into
        else:
            self.rows[other] = (into, agent)

    def unmerge(self, merge: Merged) -> None:
        merge.state = "undone"
        if merge.agent is None or self.own.pop((merge.other, merge.agent), None) is None:
            self.rows[merge.other] = None

    def remove(self, name: str, viewer: str | None) -> bool:
        if not self.is_known(name, viewer, "live", "superseded"):
            return False
        ids, everything = self.tree(name, viewer), viewer is None
        seen = self.reach(viewer, "live", "superseded", "forgotten")
        self.notes = {k: v for k, v in self.notes.items() if k[0] not in ids or not sees(viewer, k[1])}
        self.links = {k for k in self.links if k[0] not in ids or not (everything or k[1] in seen)}
        self.by_hand &= self.links
        gone = [s for s in self.said if {s.source, s.target} & ids and self._may_remove(s, viewer, seen)]
        self.said = [each for each in self.said if each not in gone]
        pointers = [(each, pointer) for each, pointer in self.rows.items() if pointer is not None]
        pointers += [(each, (into, agent)) for (each, agent), into in self.own.items()]
        others = any((e in ids or p[0] in ids) and not sees(viewer, p[1]) for e, p in pointers)
        left = {each for each, _ in self.notes} | {each for each, _ in self.links}
        left |= {end for s in self.said for end in (s.source, s.target)}
        if not (others or left & ids):
            self.rows = {each: pointer for each, pointer in self.rows.items() if each not in ids}
            self.own = {each: into for each, into in self.own.items() if not {each[0], into} & ids}
            self.merges = [m for m in self.merges if not {m.keep, m.other} & ids]
        return True

    def _may_remove(self, said: Said, viewer: str | None, seen: set[str]) -> bool:
        if viewer is None:
            return True
        return sees(viewer, said.agent) if said.memory is None else said.memory in seen


def sees(viewer: str | None, agent: str | None) -> bool:
    """Say whether a viewer sees what an agent said; None sees every agent's, and None's is for all."""
    return viewer is None or agent in (None, viewer)
