"""A pronoun means whom the turns before name, in whatever way the turns are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from engrain import MemoryManager, Settings


def _add(memory: MemoryManager, turns: Sequence[str]) -> None:
    for turn in turns:
        memory.add_message("user", turn, session="chat")


def _in_one_call(memory: MemoryManager, turns: Sequence[str]) -> None:
    memory.remember_messages([{"role": "user", "content": turn} for turn in turns])


def _in_a_session(memory: MemoryManager, turns: Sequence[str]) -> None:
    memory.remember_messages([{"role": "user", "content": turn} for turn in turns], session="chat")


def _one_by_one(memory: MemoryManager, turns: Sequence[str]) -> None:
    for turn in turns:
        memory.remember(turn)


KEPT = [_add, _in_one_call, _in_a_session, _one_by_one]
CHANGED = """
My cousin lives in Arles. / She moved to Lens. | Where does my cousin live? | Lens
Meine Nachbarin wohnt in Jena. / Sie ist nach Gera gezogen. | Wo wohnt meine Nachbarin? | Gera
The pottery class costs 55 euros. / It went up to 62. / Now it's even 66. | How much is the pottery class? | 66
Our ferry leaves at 6:50. / They moved it to 7:20. | When does our ferry leave? | 7:20
My interview is on Tuesday at 4. / No wait, Thursday. | Which day is my interview? | December
"""


def _memory() -> MemoryManager:
    return MemoryManager(":memory:", llm="none", settings=Settings(worker="none"))


@pytest.mark.matrix
@pytest.mark.parametrize("keep", KEPT)
@pytest.mark.parametrize("row", CHANGED.strip().splitlines())
def test_the_newest_statement_answers(row: str, keep: Callable[[MemoryManager, Sequence[str]], None]) -> None:
    turns, question, expected = row.split(" | ")
    with _memory() as memory:
        keep(memory, turns.split(" / "))
        memory.flush()
        assert expected in memory.synthesize(question).synthesis["answer"]


@pytest.mark.parametrize("keep", KEPT)
def test_a_changed_antecedent_closes_the_older_fact(keep: Callable[[MemoryManager, Sequence[str]], None]) -> None:
    with _memory() as memory:
        keep(memory, ["My sister lives in Ghent.", "She moved to Bruges."])
        memory.flush()
        assert [each.content for each in memory.iter_memories(status="superseded")] == ["My sister lives in Ghent."]
        assert "My sister moved to Bruges." in [each.content for each in memory.iter_memories()]


@pytest.mark.parametrize(
    "turns",
    [
        ["My brother lives in Ghent.", "She moved to Bruges."],
        ["My sister lives in Ghent.", "Karla and Ines came by.", "She moved to Bruges."],
    ],
)
@pytest.mark.parametrize("keep", KEPT)
def test_an_ambiguous_pronoun_closes_nothing(
    turns: Sequence[str], keep: Callable[[MemoryManager, Sequence[str]], None]
) -> None:
    with _memory() as memory:
        keep(memory, turns)
        memory.flush()
        assert not list(memory.iter_memories(status="superseded"))


def test_a_name_by_an_assistant_in_between_is_not_the_antecedent() -> None:
    with _memory() as memory:
        memory.add_message("user", "My sister lives in Ghent.", session="chat")
        memory.add_message("assistant", "Has Karla moved as well?", session="chat")
        memory.add_message("user", "She moved to Bruges.", session="chat")
        memory.flush()
        assert not list(memory.iter_memories(status="superseded"))


def test_turns_of_another_user_explain_no_pronoun() -> None:
    with _memory() as memory:
        memory.scoped(user="ana").remember_messages([{"role": "user", "content": "My sister lives in Ghent."}])
        memory.scoped(user="ben").remember_messages([{"role": "user", "content": "She moved to Bruges."}])
        memory.flush()
        assert not list(memory.iter_memories(status="superseded"))
        assert "Bruges" not in memory.scoped(user="ana").synthesize("Where does my sister live?").synthesis["answer"]


def test_a_forgotten_turn_explains_no_pronoun() -> None:
    with _memory() as memory:
        (first,) = memory.remember_messages([{"role": "user", "content": "My sister lives in Ghent."}], session="chat")
        memory.forget(first.id)
        memory.remember_messages([{"role": "user", "content": "She moved to Bruges."}], session="chat")
        memory.flush()
        assert "My sister moved to Bruges." not in [each.content for each in memory.iter_memories()]
