"""What a model by name is made of and asked with is checked, and an odd name reaches no terminal as it is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engrain import ConfigError
from engrain.llm.client import NamedLLM, resolve_llm

NAME = "openai:small@http://localhost:1/v1"


@pytest.mark.parametrize("name", ["openai:a\x1b[31mb", "openai:a\nb", "openai:a\u202eb", "nobody:\x1b]0;x\x07", "\x1b"])
def test_a_name_with_what_cannot_be_seen_is_refused_in_words_that_can(name: str) -> None:
    with pytest.raises(ConfigError, match="llm is ") as caught:
        resolve_llm(name)
    assert str(caught.value).isprintable()


def test_a_name_without_end_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        resolve_llm(f"openai:{'x' * 3_000}@http://localhost:1/v1")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("timeout", ["5", None, True, [5]])
def test_a_timeout_is_a_number(timeout: Any) -> None:
    with pytest.raises(TypeError, match="timeout must be a number of seconds"):
        NamedLLM(NAME, timeout=timeout)


@pytest.mark.parametrize("timeout", [0, -1.0, math.nan, math.inf])
def test_a_timeout_is_some_seconds(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout is more than 0 seconds"):
        NamedLLM(NAME, timeout=timeout)


@pytest.mark.parametrize(
    ("prompt", "more", "said"),
    [
        (None, {}, "prompt must be a string, not NoneType"),
        (b"tea", {}, "prompt must be a string, not bytes"),
        ("tea", {"system": None}, "system must be a string, not NoneType"),
        ("tea", {"max_tokens": "5"}, "max_tokens must be a whole number, not str"),
        ("tea", {"max_tokens": True}, "max_tokens must be a whole number, not bool"),
    ],
)
def test_a_question_is_checked_before_it_is_counted(prompt: Any, more: dict[str, Any], said: str) -> None:
    model = NamedLLM(NAME)
    with pytest.raises(TypeError, match=said):
        model.complete(prompt, **more)
    assert model.usage.calls == 0
