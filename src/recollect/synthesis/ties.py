"""What the graph says of the things that some memories name, as far as these memories bear it out."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.entities import Relationship
from recollect.filters import Test
from recollect.graph import walking
from recollect.graph.chunks import among
from recollect.graphrows import EntityRow, MentionRow
from recollect.models import Memory
from recollect.protocols import Record
from recollect.read.entities import Sight

_BESIDE = 50  # newest memories of an entity in which it is looked for who is named with it


def relationships_of(sight: Sight, memories: Sequence[Memory]) -> list[Relationship]:
    """Return the relations that these memories are evidence of, the plainest first, each from its source.

    A memory that the sight does not see tells nothing; `evidence` names those of `memories` alone.
    """
    with sight.lens() as lens:
        ids = tuple(dict.fromkeys(memory.id for memory in memories))
        seen = lens.reader.find(Record, lens.where.but(Test("id", "in", ids))) if ids else []
        nums = {record.num for record in seen}
        named = {row.entity for row in among(lens.reader, MentionRow, "num", nums, order="num")}
        nodes = list(dict.fromkeys(lens.of(row) for row in among(lens.reader, EntityRow, "id", named)))
        if not nodes:
            return []
        bonds = walking.bonds([tie for tie in lens.around(nodes, most=_BESIDE) if tie.num in nums])
        return [each for bond in bonds for each in walking.relationships(lens, bond.source, [bond])]
