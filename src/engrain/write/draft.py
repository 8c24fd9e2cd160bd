"""A write, checked: the arguments of `remember` in their final types, before anything is touched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from engrain.config import Settings
from engrain.errors import MemorySecurityError, ScopeMissing
from engrain.language.timestamps import parse_when
from engrain.model.choices import KindName, Resolve, SourceTypeName, Tier, checked_choice
from engrain.model.entities import About
from engrain.model.memory import Fact, Kind, Memory, Scope, SourceType
from engrain.model.procedure import Procedure, ProcedureStep
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
    resolves = checked_choice(settings.resolve if resolve is None else resolve, "resolve", Resolve) == "auto"
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
        intent=intent if intent.resolve == resolves else replace(intent, resolve=resolves),
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


MOST_STEPS = 200
MOST_CONDITIONS = 64
_PROCEDURE_FIELDS = frozenset(field.name for field in fields(Procedure))


def checked_procedure(procedure: Procedure | Mapping[str, Any]) -> Procedure:
    """Return a procedure whose every value can be stored; it may be given as a mapping of its fields.

    Raises `TypeError` or `ValueError` naming what is wrong.
    """
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
    return replace(
        procedure,
        name=identifier(procedure.name, "a procedure's name"),
        description=check_text(procedure.description, what="a procedure's description"),
        trigger_conditions=tuple(check_text(one, what="a trigger condition") for one in procedure.trigger_conditions),
        steps=tuple(map(_checked_step, procedure.steps)),
        confidence=float(procedure.confidence),
        last_used=_in_utc(procedure.last_used),
        metadata=checked_metadata(procedure.metadata),
    )


def _checked_step(step: ProcedureStep) -> ProcedureStep:
    outcome = step.expected_outcome
    return ProcedureStep(
        action=check_text(step.action, what="a step's action"),
        tool_name=None if step.tool_name is None else identifier(step.tool_name, "a step's tool_name"),
        parameters_template=checked_metadata(step.parameters_template),
        expected_outcome=None if outcome is None else check_text(outcome, what="a step's expected_outcome"),
    )


def _in_utc(at: object) -> datetime | None:
    if at is None:
        return None
    if not isinstance(at, datetime) or at.utcoffset() is None:
        raise ValueError(f"last_used is {at!r}: it must be a time with an offset")
    return at.astimezone(UTC)


def text_of(procedure: Procedure) -> str:
    """Return all that a procedure says as readable text: name, description, when it applies, numbered steps."""
    return "\n".join([*heading(procedure), *numbered(procedure)])


def heading(procedure: Procedure) -> Iterator[str]:
    """Yield what stands before the steps, each on one line."""
    yield _one_line(procedure.name)
    if procedure.description.strip():
        yield _one_line(procedure.description)
    conditions = [_one_line(condition) for condition in procedure.trigger_conditions if condition.strip()]
    if conditions:
        yield f"When: {'; '.join(conditions)}"


def numbered(procedure: Procedure) -> Iterator[str]:
    """Yield the steps, each on one line, numbered from 1."""
    for number, step in enumerate(procedure.steps, start=1):
        yield f"{number}. {_step_line(step)}"


def _step_line(step: ProcedureStep) -> str:
    line = _one_line(step.action)
    if step.tool_name is not None:
        given = json.dumps(dict(step.parameters_template), ensure_ascii=False) if step.parameters_template else ""
        line += f": {_one_line(step.tool_name)}({_one_line(given)})"
    if step.expected_outcome is not None and step.expected_outcome.strip():
        line += f" -> {_one_line(step.expected_outcome)}"
    return line


def _one_line(text: str) -> str:
    return " ".join(text.split())
