"""JSON values out of a file, one by one: JSON lines, one document, or the elements of a top-level list."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

LARGEST = 100_000_000
"""The characters of a value above which it is not read: a packed file of a few bytes may hold gigabytes."""

_MOST_PARTS = 5_000_000  # three characters of a file may be an object of a hundred bytes
_READ = 1 << 20
_MARGIN = 16
_SPACE = " \t\r\n\ufeff"


class Value(NamedTuple):
    """A JSON value, the line it starts on, and which top-level list of the file it is in (0 = none)."""

    line: int
    group: int
    value: object


@contextmanager
def open_file(path: Path, name: Path | None = None) -> Iterator[BinaryIO]:
    """Open for reading, unpacked if gzip made it; whatever keeps it from being read is a `ValueError` that says so.

    `name` is what errors call the file, when that is not its path.
    """
    told = path if name is None else name
    try:
        with path.open("rb") as packed:
            if packed.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(packed) as unpacked:
                    yield unpacked  # type: ignore[misc]  # a GzipFile reads like any binary file
            else:
                yield packed
    except FileNotFoundError:
        raise FileNotFoundError(f"{told}: no such file") from None
    except IsADirectoryError:
        raise ValueError(f"{told} is a folder: name the files in it") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise ValueError(f"{told} cannot be read: {problem}") from problem


def read_json(path: Path, name: Path | None = None) -> Iterator[Value]:
    """Yield the values of a JSON or JSON-lines file, packed or not, without holding all of it.

    The elements of a top-level list are yielded one by one. A file that is not JSON is a `ValueError` naming the line,
    and the file by `name` when that is given.
    """
    with open_file(path, name) as file:
        yield from _Stream(file, path if name is None else name).values()


def too_large(text: str | bytes) -> str:
    """Say why the text of one value is too large to be read, empty if it is not."""
    if len(text) > LARGEST:
        return f"one value is larger than {LARGEST:,} characters: split it"
    marks: Any = ",[{" if isinstance(text, str) else (b",", b"[", b"{")
    if len(text) > _READ and sum(map(text.count, marks)) > _MOST_PARTS:
        return f"one value has more than {_MOST_PARTS:,} parts: split it"
    return ""


def read_lines(file: IO[str], name: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file and their numbers; one too large to be read is a `ValueError` that names the file."""
    number = 1
    while line := file.readline(LARGEST + 1):
        if reason := too_large(line):
            raise ValueError(f"{name}, line {number}: {reason}")
        yield number, line
        number += 1


class _Stream:
    """A window of decoded text that moves over the file; `line` is where `at` stands."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._scan = json.JSONDecoder().raw_decode
        self._text, self._at, self._line, self._ended = "", 0, 1, False

    def values(self) -> Iterator[Value]:
        groups = 0
        while (start := self._next()) is not None:
            if start != "[":
                yield self._value(0)
                continue
            groups += 1
            self._advance(self._at + 1)
            while (start := self._next()) != "]":
                if start is None:
                    raise self._error("a list is not closed")
                yield self._value(groups)
                if self._next() == ",":
                    self._advance(self._at + 1)
                    if self._next() == "]":
                        raise self._error("a comma before the end of a list")
                elif self._next() not in ("]", None):
                    raise self._error("a comma is missing")
            self._advance(self._at + 1)

    def _next(self) -> str | None:
        """Skip white space and return the character that stands next, None at the end of the file."""
        while True:
            end = self._at
            while end < len(self._text) and self._text[end] in _SPACE:
                end += 1
            self._advance(end)
            if end < len(self._text):
                return self._text[end]
            if not self._read():
                return None

    def _value(self, group: int) -> Value:
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as problem:
                cut = problem.msg.startswith("Unterminated") or problem.pos > len(self._text) - _MARGIN
                if not (cut and self._read()):
                    self._advance(min(problem.pos, len(self._text)))
                    raise self._error(problem.msg) from None
            except (ValueError, RecursionError) as problem:
                raise self._error(str(problem)) from None
            else:
                found = Value(self._line, group, value)
                self._advance(end)
                return found

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _read(self) -> bool:
        """Read as much again as is held, so that a long value is scanned a few times and not once a block."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if reason := too_large(rest):
            raise ValueError(f"{self._path}, line {self._line}: {reason}")
        block = self._file.read(max(_READ, min(len(rest), LARGEST + 1 - len(rest))))
        self._ended = not block
        try:
            self._text, self._at = rest + self._decode(block, not block), 0
        except UnicodeDecodeError as problem:
            self._text, self._at = rest, 0
            self._line += rest.count("\n") + problem.object[: problem.start].count(b"\n")
            raise self._error("not UTF-8 text") from None
        return True

    def _error(self, reason: str) -> ValueError:
        return ValueError(f"{self._path}, line {self._line}: not JSON: {reason}")
