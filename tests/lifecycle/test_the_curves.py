"""How memories fade: the worked figures of each curve, and what holds of any figures."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engrain.model.memory import Heat, Kind, Memory, MemoryEntry, Scope, accessed, heat
from engrain.policies import EbbinghausDecay, LinearDecay, exponential_decay, logarithmic_decay, step_decay
from engrain.policies.retention import CURVES, RetentionPolicy

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
SHARES = st.floats(0, 1)
AGES = st.floats(0, 1e5)


def test_the_exponential_curve() -> None:
    assert exponential_decay(0.8, 10, rate=0.1) == pytest.approx(0.294304, abs=5e-7)


@pytest.mark.parametrize(("day", "left"), [(0, 0.9), (1, 0.794313), (30, 0.376405), (365, 0), (400, 0)])
def test_the_logarithmic_curve(day: float, left: float) -> None:
    assert logarithmic_decay(0.9, day, alpha=1, horizon=365) == pytest.approx(left, abs=5e-7)


@pytest.mark.parametrize(("day", "left"), [(0, 1.0), (23.9, 1.0), (24, 0.0), (1000, 0.0)])
def test_the_step(day: float, left: float) -> None:
    assert step_decay(1.0, day, threshold=24) == left


def entry(hours: float, **fields: object) -> MemoryEntry:
    """Return an entry that was accessed so many hours before noon."""
    return MemoryEntry(content="x", last_accessed=NOON - timedelta(hours=hours), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("hours", "accesses", "left"), [(0, 0, 1), (1, 0, 0.3679), (24, 0, 0), (3, 4, 0.3679)])
def test_ebbinghaus_is_in_hours(hours: float, accesses: int, left: float) -> None:
    found = EbbinghausDecay().compute_retention(entry(hours, access_count=accesses), now=NOON)
    assert found == pytest.approx(left, abs=5e-5)


@pytest.mark.parametrize(("hours", "left"), [(0, 1), (84, 0.75), (168, 0.5), (336, 0), (1000, 0)])
def test_linear_decay_is_in_hours(hours: float, left: float) -> None:
    assert LinearDecay(168).compute_retention(entry(hours), now=NOON) == pytest.approx(left)


@pytest.mark.parametrize("days", [-1, -1000])
def test_a_memory_of_the_future_has_not_faded(days: float) -> None:
    assert exponential_decay(0.8, days, rate=0.1) == 0.8
    assert logarithmic_decay(0.8, days, alpha=1, horizon=9) == 0.8
    assert step_decay(0.8, days, threshold=1) == 0.8
    assert LinearDecay().compute_retention(entry(days * 24), now=NOON) == 1


@pytest.mark.parametrize(
    "decay",
    [
        lambda: exponential_decay(1.1, 1, rate=0.1),
        lambda: exponential_decay(0.5, 1, rate=-0.1),
        lambda: exponential_decay(float("nan"), 1, rate=0.1),
        lambda: logarithmic_decay(0.5, 1, alpha=0, horizon=1),
        lambda: logarithmic_decay(0.5, 1, alpha=1, horizon=float("inf")),
        lambda: step_decay(0.5, 1, threshold=0),
        lambda: EbbinghausDecay(base_strength=0),
        lambda: LinearDecay(half_life_hours=-1),
    ],
)
def test_figures_out_of_range_are_refused(decay: object) -> None:
    with pytest.raises(ValueError):
        decay()  # type: ignore[operator]


CURVE = st.one_of(
    st.builds(RetentionPolicy, curve=st.just("exponential"), rate=st.floats(0, 10)),
    st.builds(RetentionPolicy, curve=st.just("logarithmic"), alpha=st.floats(1e-3, 100), horizon=st.floats(0.1, 1e4)),
    st.builds(RetentionPolicy, curve=st.just("step"), threshold=st.floats(1e-3, 1e4)),
    st.just(RetentionPolicy(curve="none")),
)


@given(CURVE, SHARES, AGES, AGES)
def test_nothing_grows_with_age(policy: RetentionPolicy, base: float, one: float, two: float) -> None:
    early, late = sorted((one, two))
    assert 0 <= policy.decayed(base, late) <= policy.decayed(base, early) <= base
    assert policy.decayed(base, 0) == base


@given(CURVE, SHARES, st.floats(0.001, 1))
def test_it_fades_below_the_threshold_when_it_says(policy: RetentionPolicy, base: float, least: float) -> None:
    policy = replace(policy, archive_below=least)
    days = policy.fades_after(base)
    if base < least:
        assert days == 0
        return
    assume(abs(base - least) > 1e-6)
    if days == float("inf"):
        assert policy.decayed(base, 1e6) >= least or policy.rate is not None
        return
    assert policy.decayed(base, days * (1 + 1e-6) + 1e-6) < least
    assert policy.decayed(base, days * (1 - 1e-6) - 1e-6) >= least


@pytest.mark.parametrize("least", [None, 0.0])
@given(policy=CURVE, base=SHARES)
def test_without_a_threshold_nothing_fades_away(least: float | None, policy: RetentionPolicy, base: float) -> None:
    assert replace(policy, archive_below=least).fades_after(base) == float("inf")


def test_every_curve_has_its_own_parameters() -> None:
    for name, parameters in CURVES.items():
        policy = RetentionPolicy(curve=name)
        given = [each for each in ("rate", "alpha", "horizon", "threshold") if getattr(policy, each) is not None]
        assert given == list(parameters)


# ----------------------------------------------------------------------------------------------------------------- heat


def memory(*accesses: timedelta, stored: timedelta = timedelta(0)) -> Memory:
    """Return a memory that was told and accessed so long before noon."""
    at = NOON - stored
    bare = Memory(
        id="mem_1", content="x", scope=Scope(), recorded_at=at, updated_at=at, valid_from=at, kind=Kind.SEMANTIC
    )
    if not accesses:
        return bare
    last, before = accessed((), [NOON - each for each in accesses])
    return replace(bare, last_accessed=last, accessed_before=before, access_count=len(accesses))


HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("accesses", "stored", "expected"),
    [
        ((), 0 * DAY, Heat.WARM),
        ((), 7 * DAY, Heat.WARM),
        ((), 7 * DAY + MOMENT, Heat.COLD),
        ((0 * HOUR,), 100 * DAY, Heat.WARM),
        ((0 * HOUR, 1 * HOUR), 100 * DAY, Heat.WARM),
        ((0 * HOUR, 1 * HOUR, 2 * HOUR), 100 * DAY, Heat.HOT),
        ((HOUR, 2 * HOUR, 3 * HOUR), 100 * DAY, Heat.HOT),
        ((HOUR + MOMENT, 2 * HOUR, 3 * HOUR), 100 * DAY, Heat.WARM),
        ((0 * HOUR, DAY, 7 * DAY), 100 * DAY, Heat.HOT),
        ((0 * HOUR, DAY, 7 * DAY + MOMENT), 100 * DAY, Heat.WARM),
        ((7 * DAY, 7 * DAY, 7 * DAY), 100 * DAY, Heat.WARM),
        ((7 * DAY + MOMENT, 8 * DAY, 8 * DAY), 100 * DAY, Heat.COLD),
    ],
)
def test_heat_at_its_bounds(accesses: tuple[timedelta, ...], stored: timedelta, expected: Heat) -> None:
    assert heat(memory(*accesses, stored=stored), NOON) is expected


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=8), st.integers(0, 8))
def test_the_last_three_accesses_are_known_however_they_are_counted(minutes: list[int], cut: int) -> None:
    times = [NOON - timedelta(minutes=each) for each in minutes]
    bare = memory()
    for some in (times[:cut], times[cut:]):
        if some:
            last, before = accessed((bare.last_accessed, *bare.accessed_before), some)
            bare = replace(bare, last_accessed=last, accessed_before=before)
    newest = sorted(times, reverse=True)[:3]
    assert [bare.last_accessed, *bare.accessed_before] == newest
