"""The table of formats: the name of each, how a file of it is recognised, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engrain.chat.logs import Item, Object, chats, is_message
from engrain.formats import conversations as talk
from engrain.formats import documents, memories
from engrain.formats.documents import MARKDOWN, Markdown, cut, lines_of, passage_items
from engrain.formats.source import JSON, File, LeftOut
from engrain.model.choices import FileFormat, checked_choice
from engrain.text import is_blank

_LARGEST = 900_000
_PART = 225_000
_OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".numbers"), "a spreadsheet"),
    **dict.fromkeys((".csv", ".tsv", ".parquet"), "a table"),
    **dict.fromkeys((".pptx", ".ppt", ".odp", ".key"), "a presentation"),
    **dict.fromkeys((".doc", ".rtf", ".odt", ".pages", ".epub"), "a document of another program"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".svg"), "an image"),
    **dict.fromkeys((".mp3", ".wav", ".m4a", ".mp4", ".mov", ".webm"), "a recording"),
    **dict.fromkeys((".eml", ".mbox", ".msg", ".pst"), "mail"),
    **dict.fromkeys((".xml", ".yaml", ".yml", ".toml", ".sql", ".ipynb", ".ics", ".vcf"), "data, not text"),
}
_BEGINNINGS = {
    b"PK\x03\x04": "an archive of a kind that is not known",
    b"SQLite format 3\x00": "a database",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"\x7fELF": "a program",
}


@dataclass(frozen=True, slots=True)
class FileReader:
    """How files of a format are read: whether a file is of it, its items, and its text if it is a document."""

    recognises: Callable[[File], bool]
    items: Callable[[File], Iterable[Item]]
    document: Callable[[File], Iterable[str]] | None = None


def _texts(recognises: Callable[[File], bool], *, markdown: bool = False) -> FileReader:
    return FileReader(recognises, lambda file: passage_items(lines_of(file), markdown=markdown), lines_of)


def _by_first(test: Callable[[Object], bool]) -> Callable[[File], bool]:
    """Return whether the first value of a file is an object that fits a test."""
    return lambda file: isinstance(file.first, Mapping) and test(file.first)


def _conversation(test: Callable[[Object], bool], read: talk.Reader, what: str) -> FileReader:
    """Return the reader of conversations, from a test of the first object and a reader of the utterances of each."""
    return FileReader(_by_first(test), partial(talk.utterance_items, read=read, what=what))


def _converted(recognises: Callable[[File], bool], convert: Callable[[File], Markdown]) -> FileReader:
    return FileReader(recognises, lambda file: convert(file).items(), lambda file: [convert(file).text])


def _has_chats(value: object) -> bool:
    try:
        return chats(value, session="") is not None
    except ValueError:
        return False


READERS: dict[FileFormat, FileReader] = {
    "mem0": FileReader(memories.is_mem0, memories.mem0_items),
    "chatgpt": _conversation(
        lambda value: isinstance(value.get("mapping"), Mapping), talk.chatgpt, "a conversation of a ChatGPT export"
    ),
    "claude": _conversation(
        lambda value: isinstance(value.get("chat_messages"), Sequence), talk.claude, "a conversation of a Claude export"
    ),
    "claude-code": _conversation(talk.is_claude_code, talk.claude_code, "an entry of a Claude Code transcript"),
    "codex": FileReader(_by_first(talk.is_codex), talk.codex_items),
    "letta": FileReader(_by_first(memories.is_letta), memories.letta_items),
    "mcp-memory": FileReader(_by_first(memories.is_mcp_memory), memories.mcp_memory_items),
    "pdf": FileReader(lambda file: file.head.startswith(b"%PDF-"), documents.pdf_items, documents.pdf_text),
    "docx": _converted(lambda file: "word/document.xml" in file.members, documents.docx),
    "html": _converted(documents.is_html, documents.html),
    "subtitles": FileReader(documents.is_subtitles, documents.subtitle_items, documents.subtitle_text),
    "whatsapp": FileReader(talk.is_whatsapp, talk.whatsapp_items),
    "chat": FileReader(
        lambda file: file.suffix in JSON or is_message(file.first) or _has_chats(file.first), talk.chat_items
    ),
    "markdown": _texts(lambda file: file.suffix in MARKDOWN, markdown=True),
    "text": _texts(lambda file: not _refused(file)),
}
"""The readers by the name of their format, in the order in which a file is tried for them."""


def _refused(file: File) -> str:
    """Return the kind of a file that no format reads, "" for possible text."""
    begins = (what for beginning, what in _BEGINNINGS.items() if file.head.startswith(beginning))
    return _OTHERS.get(file.suffix) or next(begins, "")


def reader_of(file: File, asked: str | None = None) -> FileReader:
    """Return the requested reader, else the first that recognises the file; a `ValueError` names its kind."""
    if asked is not None:
        return READERS[checked_choice(asked, "format", FileFormat)]
    for reader in READERS.values():
        if reader.recognises(file):
            return reader
    raise ValueError(
        f"{file.name} is {_refused(file)}, which is not read: name a format to read it as one of {', '.join(READERS)}"
    )


def read_items(
    path: str | os.PathLike[str], name: str | None = None, *, format: str | None = None, left_out: LeftOut | None = None
) -> Iterator[Item]:
    """Yield a file's items as arguments of `remember`, read little by little; `left_out` counts what is passed over."""
    file = File(path, name, left_out)
    for item in reader_of(file, format).items(file):
        item["source_ref"] = str(file.name)
        yield from _within_size(item)


def read_document(
    path: str | os.PathLike[str], name: str | None = None, *, format: str | None = None, left_out: LeftOut | None = None
) -> str | None:
    """Return the text of a document whole, None if the file is none; raises as `read_items` does."""
    file = File(path, name, left_out)
    found = reader_of(file, format).document
    return None if found is None else "".join(found(file))


def _within_size(item: Item) -> Iterator[Item]:
    """Split a text that is too large for one memory into numbered parts."""
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
