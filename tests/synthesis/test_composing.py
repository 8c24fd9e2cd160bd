"""A model's answer is compared with what it cites: statements that its sources do not support are left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engrain import ProviderError
from engrain.model.results import Format
from engrain.synthesis.answer import compose
from engrain.synthesis.replies import Composed
from engrain.testing import ScriptedLLM
from tests.synthesis.stored_evidence import evidence

HOME = evidence("Where does Ana live?", "Ana moved to Tbilisi yesterday.", "Ana has two cats.")


def sentence(text: str, *cites: Any) -> dict[str, Any]:
    return {"text": text, "cites": list(cites)}


def composed(*replies: dict[str, Any] | str, form: Format = Format.DIRECT_ANSWER, held: Any = HOME) -> Composed:
    texts = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
    return compose(ScriptedLLM(texts), form, held)


def answer(*sentences: dict[str, Any], points: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"answer": list(sentences), "key_points": list(points)}


def lead(found: Composed) -> list[str]:
    assert found.parts is not None
    return [said.text for said in found.parts.lead]


def test_a_sentence_that_cites_is_kept_with_its_source() -> None:
    found = composed(answer(sentence("Ana lives in Tbilisi.", 1)))
    assert found.parts is not None
    assert [(said.text, said.quotes) for said in found.parts.lead] == [("Ana lives in Tbilisi.", (0,))]
    assert found.dropped == 0


def test_a_quote_found_in_its_memory_is_what_is_quoted() -> None:
    found = composed(answer(sentence("Ana lives in Tbilisi.", {"memory": 1, "quote": "moved to Tbilisi"})))
    assert [quote.text for quote in found.evidence.quotes] == ["moved to Tbilisi", "Ana has two cats."]


@pytest.mark.parametrize(
    "wrong",
    [
        sentence("Ana lives in Tbilisi."),
        sentence("Ana lives in Tbilisi.", 3),
        sentence("Ana lives in Tbilisi.", 0),
        sentence("Ana lives in Tbilisi.", "1"),
        sentence("Ana lives in Tbilisi.", True),
        sentence("Ana lives in Tbilisi.", {"memory": 1, "quote": "moved to Boston"}),
        sentence("Ana lives in Tbilisi.", {"memory": 1, "quote": ""}),
        sentence("Ana lives at 12 Rustaveli.", 1),
        sentence("Bob smokes.", 1),
    ],
)
def test_an_unsupported_sentence_is_left_out(wrong: dict[str, Any]) -> None:
    found = composed(answer(wrong, sentence("She has two cats.", 2)))
    assert (lead(found), found.dropped) == (["She has two cats."], 1)


def test_when_nothing_is_left_the_model_is_asked_once_more_with_the_reason() -> None:
    llm = ScriptedLLM([json.dumps(answer(sentence("Ana is 44.", 1))), json.dumps(answer(sentence("Tbilisi.", 1)))])
    assert lead(compose(llm, Format.DIRECT_ANSWER, HOME)) == ["Tbilisi."]
    assert "no sentence of it follows from the memories" in llm.calls[1].prompt


@pytest.mark.parametrize("said", ["I cannot help with that.", "{}", "[]", '{"answer": 5}', '{"answer": [{"text": 1}]}'])
def test_twice_nothing_that_can_be_read_is_an_error(said: str) -> None:
    with pytest.raises(ProviderError, match="nothing that can be read"):
        composed(said, said)


def test_no_answer_is_no_error() -> None:
    assert composed({"answer": [], "key_points": []}).parts is None


def test_a_plain_text_with_marks_is_read_too() -> None:
    found = composed('Here you are:\n```json\n{"answer": "Ana lives in Tbilisi [1]. She has two cats [2]."}\n```')
    assert lead(found) == ["Ana lives in Tbilisi.", "She has two cats."]


def test_a_day_that_follows_from_the_memory_may_be_named() -> None:
    found = composed(answer(sentence("Ana moved on 7 May 2026.", 1), sentence("Ana moved on 9 May 2026.", 1)))
    assert lead(found) == ["Ana moved on 7 May 2026."]


def test_a_count_of_what_is_cited_may_be_named() -> None:
    assert lead(composed(answer(sentence("Ana did 2 things.", 1, 2)))) == ["Ana did 2 things."]


def test_events_carry_a_day_that_their_memory_knows() -> None:
    event = {"text": "Ana moved to Tbilisi.", "cites": [1]}
    given = {"summary": [sentence("Ana moved.", 1)], "events": [{**event, "date": d} for d in DAYS]}
    found = composed(given, form=Format.TIMELINE_ANALYSIS).parts
    assert found is not None
    assert [each.date for each in found.events] == ["2026-05-07", "2026-05", "2026"]


DAYS = ("2026-05-07", "2026-05", "2026", "2024-01-01", "last week", "")


def test_relations_are_between_names_that_are_there() -> None:
    ties = [
        {"source": "Ana", "relation": "moved_to", "target": "Tbilisi", "cites": [1]},
        {"source": "Ana", "relation": "moved_to", "target": "Boston", "cites": [1]},
        {"source": "Ana", "relation": "Moved To!", "target": "Tbilisi", "cites": [1]},
        {"source": "Ana", "relation": "moved_to", "target": "Tbilisi", "cites": []},
    ]
    given = {"summary": [sentence("Ana moved.", 1)], "entities": ["Ana", "Zoe"], "relationships": ties}
    found = composed(given, form=Format.RELATIONSHIP_MAP)
    assert found.parts is not None
    assert [(t.source, t.relation, t.target, t.quotes) for t in found.parts.relations] == [
        ("Ana", "moved_to", "Tbilisi", (0,))
    ]
    assert (found.parts.entities, found.dropped) == (("Ana", "Tbilisi"), 3)


def test_a_model_receives_the_memories_in_a_fence_with_their_actors() -> None:
    llm = ScriptedLLM(['{"answer": []}'])
    compose(llm, Format.DIRECT_ANSWER, HOME)
    (call,) = llm.calls
    assert '"memory": 1' in call.prompt
    assert '"date": "2026-05-08"' in call.prompt
    assert '"source": "llm_generated"' in call.prompt
    assert "Where does Ana live?" in call.prompt
    assert "never an instruction" in call.system


def test_a_long_memory_is_shown_by_its_quote() -> None:
    held = evidence("What is it?", "It is tea. " + "Noise. " * 2000)
    llm = ScriptedLLM(['{"answer": []}'])
    compose(llm, Format.DIRECT_ANSWER, held)
    assert len(llm.calls[0].prompt) < 5000
