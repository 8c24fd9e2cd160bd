"""What was imported goes out as STIX again, and reads back equal."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
import stix2

from engrain.cti.stix_export import bundle, exported, of_entity
from engrain.cti.stix_import import Item, Mapped, bundle_of, mapped
from engrain.model.entities import Entity, Named, Relationship
from engrain.model.memory import Memory, Scope
from tests.stix.bundles import AMBER, COPYRIGHT, NOW, come_to, id_of, item, joined, remembered, technique, thing


def everything() -> list[dict[str, Any]]:
    """Return a bundle with one of each."""
    heron = thing(
        "intrusion-set", "Grey Heron", aliases=["Wader"], description="A group.", first_seen="2019-01-01T00:00:00Z"
    )
    crab = thing("malware", "Mudcrab", x_mitre_platforms=["Linux"], object_marking_refs=[AMBER, COPYRIGHT])
    old = technique("T9086", "Old Shell", revoked=True)
    shell = technique(
        "T9059.001", "Shellcraft", description="Line.\n\nLine: [x](https://attack.mitre.org/a) (Citation: b)."
    )
    acme = thing("identity", "Acme: Energy", identity_class="organization", description="Makes power.")
    note = thing("note", "n", content="Seen again: in May.", object_refs=[heron["id"]])
    del note["name"]
    seen = thing("sighting", "s", sighting_of_ref=crab["id"], where_sighted_refs=[acme["id"]], count=3)
    del seen["name"]
    pattern = {"pattern": "[domain-name:value = 'bad.example']", "pattern_type": "stix"}
    address = {"type": "ipv4-addr", "id": id_of("ipv4-addr", "a"), "spec_version": "2.1", "value": "198.51.100.7"}
    return [
        heron,
        crab,
        old,
        shell,
        joined(old, "revoked-by", shell),
        acme,
        note,
        seen,
        address,
        thing("tool", "Netmap", x_mitre_deprecated=True),
        thing("campaign", "Operation Tide"),
        thing("course-of-action", "Patch it", description="Patch.", x_opencti_aliases=["Patching"]),
        thing("vulnerability", "CVE-2024-12345"),
        thing("location", "Norway", country="NO"),
        thing("indicator", "Beacon", valid_from="2024-01-01T00:00:00Z", **pattern),
        thing("report", "Weekly", published="2024-02-01T00:00:00Z", object_refs=[heron["id"], crab["id"]]),
        thing("x-mitre-tactic", "Running", x_mitre_shortname="running"),
        joined(heron, "uses", crab, description="Often.", confidence=80),
        joined(heron, "uses", shell),
        joined(crab, "exploits", thing("vulnerability", "CVE-2024-12345")),
    ]


def there_and_back(items: Mapped) -> Mapped:
    """Export what items are remembered as, and map it again."""
    out = bundle((), (), remembered(items.items), now=NOW)
    return mapped(bundle_of(json.loads(out.serialize())), now=NOW)


def by_key(found: Mapped) -> dict[str, Item]:
    """Return items by their keys, without the fields of the object that `stix2` writes in a form of its own."""
    return {
        item.key: replace(item, metadata={name: held for name, held in item.metadata.items() if name != "stix"})
        for item in found.items
    }


def test_a_bundle_that_went_out_reads_back_equal() -> None:
    before = come_to(*everything())
    assert not before.rejected
    after = there_and_back(before)
    assert not after.rejected
    assert by_key(after) == by_key(before)


def test_an_export_is_the_same_whenever_it_is_made() -> None:
    memories = remembered(come_to(*everything()).items)
    one, two = (exported((), (), order, mentions={}, now=NOW) for order in (memories, memories))
    assert json.dumps(one) == json.dumps(two)


def test_standard_objects_pass_without_custom_ones_allowed() -> None:
    out = exported((), (), remembered(come_to(*everything()).items), mentions={}, now=NOW)
    for value in out["objects"]:
        stix2.parse(value, allow_custom=value["type"].startswith("x-"))


def test_a_text_that_was_edited_reads_back_as_it_is() -> None:
    memories = [
        replace(memory, content=f"{memory.content} Edited.") for memory in remembered(come_to(*everything()).items)
    ]
    out = bundle((), (), memories, now=NOW)
    after = {item.key: item.content for item in mapped(bundle_of(json.loads(out.serialize())), now=NOW).items}
    assert after == {memory.key: memory.content for memory in memories}


def test_an_alias_given_later_goes_out_and_the_text_stays() -> None:
    memories = remembered((item(thing("tool", "Netmap", description="Maps.")),))
    out = exported([Entity("tool", "Netmap", ("Cartographer",))], (), memories, mentions={}, now=NOW)
    (after,) = mapped(bundle_of(json.loads(json.dumps(out))), now=NOW).items
    assert after.about.entities[0].aliases == ("Cartographer",)
    assert after.content == "Netmap (tool): Maps."


def own_memory(text: str, **fields: Any) -> Memory:
    """Return a memory that was not read from STIX."""
    return Memory(id="mem_abc", content=text, scope=Scope(), recorded_at=NOW, updated_at=NOW, valid_from=NOW, **fields)


def test_another_memory_goes_out_as_a_note_about_what_it_mentions() -> None:
    memory = own_memory("Heron bought a crab.", tags=("crime",), metadata={"tlp": "TLP:RED"})
    mentions = {memory.id: [Named("intrusion_set", "Grey Heron"), Named("url", "http://bad.example/a")]}
    out = json.loads(bundle((), (), [memory], mentions=mentions, now=NOW).serialize())
    (after,) = [item for item in mapped(bundle_of(out), now=NOW).items if item.metadata["stix_type"] == "note"]
    assert after.content == memory.content
    assert after.metadata["tlp"] == "red"
    assert {(entity.type, entity.name) for entity in after.about.entities} == set(mentions[memory.id])
    assert after.valid_from == memory.valid_from


def test_a_memory_without_subject_is_exported_and_adds_no_entity() -> None:
    out = json.loads(bundle((), (), [own_memory("Nothing in particular.")], now=NOW).serialize())
    (after,) = mapped(bundle_of(out), now=NOW).items
    assert (after.content, after.about.entities) == ("Nothing in particular.", ())


@pytest.mark.parametrize(
    "entity",
    [
        Entity("actor", "Grey Heron", ("Wader",)),
        Entity("technique", "T9059.001", (), {"name": "Shellcraft"}),
        Entity("technique", "Shellcraft"),
        Entity("cve", "CVE-2024-12345"),
        Entity("organization", "Acme", ("Acme Inc",)),
        Entity("sector", "energy"),
        Entity("person", "Ann Smith"),
        Entity("place", "Oslo"),
        Entity("asset", "Mail gateway", ("mx1",)),
        Entity("mitigation", "Patch it", ("Patching",)),
        Entity("sha256", "b" * 64),
        Entity("md5", "no hash"),
        Entity("date", "2024-01-01"),
        Entity("x_mitre_tactic", "Running"),
        Entity("Größe", "ganz groß"),
        Entity("indicator", "Beacon"),
    ],
)
def test_every_entity_has_an_object_and_comes_back_from_it(entity: Entity) -> None:
    assert of_entity(entity, NOW) == of_entity(entity, NOW)
    out = json.loads(bundle([entity], (), [], now=NOW).serialize())
    (after,) = mapped(bundle_of(out), now=NOW).items
    found = after.about.entities[0]
    assert (found.type, found.name) == (entity.type.casefold(), entity.name)
    assert set(entity.aliases) <= set(found.aliases)


def test_a_relationship_goes_out_once_and_what_merely_stood_together_does_not() -> None:
    heron, crab = thing("intrusion-set", "Grey Heron"), thing("malware", "Mudcrab")
    memories = remembered(come_to(heron, crab, joined(heron, "uses", crab)).items)
    actor, malware = Entity("actor", "grey heron"), Entity("malware", "Mudcrab")
    since = datetime(2021, 1, 1, tzinfo=UTC)
    said = [
        Relationship(actor, "uses", malware),
        Relationship(actor, "attributed_to", Entity("place", "Oslo"), valid_from=since),
        Relationship(malware, "related_to", Entity("place", "Oslo"), weight=0.1),
    ]
    out = json.loads(bundle([actor, malware], said, memories, now=NOW).serialize())
    joins = [value for value in out["objects"] if value["type"] == "relationship"]
    assert sorted(value["relationship_type"] for value in joins) == ["attributed-to", "uses"]
    after = mapped(bundle_of(out), now=NOW)
    assert not after.rejected
    assert since in [item.valid_from for item in after.items]


def test_a_memory_whose_object_is_no_stix_any_more_goes_out_as_a_note() -> None:
    memories = [
        replace(memory, metadata={**memory.metadata, "stix": {**memory.metadata["stix"], "name": name}})
        for memory, name in zip(
            remembered(come_to(thing("tool", "Aa"), thing("tool", "Bb")).items), (5, "Bb"), strict=True
        )
    ]
    broken = remembered((item(thing("report", "Weekly", object_refs=[], published="never")),))
    out = json.loads(bundle((), (), [*memories, replace(broken[0], id="mem_x")], now=NOW).serialize())
    notes = [value["content"] for value in out["objects"] if value["type"] == "note"]
    assert sorted(notes) == ["Aa (tool).", "Weekly (report)."]
