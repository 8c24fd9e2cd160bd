"""A decider's judgement stands above the rules, if it is one; a wrong one loses nothing."""

from __future__ import annotations

import logging

import pytest

from engrain import Fact, MemoryManager
from engrain.protocols import Candidate, Judgement
from engrain.testing import ScriptedExtractor
from tests.conflicts.conftest import OpenLog
from tests.conflicts.memory_log import DAY, INJECTED, MemoryLog, Scripted

KNOWN, SAID = "The meeting room has a blue door", "The meeting room has a green door"


def judged(operation: str, *, content: str | None = None, reason: str = "") -> object:
    """Return a script's line: a judgement on the nearest neighbour."""
    return lambda hits: Judgement(operation=operation, target=hits[0].id, content=content, reason=reason)  # type: ignore[arg-type]


def test_an_update_closes_its_target(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("UPDATE", reason="painted")))
    known = log.add(KNOWN)
    outcome = log.add(SAID, evolve=True)
    assert (outcome.status, outcome.decision.kind, outcome.decision.stage) == ("updated", "supersede", "5 verdict")
    assert "painted" in outcome.decision.reason
    assert log.live() == {SAID}
    assert log.get(known).valid_until == log.days(1)


def test_a_delete_says_that_it_was_never_true(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("DELETE")))
    known = log.add(KNOWN)
    assert log.add(SAID, evolve=True).status == "corrected"
    assert log.live() == {SAID}
    assert log.get(known).believed_until == log.days(1)


def test_an_add_is_above_the_rules(opened: OpenLog) -> None:
    log = opened(decider=Scripted(Judgement(operation="ADD", reason="a second home")))
    log.add("Ana lives in Rome")
    outcome = log.add("Ana lives in Oslo", evolve=True)
    assert (outcome.status, outcome.decision.kind, outcome.decision.stage) == ("created", "add", "5 verdict")
    assert log.live() == {"Ana lives in Rome", "Ana lives in Oslo"}


def test_an_add_ends_nothing_though_it_names_what_it_was_compared_with(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("ADD", reason="another room")))
    log.add(KNOWN)
    assert log.add(SAID, evolve=True).status == "created"
    assert log.live() == {KNOWN, SAID}


@pytest.mark.parametrize(("operation", "status"), [("NOOP", "noop"), ("DELETE", "corrected"), ("UPDATE", "updated")])
def test_empty_content_is_none(opened: OpenLog, operation: str, status: str) -> None:
    log = opened(decider=Scripted(judged(operation, content="")))
    log.add(KNOWN)
    assert log.add(SAID, evolve=True).status == status


def test_a_noop_keeps_the_text_out_of_sight(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("NOOP")))
    known = log.add(KNOWN)
    outcome = log.add(SAID, evolve=True)
    assert (outcome.status, outcome.id) == ("noop", known.id)
    assert log.live() == {KNOWN}
    (kept,) = log.memory.iter_memories(status="archived")
    assert kept.content == SAID
    assert [(link.relation, link.memory_id) for link in kept.links] == [("supports", known.id)]
    assert log.get(known).evidence_count == 2
    assert log.memory.reinstate(kept.id).status == "active"
    assert log.live() == {KNOWN, SAID}


def test_the_decider_may_reword_the_replacement(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("UPDATE", content="The meeting room door was blue and is green now")))
    log.add(KNOWN)
    outcome = log.add(SAID, evolve=True)
    assert outcome.status == "updated"
    assert log.live() == {"The meeting room door was blue and is green now"}
    (kept,) = log.memory.iter_memories(status="archived")
    assert kept.content == SAID
    assert [(link.relation, link.memory_id) for link in log.get(outcome).links][:1] == [("derived_from", kept.id)]


@pytest.mark.parametrize(
    "given",
    [
        "no judgement",
        None,
        RuntimeError("the model is down"),
        Judgement(operation="UPDATE", target="mem_unknown"),
        Judgement(operation="UPDATE"),
        Judgement(operation="FORGET", target="mem_unknown"),  # type: ignore[arg-type]
        judged("UPDATE", content="   "),
    ],
)
def test_an_invalid_judgement_leaves_it_to_the_rules(
    opened: OpenLog, given: object, caplog: pytest.LogCaptureFixture
) -> None:
    log = opened(decider=Scripted(given))
    log.add("Ana lives in Rome")
    with caplog.at_level(logging.WARNING):
        outcome = log.add("Ana lives in Oslo", evolve=True)
    assert (outcome.status, outcome.decision.stage) == ("updated", "2 slot")
    assert caplog.records
    assert log.live() == {"Ana lives in Oslo"}


def test_without_a_decider_the_rules_decide(log: MemoryLog) -> None:
    log.add("Ana lives in Rome")
    assert log.add("Ana moved to Oslo", evolve=True).status == "updated"
    assert log.add("The lamp in the hall is broken", evolve=True).status == "created"


def test_a_judgement_may_not_close_a_more_trusted_memory(opened: OpenLog) -> None:
    for operation in ("UPDATE", "DELETE"):
        log = opened(decider=Scripted(judged(operation)))
        log.add(KNOWN, source_type="user_input")
        outcome = log.add(SAID, evolve=True, source_type="tool_result")
        assert outcome.status == "pending"
        assert log.live() == {KNOWN, SAID}


def test_a_judge_sees_only_what_its_writer_sees(opened: OpenLog) -> None:
    judge = Scripted(Judgement(operation="ADD"))
    log = opened(decider=judge)
    log.memory.scoped(user="bo").remember(KNOWN)
    log.memory.scoped(user="ana", agent="clerk").remember(KNOWN)
    hidden = log.memory.scoped(user="ana").remember(f"{KNOWN}. {INJECTED}")
    assert hidden.status == "quarantined"
    log.memory.scoped(user="ana", agent="scout").remember(SAID, evolve=True)
    assert judge.shown == [(SAID, [])]


def test_an_attack_is_not_shown_to_the_judge(opened: OpenLog) -> None:
    judge = Scripted()
    log = opened(decider=judge)
    assert log.add(INJECTED, evolve=True).status == "quarantined"
    assert judge.shown == []


def test_rewording_admits_no_attack(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("UPDATE", content=INJECTED)))
    log.add(KNOWN)
    outcome = log.add(SAID, evolve=True)
    assert outcome.status == "quarantined"
    assert log.live() == {KNOWN}


def test_each_fact_of_a_text_is_judged(opened: OpenLog) -> None:
    log = opened(decider=Scripted(*[Judgement(operation="ADD")] * 9))
    outcome = log.add("Ana lives in Rome. Ana works at Acme. Ana likes tea.", evolve=True)
    ids = {outcome.id, *(other.id for other in outcome.others)}
    assert len(ids) == 3
    assert log.live() == {"Ana lives in Rome.", "Ana works at Acme.", "Ana likes tea."}


def test_an_unspoken_fact_is_trusted_as_a_models() -> None:
    extractor = ScriptedExtractor([[Candidate(content="Ana lives in Oslo", fact=Fact("Ana", "lives_in", "Oslo"))]])
    with MemoryManager(":memory:", user="ana", embedder=None, extractor=extractor) as memory:
        outcome = memory.remember("Ana lives in Boston", source_type="user_input", evolve=True)
    assert outcome.memory is not None
    assert outcome.memory.source.type == "llm_generated"


def test_a_correction_that_waited_for_its_verdict_is_one() -> None:
    decider = Scripted(judged("DELETE"))
    with MemoryManager(":memory:", user="ana", embedder=None, decider=decider) as memory:
        known = memory.remember(KNOWN, source_type="user_input")
        waiting = memory.remember(SAID, source_type="tool_result", evolve=True)
        assert waiting.status == "pending"
        memory.validate(waiting.id)
        old = memory.get(known.id)
    assert old is not None
    assert old.superseded_by == waiting.id
    assert old.believed_until is not None


def test_the_writers_fields_override_the_extractors() -> None:
    found = Candidate(content="Ana likes tea", tags=("drink", "hot"), metadata={"by": "model", "page": 3})
    with MemoryManager(":memory:", embedder=None, extractor=ScriptedExtractor([[found]])) as memory:
        tags = [f"tag {number}" for number in range(31)]
        outcome = memory.remember("Ana likes tea.", evolve=True, tags=tags, metadata={"by": "me"})
    assert outcome.memory is not None
    assert outcome.memory.metadata == {"by": "me", "page": 3}
    assert outcome.memory.tags == (*tags, "drink")


def test_the_words_of_a_memory_with_a_ttl_are_in_no_other(opened: OpenLog) -> None:
    log = opened(decider=Scripted(judged("UPDATE", content="The meeting room 7741 has a green door")))
    known = log.add("The meeting room 7741 has a blue door", ttl=100 * DAY)
    assert log.add(SAID, evolve=True).status == "updated"
    assert log.live() == {SAID}
    assert log.get(known).valid_until == log.days(1)
