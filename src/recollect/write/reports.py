"""Reports: long documents kept whole in chunks, and the best facts of each chunk as memories of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from recollect.checks import When
from recollect.engine import Engine
from recollect.filters import Test, within
from recollect.foreign import guard
from recollect.models import Memory, Scope, Status
from recollect.protocols import Edge, Extractor, Record
from recollect.results import Decision, Remembered
from recollect.scopes import is_whole
from recollect.text import check_content, digest, is_blank, normalise, sentence_spans
from recollect.timewords import parse_when
from recollect.write.chunks import cut
from recollect.write.draft import Draft, gone_through, screened_text
from recollect.write.extraction import Limits, Origin, checked_source, fact_drafts, speaking
from recollect.write.pipeline import remember, told

Progress = Callable[[int, int, str], None]


def checked_progress(progress: Progress | None) -> Progress | None:
    """Return a function of done, total and label, or None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of done, total and label, not {type(progress).__name__}")
    return progress


def tell(progress: Progress | None, done: int, total: int, label: str) -> None:
    """Tell how far it is, if somebody listens; a listener that fails stops nothing."""
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
    for piece in _pieces(text, size):
        if not is_blank(piece):
            starts, stops = at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())
            if first is not None and stops - first > size:
                found.append(text[begin:at])
                begin, first = at, starts
            first = starts if first is None else first
        at += len(piece)
    return [*found, text[begin:]] if text else []


def _pieces(text: str, size: int) -> Iterator[str]:
    for sentence in sentence_spans(text):
        if len(sentence.strip()) <= size:
            yield sentence
        else:
            yield from cut(sentence, size)


class Part(NamedTuple):
    """What became of one chunk of a report: the memory that keeps it, and the facts found in it."""

    chunk: Remembered
    facts: list[Remembered]
    number: int
    of: int


@dataclass(frozen=True, slots=True)
class Report:
    """How a report is read: how it is cut, which facts are kept, and remember's arguments for all that is stored."""

    limits: Limits
    chunk_size: int
    ref: str
    context: str
    arguments: Mapping[str, Any]


def report(
    *,
    source_url: str = "",
    published_date: When = "",
    domain: str = "cti",
    min_importance: int = 3,
    max_facts: int = 10,
    chunk_size: int = 3000,
    **more: Any,
) -> Report:
    """Return how a report is to be read; `TypeError` or `ValueError` for what cannot be."""
    if not is_whole(chunk_size):
        raise TypeError(f"chunk_size must be a whole number, not {type(chunk_size).__name__}")
    if chunk_size < 1:
        raise ValueError(f"chunk_size is {chunk_size}: it must be positive")
    unknown = more.keys() - FOR_ALL
    if unknown:
        raise TypeError(f"a report has no argument {min(unknown)!r}: use {', '.join(sorted(ARGUMENTS))}")
    arguments = {"source_type": "report", "domain": domain, **gone_through(more)}
    context = ""
    if published_date != "":
        arguments["valid_from"] = published = parse_when(published_date, name="published_date")
        context = f"Published: {published_date if isinstance(published_date, str) else published.isoformat()}"
    limits = Limits(min_importance, max_facts)
    return Report(limits, chunk_size, source_url or "report", context, arguments)


FOR_ALL = frozenset("session actor source_id tier tags metadata valid_until ttl pinned".split())
ARGUMENTS = FOR_ALL | set("source_url published_date domain min_importance max_facts chunk_size".split())


def remember_report(
    engine: Engine, scope: Scope, extractor: Extractor, content: str, *, progress: Progress | None = None, **asked: Any
) -> list[Remembered]:
    """Keep a report in chunks and return the facts found in it, in order; see `MemoryManager.remember_report`.

    `asked` are the arguments of `report`.
    """
    listener, how = checked_progress(progress), report(**asked)
    facts: list[Remembered] = []
    for part in read_report(engine, scope, extractor, content, how):
        facts += part.facts
        tell(listener, part.number + 1, part.of, f"{len(facts):,} facts")
    return facts


def read_report(engine: Engine, scope: Scope, extractor: Extractor, content: str, how: Report) -> Iterator[Part]:
    """Store all chunks of a report in one transaction, then the facts of each chunk in one of its own."""
    content = screened_text(check_content(content, max_bytes=sys.maxsize), engine.settings)  # its limit is the chunk's
    texts = chunks(content, how.chunk_size)
    drafts = [_chunk_draft(engine, scope, text, f"{how.ref}:chunk:{n}", how) for n, text in enumerate(texts)]
    for number, kept in enumerate(remember(engine, drafts)):
        facts = _facts(engine, scope, kept, drafts[number], extractor=extractor, how=how)
        yield Part(kept, facts, number, len(drafts))


def _chunk_draft(engine: Engine, scope: Scope, text: str, ref: str, how: Report) -> Draft:
    # Known by what it says and where it stands, so that reading the report again finds it again.
    key = f"report:{digest(ref, text)[:32]}"
    arguments = {**how.arguments, "kind": "episodic", "source_ref": ref, "key": key}
    return checked_source(engine, scope, text, arguments, how.limits)


def _facts(
    engine: Engine, scope: Scope, kept: Remembered, chunk: Draft, *, extractor: Extractor, how: Report
) -> list[Remembered]:
    memory = kept.memory
    if memory is None or memory.status is Status.QUARANTINED:
        return []
    origin = Origin(speaking(chunk), chunk.source_ref, {**how.arguments, "derived_from": (memory.id,)})
    drafts = fact_drafts(engine, scope, extractor, origin, limits=how.limits, context=how.context)
    known = {} if kept.status == "created" else _taken_before(engine, scope, memory)
    fresh = [item for item in drafts if normalise(item.content) not in known]
    stored = iter(remember(engine, fresh) if fresh else ())
    return [_again(known, item) or next(stored) for item in drafts]


def _again(known: Mapping[str, Remembered], item: Draft) -> Remembered | None:
    """Return what became of a fact when it was taken before, found by whoever finds it now."""
    before = known.get(normalise(item.content))
    return None if before is None else told(before, item.intent)


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
