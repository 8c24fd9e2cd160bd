"""Recall: the right memory first, every filter inside the search, an answer whatever the question."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import Kind, MemoryManager, ScopeMissing
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock

FACTS = [
    "Ana is allergic to penicillin",
    "The car is parked on level three of the garage",
    "Ben plays the cello in an orchestra",
    "The wifi password is hunter2",
    "Fedora 41 ships a fix for CVE-2024-3094",
    "The quarterly report is due on Friday",
]


@pytest.fixture
def facts(memory: MemoryManager) -> MemoryManager:
    """A memory of six plain facts."""
    memory.remember_many({"content": fact} for fact in FACTS)
    return memory


@pytest.fixture
def wordless(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """The six facts without an embedder."""
    with MemoryManager(tmp_path / "words.db", embedder=None, clock=clock) as manager:
        manager.remember_many({"content": fact} for fact in FACTS)
        yield manager


QUESTIONS = [
    ("what is Ana allergic to?", 0),
    ("where did I park the car?", 1),
    ("which instrument does Ben play?", 2),
    ("WIFI PASSWORD", 3),
    ("cve-2024-3094", 4),
    ("when is the report due?", 5),
]


@pytest.mark.parametrize(("question", "fact"), QUESTIONS)
def test_the_right_memory_comes_first(facts: MemoryManager, question: str, fact: int) -> None:
    assert facts.recall(question).texts[0] == FACTS[fact]


@pytest.mark.parametrize(("question", "fact"), QUESTIONS)
def test_words_alone_find_it_too(wordless: MemoryManager, question: str, fact: int) -> None:
    assert wordless.recall(question).texts[0] == FACTS[fact]


def test_meaning_finds_what_shares_no_word(facts: MemoryManager) -> None:
    assert facts.recall("musician").texts[0] == FACTS[2]


def test_scores_fall_and_none_comes_twice(facts: MemoryManager) -> None:
    found = facts.recall("the car report password")
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.id for hit in found}) == len(found)


@pytest.mark.parametrize("question", [*(question for question, _ in QUESTIONS), "zebra", "the of"])
def test_relevance_is_between_0_and_1(facts: MemoryManager, question: str) -> None:
    assert all(0.0 <= hit.relevance <= 1.0 for hit in facts.recall(question))


def test_k_cuts(facts: MemoryManager) -> None:
    whole = facts.recall("the car report password", k=6)
    assert list(facts.recall("the car report password", k=2)) == list(whole[:2])


def test_the_same_question_has_the_same_answer(facts: MemoryManager) -> None:
    first, again = (facts.recall("the car report", touch=False) for _ in range(2))
    assert [(hit.id, hit.score) for hit in first] == [(hit.id, hit.score) for hit in again]


class TestQuestionsThatSayLittle:
    def test_an_empty_one_ranks_by_recency_and_importance(self, memory: MemoryManager) -> None:
        memory.remember("old", valid_from="2020-01-01T00:00:00Z", importance=0.5)
        memory.remember("new", valid_from="2026-01-01T00:00:00Z", importance=0.5)
        memory.remember("new and grave", valid_from="2026-01-01T00:00:00Z", importance=0.9)
        assert memory.recall("").texts == memory.recall(" \n").texts == ("new and grave", "new", "old")

    @pytest.mark.parametrize("question", ["the of and", "what is it?", "?!…"])
    def test_stop_words_raise_nothing(self, facts: MemoryManager, wordless: MemoryManager, question: str) -> None:
        assert len(facts.recall(question)) <= len(FACTS)
        assert len(wordless.recall(question)) <= len(FACTS)

    def test_an_unknown_word_finds_nothing_by_words(self, wordless: MemoryManager) -> None:
        assert wordless.recall("zebra").texts == ()

    def test_none_wanted_is_none_found(self, facts: MemoryManager) -> None:
        assert len(facts.recall("car", k=0)) == 0

    def test_an_empty_memory_answers_nothing(self, memory: MemoryManager) -> None:
        assert memory.recall("anything").texts == memory.recall("").texts == ()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("アナは東京に住んでいます", "東京"),
        ("李明对花生过敏", "花生过敏"),
        ("안나는 서울에서 일한다", "서울"),
        ("Анна живёт в Тбилиси", "тбилиси"),
        ("Η Άννα μένει στην Αθήνα", "ΑΘΉΝΑ"),
        ("Zoë mag Käsekuchen", "käsekuchen"),
        ("the cafe\u0301 opens at nine", "café"),
        ("we shipped 🚀 today", "shipped 🚀"),
    ],
)
def test_any_script_is_found(wordless: MemoryManager, text: str, question: str) -> None:
    wordless.remember(text)
    assert wordless.recall(question).texts[0] == text


class TestWithoutMeaning:
    def test_no_embedder_is_said(self, wordless: MemoryManager) -> None:
        (meaning,) = (stage for stage in wordless.recall("car").trace if stage.name == "meaning")
        assert meaning.notes == ("no embedder: words only",)

    def test_an_embedder_that_fails_at_the_question_leaves_the_words(
        self, tmp_path: Path, clock: FrozenClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        with MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(), clock=clock) as before:
            before.remember_many({"content": fact} for fact in FACTS)
        with MemoryManager(tmp_path / "memory.db", embedder=FailingEmbedder(), clock=clock) as memory:
            found = memory.recall("wifi password")
        assert found.texts[0] == FACTS[3]
        assert any("failed: words only" in note for stage in found.trace for note in stage.notes)
        assert any(record.levelno == logging.WARNING for record in caplog.records)

    def test_a_question_of_unknown_words_is_said(self, tmp_path: Path, clock: FrozenClock) -> None:
        class Deaf(FakeEmbedder):
            def embed_query(self, text: str) -> list[float]:
                return [0.0] * self.dimensions

        with MemoryManager(tmp_path / "memory.db", embedder=Deaf(), clock=clock) as memory:
            memory.remember(FACTS[0])
            found = memory.recall("penicillin")
        assert found.texts == (FACTS[0],)
        assert any("knows none of the question's words" in note for stage in found.trace for note in stage.notes)


# Sixty memories that the filter hides, and the one that it lets through, all about the same words.
FILTERS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "kinds": ({"kind": "procedural"}, {}, {"kinds": ["semantic"]}),
    "domain": ({"domain": "work"}, {"domain": "home"}, {"domain": "home"}),
    "tags": ({"tags": ["a"]}, {"tags": ["a", "b"]}, {"tags": ["b", "c"]}),
    "all_tags": ({"tags": ["a"]}, {"tags": ["a", "b"]}, {"all_tags": ["a", "b"]}),
    "tiers": ({"tier": "C"}, {"tier": "A"}, {"tiers": ["A", "B"]}),
    "where": ({"metadata": {"n": 1}}, {"metadata": {"n": 2}}, {"where": {"n": {"gt": 1}}}),
    "session": ({"session": "monday"}, {"session": "friday"}, {"session": "friday"}),
    "since": ({"valid_from": "2020-01-01T00:00:00Z"}, {"valid_from": "2021-01-01T00:00:00Z"}, {"since": "2021-01-01"}),
    "until": ({"valid_from": "2020-01-01T00:00:00Z"}, {"valid_from": "2019-12-31T00:00:00Z"}, {"until": "2020-01-01"}),
    "min_trust": ({"source_type": "tool_result"}, {"source_type": "user_input"}, {"min_trust": 0.7}),
    "expiry": ({"ttl": 60}, {}, {"now": "2026-01-05T12:02:00Z"}),
    "validity": ({"valid_until": "2026-01-05T12:00:00Z", "valid_from": "2020-01-01T00:00:00Z"}, {}, {}),
}


@pytest.mark.matrix
@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("question", ["harbour lights", ""])
def test_one_among_sixty_hidden_is_found(memory: MemoryManager, name: str, question: str) -> None:
    hidden, shown, asked = FILTERS[name]
    memory.remember_many({"content": f"harbour lights harbour lights {i}", **hidden} for i in range(60))
    memory.remember("the lights of a harbour, seen once", **shown)
    assert memory.recall(question, k=5, **asked).texts == ("the lights of a harbour, seen once",)


def test_forgotten_ones_displace_nothing(memory: MemoryManager) -> None:
    for result in memory.remember_many({"content": f"harbour lights {i}"} for i in range(60)):
        memory.forget(result.id)
    memory.remember("the lights of a harbour")
    assert memory.recall("harbour lights", k=1).texts == ("the lights of a harbour",)


def test_other_users_displace_nothing(memory: MemoryManager) -> None:
    memory.scoped(user="ben").remember_many({"content": f"harbour lights harbour lights {i}"} for i in range(300))
    ana = memory.scoped(user="ana")
    ana.remember("the lights of a harbour, seen once")
    assert ana.recall("harbour lights", k=3).texts == ("the lights of a harbour, seen once",)


def test_shared_adds_the_memories_without_a_user(memory: MemoryManager) -> None:
    ana = memory.scoped(user="ana")
    memory.remember("the office closes at six")
    ana.remember("Ana leaves the office at five")
    memory.scoped(user="ben").remember("Ben sleeps in the office")
    assert ana.recall("office").texts == ("Ana leaves the office at five",)
    assert set(ana.recall("office", shared=True).texts) == {"the office closes at six", "Ana leaves the office at five"}


def test_min_score_cuts_on_relevance(facts: MemoryManager) -> None:
    found = facts.recall("wifi password", min_score=0.5)
    assert found.texts == (FACTS[3],)
    assert facts.recall("wifi password", min_score=0.0)[0].relevance >= 0.5 > facts.recall("wifi password")[1].relevance


def test_an_unreachable_threshold_gives_an_empty_answer(facts: MemoryManager) -> None:
    assert facts.recall("zebra crossing stripes", min_score=1.0).texts == ()


class TestKinds:
    def test_each_kind_has_its_view(self, memory: MemoryManager) -> None:
        memory.remember("Ana drinks tea", kind="semantic")
        memory.remember("Ana spilled the tea", kind="episodic", session="monday")
        memory.remember("to make tea, boil water", kind="procedural")
        found = memory.recall("tea")
        views = {"semantic": found.semantic, "episodic": found.episodic, "procedural": found.procedural}
        assert {name: [hit.memory.kind for hit in view] for name, view in views.items()} == {
            n: [Kind(n)] for n in views
        }

    def test_working_memory_is_found_in_its_session_only(self, memory: MemoryManager) -> None:
        memory.remember("the draft is half done", kind="working", session="monday")
        assert memory.recall("draft", session="monday").texts == ("the draft is half done",)
        assert memory.scoped(session="monday").recall("draft").texts == ("the draft is half done",)
        assert memory.recall("draft").texts == memory.recall("draft", session="friday").texts == ()

    def test_working_memory_alone_needs_a_session(self, memory: MemoryManager) -> None:
        with pytest.raises(ScopeMissing, match="session"):
            memory.recall("draft", kinds=["working"])


class TestPrinted:
    def test_it_is_a_table_of_what_was_found(self, facts: MemoryManager) -> None:
        lines = str(facts.recall("wifi password", k=2)).splitlines()
        assert lines[0] == "'wifi password' (factual): 2 found"
        assert lines[1].split() == ["#", "score", "relevance", "when", "who", "what"]
        assert lines[2].split()[0] == "1"
        assert FACTS[3] in lines[2]
        assert "2026-01-05" in lines[2]
        assert len(lines) == 4

    def test_a_long_text_takes_one_line(self, memory: MemoryManager) -> None:
        memory.remember("a story\n" + "and then some " * 50)
        assert len(str(memory.recall("story")).splitlines()) == 3

    def test_nothing_in_it_commands_the_terminal(self, memory: MemoryManager) -> None:
        memory.remember("the red \x1b[31mlight", actor="A\nB")
        printed = str(memory.recall("light"))
        assert "\x1b" not in printed
        assert len(printed.splitlines()) == 3
        assert "A B" in printed

    def test_nothing_found_is_said(self, memory: MemoryManager) -> None:
        assert str(memory.recall("anything")) == "'anything': nothing found"
