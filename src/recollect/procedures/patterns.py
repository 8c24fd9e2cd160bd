"""Sequences that recur: what many lists have in common, in this order and with little in between. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

GAP = 2
"""The most other items between two neighbours of a pattern."""
LONGEST = 8
"""The most items of a pattern."""
EFFORT = 600_000
"""The places that are looked at before a search ends; the most frequent patterns are found first."""
Items = Sequence[str]
Ends = dict[int, tuple[int, ...]]
"""By list, where occurrences of a pattern end."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Items that occur in this order, and in which of the lists."""

    items: tuple[str, ...]
    lists: tuple[int, ...]


def frequent(lists: Sequence[Items], least: int, *, effort: int = EFFORT) -> list[Pattern]:
    """Return the closed patterns of two or more items that at least `least` lists hold, the most frequent first.

    A pattern is closed when no longer one that holds it occurs in the same lists. Patterns grow at their end, the most
    frequent first, until `effort` is spent.
    """
    waiting: list[tuple[int, tuple[str, ...], Ends]] = []
    for item, ends in singles(lists).items():
        if len(ends) >= least:
            heappush(waiting, (-len(ends), (item,), ends))
    found: list[Pattern] = []
    while waiting and effort > 0:
        _, items, ends = heappop(waiting)
        if len(items) > 1:
            found.append(Pattern(items, tuple(sorted(ends))))
        if len(items) < LONGEST:
            longer, spent = _longer(lists, ends)
            effort -= spent
            for item, reached in longer.items():
                if len(reached) >= least:
                    heappush(waiting, (-len(reached), (*items, item), reached))
    return _closed(found)


def singles(lists: Sequence[Items]) -> dict[str, Ends]:
    """Return, by item, in which lists it stands, and where."""
    found: dict[str, dict[int, list[int]]] = {}
    for number, items in enumerate(lists):
        for place, item in enumerate(items):
            found.setdefault(item, {}).setdefault(number, []).append(place)
    return {item: {number: tuple(places) for number, places in ends.items()} for item, ends in found.items()}


def _longer(lists: Sequence[Items], ends: Ends) -> tuple[dict[str, Ends], int]:
    """Return, by item, where patterns end that are longer by it, and how many places were looked at."""
    found: dict[str, dict[int, set[int]]] = {}
    spent = 0
    for number, places in ends.items():
        items = lists[number]
        after = {after for place in places for after in range(place + 1, min(place + 2 + GAP, len(items)))}
        spent += 1 + len(after)
        for place in after:
            found.setdefault(items[place], {}).setdefault(number, set()).add(place)
    return {item: {n: tuple(places) for n, places in reached.items()} for item, reached in found.items()}, spent


def _closed(found: Sequence[Pattern]) -> list[Pattern]:
    alike: dict[tuple[int, ...], list[Pattern]] = {}
    for pattern in found:
        alike.setdefault(pattern.lists, []).append(pattern)
    closed = []
    for group in alike.values():
        kept: list[Pattern] = []
        for pattern in sorted(group, key=lambda pattern: -len(pattern.items)):
            if not any(holds(longer.items, pattern.items) for longer in kept):
                kept.append(pattern)
        closed += kept
    return sorted(closed, key=lambda pattern: (-len(pattern.lists), -len(pattern.items), pattern.items))


def extended(lists: Sequence[Items], ends: Ends, items: Items) -> Ends:
    """Return where a pattern ends that is longer by some items than the one that ends at `ends`."""
    for item in items:
        reached: Ends = {}
        for number, places in ends.items():
            row = lists[number]
            after = {n for place in places for n in range(place + 1, min(place + 2 + GAP, len(row))) if row[n] == item}
            if after:
                reached[number] = tuple(after)
        ends = reached
    return ends


def holds(items: Items, pattern: Items) -> bool:
    """Say whether a list holds a pattern at all, whatever stands in between."""
    following = iter(items)
    return all(item in following for item in pattern)


def occurrence(items: Items, pattern: Items) -> tuple[int, ...] | None:
    """Return the places of a pattern's first occurrence in a list, with no more than `GAP` between; None if none."""
    steps: list[dict[int, int]] = []
    for number, item in enumerate(pattern):
        if number == 0:
            steps.append({place: -1 for place, each in enumerate(items) if each == item})
            continue
        step: dict[int, int] = {}
        for before in sorted(steps[-1]):
            for place in range(before + 1, min(before + 2 + GAP, len(items))):
                if items[place] == item:
                    step.setdefault(place, before)
        steps.append(step)
    if not steps or not steps[-1]:
        return None
    places = [min(steps[-1])]
    for step in reversed(steps[1:]):
        places.append(step[places[-1]])
    return tuple(reversed(places))
