"""Each name of a bundle means one thing, and what was revoked lives on in the names of what took its place."""

from __future__ import annotations

from tests.stix.bundles import come_to, item, joined, technique, thing


def test_an_alias_goes_to_the_first_that_claims_it() -> None:
    one = thing("intrusion-set", "Grey Heron", aliases=["Wader"])
    two = thing("threat-actor", "Red Ibis", aliases=["wader", "Bent Bill"])
    found = come_to(one, two)
    assert [item.about.entities[0].aliases for item in found.items] == [("Wader",), ("Bent Bill",)]


def test_a_canonical_name_is_nobody_elses_alias_whatever_the_order() -> None:
    one = thing("intrusion-set", "Grey Heron", aliases=["Red Ibis"])
    assert item(one, thing("intrusion-set", "Red Ibis")).about.entities[0].aliases == ()


def test_names_of_other_families_do_not_clash() -> None:
    one, two = thing("intrusion-set", "Grey Heron", aliases=["Wader"]), thing("malware", "Mudcrab", aliases=["Wader"])
    assert [item.about.entities[0].aliases for item in come_to(one, two).items] == [("Wader",), ("Wader",)]


def test_labels_are_no_aliases_and_neither_is_a_bare_number() -> None:
    reference = {"source_name": "tickets", "external_id": "4711"}
    assert (
        item(thing("tool", "Netmap", labels=["tool"], external_references=[reference])).about.entities[0].aliases == ()
    )


def test_what_was_revoked_gives_its_names_to_what_took_its_place() -> None:
    old = technique("T9086", "Old Shell", revoked=True)
    new = technique("T9059.001", "Shellcraft")
    found = come_to(old, new, joined(old, "revoked-by", new))
    assert [item.key for item in found.items] == [new["id"]]
    assert found.items[0].about.entities[0].aliases == ("Shellcraft", "T9086", "Old Shell")
    assert len(found.skipped) == 2


def test_a_chain_of_revocations_ends_at_its_last() -> None:
    a, b = (thing("malware", name, revoked=True) for name in ("Aa", "Bb"))
    c = thing("malware", "Cc")
    user = thing("intrusion-set", "Grey Heron")
    found = come_to(a, b, c, user, joined(a, "revoked-by", b), joined(b, "revoked-by", c), joined(user, "uses", a))
    assert found.items[0].about.entities[0].aliases == ("Aa", "Bb")
    assert found.items[-1].content == "Grey Heron uses Cc."
    assert found.items[-1].metadata["stix"]["target_ref"] == c["id"]


def test_revocations_in_a_circle_leave_each_object_as_it_was_until_then() -> None:
    a, b = (thing("malware", name, revoked=True) for name in ("Aa", "Bb"))
    found = come_to(a, b, joined(a, "revoked-by", b), joined(b, "revoked-by", a))
    assert {item.key for item in found.items} >= {a["id"], b["id"]}
    assert all(item.valid_until is not None for item in found.items if item.metadata["stix_type"] == "malware")
    assert not found.rejected


def test_what_was_revoked_for_nothing_held_until_then() -> None:
    found = item(thing("malware", "Aa", revoked=True))
    assert found.metadata["revoked"] is True
    assert found.valid_until is not None
