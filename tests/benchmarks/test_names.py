from __future__ import annotations

import json
from pathlib import Path

from benchmarks.names import Extraction, evaluate

REPORT = {
    "text": "APT28 uses Mimikatz.",
    "entities": [{"entity_name": "the APT28"}, {"entity_name": "a Mimikatz build"}],
    "explicit_triplets": [{"subject": "APT28", "relation": "is using", "object": "Mimikatz"}],
}


def test_what_is_read_is_compared_with_what_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    path.write_text(json.dumps(REPORT) + "\n")
    figures = evaluate(path)
    assert isinstance(figures, Extraction)
    assert (figures.texts, figures.strict.matched, figures.lenient.matched) == (1, 1, 2)
    assert figures.any_verb.f1 == figures.same_meaning.f1 == 1
    assert figures.to_dict()["lenient"]["recall"] == 1
    assert "entities, strict" in figures.table()
    assert "matches strictly" in figures.table()
