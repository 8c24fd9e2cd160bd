"""What one key writes under many names is said by one: it bears nothing out, across calls, files and restarts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, Remembered, Settings
from engrain.model.memory import actor_context
from engrain.testing import FrozenClock

ROME, PLACE = "Ana lives in Rome", ("Bo", "works_at", "Acme")
ONE, OTHER = "key:key_one", "key:key_other"


@pytest.fixture
def quiet(tmp_path: Path, clock: FrozenClock) -> MemoryManager:
    return MemoryManager(tmp_path / "memory.db", embedder=None, clock=clock, settings=Settings(worker="none"))


def say(memory: MemoryManager, key: str | None, text: str = ROME, source: str = "", **more: Any) -> Remembered:
    with actor_context(key):
        return memory.remember(text, source_id=source, **{"source_type": "external_data", **more})


def trust(memory: MemoryManager, said: Remembered) -> float:
    found = memory.get(str(said.id))
    assert found is not None
    return found.trust


def test_five_sources_of_one_key_raise_nothing_and_another_key_does(quiet: MemoryManager) -> None:
    said = say(quiet, ONE, source="a")
    for number in range(5):
        say(quiet, ONE, source=f"feed {number}")
    assert trust(quiet, said) == 0.3
    say(quiet, OTHER, source="z")
    assert trust(quiet, said) == 0.6


def test_actors_and_agents_that_its_caller_names_make_it_no_more_voices(quiet: MemoryManager) -> None:
    said = say(quiet, ONE, source="a", actor="mallory")
    for number in range(5):
        say(quiet, ONE, source=f"feed {number}", actor=f"somebody {number}")
        say(quiet, ONE, source=f"page {number}", actor=OTHER)
    assert trust(quiet, said) == 0.3
    facts = [
        say(quiet.scoped(agent=f"agent {n}"), ONE, f"Bo works at Acme, says {n}", source=f"s{n}", fact=PLACE)
        for n in range(5)
    ]
    assert {trust(quiet, each) for each in facts} == {0.3}


def test_the_order_does_not_matter(quiet: MemoryManager) -> None:
    said = say(quiet, OTHER, source="z")
    for number in range(5):
        say(quiet, ONE, source=f"feed {number}")
    assert trust(quiet, said) == 0.6
    again = say(quiet, ONE, "Bo works at Acme", source="a")
    say(quiet, ONE, "Bo works at Acme", source="b")
    assert trust(quiet, again) == 0.3


def test_the_application_bears_out_what_a_key_says_and_the_other_way_round(quiet: MemoryManager) -> None:
    said = say(quiet, ONE, source="a")
    say(quiet, None, source="b")
    assert trust(quiet, said) == 0.6
    other = say(quiet, None, "Bo works at Acme", source="a")
    say(quiet, ONE, "Bo works at Acme", source="b")
    assert trust(quiet, other) == 0.6


def test_it_holds_across_restarts(tmp_path: Path) -> None:
    settings = Settings(worker="none")
    for number in range(4):
        with MemoryManager(tmp_path / "memory.db", embedder=None, settings=settings) as memory:
            said = say(memory, ONE, source=f"feed {number}")
            assert trust(memory, said) == 0.3
    with MemoryManager(tmp_path / "memory.db", embedder=None, settings=settings) as memory:
        assert trust(memory, say(memory, OTHER, source="z")) == 0.6


def test_the_same_fact_in_other_words_is_one_voice_too(quiet: MemoryManager) -> None:
    one = say(quiet, ONE, "Bo works at Acme", source="a", fact=PLACE)
    two = say(quiet, ONE, "Acme is where Bo works", source="b", fact=PLACE)
    assert trust(quiet, one) == trust(quiet, two) == 0.3
    three = say(quiet, OTHER, "Bo has a job at Acme", source="c", fact=PLACE)
    assert [trust(quiet, each) for each in (one, two, three)] == [0.6] * 3
    quiet.forget(str(three.id))
    assert [trust(quiet, each) for each in (one, two)] == [0.3] * 2


def many(memory: MemoryManager, key: str) -> None:
    with actor_context(key):
        memory.remember_many(
            [{"content": ROME, "source_type": "external_data", "source_id": f"{key} {n}"} for n in range(5)]
        )


def test_one_batch_is_one_voice(quiet: MemoryManager) -> None:
    many(quiet, ONE)
    (held,) = quiet.list_memories()
    assert held.trust == 0.3
    many(quiet, OTHER)
    (held,) = quiet.list_memories()
    assert held.trust == 0.6


def test_the_editor_of_a_memory_is_its_author_from_then_on(quiet: MemoryManager) -> None:
    said = say(quiet, OTHER, "Ana lives in Oslo", source="z")
    with actor_context(ONE):
        quiet.update(str(said.id), content=ROME)
    say(quiet, ONE, source="a")
    assert trust(quiet, said) == 0.3
    say(quiet, OTHER, source="b")
    assert trust(quiet, said) == 0.6


def test_an_edit_of_its_tags_keeps_its_author(quiet: MemoryManager) -> None:
    said = say(quiet, ONE, source="a")
    with actor_context(OTHER):
        quiet.update(str(said.id), tags=["home"])
    say(quiet, ONE, source="b")
    assert trust(quiet, said) == 0.3


def test_an_application_that_edits_it_takes_it_over(quiet: MemoryManager) -> None:
    said = say(quiet, ONE, "Ana lives in Oslo", source="a")
    quiet.update(str(said.id), content=ROME)
    say(quiet, ONE, source="b")
    assert trust(quiet, said) == 0.6


def test_a_better_source_is_attributed_to_its_writer(quiet: MemoryManager) -> None:
    said = say(quiet, OTHER, source="page")
    say(quiet, ONE, source="tool", source_type="tool_result")
    say(quiet, ONE, source="tool two", source_type="tool_result")
    assert trust(quiet, said) == 0.6  # that of one tool
    say(quiet, OTHER, source="tool three", source_type="tool_result")
    assert trust(quiet, said) == 0.7


def test_an_import_is_attributed_to_the_importer(quiet: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "other.db", embedder=None, clock=clock) as other:
        other.remember(ROME, source_id="a", source_type="external_data")
        other.export(tmp_path / "rows.jsonl")
    with actor_context(ONE):
        quiet.import_(tmp_path / "rows.jsonl")
    (held,) = quiet.list_memories()
    say(quiet, ONE, source="b")
    assert quiet.get(held.id).trust == 0.3  # type: ignore[union-attr]
    say(quiet, OTHER, source="c")
    assert quiet.get(held.id).trust == 0.6  # type: ignore[union-attr]


Learning = Callable[[MemoryManager], object]


def pressed(memory: MemoryManager) -> None:
    """Let another key ask for consolidation."""
    with actor_context(OTHER):
        memory.consolidate()


@pytest.mark.parametrize("learn", [lambda m: m.consolidate(), pressed], ids=["the application", "another key"])
def test_what_is_learnt_from_its_episodes_is_its_word_still(quiet: MemoryManager, learn: Learning) -> None:
    def remember_as(key: str, day: int, source: str) -> None:
        with actor_context(key):
            quiet.remember(
                "I live in Rome",
                kind="episodic",
                source_type="external_data",
                source_id=source,
                actor="ana",
                session=f"day {day}",
                valid_from=f"2026-01-0{day}T10:00:00+00:00",
            )

    remember_as(ONE, 1, "a")
    learn(quiet)
    facts = quiet.list_memories(kinds=["semantic"])
    assert [each.trust for each in facts] == [0.3]
    remember_as(ONE, 2, "b")
    learn(quiet)
    assert [each.trust for each in quiet.list_memories(kinds=["semantic"])] == [0.3]
    remember_as(OTHER, 3, "c")
    learn(quiet)
    assert [each.trust for each in quiet.list_memories(kinds=["semantic"])] == [0.6]
