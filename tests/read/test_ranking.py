"""How candidates are scored: words and meaning added up, then bounded multipliers that never filter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.lazy import np
from engrain.policies import Convex
from engrain.read.ranking import relevance, score
from engrain.read.retrieval import SPAN, Candidates, Matches, Question, no_rows, understand
from engrain.storage.rows import Columns, Mark, Ranked, TextStats

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NONE = float("nan")


def micro(at: datetime) -> int:
    """Return a time as a column holds it."""
    return (at - EPOCH) // timedelta(microseconds=1)


def found(words: list[float], *, length: float = 100.0, **columns: Any) -> Candidates:
    """Return candidates with these scores by words; fields not given are the same for all."""
    n = len(words)

    def column(name: str, value: float, kind: type = np.float64) -> Any:
        return np.asarray(columns.get(name, [value] * n), kind)

    around = np.zeros((2 * SPAN, n), np.float32)
    return Candidates(
        nums=np.arange(1, n + 1),
        columns=Columns(
            session=column("session", -1, np.int64),
            position=column("position", -1, np.int64),
            actor=column("actor", -1, np.int64),
            actors=columns.get("actors", ()),
            source_class=column("source_class", 2, np.int64),
            valid_from=column("valid_from", micro(NOW), np.int64),
            recorded_at=column("recorded_at", micro(NOW), np.int64),
            importance=column("importance", 0.5),
            strength=column("strength", 1.0),
            trust=column("trust", 0.7),
            length=column("length", 10, np.int64),
            marks=column("marks", 0, np.int64),
            kind=column("kind", 1, np.int64),
            domain=column("domain", 0, np.int64),
            domains=("general",),
            agent=column("agent", -1, np.int64),
            agents=(),
            used_at=column("used_at", micro(NOW), np.int64),
            access_count=column("access_count", 0, np.int64),
        ),
        matches=Matches(
            stats=TextStats(100, length, {"boston": 10}),
            lexical=Ranked(np.arange(1, n + 1), np.asarray(words, np.float32)),
            vector=no_rows(),
            dated=np.zeros(0, np.int64),
            graph=no_rows(),
        ),
        terms=np.asarray(columns.get("terms", [words]), np.float32),
        terms_around=np.asarray([columns.get("words_around", around)], np.float32),
        answers=np.asarray(columns.get("answers", [False] * n), bool),
        session_words=np.asarray(columns.get("session_words", [0.0] * n), np.float32),
        cosine=np.asarray(columns.get("cosine", [NONE] * n), np.float32),
        cosine_next_to=np.full((2, n), np.nan, np.float32),
        graph=np.zeros(n, np.float32),
    )


def order(candidates: Candidates, text: str = "boston", *actors: str, recipe: Convex | None = None) -> list[int]:
    """Return the places of the candidates, best first."""
    scores = score(asked(text, *actors), candidates, recipe or Convex()).scores
    return [int(place) for place in np.argsort(-scores, kind="stable")]


def asked(text: str = "boston", *actors: str) -> Question:
    """Return the question."""
    return understand(text, NOW, actors)


def test_better_words_come_first() -> None:
    assert order(found([1.0, 3.0, 2.0])) == [1, 2, 0]


def test_meaning_orders_what_words_do_not() -> None:
    assert order(found([0.0, 0.0, 0.0], cosine=[0.2, 0.9, 0.5])) == [1, 2, 0]


def test_words_and_meaning_add_up() -> None:
    assert order(found([2.0, 2.0, 0.0], cosine=[0.1, 0.6, 0.9]))[0] == 1


def test_a_candidate_without_a_vector_is_scored_by_its_words() -> None:
    scores = score(asked(), found([2.0, 1.0], cosine=[NONE, 0.9]), Convex()).scores
    assert np.isfinite(scores).all()
    assert scores[0] > 0


def test_in_a_chat_the_turns_beside_the_words_are_lifted_and_in_documents_not() -> None:
    beside = np.zeros((2 * SPAN, 2))
    beside[SPAN, 1] = 4.0  # the turn after the second holds the words
    chat, documents = (found([0.1, 0.0], length=length, words_around=beside) for length in (10.0, 100.0))
    assert order(chat) == [1, 0]
    assert order(documents) == [0, 1]


def test_a_session_that_speaks_of_it_lifts_its_turns() -> None:
    assert order(found([1.0, 1.0], session=[1, 2], session_words=[0.0, 5.0])) == [1, 0]


def test_the_one_who_is_named_is_lifted_and_nobody_is_dropped() -> None:
    candidates = found([1.0, 0.8, 0.5], actor=[0, 1, -1], actors=("Ana", "Marco"))
    assert order(candidates, "what did Marco say of boston", "Ana", "Marco") == [1, 0, 2]
    assert (score(asked("what did Marco say", "Ana", "Marco"), candidates, Convex()).scores > 0).all()


@pytest.mark.parametrize(("text", "first"), [("where do I live?", 0), ("where did you say it is?", 1)])
def test_i_is_the_user_and_you_the_assistant(text: str, first: int) -> None:
    assert order(found([1.0, 1.0], source_class=[1, 2]), text)[0] == first


def test_a_text_of_a_tool_or_a_page_counts_less() -> None:
    system, user, assistant, tool, page = score(
        asked(), found([1.0] * 5, source_class=[0, 1, 2, 3, 4]), Convex()
    ).scores
    assert system == user == assistant > tool == page


def test_with_a_weight_an_important_strong_or_new_memory_wins_a_tie() -> None:
    important = found([1.0, 1.0], importance=[0.1, 0.9])
    strong, new = found([1.0, 1.0], strength=[1.0, 2.0]), found([1.0, 1.0], recorded_at=[0, micro(NOW)])
    assert order(important) == order(strong) == order(new) == [0, 1]
    assert order(important, recipe=Convex(importance=0.1)) == [1, 0]
    assert order(strong, recipe=Convex(strength=0.05)) == order(new, recipe=Convex(recency=0.02)) == [1, 0]


def test_no_boost_turns_the_order_of_clearly_better_words() -> None:
    candidates = found([4.0, 1.0], importance=[0.0, 1.0], strength=[1.0, 2.0], source_class=[4, 0])
    assert order(candidates, recipe=Convex(importance=0.1, strength=0.05)) == [0, 1]


def test_a_date_in_the_question_lifts_what_happened_then() -> None:
    times = [micro(NOW - timedelta(days=days)) for days in (400, 1, 30)]
    assert order(found([1.0, 1.0, 1.0], valid_from=times), "boston yesterday")[0] == 1


@pytest.mark.parametrize(
    ("when", "begins", "ends"),
    [
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("in March 2025", "2025-03-01", "2025-04-01"),
        ("on March 3, 2025", "2025-03-03", "2025-03-04"),
    ],
)
def test_an_event_of_a_date_counts_less_and_less_for_six_weeks(when: str, begins: str, ends: str) -> None:
    begin, end = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (begins, ends))
    times = [begin - timedelta(1), begin, end - timedelta(hours=1), end, end + timedelta(21), end + timedelta(42)]
    candidates = found([1.0] * 6, valid_from=[micro(at) for at in times])
    boost = score(asked(f"what happened to boston {when}?"), candidates, Convex()).boosts["date"]
    assert boost == pytest.approx([1.0, 1.5, 1.5, 1.35, 1.175, 1.0])


def test_the_latest_is_lifted_when_it_is_asked_for() -> None:
    times = [micro(NOW - timedelta(days=days)) for days in (3, 1, 2)]
    assert order(found([1.0, 1.0, 1.0], valid_from=times), "the most recent boston") == [1, 2, 0]


def test_places_are_lifted_when_the_question_asks_where() -> None:
    candidates = found([1.0, 1.0], marks=[0, int(Mark.PLACE)])
    assert order(candidates, "where is boston?") == [1, 0]
    assert order(candidates, "boston") == [0, 1]


def test_what_is_listed_comes_from_several_sessions() -> None:
    candidates = found([1.0, 0.99, 0.98, 0.9], session=[1, 1, 2, -1])
    assert order(candidates, "which bostons were there?") == [0, 2, 3, 1]
    assert order(candidates, "what was boston?") == [0, 1, 2, 3]


def test_time_words_are_lifted_when_the_question_asks_when() -> None:
    candidates = found([1.0, 1.0], marks=[0, int(Mark.TIME_WORDS)])
    assert order(candidates, "when was boston?") == [1, 0]
    assert order(candidates, "boston") == [0, 1]


def test_in_a_chat_a_question_is_a_worse_answer() -> None:
    assert order(found([1.0, 1.0], length=10.0, marks=[int(Mark.QUESTION), 0])) == [1, 0]


def test_every_multiplier_is_on_record() -> None:
    recipe = Convex(importance=0.1, strength=0.05, recency=0.02)
    scored = score(asked("when was boston?"), found([1.0, 1.0], marks=[0, int(Mark.TIME_WORDS)]), recipe)
    assert {"importance", "strength", "recency", "trust", "time words"} <= scored.boosts.keys()
    assert all(len(boost) == 2 for boost in scored.boosts.values())


def test_nothing_to_score_is_no_error() -> None:
    assert len(score(asked("what did I do last week?"), found([]), Convex()).scores) == 0


# ----------------------------------------------------------------------------------------------------------- relevance

CALIBRATED = {"low": 0.3, "high": 0.9}


def relevant(candidates: Candidates, text: str = "boston") -> list[float]:
    """Return the relevance of each candidate."""
    return [float(value) for value in relevance(asked(text), candidates, **CALIBRATED)]


def test_either_words_or_meaning_can_carry_relevance() -> None:
    values = relevant(found([1.0, 0.0, 0.0, 0.0], cosine=[0.1, 0.95, 0.3, NONE]))
    assert values == pytest.approx([1.0, 1.0, 0.0, 0.0])


def test_relevance_does_not_depend_on_the_other_candidates() -> None:
    both = relevant(found([1.0, 0.0], cosine=[0.1, 0.6]))
    assert relevant(found([0.0], cosine=[0.6]))[0] == pytest.approx(both[1])


def test_a_question_without_informative_words_goes_by_meaning() -> None:
    candidates = found([0.0], cosine=[0.6], terms=np.zeros((0, 1)))
    assert relevant(candidates, "?!")[0] == pytest.approx(0.5)


@given(st.lists(st.tuples(st.booleans(), st.floats(-1, 1) | st.just(NONE)), max_size=5))
def test_relevance_is_a_share(rows: list[tuple[bool, float]]) -> None:
    held = [float(words) for words, _ in rows]
    assert all(0 <= value <= 1 for value in relevant(found(held, cosine=[cosine for _, cosine in rows])))
