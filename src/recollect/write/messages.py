"""Messages of a live conversation, in the shapes of the common chat APIs, kept as turns or as the facts in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from recollect.chatformats import turns_of
from recollect.chatformats.plain import listed, plain
from recollect.chatlogs import Spoken, is_message, noted, spoken, time_of
from recollect.engine import Engine
from recollect.models import Scope, Turn
from recollect.protocols import Extractor
from recollect.results import Remembered
from recollect.text import check_content
from recollect.timewords import parse_when
from recollect.write.draft import Draft, draft, gone_through, known_arguments
from recollect.write.extraction import Limits, Origin, fact_drafts
from recollect.write.pipeline import remember

_EXTRACT = ("auto", "turns", "facts")
_EACH_ITS_OWN = frozenset({"content", "key", "fact", "session"})
_ANSWERS = ("tool_call_id", "name", "success")  # which call a tool's result answers, and whether it failed
_CONTEXT = 2000  # characters of what was said before, for an extractor to know who "she" is


def remember_messages(
    engine: Engine,
    scope: Scope,
    messages: object,
    *,
    session: str | None,
    extract: str,
    extractor: Extractor,
    defaults: Mapping[str, Any],
) -> list[Remembered]:
    """Keep what messages say, all in one transaction; see `MemoryManager.remember_messages`."""
    if extract not in _EXTRACT:
        raise ValueError(f"extract is {extract!r}: it must be one of {', '.join(_EXTRACT)}")
    known_arguments(defaults, of="remember_messages", without=_EACH_ITS_OWN)
    given = {**gone_through(defaults), "session": session}
    said = [words for number, message in enumerate(_checked(messages)) for words in _said(message, number)]
    drafts = _turns(engine, scope, said, given)
    if extract == "facts":
        drafts = _facts(engine, scope, extractor, list(zip(said, drafts, strict=True)), given)
    return remember(engine, drafts) if drafts else []


@dataclass(frozen=True, slots=True)
class _Said:
    """What one speaker says in a message, when if that is known, and what is noted of it."""

    words: Spoken
    at: datetime | None
    noted: Mapping[str, Any]


def _checked(messages: object) -> list[object]:
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


def _turns(engine: Engine, scope: Scope, said: Sequence[_Said], given: Mapping[str, Any]) -> list[Draft]:
    """Return the drafts of the turns; undated ones were said just now, one after the other, the last at this moment."""
    now = engine.clock.now()
    drafts = []
    for left, one in zip(reversed(range(len(said))), said, strict=True):
        own = {
            "kind": "episodic",
            "source_type": one.words.source_type,
            "actor": one.words.actor,
            "valid_from": one.at or now - timedelta(microseconds=left),
        }
        metadata = {**one.noted, **(given.get("metadata") or {})}
        arguments = {**own, **given, "metadata": metadata}
        drafts.append(draft(one.words.text, **arguments, scope=scope, settings=engine.settings))
    return drafts


def _facts(
    engine: Engine,
    scope: Scope,
    extractor: Extractor,
    turns: Sequence[tuple[_Said, Draft]],
    given: Mapping[str, Any],
) -> list[Draft]:
    """Return the facts of each turn, trusted as it is; one that has to wait is kept whole, for its review."""
    drafts: list[Draft] = []
    context, written = "", 0
    for one, whole in turns:
        if whole.is_held:
            drafts.append(whole)
            continue
        arguments = {"source_type": one.words.source_type, "actor": one.words.actor, "valid_from": one.at, **given}
        arguments["metadata"] = whole.metadata
        origin = Origin(_shown(one, whole), whole.source_ref, arguments)
        facts = fact_drafts(
            engine, scope, extractor, origin, limits=Limits(), context=context[-_CONTEXT:], first=written
        )
        drafts, written = drafts + facts, written + len(facts)
        context = f"{context[-_CONTEXT:]}{one.words.actor}: {whole.content}\n"
    return drafts


def _shown(one: _Said, whole: Draft) -> Turn:
    """Return a turn as an extractor is shown it: the user without a name is the view's, and a machine is nobody."""
    user = whole.scope.user if one.words.role == "user" else None
    actor = user if whole.actor == one.words.role else whole.actor
    return Turn(role=one.words.role, content=whole.content, actor=actor, at=whole.valid_from)
