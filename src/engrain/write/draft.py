"""A write, checked: the arguments of `remember` in their final types, before anything is touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from engrain.config import Settings
from engrain.errors import MemorySecurityError, ScopeMissing
from engrain.language.dates import parse_when
from engrain.model.choices import KindName, Resolve, SourceTypeName, Tier, checked_choice
from engrain.model.entities import About
from engrain.model.memory import Fact, Kind, Memory, Scope, SourceType
from engrain.model.procedure import Procedure
from engrain.model.scope import identifier, narrowed
from engrain.protocols import Judgement
from engrain.security.admission import Look, is_open
from engrain.security.injection.detector import suspicions
from engrain.security.trust import classify
from engrain.text import check_content, check_text
from engrain.validation import (
    Lifetime,
    When,
    checked_bool,
    checked_fact,
    checked_kind,
    checked_metadata,
    checked_share,
    checked_tags,
    checked_tier,
    checked_ttl,
    names,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What a draft shall do to what is known.

    `resolve` is False for stage 1 alone. `target` is the id of a memory that it takes the place of; `authority` says
    that the application itself decides that, whatever the source. `judgement` is a decider's. `archived` keeps the text
    out of reads. `reason` is the writer's own. `unconfirmed` is a mined procedure, which waits for a verdict. `copies`
    is the id of a memory that it repeats or changes, and derives from. `agent` is the agent of the view in which a
    memory of all agents is written: it is not compared with what another agent has alone. `found_by` and `judged_by`
    are who found the fact in a text and who judged it, and `notes` what to report of that.
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


SUSPECTED = "suspected injection: "
"""How the status of a text that looks like an attack says why it is quarantined."""
PLAIN = Intent()
"""The intent of a write without arguments for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is to be remembered, every value checked and in its final type."""

    content: str
    scope: Scope
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
    def is_held(self) -> bool:
        """It will wait for a verdict, because of what its text says or holds."""
        return bool(self.suspicions or self.waits)


def draft(
    content: str,
    *,
    scope: Scope,
    settings: Settings,
    kind: KindName | Kind | None = None,
    key: str | None = None,
    domain: str = "general",
    source_type: SourceTypeName | str = "llm_generated",
    source_id: str = "",
    source_ref: str = "",
    session: str | None = None,
    actor: str | None = None,
    fact: Fact | Sequence[str] | None = None,
    importance: float | None = None,
    confidence: float | None = None,
    tier: Tier | None = None,
    tags: Iterable[str] = (),
    metadata: Mapping[str, Any] | None = None,
    derived_from: Iterable[str] = (),
    valid_from: When | None = None,
    valid_until: When | None = None,
    ttl: Lifetime | None = None,
    pinned: bool = False,
    resolve: Resolve | None = None,
    intent: Intent = PLAIN,
    about: About | None = None,
) -> Draft:
    """Check the arguments of a write; raises `GovernanceViolation` for content, `ValueError` or `TypeError` else."""
    text = check_content(content, max_bytes=settings.max_content_bytes)
    scope = narrowed(scope, session=session) if session is not None else scope
    chosen = _kind(kind, scope)
    trust_class, origin = classify(source_type, settings.origins)
    start, end = _interval(valid_from, valid_until)
    item = Draft(
        content=text,
        scope=scope,
        kind=chosen,
        key=None if key is None else identifier(key, "key"),
        actor=None if actor is None else identifier(actor, "actor"),
        domain=identifier(domain, "domain"),
        source_type=trust_class,
        source_origin=origin,
        source_id=_short(source_id, "source_id"),
        source_ref=_short(source_ref, "source_ref"),
        fact=checked_fact(fact),
        importance=checked_share(importance, "importance"),
        confidence=checked_share(confidence, "confidence"),
        tier=checked_tier(tier),
        tags=checked_tags(tags),
        metadata=checked_metadata(metadata),
        derived_from=names(derived_from, "derived_from"),
        valid_from=start,
        valid_until=end,
        ttl=checked_ttl(ttl, chosen),
        pinned=checked_bool(pinned, "pinned"),
        intent=replace(intent, resolve=_resolves(resolve, settings)),
        about=about,
    )
    return screened_draft(item, settings)


def with_text(item: Draft, content: str, settings: Settings, *, source_ref: str) -> Draft:
    """Return the draft of another text with all else that `item` says, checked and screened as a new one."""
    text = check_content(content, max_bytes=settings.max_content_bytes)
    return screened_draft(replace(item, content=text, source_ref=_short(source_ref, "source_ref")), settings)


def screened_draft(item: Draft, settings: Settings) -> Draft:
    """Return a draft with what is suspicious in its text, and as the policies for secrets let it be kept."""
    suspicious = screened(item.content, settings, item.source_type, source_id=item.source_id)
    item = replace(item, suspicions=suspicious)
    return item if is_open(settings) else as_kept(item, settings)


def as_kept(item: Draft, settings: Settings) -> Draft:
    """Return a draft as the policies for secrets and personal data let it be kept, and what they found."""
    look = Look.under(settings)
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
    waits, redacted = (
        tuple(dict.fromkeys(both)) for both in ((*item.waits, *look.waits), (*item.redacted, *look.redacted))
    )
    return replace(item, waits=waits, redacted=redacted)


def screened_text(text: str, settings: Settings) -> str:
    """Return a text as it may be kept, before it is split; its parts are screened for what has to wait, as drafts."""
    if is_open(settings):
        return text
    look = Look.under(settings)
    text = look.text(text)
    look.settle()
    return text


def with_procedure(item: Draft, procedure: Procedure, settings: Settings) -> Draft:
    """Return the draft of a procedure's text with the procedure itself."""
    item = replace(item, procedure=procedure)
    return item if is_open(settings) else as_kept(item, settings)


def _kind(kind: KindName | Kind | None, scope: Scope) -> Kind:
    chosen = checked_kind(kind) if kind is not None else Kind.EPISODIC if scope.session is not None else Kind.SEMANTIC
    if chosen is Kind.WORKING and scope.session is None:
        raise ScopeMissing("working memory belongs to a session: give session=...")
    return chosen


def _interval(valid_from: When | None, valid_until: When | None) -> tuple[datetime | None, datetime | None]:
    start = None if valid_from is None else parse_when(valid_from, name="valid_from")
    end = None if valid_until is None else parse_when(valid_until, name="valid_until")
    if start is not None and end is not None and end < start:
        raise ValueError(f"valid_until {end.isoformat()} lies before valid_from {start.isoformat()}")
    return start, end


def _resolves(resolve: Resolve | None, settings: Settings) -> bool:
    chosen = settings.resolve if resolve is None else resolve
    return bool(checked_choice(chosen, "resolve", Resolve) == "auto")


def screened(text: str, settings: Settings, source_type: SourceType, *, source_id: str = "") -> tuple[str, ...]:
    """Return what is suspicious in a text from such a source; a `MemorySecurityError` where that is refused."""
    if settings.injection == "allow":
        return ()
    found = suspicions(text, source_type)
    if found and settings.injection == "refuse":
        raise refused(found, source_id)
    return found


def suspected(suspicions: Sequence[str]) -> str:
    """Return why a text is quarantined, as its status says it."""
    return f"{SUSPECTED}{', '.join(suspicions)}"


def refusal(memory: Memory) -> MemorySecurityError:
    """Return the error of an edit that would be quarantined: nothing is changed by it."""
    if memory.status_reason.startswith(SUSPECTED):
        return refused((memory.status_reason,), memory.source.id)
    return withheld((memory.status_reason,), memory.source.id)


def withheld(reasons: Sequence[str], source_id: str) -> MemorySecurityError:
    """Return the error of an edit that would bring into an admitted memory what has to wait."""
    said = "; ".join(reasons)
    return MemorySecurityError(
        f"the edit would be quarantined ({said}): nothing was changed; remember it as a memory of its own",
        code="QUARANTINED",
        reasons=reasons,
        source_id=source_id,
    )


def refused(reasons: Sequence[str], source_id: str) -> MemorySecurityError:
    """Return the error of a write that the policy against injection refuses."""
    said = ", ".join(reasons)
    return MemorySecurityError(
        f"the text looks like an attack on its reader ({said}): nothing was stored; if it is meant as it stands, "
        'remember it under injection="quarantine" and validate it',
        code="MEMORY_WRITE_BLOCKED",
        reasons=reasons,
        source_id=source_id,
    )


def _short(text: str, name: str) -> str:
    if len(check_text(text, what=name)) > 2048:
        raise ValueError(f"{name} is longer than 2,048 characters")
    return text
