"""Files that were named, and those in the folders that were named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def discover(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files to read: those named, and those in the folders named, sorted, each once.

    Hidden files and folders inside a folder are passed over. A path that is not there is a `FileNotFoundError`.
    """
    named = [paths] if isinstance(paths, str | os.PathLike) else paths
    found: dict[Path, None] = {}
    for path in map(Path, named):
        if path.is_dir():
            found.update(dict.fromkeys(_inside(path)))
        elif path.exists():
            found[path] = None
        else:
            raise FileNotFoundError(f"{path}: no such file or folder")
    return list(found)


def _inside(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not entry.is_symlink():
                yield from _inside(entry)
        elif entry.is_file():
            yield entry
