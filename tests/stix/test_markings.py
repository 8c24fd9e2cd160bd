"""Who may be shown an object stays with its memory, whichever way it was marked."""

from __future__ import annotations

from typing import Any

import pytest

from engrain.cti.stix_export import exported
from engrain.cti.stix_objects import TLP_EXTENSION, colour_of
from tests.stix.bundles import AMBER, COPYRIGHT, NOW, RED, come_to, id_of, item, remembered, thing


@pytest.mark.parametrize(("marking", "colour"), [(AMBER, "amber"), (RED, "red")])
def test_both_versions_of_tlp_are_read(marking: str, colour: str) -> None:
    assert item(thing("tool", "Netmap", object_marking_refs=[marking])).metadata["tlp"] == colour


def test_of_two_colours_the_narrower_counts_and_a_part_marks_the_whole() -> None:
    parts = [{"marking_ref": RED, "selectors": ["description"]}]
    found = item(thing("tool", "Netmap", object_marking_refs=[AMBER], granular_markings=parts))
    assert found.metadata["tlp"] == "red"


def test_other_markings_are_kept_by_id() -> None:
    found = item(thing("tool", "Netmap", object_marking_refs=[COPYRIGHT]))
    assert found.metadata["markings"] == [COPYRIGHT]
    assert "tlp" not in found.metadata


@pytest.mark.parametrize(
    "fields",
    [
        {"definition_type": "tlp", "definition": {"tlp": "amber"}},
        {"extensions": {TLP_EXTENSION: {"extension_type": "property-extension", "tlp_2_0": "amber"}}},
        {"name": "TLP:AMBER"},
    ],
)
def test_a_marking_that_the_bundle_defines_is_its_colour(fields: dict[str, Any]) -> None:
    marking = {"type": "marking-definition", "id": id_of("marking-definition", "own"), **fields}
    assert item(thing("tool", "Netmap", object_marking_refs=[marking["id"]]), marking).metadata["tlp"] == "amber"


@pytest.mark.parametrize(
    ("said", "colour"),
    [("TLP:WHITE", "clear"), ("Amber+Strict", "amber+strict"), ("TLP:AMBER-STRICT", "amber+strict"), ("pink", None)],
)
def test_colours_are_read_as_people_write_them(said: str, colour: str | None) -> None:
    assert colour_of(said) == colour


def test_an_export_marks_as_the_import_was_marked() -> None:
    own = {"type": "marking-definition", "id": id_of("marking-definition", "own"), "name": "TLP:RED"}
    values = [
        thing("tool", "Aa", object_marking_refs=[AMBER, COPYRIGHT]),
        thing("tool", "Bb", object_marking_refs=[RED]),
        thing("tool", "Cc", object_marking_refs=[own["id"]]),
        thing("tool", "Dd"),
    ]
    out = exported((), (), remembered(come_to(*values, own).items), mentions={}, now=NOW)
    marked = {value["name"]: value.get("object_marking_refs") for value in out["objects"] if value["type"] == "tool"}
    assert marked == {"Aa": [AMBER, COPYRIGHT], "Bb": [RED], "Cc": [RED], "Dd": None}
