"""The offline tokenizer beside real ones, text by text: how many tokens each counts, and how far off it is."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Progress, Report
from engrain.embeddings.tokenizers import resolve_tokenizer
from engrain.text import OfflineTokenizer

SAMPLES = Path(__file__).parent.parent / "tests" / "ground" / "samples"


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens of a text: counted offline, and by each real tokenizer; `error` is against their mean."""

    text: str
    offline: int
    counts: tuple[int, ...]

    @property
    def error(self) -> float:
        """How far the offline count is off the mean of the others, as a share of it."""
        return self.offline * len(self.counts) / sum(self.counts) - 1


@dataclass(frozen=True, kw_only=True)
class TokenCounts(Report):
    """The counts of each text, and the CPU nanoseconds that counting offline takes for each character."""

    tokenizers: tuple[str, ...]
    rows: tuple[Counted, ...]
    ns_per_character: float

    def lines(self) -> list[str]:
        names = [Path(name.partition(":")[2]).stem for name in self.tokenizers]
        rows = [["text", "offline", *names, "error"], ["---", *["---:"] * (len(names) + 2)]]
        rows += [[row.text, str(row.offline), *map(str, row.counts), f"{row.error:+.0%}"] for row in self.rows]
        table = [f"| {' | '.join(row)} |" for row in rows]
        return [*table, "", f"Offline: {self.ns_per_character:.0f} ns of CPU per character."]


def count_tokens(
    files: Sequence[str | os.PathLike[str]] = (), *, tokenizers: Sequence[str], progress: Progress | None = None
) -> TokenCounts:
    """Count the tokens of texts by each tokenizer.

    Args:
        files: Texts; none are the samples of the tests.
        tokenizers: Real tokenizers by name, as `MemoryManager` takes them; at least one.
        progress: Called after each text.
    """
    paths = [Path(file) for file in files] or sorted(SAMPLES.glob("*.txt"))
    offline, others, rows = OfflineTokenizer(), [resolve_tokenizer(name) for name in tokenizers], []
    for number, path in enumerate(paths, start=1):
        text = path.read_text(encoding="utf-8")
        counts = tuple(each.count_tokens(text) for each in others)
        rows.append(Counted(path.stem.replace("_", ", "), offline.count_tokens(text), counts))
        if progress is not None:
            progress(number, len(paths), path.name)
    texts = [path.read_text(encoding="utf-8") for path in paths]
    began = time.process_time()
    for text in texts:
        offline.count_tokens(text)
    spent = (time.process_time() - began) / sum(map(len, texts)) * 1e9
    return TokenCounts(tokenizers=tuple(tokenizers), rows=tuple(rows), ns_per_character=spent)
