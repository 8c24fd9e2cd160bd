"""A file to be read: its name, its beginning, and its contents if it is a ZIP archive."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from engrain.chat.logs import Value, open_file, values_of

_SNIFFED = 1 << 16
LARGEST_ARCHIVE = 4_000_000_000  # the bytes of an archive, unpacked, above which nothing of it is read

LeftOut = Counter[str]  # the items that a reader skips, by description, and how often
JSON = frozenset((".json", ".jsonl", ".ndjson"))  # the endings of names of files that hold JSON


def storable(text: str) -> str:
    """Return a text without characters that no store keeps: NUL, and lone surrogates."""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class File:
    """A file and its name, which is used in reports and decides on its format in doubt; what of it is left out."""

    def __init__(self, path: str | os.PathLike[str], name: str | None = None, left_out: LeftOut | None = None) -> None:
        self.path: Path = Path(path)
        self.name: Path = self.path if name is None else Path(name)
        self.left_out: LeftOut = LeftOut() if left_out is None else left_out

    @property
    def suffix(self) -> str:
        """The ending of the name, in small letters and without that of gzip."""
        return (self.name.with_suffix("") if self.name.suffix.lower() == ".gz" else self.name).suffix.lower()

    @property
    def session(self) -> str:
        """The session of its contents: its folder and its name without suffixes."""
        folder = (self.name.absolute() if self.name is self.path else self.name).parent.name
        stem = self.name.name.removesuffix(".gz").removesuffix(self.suffix)
        return f"{folder}/{stem}" if folder else stem

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Open it for reading, unpacked if gzip made it; see `open_file`."""
        return open_file(self.path, self.name)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, without a byte order mark and leading white space."""
        with self.open() as opened:
            return opened.read(_SNIFFED).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")

    @cached_property
    def members(self) -> Mapping[str, int]:
        """The files of a ZIP archive and their sizes, none for another file."""
        if not (self.head.startswith(b"PK\x03\x04") and zipfile.is_zipfile(self.path)):  # it may only begin like one
            return {}
        with self._archive() as archive:
            found = {each.filename: each.file_size for each in archive.infolist() if not each.is_dir()}
        if sum(found.values()) > LARGEST_ARCHIVE:
            raise ValueError(f"{self.name} holds more than {LARGEST_ARCHIVE:,} bytes unpacked: take it apart")
        return found

    @property
    def only_text(self) -> File:
        """The one text file of an archive, the file itself if there is none or are several."""
        named = [name for name in self.members if name.lower().endswith(".txt")]
        return _Member(self, named[0]) if len(named) == 1 else self

    @property
    def conversations(self) -> list[str]:
        """The members of an archive that hold the conversations of an export, in order."""
        named = (name for name in self.members if Path(name).name.startswith("conversations"))
        return sorted(name for name in named if name.endswith(".json"))

    @property
    def is_json(self) -> bool:
        """Whether it is JSON: by its name, by its first character, or an archive of conversations in JSON."""
        return self.suffix in JSON or self.head[:1] in (b"{", b"[") or bool(self.conversations)

    @cached_property
    def first(self) -> object:
        """The first value of a JSON file, None for a file that is not JSON or empty."""
        if not self.is_json:
            return None
        try:
            return next(self.values()).value
        except (ValueError, StopIteration):
            return None

    def values(self) -> Iterator[Value]:
        """Yield the values of a JSON file, or of the conversations of an archive, one by one."""
        if not self.members:
            with self.open() as opened:
                yield from values_of(opened, self.name)
            return
        with self._archive() as archive:
            for name in self.conversations:
                with archive.open(name) as opened:
                    yield from values_of(opened, self.name / name)  # type: ignore[arg-type]  # it reads like a file

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        try:
            with self.path.open("rb") as opened, zipfile.ZipFile(opened) as archive:
                yield archive
        except (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error) as problem:
            raise ValueError(f"{self.name} cannot be unpacked: {problem}") from problem


class _Member(File):
    def __init__(self, archive: File, member: str) -> None:
        super().__init__(archive.path, str(archive.name / member), archive.left_out)
        self._member = member

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open it for reading, unpacked."""
        with self._archive() as archive, archive.open(self._member) as opened:
            yield cast(BinaryIO, opened)
