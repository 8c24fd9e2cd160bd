"""A given name may be the one full name with it: proposed where that is unambiguous, and left open otherwise."""

from __future__ import annotations

import pytest

from engrain import MemoryManager


def proposed(memory: MemoryManager) -> set[tuple[str, str]]:
    found = [item.merge for item in memory.review(kind="merge")]
    return {(merge.keep.name, merge.other.name) for merge in found if merge is not None}


@pytest.mark.parametrize(
    "texts",
    [
        ("Omar Haddad lives in Beirut.", "I had lunch with Omar."),
        ("I had lunch with Omar.", "Omar Haddad lives in Beirut."),
        ("Omar Haddad lives in Beirut, and Omar likes jazz.",),
        ("Ich war mit Omar essen.", "Omar Haddad wohnt in Wien."),
    ],
)
def test_a_given_name_is_proposed_to_be_the_one_with_it(texts: tuple[str, ...]):
    memory = MemoryManager(":memory:", user="ana")
    for text in texts:
        memory.remember(text)
    assert proposed(memory) == {("Omar Haddad", "Omar")}
    assert memory.graph.merges() == []


def test_a_verdict_joins_them():
    memory = MemoryManager(":memory:", user="ana")
    memory.remember("Omar Haddad lives in Beirut.")
    memory.remember("I had lunch with Omar.")
    (item,) = memory.review(kind="merge")
    memory.validate(item.id)
    assert len(memory.recall_entity("person", "Omar Haddad")) == 2
    assert len(memory.recall_entity("person", "Omar")) == 2


def test_two_full_names_leave_it_open():
    memory = MemoryManager(":memory:", user="ana")
    memory.remember("Omar Haddad lives in Beirut.")
    memory.remember("Omar Sayed lives in Cairo.")
    memory.remember("I had lunch with Omar.")
    assert proposed(memory) == set()
    later = MemoryManager(":memory:", user="ana")
    later.remember("Omar Haddad lives in Beirut.")
    later.remember("I had lunch with Omar.")
    later.remember("Omar Sayed lives in Cairo.")
    assert proposed(later) == set()


def test_scopes_and_other_names_are_apart():
    everybody = MemoryManager(":memory:")
    memory, other = everybody.scoped(user="ana"), everybody.scoped(user="bo")
    memory.remember("Omar Haddad lives in Beirut.")
    other.remember("I had lunch with Omar.")
    memory.remember("Florence is rainy, and I like Florence Nightingale.")
    memory.remember("Kestrel Labs hired the Kestrel team.")
    assert proposed(memory) == set()
    assert proposed(other) == set()


def test_a_memory_that_another_agent_knows_alone_is_not_proposed():
    memory = MemoryManager(":memory:", user="ana")
    memory.scoped(agent="scout").remember("Omar Haddad lives in Beirut.")
    memory.scoped(agent="coach").remember("I had lunch with Omar.")
    assert proposed(memory.scoped(agent="coach")) == set()


def test_a_refused_one_is_not_proposed_again():
    memory = MemoryManager(":memory:", user="ana")
    memory.remember("Omar Haddad lives in Beirut.")
    memory.remember("I had lunch with Omar.")
    (item,) = memory.review(kind="merge")
    memory.reject(item.id)
    memory.remember("Omar called.")
    assert proposed(memory) == set()
