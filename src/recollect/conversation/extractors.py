"""Facts out of turns, found by a function of the caller's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from recollect.models import MemoryEntry, MemoryType, Turn

_KEYS = tuple(field.name for field in fields(MemoryEntry))


class CallbackExtractor:
    """An extractor that asks `extract_fn`: it gets the turns and returns a dict for each fact it finds.

    A dict needs "content" and may have any field of `MemoryEntry`; an unknown key is a `ValueError`, so that a
    misspelt one is not lost. `source_turns` are the times of the turns unless it says otherwise. `extract_fn` is given
    `context` too if it has a parameter of that name. What it raises is passed on.
    """

    def __init__(
        self,
        extract_fn: Callable[..., Iterable[Mapping[str, Any]]],
        default_type: MemoryType | str = MemoryType.SEMANTIC,
    ) -> None:
        if not callable(extract_fn):
            raise TypeError(f"extract_fn must be a function of the turns, not {type(extract_fn).__name__}")
        self._extract = extract_fn
        self._type = MemoryType(default_type)
        self._wants_context = _accepts(extract_fn, "context")

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[MemoryEntry]:
        """Return what the function found, in its order."""
        given = list(turns)
        found = self._extract(given, context=context) if self._wants_context else self._extract(given)
        if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
            raise TypeError(f"extract_fn returned a {type(found).__name__}: it must return a list of dicts")
        said = tuple(turn.at.isoformat() for turn in turns if turn.at is not None)
        return [self._entry(fact, said) for fact in found]

    def _entry(self, fact: object, said: tuple[str, ...]) -> MemoryEntry:
        if not isinstance(fact, Mapping):
            raise TypeError(f"extract_fn returned a {type(fact).__name__} in its list: each fact is a dict")
        if unknown := [str(key) for key in fact if key not in _KEYS]:
            raise ValueError(f"unknown key {', '.join(map(repr, unknown))} in a fact: use {', '.join(_KEYS)}")
        content = fact.get("content")
        if content is None or content == "":
            raise ValueError('a fact without "content": every dict that extract_fn returns needs it')
        if not isinstance(content, str):
            raise TypeError(f'"content" must be a string, not {type(content).__name__}')
        for name in ("tags", "links", "source_turns"):
            if isinstance(fact.get(name), str):
                raise TypeError(f"{name!r} must be a list of strings, not one string")
        return MemoryEntry(**{"memory_type": self._type, "source_turns": said, **fact})


def _accepts(function: Callable[..., object], name: str) -> bool:
    """Say whether a function can be given `name` by keyword; one that cannot be looked into is not."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD or (parameter.name == name and parameter.kind in by_keyword)
        for parameter in parameters.values()
    )
