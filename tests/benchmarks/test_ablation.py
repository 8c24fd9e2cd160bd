"""An ablation asks the same questions with everything, without each ingredient, and with each other policy."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from benchmarks.ablation import ADDED, FULL, MINOR, RETRIEVERS, WithoutRetriever, WithoutTrust, evaluate
from engrain import MemoryManager
from engrain.policies import Convex
from engrain.testing import FakeEmbedder
from tests.benchmarks.conversations import lines, locomo


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(lines(locomo(), locomo("conv-2")))
    return path


def test_it_leaves_out_each_ingredient_and_tries_each_policy(chats):
    found = evaluate(chats, embedder=FakeEmbedder())
    without = {name.removeprefix("without ") for name in found.changes if name.startswith("without")}
    assert without == {
        *(field.name.replace("_", " ") for field in fields(Convex) if field.name not in ADDED),
        ", ".join(MINOR),
        "trust",
        "links",
        *(f"what only {name} found" for name in RETRIEVERS),
    }
    assert {
        "rrf",
        "intent_blend",
        *(f"with {name} {weight:g}" for name, weight in ADDED.items()),
    } < found.changes.keys()
    assert FULL not in found.changes
    assert found.questions == 6


def test_a_change_is_the_difference_of_the_same_questions(chats):
    found = evaluate(chats, embedder=None)
    mean, low, high = found.changes["without meaning"]["recall@10"]
    assert mean == low == high == 0.0  # there is no meaning without an embedder
    assert all(low <= mean <= high for change in found.changes.values() for mean, low, high in change.values())


@pytest.fixture
def tea():
    with MemoryManager(":memory:", user="ana", embedder=None) as memory:
        memory.remember("Tea grows in Georgia", source_type="external_data")
        yield memory


def test_trust_is_left_out_of_the_default_score(tea):
    (default,), (without,) = (tea.recall("tea", ranking=ranking) for ranking in (None, WithoutTrust()))
    assert default.score == pytest.approx(0.8 * without.score)


def test_a_hit_of_only_one_retriever_is_left_out(tea):
    scores = {name: tea.recall("tea", ranking=WithoutRetriever(lists))[0].score for name, lists in RETRIEVERS.items()}
    assert [name for name, score in scores.items() if score == 0] == ["words"]


def test_it_is_json_and_a_table(chats):
    found = evaluate(chats, embedder=None, limit=2)
    assert json.loads(json.dumps(found.to_dict()))["changes"].keys() == found.changes.keys()
    assert "without neighbours" in found.table()
    assert "everything" in found.table()


def test_it_reports_progress(chats):
    seen = []
    evaluate(chats, embedder=None, limit=3, progress=lambda done, total, label: seen.append((done, total, label)))
    assert [done for done, _, _ in seen] == [1, 2, 3]
    assert {total for _, total, _ in seen} == {3}


@pytest.mark.parametrize("wrong", [{"k": 5}, {"limit": 0}])
def test_arguments_out_of_range_are_refused(chats, wrong):
    with pytest.raises(ValueError, match="at least"):
        evaluate(chats, embedder=None, **wrong)
