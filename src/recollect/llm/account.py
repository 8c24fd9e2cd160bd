"""What a view's users have asked of language models so far, by use, and today against the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from recollect.engine import Engine
from recollect.errors import StoreCorrupt
from recollect.filters import Test
from recollect.llm.ledger import COUNTS, counts_on, day_in_force, read
from recollect.llm.named import name_of
from recollect.models import Scope
from recollect.protocols import Reader, Setting
from recollect.scopes import spent_by

_ALL = "llm_spent "  # how the names of all accounts begin


def account(engine: Engine, reader: Reader, scope: Scope) -> dict[str, Any]:
    """Return what a view's user took of models, of a view without user all users of its org; {} when there is nothing.

    An agent's view shows what its user took: models are not asked on an agent's account. Where accounts are `damaged`,
    it says how many: what was asked on those is not known.
    """
    rows, damaged = _rows(engine, reader, scope)
    if not rows and not damaged and engine.llm is None:
        return {}
    total, today, by = Counter[str](), Counter[str](), dict[str, Counter[str]]()
    for held in rows:
        total.update(held.get("total", {}))
        today.update(counts_on(held, day_in_force(held, engine.clock.now())))
        for use, counts in held.get("by", {}).items():
            by.setdefault(use, Counter()).update(counts)
    budget = engine.settings.llm_budget
    return {
        "model": None if engine.llm is None else name_of(engine.llm),
        **{name: total[name] for name in COUNTS},
        "by": {use: {name: counts[name] for name in COUNTS} for use, counts in sorted(by.items())},
        "today": {"calls": today["calls"], "tokens": today["tokens"]},
        "budget": None if budget is None else dict(budget),
        **({"damaged": damaged} if damaged else {}),
    }


def damaged_accounts(reader: Reader) -> list[str]:
    """Return the names of the accounts of a store that cannot be read, of all its organisations."""
    return [row.name for row in _starting_with(reader, _ALL) if not _read([row])[0]]


def _rows(engine: Engine, reader: Reader, scope: Scope) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of a view's users, with what could not be written down, and how many cannot be read."""
    if scope.user is not None:
        row = spent_by(Scope(scope.org, scope.user))
        found, unwritten = reader.find(Setting, [Test("name", "eq", row)]), [engine.unwritten.get(row, {})]
    else:
        start = spent_by(Scope(scope.org)).removesuffix("null]")
        found = _starting_with(reader, start)
        unwritten = [held for name, held in engine.unwritten.copy().items() if name.startswith(start)]
    rows, damaged = _read(found)
    return [*rows, *filter(None, unwritten)], damaged


def _starting_with(reader: Reader, start: str) -> list[Setting]:
    within = [Test("name", "ge", start), Test("name", "lt", f"{start}~")]  # a user is in quotes, no user is null
    return [each for each in reader.find(Setting, within) if each.name.startswith(start)]


def _read(rows: Sequence[Setting]) -> tuple[list[dict[str, Any]], int]:
    """Return what rows hold, and how many cannot be read."""
    held: list[dict[str, Any]] = []
    for row in rows:
        try:
            held.append(read(row))
        except StoreCorrupt:
            continue
    return held, len(rows) - len(held)
