"""What becomes of secrets and personal data in a write: kept, taken out, made to wait, or refused.

Where both are allowed, which is the default, nothing is looked at and nothing of this costs anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from recollect.config import Settings
from recollect.errors import MemorySecurityError, ProviderError
from recollect.foreign import guard
from recollect.models import Fact
from recollect.procedure import Procedure, ProcedureStep
from recollect.security.credentials import Credentials
from recollect.security.personal import PersonalData
from recollect.sensordoor import Finding, Sensor

SECRETS, PERSONAL_DATA = "secrets", "personal_data"
POLICIES = (SECRETS, PERSONAL_DATA)
_SAID = {SECRETS: "secrets", PERSONAL_DATA: "personal data"}
_MARK = "[redacted:"
_BLANK = f"{_MARK} {{}}]"
_LEAST_NUMBER = 10**6  # a smaller one is no card and no telephone


@dataclass(frozen=True, slots=True)
class Policy:
    """What one sensor looks for, and what becomes of it: redact, quarantine or refuse."""

    name: str
    treatment: str
    sensor: Sensor


def policies(settings: Settings) -> tuple[Policy, ...]:
    """Return the policies in force; `ConfigError` says what to install where a sensor needs a library."""
    wanted = [(name, getattr(settings, name)) for name in POLICIES]
    return tuple(
        Policy(name, treatment, settings.sensors.get(name) or _built_in(name))
        for name, treatment in wanted
        if treatment != "allow"
    )


@lru_cache(2)
def _built_in(name: str) -> Sensor:
    return Credentials() if name == SECRETS else PersonalData()


def is_open(settings: Settings) -> bool:
    """Say whether nothing is looked at."""
    return settings.secrets == "allow" and settings.personal_data == "allow"


@dataclass(slots=True)
class Look:
    """A look at all that one write brings: each part is asked for as it may be kept, and `reasons` gather."""

    policies: tuple[Policy, ...]
    redacted: dict[str, None] = field(default_factory=dict)
    waits: dict[str, None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @classmethod
    def under(cls, settings: Settings) -> Look:
        """Return a look under the policies in force."""
        return cls(policies(settings))

    def text(self, text: str) -> str:
        """Return a text as it may be kept."""
        for policy in self.policies:
            found = found_by(policy, text)
            for each in found:
                self._note(policy, each.kind)
            if policy.treatment == "redact":
                text = _without(text, found)
        return text

    def value(self, value: Any) -> Any:
        """Return a JSON value as it may be kept: the names in it too, and a text that its name says is a secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LEAST_NUMBER:
            kept = self.text(str(value))
            return value if kept == str(value) else kept
        if isinstance(value, Mapping):
            return {self.text(name): self._named(name, each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        return value

    def texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return texts as they may be kept."""
        return tuple(self.text(text) for text in texts)

    def fact(self, fact: Fact | None) -> Fact | None:
        """Return a fact as it may be kept."""
        return None if fact is None else Fact(*self.texts((fact.subject, fact.predicate, fact.object)))

    def procedure(self, procedure: Procedure) -> Procedure:
        """Return a procedure as it may be kept."""
        return replace(
            procedure,
            name=self.text(procedure.name),
            description=self.text(procedure.description),
            trigger_conditions=self.texts(procedure.trigger_conditions),
            steps=tuple(map(self._step, procedure.steps)),
            metadata=self.value(procedure.metadata),
        )

    def settle(self, source_id: str = "") -> None:
        """Raise `MemorySecurityError` where something was found that a policy refuses."""
        if self.refused:
            said = "; ".join(self.refused)
            raise MemorySecurityError(
                f"the write holds {said}: nothing was stored; take it out, or choose another policy "
                "(redact, quarantine, allow)",
                code=next(iter(self.refused.values())).upper(),
                reasons=tuple(self.refused),
                source_id=source_id,
            )

    def _named(self, name: str, value: Any) -> Any:
        kept = self.value(value)
        if not isinstance(value, str) or kept != value:
            return kept
        told = f'{name} = "{value}"'  # {"password": "hunter2"}: only the two together say what it is
        start = len(name) + 4
        for policy in self.policies:
            inside = [each for each in found_by(policy, told) if each.start < start + len(value) and each.end > start]
            for each in inside:
                self._note(policy, each.kind)
            if inside and policy.treatment == "redact":
                return _BLANK.format(inside[0].kind)
        return value

    def _step(self, step: ProcedureStep) -> ProcedureStep:
        return replace(
            step,
            action=self.text(step.action),
            tool_name=None if step.tool_name is None else self.text(step.tool_name),
            parameters_template=self.value(step.parameters_template),
            expected_outcome=None if step.expected_outcome is None else self.text(step.expected_outcome),
        )

    def _note(self, policy: Policy, kind: str) -> None:
        said = f"{_SAID[policy.name]}: {kind}"
        if policy.treatment == "redact":
            self.redacted[kind] = None
        elif policy.treatment == "quarantine":
            self.waits[said] = None
        else:
            self.refused[said] = policy.name


def has_to_wait(text: str, settings: Settings) -> bool:
    """Say whether a text holds what a policy quarantines."""
    look = Look.under(settings)
    look.text(text)
    return bool(look.waits)


def found_by(policy: Policy, text: str) -> Sequence[Finding]:
    """Return what a sensor finds; where it fails nothing is kept, for nobody knows what the text holds."""
    failures: list[Exception] = []
    found = guard(
        f"the sensor for {_SAID[policy.name]}",
        lambda: [_checked(one, text) for one in policy.sensor.findings(text)],
        failed=failures.append,
    )
    if found is None:
        cause = failures[0]
        raise ProviderError(
            f"the sensor for {_SAID[policy.name]} failed ({type(cause).__name__}): nothing was stored"
        ) from None
    return [one for one in found if text[one.start : one.end] != _MARK]  # what was taken out is found no second time


def _checked(found: Finding, text: str) -> Finding:
    kind, start, end = found
    if not 0 <= start < end <= len(text):
        raise ValueError("a finding has a start and an end within the text")
    return Finding(str(kind), start, end)


def _without(text: str, found: Sequence[Finding]) -> str:
    """Return a text with a mark in the place of each part found; parts that overlap are one, named after the first."""
    joined: list[Finding] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if joined and each.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, each.end))
        else:
            joined.append(each)
    for each in reversed(joined):
        text = text[: each.start] + _BLANK.format(each.kind) + text[each.end :]
    return text
