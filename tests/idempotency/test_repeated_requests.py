"""A request that is sent again is not carried out again: it gets the first answer, or is told why there is none."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextvars import copy_context
from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager, NotFound, RequestRepeated, Settings
from engrain.idempotency import MAX_ANSWER_BYTES, Attempt, IdempotentRequests, StoredAnswer
from engrain.model.filters import Test
from engrain.model.memory import Job
from engrain.protocols import Transaction
from engrain.storage.rows import AnswerRow, Setting
from engrain.testing import FakeEmbedder, FrozenClock
from tests.idempotency.sending import refused, send


@pytest.fixture
def requests(memory: MemoryManager) -> IdempotentRequests:
    return IdempotentRequests(memory)


def opened(requests: IdempotentRequests, name: str, request: bytes = b"it") -> Attempt:
    found = requests.begin("default", "", name, request)
    assert isinstance(found, Attempt)
    return found


def rows(memory: MemoryManager) -> list[AnswerRow]:
    with memory.store.read() as reader:
        return reader.find(AnswerRow, order="at")


# --------------------------------------------------------------------------------------------------------- answers


def test_the_first_answer_is_given_again_byte_for_byte(memory: MemoryManager, requests: IdempotentRequests) -> None:
    with opened(requests, "a") as attempt:
        memory.remember("the kettle is on")
        assert attempt.answer(201, '{"b": 1,  "a": "ж 🏠"}\n')
    for _ in range(3):
        assert requests.begin("default", "", "a", b"it") == StoredAnswer(201, '{"b": 1,  "a": "ж 🏠"}\n')
    assert memory.count() == 1


def test_another_manager_on_the_file_gives_it_too(
    memory: MemoryManager, requests: IdempotentRequests, clock: FrozenClock
) -> None:
    first = send(requests, "a", lambda: memory.remember("the kettle is on").id)
    with MemoryManager(memory.store.url, clock=clock) as other:
        assert send(IdempotentRequests(other), "a", lambda: other.remember("another kettle").id) == first
        assert other.count() == 1


def test_an_answer_to_what_changed_nothing_is_kept_too(memory: MemoryManager, requests: IdempotentRequests) -> None:
    memory.remember("the kettle is on")
    first = send(requests, "a", lambda: memory.remember("the kettle is on").status)
    assert json.loads(first.body) == "noop"
    memory.remember("the tea is ready")
    assert send(requests, "a", lambda: memory.remember("the kettle is on again").status) == first


def test_a_key_belongs_to_one_request(memory: MemoryManager, requests: IdempotentRequests) -> None:
    send(requests, "a", lambda: memory.remember("the kettle is on").id, request=b"one")
    assert refused(requests, "a", request=b"another").code == "OTHER_REQUEST"
    assert send(requests, "b", memory.count, request=b"another") == StoredAnswer(200, "1")


@pytest.mark.parametrize(("org", "caller"), [("acme", ""), ("default", "key_1"), ("acme", "key_1")])
def test_no_key_gets_the_answer_of_another(
    memory: MemoryManager, requests: IdempotentRequests, org: str, caller: str
) -> None:
    send(requests, "a", lambda: "mine")
    assert send(requests, "a", lambda: "theirs", org=org, caller=caller).body == '"theirs"'
    assert send(requests, "a", lambda: "again").body == '"mine"'
    assert len({row.name for row in rows(memory)}) == 2  # nor do rows tell that two use one name


def test_an_answer_is_kept_for_its_time_and_then_removed(memory: MemoryManager, clock: FrozenClock) -> None:
    requests = IdempotentRequests(memory, keep=timedelta(hours=1))
    send(requests, "a", lambda: "first")
    clock.advance(timedelta(minutes=59))
    assert send(requests, "a", lambda: "second").body == '"first"'
    clock.advance(timedelta(minutes=1))
    send(requests, "b", lambda: "other")
    assert len(rows(memory)) == 1
    assert send(requests, "a", lambda: memory.remember("the kettle is on").status).body == '"created"'


def test_an_expired_answer_gives_way_to_a_new_one(memory: MemoryManager, clock: FrozenClock) -> None:
    requests = IdempotentRequests(memory, keep=timedelta(hours=1))
    send(requests, "a", lambda: memory.remember("the kettle is on").status)
    clock.advance(timedelta(hours=2))
    assert send(requests, "a", lambda: memory.remember("the tea is ready").status).body == '"created"'
    assert memory.count() == 2


def test_what_is_too_large_is_not_kept_and_not_done_again(memory: MemoryManager, requests: IdempotentRequests) -> None:
    for name, size, kept in (("a", MAX_ANSWER_BYTES - 2, True), ("b", MAX_ANSWER_BYTES - 1, False)):
        with opened(requests, name) as attempt:
            made = memory.remember(f"kettle {name}").id
            assert attempt.answer(200, "x" * size + "ж") is kept
    assert isinstance(requests.begin("default", "", "a", b"it"), StoredAnswer)
    error = refused(requests, "b")
    assert (error.code, error.changed) == ("DONE", (made,))


# ---------------------------------------------------------------------------------------------------------- errors


def test_an_error_that_changed_nothing_frees_the_name(memory: MemoryManager, requests: IdempotentRequests) -> None:
    with pytest.raises(NotFound):
        send(requests, "a", lambda: memory.update("mem_unknown", content="x"))
    assert rows(memory) == []
    assert send(requests, "a", lambda: memory.remember("the kettle is on").status).body == '"created"'


def test_an_error_after_a_change_keeps_the_name_taken(memory: MemoryManager, requests: IdempotentRequests) -> None:
    made: list[str] = []

    def fails_halfway() -> None:
        made.append(memory.remember("the kettle is on").id)
        memory.update("mem_unknown", content="x")

    with pytest.raises(NotFound):
        send(requests, "a", fails_halfway)
    error = refused(requests, "a")
    assert (error.code, error.changed) == ("DONE", tuple(made))


def test_a_server_may_ask_whether_anything_was_changed_and_answer_the_error(
    memory: MemoryManager, requests: IdempotentRequests
) -> None:
    with opened(requests, "a") as attempt:
        assert not attempt.wrote
        memory.remember("the kettle is on")
        assert attempt.wrote
        attempt.answer(500, "it broke in the middle")
    assert requests.begin("default", "", "a", b"it") == StoredAnswer(500, "it broke in the middle")


def test_a_change_that_is_undone_leaves_no_mark(
    memory: MemoryManager, requests: IdempotentRequests, clock: FrozenClock
) -> None:
    job = Job("job_1", "embed", "default", "mem_1", clock.now())

    def change(transaction: Transaction) -> None:
        transaction.put(job)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), opened(requests, "a"):
        memory.store.write(change, "default")
    assert rows(memory) == []


def test_an_unanswered_request_is_done_if_it_changed_something(
    memory: MemoryManager, requests: IdempotentRequests
) -> None:
    with opened(requests, "a"):
        memory.remember("the kettle is on")
    with opened(requests, "b"):
        memory.count()
    assert refused(requests, "a").code == "DONE"
    assert send(requests, "b", lambda: "again").body == '"again"'


def test_bad_input_is_refused_before_anything_is_touched(memory: MemoryManager, requests: IdempotentRequests) -> None:
    for name in ("", "  ", "\0", "\ud800"):
        with pytest.raises(ValueError, match="idempotency key"):
            requests.begin("default", "", name, b"it")
    with pytest.raises(TypeError, match="bytes"):
        requests.begin("default", "", "a", "it")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="keep"):
        IdempotentRequests(memory, keep=timedelta(0))
    with pytest.raises(ValueError, match="status"), opened(requests, "a") as attempt:
        attempt.answer(0, "")
    with pytest.raises(TypeError, match="string"), opened(requests, "a") as attempt:
        attempt.answer(200, b"")  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError), opened(requests, "a") as attempt:
        attempt.answer(200, "\ud800")
    with opened(requests, "a") as attempt:
        attempt.answer(200, "one")
        with pytest.raises(RuntimeError, match="already"):
            attempt.answer(200, "two")
    with pytest.raises(RuntimeError, match="one call"):
        attempt.__enter__()


# ------------------------------------------------------------------------------------------------------- at one time


def test_while_it_is_carried_out_it_is_in_flight(memory: MemoryManager, requests: IdempotentRequests) -> None:
    with opened(requests, "a") as attempt:
        assert refused(requests, "a").code == "IN_FLIGHT"
        assert refused(requests, "a", request=b"another").code == "OTHER_REQUEST"
        memory.remember("the kettle is on")
        with pytest.raises(RequestRepeated) as caught:
            IdempotentRequests(memory).begin("default", "", "a", b"it")  # as another process would
        assert (caught.value.code, caught.value.retry_after) == ("IN_FLIGHT", 60.0)
        attempt.answer(200, "done")
    assert requests.begin("default", "", "a", b"it") == StoredAnswer(200, "done")


def test_of_many_threads_one_carries_it_out(memory: MemoryManager, requests: IdempotentRequests) -> None:
    said: list[str] = []
    start = threading.Barrier(8)

    def ask(number: int) -> None:
        start.wait()
        try:
            said.append(send(requests, "a", lambda: memory.remember(f"kettle {number}").id).body)
        except RequestRepeated as error:
            said.append(error.code)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.count() == 1
    assert set(said) <= {"IN_FLIGHT", f'"{memory.list_memories()[0].id}"'}
    assert len(said) == 8


def test_each_of_many_threads_leaves_its_own_mark(memory: MemoryManager, requests: IdempotentRequests) -> None:
    """Writes that queue together are committed by one thread, for all of them."""
    start = threading.Barrier(8)
    made: dict[int, str] = {}

    def ask(number: int) -> None:
        with opened(requests, f"name {number}"):
            start.wait()
            made[number] = memory.remember(f"kettle {number}").id

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: refused(requests, f"name {number}").changed for number in range(8)} == {
        number: (memory_id,) for number, memory_id in made.items()
    }


@pytest.mark.parametrize("call", ["remember", "update", "count"])
def test_the_second_of_two_changes_nothing_and_is_refused(
    memory: MemoryManager, requests: IdempotentRequests, call: str
) -> None:
    made = memory.remember("the kettle is on").id
    calls: dict[str, Callable[[], object]] = {
        "remember": lambda: memory.remember("the tea is ready"),
        "update": lambda: memory.update(made, content="the kettle is off"),
        "count": memory.count,
    }
    first, second = opened(requests, "a"), opened(IdempotentRequests(memory), "a")

    def carried_out(attempt: Attempt) -> None:
        with attempt:
            calls[call]()
            attempt.answer(200, "x")

    carried_out(first)
    before = memory.audit_head().seq
    with pytest.raises(RequestRepeated) as caught:
        carried_out(second)
    assert caught.value.code == "IN_FLIGHT"
    assert memory.audit_head().seq == before
    assert len(rows(memory)) == 1
    assert requests.begin("default", "", "a", b"it") == StoredAnswer(200, "x")


def test_an_error_that_the_first_brought_about_is_no_answer_to_the_second(
    memory: MemoryManager, requests: IdempotentRequests
) -> None:
    made = memory.remember("the kettle is on").id
    first, second = opened(requests, "a"), opened(IdempotentRequests(memory), "a")
    with first:
        memory.forget(made)
    with pytest.raises(RequestRepeated) as caught, second:
        memory.update(made, content="x")
    assert caught.value.code == "IN_FLIGHT"
    assert isinstance(caught.value.__cause__, NotFound)


def test_a_process_that_died_is_found_out_after_the_lease(memory: MemoryManager, clock: FrozenClock) -> None:
    made: list[str] = []
    with opened(IdempotentRequests(memory), "a") as attempt:
        made.append(memory.remember("the kettle is on").id)
        made.append(memory.remember("the tea is ready").id)
        elsewhere = IdempotentRequests(memory)
        assert refused(elsewhere, "a").retry_after == 60.0
        clock.advance(timedelta(seconds=59))
        assert refused(elsewhere, "a").retry_after == 1.0
        clock.advance(timedelta(seconds=1))
        error = refused(elsewhere, "a")
        assert (error.code, error.changed) == ("DONE", tuple(made))
        attempt.answer(200, "late")  # it was alive after all
    assert elsewhere.begin("default", "", "a", b"it") == StoredAnswer(200, "late")


def test_what_goes_on_in_the_background_bears_no_mark(tmp_path: Path, clock: FrozenClock) -> None:
    slow = FakeEmbedder(8)
    slow.inline = False  # type: ignore[attr-defined]
    with MemoryManager(tmp_path / "m.db", embedder=slow, clock=clock, settings=Settings(worker="thread")) as memory:
        requests = IdempotentRequests(memory)
        with opened(requests, "a"):
            inherited = copy_context()
            memory.remember("the kettle is on")
        (row,) = rows(memory)
        inherited.run(memory.remember, "the tea is ready")  # a task that was begun inside, and outlives it
        assert memory.flush(30)
        assert rows(memory) == [row._replace(status=0)] or rows(memory) == [row]
        assert memory.count() == 2


def test_a_store_that_can_only_be_read_answers_and_keeps_nothing(memory: MemoryManager) -> None:
    send(IdempotentRequests(memory), "a", lambda: memory.remember("the kettle is on").status)
    vars(vars(memory.store)["_store"])["read_only"] = True
    again = IdempotentRequests(memory)
    assert send(again, "a", lambda: "again").body == '"created"'
    for _ in range(2):
        with opened(again, "b") as attempt:
            memory.recall("kettle")
            assert not attempt.answer(200, "x")
    assert len(rows(memory)) == 1


def test_settings_alone_are_no_change(memory: MemoryManager, requests: IdempotentRequests) -> None:
    """What a language model took is booked before anything is changed."""
    with opened(requests, "a"):
        memory.store.write(lambda transaction: transaction.put(Setting("llm_spent", "1")))
        memory.store.write(
            lambda transaction: transaction.update(Setting, [Test("name", "eq", "llm_spent")], value="2")
        )
    assert rows(memory) == []
