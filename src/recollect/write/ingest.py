"""Ingesting files and folders: each file's items through the write path, a failing file told and the others kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recollect.engine import Engine
from recollect.errors import MemoryRejected
from recollect.folders import discover
from recollect.models import Scope
from recollect.protocols import Extractor
from recollect.results import Ingested, Remembered
from recollect.text import digest, is_blank
from recollect.write import reports
from recollect.write.draft import Draft, draft, gone_through, known_arguments
from recollect.write.formats import read_document, read_items
from recollect.write.pipeline import remember
from recollect.write.reports import Progress, Report, checked_progress, read_report, tell

__all__ = ["Progress", "ingest"]

BATCH = 500
_REFUSED = (OSError, ValueError, TypeError, MemoryRejected)


def ingest(
    engine: Engine,
    scope: Scope,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None,
    name: str | None = None,
    defaults: Mapping[str, Any],
    extractor: Extractor | None = None,
) -> Ingested:
    """Read every file and remember what it holds; see `MemoryManager.ingest`.

    With an extractor, documents are read as reports; chats are kept message by message as ever.
    """
    listener = checked_progress(progress)
    if isinstance(paths, str) and not paths.strip():  # which would be the folder that the program stands in
        raise ValueError("paths is blank: name a file or a folder, '.' for this one")
    how = _reading(engine, scope, defaults, extractor, name)
    files = {file: file.stat().st_size for file in discover(paths) if not _is_store(file, engine.store.url)}
    if name is not None and len(files) != 1:
        raise ValueError(f"name is what one file is called, and paths leads to {len(files)}")
    total = sum(files.values())
    done = created = known = 0
    failed: dict[str, str] = {}
    for file, size in files.items():
        called = file if name is None else Path(name)
        before = created + known
        try:
            for results in how.remembered(file):
                created += sum(map(_is_new, results))
                known += len(results) - sum(map(_is_new, results))
                tell(listener, done, total, f"{called.name}: {created + known - before:,} memories")
        except _REFUSED as error:
            failed[str(called)] = str(error)
        done += size
        tell(listener, done, total, called.name)
    return Ingested(len(files) - len(failed), created, known, failed)


def _is_new(result: Remembered) -> bool:
    """Say whether a memory was made, one that others had to give way to included; not whether one was edited."""
    return result.status != "noop" and result.memory is not None and result.memory.version == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """How files are read: with which arguments of `remember`, and, where documents are reports, how those are.

    `name` is what a file is called that has no path of its own.
    """

    engine: Engine
    scope: Scope
    defaults: Mapping[str, Any]
    extractor: Extractor | None
    report: Report | None
    name: str | None

    def remembered(self, file: Path) -> Iterator[list[Remembered]]:
        """Yield what became of a file's items, some at a time; raises for what cannot be read after what can."""
        if self.extractor is not None and self.report is not None:
            text = read_document(file, self.name)
            if text is not None:
                yield from self._reported(
                    text, self.extractor, replace(self.report, ref=str(file) if self.name is None else self.name)
                )
                return
        for batch in _batches(self._drafts(file)):
            yield remember(self.engine, batch)

    def _reported(self, text: str, extractor: Extractor, report: Report) -> Iterator[list[Remembered]]:
        if not is_blank(text):
            for part in read_report(self.engine, self.scope, extractor, text, report):
                yield [part.chunk, *part.facts]

    def _drafts(self, file: Path) -> Iterator[Draft]:
        for number, item in enumerate(read_items(file, self.name)):
            read = draft(**{**item, **self.defaults}, scope=self.scope, settings=self.engine.settings)
            if read.redacted and read.key is not None:  # a key made of the text would say what was taken out of it
                read = replace(read, key=f"redacted:{digest(read.source_ref, str(number), read.content)[:32]}")
            yield read


def _reading(
    engine: Engine, scope: Scope, defaults: Mapping[str, Any], extractor: Extractor | None, name: str | None
) -> _Reading:
    """Return how to read; raises for a default that no item could be kept with, before any file is read."""
    checked_name(name)
    given = gone_through(defaults)
    report = None
    if extractor is None:
        known_arguments(given, of="ingest", without=frozenset({"content", "key"}))
    elif "source_url" in given:
        raise TypeError("ingest has no argument 'source_url': each file is its own source")
    else:
        report = reports.report(**{"domain": "general", **given})
        given = {name: value for name, value in given.items() if name in {"domain", *reports.FOR_ALL}}
    place = {} if scope.session is not None else {"session": "any"}
    draft("any", **{**place, **given}, scope=scope, settings=engine.settings)
    return _Reading(engine=engine, scope=scope, defaults=given, extractor=extractor, report=report, name=name)


def checked_name(name: str | None) -> None:
    """Raise for what no file can be called."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, not {type(name).__name__}")
    if name is not None and not Path(name).name:
        raise ValueError(f"name is {name!r}: it must say what the file is called, as notes.md")


def _is_store(file: Path, store: str) -> bool:
    """Say whether a file is the store itself or stands beside it in its service."""
    return str(file.absolute()) in {store, *(store + suffix for suffix in ("-wal", "-shm", "-journal", ".lock"))}


def _batches(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    """Yield batches; what stands before a bad item is kept, and its error raised after it."""
    batch: list[Draft] = []
    problem: Exception | None = None
    try:
        for item in drafts:
            batch.append(item)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except _REFUSED as error:
        problem = error
    if batch:
        yield batch
    if problem is not None:
        raise problem
