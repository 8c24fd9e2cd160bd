"""The filters of a read, checked and turned into one `Filter`: walls first, then what the caller asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.checks import When, checked_bool, checked_kind, checked_share, checked_tier, names
from recollect.errors import ScopeMissing
from recollect.filters import AnyOf, Condition, Filter, Tagged, Test, heated, parse_where, within
from recollect.models import Kind, Scope
from recollect.scopes import identifier, narrowed
from recollect.timewords import parse_when

__all__ = ["When", "select"]


def select(
    scope: Scope,
    conditions: Sequence[Condition] = (),
    *,
    kinds: Iterable[str] | None = None,
    domain: str | None = None,
    tags: Iterable[str] | None = None,
    all_tags: Iterable[str] | None = None,
    tiers: Iterable[str] | None = None,
    heat: Iterable[str] | None = None,
    where: Mapping[str, Any] | None = None,
    session: str | None = None,
    actor: str | None = None,
    shared: bool = False,
    since: When | None = None,
    until: When | None = None,
    min_trust: float = 0.0,
    clock: datetime | None = None,
) -> Filter:
    """Return the filter of a read; `since` and `until` compare event time, half-open. Raises on unknown values.

    `heat` is what it is at `clock`, the time of the engine.
    """
    tests: list[Condition] = list(conditions)
    if session is not None:
        scope = narrowed(scope, session=session)
        tests.append(Test("session", "eq", scope.session))
    tests += _kinds(kinds, scope)
    if domain is not None:
        tests.append(Test("domain", "eq", identifier(domain, "domain")))
    if actor is not None:
        tests.append(Test("actor", "eq", identifier(actor, "actor")))
    for wanted, every in ((tags, False), (all_tags, True)):
        tagged = () if wanted is None else names(wanted, "all_tags" if every else "tags")
        if tagged:
            tests.append(Tagged(tagged, every=every))
    if tiers is not None:
        tests.append(Test("tier", "in", tuple(str(checked_tier(tier)) for tier in names(tiers, "tiers"))))
    tests += _heat(heat, clock)
    if since is not None:
        tests.append(Test("valid_from", "ge", parse_when(since, name="since")))
    if until is not None:
        tests.append(Test("valid_from", "lt", parse_when(until, name="until")))
    least = checked_share(min_trust, "min_trust")
    if least:
        tests.append(Test("trust", "ge", least - 1e-6))
    return within(scope, shared=checked_bool(shared, "shared")).but(*tests, *parse_where(where))


def _heat(heat: Iterable[str] | None, clock: datetime | None) -> list[Condition]:
    wanted = () if heat is None else (heat,) if isinstance(heat, str) else names(heat, "heat")
    return [heated(wanted, clock or datetime.now(UTC))] if wanted else []


def _kinds(kinds: Iterable[str] | None, scope: Scope) -> list[Condition]:
    """Return the test of the kinds; working memory is seen only in its session."""
    wanted = None if kinds is None else tuple(checked_kind(kind) for kind in names(kinds, "kinds"))
    if wanted is not None and Kind.WORKING not in wanted:
        return [Test("kind", "in", wanted)]
    if scope.session is None:
        if wanted == (Kind.WORKING,):
            raise ScopeMissing("working memory belongs to a session: give session=... or open the view with one")
        return [Test("kind", "ne", Kind.WORKING), *([Test("kind", "in", wanted)] if wanted else [])]
    own = (Test("kind", "eq", Kind.WORKING), Test("session", "eq", scope.session))
    others = tuple(kind for kind in wanted or tuple(Kind) if kind is not Kind.WORKING)
    return [AnyOf((own, (Test("kind", "in", others),)))]
