"""The work of one system, in the process it is started in: `peers.py` starts this file with what to do as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

from adapters import SYSTEMS
from adapters.store import Open, Store, Turn

from engrain.arrays import np
from engrain.embeddings.names import resolve_embedder
from engrain.evaluation.corpus import Corpus
from engrain.evaluation.datasets import Conversation, load
from engrain.evaluation.figures import Timings
from engrain.evaluation.metrics import measure, summarise
from engrain.evaluation.quality import within
from engrain.protocols import Embedder

K = 20  # the deepest cut that is measured
BATCH = 1000
SINGLES = 100  # added one by one, on top of the others
QUESTIONS = 100  # of the made-up scope
# Searches that are not counted: they bring what is needed into memory.
FIRST = ("Who was it?", "When did it happen?", "What did they say about it?")
STATUS = Path("/proc/self/status")
cached_corpus = cache(Corpus)


class Work:
    """What one system needed for adding and for searching."""

    def __init__(self) -> None:
        self.bulk, self.single, self.search = Timings(), Timings(), Timings()
        self._memories = 0
        self._bulk_cpu = 0.0

    def fill(self, store: Store, turns: Sequence[Turn]) -> None:
        """Add turns in bulk where the store can, and the last ones one by one."""
        singles = min(SINGLES, len(turns) // 2)
        many, last = turns[:-singles], turns[-singles:]
        add_many = getattr(store, "add_many", None)
        if add_many is None:
            for turn in many:
                store.add(*turn)
        else:
            for batch in _batches(many):
                before = process_time()
                self.bulk.each(len(batch), add_many, batch)
                self._bulk_cpu += process_time() - before
                self._memories += len(batch)
        for turn in last:
            self.single.of(store.add, *turn)

    def figures(self) -> dict[str, float | None]:
        """Return milliseconds for each memory and each search; None where the store has no call for many."""
        return {
            "add_cpu_ms": self.single.cpu_mean,
            "add_wall_ms_p50": self.single.p50,
            "bulk_cpu_ms": self._bulk_cpu * 1000 / self._memories if self._memories else None,
            "bulk_wall_ms_p50": self.bulk.p50 if self._memories else None,
            "search_cpu_ms_p50": self.search.cpu50,
            "search_cpu_ms_p95": float(np.quantile(self.search.cpu, 0.95)),
            "search_wall_ms_p50": self.search.p50,
        }


def conversations(open_store: Open, embedder: Embedder, folder: Path, part: dict[str, Any]) -> dict[str, Any]:
    """Give each conversation of the file a store, ask its questions and measure how much of the evidence comes back."""
    work, rows, memories, found = Work(), [], 0, 0
    for number, (conversation, asked) in enumerate(within(load(part["file"]), part["limit"])):
        turns = _turns(conversation)
        memories += len(turns)
        with closing(open_store(_made(folder / str(number)), embedder)) as store:
            work.fill(store, turns)
            _warm(store)
            for question in asked:
                if question.answerable and question.evidence:
                    ranked = list(dict.fromkeys(work.search.of(store.search, question.text, K)))
                    found += len(ranked)
                    rows.append(measure(ranked, question.evidence))
    if not rows:
        raise ValueError("no question of the file has an answer and evidence for it")
    return {
        "memories": memories,
        "questions": len(rows),
        "found": found / len(rows),
        "metrics": summarise(rows),
        **work.figures(),
    }


def made_up(open_store: Open, embedder: Embedder, folder: Path, part: dict[str, Any]) -> dict[str, Any]:
    """Put so many made-up memories into one store and measure the same times."""
    work, corpus, size = Work(), cached_corpus(part["seed"]), part["size"]
    turns = [
        Turn(f"M{number}", f"{item['actor']}: {item['content']}", item["actor"], item["session"], item["valid_from"])
        for number, item in enumerate(corpus.items("whole", size))
    ]
    with closing(open_store(_made(folder / "whole"), embedder)) as store:
        work.fill(store, turns)
        _warm(store)
        for question in corpus.questions("whole", min(QUESTIONS, size)):
            work.search.of(store.search, question, K)
        return {"memories": size, **work.figures(), "resident_mb": resident()}


def resident() -> float | None:
    """Return the megabytes that this process holds, None where the platform does not say."""
    lines = STATUS.read_text().splitlines() if STATUS.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), None)


def _turns(conversation: Conversation) -> list[Turn]:
    return [
        Turn(
            str(item["metadata"]["turn"]),
            f"{item['actor']}: {item['content']}",
            item["actor"],
            item.get("session", ""),
            item.get("valid_from"),
        )
        for item in conversation.items
    ]


def _batches(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    left = iter(turns)
    while batch := list(islice(left, BATCH)):
        yield batch


def _warm(store: Store) -> None:
    for question in FIRST:
        store.search(question, K)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def main(part: dict[str, Any]) -> None:
    """Warm up with a small store, which loads what loads late, do the work and print the figures as JSON."""
    embedder, folder = resolve_embedder(part["embedder"]), Path(part["folder"])
    if embedder is None:
        raise ValueError("an embedder is needed: the other systems find by vectors alone")
    embedder.embed(["What has to be loaded is loaded now."])
    base = resident()
    open_store = SYSTEMS[part["system"]].open()
    made_up(open_store, embedder, _made(folder / "first"), {**part, "size": 40})
    figures = {
        "embedder": embedder.id,
        "harness_mb": base,
        "file": conversations(open_store, embedder, _made(folder / "file"), part),
        "made_up": made_up(open_store, embedder, _made(folder / "made-up"), part),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
