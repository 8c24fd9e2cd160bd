"""The domain pack for threat intelligence: indicators, groups, software, campaigns, and how reports relate them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from engrain.cti import DOMAINS
from engrain.cti.indicators import indicators
from engrain.cti.shapes import phrases, sectors, shaped
from engrain.cti.tables import aliases, relations, words
from engrain.graph.gazetteer import AliasTable, Gazetteer, known_names
from engrain.graph.packs import PackOperation
from engrain.language.tokens import wording
from engrain.lazy import Later
from engrain.model.entities import Mention, RelationPattern

if TYPE_CHECKING:
    from engrain.cti import stix_export, stix_import
    from engrain.manager import MemoryManager
    from engrain.model.results import StixImported
    from engrain.write.ingest import Progress
else:
    stix_export, stix_import = [Later("engrain.cti.stix_export"), Later("engrain.cti.stix_import")]

_TYPES = """cve technique actor intrusion_set tool malware campaign sector asset vulnerability ipv4 ipv6 domain url md5
    sha1 sha256 email""".split()


def import_stix(
    memory: MemoryManager, path: str | os.PathLike[str], *, progress: Progress | None = None
) -> StixImported:
    """Remember what a STIX 2.1 bundle holds; see `MemoryManager.graph.import_stix`."""
    view = memory._view
    imported = stix_import.import_stix(view.engine, view.scope, path, progress=progress)
    view.wake_worker()
    return imported


def export_stix(memory: MemoryManager, path: str | os.PathLike[str]) -> str:
    """Write what is known of threats as a STIX 2.1 bundle; see `MemoryManager.graph.export_stix`."""
    return stix_export.export_stix(memory._view.engine, memory._view.scope, path)


class _ThreatIntelligence:
    """Finds what threat reports name; its tables are read with the first text."""

    name = "cti"
    domains = DOMAINS
    entity_types = tuple(_TYPES)
    operations = (PackOperation(import_stix, effect="write"), PackOperation(export_stix, answer="path"))

    @property
    def aliases(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Canonical names by type, with their other names."""
        return aliases()

    @property
    def relation_patterns(self) -> Sequence[RelationPattern]:
        """How reports state relations."""
        return relations()

    def extract(self, text: str) -> list[Mention]:
        """Find indicators, known names, names of known shapes, and sectors."""
        cut = wording(text)
        found = [*indicators(text), *self._gazetteer.find(cut)]
        for mention in shaped(cut):
            known = self._table.canonical((mention.type,), mention.name)
            found.append(mention._replace(type=known[0], name=known[1]) if known else mention)
        return [*found, *sectors(cut)]

    def phrases(self, text: str) -> list[Mention]:
        """Find what a text mentions without a name; it counts where a relation is stated of it."""
        return list(phrases(wording(text)))

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        names = (
            known for known in known_names(aliases()) if known.written[:4] != "CVE-"
        )  # those are read by their shape
        return Gazetteer(names, cues=words("cues"), surnames=words("surnames"), ordinary=words("everyday"))

    @cached_property
    def _table(self) -> AliasTable:
        return AliasTable(known_names(aliases()))


CTI = _ThreatIntelligence()
"""The built-in pack `cti`."""
