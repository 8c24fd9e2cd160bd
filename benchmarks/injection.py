"""How many attacks become memories, and how much that is harmless is held back, for each class of source."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import thread_time
from typing import Any, TypeAlias
from zlib import crc32

from benchmarks.report import Progress, Report
from benchmarks.stores import NO_WORKER, temporary_stores
from engrain import GovernanceViolation, MemoryManager, SourceType, Status
from engrain.chat.logs import read_json

Groups: TypeAlias = defaultdict[tuple[str, bool, str], list[tuple[bool, float]]]
"""By group, label and source: whether each text was held back, and the CPU seconds of its write."""

HARMLESS = Path(__file__).with_name("harmless.jsonl")
"""Harmless texts of the kinds that look like attacks: introductions, friendly talk, manuals, reports of threats ..."""
SOURCES = (SourceType.USER_INPUT, SourceType.LLM_GENERATED, SourceType.TOOL_RESULT, SourceType.EXTERNAL_DATA)


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text that is labelled as an attack or not, with its kind and its language or script."""

    text: str
    attack: bool
    kind: str
    language: str


@dataclass(frozen=True, slots=True)
class HeldBack:
    """How many texts of a group from one source were held back; `seconds` is the CPU time of all their writes."""

    group: str
    attack: bool
    source: str
    texts: int
    held: int
    seconds: float

    @property
    def share(self) -> float:
        """The share that was held back."""
        return self.held / self.texts if self.texts else 0.0


@dataclass(frozen=True, kw_only=True)
class Injection(Report):
    """What was held back by kind and by language, each for every source."""

    texts: int
    by_kind: tuple[HeldBack, ...]
    by_language: tuple[HeldBack, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "confusion": {source: self.confusion(source) for source in SOURCES}}

    def confusion(self, source: str) -> dict[str, int]:
        """Return how many attacks and harmless texts from a source were held back and became active."""
        found: Counter[str] = Counter()
        for row in self.by_kind:
            if row.source == source:
                what = "attacks" if row.attack else "harmless"
                found[f"{what} held back"] += row.held
                found[f"{what} active"] += row.texts - row.held
        return dict(found)

    def lines(self) -> list[str]:
        head = "".join(f"{source.value:>15}" for source in SOURCES)
        lines = [f"{self.texts:,} texts; held back, in %", f"{'':<34}{'texts':>7}{head}"]
        for rows in (self.by_kind, self.by_language):
            groups = dict.fromkeys((not row.attack, row.group) for row in rows)
            for harmless, group in sorted(groups):
                found = [row for row in rows if (not row.attack, row.group) == (harmless, group)]
                shares = "".join(f"{100 * row.share:>15.1f}" for row in found)
                lines.append(f"{'harmless' if harmless else 'attack':<9} {group:<24}{found[0].texts:>7,}{shares}")
            lines.append("")
        for source in SOURCES:
            counts = ", ".join(f"{count:,} {name}" for name, count in self.confusion(source).items())
            seconds = sum(row.seconds for row in self.by_kind if row.source == source)
            lines.append(f"{source.value}: {counts}; {1e3 * seconds / max(self.texts, 1):.2f} ms of CPU a write")
        return lines


def evaluate(
    paths: Sequence[str | os.PathLike[str]] = (), *, half: int | None = None, progress: Progress | None = None
) -> Injection:
    """Remember every text of the files from each class of source, each class in a store of its own.

    Args:
        paths: JSON lines with `text` and `label` (1 for an attack, 0 for a harmless text), and perhaps `kind` and
            `language`; by default the harmless texts of this package.
        half: 1 or 2 for one half of the texts, drawn by their CRC-32; None for all.
        progress: Called after each class of source.

    Raises:
        ValueError: A row has no text or no label.
    """
    texts = [each for path in paths or [HARMLESS] for each in _load(Path(path))]
    if half is not None:
        texts = [each for each in texts if crc32(each.text.encode(errors="surrogatepass")) % 2 + 1 == half]
    kinds: Groups = defaultdict(list)
    languages: Groups = defaultdict(list)
    for number, source in enumerate(SOURCES, start=1):
        for each, outcome in zip(texts, _remember_all(texts, source), strict=True):
            kinds[each.kind, each.attack, source.value].append(outcome)
            languages[each.language, each.attack, source.value].append(outcome)
        if progress is not None:
            progress(number, len(SOURCES), source.value)
    return Injection(texts=len(texts), by_kind=_held_back(kinds), by_language=_held_back(languages))


def _remember_all(texts: Sequence[LabelledText], source: SourceType) -> Iterator[tuple[bool, float]]:
    """Yield whether each text was held back, and the CPU seconds of the write."""
    with (
        temporary_stores(None, None, purpose="injection") as stores,
        MemoryManager(stores.address("memory"), embedder=None, settings=NO_WORKER) as memory,
    ):
        for each in texts:
            begun = thread_time()
            yield _is_held_back(memory, each.text, source), thread_time() - begun


def _is_held_back(memory: MemoryManager, text: str, source: SourceType) -> bool:
    try:
        found = memory.remember(text, source_type=source.value, resolve="off").memory
    except GovernanceViolation:
        return True
    return found.status is not Status.ACTIVE


def _held_back(groups: Groups) -> tuple[HeldBack, ...]:
    return tuple(
        HeldBack(*key, len(found), sum(held for held, _ in found), sum(seconds for _, seconds in found))
        for key, found in groups.items()
    )


def _load(file: Path) -> Iterator[LabelledText]:
    for row in read_json(file):
        value = row.value
        if not isinstance(value, Mapping) or not isinstance(value.get("text"), str) or value.get("label") not in (0, 1):
            raise ValueError(f"{file}, line {row.line}: it needs a text, and a label that is 0 or 1")
        attack = value["label"] == 1
        kind = str(value.get("kind") or ("attack" if attack else "harmless"))
        yield LabelledText(value["text"], attack, kind, str(value.get("language") or _script(value["text"])))


def _script(text: str) -> str:
    """Return the script of a text whose language is not given."""
    letters = [char for char in text[:2000] if char.isalpha()]
    if all(char.isascii() for char in letters):
        return "plain Latin"
    foreign = sum(ord(char) > 0x24F for char in letters)
    return "other scripts" if foreign > len(letters) / 4 else "Latin with accents"
