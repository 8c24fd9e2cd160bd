"""A domain pack as one value: names by regular expression and by table, how relations are stated, what else it adds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from engrain.graph.gazetteer import Gazetteer, known_names
from engrain.language.tokens import each, wording
from engrain.model.entities import Mention, RelationPattern, name_key, type_name

if TYPE_CHECKING:
    from click import Command


@dataclass(frozen=True)
class PackOperation:
    """A function that a pack adds to the command line, to REST and to MCP, by the function's name.

    Args:
        call: A function of a `MemoryManager`, its first parameter, which is called `memory`. Its other parameters and
            their annotations become arguments, and the first sentence of its docstring is the help.
        effect: What it does to the store: `read`, `write` or `destroy`. A server's key needs the role read for a read,
            else write; the command line asks before it destroys.
        answer: What a bare result is called in a JSON document.

    Raises:
        ValueError: The first parameter of `call` is not `memory`, or the function has no docstring.
    """

    call: Callable[..., Any]
    effect: Literal["read", "write", "destroy"] = "read"
    answer: str = "result"

    def __post_init__(self) -> None:
        if next(iter(signature(self.call).parameters), None) != "memory" or not self.call.__doc__:
            raise ValueError(f"{self.call.__name__}: an operation needs `memory` as first parameter, and a docstring")

    @property
    def name(self) -> str:
        """The name of its command and of its tool: the function's, with hyphens."""
        return self.call.__name__.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Domain:
    """A domain pack made of data; any object of the protocol `engrain.protocols.Domain` will do in its place.

    Args:
        name: The name of the pack.
        entity_types: Types that it may find beyond those of `patterns` and `aliases`.
        patterns: A regular expression for each type, or several; the mention is the group `name` if there is one.
        aliases: For each type canonical names, and for each of those its other names.
        relation_patterns: How relations are stated.
        domains: Labels of memories in which names made of ordinary words count; the pack's name by default.
        cues: Words next to which such a name counts without its capitals.
        operations: Functions that it adds to the command line, REST and MCP once it is installed.
        commands: Commands that it adds to the command line once it is installed.

    Raises:
        TypeError, ValueError: One of these is not what it must be.
    """

    name: str
    entity_types: Collection[str] = ()
    patterns: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    relation_patterns: Sequence[RelationPattern] = ()
    domains: Collection[str] = ()
    cues: Collection[str] = ()
    operations: Sequence[PackOperation] = ()
    commands: Sequence[Command] = ()

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError(f"name: a pack needs a name such as 'gardening', not {self.name!r}")
        for what in ("entity_types", "domains", "cues"):
            if isinstance(getattr(self, what), str):
                raise TypeError(f"{what}: a sequence of strings is needed, put the one into a list")
        for type_ in (*self.entity_types, *self.patterns, *self.aliases):
            _check_type(type_)
        for type_, groups in self.aliases.items():
            _check_aliases(type_, groups)
        for relation in self.relation_patterns:
            if not isinstance(relation, RelationPattern):
                raise TypeError(f"relation_patterns: {relation!r} is no engrain.model.entities.RelationPattern")
            _compiled(relation.match, f"the relation pattern of {relation.relation!r}")
        for operation in self.operations:
            if not isinstance(operation, PackOperation):
                raise TypeError(f"operations: {operation!r} is no engrain.graph.PackOperation")
        object.__setattr__(
            self, "entity_types", tuple(dict.fromkeys([*self.entity_types, *self.patterns, *self.aliases]))
        )
        object.__setattr__(self, "domains", tuple(self.domains) or (self.name,))
        _ = self._expressions  # raises for bad ones now

    def extract(self, text: str) -> list[Mention]:
        """Find the pack's names in a text."""
        return [*self._matched(text), *self._gazetteer.find(wording(text))]

    def _matched(self, text: str) -> Iterator[Mention]:
        for type_, expression, group in self._expressions:
            for found in each(expression, text):
                start, end = found.span(group)
                if start < end and name_key(type_, text[start:end]):
                    yield Mention(type_, text[start:end], start, end)

    @cached_property
    def _expressions(self) -> tuple[tuple[str, re.Pattern[str], str | int], ...]:
        found = []
        for type_, given in self.patterns.items():
            for text in [given] if isinstance(given, str) else given:
                expression = _compiled(text, f"the pattern of type {type_!r}")
                found.append((type_, expression, "name" if "name" in expression.groupindex else 0))
        return tuple(found)

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        groups = ((type_, name, others) for type_, table in self.aliases.items() for name, others in table.items())
        return Gazetteer(known_names(groups), cues=self.cues)


def _check_type(type_: str) -> None:
    if not type_ or type_name(type_) != type_:
        wanted = type_name(type_)
        raise ValueError(
            f"{type_!r} is no type name: write small letters and underscores, such as {wanted or 'plant'!r}"
        )


def _check_aliases(type_: str, groups: Mapping[str, Sequence[str]]) -> None:
    if not isinstance(groups, Mapping):
        raise TypeError(f"aliases[{type_!r}]: a mapping of canonical names to lists of other names is needed")
    for canonical, others in groups.items():
        if isinstance(others, str):
            raise TypeError(f"aliases[{type_!r}][{canonical!r}]: a list of names is needed, put {others!r} into a list")
        for name in (canonical, *others):
            if not name_key(type_, name):
                raise ValueError(f"aliases[{type_!r}][{canonical!r}]: {name!r} is no name; leave it out")


def _compiled(text: str, what: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, TypeError) as error:
        raise ValueError(f"{what} is no regular expression ({error}): {text!r}") from error
