"""Preparation of a write: `draft` checks its arguments, `prepare` describes, parses and indexes the text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, NamedTuple, Unpack
from urllib.parse import unquote

from engrain import validation
from engrain.arguments import WriteFields
from engrain.config import Settings
from engrain.engine import Engine, SystemClock
from engrain.errors import MemorySecurityError, ProviderError, ScopeMissing
from engrain.graph.entity_store import NO_TOPICS, Topics, read_topics
from engrain.graph.extraction import CAUSAL
from engrain.guard import guard
from engrain.language.analyzer import in_use
from engrain.language.calendar import parse_when
from engrain.language.changes import MAY_CHANGE
from engrain.language.cues import importance, is_filler
from engrain.language.facts import beginning, stated_facts
from engrain.language.locales import has, has_any, union
from engrain.language.names import describes, has_names
from engrain.language.statements import LONGEST, Statement
from engrain.language.times import names_time
from engrain.language.tokens import content_pairs, index_counts, sentences
from engrain.lazy import Floats, Later, difflib, np
from engrain.model import memory as models
from engrain.model.choices import Resolve, Tier, checked_choice
from engrain.model.entities import TYPES, About
from engrain.model.memory import EMBED, ENRICH, UNCONFIRMED, Expiry, Fact, Job, Kind, Memory, Source, SourceType, Status
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.policies.scoring import word_count_importance
from engrain.protocols import Embedder, Judgement
from engrain.security.admission import BASE, CLASSES, Look, policies
from engrain.security.injection import IDENTIFIER, suspicious
from engrain.storage.interface import Transaction
from engrain.storage.rows import Mark, Record
from engrain.text import check_content, check_text, digest, normalise, pattern, shorten

SUSPECTED = "suspected injection: "  # the prefix of the status reason of a suspected injection
_DEFAULTS = {"domain": "general", "source_id": "", "source_ref": "", "tags": (), "derived_from": (), "pinned": False}
_LOGS = Later("engrain.chat.logs")
_FEWEST_WORDS = 4  # of an instruction
MOST_STEPS = 200
MOST_CONDITIONS = 64
_PROCEDURE_FIELDS = frozenset(field.name for field in fields(Procedure))
SAMPLE = 20_000  # the length of the prefix of a long text that is parsed, as the whole would take too long
UNREAD = Statement("")  # the statement of a text without effects
_KEPT = tuple("content scope valid_until kind key actor tags fact procedure domain pinned metadata".split())
"""The fields that a memory takes from its draft unchanged."""
_OPTIONAL = tuple("importance confidence tier fact valid_from valid_until ttl tags metadata pinned procedure".split())
_SPREAD, _LONGEST_SPREAD = 12, 200  # values, and characters of them, that one instruction may be spread over
_MARKS = pattern(rf"{IDENTIFIER}|[-_]")
_MARKS_OF_ONE = pattern(rf"{IDENTIFIER}|[-_+.,;]|(?<=[a-z])(?=[A-Z])")  # without blanks, any may be one
MAX_SUMMARY, MAX_KEYWORDS, MAX_DERIVED_TAGS = 150, 7, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The intended effect of a draft on known memories.

    `resolve` is False for stage 1 alone. `target` is the id of a memory that it replaces; with `authority` it may do so
    whatever its source. `judgement` is a decider's. `archived` excludes the text from reads. `reason` is the writer's.
    `unconfirmed` is a mined procedure, which needs a verdict. `copies` is the id of a memory that it repeats or
    changes, and derives from. `agent` is the agent of the view in which a memory of all agents is written: it is not
    compared with memories private to another agent. `found_by` and `judged_by` name the extractor and the judge of
    its fact, `notes` their messages. `closes` are the ids of memories that its text ends.
    """

    resolve: bool = True
    target: str | None = None
    authority: bool = False
    judgement: Judgement | None = None
    archived: bool = False
    reason: str = ""
    unconfirmed: bool = False
    copies: str | None = None
    agent: str | None = None
    found_by: str = ""
    judged_by: str = ""
    notes: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()


PLAIN = Intent()  # the intent of a write without such arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory to write, all values checked; `suspicions` and `waits` quarantine it, `redacted` names what it lost."""

    content: str
    scope: models.Scope
    kind: Kind
    key: str | None = None
    actor: str | None = None
    domain: str = "general"
    source_type: SourceType = SourceType.LLM_GENERATED
    source_origin: str = ""
    source_id: str = ""
    source_ref: str = ""
    fact: Fact | None = None
    importance: float | None = None
    confidence: float | None = None
    tier: Tier | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ttl: timedelta | None = None
    pinned: bool = False
    suspicions: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    intent: Intent = PLAIN
    about: About | None = None
    procedure: Procedure | None = None

    @property
    def is_quarantined(self) -> bool:
        """Whether it will be quarantined for its text."""
        return bool(self.suspicions or self.waits)


def checked_source(text: str, name: str) -> str:
    """Return the id or the reference of a source: a text of at most 2,048 characters."""
    if len(check_text(text, what=name)) > 2048:
        raise ValueError(f"{name} is longer than 2,048 characters")
    return text


CHECKS: Mapping[str, Callable[[Any, str], Any]] = {  # converts an argument of a write to its final type, or raises
    **dict.fromkeys(("key", "actor", "domain"), validation.identifier),
    **dict.fromkeys(("source_id", "source_ref"), checked_source),
    "fact": lambda value, _: validation.checked_fact(value),
    **dict.fromkeys(("importance", "confidence"), validation.checked_share),
    "tier": lambda value, _: validation.checked_tier(value),
    "tags": lambda value, _: validation.checked_tags(value),
    "metadata": lambda value, _: validation.checked_metadata(value),
    "derived_from": validation.names,
    **dict.fromkeys(("valid_from", "valid_until"), lambda value, name: parse_when(value, name=name)),
    "pinned": validation.checked_bool,
}


def classify(source_type: object, origins: Mapping[str, str]) -> tuple[SourceType, str]:
    """Return the class of a `source_type`, by `origins` or as external data, and its own word, "" for a class."""
    name = check_text(source_type, what="source_type")
    if name in CLASSES:
        return CLASSES[name], ""
    if not name.strip() or len(name) > 256:
        raise ValueError("source_type must be 1 to 256 characters: a trust class or a word of your own")
    if name not in origins:
        usual = re.sub(r"\W+", "_", name.strip().lower())
        named = _LOGS.role_named(usual)[1]
        if near := [named] if named in CLASSES else difflib.get_close_matches(usual, CLASSES, 1, 0.85):
            raise ValueError(f"unknown source_type {name!r}: did you mean {near[0]}? settings.origins maps others")
    return SourceType(origins.get(name, SourceType.EXTERNAL_DATA)), name


def draft(
    content: str,
    *,
    scope: models.Scope,
    settings: Settings,
    intent: Intent = PLAIN,
    about: About | None = None,
    **fields: Unpack[WriteFields],
) -> Draft:
    """Check the arguments of a write; raises `GovernanceViolation` for content, else `ValueError` or `TypeError`."""
    given: Mapping[str, Any] = fields
    text = check_content(content, max_bytes=settings.max_content_bytes)
    if (session := fields.get("session")) is not None:
        scope = validation.narrowed(scope, session=session)
    kind = Kind.SEMANTIC if scope.session is None else Kind.EPISODIC
    if (wanted := fields.get("kind")) is not None:
        kind = validation.checked_kind(wanted)
    if kind is Kind.WORKING and scope.session is None:
        raise ScopeMissing("working memory belongs to a session: give session=...")
    trust_class, origin = classify(fields.get("source_type", "llm_generated"), settings.origins)
    passed = {name: value for name, value in given.items() if value is not _DEFAULTS.get(name)}
    checked: dict[str, Any] = {name: CHECKS[name](value, name) for name, value in passed.items() if name in CHECKS}
    start, end = checked.get("valid_from"), checked.get("valid_until")
    if start is not None and end is not None and end < start:
        raise ValueError(f"valid_until {end.isoformat()} is before valid_from {start.isoformat()}")
    resolve = fields.get("resolve")
    resolves = (settings.resolve if resolve is None else checked_choice(resolve, "resolve", Resolve)) == "auto"
    item = Draft(
        content=text,
        scope=scope,
        kind=kind,
        source_type=trust_class,
        source_origin=origin,
        ttl=None if (ttl := fields.get("ttl")) is None else validation.checked_ttl(ttl, kind),
        intent=intent if intent.resolve == resolves else replace(intent, resolve=resolves),
        about=about,
        **checked,
    )
    return screened_draft(item, settings)


def is_open(settings: Settings) -> bool:
    """Return whether the settings keep secrets and personal data unchanged."""
    return settings.secrets == "allow" and settings.personal_data == "allow"


def screened_draft(item: Draft, settings: Settings) -> Draft:
    """Return a draft with the suspicions about its fields, redacted by the policies for secrets."""
    source = item.source_origin, item.source_id, item.source_ref
    names = item.key, item.actor, item.domain, source, item.fact, item.scope.session, item.scope.agent, item.tags
    beside = tuple(filter(None, texts_in(tuple(filter(None, (*names, item.metadata, item.procedure))))))
    found = screened(item.content, settings, item.source_type, source_id=item.source_id)
    found += screened(beside, settings, item.source_type, source_id=item.source_id)
    if found or item.suspicions:
        item = replace(item, suspicions=tuple(dict.fromkeys(found)))
    return item if is_open(settings) else _under_policies(item, settings)


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts in a value: the keys and values of mappings, the items of lists, the fields of records."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from (*texts_in(key), *texts_in(each))
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from texts_in(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts_in(getattr(value, each.name))


def signs_beside(values: Iterable[str], settings: Settings, source_type: SourceType) -> tuple[str, ...]:
    """Return the suspicions about the fields beside a text; over several fields only unambiguous signs count."""
    marks = (each if " " in each else unquote(each) for each in values)
    lines = [" ".join((_MARKS if " " in each else _MARKS_OF_ONE).sub(r"\1 ", each).split()) for each in marks]
    long = "\n".join(line for line in lines if line.count(" ") >= _FEWEST_WORDS - 1)
    spread = "\n".join(" ".join(lines[at : at + _SPREAD])[:_LONGEST_SPREAD] for at in range(len(lines) - 1))
    found = suspicious(long, source_type, settings)
    return found or (suspicious(spread, SourceType.USER_INPUT, settings) if spread.count(" ") >= _FEWEST_WORDS else ())


def screen_names(values: Iterable[str], settings: Settings) -> None:
    """Raise a `MemorySecurityError` for names that look like instructions; unlike a memory, a name cannot wait."""
    found = signs_beside(values, settings, SourceType.LLM_GENERATED)
    if found:
        advice = 'nothing was stored; give it another one, or open the store with injection="allow"'
        message = f"a name or a reason looks like an attack on its reader ({', '.join(found)}): {advice}"
        raise MemorySecurityError(message, code="MEMORY_WRITE_BLOCKED", reasons=found)


def _under_policies(item: Draft, settings: Settings) -> Draft:
    """Return a draft redacted by the policies for secrets and personal data, with their findings."""
    look = Look(policies(settings))
    item = replace(
        item,
        content=look.text(item.content),
        source_ref=look.text(item.source_ref),
        fact=look.fact(item.fact),
        tags=tuple(dict.fromkeys(look.texts(item.tags))),
        metadata=look.value(item.metadata),
        procedure=None if item.procedure is None else look.procedure(item.procedure),
    )
    look.settle(item.source_id)
    waits, redacted = tuple(dict.fromkeys((*item.waits, *look.waits))), (*item.redacted, *look.redacted)
    return replace(item, waits=waits, redacted=tuple(dict.fromkeys(redacted)))


def screened_text(text: str, settings: Settings) -> str:
    """Return a text redacted by the policies, before it is split; its parts are screened for quarantine as drafts."""
    if is_open(settings):
        return text
    look = Look(policies(settings))
    text = look.text(text)
    look.settle()
    return text


def screened(
    text: str | Iterable[str], settings: Settings, source_type: SourceType, *, source_id: str = ""
) -> tuple[str, ...]:
    """Return the suspicions about a text, or fields beside one; a `MemorySecurityError` if they refuse it."""
    if isinstance(text, str):
        found = suspicious(text, source_type, settings)
    else:
        found = signs_beside(text, settings, source_type)
    if found and settings.injection == "refuse":
        raise refused(found, source_id)
    return found


def suspected(found: Sequence[str]) -> str:
    """Return the status reason of a text quarantined for the findings of the injection detector."""
    return f"{SUSPECTED}{', '.join(found)}"


def refused(reasons: Sequence[str], source_id: str) -> MemorySecurityError:
    """Return the error of a write that the policy against injection refuses."""
    advice = 'nothing was stored; if it is intended, remember it under injection="quarantine" and validate it'
    message = f"the text looks like an attack on its reader ({', '.join(reasons)}): {advice}"
    return MemorySecurityError(message, code="MEMORY_WRITE_BLOCKED", reasons=reasons, source_id=source_id)


def withheld(reasons: Sequence[str], source_id: str) -> MemorySecurityError:
    """Return the error of an edit that would add content to be quarantined to an admitted memory."""
    advice = "nothing was changed; remember it as a memory of its own"
    message = f"the edit would be quarantined ({'; '.join(reasons)}): {advice}"
    return MemorySecurityError(message, code="QUARANTINED", reasons=reasons, source_id=source_id)


def checked_procedure(procedure: Procedure | Mapping[str, Any]) -> Procedure:
    """Return a procedure, or a mapping of its fields, checked; `TypeError` or `ValueError` name the invalid part."""
    if isinstance(procedure, Mapping):
        unknown = sorted(map(str, procedure.keys() - _PROCEDURE_FIELDS))
        if unknown or "name" not in procedure:
            wrong = f"has no {unknown[0]!r}" if unknown else "needs a name"
            raise TypeError(f"a procedure {wrong}: its fields are {', '.join(sorted(_PROCEDURE_FIELDS))}")
        procedure = Procedure.from_dict(procedure)
    if not isinstance(procedure, Procedure):
        raise TypeError(f"a procedure is a Procedure or a mapping of its fields, not {type(procedure).__name__}")
    if len(procedure.steps) > MOST_STEPS or len(procedure.trigger_conditions) > MOST_CONDITIONS:
        raise ValueError(f"a procedure has at most {MOST_STEPS} steps and {MOST_CONDITIONS} trigger conditions")
    if max(procedure.success_count, procedure.failure_count) >= 2**31:
        raise ValueError("success_count and failure_count are larger than any count grows")
    last_used: object = procedure.last_used
    if last_used is not None and (not isinstance(last_used, datetime) or last_used.utcoffset() is None):
        raise ValueError(f"last_used is {last_used!r}: it must be a time with an offset")
    return replace(
        procedure,
        name=validation.identifier(procedure.name, "a procedure's name"),
        description=check_text(procedure.description, what="a procedure's description"),
        trigger_conditions=tuple(check_text(one, what="a trigger condition") for one in procedure.trigger_conditions),
        steps=tuple(map(_checked_step, procedure.steps)),
        confidence=float(procedure.confidence),
        last_used=None if last_used is None else last_used.astimezone(UTC),
        metadata=validation.checked_metadata(procedure.metadata),
    )


def _checked_step(step: ProcedureStep) -> ProcedureStep:
    outcome = step.expected_outcome
    return ProcedureStep(
        action=check_text(step.action, what="a step's action"),
        tool_name=None if step.tool_name is None else validation.identifier(step.tool_name, "a step's tool_name"),
        parameters_template=validation.checked_metadata(step.parameters_template),
        expected_outcome=None if outcome is None else check_text(outcome, what="a step's expected_outcome"),
    )


def text_of(procedure: Procedure) -> str:
    """Return a procedure as readable text: name, description, conditions, numbered steps."""
    return "\n".join([*heading(procedure), *numbered(procedure)])


def heading(procedure: Procedure) -> Iterator[str]:
    """Yield the lines before the steps."""
    yield _one_line(procedure.name)
    if procedure.description.strip():
        yield _one_line(procedure.description)
    conditions = [_one_line(condition) for condition in procedure.trigger_conditions if condition.strip()]
    if conditions:
        yield f"When: {'; '.join(conditions)}"


def numbered(procedure: Procedure) -> Iterator[str]:
    """Yield the steps, each on one line, numbered from 1."""
    for number, step in enumerate(procedure.steps, start=1):
        line = f"{number}. {_one_line(step.action)}"
        if step.tool_name is not None:
            given = json.dumps(dict(step.parameters_template), ensure_ascii=False) if step.parameters_template else ""
            line += f": {_one_line(step.tool_name)}({_one_line(given)})"
        if step.expected_outcome is not None and step.expected_outcome.strip():
            line += f" -> {_one_line(step.expected_outcome)}"
        yield line


def _one_line(text: str) -> str:
    return " ".join(text.split())


def identity(memory: Memory) -> str:
    """Return the key under which a live memory is unique in its namespace.

    Semantic and procedural memories are the same statement if their normalised texts are equal. Episodic and working
    ones are events: session, actor and event time count too, because the same words at another time are another event.
    The actor of a text in the first person counts too: two people who like tea are two facts. So does a caller's key.
    """
    parts = [memory.kind.value, memory.scope.agent or "", memory.key or "", normalise(memory.content)]
    if memory.kind in (Kind.EPISODIC, Kind.WORKING):
        parts += [memory.scope.session or "", memory.actor or "", memory.valid_from.isoformat()]
    elif memory.actor is not None and has_any(memory.content, "first_person_words"):
        parts.append(memory.actor)
    return digest(*parts)[:40]


def holds_its_slot(memory: Memory, now: datetime) -> bool:
    """Return whether a memory is live or quarantined, so that another one with its identity is a duplicate."""
    expires = memory.expires_at if memory.stored_status is Status.ACTIVE else None
    ended = any(end is not None and end <= now for end in (memory.valid_until, expires))
    is_kept = memory.stored_status in (Status.ACTIVE, Status.QUARANTINED) and not ended
    return is_kept and (memory.superseded_by is None or not memory.is_superseded_at(now))


def merged(old: Memory, new: Memory) -> Memory:
    """Return a known memory merged with an identical one.

    It gets the new tags, the more trusted source, one more witness, a higher confidence, an earlier beginning, and a
    longer life: the later end of the two, or none. A successor keeps its beginning, where its predecessor ends.
    """
    one_more = (old.source.origin, old.source.id, old.source.ref) != (new.source.origin, new.source.id, new.source.ref)
    if old.status is Status.QUARANTINED:  # only a source with equal trust is a witness of it
        one_more = one_more and new.trust >= old.trust - 1e-9
    ends = [models.given_end(each) for each in (old, new)]
    longest = None if None in ends else max(at for at in ends if at is not None)
    own = min(old.trust, BASE[old.source.type])  # without the share of its witnesses
    trusted = new.trust > own and old.stored_status is Status.ACTIVE
    source = replace(new.source, content_hash=old.source.content_hash, signature=old.source.signature)
    tags = old.tags
    if new.status is not Status.QUARANTINED:  # entity type tags last
        both = sorted(dict.fromkeys((*old.tags, *new.tags)), key=TYPES.__contains__)
        tags = tuple(both[: max(validation.MAX_TAGS, len(old.tags))])
    return replace(
        old,
        source=source if trusted else old.source,
        trust=max(new.trust, old.trust) if trusted else old.trust,
        tags=tags,
        confidence=max(old.confidence, new.confidence),
        evidence_count=old.evidence_count + one_more,
        links=(*old.links, *added_links(old, new)),
        valid_from=old.valid_from if old.supersedes else min(old.valid_from, new.valid_from),
        expires_at=longest,
        expiry=old.expiry if longest is not None or old.expires_at is None else Expiry.NONE,
    )


def added_links(old: Memory, new: Memory) -> tuple[models.Link, ...]:
    """Return the links of `new` that `old` lacks; none to itself."""
    return tuple(link for link in new.links if link not in old.links and link.memory_id != old.id)


class Description(NamedTuple):
    """The derived fields of a text."""

    summary: str
    keywords: tuple[str, ...]
    importance: float


def describe(content: str, settings: Settings) -> Description:
    """Derive summary, keywords and importance from a text.

    The importance is that of the configured scorer; 0.5 if a caller's own fails. The keywords are up to
    7 words, the most specific first, in their own case: each is weighted by its count times the typical rarity of
    words of its shape: names, numbers and long words are rare. Rarity in the store does not count, so that a write
    has the same cost and result in a store of any size.
    """
    pairs = content_pairs(content[:SAMPLE])
    scorer = settings.importance
    if scorer == "word_count":
        rated = word_count_importance(content)
    elif isinstance(scorer, str):
        rated = importance(content, pairs)
    else:
        value = guard("the importance function", lambda: float(scorer(content)))
        rated = 0.5 if value is None or math.isnan(value) else min(max(value, 0.0), 1.0)
    surfaces: dict[str, str] = {}
    worth: dict[str, float] = {}
    for surface, term in pairs:
        if term in worth:
            worth[term] += 0.6 * _rarity(surfaces[term])
        else:
            surfaces[term], worth[term] = surface, _rarity(surface)
    best = sorted(worth, key=worth.__getitem__, reverse=True)[:MAX_KEYWORDS]
    return Description(summary(content[:SAMPLE]), tuple(surfaces[term] for term in best), rated)


def summary(content: str) -> str:
    """Return the first sentence that is no filler, in at most 150 characters."""
    if len(content) <= MAX_SUMMARY and "\n" not in content:
        return content.strip()
    parts = sentences(content)
    return shorten(next((part for part in parts if not is_filler(part)), parts[0] if parts else content), MAX_SUMMARY)


@lru_cache(32_768)
def _rarity(surface: str) -> float:
    rarity = 1.0 + min(len(surface), 12) / 6
    if surface[:1].isupper():
        rarity += 1.0
    return rarity + 0.8 if any(character.isdigit() for character in surface) else rarity


@lru_cache(4096)
def probes(keywords: tuple[str, ...]) -> list[str]:
    """Return the index terms by which memories with these keywords are looked up."""
    return list(dict.fromkeys(term for _, term in content_pairs(" ".join(keywords))))


def derived_tags(given: Sequence[str], domain: str, types: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the caller's tags, then the domain unless it is `general`, and the types of entities."""
    derived = [domain, *types] if domain != "general" else types
    return tuple(dict.fromkeys([*given, *derived[:MAX_DERIVED_TAGS]]))


def named(memory: Memory, about: Topics, before: Topics = NO_TOPICS) -> Memory:
    """Return a memory with the names of its topics, and tagged with their types instead of those `before`."""
    own = tuple(tag for tag in memory.tags if tag not in before.tags)
    return replace(memory, entities=about.names, tags=derived_tags(own, memory.domain, about.tags))


def index_text(memory: Memory, *, situate: bool, dated: bool = True) -> str:
    """Return the text that is indexed, with a line of context for fact or tags, and its year if it is `dated`."""
    topics = [tag for tag in memory.tags if tag not in TYPES]
    if not situate or (memory.fact is None and not topics):
        return memory.content
    parts = []
    if memory.fact is not None:
        parts.append(f"{memory.fact.subject} {memory.fact.predicate.replace('_', ' ')} {memory.fact.object}")
    if dated:
        parts.append(f"as of {memory.valid_from.date().isoformat()}")
    if topics:
        parts.append(f"topics: {', '.join(topics)}")
    return f"{memory.content}\n[Context: {'; '.join(parts)}]"


class Indexed(NamedTuple):
    """The terms of a text with their counts, how many there are, and its `Mark`s."""

    terms: Mapping[str, int]
    length: int
    marks: int


def index(memory: Memory, *, situate: bool) -> Indexed:
    """Count the index terms of a memory and set the marks of its text that ranking uses."""
    terms = index_counts(index_text(memory, situate=situate, dated=False))
    sample = memory.content[:SAMPLE]
    marks = (
        (Mark.QUESTION, memory.content.rstrip().endswith(("?", "？", "؟"))),
        (Mark.TIME_WORDS, names_time(sample)),
        (Mark.NAMES, has_names(sample)),
        (Mark.PLACE, has(sample, "states_place")),
        (Mark.DESCRIPTION, describes(sample)),
        (Mark.SUMMARY, memory.metadata.get("is_summary") is True),
    )
    return Indexed(terms, sum(terms.values()), sum(int(mark) for mark, is_set in marks if is_set))


def stated(settings: Settings, memory: Memory) -> Statement:
    """Return the statement of a memory's text."""
    read = in_use.analyzer.statement(memory.content, speaker=models.speaker(memory), languages=settings.languages)
    if read.fact is None and not read.ended:
        return read
    gone = tuple(models.with_user(each, memory.scope.user) or each for each in read.ended)
    return replace(read, fact=models.with_user(read.fact, memory.scope.user), ended=gone)


def fact_in(settings: Settings, memory: Memory) -> Fact | None:
    """Return the only fact that a memory's text states, None if it states none or several."""
    if (fact := stated(settings, memory).fact) is not None or len(memory.content) > LONGEST:
        return fact
    stated_here = stated_facts(memory.content, models.speaker(memory), settings.languages)
    found = {models.with_user(each.fact, memory.scope.user) for each in stated_here} - {None}
    return found.pop() if len(found) == 1 else None


def begun(old: Memory, text: str) -> datetime:
    """Return when a memory with a new text begins: at the date of that, if its beginning was that of its old text."""
    if old.stated_at == old.valid_from:  # it was given, or is the time of the write
        return old.valid_from
    before, after = (beginning(each, models.speaker(old), old.stated_at) for each in (old.content, text))
    is_read = after is not None and before == old.valid_from and after <= (old.valid_until or after)
    return min(after, old.stated_at) if after is not None and is_read else old.valid_from


NO_TERMS = Indexed({}, 0, 0)


class Prepared(NamedTuple):
    """A memory ready to be committed: described, parsed, indexed and embedded.

    `given` names the fields that its caller gave, `mentions` are its entities, `redacted` what was removed from its
    text. `identity` is the key of the only live memory. `sources` are the memories it derives from, once looked up.
    `begins` is the date that its text gives to the change that it states.
    """

    memory: Memory
    indexed: Indexed = NO_TERMS
    statement: Statement = UNREAD
    derived_from: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    intent: Intent = PLAIN
    mentions: Topics = NO_TOPICS
    redacted: tuple[str, ...] = ()
    identity: str = ""
    vector: Floats | None = None
    sources: tuple[Record, ...] = ()
    begins: datetime | None = None

    @property
    def writer(self) -> models.Scope:
        """The scope of its writer: its own, or for a memory of all agents that of the writing agent."""
        scope = self.memory.scope
        return scope if self.intent.agent is None else replace(scope, agent=self.intent.agent)

    @property
    def is_marked(self) -> bool:
        """Whether its text states a change, a correction or a negation."""
        return self.statement.change or self.statement.correction or self.statement.negation


def prepare(engine: Engine, item: Draft, now: datetime) -> Prepared:
    """Return the memory of a draft, without its vector. Pure but for the new id."""
    settings = engine.settings
    described = describe(item.content, settings)
    status, status_reason = Status.ACTIVE, ""
    if item.suspicions or item.waits:
        suspicious = [suspected(item.suspicions)] if item.suspicions else []
        status, status_reason = Status.QUARANTINED, "; ".join((*suspicious, *item.waits))
    elif item.intent.unconfirmed:
        status, status_reason = Status.QUARANTINED, UNCONFIRMED
    elif item.intent.archived:
        status, status_reason = Status.ARCHIVED, "kept beside the memory that it was merged into"
    starts = item.valid_from or now
    if item.valid_until is not None and item.valid_until < starts:
        raise ValueError(f"valid_until {item.valid_until.isoformat()} has passed: give valid_from too, when it began")
    try:
        expires_at = None if item.ttl is None else now + item.ttl
    except OverflowError:
        raise ValueError(f"ttl of {item.ttl} reaches past the year 9999: leave it out") from None
    memory = Memory(
        id=engine.new_id("mem"),
        recorded_at=now,
        updated_at=now,
        valid_from=starts,
        expires_at=expires_at,
        read_at=None if isinstance(engine.clock, SystemClock) else now,
        expiry=Expiry.NONE if item.ttl is None else Expiry.GIVEN,
        summary=described.summary,
        keywords=described.keywords,
        tier=item.tier or "B",
        importance=described.importance if item.importance is None else item.importance,
        confidence=1.0 if item.confidence is None else item.confidence,
        source=Source(item.source_type, item.source_origin, item.source_id, item.source_ref, digest(item.content)),
        trust=BASE[item.source_type],
        status=status,
        status_reason=status_reason,
        **{name: getattr(item, name) for name in _KEPT},
    )
    by_writer = item.about is not None and item.about.triples  # then no text has to be parsed for statements
    statement = UNREAD if status is Status.QUARANTINED or by_writer else stated(settings, memory)
    if memory.fact is None and statement.fact is not None:
        memory = replace(memory, fact=statement.fact)
    mentions = read_topics(memory, engine.packs, about=item.about, fact_given=item.fact is not None)
    memory = named(memory, mentions)
    values = {name: getattr(item, name) for name in _OPTIONAL}
    given = {"content", *(name for name, value in values.items() if value or isinstance(value, float))}
    if item.domain != "general":
        given.add("domain")
    indexed, names_given = index(memory, situate=settings.situate), frozenset(given)
    new = Prepared(memory, indexed, statement, item.derived_from, names_given, item.intent, mentions, item.redacted)
    is_read = statement is not UNREAD and memory.kind is Kind.SEMANTIC and len(memory.content) <= LONGEST
    is_read = is_read and (
        has_any(memory.content, *MAY_CHANGE) or not union("since_words").isdisjoint(memory.content.lower().split())
    )
    if is_read and memory.valid_until is None and (item.derived_from or item.valid_from is None):
        new = new._replace(begins=beginning(memory.content, models.speaker(memory), starts))
    return new


def embedded(engine: Engine, prepared: Sequence[Prepared]) -> list[Prepared]:
    """Return prepared memories with their identities, and with the vectors of their texts, if any."""
    texts = [index_text(new.memory, situate=engine.settings.situate) for new in prepared]
    return [
        new._replace(identity=identity(new.memory), vector=vector)
        for new, vector in zip(prepared, embed(engine.embedder, texts), strict=True)
    ]


def embed(embedder: Embedder | None, texts: Sequence[str]) -> list[Floats | None]:
    """Return a vector for each text, or None for all of them if the embedder is slow, missing or fails."""
    if embedder is None or not texts or not getattr(embedder, "inline", True):
        return [None] * len(texts)
    rows = guard(f"embedder {embedder.id}", partial(vectors, embedder, texts))
    return [None] * len(texts) if rows is None else list(rows)


def vectors(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return one vector per text; raises `ProviderError` for an invalid result."""
    rows = np.asarray(embedder.embed(texts), np.float32)
    shape = len(texts), embedder.dimensions
    if rows.shape != shape:
        raise ProviderError(f"embedder {embedder.id} gave an array of shape {rows.shape}, not {shape}")
    if not np.isfinite(rows).all():
        raise ProviderError(f"embedder {embedder.id} gave numbers that are not finite")
    return rows


def embed_job(new_id: Callable[[str], str], memory: Memory, now: datetime) -> Job:
    """Return the job that embeds a memory later."""
    return Job(id=new_id("job"), kind=EMBED, org=memory.scope.org, memory_id=memory.id, run_at=now)


def is_described(engine: Engine, memory: Memory, now: datetime) -> bool:
    """Return whether a language model describes a memory, by `settings.enrich`: a live, uncontested, lasting one."""
    chosen = engine.settings.enrich
    if chosen == "off" or (chosen == "threats" and memory.domain not in CAUSAL) or memory.kind is Kind.WORKING:
        return False
    current = memory.as_of_clock(now)
    return current.stored_status is Status.ACTIVE and not current.is_contested and not current.is_superseded_at(now)


def job_of(memory_id: str) -> str:
    """Return the id of the enrichment job of a memory; it has at most one."""
    return f"job_{ENRICH}_{memory_id}"


def put_jobs(engine: Engine, transaction: Transaction, memories: Iterable[Memory], now: datetime) -> None:
    """Queue the description of memories in the transaction that writes them; nothing without a language model."""
    if engine.llm is None:
        return
    due = (memory for memory in memories if is_described(engine, memory, now))
    jobs = [Job(job_of(memory.id), ENRICH, memory.scope.org, memory.id, now) for memory in due]
    if jobs:
        transaction.put(*jobs)
        engine.counters.queued += len(jobs)
