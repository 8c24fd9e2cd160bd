"""An object becomes a text that says what it is, and the entity it is about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from engrain.model.entities import Named, Triple
from tests.stix.bundles import bundle, come_to, id_of, item, joined, technique, thing


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (thing("intrusion-set", "Grey Heron"), "intrusion_set"),
        (thing("threat-actor", "Grey Heron"), "actor"),
        (thing("malware", "Mudcrab"), "malware"),
        (thing("tool", "Netmap"), "tool"),
        (thing("campaign", "Operation Tide"), "campaign"),
        (thing("course-of-action", "Patch it"), "mitigation"),
        (thing("vulnerability", "CVE-2024-12345"), "cve"),
        (thing("vulnerability", "Leaky pipe"), "vulnerability"),
        (thing("identity", "Acme", identity_class="organization"), "organization"),
        (thing("identity", "Ann Smith", identity_class="individual"), "person"),
        (thing("identity", "energy", identity_class="class"), "sector"),
        (thing("identity", "Acme"), "organization"),
        (thing("location", "Norway", country="NO"), "place"),
        (thing("indicator", "Beacon", pattern="[a:b = 'c']"), "indicator"),
        (thing("report", "Weekly", object_refs=[]), "report"),
        (thing("x-acme-sensor", "Probe 7"), "x_acme_sensor"),
        (thing("infrastructure", "Relay"), "infrastructure"),
    ],
)
def test_each_type_has_its_entity_type(value: dict[str, Any], type_: str) -> None:
    entity = item(value).about.entities[0]
    assert (entity.type, entity.name) == (type_, value["name"])


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"type": "ipv4-addr", "value": "198.51.100.7"}, Named("ipv4", "198.51.100.7")),
        ({"type": "ipv6-addr", "value": "2001:db8::1"}, Named("ipv6", "2001:db8::1")),
        ({"type": "domain-name", "value": "bad.example"}, Named("domain", "bad.example")),
        ({"type": "url", "value": "http://bad.example/a"}, Named("url", "http://bad.example/a")),
        ({"type": "email-addr", "value": "a@bad.example"}, Named("email", "a@bad.example")),
        (
            {"type": "file", "name": "a.exe", "hashes": {"MD5": "a" * 32, "SHA-256": "b" * 64}},
            Named("sha256", "b" * 64),
        ),
        ({"type": "file", "name": "a.exe"}, Named("file", "a.exe")),
    ],
)
def test_what_was_observed_is_its_indicator(value: dict[str, Any], named: Named) -> None:
    found = item({**value, "id": id_of(value["type"], "x")})
    assert (found.about.entities[0].type, found.about.entities[0].name) == named
    assert named.name in found.content or value["name"] in found.content


def test_the_text_says_name_type_number_aliases_and_what_it_is() -> None:
    found = item(
        thing(
            "malware",
            "Mudcrab",
            aliases=["Mudcrab", "mud crab", "Clawfoot"],
            external_references=[{"source_name": "acme", "external_id": "S9001", "url": "https://acme.example/S9001"}],
            description="[Mudcrab](https://attack.mitre.org/a) is a <code>loader</code>.(Citation: Acme (2024))",
        )
    )
    assert found.content == "Mudcrab is a loader.\n\nMudcrab (malware, S9001), also known as mud crab, Clawfoot."
    assert found.about.entities[0].aliases == ("mud crab", "Clawfoot", "S9001")
    assert found.source_ref == "https://acme.example/S9001"
    assert found.metadata["external_id"] == "S9001"


def test_other_links_in_a_description_stay() -> None:
    stored = item(thing("tool", "Netmap", description="See [here](https://acme.example/a).")).content
    assert stored.endswith("See [here](https://acme.example/a).")


def test_a_technique_goes_by_its_number_and_answers_to_its_name() -> None:
    found = item(technique("T9059.001", "Shellcraft", description="It runs."))
    entity = found.about.entities[0]
    assert (entity.type, entity.name, entity.aliases) == ("technique", "T9059.001", ("Shellcraft",))
    assert entity.metadata["name"] == found.metadata["name"] == "Shellcraft"
    assert found.content == "Shellcraft (technique, T9059.001): It runs."


def test_a_name_that_two_techniques_share_is_no_alias() -> None:
    one, two = technique("T9001.001", "Domains"), technique("T9002.001", "Domains")
    assert [item.about.entities[0].aliases for item in come_to(one, two).items] == [(), ()]


def test_an_indicator_is_about_what_its_pattern_names() -> None:
    pattern = "[ipv4-addr:value = '198.51.100.7'] OR [file:hashes.'SHA-256' = '" + "b" * 64 + "']"
    found = item(thing("indicator", "Beacon", pattern=pattern, valid_from="2024-01-01T00:00:00Z"))
    assert [(entity.type, entity.name) for entity in found.about.entities] == [("indicator", "Beacon")]
    assert found.about.triples == tuple(
        Triple(Named("indicator", "Beacon"), "based_on", named)
        for named in (Named("ipv4", "198.51.100.7"), Named("sha256", "b" * 64))
    )
    assert pattern in found.content


def test_a_note_is_about_what_it_refers_to() -> None:
    actor = thing("threat-actor", "Grey Heron")
    note = {**thing("note", "n", content="Seen again in May.", object_refs=[actor["id"]])}
    del note["name"]
    found = item(note, actor)
    assert found.content == "Seen again in May."
    assert [(entity.type, entity.name) for entity in found.about.entities] == [("actor", "Grey Heron")]


def test_fields_that_refer_to_other_objects_are_relations() -> None:
    address = {"type": "ipv4-addr", "id": id_of("ipv4-addr", "a"), "value": "198.51.100.7"}
    domain = {"type": "domain-name", "id": id_of("domain-name", "d"), "value": "bad.example"}
    domain["resolves_to_refs"] = [address["id"]]  # type: ignore[assignment]
    expected = Triple(Named("domain", "bad.example"), "resolves_to", Named("ipv4", "198.51.100.7"))
    assert item(domain, address).about.triples == (expected,)


def test_an_object_is_known_from_when_it_was_made_or_first_seen() -> None:
    assert item(thing("tool", "Netmap")).valid_from == datetime(2020, 3, 1, 10, tzinfo=UTC)
    seen = item(thing("campaign", "Tide", first_seen="2018-02-01T00:00:00Z", last_seen="2018-03-01T00:00:00Z"))
    assert (seen.valid_from, seen.valid_until) == (datetime(2018, 2, 1, tzinfo=UTC), None)
    assert item(thing("tool", "Netmap", created="2099-01-01T00:00:00Z")).valid_from is None


def test_a_deprecated_object_held_until_it_was() -> None:
    found = item(thing("tool", "Netmap", x_mitre_deprecated=True))
    assert found.valid_until == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert found.metadata["deprecated"] is True


def test_an_object_without_a_name_is_skipped_and_reported() -> None:
    marking = {"type": "marking-definition", "id": id_of("marking-definition", "m")}
    traffic = {"type": "network-traffic", "id": id_of("network-traffic", "t")}
    found = come_to(marking, traffic)
    assert list(found.skipped) == [marking["id"], traffic["id"]]
    assert not found.items
    assert not found.rejected


def test_every_object_is_an_item_or_reported_as_left_out() -> None:
    heron, crab = thing("intrusion-set", "Grey Heron"), thing("malware", "Mudcrab")
    values = [heron, crab, joined(heron, "uses", crab), {**thing("tool", "Netmap"), "name": 5}, "x"]
    found = come_to(*values)
    assert len(bundle(*values)["objects"]) == len(found.items) + len(found.rejected) + len(found.skipped)
