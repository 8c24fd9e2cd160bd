"""Who may write how often, and a validator that stands alone with the bounds of a small memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from recollect.engine import Engine
from recollect.errors import GovernanceViolation, MemorySecurityError
from recollect.models import SourceType
from recollect.rates import RateLimiter
from recollect.scopes import is_whole
from recollect.security.injection import suspicions
from recollect.text import check_content

RATE_LIMITED = "RATE_LIMITED"


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """Whether a text may be kept, and every reason why not."""

    allowed: bool
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.allowed


class MemoryValidator:
    """Judges texts before they are written: what they say, how long they are, how often their source writes.

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
        self.max_content_bytes, self.max_writes_per_minute = max_content_bytes, max_writes_per_minute
        self._rates = RateLimiter(max_writes_per_minute, clock=clock)

    def validate(self, content: str, *, source_id: str) -> ValidationResult:
        """Judge a text of a source; every reason that speaks against it is given."""
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
    """Count a write of a source; raises `MemorySecurityError` when it writes more often than the settings let it.

    What names no source is not counted: then nobody is known who could be held to it.
    """
    if engine.rates is None or not isinstance(source_id, str) or not source_id:
        return
    wait = engine.rates.attempt((org, source_id))
    if wait:
        reason = too_often(source_id, engine.rates.limit, wait)
        raise MemorySecurityError(
            f"{reason}: nothing was stored",
            code=RATE_LIMITED,
            reasons=(reason,),
            source_id=source_id,
            retry_after=wait,
        )


def too_often(source_id: str, limit: int, wait: float) -> str:
    """Return the reason for refusing a source that writes too often."""
    return f"source {source_id!r} wrote more than {limit} times within 60 seconds: try again in {wait:.1f} seconds"
