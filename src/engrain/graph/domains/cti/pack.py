"""The pack for threat intelligence, put together from its tables and patterns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from engrain.graph.domains.cti.phrases import phrases
from engrain.graph.domains.cti.relations import RELATIONS
from engrain.graph.domains.cti.shapes import sectors, shaped
from engrain.graph.domains.cti.table import EVERYDAY, SURNAMES, aliases
from engrain.graph.gazetteer import AliasTable, Gazetteer, Known, known_names
from engrain.graph.indicators import indicators
from engrain.language.tokens import Wording, wording
from engrain.model.entities import Mention, RelationPattern

CUES = frozenset(
    """malware tool tools group uses used using ransomware gang backdoor actor actors trojan rat loader stealer wiper
    worm botnet rootkit spyware implant implants payload payloads dropper downloader infostealer operators affiliates
    campaign apt threat deploys deployed executes executed via command utility framework malicious hackers adversary
    attackers cybercriminals beacon beacons""".split()
)
"""Words beside which a name made of ordinary words is one of this field's."""


class _ThreatIntelligence:
    """Finds what threat reports name; made of tables that are read when the first text is."""

    name = "cti"
    domains = ("cti", "incident", "threat_intel")
    entity_types = (
        *(
            "cve",
            "technique",
            "actor",
            "intrusion_set",
            "tool",
            "malware",
            "campaign",
            "sector",
            "asset",
            "vulnerability",
        ),
        *("ipv4", "ipv6", "domain", "url", "md5", "sha1", "sha256", "email"),
    )
    relation_patterns: Sequence[RelationPattern] = RELATIONS

    @property
    def aliases(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Canonical names by type, with their other names."""
        return aliases()

    def extract(self, text: str) -> list[Mention]:
        """Find indicators, known names, names of known shapes, and sectors."""
        words = wording(text)
        return [*indicators(text), *self._gazetteer.find(words), *self._shaped(words), *sectors(words)]

    def phrases(self, text: str) -> list[Mention]:
        """Find what a text speaks of without a name; it counts where a relation is stated of it."""
        return list(phrases(wording(text)))

    def _shaped(self, words: Wording) -> Iterator[Mention]:
        for mention in shaped(words):
            known = self._table.canonical(mention.type, mention.name)
            yield mention._replace(type=known[0], name=known[1]) if known else mention

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        names = (known for known in self._known if known.written[:4] != "CVE-")  # those are read by their shape
        return Gazetteer(names, cues=CUES, surnames=SURNAMES, ordinary=EVERYDAY)

    @cached_property
    def _table(self) -> AliasTable:
        return AliasTable(self._known)

    @property
    def _known(self) -> Iterator[Known]:
        return known_names(
            (type_, name, others) for type_, table in aliases().items() for name, others in table.items()
        )


CTI = _ThreatIntelligence()
"""The built-in pack `cti`."""
