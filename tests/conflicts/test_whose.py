"""Only memories that the same eyes see meet one another."""

from __future__ import annotations

from tests.conflicts.memory_log import MemoryLog


def test_a_private_memory_never_closes_a_common_one(log: MemoryLog) -> None:
    ana = log.memory.scoped(user="ana")
    scout, clerk = ana.scoped(agent="scout"), ana.scoped(agent="clerk")
    ana.remember("Mia lives in Rome")
    private = scout.remember("Mia lives in Oslo", source_type="system")
    assert private.status == "pending"
    assert clerk.recall("where does Mia live?").texts == ("Mia lives in Rome",)
    assert set(scout.recall("where does Mia live?").texts) == {"Mia lives in Rome", "Mia lives in Oslo"}


def test_a_common_memory_closes_private_ones(log: MemoryLog) -> None:
    ana = log.memory.scoped(user="ana")
    ana.scoped(agent="scout").remember("Mia lives in Oslo")
    assert ana.remember("Mia lives in Rome").status == "updated"
    assert ana.scoped(agent="scout").recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_two_agents_hold_two_opinions(log: MemoryLog) -> None:
    ana = log.memory.scoped(user="ana")
    for agent, place in (("scout", "Oslo"), ("clerk", "Rome")):
        assert ana.scoped(agent=agent).remember(f"Mia lives in {place}").status == "created"
    assert ana.scoped(agent="scout").remember("Mia moved to Bern").status == "updated"
    assert ana.scoped(agent="clerk").recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_two_users_never_meet(log: MemoryLog) -> None:
    for user, place in (("ana", "Oslo"), ("bo", "Rome"), (None, "Bern")):
        view = log.memory if user is None else log.memory.scoped(user=user)
        outcome = view.remember(f"Mia lives in {place}", source_type="user_input")
        assert (outcome.status, outcome.memory.links) == ("created", ())
    assert log.memory.scoped(user="ana").remember("Mia no longer lives in Rome").status == "created"
    assert (
        log.memory.scoped(user="ana").remember("Actually, Mia lives in Rome", source_type="system").status
        == "corrected"
    )
    assert log.memory.scoped(user="bo").recall("where does Mia live?").texts == ("Mia lives in Rome",)
    assert log.memory.count() == 4


def test_two_orgs_never_meet(log: MemoryLog) -> None:
    log.memory.remember("Mia lives in Rome")
    other = log.memory.for_org("other")
    assert other.remember("Mia lives in Oslo").status == "created"
    assert other.remember("Mia no longer lives in Rome").status == "created"
    assert log.memory.recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_the_first_person_is_the_speaker(log: MemoryLog) -> None:
    for user, place in (("ana", "Oslo"), ("bo", "Rome")):
        log.memory.scoped(user=user).remember(f"I live in {place}")
    moved = log.memory.scoped(user="ana").remember("I moved to Bern")
    assert moved.status == "updated"
    assert log.memory.scoped(user="bo").count() == 1
    ana = log.memory.scoped(user="ana")
    ana.remember("I like tea", actor="Mia")
    assert ana.remember("I no longer like tea", actor="Leo").status == "created"
    assert "I like tea" in {m.content for m in ana.iter_memories()}
