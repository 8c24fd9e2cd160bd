"""Candidates turned into hits: their memories read, their signals written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from recollect.filters import Filter, Test
from recollect.numeric import Ints, np
from recollect.protocols import Reader, Record
from recollect.read.search import Ranking
from recollect.results import Hit, Signal

_ONE = 1e-6  # multipliers nearer to 1 than this are 1
_READ = 500  # memories read at a time


def hits_of(ranking: Ranking, places: Sequence[int], reader: Reader, where: Filter) -> list[Hit]:
    """Return the hits at these places of the candidates, in order."""
    found, scored = ranking.found, ranking.scored
    at = np.asarray(places, np.int64)
    nums: list[int] = found.nums[at].tolist()
    records = records_of(nums, reader, where)
    listed = [(name, values, _ranks(ranked)) for name, values, ranked in _lists(ranking, at)]
    boosts = [(f"x {name}", each[at].tolist()) for name, each in scored.boosts.items()]
    worth, relevant = scored.scores[at].tolist(), ranking.relevant[at].tolist()
    hits = []
    for row, num in enumerate(nums):
        signals = [Signal(name, values[row], ranks[num]) for name, values, ranks in listed if num in ranks]
        signals += [] if signals else _lent(ranking, places[row])
        signals += [Signal(name, values[row]) for name, values in boosts if abs(values[row] - 1) > _ONE]
        hits.append(Hit(records[num].memory, round(worth[row], 6), round(relevant[row], 4), tuple(signals)))
    return hits


def records_of(nums: Sequence[int], reader: Reader, where: Filter) -> dict[int, Record]:
    """Read rows that a search has found: it has tested everything else, the walls are tested again."""
    records: dict[int, Record] = {}
    for start in range(0, len(nums), _READ):
        some = Test("num", "in", tuple(nums[start : start + _READ]))
        records |= {r.num: r for r in reader.find(Record, where.walls.but(some))}
    return records


def _lent(ranking: Ranking, place: int) -> list[Signal]:
    """Return the signals of a candidate that is in no list: what its neighbours lend, and its cosine."""
    cosine = float(ranking.found.cosine[place])
    lent = Signal("beside", float(ranking.scored.parts["words"][place]))
    return [lent] if isnan(cosine) else [lent, Signal("meaning", cosine)]


def _lists(ranking: Ranking, at: Ints) -> Iterator[tuple[str, list[float], Ints]]:
    """Yield the lists of a search: its name, what it says of these candidates, and the rows it found, best first."""
    found = ranking.found
    yield "words", found.terms[:, at].sum(axis=0).tolist(), found.lexical.nums
    yield "meaning", found.cosine[at].tolist(), found.vector.nums
    yield "time", [1.0] * len(at), found.dated
    yield "graph", found.graph[at].tolist(), found.related


def _ranks(nums: Ints) -> dict[int, int]:
    return dict(zip(nums.tolist(), range(1, len(nums) + 1), strict=True))
