"""What was written is read back as the very same object, and what cannot be is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import documents
from engrain.documents import document
from engrain.model.choices import DecisionKind, WriteStatus
from engrain.model.entities import Entity
from engrain.model.memory import Expiry, Fact, Kind, Link, Memory, Scope, Source, SourceType, Status
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.model.results import Decision, History, Hit, Messages, Page, Recall, Remembered, Signal, Stage
from engrain.policies import RetentionPolicy
from engrain.testing.rows import full_memory
from tests.result_documents.results import Case
from tests.result_documents.same import difference
from tests.result_documents.test_schemas import Pass, Place, Role, held
from tests.rounds import rounds


def sent(result: object, answer: str = "result") -> Any:
    return json.loads(json.dumps(document(result, answer)))


def read_back(hint: Any, found: object, answer: str = "result") -> Any:
    """Read a document as a client does that was sent it."""
    return documents.read_back(hint, json.dumps(found), answer)


def test_every_result_comes_back_the_same(cases: Sequence[Case]) -> None:
    for case in cases:
        back = read_back(case.hint, sent(case.result, case.answer), case.answer)
        result = list(case.result) if isinstance(case.result, History) else case.result  # the client makes it one again
        assert not (found := difference(result, back)), f"{case.name}: {found}"
        assert back == result


def test_a_recall_that_was_read_packs_its_context_as_the_one_that_was_written(cases: Sequence[Case]) -> None:
    for case in cases:
        if case.name == "recall":
            back = read_back(case.hint, sent(case.result), case.answer)
            assert [back.context(room) for room in (30, 4000)] == [case.result.context(room) for room in (30, 4000)]


def test_the_comparison_can_fail(cases: Sequence[Case]) -> None:
    one = next(case.result for case in cases if case.name == "chat-log end" and case.result.memories)
    assert "by" in difference(one, type(one)(one.session, one.memories, one.evicted, by="somebody"))
    assert "evicted" in difference(one, type(one)(one.session, one.memories, list(one.evicted)))
    page = Page([1], "more")
    assert difference(page, Page([1]))
    assert difference(page, Page([1.0], "more"))
    assert difference(Messages([], system="a"), Messages([]))


def test_a_class_that_is_new_is_read_by_its_annotations() -> None:
    made = datetime(2026, 1, 5, tzinfo=UTC)
    one = Pass(Role.READ, made, date(2026, 1, 5), timedelta(days=1.5), Place("Quay", 3), {7: "seven"})
    assert not difference([one], read_back(list[Pass], sent([one], "passes"), "passes"))
    assert held(list[Pass], "passes").is_valid(sent([one], "passes"))


@pytest.mark.parametrize("ttl", [timedelta(days=2), 90, None])
def test_a_policy_comes_back_with_what_it_leaves_as_it_is(ttl: Any) -> None:
    for policy in (RetentionPolicy(), RetentionPolicy(kind="episodic", ttl=ttl, curve="step", archive_below=0.5)):
        assert not difference(policy, read_back(RetentionPolicy, sent(policy)))
        assert held(RetentionPolicy).is_valid(sent(policy))


# ------------------------------------------------------------------------------------------------- what does not fit


def test_unknown_keys_are_ignored() -> None:
    page = Page([full_memory()], "more")
    found = sent(page)
    found["newer"] = found["memories"][0]["newer"] = found["memories"][0]["scope"]["newer"] = [1]
    assert not difference(page, read_back(Page[Memory], found))


@pytest.mark.parametrize("missing", [each.name for each in fields(Memory)])
def test_a_key_that_is_missing_is_named(missing: str) -> None:
    found = sent(full_memory())
    del found[missing]
    with pytest.raises(ValueError, match=f"^{missing}: Field required$"):
        read_back(Memory, found)
    with pytest.raises(ValueError, match=f"^{missing}: Field required$"):
        read_back(Memory | None, found)


@pytest.mark.parametrize(
    ("name", "wrong", "stored"),
    [
        ("kind", "spectral", "kind: Input should be 'working', 'episodic', 'semantic' or 'procedural'"),
        ("recorded_at", "2026-01-05T12:00:00", "recorded_at: Input should have timezone info"),
        ("recorded_at", 7, "recorded_at: Input should be a valid datetime"),
        ("recorded_at", "0001-01-01T00:00:00+14:00", "recorded_at: it must be a time of the years 1 to 9999"),
        ("valid_until", "soon", "valid_until: Input should be a valid datetime, input is too short"),
        ("pinned", 1, "pinned: Input should be a valid boolean"),
        ("version", True, "version: Input should be a valid integer"),
        ("version", 1.5, "version: Input should be a valid integer"),
        ("importance", "high", "importance: Input should be a valid number"),
        ("content", None, "content: Input should be a valid string"),
        ("tags", "home", "tags: Input should be a valid array"),
        ("tags", ["home", 3], "tags.1: Input should be a valid string"),
        ("scope", [], "scope: Input should be an object"),
        ("scope", {}, "scope.org: Field required"),
        ("metadata", None, "metadata: Input should be an object"),
    ],
)
def test_input_that_cannot_be_read_is_reported_with_its_place(name: str, wrong: object, stored: str) -> None:
    found = {**sent(full_memory()), name: wrong}
    with pytest.raises(ValueError) as caught:
        read_back(Memory, found)
    assert str(caught.value) == stored
    with pytest.raises(ValueError) as caught:
        read_back(Page[Memory], {"items": [found], "next": None}, "items")
    assert str(caught.value) == f"items.0.{stored}"


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (str | Role, Role.READ),
        (float | int, 3),
        (int | float, 3.5),
        (str | datetime, datetime(2026, 1, 5, tzinfo=UTC)),
        (str | datetime, "soon"),
        (dict[str, Any] | None, {"a": [1]}),
        (dict[str, Any] | None, None),
        (Any | None, None),
        (dict[str, Any] | Entity, Entity("person", "Ana")),
        (list[int] | str, [1]),
        (tuple[int, ...] | None, (1, 2)),
    ],
)
def test_of_several_types_the_one_that_says_most_is_read(hint: Any, value: object) -> None:
    held(list[hint], "found").validate(sent([value], "found"))
    assert not difference([value], read_back(list[hint], sent([value], "found"), "found"))


def test_a_value_that_is_no_document_is_reported() -> None:
    wrong: Any
    for wrong in (None, [], "text", 7):
        with pytest.raises(ValueError, match="the document: Input should be an object"):
            read_back(Memory, wrong)
    with pytest.raises(ValueError, match="^linked: Field required$"):
        read_back(bool, {}, "linked")
    with pytest.raises(ValueError, match="^id: Field required$"):
        read_back(Memory | Entity, {})
    with pytest.raises(ValueError, match=r"^both\.1: Field required$"):
        read_back(tuple[int, str], {"both": [1]}, "both")


@pytest.mark.parametrize("wrong", [1e300, float("nan"), float("inf"), "3", True, 10**400])
def test_a_span_that_is_none_is_reported(wrong: Any) -> None:
    with pytest.raises(ValueError, match="^span: .* (?:valid|finite) number|of seconds$"):
        read_back(timedelta, {"span": wrong}, "span")


def test_what_a_class_refuses_itself_is_reported_with_its_place() -> None:
    found = sent(Procedure(name="tea", steps=(ProcedureStep(action="boil water"),)))
    found["steps"][0]["action"] = " "
    with pytest.raises(ValueError, match=r"^steps\.0: a step's action is ' '"):
        read_back(Procedure, found)


def test_times_come_back_in_utc() -> None:
    found = {**sent(full_memory()), "recorded_at": "2026-01-05T14:00:00+02:00"}
    moment = read_back(Memory, found).recorded_at
    assert (moment, moment.tzinfo) == (datetime(2026, 1, 5, 12, tzinfo=UTC), UTC)
    assert moment == datetime(2026, 1, 5, 14, tzinfo=timezone(timedelta(hours=2)))


# ------------------------------------------------------------------------------------------------------- any of them

TEXTS = st.text(max_size=20)
TIMES = st.datetimes(timezones=st.just(UTC))
MAYBE = st.none() | TIMES
WORDS = st.lists(TEXTS, max_size=3).map(tuple)
SHARES = st.floats(0, 1)
COUNTS = st.integers(0, 2**53)
VALUES = st.recursive(
    st.none() | st.booleans() | COUNTS | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=5,
)
METADATA = st.dictionaries(TEXTS, VALUES, max_size=3)
NAMES = TEXTS.filter(str.strip)
PROCEDURES = st.builds(
    Procedure,
    name=NAMES,
    trigger_conditions=WORDS,
    steps=st.lists(st.builds(ProcedureStep, action=NAMES, parameters_template=METADATA), max_size=2).map(tuple),
    success_count=COUNTS,
    confidence=SHARES,
    last_used=MAYBE,
    metadata=METADATA,
)
SOURCES = st.builds(Source, st.sampled_from(SourceType), TEXTS, TEXTS, TEXTS, TEXTS, st.none() | TEXTS)
MEMORIES = st.builds(
    Memory,
    id=TEXTS,
    content=TEXTS,
    scope=st.builds(Scope, TEXTS, st.none() | TEXTS, st.none() | TEXTS, st.none() | TEXTS),
    recorded_at=TIMES,
    updated_at=TIMES,
    valid_from=TIMES,
    valid_until=MAYBE,
    last_accessed=MAYBE,
    accessed_before=st.lists(TIMES, max_size=2).map(tuple),
    kind=st.sampled_from(Kind),
    status=st.sampled_from(Status),
    expiry=st.sampled_from(Expiry),
    tags=WORDS,
    fact=st.none() | st.builds(Fact, TEXTS, TEXTS, TEXTS),
    procedure=st.none() | PROCEDURES,
    source=SOURCES,
    importance=SHARES,
    version=COUNTS,
    pinned=st.booleans(),
    links=st.lists(st.builds(Link, TEXTS, TEXTS), max_size=2).map(tuple),
    metadata=METADATA,
)
SIGNALS = st.lists(st.builds(Signal, TEXTS, SHARES, COUNTS), max_size=2).map(tuple)
HITS = st.builds(Hit, MEMORIES, SHARES, SHARES, SIGNALS, WORDS)
RECALLS = st.builds(
    Recall,
    st.lists(HITS, max_size=2),
    query=TEXTS,
    intent=TEXTS,
    trace=st.lists(st.builds(Stage, TEXTS, COUNTS, COUNTS, SHARES, WORDS), max_size=2),
    abstained=st.booleans(),
    held_back=COUNTS,
    iterations=COUNTS,
    sufficient=st.booleans(),
    queries=WORDS,
    pack=st.just(lambda hits, budget: ""),
)
STATUSES = st.sampled_from(get_args(WriteStatus))
DECISIONS = st.builds(Decision, st.sampled_from(get_args(DecisionKind)), TEXTS)
KEPT = st.builds(Remembered, st.none() | MEMORIES, STATUSES, DECISIONS)
WRITES = st.builds(Remembered, MEMORIES, STATUSES, DECISIONS, st.lists(KEPT, max_size=2).map(tuple))


@settings(max_examples=rounds(40))
@given(MEMORIES)
def test_any_memory_comes_back(memory: Memory) -> None:
    assert not difference(memory, read_back(Memory, sent(memory)))
    assert held(Memory).is_valid(sent(memory))


@settings(max_examples=rounds(40))
@given(RECALLS)
def test_any_recall_comes_back(recall: Recall) -> None:
    assert not difference(recall, read_back(Recall, sent(recall)))
    assert held(Recall).is_valid(sent(recall))


@settings(max_examples=rounds(40))
@given(st.builds(Page, st.lists(WRITES, max_size=2), st.none() | TEXTS))
def test_any_page_comes_back(page: Page[Remembered]) -> None:
    assert not difference(page, read_back(Page[Remembered], sent(page, "items"), "items"))
    assert held(Page[Remembered], "items").is_valid(sent(page, "items"))
