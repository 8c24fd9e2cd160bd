"""How a campaign ends: a table for people, JSON for machines, and an exit code for both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows of the same columns as aligned text."""
    if not rows:
        return "(nothing)"
    names = list(rows[0])
    cells = [names, *([_shown(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[n]) for line in cells) for n in range(len(names))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def _shown(value: object) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def finish(title: str, rows: Sequence[Mapping[str, Any]], totals: Mapping[str, Any], faults: Sequence[str]) -> int:
    """Print the outcome and return the exit code: 1 when there are faults."""
    print(f"{title}\n\n{table(rows)}\n")
    for fault in faults:
        print(f"FAULT: {fault}")
    print(json.dumps({"campaign": title, **totals, "faults": list(faults), "rows": list(rows)}, default=str))
    return 1 if faults else 0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the values lie; 0 of none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
