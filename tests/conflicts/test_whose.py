"""Only memories that the same eyes see meet one another."""

from __future__ import annotations

from tests.conflicts.told import Told


def test_a_private_memory_never_closes_a_common_one(told: Told) -> None:
    ana = told.memory.scoped(user="ana")
    scout, clerk = ana.scoped(agent="scout"), ana.scoped(agent="clerk")
    ana.remember("Mia lives in Rome")
    private = scout.remember("Mia lives in Oslo", source_type="system")
    assert private.status == "pending"
    assert clerk.recall("where does Mia live?").texts == ("Mia lives in Rome",)
    assert set(scout.recall("where does Mia live?").texts) == {"Mia lives in Rome", "Mia lives in Oslo"}


def test_a_common_memory_closes_private_ones(told: Told) -> None:
    ana = told.memory.scoped(user="ana")
    ana.scoped(agent="scout").remember("Mia lives in Oslo")
    assert ana.remember("Mia lives in Rome").status == "updated"
    assert ana.scoped(agent="scout").recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_two_agents_hold_two_opinions(told: Told) -> None:
    ana = told.memory.scoped(user="ana")
    for agent, place in (("scout", "Oslo"), ("clerk", "Rome")):
        assert ana.scoped(agent=agent).remember(f"Mia lives in {place}").status == "created"
    assert ana.scoped(agent="scout").remember("Mia moved to Bern").status == "updated"
    assert ana.scoped(agent="clerk").recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_two_users_never_meet(told: Told) -> None:
    for user, place in (("ana", "Oslo"), ("bo", "Rome"), (None, "Bern")):
        view = told.memory if user is None else told.memory.scoped(user=user)
        outcome = view.remember(f"Mia lives in {place}", source_type="user_input")
        assert (outcome.status, outcome.memory.links) == ("created", ())
    assert told.memory.scoped(user="ana").remember("Mia no longer lives in Rome").status == "created"
    assert (
        told.memory.scoped(user="ana").remember("Actually, Mia lives in Rome", source_type="system").status
        == "corrected"
    )
    assert told.memory.scoped(user="bo").recall("where does Mia live?").texts == ("Mia lives in Rome",)
    assert told.memory.count() == 4


def test_two_orgs_never_meet(told: Told) -> None:
    told.memory.remember("Mia lives in Rome")
    other = told.memory.for_org("other")
    assert other.remember("Mia lives in Oslo").status == "created"
    assert other.remember("Mia no longer lives in Rome").status == "created"
    assert told.memory.recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_who_says_i_is_who_is_meant(told: Told) -> None:
    for user, place in (("ana", "Oslo"), ("bo", "Rome")):
        told.memory.scoped(user=user).remember(f"I live in {place}")
    moved = told.memory.scoped(user="ana").remember("I moved to Bern")
    assert moved.status == "updated"
    assert told.memory.scoped(user="bo").count() == 1
    ana = told.memory.scoped(user="ana")
    ana.remember("I like tea", actor="Mia")
    assert ana.remember("I no longer like tea", actor="Leo").status == "created"
    assert "I like tea" in {m.content for m in ana.iter_memories()}
