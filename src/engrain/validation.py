"""Validation of arguments: each function returns the value in its final type, or raises with the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, cast, get_args

from engrain.model.choices import KindName, Tier, checked_choice
from engrain.model.memory import Fact, Kind, Scope
from engrain.text import check_text, json_text

When = datetime | date | str
Lifetime = timedelta | float | str
MAX_ID = 256
MAX_LIMIT = 10_000
MAX_TAGS = 32
MAX_NAMES = 500
MAX_METADATA_BYTES = 65_536
_DEEPEST = 200  # levels of an exact value
_SECONDS: Mapping[str, int] = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def identifier(value: object, name: str) -> str:
    """Return an id as given: a non-blank string of at most 256 characters."""
    text = check_text(value, what=name)
    if not text.strip():
        raise ValueError(f"{name} is blank: give a name or leave it out")
    if len(text) > MAX_ID:
        raise ValueError(f"{name} is {len(text)} characters long, the limit is {MAX_ID}")
    return text


def checked_limit(limit: int) -> int:
    """Return the checked size of a page; raises `ValueError` for an invalid one."""
    if not is_whole(limit) or not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit is {limit!r}: it must be a whole number from 1 to {MAX_LIMIT:,}")
    return limit


def scope_of(org: object, user: object, agent: object, session: object) -> Scope:
    """Return the scope of these names; org is always needed, the others may be None."""
    if org is None:
        raise ValueError("org is always set: leave it out for the default one")
    return narrowed(Scope(identifier(org, "org")), user=user, agent=agent, session=session)


def narrowed(scope: Scope, *, user: object = None, agent: object = None, session: object = None) -> Scope:
    """Return a scope inside `scope`: an unset field may be set, a set one never changed (`ValueError`)."""
    return Scope(
        scope.org,
        _bound("user", scope.user, user),
        _bound("agent", scope.agent, agent),
        _bound("session", scope.session, session),
    )


def _bound(name: str, bound: str | None, value: object) -> str | None:
    if value is None:
        return bound
    wanted = identifier(value, name)
    if bound is not None and bound != wanted:
        raise ValueError(f"this view is bound to {name} {bound!r} and cannot become {wanted!r}: open another view")
    return wanted


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number, which True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def checked_kind(kind: object) -> Kind:
    """Return the kind of that name; an unknown one is a `ValueError`."""
    return Kind(checked_choice(kind, "kind", KindName))


def checked_share(value: float | None, name: str) -> float | None:
    """Return a number in [0, 1]."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number from 0 to 1, not {type(value).__name__}")
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value}: it must be from 0 to 1")
    return float(value)


def checked_tier(tier: Any) -> Tier | None:
    """Return an epistemic tier; an unknown one is a `ValueError`."""
    if tier is not None and tier not in get_args(Tier):
        raise ValueError(f"unknown tier {tier!r}: use A (authoritative), B (operational) or C (support)")
    return cast(Tier | None, tier)


def checked_bool(value: object, name: str) -> bool:
    """Return True or False, and nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
    return value


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags as given, without repeats: at most 32, each at most 256 characters."""
    kept = tuple(dict.fromkeys(identifier(tag, "tag") for tag in strings(tags, "tags")))
    if len(kept) > MAX_TAGS:
        raise ValueError(f"{len(kept)} tags are too many: give at most {MAX_TAGS}")
    return kept


def checked_fact(fact: Fact | Sequence[str] | None) -> Fact | None:
    """Return a fact from a `Fact` or a triple of strings."""
    if fact is None:
        return None
    parts = (fact.subject, fact.predicate, fact.object) if isinstance(fact, Fact) else fact
    if not isinstance(parts, tuple | list) or len(parts) != 3:
        raise TypeError("fact must be (subject, predicate, object), three strings")
    return Fact(*(_nonblank(part, name) for part, name in zip(parts, ("subject", "predicate", "object"), strict=True)))


def duration(text: str, name: str) -> timedelta:
    """Read a number of seconds, or a number with one of the units s, m, h, d and w."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw]?)", text.strip())
    if match is None:
        raise ValueError(f"{name}: {text!r} is not a duration: write seconds, or 90s, 15m, 12h, 7d, 2w")
    try:
        return timedelta(seconds=float(match[1]) * _SECONDS[match[2]])
    except OverflowError:
        raise ValueError(f"{name}: {text!r} is too long") from None


def checked_ttl(ttl: Lifetime | None, kind: Kind) -> timedelta | None:
    """Return a positive time to live, from a `timedelta`, seconds or a text such as `"7d"`; procedures have none."""
    if ttl is None:
        return None
    if isinstance(ttl, str):
        ttl = duration(ttl, "ttl")
    if isinstance(ttl, bool) or not isinstance(ttl, timedelta | int | float):
        raise TypeError(f'ttl must be a timedelta, seconds or a text such as "7d", not {type(ttl).__name__}')
    if isinstance(ttl, float) and not math.isfinite(ttl):
        raise ValueError("ttl must be finite: leave it out for a memory that does not expire")
    try:
        span = ttl if isinstance(ttl, timedelta) else timedelta(seconds=ttl)
    except OverflowError:
        raise ValueError(f"ttl of {ttl} seconds reaches past the year 9999: leave it out") from None
    if span <= timedelta(0):
        raise ValueError(f"ttl is {ttl if isinstance(ttl, int) else span}: it must be positive")
    if kind is Kind.PROCEDURAL:
        raise ValueError("a procedural memory has no ttl: procedures leave by their outcomes")
    return span


def checked_metadata(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the caller's metadata if it is a JSON object of at most 64 KB with string keys and finite numbers."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a mapping, not {type(metadata).__name__}")
    kept, _ = _json_value(metadata, "metadata", depth=0)
    assert isinstance(kept, dict)
    return kept


def _json_value(value: object, place: str, *, depth: int) -> tuple[object, int]:
    """Return a value as plain JSON types, and about how many bytes it takes."""
    if depth > 50:
        raise ValueError(f"{place} is nested too deep: at most 50 levels")
    if value is None or isinstance(value, bool):
        return value, 5
    if isinstance(value, str):
        text = check_text(value, what=place)
        return text, _within_limit(len(text.encode()) + 2)
    if isinstance(value, int | float):
        if abs(value) >= 2**63 if isinstance(value, int) else not math.isfinite(value):
            raise ValueError(f"{place} is no number that JSON can hold: it must be finite and fit in 64 bits")
        return value, len(repr(value))
    if isinstance(value, Mapping):
        return _json_object(value, place, depth=depth)
    if isinstance(value, list | tuple):
        kept: list[object] = []
        total = 2
        for i, item in enumerate(value):
            one, size = _json_value(item, f"{place}[{i}]", depth=depth + 1)
            kept.append(one)
            total = _within_limit(total + size + 1)
        return kept, total
    raise TypeError(f"{place} holds a {type(value).__name__}: metadata is JSON (text, numbers, lists, mappings)")


def _json_object(value: Mapping[object, object], place: str, *, depth: int) -> tuple[object, int]:
    kept: dict[str, object] = {}
    total = 2
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{place} has the key {key!r}: keys are strings")
        check_text(key, what=f"a key of {place}")
        kept[key], size = _json_value(item, f"{place}[{key!r}]", depth=depth + 1)
        total = _within_limit(total + size + len(key.encode()) + 4)
    return kept, total


def _within_limit(size: int) -> int:
    # Asked on the way and not at the end: a few lists that hold each other many times over would never be counted out.
    if size > MAX_METADATA_BYTES:
        raise ValueError(f"metadata is more than {MAX_METADATA_BYTES:,} bytes of JSON: keep it elsewhere")
    return size


def exact_json(value: object, name: str) -> str:
    """Return a value as JSON that restores it exactly; raises for one that JSON would change."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        level = [each for each in level if isinstance(each, dict | list | tuple)]
        if not level:
            break
        for each in level:
            if isinstance(each, dict) and not all(isinstance(inner, str) for inner in each):
                raise TypeError(f"{name} has an object with a name that is no string: JSON has none")
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    else:
        raise ValueError(f"{name} is nested more than {_DEEPEST} deep")
    try:
        return json_text(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be JSON: {error}") from None


def strings(values: Iterable[str], name: str) -> Iterable[str]:
    """Return an iterable of strings, which a string itself is not."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of strings, not {type(values).__name__}")
    return values


def names(values: Iterable[str], name: str) -> tuple[str, ...]:
    """Return ids without repeats, at most 500."""
    kept = tuple(dict.fromkeys(identifier(value, name) for value in strings(values, name)))
    if len(kept) > MAX_NAMES:
        raise ValueError(f"{name} holds {len(kept):,} names, the limit is {MAX_NAMES}: ask in parts")
    return kept


def checked_reason(reason: str | None) -> str:
    """Return the checked reason for an audit entry."""
    return "" if reason is None else check_text(reason, what="reason")


def checked_whole(value: int, name: str, *, least: int = 0, most: int | None = None) -> int:
    """Return a whole number from `least` on, or up to `most`."""
    if not is_whole(value):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if value < least or (most is not None and value > most):
        bounds = "cannot be negative" if least == 0 else f"must be {least} or more"
        raise ValueError(f"{name} is {value}: it {bounds if most is None else f'must be from {least} to {most}'}")
    return value


def checked_budget(tokens: int) -> int:
    """Return a budget in tokens."""
    return checked_whole(tokens, "token_budget")


def _nonblank(text: object, name: str) -> str:
    kept = check_text(text, what=f"the fact's {name}")
    if not kept.strip() or len(kept) > 2048:
        raise ValueError(f"the fact's {name} must be 1 to 2,048 characters")
    return kept


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; one with a name twice is refused, for readers differ in which value counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise ValueError(f"the name {twice[:80]!r} is given twice")
    return found
