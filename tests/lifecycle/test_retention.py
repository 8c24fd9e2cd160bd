"""Which policy is in force for a memory, when it ends, and what no default touches."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.memory import Expiry, Kind, Memory, Scope, Status
from engrain.policies.retention import INHERITED, KEPT_FROM, PRESETS, Retention, RetentionPolicy, is_kept, policies_of

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = timedelta(days=1)
BOUNDED = Retention("bounded")


def memory(**fields: object) -> Memory:
    """Return a semantic memory of noon."""
    given = {"id": "mem_1", "content": "x", "scope": Scope(), "recorded_at": NOON, "updated_at": NOON}
    return Memory(**{**given, "valid_from": NOON, **fields})  # type: ignore[arg-type]


def test_the_presets() -> None:
    keep = PRESETS["keep"].values()
    assert all((each.ttl, each.cap, each.archive_below) == (None, None, None) for each in keep)
    found = {kind: (each.ttl, each.cap, each.archive_below) for kind, each in PRESETS["bounded"].items()}
    assert found[Kind.EPISODIC] == (30 * DAY, 10_000, 0.05)
    assert [found[kind][:2] for kind in (Kind.WORKING, Kind.SEMANTIC, Kind.PROCEDURAL)] == [
        (None, 100),
        (None, 50_000),
        (None, 5_000),
    ]
    assert not Retention().lets_go
    assert BOUNDED.lets_go


def test_the_more_specific_policy_wins() -> None:
    policies = [
        RetentionPolicy(agent="one", cap=4),
        RetentionPolicy(domain="work", cap=3),
        RetentionPolicy(kind="episodic", cap=2),
        RetentionPolicy(cap=1),
    ]
    found = Retention("keep", tuple(policies))
    asked = [
        ((Kind.SEMANTIC, None, None), 1),
        ((Kind.EPISODIC, None, None), 2),
        ((Kind.EPISODIC, "work", None), 3),
        ((Kind.EPISODIC, "home", None), 2),
        ((Kind.EPISODIC, "work", "one"), 4),
        ((Kind.EPISODIC, "work", "two"), 3),
    ]
    for (kind, domain, agent), cap in asked:
        assert found.policy(kind, domain, agent).cap == cap
    later = Retention("keep", (RetentionPolicy(cap=1), RetentionPolicy(cap=9)))
    assert later.policy(Kind.SEMANTIC).cap == 9


def test_a_policy_leaves_what_it_does_not_give() -> None:
    found = Retention("bounded", (RetentionPolicy(kind="episodic", cap=5),)).policy(Kind.EPISODIC)
    assert (found.cap, found.ttl, found.curve, found.rate) == (5, 30 * DAY, "exponential", 0.01)
    none = Retention("bounded", (RetentionPolicy(ttl=None, cap=None, archive_below=None),)).policy(Kind.EPISODIC)
    assert (none.ttl, none.cap, none.archive_below) == (None, None, None)


def test_another_curve_takes_its_own_parameters_along() -> None:
    found = Retention("keep", (RetentionPolicy(curve="step", threshold=7),))
    for kind in Kind:
        policy = found.policy(kind)
        assert (policy.curve, policy.threshold, policy.rate, policy.alpha) == ("step", 7, None, None)


def test_a_ttl_for_every_kind_leaves_procedures_without() -> None:
    found = Retention("keep", (RetentionPolicy(ttl=DAY),))
    assert [kind for kind in Kind if found.policy(kind).ttl is None] == [Kind.PROCEDURAL]


@pytest.mark.parametrize(
    ("figures", "error", "message"),
    [
        ({"kind": "dream"}, ValueError, "unknown kind 'dream'"),
        ({"domain": " "}, ValueError, "domain is ' '"),
        ({"agent": 3}, ValueError, "agent is 3"),
        ({"ttl": 0}, ValueError, "ttl is 0: it must be positive"),
        ({"ttl": -1.5}, ValueError, "ttl is -1.5: it must be positive"),
        ({"ttl": float("nan")}, ValueError, "ttl is nan: it must be a span of time"),
        ({"ttl": 1e300}, ValueError, "it must be a span of time"),
        ({"ttl": "1d"}, TypeError, "ttl must be a timedelta or seconds, not str"),
        ({"ttl": True}, TypeError, "ttl must be a timedelta or seconds, not bool"),
        ({"kind": "procedural", "ttl": 60}, ValueError, "procedural memories have no ttl"),
        ({"cap": 0}, ValueError, "cap is 0: it must be a whole number from 1"),
        ({"cap": 1.5}, ValueError, "cap is 1.5: it must be a whole number"),
        ({"curve": "linear"}, ValueError, "curve is 'linear': it must be one of exponential, logarithmic, step, none"),
        ({"rate": 0.1}, ValueError, "rate belongs to a curve: give curve= too"),
        ({"curve": "step", "rate": 0.1}, ValueError, "rate is no parameter of the curve 'step'"),
        ({"curve": "exponential", "rate": -1}, ValueError, "rate is -1: it must be 0 or more and finite"),
        ({"curve": "logarithmic", "alpha": 0}, ValueError, "alpha is 0: it must be positive and finite"),
        ({"curve": "step", "threshold": float("inf")}, ValueError, "threshold is inf"),
        ({"curve": "step", "threshold": float("nan")}, ValueError, "threshold is nan"),
        ({"curve": "step", "threshold": "x"}, TypeError, "threshold must be a number, not str"),
        ({"archive_below": 1.1}, ValueError, "archive_below is 1.1: it must be from 0 to 1"),
        ({"archive_below": float("nan")}, ValueError, "archive_below is nan"),
        ({"curve": 5}, ValueError, "curve is 5"),
        ({"curve": ["step"]}, ValueError, "curve is"),
        ({"kind": ["episodic"]}, ValueError, "unknown kind"),
    ],
)
def test_bad_figures_are_refused(figures: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(")):
        RetentionPolicy(**figures)  # type: ignore[arg-type]


def test_policies_are_read_from_mappings() -> None:
    (found,) = policies_of([{"kind": "episodic", "ttl": "none", "curve": "none"}])
    assert (found.kind, found.ttl, found.curve, found.cap) == (Kind.EPISODIC, None, "none", INHERITED)
    for bad, error in (
        ("x", TypeError),
        ({"kind": "episodic"}, TypeError),
        ([3], TypeError),
        ([{"tll": 1}], ValueError),
    ):
        with pytest.raises(error):
            policies_of(bad)


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, False),
        ({"pinned": True}, True),
        ({"importance": KEPT_FROM}, True),
        ({"importance": KEPT_FROM - 1e-9}, False),
        ({"kind": Kind.EPISODIC}, True),
        ({"kind": Kind.EPISODIC, "consolidated_at": NOON}, False),
        ({"superseded_by": "mem_2"}, True),
        ({"kind": Kind.PROCEDURAL}, False),
    ],
)
def test_memories_exempt_from_the_defaults(fields: dict[str, object], kept: bool) -> None:
    assert is_kept(memory(**fields)) is kept


def test_an_end_that_was_given_stays() -> None:
    mine = memory(kind=Kind.EPISODIC, pinned=True, expires_at=NOON + DAY, expiry=Expiry.GIVEN)
    assert BOUNDED.expiring(mine) is mine
    assert BOUNDED.due_at(mine) == NOON + DAY


def test_a_default_end_comes_and_goes_with_its_reason() -> None:
    bare = memory(kind=Kind.EPISODIC)
    assert BOUNDED.expiring(bare) is bare
    learnt = BOUNDED.expiring(replace(bare, consolidated_at=NOON))
    assert (learnt.expires_at, learnt.expiry) == (NOON + 30 * DAY, Expiry.DEFAULT)
    pinned = BOUNDED.expiring(replace(learnt, pinned=True))
    assert (pinned.expires_at, pinned.expiry) == (None, Expiry.NONE)
    assert BOUNDED.expiring(learnt) == learnt


def test_an_end_after_the_last_year_is_the_last_moment() -> None:
    late = Retention("keep", (RetentionPolicy(kind="semantic", ttl=timedelta.max),))
    found = late.expiring(memory())
    assert found.expires_at is not None
    assert found.expires_at.year == 9999


MEMORIES = st.builds(
    memory,
    importance=st.floats(0, 1),
    access_count=st.integers(0, 1000),
    strength=st.floats(0.1, 2),
    kind=st.sampled_from(Kind),
    consolidated_at=st.sampled_from([None, NOON]),
)


@given(MEMORIES, st.integers(0, 4000), st.sampled_from(["exponential", "logarithmic", "step", "none"]))
def test_a_memory_is_due_when_it_has_faded(one: Memory, idle: int, curve: str) -> None:
    retention = Retention("keep", (RetentionPolicy(curve=curve, archive_below=0.05),))
    now, due = NOON + timedelta(days=idle), retention.due_at(one)
    assert 0 <= retention.strength(one, now) <= one.importance
    assert 0 <= retention.effective(one, now) <= 1
    if retention.has_faded(one, now):
        assert due is not None
        assert due <= now + timedelta(seconds=1)
    if due is not None and due + timedelta(seconds=1) < now:
        assert retention.has_faded(one, now)


def test_use_lifts_what_is_left_and_only_use() -> None:
    keep = Retention("keep", (RetentionPolicy(curve="none"),))
    assert keep.effective(memory(importance=0.5), NOON + DAY) == 0.5
    read = memory(importance=0.5, access_count=32, last_accessed=NOON)
    assert keep.effective(read, NOON) == pytest.approx(0.5 * 1.2 * 1.1)
    assert keep.effective(replace(read, importance=1.0), NOON) == 1.0
    assert keep.effective(read, NOON + 7 * DAY) == pytest.approx(0.5 * (1 + 0.2 / 2.718281828) * 1.1)


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.EXPIRED, Status.FORGOTTEN, Status.QUARANTINED])
def test_only_what_is_active_is_due(status: Status) -> None:
    assert BOUNDED.due_at(memory(importance=0.01, status=status)) is None
    assert BOUNDED.due_at(memory(importance=0.01)) == NOON


def test_domains_with_a_cap_of_their_own_count_apart() -> None:
    found = Retention("bounded", (RetentionPolicy(domain="work", cap=5), RetentionPolicy(domain="home", ttl=DAY)))
    assert found.capped_apart(Kind.EPISODIC, None) == {"work"}
