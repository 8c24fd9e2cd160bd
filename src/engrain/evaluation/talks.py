"""What an append to a conversation costs, beside a memory of the same text, as its history grows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice

from engrain.config import Settings
from engrain.evaluation.corpus import Corpus
from engrain.evaluation.figures import Row, Speed, Timings, growth, timed
from engrain.evaluation.places import Places, of_server, places
from engrain.evaluation.speed import Progress
from engrain.manager import MemoryManager

SIZES = (1_000, 10_000)
APPEND = "add_message, window of 4,096 tokens"
ENDED = "end_session, for each turn"
_BUDGET, _SAMPLE, _ROUNDS, _LEAST = 4096, 100, 20, 200
_EMBEDDER = "wordllama"


def run(
    *,
    sizes: Sequence[int] = SIZES,
    seed: int = 7,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Speed:
    """Append made-up messages to one session, and time the last of so many; then read its window, and end it.

    The stores are temporary, as those of `engrain.evaluation.speed.run`. `progress(done, total, label)` is called
    after each size.
    """
    chosen = tuple(sorted(set(sizes)))
    if not chosen or chosen[0] < _LEAST:
        raise ValueError(f"sizes are at least {_LEAST:,} messages, and there is at least one")
    rows: list[Row] = []
    with places(store, store_dir, purpose="bench") as made:
        for done, size in enumerate(chosen, start=1):
            rows += _measured(made, size, seed)
            if progress is not None:
                progress(done, len(chosen), f"{size:,} messages")
    rows += growth(rows, APPEND, least=_LEAST, most=lambda _: 1.5, clock=bool(made.server))
    found, about = tuple(of_server(rows) if made.server else rows), "a made-up conversation"
    return Speed(found, sizes=chosen, seed=seed, embedder=_EMBEDDER, about=about, server=made.server)


def _measured(made: Places, size: int, seed: int) -> list[Row]:
    path, texts = made.at(f"talk-{size}"), _texts(size + _SAMPLE, seed)
    settings = Settings(worker="none", working={"max_tokens": _BUDGET, "idle_minutes": None})
    with MemoryManager(path, user="whole", session="long", embedder=_EMBEDDER, settings=settings) as manager:
        for number, text in enumerate(islice(texts, size - _SAMPLE)):
            manager.add_message(_role(number), text)
        appended, kept = Timings(), Timings()
        for number, text in enumerate(islice(texts, _SAMPLE)):
            appended.of(manager.add_message, _role(number), text)
        for text in texts:
            kept.of(manager.remember, text)
        row = made.beside(timed(APPEND, size, appended), "remember in the same session", kept)
        mean = Row("the same, mean, with what making the window shorter takes", size, cpu_ms=appended.cpu_mean)
        rows = [row, mean, *_read(manager, size, made.size(f"talk-{size}")), *_ended(manager, size)]
    made.leave(f"talk-{size}")
    return rows


def _read(manager: MemoryManager, size: int, stored: int) -> list[Row]:
    window, history = Timings(), Timings()
    for _ in range(_ROUNDS):
        window.of(manager.get_messages)
        history.of(manager.working.history, limit=100)
    return [
        timed("get_messages", size, window),
        timed("history, a page of 100", size, history),
        Row("file, for each message and its memory", size, value=stored / size, unit="bytes"),
    ]


def _ended(manager: MemoryManager, size: int) -> list[Row]:
    taken = Timings()
    taken.each(size, manager.end_session)
    return [timed(ENDED, size, taken)]


def _texts(count: int, seed: int) -> Iterator[str]:
    return (str(item["content"]) for item in Corpus(seed).items("whole", count))


def _role(number: int) -> str:
    return "assistant" if number % 2 else "user"
