"""Questions that name a time: what happened then comes first, and nothing is filtered away."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock

DAYS = {
    "2025-12-29": "We walked by the river",
    "2026-01-04": "We walked in the park",
    "2025-11-12": "We walked on the hill",
    "2025-03-20": "We walked at the seaside",
    "2019-06-01": "We walked in the old town",
}


@pytest.fixture
def walks(memory: MemoryManager) -> MemoryManager:
    """A memory of five walks; today is Monday, 5 January 2026."""
    memory.remember_many({"content": text, "valid_from": f"{day}T09:00:00Z"} for day, text in DAYS.items())
    return memory


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("where did we walk yesterday?", "2026-01-04"),
        ("where did we walk last week?", "2025-12-29"),
        ("where did we walk in November?", "2025-11-12"),
        ("where did we walk on 20 March 2025?", "2025-03-20"),
        ("where did we walk on 2025-11-12?", "2025-11-12"),
        ("where did we walk in 2019?", "2019-06-01"),
    ],
)
def test_an_event_of_the_asked_date_comes_first(walks: MemoryManager, question: str, day: str) -> None:
    assert walks.recall(question).texts[0] == DAYS[day]


def test_the_rest_is_found_too(walks: MemoryManager) -> None:
    assert len(walks.recall("where did we walk yesterday?")) == len(DAYS)


def test_a_question_of_nothing_but_a_date_finds_what_happened_then(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "words.db", embedder=None, clock=clock) as memory:
        memory.remember_many({"content": text, "valid_from": f"{day}T09:00:00Z"} for day, text in DAYS.items())
        assert memory.recall("on 20 March 2025?").texts == (DAYS["2025-03-20"],)


def test_the_latest_of_two_alike_comes_first_when_asked_for(memory: MemoryManager) -> None:
    for day in ("2026-01-02", "2024-01-02"):
        memory.remember("We had soup", valid_from=f"{day}T09:00:00Z", kind="episodic", session=day)
    assert memory.recall("the last time we had soup").memories[0].scope.session == "2026-01-02"


@pytest.mark.parametrize(
    ("question", "moved", "other"),
    [
        ("Where is the archive?", "Ana moved the archive to Turin.", "The archive key is with Sven."),
        ("Where is the archive now?", "Ana moved the archive to Turin.", "The archive key is with Sven."),
        ("Wo ist das Archiv jetzt?", "Ana hat das Archiv nach Turin gebracht.", "Das Archiv gehört Sven."),
        ("¿Dónde está el archivo ahora?", "Ana llevó el archivo a Turín.", "El archivo lo cuida Sven."),
        ("Où est l'archive maintenant ?", "Ana a déplacé l'archive à Turin.", "Sven garde l'archive."),
    ],
)
def test_of_a_place_the_newest_answer_leads_and_not_what_was_said_last(
    memory: MemoryManager, question: str, moved: str, other: str
) -> None:
    memory.remember(moved, valid_from="2026-01-02T09:00:00Z")
    memory.remember(other, valid_from="2026-01-03T09:00:00Z")
    assert memory.recall(question).texts[0] == moved


def test_time_words_are_relative_to_the_questions_own_clock(walks: MemoryManager) -> None:
    assert walks.recall("where did we walk yesterday?", now="2025-03-21T10:00:00Z").texts[0] == DAYS["2025-03-20"]


def test_what_a_date_found_says_so(walks: MemoryManager) -> None:
    hit = walks.recall("where did we walk yesterday?")[0]
    signals = {signal.name: signal for signal in hit.signals}
    assert signals["time"].rank == 1
    assert signals["x date"].value == 1.5


def test_what_was_understood_is_in_the_trace(walks: MemoryManager) -> None:
    understood = walks.recall("where did we walk yesterday?").trace[0]
    assert "day 2026-01-04 to 2026-01-05" in understood.notes


def test_since_and_until_filter_where_words_only_prefer(walks: MemoryManager) -> None:
    found = walks.recall("where did we walk yesterday?", since="2025-11-01", until="2025-12-01")
    assert found.texts == (DAYS["2025-11-12"],)


def test_what_is_stated_a_few_days_later_still_gains(memory: MemoryManager) -> None:
    memory.remember("The picnic was lovely", valid_from="2025-06-12T09:00:00Z", kind="episodic", session="a")
    memory.remember("The picnic was lovely", valid_from="2024-06-12T09:00:00Z", kind="episodic", session="b")
    assert memory.recall("the picnic on 10 June 2025").memories[0].scope.session == "a"


@pytest.mark.parametrize("question", ["on 31 February 2025", "in the year 99999", "99/99/9999", "yesterday " * 200])
def test_a_date_that_is_none_harms_nothing(walks: MemoryManager, question: str) -> None:
    assert len(walks.recall(f"where did we walk {question}?")) == len(DAYS)
