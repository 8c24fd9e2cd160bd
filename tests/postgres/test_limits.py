"""What a store has no room for, or was closed before, is refused as such and at once."""

from __future__ import annotations

import threading
import time

import pytest

from engrain import MemoryManager, Settings
from engrain.errors import StoreError, StoreUnavailable
from engrain.storage.postgres import PostgresStore
from engrain.testing import FakeEmbedder
from tests.postgres import servers

WIDE = "\U00020000"  # four bytes


def test_names_that_are_too_long_for_an_index_are_refused_with_the_reason() -> None:
    plain = Settings(worker="none")
    with servers.database() as url, MemoryManager(url, embedder=FakeEmbedder(16), settings=plain) as memory:
        crowded = memory.for_org(WIDE * 256).scoped(agent=WIDE * 256)
        with pytest.raises(StoreError, match="shorten them") as refused:
            crowded.remember("Tea is on.", key=WIDE * 256)
        assert not isinstance(refused.value, StoreUnavailable)
        assert crowded.remember("Tea is on.", key="tea").memory is not None


def test_a_fact_may_be_as_long_as_facts_may_be() -> None:
    plain, long = Settings(worker="none"), WIDE * 2048
    with servers.database() as url, MemoryManager(url, embedder=FakeEmbedder(16), settings=plain) as memory:
        stored = [memory.remember(f"A long fact, {n}.", fact=fact) for n, fact in enumerate(_long(long))]
        assert [memory.facts(predicate=fact[1])[0].id for fact in _long(long)] == [each.id for each in stored]


def _long(text: str) -> list[tuple[str, str, str]]:
    return [("Ana", text, "tea"), (text, "likes", "tea"), ("Bo", "drinks", text)]


def test_a_waiting_writer_gets_an_error_when_the_store_is_closed() -> None:
    stored: list[str] = []
    begun, closed = threading.Event(), threading.Event()

    def late() -> None:
        try:
            store.write(lambda tx: tx.namespace("default", "ana"), "default")
        except StoreUnavailable as error:
            stored.append(str(error))

    def first(_: object) -> None:
        begun.set()
        closed.wait()

    with servers.database() as url:
        store = PostgresStore(url, patience=600.0)
        doing = (lambda: store.write(first, "default"), late)
        threads = [threading.Thread(target=each, daemon=True) for each in doing]
        threads[0].start()
        begun.wait()
        threads[1].start()
        time.sleep(0.2)  # by now it waits behind the first
        store.close()
        closed.set()
        for thread in threads:
            thread.join(60)
    assert len(stored) == 1
    assert "is closed" in stored[0]
