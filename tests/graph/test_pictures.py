"""Pictures of a graph: valid whatever the names are, readable, and honest about what they leave out."""

from __future__ import annotations

import re
import struct
from itertools import combinations
from xml.etree import ElementTree as Xml

import pytest

from engrain.graph.layout import arranged
from engrain.graph.lettering import fitting, width
from engrain.graph.pictures import png, svg
from engrain.model.entities import Entity, Relationship
from tests.graph.graphs import ANA, BEAR, LONELY, RELATIONSHIPS, hostile, wheel

SPACE = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in Xml.fromstring(picture).iter(f"{SPACE}text")]


def titles(picture: str) -> list[str]:
    return [each.text or "" for each in Xml.fromstring(picture).iter(f"{SPACE}title")]


def lines(picture: str) -> list[Xml.Element]:
    return [each for each in Xml.fromstring(picture).iter(f"{SPACE}path") if each.get("fill") == "none"]


def test_names_types_and_relations_are_written() -> None:
    written = texts(svg([LONELY], RELATIONSHIPS, BEAR))
    assert written[0] == "APT28 (intrusion set)"
    assert {"intrusion set", "malware", "tool", "person", "place", "mentioned together"} <= set(written)
    assert {"APT28", "X-Agent", "Mimikatz", "Ana", "Tbilisi"} <= set(written)
    assert {"uses, develops", "attributed to", "uses"} <= set(written)
    assert "related to" not in written


def test_what_a_pointer_rests_on_tells_more() -> None:
    told = titles(svg([], RELATIONSHIPS, BEAR))
    assert "intrusion_set: APT28\nalso Fancy Bear, Sofacy" in told
    assert "APT28 uses X-Agent, 2 memories\nAPT28 develops X-Agent, weight 0.60" in told


def test_relations_have_arrows_and_what_was_mentioned_together_is_faint() -> None:
    picture = lines(svg([], RELATIONSHIPS, BEAR))
    faint = [line for line in picture if line.get("stroke-dasharray")]
    assert (len(picture), len(faint)) == (4, 1)
    assert faint[0].get("marker-end") is None
    assert all(line.get("marker-end") for line in picture if line not in faint)


def test_what_was_mentioned_together_needs_no_line_beside_a_relation() -> None:
    beside = [*RELATIONSHIPS, Relationship(RELATIONSHIPS[0].target, "related_to", BEAR, weight=0.2)]
    back = [Relationship(BEAR, "related_to", ANA, weight=0.2)]
    assert len(lines(svg([], beside, BEAR))) == len(lines(svg([], RELATIONSHIPS, BEAR)))
    assert len(lines(svg([], [*RELATIONSHIPS, *back], BEAR))) == len(lines(svg([], RELATIONSHIPS, BEAR)))


def test_an_entity_that_relates_to_itself_has_a_loop() -> None:
    (loop,) = lines(svg([], [Relationship(ANA, "knows", ANA)]))
    assert loop.get("marker-end")


def test_a_large_graph_is_cut_to_its_middle_and_says_so() -> None:
    picture = svg([], wheel(100), Entity("tool", "hub"))
    written = texts(picture)
    assert "not drawn: 41 entities and 82 relationships" in written
    drawn = {text for text in written if text.startswith("10.0.0.")}
    assert len(drawn) == 59
    assert {"10.0.0.1", "10.0.0.2"} <= drawn
    assert "10.0.0.99" not in drawn


def test_the_nearest_stay_even_where_others_weigh_more() -> None:
    near = [Relationship(ANA, "related_to", Entity("person", f"near {n}"), weight=0.1) for n in range(30)]
    written = texts(svg([], [*wheel(100), *near, Relationship(ANA, "uses", Entity("tool", "hub"))], ANA))
    assert sum(text.startswith("near ") for text in written) == 30


def test_without_a_centre_what_hangs_together_is_drawn() -> None:
    pairs = [Relationship(Entity("tool", f"a{n}"), "uses", Entity("tool", f"b{n}")) for n in range(80)]
    picture = svg([], [*pairs, *wheel(50)])
    written = texts(picture)
    assert written[0] == "211 entities"
    assert {"hub", *(f"10.0.0.{n}" for n in range(50))} <= set(written)
    assert len(lines(picture)) == 50 + 49 + 4


def test_hostile_names_make_a_valid_picture() -> None:
    picture = svg([], hostile())
    assert "\u202e" not in picture
    assert not re.search("[\x00-\x08\x0e-\x1f\ufffe\uffff]", picture)
    assert any(text.startswith("<script>alert") for text in texts(picture))
    assert not list(Xml.fromstring(picture).iter(f"{SPACE}script"))
    assert max(map(len, texts(picture))) < 60
    assert png([], hostile()).startswith(b"\x89PNG")


def test_a_png_is_the_picture_in_pixels() -> None:
    picture = Xml.fromstring(svg([LONELY], RELATIONSHIPS, BEAR))
    across, down = struct.unpack(">II", png([LONELY], RELATIONSHIPS, BEAR)[16:24])
    assert (across, down) == (2 * int(picture.get("width", "")), 2 * int(picture.get("height", "")))


@pytest.mark.parametrize("count", [1, 2, 3, 17, 59])
def test_boxes_do_not_overlap(count: int) -> None:
    boxes = [(60.0 + 13 * (n % 9), 27.0) for n in range(count + 1)]
    spots = arranged(boxes, [(0, n) for n in range(1, count + 1)] + [(n, n + 1) for n in range(1, count, 2)])
    assert min(x - w / 2 for (x, _), (w, _) in zip(spots, boxes, strict=True)) >= -0.1
    assert min(y - h / 2 for (_, y), (_, h) in zip(spots, boxes, strict=True)) >= -0.1
    for ((x1, y1), (w1, h1)), ((x2, y2), (w2, h2)) in combinations(zip(spots, boxes, strict=True), 2):
        assert abs(x1 - x2) > (w1 + w2) / 2 or abs(y1 - y2) > (h1 + h2) / 2


def test_parts_that_nothing_joins_stand_beside_each_other() -> None:
    boxes = [(80.0, 27.0)] * 40
    spots = arranged(boxes, [(0, 1), (2, 3)])
    assert len(set(spots)) == 40
    assert max(x for x, _ in spots) > 2 * max(80.0, min(x for x, _ in spots))


def test_a_name_is_cut_to_its_room() -> None:
    assert fitting("Ana", 190, 12.5) == "Ana"
    assert fitting("two\nlines", 190, 12.5) == "two lines"
    for name in ("x" * 300, "山田" * 100, "W" * 80):
        cut = fitting(name, 190, 12.5)
        assert cut.endswith("…")
        assert width(cut, 12.5) <= 190
