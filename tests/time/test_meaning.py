"""Meaning through time: a vector speaks for a memory only while it is of the text that the memory had."""

from __future__ import annotations

from engrain.model.memory import Status
from engrain.testing import FakeEmbedder
from tests.time.world import World


def test_a_verdict_leaves_the_vector_its_word() -> None:
    world = World(FakeEmbedder())
    judged = world.add("Ana drinks green tea")
    world.add("the kettle is broken")
    before = world.after()
    world.edit(judged, change="reject", status=Status.ARCHIVED)
    world.after()
    hit = world.ask("drinking teas", when={"known_at": before})[0]
    assert hit.id == judged
    assert {"words", "meaning"} <= {signal.name for signal in hit.signals}


def test_a_later_text_is_no_evidence_for_an_earlier_one() -> None:
    world = World(FakeEmbedder())
    edited = world.add("Ana collects stamps")
    other = world.add("Ben collects coins")
    before = world.after()
    world.edit(edited, content="Ana collects rare gold coins from Rome")
    world.after()
    hits = world.ask("rare gold coins from Rome", when={"known_at": before})
    assert [hit.id for hit in hits] == [other]
    (hit, _) = world.ask("stamps or rare gold coins from Rome", when={"known_at": before})
    assert hit.id == edited
    assert hit.relevance < 0.5
    assert "meaning" not in {signal.name for signal in hit.signals}
