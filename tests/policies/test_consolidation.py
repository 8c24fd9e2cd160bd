"""New entries beside known ones: merged when they say the same, and never at the price of a word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engrain.model.memory import MemoryEntry, MemoryType
from engrain.policies import MemoryOperation, SimilarityConsolidator

ADD, UPDATE, NONE = MemoryOperation.ADD, MemoryOperation.UPDATE, MemoryOperation.NONE


def alike(text: str) -> list[float]:
    return [1.0, 1.0]


def by_tea(text: str) -> list[float]:
    return [1.0, 0.0] if "tea" in text else [0.0, 1.0]


def decide(new: str, known: str) -> MemoryOperation:
    """What becomes of one text beside one other, when their vectors are equal."""
    decided = SimilarityConsolidator(alike).consolidate([MemoryEntry(content=new)], [MemoryEntry(content=known)])
    return decided[0][0]


def test_a_text_is_known_merged_or_added():
    known = MemoryEntry(content="likes tea", tags=("a",), access_count=2, relevance_score=0.4)
    new = [
        MemoryEntry(content="likes tea"),
        MemoryEntry(content="really likes green tea", tags=("b",), relevance_score=0.9),
        MemoryEntry(content="owns boat"),
    ]
    same, better, other = SimilarityConsolidator(by_tea).consolidate(new, [known])
    assert same == (NONE, None)
    assert better[0] is UPDATE
    assert better[1] is not None
    assert (better[1].id, better[1].content, better[1].tags) == (known.id, "really likes green tea", ("a", "b"))
    assert (better[1].access_count, better[1].relevance_score) == (3, 0.9)
    assert other == (ADD, new[2])


def test_a_merge_keeps_what_either_had():
    born = datetime(2024, 1, 1, tzinfo=UTC)
    known = MemoryEntry(
        content="likes green tea", tags=("a", "b"), links=("1",), source_turns=("t1",), metadata={"x": 1, "y": 1},
        memory_type=MemoryType.EPISODIC, user_id="ana", created_at=born, updated_at=born, relevance_score=0.9,
    )  # fmt: skip
    new = MemoryEntry(
        content="likes tea", tags=("c", "b"), links=("2", "1"), source_turns=("t2",), metadata={"y": 2}, user_id="ana"
    )
    [(operation, both)] = SimilarityConsolidator(alike).consolidate([new], [known])
    assert operation is UPDATE
    assert both is not None
    assert (both.id, both.content, both.memory_type, both.user_id) == (known.id, "likes green tea", "episodic", "ana")
    assert (both.tags, both.links, both.source_turns) == (("a", "b", "c"), ("1", "2"), ("t1", "t2"))
    assert (both.metadata, both.relevance_score, both.created_at) == ({"x": 1, "y": 2}, 0.9, born)
    assert both.updated_at > born
    assert both.content_hash == known.content_hash


def test_of_two_texts_of_one_length_the_new_one_stays():
    known, new = MemoryEntry(content="ana likes tea"), MemoryEntry(content="Ana likes tea")
    [(operation, both)] = SimilarityConsolidator(alike).consolidate([new], [known])
    assert operation is UPDATE
    assert both is not None
    assert both.content == "Ana likes tea"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Marco is allergic to peanuts.", "Marco is allergic to penicillin."),
        ("Patient 17 is allergic to latex", "Patient 71 is allergic to latex"),
        ("The locker code is 8841", "The locker code is 8814"),
        ("The password is hunter2", "The password is Hunter2"),
        ("The host is db-1.example.com", "The host is db-2.example.com"),
        ("Bob likes tea", "Rob likes tea"),
        ("Ana met Bob", "Bob met Ana"),
        ("Ana likes tea", "Ana does not like tea"),
        ("Ana likes tea", "Ana hardly likes tea"),
        ("Ana eats fish", "Ana never eats fish"),
        ("Ana can swim", "Ana can't swim"),
        ("Ana lives in Rome", "Ana no longer lives in Rome"),
        ("The switch is on", "The switch is off"),
        ("He owes her money", "She owes him money"),
        ("Ana works at Acme", "Ana worked at Acme"),
        ("Ana likes tea", "Ana may like tea"),
        ("Ana likes tea", "Does Ana likes tea?"),
        ("has cats", "has three cats"),
        ("It costs $5", "It costs 5"),
        ("It is 5 degrees", "It is -5 degrees"),
        ("fly from Rome to Oslo", "fly to Rome from Oslo"),
        ("Ana likes tea", "Ana likes tea or coffee"),
        ("US exports rose", "us exports rose"),
        ("The shop is open", "The shop is open until Friday"),
        ("Ana isst Fleisch", "Ana isst kein Fleisch"),
        ("我喜欢茶", "我不喜欢茶"),
    ],
)
def test_equal_vectors_do_not_merge_two_statements(one: str, other: str):
    assert (decide(one, other), decide(other, one)) == (ADD, ADD)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Marco is allergic to peanuts", "Marco is allergic to peanuts and to penicillin"),
        ("the user likes tea", "The user likes green tea."),
        ("Ana lives in Rome", "Ana lives in Rome!"),
        ("Server web-01 runs nginx 1.25", "The server web-01 runs nginx 1.25 behind a proxy."),
    ],
)
def test_a_text_that_says_all_of_the_other_takes_its_place(one: str, other: str):
    assert (decide(one, other), decide(other, one)) == (UPDATE, UPDATE)


def test_the_threshold_itself_merges():
    vectors = {"likes tea": [1.0, 0.0], "likes green tea": [0.85, (1 - 0.85**2) ** 0.5]}
    known, new = MemoryEntry(content="likes tea"), MemoryEntry(content="likes green tea")
    assert SimilarityConsolidator(vectors.__getitem__).consolidate([new], [known])[0][0] is UPDATE
    assert SimilarityConsolidator(vectors.__getitem__, 0.8501).consolidate([new], [known])[0][0] is ADD
    assert SimilarityConsolidator(lambda _: [0.1] * 7, 1).consolidate([new], [known])[0][0] is UPDATE


def test_the_most_similar_of_those_that_say_the_same_is_merged():
    vectors = {
        "likes tea": [1.0, 0.1],
        "likes green tea": [1.0, 0.3],
        "hates tea": [1.0, 0.0],
        "likes hot tea": [1.0, 0.2],
    }
    known = [MemoryEntry(content=text) for text in ("hates tea", "likes green tea", "likes hot tea")]
    [(_, both)] = SimilarityConsolidator(vectors.__getitem__).consolidate([MemoryEntry(content="likes tea")], known)
    assert both is not None
    assert both.id == known[2].id


def test_what_one_new_entry_added_the_next_does_not_overwrite():
    known = MemoryEntry(content="likes tea")
    new = [MemoryEntry(content="likes green tea"), MemoryEntry(content="likes cold tea")]
    decided = SimilarityConsolidator(alike).consolidate(new, [known])
    assert [operation for operation, _ in decided] == [UPDATE, ADD]


def test_a_text_that_comes_twice_is_added_once_and_new_entries_are_not_merged():
    new = [MemoryEntry(content=text) for text in ("likes tea", "likes tea", "likes green tea")]
    decided = SimilarityConsolidator(alike).consolidate(new, [])
    assert decided == [(ADD, new[0]), (NONE, None), (ADD, new[2])]


def test_entries_of_two_users_are_two():
    known = MemoryEntry(content="likes tea", user_id="ana")
    new = [MemoryEntry(content="likes tea", user_id="bo"), MemoryEntry(content="likes green tea", user_id="bo")]
    assert [op for op, _ in SimilarityConsolidator(alike).consolidate(new, [known])] == [ADD, ADD]


def test_an_expired_entry_is_no_match():
    known = MemoryEntry(content="likes tea").invalidate(by="another")
    assert SimilarityConsolidator(alike).consolidate([MemoryEntry(content="likes tea")], [known])[0][0] is ADD


def test_a_merge_lasts_as_long_as_the_longer_of_the_two():
    soon, late = (datetime.now(UTC) + timedelta(days=days) for days in (1, 2))
    for ends, expected in (((soon, late), late), ((late, soon), late), ((soon, None), None), ((None, soon), None)):
        known, new = (MemoryEntry(content=c, expires_at=e) for c, e in zip(("tea", "green tea"), ends, strict=True))
        [(_, both)] = SimilarityConsolidator(alike).consolidate([new], [known])
        assert both is not None
        assert both.expires_at == expected


@pytest.mark.parametrize("vector", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0], [1.0, 1.0, 1.0], []])
def test_a_vector_that_cannot_be_compared_merges_nothing(vector: list[float]):
    embed = {"likes tea": [1.0, 1.0], "likes green tea": vector}.__getitem__
    known, new = MemoryEntry(content="likes tea"), MemoryEntry(content="likes green tea")
    assert SimilarityConsolidator(embed, 0.0).consolidate([new], [known])[0][0] is ADD


def test_a_text_is_embedded_once_while_it_is_remembered():
    asked: list[str] = []

    def embed(text: str) -> list[float]:
        asked.append(text)
        return [float(len(text)), 1.0]

    known = [MemoryEntry(content=f"text {i}") for i in range(5)]
    consolidator = SimilarityConsolidator(embed, max_cache_size=100)
    consolidator.consolidate([MemoryEntry(content="new"), MemoryEntry(content="newer")], known)
    consolidator.consolidate([MemoryEntry(content="newest")], known)
    assert len(asked) == len(set(asked)) == 8
    asked.clear()
    small = SimilarityConsolidator(embed, max_cache_size=1)
    small.consolidate([MemoryEntry(content="new"), MemoryEntry(content="newer")], known)
    assert len(asked) == 7


def test_bad_arguments_are_refused():
    for threshold in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="similarity_threshold"):
            SimilarityConsolidator(alike, threshold)
    with pytest.raises(ValueError, match="max_cache_size"):
        SimilarityConsolidator(alike, max_cache_size=-1)
    bad_settings: list[dict[str, Any]] = [{"similarity_threshold": "high"}, {"similarity_threshold": True}]
    for bad in (*bad_settings, {"max_cache_size": 1.5}):
        with pytest.raises(TypeError, match=next(iter(bad))):
            SimilarityConsolidator(alike, **bad)
    with pytest.raises(TypeError, match="embed_fn"):
        SimilarityConsolidator([1.0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="existing holds a str"):
        SimilarityConsolidator(alike).consolidate([], ["text"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="new_entries"):
        SimilarityConsolidator(alike).consolidate("text", [])  # type: ignore[arg-type]
    known, new = MemoryEntry(content="a"), MemoryEntry(content="b")
    table: Any = {"a": [[1.0]], "b": [[1.0]]}
    with pytest.raises(ValueError, match="a vector has one"):
        SimilarityConsolidator(table.__getitem__).consolidate([new], [known])
