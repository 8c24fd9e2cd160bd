"""Who may be shown an object: the Traffic Light Protocol in both of its versions, and other markings by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

TLP_EXTENSION = "extension-definition--60a3c5c5-0d10-413e-aab3-9e08dde9e88d"

COLOURS = ("clear", "green", "amber", "amber+strict", "red")
"""The colours of TLP 2.0, the widest first; white, of version 1, is clear."""

_FIRST = {
    "marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9": "clear",
    "marking-definition--34098fce-860f-48ae-8e50-ebd3cc5e41da": "green",
    "marking-definition--f88d31f6-486f-44da-b317-01333bde0b82": "amber",
    "marking-definition--5e57c739-391a-4eb3-b6be-7d15ca92d5ed": "red",
}
_SECOND = {
    "marking-definition--94868c89-83c2-464b-929b-a1a8aa3c8487": "clear",
    "marking-definition--bab4a63c-aed9-4cf5-a766-dfca5abac2bb": "green",
    "marking-definition--55d920b0-5e8b-4f79-9ee9-91f868d9b421": "amber",
    "marking-definition--939a9414-2ddd-4d32-a0cd-375ea402b003": "amber+strict",
    "marking-definition--e828b379-4e03-4974-9ac4-e53a884c97c1": "red",
}
WELL_KNOWN = {**_FIRST, **_SECOND}
"""The markings that everybody knows, with their colours."""

_IDS = {colour: id_ for id_, colour in _SECOND.items()}


def colour_of(value: object) -> str | None:
    """Return a colour as it is kept, from "TLP:AMBER", "amber" or "white"; None for what is none."""
    if not isinstance(value, str):
        return None
    colour = value.casefold().strip().removeprefix("tlp:").removeprefix("tlp-").strip()
    colour = "clear" if colour == "white" else colour.replace("_", "+").replace("-", "+")
    return colour if colour in COLOURS else None


def marking_of(colour: str) -> str:
    """Return the id of the marking that TLP 2.0 has for a colour."""
    return _IDS[colour]


def colours(objects: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """Return the ids that mean a colour: the well-known ones, and those that a bundle defines for itself."""
    known = dict(WELL_KNOWN)
    for defined in objects:
        if defined["type"] == "marking-definition" and (colour := _defined(defined)):
            known.setdefault(defined["id"], colour)
    return known


def _defined(marking: Mapping[str, Any]) -> str | None:
    definition, extensions = marking.get("definition"), marking.get("extensions")
    if marking.get("definition_type") == "tlp" and isinstance(definition, Mapping):
        return colour_of(definition.get("tlp"))
    extension = extensions.get(TLP_EXTENSION) if isinstance(extensions, Mapping) else None
    return colour_of(extension.get("tlp_2_0")) if isinstance(extension, Mapping) else colour_of(marking.get("name"))


def strictest(found: Iterable[str]) -> str | None:
    """Return the narrowest of some colours."""
    return max(found, key=COLOURS.index, default=None)


def refs_of(thing: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of what marks an object or a part of it: a memory is kept or shown as a whole."""
    refs = thing.get("object_marking_refs")
    found = list(refs) if isinstance(refs, list) else []
    parts = thing.get("granular_markings")
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, Mapping):
            found.append(part.get("marking_ref"))
    return tuple(dict.fromkeys(ref for ref in found if isinstance(ref, str)))
