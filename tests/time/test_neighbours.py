"""`neighbors`: the nearest texts by plain cosine."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain.model.filters import Filter
from engrain.model.memory import Status
from engrain.read.listing import neighbors
from engrain.testing import FailingEmbedder, FakeEmbedder
from engrain.testing.conformance.base import cosines
from tests.time.world import DAY, World

ALL = Filter("default")


def test_nearest_first_with_the_cosine_as_it_is() -> None:
    world = World(FakeEmbedder())
    texts = ["Ana drinks green tea", "Ana drinks black coffee", "the kettle is broken"]
    for text in texts:
        world.add(text)
    hits = neighbors(world.engine, ALL, "Ana drinks green tea", 10)
    rows = FakeEmbedder().embed(texts)
    expected = sorted(zip(cosines(rows, rows[0]), texts, strict=True), reverse=True)
    assert [hit.content for hit in hits] == [text for _, text in expected]
    for hit, (cosine, _) in zip(hits, expected, strict=True):
        assert hit.score == pytest.approx(cosine, abs=1e-3)
        assert hit.relevance == min(max(hit.score, 0.0), 1.0)
    assert len(neighbors(world.engine, ALL, "tea", 2)) == 2


def test_quarantined_ones_are_in_it_and_what_is_over_is_not() -> None:
    world = World(FakeEmbedder())
    for status in set(Status) - {Status.SUPERSEDED}:
        world.add(f"tea {status.value}", status=status)
    world.add("tea superseded", superseded_by="mem_x")
    world.add("tea never true", believed_until=world.now)
    world.add("tea expired by the clock", expires_at=world.now)
    world.add("tea tomorrow", valid_from=world.now + DAY)
    world.add("tea elsewhere", org="other")
    found = {hit.content for hit in neighbors(world.engine, ALL, "tea", 100)}
    assert found == {"tea active", "tea quarantined", "tea tomorrow"}
    world.clock.advance(timedelta(microseconds=1))
    assert {hit.content for hit in neighbors(world.engine, Filter("other"), "tea", 100)} == {"tea elsewhere"}


def test_nothing_without_an_embedder_or_a_place_for_it() -> None:
    world = World(FakeEmbedder())
    world.add("tea")
    assert neighbors(world.engine, ALL, "tea", 0) == []
    assert neighbors(world.engine, ALL, "tea", -1) == []
    world.engine.embedder = None
    assert neighbors(world.engine, ALL, "tea", 10) == []
    world.engine.embedder = FailingEmbedder()
    assert neighbors(world.engine, ALL, "tea", 10) == []
    world.engine.embedder = FakeEmbedder(id="another/one")
    assert neighbors(world.engine, ALL, "tea", 10) == []
