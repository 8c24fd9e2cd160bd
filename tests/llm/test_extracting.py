"""Every door that keeps the facts of a text has them found by the model, and says who found each."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import AsyncMemoryManager, MemoryManager
from engrain.testing import FakeEmbedder, FrozenClock
from tests.llm.models import NOON, USELESS, Model, found, opened

TEXT = "Ana lives in Rome. She has a dog."
FACTS = found({"fact": "Ana lives in Rome", "importance": 8}, {"fact": "Ana has a dog", "importance": 4})


def test_what_is_not_worth_keeping_falls_away() -> None:
    with opened(llm=Model(extract=[{"fact": "greeting exchanged", "importance": 1}])) as memory:
        assert memory.remember_with_extraction("A greeting was exchanged.", min_importance=3) == []


def test_extraction_names_who_found_each_fact() -> None:
    with opened(llm=Model(extract=FACTS)) as memory:
        outcomes = memory.remember_with_extraction(TEXT)
    assert [each.memory.content for each in outcomes] == ["Ana lives in Rome", "Ana has a dog"]
    assert {(each.decision.found_by, each.decision.judged_by) for each in outcomes} == {("test:model", "")}


def test_extraction_that_fails_is_done_offline() -> None:
    for useless in USELESS[:2]:
        with opened(llm=Model(extract=useless)) as memory:
            outcomes = memory.remember_with_extraction("Ana lives in Rome.")
        assert [each.decision.found_by for each in outcomes] == ["offline"]
        assert "the language model" in outcomes[0].decision.fallback


def test_a_report_is_read_by_the_model_chunk_by_chunk_and_again_when_it_is_read_again() -> None:
    llm = Model(extract=FACTS)
    with opened(llm=llm) as memory:
        outcomes = memory.remember_report(TEXT, source_url="a.txt")
        again = memory.remember_report(TEXT, source_url="a.txt")
    assert [each.status for each in (*outcomes, *again)] == ["created", "created", "noop", "noop"]
    assert {each.decision.found_by for each in (*outcomes, *again)} == {"test:model"}


def test_no_facts_wanted_costs_nothing() -> None:
    llm = Model()
    with opened(llm=llm) as memory:
        assert memory.remember_with_extraction(TEXT, max_facts=0) == []
        assert memory.remember_report(TEXT, max_facts=0) == []
        assert memory.remember_messages([], extract="facts") == []
    assert llm.asked == []


def test_the_facts_of_a_chat_are_found_turn_by_turn() -> None:
    llm = Model(extract=found("Ana lives in Rome"))
    with opened(llm=llm) as memory:
        (outcome,) = memory.remember_messages([{"role": "user", "content": "I live in Rome."}], extract="facts")
    assert outcome.decision.found_by == "test:model"
    assert llm.asked == ["extract"]


def test_documents_that_are_reports_are_read_by_the_model(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(TEXT)
    llm = Model(extract=FACTS)
    with opened(llm=llm) as memory:
        memory.ingest(file)
        assert llm.asked == []
        memory.ingest(file, report=True)
    assert llm.asked == ["extract"]


@pytest.mark.anyio
async def test_the_async_twin_asks_too(tmp_path: Path) -> None:
    llm = Model(extract=FACTS)
    async with AsyncMemoryManager(
        tmp_path / "memory.db", user="ana", llm=llm, embedder=FakeEmbedder(), clock=FrozenClock(NOON)
    ) as memory:
        outcomes = await memory.remember_with_extraction(TEXT)
        assert await memory.set_reranker("llm") is None
    assert {each.decision.found_by for each in outcomes} == {"test:model"}


def test_a_sentence_that_relates_two_named_things_is_notable_without_a_model() -> None:
    with MemoryManager(":memory:", llm="none") as memory:
        kept = memory.remember_with_extraction(
            "The weather was fine. New report: Volt Typhoon uses Mimikatz against ports.",
            domain="cti",
            min_importance=5,
        )
        assert [each.memory.content for each in kept] == ["New report: Volt Typhoon uses Mimikatz against ports."]
        assert kept[0].memory.importance == 0.5
