"""How an object and a relationship of STIX read as a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engrain.model.entities import name_key

MAX_NAMES_TOLD = 100

_CITATION = re.compile(r"\s*\(Citation:[^()]*(?:\([^()]*\)[^()]*)*\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\(https?://attack\.mitre\.org[^)\s]*\)")
_CODE = re.compile(r"</?code>")
_LINE_ENDS = re.compile(r"[^\S\n]+(?=\n|$)")

_TYPES = {
    "actor": "threat actor",
    "cve": "vulnerability",
    "ipv4": "IPv4 address",
    "ipv6": "IPv6 address",
    "url": "URL",
    "email": "e-mail address",
    "md5": "MD5 hash",
    "sha1": "SHA-1 hash",
    "sha256": "SHA-256 hash",
}
_RELATIONS = {
    "attributed-to": "is attributed to",
    "based-on": "is based on",
    "derived-from": "is derived from",
    "duplicate-of": "is a duplicate of",
    "located-at": "is located at",
    "part-of": "is part of",
    "related-to": "is related to",
    "revoked-by": "was revoked by",
    "subtechnique-of": "is a subtechnique of",
    "variant-of": "is a variant of",
}


def cleaned(text: str) -> str:
    """Return a description without citations, code tags and the links of ATT&CK; cleaning it again changes nothing."""
    before = None
    while before != text:
        before = text
        text = _CODE.sub("", _LINK.sub(r"\1", _CITATION.sub("", text)))
    return _LINE_ENDS.sub("", text).strip()


def type_in_words(type_: str) -> str:
    """Return a type as a sentence says it."""
    return _TYPES.get(type_, type_.replace("_", " ").removeprefix("x ").removeprefix("engrain "))


def relation_in_words(relationship_type: str) -> str:
    """Return a relationship type as it stands between a subject and an object."""
    return _RELATIONS.get(relationship_type, relationship_type.replace("-", " ").replace("_", " "))


def told(name: str, type_: str, external_id: str, aliases: Sequence[str], description: str) -> str:
    """Return the text of an object; of very many aliases the first hundred are told."""
    what = ", ".join(filter(None, (type_in_words(type_), external_id if external_id != name else "")))
    said = {name_key(type_, known) for known in (name, external_id)}
    others = [alias for alias in aliases if name_key(type_, alias) not in said][:MAX_NAMES_TOLD]
    head = f"{name} ({what})" + (f", also known as {', '.join(others)}" if others else "")
    return f"{head}: {description}" if description else f"{head}."


def stated(source: str, relationship_type: str, target: str, description: str) -> str:
    """Return the text of a relationship."""
    return f"{source} {relation_in_words(relationship_type)} {target}. {description}".rstrip()
