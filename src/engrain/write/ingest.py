"""Many memories at once: items, messages of a conversation, files, folders and reports."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, Unpack, cast

from engrain.arguments import (
    DocumentFields,
    IngestFields,
    MessageFields,
    Progress,
    ReportFields,
    ReportOptions,
    WriteFields,
    WriteItem,
    check_names,
    reusable,
)
from engrain.chat.formats import listed, plain, turns_of
from engrain.chat.logs import (
    Item,
    Spoken,
    chats,
    is_message,
    items_of,
    noted,
    open_file,
    read_json,
    session_of,
    spoken,
    time_of,
)
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.guard import guard
from engrain.language.calendar import parse_when
from engrain.language.tokens import sentence_parts
from engrain.model.choices import Extract, OnError, checked_choice
from engrain.model.filters import Test, within
from engrain.model.memory import Kind, Memory, Scope, Status, Turn
from engrain.model.results import Decision, Ingested, Remembered
from engrain.protocols import Extractor
from engrain.storage.rows import Edge, Record
from engrain.text import check_content, check_text, digest, is_blank, normalise, pattern
from engrain.validation import When, checked_whole, is_whole, narrowed
from engrain.write.extraction import Limits, Origin, fact_drafts, speaking
from engrain.write.pipeline import explained, remember, store
from engrain.write.prepare import Draft, Prepared, draft, prepare, screened_text, with_text


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


class Passage(NamedTuple):
    """A piece of a text and the headings above it, outermost first."""

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
    """Yield lines of Markdown, the headings above each, and whether it is one; code between fences has none."""
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
    `ValueError` that names the line; what comes before that line has been yielded by then. `name` is what the file is
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
    """A file and what it is called: its name says what it is read as, and is what is reported of it."""

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


def _is_chat(file: _File) -> bool:
    """Say whether to read the file as JSON: by its name, else when it begins with a value that holds messages."""
    if file.suffix in _JSON:
        return True
    with open_file(file.path, file.name) as opened:
        if opened.read(_SNIFFED).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return False
    try:
        first = next(read_json(file.path, file.name)).value
        return is_message(first) or chats(first, session="") is not None
    except (ValueError, StopIteration):
        return False


def _chat_items(file: _File) -> Iterator[Item]:
    """Read JSON: each value a message, a list of messages, an object that holds one, or a record of a data set."""
    turns: Counter[str] = Counter()
    unnamed = 0
    for line, group, value in read_json(file.path, file.name):
        try:
            found = chats(value, session=_numbered(file.session, unnamed + 1))
            if found is not None:
                unnamed += 1
                items = [item for chat in found for item in chat.items()]
            elif is_message(value):
                session = session_of(value) or _numbered(file.session, group)
                items = list(items_of(value, session=session, turn=turns[session]))
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
    with open_file(file.path, file.name) as opened:
        for part in chain(iter(lambda: opened.readline(_READ), b""), (b"",)):
            if b"\x00" in part:
                raise ValueError(f"{file.name}, line {number}: a binary file, not text")
            try:
                yield decode(part, not part)
            except UnicodeDecodeError:
                raise ValueError(f"{file.name}, line {number}: not UTF-8 text") from None
            number += part.endswith(b"\n")


def checked_progress(progress: Progress | None) -> Progress | None:
    """Return a function of done, total and label, or None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of done, total and label, not {type(progress).__name__}")
    return progress


def report_progress(progress: Progress | None, done: int, total: int, label: str) -> None:
    """Report how far it is; a listener that fails stops nothing."""
    if progress is not None:
        guard("the progress function", lambda: progress(done, total, label))


def chunks(text: str, size: int) -> list[str]:
    """Cut a text between sentences into pieces of at most `size` characters, which joined are the text.

    A sentence that is longer by itself is cut at its lines and words. White space at the ends of a piece is not
    counted, and no piece of a text that is not blank is blank.
    """
    found: list[str] = []
    begin = at = 0
    first: int | None = None
    sentences = ([one] if len(one.strip()) <= size else cut(one, size) for one in sentence_parts(text))
    for piece in chain.from_iterable(sentences):
        if not is_blank(piece):
            starts, stops = at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())
            if first is not None and stops - first > size:
                found.append(text[begin:at])
                begin, first = at, starts
            first = starts if first is None else first
        at += len(piece)
    return [*found, text[begin:]] if text else []


@dataclass(frozen=True, slots=True)
class Report:
    """How a report is read: how it is cut, which facts are kept, and the draft that all that is stored is made from."""

    limits: Limits
    chunk_size: int
    ref: str
    context: str
    template: Draft


def store_report(
    engine: Engine,
    scope: Scope,
    *,
    source_url: str = "",
    published_date: When = "",
    domain: str = "cti",
    min_importance: int = 3,
    max_facts: int = 10,
    chunk_size: int = 3000,
    **fields: Unpack[ReportFields],
) -> Report:
    """Return how a report is to be read; `TypeError` or `ValueError` for what cannot be."""
    checked_whole(chunk_size, "chunk_size", least=1)
    check_names(fields, ReportFields, of="a report")
    published, context = None, ""
    if published_date != "":
        published = parse_when(published_date, name="published_date")
        context = f"Published: {published_date if isinstance(published_date, str) else published.isoformat()}"
    limits, ref = Limits(min_importance, max_facts), source_url or "report"
    template = draft(
        "report",
        scope=scope,
        settings=engine.settings,
        kind="episodic",
        domain=domain,
        source_type="report",
        source_ref=check_text(ref, what="source_ref") + limits.suffix,
        valid_from=published,
        **fields,
    )
    return Report(limits, chunk_size, ref, context, template)


def remember_report(
    engine: Engine, extractor: Extractor, content: str, how: Report, *, progress: Progress | None = None
) -> list[Remembered]:
    """Keep a report in chunks and return the facts found in it, in order; see `MemoryManager.remember_report`."""
    listener = checked_progress(progress)
    facts: list[Remembered] = []
    for number, of, (_, *found) in read_report(engine, extractor, content, how):
        facts += found
        report_progress(listener, number + 1, of, f"{len(facts):,} facts")
    return facts


def read_report(
    engine: Engine, extractor: Extractor, content: str, how: Report
) -> Iterator[tuple[int, int, list[Remembered]]]:
    """Store all chunks of a report in one transaction, then the facts of each chunk in one of its own.

    Yields the number of each chunk, how many there are, and what became of the chunk and then of its facts.
    """
    settings = engine.settings
    content = screened_text(check_content(content, max_bytes=sys.maxsize), settings)  # its limit is the chunk's
    drafts = []
    for number, text in enumerate(chunks(content, how.chunk_size)):
        ref = f"{how.ref}:chunk:{number}"
        chunk = how.limits.without_suffix(with_text(how.template, text, settings, source_ref=ref + how.limits.suffix))
        # Its key is what it says and where, so that reading the report again finds it again.
        drafts.append(replace(chunk, key=f"report:{digest(ref, text)[:32]}"))
    for number, kept in enumerate(remember(engine, drafts)):
        yield number, len(drafts), [kept, *_facts(engine, kept, drafts[number], extractor=extractor, how=how)]


def _facts(engine: Engine, kept: Remembered, chunk: Draft, *, extractor: Extractor, how: Report) -> list[Remembered]:
    memory = kept.memory
    if memory.status is Status.QUARANTINED:
        return []
    origin = Origin(whole=replace(chunk, derived_from=(memory.id,)), turn=speaking(chunk), ref=chunk.source_ref)
    drafts = fact_drafts(engine, extractor, origin, limits=how.limits, context=how.context)
    known = {} if kept.status == "created" else _taken_before(engine, chunk.scope, memory)
    fresh = [item for item in drafts if normalise(item.content) not in known]
    stored = iter(remember(engine, fresh) if fresh else ())
    before = [known.get(normalise(item.content)) for item in drafts]
    return [
        explained(one, item.intent) if one is not None else next(stored)
        for one, item in zip(before, drafts, strict=True)
    ]


def _taken_before(engine: Engine, scope: Scope, chunk: Memory) -> dict[str, Remembered]:
    """Return what was taken from a chunk when it was read before, by its text.

    A fact that was replaced since then stays so: reading an old report again is no news.
    """
    with engine.store.read(scope.org) as reader:
        (source,) = reader.find(Record, within(scope).but(Test("id", "eq", chunk.id)))
        edges = reader.find(Edge, [Test("target", "eq", source.num), Test("relation", "eq", "derived_from")])
        nums = tuple(edge.source for edge in edges)
        found = reader.find(Record, within(scope).but(Test("num", "in", nums), Test("status", "ne", Status.FORGOTTEN)))
    decision = Decision("duplicate", "1 exact", f"{chunk.id} was read before")
    return {normalise(record.memory.content): Remembered(record.memory, "noop", decision) for record in found}


BATCH = 500
_REFUSED = (OSError, ValueError, TypeError, MemoryRejected)


def ingest(
    engine: Engine,
    scope: Scope,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None,
    name: str | None = None,
    defaults: IngestFields,
    extractor: Extractor | None = None,
) -> Ingested:
    """Read every file and remember what it holds; see `MemoryManager.ingest`.

    With an extractor, documents are read as reports; chats are kept message by message as ever.
    """
    listener = checked_progress(progress)
    if isinstance(paths, str) and not paths.strip():  # which would be the current folder
        raise ValueError("paths is blank: name a file or a folder, '.' for this one")
    read = _reader(engine, scope, defaults, extractor, name)
    store = engine.store.url
    own = {store, *(store + suffix for suffix in ("-wal", "-shm", "-journal", ".lock"))}
    files = {file: file.stat().st_size for file in discover(paths) if str(file.absolute()) not in own}
    if name is not None and len(files) != 1:
        raise ValueError(f"name is what one file is called, and paths leads to {len(files)}")
    total = sum(files.values())
    done = created = known = 0
    failed: dict[str, str] = {}
    for file, size in files.items():
        called = file if name is None else Path(name)
        before = created + known
        try:
            for results in read(file):
                # A memory was made, one that others had to give way to included; not where one was edited.
                new = sum(result.status != "noop" and result.memory.version == 1 for result in results)
                created, known = created + new, known + len(results) - new
                report_progress(listener, done, total, f"{called.name}: {created + known - before:,} memories")
        except _REFUSED as error:
            failed[str(called)] = str(error)
        done += size
        report_progress(listener, done, total, called.name)
    return Ingested(len(files) - len(failed), created, known, failed)


def _reader(
    engine: Engine, scope: Scope, defaults: IngestFields, extractor: Extractor | None, name: str | None
) -> Callable[[Path], Iterator[list[Remembered]]]:
    """Return what reads a file and yields what became of its items, some at a time.

    Raises for a default that no item could be kept with, before any file is read. What the reader cannot read is raised
    after what it can.
    """
    checked_name(name)
    given: Mapping[str, Any] = reusable(defaults)
    how = None
    if extractor is not None:
        check_names(given, ReportOptions, of="ingest(report=True)")
        options: ReportOptions = {"domain": "general", **cast(ReportOptions, given)}
        how = store_report(engine, scope, **options)
        known = {"domain", *ReportFields.__annotations__}
        given = {name: value for name, value in given.items() if name in known}
    check_names(given, DocumentFields, of="ingest")
    fields = cast(DocumentFields, given)
    has_session = scope.session is not None or fields.get("session") is not None
    draft("any", **fields, scope=scope if has_session else replace(scope, session="any"), settings=engine.settings)

    def drafts(file: Path) -> Iterator[Draft]:
        for number, item in enumerate(read_items(file, name)):
            every: WriteItem = {**item, **fields}
            read = draft(**every, scope=scope, settings=engine.settings)
            if read.redacted and read.key is not None:  # a key made of the text would say what was taken out of it
                read = replace(read, key=f"redacted:{digest(read.source_ref, str(number), read.content)[:32]}")
            yield read

    def remembered(file: Path) -> Iterator[list[Remembered]]:
        text = None if how is None else read_document(file, name)
        if extractor is None or how is None or text is None:
            yield from (remember(engine, batch) for batch in _batches(drafts(file)))
        elif not is_blank(text):
            called = replace(how, ref=str(file) if name is None else name)
            yield from (results for _, _, results in read_report(engine, extractor, text, called))

    return remembered


def checked_name(name: str | None) -> None:
    """Raise for what no file can be called."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, not {type(name).__name__}")
    if name is not None and not Path(name).name:
        raise ValueError(f"name is {name!r}: it must say what the file is called, as notes.md")


def _batches(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    """Yield batches; what comes before a bad item is kept, and its error raised after it."""
    batch: list[Draft] = []
    problem: Exception | None = None
    try:
        for item in drafts:
            batch.append(item)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except _REFUSED as error:
        problem = error
    if batch:
        yield batch
    if problem is not None:
        raise problem


_ANSWERS = ("tool_call_id", "name", "success")  # which call a tool's result answers, and whether it failed
_CONTEXT = 2000  # characters of what was said before, for an extractor to know who "she" is


def remember_messages(
    engine: Engine,
    scope: Scope,
    messages: object,
    *,
    session: str | None,
    extract: Extract,
    extractor: Extractor,
    defaults: MessageFields,
) -> list[Remembered]:
    """Keep what messages say, all in one transaction; see `MemoryManager.remember_messages`."""
    checked_choice(extract, "extract", Extract)
    scope, given = narrowed(scope, session=session), reusable(defaults)
    if isinstance(messages, str):
        check_content(messages, max_bytes=max(4 * len(messages), 1))
    utterances = [words for number, message in enumerate(listed(messages)) for words in _utterances(message, number)]
    drafts = _turns(engine, scope, utterances, given)
    if extract == "facts":
        drafts = _facts_of_turns(engine, extractor, list(zip(utterances, drafts, strict=True)), given)
    return remember(engine, drafts) if drafts else []


@dataclass(frozen=True, slots=True)
class _Utterance:
    """What one speaker says in a message, when if that is known, and what is noted of it."""

    words: Spoken
    at: datetime | None
    noted: Mapping[str, Any]


def _utterances(message: object, number: int) -> list[_Utterance]:
    found = None if isinstance(message, str) else plain(message)
    if not isinstance(found, dict):
        raise TypeError(f"message {number} is a {type(message).__name__}: give a mapping with role and content")
    if found.get("name") is None and not isinstance(message, Mapping):
        found["name"] = found.get("actor")
    at = found.pop("at", None)
    if not is_message(found):
        return _of_another_shape(message, number, found)
    when = time_of(found) if at is None else parse_when(at, name=f"at of message {number}")
    about = noted(found)
    return [_Utterance(words, when, {**about, **words.noted}) for words in spoken(found)]


def _of_another_shape(message: object, number: int, found: Mapping[str, Any]) -> list[_Utterance]:
    """Return what a message says that has no role and content, as those of Google and items of responses have none."""
    try:
        turns = turns_of([message])
    except ValueError:
        given = ", ".join(map(str, found))
        raise ValueError(f"message {number} is none: it needs a role and content, and has {given}") from None
    utterances = []
    for turn in turns:
        words = {"role": turn.role, "name": turn.actor, "content": turn.content}
        words["tool_calls"] = turn.metadata.get("tool_calls")
        answers = {name: turn.metadata[name] for name in _ANSWERS if name in turn.metadata}
        utterances += [_Utterance(one, turn.at, {**one.noted, **answers}) for one in spoken(words)]
    return utterances


def _turns(engine: Engine, scope: Scope, utterances: Sequence[_Utterance], given: MessageFields) -> list[Draft]:
    """Return the drafts of the turns; undated ones were said just now, one after the other, the last at this moment."""
    now = engine.clock.now()
    drafts = []
    for left, one in zip(reversed(range(len(utterances))), utterances, strict=True):
        fields: MessageFields = {
            "kind": "episodic",
            "source_type": one.words.source_type,
            "actor": one.words.actor,
            "valid_from": one.at or now - timedelta(microseconds=left),
            **given,
            "metadata": {**one.noted, **(given.get("metadata") or {})},
        }
        drafts.append(draft(one.words.text, **fields, scope=scope, settings=engine.settings))
    return drafts


def _facts_of_turns(
    engine: Engine, extractor: Extractor, turns: Sequence[tuple[_Utterance, Draft]], given: MessageFields
) -> list[Draft]:
    """Return the facts of each turn, trusted as it is; one that has to wait is kept whole, for its review."""
    drafts: list[Draft] = []
    context, written = "", 0
    for one, turn in turns:
        if turn.is_quarantined:
            drafts.append(turn)
            continue
        dated = one.at is not None or "valid_from" in given  # else its facts are true from whenever they are stored
        # An extractor is shown the user without a name as the view's; a machine has no name.
        user = turn.scope.user if one.words.role == "user" else None
        actor = user if turn.actor == one.words.role else turn.actor
        origin = Origin(
            whole=turn if dated else replace(turn, valid_from=None),
            turn=Turn(role=one.words.role, content=turn.content, actor=actor, at=turn.valid_from),
            ref=turn.source_ref,
            kind=turn.kind if given.get("kind") else Kind.SEMANTIC,
        )
        facts = fact_drafts(engine, extractor, origin, limits=Limits(), context=context[-_CONTEXT:], first=written)
        drafts, written = drafts + facts, written + len(facts)
        context = f"{context[-_CONTEXT:]}{one.words.actor}: {turn.content}\n"
    return drafts


Outcome: TypeAlias = Remembered[Memory | None]
_REFUSED_ITEMS = (MemoryRejected, ValueError, TypeError, NotFound)


def remember_many(
    engine: Engine,
    scope: Scope,
    items: Iterable[Mapping[str, Any]],
    *,
    on_error: OnError,
    batch_size: int,
    defaults: WriteFields,
) -> list[Outcome]:
    """Store items batch by batch, in order; see `MemoryManager.remember_many`."""
    skips = checked_choice(on_error, "on_error", OnError) == "skip"
    if not is_whole(batch_size) or batch_size < 1:
        raise ValueError(f"batch_size is {batch_size!r}: it must be a positive whole number")
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise TypeError("items must be an iterable of mappings with the arguments of remember")
    defaults = reusable(defaults)
    results: list[Outcome] = []
    remaining = iter(items)
    while batch := list(islice(remaining, batch_size)):
        now = engine.clock.now()
        composed: list[Prepared | Remembered[None]] = []
        for number, item in enumerate(batch, start=len(results)):
            try:
                composed.append(prepare(engine, _checked_item(engine, scope, item, defaults), now))
            except _REFUSED_ITEMS as error:
                if not skips:
                    error.add_note(f"item {number}: nothing of its batch was stored")
                    raise
                composed.append(_rejected(error))
        stored = iter(_stored(engine, [item for item in composed if isinstance(item, Prepared)], now, skips=skips))
        results += [next(stored) if isinstance(item, Prepared) else item for item in composed]
    return results


def _rejected(error: Exception) -> Remembered[None]:
    return Remembered(None, "rejected", Decision("reject", "0 admission", str(error)))


def _stored(engine: Engine, items: Sequence[Prepared], now: datetime, *, skips: bool) -> Sequence[Outcome]:
    """Store a batch at once; with `skips`, one that is refused only when it meets what is stored stops no other."""
    try:
        return store(engine, items, now=now)
    except _REFUSED_ITEMS as error:
        if not skips:
            raise
        if len(items) == 1:
            return [_rejected(error)]
    return [outcome for item in items for outcome in _stored(engine, [item], now, skips=True)]


def _checked_item(engine: Engine, scope: Scope, item: Mapping[str, Any], defaults: WriteFields) -> Draft:
    if not isinstance(item, Mapping):
        raise TypeError(f"an item must be a mapping of remember's arguments, not {type(item).__name__}")
    given: dict[str, Any] = {**defaults, **item}
    if "content" not in given:
        has = ", ".join(repr(str(name)[:40]) for name in list(item)[:5]) or "nothing"
        raise ValueError(f"an item needs `content`; it has {has}")
    if given.pop("evolve", False) is not False:
        raise ValueError("evolve takes one text apart: call remember(evolve=True) for each, or extract facts first")
    check_names(given, WriteItem, of="remember")
    checked = draft(**cast(WriteItem, given), scope=scope, settings=engine.settings)
    if checked.derived_from:
        where = within(checked.scope).but(
            Test("id", "in", checked.derived_from), Test("status", "ne", Status.FORGOTTEN)
        )
        with engine.store.read(checked.scope.org) as reader:
            found = {record.memory.id for record in reader.find(Record, where)}
        if unknown := [source_id for source_id in checked.derived_from if source_id not in found]:
            raise NotFound(unknown[0])
    return checked
