"""The rows in which a store keeps what was asked of language models: read with care, and the days that they count.

A row holds the calls and tokens of the day in force, those of a few days before and beside it, and the sums of all
time. One that is damaged is an error and never an empty one: that would be a full budget.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import StoreCorrupt
from recollect.filters import Test
from recollect.protocols import Reader, Setting

KEPT_DAYS = 16  # that clocks which differ may take in turn: a week apart at most
SPENT = ("calls", "tokens")
COUNTS = ("calls", "failed", "input_tokens", "output_tokens")
_MOST = 1 << 62  # of anything that is counted


def row_of(reader: Reader, row: str) -> dict[str, Any]:
    """Return what a row of the accounts holds, nothing when there is none; raises `StoreCorrupt` for a damaged one."""
    found = reader.find(Setting, [Test("name", "eq", row)])
    return read(found[0]) if found else {}


def read(row: Setting) -> dict[str, Any]:
    """Return what a row holds; raises `StoreCorrupt` for anything that was not written here."""
    try:
        held = json.loads(row.value)
    except (ValueError, RecursionError):
        held = None
    if not (isinstance(held, dict) and _is_account(held)):
        raise StoreCorrupt(f"the store's row {row.name!r}, which counts what a language model was asked, is damaged")
    return held


def _is_account(held: Mapping[str, Any]) -> bool:
    earlier, uses = held.get("earlier", {}), held.get("by", {})
    if not (isinstance(held.get("day", ""), str) and isinstance(earlier, dict) and isinstance(uses, dict)):
        return False
    days = all(_are_counts(each, SPENT) for each in (held, *earlier.values()))
    sums = all(_are_sums(each) for each in (held.get("total", {}), *uses.values()))
    return days and sums and all(use.isprintable() for use in uses)


def _are_counts(counts: object, names: Iterable[str]) -> bool:
    return isinstance(counts, dict) and all(_is_count(counts.get(name, 0)) for name in names)


def _are_sums(counts: object) -> bool:
    return isinstance(counts, dict) and _are_counts(counts, counts)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _MOST


def day_in_force(held: Mapping[str, Any], now: datetime) -> str:
    """Return the day whose budget is in force for a row.

    Where another machine's clock has passed midnight already, its day counts for all. One that is further ahead has the
    budget of its own day, once: a clock that was wrong by years does not stop the calls of today.
    """
    ahead = (now.date() + timedelta(days=1)).isoformat()
    known = held.get("day") == ahead or ahead in held.get("earlier", {})
    return ahead if known else now.date().isoformat()


def counts_on(held: Mapping[str, Any], day: str) -> dict[str, int]:
    """Return the calls and tokens of a day."""
    counts = held if held.get("day") == day else held.get("earlier", {}).get(day, {})
    return {name: counts.get(name, 0) for name in SPENT}


def put_on(held: dict[str, Any], day: str, counts: Mapping[str, int]) -> None:
    """Make a day the one in force, with these counts; those of the days in force before stay, the latest of them."""
    earlier: dict[str, dict[str, int]] = held.pop("earlier", {})
    if held.get("day", day) != day:
        earlier[held["day"]] = counts_on(held, held["day"])
    earlier.pop(day, None)
    held |= {"day": day, **counts}
    if earlier:
        held["earlier"] = dict(list(earlier.items())[-KEPT_DAYS:])


def give_back(held: dict[str, Any], day: str, tokens: int) -> None:
    """Give tokens back to the day that they were set aside on, if that is still known."""
    counts = held if held.get("day") == day else held.get("earlier", {}).get(day, {})
    if counts:
        counts["tokens"] = max(counts.get("tokens", 0) - tokens, 0)
