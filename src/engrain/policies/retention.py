"""Retention: how memories of a kind, domain and agent fade, how long they are kept, and how many of them. Pure.

A preset gives every kind its parameters, policies override them; `Retention` returns those in force for a memory, its
remaining importance at a time, and when it is due for a sweep.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cached_property, partial
from typing import Any

from engrain.lazy import Numbers, np
from engrain.model.memory import Expiry, Kind, Memory, Status
from engrain.validation import checked_kind, is_whole

CURVES: Mapping[str, tuple[str, ...]] = {  # the curves by name, each with its parameters
    "exponential": ("rate",),
    "logarithmic": ("alpha", "horizon"),
    "step": ("threshold",),
    "none": (),
}
KEPT_FROM = 0.8  # the base importance from which on no default expires, evicts or archives a memory
_PARAMETERS = {"rate": 0.01, "alpha": 1.0, "horizon": 3650.0, "threshold": 30.0}
_FIGURES = ("ttl", "cap", "curve", "archive_below")
_DAY = timedelta(days=1)
_LATEST = datetime.max.replace(tzinfo=UTC)


class Inherited(Enum):
    """The value of a parameter that a policy does not set, where None has a meaning."""

    INHERITED = "inherited"


INHERITED = Inherited.INHERITED


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """How the memories that it applies to fade and leave; a parameter that is left out is not changed by it.

    It applies to a `kind`, a `domain` and an `agent`, None meaning any. `ttl` is how long they live (a `timedelta` or
    seconds; None: no end), `cap` how many of them an agent keeps (None: any number), `curve` how their importance
    fades: `exponential` (`rate` per day), `logarithmic` (`alpha`, `horizon` in days), `step` (`threshold` in days) or
    `none`. What has faded below `archive_below` is archived; None archives nothing. Raises `ValueError` for figures
    out of range, a parameter of another curve, and a `ttl` on procedural memories.
    """

    kind: Kind | str | None = None
    domain: str | None = None
    agent: str | None = None
    ttl: timedelta | float | Inherited | None = INHERITED
    cap: int | Inherited | None = INHERITED
    curve: str | Inherited = INHERITED
    rate: float | None = None
    alpha: float | None = None
    horizon: float | None = None
    threshold: float | None = None
    archive_below: float | Inherited | None = INHERITED

    def __post_init__(self) -> None:
        if self.curve is None:
            object.__setattr__(self, "curve", "none")
        for name, check in _CHECKS.items():
            value = getattr(self, name)
            if value is not None and not (value is INHERITED and name in _FIGURES):
                object.__setattr__(self, name, check(value, name))
        if self.kind is Kind.PROCEDURAL and isinstance(self.ttl, timedelta):
            raise ValueError("procedural memories have no ttl: they are kept until somebody forgets them")
        own = () if self.curve is INHERITED else CURVES[str(self.curve)]
        others = [name for name in _PARAMETERS if getattr(self, name) is not None and name not in own]
        if others and self.curve is INHERITED:
            raise ValueError(f"{others[0]} belongs to a curve: give curve= too")
        if others:
            raise ValueError(f"{others[0]} is no parameter of the curve {self.curve!r}")
        for name in own:
            object.__setattr__(self, name, _PARAMETERS[name] if getattr(self, name) is None else getattr(self, name))

    def applies(self, kind: Kind | None, domain: str | None, agent: str | None) -> bool:
        """Return whether it applies to memories of this kind, domain and agent."""
        return self.kind in (None, kind) and self.domain in (None, domain) and self.agent in (None, agent)

    def over(self, other: RetentionPolicy) -> RetentionPolicy:
        """Return the other policy overridden by the parameters that this one sets."""
        given = {name: getattr(self, name) for name in _FIGURES if getattr(self, name) is not INHERITED}
        if "curve" in given:
            given |= {name: getattr(self, name) for name in _PARAMETERS}
        if other.kind is Kind.PROCEDURAL:
            given.pop("ttl", None)  # which does not apply to every kind
        return replace(other, **given)

    def decayed(self, base: float, age: float) -> float:
        """Return the remaining importance after `age` days."""
        return base * float(self.left(np.array([max(age, 0.0)]))[0])

    def left(self, ages: Numbers) -> Numbers:
        """Return the remaining share after each number of days, none of them negative."""
        if self.curve == "exponential":
            return np.exp(-(self.rate or 0.0) * ages)
        if self.curve == "logarithmic":
            alpha, horizon = self.alpha or 1.0, self.horizon or 1.0
            share = 1 - np.log1p(alpha * ages) / math.log1p(alpha * horizon)
            return np.where(ages >= horizon, 0.0, np.clip(share, 0.0, 1.0))
        return np.where(ages < (self.threshold or 1.0), 1.0, 0.0) if self.curve == "step" else np.ones(len(ages))

    def fades_after(self, base: float) -> float:
        """Return the number of days until an importance has faded below `archive_below`: infinity for never."""
        least = self.archive_below
        if not isinstance(least, float) or not least or self.curve in ("none", INHERITED):
            return 0.0 if isinstance(least, float) and base < least else math.inf
        if base < least:
            return 0.0
        if self.curve == "exponential":
            return math.log(base / least) / self.rate if self.rate else math.inf
        if self.curve == "step":
            return self.threshold or 0.0
        alpha, horizon = self.alpha or 1.0, self.horizon or 1.0
        return min(math.expm1((1 - least / base) * math.log1p(alpha * horizon)) / alpha, horizon)


def exponential_decay(base: float, age: float, *, rate: float) -> float:
    """Return base e^(-rate x age): fast at first, then ever slower; `age` in days, `rate` (0 or more) per day."""
    return RetentionPolicy(curve="exponential", rate=rate).decayed(_importance(base), age)


def logarithmic_decay(base: float, age: float, *, alpha: float, horizon: float) -> float:
    """Return base (1 - ln(1 + alpha x age) / ln(1 + alpha x horizon)), and 0 from the horizon on; in days.

    It falls fast at first and slowly later. `alpha` and `horizon` are above 0.
    """
    return RetentionPolicy(curve="logarithmic", alpha=alpha, horizon=horizon).decayed(_importance(base), age)


def step_decay(base: float, age: float, *, threshold: float) -> float:
    """Return base before the threshold, and 0 from it on; `age` and `threshold` (above 0) in days."""
    return RetentionPolicy(curve="step", threshold=threshold).decayed(_importance(base), age)


def _importance(base: float) -> float:
    if not 0 <= base <= 1:
        raise ValueError(f"base is {base!r}: an importance is from 0 to 1")
    return base


def checked_number(value: object, name: str, *, zero: bool = False) -> float:
    """Return a finite number above 0, or with `zero` from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not (value >= 0 if zero else value > 0) or not value < math.inf:
        raise ValueError(f"{name} is {value!r}: it must be {'0 or more' if zero else 'positive'} and finite")
    return float(value)


def _checked_ttl(value: Any, name: str) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, timedelta | int | float):
        raise TypeError(f"{name} must be a timedelta or seconds, not {type(value).__name__}")
    try:
        span = value if isinstance(value, timedelta) else timedelta(seconds=value)
    except (OverflowError, ValueError):
        raise ValueError(f"{name} is {value!r}: it must be a span of time") from None
    if span <= timedelta(0):
        raise ValueError(f"{name} is {value!r}: it must be positive; leave it out, or None for no end")
    return span


def _check(wanted: str, passes: Callable[[Any], bool]) -> Callable[[Any, str], object]:
    def checked(value: Any, name: str) -> object:
        if not passes(value):
            raise ValueError(f"{name} is {value!r}: it must be {wanted}")
        return float(value) if name == "archive_below" else value

    return checked


_CHECKS: Mapping[str, Callable[[Any, str], object]] = {
    "kind": lambda value, _name: checked_kind(value),
    **dict.fromkeys(
        ("domain", "agent"),
        _check("a name, or left out for any", lambda value: isinstance(value, str) and bool(value.strip())),
    ),
    "ttl": _checked_ttl,
    "cap": _check("a whole number from 1, or None for any number", lambda value: is_whole(value) and value >= 1),
    "curve": _check(f"one of {', '.join(CURVES)}", lambda value: isinstance(value, str) and value in CURVES),
    "rate": partial(checked_number, zero=True),
    **dict.fromkeys(("alpha", "horizon", "threshold"), checked_number),
    "archive_below": _check(
        "from 0 to 1, or None to archive nothing", lambda value: type(value) in (int, float) and 0 <= value <= 1
    ),
}


_DEFAULTS: Mapping[Kind, tuple[str, int | None, int]] = {
    Kind.WORKING: ("none", None, 100),
    Kind.EPISODIC: ("exponential", 30, 10_000),
    Kind.SEMANTIC: ("logarithmic", None, 50_000),
    Kind.PROCEDURAL: ("none", None, 5_000),
}
"""For each kind its curve, and the limits of `bounded`: the days it is kept, and the number of memories."""
PRESETS: Mapping[str, Mapping[Kind, RetentionPolicy]] = {
    "keep": {
        kind: RetentionPolicy(kind=kind, ttl=None, cap=None, curve=curve, archive_below=None)
        for kind, (curve, _, _) in _DEFAULTS.items()
    },
    "bounded": {
        kind: RetentionPolicy(kind=kind, ttl=days and timedelta(days), cap=cap, curve=curve, archive_below=0.05)
        for kind, (curve, days, cap) in _DEFAULTS.items()
    },
}
"""`keep`, under which nothing leaves by itself, and `bounded`, with an end, a number and a fading for each kind."""


@dataclass(frozen=True)
class Retention:
    """The policies in force: a preset and its overrides; the more specific, then the later one takes precedence."""

    preset: str = "keep"
    policies: tuple[RetentionPolicy, ...] = ()
    _known: dict[tuple[Any, ...], RetentionPolicy] = field(default_factory=dict, compare=False, repr=False)

    def policy(self, kind: Kind, domain: str | None = None, agent: str | None = None) -> RetentionPolicy:
        """Return the policy in force for memories of a kind, and of a domain and an agent if they are given."""
        key = (kind, domain if domain in self._domains else None, agent if agent in self._agents else None)
        found = self._known.get(key)
        if found is None:
            found = PRESETS[self.preset][kind]
            for one in sorted(self.policies, key=lambda p: [each is not None for each in (p.agent, p.domain, p.kind)]):
                if one.applies(*key):
                    found = one.over(found)
            found = self._known[key] = replace(found, domain=key[1], agent=key[2])
        return found

    def of(self, memory: Memory) -> RetentionPolicy:
        """Return the policy in force for a memory."""
        return self.policy(memory.kind, memory.domain, memory.scope.agent)

    @cached_property
    def _domains(self) -> frozenset[str]:
        return frozenset(one.domain for one in self.policies if one.domain is not None)

    @cached_property
    def _agents(self) -> frozenset[str]:
        return frozenset(one.agent for one in self.policies if one.agent is not None)

    @cached_property
    def lets_go(self) -> bool:
        """Whether any memory leaves by itself, or is capped."""
        every = [self.policy(k, d, a) for k in Kind for d in (None, *self._domains) for a in (None, *self._agents)]
        return any(one.ttl or one.cap or one.archive_below for one in every)

    def capped_apart(self, kind: Kind, agent: str | None) -> frozenset[str]:
        """Return the domains whose memories of a kind have a cap of their own, and do not count for another."""
        own = (p for p in self.policies if p.domain and p.cap is not INHERITED and p.applies(kind, p.domain, agent))
        return frozenset(str(p.domain) for p in own)

    @cached_property
    def digest(self) -> str:
        """A value that is equal as long as the policies are."""
        figures = [self.preset, *(str({f.name: getattr(p, f.name) for f in fields(p)}) for p in self.policies)]
        return str(figures)

    def strength(self, memory: Memory, now: datetime) -> float:
        """Return the remaining importance of a memory at `now`, its base decayed; strength slows that."""
        age = (now - _last_used(memory)) / _DAY
        return self.of(memory).decayed(memory.importance, age / max(memory.strength, 1e-9))

    def effective(self, memory: Memory, now: datetime) -> float:
        """Return the effective importance of a memory at `now`: the remaining one, raised by recent and frequent use.

        decayed x (1 + .2 e^(-days since access / 7)) x (1 + .1 min(1, ln(1 + accesses) / ln 33)), 0 to 1.
        """
        since = math.inf if memory.last_accessed is None else max((now - memory.last_accessed) / _DAY, 0.0)
        return float(raised(np.array(self.strength(memory, now)), np.array(since), np.array(memory.access_count)))

    def has_faded(self, memory: Memory, now: datetime) -> bool:
        """Return whether a memory has faded enough to be archived; never for one that is kept."""
        least = self.of(memory).archive_below
        return isinstance(least, float) and not is_kept(memory) and self.strength(memory, now) < least

    def expiring(self, memory: Memory) -> Memory:
        """Return a memory with the end of its policy, or without one; an end given by its caller stays."""
        if memory.expiry is Expiry.GIVEN or (memory.expiry is Expiry.NONE and not self.lets_go):
            return memory
        ttl = self.of(memory).ttl
        if not isinstance(ttl, timedelta) or is_kept(memory):
            return memory if memory.expiry is Expiry.NONE else replace(memory, expires_at=None, expiry=Expiry.NONE)
        return replace(memory, expires_at=_after(memory.recorded_at, ttl), expiry=Expiry.DEFAULT)

    def expiring_at(self, memory: Memory, now: datetime) -> Memory:
        """Return the result of `expiring`; a memory that has ended at `now` stays so, if its policy has an end."""
        over = memory.expires_at is not None and memory.expires_at <= now
        return memory if over and self.of(memory).ttl is not None else self.expiring(memory)

    def due_at(self, memory: Memory) -> datetime | None:
        """Return when a sweep has to check a memory: when it expires, or has faded, whichever is first."""
        if memory.stored_status is not Status.ACTIVE:
            return None
        moments = [] if memory.expires_at is None else [memory.expires_at]
        if self.lets_go and not is_kept(memory):
            days = self.of(memory).fades_after(memory.importance) * memory.strength
            if days < math.inf:
                moments.append(_after(_last_used(memory), timedelta(days=min(days, 4e6))))
        return min(moments, default=None)


def raised(left: Numbers, since: Numbers, accesses: Any) -> Numbers:
    """Return remaining importances raised by use: by the days since the last access, and the number of accesses."""
    recent = 1 + 0.2 * np.exp(-since / 7)
    often = 1 + 0.1 * np.minimum(1.0, np.log1p(accesses) / math.log(33))
    return np.asarray(np.clip(left * recent * often, 0.0, 1.0))


def is_kept(memory: Memory) -> bool:
    """Return whether no default may end a memory: pinned, critical, superseded, or an episode not consolidated yet."""
    unlearnt = memory.kind is Kind.EPISODIC and memory.consolidated_at is None
    return memory.pinned or memory.importance >= KEPT_FROM or unlearnt or memory.is_superseded


def _last_used(memory: Memory) -> datetime:
    return max(memory.recorded_at, memory.last_accessed or memory.recorded_at)


def _after(start: datetime, span: timedelta) -> datetime:
    return _LATEST if span > _LATEST - start else start + span


def policies_of(value: object) -> tuple[RetentionPolicy, ...]:
    """Return policies given as such or as mappings of their fields; raises `TypeError` or `ValueError`."""
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"policies are a list of RetentionPolicy, not {type(value).__name__}")
    known, found = {each.name for each in fields(RetentionPolicy)}, list[RetentionPolicy]()
    for one in value:
        if isinstance(one, RetentionPolicy):
            found.append(one)
            continue
        if not isinstance(one, Mapping):
            raise TypeError(f"a policy is a RetentionPolicy or a mapping of its fields, not {type(one).__name__}")
        if unknown := [name for name in one if name not in known]:
            raise ValueError(f"a policy has no {unknown[0]!r}: use {', '.join(sorted(known))}")
        figures: dict[str, Any] = {name: None if given == "none" else given for name, given in one.items()}
        found.append(RetentionPolicy(**figures))
    return tuple(found)
