"""The lines of a picture: relations between the same two drawn as one arrow, with their names beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from xml.etree import ElementTree as Xml

from engrain.graph.lettering import fitting, printable, width
from engrain.graph.selection import Key, key
from engrain.graph.traversal import BESIDE
from engrain.model.entities import Relationship

Spot = tuple[float, float]
Size = tuple[float, float]
Rectangle = tuple[float, float, float, float]

_INK, _PALE = "#46525e", "#8794a1"
_LETTERS = 10.5
_BEND = 22.0
_PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)


@dataclass(frozen=True, slots=True)
class Line:
    """What relates one entity to another: all their relations in this direction."""

    relationships: tuple[Relationship, ...]

    @property
    def is_faint(self) -> bool:
        """Nothing is known but that they were mentioned together."""
        return all(each.relation == BESIDE and each.weight < 1 for each in self.relationships)

    @property
    def weight(self) -> float:
        """The weight of the surest."""
        return max(each.weight for each in self.relationships)

    @property
    def label(self) -> str:
        """The names of the relations, none for a faint line."""
        names = [each.relation.replace("_", " ") for each in self.relationships if each.relation != BESIDE]
        names = list(dict.fromkeys(names)) or ([] if self.is_faint else [BESIDE.replace("_", " ")])
        more = f" +{len(names) - 2}" if len(names) > 2 else ""
        return fitting(", ".join(names[:2]), 150, _LETTERS) + more


def lines_of(relationships: Iterable[Relationship]) -> dict[tuple[Key, Key], Line]:
    """Return the line from each entity to each other; what was mentioned together needs none beside a relation."""
    found: dict[tuple[Key, Key], list[Relationship]] = {}
    for each in relationships:
        found.setdefault((key(each.source), key(each.target)), []).append(each)
    lines = {ends: Line(tuple(together)) for ends, together in found.items()}
    return {
        (a, b): line
        for (a, b), line in lines.items()
        if not (line.is_faint and (b, a) in lines and (a, b) != (b, a) and (not lines[b, a].is_faint or a > b))
    }


def drawn(
    lines: Mapping[tuple[Key, Key], Line], places: Mapping[Key, Spot], sizes: Mapping[Key, Size]
) -> Iterator[Xml.Element]:
    """Yield the arrowheads, the lines, the faint ones below, and their labels above all lines."""
    yield _arrowhead()
    curves = {}
    for a, b in sorted(lines, key=lambda ends: (not lines[ends].is_faint, lines[ends].weight)):
        curve = _curve(places[a], places[b], sizes[a], sizes[b], bend=_BEND if (b, a) in lines and a != b else 0.0)
        curves[a, b] = curve
        yield _stroke(lines[a, b], curve)
    taken = [_around(places[one], sizes[one]) for one in places]
    for ends in lines:
        if label := lines[ends].label:
            spot = _free(curves[ends], (width(label, _LETTERS) + 4, _LETTERS + 3), taken)
            taken.append(_around(spot, (width(label, _LETTERS) + 4, _LETTERS + 3)))
            yield _label(label, spot)


def _arrowhead() -> Xml.Element:
    definitions = Xml.Element("defs")
    marker = Xml.SubElement(
        definitions,
        "marker",
        {
            "id": "arrow",
            "viewBox": "0 0 10 10",
            "refX": "9",
            "refY": "5",
            "markerWidth": "9",
            "markerHeight": "9",
            "markerUnits": "userSpaceOnUse",
            "orient": "auto",
        },
    )
    Xml.SubElement(marker, "path", {"d": "M0 1 L10 5 L0 9 z", "fill": _INK})
    return definitions


def _curve(start: Spot, end: Spot, from_size: Size, to_size: Size, *, bend: float) -> tuple[Spot, Spot, Spot]:
    """Return the ends of a line at the borders of its boxes, and the point that bends it between them."""
    (x1, y1), (x2, y2) = start, end
    length = hypot(x2 - x1, y2 - y1)
    if length == 0:  # from a box to itself: a loop above it
        top = y1 - from_size[1] / 2
        return (x1 + 14, top), (x1, top - 56), (x1 - 14, top)
    middle = ((x1 + x2) / 2 - (y2 - y1) / length * bend, (y1 + y2) / 2 + (x2 - x1) / length * bend)
    return _border(start, middle, from_size, 1.0), middle, _border(end, middle, to_size, 3.0)


def _border(box: Spot, towards: Spot, size: Size, gap: float) -> Spot:
    dx, dy = towards[0] - box[0], towards[1] - box[1]
    share = min(
        (size[0] / 2 + gap) / abs(dx) if dx else float("inf"),
        (size[1] / 2 + gap) / abs(dy) if dy else float("inf"),
        1.0,
    )
    return box[0] + dx * share, box[1] + dy * share


def _stroke(line: Line, curve: Sequence[Spot]) -> Xml.Element:
    (x1, y1), (mx, my), (x2, y2) = curve
    control = (2 * mx - (x1 + x2) / 2, 2 * my - (y1 + y2) / 2)
    path = Xml.Element("path", {"d": f"M{x1:.1f} {y1:.1f} Q{control[0]:.1f} {control[1]:.1f} {x2:.1f} {y2:.1f}"})
    path.set("fill", "none")
    if line.is_faint:
        look = {"stroke": _PALE, "stroke-opacity": "0.45", "stroke-dasharray": "3 3"}
    else:
        look = {
            "stroke": _INK,
            "stroke-width": f"{0.9 + 0.7 * line.weight:.1f}",
            "stroke-opacity": f"{0.4 + 0.5 * line.weight:.2f}",
            "marker-end": "url(#arrow)",
        }
    path.attrib.update(look)
    Xml.SubElement(path, "title").text = printable("\n".join(map(_told, line.relationships)))
    return path


def _told(each: Relationship) -> str:
    weight = f", weight {each.weight:.2f}" if each.weight < 1 else ""
    evidence = f", {len(each.evidence)} memories" if each.evidence else ""
    return f"{each.source.name} {each.relation} {each.target.name}{weight}{evidence}"


def _free(curve: Sequence[Spot], size: Size, taken: Sequence[Rectangle]) -> Spot:
    """Return where along a line a label covers least of what is there already, near the middle if it can."""
    spots = [_at(curve, share) for share in _PLACES]
    covered = [sum(_overlap(_around(spot, size), other) for other in taken) for spot in spots]
    return spots[covered.index(min(covered))]


def _at(curve: Sequence[Spot], share: float) -> Spot:
    (x1, y1), (mx, my), (x2, y2) = curve
    control = (2 * mx - (x1 + x2) / 2, 2 * my - (y1 + y2) / 2)
    a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
    return a * x1 + b * control[0] + c * x2, a * y1 + b * control[1] + c * y2


def _around(spot: Spot, size: Size) -> Rectangle:
    return spot[0] - size[0] / 2, spot[1] - size[1] / 2, spot[0] + size[0] / 2, spot[1] + size[1] / 2


def _overlap(one: Rectangle, other: Rectangle) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if across > 0 and down > 0 else 0.0


def _label(text: str, spot: Spot) -> Xml.Element:
    label = Xml.Element(
        "text", {"x": f"{spot[0]:.1f}", "y": f"{spot[1] + _LETTERS * 0.36:.1f}", "text-anchor": "middle"}
    )
    halo = {"stroke": "#ffffff", "stroke-width": "3.5", "stroke-linejoin": "round", "paint-order": "stroke"}
    label.attrib.update({"font-size": f"{_LETTERS:g}", "fill": _INK, **halo})
    label.text = text
    return label
