"""An assistant that repeats what it was reminded of tells nothing new: its turn is linked, and worth least."""

from __future__ import annotations

import pytest

from engrain import MemoryManager
from engrain.conversation.sessions import repeats

KNOWN = "Ana is allergic to penicillin since 2019"


def test_a_repeated_memory_is_derived_from_and_worth_least(memory: MemoryManager) -> None:
    known = memory.remember(KNOWN, source_type="user_input")
    assert memory.recall("what is Ana allergic to?")
    memory.add_message("user", "What can I take?", session="s")
    turn = memory.add_message("assistant", "You are allergic to penicillin.", session="s")
    kept = memory.get(turn.id)
    assert kept is not None
    assert kept.importance == 0.0
    assert [(link.relation, link.memory_id) for link in kept.links] == [("derived_from", known.id)]
    assert kept.trust == 0.7
    assert memory.recall("what is Ana allergic to?")[0].id == known.id


def test_it_counts_although_the_access_is_not_written_yet_and_after_it_is(memory: MemoryManager) -> None:
    memory.remember(KNOWN)
    memory.recall("what is Ana allergic to?")
    memory.add_message("user", "What can I take?", session="s")
    for _ in range(2):
        turn = memory.add_message("assistant", "Ana is allergic to penicillin.", session="s")
        assert memory.get(turn.id).importance == 0.0  # type: ignore[union-attr]
        memory.flush()


def test_memories_not_recalled_are_not_repeated(memory: MemoryManager) -> None:
    memory.remember(KNOWN)
    memory.add_message("user", "What can I take?", session="s")
    turn = memory.add_message("assistant", "You are allergic to penicillin.", session="s")
    assert memory.get(turn.id).links == ()  # type: ignore[union-attr]


def test_a_user_who_says_it_again_says_it(memory: MemoryManager) -> None:
    memory.remember(KNOWN)
    memory.recall("what is Ana allergic to?")
    turn = memory.add_message("user", "Ana is allergic to penicillin", session="s")
    assert memory.get(turn.id).importance > 0.2  # type: ignore[union-attr]


def test_another_users_memory_is_not_repeated(memory: MemoryManager) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    ana.remember(KNOWN)
    ana.recall("what is Ana allergic to?")
    bo.add_message("user", "What can I take?", session="s")
    turn = bo.add_message("assistant", "Ana is allergic to penicillin.", session="s")
    assert bo.get(turn.id).links == ()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("said", "repeated"),
    [
        ("Ana is allergic to penicillin.", True),
        ("As you told me earlier, you are allergic to penicillin. Sure!", True),
        ("Ana is allergic to penicillin and nuts.", False),
        ("Ana is not allergic to penicillin.", False),
        ("Ana is allergic to penicillin since 2020.", False),
        ("Penicillin is what Ana is allergic to.", False),
        ("Penicillin!", False),
        ("Sure, I remember.", False),
        ("", False),
    ],
)
def test_a_repeat_adds_nothing(said: str, repeated: bool) -> None:
    assert repeats(said, KNOWN) is repeated
