"""An object of STIX 2.1: its fields, its name, its marking, its text, and the metadata of its memory."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, NamedTuple

from engrain.model.entities import Named, family, name_key, type_name
from engrain.text import shorten
from engrain.validation import MAX_ID

Object = Mapping[str, Any]
Key = tuple[str, str]

SPEC_VERSIONS = ("2.0", "2.1")
EXTENSION = "extension-definition--9f3d4a06-3c55-5f1f-8d7e-2a1c6b0e7d94"
"""The extension for data of an export without a field in a standard object."""

PRODUCER = "identity--6a1d3a5e-4b0f-5c57-9f0a-7f2d9b8e1c34"
"""The identity that an export names as its maker; no memory is made of it."""

NAMELESS = frozenset({"relationship", "marking-definition", "extension-definition", "language-content"})
"""Types that name nothing: they join, mark, explain or translate other objects."""

_WORDS: Mapping[str, Mapping[str, str]] = tomllib.loads((files("engrain.cti") / "stix.toml").read_text("utf-8"))
ENDS = ("source_ref", "target_ref", "sighting_of_ref")
TYPES, CLASSES, HASHES = _WORDS["types"], _WORDS["classes"], _WORDS["hashes"]
TECHNIQUE = re.compile(r"T\d{4}(?:\.\d{3})?")
CUSTOM = "x-engrain-"
ANY = "x-engrain-entity"  # the type of an exported entity whose own type cannot be one of STIX; `entity_type` has it

_ID = re.compile(r"([a-z0-9][a-z0-9-]*)--[0-9A-Za-z][0-9A-Za-z-]*")
_CVE = re.compile(r"CVE-\d{4}-\d{4,}", re.IGNORECASE)
_EXTERNAL_ID = re.compile(r"[A-Za-z][A-Za-z-]*\d[\w.-]*")
_NAMES = """name value abstract subject path display_name account_login user_id key serial_number url region country
    city pattern""".split()
_ALIASES = ("aliases", "x_mitre_aliases", "x_opencti_aliases")
_NEVER = datetime.min.replace(tzinfo=UTC)
TLP_EXTENSION = "extension-definition--60a3c5c5-0d10-413e-aab3-9e08dde9e88d"
COLOURS = ("clear", "green", "amber", "amber+strict", "red")
"""The colours of TLP 2.0, the widest first; white, of version 1, is clear."""
_TLP = {**_WORDS["tlp_1"], **_WORDS["tlp_2"]}
_TLP_2_IDS = {colour: id_ for id_, colour in _WORDS["tlp_2"].items()}
_MARKING = re.compile(r"marking-definition--[0-9a-f-]{36}")
_CITATION = re.compile(r"\s*\(Citation:[^()]*(?:\([^()]*\)[^()]*)*\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\(https?://attack\.mitre\.org[^)\s]*\)")
_CODE = re.compile(r"</?code>")
_LINE_ENDS = re.compile(r"[^\S\n]+(?=\n|$)")
_KEPT_ELSEWHERE = frozenset(
    "id type spec_version modified description content explanation external_references object_marking_refs"
    " granular_markings revoked x_mitre_deprecated aliases x_mitre_aliases x_opencti_aliases".split()
)
_BOOKKEEPING = frozenset(
    "x_mitre_attack_spec_version x_mitre_contributors x_mitre_detection x_mitre_modified_by_ref x_mitre_version".split()
)


def why_invalid(value: object) -> str:
    """Return why a value is no object of STIX, empty if it is one."""
    if not isinstance(value, Mapping):
        return f"an object is a JSON object, not {type(value).__name__}"
    type_, id_ = value.get("type"), value.get("id")
    if not isinstance(type_, str) or not type_:
        return "the object has no type"
    if not isinstance(id_, str) or not id_:
        return "the object has no id"
    shape = _ID.fullmatch(id_)
    if shape is None or shape[1] != type_ or len(id_) > 256:
        return f"the id is not one of type {type_}: it must be {type_}--<UUID>"
    version = value.get("spec_version", SPEC_VERSIONS[-1])
    return "" if version in SPEC_VERSIONS else f"the object is of STIX {version}: it must be 2.1 or 2.0"


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
    if not (found := text(value, *fields)):
        return None
    if (at := _instant(found)) is _NEVER:
        raise ValueError(f"{next(f for f in fields if value.get(f))} is {found!r}: it must be a time")
    return at


def is_later(one: object, other: object) -> bool:
    """Return whether a time is after another, in any notation; an invalid one is before any."""
    return _instant(one) > _instant(other)


def _instant(value: object) -> datetime:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else _NEVER
        return at.replace(tzinfo=UTC) if at.utcoffset() is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return _NEVER


def references(value: Object) -> list[Mapping[str, Any]]:
    """Return the sources that an object names."""
    found = value.get("external_references", [])
    if not isinstance(found, list) or not all(isinstance(reference, Mapping) for reference in found):
        raise ValueError("external_references must be a list of objects")
    return found


def source_ref_of(value: Object) -> str:
    """Return where the object can be read: the address of its first source that has one, else its id."""
    urls = (reference.get("url") for reference in references(value))
    return next((url for url in urls if isinstance(url, str) and 0 < len(url) <= 2048), value["id"])


def external_id_of(value: Object) -> str:
    """Return the catalogue id of an object, empty if there is none or it could be any number."""
    ids = (reference.get("external_id") for reference in references(value))
    return next((id_ for id_ in ids if isinstance(id_, str) and _EXTERNAL_ID.fullmatch(id_)), "")


def hashes(value: Object) -> list[Named]:
    """Return the hashes of a file that are known as indicators, the longest first."""
    digests = value.get("hashes") if value["type"] == "file" else None
    if not isinstance(digests, Mapping):
        return []
    plain = {str(name).casefold().replace("-", ""): hash_ for name, hash_ in digests.items()}
    return [Named(type_, plain[type_]) for type_ in HASHES if isinstance(plain.get(type_), str) and plain[type_]]


class Thing(NamedTuple):
    """The names of an object: its entity, the name people read, and its id in a public catalogue."""

    named: Named
    readable: str
    external_id: str

    @property
    def label(self) -> str:
        """The name for a sentence: with the catalogue id if it has one."""
        return f"{self.readable} ({self.named.name})" if self.is_numbered else self.readable

    @property
    def is_numbered(self) -> bool:
        """Whether the entity is known by an id or a hash, and people read another name."""
        return self.readable != self.named.name


def thing_of(value: Object) -> Thing | None:
    """Return the name of an object, None if it has no name; a field of a wrong type is a `ValueError`."""
    if value["type"] in NAMELESS:
        return None
    found = hashes(value)
    name = shorten(text(value, *_NAMES), MAX_ID) or (found[0].name if found else "")
    if not name:
        return None
    type_ = value["type"]
    if type_ == "vulnerability":
        type_ = "cve" if _CVE.fullmatch(name) else type_
    elif type_ == "identity":
        type_ = CLASSES.get(text(value, "identity_class"), "organization")
    elif type_ == ANY:
        type_ = type_name(text(value, "entity_type")) or "entity"
    else:
        type_ = TYPES.get(type_) or type_name(type_.removeprefix(CUSTOM))
    if found:
        return Thing(found[0], name, "")
    external_id = external_id_of(value)
    by_number = type_ == "technique" and TECHNIQUE.fullmatch(external_id)
    return Thing(Named(type_, external_id if by_number else name), name, external_id)


def declared_aliases(value: Object) -> list[str]:
    """Return the other names that an object declares."""
    return [alias.strip() for field in _ALIASES for alias in strings(value, field) if alias.strip()]


def entity_key(type_: str, name: str) -> Key:
    """Return the key that all names of one entity share."""
    return family(type_), name_key(type_, name)


def colour_of(value: object) -> str | None:
    """Return a colour in its stored form, from "TLP:AMBER", "amber" or "white"; None for an unknown one."""
    if not isinstance(value, str):
        return None
    colour = value.casefold().strip().removeprefix("tlp:").removeprefix("tlp-").strip()
    colour = "clear" if colour == "white" else colour.replace("_", "+").replace("-", "+")
    return colour if colour in COLOURS else None


def colours(objects: Iterable[Object]) -> Mapping[str, str]:
    """Return the ids that mean a colour: the well-known ones, and those that a bundle defines for itself."""
    found: dict[str, str] = {}
    for marking in objects:
        if marking["type"] != "marking-definition":
            continue
        definition, extensions = marking.get("definition"), marking.get("extensions")
        extension = extensions.get(TLP_EXTENSION) if isinstance(extensions, Mapping) else None
        named = extension.get("tlp_2_0") if isinstance(extension, Mapping) else marking.get("name")
        if marking.get("definition_type") == "tlp" and isinstance(definition, Mapping):
            named = definition.get("tlp")
        if colour := colour_of(named):
            found[marking["id"]] = colour
    return {**found, **_TLP}


def _strictest(found: Iterable[str]) -> str | None:
    return max(found, key=COLOURS.index, default=None)


def marking_refs(metadata: Mapping[str, Any]) -> list[str]:
    """Return the markings of a memory: its colour as it was marked, by TLP 2.0 if that is unknown, and others."""
    colour, kept, others = colour_of(metadata.get("tlp")), metadata.get("stix"), metadata.get("markings")
    refs = kept.get("object_marking_refs") if isinstance(kept, Mapping) else None
    marked = [ref for ref in refs if isinstance(ref, str) and ref in _TLP] if isinstance(refs, list) else []
    if colour is None or _strictest(_TLP[ref] for ref in marked) != colour:
        marked = [] if colour is None else [_TLP_2_IDS[colour]]
    named = others if isinstance(others, list) else []
    return [*marked, *(ref for ref in named if isinstance(ref, str) and _MARKING.fullmatch(ref))]


def cleaned(description: str) -> str:
    """Return a description without citations, code tags and the links of ATT&CK; cleaning it again changes nothing."""
    before = None
    while before != description:
        before = description
        description = _CODE.sub("", _LINK.sub(r"\1", _CITATION.sub("", description)))
    return _LINE_ENDS.sub("", description).strip()


def thing_text(thing: Thing, aliases: Sequence[str], description: str) -> str:
    """Return the text of an object with at most 100 aliases; a description that begins with its name comes first."""
    type_, name, external_id = thing.named.type, thing.readable, thing.external_id
    words = _WORDS["type_words"].get(type_, type_.replace("_", " ").removeprefix("x ").removeprefix("engrain "))
    what = ", ".join(filter(None, (words, external_id if external_id != name else "")))
    named = {name_key(type_, known) for known in (name, external_id)}
    others = [alias for alias in aliases if name_key(type_, alias) not in named][:100]
    head = f"{name} ({what})" + (f", also known as {', '.join(others)}" if others else "")
    if description.startswith(f"{name} ") and description[len(name) + 1 :][:1].islower():
        return f"{description}\n\n{head}."
    return f"{head}: {description}" if description else f"{head}."


def relationship_text(source: str, relationship_type: str, target: str, description: str) -> str:
    """Return the text of a relationship between two things, by their labels."""
    relates = _WORDS["relation_words"].get(relationship_type, relationship_type.replace("-", " ").replace("_", " "))
    return f"{source} {relates} {target}. {description}".rstrip()


def body_field(type_: str) -> str:
    """Return the field in which an object of that type has its text."""
    return {"note": "content", "opinion": "explanation"}.get(type_, "description")


def metadata_of(value: Object, colours: Mapping[str, str], aliases: Sequence[str]) -> dict[str, Any]:
    """Return the metadata of an object's memory: fields for filters on top, the object's other fields in `stix`."""
    whole, parts = value.get("object_marking_refs"), value.get("granular_markings")
    marked = list(whole) if isinstance(whole, list) else []
    if isinstance(parts, list):  # a memory is visible as a whole: a marking of a part of the object applies to it
        marked += [part.get("marking_ref") for part in parts if isinstance(part, Mapping)]
    refs = list(dict.fromkeys(ref for ref in marked if isinstance(ref, str)))
    found = {
        "stix_id": value["id"],
        "stix_type": value["type"],
        "modified": value.get("modified"),
        "external_id": external_id_of(value),
        "tlp": _strictest(colours[ref] for ref in refs if ref in colours),
        "markings": [ref for ref in refs if ref not in colours],
        "revoked": value.get("revoked") is True,
        "deprecated": value.get("x_mitre_deprecated") is True,
        "stix": _kept(value, [ref for ref in refs if ref in _TLP], aliases),
    }
    return {name: content for name, content in found.items() if content}


def _kept(value: Object, tlp: list[str], aliases: Sequence[str]) -> dict[str, Any]:
    apart = _KEPT_ELSEWHERE | _BOOKKEEPING
    kept = {name: each for name, each in value.items() if name not in apart and (each or not name.startswith("x_"))}
    known = [{name: r[name] for name in ("source_name", "external_id", "url") if name in r} for r in references(value)]
    if named := [reference for reference in known if "external_id" in reference]:
        kept["external_references"] = named
    if value["type"] == "malware":
        kept.setdefault("is_family", True)  # STIX 2.0 did not ask for it, 2.1 does
    if aliases:
        kept["aliases"] = list(aliases)
    if tlp:
        kept["object_marking_refs"] = tlp
    while kept and len(json.dumps(kept)) > 48_000:  # bytes, of the 64 KB that metadata may take
        del kept[max(kept, key=lambda name: len(json.dumps(kept[name])))]
    return kept


def original(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the object that a memory was read from, except its names and its text; None if it was read from none."""
    id_, type_, kept = metadata.get("stix_id"), metadata.get("stix_type"), metadata.get("stix")
    if not isinstance(id_, str) or not isinstance(type_, str) or not isinstance(kept, Mapping):
        return None
    found = {"type": type_, "spec_version": "2.1", "id": id_, **kept, "modified": metadata.get("modified")}
    if why_invalid(found):
        return None
    found["object_marking_refs"] = marking_refs(metadata)
    found |= {"revoked": metadata.get("revoked"), "x_mitre_deprecated": metadata.get("deprecated")}
    return {name: content for name, content in found.items() if content not in (None, [])}
