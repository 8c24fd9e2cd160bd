"""Ingesting files and folders: each file's items through the write path, a failing file told and the others kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from recollect.engine import Engine
from recollect.errors import MemoryRejected
from recollect.models import Scope
from recollect.results import Ingested
from recollect.write.draft import Draft, draft
from recollect.write.formats import discover, read_items
from recollect.write.pipeline import remember

BATCH = 500
Progress = Callable[[int, int, str], None]


def ingest(
    engine: Engine,
    scope: Scope,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None,
    defaults: Mapping[str, Any],
) -> Ingested:
    """Read every file and remember what it holds; see `MemoryManager.ingest`."""
    files = discover(paths)
    total = sum(file.stat().st_size for file in files)
    done = created = known = 0
    failed: dict[str, str] = {}
    for file in files:
        before = (created, known)
        try:
            for batch in _batches(_drafts(engine, scope, file, defaults)):
                results = remember(engine, batch)
                created += sum(result.status == "created" for result in results)
                known += sum(result.status != "created" for result in results)
                if progress is not None:
                    progress(done, total, f"{file.name}: {created + known - sum(before):,} memories")
        except (OSError, ValueError, TypeError, MemoryRejected) as error:
            failed[str(file)] = str(error)
        done += file.stat().st_size
        if progress is not None:
            progress(done, total, file.name)
    return Ingested(len(files) - len(failed), created, known, failed)


def _drafts(engine: Engine, scope: Scope, file: Path, defaults: Mapping[str, Any]) -> Iterator[Draft]:
    for item in read_items(file):
        yield draft(**{**item, **defaults}, scope=scope, settings=engine.settings)


def _batches(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    while batch := list(islice(drafts, BATCH)):
        yield batch
