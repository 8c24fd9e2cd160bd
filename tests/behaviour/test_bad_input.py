"""What cannot be kept or asked: the right error, which says what to do, and nothing stored."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from engrain import GovernanceViolation, MemoryManager, MemoryRejected, Settings
from tests.behaviour import texts

KNOWN = "Ana keeps bees"


@pytest.fixture
def full(memory: MemoryManager) -> MemoryManager:
    """A memory with one thing in it."""
    memory.remember(KNOWN)
    return memory


def unchanged(memory: MemoryManager) -> bool:
    """Say whether the memory holds what it held, and its audit trail no more than that."""
    return texts(memory.list_memories(status="all")) == [KNOWN] and memory.verify_audit().entries == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "content is blank: there is nothing to remember"),
        (" \t\n\u3000", "content is blank"),
        ("\u2060\u200d", "content is blank"),
        ("a\x00b", "content holds a NUL character at 1: remove it"),
        ("a\ud800b", "content holds a lone surrogate at 1: decode it properly first"),
        (b"bytes", "content must be a string, not bytes"),
        (None, "content must be a string, not NoneType"),
        (5, "content must be a string, not int"),
        (["a"], "content must be a string, not list: remember_many and remember_messages take lists"),
        ("x" * 10_000_000, "content is 10,000,000 bytes, the limit is 1,000,000: store it as a file and `ingest` it"),
        ("é" * 500_001, "content is 1,000,002 bytes, the limit is 1,000,000"),
    ],
    ids=[
        "empty",
        "blank",
        "no width",
        "NUL",
        "surrogate",
        "bytes",
        "None",
        "int",
        "list",
        "10 MB",
        "bytes over the limit",
    ],
)
def test_content_that_cannot_be_kept_is_refused(full: MemoryManager, content: Any, says: str) -> None:
    with pytest.raises(GovernanceViolation, match=says) as caught:
        full.remember(content)
    assert isinstance(caught.value, MemoryRejected)
    assert isinstance(caught.value, ValueError)
    assert caught.value.reasons == (str(caught.value),)
    assert unchanged(full)


def test_the_limit_itself_is_allowed_and_may_be_set(memory: MemoryManager) -> None:
    assert memory.remember("word " * 200_000).status == "created"
    with MemoryManager(":memory:", embedder=None, settings=Settings(max_content_bytes=5)) as small:
        assert small.remember("héhé"[:3]).status == "created"
        with pytest.raises(
            GovernanceViolation, match="content is 6 bytes, the limit is 5.*`ingest`.*`remember_report`"
        ):
            small.remember("héhé")


NAN, INFINITY = float("nan"), float("inf")
CIRCLE: dict[str, Any] = {}
CIRCLE["again"] = CIRCLE


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"kind": "dream"}, ValueError, "unknown kind 'dream': use one of working, episodic, semantic, procedural"),
        ({"kind": 5}, ValueError, "unknown kind 5"),
        ({"key": ""}, ValueError, "key is blank: give a name or leave it out"),
        ({"key": "x" * 257}, ValueError, "key is 257 characters long, the limit is 256"),
        ({"key": "a\x00"}, ValueError, "key holds a NUL character at 1"),
        ({"key": 7}, TypeError, "key must be a string, not int"),
        ({"actor": " "}, ValueError, "actor is blank"),
        ({"domain": ""}, ValueError, "domain is blank"),
        ({"domain": None}, TypeError, "domain must be a string, not NoneType"),
        ({"session": "\n"}, ValueError, "session is blank"),
        ({"source_type": ""}, ValueError, "source_type must be 1 to 256 characters"),
        ({"source_type": None}, TypeError, "source_type must be a string, not NoneType"),
        ({"source_ref": "x" * 2049}, ValueError, "source_ref is longer than 2,048 characters"),
        ({"source_id": "\ud800"}, ValueError, "source_id holds a lone surrogate"),
        ({"fact": ("Ana", "keeps")}, TypeError, r"fact must be \(subject, predicate, object\), three strings"),
        ({"fact": "Ana"}, TypeError, "fact must be"),
        ({"fact": ("Ana", "", "bees")}, ValueError, "the fact's predicate must be 1 to 2,048 characters"),
        ({"fact": ("Ana", "keeps", 3)}, TypeError, "the fact's object must be a string, not int"),
        ({"importance": 1.5}, ValueError, "importance is 1.5: it must be from 0 to 1"),
        ({"importance": NAN}, ValueError, "importance is nan: it must be from 0 to 1"),
        ({"importance": "high"}, TypeError, "importance must be a number from 0 to 1, not str"),
        ({"confidence": -0.1}, ValueError, "confidence is -0.1: it must be from 0 to 1"),
        ({"confidence": INFINITY}, ValueError, "confidence is inf"),
        ({"confidence": True}, TypeError, "confidence must be a number from 0 to 1, not bool"),
        ({"tier": "a"}, ValueError, r"unknown tier 'a': use A \(authoritative\), B \(operational\) or C \(support\)"),
        ({"tags": "one"}, TypeError, "tags must be a list of strings, not str"),
        ({"tags": [1]}, TypeError, "tag must be a string, not int"),
        ({"tags": [""]}, ValueError, "tag is blank"),
        ({"tags": [f"t{n}" for n in range(33)]}, ValueError, "33 tags are too many: give at most 32"),
        ({"metadata": [1]}, TypeError, "metadata must be a mapping, not list"),
        ({"metadata": {1: 2}}, TypeError, "metadata has the key 1: keys are strings"),
        ({"metadata": {"a": NAN}}, ValueError, r"metadata\['a'\] is no number that JSON can hold"),
        ({"metadata": {"a": 2**63}}, ValueError, "it must be finite and fit in 64 bits"),
        ({"metadata": {"a": {1, 2}}}, TypeError, r"metadata\['a'\] holds a set: metadata is JSON"),
        ({"metadata": {"a": b"x"}}, TypeError, "holds a bytes: metadata is JSON"),
        ({"metadata": {"a": date(2026, 1, 1)}}, TypeError, "holds a date: metadata is JSON"),
        ({"metadata": {"a\x00": 1}}, ValueError, "a key of metadata holds a NUL character"),
        ({"metadata": {"a": "\ud800"}}, ValueError, r"metadata\['a'\] holds a lone surrogate"),
        (
            {"metadata": {"a": "x" * 70_000}},
            ValueError,
            "metadata is more than 65,536 bytes of JSON: keep it elsewhere",
        ),
        ({"metadata": CIRCLE}, ValueError, "is nested too deep: at most 50 levels"),
        ({"derived_from": "mem_1"}, TypeError, "derived_from must be a list of strings, not str"),
        ({"derived_from": [""]}, ValueError, "derived_from is blank"),
        ({"valid_from": datetime(2026, 1, 1)}, ValueError, "valid_from has no offset: .* add one, such as"),
        ({"valid_until": "2026-01-01T10:00"}, ValueError, "valid_until has no offset"),
        ({"valid_from": "tomorrow"}, ValueError, "valid_from must be an ISO 8601 date or time such as 2023-05-08"),
        ({"valid_from": "2026-02-30"}, ValueError, "valid_from must be an ISO 8601 date or time"),
        ({"valid_from": 1767614400}, TypeError, "valid_from must be a datetime, a date or an ISO 8601 string, not int"),
        ({"valid_from": "0001-01-01T00:00:00+01:00"}, ValueError, "valid_from is outside the years 1 to 9999 in UTC"),
        ({"pinned": 1}, TypeError, "pinned must be True or False, not int"),
        ({"sync": 1}, TypeError, "sync must be True or False, not int"),
        ({"colour": "red"}, TypeError, "has no argument 'colour'"),
        ({"user": "ben"}, TypeError, "has no argument 'user'"),
        ({"status": "archived"}, TypeError, "has no argument 'status'"),
    ],
)
def test_a_wrong_argument_of_a_write_is_refused(
    full: MemoryManager, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        full.remember("Ana keeps goats", **arguments)
    assert unchanged(full)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"query": None}, TypeError, "query must be a string, not NoneType"),
        ({"query": b"bees"}, TypeError, "query must be a string, not bytes"),
        ({"query": "a\x00b"}, ValueError, "query holds a NUL character at 1: remove it"),
        ({"query": "\udfff"}, ValueError, "query holds a lone surrogate at 0"),
        ({"query": "x" * 100_001}, ValueError, "query is 100,001 characters long, the limit is 100,000: ask something"),
        ({"k": 2.0}, TypeError, "k must be a whole number, not float"),
        ({"k": "3"}, TypeError, "k must be a whole number, not str"),
        ({"k": True}, TypeError, "k must be a whole number, not bool"),
        ({"k": None}, TypeError, "k must be a whole number, not NoneType"),
        ({"kinds": ["dream"]}, ValueError, "unknown kind 'dream'"),
        ({"tiers": "A", "kinds": None}, TypeError, "tiers must be a list of strings, not str"),
        ({"domain": " "}, ValueError, "domain is blank"),
        ({"session": 5}, TypeError, "session must be a string, not int"),
        ({"shared": "yes"}, TypeError, "shared must be True or False, not str"),
        ({"touch": 0}, TypeError, "touch must be True or False, not int"),
        ({"min_score": 1.1}, ValueError, "min_score is 1.1: it must be from 0 to 1"),
        ({"min_score": NAN}, ValueError, "min_score is nan"),
        ({"min_trust": -1}, ValueError, "min_trust is -1"),
        ({"now": datetime(2026, 1, 1)}, ValueError, "now has no offset"),
        ({"since": "soon"}, ValueError, "since must be an ISO 8601 date or time"),
        ({"until": 5}, TypeError, "until must be a datetime, a date or an ISO 8601 string, not int"),
        ({"colour": "red"}, TypeError, "argument 'colour'"),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("call", ["recall", "context"])
def test_a_wrong_question_is_refused(
    full: MemoryManager, call: str, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        getattr(full, call)(**{"query": "bees", **arguments})


def test_none_wanted_is_none_found(full: MemoryManager) -> None:
    assert full.recall("bees", k=0).texts == ()


@pytest.mark.parametrize("k", [-1, -(2**70)])
def test_fewer_than_none_are_refused(full: MemoryManager, k: int) -> None:
    for ask in (full.recall, full.recall_deep, full.context, full.synthesize, full.neighbors, full.procedures.find):
        with pytest.raises(ValueError, match=f"k is {k}: it cannot be negative"):
            ask("bees", k=k)
    with pytest.raises(ValueError, match="it cannot be negative"):
        full.recall_entity("person", "Ana", k=k)


@pytest.mark.parametrize("k", [2, 10**6, 2**70])
def test_more_wanted_than_there_are_is_all_there_are(full: MemoryManager, k: int) -> None:
    assert full.recall("bees", k=k).texts == (KNOWN,)


@pytest.mark.parametrize(
    "query", ["", " ", "?!", '"', "bees OR", "NEAR(", "*", "col:bees", "a" * 100_000, "🐝" * 500, "' OR 1=1 --", "%"]
)
def test_any_text_may_be_asked(full: MemoryManager, query: str) -> None:
    assert len(full.recall(query)) <= 1


@pytest.mark.parametrize(
    ("budget", "error", "says"),
    [(-1, ValueError, "token_budget is -1: it cannot be negative"), (1.5, TypeError, "token_budget must be a whole")],
)
def test_a_budget_is_a_number_of_tokens(full: MemoryManager, budget: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        full.context("bees", token_budget=budget)


@pytest.mark.parametrize("memory_id", ["mem_unknown", "'; DROP TABLE memories; --", "🐝", "x" * 256])
def test_an_unknown_id_is_nothing(full: MemoryManager, memory_id: str) -> None:
    assert full.get(memory_id) is None
    assert full.history(memory_id) == []
    assert full.forget(memory_id).count == 0
    assert unchanged(full)


@pytest.mark.parametrize(
    ("memory_id", "error", "says"),
    [
        ("", ValueError, "memory_id is blank"),
        ("x" * 257, ValueError, "memory_id is 257 characters long, the limit is 256"),
        ("a\x00", ValueError, "memory_id holds a NUL character"),
        (5, TypeError, "memory_id must be a string, not int"),
        (b"mem", TypeError, "memory_id must be a string, not bytes"),
    ],
    ids=["blank", "long", "NUL", "int", "bytes"],
)
@pytest.mark.parametrize("call", ["get", "history", "forget", "update"])
def test_an_invalid_id_is_refused(
    full: MemoryManager, call: str, memory_id: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        getattr(full, call)(memory_id)
    assert unchanged(full)
