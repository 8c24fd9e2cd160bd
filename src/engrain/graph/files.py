"""A graph as a text file: GraphML and node-link JSON hold all of it, DOT and Mermaid are for a picture of it."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape

from engrain.graph.traversal import RELATED
from engrain.model.entities import Entity, Relationship
from engrain.text import shorten, visible
from engrain.urls import file_of, new_file

Format = Literal["graphml", "json", "dot", "mermaid"]

MERMAID_ENTITIES, MERMAID_RELATIONSHIPS = 60, 150
"""What a Mermaid diagram holds at most: its viewers refuse long texts."""

_SUFFIXES: Mapping[str, Format] = {
    ".json": "json",
    ".dot": "dot",
    ".gv": "dot",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
}
_NODE_FIELDS = ("label", "type", "name", "aliases", "metadata")
_EDGE_FIELDS = ("label", "relation", "weight", "evidence", "valid_from", "valid_until")
_LABEL = 80  # characters
_XML_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # even escaped
# All ASCII punctuation, which Mermaid or the Markdown in it may take for syntax, but for the hyphens of CVE-2021-44228
# and the dots of 203.0.113.7.
_MERMAID_SYNTAX = re.compile(r"(?<![^\W_])-|-(?![^\W_])|(?<!\d)\.|\.(?!\d)|[!-,/:-@\[-`{-~]")

Key = tuple[str, str]


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return the format that the suffix of a path asks for, `graphml` for any other suffix."""
    return _SUFFIXES.get(Path(path).suffix.lower(), "graphml")


def write_graph(
    path: str | os.PathLike[str],
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    *,
    format: str | None = None,
    centre: Entity | None = None,
) -> str:
    """Write a graph to a new file, whole or not at all, and return its path; without a format the suffix decides."""
    write = _FORMATS.get(format or format_of(path))
    if write is None:
        raise ValueError(f"unknown format {format!r}: use one of {', '.join(_FORMATS)}")
    with new_file(path) as file:
        file.write_bytes(write(entities, relationships, centre).encode("utf-8", "backslashreplace"))
    return str(file_of(path))


@dataclass(frozen=True, slots=True)
class _Graph:
    """Every entity by type and name, and every relationship, each once; `centre` comes first."""

    entities: Mapping[Key, Entity]
    relationships: tuple[Relationship, ...]
    centre: Key | None = None

    @property
    def ids(self) -> dict[Key, str]:
        return {key: f"n{number}" for number, key in enumerate(self.entities)}

    def edges(self) -> Iterator[tuple[str, str, Relationship]]:
        """Yield the relationships with the ids of their ends."""
        ids = self.ids
        return ((ids[_key(each.source)], ids[_key(each.target)], each) for each in self.relationships)


def _key(entity: Entity) -> Key:
    return entity.type, entity.name


def _graph(entities: Iterable[Entity], relationships: Sequence[Relationship], centre: Entity | None) -> _Graph:
    """Bring together what was listed; the ends of relationships are entities too."""
    found: dict[Key, Entity] = {}
    for entity in (*([centre] if centre else []), *entities, *(e for r in relationships for e in (r.source, r.target))):
        known = found.get(_key(entity))
        if known is None or (not known.aliases and not known.metadata):
            found[_key(entity)] = entity
    once: dict[tuple[object, ...], Relationship] = {}
    for each in relationships:
        once.setdefault((_key(each.source), each.relation, _key(each.target), each.valid_from, each.valid_until), each)
    return _Graph(found, tuple(once.values()), _key(centre) if centre else None)


# -------------------------------------------------------------------------------------------------------- for programs


def graphml(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as GraphML; lists and metadata are JSON, and characters that XML cannot hold become `�`."""
    graph = _graph(entities, relationships, centre)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for kind, names in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS)):
        for name in names:
            type_ = "double" if name == "weight" else "string"
            lines.append(f' <key id="{kind}-{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>')
    lines.append(' <graph id="engrain" edgedefault="directed">')
    lines += (
        f'  <node id="{node["id"]}">{_data("node", {**node, "label": node["name"]}, _NODE_FIELDS)}</node>'
        for node in _nodes(graph)
    )
    for number, edge in enumerate(_edges(graph)):
        ends = f'id="e{number}" source="{edge["source"]}" target="{edge["target"]}"'
        lines.append(f"  <edge {ends}>{_data('edge', {**edge, 'label': edge['relation']}, _EDGE_FIELDS)}</edge>")
    return "\n".join([*lines, " </graph>", "</graphml>"]) + "\n"


def _data(kind: str, values: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the values of a node or an edge that are not empty."""
    filled = ((name, values[name]) for name in names if values[name] not in (None, [], {}))
    return "".join(f'<data key="{kind}-{name}">{_xml(value)}</data>' for name, value in filled)


def _xml(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return escape(_XML_INVALID.sub("\ufffd", text), {"\r": "&#13;"})


def node_link(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as node-link JSON."""
    graph = _graph(entities, relationships, centre)
    middle = {} if graph.centre is None else {"centre": graph.ids[graph.centre]}
    edges = [{**edge, "key": number} for number, edge in enumerate(_edges(graph))]
    found = {"directed": True, "multigraph": True, "graph": middle, "nodes": list(_nodes(graph)), "edges": edges}
    return json.dumps(found, ensure_ascii=False, indent=1, default=str) + "\n"


def _nodes(graph: _Graph) -> Iterator[dict[str, Any]]:
    for id_, entity in zip(graph.ids.values(), graph.entities.values(), strict=True):
        named = {"id": id_, "type": entity.type, "name": entity.name}
        yield {**named, "aliases": list(entity.aliases), "metadata": dict(entity.metadata)}


def _edges(graph: _Graph) -> Iterator[dict[str, Any]]:
    for source, target, each in graph.edges():
        yield {
            "source": source,
            "target": target,
            "relation": each.relation,
            "weight": each.weight,
            "evidence": list(each.evidence),
            "valid_from": None if each.valid_from is None else each.valid_from.isoformat(),
            "valid_until": None if each.valid_until is None else each.valid_until.isoformat(),
        }


# -------------------------------------------------------------------------------------------------------- for pictures


def dot(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph in the language of Graphviz; what was only mentioned together is dashed."""
    graph = _graph(entities, relationships, centre)
    ids = graph.ids
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for key, id_ in ids.items():
        lines.append(f'  {id_} [label="{_dot(key[1])}\\n{_dot(_words(key[0]))}"];')
    for each in graph.relationships:
        dashed = ", style=dashed, arrowhead=none" if _is_faint(each) else ""
        ends = f"{ids[_key(each.source)]} -> {ids[_key(each.target)]}"
        lines.append(f'  {ends} [label="{_dot(_words(each.relation))}"{dashed}];')
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as a Mermaid flowchart; of a large one the part around its centre, and how much is left out."""
    whole = _graph(entities, relationships, centre)
    graph = _middle(whole)
    ids = graph.ids
    left_out = len(whole.entities) - len(graph.entities), len(whole.relationships) - len(graph.relationships)
    lines = ["flowchart LR"]
    if any(left_out):
        lines.append(f"  %% not shown: {left_out[0]} entities and {left_out[1]} relationships")
    lines += [f'  {id_}["{_mermaid(key[1])}<br>{_mermaid(_words(key[0]))}"]' for key, id_ in ids.items()]
    for each in graph.relationships:
        arrow, label = "-.-" if _is_faint(each) else "-->", _mermaid(_words(each.relation)) or "#160;"
        lines.append(f'  {ids[_key(each.source)]} {arrow}|"{label}"| {ids[_key(each.target)]}')
    return "\n".join(lines) + "\n"


def _is_faint(relationship: Relationship) -> bool:
    """Say whether nothing is known but that the two were mentioned together."""
    return relationship.relation == RELATED and relationship.weight < 1


def _words(name: str) -> str:
    return name.replace("_", " ")


def _label(text: str) -> str:
    """Return a text on one line, cut, with control characters and changes of direction made visible."""
    return _XML_INVALID.sub("\ufffd", visible(shorten(text, _LABEL)))


def _dot(text: str) -> str:
    return _label(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _mermaid(text: str) -> str:
    return _MERMAID_SYNTAX.sub(lambda found: f"#{ord(found[0])};", _label(text))


def _middle(whole: _Graph) -> _Graph:
    """Return what is nearest to the centre, or to the entity with the heaviest relations, as far as it may be shown."""
    neighbours: dict[Key, set[Key]] = {key: set() for key in whole.entities}
    weight: dict[Key, float] = defaultdict(float)
    for each in whole.relationships:
        ends = _key(each.source), _key(each.target)
        for one, other in (ends, ends[::-1]):
            neighbours[one].add(other)
            weight[one] += each.weight
    middle = whole.centre or max(neighbours, key=lambda key: weight[key], default=None)
    distance, ring, steps = dict[Key, int](), {middle} if middle else set(), 0
    while ring:
        distance.update(dict.fromkeys(ring, steps))
        ring, steps = {near for one in ring for near in neighbours[one]} - distance.keys(), steps + 1
    order = sorted(neighbours, key=lambda key: (distance.get(key, len(neighbours)), -weight[key], key))
    kept = set(order[:MERMAID_ENTITIES])
    inside = [each for each in whole.relationships if {_key(each.source), _key(each.target)} <= kept]
    heaviest = sorted(inside, key=lambda each: -each.weight)[:MERMAID_RELATIONSHIPS]
    shown = {id(each) for each in heaviest}
    entities = {key: entity for key, entity in whole.entities.items() if key in kept}
    return _Graph(entities, tuple(each for each in inside if id(each) in shown), whole.centre)


_FORMATS: Mapping[str, Callable[[Sequence[Entity], Sequence[Relationship], Entity | None], str]] = {
    "graphml": graphml,
    "json": node_link,
    "dot": dot,
    "mermaid": mermaid,
}
