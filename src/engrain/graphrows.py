"""What a store keeps of the graph, as rows; `id` is 0 before a row is put."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

TEXT, FACT, TOLD, STATED, MODEL = "text", "fact", "told", "stated", "model"
"""Where a mention or a relation comes from: read in a text, a memory's fact, told by its writer, stated by hand, or
read in a text by a language model."""
MERGED, UNDONE, PROPOSED, REFUSED, ASKED = "merged", "undone", "proposed", "rejected", "asked"
"""How a merge stands; of those that are `asked` a language model did not take the two for one, which binds nobody."""
EVERYBODY = ""
"""The agent of a note that is common to all agents of its namespace."""


class EntityRow(NamedTuple):
    """An entity by its type and name in one namespace, or another name of the one that it is merged into.

    `agent` is in whose view it was merged, None for all agents of the namespace.
    """

    ns: int
    type: str
    family: str
    key: str
    name: str
    merged_into: int | None = None
    agent: str | None = None
    id: int = 0

    def above(self, viewer: str | None) -> int | None:
        """Return what it is merged into, as an agent sees it; None sees what every agent says."""
        return self.merged_into if viewer is None or self.agent in (None, viewer) else None


class EntityNote(NamedTuple):
    """What was said of an entity by hand or by an import; with one it stands without a memory that mentions it."""

    entity: int
    agent: str
    metadata: str


class MentionRow(NamedTuple):
    """A memory (`num`) is about an entity; `pairs` says that so few are named together that it says something."""

    entity: int
    num: int
    origin: str
    pairs: bool


class RelationRow(NamedTuple):
    """One statement of a relation: by a memory (`num`), whose life and times it shares, or by hand.

    `agent` is whose view stated it by hand, None for all agents of the namespace.
    """

    source: int
    relation: str
    target: int
    num: int | None
    agent: str | None
    origin: str
    weight: float
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    believed_until: datetime | None = None
    id: int = 0


Said = tuple[int, str, int, float, int, datetime | None, datetime | None]
"""A relation as a walk meets it: source, relation, target, weight, its evidence (0: stated by hand), its interval."""
Together = tuple[int, int, int]
"""An entity, another one, and the memory that names both."""


class MergeRow(NamedTuple):
    """Two entities taken for one, or proposed to be; `num` is the memory that says so."""

    id: str
    ns: int
    keep: int
    other: int
    num: int | None
    agent: str | None
    state: str
    reason: str
    at: datetime


class Living(NamedTuple):
    """What a relation wants to know of the memory that is its evidence."""

    memory_id: str
    valid_from: datetime
    valid_until: datetime | None
