"""What an agent calls a thing for itself: no operation of another agent reveals it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager

VAN, DEPOT = ("tool", "Kestrel Van"), ("tool", "Alvor Depot")
ALIAS = "Grumblix"
_NUMBERED = re.compile(r"\b(?:ent|mrg|mem|own|turn|ses)_\w+|\d{4}-\d\d-\d\dT[\d:.+]+|\b[0-9a-f]{16,}\b")


def _imported(coach: MemoryManager, folder: Path) -> Any:
    path = folder / f"names of {coach.scope.user}.jsonl"
    header = {"type": "header", "format": "engrain-export", "version": 1, "org": "default", "exported_at": "2026-01-05"}
    row = {"type": "alias", "user": coach.scope.user, "agent": "coach", "entity": [*DEPOT], "alias": ["tool", ALIAS]}
    path.write_text(f"{json.dumps(header)}\n{json.dumps(row)}\n")
    return coach.import_(path, trust="system")


def _exported(coach: MemoryManager, folder: Path) -> Any:
    path = folder / f"{coach.scope.user}.jsonl"
    coach.export(path)
    return [line for line in path.read_text().splitlines() if '"header"' not in line]


def _vocabulary(coach: MemoryManager, folder: Path) -> Any:
    path = folder / f"names of {coach.scope.user}.json"
    path.write_text(json.dumps({"tool": {DEPOT[1]: [ALIAS]}}))
    return coach.graph.load_aliases(path)


# Every operation that resolves a name, as the coach does it.
OPERATIONS: dict[str, Callable[[MemoryManager, Path], Any]] = {
    "add_alias": lambda m, _: m.graph.add_alias(*DEPOT, ALIAS),
    "add_entity": lambda m, _: m.graph.add_entity("tool", ALIAS),
    "add_entity with an alias": lambda m, _: m.graph.add_entity(*DEPOT, aliases=[ALIAS]),
    "load_aliases": _vocabulary,
    "merge": lambda m, _: m.graph.merge(DEPOT, ("tool", ALIAS)),
    "merge of what it knows": lambda m, _: (
        m.graph.add_entity("tool", ALIAS),
        m.graph.merge(DEPOT, ("tool", ALIAS)),
        m.graph.unmerge(m.graph.merges()[0].id),
    ),
    "the other way round": lambda m, _: m.graph.add_alias("tool", ALIAS, VAN[1]),
    "add_relationship": lambda m, _: m.graph.add_relationship(("tool", ALIAS), "uses", VAN),
    "link_memory": lambda m, _: m.graph.link_memory("tool", ALIAS, m.remember("It rains").id),
    "remove_entity": lambda m, _: m.graph.remove_entity("tool", ALIAS),
    "remember": lambda m, _: m.remember(f"{ALIAS.lower()} came at noon, said {ALIAS}"),
    "import": _imported,
    "entity": lambda m, _: m.graph.entity("tool", ALIAS),
    "memory_ids": lambda m, _: m.graph.memory_ids("tool", ALIAS),
    "related": lambda m, _: m.graph.related("tool", ALIAS),
    "shortest_path": lambda m, _: m.graph.shortest_path(("tool", ALIAS), DEPOT),
    "pagerank": lambda m, _: m.graph.pagerank([("tool", ALIAS)]),
    "recall": lambda m, _: [hit.memory.content for hit in m.recall(f"Where is {ALIAS}?")],
    "recall_entity": lambda m, _: [memory.content for memory in m.recall_entity("tool", ALIAS)],
    "context": lambda m, _: m.context(f"Where is {ALIAS}?"),
    "synthesize": lambda m, _: m.synthesize(f"Where is {ALIAS}?").synthesis,
    "get_entity_relationships": lambda m, _: m.get_entity_relationships("tool", ALIAS),
    "traverse_graph": lambda m, _: m.traverse_graph("tool", ALIAS),
    "resolve": lambda m, _: m.graph.resolve(),
    "review": lambda m, _: m.review(),
}


def _reported(memory: MemoryManager, user: str, name: str, folder: Path) -> str:
    """Return all that an operation reports to the coach, and by every read after it, numbers and times aside."""
    coach = memory.scoped(user=user, agent="coach")
    try:
        outcome = repr(OPERATIONS[name](coach, folder))
    except (ValueError, LookupError) as error:
        outcome = f"{type(error).__name__}: {error}"
    reads = (
        list(coach.graph.entities()),
        list(coach.graph.relationships()),
        [coach.graph.entity(*named) for named in (VAN, DEPOT, ("tool", ALIAS))],
        [(merge.keep, merge.other, merge.state) for merge in coach.graph.merges()],
        [(entry.operation, entry.reason) for entry in coach.audit_log() if entry.actor == "agent:coach"],
        sorted(hit.memory.content for hit in coach.recall(f"{ALIAS} and {VAN[1]}")),
        _exported(coach, folder),
    )
    text = _NUMBERED.sub("#", f"{outcome} {reads!r}")
    return text.replace(user, "USER")


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_reveals_another_agents_alias(memory: MemoryManager, tmp_path: Path, name: str) -> None:
    for user in ("ana", "ben"):
        view = memory.scoped(user=user)
        for thing in (VAN, DEPOT):
            view.graph.add_entity(*thing)
        view.remember("The Kestrel Van stands at the Alvor Depot")
    scout = memory.scoped(user="ana", agent="scout")
    scout.graph.add_alias(*VAN, ALIAS)
    scout.remember(f"{ALIAS} was late")
    assert _reported(memory, "ana", name, tmp_path) == _reported(memory, "ben", name, tmp_path)
    known = scout.graph.entity("tool", ALIAS)
    assert known is not None
    assert (known.name, ALIAS in known.aliases) == (VAN[1], True)


def test_agents_may_call_different_things_by_one_name(memory: MemoryManager) -> None:
    ana, scout, coach = (memory.scoped(user="ana", agent=name) for name in (None, "scout", "coach"))
    for thing in (VAN, DEPOT):
        ana.graph.add_entity(*thing)
    scout.graph.add_alias(*VAN, ALIAS)
    coach.graph.add_alias(*DEPOT, ALIAS)
    ana.remember(f"{ALIAS} is red")
    for view, thing in ((scout, VAN), (coach, DEPOT), (ana, VAN)):  # a view without an agent takes the first agent's
        found = view.graph.entity("tool", ALIAS)
        assert found is not None
        assert (found.name, found.aliases) == (thing[1], (ALIAS,))
        about = [memory.content for memory in view.recall_entity(*thing)]
        assert f"{ALIAS} is red" in about
        assert [each.name for each in view.graph.entities()] == ["Kestrel Van", "Alvor Depot"]


def test_a_second_agents_alias_moves_with_an_export_and_goes_with_a_removal(
    memory: MemoryManager, tmp_path: Path
) -> None:
    ana, scout, coach = (memory.scoped(user="ana", agent=name) for name in (None, "scout", "coach"))
    for thing in (VAN, DEPOT):
        ana.graph.add_entity(*thing)
    scout.graph.add_alias(*VAN, ALIAS)
    coach.graph.add_alias(*DEPOT, ALIAS)
    ana.export(tmp_path / "ana.jsonl")
    with MemoryManager(tmp_path / "other.db", embedder=None) as other:
        other.import_(tmp_path / "ana.jsonl", trust="system")
        for agent, thing in (("scout", VAN), ("coach", DEPOT)):
            found = other.scoped(user="ana", agent=agent).graph.entity("tool", ALIAS)
            assert found is not None
            assert found.name == thing[1]
    assert ana.graph.remove_entity(*DEPOT)
    assert coach.graph.entity("tool", ALIAS) is None
    assert scout.graph.entity("tool", ALIAS) is not None
