"""Domain packs: one as a value made of tables, those of a manager, and those that are installed with what they add."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from engrain.errors import ConfigError
from engrain.graph.gazetteer import AliasTable, Gazetteer, known_names
from engrain.graph.general import GENERAL
from engrain.guard import guard
from engrain.language.tokens import each, wording
from engrain.lazy import Later
from engrain.model.entities import NAME, Mention, Named, RelationPattern, name_key, type_name
from engrain.protocols import Domain as DomainProtocol

if TYPE_CHECKING:
    from importlib import metadata

    from click import Command
else:
    metadata = Later("importlib.metadata")

GROUP = "engrain.domains"
OWN = "engrain."
"""The begin of an entry point's value that is this library's own: those come first, and their names are taken."""

log = logging.getLogger("engrain")


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
        types = tuple(dict.fromkeys([*self.entity_types, *self.patterns, *self.aliases]))
        for type_ in types:
            if not type_ or type_name(type_) != type_:
                wanted = f"write small letters and underscores, such as {type_name(type_) or 'plant'!r}"
                raise ValueError(f"{type_!r} is no type name: {wanted}")
        _check_aliases(self.aliases)
        for relation in self.relation_patterns:
            if not isinstance(relation, RelationPattern):
                raise TypeError(f"relation_patterns: {relation!r} is no engrain.model.entities.RelationPattern")
            _compiled(relation.match, f"the relation pattern of {relation.relation!r}")
        for operation in self.operations:
            if not isinstance(operation, PackOperation):
                raise TypeError(f"operations: {operation!r} is no engrain.graph.PackOperation")
        object.__setattr__(self, "entity_types", types)
        object.__setattr__(self, "domains", tuple(self.domains) or (self.name,))
        _ = self._expressions  # raises for bad ones now

    def extract(self, text: str) -> list[Mention]:
        """Find the pack's names in a text."""
        found = []
        for type_, expression in self._expressions:
            for match in each(expression, text):
                start, end = match.span("name" if "name" in expression.groupindex else 0)
                if start < end and name_key(type_, text[start:end]):
                    found.append(Mention(type_, text[start:end], start, end))
        return [*found, *self._gazetteer.find(wording(text))]

    @cached_property
    def _expressions(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple(
            (type_, _compiled(text, f"the pattern of type {type_!r}"))
            for type_, given in self.patterns.items()
            for text in ([given] if isinstance(given, str) else given)
        )

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        return Gazetteer(known_names(self.aliases), cues=self.cues)


def _check_aliases(aliases: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    for type_, groups in aliases.items():
        if not isinstance(groups, Mapping):
            raise TypeError(f"aliases[{type_!r}]: a mapping of canonical names to lists of other names is needed")
        for canonical, others in groups.items():
            at = f"aliases[{type_!r}][{canonical!r}]"
            if isinstance(others, str):
                raise TypeError(f"{at}: a list of names is needed, put {others!r} into a list")
            for name in (canonical, *others):
                if not name_key(type_, name):
                    raise ValueError(f"{at}: {name!r} is no name; leave it out")


def _compiled(text: str, what: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, TypeError) as error:
        raise ValueError(f"{what} is no regular expression ({error}): {text!r}") from error


class Wording(NamedTuple):
    """A relation pattern, compiled: `left` and `right` are the types before and after it, none means any.

    `verb` is the group at which the verb begins: no third name of a fitting type may stand between it and either end.
    """

    pattern: RelationPattern
    expression: re.Pattern[str]
    verb: str | int
    left: tuple[str, ...]
    right: tuple[str, ...]


def fits(type_: str, types: tuple[str, ...]) -> bool:
    """Say whether a type is among those wanted, of which none means any."""
    return not types or type_ in types


class Wordings:
    """The relation patterns of packs, by the types of the names that they relate."""

    def __init__(self, packs: Sequence[DomainProtocol]) -> None:
        self._all = []
        for relation in (relation for pack in packs for relation in pack.relation_patterns):
            expression = re.compile(relation.match, re.IGNORECASE)
            verb = "said" if "said" in expression.groupindex else 0
            left, right = relation.source_types, relation.target_types
            sides = (right, left) if relation.inverse else (left, right)
            self._all.append(Wording(relation, expression, verb, *sides))
        self._of: dict[tuple[str, str], tuple[Wording, ...]] = {}

    def between(self, first: str, second: str) -> Sequence[Wording]:
        """Return those that may stand between names of two types, in order of precedence."""
        known = self._of.get((first, second))
        if known is None:
            known = tuple(each for each in self._all if fits(first, each.left) and fits(second, each.right))
            self._of[first, second] = known
        return known


@dataclass(frozen=True)
class Packs:
    """The packs that read texts, in order of precedence; `Packs.of` makes them."""

    packs: tuple[DomainProtocol, ...]

    @classmethod
    def of(cls, domains: Sequence[str | DomainProtocol] | None = None) -> Packs:
        """Return the packs of these names, or these objects; all that are installed when None.

        `ConfigError` names the packs there are when a name is not among them, `TypeError` what an object lacks.
        """
        if isinstance(domains, str):
            raise TypeError(f"domains: a sequence of packs is needed, write [{domains!r}]")
        if domains is None:
            return _shared(tuple(installed()), tuple(sys.path))
        if all(isinstance(domain, str) for domain in domains):
            return _shared(tuple(dict.fromkeys(map(str, domains))), tuple(sys.path))
        found: dict[str, DomainProtocol] = {}
        for domain in domains:
            pack = _named(domain) if isinstance(domain, str) else checked(domain)
            found.setdefault(pack.name, pack)
        return cls(tuple(found.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the packs."""
        return tuple(pack.name for pack in self.packs)

    @cached_property
    def entity_types(self) -> frozenset[str]:
        """Every type that a pack may find."""
        return frozenset(type_ for pack in self.packs for type_ in pack.entity_types) | {NAME}

    @cached_property
    def readers(self) -> tuple[tuple[DomainProtocol, frozenset[str], str], ...]:
        """Each pack with the labels of memories in which all its names count, and its name in the log."""
        return tuple((pack, labels(pack), f"The domain pack {pack.name!r}") for pack in self.packs)

    @cached_property
    def wordings(self) -> Wordings:
        """How relations are stated, the first pack's patterns first."""
        return Wordings(self.packs)

    def canonical(self, type: str, name: str) -> Named | None:
        """Return what a table calls an entity of the type's family that has this name, None when no table has it."""
        types = self._alias_types if type == NAME else (type,)
        return self._table.canonical(types, name)

    def aliases_of(self, type: str, name: str) -> tuple[str, ...]:
        """Return the other names that tables have for an entity, by any of its names."""
        return self._table.others(self.canonical(type, name))

    @cached_property
    def _alias_types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(type_ for pack in self.packs for type_ in pack.aliases))

    @cached_property
    def _table(self) -> AliasTable:
        return AliasTable(known_names(*(pack.aliases for pack in self.packs)))


@lru_cache(maxsize=64)
def _shared(names: tuple[str, ...], path: tuple[str, ...]) -> Packs:
    """Return the packs of these names, with tables that all managers of the process share."""
    return Packs(tuple(_named(name) for name in names))


def installed() -> Mapping[str, DomainProtocol]:
    """Return every installed pack by name, `general` first; one that cannot be loaded is logged and left out."""
    loaded = ((name, _loaded(point)) for name, point in _points(tuple(sys.path)).items())
    return {GENERAL.name: GENERAL, **{name: pack for name, pack in loaded if pack is not None}}


def installed_operations() -> Sequence[PackOperation]:
    """Return the operations of every installed pack, of several with one name the first."""
    found: dict[str, PackOperation] = {}
    for operation in _added("operations"):
        found.setdefault(operation.name, operation)
    return tuple(found.values())


def installed_commands() -> Sequence[Command]:
    """Return the commands of every installed pack."""
    return tuple(_added("commands"))


def _added(part: str) -> Iterator[Any]:
    """Yield what installed packs add; one that fails is logged and adds nothing."""
    for name, pack in installed().items():
        yield from guard(f"{part} of the domain pack {name!r}", partial(getattr, pack, part, ())) or ()


def pack_call(pack: str, function: str) -> Callable[..., Any]:
    """Return the function of an installed pack's operation; `ConfigError` names the extra that brings the pack."""
    point = _points(tuple(sys.path)).get(pack)
    for operation in getattr(_loaded(point) if point else None, "operations", ()):
        if operation.call.__name__ == function:
            call: Callable[..., Any] = operation.call
            return call
    raise ConfigError(f'{function} needs the domain pack {pack!r}, which is missing: pip install "engrain[{pack}]"')


def labels(pack: DomainProtocol) -> frozenset[str]:
    """Return the labels of memories in which a pack's names made of ordinary words count."""
    return frozenset(getattr(pack, "domains", ()) or (pack.name,))


def checked(pack: object) -> DomainProtocol:
    """Return the object if it has every part of a domain pack; else `TypeError` names what it lacks."""
    parts = ("name", "entity_types", "aliases", "relation_patterns", "extract")
    if missing := [part for part in parts if not hasattr(pack, part)]:
        raise TypeError(
            f"{pack!r} is no domain pack: it lacks {', '.join(missing)}. See engrain.protocols.Domain, or build one "
            "with engrain.graph.Domain(name=..., patterns=..., aliases=...)"
        )
    if not isinstance(pack, DomainProtocol) or not callable(pack.extract):
        raise TypeError(f"{pack!r} is no domain pack: `name` must be a string and `extract` a method")
    return pack


@lru_cache(maxsize=8)
def _points(path: tuple[str, ...]) -> Mapping[str, metadata.EntryPoint]:
    """Return the entry points of packs by name, the library's own first; found once per path."""
    found: dict[str, metadata.EntryPoint] = {}
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda each: (not each.value.startswith(OWN), each.name)):
        if point.name != GENERAL.name:
            found.setdefault(point.name, point)
    return found


@lru_cache(maxsize=64)
def _loaded(point: metadata.EntryPoint) -> DomainProtocol | None:
    def load() -> DomainProtocol:
        made = point.load()
        return checked(made() if isinstance(made, type) else made)

    return guard(f"The domain pack {point.name!r} ({point.value})", load)


def _named(name: str) -> DomainProtocol:
    if name == GENERAL.name:
        return GENERAL
    points = _points(tuple(sys.path))
    known = ", ".join(repr(each) for each in sorted({GENERAL.name, *points}))
    if name not in points:
        raise ConfigError(f"There is no domain pack {name!r}: write one of {known}, or hand in a pack itself")
    if (pack := _loaded(points[name])) is None:
        raise ConfigError(f"The domain pack {name!r} cannot be loaded (the log says why); without it there are {known}")
    return pack
