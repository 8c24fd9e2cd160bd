"""A picture of the life of memories, as SVG: how importance fades by kind, and how many there were of each status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from math import log
from xml.etree import ElementTree as Xml

from engrain.graph.lettering import fitting, width
from engrain.lifecycle.axes import dates, short, ticks
from engrain.model.memory import Kind
from engrain.model.results import Counts
from engrain.policies.retention import Retention, RetentionPolicy

BASES = (0.9, 0.5, 0.2)
"""The importances whose fading is drawn."""
_FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
_INK, _PALE, _PAPER, _GRID, _CURVE, _LIMIT = "#1f2933", "#66727f", "#ffffff", "#d9dee4", "#2f6fb5", "#c0392b"
_DARK = (
    "@media (prefers-color-scheme: dark) { .paper { fill: #14181d } .ink { fill: #e6e9ed } .pale { fill: #9aa5b1 } "
    ".grid { stroke: #39424c } .curve { stroke: #7fb2ea } .limit { stroke: #ef7d70 } }"
)
_FILLS = {
    "active": "#4c9f70",
    "superseded": "#8fb8de",
    "quarantined": "#e3a92b",
    "archived": "#a08cc0",
    "expired": "#b7a08a",
    "forgotten": "#8a939c",
}
_WIDTH, _HEIGHT, _LEFT, _RIGHT = 920.0, 640.0, 64.0, 24.0
_FADING = (124.0, 256.0)  # from top to bottom
_COUNTS = (358.0, 596.0)
_BETWEEN = 26.0  # the panels of the kinds
_DRAWN = 60  # points of a curve
_NEARLY_GONE = 20  # a curve is drawn until a twentieth is left
_SHORTEST, _YEAR, _LONGEST = 30.0, 365.0, 3650.0


def svg(retention: Retention, counts: Sequence[Counts]) -> str:
    """Draw what the policies in force do to importance, and the counts of a timeline; without any, that says so."""
    sheet = _sheet()
    _text(sheet, (_LEFT, 34), "The life of memories", 17, weight="600")
    _text(sheet, (_LEFT, 54), f"How importance fades, in days without use (retention: {retention.preset})", 12, "pale")
    across = (_WIDTH - _LEFT - _RIGHT - 3 * _BETWEEN) / len(Kind)
    for place, kind in enumerate(Kind):
        _fading(sheet, retention.policy(kind), _LEFT + place * (across + _BETWEEN), across)
    _text(sheet, (_LEFT, 310), "Memories by status", 14, weight="600")
    if counts:
        _areas(sheet, counts)
    else:
        _text(sheet, (_LEFT, 336), "nothing is kept yet", 12, "pale")
    return Xml.tostring(sheet, encoding="unicode") + "\n"


# --------------------------------------------------------------------------------------------------------------- fading


def _fading(sheet: Xml.Element, policy: RetentionPolicy, left: float, across: float) -> None:
    (top, bottom), days = _FADING, _until(policy)
    _text(sheet, (left, top - 36), str(policy.kind), 13, weight="600")
    for line, told in enumerate((curve(policy), bounds(policy))):
        _text(sheet, (left, top - 22 + 13 * line), fitting(told, across, 10.5), 10.5, "pale")

    def spot(day: float, share: float) -> str:
        return f"{left + across * day / days:.1f},{bottom - (bottom - top) * share:.1f}"

    for share in (0.0, 0.5, 1.0):
        y = bottom - (bottom - top) * share
        _line(sheet, (left, y), (left + across, y))
        if left == _LEFT:
            _text(sheet, (left - 8, y + 4), f"{share:g}", 10.5, "pale", anchor="end")
    moments = sorted({days * n / _DRAWN for n in range(_DRAWN + 1)} | _corners(policy))
    for base in BASES:
        points = " ".join(spot(day, policy.decayed(base, day)) for day in moments)
        look = {"fill": "none", "stroke": _CURVE, "stroke-width": "2"}
        Xml.SubElement(sheet, "polyline", {"class": "curve", "points": points, **look})
    if isinstance(policy.archive_below, float) and policy.archive_below > 0:
        y = bottom - (bottom - top) * policy.archive_below
        _line(sheet, (left, y), (left + across, y), limit=True)
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        label = f"{days * share:,.0f}" + (" days" if share == 1 else "")
        _text(sheet, (left + across * share, bottom + 16), label, 10.5, "pale", anchor=anchor)


def curve(policy: RetentionPolicy) -> str:
    """Return the curve of a policy in few words, with its parameters."""
    given = {name: getattr(policy, name) for name in ("rate", "alpha", "horizon", "threshold")}
    named = "no fading" if policy.curve == "none" else str(policy.curve)
    return ", ".join([named, *(f"{name} {value:g}" for name, value in given.items() if value is not None)])


def bounds(policy: RetentionPolicy) -> str:
    """Return in few words what else ends memories under a policy."""
    said = [f"ttl {policy.ttl / timedelta(days=1):g} d"] if isinstance(policy.ttl, timedelta) else []
    if isinstance(policy.cap, int):
        said.append(f"cap {short(policy.cap)}")
    if isinstance(policy.archive_below, float) and policy.archive_below > 0:
        said.append(f"archived < {policy.archive_below:g}")
    return ", ".join(said) or "kept without end"


def _corners(policy: RetentionPolicy) -> set[float]:
    """Return the days around which a curve falls at once."""
    threshold = policy.threshold if policy.curve == "step" else None
    return set() if threshold is None or threshold > _LONGEST else {threshold - 1e-9, threshold}


def _until(policy: RetentionPolicy) -> float:
    """Return how many days of a curve are worth drawing."""
    days = _SHORTEST
    if policy.curve == "exponential" and policy.rate:
        days = log(_NEARLY_GONE) / policy.rate
    elif policy.curve == "logarithmic":
        days = min(policy.horizon or _YEAR, _YEAR)
    elif policy.curve == "step":
        days = 1.5 * (policy.threshold or _SHORTEST)
    return min(max(days, _SHORTEST), _LONGEST)


# --------------------------------------------------------------------------------------------------------------- counts


def _areas(sheet: Xml.Element, counts: Sequence[Counts]) -> None:
    """Stack the counts of each status; each holds until the next moment."""
    top, bottom = _COUNTS
    right = _WIDTH - _RIGHT
    present = [name for name in _FILLS if any(getattr(each, name) for each in counts)]
    _legend(sheet, present, counts[-1])
    totals = [sum(getattr(each, name) for name in present) for each in counts]
    marks = ticks(max(totals, default=0))
    begins, span = counts[0].at, (counts[-1].at - counts[0].at).total_seconds()
    xs = [_LEFT + (right - _LEFT) * ((each.at - begins).total_seconds() / span if span else 0.0) for each in counts]
    for mark in marks:
        y = bottom - (bottom - top) * mark / marks[-1]
        _line(sheet, (_LEFT, y), (right, y))
        _text(sheet, (_LEFT - 8, y + 4), short(mark), 10.5, "pale", anchor="end")
    below = [0] * len(counts)
    for name in present:
        above = [low + int(getattr(each, name)) for low, each in zip(below, counts, strict=True)]
        edges = [
            _steps(xs, [bottom - (bottom - top) * n / marks[-1] for n in level], right) for level in (above, below)
        ]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*edges[0], *reversed(edges[1])])
        Xml.SubElement(sheet, "polygon", {"points": points, "fill": _FILLS[name], "fill-opacity": "0.85"})
        below = above
    last = -1e9
    for place, label in dates([each.at for each in counts]):
        x = min(xs[place], right - width(label, 10.5))
        if x > last:
            _text(sheet, (x, bottom + 18), label, 10.5, "pale")
            last = x + width(label, 10.5) + 12
    _text(sheet, (right, 310), f"{begins:%d %b %Y} to {counts[-1].at:%d %b %Y}", 11, "pale", anchor="end")


def _steps(xs: Sequence[float], ys: Sequence[float], right: float) -> list[tuple[float, float]]:
    """Return the corners of a line that stays level from each place to the next; one place alone is as wide as all."""
    ends = [*xs[1:], right]
    return [corner for x, end, y in zip(xs, ends, ys, strict=True) for corner in ((x, y), (end, y))]


def _legend(sheet: Xml.Element, present: Sequence[str], last: Counts) -> None:
    x = _LEFT
    for name in present:
        place = {"x": f"{x:.1f}", "y": "324", "width": "12", "height": "12", "rx": "3"}
        Xml.SubElement(sheet, "rect", {**place, "fill": _FILLS[name], "fill-opacity": "0.85"})
        label = f"{name} {short(getattr(last, name))}"
        _text(sheet, (x + 18, 334), label, 11.5, "pale")
        x += width(label, 11.5) + 40


# ---------------------------------------------------------------------------------------------------------------- paper


def _sheet() -> Xml.Element:
    size = {"viewBox": f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}", "width": f"{_WIDTH:.0f}", "height": f"{_HEIGHT:.0f}"}
    sheet = Xml.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "font-family": _FONT})
    Xml.SubElement(sheet, "style").text = _DARK
    Xml.SubElement(sheet, "rect", {"class": "paper", "width": "100%", "height": "100%", "fill": _PAPER})
    return sheet


def _line(sheet: Xml.Element, start: tuple[float, float], end: tuple[float, float], *, limit: bool = False) -> None:
    ends = {"x1": f"{start[0]:.1f}", "y1": f"{start[1]:.1f}", "x2": f"{end[0]:.1f}", "y2": f"{end[1]:.1f}"}
    look = (
        {"class": "limit", "stroke": _LIMIT, "stroke-dasharray": "5 4"} if limit else {"class": "grid", "stroke": _GRID}
    )
    Xml.SubElement(sheet, "line", {**ends, **look})


def _text(
    sheet: Xml.Element,
    at: tuple[float, float],
    text: str,
    letters: float,
    look: str = "ink",
    *,
    weight: str = "",
    anchor: str = "",
) -> None:
    told = {"font-size": f"{letters:g}", "fill": _INK if look == "ink" else _PALE, "class": look}
    told |= {"font-weight": weight, "text-anchor": anchor}
    place = {"x": f"{at[0]:.1f}", "y": f"{at[1]:.1f}"}
    Xml.SubElement(sheet, "text", {**place, **{name: value for name, value in told.items() if value}}).text = text
