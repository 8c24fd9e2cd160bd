"""The fakes that ship with the package: a clock that stands, an embedder without a model, one that fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from engrain import Turn
from engrain.errors import ProviderError
from engrain.lazy import np
from engrain.protocols import LLM, Clock, Embedder
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock, ScriptedExtractor, ScriptedLLM


def test_a_frozen_clock_moves_only_when_advanced() -> None:
    clock = FrozenClock("2026-01-05T12:00:00+00:00")
    assert isinstance(clock, Clock)
    assert clock.now() == clock.now() == datetime(2026, 1, 5, 12, tzinfo=UTC)
    clock.advance(timedelta(days=1, microseconds=1))
    assert clock.now() == datetime(2026, 1, 6, 12, 0, 0, 1, tzinfo=UTC)
    clock.advance(timedelta(days=-1))
    assert clock.now().day == 5


def test_a_frozen_clock_shows_utc() -> None:
    east = datetime(2026, 1, 5, 21, tzinfo=timezone(timedelta(hours=9)))
    assert FrozenClock(east).now() == datetime(2026, 1, 5, 12, tzinfo=UTC)
    assert FrozenClock(east).now().utcoffset() == timedelta(0)


@pytest.mark.parametrize("start", [datetime(2026, 1, 5), "2026-01-05T12:00:00"])
def test_a_frozen_clock_wants_a_time_zone(start: datetime | str) -> None:
    with pytest.raises(ValueError, match="has no offset.*tzinfo=UTC"):
        FrozenClock(start)


@pytest.mark.parametrize("start", ["2026-01-05", date(2026, 1, 5)])
def test_a_frozen_clock_starts_a_date_at_midnight_in_utc(start: date | str) -> None:
    assert FrozenClock(start).now() == datetime(2026, 1, 5, tzinfo=UTC)


def test_a_frozen_clock_starts_at_nothing_but_a_time() -> None:
    with pytest.raises(TypeError, match="not int"):
        FrozenClock(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be an ISO 8601 date or time"):
        FrozenClock("soon")


def test_texts_that_share_words_are_similar() -> None:
    embedder = FakeEmbedder()
    assert isinstance(embedder, Embedder)
    cats, stems, mixed, stocks = embedder.embed(
        ["cats like fish", "A cat liked fishes", "cats like rivers", "markets fell on Monday"]
    )
    assert cats @ stems > cats @ mixed > cats @ stocks
    assert abs(cats @ stocks) < 0.5


def test_vectors_have_length_one_and_the_dimensions_asked_for() -> None:
    embedder = FakeEmbedder(16)
    rows = np.asarray(embedder.embed(["one", "two words", "", "🏠 дом", "x " * 10_000]))
    assert rows.shape == (5, embedder.dimensions) == (5, 16)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert np.asarray(embedder.embed([])).shape == (0, 16)


def test_a_text_has_the_same_vector_in_every_process() -> None:
    code = "from engrain.testing import FakeEmbedder; print(FakeEmbedder(8).embed(['tea for two']).tolist())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(FakeEmbedder(8).embed(["tea for two"]).tolist())


def test_embedders_are_distinguished_by_their_id() -> None:
    assert FakeEmbedder(8).id != FakeEmbedder(16).id
    assert FakeEmbedder(8, id="mine").id == "mine"
    with pytest.raises(ValueError):
        FakeEmbedder(0)


def test_a_failing_embedder_fails_the_configured_number_of_times() -> None:
    embedder = FailingEmbedder(times=2, dimensions=8)
    for _ in range(2):
        with pytest.raises(ProviderError):
            embedder.embed(["text"])
    assert np.array_equal(np.asarray(embedder.embed(["text"])), np.asarray(FakeEmbedder(8).embed(["text"])))
    assert embedder.calls == 3


def test_a_failing_embedder_may_fail_for_ever() -> None:
    embedder = FailingEmbedder()
    for _ in range(5):
        with pytest.raises(ProviderError):
            embedder.embed(["text"])


def test_a_scripted_language_model_answers_in_order_raises_and_says_when_it_runs_out() -> None:
    llm = ScriptedLLM(["one", RuntimeError("two")])
    assert llm.complete("a", system="b", max_tokens=3) == "one"
    with pytest.raises(RuntimeError, match="two"):
        llm.complete("c")
    with pytest.raises(AssertionError, match="call 3, but the script has 2 replies"):
        llm.complete("d")
    assert [call.prompt for call in llm.calls] == ["a", "c", "d"]
    assert llm.calls[0] == ("a", "b", 3)


def test_a_scripted_language_model_can_be_a_function_but_not_one_text() -> None:
    llm = ScriptedLLM(lambda prompt, system, max_tokens: f"{prompt}{system}{max_tokens}")
    assert isinstance(llm, LLM)
    assert llm.complete("a", system="b", max_tokens=1) == "ab1"
    with pytest.raises(TypeError, match="list of texts"):
        ScriptedLLM("one")


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda prompt: prompt, "a"),
        (lambda prompt, *, system: prompt + system, "ab"),
        (lambda prompt, **more: f"{prompt}{sorted(more)}", "a['max_tokens', 'system']"),
        (str.upper, "A"),
        (str, "a"),
    ],
)
def test_a_function_of_a_script_is_given_what_it_takes(function: Callable[..., str], says: str) -> None:
    assert ScriptedLLM(function).complete("a", system="b", max_tokens=1) == says


def test_a_scripted_extractor_can_be_a_function_of_the_turns_alone() -> None:
    turns = [Turn(role="user", content="I keep bees")]
    for function in (lambda turns: [turns[0].content], lambda turns, context: [turns[0].content + context]):
        (found,) = ScriptedExtractor(function).extract(turns, context="!")
        assert found.content.startswith("I keep bees")
