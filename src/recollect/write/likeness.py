"""Entities whose names mean the same to an embedder that reads: merged where that is as good as certain, else proposed.

The built-in embedder adds up words and cannot tell "APT28" from "APT29"; with it, or with none, nothing is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.engine import Engine
from recollect.entities import IDENTIFIERS
from recollect.graphrows import EntityRow
from recollect.models import Scope
from recollect.numeric import Numbers, np
from recollect.protocols import Embedder
from recollect.write.embedding import vectors
from recollect.write.entities import join

CERTAIN, LIKELY = 0.92, 0.82  # cosines of names from which on two are one, and from which on somebody should look
NEWEST = 1_000  # entities of a family that are compared
_DIGITS = re.compile(r"\d+")
_UNCOMPARED = IDENTIFIERS | {"event"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be one; the older one is to be kept."""

    keep: EntityRow
    other: EntityRow
    cosine: float


def reads_sentences(embedder: Embedder | None) -> bool:
    """Say whether an embedder reads a name as a whole; one that weighs words adds them up."""
    return embedder is not None and not hasattr(embedder, "embed_weighted")


def alike(embedder: Embedder, rows: Sequence[EntityRow], *, least: float) -> Iterator[Pair]:
    """Yield the pairs of entities of one type whose names are that much alike, the likest first.

    Names whose digits differ are never alike, nor identifiers, nor mere names and typed ones.
    """
    types: dict[str, list[EntityRow]] = {}
    for row in rows:
        if row.type not in _UNCOMPARED:
            types.setdefault(row.type, []).append(row)
    found: list[Pair] = []
    for some in types.values():
        newest = sorted(some, key=lambda row: row.id)[-NEWEST:]
        matrix: Numbers = np.stack([np.asarray(each) for each in vectors(embedder, [row.name for row in newest])])
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = matrix / np.where(norms > 0, norms, 1)
        for one, other in np.argwhere(np.triu(matrix @ matrix.T, k=1) >= least).tolist():
            if _DIGITS.findall(newest[one].name) == _DIGITS.findall(newest[other].name):
                found.append(Pair(newest[one], newest[other], float(matrix[one] @ matrix[other])))
    yield from sorted(found, key=lambda pair: (-pair.cosine, pair.keep.id, pair.other.id))


def resolve(engine: Engine, scope: Scope, rows: Sequence[EntityRow]) -> list[str]:
    """Merge the entities that are as good as certainly one, and propose the likely ones; return the ids of both."""
    embedder = engine.embedder
    if embedder is None or not reads_sentences(embedder):
        return []
    return join(
        engine,
        scope,
        [
            (pair.keep.id, pair.other.id, f"their names have a cosine of {pair.cosine:.3f}", pair.cosine >= CERTAIN)
            for pair in alike(embedder, rows, least=LIKELY)
        ],
    )
