"""The recipe of the default ranking: what each ingredient weighs."""

from __future__ import annotations

from dataclasses import dataclass, fields

_MOST = 1_000  # all of them together stay far inside single precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Convex:
    """The default ranking's weights: a sum of scaled scores, then bounded multipliers. 0 leaves an ingredient out.

    The values were measured on long conversations: see `docs/benchmarks.md`, where each stands with what the ranking
    loses without it. A weight that is not from 0 to 1,000 is a `ValueError`.
    """

    meaning: float | None = None
    """Cosines, scaled, beside words; None is what suits the embedder: .5 for a static one, .8 for one that reads."""
    session: float = 0.6
    """The session of a memory as one document, beside its own words."""
    neighbours: float | None = None
    """What the turns near a turn lend it; None is what suits the texts: 1 in chats of short ones, 0 otherwise."""
    graph: float = 1.0
    """What is about entities one step or two from those that the question names, beside words and meaning."""
    date: float = 0.5
    """Up to so much more for what happened when the question says."""
    speaker: float = 0.8
    """So much more for who is named, or for the user's or the assistant's own words."""
    time_words: float = 0.3
    """So much more for texts that tell a time, when the question asks for one."""
    names: float = 0.3
    """So much more for texts that name somebody or something, when the question asks for a name."""
    latest: float = 0.5
    """Up to so much more for the newest of those about as good as the best, when the question asks for the latest."""
    question: float = 0.1
    """So much less for questions, in chats."""
    summary: float = 0.5
    """So much less for what tells again, shorter, what other memories tell."""
    importance: float = 0.1
    """From so much less for the least to so much more for the most important, halved."""
    recency: float = 0.02
    """Up to so much less for what was recorded earlier, half of it in 30 days: of equals the newer leads."""
    strength: float = 0.05
    """Up to so much more for what was often recalled."""
    diversity: float = 1.0
    """0 lets near-copies of a better hit stand among the best."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("meaning", "neighbours") and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
                raise ValueError(f"{each.name} must be a number from 0 to {_MOST:,}, not {value!r}")
