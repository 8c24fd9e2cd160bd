"""Caps: what leaves room for a new memory is archived before it comes, and says so."""

from __future__ import annotations

from datetime import timedelta

from engrain import MemoryManager, RetentionPolicy
from engrain.testing import FrozenClock
from tests.lifecycle.living import audited, learnt, opened, statuses

THREE = RetentionPolicy(kind="semantic", cap=3)


def fill(memory: MemoryManager, *importances: float) -> list[str]:
    """Remember a fact of each importance."""
    return [memory.remember(f"fact of {share}", importance=share).id for share in importances]


def test_the_least_important_gives_way(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        ids = fill(memory, 0.79, 0.1, 0.5)
        new = memory.remember("one more", importance=0.3)
        assert (new.status, new.decision.evicted) == ("created", (ids[1],))
        assert statuses(memory, *ids, new.id) == ["active", "archived", "active", "active"]
        assert audited(memory, ids[1])[-1] == ("evict", "retention_cap")
        assert memory.count() == 3
        assert memory.verify_audit().ok


def test_a_new_memory_evicts_another_whatever_its_own_importance(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        ids = fill(memory, 0.3, 0.4, 0.5)
        new = memory.remember("the least of all", importance=0.0)
        assert new.decision.evicted == (ids[0],)


def test_a_batch_never_holds_more_than_the_cap(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        results = memory.remember_many({"content": f"fact {n}", "importance": (n * 37 % 80) / 100} for n in range(40))
        evicted = [one for result in results for one in result.decision.evicted]
        assert memory.count() == 3
        assert len(evicted) == len(set(evicted)) == 37
        assert statuses(memory, *evicted) == ["archived"] * 37


def test_memories_exempt_from_the_defaults_exceed_the_cap(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        fill(memory, 0.9, 0.8)
        memory.remember("pinned", importance=0.1, pinned=True)
        more = memory.remember("a fourth", importance=0.1)
        assert (more.status, more.decision.evicted, memory.count()) == ("created", (), 4)
        assert memory.stats().over_cap == {"semantic": 1}
        fifth = memory.remember("a fifth", importance=0.7)
        assert fifth.decision.evicted == (more.id,)


def test_episodes_are_evicted_only_when_they_were_learnt_from(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="episodic", cap=2)) as memory:
        ids = [memory.remember(f"event {n}", kind="episodic", importance=0.2).id for n in range(3)]
        assert statuses(memory, *ids) == ["active"] * 3
        learnt(memory, ids[1])
        assert memory.remember("another", kind="episodic", importance=0.2).decision.evicted == (ids[1],)


def test_procedures_go_by_their_confidence(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="procedural", cap=2)) as memory:
        ids = [
            memory.remember(f"way {n}", kind="procedural", confidence=share, importance=1 - share - 0.25).id
            for n, share in enumerate((0.6, 0.3))
        ]
        assert memory.remember("way 3", kind="procedural", importance=0.5).decision.evicted == (ids[1],)


def test_working_memories_go_by_their_last_use(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="working", cap=2)) as memory:
        here = memory.scoped(session="monday")
        ids = []
        for text in ("the tea", "the bread"):
            ids.append(here.remember(text, kind="working", importance=0.3).id)
            clock.advance(timedelta(minutes=1))
        assert here.recall("tea", k=1).texts == ("the tea",)
        assert here.remember("the jam", kind="working").decision.evicted == (ids[1],)


def test_a_cap_is_an_agents_own(clock: FrozenClock) -> None:
    with opened(clock, THREE, agent=None) as memory:
        scout, baker = memory.scoped(agent="scout"), memory.scoped(agent="baker")
        for each in (scout, baker, memory):
            fill(each, 0.1, 0.2, 0.3, 0.4)
        assert memory.count(status="archived") == 2, "one of each agent, none that carries no agent"


def test_what_is_beyond_a_cap_is_counted_for_each_user(clock: FrozenClock) -> None:
    with opened(clock, THREE, user=None, agent=None) as memory:
        for user in ("ana", "bo"):
            fill(memory.scoped(user=user, agent="agent"), 0.9, 0.9001, 0.9002)
        assert memory.stats().over_cap == {}
        fill(memory.scoped(user="bo", agent="agent"), 0.9003)
        assert memory.stats().over_cap == {"semantic": 1}


def test_a_domain_may_have_a_cap_of_its_own(clock: FrozenClock) -> None:
    with opened(clock, THREE, RetentionPolicy(kind="semantic", domain="incident", cap=1)) as memory:
        fill(memory, 0.1, 0.2, 0.3)
        first = memory.remember("the gateway was down", domain="incident", importance=0.4)
        assert first.decision.evicted == ()
        second = memory.remember("the router was down", domain="incident", importance=0.4)
        assert second.decision.evicted == (first.id,)
        assert memory.count() == 4
        assert len(memory.remember("fact of all others", importance=0.4).decision.evicted) == 1
        assert memory.count() == 4


def test_expired_memories_use_no_budget(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        brief = memory.remember("the kettle is on", importance=0.1, ttl=60).id
        fill(memory, 0.2, 0.3)
        clock.advance(timedelta(minutes=2))
        assert memory.remember("one more", importance=0.1).decision.evicted == ()
        assert statuses(memory, brief) == ["expired"]


def test_a_known_statement_displaces_no_other(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        fill(memory, 0.1, 0.2, 0.3)
        again = memory.remember("fact of 0.3")
        assert (again.status, again.decision.evicted, memory.count()) == ("noop", (), 3)


def test_a_memory_that_closes_another_evicts_no_third(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        ids = fill(memory, 0.3, 0.4)
        home = memory.remember("Atlas lives in Boston", fact=("Atlas", "lives_in", "Boston"), importance=0.5)
        moved = memory.supersede(home.id, "Atlas moved to Tbilisi")
        assert memory.count() <= 3
        assert statuses(memory, ids[1], moved.id) == ["active", "active"]


def test_promotion_counts_for_the_cap_of_the_new_kind(clock: FrozenClock) -> None:
    with opened(clock, THREE) as memory:
        ids = fill(memory, 0.1, 0.2, 0.3)
        stored = memory.remember("an event", kind="episodic", importance=0.5)
        memory.promote(stored.id)
        assert statuses(memory, *ids, stored.id) == ["archived", "active", "active", "active"]
