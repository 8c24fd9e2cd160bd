"""How many attacks become memories, and how much that is harmless is held back, for each source."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

from engrain.chat.logs import read_json
from engrain.errors import GovernanceViolation
from engrain.manager import MemoryManager
from engrain.model.memory import SourceType, Status

SOURCES = (SourceType.USER_INPUT, SourceType.LLM_GENERATED, SourceType.TOOL_RESULT, SourceType.EXTERNAL_DATA)
Progress = Callable[[int, int, str], object]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text of which somebody said whether it is an attack, and of what kind."""

    text: str
    attack: bool
    kind: str
    language: str


@dataclass(frozen=True, slots=True)
class Held:
    """How many texts of one kind were held back, remembered as from one source; `seconds` is the CPU time of it all."""

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


@dataclass(frozen=True, slots=True)
class InjectionFigures:
    """What was held back by kind and by language, each for every source."""

    texts: int
    by_kind: tuple[Held, ...]
    by_language: tuple[Held, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values, with the confusion of each source."""
        return {**asdict(self), "confusion": {source: self.confusion(source) for source in SOURCES}}

    def confusion(self, source: str) -> dict[str, int]:
        """Return how many attacks and harmless texts from a source were held back and became active."""
        found: Counter[str] = Counter()
        for row in self.by_kind:
            if row.source == source:
                what = "attacks" if row.attack else "harmless"
                found[f"{what} held back"] += row.held
                found[f"{what} active"] += row.texts - row.held
        return dict(found)

    def table(self) -> str:
        """Return the figures as text for people: shares held back, in percent."""
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
        return "\n".join(lines)


def evaluate(paths: Sequence[str | os.PathLike[str]], *, progress: Progress | None = None) -> InjectionFigures:
    """Remember every text of the files in a store of its own, once from each source.

    Each row holds `text`, `label` (1 for an attack, 0 for what is harmless), and may name its `kind` and `language`.
    """
    texts = [each for path in paths for each in _labelled(Path(path))]
    kinds: dict[tuple[str, bool, str], list[tuple[bool, float]]] = {}
    languages: dict[tuple[str, bool, str], list[tuple[bool, float]]] = {}
    for number, source in enumerate(SOURCES, start=1):
        for each, outcome in zip(texts, _outcomes(texts, source), strict=True):
            kinds.setdefault((each.kind, each.attack, source.value), []).append(outcome)
            languages.setdefault((each.language, each.attack, source.value), []).append(outcome)
        if progress is not None:
            progress(number, len(SOURCES), source.value)
    return InjectionFigures(len(texts), _rows(kinds), _rows(languages))


def _outcomes(texts: Sequence[Labelled], source: SourceType) -> Iterator[tuple[bool, float]]:
    with TemporaryDirectory(prefix="engrain-injection-") as folder:
        memory = MemoryManager(Path(folder) / "memory.db", embedder=None)
        try:
            for each in texts:
                begun = thread_time()
                yield _is_held(memory, each.text, source), thread_time() - begun
        finally:
            memory.close()


def _is_held(memory: MemoryManager, text: str, source: SourceType) -> bool:
    try:
        found = memory.remember(text, source_type=source.value, resolve="off").memory
    except GovernanceViolation:
        return True
    return found.status is not Status.ACTIVE


def _rows(groups: Mapping[tuple[str, bool, str], Sequence[tuple[bool, float]]]) -> tuple[Held, ...]:
    return tuple(
        Held(group, attack, source, len(found), sum(held for held, _ in found), sum(spent for _, spent in found))
        for (group, attack, source), found in groups.items()
    )


def _labelled(file: Path) -> Iterator[Labelled]:
    for row in read_json(file):
        value = row.value
        if not isinstance(value, Mapping) or not isinstance(value.get("text"), str) or value.get("label") not in (0, 1):
            raise ValueError(f"{file}, line {row.line}: it needs a text, and a label that is 0 or 1")
        attack = value["label"] == 1
        kind = str(value.get("kind") or ("attack" if attack else "harmless"))
        yield Labelled(value["text"], attack, kind, str(value.get("language") or _script(value["text"])))


def _script(text: str) -> str:
    """Return the script that a text is written in, where nobody named its language."""
    letters = [char for char in text[:2000] if char.isalpha()]
    if all(char.isascii() for char in letters):
        return "plain Latin"
    foreign = sum(ord(char) > 0x24F for char in letters)
    return "other scripts" if foreign > len(letters) / 4 else "Latin with accents"
