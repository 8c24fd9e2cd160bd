"""Erasure takes the answers along: nothing of what is erased is in any of them, and none is carried out again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.idempotency import Attempt, IdempotentRequests, StoredAnswer
from engrain.storage.rows import AnswerRow
from engrain.testing import FakeEmbedder, FrozenClock
from tests.idempotency.sending import refused, send
from tests.rows import standing

SECRET = "Vexillo88q"
TEXT = f"the locker code is {SECRET}, tell Zoë"


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    chosen = Settings(worker="none")
    with MemoryManager(tmp_path / "m.db", embedder=FakeEmbedder(8), clock=clock, settings=chosen) as manager:
        yield manager


@pytest.fixture
def requests(memory: MemoryManager) -> IdempotentRequests:
    return IdempotentRequests(memory)


def remembered(memory: MemoryManager, requests: IdempotentRequests, *, org: str = "default", name: str = "a") -> str:
    """Remember the text by a request that is answered with it; return its id."""
    view = memory.for_org(org)

    def call() -> object:
        kept, _ = view.remember(TEXT)
        return kept.to_dict()

    answer = send(requests, name, call, request=TEXT.encode(), org=org)
    assert SECRET in answer.body
    return str(json.loads(answer.body)["id"])


def rows(memory: MemoryManager) -> list[AnswerRow]:
    with memory.store.read() as reader:
        return reader.find(AnswerRow, order="at")


ERASURES: dict[str, Callable[[MemoryManager, str], object]] = {
    "one": lambda memory, memory_id: memory.forget(memory_id, hard=True),
    "all": lambda memory, _: memory.forget_all(org="default", hard=True),
}


@pytest.mark.parametrize("how", ["one", "all"])
def test_no_byte_of_an_erased_text_is_in_an_answer(
    memory: MemoryManager, requests: IdempotentRequests, tmp_path: Path, how: str
) -> None:
    made = remembered(memory, requests)
    for name in "bcd":
        send(requests, name, lambda: [hit.memory.to_dict() for hit in memory.recall("locker code")])
    assert standing(tmp_path / "m.db", [SECRET]) != []
    salts = [row.salt for row in rows(memory)]
    ERASURES[how](memory, made)
    (receipt,) = memory.receipts()
    assert (receipt.status, receipt.verified, receipt.removed["answers"]) == ("complete", True, 4)
    assert standing(tmp_path / "m.db", [SECRET, "Vexillo", "locker code"]) == []
    assert [(row.salt, row.request, row.body) for row in rows(memory)] == [(salt, "", None) for salt in salts]


def test_a_request_whose_answer_was_erased_is_not_carried_out_again(
    memory: MemoryManager, requests: IdempotentRequests
) -> None:
    made = remembered(memory, requests)
    memory.forget(made, hard=True)
    error = refused(requests, "a", request=TEXT.encode())
    assert (error.code, error.changed) == ("DONE", (made,))
    assert (
        refused(requests, "a", request=b"a guess at it").code == "DONE"
    )  # nor can a guess be told from what was asked
    assert memory.count(status="all") == 0


def test_the_answer_to_an_erasure_is_kept(memory: MemoryManager, requests: IdempotentRequests) -> None:
    made = remembered(memory, requests)
    answer = send(requests, "b", lambda: memory.forget(made, hard=True).count)
    assert answer.body == "1"
    assert requests.begin("default", "", "b", b"it") == answer
    assert refused(requests, "b", request=b"another").code == "OTHER_REQUEST"


def test_so_it_is_for_one_of_several_transactions(memory: MemoryManager, requests: IdempotentRequests) -> None:
    memory.remember_many([{"content": f"note {n} of the day", "resolve": "off"} for n in range(501)])
    answer = send(requests, "b", lambda: memory.forget_all(org="default", hard=True).count)
    assert requests.begin("default", "", "b", b"it") == answer == StoredAnswer(200, "501")


def test_an_answer_that_comes_after_the_erasure_is_not_kept(
    memory: MemoryManager, requests: IdempotentRequests, tmp_path: Path
) -> None:
    for name, change in (("a", True), ("b", False)):
        kettle = memory.remember(TEXT).id
        found = requests.begin("default", "", name, TEXT.encode())
        assert isinstance(found, Attempt)
        with found as attempt:
            body = json.dumps([hit.memory.content for hit in memory.recall("locker code")], ensure_ascii=False)
            assert SECRET in body
            if change:
                memory.remember(f"the kettle is on {name}")
            with MemoryManager(memory.store.url, embedder=FakeEmbedder(8), settings=memory.settings) as elsewhere:
                elsewhere.forget(kettle, hard=True)
            assert not attempt.answer(200, body)
        assert refused(requests, name).code == "DONE"
    assert standing(tmp_path / "m.db", [SECRET]) == []
    assert {row.request for row in rows(memory)} == {""}


def test_an_erasure_of_another_org_hides_none(memory: MemoryManager, requests: IdempotentRequests) -> None:
    for number in range(2):
        memory.forget(memory.remember(f"note {number} of the day").id, hard=True)
    kettle, theirs = memory.remember(TEXT).id, memory.for_org("acme").remember("a note of another org").id
    found = requests.begin("default", "", "a", TEXT.encode())
    assert isinstance(found, Attempt)
    with found as attempt:
        body = json.dumps([hit.memory.content for hit in memory.recall("locker code")], ensure_ascii=False)
        assert SECRET in body
        with MemoryManager(memory.store.url, embedder=FakeEmbedder(8), settings=memory.settings) as elsewhere:
            elsewhere.for_org("acme").forget(theirs, hard=True)
            elsewhere.forget(kettle, hard=True)
        assert not attempt.answer(200, body)


def test_another_orgs_answers_stay(memory: MemoryManager, requests: IdempotentRequests) -> None:
    made = remembered(memory, requests)
    theirs = remembered(memory, requests, org="acme")
    memory.forget(made, hard=True)
    found = requests.begin("acme", "", "a", TEXT.encode())
    assert isinstance(found, StoredAnswer)
    assert json.loads(found.body)["id"] == theirs


def test_an_erasure_that_finds_nothing_takes_no_answer(memory: MemoryManager, requests: IdempotentRequests) -> None:
    remembered(memory, requests)
    memory.forget("mem_unknown", hard=True)
    assert isinstance(requests.begin("default", "", "a", TEXT.encode()), StoredAnswer)
    assert list(memory.receipts()) == []


def test_forgetting_hides_and_takes_no_answer(memory: MemoryManager, requests: IdempotentRequests) -> None:
    memory.forget(remembered(memory, requests))
    assert isinstance(requests.begin("default", "", "a", TEXT.encode()), StoredAnswer)


def test_an_export_carries_no_answers(memory: MemoryManager, requests: IdempotentRequests, tmp_path: Path) -> None:
    send(requests, "a", lambda: f"answer {SECRET}")
    memory.remember("the kettle is on")
    memory.export(tmp_path / "out.jsonl")
    assert SECRET not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_a_receipt_of_a_user_says_nothing_of_the_answers_of_others(
    memory: MemoryManager, requests: IdempotentRequests
) -> None:
    made = memory.scoped(user="ana").remember(f"the locker code is {SECRET}")
    send(requests, "of-bo", memory.scoped(user="bo").remember("it rains").memory.to_dict)
    receipt = memory.scoped(user="ana").forget(made.id, hard=True).receipt
    assert receipt is not None
    assert "answers" not in receipt.removed
    assert all(row.body is None for row in rows(memory))
