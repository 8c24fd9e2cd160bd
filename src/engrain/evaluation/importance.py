"""Whether importance means anything: how often a turn that is asked for later is rated above one that is not.

0.5 is decoration. It stands beside the rating by word count, and apart for each class of speaker where there are
several: what an assistant explains at length is seldom what is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from engrain.arrays import np
from engrain.evaluation.metrics import summarise
from engrain.policies.scoring import word_count_importance

Span = tuple[float, float, float]
ALL = "all turns"
STORED, WORDS = "importance", "word count"


class Rated:
    """The ratings of turns, those that are evidence for a question apart from the others."""

    def __init__(self) -> None:
        self._kept: defaultdict[str, dict[bool, list[tuple[float, float]]]] = defaultdict(lambda: {True: [], False: []})

    def add(self, text: str, importance: float, *, evidence: bool, source: str) -> None:
        """Note how a turn was rated; `source` is the class of who said it."""
        for group in (ALL, source):
            self._kept[group][evidence].append((importance, word_count_importance(text)))

    def measured(self) -> dict[str, dict[str, Span]]:
        """Return, by group of turns and by rating, the AUC with its 95% interval: `(mean, low, high)`.

        The interval is over the turns of evidence. A group without evidence, or with nothing else, is left out.
        """
        groups = self._kept if len(self._kept) > 2 else {name: self._kept[name] for name in self._kept if name == ALL}
        found = {}
        for name in sorted(groups, key=lambda name: (name != ALL, name)):
            evidence, others = groups[name][True], groups[name][False]
            if evidence and others:
                rated = {rating: [row[place] for row in evidence] for place, rating in enumerate((STORED, WORDS))}
                beaten = [_beaten(rated[rating], [row[n] for row in others]) for n, rating in enumerate(rated)]
                found[name] = summarise([dict(zip(rated, row, strict=True)) for row in zip(*beaten, strict=True)])
        return found


def told(groups: Mapping[str, Mapping[str, Span]]) -> list[str]:
    """Return the figures as lines for people."""
    lines = []
    for group, ratings in groups.items():
        auc, low, high = ratings[STORED]
        words = ratings[WORDS][0]
        lines.append(
            f"Evidence is rated above other turns, {group}: AUC {auc:.3f} ({low:.3f} to {high:.3f}); "
            f"by word count {words:.3f}"
        )
    return lines


def _beaten(ratings: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return for each rating the share of the others that it is above, equals counting half."""
    ordered = np.sort(np.asarray(others, dtype=np.float64))
    above = np.searchsorted(ordered, ratings, side="left") + np.searchsorted(ordered, ratings, side="right")
    return [float(share) for share in above / (2 * len(others))]
