"""What the built-in packs read in a text, in the short forms in which tests compare it."""

from __future__ import annotations

from engrain.graph.extraction import Extracted, extracted
from engrain.graph.packs import Packs

PACKS = Packs.of(None)


def read(text: str, domain: str = "general") -> Extracted:
    return extracted(text, domain=domain, packs=PACKS)


def named(text: str, domain: str = "general", *, types: str = "") -> set[tuple[str, str]]:
    """Return types and names, of the types asked for or of all."""
    wanted = types.split()
    return {(each.type, each.name) for each in read(text, domain).mentions if not wanted or each.type in wanted}


def said(text: str, domain: str = "cti") -> set[tuple[str, str, str]]:
    """Return the relations by the names of their ends."""
    return {(each.source.name, each.relation, each.target.name) for each in read(text, domain).triples}
