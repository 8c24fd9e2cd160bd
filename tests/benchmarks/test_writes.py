"""An evaluation of writes says what was closed, lost and made to wait, which changes it found, what it answered."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from benchmarks.datasets import load
from benchmarks.histories import CORRECTED, GIVEN, TickingClock, make_histories, write_histories
from benchmarks.statements import NEGATED, SENTENCES, TURNS, Tally, UniqueNames, Written, compatible
from benchmarks.summaries import extracted_survival
from benchmarks.writes import evaluate
from engrain import MemoryManager
from engrain.testing import FakeEmbedder
from engrain.text import normalise
from tests.benchmarks.conversations import lines, locomo

SMALL = 80


@pytest.fixture
def view():
    with MemoryManager(":memory:", user="ana", embedder=None) as manager:
        yield manager


@pytest.fixture
def chats(tmp_path):
    turns = ["I live in Porto.", "The boat is blue. I saw it.", "I live in Lisbon.", "Thanks!", "thanks!"]
    said = [{"dia_id": f"D1:{n}", "speaker": "Ana", "text": text} for n, text in enumerate(turns, start=1)]
    session = {"session_id": "session_1", "date_time": "1:56 pm on 8 May, 2023", "turns": said}
    asked = [
        {"question": "Where is home?", "category": 4, "evidence": ["D1:3"], "answer": "Lisbon"},
        {"question": "What is it worth?", "category": 4, "evidence": ["D1:2"], "answer": "a great deal"},
    ]
    path = tmp_path / "chats.jsonl"
    path.write_text(lines({**locomo(), "sessions": [session], "qa": asked}))
    return path


# --------------------------------------------------------------------------------------------------- what is made up


def test_the_same_seed_makes_up_the_same():
    assert compatible(SMALL, 3) == compatible(SMALL, 3) != compatible(SMALL, 4)
    assert make_histories(12, 3) == make_histories(12, 3)


def test_statements_are_as_many_as_asked_and_no_two_the_same():
    said = compatible(SMALL, 3)
    assert SMALL <= len(said) <= SMALL + 10
    assert len({normalise(one.item["content"]) for one in said}) == len(said)


def test_names_are_given_once():
    names = UniqueNames(Random(1))
    words = [names.word() for _ in range(2000)]
    assert len(set(words)) == 2000


def test_a_history_changes_two_to_six_times_and_is_asked_about_each_interval():
    histories, statements = make_histories(60, 3)
    assert len(statements) == sum(len(history.versions) for history in histories) + 2 * len(histories)
    for history in histories:
        times = [version.begins for version in history.versions]
        assert times == sorted(times)
        assert sorted(history.write_order) == list(range(len(times)))
        right = [number for number, version in enumerate(history.versions) if not version.wrong]
        assert [moment.version for moment in history.moments()] == right
        assert 3 <= len(right) <= 8
    assert {True, False} == {history.late is not None for history in histories} == {h.given for h in histories}


# ------------------------------------------------------------------------------------------------- what is counted


def test_a_closed_memory_is_named_with_what_closed_it(view):
    said = [{"content": text, "kind": "semantic"} for text in ("Ana lives in Rome.", "Ana lives in Oslo.")]
    tally = Tally("none")
    tally.add(view, [Written("homes", item, view.remember(**item)) for item in said])
    (row,) = tally.figures()
    assert (row.written, row.distinct, row.counts) == (2, 2, {"closed": 1, "lost": 0, "waiting": 0})
    assert (row.closings[0].old, row.closings[0].new) == ("Ana lives in Rome.", "Ana lives in Oslo.")
    assert row.closings[0].stage == "2 slot"
    assert row.to_dict()["false_supersede_rate"] == 0.5
    assert not row.sound
    assert replace(row, population=TURNS).sound


def test_a_text_that_another_replaces_is_lost(view):
    kept = view.remember("The lamp is on")
    tally = Tally("none")
    tally.add(view, [Written("lamps", {"content": text}, kept) for text in ("The lamp is on", "The lamp is off")])
    (row,) = tally.figures()
    assert (row.losses, row.sound) == (["The lamp is off"], False)


def test_the_same_words_twice_are_one_text(view):
    items = [{"content": "Thanks!"}, {"content": "thanks!"}]
    tally = Tally("none")
    tally.add(view, [Written("thanks", item, view.remember(**item)) for item in items])
    (row,) = tally.figures()
    assert (row.written, row.distinct, row.losses) == (2, 1, [])


def test_a_pending_memory_is_named_with_what_it_contradicts(view):
    items = [{"content": text, "kind": "semantic"} for text in ("Ana eats meat.", "Ana does not eat meat.")]
    tally = Tally("none")
    tally.add(view, [Written(NEGATED, item, view.remember(**item)) for item in items])
    (row,) = tally.figures()
    assert [(clash.old, clash.new) for clash in row.waits] == [("Ana eats meat.", "Ana does not eat meat.")]


def test_changes_are_found_and_asked_about():
    clock, steps = TickingClock(), []
    histories, statements = make_histories(12, 3)
    with MemoryManager(":memory:", user="ana", embedder=None, clock=clock) as view:
        found = write_histories(view, clock, histories, statements, lambda: steps.append(1))
    assert len(steps) == found.written == len(statements)
    assert found.changes == sum(len(history.versions) - 1 for history in histories)
    assert (found.wrong, found.precision) == (0, 1.0)
    assert 0.5 < found.recall <= 1
    assert found.asked_understood == found.answered_understood > 0
    assert sum(part for part, _ in found.by_form.values()) == found.found
    assert sum(miss.times for miss in found.missed) == found.changes - found.found
    assert found.sound


def test_a_store_that_closes_nothing_finds_nothing_and_answers_wrongly():
    clock = TickingClock()
    histories, statements = make_histories(24, 3)
    unresolved = [replace(one, item={**one.item, "resolve": "off"}) for one in statements]
    with MemoryManager(":memory:", user="ana", embedder=None, clock=clock) as view:
        found = write_histories(view, clock, histories, unresolved, lambda: None)
    assert (found.found, found.right, found.wrong, found.recall) == (0, 0, 0, 0.0)
    assert found.answered < found.asked
    assert not found.sound
    assert {GIVEN in miss.form or CORRECTED in miss.form for miss in found.missed} == {True, False}


def test_answers_are_looked_for_in_the_facts_and_in_the_first_sentences(chats):
    with MemoryManager(":memory:", embedder=None) as manager:
        found = extracted_survival(manager, load(chats))
    assert found.answers == 1
    assert found.extracted[5] == 1
    assert found.first[5] == 0
    assert found.kept[5] == 2


# ---------------------------------------------------------------------------------------------------------- the whole


def test_everything_is_done_with_the_embedder_and_without():
    found = evaluate(embedder=FakeEmbedder(), size=SMALL)
    assert [changes.embedder for changes in found.changes] == [FakeEmbedder().id, "none"]
    assert {row.embedder for row in found.compatible} == {FakeEmbedder().id, "none"}
    assert found.passed
    assert found.survival is None
    assert len(evaluate(embedder="none", size=SMALL).changes) == 1


def test_turns_of_conversations_are_written_too(chats):
    found = evaluate(chats, embedder=None, size=SMALL)
    rows = {row.population: row for row in found.compatible}
    assert [(row.written, row.distinct, len(row.closings), row.losses) for row in (rows[TURNS], rows[SENTENCES])] == [
        (5, 4, 1, []),
        (6, 5, 1, []),
    ]
    assert "I live in Porto." in found.table()
    assert found.survival is not None
    assert found.passed


@pytest.fixture(scope="module")
def by_words(tmp_path_factory):
    """An evaluation without an embedder: what was found, its progress, and the folder of its stores."""
    seen, folder = [], tmp_path_factory.mktemp("stores")
    found = evaluate(embedder=None, size=SMALL, store_dir=folder, progress=lambda *step: seen.append(step[:2]))
    return found, seen, folder


def test_the_figures_are_json_and_a_table(by_words):
    found, _, _ = by_words
    document = json.loads(json.dumps(found.to_dict()))
    assert document["sound"] is True
    assert document.keys() >= {"compatible", "changes", "survival", "machine", "seed", "size", "file"}
    assert "Every bar is met" in found.table()
    missed = replace(found, compatible=(replace(found.compatible[0], losses=["gone"]),))
    assert not missed.passed
    assert "lost: gone" in missed.table()
    assert "A bar is MISSED" in missed.table()


def test_progress_reaches_its_end(by_words):
    _, seen, _ = by_words
    assert seen[-1][0] == seen[-1][1]
    assert seen == sorted(seen)


def test_nothing_is_left_behind_and_sizes_are_checked(by_words):
    _, _, folder = by_words
    assert list(folder.iterdir()) == []
    with pytest.raises(ValueError, match="at least 1"):
        evaluate(size=0)
