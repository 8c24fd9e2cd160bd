"""How often a source may write: a sliding window for each, in bounded memory, and which calls are held to it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import MemoryManager, MemorySecurityError, Settings
from engrain.policies.rate_limit import RateLimiter


class Seconds:
    """A clock that stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def memory() -> MemoryManager:
    return MemoryManager(":memory:", embedder=None, settings=Settings(worker="none", writes_per_minute=2))


def test_the_window_slides() -> None:
    clock = Seconds()
    rates = RateLimiter(2, clock=clock)
    assert [rates.attempt("a"), rates.attempt("a")] == [0.0, 0.0]
    clock.now = 59.9
    assert rates.attempt("a") > 0
    assert rates.attempt("b") == 0.0


def test_a_refused_call_counts_as_an_attempt() -> None:
    clock = Seconds()
    rates = RateLimiter(1, clock=clock)
    rates.attempt("a")
    clock.now = 50
    assert rates.attempt("a") == 60.0  # from this try on
    clock.now = 70
    assert rates.attempt("a") > 0
    clock.now = 130
    assert rates.attempt("a") == 0.0


def test_waiting_as_long_as_is_said_is_enough() -> None:
    clock = Seconds()
    rates = RateLimiter(3, clock=clock)
    for clock.now in (0.0, 10.0, 20.0):
        rates.attempt("a")
    clock.now = 30.0
    clock.now += rates.attempt("a")
    assert rates.attempt("a") == 0.0


def test_many_keys_take_bounded_memory() -> None:
    rates = RateLimiter(1, most_keys=10, clock=Seconds())
    for number in range(1000):
        rates.attempt(f"source {number}")
    assert len(rates._tries) == 10
    assert rates.attempt("source 999") > 0


def test_threads_together_get_no_more() -> None:
    rates = RateLimiter(50, clock=Seconds())
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: rates.attempt("a"), range(400)))
    assert waits.count(0.0) == 50


@pytest.mark.parametrize("limit", [0, -1, True, 1.5])
def test_a_limit_is_a_whole_number(limit: object) -> None:
    with pytest.raises(ValueError, match="limit is"):
        RateLimiter(limit)  # type: ignore[arg-type]


def test_over_it_nothing_is_stored_and_the_error_says_when_to_try_again(memory: MemoryManager) -> None:
    for number in range(2):
        memory.remember(f"Fact {number} of the feed", source_id="feed")
    with pytest.raises(MemorySecurityError, match="try again in") as refused:
        memory.remember("Fact 3 of the feed", source_id="feed")
    assert refused.value.code == "RATE_LIMITED"
    assert refused.value.source_id == "feed"
    assert 0 < (refused.value.retry_after or 0) <= 60
    assert memory.count() == 2


def test_another_source_another_org_and_no_source_are_not_held_to_it(memory: MemoryManager) -> None:
    for number in range(2):
        memory.remember(f"Fact {number}", source_id="feed")
    memory.remember("Of another source", source_id="other")
    memory.for_org("other").remember("Of another org", source_id="feed")
    for number in range(5):
        memory.remember(f"Unsigned {number}")


def test_all_views_of_a_manager_count_together(memory: MemoryManager) -> None:
    memory.scoped(user="ana").remember("One", source_id="feed")
    memory.scoped(user="bo").remember("Two", source_id="feed")
    with pytest.raises(MemorySecurityError):
        memory.scoped(user="cy").remember("Three", source_id="feed")


def test_messages_count_as_one_and_successors_count(memory: MemoryManager) -> None:
    turns = [{"role": "user", "content": f"Turn {number}"} for number in range(5)]
    memory.remember_messages(turns, session="s", source_id="feed")
    old = memory.remember("The desk is oak")
    memory.supersede(str(old.id), "The desk is steel", source_id="feed")
    with pytest.raises(MemorySecurityError):
        memory.supersede(str(old.id), "The desk is glass", source_id="feed")


def test_batches_files_imports_and_reports_are_never_held_to_it(memory: MemoryManager, tmp_path: Path) -> None:
    memory.remember_many([{"content": f"Item {number}", "source_id": "feed"} for number in range(9)])
    (tmp_path / "a.txt").write_text("The pump is red.\n", encoding="utf-8")
    for _ in range(3):
        memory.ingest(tmp_path, source_id="feed")
        memory.remember_report("Atlas lives in Boston.", source_url="https://example.org")
    exported = tmp_path / "export.jsonl"
    memory.export(exported)
    for _ in range(3):
        memory.import_(exported)


def test_a_settings_file_may_name_it() -> None:
    assert Settings.load(environ={"ENGRAIN_WRITES_PER_MINUTE": "5"}).writes_per_minute == 5
