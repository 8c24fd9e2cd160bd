"""What a memory keeps of the object it was read from, and that object again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from engrain.transfer.stix.markings import WELL_KNOWN, colour_of, marking_of, refs_of, strictest
from engrain.transfer.stix.naming import Object, external_id_of, references
from engrain.transfer.stix.reading import why_no_object

MAX_BYTES = 48_000  # of the 64 KB that metadata may take

_ELSEWHERE = frozenset(
    "id type spec_version modified description content explanation external_references object_marking_refs"
    " granular_markings revoked x_mitre_deprecated aliases x_mitre_aliases x_opencti_aliases".split()
)
_BOOKKEEPING = frozenset(
    "x_mitre_attack_spec_version x_mitre_contributors x_mitre_detection x_mitre_modified_by_ref x_mitre_version".split()
)
_MARKING = re.compile(r"marking-definition--[0-9a-f-]{36}")
_BODIES = {"note": "content", "opinion": "explanation"}


def body_field(type_: str) -> str:
    """Return the field in which an object of that type says what it has to say."""
    return _BODIES.get(type_, "description")


def metadata_of(value: Object, colours: Mapping[str, str], aliases: Sequence[str]) -> dict[str, Any]:
    """Return the metadata of an object's memory: what one filters by on top, the object's other fields in `stix`."""
    refs = refs_of(value)
    external_id = external_id_of(value)
    found = {
        "stix_id": value["id"],
        "stix_type": value["type"],
        "modified": value.get("modified"),
        "external_id": external_id,
        "tlp": strictest(colours[ref] for ref in refs if ref in colours),
        "markings": [ref for ref in refs if ref not in colours],
        "revoked": value.get("revoked") is True,
        "deprecated": value.get("x_mitre_deprecated") is True,
        "stix": _kept(value, [ref for ref in refs if ref in WELL_KNOWN], aliases),
    }
    return {name: held for name, held in found.items() if held}


def _kept(value: Object, tlp: list[str], aliases: Sequence[str]) -> dict[str, Any]:
    kept = {name: held for name, held in value.items() if name not in _ELSEWHERE and _counts(name, held)}
    known = [{name: r[name] for name in ("source_name", "external_id", "url") if name in r} for r in references(value)]
    if named := [reference for reference in known if "external_id" in reference]:
        kept["external_references"] = named
    if value["type"] == "malware":
        kept.setdefault("is_family", True)  # STIX 2.0 did not ask for it, 2.1 does
    if aliases:
        kept["aliases"] = list(aliases)
    if tlp:
        kept["object_marking_refs"] = tlp
    while kept and len(json.dumps(kept)) > MAX_BYTES:
        del kept[max(kept, key=lambda name: len(json.dumps(kept[name])))]
    return kept


def _counts(name: str, held: object) -> bool:
    return name not in _BOOKKEEPING and (not name.startswith("x_") or bool(held))


def original(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the object that a memory was read from, but for its names and its text; None if it was read from none."""
    id_, type_, kept = metadata.get("stix_id"), metadata.get("stix_type"), metadata.get("stix")
    if not isinstance(id_, str) or not isinstance(type_, str) or not isinstance(kept, Mapping):
        return None
    found = {"type": type_, "spec_version": "2.1", "id": id_, **kept, "modified": metadata.get("modified")}
    if why_no_object(found):
        return None
    found["object_marking_refs"] = marking_refs(metadata)
    for name, field in (("revoked", "revoked"), ("deprecated", "x_mitre_deprecated")):
        found[field] = metadata.get(name)
    return {name: held for name, held in found.items() if held not in (None, [])}


def marking_refs(metadata: Mapping[str, Any]) -> list[str]:
    """Return what marks a memory: its colour as it was marked, by TLP 2.0 if that is not known, and other markings."""
    colour, kept = colour_of(metadata.get("tlp")), metadata.get("stix")
    refs = kept.get("object_marking_refs") if isinstance(kept, Mapping) else None
    marked = [ref for ref in refs if ref in WELL_KNOWN] if isinstance(refs, list) else []
    if colour is None or strictest(WELL_KNOWN[ref] for ref in marked) != colour:
        marked = [] if colour is None else [marking_of(colour)]
    others = metadata.get("markings")
    named = (
        [ref for ref in others if isinstance(ref, str) and _MARKING.fullmatch(ref)] if isinstance(others, list) else []
    )
    return [*marked, *named]
