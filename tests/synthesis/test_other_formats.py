"""Briefs, timelines and relationship maps without a model."""

from __future__ import annotations

from datetime import UTC, datetime

from engrain.model.entities import Entity, Relationship
from engrain.model.memory import Fact
from engrain.model.results import Format
from engrain.synthesis.evidence import CitedRelation
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import evidence, hit

BOAT = (
    "We painted the boat green in 2021.",
    "The boat was launched yesterday.",
    "Last month we bought new sails for the boat.",
    "Hi! The boat is called Petrel.",
    "The insurance of the boat costs 300 euros.",
    "Wow, great!",
)


def test_a_brief_is_a_few_sentences_in_order_of_time():
    brief = answer_by_rules(Format.SYNTHESIZED_BRIEF, evidence("What do we know about the boat?", *BOAT))
    assert 2 <= len(brief.lead) <= 4
    assert [said.quotes[0] for said in brief.lead] == sorted(said.quotes[0] for said in brief.lead)
    assert brief.points
    said = [each.text for each in (*brief.lead, *brief.points)]
    assert len(said) == len(set(said))
    assert "Wow, great!" not in said


def test_a_brief_does_not_say_the_same_twice():
    texts = ("The boat was painted green in spring.", "In spring the boat was painted green, as planned.", *BOAT[2:4])
    brief = answer_by_rules(Format.SYNTHESIZED_BRIEF, evidence("What about the boat?", *texts))
    said = [each.text for each in (*brief.lead, *brief.points)]
    assert sum("painted green" in text for text in said) == 1


def test_events_come_in_order_and_as_precise_as_they_are_known():
    timeline = answer_by_rules(Format.TIMELINE_ANALYSIS, evidence("What happened to the boat?", *BOAT[:3]))
    assert [(event.date, event.sentence.text) for event in timeline.events] == [
        ("2021", BOAT[0]),
        ("2023-05", BOAT[2]),
        ("2023-06-09", BOAT[1]),
    ]
    assert 1 <= len(timeline.lead) <= 2
    assert all(said.quotes for said in timeline.lead)


def test_an_event_without_time_words_has_the_day_of_its_memory():
    sold = hit("The boat was sold.", at=datetime(2024, 2, 29, tzinfo=UTC))
    (event,) = answer_by_rules(Format.TIMELINE_ANALYSIS, evidence("What happened to the boat?", sold)).events
    assert event.date == "2024-02-29"


def test_an_event_that_is_reported_twice_is_listed_once():
    first = hit("The boat was launched on 3 May 2023.")
    again = hit("So the boat was launched on 3 May 2023, at last.", number=1, actor="Bo")
    events = answer_by_rules(Format.TIMELINE_ANALYSIS, evidence("When was the boat launched?", first, again)).events
    assert [event.date for event in events] == ["2023-05-03"]


def test_a_question_with_a_time_is_about_that_time():
    events = answer_by_rules(Format.TIMELINE_ANALYSIS, evidence("What happened to the boat in 2021?", *BOAT[:3])).events
    assert [event.date for event in events] == ["2021"]


def related(source: str, relation: str, target: str, *ids: str, weight: float = 1.0) -> Relationship:
    """Return a relation as the graph has it."""
    return Relationship(Entity("person", source), relation, Entity("place", target), evidence=ids, weight=weight)


def test_a_map_has_the_relations_of_quoted_memories_and_their_facts():
    quoted = evidence(
        "Where does Ana live?",
        hit("Ana lives in Porto.", fact=Fact("Ana", "lives_in", "Porto"), entities=("Ana", "Porto")),
        hit("Bo moved to Rome with Carla.", number=1, entities=("Bo", "Rome", "Carla")),
    )
    known = (
        related("Ana", "lives_in", "Porto", "m0", "m9"),
        related("Bo", "moved_to", "Rome", "m1"),
        related("Bo", "related_to", "Rome", "m1", weight=0.1),
        related("Bo", "related_to", "Carla", "m1", weight=0.1),
        related("Dee", "works_at", "Acme", "m7"),
        related("Eve", "knows", "Acme"),
    )
    found = answer_by_rules(Format.RELATIONSHIP_MAP, quoted, relationships=known)
    assert found.relations == (
        CitedRelation("Ana", "lives_in", "Porto", (0,)),
        CitedRelation("Bo", "moved_to", "Rome", (1,)),
        CitedRelation("Bo", "related_to", "Carla", (1,)),
    )
    assert found.entities == ("Ana", "Porto", "Bo", "Rome", "Carla")
    assert all(said.quotes for said in found.lead)


def test_a_map_without_relations_still_names_the_entities():
    found = answer_by_rules(Format.RELATIONSHIP_MAP, evidence("Who is Ana?", hit("Ana sings.", entities=("Ana",))))
    assert (found.entities, found.relations) == (("Ana",), ())
    assert [said.text for said in found.lead] == ["Ana sings."]


def test_a_map_leaves_out_what_its_memories_deny_or_call_past():
    quoted = evidence(
        "Who is related to Ana?",
        hit("Ana is not married to Bob."),
        hit("Dave used to work at Globex.", number=1, fact=Fact("Dave", "works_at", "Globex")),
        hit("Eve works at Acme. Bob never liked Acme.", number=2, fact=Fact("Eve", "works_at", "Acme")),
    )
    found = answer_by_rules(Format.RELATIONSHIP_MAP, quoted, relationships=(related("Ana", "related_to", "Bob", "m0"),))
    assert found.relations == (CitedRelation("Eve", "works_at", "Acme", (2,)),)
