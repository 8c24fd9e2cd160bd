"""When the same thing is said again, and when it only looks the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.model.choices import KindName
from engrain.testing import FrozenClock
from tests.behaviour import texts


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Ana lives in Oslo", "Ana lives in Oslo"),
        ("Ana lives in Oslo", "ana LIVES in oslo"),
        ("Ana lives in Oslo", "  Ana\tlives \n in   Oslo "),
        ("Straße nach Oslo", "STRASSE nach Oslo"),
        ("the ﬁle is here", "the file is here"),
        ("Ana lives in Oslo", "Ana lives in \uff2f\uff53\uff4c\uff4f"),
        ("the caf\u00e9 is open", "the cafe\u0301 is open"),
        ("It's a well-known place.", "IT'S a Well-Known PLACE."),
    ],
    ids=["equal", "case", "space", "sharp s", "ligature", "wide", "composed", "inside a word"],
)
def test_the_same_statement_is_one_memory(memory: MemoryManager, first: str, again: str) -> None:
    kept, _ = memory.remember(first)
    known, status = memory.remember(again)
    assert (status, known.id, known.content) == ("noop", kept.id, first)
    assert memory.count(status="all") == 1


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The wifi password is Hunter2", "The wifi password is hunter2"),
        ("The area is x²", "The area is x2"),
        ("Take ½ a spoon", "Take 1⁄2 a spoon"),
        ("The locker code is 8841", "The locker code is 8814"),
        ("Patient 17 is allergic to latex", "Patient 71 is allergic to latex"),
        ("Marco is allergic to peanuts.", "Marco is allergic to penicillin."),
        ("Dog bites man", "Man bites dog"),
        ("Use C++ here", "Use C here"),
        ("The file is a_B", "The file is a_b"),
    ],
)
def test_similar_names_stay_two(memory: MemoryManager, first: str, other: str) -> None:
    assert [memory.remember(text).status for text in (first, other)] == ["created", "created"]
    assert sorted(texts(memory.list_memories())) == sorted([first, other])


def test_a_bare_negation_stays_two_and_waits_for_a_verdict(memory: MemoryManager) -> None:
    both = ["Ana eats fish", "Ana never eats fish"]
    assert [memory.remember(text).status for text in both] == ["created", "pending"]
    assert sorted(texts(memory.list_memories())) == both


def test_a_duplicate_says_why_and_of_what(memory: MemoryManager) -> None:
    kept = memory.remember("Ana lives in Oslo")
    again = memory.remember("Ana lives in Oslo")
    assert (kept.decision.kind, again.decision.kind, again.decision.stage) == ("add", "duplicate", "1 exact")
    assert kept.id in again.decision.reason


def test_a_duplicate_adds_what_is_new_and_keeps_the_rest(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Oslo", tags=["home"], confidence=0.4, source_id="a", metadata={"n": 1})
    known, status = memory.remember("Ana lives in Oslo", tags=["city"], confidence=0.9, source_id="b")
    assert status == "noop"
    assert (known.tags, known.confidence, known.evidence_count) == (("home", "city", "place"), 0.9, 2)
    assert (known.metadata, known.source.id, known.version) == ({"n": 1}, "a", 1)
    assert memory.get(known.id) == known


def test_a_lower_confidence_does_not_lower_it(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Oslo", confidence=0.9)
    known, _ = memory.remember("Ana lives in Oslo", confidence=0.4)
    assert known.confidence == 0.9


def test_a_further_source_is_kept_as_a_link(memory: MemoryManager) -> None:
    source = memory.remember("Ana said so at lunch", kind="episodic").id
    memory.remember("Ana lives in Oslo")
    known, status = memory.remember("Ana lives in Oslo", derived_from=[source])
    assert status == "noop"
    assert [(link.relation, link.memory_id) for link in known.links] == [("derived_from", source)]


def test_a_longer_life_wins(memory: MemoryManager, clock: FrozenClock) -> None:
    memory.remember("The door is open", ttl=60)
    memory.remember("The door is open")
    clock.advance(timedelta(minutes=5))
    assert memory.count() == 1


def test_an_earlier_beginning_wins(memory: MemoryManager, clock: FrozenClock) -> None:
    memory.remember("The door is open", valid_from="2026-02-01")
    assert memory.recall("door").texts == ()
    known, status = memory.remember("The door is open")
    assert (status, known.valid_from) == ("noop", clock.now())
    assert memory.recall("door", touch=False).texts == ("The door is open",)
    assert memory.remember("The door is open", valid_from="2026-03-01").memory == memory.get(known.id)


EVENT: dict[str, Any] = {"session": "monday", "actor": "Ana", "valid_from": "2026-01-05T09:00:00Z"}


@pytest.mark.parametrize("kind", ["episodic", "working"])
@pytest.mark.parametrize(
    "change", [{"session": "tuesday"}, {"actor": "Ben"}, {"valid_from": "2026-01-05T09:00:01Z"}], ids=min
)
def test_the_same_words_at_another_event_are_another_memory(
    memory: MemoryManager, kind: KindName, change: dict[str, str]
) -> None:
    memory.remember("See you tomorrow", kind=kind, **EVENT)
    assert memory.remember("See you tomorrow", kind=kind, **EVENT).status == "noop"
    assert memory.remember("See you tomorrow", kind=kind, **{**EVENT, **change}).status == "created"


@pytest.mark.parametrize("change", [{"session": "tuesday"}, {"actor": "Ben"}, {"valid_from": "2026-01-01"}])
def test_a_statement_does_not_depend_on_who_said_it_when(memory: MemoryManager, change: dict[str, str]) -> None:
    memory.remember("Oslo is in Norway", kind="semantic", **EVENT)
    assert memory.remember("Oslo is in Norway", kind="semantic", **{**EVENT, **change}).status == "noop"


def test_another_kind_is_another_memory(memory: MemoryManager) -> None:
    kinds: tuple[KindName, ...] = ("semantic", "procedural", "episodic")
    assert [memory.remember("Boil the water", kind=kind).status for kind in kinds] == ["created"] * 3


@pytest.mark.parametrize("walls", [{"user": "ana"}, {"agent": "scout"}, {"user": "ana", "agent": "scout"}])
def test_another_owner_has_a_memory_of_its_own(memory: MemoryManager, walls: dict[str, str]) -> None:
    memory.remember("Oslo is in Norway")
    assert memory.scoped(**walls).remember("Oslo is in Norway").status == "created"


def test_another_org_has_a_memory_of_its_own(memory: MemoryManager) -> None:
    memory.remember("Oslo is in Norway")
    assert memory.for_org("acme").remember("Oslo is in Norway").status == "created"


def test_forgotten_text_is_stored_afresh(memory: MemoryManager) -> None:
    gone = memory.remember("Ana lives in Oslo", confidence=0.4).id
    memory.forget(gone)
    kept, status = memory.remember("Ana lives in Oslo")
    assert status == "created"
    assert kept.id != gone
    assert kept.confidence == 1.0


def test_text_that_ended_is_stored_again(memory: MemoryManager, clock: FrozenClock) -> None:
    first = memory.remember("Ana lives in Rome", valid_until="2026-01-06").id
    clock.advance(timedelta(days=2))
    second, status = memory.remember("Ana lives in Rome")
    assert (status, second.id != first) == ("created", True)
    assert [m.id for m in memory.list_memories()] == [second.id]


def test_text_that_expired_is_stored_again(memory: MemoryManager, clock: FrozenClock) -> None:
    first = memory.remember("The kettle is on", ttl=60).id
    clock.advance(timedelta(minutes=1))
    second, status = memory.remember("The kettle is on")
    assert (status, second.id != first) == ("created", True)


def test_text_that_ended_in_the_past_is_no_twin_of_what_holds_now(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Rome", valid_from="2020-01-01", valid_until="2021-01-01")
    assert memory.remember("Ana lives in Rome").status == "created"
    assert memory.count() == 1


def test_two_hundred_texts_are_two_hundred_memories(memory: MemoryManager) -> None:
    said = [f"Group {n % 40} of the {word} uses tool {n}" for n, word in enumerate(["north", "south"] * 100)]
    assert {one.status for one in memory.remember_many({"content": text} for text in said)} == {"created"}
    assert memory.count() == 200
