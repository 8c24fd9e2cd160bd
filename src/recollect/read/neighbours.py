"""The texts nearest to a text: cosines as they are, without a ranking."""

from __future__ import annotations

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.filters import Filter, Test, unexpired, unsuperseded
from recollect.foreign import guard
from recollect.models import Status
from recollect.numeric import Floats, np
from recollect.protocols import Embedder, Record
from recollect.results import Hit, Signal

_MOST = 2**31
_AT_ONCE = 500


def neighbors(engine: Engine, walls: Filter, text: str, k: int) -> list[Hit]:
    """Return the memories whose vectors are nearest to the text's, nearest first; `score` is the cosine.

    Active and quarantined memories that are believed, not superseded and not expired, of whatever time they are true.
    [] without an embedder, or when it fails.
    """
    embedder = engine.embedder
    vector = None if embedder is None or k <= 0 else guard(f"embedder {embedder.id}", lambda: _vector(embedder, text))
    if embedder is None or vector is None or not vector.any():
        return []
    where = walls.but(
        Test("status", "in", (Status.ACTIVE, Status.QUARANTINED)),
        unsuperseded(engine.clock.now()),
        Test("believed_until", "eq", None),
        unexpired(engine.clock.now()),
    )
    with engine.store.read(walls.org) as reader:
        found = reader.search_vector(embedder.id, vector, where, limit=min(k, _MOST))
        nums: list[int] = found.nums.tolist()
        records: dict[int, Record] = {}
        for start in range(0, len(nums), _AT_ONCE):
            some = Test("num", "in", tuple(nums[start : start + _AT_ONCE]))
            records |= {r.num: r for r in reader.find(Record, walls.walls.but(some))}
    hits = []
    for rank, (num, cosine) in enumerate(zip(nums, found.scores.tolist(), strict=True), start=1):
        relevance = min(max(cosine, 0.0), 1.0)
        hits.append(Hit(records[num].memory, cosine, relevance, (Signal("meaning", cosine, rank),)))
    return hits


def _vector(embedder: Embedder, text: str) -> Floats:
    vector = np.asarray(embedder.embed([text])[0], np.float32)
    if vector.shape != (embedder.dimensions,) or not np.isfinite(vector).all():
        raise ProviderError(f"embedder {embedder.id} gave no vector of {embedder.dimensions} finite numbers")
    return vector
