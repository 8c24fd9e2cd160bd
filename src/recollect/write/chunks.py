"""Long text cut at its own seams into passages that a memory can hold, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from recollect.patterns import pattern

LIMIT = 2000
_ENOUGH = 0.25
_HELD = 1 << 16

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


class Passage(NamedTuple):
    """A piece of a text and the headings it stands under, outermost first."""

    text: str
    headings: tuple[str, ...] = ()


def cut(text: str, limit: int = LIMIT) -> Iterator[str]:
    """Cut into pieces of at most `limit` characters, which joined are the text.

    Each cut is at the widest seam in reach that leaves a piece worth having: paragraph, line, sentence, word, or none.
    """
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
    """Cut the lines of a text (ends of line included) into passages, which joined are the text.

    In Markdown no passage reaches into another section; a heading with nothing under it goes with the next.
    """
    held, bare = "", True
    under: tuple[str, ...] = ()
    for line in _placed(lines) if markdown else (_Line(line) for line in lines):
        if line.headings != under:
            if not bare:
                yield from (Passage(text, under) for text in cut(held, limit))
                held, bare = "", True
            under = line.headings
        held += line.text
        bare = bare and (line.is_heading or line.text.isspace())
        if len(held) > _HELD:
            *full, held = cut(held, limit)
            yield from (Passage(text, under) for text in full)
    yield from (Passage(text, under) for text in cut(held, limit))


class _Line(NamedTuple):
    text: str
    headings: tuple[str, ...] = ()
    is_heading: bool = False


def _placed(lines: Iterable[str]) -> Iterator[_Line]:
    """Say of each line of Markdown which headings it stands under; code between fences has none."""
    path: dict[int, str] = {}
    fence, before, underlined = "", "", False
    for line, after in pairwise(chain(lines, ("",))):
        mark = _FENCE.match(line)
        found = None if fence or mark or underlined else _heading(before, line, after)
        if found is not None:
            path = {level: title for level, title in path.items() if level < found[0]} | dict([found])
        yield _Line(line, tuple(path.values()), found is not None or underlined)
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
