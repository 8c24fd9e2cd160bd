"""Trains the model of `engrain.security.injection`: a logistic regression, with numpy alone.

python -m training.injection.train [weights.npy]
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engrain.lazy import np
from engrain.security import injection as model
from training.injection import texts

if TYPE_CHECKING:
    from engrain.lazy import Ints, Mask, Numbers

ROUNDS = 60
MARGIN = 1.3  # how far above even odds an attack has to score, so that honest memories stay free
_RATE, _DECAY = 0.1, 3e-5
_LARGEST = 127


@dataclass(frozen=True, slots=True)
class Examples:
    """The windows of some texts: which buckets each holds, and which text it is of."""

    buckets: Ints
    window: Ints
    share: Numbers
    text: Ints

    @classmethod
    def of(cls, written: list[str]) -> Examples:
        """Return the windows of texts."""
        found = [model.windows(re.sub(model.IDENTIFIER, "0", text)) for text in written]
        every = [sorted(window) for each in found for window in each]
        sizes = [len(window) for window in every]
        shares = np.array([model.SHARES[size] for size in sizes])
        owners = np.repeat(np.arange(len(found)), [len(each) for each in found])
        return cls(np.concatenate(every), np.repeat(np.arange(len(every)), sizes), shares, owners)

    def scores(self, weights: Numbers, bias: float) -> Numbers:
        """Return the score of each window; an attack is one above nought."""
        sums = np.asarray(np.bincount(self.window, weights[self.buckets], len(self.share)), np.float64)
        return sums * self.share + bias

    def highest(self, scores: Numbers) -> Mask:
        """Say which windows are the highest of their texts."""
        order = np.lexsort((-scores, self.text))
        first = np.ones(len(order), bool)
        first[1:] = np.diff(self.text[order]) != 0
        chosen = np.zeros(len(order), bool)
        chosen[order[first]] = True
        return chosen

    def slope(self, pull: Numbers) -> Numbers:
        """Return the slope of the buckets' weights, given that of the windows' scores."""
        pulls = (pull * self.share)[self.window]
        return np.asarray(np.bincount(self.buckets, pulls, model.BUCKETS), np.float64)


def fitted(attacks: Examples, honest: Examples, rounds: int = ROUNDS) -> tuple[Numbers, float]:
    """Return the weights of the buckets and the bias.

    Every window of an honest text is honest; of an attack, the window that scores highest is one.
    """
    values = np.zeros(model.BUCKETS + 1)
    values[-1] = -1.0  # the bias
    mean, spread = np.zeros_like(values), np.zeros_like(values)
    rate = np.append(np.full(model.BUCKETS, _RATE), _RATE / 5)
    for turn in range(1, rounds + 1):
        weights, bias = values[:-1], float(values[-1])
        high, low = attacks.scores(weights, bias), honest.scores(weights, bias)
        chosen = attacks.highest(high)
        up = -1.0 * chosen / (1 + np.exp(high)) / chosen.sum()
        down = 1 / (1 + np.exp(-low)) / len(low)
        slope = np.append(attacks.slope(up) + honest.slope(down) + _DECAY * weights, up.sum() + down.sum())
        mean = 0.9 * mean + 0.1 * slope
        spread = 0.99 * spread + 0.01 * slope * slope
        values -= rate * (mean / (1 - 0.9**turn)) / (np.sqrt(spread / (1 - 0.99**turn)) + 1e-8)
    return values[:-1], float(values[-1])


def stored(weights: Numbers, bias: float) -> model.Weights:
    """Return weights as they are kept, a byte each."""
    scale = float(np.abs(weights).max()) / _LARGEST
    steps = np.append(np.round(weights / scale), 0).astype(np.int8)
    return model.Weights(steps, scale, bias - MARGIN)


def trained(count: int, documented: list[str], rounds: int = ROUNDS) -> model.Weights:
    """Return a model of `count` texts of each kind in the grammars, and of honest texts besides."""
    attacks = Examples.of(texts.attacks(count, seed=1))
    honest = Examples.of(texts.honest(count, seed=2) + documented)
    return stored(*fitted(attacks, honest, rounds))


def main(path: Path) -> None:
    """Train on everything and write the weights."""
    found = trained(3000, texts.documentation())
    kept = [("steps", np.int8, found.steps.shape), ("scale", np.float64), ("bias", np.float64)]
    np.save(path, np.array(tuple(found), kept))
    print(f"{path}: {path.stat().st_size} bytes, {np.count_nonzero(found.steps)} buckets in use")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(model.__file__).parent.joinpath(model.WEIGHTS))
