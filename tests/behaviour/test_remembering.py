"""A text that was remembered is there, with what its caller said about it and nothing else."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from engrain import Fact, MemoryManager, NotFound, Settings
from engrain.testing import FailingEmbedder, FrozenClock

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def test_a_new_text_is_created_and_counted(memory: MemoryManager) -> None:
    kept, status = memory.remember("Ana is allergic to penicillin")
    assert status == "created"
    assert memory.get(kept.id) == kept
    assert memory.count() == 1


def test_an_omitted_option_has_its_default(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana is allergic to penicillin")
    assert (kept.kind, kept.domain, kept.tier, kept.confidence, kept.pinned) == ("semantic", "general", "B", 1.0, False)
    assert (kept.key, kept.actor, kept.tags, kept.metadata) == (None, None, (), {})
    assert (kept.valid_from, kept.recorded_at, kept.updated_at) == (NOON, NOON, NOON)
    assert (kept.valid_until, kept.expires_at, kept.version, kept.access_count) == (None, None, 1, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "procedural"),
        ("key", "allergy of ana"),
        ("actor", "Ana"),
        ("domain", "health"),
        ("importance", 0.0),
        ("importance", 1.0),
        ("confidence", 0.25),
        ("tier", "A"),
        ("metadata", {"a": 1, "b": [1, "x", None, {"c": True}]}),
        ("pinned", True),
        ("valid_until", datetime(2027, 1, 1, tzinfo=UTC)),
    ],
)
def test_turns_are_kept_as_given(memory: MemoryManager, name: str, value: Any) -> None:
    kept = memory.get(memory.remember("Ana is allergic to penicillin", **{name: value}).id)
    assert getattr(kept, name) == value


@pytest.mark.parametrize("fact", [Fact("Ana", "lives_in", "Oslo"), ("Ana", "lives_in", "Oslo")])
def test_a_fact_is_a_triple_or_a_fact(memory: MemoryManager, fact: Any) -> None:
    kept, _ = memory.remember("Ana lives in Oslo", fact=fact)
    assert kept.fact == Fact("Ana", "lives_in", "Oslo")


def test_tags_stay_in_order_before_the_domain(memory: MemoryManager) -> None:
    kept, _ = memory.remember("The tide is high", tags=["sea", "moon", "sea"], domain="coast")
    assert kept.tags == ("sea", "moon", "coast")


@pytest.mark.parametrize(
    "text",
    [
        "Grüße, 你好, مرحبا",
        "family 👩‍👩‍👧 emoji",
        "line\r\nline\ttab",
        "  spaces around  ",
        "'; DROP TABLE memories; --",
    ],
)
def test_a_text_comes_back_to_the_letter(memory: MemoryManager, text: str) -> None:
    kept = memory.get(memory.remember(text).id)
    assert kept is not None
    assert kept.content == text
    assert kept.source.verify(text)


@pytest.mark.parametrize(
    ("given", "trust_class", "origin", "trust"),
    [
        ("system", "system", "", 1.0),
        ("user_input", "user_input", "", 0.9),
        ("llm_generated", "llm_generated", "", 0.7),
        ("tool_result", "tool_result", "", 0.6),
        ("external_data", "external_data", "", 0.3),
        ("conversation", "llm_generated", "conversation", 0.7),
        ("task_output", "tool_result", "task_output", 0.6),
        ("something else", "external_data", "something else", 0.3),
    ],
)
def test_a_source_type_is_a_trust_class_or_mapped_to_one(
    memory: MemoryManager, given: str, trust_class: str, origin: str, trust: float
) -> None:
    kept, _ = memory.remember("The bridge is closed", source_type=given, source_id="s-1", source_ref="https://x.test")
    assert (kept.source.type, kept.source.origin, kept.trust) == (trust_class, origin, trust)
    assert (kept.source.id, kept.source.ref) == ("s-1", "https://x.test")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("user", "user_input"),
        ("human", "user_input"),
        ("User_Input", "user_input"),
        ("user-input", "user_input"),
        ("usr_input", "user_input"),
        ("assistant", "llm_generated"),
        ("ai", "llm_generated"),
        ("tool", "tool_result"),
        ("System", "system"),
    ],
)
def test_a_word_near_a_trust_class_is_refused_and_not_taken_for_a_stranger(given: str, meant: str) -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        with pytest.raises(ValueError, match=rf"unknown source_type '{given}': did you mean {meant}\?"):
            memory.remember("The bridge is closed", source_type=given)
        assert memory.count(status="all") == 0
    with MemoryManager(":memory:", embedder=None, settings=Settings(origins={given: meant})) as memory:
        assert memory.remember("The bridge is closed", source_type=given).memory.source.type == meant


def test_a_derived_memory_is_trusted_and_ranked_as_its_least_trusted_source(memory: MemoryManager) -> None:
    said = memory.remember("The bridge is closed", source_type="user_input", tier="A").id
    read = memory.remember("The bridge reopens in May", source_type="report", tier="C").id
    kept, _ = memory.remember("The bridge is closed until May", source_type="system", derived_from=[said, read])
    assert (kept.source.type, kept.trust, kept.tier) == ("external_data", 0.3, "C")
    assert [(link.relation, link.memory_id) for link in kept.links] == [("derived_from", said), ("derived_from", read)]


def test_an_unknown_source_is_refused_and_nothing_is_stored(memory: MemoryManager) -> None:
    with pytest.raises(NotFound, match="no memory 'mem_unknown' in this scope: check the id"):
        memory.remember("derived", derived_from=["mem_unknown"])
    assert memory.count(status="all") == 0


def test_in_a_session_it_is_an_episode_and_has_its_place(memory: MemoryManager) -> None:
    session = memory.scoped(session="monday")
    kept = [session.remember(text).memory for text in ("one", "two", "three")]
    assert [(m.kind, m.scope.session, m.position) for m in kept] == [
        ("episodic", "monday", 0),
        ("episodic", "monday", 1),
        ("episodic", "monday", 2),
    ]


def test_the_kind_given_wins_over_the_session(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Oslo is in Norway", kind="semantic", session="monday")
    assert (kept.kind, kept.scope.session) == ("semantic", "monday")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2020-02-29", datetime(2020, 2, 29, tzinfo=UTC)),
        (date(2020, 2, 29), datetime(2020, 2, 29, tzinfo=UTC)),
        ("2020-02-29T10:00:00+02:00", datetime(2020, 2, 29, 8, tzinfo=UTC)),
        ("2020-02-29T10:00:00Z", datetime(2020, 2, 29, 10, tzinfo=UTC)),
        (datetime(2020, 2, 29, 1, tzinfo=timezone(timedelta(hours=3))), datetime(2020, 2, 28, 22, tzinfo=UTC)),
    ],
)
def test_a_time_is_kept_in_utc(memory: MemoryManager, given: Any, kept: datetime) -> None:
    stored = memory.get(memory.remember("It happened", valid_from=given).id)
    assert stored is not None
    assert stored.valid_from == kept
    assert stored.valid_from.utcoffset() == timedelta(0)


def test_it_is_found_by_its_words_at_once_when_the_embedder_fails(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=FailingEmbedder(), clock=clock) as memory:
        assert memory.remember("Ana is allergic to penicillin").status == "created"
        assert memory.recall("penicillin").texts == ("Ana is allergic to penicillin",)


def test_it_is_there_when_the_store_is_opened_again(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock) as memory:
        kept, _ = memory.remember("Ana is allergic to penicillin", tags=["health"], metadata={"page": 3})
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock) as again:
        assert again.get(kept.id) == kept
        assert again.recall("penicillin").texts == (kept.content,)


def test_an_id_is_asked_of_what_was_not_stored(memory: MemoryManager) -> None:
    (refused,) = memory.remember_many([{"content": ""}], on_error="skip")
    with pytest.raises(ValueError, match="nothing was stored: content is blank"):
        _ = refused.id
