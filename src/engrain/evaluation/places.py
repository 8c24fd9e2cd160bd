"""Where the stores of a run are: files in a folder that goes in the end, or databases that are made for it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from engrain.arrays import Floats
from engrain.errors import ConfigError
from engrain.evaluation import limits
from engrain.evaluation.figures import Row, Timings, by_processor
from engrain.lazy import library

_SERVERS = ("postgresql://", "postgres://")


class Places(Protocol):
    """The places of a run's stores, and what the machine under them can do.

    `server` names a server's versions and is empty for files: of a server's work this process sees nothing but the
    time that it waits, so figures are by the clock.
    """

    server: Mapping[str, str]
    opening: str
    scanning: str

    def at(self, name: str) -> str:
        """Return where the store of a name is, as `MemoryManager` takes it; the first time it is a new, empty one."""
        ...

    def leave(self, name: str) -> None:
        """Remove a store that everybody has closed."""
        ...

    def size(self, name: str) -> int:
        """Return the bytes that a store takes."""
        ...

    def inserts(self) -> limits.Inserts:
        """Return bare inserts into a table of their own; whoever asked closes it."""
        ...

    def graph(self) -> limits.Graph:
        """Return a bare table of relations; whoever asked closes it."""
        ...

    def touch(self, name: str) -> None:
        """Do the least that opening a store must: reach it and ask it something."""
        ...

    def scan(self, vectors: Floats) -> limits.Scan:
        """Return an exact search of vectors where the store's are searched; whoever asked closes it."""
        ...

    def beside(self, row: Row, limit: str, taken: Timings) -> Row:
        """Set a row beside a limit where only work counts."""
        ...


class Folder:
    """Files in a folder."""

    server: Mapping[str, str] = {}
    opening, scanning = "opening a file with SQLite", "numpy's exact scan, float32"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bare = 0

    def at(self, name: str) -> str:
        """Return the path of the file."""
        return str(self._path(name))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.db"

    def leave(self, name: str) -> None:
        """Delete the file and what stands beside it."""
        for file in self._folder.glob(f"{name}.db*"):
            file.unlink()

    def size(self, name: str) -> int:
        """Return the size of the file."""
        return self._path(name).stat().st_size

    def inserts(self) -> limits.Inserts:
        """Return inserts into another file of the folder."""
        return limits.BareInserts(self._next())

    def graph(self) -> limits.Graph:
        """Return relations in another file of the folder."""
        return limits.BareGraph(self._next())

    def _next(self) -> Path:
        self._bare += 1
        return self._folder / f"bare-{self._bare}"

    def touch(self, name: str) -> None:
        """Open the file and read its schema."""
        limits.bare_open(self.at(name))

    def scan(self, vectors: Floats) -> limits.Scan:
        """Return numpy's scan of them."""
        return limits.ExactScan(vectors)

    def beside(self, row: Row, limit: str, taken: Timings) -> Row:
        """Compare by the time of the processor."""
        return by_processor(row, limit, taken)


@contextmanager
def places(store: str | None, store_dir: str | os.PathLike[str] | None, *, purpose: str) -> Iterator[Places]:
    """Lend places for the stores of a run, which are gone at its end, also when it fails.

    `store` is the URL of a server: the stores are then databases that are made there, which its role must have the
    right to, and the database that the URL names is only asked. Otherwise they are files, in `store_dir`.
    """
    if store is None:
        with TemporaryDirectory(prefix=f"engrain-{purpose}-", dir=store_dir) as folder:
            yield Folder(Path(folder))
        return
    if not store.startswith(_SERVERS):
        raise ConfigError(
            "store is the URL of a server, postgresql://...: stores in files are temporary, in the folder store_dir"
        )
    if store_dir is not None:
        raise ConfigError("a server keeps its files where it does: leave out the folder, or the server")
    module: Any = library("engrain.evaluation.databases", extra="postgres")
    with module.made(store, purpose) as made:
        yield made


def of_server(rows: Sequence[Row]) -> list[Row]:
    """Return rows without the bars that are of the processor: a server's is another."""
    return [row.judged("", None) if "CPU" in row.bar else row for row in rows]
