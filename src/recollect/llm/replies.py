"""Structured answers: a language model is asked for JSON of a shape, and once more when what it says cannot be read.

A shape is a plain dataclass; pydantic holds the answer to it. What stands around the JSON (a code fence, a greeting, an
explanation) is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

from recollect.errors import ProviderError
from recollect.llm.prompting import Prompt
from recollect.protocols import LLM

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
