"""The analyser of texts, and one in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest

from engrain.language.analyzer import BUILT_IN, BuiltInAnalyzer, in_use, use_analyzer
from engrain.model.entities import Mention
from engrain.protocols import Analyzer

TEXT = "Ana Sousa did not move to Rome on 5 May 2024, but Ben may. He stays."


class Namer(BuiltInAnalyzer):
    """Knows one name."""

    def names(self, text: str) -> Sequence[Mention]:  # type: ignore[override]
        return [Mention("person", "Ana", 0, 3)] if text.startswith("Ana") else []


@pytest.fixture
def own() -> Iterator[Namer]:
    namer = Namer()
    use_analyzer(namer)
    yield namer
    use_analyzer(None)


def test_what_the_built_in_one_returns() -> None:
    assert isinstance(BUILT_IN, Analyzer)
    assert in_use.analyzer is BUILT_IN
    assert BUILT_IN.language("Ich wohne in Rom.") == "de"
    assert [TEXT[start:stop].strip() for start, stop in BUILT_IN.sentences(TEXT)] == [TEXT[:58], "He stays."]
    assert [(each.negative, each.hypothetical) for each in BUILT_IN.clauses(TEXT[:58])] == [
        (True, False),
        (False, True),
    ]
    (day,) = BUILT_IN.times(TEXT, datetime(2025, 1, 1, tzinfo=UTC))
    assert (TEXT[day.start : day.stop], day.first, day.unit) == ("5 May 2024", datetime(2024, 5, 5, tzinfo=UTC), "day")
    assert ("person", "Ana Sousa") in [each[:2] for each in BUILT_IN.names(TEXT)]
    assert BUILT_IN.statement("Ana lives in Rome.").fact is not None


def test_one_of_ones_own_takes_its_place(own: Namer) -> None:
    assert in_use.analyzer is own
    assert [each.name for each in in_use.analyzer.names("Ana and Ben")] == ["Ana"]


def test_an_object_without_a_method_is_refused() -> None:
    with pytest.raises(TypeError, match="object is no analyser: it lacks name, language, sentences"):
        use_analyzer(object())  # type: ignore[arg-type]
