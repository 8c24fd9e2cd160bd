from __future__ import annotations

import json
from pathlib import Path

from engrain.evaluation.extraction import evaluate_extraction

REPORT = {
    "text": "APT28 uses Mimikatz.",
    "entities": [{"entity_name": "the APT28"}, {"entity_name": "a Mimikatz build"}],
    "explicit_triplets": [{"subject": "APT28", "relation": "is using", "object": "Mimikatz"}],
}


def test_what_is_read_is_held_against_what_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    path.write_text(json.dumps(REPORT) + "\n")
    figures = evaluate_extraction(path)
    assert (figures.texts, figures.strict.matched, figures.lenient.matched) == (1, 1, 2)
    assert figures.ends.f1 == figures.meaning.f1 == 1
    assert figures.to_dict()["lenient"]["recall"] == 1
    assert "entities, strict" in figures.table()
    assert "matches strictly" in figures.table()
