"""An ablation asks the same questions with everything, without each ingredient, and by each other policy."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from engrain.evaluation.ablation import FULL, ablate
from engrain.policies import Convex
from engrain.testing import FakeEmbedder
from tests.evaluation.conversations import lines, locomo


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(lines(locomo(), locomo("conv-2")))
    return path


def test_it_leaves_out_each_ingredient_and_tries_each_policy(chats):
    found = ablate(chats, embedder=FakeEmbedder())
    without = {name.removeprefix("without ") for name in found.changes if name.startswith("without")}
    assert without == {field.name.replace("_", " ") for field in fields(Convex)}
    assert {"rrf", "intent_blend"} < found.changes.keys()
    assert FULL not in found.changes
    assert found.questions == 6


def test_a_change_is_the_difference_of_the_same_questions(chats):
    found = ablate(chats, embedder=None)
    mean, low, high = found.changes["without meaning"]["recall@10"]
    assert mean == low == high == 0.0  # there is no meaning without an embedder
    assert all(low <= mean <= high for change in found.changes.values() for mean, low, high in change.values())


def test_it_is_json_and_a_table(chats):
    found = ablate(chats, embedder=None, limit=2)
    assert json.loads(json.dumps(found.to_dict()))["changes"].keys() == found.changes.keys()
    assert "without neighbours" in found.table()
    assert "everything" in found.table()


def test_it_tells_how_far_it_is(chats):
    told = []
    ablate(chats, embedder=None, limit=3, progress=lambda done, total, label: told.append((done, total, label)))
    assert [done for done, _, _ in told] == [1, 2, 3]
    assert {total for _, total, _ in told} == {3}


@pytest.mark.parametrize("wrong", [{"k": 5}, {"limit": 0}])
def test_it_refuses_what_says_nothing(chats, wrong):
    with pytest.raises(ValueError, match="at least"):
        ablate(chats, embedder=None, **wrong)
