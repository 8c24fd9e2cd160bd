"""Recall across languages: statements in one language, questions about them in another.

Statements and questions are made from `cross_language.toml` and a seed: they name no person and no town, whose names
would be the same in both languages. English is asked of German, Spanish and French, and the other way round; each
language is asked of itself too, which shows what the texts allow.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random

from benchmarks.metrics import OVERALL, SEED, Cell, Column, Groups, cell_lines, measure, percent, percent_interval
from benchmarks.report import Progress, Report, server_note
from benchmarks.retrieval import found_turns
from benchmarks.stores import temporary_memory
from engrain.protocols import Embedder

PHRASES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (Path(__file__).parent / "cross_language.toml").read_text(encoding="utf-8")
)
DIRECTIONS = [
    *((asked, stored) for asked, stored in product(PHRASES, PHRASES) if (asked == "en") != (stored == "en")),
    *((language, language) for language in PHRASES),
]
_SAME = "same language"
_K = 20
_COLUMNS: tuple[Column, ...] = (
    ("R@1", 7, percent("recall@1")),
    ("R@5", 7, percent("recall@5")),
    ("R@10", 7, percent("recall@10")),
    ("95% interval", 16, percent_interval("recall@10")),
)


@dataclass(frozen=True, kw_only=True)
class CrossLanguage(Report):
    """How often a statement is found by a question in another language, by direction (question, statement)."""

    embedder: str | None
    pairs: int
    directions: Mapping[str, Mapping[str, Cell]]
    server: Mapping[str, str] = field(default_factory=dict)
    seed: int = SEED

    def lines(self) -> list[str]:
        return [
            f"{self.pairs} statements in each language, embedder {self.embedder or 'none'}",
            *server_note(self.server),
            "",
            *cell_lines(self.directions, _COLUMNS, 10),
        ]


def pairs(count: int, seed: int) -> list[dict[str, tuple[str, str]]]:
    """Return so many statements, each with its question, in every language; no two share owner and thing."""
    rng = Random(seed)
    words = {language: {name: text.split("|") for name, text in each.items()} for language, each in PHRASES.items()}
    first = words["en"]
    chosen = rng.sample(list(product(range(len(first["owners"])), range(len(first["things"])))), count)
    made = []
    for owner, thing in chosen:
        place = rng.randrange(len(first["places"]))
        made.append(
            {
                language: (
                    _filled(each["statement"][0], each["owners"][owner], each["things"][thing], each["places"][place]),
                    _filled(each["question"][0], each["owners"][owner], each["things"][thing], ""),
                )
                for language, each in words.items()
            }
        )
    return made


def _filled(template: str, owner: str, thing: str, place: str) -> str:
    text = template.format(owner=owner, thing=thing, place=place)
    return text[:1].upper() + text[1:]


def evaluate(
    *,
    embedder: str | Embedder | None = "auto",
    size: int = 200,
    seed: int = SEED,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> CrossLanguage:
    """Remember statements in four languages, and ask for each in another.

    Args:
        embedder: As `MemoryManager` takes it; None finds by words alone.
        size: How many statements in each language, at most 225.
        seed: What is drawn depends on it.
        store: The URL of a server on which databases are made for the stores; None makes files.
        store_dir: The folder for those files; None is that of temporary files.
        progress: Called after each direction.

    Raises:
        ValueError: `size` is out of range.
    """
    most = len(PHRASES["en"]["owners"].split("|")) * len(PHRASES["en"]["things"].split("|"))
    if not 1 <= size <= most:
        raise ValueError(f"size is from 1 to {most}")
    made, groups = pairs(size, seed), Groups()
    with temporary_memory(store, store_dir, embedder=embedder) as (manager, server):
        for language in PHRASES:
            view = manager.scoped(user=language)
            view.remember_many(_items([each[language][0] for each in made]))
            view.flush()
        for done, (asked, stored) in enumerate(DIRECTIONS, start=1):
            view = manager.scoped(user=stored)
            for number, each in enumerate(made):
                found = view.recall(each[asked][1], k=_K, touch=False)
                group = f"{asked} asks {stored}" if asked != stored else f"{_SAME}: {asked}"
                groups.add(
                    "engrain", (group, OVERALL) if asked != stored else (group,), _measured(found_turns(found), number)
                )
            if progress is not None:
                progress(done, len(DIRECTIONS), stored)
        used = manager.embedder
    return CrossLanguage(
        embedder=None if used is None else used.id, pairs=size, directions=groups.cells(), server=server, seed=seed
    )


def _items(statements: Sequence[str]) -> list[dict[str, object]]:
    return [{"content": text, "metadata": {"turn": str(number)}} for number, text in enumerate(statements)]


def _measured(ranked: Sequence[str], number: int) -> Mapping[str, float]:
    found = measure(ranked, {str(number)})
    return {**found, "recall@1": float(ranked[:1] == [str(number)])}
