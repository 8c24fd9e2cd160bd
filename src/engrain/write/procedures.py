"""A procedure as it is written: every value checked, and the text that says all of it in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

from engrain.model.procedure import Procedure, ProcedureStep
from engrain.model.scope import identifier
from engrain.text import check_text
from engrain.validation import checked_metadata

MOST_STEPS = 200
MOST_CONDITIONS = 64
_FIELDS = frozenset(field.name for field in fields(Procedure))


def checked_procedure(procedure: Procedure | Mapping[str, Any]) -> Procedure:
    """Return a procedure whose every value can be stored; it may be given as a mapping of its fields.

    Raises `TypeError` or `ValueError` naming what is wrong.
    """
    if isinstance(procedure, Mapping):
        unknown = sorted(map(str, procedure.keys() - _FIELDS))
        if unknown or "name" not in procedure:
            wrong = f"has no {unknown[0]!r}" if unknown else "needs a name"
            raise TypeError(f"a procedure {wrong}: its fields are {', '.join(sorted(_FIELDS))}")
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
    yield _line(procedure.name)
    if procedure.description.strip():
        yield _line(procedure.description)
    conditions = [_line(condition) for condition in procedure.trigger_conditions if condition.strip()]
    if conditions:
        yield f"When: {'; '.join(conditions)}"


def numbered(procedure: Procedure) -> Iterator[str]:
    """Yield the steps, each on one line, numbered from 1."""
    for number, step in enumerate(procedure.steps, start=1):
        yield f"{number}. {_told(step)}"


def _told(step: ProcedureStep) -> str:
    said = _line(step.action)
    if step.tool_name is not None:
        given = json.dumps(dict(step.parameters_template), ensure_ascii=False) if step.parameters_template else ""
        said += f": {_line(step.tool_name)}({_line(given)})"
    if step.expected_outcome is not None and step.expected_outcome.strip():
        said += f" -> {_line(step.expected_outcome)}"
    return said


def _line(text: str) -> str:
    return " ".join(text.split())
