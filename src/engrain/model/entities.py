"""The nouns of the graph: entities, how they are named in a text, how they relate, and what walking there finds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from engrain.text import key_of, pattern

NAME = "name"
"""The type of a name that nothing says the type of; it meets an entity of any type that has this name."""

_FAMILIES = {"actor": ("actor", "threat_actor", "intrusion_set"), "software": ("tool", "malware")}
_FAMILY_OF = {type_: family for family, types in _FAMILIES.items() for type_ in types}
TYPES = frozenset(
    "cve technique actor threat_actor intrusion_set tool malware campaign sector asset ipv4 ipv6 domain url md5 sha1 "
    "sha256 email person organization place date hashtag".split()
)
"""The types that the packs of Engrain know. As tags of a memory they say what it names, and are no words of it."""
# Types with identifiers as values: they differ when one character does, and only letter case is folded.
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
    "uses_tool": "uses",
    "uses_technique": "uses",
    "uses_malware": "uses",
    "exploits_cve": "exploits",
    "targets_asset": "targets",
    "targets_sector": "targets",
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
    """What one entity has to do with another, seen from one of its ends.

    `entity` is the other end; `direction` is `out` when the one asked about is the source, else `in`. `weight` is at
    most 1: co-occurrence alone weighs little. `evidence` holds ids of memories that say so, newest first; it is empty
    for what was stated by hand. The interval is when it held in the world, None where that is open or not known.
    """

    source: Entity
    relation: str
    target: Entity
    direction: str = "out"
    weight: float = 1.0
    evidence: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def __repr__(self) -> str:
        return (
            f"<Relationship {self.source.name} -[{self.relation}]-> {self.target.name}, {len(self.evidence)} memories>"
        )

    @property
    def entity(self) -> Entity:
        """The other end."""
        return self.target if self.direction == "out" else self.source


class Step(NamedTuple):
    """One step of a walk: along which relation, in which direction (`out` or `in`), to which entity."""

    relation: str
    direction: str
    entity: Entity


@dataclass(frozen=True, slots=True)
class Reached:
    """An entity that a walk reached: after how many steps, and the steps of one shortest way to it."""

    entity: Entity
    depth: int
    path: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entities taken for one: `other` counts as `keep`. `state` is merged, undone, proposed or rejected."""

    id: str
    keep: Entity
    other: Entity
    state: str
    reason: str
    at: datetime


class Mention(NamedTuple):
    """A name found in a text: the entity's type and canonical name, and its place (`text[start:end]`).

    `everywhere` is False for a name made of ordinary words: it counts only in memories of the pack's own domains.
    """

    type: str
    name: str
    start: int
    end: int
    everywhere: bool = True


class Triple(NamedTuple):
    """A relation that a text states between two of its entities; `weight` at most 1 says how plainly."""

    source: Named
    relation: str
    target: Named
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class RelationPattern:
    """How a relation is stated: the regular expression between two mentions of these types.

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
    """Return the types that are listed as one: actors are called by three; a tool and a malware are two things."""
    return _FAMILIES["actor"] if family(type_) == "actor" else (type_,)


def type_name(value: str) -> str:
    """Return a type as types are named: small letters joined by underscores."""
    return _RELATION.sub("_", unicodedata.normalize("NFKC", value).casefold()).strip("_")


def relation_name(value: str) -> str:
    """Return a relation as relations are named: small letters joined by underscores, older names by their new ones."""
    return _SAME_RELATION.get(name := type_name(value), name)


def refanged(text: str) -> str:
    """Return an indicator as machines write it: `hxxp://evil[.]com` is `http://evil.com`."""
    for written, plain in _DEFANGED:
        text = written.sub(plain, text)
    return text


@lru_cache(4096)
def name_key(type_: str, name: str) -> str:
    """Return the form in which two names of a type are one.

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
    """What a writer says outright that a memory is about, beside what is read in its text.

    `entities` are in the graph from then on, with their aliases and metadata, whether or not the text names them;
    `triples` are relations that the memory is the evidence of.
    """

    entities: tuple[Entity, ...] = ()
    triples: tuple[Triple, ...] = ()
