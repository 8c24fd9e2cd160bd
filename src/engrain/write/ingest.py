"""Bulk writes: `remember_many` items, `remember_messages` of a conversation, `ingest` files, `remember_report`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, Unpack, cast

from engrain import arguments
from engrain.arguments import DocumentFields, IngestFields, MessageFields, Progress, WriteItem, check_names, reusable
from engrain.chat.formats import listed, plain, turns_of
from engrain.chat.logs import Spoken, is_message, noted, spoken, time_of
from engrain.config import Settings
from engrain.engine import Engine
from engrain.errors import ConfigError, MemoryRejected, NotFound
from engrain.formats.documents import cut
from engrain.graph.entity_store import StatedRelation, entity_named, stated_relation
from engrain.guard import checkpoint, guard
from engrain.language.calendar import parse_when
from engrain.language.tokens import sentence_parts
from engrain.lazy import later
from engrain.model.choices import Extract, FileFormat, OnError, checked_choice
from engrain.model.entities import Named
from engrain.model.filters import Test, within
from engrain.model.memory import Kind, Memory, Scope, Status, Turn, awaits_review
from engrain.model.results import Decision, Ingested, Remembered, passed_over
from engrain.protocols import Extractor
from engrain.storage.interface import Transaction
from engrain.storage.rows import Edge, Record
from engrain.text import check_content, digest, is_blank, normalise, shorten
from engrain.validation import When, checked_kind, checked_metadata, checked_whole, is_whole, narrowed
from engrain.write import graph_edits, prepare
from engrain.write.extraction import Limits, fact_drafts, speaking
from engrain.write.pipeline import explained, remember, store_if
from engrain.write.prepare import Draft, Prepared
from engrain.write.transitions import checked_sources

(_registry,) = later("engrain.formats", "registry")
T = TypeVar("T")
BATCH = 500
_REFUSED = (OSError, ValueError, TypeError, MemoryRejected, ConfigError)
_FORGOTTEN = f"memories that were {Status.FORGOTTEN}"
_NO_CHANGE = {"session", "kind", "actor", "tags"}  # defaults that change nothing in a memory that has them
_ANSWERS = ("tool_call_id", "name", "success")  # the call of a tool's result, and whether it failed
_CONTEXT = 2000  # characters of previous turns, for an extractor to resolve pronouns
REFUSED_ITEMS = (MemoryRejected, ValueError, TypeError, NotFound)
Outcome: TypeAlias = Remembered[Memory | None]


def discover(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files to read, sorted, each once, without those hidden in folders; raises for a missing path."""
    named = [paths] if isinstance(paths, str | os.PathLike) else paths
    if isinstance(named, bytes | Mapping) or not isinstance(named, Iterable):
        raise TypeError(f"paths must be a path or a list of paths, not {type(paths).__name__}")
    found: dict[Path, None] = {}
    for name in named:
        path = Path(name)
        if path.is_dir():
            found.update(dict.fromkeys(_inside(path)))
        elif path.exists():
            found[path] = None
        else:
            is_address = str(name).startswith(("http:/", "https:/"))
            why = (
                "an address is not fetched: download it, and name the file" if is_address else "no such file or folder"
            )
            raise FileNotFoundError(f"{name}: {why}")
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


def checked_progress(progress: Progress | None) -> Progress | None:
    """Return a function of done, total and label, or None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of done, total and label, not {type(progress).__name__}")
    return progress


def report_progress(progress: Progress | None, done: int, total: int, label: str) -> None:
    """Report progress; a listener that fails stops nothing."""
    checkpoint(writes=True)
    if progress is not None:
        guard("the progress function", lambda: progress(done, total, label))


def chunks(text: str, size: int) -> list[str]:
    """Cut a text between sentences, or inside long ones, into pieces of at most `size` characters that join to it."""
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
    """The settings for a report: its chunks, which facts are kept, and the draft for all that is stored."""

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
    **fields: Unpack[arguments.ReportFields],
) -> Report:
    """Return the checked settings for a report; `TypeError` or `ValueError` for invalid ones."""
    checked_whole(chunk_size, "chunk_size", least=1)
    check_names(fields, arguments.ReportFields, of="a report")
    published, context = None, ""
    if published_date != "":
        published = parse_when(published_date, name="published_date")
        context = f"Published: {published_date if isinstance(published_date, str) else published.isoformat()}"
    limits, ref = Limits(min_importance, max_facts), source_url or "report"
    template = prepare.draft(
        "report",
        scope=scope,
        settings=engine.settings,
        kind="episodic",
        domain=domain,
        source_type="report",
        source_ref=limits.checked_ref(ref),
        valid_from=published,
        **fields,
    )
    return Report(limits, chunk_size, ref, context, template)


def remember_report(
    engine: Engine, extractor: Extractor, content: str, how: Report, *, progress: Progress | None = None
) -> list[Remembered]:
    """Store a report in chunks and return its facts, in order; see `MemoryManager.remember_report`."""
    listener = checked_progress(progress)
    facts: list[Remembered] = []
    for number, of, (_, *found) in read_report(engine, extractor, content, how, Counter()):
        facts += found
        report_progress(listener, number + 1, of, f"{len(facts):,} facts")
    return facts


def read_report(
    engine: Engine, extractor: Extractor, content: str, how: Report, left_out: Counter[str]
) -> Iterator[tuple[int, int, list[Remembered]]]:
    """Store a report's chunks in one transaction, then each one's facts; yield its number, of how many, results."""
    settings = engine.settings
    content = prepare.screened_text(check_content(content, max_bytes=sys.maxsize), settings)  # its limit is the chunk's
    drafts = []
    for number, text in enumerate(chunks(content, how.chunk_size)):
        ref = f"{how.ref}:chunk:{number}"
        check_content(text, max_bytes=settings.max_content_bytes)
        chunk = replace(how.template, content=text, source_ref=how.limits.checked_ref(ref))
        # Its key consists of text and origin, so that reading the report again finds it.
        drafts.append(replace(prepare.screened_draft(chunk, settings), key=f"report:{digest(ref, text)[:32]}"))
    drafts = _wanted(engine, drafts, left_out)
    for number, kept in enumerate(remember(engine, drafts) if drafts else ()):
        facts = []
        if kept.memory.status is not Status.QUARANTINED:
            whole = replace(drafts[number], derived_from=(kept.id,), kind=Kind.SEMANTIC)
            found = fact_drafts(engine, extractor, whole, speaking(whole), limits=how.limits, context=how.context)
            facts = _facts(engine, kept, _wanted(engine, found, left_out))
        yield number, len(drafts), [kept, *facts]


def _wanted(engine: Engine, drafts: Sequence[Draft], left_out: Counter[str]) -> list[Draft]:
    """Return drafts without those whose memory was forgotten or archived, which are counted."""
    named = ("content", "kind", "key", "actor", "valid_from")
    items = [cast(WriteItem, {name: getattr(each, name) for name in named}) for each in drafts]
    before = _Before(engine, drafts[0].scope, {}, items) if drafts else None
    closed = [before and before.closed(item) for item in items]
    left_out.update(f"memories that were {status}" for status in closed if status)
    return [each for each, status in zip(drafts, closed, strict=True) if not status]


def _facts(engine: Engine, kept: Remembered, drafts: Sequence[Draft]) -> list[Remembered]:
    known = {} if kept.status == "created" or not drafts else _taken_before(engine, drafts[0].scope, kept.memory)
    before = [known.get(normalise(item.content)) for item in drafts]
    fresh = [item for item, one in zip(drafts, before, strict=True) if one is None]
    new = iter(remember(engine, fresh) if fresh else ())
    return [next(new) if one is None else explained(one, item.intent) for one, item in zip(before, drafts, strict=True)]


def _taken_before(engine: Engine, scope: Scope, chunk: Memory) -> dict[str, Remembered]:
    """Return the facts taken from a chunk in an earlier run, by their text, including replaced ones."""
    with engine.store.read(scope.org) as reader:
        (source,) = reader.find(Record, within(scope).but(Test("id", "eq", chunk.id)))
        edges = reader.find(Edge, [Test("target", "eq", source.num), Test("relation", "eq", "derived_from")])
        nums = tuple(edge.source for edge in edges)
        found = reader.find(Record, within(scope).but(Test("num", "in", nums), Test("status", "ne", Status.FORGOTTEN)))
    decision = Decision("duplicate", "1 exact", f"{chunk.id} was read before")
    return {normalise(record.memory.content): Remembered(record.memory, "noop", decision) for record in found}


def ingest(
    engine: Engine,
    scope: Scope,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None,
    name: str | None = None,
    format: FileFormat | None = None,
    defaults: IngestFields,
    extractor: Extractor | None = None,
) -> Ingested:
    """Read every file and remember its content, documents as reports if there is an extractor."""
    listener = checked_progress(progress)
    if isinstance(paths, str) and not paths.strip():  # it would be the current folder
        raise ValueError("paths is blank: name a file or a folder, '.' for this one")
    if format is not None:
        checked_choice(format, "format", FileFormat)
    left_out, by_file = Counter[str](), dict[str, Counter[str]]()
    read = _reader(engine, scope, defaults, extractor, {"name": name, "format": format, "left_out": left_out})
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
        before, here = created + known, 0
        try:
            for results, there in read(file):
                # A memory was created, even if it closed others; not if one was edited.
                new = sum(result.status != "noop" and result.memory.version == 1 for result in results)
                created, known = created + new, known + there + len(results) - new
                here = min(size, here + sum(len(result.memory.content.encode()) for result in results))
                report_progress(listener, done + here, total, f"{called.name}: {created + known - before:,} memories")
        except _REFUSED as error:
            failed[str(called)] = str(error)
        by_file[str(called)] = +left_out
        left_out.clear()
        done += size
        report_progress(listener, done, total, called.name)
    return Ingested(len(files) - len(failed), created, known, failed, **passed_over(by_file))


def _reader(
    engine: Engine, scope: Scope, defaults: IngestFields, extractor: Extractor | None, how_read: Mapping[str, Any]
) -> Callable[[Path], Iterator[tuple[list[Remembered], int]]]:
    """Return a reader of a file that yields results in batches and how many were skipped; defaults are checked."""
    name: str | None = how_read["name"]
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, not {type(name).__name__}")
    if name is not None and not Path(name).name:
        raise ValueError(f"name is {name!r}: it must say what the file is called, as notes.md")
    given: Mapping[str, Any] = reusable(defaults)
    how = None
    if extractor is not None:
        check_names(given, arguments.ReportOptions, of="ingest(report=True)")
        options: arguments.ReportOptions = {"domain": "general", **cast(arguments.ReportOptions, given)}
        how = store_report(engine, scope, **options)
        known = {"domain", *arguments.ReportFields.__annotations__}
        given = {name: value for name, value in given.items() if name in known}
    check_names(given, DocumentFields, of="ingest")
    fields = cast(DocumentFields, given)
    inside = scope if scope.session is not None or fields.get("session") is not None else replace(scope, session="any")
    prepare.draft("any", **fields, scope=inside, settings=engine.settings)

    def remembered(file: Path) -> Iterator[tuple[list[Remembered], int]]:
        text = None if how is None else _registry.read_document(file, **how_read)
        if extractor is None or how is None or text is None:
            for batch in _batches(_drafts(engine, scope, file, fields, **how_read)):
                new = [each for each in batch if each is not None]
                results = remember(engine, [item for item, _ in new]) if new else []
                _put_in_graph(engine, scope, results, [states for _, states in new], how_read["left_out"])
                yield results, len(batch) - len(new)
        elif not is_blank(text):
            called = replace(how, ref=str(file) if name is None else name)
            report = read_report(engine, extractor, text, called, how_read["left_out"])
            yield from ((results, 0) for _, _, results in report)

    return remembered


def _drafts(
    engine: Engine, scope: Scope, file: Path, fields: DocumentFields, **how_read: Any
) -> Iterator[tuple[Draft, _Stated] | None]:
    """Yield drafts of a file's new items with their graph, None for known ones; forgotten items are not restored."""
    left_out: Counter[str] = how_read["left_out"]
    number = -1
    for items in _batches(_registry.read_items(file, **how_read)):
        before = _Before(engine, scope, fields, [cast(WriteItem, {**item, **fields}) for item in items])
        for item in items:
            number += 1
            given = dict(item)
            if given.pop("owner", scope.user) != scope.user:
                left_out["memories of other users"] += 1
                continue
            states = given.pop("about", None) or given.pop("relation", None)
            every = cast(WriteItem, {**given, **fields})
            if before.closed(every) is Status.FORGOTTEN:
                left_out[_FORGOTTEN] += 1
                continue
            if states is None and before.is_there(every):
                yield None
                continue
            try:
                read = prepare.draft(**every, scope=scope, settings=engine.settings)
                stated = _Stated() if read.is_quarantined else _checked(item, engine.settings)
            except MemoryRejected as refused:
                left_out[str(refused).partition(": nothing was stored")[0]] += 1
                continue
            if read.redacted and read.key is not None:  # a key made of the text would reveal the redacted part
                read = replace(read, key=f"redacted:{digest(read.source_ref, str(number), read.content)[:32]}")
            if read.content != every["content"]:
                kept = cast(WriteItem, {**every, "content": read.content, "key": read.key})
                if _Before(engine, scope, fields, [kept]).closed(kept) is Status.FORGOTTEN:
                    left_out[_FORGOTTEN] += 1
                    continue
            yield read, stated


class _Before:
    """The stored memories of some items, by key or identity; `fields` are arguments of `remember` for all."""

    def __init__(self, engine: Engine, scope: Scope, fields: DocumentFields, items: Sequence[WriteItem]) -> None:
        self._scope, self._now = scope, engine.clock.now()
        self._comparable = {*fields} <= _NO_CHANGE
        self._found: dict[tuple[str, str], list[Memory]] = {}
        asked: dict[str, set[str]] = {"key": set(), "identity": set()}
        for name, value in filter(None, map(self._place, items)):
            asked[name].add(value)

        def find(transaction: Transaction) -> list[Record]:
            own = [Test("ns", "eq", transaction.namespace(scope.org, scope.user)), Test("agent", "eq", scope.agent)]
            named = [[*own, Test(name, "in", tuple(sorted(values)))] for name, values in asked.items() if values]
            return [record for tests in named for record in transaction.find(Record, tests)]

        for record in engine.store.write(find, scope.org, {scope.user}) if any(asked.values()) else ():
            for place in (("key", str(record.memory.key)), ("identity", str(record.identity))):
                self._found.setdefault(place, []).append(record.memory)

    def closed(self, item: WriteItem) -> Status | None:
        """Return the status if the memory of an item was forgotten or archived; None if one with its text is live."""
        found = {each.status for each in self._with_text(item)}
        return min(found) if found and found <= {Status.ARCHIVED, Status.FORGOTTEN} else None

    def is_there(self, item: WriteItem) -> bool:
        """Return whether an item of the same file is stored, including superseded or archived ones."""
        known = [each for each in self._with_text(item) if each.source.ref == item.get("source_ref", "")]
        active = [each for each in known if each.stored_status is Status.ACTIVE]
        same = (each for each in active if self._comparable and {*item.get("tags", ())} <= {*each.tags})
        is_left = any(each.status is Status.ARCHIVED for each in known) or any(each.is_superseded for each in active)
        return is_left or any(prepare.holds_its_slot(each, self._now) for each in same)

    def _with_text(self, item: WriteItem) -> list[Memory]:
        place = self._place(item)
        found = [] if place is None else self._found.get(place, [])
        return [each for each in found if each.content == item["content"]]

    def _place(self, item: WriteItem) -> tuple[str, str] | None:
        """Return the key or the identity of an item; None for one that has neither before it is written."""
        if (key := item.get("key")) is not None:
            return "key", key
        kind, at = checked_kind(item["kind"]), item.get("valid_from")
        if at is None and kind in (Kind.EPISODIC, Kind.WORKING):
            return None
        made = Memory(
            id="",
            content=item["content"],
            scope=replace(self._scope, session=item.get("session") or self._scope.session),
            recorded_at=self._now,
            updated_at=self._now,
            valid_from=self._now if at is None else parse_when(at, name="valid_from"),
            kind=kind,
            actor=item.get("actor"),
        )
        return "identity", prepare.identity(made)


class _Stated(NamedTuple):
    """A statement of an item about the graph: an entity that its text is about, or a relation."""

    about: Named | None = None
    relation: StatedRelation | None = None


def _checked(given: Mapping[str, Any], settings: Settings) -> _Stated:
    """Return the statement of an item about the graph; `MemoryRejected` for one that cannot be stated, or must not."""
    about, relation = given.get("about"), given.get("relation")
    prepare.screen_names(prepare.texts_in((about, relation)), settings)
    try:
        named = None if about is None else entity_named(*about)
        return _Stated(named, None if relation is None else stated_relation(*relation))
    except (TypeError, ValueError) as error:
        raise MemoryRejected(f"{shorten(given['content'], 80)}: {error}") from None


def _put_in_graph(
    engine: Engine, scope: Scope, results: Sequence[Remembered], stated: Sequence[_Stated], left_out: Counter[str]
) -> None:
    """State the graph of items, with their memories as evidence; one that awaits review states nothing."""
    relations: list[StatedRelation] = []
    for result, (about, relation) in zip(results, stated, strict=True):
        if result.memory.stored_status is not Status.ACTIVE or awaits_review(result.memory):
            continue
        if relation is not None:
            relations.append(replace(relation, evidence=(result.memory.id,)))
        elif about is not None:
            graph_edits.add_entity(engine, scope, about, metadata={})
            graph_edits.link_memory(engine, scope, about, result.memory.id)
    _state_each(engine, scope, relations, left_out)


def _state_each(engine: Engine, scope: Scope, relations: Sequence[StatedRelation], left_out: Counter[str]) -> None:
    """State relations at once, or one by one: one whose ends are known as one entity stops no other."""
    try:
        if relations:
            graph_edits.add_relationships(engine, scope, relations)
    except ValueError as error:
        left_out[str(error)] += len(relations) == 1
        for each in relations if len(relations) > 1 else ():
            _state_each(engine, scope, [each], left_out)


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    """Yield batches; items before a bad one are kept, and its error is raised after them."""
    batch: list[T] = []
    problem: Exception | None = None
    try:
        for item in items:
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
    """Store messages in one transaction; see `MemoryManager.remember_messages`."""
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
    """One speaker's part of a message, with its time if known, and its metadata."""

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
    return [_Utterance(words, when, {**noted(found), **words.noted}) for words in spoken(found)]


def _of_another_shape(message: object, number: int, found: Mapping[str, Any]) -> list[_Utterance]:
    """Return the utterances of a message without role and content, such as Google's and items of responses."""
    try:
        turns = turns_of([message])
    except ValueError:
        given = ", ".join(map(str, found))
        raise ValueError(f"message {number} cannot be read: it needs a role and content, and has {given}") from None
    utterances = []
    for turn in turns:
        words = {"role": turn.role, "name": turn.actor, "content": turn.content}
        words["tool_calls"] = turn.metadata.get("tool_calls")
        answers = {name: turn.metadata[name] for name in _ANSWERS if name in turn.metadata}
        utterances += [_Utterance(one, turn.at, {**one.noted, **answers}) for one in spoken(words)]
    return utterances


def _turns(engine: Engine, scope: Scope, utterances: Sequence[_Utterance], given: MessageFields) -> list[Draft]:
    """Return the drafts of the turns; undated ones are dated one after the other, the last at this moment."""
    now = engine.clock.now()
    drafts = []
    for left, one in zip(reversed(range(len(utterances))), utterances, strict=True):
        fields: MessageFields = {
            "kind": "episodic",
            "source_type": one.words.source_type,
            "actor": one.words.actor,
            "valid_from": one.at or now - timedelta(microseconds=left),
            **given,
            "metadata": {**one.noted, **checked_metadata(given.get("metadata"))},
        }
        item = prepare.draft(one.words.text, **fields, scope=scope, settings=engine.settings)
        drafts.append(checked_sources(engine, item))
    return drafts


def _facts_of_turns(
    engine: Engine, extractor: Extractor, turns: Sequence[tuple[_Utterance, Draft]], given: MessageFields
) -> list[Draft]:
    """Return the facts of each turn, trusted as it is; a quarantined one is kept whole, for its review."""
    drafts: list[Draft] = []
    context, written = "", 0
    for one, turn in turns:
        if turn.is_quarantined:
            drafts.append(turn)
            continue
        dated = one.at is not None or "valid_from" in given  # else its facts are valid from the moment they are stored
        # An extractor is given the user without a name as the view's; a machine has no name.
        user = turn.scope.user if one.words.role == "user" else None
        actor = user if turn.actor == one.words.role else turn.actor
        kind = turn.kind if given.get("kind") else Kind.SEMANTIC
        whole = replace(turn, kind=kind, valid_from=turn.valid_from if dated else None)
        message = Turn(role=one.words.role, content=turn.content, actor=actor, at=turn.valid_from)
        before = context[-_CONTEXT:]
        facts = fact_drafts(engine, extractor, whole, message, limits=Limits(), context=before, first=written)
        drafts, written = drafts + facts, written + len(facts)
        context = f"{context[-_CONTEXT:]}{' '.join(one.words.actor.split())}: {turn.content}\n"
    return drafts


def remember_many(
    engine: Engine,
    scope: Scope,
    items: Iterable[Mapping[str, Any]],
    *,
    on_error: OnError,
    batch_size: int,
    defaults: arguments.WriteFields,
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
                composed.append(prepare.prepare(engine, _checked_item(engine, scope, item, defaults), now))
            except REFUSED_ITEMS as error:
                if not skips:
                    error.add_note(f"{getattr(item, 'place', f'item {number}')}: nothing of its batch was stored")
                    raise
                composed.append(_rejected(error))
        stored = iter(store_each(engine, [item for item in composed if isinstance(item, Prepared)], now, skips=skips))
        results += [next(stored) if isinstance(item, Prepared) else item for item in composed]
    return results


def _rejected(error: Exception) -> Remembered[None]:
    return Remembered(None, "rejected", Decision("reject", "0 admission", str(error)))


def store_each(engine: Engine, items: Sequence[Prepared], now: datetime, *, skips: bool = True) -> Sequence[Outcome]:
    """Store a batch at once; with `skips`, a conflict with the store refuses only the item concerned."""
    if not items:
        return []
    try:
        return store_if(engine, items, now=now) or []
    except REFUSED_ITEMS as error:
        if not skips:
            raise
        if len(items) == 1:
            return [_rejected(error)]
    return [outcome for item in items for outcome in store_each(engine, [item], now)]


def _checked_item(engine: Engine, scope: Scope, item: Mapping[str, Any], defaults: arguments.WriteFields) -> Draft:
    if isinstance(item, ValueError):  # of a line that holds none
        raise item
    if not isinstance(item, Mapping):
        raise TypeError(f"an item must be a mapping of remember's arguments, not {type(item).__name__}")
    given: dict[str, Any] = {**defaults, **item}
    if "content" not in given:
        has = ", ".join(repr(str(name)[:40]) for name in list(item)[:5]) or "nothing"
        raise ValueError(f"an item needs `content`; it has {has}")
    if given.pop("evolve", False) is not False:
        raise ValueError("evolve takes one text apart: call remember(evolve=True) for each, or extract facts first")
    check_names(given, WriteItem, of="remember")
    return checked_sources(engine, prepare.draft(**cast(WriteItem, given), scope=scope, settings=engine.settings))
