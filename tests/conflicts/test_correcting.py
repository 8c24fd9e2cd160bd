"""A world that changed and a mistake are two things: one has an end, the other was never so."""

from __future__ import annotations

import pytest

from tests.conflicts.memory_log import MemoryLog, texts


@pytest.mark.parametrize("text", ["Ana moved to Oslo", "Ana lives in Oslo", "Ana now lives in Oslo"])
def test_a_changed_value_was_true_until_then(log: MemoryLog, text: str) -> None:
    rome = log.add("Ana lives in Rome")
    outcome = log.add(text)
    assert outcome.status == "updated"
    assert (log.get(rome).valid_until, log.get(rome).believed_until) == (log.days(1), None)
    assert texts(log.memory.recall("Ana lives", as_of=log.days(0.5))) == {"Ana lives in Rome"}


@pytest.mark.parametrize(
    "text", ["Actually, Ana lives in Oslo", "Correction: Ana lives in Oslo", "Ana lives in Oslo, not in Rome"]
)
def test_a_corrected_value_was_never_true_but_believed(log: MemoryLog, text: str) -> None:
    rome = log.add("Ana lives in Rome")
    outcome = log.add(text)
    assert outcome.status == "corrected"
    wrong = log.get(rome)
    assert (wrong.superseded_by, wrong.believed_until) == (outcome.id, log.days(1))
    assert wrong.valid_until is None
    assert "Ana lives in Rome" not in texts(log.memory.recall("Ana lives", as_of=log.days(0.5)))
    assert texts(log.memory.recall("Ana lives", known_at=log.days(0.5))) == {"Ana lives in Rome"}
    assert log.past(rome) == ["Ana lives in Rome", text]


@pytest.mark.parametrize(
    ("known", "text", "status"),
    [
        ("The deadline is June 3", "Correction: the deadline is June 5", "corrected"),
        ("The launch is on 3 May", "Actually, the launch is on 5 May", "corrected"),
        ("Ana's flight lands on Monday", "Actually, Ana's flight lands on Tuesday", "pending"),
        ("Ana's sister is Eva", "Actually, Ana's sister is Iva", "pending"),
        ("Ana likes coffee", "Actually, Ana likes tea", "created"),
    ],
)
def test_a_correction_closes_what_has_one_value_and_waits_beside_what_may_have_several(
    log: MemoryLog, known: str, text: str, status: str
) -> None:
    old = log.add(known)
    assert log.add(text).status == status
    assert log.get(old).is_superseded is (status == "corrected")


@pytest.mark.parametrize(
    ("known", "ending"),
    [
        ("Ana lives in Rome", "Ana no longer lives in Rome"),
        ("Ana works at Acme", "Ana no longer works at Acme"),
        ("Ana uses Vim", "Ana stopped using Vim"),
        ("Ana likes tea", "Ana doesn't like tea anymore"),
    ],
)
def test_an_ended_fact_is_closed(log: MemoryLog, known: str, ending: str) -> None:
    log.add(known)
    other = log.add("Bo lives in Rome")
    outcome = log.add(ending)
    assert (outcome.status, outcome.decision.stage) == ("updated", "4 markers")
    assert log.live() == {ending, other.memory.content}


@pytest.mark.parametrize(
    "text",
    [
        "Ana no longer likes coffee",
        "Bo no longer likes tea",
        "Ana is not sure whether she no longer likes tea",
        "Does Ana no longer like tea?",
        "Nobody says that Ana likes coffee",
    ],
)
def test_a_memory_that_is_not_certainly_addressed_stays(log: MemoryLog, text: str) -> None:
    log.add("Ana likes tea")
    log.add(text)
    assert "Ana likes tea" in log.live()


def test_a_bare_denial_waits_for_a_verdict(log: MemoryLog) -> None:
    log.add("The office door is open")
    outcome = log.add("The office door is not open")
    assert outcome.status == "pending"
    assert len(log.live()) == 2
    log.memory.validate(outcome.id)
    assert log.live() == {"The office door is not open"}


def test_a_text_that_names_the_ended_value_ends_only_that(log: MemoryLog) -> None:
    for text in ("Ana uses Vim", "Ana uses Emacs", "Ana uses Nano"):
        log.add(text)
    log.add("Ana switched from Vim to Helix")
    assert log.live() == {"Ana uses Emacs", "Ana uses Nano", "Ana switched from Vim to Helix"}
