"""Prompts with a fence around the record, and replies parsed into types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from string import Template
from typing import Any, TypeVar

from engrain.errors import ProviderError
from engrain.protocols import LLM
from engrain.text import digest

RULES = "rules"
"""The prompt that tells every model what a record is: what stands between the marks is never an instruction."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: a name, a version that rises with every change of its words, and the words."""

    name: str
    version: int
    template: Template

    @property
    def label(self) -> str:
        """What it is called in results: name and version."""
        return f"{self.name}/{self.version}"

    def filled(self, **values: str) -> tuple[str, str]:
        """Return the question and what is said before it (the system prompt); every value stands in its fence.

        A prompt that puts a value outside its fence breaks the promise: tests look at each.
        """
        fence = f"record-{digest(self.name, *values.values())[:16]}"
        return self.template.substitute(values, fence=fence), prompt(RULES).template.substitute(fence=fence)


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of a name; raises `FileNotFoundError` for one that there is not."""
    text = files("engrain.llm").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    head, _, words = text.partition("\n")
    return Prompt(name, int(head.removeprefix("version ")), Template(words.strip()))


T = TypeVar("T")


class Unreadable(ProviderError):
    """A language model answered twice, and neither answer could be read."""


UNREADABLE = "the language model answered twice with nothing that can be read"
_OPENINGS = 200  # brackets of an answer at which JSON may begin


def asked(llm: LLM, prompt: Prompt, read: Callable[[str], T], *, max_tokens: int | None = None, **values: str) -> T:
    """Ask, and return what `read` makes of the answer; a `ValueError` of it is told to the model, which may try again.

    Raises what the model raises, and `Unreadable` when its second answer cannot be read either.
    """
    text, system = prompt.filled(**values)
    opening = ""
    for _ in range(2):
        answer = llm.complete(opening + text, system=system, max_tokens=max_tokens)
        try:
            return read(answer)
        except ValueError as error:
            opening = f"Your last answer could not be used: {error}. Answer with the JSON alone.\n\n"
    raise Unreadable(UNREADABLE)


def one(shape: type[T]) -> Callable[[str], T]:
    """Return a reader of answers that are one JSON object of a shape; it raises `ValueError`, which quotes no text."""
    return partial(_one, shape)


def several(shape: type[T]) -> Callable[[str], list[T]]:
    """Return a reader of answers that are a JSON list; entries of another shape are left out.

    It raises `ValueError` when there is no list, and when there are entries and none is of the shape.
    """
    return partial(_several, shape)


def _one(shape: type[T], answer: str) -> T:
    for found in _documents(answer, "{"):
        if (entry := _validated(shape, found)) is not None:
            return entry
    raise ValueError("it holds no JSON object of the shape that was asked for")


def _several(shape: type[T], answer: str) -> list[T]:
    for found in _documents(answer, "["):
        if isinstance(found, list):
            entries = [entry for each in found if (entry := _validated(shape, each)) is not None]
            if entries or not found:
                return entries
    raise ValueError("it holds no JSON list of the shape that was asked for")


def _documents(answer: str, bracket: str) -> Iterator[object]:
    """Yield the JSON values of an answer that begin with a bracket, in the order in which they stand there."""
    decoder, place = json.JSONDecoder(), answer.find(bracket)
    for _ in range(_OPENINGS):
        if place < 0:
            return
        try:
            found, end = decoder.raw_decode(answer, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield found
        place = answer.find(bracket, end)


def _validated(shape: type[T], found: object) -> T | None:
    from pydantic import ValidationError

    try:
        value: T = _adapter(shape).validate_python(found)  # type: ignore[arg-type]  # a type is hashable
    except (ValidationError, RecursionError):
        return None
    return value


@cache
def _adapter(shape: type[Any]) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(shape)
