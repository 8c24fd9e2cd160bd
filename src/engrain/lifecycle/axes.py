"""Round numbers and dates for the axes of a chart. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

_ROUND = (1, 2, 5, 10)
_UNITS = ((1_000_000_000, "B"), (1_000_000, "M"), (10_000, "k"))


def ticks(most: float, wanted: int = 4) -> list[int]:
    """Return about so many round whole numbers from 0 on, of which the last is at least `most`."""
    rough = max(most / wanted, 1)
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * each for each in _ROUND if size * each >= rough)
    return [number * step for number in range(max(math.ceil(most / step), 1) + 1)]


def short(number: float) -> str:
    """Return a number in few letters: 950, 9,500, 250k, 1.5M."""
    for size, unit in _UNITS:
        if number >= size:
            divisor = 1000 if unit == "k" else size
            return f"{number / divisor:.1f}".removesuffix(".0") + unit
    return f"{number:,.0f}"


def dates(moments: Sequence[datetime], most: int = 7) -> list[tuple[int, str]]:
    """Return at most so many of the moments by their places, with what they are called: the shorter, the finer."""
    if not moments:
        return []
    span = moments[-1] - moments[0]
    pattern = "%H:%M" if span.days < 2 else "%d %b" if span.days < 200 else "%b %Y"
    step = max(1, -(-len(moments) // most))
    found: list[tuple[int, str]] = []
    for place in range(0, len(moments), step):
        text = moments[place].strftime(pattern)
        if not found or found[-1][1] != text:
            found.append((place, text))
    return found
