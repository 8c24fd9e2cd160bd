"""Made-up graphs: a few entities that much is said of and many that little is, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from engrain.arrays import Ints, np

Relation = tuple[int, str, int]

_RELATIONS = "uses exploits targets attributed_to located_at affiliated_with causes participates_in".split()
_TYPES = "tool person organization place campaign".split()
_NEAR = 0.1  # of the mean degree: how far from it an average entity is


class Network:
    """Relations between entities drawn with chances that fall with the root of their rank.

    The number of entities then falls with the cube of their degree, as where what is known already draws more.
    """

    def __init__(self, relations: int, entities: int, seed: int) -> None:
        rng = np.random.default_rng([seed, relations])
        chances = 1 / np.sqrt(np.arange(1, entities + 1))
        chances /= chances.sum()
        numbers = rng.permutation(entities)
        self._sources = numbers[rng.choice(entities, relations, p=chances)]
        targets = numbers[rng.choice(entities, relations, p=chances)]
        self._targets = np.where(targets == self._sources, (targets + 1) % entities, targets)  # never with itself
        self._kinds = rng.integers(0, len(_RELATIONS), relations)

    def relations(self) -> Iterator[Relation]:
        """Yield the relations: source, name, target."""
        for source, kind, target in zip(self._sources, self._kinds, self._targets, strict=True):
            yield int(source), _RELATIONS[kind], int(target)

    @staticmethod
    def named(number: int) -> tuple[str, str]:
        """Return the type and the name of an entity."""
        return _TYPES[number % len(_TYPES)], f"thing {number}"

    @cached_property
    def degrees(self) -> Ints:
        """In how many relations each entity is, on either side."""
        return np.bincount(np.concatenate([self._sources, self._targets]))

    @property
    def average(self) -> list[int]:
        """The entities that are in about as many relations as the mean."""
        mean = self.degrees.mean()
        found: list[int] = np.flatnonzero(np.abs(self.degrees - mean) <= _NEAR * mean).tolist()
        return found

    @property
    def hubs(self) -> list[int]:
        """The entities, those in the most relations first."""
        found: list[int] = np.argsort(-self.degrees, kind="stable").tolist()
        return found
