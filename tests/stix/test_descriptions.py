"""What an object of a bundle is, is answered from its description."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import MemoryManager

UUID = "f1f7c9a-5d2c-4a0e-9a6b-3b1f0e7f2a01"
GROUP, TOOL = f"intrusion-set--1{UUID}", f"tool--2{UUID}"
WHEN = {"spec_version": "2.1", "created": "2025-04-01T00:00:00Z", "modified": "2025-05-01T00:00:00Z"}
WHO = "Lantern Eel is a crew of ferry thieves that has been active since at least 2021."
WHAT = "OarLock is a remote access tool."


@pytest.fixture
def memory(tmp_path: Path) -> MemoryManager:
    uses: list[dict[str, object]] = [
        {
            "type": "relationship",
            "id": f"relationship--{number}{UUID}",
            "relationship_type": "uses",
            "source_ref": GROUP,
            "target_ref": TOOL,
            "description": text,
        }
        for number, text in enumerate(["", "Lantern Eel has used OarLock.", "Lantern Eel drops OarLock."], start=3)
    ]
    things: list[dict[str, object]] = [
        {"type": "intrusion-set", "id": GROUP, "name": "Lantern Eel", "aliases": ["SILT RUNNER"], "description": WHO},
        {"type": "tool", "id": TOOL, "name": "OarLock", "description": WHAT},
        *uses,
    ]
    path = tmp_path / "bundle.json"
    objects = [{**WHEN, **thing} for thing in things]
    path.write_text(json.dumps({"type": "bundle", "id": f"bundle--6{UUID}", "objects": objects}))
    memory = MemoryManager(":memory:", user="ana")
    memory.graph.import_stix(path)
    return memory


@pytest.mark.parametrize("query", ["Who is Lantern Eel?", "Who are Lantern Eel?", "Wer ist Lantern Eel?"])
def test_the_description_is_the_best_hit_and_the_answer(memory: MemoryManager, query: str):
    assert memory.recall(query, k=1)[0].memory.content.startswith(WHO)


def test_a_question_of_identity_is_answered_by_the_first_sentence(memory: MemoryManager):
    answer = memory.synthesize("Who is Lantern Eel?").synthesis["answer"]
    assert "crew of ferry thieves" in str(answer)
    answer = memory.synthesize("What is OarLock?").synthesis["answer"]
    assert "remote access tool" in str(answer)


def test_an_export_has_the_description_alone(memory: MemoryManager, tmp_path: Path):
    bundle = json.loads(Path(memory.graph.export_stix(tmp_path / "out.json")).read_text())
    described = {each.get("name"): each.get("description") for each in bundle["objects"]}
    assert described["Lantern Eel"] == WHO
    assert described["OarLock"] == WHAT


def test_an_import_reads_no_statement_from_what_the_bundle_relates(memory: MemoryManager):
    assert [each.fact for each in memory.list_memories(limit=10) if each.fact is not None] == []
