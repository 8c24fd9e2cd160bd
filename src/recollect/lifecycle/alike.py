"""How alike an episode is to others, by the vectors that are stored of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.engine import Engine
from recollect.filters import Test
from recollect.numeric import np
from recollect.protocols import Record, Transaction, Vector


def cosines(engine: Engine, transaction: Transaction, record: Record, others: Sequence[Record]) -> list[float]:
    """Return the cosine of a memory with each of others, -1 where one of the two has no vector."""
    embedder, unknown = engine.embedder, [-1.0] * len(others)
    if embedder is None or not others:
        return unknown
    scope = record.memory.scope
    namespace = transaction.namespace(scope.org, scope.user)
    tests = [Test("ns", "eq", namespace), Test("embedder", "eq", embedder.id), Test("num", "eq", record.num)]
    own = transaction.find(Vector, tests)
    if not own:
        return unknown
    nums = np.asarray([other.num for other in others], np.int64)
    scores: Any = transaction.score_vector(embedder.id, own[0].values, nums)
    return [-1.0 if np.isnan(score) else float(score) for score in scores]
