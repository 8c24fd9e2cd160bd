"""What a view's users have asked of language models so far, by use, and today against the budget."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from recollect.engine import Engine
from recollect.filters import Test
from recollect.llm.budget import counts_on, day_in_force
from recollect.llm.named import name_of
from recollect.models import Scope
from recollect.protocols import Reader, Setting
from recollect.scopes import spent_by

COUNTS = ("calls", "failed", "input_tokens", "output_tokens")


def account(engine: Engine, reader: Reader, scope: Scope) -> dict[str, Any]:
    """Return what a view's user took of models, of a view without user all users of its org; {} when there is nothing.

    An agent's view shows what its user took: models are not asked on an agent's account.
    """
    rows = list(_rows(engine, reader, scope))
    if not rows and engine.llm is None:
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
    }


def _rows(engine: Engine, reader: Reader, scope: Scope) -> Iterator[dict[str, Any]]:
    """Yield the rows of a view's users, with what could not be written down."""
    if scope.user is not None:
        row = spent_by(Scope(scope.org, scope.user))
        found, unwritten = reader.find(Setting, [Test("name", "eq", row)]), [engine.unwritten.get(row, {})]
    else:
        start = spent_by(Scope(scope.org)).removesuffix("null]")
        within = [Test("name", "ge", start), Test("name", "lt", f"{start}~")]  # a user is in quotes, no user is null
        found = [each for each in reader.find(Setting, within) if each.name.startswith(start)]
        unwritten = [held for name, held in engine.unwritten.copy().items() if name.startswith(start)]
    yield from (json.loads(each.value) for each in found)
    yield from filter(None, unwritten)
