"""Documents as passages: text, Markdown, and PDF, Word, HTML and subtitles by the libraries of the extra."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from engrain.chat.logs import Item
from engrain.formats.source import File
from engrain.lazy import library
from engrain.text import is_blank, pattern

MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd"))  # the endings of names of files that hold Markdown
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


_EXTRA = "documents"
_SOURCE = "external_data"
_LARGEST = 200_000_000  # bytes of an unpacked Word document or a page, which are read whole
_DAMAGED = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError, AssertionError)
"""The errors of libraries for a damaged file, beside their own error classes."""
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")
_NO_TEXT = ("script", "style", "noscript", "template", "svg", "iframe", "form", "button", "head")
_SPOKEN = 1000  # characters of one speaker that are kept together


class Markdown(NamedTuple):
    """A document as Markdown, and its title if it has one."""

    text: str
    title: str = ""

    def items(self) -> Iterator[Item]:
        """Yield its passages with their headings."""
        for item in passage_items(self.text.splitlines(keepends=True), markdown=True, source_type=_SOURCE):
            if self.title:
                item["metadata"]["title"] = self.title
            yield item


def _unreadable(file: File, what: str, problem: BaseException) -> ValueError:
    return ValueError(f"{file.name} cannot be read as {what}: {str(problem) or type(problem).__name__}")


def pdf_items(file: File) -> Iterator[Item]:
    """Read the text of a PDF as passages with the numbers of their pages; a page without text is counted."""
    number = 0
    for page, text, title in _pages(file):
        for item in passage_items(text.splitlines(keepends=True), markdown=False, source_type=_SOURCE):
            item["metadata"] = {"chunk": number, "page": page, **({"title": title} if title else {})}
            number += 1
            yield item


def pdf_text(file: File) -> Iterator[str]:
    """Yield the text of a PDF, page by page."""
    return (f"{text}\n\n" for _, text, _ in _pages(file))


def _pages(file: File) -> Iterator[tuple[int, str, str]]:
    pypdf, own = library("pypdf", extra=_EXTRA), library("pypdf.errors", extra=_EXTRA).PyPdfError
    found = 0
    with file.open() as opened:
        try:
            reader = pypdf.PdfReader(opened)
            if reader.is_encrypted and not reader.decrypt(""):
                raise ValueError("it is locked with a password")
            title = str((reader.metadata or {}).get("/Title") or "").strip()
            pages = list(reader.pages)
        except (own, *_DAMAGED) as problem:
            raise _unreadable(file, "PDF", problem) from problem
        for number, page in enumerate(pages, start=1):
            try:
                text = _BROKEN_WORD.sub("", page.extract_text())
            except (own, *_DAMAGED) as problem:
                raise _unreadable(file, f"PDF, page {number}", problem) from problem
            if is_blank(text):
                file.left_out["pages without text"] += 1
                continue
            found += 1
            yield number, text, title
    if not found:
        raise ValueError(f"{file.name} has no text: the text of scanned pages has to be recognised first")


def docx(file: File) -> Markdown:
    """Return a document of Word as Markdown; images are counted."""
    mammoth = library("mammoth", extra=_EXTRA)
    if sum(file.members.values()) > _LARGEST:
        raise ValueError(f"{file.name} holds more than {_LARGEST:,} bytes unpacked: take it apart")
    with file.open() as opened:
        try:
            image = mammoth.images.img_element(lambda _: {"src": ""})  # counted later, and not kept
            result = mammoth.convert_to_html(opened, convert_image=image)
        except (zipfile.BadZipFile, *_DAMAGED) as problem:
            raise _unreadable(file, "a document of Word", problem) from problem
    return _markdown(file, result.value.encode())


def is_html(file: File) -> bool:
    """Return whether it is HTML, by its name or its beginning."""
    return file.suffix in (".html", ".htm", ".xhtml") or file.head.lower().startswith((b"<!doctype html", b"<html"))


def html(file: File) -> Markdown:
    """Return a page as Markdown; navigation, scripts and images are left out."""
    with file.open() as opened:
        raw = opened.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise ValueError(f"{file.name} holds more than {_LARGEST:,} bytes: take it apart")
    return _markdown(file, raw)


def _markdown(file: File, raw: bytes) -> Markdown:
    soup, converter = library("bs4", extra=_EXTRA), library("markdownify", extra=_EXTRA).MarkdownConverter
    try:
        page = soup.BeautifulSoup(raw, "html.parser")
        title = page.title.get_text(" ", strip=True) if page.title else ""
        file.left_out["images"] += len(page("img"))
        for tag in page(_NO_TEXT):
            tag.decompose()
        for tag in page(["nav", "footer", "aside"]):
            file.left_out["navigation"] += 1
            tag.decompose()
        plain = {"escape_asterisks": False, "escape_underscores": False}
        made = converter(heading_style="ATX", strip=["a", "img"], **plain)
        return Markdown(made.convert_soup(page.find("main") or page), title)
    except _DAMAGED as problem:
        raise _unreadable(file, "HTML", problem) from problem


def is_subtitles(file: File) -> bool:
    """Return whether it is WebVTT or SubRip."""
    return file.suffix == ".srt" or file.head.startswith(b"WEBVTT")


def subtitle_items(file: File) -> Iterator[Item]:
    """Read subtitles: consecutive lines of one speaker are one text, with the time at which it begins."""
    for number, (start, speaker, text) in enumerate(_speeches(file)):
        item = Item(content=text, kind="semantic", source_type=_SOURCE, metadata={"chunk": number, "start": start})
        if speaker:
            item["actor"] = speaker
        yield item


def subtitle_text(file: File) -> Iterator[str]:
    """Yield the spoken text, a paragraph for each speech."""
    return (f"{speaker}: {text}\n\n" if speaker else f"{text}\n\n" for _, speaker, text in _speeches(file))


def _speeches(file: File) -> Iterator[tuple[str, str, str]]:
    start, speaker, lines = "", "", list[str]()
    for begins, who, text in _captions(file):
        if lines and (who != speaker or sum(map(len, lines)) + len(text) > _SPOKEN):
            yield start, speaker, " ".join(lines)
            lines = lines[:0]
        if not lines:
            start, speaker = begins, who
        # Captions that roll up repeat the line before.
        lines += [line for line in text.splitlines() if line.strip() and line not in lines[-2:]]
    if lines:
        yield start, speaker, " ".join(lines)


def _captions(file: File) -> Iterable[tuple[str, str, str]]:
    webvtt, own = library("webvtt", extra=_EXTRA), library("webvtt.errors", extra=_EXTRA)
    text = "".join(lines_of(file)).replace("\r\n", "\n")
    named = "vtt" if file.head.startswith(b"WEBVTT") else "srt"
    try:
        found = webvtt.from_buffer(io.StringIO(text), format=named)
        return [(each.start, str(each.voice or ""), each.text) for each in found]
    except (own.MalformedFileError, own.MalformedCaptionError, *_DAMAGED) as problem:
        raise _unreadable(file, "subtitles", problem) from problem
