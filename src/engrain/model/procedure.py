"""Procedures: the steps of how to do something, with their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from engrain.text import plain_fields

PROVEN, VALIDATED_FROM = 3, 0.6  # successes, and the confidence, that validate a procedure
FEW = 5  # uses before outcomes count against one
DEMOTED_BELOW, FAILED_BELOW = 0.4, 0.2


class ProcedureType(StrEnum):
    """The type of a procedure."""

    WORKFLOW = "workflow"
    SKILL = "skill"
    REFLECTION = "reflection"


@dataclass(frozen=True, slots=True)
class ProcedureStep:
    """One step: the action, the tool, its arguments (`{name}` is a placeholder), and the expected result.

    An `action` that is blank or no text is a `ValueError`.
    """

    action: str
    tool_name: str | None = None
    parameters_template: Mapping[str, Any] = field(default_factory=dict)
    expected_outcome: str | None = None

    def __post_init__(self) -> None:
        _named(self.action, "a step's action")
        if not isinstance(self.parameters_template, Mapping):
            raise TypeError(f"parameters_template is a mapping, not {type(self.parameters_template).__name__}")


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure: its conditions, its steps in order, its outcomes, and the confidence that follows from these.

    `confidence` is 0 to 1. Steps may be given as mappings of their fields. Values out of range, a blank name and an
    unknown `procedure_type` are `ValueError`.
    """

    name: str
    description: str = ""
    trigger_conditions: tuple[str, ...] = ()
    steps: tuple[ProcedureStep, ...] = ()
    success_count: int = 0
    failure_count: int = 0
    confidence: float = 1.0
    last_used: datetime | None = None
    procedure_type: ProcedureType = ProcedureType.WORKFLOW
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _named(self.name, "a procedure's name")
        for name in ("success_count", "failure_count"):
            count: object = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise ValueError(f"{name} is {count!r}: it must be a whole number from 0")
        share: object = self.confidence
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ValueError(f"confidence is {share!r}: it must be from 0 to 1")
        for name in ("trigger_conditions", "steps"):
            if isinstance(getattr(self, name), str | Mapping):
                raise TypeError(f"{name} is a list, not a {type(getattr(self, name)).__name__}")
        object.__setattr__(self, "procedure_type", ProcedureType(self.procedure_type))
        object.__setattr__(self, "trigger_conditions", tuple(self.trigger_conditions))
        object.__setattr__(self, "steps", tuple(map(_step, self.steps)))

    @property
    def uses(self) -> int:
        """How often an outcome was recorded."""
        return self.success_count + self.failure_count

    @property
    def believed(self) -> float:
        """The expected share of successful uses, by the outcomes alone.

        It is the mean of a Beta posterior over a uniform prior, Beta(1, 1): (successes + 1) / (uses + 2), which is
        Laplace's rule of succession (Essai philosophique sur les probabilites, 1814).
        """
        return (self.success_count + 1) / (self.uses + 2)

    @property
    def standing(self) -> str:
        """The verdict of the outcomes: `validated`, `demoted` or `failed`, "" if there are too few."""
        if self.uses >= FEW and self.believed < DEMOTED_BELOW:
            return "failed" if self.believed < FAILED_BELOW else "demoted"
        return "validated" if self.success_count >= PROVEN and self.believed >= VALIDATED_FROM else ""

    def used(self, *, success: bool, at: datetime) -> Procedure:
        """Return it with one outcome more, and the confidence and `metadata["standing"]` that follow from them all."""
        succeeded, failed = self.success_count + success, self.failure_count + (not success)
        counted = replace(self, success_count=succeeded, failure_count=failed, last_used=at)
        metadata = {**self.metadata, "standing": counted.standing}
        if not counted.standing:
            del metadata["standing"]
        return replace(counted, confidence=counted.believed, metadata=metadata)

    def following(self, old: Procedure) -> Procedure:
        """Return it as the next version of `old`: no outcome that was recorded is lost."""
        if self.success_count >= old.success_count and self.failure_count >= old.failure_count:
            return self if self.last_used or not old.last_used else replace(self, last_used=old.last_used)
        succeeded = max(self.success_count, old.success_count)
        failed = max(self.failure_count, old.failure_count)
        last_used = max(filter(None, (self.last_used, old.last_used)), default=None)
        counted = replace(self, success_count=succeeded, failure_count=failed, last_used=last_used)
        standing = {"standing": counted.standing} if counted.standing else {}
        return replace(counted, confidence=counted.believed, metadata={**self.metadata, **standing})

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; `from_dict` reads it back equal."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Procedure:
        """Read the output of `to_dict`; raises `TypeError` or `ValueError` on anything else."""
        used = row.get("last_used")
        return cls(**{**row, "last_used": datetime.fromisoformat(used) if isinstance(used, str) else used})


def _named(value: object, what: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} is {value!r}: it must be a text that says something")


def _step(value: object) -> ProcedureStep:
    if isinstance(value, ProcedureStep):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"a step is a ProcedureStep or a mapping of its fields, not {type(value).__name__}")
    known = [each.name for each in fields(ProcedureStep)]
    if unknown := sorted(map(str, value.keys() - set(known))):
        raise TypeError(f"a step has no {unknown[0]!r}: use {', '.join(known)}")
    if "action" not in value:
        raise ValueError("a step needs an action: say what is done")
    return ProcedureStep(**value)
