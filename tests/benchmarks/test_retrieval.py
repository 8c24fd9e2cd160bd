"""An evaluation remembers conversations, asks their questions and reports how much of the evidence came back."""

from __future__ import annotations

import json

import pytest

from benchmarks.retrieval import evaluate
from engrain.testing import FakeEmbedder
from tests.benchmarks.conversations import lines, locomo, longmemeval


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(lines(locomo(), locomo("conv-2")))
    return path


def test_it_measures_each_system_on_each_category(chats):
    found = evaluate(chats, embedder=FakeEmbedder())
    assert list(found.systems) == ["engrain", "bm25", "vector"]
    for groups in found.systems.values():
        assert {name: cell.questions for name, cell in groups.items()} == {
            "overall": 6,
            "adversarial": 2,
            "multi-hop": 2,
            "single-hop": 2,
            "temporal": 2,
        }
    assert (found.conversations, found.memories, found.answerable, found.unanswerable) == (2, 12, 6, 2)
    assert found.systems["engrain"]["overall"].metrics["recall@10"][0] == 1.0
    assert found.systems["bm25"]["single-hop"].metrics["mrr"] == (1.0, 1.0, 1.0)


def test_conversations_are_kept_apart(chats):
    found = evaluate(chats, embedder=None)
    assert found.systems["engrain"]["single-hop"].metrics["mrr"][0] == 1.0


def test_speakers_can_have_handles(chats):
    found = evaluate(chats, embedder=None, handles=True)
    assert "chats.jsonl, embedder none, handles instead of names" in found.lines()
    assert found.systems["engrain"]["single-hop"].metrics["mrr"][0] == 1.0


def test_without_an_embedder_there_is_no_vector_baseline(chats):
    found = evaluate(chats, embedder=None)
    assert list(found.systems) == ["engrain", "bm25"]
    assert found.embedder is None


def test_it_reports_how_well_answerable_questions_are_separated_from_others(tmp_path):
    path = tmp_path / "haystacks.jsonl"
    path.write_text(lines(longmemeval(), longmemeval("q2_abs", question="What is my parrot's favourite opera?")))
    assert evaluate(path, embedder=None).auroc == 1.0
    path.write_text(lines(longmemeval()))
    assert evaluate(path, embedder=None).auroc is None


def test_the_same_file_gives_the_same_figures(chats):
    first, second = (evaluate(chats, embedder=FakeEmbedder()).to_dict() for _ in range(2))
    assert all(time >= 0 for time in first.pop("recall_ms").values())
    second.pop("recall_ms")
    for time in ("ingest_per_cpu_second", "ingest_seconds"):
        assert first.pop(time) >= 0
        second.pop(time)
    assert first == second


def test_a_limit_caps_the_questions(chats):
    assert evaluate(chats, embedder=None, limit=5).to_dict()["answerable"] == 4
    few = evaluate(chats, embedder=None, limit=4)
    assert (few.conversations, few.answerable, few.unanswerable) == (1, 3, 1)


def test_progress_counts_questions(chats):
    seen = []
    evaluate(chats, embedder=None, limit=5, progress=lambda *step: seen.append(step))
    assert seen == [(1, 5, "conv-1"), (2, 5, "conv-1"), (3, 5, "conv-1"), (4, 5, "conv-1"), (5, 5, "conv-2")]


def test_the_figures_are_json_and_a_table(chats):
    found = evaluate(chats, embedder=None)
    assert json.loads(json.dumps(found.to_dict())).keys() == {
        "abstained",
        "answerable",
        "auroc",
        "by_conversation",
        "conversations",
        "embedder",
        "file",
        "handles",
        "importance",
        "ingest_per_cpu_second",
        "ingest_seconds",
        "k",
        "machine",
        "memories",
        "recall_ms",
        "seed",
        "server",
        "systems",
        "unanswerable",
    }
    table = found.table()
    assert "overall (6 questions)" in table
    assert "R@10" in table
    assert "bm25" in table
    assert "R@10 by conversation: conv-1 66.7, conv-2 66.7" in table


def test_nothing_is_left_behind(chats, tmp_path):
    evaluate(chats, embedder=None, store_dir=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["chats.jsonl"]


def test_arguments_out_of_range_and_files_that_are_none_are_refused(chats, tmp_path):
    with pytest.raises(ValueError, match="k is at least 20"):
        evaluate(chats, k=10)
    with pytest.raises(ValueError, match="limit is at least 1"):
        evaluate(chats, limit=0)
    with pytest.raises(FileNotFoundError):
        evaluate(tmp_path / "gone.jsonl", embedder=None)
    (tmp_path / "notes.json").write_text('{"messages": []}')
    with pytest.raises(ValueError, match=r"notes.json, line 1: not a conversation with questions"):
        evaluate(tmp_path / "notes.json", embedder=None)
