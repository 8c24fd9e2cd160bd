"""`history`: every version of a fact, from whichever of them one asks."""

from __future__ import annotations

from itertools import pairwise

from engrain.model.memory import Fact, Kind, Scope, Status
from engrain.read.listing import history
from engrain.testing.rows import memory
from tests.time.world import ALL, DAY, World, contents


def chain(world: World, memory_id: str, scope: Scope = ALL) -> list[str]:
    return contents(history(world.engine, scope, memory_id))


def test_the_whole_chain_from_every_one_of_its_versions() -> None:
    world = World()
    ids = [world.add("lives in Boston")]
    for place in ("Tbilisi", "Rome", "Oslo"):
        world.after()
        ids.append(world.add(f"lives in {place}"))
        world.supersede(ids[-2], ids[-1])
    world.add("unrelated")
    expected = [f"lives in {place}" for place in ("Boston", "Tbilisi", "Rome", "Oslo")]
    for memory_id in ids:
        assert chain(world, memory_id) == expected


def test_the_order_is_that_of_event_time() -> None:
    world = World()
    first = world.add("second", valid_from=world.now - DAY)
    early = world.add("first", valid_from=world.now - 2 * DAY)
    last = world.add("third")
    world.supersede(early, first)
    world.supersede(first, last)
    assert chain(world, last) == ["first", "second", "third"]


def test_several_may_have_had_one_successor() -> None:
    world = World()
    one, two = world.add("one"), world.add("two")
    world.after()
    both = world.add("one and two")
    world.supersede(one, both)
    world.supersede(two, both)
    assert chain(world, two) == ["one", "two", "one and two"]


def test_edits_precede_the_current_version_and_verdicts_add_no_version() -> None:
    world = World()
    old = world.add("lives in Bostn")
    world.after()
    world.edit(old, content="lives in Boston", fact=Fact("Ana", "lives_in", "Boston"))
    world.after()
    new = world.add("lives in Tbilisi")
    world.supersede(old, new)
    found = history(world.engine, ALL, new)
    assert contents(found) == ["lives in Bostn", "lives in Boston", "lives in Tbilisi"]
    assert [each.version for each in found] == [1, 2, 1]
    assert [each.superseded_by for each in found] == [None, new, None]


def test_forgotten_versions_are_in_it() -> None:
    world = World()
    old, new = world.add("old"), world.add("new")
    world.supersede(old, new)
    world.forget(old)
    assert [each.status for each in history(world.engine, ALL, new)] == [Status.FORGOTTEN, Status.ACTIVE]
    assert chain(world, old) == ["old", "new"]


def test_a_cycle_ends() -> None:
    world = World()
    one, two = world.add("one"), world.add("two")
    world.overwrite(one, superseded_by=two)
    world.overwrite(two, superseded_by=one)
    assert chain(world, one) == ["one", "two"]
    alone = world.add("alone")
    world.overwrite(alone, superseded_by=alone)
    assert chain(world, alone) == ["alone"]


def test_a_successor_that_is_gone_ends_the_chain() -> None:
    world = World()
    old = world.add("old", superseded_by="mem_erased")
    assert chain(world, old) == ["old"]


def test_nothing_outside_the_scope() -> None:
    world = World()
    mine = world.add("mine", user="ana", agent="scout")
    other = world.add("the medic's", user="ana", agent="medic")
    world.supersede(mine, other)
    assert chain(world, mine, Scope(user="ana", agent="scout")) == ["mine"]
    assert chain(world, other, Scope(user="ana", agent="scout")) == []
    assert chain(world, mine, Scope(user="ben")) == []
    assert chain(world, mine, Scope("other", "ana")) == []
    assert chain(world, mine, Scope(user="ana")) == ["mine", "the medic's"]
    held = world.add("held", session="monday", kind=Kind.WORKING)
    assert chain(world, held) == []
    assert chain(world, held, Scope(session="monday")) == ["held"]


def test_an_unknown_id_has_none() -> None:
    world = World()
    assert chain(world, memory().id) == []


def test_a_long_chain() -> None:
    world = World()
    ids = [world.add(str(n)) for n in range(60)]
    for old, new in pairwise(ids):
        world.overwrite(old, superseded_by=new)
    assert chain(world, ids[30]) == [str(n) for n in range(60)]
