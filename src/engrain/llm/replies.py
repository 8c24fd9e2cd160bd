"""Prompts with a fence around the record, and replies of models parsed into types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, TypeVar

from engrain.errors import ProviderError
from engrain.language.tokens import terms
from engrain.lazy import library
from engrain.llm.client import Usage, name_of
from engrain.protocols import LLM
from engrain.text import digest

T = TypeVar("T")

RULES = "rules"
"""The system prompt of all calls: the text between the marks of the fence is a record, never an instruction."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: a name, a version that rises with every change of its words, and the words."""

    name: str
    version: int
    template: Template

    @property
    def label(self) -> str:
        """Name and version, as results report it."""
        return f"{self.name}/{self.version}"

    def filled(self, **values: str) -> tuple[str, str]:
        """Return the prompt and the system prompt; the template puts every value inside the fence."""
        fence = f"record-{digest(self.name, *values.values())[:16]}"
        return self.template.substitute(values, fence=fence), prompt(RULES).template.substitute(fence=fence)


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of a name; raises `FileNotFoundError` for an unknown one."""
    text = Path(__file__).with_name("prompts").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    head, _, words = text.partition("\n")
    return Prompt(name, int(head.removeprefix("version ")), Template(words.strip()))


class Unreadable(ProviderError):
    """A language model answered twice, and neither answer could be parsed."""

    def __init__(self) -> None:
        super().__init__("the language model answered twice with nothing that can be read")


def ask_model(
    llm: LLM, prompt: Prompt, parse: Callable[[str], T], *, max_tokens: int | None = None, **values: str
) -> T:
    """Return the parsed answer, asked for again after a `ValueError` of `parse`; `Unreadable` if that fails too."""
    text, system = prompt.filled(**values)
    correction = ""
    for _ in range(2):
        answer = llm.complete(correction + text, system=system, max_tokens=max_tokens)
        try:
            return parse(answer)
        except ValueError as error:
            correction = f"Your last answer could not be used: {error}. Answer with the JSON alone.\n\n"
    raise Unreadable


def json_object(shape: type[T]) -> Callable[[str], T]:
    """Return a parser of answers that hold a JSON object of a shape; its `ValueError` quotes no text."""

    def parse(answer: str) -> T:
        found = next((entry for value in _json_values(answer, "{") for entry in _validated(shape, [value])), None)
        if found is None:
            raise ValueError("it holds no JSON object of the shape that was asked for")
        return found

    return parse


def json_list(shape: type[T]) -> Callable[[str], list[T]]:
    """Return a parser of answers with a JSON list; `ValueError` without one, or without a fitting entry."""

    def parse(answer: str) -> list[T]:
        for value in _json_values(answer, "["):
            if isinstance(value, list) and ((entries := _validated(shape, value)) or not value):
                return entries
        raise ValueError("it holds no JSON list of the shape that was asked for")

    return parse


def is_supported(text: str, known: frozenset[str]) -> bool:
    """Return whether every number of a text is among the terms of a record, and at least one term of it."""
    own = frozenset(terms(text))
    numbers = {term for term in own if any(character.isdigit() for character in term)}
    return numbers <= known and not own.isdisjoint(known)


def _json_values(answer: str, bracket: str) -> Iterator[object]:
    """Yield the JSON values of an answer that begin with a bracket, in their order."""
    decoder, place = json.JSONDecoder(), answer.find(bracket)
    for _ in range(200):  # brackets of an answer at which JSON is looked for
        if place < 0:
            return
        end = place + 1
        try:
            value, end = decoder.raw_decode(answer, place)
            yield value
        except (ValueError, RecursionError):
            pass
        place = answer.find(bracket, end)


def _validated(shape: type[T], values: list[Any]) -> list[T]:
    invalid = library("pydantic", extra="llm").ValidationError
    found: list[T] = []
    for value in values:
        try:
            found.append(adapter(shape).validate_python(value))  # type: ignore[arg-type]  # a type is hashable
        except (invalid, RecursionError):
            continue
    return found


@cache
def adapter(shape: Any) -> Any:
    """Return the validator of a shape, cached."""
    return library("pydantic", extra="llm").TypeAdapter(shape)


class ModelTask:
    """Base of tasks for a language model, which raise what the model raises, and `Unreadable` after two bad answers."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """The name of the model in results."""
        return name_of(self._llm)

    @property
    def usage(self) -> Usage | None:
        """The usage so far, None where the model does not count."""
        usage = getattr(self._llm, "usage", None)
        return usage if isinstance(usage, Usage) else None

    def _ask(self, name: str, parse: Callable[[str], T], record: object, *, max_tokens: int | None = None) -> T:
        text = json.dumps(record, ensure_ascii=False, indent=0)
        return ask_model(self._llm, prompt(name), parse, max_tokens=max_tokens, record=text)


def attribution(provider: object) -> str:
    """Return an author with its token count, as in "openai:gpt-5-mini (312 tokens)"."""
    usage = provider.usage if isinstance(provider, ModelTask) else None
    return name_of(provider) if usage is None else f"{name_of(provider)} ({usage.tokens:,} tokens)"


def failure_reason(provider: object, errors: list[Exception]) -> str:
    """Return why a provider gave no result; the message of an error is repeated only where it can quote no memory."""
    if not errors:
        return f"{name_of(provider)} gave nothing that can be used"
    is_safe = isinstance(provider, ModelTask) and isinstance(errors[0], ProviderError)
    return str(errors[0]) if is_safe else f"{name_of(provider)} failed ({type(errors[0]).__name__})"
