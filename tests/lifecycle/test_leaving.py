"""What leaves by itself, when, and why: an end that was given or that a policy gives, and fading."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engrain import RetentionPolicy
from engrain.model.choices import KindName
from engrain.testing import FrozenClock
from tests.lifecycle.living import DAY, audited, learnt, opened, statuses


def test_under_keep_nothing_leaves_in_a_hundred_years(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        ids = [memory.remember(f"thing {n}", kind=kind, importance=0.01).id for n, kind in enumerate(_KINDS)]
        learnt(memory, *ids)
        clock.advance(36_500 * DAY)
        assert memory.sweep().expired == memory.sweep().archived == 0
        assert statuses(memory, *ids) == ["active"] * 3


_KINDS: tuple[KindName, ...] = ("episodic", "semantic", "procedural")


def test_an_episode_that_was_learnt_from_expires_after_thirty_days(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        stored = memory.remember("the kettle was on", kind="episodic", importance=0.3)
        learnt(memory, stored.id)
        found = memory.get(stored.id)
        assert found is not None
        assert found.expires_at == clock.now() + 30 * DAY
        clock.advance(30 * DAY)
        assert memory.recall("kettle", touch=False).texts == ()
        assert statuses(memory, stored.id) == ["expired"], "before any sweep"
        assert memory.sweep().expired == 1
        assert statuses(memory, stored.id) == ["expired"]
        assert audited(memory, stored.id)[-1] == ("expire", "ttl_expiry")
        assert memory.sweep() == memory.sweep(), "a second sweep finds nothing to do"


def test_an_episode_that_nothing_was_learnt_from_does_not(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        stored = memory.remember("the kettle was on", kind="episodic", importance=0.1)
        assert stored.memory is not None
        assert stored.memory.expires_at is None
        clock.advance(400 * DAY)
        assert memory.recall("kettle").texts == ("the kettle was on",)
        assert memory.sweep().expired == 1, "a sweep learns from it first, and then lets it go"
        assert [op for op, _ in audited(memory, stored.id)] == ["create", "expire"]


class Unable:
    """An extractor that fails."""

    def extract(self, turns: object, *, context: str = "") -> list[Any]:
        """Fail."""
        raise OSError("no route")


def test_nor_does_one_that_cannot_be_learnt_from(clock: FrozenClock) -> None:
    with opened(clock, extractor=Unable()) as memory:
        stored = memory.remember("the kettle was on", kind="episodic", importance=0.1)
        for _ in range(12):
            clock.advance(40 * DAY)
            assert memory.sweep().expired == 0
        assert statuses(memory, stored.id) == ["active"]
        assert [job.memory_id for job in memory.lifecycle.jobs(state="dead")] == [stored.id]


@pytest.mark.parametrize("kept", [{"pinned": True}, {"importance": 0.8}], ids=["pinned", "critical"])
def test_no_default_touches_what_is_pinned_or_critical(clock: FrozenClock, kept: dict[str, Any]) -> None:
    with opened(clock) as memory:
        stored = memory.remember("the kettle was on", kind="episodic", **{"importance": 0.2, **kept})
        learnt(memory, stored.id)
        clock.advance(9_000 * DAY)
        memory.sweep()
        assert statuses(memory, stored.id) == ["active"]


def test_a_ttl_that_was_given_holds_for_a_pinned_memory_too(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        stored = memory.remember("the kettle is on", pinned=True, ttl=60, importance=0.9)
        clock.advance(timedelta(minutes=1))
        assert memory.sweep().expired == 1
        assert statuses(memory, stored.id) == ["expired"]


def test_a_fact_fades_and_is_archived(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", curve="exponential", rate=0.1)) as memory:
        stored = memory.remember("the tea is green", importance=0.5)
        clock.advance(23 * DAY)  # .5 e^-2.3 = .0501
        assert memory.sweep().archived == 0
        clock.advance(timedelta(hours=2))
        assert memory.sweep(dry_run=True).archived == 1
        assert statuses(memory, stored.id) == ["active"], "a dry run changes nothing"
        assert memory.sweep().archived == 1
        found = memory.get(stored.id)
        assert found is not None
        assert (found.status, found.status_reason) == ("archived", "decayed")
        assert found.importance == 0.5, "the base never changes by itself"
        assert audited(memory, stored.id)[-1] == ("archive", "decayed")
        assert memory.recall("tea").texts == ()
        assert memory.verify_audit().ok


def test_use_and_strength_slow_it(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", curve="exponential", rate=0.1)) as memory:
        ids = [memory.remember(text, importance=0.5).id for text in ("the tea is green", "the bread is brown")]
        clock.advance(20 * DAY)
        assert memory.recall("tea").texts == ("the tea is green",)
        memory.flush()
        clock.advance(4 * DAY)
        assert memory.sweep().archived == 1
        assert statuses(memory, *ids) == ["active", "archived"]


def test_what_comes_back_stays(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", curve="exponential", rate=0.1, ttl=86400 * 400)) as memory:
        stored = memory.remember("the tea is green", importance=0.5)
        clock.advance(40 * DAY)
        memory.sweep()
        back = memory.reinstate(stored.id)
        assert (back.status, memory.sweep().archived) == ("active", 0)
        clock.advance(30 * DAY)
        assert memory.sweep().archived == 1, "it fades again, from when it came back"
        again = memory.reinstate(stored.id)
        assert again.status == "active"
        assert audited(memory, stored.id)[-1][0] == "reinstate"


def test_a_memory_expired_by_default_and_restored_has_no_end(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        stored = memory.remember("the kettle was on", kind="episodic", importance=0.3)
        learnt(memory, stored.id)
        clock.advance(31 * DAY)
        memory.sweep()
        assert memory.reinstate(stored.id).expires_at is None
        clock.advance(31 * DAY)
        memory.sweep()
        assert statuses(memory, stored.id) == ["active"]


def test_an_end_taken_away_by_hand_is_not_given_again(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", ttl=10 * DAY, curve="none")) as memory:
        stored = memory.remember("the tea is green", importance=0.5)
        memory.update(stored.id, ttl=None)
        memory.update(stored.id, importance=0.4)
        clock.advance(20 * DAY)
        memory.sweep()
        assert statuses(memory, stored.id) == ["active"]


def test_an_importance_that_rises_saves_and_one_that_falls_lets_go(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", ttl=10 * DAY, curve="none")) as memory:
        saved, lost = memory.remember("the tea is green", importance=0.5), memory.remember("bread", importance=0.9)
        memory.update(saved.id, importance=0.85)
        memory.update(lost.id, importance=0.2)
        clock.advance(11 * DAY)
        memory.sweep()
        assert statuses(memory, saved.id, lost.id) == ["active", "expired"]


def test_a_superseded_memory_is_history_and_stays(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        old = memory.remember("Atlas lives in Boston", fact=("Atlas", "lives_in", "Boston"), importance=0.3)
        clock.advance(DAY)
        new = memory.supersede(old.id, "Atlas moved to Tbilisi")
        clock.advance(5_000 * DAY)
        memory.sweep()
        assert [m.id for m in memory.history(new.id)] == [old.id, new.id]
        assert statuses(memory, old.id) == ["superseded"]


def test_other_policies_are_in_force_from_the_next_sweep_on(clock: FrozenClock, tmp_path: object) -> None:
    store = f"{tmp_path}/memory.db"
    with opened(clock, retention="keep", store=store) as memory:
        ids = [memory.remember(f"fact number {n}", importance=0.3).id for n in range(3)]
        clock.advance(8 * DAY)
        assert memory.sweep().archived == 0
    with opened(clock, RetentionPolicy(kind="semantic", curve="step", threshold=7), store=store) as memory:
        assert memory.sweep(dry_run=True).archived == 3
        assert memory.sweep().archived == 3
    with opened(clock, retention="keep", store=store) as memory:
        assert memory.reinstate(ids[0]).status == "active"
        clock.advance(100 * DAY)
        assert memory.sweep().archived == 0


def test_a_dry_run_foresees_what_is_learnt_from_first(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        memory.remember("the kettle was on", kind="episodic", importance=0.3)
        memory.remember("the lid was off", kind="episodic", importance=0.9)
        memory.remember("the tea was hot", kind="episodic", importance=0.3, ttl=DAY)
        clock.advance(31 * DAY)
        assert memory.sweep(dry_run=True).expired == 2
        assert memory.sweep().expired == 2


def test_what_new_policies_let_go_was_there_until_then(clock: FrozenClock, tmp_path: object) -> None:
    store, ends = f"{tmp_path}/memory.db", RetentionPolicy(kind="semantic", ttl=30 * DAY)
    with opened(clock, retention="keep", store=store) as memory:
        memory.remember("the sky is teal", importance=0.3)
        clock.advance(40 * DAY)
        before = clock.now()
        assert memory.count() == 1
        clock.advance(10 * DAY)
    with opened(clock, ends, retention="keep", store=store) as memory:
        assert memory.sweep().expired == 1
        (found,) = (each for each in memory.lifecycle.timeline(until=before) if each.at == before)
        assert (found.active, found.expired) == (1, 0)


def test_policies_hold_for_a_domain_and_an_agent(clock: FrozenClock) -> None:
    short = RetentionPolicy(kind="semantic", domain="incident", curve="step", threshold=1, archive_below=0.05)
    with opened(clock, short, retention="keep") as memory:
        gone = memory.remember("the gateway was down", domain="incident", importance=0.4)
        kept = memory.remember("the gateway is old", importance=0.4)
        clock.advance(2 * DAY)
        assert memory.sweep().archived == 1
        assert statuses(memory, gone.id, kept.id) == ["archived", "active"]


def test_a_view_sweeps_its_own_and_nobody_elses(clock: FrozenClock, tmp_path: object) -> None:
    with opened(clock, retention="keep", store=f"{tmp_path}/m.db", user=None, agent=None) as memory:
        ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
        mine, other = ana.remember("a kettle", ttl=5), bo.remember("a kettle", ttl=5)
        clock.advance(DAY)
        assert ana.sweep().expired == 1
        assert [op for op, _ in audited(memory, other.id)] == ["create"]
        assert [op for op, _ in audited(memory, mine.id)] == ["create", "expire"]
        assert memory.sweep().expired == 1


def test_what_has_left_is_shown_by_lists_and_counts(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", curve="step", threshold=1)) as memory:
        memory.remember("the tea is green", importance=0.3)
        memory.remember("the bread is brown", ttl=60)
        before = clock.now()
        clock.advance(2 * DAY)
        memory.sweep()
        assert memory.count(status="archived") == memory.count(status="expired") == 1
        assert memory.stats().by_status == {"archived": 1, "expired": 1}
        assert memory.count(known_at=before) == 1, "what has expired stays away from every time"


def test_what_is_over_stays_over_whether_it_was_swept_or_not(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", ttl=10 * DAY, curve="none")) as memory:
        ids = [memory.remember(text, importance=0.5).id for text in ("the tea is green", "the bread is brown")]
        clock.advance(11 * DAY)
        assert memory.pin(ids[0]).status == "expired"
        assert memory.update(ids[1], importance=0.9).status == "expired"
        assert memory.sweep().expired == 2
        assert memory.update(ids[1], tags=["food"]).status == "expired"
        assert memory.reinstate(ids[0]).status == "active"


def test_an_episode_that_says_something_else_now_is_to_be_learnt_from_again(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        stored = memory.remember("the kettle was on", kind="episodic", importance=0.3)
        learnt(memory, stored.id)
        assert memory.update(stored.id, tags=["kitchen"]).consolidated_at is not None
        edited = memory.update(stored.id, content="the oven was on")
        assert (edited.consolidated_at, edited.expires_at) == (None, None)
        assert memory.consolidate().processed == 1


def test_what_was_learnt_and_expired_at_once_comes_back_for_good(clock: FrozenClock) -> None:
    with opened(clock) as memory:
        stored = memory.remember("Ben went over the hill", kind="episodic", importance=0.3)
        clock.advance(40 * DAY)
        assert memory.sweep().expired == 1
        assert memory.reinstate(stored.id).expires_at is None
        clock.advance(10 * DAY)
        assert memory.sweep().expired == 0
        assert statuses(memory, stored.id) == ["active"]


def test_a_notable_episode_is_kept_as_a_fact_before_it_leaves(clock: FrozenClock) -> None:
    said = "My boss is Petra Keller."
    with opened(clock) as memory:
        memory.add_message("user", said, session="monday")
        clock.advance(40 * DAY)
        memory.sweep()
        assert memory.recall("who is the boss?", kinds=["semantic"]).texts == (said,)
    with opened(clock, retention="keep") as memory:
        stored = memory.remember("the boss", kind="episodic")
        memory.remember("the boss")
        assert memory.promote(stored.id).evidence_count == 2
