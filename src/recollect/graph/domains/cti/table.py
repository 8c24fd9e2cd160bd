"""The curated names of threat intelligence: groups, malware, tools, campaigns and named vulnerabilities.

The tables are text files of lines `canonical name: other name; other name` under `[type]`, so that a change reads as a
list of names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

FILES = ("groups", "software", "campaigns", "vulnerabilities")

SURNAMES = frozenset(
    """bear panda kitten spider chollima buffalo jackal crane leopard tiger lynx wolf saiga ocelot hawk sphinx typhoon
    blizzard sandstorm tempest sleet hail rain dust cyclone squall tsunami flood""".split()
)
"""Last words by which vendors name groups: before one of them a capitalised word makes a name."""


@cache
def aliases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return canonical names by type, and their other names."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name in FILES:
        text = (files("recollect.graph.domains.cti") / f"{name}.txt").read_text(encoding="utf-8")
        table: dict[str, tuple[str, ...]] = {}
        for line in text.splitlines():
            if line.startswith("["):
                table = found.setdefault(line.strip("[] "), {})
            elif line and not line.startswith("#"):
                canonical, _, others = line.partition(": ")
                names = (other.strip() for other in others.split(";"))
                table[canonical.strip().rstrip(":")] = tuple(each for each in names if each)
    return found
