"""Many writes at once, and messages of a conversation as writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, TypeAlias, cast

from engrain.arguments import MessageFields, WriteFields, WriteItem, check_names, reusable
from engrain.chat.formats import listed, plain, turns_of
from engrain.chat.logs import Spoken, is_message, noted, spoken, time_of
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.language.timestamps import parse_when
from engrain.model.choices import Extract, OnError, checked_choice
from engrain.model.filters import Test, within
from engrain.model.memory import Kind, Memory, Scope, Status, Turn
from engrain.model.results import Decision, Remembered
from engrain.model.scope import is_whole, narrowed
from engrain.protocols import Extractor
from engrain.storage.rows import Record
from engrain.text import check_content
from engrain.write.draft import Draft, draft
from engrain.write.extraction import Limits, Origin, fact_drafts
from engrain.write.pipeline import remember, store
from engrain.write.prepare import Prepared, prepare

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
    said = [words for number, message in enumerate(_messages_checked(messages)) for words in _said(message, number)]
    drafts = _turns(engine, scope, said, given)
    if extract == "facts":
        drafts = _facts(engine, extractor, list(zip(said, drafts, strict=True)), given)
    return remember(engine, drafts) if drafts else []


@dataclass(frozen=True, slots=True)
class _Said:
    """What one speaker says in a message, when if that is known, and what is noted of it."""

    words: Spoken
    at: datetime | None
    noted: Mapping[str, Any]


def _messages_checked(messages: object) -> list[object]:
    if isinstance(messages, str):
        check_content(messages, max_bytes=max(4 * len(messages), 1))
    return listed(messages)


def _said(message: object, number: int) -> list[_Said]:
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
    return [_Said(words, when, {**about, **words.noted}) for words in spoken(found)]


def _of_another_shape(message: object, number: int, found: Mapping[str, Any]) -> list[_Said]:
    """Return what a message says that has no role and content, as those of Google and items of responses have none."""
    try:
        turns = turns_of([message])
    except ValueError:
        given = ", ".join(map(str, found))
        raise ValueError(f"message {number} is none: it needs a role and content, and has {given}") from None
    said = []
    for turn in turns:
        words = {"role": turn.role, "name": turn.actor, "content": turn.content}
        words["tool_calls"] = turn.metadata.get("tool_calls")
        answers = {name: turn.metadata[name] for name in _ANSWERS if name in turn.metadata}
        said += [_Said(one, turn.at, {**one.noted, **answers}) for one in spoken(words)]
    return said


def _turns(engine: Engine, scope: Scope, said: Sequence[_Said], given: MessageFields) -> list[Draft]:
    """Return the drafts of the turns; undated ones were said just now, one after the other, the last at this moment."""
    now = engine.clock.now()
    drafts = []
    for left, one in zip(reversed(range(len(said))), said, strict=True):
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


def _facts(
    engine: Engine, extractor: Extractor, turns: Sequence[tuple[_Said, Draft]], given: MessageFields
) -> list[Draft]:
    """Return the facts of each turn, trusted as it is; one that has to wait is kept whole, for its review."""
    drafts: list[Draft] = []
    context, written = "", 0
    for one, turn in turns:
        if turn.is_held:
            drafts.append(turn)
            continue
        dated = one.at is not None or "valid_from" in given  # else its facts are true from whenever they are stored
        origin = Origin(
            whole=turn if dated else replace(turn, valid_from=None),
            turn=_shown(one, turn),
            ref=turn.source_ref,
            kind=turn.kind if given.get("kind") else Kind.SEMANTIC,
        )
        facts = fact_drafts(engine, extractor, origin, limits=Limits(), context=context[-_CONTEXT:], first=written)
        drafts, written = drafts + facts, written + len(facts)
        context = f"{context[-_CONTEXT:]}{one.words.actor}: {turn.content}\n"
    return drafts


def _shown(one: _Said, whole: Draft) -> Turn:
    """Return a turn as an extractor is shown it: the user without a name is the view's, and a machine is nobody."""
    user = whole.scope.user if one.words.role == "user" else None
    actor = user if whole.actor == one.words.role else whole.actor
    return Turn(role=one.words.role, content=whole.content, actor=actor, at=whole.valid_from)


Outcome: TypeAlias = Remembered[Memory | None]
_REFUSED = (MemoryRejected, ValueError, TypeError, NotFound)


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
    for batch in _batches(iter(items), batch_size):
        results += _batch(engine, scope, batch, first=len(results), skips=skips, defaults=defaults)
    return results


def _batches(items: Iterator[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    while batch := list(islice(items, size)):
        yield batch


def _batch(
    engine: Engine,
    scope: Scope,
    batch: Sequence[Mapping[str, Any]],
    *,
    first: int,
    skips: bool,
    defaults: WriteFields,
) -> list[Outcome]:
    now = engine.clock.now()
    composed: list[Prepared | Remembered[None]] = []
    for number, item in enumerate(batch, start=first):
        try:
            composed.append(prepare(engine, _batches_checked(engine, scope, item, defaults), now))
        except _REFUSED as error:
            if not skips:
                error.add_note(f"item {number}: nothing of its batch was stored")
                raise
            composed.append(_rejected(error))
    stored = iter(_stored(engine, [item for item in composed if isinstance(item, Prepared)], now, skips=skips))
    return [next(stored) if isinstance(item, Prepared) else item for item in composed]


def _rejected(error: Exception) -> Remembered[None]:
    return Remembered(None, "rejected", Decision("reject", "0 admission", str(error)))


def _stored(engine: Engine, items: Sequence[Prepared], now: datetime, *, skips: bool) -> Sequence[Outcome]:
    """Store a batch at once; with `skips`, one that is refused only when it meets what is stored stops no other."""
    try:
        return store(engine, items, now=now)
    except _REFUSED as error:
        if not skips:
            raise
        if len(items) == 1:
            return [_rejected(error)]
    return [outcome for item in items for outcome in _stored(engine, [item], now, skips=True)]


def _batches_checked(engine: Engine, scope: Scope, item: Mapping[str, Any], defaults: WriteFields) -> Draft:
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
    _sources_known(engine, checked)
    return checked


def _sources_known(engine: Engine, item: Draft) -> None:
    if not item.derived_from:
        return
    where = within(item.scope).but(Test("id", "in", item.derived_from), Test("status", "ne", Status.FORGOTTEN))
    with engine.store.read(item.scope.org) as reader:
        found = {record.memory.id for record in reader.find(Record, where)}
    for source_id in item.derived_from:
        if source_id not in found:
            raise NotFound(source_id)
