"""A graph as a file: GraphML and node-link JSON for other programs, pictures for people."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from engrain.errors import StoreUnavailable
from engrain.graph.lettering import valid
from engrain.graph.pictures import png, svg
from engrain.graph.selection import Selection, everything, key
from engrain.model.entities import Entity, Relationship

_NODE_FIELDS = ("label", "type", "name", "aliases", "metadata")
_EDGE_FIELDS = ("label", "relation", "weight", "evidence", "valid_from", "valid_until")

Draw = Callable[[Sequence[Entity], Sequence[Relationship], Entity | None], str | bytes]


def write_graph(
    path: str | os.PathLike[str],
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    *,
    format: str,
    centre: Entity | None = None,
) -> str:
    """Write a graph to a file that is not there yet, whole or not at all, and return its path.

    `format` is `graphml` or `json`, which hold everything, or `svg` or `png`, which show at most 60 entities. A `png`
    needs the extra `draw`.
    """
    write = _FORMATS.get(format)
    if write is None:
        raise ValueError(f"unknown format {format!r}: use one of {', '.join(_FORMATS)}")
    target = Path(path).expanduser()
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: an export never overwrites", path=str(target))
    if not target.parent.is_dir():
        raise StoreUnavailable(f"the folder {target.parent} does not exist: create it first", path=str(target))
    written = write(entities, relationships, centre)
    unfinished = target.with_name(f".{target.name}.partial")
    try:
        unfinished.write_bytes(written if isinstance(written, bytes) else written.encode("utf-8", "backslashreplace"))
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return str(target)


def graphml(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as GraphML; lists and metadata are JSON, and characters that XML cannot hold become `�`."""
    return "".join(f"{line}\n" for line in _graphml(everything(entities, relationships, centre)))


def _graphml(whole: Selection) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for kind, names in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS)):
        for name in names:
            type_ = "double" if name == "weight" else "string"
            yield f' <key id="{kind}-{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>'
    yield ' <graph id="engrain" edgedefault="directed">'
    for node in _nodes(whole):
        yield f'  <node id="{node["id"]}">{_data("node", {**node, "label": node["name"]}, _NODE_FIELDS)}</node>'
    for number, edge in enumerate(_edges(whole)):
        ends = f'id="e{number}" source="{edge["source"]}" target="{edge["target"]}"'
        yield f"  <edge {ends}>{_data('edge', {**edge, 'label': edge['relation']}, _EDGE_FIELDS)}</edge>"
    yield " </graph>"
    yield "</graphml>"


def _data(kind: str, values: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return those values of a node or an edge that say something."""
    told = ((name, values[name]) for name in names if values[name] not in (None, [], {}))
    return "".join(f'<data key="{kind}-{name}">{_text(value)}</data>' for name, value in told)


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return escape(valid(text), {"\r": "&#13;"})


def node_link(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as node-link JSON."""
    whole = everything(entities, relationships, centre)
    middle = {} if whole.centre is None else {"centre": _ids(whole)[whole.centre]}
    edges = [{**edge, "key": number} for number, edge in enumerate(_edges(whole))]
    found = {"directed": True, "multigraph": True, "graph": middle, "nodes": list(_nodes(whole)), "edges": edges}
    return json.dumps(found, ensure_ascii=False, indent=1, default=str) + "\n"


def _ids(whole: Selection) -> dict[tuple[str, str], str]:
    return {k: f"n{number}" for number, k in enumerate(whole.entities)}


def _nodes(whole: Selection) -> Iterator[dict[str, Any]]:
    ids = _ids(whole)
    for k, entity in whole.entities.items():
        told = {"type": entity.type, "name": entity.name}
        yield {"id": ids[k], **told, "aliases": list(entity.aliases), "metadata": dict(entity.metadata)}


def _edges(whole: Selection) -> Iterator[dict[str, Any]]:
    ids = _ids(whole)
    for each in whole.relationships:
        yield {
            "source": ids[key(each.source)],
            "target": ids[key(each.target)],
            "relation": each.relation,
            "weight": each.weight,
            "evidence": list(each.evidence),
            "valid_from": None if each.valid_from is None else each.valid_from.isoformat(),
            "valid_until": None if each.valid_until is None else each.valid_until.isoformat(),
        }


_FORMATS: Mapping[str, Draw] = {"graphml": graphml, "json": node_link, "svg": svg, "png": png}
