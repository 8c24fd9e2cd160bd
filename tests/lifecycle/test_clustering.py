"""Episodes of several sessions about one thing are told together, once, and anew when there is much more to tell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engrain import MemoryManager, Settings
from engrain.model.choices import StatusFilter
from engrain.model.memory import Memory
from engrain.testing import ScriptedLLM

QUIET = Settings(worker="none")
TRIP = (
    "We booked the ferry from Piraeus to Naxos for the sailing holiday in June.",
    "The sailing holiday on Naxos starts in June, and the ferry leaves Piraeus at seven.",
    "For the sailing holiday we need the ferry tickets from Piraeus to Naxos in June.",
    "Our ferry to Naxos for the sailing holiday in June leaves Piraeus at gate 9.",
    "The ferry from Piraeus to Naxos was moved for our sailing holiday in June.",
    "Our sailing holiday in June ended with the ferry from Naxos to Piraeus.",
)


@pytest.fixture
def ana() -> Iterator[MemoryManager]:
    with MemoryManager(":memory:", user="ana", settings=QUIET) as manager:
        yield manager


def remember_all(memory: MemoryManager, texts: tuple[str, ...], first: int = 1, *, sessions: int = 99) -> list[str]:
    ids = [
        memory.remember(text, session=f"s{n % sessions}", source_type="user_input", actor="Ana").id
        for n, text in enumerate(texts, first)
    ]
    memory.flush()
    return ids


def clusters(memory: MemoryManager, *, status: StatusFilter = "active") -> list[Memory]:
    while memory.consolidate(batch_size=20).processed:
        pass
    return list(memory.list_memories(status=status, where={"is_cluster": True}))


def test_four_episodes_of_several_sessions_are_summarised_together(ana: MemoryManager) -> None:
    ids = remember_all(ana, TRIP[:4])
    (cluster,) = clusters(ana)
    assert {link.memory_id for link in cluster.links} == set(ids)
    assert cluster.metadata == {"is_summary": True, "is_cluster": True, "original_count": 4, "told_by": "offline"}
    assert "Naxos" in cluster.content
    assert cluster.source.type == "user_input"


def test_it_is_below_what_it_summarises(ana: MemoryManager) -> None:
    remember_all(ana, TRIP[:4])
    (cluster,) = clusters(ana)
    ana.flush()
    hits = [hit.id for hit in ana.recall("ferry from Piraeus to Naxos", k=5)]
    assert hits.index(cluster.id) == len(hits) - 1


def test_it_is_not_summarised_twice(ana: MemoryManager) -> None:
    remember_all(ana, TRIP[:4])
    (before,) = clusters(ana)
    remember_all(ana, TRIP[4:5], 5)
    assert [each.id for each in clusters(ana)] == [before.id]


def test_a_group_grown_by_half_is_summarised_again(ana: MemoryManager) -> None:
    remember_all(ana, TRIP[:4])
    (before,) = clusters(ana)
    remember_all(ana, TRIP[4:], 5)
    (after,) = clusters(ana)
    assert after.supersedes == (before.id,)
    assert after.metadata["original_count"] == 6


def test_a_less_trusted_memory_replaces_no_statement(ana: MemoryManager) -> None:
    remember_all(ana, TRIP[:4])
    (before,) = clusters(ana)
    for n, text in enumerate(TRIP[4:] + TRIP[:4]):
        said = {"content": f"{text} Elsewhere.", "source_type": "external_data", "source_id": f"page{n}"}
        ana.remember(**said, session=f"e{n}", fact=("The ferry to Naxos", f"has_note_{n}", "Piraeus"))  # type: ignore[arg-type]
    ana.flush()
    assert [each.id for each in clusters(ana, status="all")] == [before.id]


def test_one_session_is_no_cluster(ana: MemoryManager) -> None:
    remember_all(ana, TRIP, sessions=1)
    assert clusters(ana) == []


def test_the_same_words_again_are_no_cluster(ana: MemoryManager) -> None:
    remember_all(ana, TRIP[:1] * 6)
    assert clusters(ana) == []


def test_sharing_a_name_alone_is_no_cluster(ana: MemoryManager) -> None:
    remember_all(
        ana,
        (
            "Naxos has a marble quarry in its mountains.",
            "My grandfather wrote a poem about Naxos in 1961.",
            "A cheese from Naxos won the regional award.",
            "The airport of Naxos gets a longer runway.",
        ),
    )
    assert clusters(ana) == []


def test_agents_and_users_are_distinguished(ana: MemoryManager) -> None:
    for n, text in enumerate(TRIP[:4]):
        remember_all(ana.scoped(agent=f"agent{n % 2}"), (text,), n)
    assert clusters(ana) == []


def test_a_model_writes_it_and_its_word_is_of_tier_c() -> None:
    llm = ScriptedLLM(lambda prompt, **more: "[]" if "JSON" in prompt else "Ana sails to Naxos in June.")
    with MemoryManager(":memory:", user="ana", settings=QUIET, llm=llm) as memory:
        remember_all(memory, TRIP[:4])
        (cluster,) = clusters(memory)
        assert (cluster.content, cluster.tier) == ("Ana sails to Naxos in June.", "C")
        assert cluster.source.type == "llm_generated"


def test_without_an_embedder_there_are_none() -> None:
    with MemoryManager(":memory:", user="ana", settings=QUIET, embedder=None) as memory:
        remember_all(memory, TRIP)
        assert clusters(memory) == []
