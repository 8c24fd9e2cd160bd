"""Pictures of a graph: SVG by itself, PNG by a library that paints it.

Names stand in boxes coloured by type, relations along the arrows. What was only mentioned together is dashed and faint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from engrain.errors import ConfigError
from engrain.graph.layout import arranged
from engrain.graph.lettering import fitting, printable, width
from engrain.graph.lines import Line, drawn, lines_of
from engrain.graph.selection import Key, Selection, everything, nearest
from engrain.lazy import library
from engrain.model.entities import Entity, Relationship

MOST_ENTITIES, MOST_RELATIONSHIPS = 60, 150
EXTRA = "draw"

_FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
_INK, _PALE, _PAPER = "#1f2933", "#66727f", "#ffffff"
_MARGIN, _HEAD = 36.0, 34.0
_NARROWEST = 460.0

_FILLS = {
    "actor": "#f7b2ad",
    "threat_actor": "#f7b2ad",
    "intrusion_set": "#f4c3b2",
    "malware": "#d7c0f0",
    "tool": "#b3d4f8",
    "technique": "#ffd2a3",
    "cve": "#ffe68c",
    "campaign": "#f8bfdc",
    "sector": "#d6e09e",
    "asset": "#a9e2ea",
    "person": "#b7e5b0",
    "organization": "#a5ddcc",
    "place": "#e2c8ae",
    "date": "#e4e7eb",
    **dict.fromkeys(("ipv4", "ipv6", "domain", "url", "email", "md5", "sha1", "sha256"), "#cfd8e3"),
}
_MORE_FILLS = ("#c7ccf5", "#cfe9da", "#efcdc4", "#e4d2ea", "#ecdfb3", "#c4e3f0")


class _Box(NamedTuple):
    """A name on paper: its text, its size, and the size of its letters."""

    text: str
    width: float
    height: float
    letters: float


def svg(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Draw a graph as SVG: of a large one what is nearest to the centre and weighs most, and how much is left out."""
    shown = nearest(
        everything(entities, relationships, centre), entities=MOST_ENTITIES, relationships=MOST_RELATIONSHIPS
    )
    boxes = {k: _box(entity, central=k == shown.centre) for k, entity in shown.entities.items()}
    numbers = {k: number for number, k in enumerate(boxes)}
    lines = lines_of(shown.relationships)
    spots = arranged([(box.width, box.height) for box in boxes.values()], [(numbers[a], numbers[b]) for a, b in lines])
    across = max([_NARROWEST, *(x + box.width / 2 for (x, _), box in zip(spots, boxes.values(), strict=True))])
    down = max([0.0, *(y + box.height / 2 for (_, y), box in zip(spots, boxes.values(), strict=True))])
    fills = _fills(shown)
    head, top = _headings(shown, fills, lines, across)
    places = {k: (x + _MARGIN, y + top) for k, (x, y) in zip(boxes, spots, strict=True)}
    sheet = _sheet(across + 2 * _MARGIN, top + down + _MARGIN)
    sheet.append(head)
    sheet.extend(drawn(lines, places, {k: (box.width, box.height) for k, box in boxes.items()}))
    for k, box in boxes.items():
        sheet.append(_name(box, places[k], shown.entities[k], fills[k[0]], central=k == shown.centre))
    return Xml.tostring(sheet, encoding="unicode") + "\n"


def png(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> bytes:
    """Draw the same picture in pixels, two for each of the SVG; needs the extra `draw` and a font on this machine."""
    painter = library("resvg_py", extra=EXTRA)
    blank, letter = (
        painter.svg_to_bytes(
            svg_string=f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
            f'<text y="9" font-size="9" font-family="{_FONT}">{text}</text></svg>'
        )
        for text in (" ", "A")
    )
    if blank == letter:
        raise ConfigError(
            "no font to write names with was found on this machine: install one, such as DejaVu Sans, or draw an svg"
        )
    painted: bytes = painter.svg_to_bytes(svg_string=svg(entities, relationships, centre), zoom=2)
    return painted


def _box(entity: Entity, *, central: bool) -> _Box:
    letters, tallest, widest = (16.0, 38.0, 300.0) if central else (12.5, 27.0, 190.0)
    text = fitting(entity.name, widest, letters)
    return _Box(text, width(text, letters) * (1.1 if central else 1.0) + letters * 1.8, tallest, letters)


def _fills(shown: Selection) -> dict[str, str]:
    """Return a colour for each type; those that have none of their own take turns."""
    types = sorted({type_ for type_, _ in shown.entities})
    unknown = [type_ for type_ in types if type_ not in _FILLS]
    return {t: _FILLS.get(t) or _MORE_FILLS[unknown.index(t) % len(_MORE_FILLS)] for t in types}


def _sheet(across: float, down: float) -> Xml.Element:
    sheet = Xml.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {across:.0f} {down:.0f}",
            "width": f"{across:.0f}",
            "height": f"{down:.0f}",
            "font-family": _FONT,
            "fill": _INK,
        },
    )
    Xml.SubElement(sheet, "rect", {"width": "100%", "height": "100%", "fill": _PAPER})
    return sheet


def _headings(
    shown: Selection, fills: dict[str, str], lines: dict[tuple[Key, Key], Line], across: float
) -> tuple[Xml.Element, float]:
    """Return the title and what the colours mean, and where the drawing begins below them."""
    group = Xml.Element("g")
    _text(group, (_MARGIN, _HEAD), _title(shown), 17, weight="600")
    y = _HEAD
    if left_out := _left_out(shown):
        y += 20
        _text(group, (_MARGIN, y), left_out, 12, fill=_PALE)
    x, y = _MARGIN, y + 24
    legend = [(printable(type_).replace("_", " "), fill) for type_, fill in fills.items()]
    if any(line.is_faint for line in lines.values()):
        legend.append(("mentioned together", ""))
    for text, fill in legend:
        room = width(text, 12) + 40
        if x > _MARGIN and x + room > across + _MARGIN:
            x, y = _MARGIN, y + 20
        if fill:
            swatch = {"rx": "4", "fill": fill, "stroke": _INK, "stroke-opacity": "0.3"}
            Xml.SubElement(
                group, "rect", {"x": f"{x:.1f}", "y": f"{y - 10:.1f}", "width": "16", "height": "12", **swatch}
            )
        else:
            dashes = {"stroke": _PALE, "stroke-dasharray": "3 3", "stroke-opacity": "0.7"}
            ends = {"x1": f"{x:.1f}", "x2": f"{x + 16:.1f}", "y1": f"{y - 4:.1f}", "y2": f"{y - 4:.1f}"}
            Xml.SubElement(group, "line", {**ends, **dashes})
        _text(group, (x + 22, y), text, 12, fill=_PALE)
        x += room
    return group, y + 34


def _title(shown: Selection) -> str:
    if shown.centre:
        type_, name = shown.centre
        return f"{fitting(name, 420, 17)} ({printable(type_).replace('_', ' ')})"
    count = len(shown.entities) + shown.entities_left_out
    return f"{count:,} {'entity' if count == 1 else 'entities'}"


def _left_out(shown: Selection) -> str:
    counts = (
        (shown.entities_left_out, "entity", "entities"),
        (shown.relationships_left_out, "relationship", "relationships"),
    )
    told = [f"{number:,} {one if number == 1 else many}" for number, one, many in counts if number]
    return f"not drawn: {' and '.join(told)}" if told else ""


def _name(box: _Box, place: tuple[float, float], entity: Entity, fill: str, *, central: bool) -> Xml.Element:
    x, y = place
    group = Xml.Element("g")
    aliases = f"\nalso {', '.join(entity.aliases)}" if entity.aliases else ""
    Xml.SubElement(group, "title").text = printable(f"{entity.type}: {entity.name}{aliases}")
    outline = {
        "x": f"{x - box.width / 2:.1f}",
        "y": f"{y - box.height / 2:.1f}",
        "width": f"{box.width:.1f}",
        "height": f"{box.height:.1f}",
        "rx": f"{box.height / 2:.1f}",
        "fill": fill,
        "stroke": _INK,
    }
    Xml.SubElement(
        group,
        "rect",
        {**outline, "stroke-width": "3" if central else "1", "stroke-opacity": "1" if central else "0.35"},
    )
    where = (x, y + box.letters * 0.36)
    _text(group, where, box.text, box.letters, weight="600" if central else "", anchor="middle")
    return group


def _text(
    parent: Xml.Element,
    at: tuple[float, float],
    text: str,
    letters: float,
    *,
    fill: str = "",
    weight: str = "",
    anchor: str = "",
) -> None:
    told = {"font-size": f"{letters:g}", "fill": fill, "font-weight": weight, "text-anchor": anchor}
    place = {"x": f"{at[0]:.1f}", "y": f"{at[1]:.1f}"}
    Xml.SubElement(parent, "text", {**place, **{name: value for name, value in told.items() if value}}).text = text
