"""A run measures every operation beside its limit, states each bar, and leaves nothing behind; no time is asserted."""

from __future__ import annotations

import json

import pytest

from benchmarks.corpus import Corpus, TalkCorpus
from benchmarks.report import Row, Timings, by_clock, growth, timed
from benchmarks.speed import ERASURE, MEMORIES, SWEEPS

SIZES = (20, 40)

pytestmark = pytest.mark.sqlite("a file beside a bare one; tests/postgres/test_benchmarks.py is about servers")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder, seen = tmp_path_factory.mktemp("bench"), []
    found = MEMORIES.run(sizes=SIZES, seconds=0.1, store_dir=folder, progress=lambda *step: seen.append(step))
    return found, seen, list(folder.iterdir())


def figures(found, what):
    return {row.size: row for row in found.rows if row.what == what}


@pytest.mark.slow
def test_every_operation_is_measured_at_every_size(measured):
    for what in (
        "open a store",
        "remember, one by one in one scope",
        "remember_many, 1,000 a batch: each memory",
        "recall in a scope of 1,000",
        "recall in a scope of 1,000, by words only",
        "recall in the whole scope",
        "recall in the whole scope, by words only",
    ):
        rows = figures(measured[0], what)
        assert tuple(rows) == SIZES, what
        for row in rows.values():
            assert 0 < row.p50_ms <= row.p95_ms, what
            assert row.cpu_ms is not None, what


@pytest.mark.slow
def test_what_has_a_limit_is_compared_with_it(measured):
    for what, limit in (
        ("open a store", "opening a file with SQLite"),
        ("remember, one by one in one scope", "bare insert, as durable"),
        ("remember_many, 1,000 a batch: each memory", "bare executemany"),
        ("recall in the whole scope", "numpy's exact scan, float32"),
    ):
        for row in figures(measured[0], what).values():
            assert row.limit == limit
            assert row.limit_ms > 0
            assert row.ratio > 0


@pytest.mark.slow
def test_the_vectors_of_the_largest_store_are_as_good_as_exact(measured):
    row = figures(measured[0], "vector search in the whole scope: share of the exact 10 found")[SIZES[-1]]
    assert row.value >= 0.99
    assert row.met


@pytest.mark.slow
def test_several_processes_lose_nothing(measured):
    for what in ("errors", "acknowledged and lost"):
        (row,) = figures(measured[0], f"4 processes that write and 4 that read: {what}").values()
        assert row.value == 0
        assert row.size > 0


@pytest.mark.slow
def test_a_bar_is_stated_with_whether_it_was_met(measured):
    for row in measured[0].rows:
        assert (row.met is None) == (not row.bar), row
    assert any(row.bar for row in measured[0].rows)


@pytest.mark.slow
def test_progress_comes_to_an_end(measured):
    _, seen, _ = measured
    assert [done for done, _, _ in seen] == list(range(1, len(seen) + 1))
    assert {total for _, total, _ in seen} == {len(seen)}
    assert all(label for _, _, label in seen)


@pytest.mark.slow
def test_nothing_is_left_behind(measured):
    assert measured[2] == []


@pytest.mark.slow
def test_the_figures_are_json_and_a_table(measured):
    found = measured[0]
    known = json.loads(json.dumps(found.to_dict()))
    assert known.keys() == {"about", "embedder", "machine", "rows", "seed", "server", "sizes", "versions"}
    assert (known["sizes"], known["seed"]) == ([20, 40], 7)
    assert all(
        row.keys()
        == {
            "bar",
            "cpu_ms",
            "cpu95_ms",
            "limit",
            "limit_ms",
            "met",
            "p50_ms",
            "p95_ms",
            "ratio",
            "size",
            "unit",
            "value",
            "what",
        }
        for row in known["rows"]
    )
    table = found.table()
    assert "recall in the whole scope (limit: numpy's exact scan, float32)\n" in table
    assert "Bars met: " in table


def test_sizes_out_of_range_are_refused():
    for sizes in ((), (0,), (10, -1)):
        with pytest.raises(ValueError, match="sizes are at least 1"):
            MEMORIES.run(sizes=sizes)


@pytest.mark.slow
def test_a_sweep_is_timed_for_what_is_due_and_when_nothing_is():
    found = SWEEPS.run(sizes=[1_000])
    assert [row.what for row in found.rows if row.size == 1_000 and row.cpu_ms] == [
        "sweep, nothing due",
        "sweep, for each memory that is due",
        "first sweep under other policies, for each memory stored",
    ]


def test_an_erased_memory_is_verified():
    found = ERASURE.run(sizes=[20])
    rows = {row.what: row for row in found.rows}
    assert rows["receipts not verified"].met
    assert rows["forget_all for good: each memory"].p50_ms


# -------------------------------------------------------------------------------------------------------- the corpus


def test_the_same_seed_makes_the_same_conversation():
    assert list(Corpus(7).items("ana", 45)) == list(Corpus(7).items("ana", 45))
    assert list(Corpus(7).items("ana", 45)) != list(Corpus(8).items("ana", 45))
    assert list(Corpus(7).items("ana", 45)) != list(Corpus(7).items("ben", 45))
    assert Corpus(7).questions("ana", 9) == Corpus(7).questions("ana", 9)


def test_a_conversation_has_sessions_of_two_people_in_order_of_time():
    items = list(Corpus(7).items("ana", 45))
    assert [item["session"] for item in items] == ["session-0"] * 20 + ["session-1"] * 20 + ["session-2"] * 5
    assert len({item["actor"] for item in items}) == 2
    times = [item["valid_from"] for item in items]
    assert times == sorted(times)
    assert len({item["content"] for item in items}) == 45
    assert all(20 <= len(item["content"].split()) <= 60 + 3 for item in items)  # a date has several words


def test_questions_use_the_words_of_the_texts():
    said = {word for item in Corpus(7).items("ana", 2000) for word in item["content"].lower().replace(".", "").split()}
    asked = " ".join(Corpus(7).questions("ana", 20)).lower().replace("?", "").replace("'s", "").split()
    assert sum(word in said for word in asked) > len(asked) / 2


# ------------------------------------------------------------------------------------------------------- the figures


def test_a_ratio_is_of_medians():
    row = by_clock(timed("writing", 10, Timings([1.0, 3.0, 9.0], [1.0, 2.0, 3.0])), "the disk", Timings([1.5] * 3))
    assert (row.p50_ms, row.cpu_ms, row.limit_ms, row.ratio) == (3.0, 2.0, 1.5, 2.0)


def test_the_time_of_a_call_is_divided_by_its_items():
    taken = Timings()
    assert taken.measure_each(4, sorted, [2, 1]) == [1, 2]
    assert taken.measure(sorted, [2, 1], reverse=True) == [2, 1]
    assert len(taken.wall) == len(taken.cpu) == 2


def test_growth_is_from_the_smallest_to_the_largest_that_count():
    rows = [Row("reading", size, cpu_ms=ms) for size, ms in ((10, 1.0), (100, 2.0), (1000, 6.0))]
    (row,) = growth(rows, "reading", least=100, most=lambda times: times / 2)
    assert (row.size, row.value, row.bar, row.met) == (1000, 3.0, "<= 5x", True)
    (row,) = growth(rows, "reading", least=1, most=lambda _: 1.5)
    assert (row.value, row.met) == (6.0, False)
    assert growth(rows[:1], "reading", least=1, most=lambda _: 1.5) == []


def test_texts_of_a_file_are_taken_in_order_and_more_are_put_together_from_them(tmp_path):
    texts = ("I signed the lease. It is in Porto.", "How much is the rent?", "780 euros a month.")
    turns = [{"dia_id": f"D1:{n}", "speaker": "Maren", "text": text} for n, text in enumerate(texts, start=1)]
    talk = {
        "sessions": [{"session_id": "1", "date_time": "2025-03-20T18:00:00Z", "turns": turns}],
        "qa": [{"question": "What is the rent?", "evidence": ["D1:3"], "category": 4}],
    }
    (tmp_path / "talk.jsonl").write_text(json.dumps(talk))
    corpus = TalkCorpus(7, tmp_path / "talk.jsonl")
    items = list(corpus.items("ana", 30))
    assert {item["content"] for item in items[:3]} == set(texts)
    sentences = ("I signed the lease.", "It is in Porto.", *texts[1:])
    assert all(item["content"].startswith(sentences) for item in items)
    assert len(items) == 30
    assert items == list(corpus.items("ana", 30))
    assert corpus.questions("ana", 3) == ["What is the rent?"] * 3
