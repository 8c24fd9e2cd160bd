"""The types of the graph: entities, mentions, relations, merges, and the results of a traversal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from engrain.text import key_of, pattern

NAME = "name"  # the type of a name of unknown type; it matches an entity of any type that has this name

_FAMILIES = {"actor": ("actor", "threat_actor", "intrusion_set"), "software": ("tool", "malware")}
_FAMILY_OF = {type_: family for family, types in _FAMILIES.items() for type_ in types}
TYPES = frozenset(
    "cve technique actor threat_actor intrusion_set tool malware campaign sector asset ipv4 ipv6 domain url md5 sha1 "
    "sha256 email person organization place date hashtag".split()
)
"""The types of Engrain's packs. As tags of a memory they classify its names, and are not words of its text."""
# Types with identifiers as values: any different character matters, and only letter case is folded.
IDENTIFIERS = frozenset("cve technique ipv4 ipv6 domain url md5 sha1 sha256 email hashtag date".split())

_NUMBERED = pattern(r"(apt|fin|ta|unc) ([0-9]{1,5})")  # groups with a number after the letters
_FOLDED = pattern(r"[\s_‐-―-]+")
_EDGES = " \t\n.,;:!?…\"'`()[]{}<>«»“”‘’*_-"
_DEFANGED = (
    (pattern(r"\bh(?:xx|\*\*|tt)p(s?)(?:(?:\[:\]|:)(?:\[//\]|//)|\[://\])", re.IGNORECASE), r"http\1://"),
    (pattern(r"[\[({]\s*(?:\.|dot)\s*[\])}]", re.IGNORECASE), "."),
    (pattern(r"[\[({]\s*(?:@|at)\s*[\])}]", re.IGNORECASE), "@"),
    (pattern(r"\[:\]"), ":"),
)
_SCHEME_AND_HOST = pattern(r"^[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)

_RELATION = pattern(r"[\W_]+")
_SAME_RELATION = {
    **dict.fromkeys(("uses_tool", "uses_technique", "uses_malware"), "uses"),
    **dict.fromkeys(("targets_asset", "targets_sector"), "targets"),
    "exploits_cve": "exploits",
    "temporal_before": "precedes",
    "conducts_campaign": "conducts",
    "held_at": "located_at",
}


class Named(NamedTuple):
    """An entity by its type and name, as callers name it."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or thing that memories are about: `name` is the canonical one, `aliases` are its others."""

    type: str
    name: str
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relation between two entities, seen from one of its ends.

    `entity` is the other end; `direction` is `out` if the requested one is the source, else `in`. `weight` is at
    most 1: co-occurrence alone weighs little. `evidence` are ids of memories that state it, newest first; it is empty
    for a caller's statement. The interval is its validity in the world, None where that is open or unknown.
    `source_type` is the most trusted class of its evidence, "" without evidence.
    """

    source: Entity
    relation: str
    target: Entity
    direction: str = "out"
    weight: float = 1.0
    evidence: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    source_type: str = ""

    def __repr__(self) -> str:
        ends = f"{self.source.name} -[{self.relation}]-> {self.target.name}"
        return f"<Relationship {ends}, {len(self.evidence)} memories>"

    @property
    def entity(self) -> Entity:
        """The other end."""
        return self.target if self.direction == "out" else self.source


class Step(NamedTuple):
    """One step of a path: the relation, its direction (`out` or `in`), and the entity."""

    relation: str
    direction: str
    entity: Entity


@dataclass(frozen=True, slots=True)
class Reached:
    """An entity that a traversal reached: the number of steps, and the steps of one shortest path to it."""

    entity: Entity
    depth: int
    path: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge of two entities: `other` counts as `keep`. `state` is merged, undone, proposed or rejected."""

    id: str
    keep: Entity
    other: Entity
    state: str
    reason: str
    at: datetime


class Mention(NamedTuple):
    """A name in a text, its type and span; `everywhere` is False for one that counts only in the pack's domains."""

    type: str
    name: str
    start: int
    end: int
    everywhere: bool = True


class Triple(NamedTuple):
    """A relation that a text states between two of its entities; `weight`, at most 1, is its certainty."""

    source: Named
    relation: str
    target: Named
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RelationPattern:
    """A pattern that states a relation: the regular expression between two mentions of these types.

    With `inverse` the first mention is the target ("Y, used by X"). An empty tuple of types means any. `match` is
    searched, ignoring case, in the text between the two mentions, which holds no third mention of a fitting type.
    """

    relation: str
    match: str | re.Pattern[str]
    source_types: tuple[str, ...] = ()
    target_types: tuple[str, ...] = ()
    inverse: bool = False


def family(type_: str) -> str:
    """Return the family of a type: the types of one family are looked up as one (actors, software)."""
    return _FAMILY_OF.get(type_, type_)


def listed_with(type_: str) -> tuple[str, ...]:
    """Return the types that a listing treats as one: three for actors; a tool and a malware are distinct."""
    return _FAMILIES["actor"] if family(type_) == "actor" else (type_,)


def type_name(value: str) -> str:
    """Return a type in its canonical form: lower case joined by underscores."""
    return _RELATION.sub("_", unicodedata.normalize("NFKC", value).casefold()).strip("_")


def relation_name(value: str) -> str:
    """Return a relation in its canonical form: lower case joined by underscores, older names by their new ones."""
    return _SAME_RELATION.get(name := type_name(value), name)


def refanged(text: str) -> str:
    """Return a defanged indicator in its usual form: `hxxp://evil[.]com` is `http://evil.com`."""
    for written, plain in _DEFANGED:
        text = written.sub(plain, text)
    return text


@lru_cache(4096)
def name_key(type_: str, name: str) -> str:
    """Return the key under which two names of a type are equal.

    NFKC, case-folded, edge punctuation and a leading "the" stripped, spaces, hyphens and underscores one, and none
    within the number of a group (APT-29 is APT29); identifiers keep them apart, and the path of a URL its case; a
    hashtag is one with and without `#`. Empty for a name of nothing but punctuation.
    """
    text = unicodedata.normalize("NFKC", name).strip()
    if type_ in IDENTIFIERS:
        text = refanged(text.lstrip("#") if type_ == "hashtag" else text)
        if type_ == "url" and (found := _SCHEME_AND_HOST.match(text)):
            return key_of(found[0].casefold() + text[found.end() :].rstrip(".,;"))
        return key_of(text.strip(_EDGES.replace("*", "").replace("_", "").replace("-", "")).casefold())
    key = _FOLDED.sub(" ", text.strip(_EDGES).casefold()).strip().removeprefix("the ")
    return key_of(key.replace(" ", "") if _NUMBERED.fullmatch(key) else key)


@dataclass(frozen=True, slots=True)
class About:
    """A writer's topics of a memory beside those of its text: `entities`, and `triples` that it is evidence of."""

    entities: tuple[Entity, ...] = ()
    triples: tuple[Triple, ...] = ()
