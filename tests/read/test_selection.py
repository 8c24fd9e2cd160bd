"""The filters of a read: scope first, then the filters of the caller, and no unknown name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from engrain import Kind, ScopeMissing
from engrain.model.filters import Filter, Tagged, Test, parse_where, passes
from engrain.model.memory import Scope
from engrain.read.request import select
from engrain.testing.rows import NOON, memory

ANA = Scope(user="ana")


def test_isolation_follows_the_view() -> None:
    assert select(Scope("acme", "ana")) == Filter("acme", "ana", conditions=(Test("kind", "ne", Kind.WORKING),))
    assert select(Scope("acme")).user is None
    assert select(ANA, shared=True).shared


@pytest.mark.parametrize(
    ("agent", "seen"), [(None, {None, "scout", "clerk"}), ("scout", {None, "scout"})], ids=["no agent", "an agent"]
)
def test_an_agent_sees_its_own_and_the_common_ones(agent: str | None, seen: set[str | None]) -> None:
    where = select(Scope(user="ana", agent=agent))
    kept = {a for a in (None, "scout", "clerk") if passes(memory(user="ana", agent=a), where)}
    assert kept == seen


MEMORIES = {
    "plain": memory(user="ana"),
    "tagged": memory(user="ana", tags=("red", "blue")),
    "event": memory(user="ana", kind=Kind.EPISODIC, session="monday", actor="Marco"),
    "working": memory(user="ana", kind=Kind.WORKING, session="monday"),
    "elsewhere": memory(user="ana", kind=Kind.WORKING, session="tuesday"),
    "work": memory(user="ana", domain="work", tier="A"),
    "trusted": memory(user="ana", trust=1.0),
    "later": memory(user="ana", valid_from=NOON + timedelta(days=1)),
    "noted": memory(user="ana", metadata={"year": 2024}),
    "of bo": memory(user="bo"),
    "of the org": memory(),
}
COMMON = MEMORIES.keys() - {"working", "elsewhere", "of bo", "of the org"}


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({}, COMMON),
        ({"shared": True}, COMMON | {"of the org"}),
        ({"kinds": ["episodic"]}, {"event"}),
        ({"kinds": [Kind.EPISODIC, Kind.SEMANTIC]}, COMMON),
        ({"kinds": []}, set()),
        ({"kinds": ["working"], "session": "monday"}, {"working"}),
        ({"session": "monday"}, {"event", "working"}),
        ({"actor": "Marco"}, {"event"}),
        ({"tags": ["red", "green"]}, {"tagged"}),
        ({"all_tags": ["red", "green"]}, set()),
        ({"all_tags": ("red", "blue")}, {"tagged"}),
        ({"tags": []}, COMMON),
        ({"domain": "work"}, {"work"}),
        ({"tiers": ["A", "C"]}, {"work"}),
        ({"tiers": []}, set()),
        ({"min_trust": 1.0}, {"trusted"}),
        ({"min_trust": 0.7}, COMMON),
        ({"since": NOON + timedelta(days=1)}, {"later"}),
        ({"until": NOON + timedelta(days=1)}, COMMON - {"later"}),
        ({"since": NOON, "until": NOON}, set()),
        ({"where": {"year": {"gte": 2024}}}, {"noted"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_what_is_asked_for_is_kept(asked: dict[str, Any], kept: set[str]) -> None:
    where = select(ANA, **asked)
    assert {name for name, one in MEMORIES.items() if passes(one, where)} == kept


@pytest.mark.parametrize(
    "moment",
    [
        "2026-03-14",
        date(2026, 3, 14),
        "2026-03-14T00:00:00Z",
        "2026-03-14T02:00:00+02:00",
        datetime(2026, 3, 13, 19, tzinfo=timezone(timedelta(hours=-5))),
    ],
    ids=str,
)
def test_a_time_in_any_form_is_that_moment_in_utc(moment: Any) -> None:
    assert Test("valid_from", "ge", datetime(2026, 3, 14, tzinfo=UTC)) in select(ANA, since=moment).conditions


def test_names_may_come_from_any_iterable_and_are_taken_once() -> None:
    makers: list[Callable[[Iterable[str]], Iterable[str]]] = [list, tuple, iter, dict.fromkeys]
    for make in makers:
        assert Tagged(("a", "b")) in select(ANA, tags=make(["a", "b", "a"])).conditions


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"kinds": "semantic"}, TypeError),
        ({"kinds": ["nope"]}, ValueError),
        ({"kinds": [None]}, TypeError),
        ({"kinds": 5}, TypeError),
        ({"kinds": ["working"]}, ScopeMissing),
        ({"tags": "red"}, TypeError),
        ({"tags": [5]}, TypeError),
        ({"tags": [""]}, ValueError),
        ({"tags": ["a\x00"]}, ValueError),
        ({"tags": ["\ud800"]}, ValueError),
        ({"tags": ["t" * 257]}, ValueError),
        ({"tags": [f"t{n}" for n in range(501)]}, ValueError),
        ({"all_tags": {"a": 1}.values()}, TypeError),
        ({"tiers": ["D"]}, ValueError),
        ({"tiers": "A"}, TypeError),
        ({"domain": ""}, ValueError),
        ({"domain": 5}, TypeError),
        ({"actor": " "}, ValueError),
        ({"session": ""}, ValueError),
        ({"session": 5}, TypeError),
        ({"shared": "yes"}, TypeError),
        ({"shared": 1}, TypeError),
        ({"min_trust": 1.1}, ValueError),
        ({"min_trust": float("nan")}, ValueError),
        ({"min_trust": "high"}, TypeError),
        ({"min_trust": True}, TypeError),
        ({"since": "soon"}, ValueError),
        ({"since": datetime(2026, 3, 14)}, ValueError),
        ({"until": 5}, TypeError),
        ({"until": "0001-01-01T00:00:00+14:00"}, ValueError),
        ({"where": "x"}, TypeError),
    ],
    ids=str,
)
def test_an_unknown_name_is_an_error(asked: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        select(ANA, **asked)


def test_a_bound_session_is_not_changed() -> None:
    with pytest.raises(ValueError, match="bound to session 'monday'"):
        select(Scope(session="monday"), session="tuesday")


# ------------------------------------------------------------------------------------------------------------- where


def nested(depth: int) -> dict[str, Any]:
    """Return a condition under that many `not`s."""
    where: dict[str, Any] = {"a": 1}
    for _ in range(depth):
        where = {"not": where}
    return where


CYCLE: dict[str, Any] = {}
CYCLE["not"] = CYCLE


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ([], TypeError),
        ({5: 1}, ValueError),
        ({"": 1}, ValueError),
        ({"a\x00": 1}, ValueError),
        ({"\ud800": 1}, ValueError),
        ({"a": "\ud800"}, ValueError),
        ({"a": "b\x00"}, ValueError),
        ({"a": float("nan")}, ValueError),
        ({"a": float("inf")}, ValueError),
        ({"a": 2**70}, ValueError),
        ({"a": 10**400}, ValueError),
        ({"a": b"x"}, TypeError),
        ({"a": [1]}, TypeError),
        ({"a": {}}, ValueError),
        ({"a": {"$gt": 1}}, ValueError),
        ({"a": {"gt": True}}, TypeError),
        ({"a": {"lt": None}}, TypeError),
        ({"a": {"in": "abc"}}, TypeError),
        ({"a": {"in": 5}}, TypeError),
        ({"a": {"in": [[1]]}}, TypeError),
        ({"a": {"in": list(range(501))}}, ValueError),
        ({f"k{n}": {"in": list(range(100))} for n in range(100)}, ValueError),
        ({f"k{n}": 1 for n in range(501)}, ValueError),
        ({"a": {"exists": 1}}, TypeError),
        ({"and": []}, TypeError),
        ({"or": {"a": 1}}, TypeError),
        ({"or": "x"}, TypeError),
        ({"or": [5]}, TypeError),
        ({"and": [{}] * 501}, ValueError),
        ({"not": [{"a": 1}]}, TypeError),
        (nested(21), ValueError),
        (CYCLE, ValueError),
    ],
    ids=range(32),
)
def test_a_hostile_where_is_refused(where: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_where(where)


@pytest.mark.parametrize(
    "where",
    [None, {}, {"and": [{}, {}]}, {"not": {}}, nested(20), {"a'; DROP TABLE memory; --": 1}, {"$.a[0]": {"ne": None}}],
    ids=range(7),
)
def test_an_odd_where_is_not(where: Any) -> None:
    assert isinstance(parse_where(where), tuple)
