"""What is said on three occasions becomes one fact, and nothing that differs in a figure or a name counts for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import MemoryManager, Settings
from engrain.model.memory import Memory
from tests.rounds import rounds

QUIET = Settings(worker="none")
SAID = "The deploy script needs Python 3.11 to run."


@pytest.fixture
def ana() -> Iterator[MemoryManager]:
    with MemoryManager(":memory:", user="ana", settings=QUIET) as manager:
        yield manager


def said(memory: MemoryManager, text: str, session: str | None, **more: object) -> str:
    given = {"kind": "episodic", "source_type": "user_input", **more}
    return memory.remember(text, session=session, **given).id  # type: ignore[arg-type]


def known(memory: MemoryManager) -> list[Memory]:
    memory.flush()
    while memory.consolidate(batch_size=50).processed:
        pass
    return list(memory.list_memories(kinds=["semantic"]))


def test_three_sessions_make_one_fact_of_them_all(ana: MemoryManager) -> None:
    ids = {said(ana, SAID, session) for session in ("s1", "s2", "s3")}
    (fact,) = known(ana)
    assert {link.memory_id for link in fact.links if link.relation == "derived_from"} == ids
    assert fact.evidence_count == 3


def test_two_sessions_are_not_enough(ana: MemoryManager) -> None:
    said(ana, SAID, "s1")
    said(ana, SAID, "s2")
    assert known(ana) == []


def test_what_is_repeated_in_one_session_is_said_once(ana: MemoryManager) -> None:
    for minute in range(5):
        said(ana, SAID, "s1", valid_from=f"2026-01-05T10:0{minute}:00Z")
    assert known(ana) == []


def test_days_of_a_session_that_never_ends_are_occasions(ana: MemoryManager) -> None:
    for day in (3, 4, 5):
        said(ana, SAID, "always", valid_from=f"2025-06-0{day}T10:00:00Z")
    assert [fact.evidence_count for fact in known(ana)] == [3]


def test_said_again_it_is_one_more_witness(ana: MemoryManager) -> None:
    for session in ("s1", "s2", "s3"):
        said(ana, SAID, session)
    (before,) = known(ana)
    late = said(ana, SAID.lower(), "s4")
    (after,) = known(ana)
    assert after.id == before.id
    assert after.evidence_count == 4
    assert late in {link.memory_id for link in after.links}


def test_texts_that_say_all_of_it_count_by_meaning(ana: MemoryManager) -> None:
    said(ana, "Our staging database runs on the old server.", "s1")
    said(ana, "our staging database runs on the old server", "s2")
    said(ana, "The staging database runs on the old server.", "s3")
    said(ana, "Our staging database runs on the old server!", "s4")
    (fact,) = known(ana)
    assert fact.content == "The staging database runs on the old server."
    assert fact.evidence_count == 4


@pytest.mark.parametrize(
    "texts",
    [
        ("Patient 17 needs a wheelchair at home", "Patient 71 needs a wheelchair at home"),
        ("The backup server is never restarted", "The backup server is restarted"),
        ("The parcel for Marco is in the cellar", "The parcel for Maria is in the cellar"),
        ("The office door opens with 8841", "The office door opens with 8814"),
    ],
)
def test_texts_that_differ_in_a_number_a_name_or_a_negation_stay_apart(
    ana: MemoryManager, texts: tuple[str, str]
) -> None:
    for text in texts:
        for session in ("s1", "s2"):
            said(ana, text, session)
    assert known(ana) == []


def test_users_and_agents_do_not_count_for_each_other(ana: MemoryManager) -> None:
    for user in ("ana", "bob", "cem"):
        view = MemoryManager(ana.store, user=user, settings=QUIET)
        said(view, SAID, "s1")
        assert known(view) == []
    for n, agent in enumerate(("red", "blue", "green")):
        said(ana.scoped(agent=agent), SAID, f"s{n}")
    assert known(ana) == []


def test_the_first_person_of_each_speaker_is_another_subject(ana: MemoryManager) -> None:
    for session, actor in (("s1", "Ana"), ("s2", "Ben"), ("s3", "Cem")):
        said(ana, "My running shoes are worn out again", session, actor=actor)
    assert known(ana) == []


@pytest.mark.parametrize("text", ["See you tomorrow!", "Thanks a lot for your help", "How are you?"])
def test_small_talk_is_never_a_fact(ana: MemoryManager, text: str) -> None:
    for n in range(6):
        said(ana, text, f"s{n}")
    assert known(ana) == []


def test_an_assistants_phrase_is_never_a_fact(ana: MemoryManager) -> None:
    for n in range(6):
        said(ana, SAID, f"s{n}", source_type="llm_generated", actor="assistant")
    assert known(ana) == []


def test_without_an_embedder_the_same_words_count() -> None:
    with MemoryManager(":memory:", user="ana", settings=QUIET, embedder=None) as memory:
        for session in ("s1", "s2", "s3"):
            said(memory, SAID, session)
        assert [fact.evidence_count for fact in known(memory)] == [3]


NAMES = st.sampled_from(["Marco", "Maria", "Patient 17", "Patient 71", "Unit 4"])
SAYINGS = st.lists(st.tuples(NAMES, st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=12)


@settings(max_examples=rounds(40))
@given(SAYINGS)
def test_every_fact_is_what_all_of_its_episodes_say(sayings: list[tuple[str, str, bool]]) -> None:
    with MemoryManager(":memory:", user="ana", settings=QUIET, embedder=None) as memory:
        for name, session, denied in sayings:
            said(memory, f"The parcel for {name} is {'never ' if denied else ''}in the cellar", session)
        facts = known(memory)
        sessions: dict[tuple[str, bool], set[str]] = {}
        for name, session, denied in sayings:
            sessions.setdefault((name, denied), set()).add(session)
        assert len(facts) == sum(len(some) >= 3 for some in sessions.values())
        for fact in facts:
            sources = [memory.get(link.memory_id) for link in fact.links if link.relation == "derived_from"]
            assert {source.content for source in sources if source is not None} == {fact.content}
