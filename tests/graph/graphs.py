"""Small graphs that the tests of files and pictures share."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from engrain.model.entities import Entity, Relationship

BEAR = Entity("intrusion_set", "APT28", ("Fancy Bear", "Sofacy"), {"country": "RU", "seen": [2004, 2024]})
AGENT = Entity("malware", "X-Agent")
LAMP = Entity("tool", "Mimikatz")
ANA = Entity("person", "Ana")
LONELY = Entity("place", "Tbilisi")

RELATIONSHIPS = (
    Relationship(BEAR, "uses", AGENT, evidence=("mem_1", "mem_2"), valid_from=datetime(2020, 1, 1, tzinfo=UTC)),
    Relationship(BEAR, "develops", AGENT, weight=0.6),
    Relationship(AGENT, "attributed_to", BEAR, weight=0.8),
    Relationship(BEAR, "uses", LAMP),
    Relationship(ANA, "related_to", BEAR, weight=0.2, evidence=("mem_3",)),
)

HOSTILE = (
    "a\x00b\x07c\x1f\x7f\x85",
    "<script>alert('&\"')</script>]]>",
    "\u202egnp.exe\u2066",
    "🦊🏽‍🚀 fox",
    "عبد الله بن محمد",
    "山田太郎" * 12,
    "lone \ud800 surrogate",
    "no\ufffe character\uffff",
    "two\nlines\tand\ra tab",
    "Z\u0300\u0301\u0302\u0303algo",
    "x" * 5000,
    "$math$ and %s {0} \\n",
    " ",
)


def hostile() -> list[Relationship]:
    """Return a ring of entities with names that break careless escaping."""
    ring = [Entity("person", name, (name + "!",), {name: name}) for name in HOSTILE]
    return [Relationship(a, "knows\x01", b) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]


def wheel(count: int) -> list[Relationship]:
    """Return a hub with so many around it, the later the lighter, each knowing the next."""
    hub, rim = Entity("tool", "hub"), [Entity("ipv4", f"10.0.0.{n}") for n in range(count)]
    spokes = [Relationship(hub, "reaches", each, weight=1 - n / (2 * count)) for n, each in enumerate(rim)]
    return spokes + [Relationship(a, "precedes", b, weight=0.3) for a, b in pairwise(rim)]
