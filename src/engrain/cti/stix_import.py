"""A STIX bundle into the store: each thing and each relationship is a memory, keyed by its STIX id."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engrain.cti.stix_objects import is_later
from engrain.cti.stix_reading import Item, mapped, read_bundle
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.model.filters import Test, within
from engrain.model.memory import Memory, Scope, Status
from engrain.model.results import Remembered, StixImported
from engrain.storage.rows import Record
from engrain.write.ingest import Progress, checked_progress, tell
from engrain.write.pipeline import remember
from engrain.write.prepare import Draft, draft

BATCH = 500
_REFUSED = (MemoryRejected, NotFound, ValueError, TypeError)


def import_stix(
    engine: Engine, scope: Scope, path: str | os.PathLike[str], *, progress: Progress | None = None
) -> StixImported:
    """Remember what a bundle holds; see `Graph.import_stix`.

    Every batch is a transaction. An import that was cut short goes on where it was when it is run again.
    """
    listener = checked_progress(progress)
    source = Path(path).expanduser()
    found = mapped(read_bundle(source), now=engine.clock.now(), max_content_bytes=engine.settings.max_content_bytes)
    done = _Import(engine, scope, rejected=dict(found.rejected))
    total = len(found.items)
    tell(listener, 0, total, source.name)
    for start in range(0, total, BATCH):
        done.take(found.items[start : start + BATCH])
        tell(listener, min(start + BATCH, total), total, f"{source.name}: {done.counts['memories']:,} memories")
    counts = done.counts
    return StixImported(
        entities=counts["entities"],
        aliases=counts["aliases"],
        relationships=counts["relationships"],
        memories=counts["memories"],
        updated=counts["updated"],
        known=counts["known"],
        quarantined=counts["quarantined"],
        skipped=dict(found.skipped),
        rejected=done.rejected,
    )


@dataclass
class _Import:
    """An import under way; `counts` are those of a `StixImported`, by name."""

    engine: Engine
    scope: Scope
    rejected: dict[str, str]
    counts: Counter[str] = field(default_factory=Counter)

    def take(self, items: Sequence[Item]) -> None:
        """Remember a batch of items, but for those that are known as they are."""
        known = self._known(items)
        drafts: list[tuple[Item, Draft]] = []
        for item in items:
            if _is_known(known.get(item.key), item):
                self.counts["known"] += 1
                continue
            try:
                drafts.append((item, self._draft(item)))
            except _REFUSED as error:
                self.rejected[item.key] = str(error)
        self._remember(drafts)

    def _known(self, items: Sequence[Item]) -> dict[str, Memory]:
        """Return the memories that hold the keys of a batch."""
        keys = Test("key", "in", tuple(item.key for item in items))
        mine = (Test("agent", "eq", self.scope.agent), Test("status", "ne", Status.FORGOTTEN))
        with self.engine.store.read(self.scope.org) as reader:
            found = reader.find(Record, within(self.scope).but(keys, *mine))
        own = (record.memory for record in found if record.memory.scope.user == self.scope.user)
        return {str(memory.key): memory for memory in own}

    def _draft(self, item: Item) -> Draft:
        return draft(
            item.content,
            scope=self.scope,
            settings=self.engine.settings,
            kind="semantic",
            key=item.key,
            domain="cti",
            source_type="stix",
            source_id=item.key,
            source_ref=item.source_ref,
            metadata=item.metadata,
            valid_from=item.valid_from,
            valid_until=item.valid_until,
            resolve="off",
            about=item.about,
        )

    def _remember(self, drafts: Sequence[tuple[Item, Draft]]) -> None:
        """Store a batch at once; one that is refused only when it meets what is stored stops no other."""
        if not drafts:
            return
        try:
            results = remember(self.engine, [each for _, each in drafts])
        except _REFUSED as error:
            if len(drafts) == 1:
                self.rejected[drafts[0][0].key] = str(error)
                return
            for one in drafts:
                self._remember([one])
            return
        for (item, _), result in zip(drafts, results, strict=True):
            self._count(item, result)

    def _count(self, item: Item, result: Remembered) -> None:
        if result.status == "noop":
            self.counts["known"] += 1
        elif result.memory.version > 1:
            self.counts["updated"] += 1
        else:
            self.counts["memories"] += 1
            self.counts["quarantined"] += result.status == "quarantined"
            self.counts["entities"] += any("stix_id" in entity.metadata for entity in item.about.entities)
            self.counts["aliases"] += sum(len(entity.aliases) for entity in item.about.entities)
            self.counts["relationships"] += item.metadata["stix_type"] in ("relationship", "sighting")


def _is_known(memory: Memory | None, item: Item) -> bool:
    """Say whether a memory holds this version of an object, or a later one; its text may have been edited since."""
    if memory is None:
        return False
    stored, modified = memory.metadata.get("modified"), item.metadata.get("modified")
    if isinstance(stored, str) and isinstance(modified, str):
        return not is_later(modified, stored)
    return memory.content == item.content
