"""What candidates count at the time of a question: their importance decayed, and lifted by use. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from recollect.models import Kind
from recollect.numeric import Numbers, np
from recollect.policies.retention import Retention
from recollect.protocols import Columns

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400_000_000  # microseconds
_KINDS = tuple(Kind)


def faded(columns: Columns, retention: Retention, now: datetime) -> Columns:
    """Return the columns with the effective importance of each row at `now`; `Retention.effective` says how."""
    at = (now - _EPOCH) // timedelta(microseconds=1)
    unused = np.maximum(at - np.maximum(columns.used_at, columns.recorded_at), 0) / _DAY
    left = columns.importance * _left(columns, retention, unused / np.maximum(columns.strength, 1e-9))
    read = columns.access_count > 0
    left *= np.where(read, 1 + 0.2 * np.exp(-np.maximum(at - columns.used_at, 0) / _DAY / 7), 1.0)
    left *= 1 + 0.1 * np.minimum(1.0, np.log1p(columns.access_count) / math.log(33))
    return replace(columns, importance=np.clip(left, 0.0, 1.0).astype(np.float32))


def _left(columns: Columns, retention: Retention, ages: Numbers) -> Numbers:
    """Return the share that is left of each, by the policy in force for it."""
    if not retention.tells_apart:
        places = columns.kind
        kinds: list[tuple[Kind, str | None, str | None]] = [(kind, None, None) for kind in _KINDS]
    else:
        rows = np.stack((columns.kind, columns.domain, columns.agent), axis=1)
        found, places = np.unique(rows, axis=0, return_inverse=True)
        kinds = [(_KINDS[k], _name(d, columns.domains), _name(a, columns.agents)) for k, d, a in found.tolist()]
    out = np.ones(len(ages))
    for code in np.unique(places).tolist():
        of = places == code
        out[of] = retention.policy(*kinds[code]).left(ages[of])
    return out


def _name(code: int, names: Sequence[str]) -> str | None:
    return names[code] if code >= 0 else None
