"""Relations that a language model reads in a text: only those that the text bears out, for as long as it counts."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engrain.cti.pack import CTI
from engrain.llm.tasks import RELATIONS, stated
from engrain.model.entities import Mention, Named
from engrain.testing import FrozenClock
from tests.llm.describing import TEXT, answering, is_whole, opened
from tests.llm.describing import stated as known

RELATED = ("targets", "3 ministries", 0.6)


def read(text: str, *said: Any) -> list[tuple[str, str, str]]:
    mentions = [Mention(each.type, each.name, each.start, each.end) for each in CTI.extract(text)]
    triples = [{"subject": s, "relation": r, "object": o} if isinstance(r, str) else s for s, r, o in said]
    return [(each.source.name, each.relation, each.target.name) for each in stated(triples, text, mentions)]


def test_ends_are_entities_under_any_name_or_phrases_of_the_text() -> None:
    text = "Fancy Bear, it turned out, had reached the payroll   database through CVE-2024-3094."
    assert read(text, ("fancy bear", "Compromises", "payroll database"), ("APT28", "exploits", "cve-2024-3094")) == [
        ("APT28", "compromises", "payroll database"),
        ("APT28", "exploits", "CVE-2024-3094"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        ("APT28", "uses", "Mimikatz"),
        ("APT28", "loves", "Zebrocy"),
        ("APT28", "uses", "APT28"),
        ("APT28", "uses", "Fancy Bear"),
        ("it", "uses", "Zebrocy"),
        ("", "uses", "Zebrocy"),
        (7, None, None),
        ({"subject": ["APT28"], "relation": "uses", "object": "Zebrocy"}, None, None),
        ("APT28", "uses", "a very long phrase that is far more than a name of any thing"),
    ],
)
def test_an_argument_that_names_nothing_or_relates_in_no_known_way_is_dropped(said: tuple[Any, Any, Any]) -> None:
    assert read("APT28, also Fancy Bear, brought Zebrocy, and it spread.", said) == []


@pytest.mark.parametrize(
    "text",
    [
        "APT28 did not bring Zebrocy.",
        "APT28 might have brought Zebrocy.",
        "Did APT28 bring Zebrocy?",
        "There is no evidence that APT28 brought Zebrocy.",
        f"APT28 is old. {'Much else happened there. ' * 40} Zebrocy is new.",
    ],
)
def test_a_negated_asked_possible_or_distant_relation_is_dropped(text: str) -> None:
    assert read(text, ("APT28", "uses", "Zebrocy")) == []


def test_the_same_is_stated_once_and_not_without_end() -> None:
    text = f"APT28 brought Zebrocy. {' '.join(f'APT28 hit site{n} too.' for n in range(40))}"
    assert len(read(text, *[("APT28", "uses", "Zebrocy")] * 5)) == 1
    assert len(read(text, *[("APT28", "targets", f"site{n}") for n in range(40)])) == 12


def test_the_prompt_lists_the_accepted_relations() -> None:
    words = files("engrain.llm").joinpath("prompts", "describe_causes.txt").read_text(encoding="utf-8")
    listed = words.partition("The relation is one of ")[2].partition(".")[0]
    assert set(re.findall(r"\w+", listed)) == RELATIONS


def test_they_weigh_less_than_what_is_stated_plainly_and_cite_the_memory(tmp_path: Path, clock: FrozenClock) -> None:
    uses = {"subject": "APT28", "relation": "uses", "object": "Zebrocy"}
    targets = {"subject": "APT28", "relation": "targets", "object": "3 ministries"}
    with opened(tmp_path, clock, answering(triples=[uses, targets])) as memory:
        stored, _ = memory.remember(TEXT, domain="cti", sync=True)
        assert known(memory) == [RELATED, ("uses", "Zebrocy", 0.9)]
        found = memory.get_entity_relationships("actor", "APT28")
        assert {each.evidence for each in found if each.relation in ("targets", "uses")} == {(stored.id,)}


@pytest.mark.parametrize("how", ["forget", "erase", "supersede", "edit"])
def test_they_leave_with_their_evidence(tmp_path: Path, clock: FrozenClock, how: str) -> None:
    with opened(tmp_path, clock, answering()) as memory:
        stored, _ = memory.remember(TEXT, domain="cti", sync=True)
        assert RELATED in known(memory)
        if how == "supersede":
            memory.supersede(stored.id, "APT28 has been quiet since.")
        elif how == "edit":
            memory.update(stored.id, content="APT28 has been quiet since.")
        else:
            memory.forget(stored.id, hard=how == "erase")
        assert RELATED not in known(memory)
        assert memory.flush()
        assert RELATED not in known(memory)
        assert is_whole(memory)


def test_an_edit_of_something_else_keeps_them(tmp_path: Path, clock: FrozenClock) -> None:
    with opened(tmp_path, clock, answering()) as memory:
        stored, _ = memory.remember(TEXT, domain="cti", sync=True)
        memory.update(stored.id, importance=0.9, metadata={"a": 1})
        assert memory.stats().jobs == {}
        assert RELATED in known(memory)


def test_another_user_sees_none_of_it(tmp_path: Path, clock: FrozenClock) -> None:
    with opened(tmp_path, clock, answering()) as memory:
        memory.remember(TEXT, domain="cti", sync=True)
        other = type(memory)(memory.store, user="bo", embedder=None)
        assert known(other) == []


def test_a_name_is_an_entity(tmp_path: Path, clock: FrozenClock) -> None:
    with opened(tmp_path, clock, answering()) as memory:
        stored, _ = memory.remember(TEXT, domain="cti", sync=True)
        assert stored.id in {each.id for each in memory.recall_entity("organization", "3 ministries")}
        assert Named("event", "expired certificate") in {
            Named(each.type, each.name) for each in memory.graph.entities()
        }


def test_nothing_that_a_model_wrote_outlives_an_erased_memory(tmp_path: Path, clock: FrozenClock) -> None:
    gate = {"subject": "quorbline gate", "relation": "affects", "object": "outage"}
    words = {"summary": "The quorbline outage", "keywords": ["quorbline"], "tags": ["quorbline"], "triples": [gate]}
    with opened(tmp_path, clock, answering(**words)) as memory:
        stored, _ = memory.remember("An outage in Berlin: the quorbline gate broke.", domain="cti", sync=True)
        memory.update(stored.id, content="All is well.")
        receipt = memory.forget(stored.id, hard=True).receipt
        assert receipt is not None
        assert receipt.verified
        assert list(memory.graph.entities()) == []
    assert [file.name for file in tmp_path.iterdir() if b"quorbline" in file.read_bytes()] == []
