"""Recall by the graph: answers that share no word with the question, by any alias of its subject."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.model.choices import RankingName
from engrain.policies import Convex
from engrain.testing import FrozenClock

NOISE = (
    "the market opened late and prices of corn rose while rain fell over fields near coast villages ships carried wood "
    "stone glass bread cheese butter wool salt iron"
).split()


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 300 statements without a person as subject, to be copied."""
    rng, place = random.Random(7), tmp_path_factory.mktemp("market") / "memory.db"
    with MemoryManager(place, embedder=None, clock=FrozenClock("2026-01-05T12:00:00+00:00")) as memory:
        memory.remember_many([{"content": " ".join(rng.choices(NOISE, k=10)) + f" {n}"} for n in range(300)])
    return place


@pytest.fixture
def crowd(market: Path, tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """A memory of 300 statements without a person as subject."""
    place = shutil.copy(market, tmp_path / "memory.db")
    with MemoryManager(place, embedder=None, clock=clock) as memory:
        yield memory


def test_an_answer_one_relation_away_shares_no_word_with_the_question(crowd: MemoryManager) -> None:
    crowd.remember("Ana works at Zephyr Labs")
    answer = crowd.remember("Zephyr Labs has moved to Rose Street 5").id
    found = crowd.recall("Which address will a parcel for Ana need?", k=3, touch=False)
    assert answer in [hit.id for hit in found]
    signals = {signal.name: signal for hit in found if hit.id == answer for signal in hit.signals}
    assert signals["graph"].rank == 1
    without = crowd.recall("Which address will a parcel for Ana need?", k=100, ranking=Convex(graph=0), touch=False)
    assert answer not in [hit.id for hit in without]


def test_two_relations_away_it_still_counts_and_less(crowd: MemoryManager) -> None:
    crowd.graph.add_relationship(("person", "Ana"), "works_at", ("organization", "Zephyr Labs"))
    crowd.graph.add_relationship(("organization", "Zephyr Labs"), "owned_by", ("organization", "Boreal Holding"))
    near = crowd.remember("Zephyr Labs is hiring").id
    far = crowd.remember("Boreal Holding is in trouble").id
    found = crowd.recall("How secure is the position of Ana?", k=5, touch=False)
    ids = [hit.id for hit in found]
    assert ids.index(near) < ids.index(far)


NAMES = ["APT28", "apt28", "Fancy Bear", "fancy bear", "STRONTIUM", "Forest Blizzard", "sofacy"]


@pytest.mark.parametrize("name", NAMES)
def test_a_person_asked_for_by_an_alias_is_found_first(crowd: MemoryManager, name: str) -> None:
    stored = crowd.remember("Pawn Storm went after ministries in March", domain="cti").id
    found = crowd.recall(f"What do we know about {name}?", touch=False)
    assert found[0].id == stored
    assert found[0].relevance > 0.5
    assert not found.abstained


def test_an_alias_added_by_a_caller_is_a_name_too(crowd: MemoryManager) -> None:
    stored = crowd.remember("Robert Miller is on leave until May").id
    crowd.graph.add_alias("person", "Robert Miller", "Bobby the Boss")
    assert crowd.recall("Where is Bobby the Boss?", touch=False)[0].id == stored


def test_the_trace_says_which_entity_it_is_about(crowd: MemoryManager) -> None:
    crowd.remember("Ana works at Zephyr Labs")
    stages = {stage.name: stage for stage in crowd.recall("where does Ana work?", touch=False).trace}
    assert stages["graph"].notes == ("about Ana",)
    assert "graph" not in {stage.name for stage in crowd.recall("what of corn?", touch=False).trace}


def test_every_filter_and_scope_holds(crowd: MemoryManager) -> None:
    ana, bo = crowd.scoped(user="ana"), crowd.scoped(user="bo")
    ana.remember("Ana works at Zephyr Labs")
    hidden = bo.remember("Zephyr Labs has moved to Rose Street 5").id
    labelled = ana.remember("Zephyr Labs is closed in August", domain="work").id
    asked = "Which address will a parcel for Ana need?"
    assert hidden not in [hit.id for hit in ana.recall(asked, k=50, touch=False)]
    assert labelled in [hit.id for hit in ana.recall(asked, touch=False)]
    assert [hit.id for hit in ana.recall(asked, domain="work", touch=False)] == [labelled]
    ana.forget(labelled)
    assert labelled not in [hit.id for hit in ana.recall(asked, k=50, touch=False)]


def test_a_relation_that_ended_leads_nowhere(crowd: MemoryManager) -> None:
    old = crowd.remember("Ana works at Zephyr Labs").id
    answer = crowd.remember("Zephyr Labs has moved to Rose Street 5").id
    crowd.supersede(old, "Ana works at Boreal Holding")
    found = crowd.recall("Which address will a parcel for Ana need?", k=50, touch=False)
    assert answer not in [hit.id for hit in found]


def test_what_a_film_is_called_names_no_threat(crowd: MemoryManager) -> None:
    crowd.remember("Cloud Atlas is a group that goes after diplomats", domain="cti")
    stored = crowd.remember("We saw Inception on Friday").id
    found = crowd.recall("When did we see Inception?", touch=False)
    assert found[0].id == stored
    assert "graph" not in {signal.name for signal in found[0].signals}


@pytest.mark.parametrize("ranking", ["rrf", "intent_blend"])
def test_the_other_policies_know_the_graph_too(crowd: MemoryManager, ranking: RankingName) -> None:
    crowd.remember("Ana works at Zephyr Labs")
    answer = crowd.remember("Zephyr Labs has moved to Rose Street 5").id
    found = crowd.recall("Which address will a parcel for Ana need?", k=3, ranking=ranking, touch=False)
    assert answer in [hit.id for hit in found]
