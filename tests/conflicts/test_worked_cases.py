"""Sentences as people say them, and what is left of each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder, FrozenClock
from engrain.testing.conformance.concurrency import context
from tests.conflicts.memory_log import DAY, INJECTED, MemoryLog, texts

GROUPS = [f"{name}{n}" for n in range(8) for name in ("Lazarus", "Turla", "Sandworm", "Kimsuky", "Silence")]
TOOLS = ("Mimikatz", "Cobalt Strike", "PlugX", "Empire", "AdFind")
DEEDS = ("uses {tool}", "was seen with {tool} in May", "deploys {tool} by mail", "sells {tool}", "targets {tool} users")


def test_two_allergies_are_two(log: MemoryLog) -> None:
    said = {"Marco is allergic to peanuts.", "Marco is allergic to penicillin."}
    for text in sorted(said):
        assert log.add(text).status == "created"
    assert log.live() == said


def test_an_unrelated_memory_stays(log: MemoryLog) -> None:
    said = {"The wifi password is hunter2", "Sofia never eats fish"}
    for text in said:
        assert log.add(text).status == "created"
    assert log.live() == said
    assert "Sofia never eats fish" in log.memory.recall("what does Sofia eat?").texts


def test_a_move_closes_the_old_home(log: MemoryLog) -> None:
    boston = log.add("Atlas lives in Boston")
    moved = log.add("Atlas moved to Tbilisi")
    assert moved.status == "updated"
    assert log.past(moved) == ["Atlas lives in Boston", "Atlas moved to Tbilisi"]
    assert log.live() == {"Atlas moved to Tbilisi"}
    before = log.memory.recall("where does Atlas live?", as_of=log.days(0.5))
    assert texts(before) == {"Atlas lives in Boston"}
    assert log.get(boston).valid_until == log.days(1)


def test_a_shared_identifier_is_no_conflict(log: MemoryLog) -> None:
    said = {"CVE-2024-3094 is the XZ Utils backdoor", "Fedora 41 ships a fix for CVE-2024-3094"}
    for text in sorted(said):
        log.add(text)
    assert texts(log.memory.recall("CVE-2024-3094")) == said


def test_two_hundred_ordinary_sentences_all_stay(log: MemoryLog) -> None:
    said = {f"{group} {deed.format(tool=tool)}" for group in GROUPS for deed, tool in zip(DEEDS, TOOLS, strict=True)}
    assert len(said) == 200
    for text in sorted(said):
        assert log.add(text).status == "created"
    assert log.live() == said
    assert log.memory.count(status="superseded") == 0


def test_a_pending_memory_leaves_the_known_recallable(log: MemoryLog) -> None:
    log.add("Alice works at Acme", source_type="user_input")
    contested = log.add("Alice no longer works at Acme", source_type="tool_result")
    hidden = log.add(f"Alice no longer works at Acme. {INJECTED}", source_type="tool_result")
    assert (contested.status, hidden.status) == ("pending", "quarantined")
    assert "Alice works at Acme" in log.memory.recall("where does Alice work?").texts
    log.memory.validate(contested.id)
    assert log.live() == {"Alice no longer works at Acme"}


def test_tastes_are_many_and_homes_are_one(log: MemoryLog) -> None:
    log.add("tea, says Alice", fact=("Alice", "likes", "tea"), confidence=0.9)
    log.add("coffee, says Alice", fact=("Alice", "likes", "coffee"), confidence=0.8)
    log.add("Rome it is", fact=("Alice", "lives_in", "Rome"))
    oslo = log.add("Oslo it is", fact=("Alice", "lives_in", "Oslo"))
    assert log.live() == {"tea, says Alice", "coffee, says Alice", "Oslo it is"}
    assert log.past(oslo) == ["Rome it is", "Oslo it is"]


def test_digits_that_change_places_are_another_text(log: MemoryLog) -> None:
    said = {"The locker code is 8841", "The locker code is 8814"}
    for text in sorted(said):
        outcome = log.add(text)
        assert outcome.status == "created"
        assert outcome.memory is not None
        assert all(link.relation != "supports" for link in outcome.memory.links)
    assert log.live() == said


def test_the_same_words_are_two_events_and_one_statement(log: MemoryLog) -> None:
    for session in ("monday", "friday"):
        log.add("See you tomorrow", session=session)
    assert log.memory.count(kinds=["episodic"]) == 2
    log.add("See you tomorrow")
    assert log.add("See you tomorrow").status == "noop"
    assert log.memory.count(kinds=["semantic"]) == 1


def test_one_sentence_from_many_threads_is_one_memory(log: MemoryLog) -> None:
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: log.memory.remember("The door is red"), range(32)))
    assert len({outcome.id for outcome in outcomes}) == 1
    assert sorted(outcome.status for outcome in outcomes) == ["created"] + ["noop"] * 31


def test_one_sentence_from_many_processes_is_one_memory(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    MemoryManager(path, embedder=None).close()
    with context().Pool(4) as pool:
        ids = pool.map(_say, [path] * 8)
    assert len(set(ids)) == 1


def _say(path: str) -> str:
    with MemoryManager(path, embedder=None) as memory:
        return memory.remember("The door is red").id


def test_two_hundred_writes_from_four_threads_all_have_a_vector() -> None:
    clock = FrozenClock("2026-03-01T12:00:00+00:00")
    with MemoryManager(":memory:", embedder=FakeEmbedder(), clock=clock, settings=Settings(worker="none")) as memory:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: memory.remember(f"Crate {n} holds {n * 7} bolts"), range(200)))
        assert memory.flush()
        clock.advance(DAY)
        assert memory.count() == 200
        assert len(memory.neighbors("crate of bolts", k=500)) == 200
