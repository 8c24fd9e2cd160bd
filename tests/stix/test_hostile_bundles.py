"""A bundle that was made to break something breaks nothing, and says what of it was not taken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.validation import checked_metadata
from tests.stix.bundles import bundle, come_to, item, joined, thing

HERON = thing("intrusion-set", "Grey Heron")


@pytest.mark.parametrize(
    "fields",
    [
        {"name": 5},
        {"name": ["a"]},
        {"description": {"en": "x"}},
        {"aliases": "one"},
        {"aliases": [1, 2]},
        {"external_references": "x"},
        {"external_references": ["x"]},
        {"created": "yesterday"},
        {"created": 20200101},
        {"first_seen": "2020-13-01T00:00:00Z"},
    ],
)
def test_a_field_of_a_wrong_type_rejects_its_object_and_no_other(fields: dict[str, Any]) -> None:
    bad = thing("malware", "Mudcrab", **{k: v for k, v in fields.items() if k not in ("name", "created")})
    bad.update(fields)
    found = come_to(bad, HERON)
    assert [item.key for item in found.items] == [HERON["id"]]
    assert list(found.rejected) == [bad["id"]]


def test_a_relationship_without_its_fields_is_rejected() -> None:
    bare = {name: HERON[name] for name in ("created", "modified")}
    id_ = "relationship--00000000-0000-4000-8000-000000000001"
    for fields in ({}, {"relationship_type": "uses"}, {"relationship_type": 4}, {"relationship_type": "—"}):
        found = come_to(HERON, {"type": "relationship", "id": id_, **bare, **fields})
        assert list(found.rejected) == [id_]


def test_an_end_before_the_begin_is_rejected() -> None:
    times = {"start_time": "2022-01-01T00:00:00Z", "stop_time": "2021-01-01T00:00:00Z"}
    crab = thing("malware", "Mudcrab")
    (reason,) = come_to(HERON, crab, joined(HERON, "uses", crab, **times)).rejected.values()
    assert "before it begins" in reason


def test_ten_thousand_aliases_are_names_and_not_a_text_of_their_own() -> None:
    found = item(thing("malware", "Mudcrab", aliases=[f"Crab {n}" for n in range(10_000)]))
    assert len(found.about.entities[0].aliases) == 10_000
    assert len(found.content) < 2_000
    checked_metadata(found.metadata)


def test_a_huge_description_is_cut_to_what_may_be_stored_and_says_so() -> None:
    found = item(thing("malware", "Mudcrab", description="é" * 800_000))
    assert len(found.content.encode()) <= 1_000_000
    assert found.metadata["cut"] is True


def test_huge_other_fields_do_not_outgrow_the_metadata() -> None:
    found = item(thing("x-acme-sensor", "Probe", readings=["r" * 100] * 5_000, small=1))
    checked_metadata(found.metadata)
    assert found.metadata["stix"]["small"] == 1


def test_text_that_looks_like_markup_is_cleaned_in_bounded_time() -> None:
    nasty = "(Citation: " * 3_000 + "[" * 3_000 + "](https://attack.mitre.org/" * 1_000
    assert item(thing("malware", "Mudcrab", description=nasty)).content.startswith("Mudcrab (malware): ")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_FIELDS = (
    "name description aliases external_references created modified revoked labels object_refs object_marking_refs"
    " granular_markings kill_chain_phases extensions pattern hashes value identity_class confidence source_ref"
    " target_ref relationship_type sighting_of_ref where_sighted_refs count x_mitre_shortname x_mitre_deprecated"
    " content abstract"
).split()
_TYPES = (
    "malware tool file indicator note report identity relationship sighting observed-data marking-definition x-a-b"
).split()
_OBJECTS = st.tuples(st.sampled_from(_TYPES), st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=5))


@given(st.lists(_OBJECTS, max_size=4))
def test_whatever_the_fields_hold_every_object_is_accounted_for(objects: list[tuple[str, dict[str, Any]]]) -> None:
    values = [
        {**fields, "type": type_, "id": f"{type_}--00000000-0000-4000-8000-{number:012d}"}
        for number, (type_, fields) in enumerate(objects)
    ]
    found = come_to(*values)
    accounted = [item.key for item in found.items] + [*found.rejected, *found.skipped]
    assert sorted(accounted) == sorted(value["id"] for value in values)
    assert len(json.dumps(bundle(*values))) > 0
