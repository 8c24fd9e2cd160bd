"""Admission of writes: rates, injection, secrets and personal data."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from engrain.config import Settings
from engrain.engine import Engine
from engrain.errors import GovernanceViolation, MemorySecurityError
from engrain.lazy import library, require
from engrain.model.memory import Fact, Source, SourceType
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.policies.rate_limit import RateLimiter
from engrain.protocols import Finding, Sensor
from engrain.security.injection import asked, suspicions
from engrain.text import check_content, pattern
from engrain.validation import is_whole

RATE_LIMITED = "RATE_LIMITED"
_PLUGINS = tuple(
    "artifactory aws azure_storage_key basic_auth cloudant discord github_token gitlab_token ibm_cloud_iam "
    "ibm_cos_hmac jwt mailchimp npm openai private_key pypi_token sendgrid slack softlayer square_oauth stripe "
    "telegram_token twilio".split()
)
_LONGEST = 5_000  # characters of a line that are matched together: the library's expressions backtrack
_KEY_BLOCK = pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_TOKEN = pattern(r"[\w\-+/=.~]")
_OWN = (
    ("api key", pattern(r"\b(?:AIza[\w\-]{35}|sk-ant-[\w\-]{20,200}|gsk_\w{20,100}|hf_\w{30,60})")),
    ("github token", pattern(r"\b(?:gh[pousr]_\w{20,255}|github_pat_\w{20,255})")),
)
_NAME = (
    r"\b(?:\w{0,40}[_-])?(?:password|passwd|passphrase|passcode|pwd|secret|token|api[ _-]?key|access[ _-]?key"
    r"|secret[ _-]?key|private[ _-]?key|credentials?|passwort|kennwort|contraseña|mot de passe)"
)
_GIVEN = pattern(rf"{_NAME}[\"']?\s{{0,3}}(?::|=>?|:=)\s{{0,3}}[\"']?([^\s\"',;]{{4,500}})", re.IGNORECASE)
_CREDENTIALS_STATED = pattern(
    rf"{_NAME}(?: (?:for|of|to|on|at|zum?|für|de|pour|para) [\w .'-]{{1,40}}?)? (?:is|was|ist|lautet|es|est)"
    r"(?: now| set to)? [\"'“]?([^\s\"'”]{4,500})",
    re.IGNORECASE,
)
_UNLIKE_A_WORD = pattern(r"[\d!@#$%^&*+=_~]")
_EMAIL = pattern(r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_CARD = pattern(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = pattern(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b", re.IGNORECASE)
_SOCIAL = pattern(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_DIGIT = pattern(r"\d")
_MARK = "[redacted:"
_BLANK = f"{_MARK} {{}}]"
_LEAST_NUMBER = 10**6  # a smaller one is neither a card nor a telephone number
CLASSES = {source_type.value: source_type for source_type in SourceType}
BASE: Mapping[SourceType, float] = dict(zip(SourceType, (1.0, 0.9, 0.7, 0.6, 0.3), strict=True))
SECRETS, PERSONAL_DATA = "secrets", "personal_data"
POLICIES = (SECRETS, PERSONAL_DATA)
_LABELS = {SECRETS: "secrets", PERSONAL_DATA: "personal data"}


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """Whether a text may be kept, and every reason why not."""

    allowed: bool
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.allowed


class MemoryValidator:
    """Judges texts before they are written: their signs of injection, their length, how often their source writes.

    It stores nothing. Texts may have `max_content_bytes` in UTF-8; each source id may ask `max_writes_per_minute` times
    in any 60 seconds of `clock`, and what is refused counts too. Any number of threads may share one.
    """

    def __init__(
        self,
        max_content_bytes: int = 10_000,
        max_writes_per_minute: int = 60,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not is_whole(max_content_bytes) or max_content_bytes < 1:
            raise ValueError(f"max_content_bytes is {max_content_bytes!r}: it must be a positive number of bytes")
        self.max_content_bytes = max_content_bytes
        self.max_writes_per_minute = max_writes_per_minute
        self._rates = RateLimiter(max_writes_per_minute, clock=clock)

    def validate(self, content: str, *, source_id: str) -> ValidationResult:
        """Judge a text of a source; every reason against it is given."""
        if not isinstance(source_id, str):
            raise TypeError(f"source_id must be a string, not {type(source_id).__name__}")
        reasons: list[str] = []
        wait = self._rates.attempt(source_id)
        try:
            check_content(content, max_bytes=self.max_content_bytes)
        except GovernanceViolation as error:
            reasons += error.reasons
        if isinstance(content, str):
            reasons += (f"suspected injection: {sign}" for sign in suspicions(content, SourceType.LLM_GENERATED))
        if wait:
            reasons.append(too_often(source_id, self.max_writes_per_minute, wait))
        return ValidationResult(not reasons, tuple(reasons))


def counted(engine: Engine, org: str, source_id: object) -> None:
    """Count a write of a named source; raises `MemorySecurityError` when it exceeds the allowed rate."""
    if engine.rates is None or not isinstance(source_id, str) or not source_id:
        return
    wait = engine.rates.attempt((org, source_id))
    if wait:
        reason = too_often(source_id, engine.rates.limit, wait)
        refused = f"{reason}: nothing was stored"
        raise MemorySecurityError(refused, code=RATE_LIMITED, reasons=(reason,), source_id=source_id, retry_after=wait)


def too_often(source_id: str, limit: int, wait: float) -> str:
    """Return the reason for refusing a source that writes too often."""
    return f"source {source_id!r} wrote more than {limit} times within 60 seconds: try again in {wait:.1f} seconds"


@lru_cache(1)
def _shapes() -> tuple[tuple[str, Any], ...]:
    """Return the library's plugins by the kind of secret that each finds."""
    shapes: list[tuple[str, Any]] = []
    for name in _PLUGINS:
        module = library(f"detect_secrets.plugins.{name}", extra="secrets")
        own = (each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__)
        shapes += ((str(each.secret_type).lower(), each()) for each in own if hasattr(each, "secret_type"))
    return tuple(shapes)


class Credentials:
    """Finds keys and tokens of known services, private keys, and values given or stated as a password."""

    def __init__(self) -> None:
        require("detect_secrets", extra="secrets")

    def findings(self, text: str) -> Sequence[Finding]:
        """Return the secrets in a text, each whole: one that the library finds by its prefix is extended to its end."""
        found, start = list[Finding](), 0
        for opening in _KEY_BLOCK.finditer(text):  # to its last line, or to the end of a truncated text
            closing = _KEY_END.search(text, opening.end())
            found.append(Finding("private key", opening.start(), closing.end() if closing else len(text)))
        for line in text.splitlines(keepends=True):
            for at in range(0, len(line), _LONGEST):
                found += _in_line(line[at : at + _LONGEST + 500], start + at)
            start += len(line)
        for kind, shape in _OWN:
            found += (Finding(kind, *one.span()) for one in shape.finditer(text))
        passwords = [one.span(1) for one in _GIVEN.finditer(text)]
        passwords += (one.span(1) for one in _CREDENTIALS_STATED.finditer(text) if _UNLIKE_A_WORD.search(one[1]))
        for start, end in passwords:
            while end > start + 1 and text[end - 1] in ".)]}>":
                end -= 1
            found.append(Finding("password", start, end))
        return found


def _in_line(line: str, offset: int) -> Iterator[Finding]:
    """Yield the library's findings, each extended to its whole token."""
    for kind, plugin in _shapes():
        for secret in {str(one) for one in plugin.analyze_string(line) if one}:
            at = line.find(secret)
            while at >= 0 and kind != "private key":
                start, end = at, at + len(secret)
                while end < len(line) and _TOKEN.match(line[end]):
                    end += 1
                while len(secret) < 8 and start > 0 and _TOKEN.match(line[start - 1]):
                    start -= 1
                while end > start + 1 and line[end - 1] == ".":
                    end -= 1
                yield Finding(kind, offset + start, offset + end)
                at = line.find(secret, max(end, at + 1))


class PersonalData:
    """Finds addresses of e-mail, telephone numbers, numbers of cards and accounts, and US social security numbers.

    A telephone number without a country code is matched as in `regions` (ISO 3166 codes); one with it always.
    """

    def __init__(self, *, regions: Sequence[str] = ("US",)) -> None:
        for name in ("phonenumbers", "stdnum"):
            require(name, extra="personal-data")
        self._regions = tuple(regions) or (None,)

    def findings(self, text: str) -> Sequence[Finding]:
        """Return the parts of a text that are personal data."""
        found = [Finding("email address", *one.span()) for one in _EMAIL.finditer(text)] if "@" in text else []
        if len(_DIGIT.findall(text)) < 7:  # of a telephone number
            return found
        found += _numbers(text)
        phonenumbers, taken = library("phonenumbers", extra="personal-data"), list(found)
        for region in self._regions:
            for match in phonenumbers.PhoneNumberMatcher(text, region):
                if not any(match.start < one.end and one.start < match.end for one in taken):
                    found.append(Finding("phone number", match.start, match.end))
        return found


def _numbers(text: str) -> Iterator[Finding]:
    luhn = library("stdnum.luhn", extra="personal-data")
    iban = library("stdnum.iban", extra="personal-data")
    for one in _CARD.finditer(text):
        digits = "".join(_DIGIT.findall(one[0]))
        if digits[0] in "23456" and luhn.is_valid(digits):
            yield Finding("card number", *one.span())
    for one in _IBAN.finditer(text):
        # It ends at the end, or before a word that only looks like a part of it.
        ends = (len(one[0]), *(at for at in range(len(one[0]) - 1, 14, -1) if one[0][at] == " "))
        end = next((end for end in ends if iban.is_valid(one[0][:end])), None)
        if end is not None:
            yield Finding("account number", one.start(), one.start() + end)
    for one in _SOCIAL.finditer(text):
        if not one[0].startswith(("000", "666", "9")) and "-00-" not in one[0] and not one[0].endswith("-0000"):
            yield Finding("social security number", *one.span())


class Policy(NamedTuple):
    """A sensor with the treatment of its findings: redact, quarantine or refuse."""

    name: str
    treatment: str
    sensor: Sensor


def policies(settings: Settings) -> tuple[Policy, ...]:
    """Return the configured policies; `ConfigError` names the package to install if a sensor needs a library."""
    return tuple(
        Policy(name, treatment, settings.sensors.get(name) or _built_in(name))
        for name in POLICIES
        if (treatment := getattr(settings, name)) != "allow"
    )


@lru_cache(2)
def _built_in(name: str) -> Sensor:
    return Credentials() if name == SECRETS else PersonalData()


@dataclass(slots=True)
class Look:
    """A check of all parts of one write: each part is returned redacted, and `reasons` accumulate."""

    policies: tuple[Policy, ...]
    redacted: dict[str, None] = field(default_factory=dict)
    waits: dict[str, None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Return a text, redacted by the policies."""
        for policy in self.policies:
            found = found_by(policy, text)
            for each in found:
                self._note(policy, each.kind)
            if policy.treatment == "redact":
                text = _without(text, found)
        return text

    def value(self, value: Any) -> Any:
        """Return a redacted JSON value, including its keys, and values that are secret by their key."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LEAST_NUMBER:
            kept = self.text(str(value))
            return value if kept == str(value) else kept
        if isinstance(value, Mapping):
            return {self.text(name): self._named(name, each) for name, each in value.items()}
        return [self.value(each) for each in value] if isinstance(value, list | tuple) else value

    def texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return redacted texts."""
        return tuple(self.text(text) for text in texts)

    def fact(self, fact: Fact | None) -> Fact | None:
        """Return a redacted fact."""
        return None if fact is None else Fact(*self.texts((fact.subject, fact.predicate, fact.object)))

    def procedure(self, procedure: Procedure) -> Procedure:
        """Return a redacted procedure."""
        return replace(
            procedure,
            name=self.text(procedure.name),
            description=self.text(procedure.description),
            trigger_conditions=self.texts(procedure.trigger_conditions),
            steps=tuple(map(self._step, procedure.steps)),
            metadata=self.value(procedure.metadata),
        )

    def settle(self, source_id: str = "") -> None:
        """Raise `MemorySecurityError` if something was found that a policy refuses."""
        if self.refused:
            found = "; ".join(self.refused)
            raise MemorySecurityError(
                f"the write holds {found}: nothing was stored; take it out, or choose another policy "
                "(redact, quarantine, allow)",
                code=next(iter(self.refused.values())).upper(),
                reasons=tuple(self.refused),
                source_id=source_id,
            )

    def _named(self, name: str, value: Any) -> Any:
        kept = self.value(value)
        if not isinstance(value, str) or kept != value:
            return kept
        assigned = f'{name} = "{value}"'  # {"password": "hunter2"}: only key and value together reveal the secret
        start = len(name) + 4
        for policy in self.policies:
            inside = [one for one in found_by(policy, assigned) if one.start < start + len(value) and one.end > start]
            for each in inside:
                self._note(policy, each.kind)
            if inside and policy.treatment == "redact":
                return _BLANK.format(inside[0].kind)
        return value

    def _step(self, step: ProcedureStep) -> ProcedureStep:
        return ProcedureStep(*(self.value(getattr(step, each.name)) for each in fields(step)))

    def _note(self, policy: Policy, kind: str) -> None:
        reason = f"{_LABELS[policy.name]}: {kind}"
        if policy.treatment == "redact":
            self.redacted[kind] = None
        elif policy.treatment == "quarantine":
            self.waits[reason] = None
        else:
            self.refused[reason] = policy.name


def has_to_wait(text: str, settings: Settings) -> bool:
    """Return whether a text contains findings that a policy quarantines."""
    look = Look(policies(settings))
    look.text(text)
    return bool(look.waits)


def found_by(policy: Policy, text: str) -> Sequence[Finding]:
    """Return a sensor's findings; if it fails nothing is stored, as the content of the text is unknown."""
    sensor = f"sensor for {_LABELS[policy.name]}"
    found = asked(sensor, lambda: [_inside(text, *one) for one in policy.sensor.findings(text)])
    return [one for one in found if text[one.start : one.end] != _MARK]  # a redaction is not found again


def _inside(text: str, kind: str, start: int, end: int) -> Finding:
    if not 0 <= start < end <= len(text):
        raise ValueError("a finding has a start and an end within the text")
    return Finding(str(kind), start, end)


def _without(text: str, found: Sequence[Finding]) -> str:
    """Return a text with a mark replacing each part found; overlapping parts become one, named after the first."""
    joined: list[Finding] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if joined and each.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, each.end))
        else:
            joined.append(each)
    for each in reversed(joined):
        text = text[: each.start] + _BLANK.format(each.kind) + text[each.end :]
    return text


def least_trusted(types: Iterable[SourceType]) -> SourceType:
    """Return the lowest of some trust classes: the most that a memory derived from all of them may claim."""
    return min(types, key=lambda source_type: BASE[source_type])


@dataclass(frozen=True, slots=True)
class TrustScorer:
    """Scores the trust in a memory: the base of its class, decreasing with age, increasing a little with use.

    base x e^(-decay_rate x days) + min(accesses x access_boost, max_boost), in [0, 1]. It is for ranking and audits;
    the permissions of a memory follow from its class. A rate or boost below 0 is a `ValueError`.
    """

    decay_rate: float = 0.01
    access_boost: float = 0.01
    max_boost: float = 0.2

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not 0 <= value < math.inf:
                raise ValueError(f"{each.name} must be 0 or more, not {value!r}")

    def score(self, source: Source | SourceType | str, *, access_count: int, age_days: float) -> float:
        """Return the trust of a memory of that source, or trust class; an age or a count below 0 counts as 0."""
        named = source.type if isinstance(source, Source) else source
        if not isinstance(named, str):
            raise TypeError(f"a source is a Source, a SourceType or its name, not {type(named).__name__}")
        if named not in CLASSES:
            raise ValueError(f"there is no trust class {named!r}: use one of {', '.join(CLASSES)}")
        faded = BASE[CLASSES[named]] * math.exp(-self.decay_rate * max(age_days, 0.0))
        return min(max(faded + min(max(access_count, 0) * self.access_boost, self.max_boost), 0.0), 1.0)
