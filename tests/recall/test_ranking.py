"""Scores and relevance, as pure functions of a question and its candidates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.lazy import np
from engrain.policies import Convex
from engrain.read.ranking import certainty, relevance, score
from engrain.read.retrieval import SPAN, Candidates, Matches, Question, no_rows, term_idf, understand
from engrain.storage.rows import Columns, Mark, TextStats

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micro(at: datetime) -> int:
    """Return a time as candidates carry it."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def columns(size: int, **given: Any) -> Columns:
    """Return what ranking knows of so many rows: all alike but for what is given."""
    whole, part = np.zeros(size, np.int64), np.ones(size, np.float32)
    alike: dict[str, Any] = {
        "session": whole - 1,
        "position": whole,
        "actor": whole - 1,
        "actors": (),
        "source_class": whole + 2,
        "valid_from": np.full(size, micro(NOW)),
        "recorded_at": np.full(size, micro(NOW)),
        "importance": part * 0.5,
        "strength": part,
        "trust": part * 0.7,
        "length": whole + 5,
        "marks": whole,
        "kind": whole + 1,
        "domain": whole,
        "domains": ("general",),
        "agent": whole - 1,
        "agents": (),
        "used_at": np.full(size, micro(NOW)),
        "access_count": whole,
    }
    for name, values in given.items():
        alike[name] = values if name == "actors" else np.array(values, alike[name].dtype)
    return Columns(**alike)


def matches(length: float, **frequency: int) -> Matches:
    """Return what searches that found nothing say of 100 texts of so many words."""
    stats = TextStats(documents=100, average_length=length, frequency=frequency)
    return Matches(stats, lexical=no_rows(), vector=no_rows(), dated=no_rows().nums, graph=no_rows())


def candidates(words: list[float], cosine: list[float], **given: Any) -> Candidates:
    """Return candidates with these scores by words and cosines, without neighbours, among long documents."""
    size = len(words)
    return Candidates(
        nums=np.arange(1, size + 1, dtype=np.int64),
        columns=columns(size, **given),
        terms=np.array([words], np.float32),
        terms_around=np.zeros((1, 2 * SPAN, size), np.float32),
        answers=np.zeros(size, bool),
        session_words=np.zeros(size, np.float32),
        cosine=np.array(cosine, np.float32),
        cosine_next_to=np.full((2, size), np.nan, np.float32),
        graph=np.zeros(size, np.float32),
        matches=matches(200.0, tea=3),
    )


def ask(text: str = "tea", *actors: str) -> Question:
    """Understand a question at noon of 5 January 2026."""
    return understand(text, NOW, actors)


def order(question: Question, found: Candidates, recipe: Convex | None = None) -> list[int]:
    """Return the places of the candidates, best first."""
    return [int(place) for place in np.argsort(-score(question, found, recipe or Convex()).scores, kind="stable")]


def test_more_words_rank_higher() -> None:
    assert order(ask(), candidates([1.0, 3.0, 2.0], [0.5, 0.5, 0.5])) == [1, 2, 0]


def test_meaning_alone_ranks_too() -> None:
    assert order(ask(), candidates([0.0, 0.0, 0.0], [0.1, 0.9, 0.5])) == [1, 2, 0]


def test_words_weigh_more_than_meaning() -> None:
    assert order(ask(), candidates([1.0, 0.0], [0.1, 0.9])) == [0, 1]


def test_cosines_that_hardly_differ_decide_little() -> None:
    far, near = (score(ask(), candidates([1.0, 1.0], [0.1, 0.1 + by]), Convex()).scores for by in (0.6, 0.03))
    assert far[1] - far[0] > 5 * (near[1] - near[0]) > 0


def test_a_memory_without_vector_is_ranked_by_its_words() -> None:
    scored = score(ask(), candidates([2.0, 1.0], [np.nan, np.nan]), Convex())
    assert np.allclose(scored.scores, [1.0, 0.5])
    assert not scored.parts["meaning"].any()


def test_scaling_the_scores_of_a_list_changes_nothing() -> None:
    one = score(ask(), candidates([1.0, 3.0, 2.0], [0.1, 0.2, 0.3]), Convex()).scores
    other = score(ask(), candidates([10.0, 30.0, 20.0], [0.1, 0.2, 0.3]), Convex()).scores
    assert np.allclose(one, other)


def days(*ago: float) -> list[int]:
    """Return event times so many days ago."""
    return [micro(NOW - timedelta(days=each)) for each in ago]


@pytest.mark.parametrize("asked", ["tea last time", "most recent tea", "tea previously", "tea before that"])
def test_of_what_answers_about_as_well_the_order_of_event_time_leads(asked: str) -> None:
    question = ask(asked)
    cosines = [0.42, 0.35, 0.31, 0.4, 0.33]  # what their other words say by chance
    found = candidates([1.0] * 5, cosines, valid_from=days(30, 3, 50, 20, 10))
    assert order(question, found) == [1, 4, 3, 0, 2]
    assert order(replace(question, wants_latest=False), found)[0] == 0


def test_of_one_time_the_better_answer_leads_though_the_latest_is_asked_for() -> None:
    found = candidates([1.0] * 3, [0.3, 0.35, 0.42], valid_from=days(3, 3, 9))
    assert order(ask("latest tea"), found) == [1, 0, 2]


def test_the_next_turn_of_a_session_does_not_outrank_the_better_answer() -> None:
    found = candidates([1.0, 0.76, 0.9], [0.3] * 3, valid_from=days(3, 2.99, 20), session=[5, 5, 6])
    assert order(ask("latest tea"), found) == [0, 1, 2]
    apart = candidates([1.0, 0.76, 0.9], [0.3] * 3, valid_from=days(3, 2.99, 20), session=[5, 7, 6])
    assert order(ask("latest tea"), apart) == [1, 0, 2]


def test_a_later_event_does_not_outrank() -> None:
    found = candidates([1.0, 0.3], [0.5, 0.2], valid_from=days(90, 1))
    assert order(ask("latest tea"), found) == [0, 1]


@pytest.mark.parametrize(
    ("name", "values", "best"),
    [
        ("importance", [0.1, 0.9], 1),
        ("strength", [1.0, 2.0], 1),
        ("source_class", [4, 0], 1),
        ("source_class", [2, 3], 0),
    ],
)
def test_a_boost_decides_between_equals(name: str, values: list[float], best: int) -> None:
    assert (
        order(ask(), candidates([1.0, 1.0], [0.5, 0.5], **{name: values}), Convex(importance=0.1, strength=0.05))[0]
        == best
    )


def test_importance_and_strength_never_turn_a_clear_order() -> None:
    found = candidates([1.0, 0.7], [0.5, 0.5], importance=[0.0, 1.0], strength=[1.0, 2.0])
    assert order(ask(), found, Convex(importance=0.1, strength=0.05)) == [0, 1]


class TestTheSpeaker:
    def test_who_is_named_gains(self) -> None:
        found = candidates([1.0, 1.0], [0.5, 0.5], actor=[1, 0], actors=("Ana", "Ben"))
        assert order(ask("what did Ana say of tea?", "Ana", "Ben"), found) == [1, 0]

    def test_i_am_the_user(self) -> None:
        found = candidates([1.0, 1.0], [0.5, 0.5], source_class=[2, 1])
        assert order(ask("what did I say of tea?"), found) == [1, 0]

    def test_nobody_named_gains_nothing(self) -> None:
        assert "speaker" not in score(ask(), candidates([1.0], [0.5]), Convex()).boosts


class TestTimes:
    def test_an_event_on_the_day_gains(self) -> None:
        days = [micro(NOW - timedelta(days=n)) for n in (400, 1)]
        assert order(ask("tea yesterday"), candidates([1.0, 1.0], [0.5, 0.5], valid_from=days)) == [1, 0]

    def test_the_latest_gains_when_asked_for(self) -> None:
        days = [micro(NOW - timedelta(days=n)) for n in (1, 400)]
        found = candidates([1.0, 1.0], [0.5, 0.5], valid_from=days[::-1])
        assert order(ask("the most recent tea"), found) == [1, 0]
        assert "latest" not in score(ask("tea"), found, Convex()).boosts

    def test_texts_with_time_words_gain_when_a_time_is_asked_for(self) -> None:
        found = candidates([1.0, 1.0], [0.5, 0.5], marks=[0, Mark.TIME_WORDS])
        assert order(ask("when did we drink tea?"), found) == [1, 0]


NOBODY = [0.0] * (2 * SPAN)


def beside(step: int, score: float) -> list[float]:
    """Return what stands around a turn when only the one so many turns later (or earlier) holds the words."""
    around = list(NOBODY)
    around[SPAN + step if step < 0 else SPAN + step - 1] = score
    return around


class TestConversations:
    def chat(self, terms: list[list[float]], around: list[list[list[float]]], **given: Any) -> Candidates:
        """Return turns of a chat: what each term scores in each of them, and around them."""
        found = candidates(terms[0], [np.nan] * len(terms[0]), **given)
        each, nearby = np.array(terms, np.float32), np.array(around, np.float32).swapaxes(1, 2)
        return replace(found, terms=each, terms_around=nearby, matches=matches(8.0, tea=3))

    def test_a_turn_beside_the_words_is_lent_some(self) -> None:
        found = self.chat([[0.0, 0.0]], [[NOBODY, beside(-1, 5.0)]])
        assert score(ask(), found, Convex()).scores.tolist() == [0.0, 1.0]

    def test_the_turn_after_a_match_is_lent_more_than_the_one_before(self) -> None:
        assert order(ask(), self.chat([[0.0, 0.0]], [[beside(1, 5.0), beside(-1, 5.0)]])) == [1, 0]

    def test_less_is_lent_from_further_away(self) -> None:
        found = self.chat([[0.0] * SPAN], [[beside(-step, 5.0) for step in range(SPAN, 0, -1)]])
        assert order(ask(), found) == list(reversed(range(SPAN)))

    def test_a_word_that_a_turn_holds_itself_is_lent_nothing(self) -> None:
        found = self.chat([[5.0, 5.0]], [[NOBODY, beside(-1, 5.0)]])
        assert len(set(score(ask(), found, Convex()).scores.tolist())) == 1

    def test_a_turn_whose_neighbour_has_the_other_word_comes_before_one_with_the_same_word_again(self) -> None:
        tea, cup = [beside(-1, 5.0), NOBODY], [NOBODY, beside(-1, 5.0)]
        found = self.chat([[5.0, 5.0], [0.0, 0.0]], [tea, cup])
        assert order(ask("tea cup"), found) == [1, 0]

    def test_the_answer_to_a_question_is_lent_more(self) -> None:
        found = self.chat([[0.0, 0.0]], [[beside(-1, 5.0)] * 2])
        assert order(ask(), replace(found, answers=np.array([False, True]))) == [1, 0]

    def test_long_documents_are_lent_nothing(self) -> None:
        found = self.chat([[1.0, 0.0]], [[NOBODY, beside(-1, 5.0)]])
        assert score(ask(), replace(found, matches=matches(200.0, tea=3)), Convex()).scores[1] == 0

    def test_an_answer_ranks_before_a_question(self) -> None:
        found = self.chat([[1.0, 1.0]], [[NOBODY] * 2], marks=[Mark.QUESTION, 0])
        assert order(ask(), found) == [1, 0]


class TestRelevance:
    def of(self, words: list[float], cosine: list[float]) -> list[float]:
        return [float(value) for value in relevance(ask(), candidates(words, cosine), low=0.2, high=0.6)]

    def test_all_the_words_are_certain(self) -> None:
        assert self.of([1.0], [0.0]) == [1.0]

    def test_meaning_counts_between_its_bounds(self) -> None:
        assert self.of([0.0] * 4, [-0.3, 0.2, 0.4, 0.9]) == pytest.approx([0.0, 0.0, 0.5, 1.0], abs=1e-6)

    def test_a_statement_of_another_speaker_than_the_named_one_counts_half(self) -> None:
        found = candidates([1.0, 1.0, 1.0], [np.nan] * 3, actor=[0, 1, -1], actors=("Ana", "Teo"))
        assert relevance(replace(ask(), named_actor="Ana"), found, low=0.2, high=0.6).tolist() == [1.0, 0.5, 1.0]

    def test_a_question_that_fits_another_than_the_one_it_names_is_doubted(self) -> None:
        named = replace(ask(), named_actor="Ana")
        alone = candidates([0.0], [0.4], actor=[0], actors=("Ana", "Teo"))
        beside_another = candidates([0.0, 1.0], [0.4, 0.4], actor=[0, 1], actors=("Ana", "Teo"))
        unsure, doubted = (certainty(named, found, score(named, found, Convex())) for found in (alone, beside_another))
        assert (unsure, doubted) == (1.0, 0.0)
        equal = candidates([1.0, 1.0], [0.4, 0.4], actor=[0, 1], actors=("Ana", "Teo"))
        assert 0 < certainty(named, equal, score(named, equal, Convex())) < 1
        assert certainty(ask(), beside_another, score(ask(), beside_another, Convex())) == 1.0

    def test_a_question_is_doubted_for_all_that_another_said_about_it(self) -> None:
        named = replace(ask(), named_actor="Ana")
        actors = [0, 0, 0, 1, 1, 1]
        alike = candidates([1.0, 0.0, 0.0, 0.9, 0.0, 0.0], [np.nan] * 6, actor=actors, actors=("Ana", "Teo"))
        mostly = candidates([1.0, 0.0, 0.0, 0.9, 0.9, 0.9], [np.nan] * 6, actor=actors, actors=("Ana", "Teo"))
        sure, doubted = (certainty(named, found, score(named, found, Convex())) for found in (alike, mostly))
        assert doubted == 0.0 < sure

    def test_an_answer_holds_the_words_of_what_it_was_asked(self) -> None:
        found = candidates([0.0, 0.0], [np.nan] * 2)
        around = np.array([[beside(-1, 5.0)] * 2], np.float32).swapaxes(1, 2)
        found = replace(found, terms_around=around, answers=np.array([True, False]))
        assert relevance(ask(), found, low=0.2, high=0.6).tolist() == [1.0, 0.0]

    def test_nothing_is_not_relevant(self) -> None:
        assert self.of([0.0], [np.nan]) == [0.0]

    def test_it_does_not_depend_on_the_others(self) -> None:
        assert self.of([0.0, 1.0, 0.0], [0.5, 0.9, 0.1])[0] == self.of([0.0], [0.5])[0]

    @given(st.lists(st.tuples(st.floats(0, 50, width=32), st.floats(-1, 1, width=32)), min_size=1, max_size=8))
    def test_it_is_between_0_and_1(self, rows: list[tuple[float, float]]) -> None:
        found = self.of([words for words, _ in rows], [cosine for _, cosine in rows])
        assert all(0.0 <= value <= 1.0 for value in found)


def test_rare_terms_weigh_more() -> None:
    idf = term_idf(TextStats(1000, 10.0, {"rare": 1, "common": 400, "everywhere": 1000}))
    assert idf["rare"] > idf["common"] > idf["everywhere"] > 0


def test_no_candidates_have_no_scores() -> None:
    found = replace(candidates([], []), terms=np.zeros((1, 0), np.float32))
    assert score(ask("what tea did I drink last week?"), found, Convex()).scores.shape == (0,)
    assert relevance(ask(), found, low=0.2, high=0.6).shape == (0,)


class TestWhoAndWhen:
    def test_a_fact_without_speaker_that_names_the_subject_is_lifted_too(self, memory) -> None:
        for line in ("where the sea was", "we live and learn", "the honeymoon in Georgia", "I live for Sundays"):
            memory.remember(line, actor="Lena", source_type="user_input")
        fact = memory.remember("Lena lives in Weißensee")
        found = memory.recall("where does Lena live?", k=3)
        assert found[0].id == fact.id
        assert any(signal.name == "x speaker" for signal in found[0].signals)

    def test_the_year_on_the_line_that_places_a_fact_is_no_word_of_its_text(self, memory) -> None:
        for month in ("01", "02", "03"):
            memory.remember(
                f"Ben works at Brandt {month}",
                fact=("Ben", "works_at", f"Brandt {month}"),
                valid_from=f"2024-{month}-01",
            )
        hike = memory.remember("a long hike with wet boots", valid_from="2024-05-12")
        assert memory.recall("what happened in May 2024?", k=2)[0].id == hike.id

    def test_the_newest_of_the_answers_leads_when_the_latest_is_asked_for(self, memory) -> None:
        memory.remember("saw the dentist, she was kind", valid_from="2024-01-10")
        latest = memory.remember("a visit to the dentist, to see about a tooth", valid_from="2025-06-02")
        memory.remember("bought a kite", valid_from="2025-12-24")
        assert memory.recall("when did I last see the dentist?", k=3)[0].id == latest.id

    def test_of_equals_the_one_recorded_later_leads(self, memory, clock) -> None:
        memory.remember("the gate code is posted in the hall", session="one")
        clock.advance(timedelta(days=60))
        newer = memory.remember("the gate code is posted in the hall", session="two")
        assert memory.recall("gate code", k=1)[0].id == newer.id

    def test_a_question_about_a_person_is_answered_by_their_own_words(self, memory) -> None:
        memory.remember("I grow roses", actor="Yuki", source_type="user_input")
        memory.remember("a kettle of tea", actor="Paul", source_type="user_input")
        found = memory.recall("tell me about Yuki", k=1)
        assert found[0].memory.actor == "Yuki"


def test_a_question_of_thousands_of_words_is_asked_by_its_rarest(memory) -> None:
    for number in range(80):
        memory.remember(f"note word{number} and common filler {number}")
    wanted = memory.remember("the okapi sleeps by the river")
    asked = "okapi " + " ".join(f"word{n}" for n in range(80)) + " " + " ".join(f"strange{n}" for n in range(5000))
    found = memory.recall(asked, k=90)
    assert len(next(stage for stage in found.trace if stage.name == "words").notes) == 0
    assert wanted.id in [hit.id for hit in found]
