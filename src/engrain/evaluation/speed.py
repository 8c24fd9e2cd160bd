"""How fast writing, reading and opening are, each beside what the machine itself can do, in one run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log10

from engrain.evaluation import children
from engrain.evaluation.corpus import Corpus
from engrain.evaluation.figures import Row, Speed, Timings, growth, timed
from engrain.evaluation.places import Places, of_server, places
from engrain.evaluation.trial import OPEN, REMEMBER, WHOLE, Trial
from engrain.manager import MemoryManager

Progress = Callable[[int, int, str], object]

SIZES = (1_000, 10_000, 100_000)
_IMPORTS = 5
_WRITERS = _READERS = 4


def run(
    *,
    sizes: Sequence[int] = SIZES,
    seed: int = 7,
    seconds: float = 5.0,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Speed:
    """Fill a store of each size with made-up conversations and measure what is done with it.

    The stores are temporary, in `store_dir`: name a folder on a disk, since in a file system in memory nothing is
    durable. With `store`, the URL of a server, they are databases that are made there and dropped at the end. `seconds`
    is how long processes write and read one store side by side. `progress(done, total, label)` is called after each
    step. The default sizes take minutes.
    """
    chosen = tuple(sorted(set(sizes)))
    if not chosen or chosen[0] < 1:
        raise ValueError("sizes are at least 1, and there is at least one")
    rows: list[Row] = []
    with places(store, store_dir, purpose="bench") as made:
        corpus = Corpus(seed)
        trials = [Trial(made, corpus, size, largest=size == chosen[-1]) for size in chosen]
        total, steps = 2 + sum(map(len, trials)), _all(made, seed, seconds, trials)
        for done, (label, found) in enumerate(steps, start=1):
            rows += found
            if progress is not None:
                progress(done, total, label)
    rows += _growths(rows, clock=bool(made.server))
    found = of_server(rows) if made.server else rows
    return Speed(tuple(found), sizes=chosen, seed=seed, embedder=children.EMBEDDER, server=made.server)


def _all(made: Places, seed: int, seconds: float, trials: Iterable[Trial]) -> Iterator[tuple[str, list[Row]]]:
    yield "import", _imports()
    yield "processes side by side", _side_by_side(made.at("shared"), seed, seconds)
    for trial in trials:
        yield from trial.steps()


def _imports() -> list[Row]:
    rows = []
    for statement in ("import engrain", "from engrain import MemoryManager"):
        best = 1000 * min(children.import_seconds(statement) for _ in range(_IMPORTS))
        row = Row(f"{statement} in a fresh process", 0, cpu_ms=best)
        rows.append(row.judged("< 250 ms CPU", best < 250))
    return rows


def _side_by_side(path: str, seed: int, seconds: float) -> list[Row]:
    """Let processes write to and read one scope, and look at what became of it."""
    MemoryManager(path, embedder=children.EMBEDDER).close()
    wrote, read = children.work(path, writers=_WRITERS, readers=_READERS, seconds=seconds, seed=seed)
    with MemoryManager(path, user=children.SHARED, embedder=children.EMBEDDER) as manager:
        kept = {memory.id for memory in manager.iter_memories()}
    lost = sum(memory_id not in kept for part in wrote for memory_id in part.ids)
    errors, counts = sum(len(part.errors) for part in (*wrote, *read)), [len(part.ids) for part in wrote]
    name = f"{_WRITERS} processes that write and {_READERS} that read"
    rows = []
    for what, parts in (("remember", wrote), ("recall", read)):
        taken = [ms for part in parts for ms in part.ms]
        rows += [timed(f"{name}: {what}", len(kept), Timings(taken, []))] if taken else []
    rows.append(Row(f"{name}: errors", len(kept), value=errors).judged("0", not errors))
    rows.append(Row(f"{name}: acknowledged and lost", len(kept), value=lost).judged("0", not lost))
    fair = max(counts) / max(min(counts), 1)
    rows.append(Row(f"{name}: most over fewest of one", len(kept), value=fair, unit="x").judged("<= 2x", fair <= 2))
    return rows


def _growths(rows: Sequence[Row], *, clock: bool) -> list[Row]:
    """Return how the figures grow with size: opening and writing should not, reading a whole scope a little."""
    return [
        *growth(rows, OPEN, least=1, most=lambda _: 1.5, clock=clock),
        *growth(rows, REMEMBER, least=1, most=lambda _: 1.5, clock=clock),
        # 15 times from 10k to 1M
        *growth(rows, WHOLE, least=10_000, most=lambda times: 15 ** (log10(times) / 2), clock=clock),
    ]
