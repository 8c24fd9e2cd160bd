"""When a session is idle: the job that looks after its end, and how long nothing may be said."""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.engine import Engine
from recollect.jobkinds import IDLE
from recollect.models import Job
from recollect.read.silence import idle_minutes
from recollect.turnrows import ConversationRow


def idle_job(engine: Engine, row: ConversationRow, touched: datetime) -> Job:
    """Return the job that ends a conversation once nothing was said for long enough."""
    return Job(f"job_{row.id}", IDLE, row.org or "", row.id, touched + idle_span(engine))


def idle_span(engine: Engine) -> timedelta:
    """Return after how long to look whether a session is idle; where none ever is, the settings may have changed."""
    minutes = idle_minutes(engine)
    return timedelta(days=1) if minutes is None else timedelta(minutes=minutes)
