"""Random memories and random filters over them, from a random generator that is handed in."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

from engrain.model.filters import AnyOf, Condition, Filter, Logic, Meta, Tagged, Test
from engrain.model.memory import Kind, Memory, Status
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, NOON, memory

USERS = (None, "ana", "Ana", "боб")
WORDS = ("tea", "milk", "sugar", "cup", "kettle", "leaf", "чай", "茶")
_NAMES = (None, "", "a", "A", "b", "ж", "🏠", "a b", "it's", '"q"', "50%", "_")
_NUMBERS = (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 1.0)
_TIMES = (
    FIRST_MOMENT,
    NOON - timedelta(days=1),
    NOON,
    NOON + timedelta(microseconds=1),
    NOON + timedelta(days=1),
    LAST_MOMENT,
)
_TAGS = ("home", "work", "Home", "дом", "🏠", "it's", '"q"', "1", "null", "")
_VALUES = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    0.5,
    2**53,
    2**53 + 1,
    "",
    "a",
    "A",
    "1",
    "true",
    "null",
    "ж",
    "tea and milk",
    "%",
)
_KEYS = ("x", "y", "a.b", "$", 'q"q', "ключ", "", "and")

Draw = Callable[[random.Random], object]
_COLUMNS: dict[str, Draw] = {
    "agent": lambda rng: rng.choice(_NAMES),
    "session": lambda rng: rng.choice(_NAMES),
    "actor": lambda rng: rng.choice(_NAMES),
    "superseded_by": lambda rng: rng.choice((None, None, "mem_x", "mem_y")),
    "kind": lambda rng: rng.choice(list(Kind)),
    "status": lambda rng: rng.choice(list(Status)),
    "domain": lambda rng: rng.choice(("general", "cti", "", "ж")),
    "tier": lambda rng: rng.choice("ABC"),
    "importance": lambda rng: rng.choice(_NUMBERS),
    "confidence": lambda rng: rng.choice(_NUMBERS),
    "trust": lambda rng: rng.choice(_NUMBERS),
    "strength": lambda rng: rng.choice(_NUMBERS),
    "position": lambda rng: rng.choice((None, 0, 1, 2, 3, 1000)),
    "access_count": lambda rng: rng.choice((0, 1, 2)),
    "version": lambda rng: rng.choice((1, 2)),
    "pinned": lambda rng: rng.random() < 0.5,
    "recorded_at": lambda rng: rng.choice(_TIMES),
    "valid_from": lambda rng: rng.choice(_TIMES),
    "valid_until": lambda rng: rng.choice((None, *_TIMES)),
    "believed_until": lambda rng: rng.choice((None, *_TIMES)),
    "expires_at": lambda rng: rng.choice((None, *_TIMES)),
    "last_accessed": lambda rng: rng.choice((None, *_TIMES)),
}
# What may be changed of a memory in place, and still be the same memory.
CHANGEABLE = tuple(sorted(_COLUMNS.keys() - {"agent", "session"}))


def any_value(rng: random.Random, column: str) -> object:
    """Return a value that the column may hold."""
    return _COLUMNS[column](rng)


def any_metadata(rng: random.Random) -> dict[str, object]:
    """Return a caller's metadata: odd keys, every type, lists and nested mappings."""

    def value() -> object:
        if rng.random() < 0.2:
            return [rng.choice(_VALUES) for _ in range(rng.randint(0, 4))]
        return {"x": 1} if rng.random() < 0.1 else rng.choice(_VALUES)

    return {rng.choice(_KEYS): value() for _ in range(rng.randint(0, 3))}


def any_memory(rng: random.Random, content: str) -> Memory:
    """Return a memory of any user, with any fields."""
    fields = {name: draw(rng) for name, draw in _COLUMNS.items() if rng.random() < 0.7}
    tags = tuple(dict.fromkeys(rng.choices(_TAGS, k=rng.randint(0, 3))))
    return memory(content, user=rng.choice(USERS), tags=tags, metadata=any_metadata(rng), id=f"mem_{content}", **fields)


def any_words(rng: random.Random) -> str:
    """Return a few words, some common and some rare, or none."""
    return " ".join(rng.choices(WORDS, [1 / (n + 1) for n in range(len(WORDS))], k=rng.randint(0, 12)))


def any_filter(rng: random.Random) -> Filter:
    """Return a filter with up to three conditions."""
    conditions = tuple(_condition(rng) for _ in range(rng.choice((0, 1, 1, 2, 3))))
    return Filter("default", rng.choice((*USERS, None, None)), rng.random() < 0.3, conditions)


def _condition(rng: random.Random) -> Condition:
    chance = rng.random()
    if chance < 0.5:
        return _test(rng)
    if chance < 0.65:
        return AnyOf(tuple(tuple(_test(rng) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 3))))
    if chance < 0.75:
        return Tagged(tuple(rng.choices(_TAGS, k=rng.randint(1, 3))), every=rng.random() < 0.5)
    return _term(rng, depth=rng.randint(0, 3))


def _test(rng: random.Random) -> Test:
    column = rng.choice(list(_COLUMNS))
    value = any_value(rng, column)
    or_null = rng.random() < 0.3
    if rng.random() < 0.2:
        chosen = tuple(any_value(rng, column) for _ in range(rng.randint(0, 4)))
        return Test(column, "in", tuple(each for each in chosen if each is not None), or_null)
    if value is None:
        return Test(column, rng.choice(("eq", "ne")), None)
    return Test(column, rng.choice(("eq", "ne", "lt", "le", "gt", "ge")), value, or_null)


def _term(rng: random.Random, depth: int) -> Meta | Logic:
    if depth and rng.random() < 0.6:
        if rng.random() < 0.3:
            return Logic("not", (_term(rng, depth - 1),))
        return Logic(rng.choice(("and", "or")), tuple(_term(rng, depth - 1) for _ in range(rng.randint(1, 3))))
    key = rng.choice(_KEYS)
    op = rng.choice(("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "exists"))
    if op == "exists":
        return Meta(key, op, rng.random() < 0.5)
    if op in ("in", "nin"):
        return Meta(key, op, tuple(rng.choices(_VALUES, k=rng.randint(0, 4))))
    ordered = [value for value in _VALUES if not isinstance(value, bool) and value is not None]
    return Meta(key, op, rng.choice(ordered if op in ("gt", "gte", "lt", "lte") else _VALUES))
