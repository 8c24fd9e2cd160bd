"""A graph as DOT and as Mermaid: valid whatever the names are, and honest about what is left out."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from engrain.graph.files import dot, format_of, mermaid, write_graph
from engrain.model.entities import Entity, Relationship
from tests.graph.graphs import ANA, BEAR, HOSTILE, LONELY, RELATIONSHIPS, hostile, wheel

HARMFUL = (
    *HOSTILE,
    'say "hi"] --> n9["gone',
    "back\\slash \\",
    "\\N \\G \\l",
    "&amp; &lt;b&gt; &#34;",
    "#quot; #35; #",
    "%% comment %%{init: {'theme': 'dark'}}%%",
    "`code` **bold** _it_ ~~no~~",
    "1. first",
    "- item",
    "> quote",
    "https://evil.example/?a=b&c",
    "www.evil.example desk@evil.example",
    "{a} (b) [c] <d> |e| ;",
    "end",
    "subgraph x",
    "click n0 call alert()",
    "}\ndigraph { n0 -> n1",
    "Größe ß 名 عربى",
)

DOT_NODE = re.compile(r'  (n\d+) \[label="((?:[^"\\]|\\["\\n])*)"\];')
DOT_EDGE = re.compile(r'  (n\d+) -> (n\d+) \[label="((?:[^"\\]|\\["\\n])*)"(, style=dashed, arrowhead=none)?\];')
PLAIN = r"(?:[^\x00-\x1f\x7f!-/:-@\[-`{-~]|(?<=[^\W_])-(?=[^\W_])|(?<=\d)\.(?=\d)|#\d+;)"
MERMAID_NODE = re.compile(rf'  (n\d+)\["({PLAIN}*)<br>({PLAIN}+)"\]')
MERMAID_EDGE = re.compile(rf'  (n\d+) (-->|-\.-)\|"({PLAIN}+)"\| (n\d+)')


def read_dot(text: str) -> tuple[dict[str, str], list[tuple[str, str, str, bool]]]:
    """Return labels by node and the edges of a graph in DOT; fail at a line that does not parse."""
    first, *lines, last = text.removesuffix("\n").split("\n")
    assert (first, lines[:2], last) == ("digraph {", ["  rankdir=LR;", "  node [shape=box, style=rounded];"], "}")
    nodes, edges = dict[str, str](), list[tuple[str, str, str, bool]]()
    for line in lines[2:]:
        if node := DOT_NODE.fullmatch(line):
            nodes[node[1]] = _dot_label(node[2])
        else:
            edge = DOT_EDGE.fullmatch(line)
            assert edge, line
            edges.append((nodes[edge[1]], _dot_label(edge[3]), nodes[edge[2]], edge[4] is not None))
    return nodes, edges


def _dot_label(written: str) -> str:
    plain = re.sub(r'\\(["\\n])', lambda found: "\n" if found[1] == "n" else found[1], written)
    return html.unescape(plain)


def read_mermaid(text: str) -> tuple[dict[str, str], list[tuple[str, str, str, bool]], list[str]]:
    """Return labels by node, the edges and the comments of a flowchart; fail at a line that does not parse."""
    first, *lines = text.removesuffix("\n").split("\n")
    assert first == "flowchart LR"
    nodes, edges, comments = dict[str, str](), list[tuple[str, str, str, bool]](), list[str]()
    for line in lines:
        if line.startswith("  %% "):
            comments.append(line[5:])
        elif node := MERMAID_NODE.fullmatch(line):
            nodes[node[1]] = f"{_mermaid_label(node[2])}\n{_mermaid_label(node[3])}"
        else:
            edge = MERMAID_EDGE.fullmatch(line)
            assert edge, line
            edges.append((nodes[edge[1]], _mermaid_label(edge[3]), nodes[edge[4]], edge[2] == "-.-"))
    return nodes, edges, comments


def _mermaid_label(written: str) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), written)


def read(text: str) -> tuple[dict[str, str], list[tuple[str, str, str, bool]]]:
    return read_dot(text) if text.startswith("digraph") else read_mermaid(text)[:2]


WRITERS = pytest.mark.parametrize("write", [dot, mermaid])


@WRITERS
def test_names_types_and_relations_are_written(write) -> None:
    nodes, edges = read(write([LONELY], RELATIONSHIPS, BEAR))
    assert list(nodes.values()) == [
        "APT28\nintrusion set",
        "Tbilisi\nplace",
        "X-Agent\nmalware",
        "Mimikatz\ntool",
        "Ana\nperson",
    ]
    assert [(source.split("\n")[0], relation, target.split("\n")[0]) for source, relation, target, _ in edges] == [
        ("APT28", "uses", "X-Agent"),
        ("APT28", "develops", "X-Agent"),
        ("X-Agent", "attributed to", "APT28"),
        ("APT28", "uses", "Mimikatz"),
        ("Ana", "related to", "APT28"),
    ]


@WRITERS
def test_entities_only_mentioned_together_have_a_dashed_edge(write) -> None:
    _, edges = read(write([], RELATIONSHIPS))
    assert [faint for *_, faint in edges] == [False, False, False, False, True]
    stated = Relationship(ANA, "related_to", BEAR)
    assert read(write([], [stated]))[1][0][3] is False


@WRITERS
def test_an_entity_that_relates_to_itself_has_an_edge(write) -> None:
    assert read(write([], [Relationship(ANA, "knows", ANA)]))[1] == [("Ana\nperson", "knows", "Ana\nperson", False)]


@WRITERS
def test_a_graph_of_nothing_is_valid(write) -> None:
    assert read(write([], [])) == ({}, [])


@WRITERS
@pytest.mark.parametrize("name", HARMFUL, ids=range(len(HARMFUL)))
def test_no_name_is_taken_for_syntax(write, name: str) -> None:
    hostile_ = Entity('per"son]', name)
    nodes, edges = read(write([], [Relationship(hostile_, name, ANA), Relationship(ANA, name, hostile_)]))
    shown, type_ = nodes["n0"].split("\n")
    assert type_ == 'per"son]'
    assert (len(nodes), len(edges), len(shown) <= 80) == (2, 2, True)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\u2066\ud800-\udfff\ufffe\uffff]", shown)
    if name.isprintable() and len(name) <= 80:
        assert shown == name.strip()
    assert edges[0][1].split() == shown.replace("_", " ").split()


@pytest.mark.parametrize("format", ["dot", "mermaid"])
def test_hostile_names_make_valid_files(tmp_path: Path, format: str) -> None:
    path = Path(write_graph(tmp_path / "graph", [], hostile(), format=format))
    nodes, edges = read(path.read_text(encoding="utf-8"))
    assert len(nodes) == len(edges) == len(HOSTILE)


def test_identifiers_stay_readable_in_mermaid() -> None:
    names = ("CVE-2021-44228", "203.0.113.7", "T1059.001", "X-Agent")
    text = mermaid([Entity("malware", name) for name in names], [])
    assert all(f'"{name}<br>malware"' in text for name in names)


def test_dot_holds_a_large_graph_whole() -> None:
    nodes, edges = read_dot(dot([], wheel(100)))
    assert (len(nodes), len(edges)) == (101, 199)


def test_mermaid_cuts_a_large_graph_to_its_middle_and_says_so() -> None:
    nodes, edges, comments = read_mermaid(mermaid([], wheel(100), Entity("tool", "hub")))
    assert comments == ["not shown: 41 entities and 82 relationships"]
    assert (len(nodes), len(edges)) == (60, 117)
    assert {"hub\ntool", "10.0.0.1\nipv4", "10.0.0.2\nipv4"} <= set(nodes.values())
    assert "10.0.0.99\nipv4" not in nodes.values()
    assert read_mermaid(mermaid([], wheel(10)))[2] == []


def test_the_nearest_stay_even_where_others_weigh_more() -> None:
    near = [Relationship(ANA, "related_to", Entity("person", f"near {n}"), weight=0.1) for n in range(30)]
    text = mermaid([], [*wheel(100), *near, Relationship(ANA, "uses", Entity("tool", "hub"))], ANA)
    assert sum(label.startswith("near ") for label in read_mermaid(text)[0].values()) == 30


def test_without_a_centre_the_part_with_the_most_relations_is_shown() -> None:
    pairs = [Relationship(Entity("tool", f"a{n}"), "uses", Entity("tool", f"b{n}")) for n in range(80)]
    nodes, edges, comments = read_mermaid(mermaid([], [*pairs, *wheel(50)]))
    assert {"hub\ntool", *(f"10.0.0.{n}\nipv4" for n in range(50))} <= set(nodes.values())
    assert (len(edges), comments) == (50 + 49, ["not shown: 151 entities and 80 relationships"])


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("g.json", "json"),
        ("g.dot", "dot"),
        ("g.GV", "dot"),
        ("g.mmd", "mermaid"),
        ("g.mermaid", "mermaid"),
        ("g.graphml", "graphml"),
        ("g.xml", "graphml"),
        ("g", "graphml"),
    ],
)
def test_the_suffix_says_the_format(tmp_path: Path, path: str, format: str) -> None:
    assert format_of(path) == format
    text = Path(write_graph(tmp_path / path, [], RELATIONSHIPS)).read_text(encoding="utf-8")
    assert text.startswith({"json": "{", "dot": "digraph", "mermaid": "flowchart", "graphml": "<?xml"}[format])
