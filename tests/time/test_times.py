"""How points in time are said."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from tests.time.world import World


@pytest.mark.parametrize("name", ["now", "as_of", "known_at"])
def test_text_dates_and_aware_times_are_understood(name: str) -> None:
    midnight, world = datetime(2025, 2, 3, tzinfo=UTC), World()
    for when in ("2025-02-03", date(2025, 2, 3), midnight, "2025-02-03T01:00:00+01:00"):
        assert getattr(world.at(**{name: when}), name) == midnight


@pytest.mark.parametrize("name", ["now", "as_of", "known_at"])
@pytest.mark.parametrize("when", [datetime(2025, 2, 3), "2025-02-03T10:00", "soon", "", 7, object()])
def test_anything_else_is_refused(name: str, when: Any) -> None:
    world = World()
    with pytest.raises((TypeError, ValueError), match=name):
        world.at(**{name: when})
    if isinstance(when, datetime):
        with pytest.raises(ValueError, match=name):
            world.at(**{name: when})
