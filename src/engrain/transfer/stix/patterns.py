"""The indicators that a STIX pattern compares with."""

from __future__ import annotations

import re

from engrain.model.entities import Named
from engrain.transfer.stix.naming import TYPES

_VALUE = re.compile(r"\b(ipv4-addr|ipv6-addr|domain-name|url|email-addr):value\s*=\s*'((?:[^'\\]|\\.){1,2000})'")
_HASH = re.compile(r"\bfile:hashes\.'?(MD5|SHA-?1|SHA-?256)'?\s*=\s*'([0-9A-Fa-f]{32,64})'", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")


def found(pattern: str) -> list[Named]:
    """Return what a pattern looks for by its exact value: addresses, domains, URLs and hashes, each once."""
    values = [Named(TYPES.get(type_, type_), _ESCAPED.sub(r"\1", value)) for type_, value in _VALUE.findall(pattern)]
    hashes = [Named(kind.casefold().replace("-", ""), value) for kind, value in _HASH.findall(pattern)]
    return list(dict.fromkeys(values + hashes))
