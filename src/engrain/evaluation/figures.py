"""Figures of speed: how they are taken, what each one says, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter, process_time
from typing import Any, ParamSpec, TypeVar

from engrain.arrays import np
from engrain.evaluation.machine import describe_machine

P = ParamSpec("P")
T = TypeVar("T")

_KERNELS = ("numkong", "wordllama")  # what the inner loops run on


@dataclass(slots=True)
class Timings:
    """How long each of many calls took, in milliseconds: by the clock, and of the processor by all threads."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def of(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call and note its time."""
        return self.each(1, call, *args, **kwargs)

    def each(self, count: int, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call that does `count` things and note the time of each."""
        wall, cpu = perf_counter(), process_time()
        result = call(*args, **kwargs)
        self.cpu.append((process_time() - cpu) * 1000 / count)
        self.wall.append((perf_counter() - wall) * 1000 / count)
        return result

    def quantiles(self) -> tuple[float, float, float, float]:
        """Return median and 95th percentile of processor time, then those by the clock; 0 where nothing was taken."""
        found = [float(np.quantile(taken or [0.0], q)) for taken in (self.cpu, self.wall) for q in (0.5, 0.95)]
        return found[0], found[1], found[2], found[3]

    @property
    def p50(self) -> float:
        """The median by the clock."""
        return float(np.quantile(self.wall, 0.5))

    @property
    def p95(self) -> float:
        """The 95th percentile by the clock."""
        return float(np.quantile(self.wall, 0.95))

    @property
    def cpu50(self) -> float:
        """The median of the processor's time."""
        return float(np.quantile(self.cpu, 0.5))

    @property
    def cpu95(self) -> float:
        """The 95th percentile of the processor's time."""
        return float(np.quantile(self.cpu, 0.95))

    @property
    def cpu_mean(self) -> float:
        """The mean of the processor's time, which leaves nothing out."""
        return float(np.mean(self.cpu))


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the times of `what` at a size beside a `limit` of the machine, or a `value` in a `unit`.

    `ratio` is the time over the limit's, both by the clock or both of the processor. `bar` is what was set as good
    enough, `met` whether this run reached it; without a bar for that size they are empty and None.
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

    def judged(self, bar: str, met: bool | None) -> Row:
        """Return the row with its bar."""
        return replace(self, bar=bar, met=met)


def timed(what: str, size: int, taken: Timings) -> Row:
    """Return the row of many calls."""
    row = Row(what, size, p50_ms=taken.p50, p95_ms=taken.p95)
    return replace(row, cpu_ms=taken.cpu50, cpu95_ms=taken.cpu95) if taken.cpu else row


def by_clock(row: Row, limit: str, taken: Timings) -> Row:
    """Set a row beside a limit where waiting counts: the disk."""
    return replace(row, limit=limit, limit_ms=taken.p50, ratio=_over(row.p50_ms, taken.p50))


def by_processor(row: Row, limit: str, taken: Timings) -> Row:
    """Set a row beside a limit where only work counts: the processor and its memory."""
    return replace(row, limit=limit, limit_ms=taken.cpu50, ratio=_over(row.cpu_ms, taken.cpu50))


def growth(
    rows: Sequence[Row], what: str, *, least: int, most: Callable[[float], float], clock: bool = False
) -> list[Row]:
    """Say how processor time grew from the smallest to the largest size of at least `least`, and how far it may.

    With `clock` it is the time by the clock: where another process does the work.
    """
    found = sorted((row for row in rows if row.what == what and row.size >= least), key=lambda row: row.size)
    if len(found) < 2:
        return []
    first, last = found[0], found[-1]
    times = (last.p50_ms, first.p50_ms) if clock else (last.cpu_ms, first.cpu_ms)
    grown, allowed = _over(*times), most(last.size / first.size)
    if grown is None:
        return []
    row = Row(f"{what}: growth from {first.size:,}", last.size, value=grown, unit="x")
    return [row.judged(f"<= {allowed:.2g}x", grown <= allowed)]


def _over(time: float | None, limit: float | None) -> float | None:
    return time / limit if time is not None and limit else None


@dataclass(frozen=True, slots=True)
class Speed:
    """What a run measured; a figure is worth what its row says beside it, taken on this machine in this run.

    `server` names the versions of the server that held the stores; it is empty where they were files.
    """

    rows: tuple[Row, ...]
    sizes: tuple[int, ...]
    seed: int
    embedder: str
    about: str = "made-up conversations"
    server: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str | int] = field(default_factory=describe_machine)
    versions: Mapping[str, str] = field(default_factory=lambda: {name: _version(name) for name in _KERNELS})

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys."""
        return asdict(self)

    def table(self) -> str:
        """Return the figures as text for people; times in milliseconds, the median but for the second column."""
        title = f"{'':{_NAME}}" + "".join(f"{name:>{width}}" for name, width in _COLUMNS)
        about = f"Engrain's speed, {self.about} (seed {self.seed}), embedder {self.embedder}"
        lines = [about, *told_of(self.server), "", title]
        for what, rows in _grouped(self.rows):
            lines.append(what)
            lines += [_line(row) for row in rows]
        judged = [row.met for row in self.rows if row.met is not None]
        lines += ["", f"Bars met: {sum(judged)} of {len(judged)}"]
        measured_on = {**self.machine, **self.versions}
        return "\n".join([*lines, "On " + ", ".join(f"{name} {value}" for name, value in measured_on.items())])


def told_of(server: Mapping[str, str]) -> list[str]:
    """Return what people must know of figures that were taken on a server, nothing where there was none."""
    if not server:
        return []
    named = ", ".join(f"{name} {version}" for name, version in server.items())
    return [
        f"Stores on a server ({named}): its work is in the times by the clock (p50, p95); CPU is of this process alone"
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


_NAME = 10
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


def _grouped(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(f"{row.what} (limit: {row.limit})" if row.limit else row.what, []).append(row)
    return list(found.items())


def _line(row: Row) -> str:
    if row.value is None:
        cells = [
            *map(_number, (row.p50_ms, row.p95_ms, row.cpu_ms, row.cpu95_ms, row.limit_ms)),
            _number(row.ratio, "x"),
        ]
    else:
        cells = [_number(row.value, f" {row.unit}" if len(row.unit) > 1 else row.unit), "", "", "", "", ""]
    met = "" if row.met is None else "yes" if row.met else "NO"
    shown = "".join(f"{cell:>{width}}" for cell, (_, width) in zip([*cells, row.bar, met], _COLUMNS, strict=True))
    return f"{row.size:>{_NAME},}{shown}".rstrip()


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return ""
    if value == 0 or abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}{unit}"
    return f"{value:.3g}{unit}" if abs(value) >= 0.001 else f"{value:.1g}{unit}"
