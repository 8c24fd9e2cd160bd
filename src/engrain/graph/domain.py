"""A domain pack as one value: names by regular expression and by table, and how relations are said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engrain.graph.gazetteer import Gazetteer, known_names
from engrain.language.tokens import each, wording
from engrain.model.entities import Mention, RelationPattern, name_key, type_name


@dataclass(frozen=True, kw_only=True)
class Domain:
    """A domain pack made of data; any object of the protocol `engrain.protocols.Domain` will do in its place.

    `patterns` maps a type to a regular expression, or several; the mention is its group `name` if it has one. `aliases`
    maps a type to canonical names and those to their other names; names made of ordinary words count only in memories
    of the labels `domains` (default: the pack's own name), with their capitals or beside one of the words `cues`.
    """

    name: str
    entity_types: Collection[str] = ()
    patterns: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    relation_patterns: Sequence[RelationPattern] = ()
    domains: Collection[str] = ()
    cues: Collection[str] = ()

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
        object.__setattr__(
            self, "entity_types", tuple(dict.fromkeys([*self.entity_types, *self.patterns, *self.aliases]))
        )
        object.__setattr__(self, "domains", tuple(self.domains) or (self.name,))
        _ = self._expressions  # bad ones are told of now

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
