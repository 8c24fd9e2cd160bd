"""A relationship becomes a sentence, and the evidence of the relation it states."""

from __future__ import annotations

from datetime import UTC, datetime

from engrain.model.entities import Named, Triple
from tests.stix.bundles import come_to, item, joined, technique, thing

HERON, CRAB = thing("intrusion-set", "Grey Heron"), thing("malware", "Mudcrab")
SHELL = technique("T9059.001", "Shellcraft")


def test_a_relationship_is_a_sentence_with_its_description() -> None:
    found = item(
        joined(HERON, "uses", SHELL, description="[Grey Heron](https://attack.mitre.org/groups/G9) ran it."),
        HERON,
        SHELL,
    )
    assert found.content == "Grey Heron uses Shellcraft (T9059.001). Grey Heron ran it."
    source, target = Named("intrusion_set", "Grey Heron"), Named("technique", "T9059.001")
    assert found.about.triples == (Triple(source, "uses", target),)
    assert found.about.entities == ()  # what a relation joins needs no word of its own
    assert found.metadata["stix"]["relationship_type"] == "uses"


def test_relations_go_by_their_names_here_and_read_as_words() -> None:
    found = item(joined(CRAB, "attributed-to", HERON), HERON, CRAB)
    assert found.about.triples[0].relation == "attributed_to"
    assert found.content == "Mudcrab is attributed to Grey Heron."


def test_relationships_come_after_the_things_whatever_their_order() -> None:
    uses = joined(HERON, "uses", CRAB)
    assert [item.key for item in come_to(uses, HERON, CRAB).items] == [HERON["id"], CRAB["id"], uses["id"]]


def test_an_end_that_is_not_there_is_rejected_with_its_id() -> None:
    found = come_to(HERON, joined(HERON, "uses", CRAB))
    (reason,) = found.rejected.values()
    assert CRAB["id"] in reason


def test_a_relationship_holds_from_its_start_to_its_stop() -> None:
    times = {"start_time": "2021-01-01T00:00:00Z", "stop_time": "2022-01-01T00:00:00Z"}
    found = item(joined(HERON, "uses", CRAB, **times), HERON, CRAB)
    assert (found.valid_from, found.valid_until) == (datetime(2021, 1, 1, tzinfo=UTC), datetime(2022, 1, 1, tzinfo=UTC))


def test_a_relationship_without_times_holds_since_it_is_known() -> None:
    found = item(joined(HERON, "uses", CRAB), HERON, CRAB)
    assert (found.valid_from, found.valid_until) == (datetime(2020, 3, 1, 10, tzinfo=UTC), None)


def test_the_confidence_of_a_relationship_is_its_weight() -> None:
    assert item(joined(HERON, "uses", CRAB, confidence=70), HERON, CRAB).about.triples[0].weight == 0.7
    assert item(joined(HERON, "uses", CRAB, confidence="high"), HERON, CRAB).about.triples[0].weight == 1.0


def test_nothing_is_related_to_itself() -> None:
    found = item(joined(CRAB, "related-to", CRAB), CRAB)
    assert found.about.triples == ()
    assert found.content == "Mudcrab is related to Mudcrab."


def test_a_sighting_names_the_object_and_the_observer() -> None:
    acme = thing("identity", "Acme", identity_class="organization")
    seen = {**thing("sighting", "s"), "sighting_of_ref": CRAB["id"], "where_sighted_refs": [acme["id"]], "count": 12}
    found = item(seen, CRAB, acme)
    assert found.content == "Mudcrab was sighted by Acme 12 times."
    assert found.about.triples == (Triple(Named("malware", "Mudcrab"), "sighted_by", Named("organization", "Acme")),)


def test_a_technique_is_part_of_the_tactics_that_the_bundle_has() -> None:
    tactic = thing("x-mitre-tactic", "Running", x_mitre_shortname="running")
    phases = [{"kill_chain_name": "mitre-attack", "phase_name": name} for name in ("running", "elsewhere")]
    found = item({**SHELL, "kill_chain_phases": phases}, tactic)
    assert found.about.triples == (
        Triple(Named("technique", "T9059.001"), "part_of", Named("x_mitre_tactic", "Running")),
    )
