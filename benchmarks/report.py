"""How figures are taken and reported: timings, rows beside a limit, memory in use, and the machine."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from engrain import __version__

if sys.platform == "darwin":
    import resource

P = ParamSpec("P")
T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int, str], object]
"""Called with the number of steps done, their total and a label."""


def describe_machine() -> dict[str, str | int]:
    """Return the machine and the versions that a figure depends on, under stable names."""
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cpus": os.cpu_count() or 1,
        "python": platform.python_version(),
        "numpy": str(np.__version__),
        "sqlite": sqlite3.sqlite_version,
        "engrain": __version__,
    }


def resident_mb(process: int | str = "self") -> tuple[float | None, float | None]:
    """Return the megabytes that a process holds, and those without pages of files; None where the system has no figure.

    On macOS it is the most that this process has held.
    """
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20), None
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    sizes = {name: rest for name, _, rest in (line.partition(":") for line in lines)}
    total, own = (int(sizes[name].split()[0]) / 1024 if name in sizes else None for name in ("VmRSS", "RssAnon"))
    return total, own


def joined(values: Mapping[str, object]) -> str:
    """Return names and values as one line of text."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def server_note(server: Mapping[str, str]) -> list[str]:
    """Return the note on figures that were taken on a server; none for files."""
    if not server:
        return []
    note = "its work is in the times by the clock (p50, p95); CPU is of this process alone"
    return [f"Stores on a server ({joined(server)}): {note}"]


@dataclass(frozen=True, kw_only=True)
class Report:
    """The figures of one run, with the machine they were taken on."""

    machine: Mapping[str, str | int] = field(default_factory=describe_machine)

    @property
    def passed(self) -> bool:
        """Whether every bar that decides the exit code is met."""
        return True

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys; a metric with an interval is `[mean, low, high]`."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the figures as lines of text."""
        return []

    def table(self) -> str:
        """Return the figures and the machine as text."""
        return "\n".join([*self.lines(), f"On {joined(self.machine)}"])


# ------------------------------------------------------------------------------------------------------------- timings


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Median and 95th percentile in milliseconds, of CPU time and of wall-clock time; 0 where nothing was measured."""

    cpu_p50: float = 0.0
    cpu_p95: float = 0.0
    p50: float = 0.0
    p95: float = 0.0

    def lines(self, what: str) -> list[str]:
        """Return both as lines of text."""
        return [
            f"{what}: CPU p50 {self.cpu_p50:.2f} ms, p95 {self.cpu_p95:.2f} ms",
            f"  by the clock p50 {self.p50:.2f} ms, p95 {self.p95:.2f} ms",
        ]


@dataclass(slots=True)
class Timings:
    """How long each of many calls took, in milliseconds: by the clock, and CPU time of all threads."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def measure(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call and record its time."""
        return self.measure_each(1, call, *args, **kwargs)

    def measure_each(self, count: int, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call that handles `count` items and record the time per item."""
        wall, cpu = perf_counter(), process_time()
        result = call(*args, **kwargs)
        self.cpu.append((process_time() - cpu) * 1000 / count)
        self.wall.append((perf_counter() - wall) * 1000 / count)
        return result

    @property
    def quantiles(self) -> Quantiles:
        """Medians and 95th percentiles."""
        return Quantiles(
            *(float(np.quantile(taken or [0.0], q)) for taken in (self.cpu, self.wall) for q in (0.5, 0.95))
        )

    @property
    def cpu_mean(self) -> float:
        """The mean CPU time, which leaves nothing out."""
        return float(np.mean(self.cpu))


# ---------------------------------------------------------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the times of `what` at a size beside a `limit` of the machine, or a `value` in a `unit`.

    `ratio` is the time over the limit's, both by the clock or both CPU. `bar` is the target for that size and `met`
    whether this run reached it; without a target they are empty and None.
    """

    what: str
    size: int
    p50_ms: float | None = None
    p95_ms: float | None = None
    cpu_ms: float | None = None
    limit: str = ""
    limit_ms: float | None = None
    ratio: float | None = None
    value: float | None = None
    unit: str = ""
    bar: str = ""
    met: bool | None = None
    cpu95_ms: float | None = None

    def with_bar(self, bar: str, met: bool | None) -> Row:
        """Return the row with its bar."""
        return replace(self, bar=bar, met=met)

    def with_cpu_bar(self, most: float | None) -> Row:
        """Return the row with a bar on its CPU time in milliseconds; None sets none."""
        return (
            self if most is None or self.cpu_ms is None else self.with_bar(f"<= {most:g} ms CPU", self.cpu_ms <= most)
        )


def timed(what: str, size: int, taken: Timings) -> Row:
    """Return the row of many calls."""
    found = taken.quantiles
    row = Row(what, size, p50_ms=found.p50, p95_ms=found.p95)
    return replace(row, cpu_ms=found.cpu_p50, cpu95_ms=found.cpu_p95) if taken.cpu else row


def by_clock(row: Row, limit: str, taken: Timings) -> Row:
    """Set a row beside a limit by wall-clock time: the disk, a server."""
    time = taken.quantiles.p50
    return replace(row, limit=limit, limit_ms=time, ratio=_ratio(row.p50_ms, time))


def by_cpu(row: Row, limit: str, taken: Timings) -> Row:
    """Set a row beside a limit by CPU time: the processor and its memory."""
    time = taken.quantiles.cpu_p50
    return replace(row, limit=limit, limit_ms=time, ratio=_ratio(row.cpu_ms, time))


def growth(
    rows: Sequence[Row], what: str, *, least: int, most: Callable[[float], float], clock: bool = False
) -> list[Row]:
    """Return how CPU time grows from the smallest to the largest size of at least `least`, with its bar.

    `most` returns the allowed growth of the time for a growth of the size. With `clock` the time is by the clock.
    """
    found = sorted((row for row in rows if row.what == what and row.size >= least), key=lambda row: row.size)
    if len(found) < 2:
        return []
    first, last = found[0], found[-1]
    times = (last.p50_ms, first.p50_ms) if clock else (last.cpu_ms, first.cpu_ms)
    grown, allowed = _ratio(*times), most(last.size / first.size)
    if grown is None:
        return []
    row = Row(f"{what}: growth from {first.size:,}", last.size, value=grown, unit="x")
    return [row.with_bar(f"<= {allowed:.2g}x", grown <= allowed)]


def _ratio(time: float | None, limit: float | None) -> float | None:
    return time / limit if time is not None and limit else None


# --------------------------------------------------------------------------------------------------------------- speed


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


@dataclass(frozen=True, kw_only=True)
class Speed(Report):
    """Rows of times. `server` names the versions of the server that held the stores; it is empty for files."""

    rows: tuple[Row, ...]
    sizes: tuple[int, ...]
    seed: int
    embedder: str
    about: str
    server: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(
        default_factory=lambda: {name: _version(name) for name in ("numkong",)}  # the inner loops
    )

    def lines(self) -> list[str]:
        """Return the rows grouped by what they measure; times in milliseconds, medians unless the column says p95."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(f"{row.what} (limit: {row.limit})" if row.limit else row.what, []).append(row)
        judged = [row.met for row in self.rows if row.met is not None]
        return [
            f"Speed of Engrain, {self.about} (seed {self.seed}), embedder {self.embedder}",
            *server_note(self.server),
            "",
            f"{'':10}" + "".join(f"{name:>{width}}" for name, width in _COLUMNS),
            *(line for what, rows in groups.items() for line in (what, *map(_line, rows))),
            "",
            f"Bars met: {sum(judged)} of {len(judged)}",
            f"With {joined(self.versions)}",
        ]


_COLUMNS = (
    ("p50", 10),
    ("p95", 10),
    ("CPU", 10),
    ("CPU p95", 10),
    ("limit", 10),
    ("ratio", 9),
    ("bar", 18),
    ("met", 5),
)


def _line(row: Row) -> str:
    if row.value is None:
        times = (row.p50_ms, row.p95_ms, row.cpu_ms, row.cpu95_ms, row.limit_ms)
        cells = [*map(_number, times), _number(row.ratio, "x")]
    else:
        cells = [_number(row.value, f" {row.unit}" if len(row.unit) > 1 else row.unit), "", "", "", "", ""]
    met = "" if row.met is None else "yes" if row.met else "NO"
    shown = "".join(f"{cell:>{width}}" for cell, (_, width) in zip([*cells, row.bar, met], _COLUMNS, strict=True))
    return f"{row.size:>10,}{shown}".rstrip()


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return ""
    if value == 0 or abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}{unit}"
    return f"{value:.3g}{unit}" if abs(value) >= 0.001 else f"{value:.1g}{unit}"


def without_cpu_bars(rows: Iterable[Row]) -> list[Row]:
    """Return rows without bars on CPU time: where a server does the work, this process sees none of it."""
    return [row.with_bar("", None) if "CPU" in row.bar else row for row in rows]
