"""Threads share a window without loss, and a callback of an eviction may call back."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread

import pytest

from engrain.conversation import ProgressiveSummarizationMemory, SlidingWindowMemory, SummaryBufferMemory
from engrain.conversation.memories import Steps
from engrain.model.memory import Turn
from tests.conversation.windows import Letters, Words

THREADS, EACH = 6, 150


def together(*works: Callable[[], object]) -> None:
    """Run functions at the same time, each in its thread, and wait for all."""
    start = Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        start.wait()
        work()

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def adding(memory: SlidingWindowMemory | SummaryBufferMemory, name: int) -> Callable[[], object]:
    return lambda: [memory.add_turn("user", f"{name}-{number}") for number in range(EACH)]


def spoken(turns: list[Turn]) -> list[str]:
    return sorted(turn.content for turn in turns)


EVERYTHING = sorted(f"{name}-{number}" for name in range(THREADS) for number in range(EACH))


def test_threads_that_hammer_one_window_lose_no_turn():
    stored: list[Turn] = []
    window = SlidingWindowMemory(9, Words(), stored.extend)
    together(*(adding(window, name) for name in range(THREADS)))
    assert spoken([*stored, *window.turns]) == EVERYTHING
    assert [turn.position for turn in [*stored, *window.turns]] == list(range(THREADS * EACH))
    assert window.total_tokens == 9


def test_threads_lose_no_compaction_and_keep_its_order():
    buffer = SummaryBufferMemory(
        5,
        progressive_compact_fn=lambda turns, said: " ".join(filter(None, [said, *(t.content for t in turns)])),
        tokenizer=Words(),
    )
    together(*(adding(buffer, name) for name in range(THREADS)))
    gone = (buffer.summary or "").split()
    assert sorted([*gone, *spoken(buffer.turns)]) == EVERYTHING
    for name in range(THREADS):
        numbers = [int(one.partition("-")[2]) for one in gone if one.startswith(f"{name}-")]
        assert numbers == sorted(numbers)


def test_threads_that_clear_meanwhile_break_no_budget():
    def clear() -> None:
        for _ in range(EACH):
            window.clear()

    window = SlidingWindowMemory(9, Words())
    together(*(adding(window, name) for name in range(3)), clear, clear)
    assert window.total_tokens == len(window.turns) <= 9
    window.clear()
    assert (window.turns, window.total_tokens) == ([], 0)


def test_threads_count_every_turn_that_a_tier_summarises():
    memory = ProgressiveSummarizationMemory(64, tokenizer=Words())
    together(
        *(lambda name=name: [memory.add_turn("user", f"{name} {number}") for number in range(50)] for name in range(4))
    )
    assert sum(tier.source_turn_count for tier in memory.tiers.values()) + len(memory.turns) == 200
    assert memory.total_tokens <= 64


def test_a_callback_may_call_back():
    heard: list[tuple[list[str], list[str]]] = []

    def remind(turns: list[Turn]) -> None:
        heard.append((spoken(turns), spoken(window.turns)))
        if turns[0].role == "user":
            window.add_turn("system", "x")

    window = SlidingWindowMemory(2, Letters(), remind)
    for content in "abc":
        window.add_turn("user", content)
    assert heard == [(["a"], ["b", "c"]), (["b"], ["c", "x"]), (["c"], ["x", "x"]), (["x"], ["x", "x"])]


def test_a_callback_may_clear():
    window = SlidingWindowMemory(1, Letters(), lambda turns: window.clear())
    window.add_turn("user", "a")
    window.add_turn("user", "b")
    assert (window.turns, window.total_tokens) == ([], 0)


def test_a_callback_may_wait_for_another_thread_that_adds():
    stored: list[Turn] = []

    def ask(turns: list[Turn]) -> None:
        stored.extend(turns)
        if len(stored) == 1:
            together(lambda: window.add_turn("user", "z"))

    window = SlidingWindowMemory(1, Letters(), ask)
    for content in "ab":
        window.add_turn("user", content)
    assert (spoken(stored), spoken(window.turns)) == (["a", "b"], ["z"])


def test_callbacks_that_evict_without_end_are_stopped_before_anything_is_lost():
    stored: list[Turn] = []

    def echo(turns: list[Turn]) -> None:
        stored.extend(turns)
        window.add_turn("system", "e")

    window = SlidingWindowMemory(2, Letters(), echo)
    for content in "abcdef":
        window.add_turn("user", content)
    everything = [*stored, *window.turns]
    assert [turn.position for turn in everything] == list(range(len(everything)))
    assert {"a", "b", "c", "d", "e", "f"} <= {turn.content for turn in everything}


def test_a_compaction_may_call_back():
    def compact(turns: list[Turn], said: str | None) -> str:
        if said is None:
            buffer.add_turn("system", "!!")
        return f"{said}{spoken(turns)}"

    buffer = SummaryBufferMemory(4, progressive_compact_fn=compact, tokenizer=Letters())
    for content in ("aa", "bb", "cc"):
        buffer.add_turn("user", content)
    assert buffer.summary == "None['aa']['bb']"
    assert spoken(buffer.turns) == ["!!", "cc"]


def test_an_interrupted_step_stays_the_first():
    done: list[str] = []

    def interrupted() -> None:
        if not done:
            done.append("interrupted")
            raise KeyboardInterrupt
        done.append("first")

    steps = Steps()
    steps.put(interrupted, lambda: done.append("second"))
    with pytest.raises(KeyboardInterrupt):
        steps.carry_out()
    steps.carry_out()
    steps.carry_out()
    assert done == ["interrupted", "first", "second"]
