"""What an object of STIX is called here: its type, its name, its id elsewhere, and the other names it gives itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from engrain.model.entities import Named, type_name
from engrain.model.scope import MAX_ID
from engrain.text import shorten

Object = Mapping[str, Any]

NO_THINGS = frozenset({"relationship", "marking-definition", "extension-definition", "language-content"})
"""Types of what names nothing itself: it joins, marks, explains or translates other objects."""

CLASSES = {
    "individual": "person",
    "organization": "organization",
    "group": "organization",
    "class": "sector",
    "system": "asset",
}
TYPES = {
    "attack-pattern": "technique",
    "course-of-action": "mitigation",
    "domain-name": "domain",
    "email-addr": "email",
    "intrusion-set": "intrusion_set",
    "ipv4-addr": "ipv4",
    "ipv6-addr": "ipv6",
    "location": "place",
    "threat-actor": "actor",
}
HASHES = {"sha256": "SHA-256", "sha1": "SHA-1", "md5": "MD5"}
CUSTOM = "x-engrain-"
ANY = "x-engrain-entity"
"""The type of an exported entity whose own type cannot be one of STIX; `entity_type` says it."""

_NAMES = (
    "name",
    "value",
    "abstract",
    "subject",
    "path",
    "display_name",
    "account_login",
    "user_id",
    "key",
    "serial_number",
    "url",
    "region",
    "country",
    "city",
    "pattern",
)
_ALIASES = ("aliases", "x_mitre_aliases", "x_opencti_aliases")
_NEVER = datetime.min.replace(tzinfo=UTC)
_CVE = re.compile(r"CVE-\d{4}-\d{4,}", re.IGNORECASE)
TECHNIQUE = re.compile(r"T\d{4}(?:\.\d{3})?")
_EXTERNAL_ID = re.compile(r"[A-Za-z][A-Za-z-]*\d[\w.-]*")


class Thing(NamedTuple):
    """What an object is called: the entity it is, the name people read, and its id in a public catalogue."""

    named: Named
    readable: str
    external_id: str

    @property
    def label(self) -> str:
        """The name as a sentence has it: what is known by an id is told with it."""
        return self.readable if self.readable == self.named.name else f"{self.readable} ({self.named.name})"


def thing_of(value: Object) -> Thing | None:
    """Return what an object is called, None if it has no name; a field of a wrong type is a `ValueError`."""
    if value["type"] in NO_THINGS:
        return None
    found = hashes(value)
    name = shorten(text(value, *_NAMES), MAX_ID) or (found[0].name if found else "")
    if not name:
        return None
    type_ = _type(value, name)
    if found:
        return Thing(found[0], name, "")
    external_id = external_id_of(value)
    if type_ == "technique" and TECHNIQUE.fullmatch(external_id):
        return Thing(Named(type_, external_id), name, external_id)
    return Thing(Named(type_, name), name, external_id)


def _type(value: Object, name: str) -> str:
    type_ = value["type"]
    if type_ == "vulnerability":
        return "cve" if _CVE.fullmatch(name) else type_
    if type_ == "identity":
        return CLASSES.get(text(value, "identity_class"), "organization")
    if type_ == ANY:
        return type_name(text(value, "entity_type")) or "entity"
    return TYPES.get(type_) or type_name(type_.removeprefix(CUSTOM))


def hashes(value: Object) -> list[Named]:
    """Return the hashes of a file that are known as indicators, the longest first."""
    held = value.get("hashes") if value["type"] == "file" else None
    if not isinstance(held, Mapping):
        return []
    plain = {str(name).casefold().replace("-", ""): hash_ for name, hash_ in held.items()}
    return [Named(type_, plain[type_]) for type_ in HASHES if isinstance(plain.get(type_), str) and plain[type_]]


def declared(value: Object) -> list[str]:
    """Return the other names that an object says it has."""
    return [alias.strip() for field in _ALIASES for alias in strings(value, field) if alias.strip()]


def external_id_of(value: Object) -> str:
    """Return the id that a catalogue knows the object by, empty if there is none or it could be any number."""
    for reference in references(value):
        id_ = reference.get("external_id")
        if isinstance(id_, str) and _EXTERNAL_ID.fullmatch(id_):
            return id_
    return ""


def references(value: Object) -> list[Mapping[str, Any]]:
    """Return the sources that an object names."""
    found = value.get("external_references", [])
    if not isinstance(found, list) or not all(isinstance(reference, Mapping) for reference in found):
        raise ValueError("external_references must be a list of objects")
    return found


def text(value: Object, *fields: str) -> str:
    """Return the first of these fields that is set, empty if none is."""
    for field in fields:
        found = value.get(field)
        if isinstance(found, str) and found:
            return found
        if found is not None and not isinstance(found, str):
            raise ValueError(f"{field} must be a string, not {type(found).__name__}")
    return ""


def strings(value: Object, field: str) -> Sequence[str]:
    """Return a list of strings that may be left out."""
    found = value.get(field)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError(f"{field} must be a list of strings")
    return found


def moment(value: Object, *fields: str) -> datetime | None:
    """Return the first of these times that is set."""
    found = text(value, *fields)
    if not found:
        return None
    try:
        at = datetime.fromisoformat(found)
    except ValueError:
        raise ValueError(f"{next(f for f in fields if value.get(f))} is {found!r}: it must be a time") from None
    return at.replace(tzinfo=UTC) if at.utcoffset() is None else at.astimezone(UTC)


def is_later(one: object, other: object) -> bool:
    """Say whether a time is after another, however the two are written; what is no time is before any."""
    return _instant(one) > _instant(other)


def _instant(value: object) -> datetime:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else _NEVER
    except ValueError:
        return _NEVER
    return at.replace(tzinfo=UTC) if at.utcoffset() is None else at
