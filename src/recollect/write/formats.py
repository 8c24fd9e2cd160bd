"""Files read into memories: text and Markdown in passages, chat logs and conversation data sets message by message."""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from recollect.chatlogs import Item, chats, is_message, said, session_of
from recollect.jsonstream import Value, open_file, read_json
from recollect.text import is_blank
from recollect.write.chunks import cut, passages

__all__ = ["Item", "read_document", "read_items"]

_JSON = {".json", ".jsonl", ".ndjson"}
_MARKDOWN = {".md", ".markdown", ".mdown", ".mkd"}
_KNOWN = "a chat message (role and content), a list of them, or a conversation of a known data set"
_SNIFFED = 1 << 16
_LARGEST = 900_000
_PART = 225_000
_READ = 1 << 20
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


def read_items(path: str | os.PathLike[str], name: str | None = None) -> Iterator[Item]:
    """Yield what a file holds as keyword arguments of `remember`, in order, a little of the file at a time.

    What the file is shows in its content, packed by gzip or not. One that is neither text nor a known chat format is a
    `ValueError` that names the line; what stands before that line has been yielded by then. `name` is what the file is
    called where its path says nothing of it.
    """
    file = _File(path, name)
    for item in _chat_items(file) if _is_chat(file) else _text_items(file):
        item["source_ref"] = str(file.name)
        yield from _within_size(item)


def read_document(path: str | os.PathLike[str], name: str | None = None) -> str | None:
    """Return a text or Markdown file whole, None when the file holds chats; raises as `read_items` does."""
    file = _File(path, name)
    return None if _is_chat(file) else "".join(_lines(file))


def _within_size(item: Item) -> Iterator[Item]:
    """Split what is too large for one memory into parts that say which part they are."""
    content = item["content"]
    if len(content) * 4 <= _LARGEST or len(content.encode(errors="surrogatepass")) <= _LARGEST:
        yield item
        return
    for number, text in enumerate(cut(content, _PART), start=1):
        part: Item = {**item, "content": text, "metadata": {**item["metadata"], "part": number}}
        if "key" in item:
            part["key"] = f"{item['key']}/{number}"
        if not is_blank(text):
            yield part


class _File:
    """A file and what it is called: what it is read as, and what is told of it, follow the name."""

    def __init__(self, path: str | os.PathLike[str], name: str | None) -> None:
        self.path = Path(path)
        self.name = self.path if name is None else Path(name)

    @property
    def suffix(self) -> str:
        """The ending of the name, in small letters and without that of gzip."""
        plain = self.name.with_suffix("") if self.name.suffix.lower() == ".gz" else self.name
        return plain.suffix.lower()

    @property
    def session(self) -> str:
        """The session of what it holds: its folder and its name without endings."""
        folder = (self.name.absolute() if self.name is self.path else self.name).parent.name
        stem = self.name.name.removesuffix(".gz").removesuffix(self.suffix)
        return f"{folder}/{stem}" if folder else stem

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Open it, unpacked."""
        return open_file(self.path, self.name)

    def json(self) -> Iterator[Value]:
        """Yield its JSON values."""
        return read_json(self.path, self.name)


def _is_chat(file: _File) -> bool:
    """Say whether to read the file as JSON: by its name, else when it begins with a value that holds messages."""
    if file.suffix in _JSON:
        return True
    with file.open() as opened:
        if opened.read(_SNIFFED).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return False
    try:
        first = next(file.json()).value
        return is_message(first) or chats(first, session="") is not None
    except (ValueError, StopIteration):
        return False


def _chat_items(file: _File) -> Iterator[Item]:
    """Read JSON: each value a message, a list of messages, an object that holds one, or a record of a data set."""
    turns: Counter[str] = Counter()
    unnamed = 0
    for line, group, value in file.json():
        try:
            found = chats(value, session=_numbered(file.session, unnamed + 1))
            if found is not None:
                unnamed += 1
                items = [item for chat in found for item in chat.items()]
            elif is_message(value):
                session = session_of(value) or _numbered(file.session, group)
                items = list(said(value, session=session, turn=turns[session]))
                turns[session] += 1
            else:
                raise ValueError(f"not {_KNOWN}")
        except ValueError as problem:
            raise ValueError(f"{file.name}, line {line}: {problem}") from None
        yield from items


def _numbered(name: str, number: int) -> str:
    return name if number <= 1 else f"{name}/{number}"


def _text_items(file: _File) -> Iterator[Item]:
    for number, passage in enumerate(passages(_lines(file), markdown=file.suffix in _MARKDOWN)):
        content = _BLANK_LINES.sub("", passage.text).rstrip()
        if not is_blank(content):
            item = Item(content=content, kind="semantic", source_type="ingestion", metadata={"chunk": number})
            if passage.headings:
                item["metadata"]["heading"] = " > ".join(passage.headings)
            yield item


def _lines(file: _File) -> Iterator[str]:
    """Yield the lines of a UTF-8 text, ends of line included; anything else is a `ValueError` naming the line.

    A line may be as long as the file: it is yielded in parts.
    """
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
