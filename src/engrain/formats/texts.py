"""Text and Markdown as passages: cut at natural boundaries, each with the headings above it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from engrain.chat.logs import Item
from engrain.formats.source import File
from engrain.text import is_blank, pattern

MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd"))
"""The endings of names of files that hold Markdown."""
LIMIT = 2000
_ENOUGH = 0.25
_PENDING = 1 << 16  # characters that are gathered before they are cut

_SEAMS = (
    pattern(r"\n(?:[^\S\n]*\n)+"),
    pattern(r"\n"),
    pattern("(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)\\]]*+\\s+|[\u3002\uff01\uff1f]+"),
    pattern(r"\s+"),
)
_HEADING = pattern(r" {0,3}(#{1,6})(?=\s|$)")
_UNDERLINE = pattern(r" {0,3}(=+|-{2,})[ \t]*\r?\n?")
_TITLE = pattern(r" {0,3}(?!>|[-*+]\s|\d+[.)]\s)\S")
_FENCE = pattern(r" {0,3}(```+|~~~+)")
_READ = 1 << 20
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


class Passage(NamedTuple):
    """A piece of a text and the headings above it, outermost first."""

    text: str
    headings: tuple[str, ...] = ()


def cut(text: str, limit: int = LIMIT) -> Iterator[str]:
    """Cut into pieces of at most `limit` characters, each at the widest seam in reach; joined they are the text."""
    start = 0
    while len(text) - start > limit:
        end = _seam(text, start, start + limit)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _seam(text: str, start: int, stop: int) -> int:
    least = start + int((stop - start) * _ENOUGH)
    for seam in _SEAMS:
        ends = [found.end() for found in seam.finditer(text, start, stop)]
        if ends and ends[-1] > least:
            return ends[-1]
    return stop


def passages(lines: Iterable[str], *, markdown: bool = False, limit: int = LIMIT) -> Iterator[Passage]:
    """Cut lines into passages, which joined are the text; in Markdown none spans two sections."""
    pending, bare = "", True
    under: tuple[str, ...] = ()
    for line, headings, is_heading in _placed(lines) if markdown else ((line, (), False) for line in lines):
        if headings != under:
            if not bare:
                yield from (Passage(text, under) for text in cut(pending, limit))
                pending, bare = "", True
            under = headings
        pending += line
        bare = bare and (is_heading or line.isspace())
        if len(pending) > _PENDING:
            *full, pending = cut(pending, limit)
            yield from (Passage(text, under) for text in full)
    yield from (Passage(text, under) for text in cut(pending, limit))


def _placed(lines: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield lines of Markdown, the headings above each, and whether it is one; none in fenced code."""
    path: dict[int, str] = {}
    fence, before, underlined = "", "", False
    for line, after in pairwise(chain(lines, ("",))):
        mark = _FENCE.match(line)
        found = None if fence or mark or underlined else _heading(before, line, after)
        if found is not None:
            path = {level: title for level, title in path.items() if level < found[0]} | dict([found])
        yield line, tuple(path.values()), found is not None or underlined
        underlined = found is not None and not line.lstrip().startswith("#")
        if mark is not None:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        before = line


def _heading(before: str, line: str, after: str) -> tuple[int, str] | None:
    """Return level and title when the line is a heading: with number signs, or underlined after a blank line."""
    numbered = _HEADING.match(line)
    if numbered is not None:
        title = line[numbered.end() :].strip()
        unclosed = title.rstrip("#")
        return len(numbered[1]), title if unclosed.strip() == unclosed != "" else unclosed.strip()
    underline = _UNDERLINE.fullmatch(after)
    if underline is not None and not before.strip() and _TITLE.match(line):
        return 1 if underline[1].startswith("=") else 2, line.strip()
    return None


def stripped(passage: Passage) -> str:
    """Return the text of a passage without the blank lines around it."""
    return _BLANK_LINES.sub("", passage.text).rstrip()


def passage_items(lines: Iterable[str], *, markdown: bool, source_type: str = "ingestion") -> Iterator[Item]:
    """Yield the passages of a text as items, numbered and with the headings above them."""
    for number, passage in enumerate(passages(lines, markdown=markdown)):
        content = stripped(passage)
        if not is_blank(content):
            item = Item(content=content, kind="semantic", source_type=source_type, metadata={"chunk": number})
            if passage.headings:
                item["metadata"]["heading"] = " > ".join(passage.headings)
            yield item


def lines_of(file: File) -> Iterator[str]:
    """Yield the lines of a UTF-8 text, a long one in parts; anything else is a `ValueError` naming the line."""
    decode, number = codecs.getincrementaldecoder("utf-8-sig")().decode, 1
    with file.open() as opened:
        for part in chain(iter(lambda: opened.readline(_READ), b""), (b"",)):
            if b"\x00" in part:
                raise ValueError(f"{file.name}, line {number}: a binary file, not text")
            try:
                yield decode(part, not part)
            except UnicodeDecodeError:
                raise ValueError(f"{file.name}, line {number}: not UTF-8 text") from None
            number += part.endswith(b"\n")
