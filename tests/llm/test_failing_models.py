"""Whatever a language model does instead of answering, nothing that was said is lost; results say who did the work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.errors import ProviderError
from engrain.model.results import Reflection
from engrain.testing import ScriptedLLM
from tests.llm.uses import QUESTION, SESSION, TEXTS, USES, Use, answering, opened

SAYING = tuple(use for use in USES if use.says)


def _raises(error: Exception) -> Callable[..., str]:
    def fail(*_: object, **__: object) -> str:
        raise error

    return fail


def _always(answer: str) -> Callable[..., str]:
    return lambda *_, **__: answer


FAILURES: dict[str, Callable[..., str]] = {
    "raises": _raises(ConnectionResetError("gone")),
    "refuses the key": _raises(ProviderError("check the key")),
    "answers nothing": _always(" \n\t "),
    "answers with broken JSON": _always('[{"fact": "A donkey'),
    "refuses": _always("I'm sorry, but I cannot help you."),
    "refuses in Spanish": _always("Lo siento, no puedo ayudarte."),
    "answers without end": _always("lorem ipsum " * 20_000),
    "answers with another shape": _always('{"a": 1}'),
    "answers with lists of lists": _always("[[[]], [null, 2], {}]"),
    "answers with deep brackets": _always("[" * 50_000),
    "answers with too many entries": _always("[" + ",".join(['{"a": 1}'] * 2_000) + "]"),
}


def _there(memory: MemoryManager) -> str:
    """Return all that the memory holds, and everything that was said in the session."""
    held = [each.content for each in memory.list_memories(limit=500)]
    return "\n".join([*held, *(turn.content for turn in memory.working(SESSION).history())])


@pytest.mark.matrix
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("use", USES, ids=str)
def test_nothing_is_lost_and_all_of_it_is_found(use: Use, failure: str, tmp_path: Path) -> None:
    llm = ScriptedLLM(FAILURES[failure])
    with opened(tmp_path, llm) as root:
        memory = root.scoped(user="ana")
        result = use.run(memory, TEXTS)
        assert llm.calls
        there = _there(memory)
        assert [text for text in TEXTS if text.removesuffix(".") not in there] == []
        assert any("ferry" in text for text in memory.recall(QUESTION).texts)
    if use.says:
        worked = result.worked if isinstance(result, Reflection) else result
        assert worked.by == "offline"
        assert worked.why_not
        assert 0 < worked.calls <= len(llm.calls)  # of a session, what left its window was summarised before


@pytest.mark.matrix
@pytest.mark.parametrize("failure", FAILURES)
def test_an_offline_summary_has_the_trust_of_its_turns(failure: str, tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedLLM(FAILURES[failure])) as root:
        memory = root.scoped(user="ana")
        for text in TEXTS:
            memory.add_message("user", text, session=SESSION)
        stored = memory.end_session(SESSION).memories
        assert {(each.source.type, each.tier, each.metadata["told_by"]) for each in stored} == {
            ("user_input", "B", "offline")
        }


@pytest.mark.parametrize("use", SAYING, ids=str)
def test_a_spent_budget_asks_no_model_and_says_so(use: Use, tmp_path: Path) -> None:
    llm = ScriptedLLM(answering)
    with opened(tmp_path, llm, llm_budget={"calls": 0}) as root:
        result = use.run(root.scoped(user="ana"), TEXTS)
    worked = result.worked if isinstance(result, Reflection) else result
    assert (worked.by, worked.calls, worked.tokens, llm.calls) == ("offline", 0, 0, [])
    assert "budget" in worked.why_not


@pytest.mark.parametrize("use", SAYING, ids=str)
def test_a_model_that_works_is_named_with_what_it_took(use: Use, tmp_path: Path) -> None:
    llm = ScriptedLLM(answering)
    with opened(tmp_path, llm) as root:
        result = use.run(root.scoped(user="ana"), TEXTS)
    worked = result.worked if isinstance(result, Reflection) else result
    assert (worked.by, worked.why_not) == ("ScriptedLLM", "")
    assert 0 < worked.calls <= len(llm.calls)
    assert worked.tokens > 0


def test_a_summary_of_a_model_names_it_and_has_the_trust_of_a_model(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedLLM(answering)) as root:
        memory = root.scoped(user="ana")
        for text in TEXTS:
            memory.add_message("user", text, session=SESSION)
        (stored,) = memory.end_session(SESSION).memories
        assert (stored.source.type, stored.tier, stored.metadata["told_by"]) == ("llm_generated", "C", "ScriptedLLM")
