"""Where boxes that are joined by lines stand, so that what is near in the graph is near on paper; pure, no chance.

Each connected part is laid out by stress majorisation (distances on paper follow those in the graph), its boxes are
moved apart, and the parts are set in rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from engrain.arrays import Ints, Mask, Numbers, np

Box = tuple[float, float]

STEP = 125.0
"""The distance that one line spans, in pixels; a line at something with many neighbours is longer."""
_WIDER = 1.55  # paper is wide, and so are names
_GAP = (26.0, 30.0)
_LABEL = (50.0, 16.0)  # more room between two that a line joins, for what stands on it
_BETWEEN_PARTS = 36.0
_CROWD = 6  # neighbours that fit around a box at one step


def arranged(boxes: Sequence[Box], lines: Sequence[tuple[int, int]]) -> list[Box]:
    """Return the middle of each box; none reaches below zero. The first box of a part begins in its midst."""
    parts = _parts(len(boxes), lines)
    sizes = np.asarray(boxes, np.float64).reshape(-1, 2)
    placed = [_part(sizes[part], _within(part, lines)) for part in parts]
    spots = np.zeros((len(boxes), 2))
    for part, at in zip(parts, _in_rows(placed, [sizes[part] for part in parts]), strict=True):
        spots[part] = at
    return [(float(x), float(y)) for x, y in np.round(spots, 1)]


def _parts(count: int, lines: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected parts, the largest first."""
    part = list(range(count))

    def root(one: int) -> int:
        while part[one] != one:
            part[one] = one = part[part[one]]
        return one

    for a, b in lines:
        part[max(root(a), root(b))] = min(root(a), root(b))
    found: dict[int, list[int]] = {}
    for one in range(count):
        found.setdefault(root(one), []).append(one)
    return sorted(found.values(), key=lambda members: (-len(members), members[0]))


def _within(part: Sequence[int], lines: Sequence[tuple[int, int]]) -> Ints:
    """Return the pairs of a part that a line joins, each once, by their places in the part."""
    place = {one: number for number, one in enumerate(part)}
    pairs = sorted({(min(place[a], place[b]), max(place[a], place[b])) for a, b in lines if a in place and a != b})
    return np.asarray(pairs, np.int64).reshape(-1, 2)


def _part(sizes: Numbers, pairs: Ints) -> Numbers:
    if not len(pairs):
        return np.zeros((1, 2))
    return _apart(_least_stress(_distances(len(sizes), pairs)) * (_WIDER, 1.0), sizes, pairs)


def _distances(count: int, pairs: Ints) -> Numbers:
    """Return the distance of every two, along the lines."""
    crowd = np.maximum(1.0, np.bincount(pairs.ravel(), minlength=count) / _CROWD)
    far = np.full((count, count), np.inf)
    np.fill_diagonal(far, 0.0)
    far[pairs[:, 0], pairs[:, 1]] = far[pairs[:, 1], pairs[:, 0]] = STEP * np.sqrt(crowd[pairs].max(axis=1))
    for middle in range(count):
        far = np.minimum(far, far[:, middle, None] + far[middle])
    return far


def _least_stress(far: Numbers, *, rounds: int = 200) -> Numbers:
    """Return spots whose distances are as near as can be to those asked for (Gansner, Koren and North 2004)."""
    number = np.arange(len(far))
    angle = number * np.pi * (3 - np.sqrt(5))  # a spiral like that of sunflower seeds
    spots = STEP * np.sqrt(number)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    weight = np.divide(1.0, far**2, out=np.zeros_like(far), where=far > 0)
    pull = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    for _ in range(rounds):
        apart = np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1))
        push = np.divide(-weight * far, apart, out=np.zeros_like(far), where=apart > 1e-9)
        push[number, number] = -push.sum(axis=1)
        spots = pull @ (push @ spots)
    return _turned(spots)


def _turned(spots: Numbers) -> Numbers:
    """Turn the longest extent to lie across the paper."""
    _, _, axes = np.linalg.svd(spots - spots.mean(axis=0), full_matrices=False)
    turned: Numbers = (spots - spots.mean(axis=0)) @ axes.T
    return turned * np.where(turned[np.abs(turned).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)


def _apart(spots: Numbers, sizes: Numbers, pairs: Ints, *, rounds: int = 240) -> Numbers:
    """Move boxes off each other, and in the first half of the rounds off the lines of others."""
    room = (sizes[:, None] + sizes[None]) / 2 + _GAP
    room[pairs[:, 0], pairs[:, 1]] += _LABEL
    room[pairs[:, 1], pairs[:, 0]] += _LABEL
    for turn in range(rounds):
        moves = _off_boxes(spots, room)
        if turn < rounds / 2:
            moves = moves + _off_lines(spots, sizes, pairs)
        if not moves.any():
            break
        spots = spots + moves
    return spots


def _off_boxes(spots: Numbers, room: Numbers) -> Numbers:
    """Return how to move boxes that overlap: along the shorter way out."""
    number = np.arange(len(spots))
    between = spots[:, None] - spots[None]
    short = room - np.abs(between)
    touching: Mask = np.all(short > 0.5, axis=2)
    touching[number, number] = False
    across = short[..., 0] < short[..., 1]
    side = np.where(between == 0, (number[:, None] - number)[..., None], between)
    way = np.sign(side) * short * np.stack([across, ~across], axis=2)
    moves: Numbers = 0.35 * (way * touching[..., None]).sum(axis=1)
    return moves


def _off_lines(spots: Numbers, sizes: Numbers, pairs: Ints) -> Numbers:
    """Return how to move boxes that a line of others runs under: straight away from it."""
    start, along = spots[pairs[:, 0]], spots[pairs[:, 1]] - spots[pairs[:, 0]]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1.0)
    away = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
    out = spots[:, None] - start[None]
    share = (out * along).sum(axis=2) / length**2
    distance = (out * away).sum(axis=2)
    short = (sizes / 2) @ np.abs(away).T + 8.0 - np.abs(distance)
    under = (short > 0) & (share > 0) & (share < 1)
    under[pairs[:, 0], np.arange(len(pairs))] = under[pairs[:, 1], np.arange(len(pairs))] = False
    side = np.where(distance < 0, -1.0, 1.0)
    moves: Numbers = 0.15 * ((side * short * under)[..., None] * away[None]).sum(axis=1)
    return moves


def _in_rows(placed: Sequence[Numbers], sizes: Sequence[Numbers]) -> list[Numbers]:
    """Set the parts beside and below each other, about as wide as it takes for a sheet of 3 to 2."""
    bounds = [
        ((at - size / 2).min(axis=0), (at + size / 2).max(axis=0)) for at, size in zip(placed, sizes, strict=True)
    ]
    extents = [high - low + _BETWEEN_PARTS for low, high in bounds]
    area = sum(float(width * height) for width, height in extents)
    across = max([1.25 * np.sqrt(1.5 * area), *(width for width, _ in extents)])
    found, x, y, tallest = [], 0.0, 0.0, 0.0
    for at, (low, _), (width, height) in zip(placed, bounds, extents, strict=True):
        if x and x + width > across + 1:
            x, y, tallest = 0.0, y + tallest, 0.0
        found.append(at - low + (x, y))
        x, tallest = x + width, max(tallest, height)
    return found
