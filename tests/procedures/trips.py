"""Conversations in which an agent books and cancels trips."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engrain import MemoryManager

CITIES = ("Rome", "Paris", "Oslo", "Bonn", "Lima", "Kyoto", "Cairo", "Quito")


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a tool call as chat APIs have it."""
    return {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def act(memory: MemoryManager, session: str, number: int, tool: str, result: str = "done", **arguments: Any) -> None:
    """Append a call and what it returned."""
    working = memory.working(session)
    working.add("assistant", "", tool_calls=[call(number, tool, **arguments)])
    working.add("tool", result, tool_call_id=f"c{number}", name=tool)


def book(memory: MemoryManager, session: str, city: str, *, result: str = "booked") -> None:
    """Have a trip booked in a session of its own."""
    memory.working(session).add("user", f"please book a flight to {city} for me")
    act(memory, session, 1, "search_flights", "[{}]", to=city, cabin="economy")
    act(memory, session, 2, "book_flight", result, flight=f"F-{city}", pay={"with": "card", "by": city})


def cancel(memory: MemoryManager, session: str) -> None:
    """Have a trip cancelled."""
    memory.working(session).add("user", "i want to cancel my reservation")
    act(memory, session, 1, "get_reservation", "{}", id=session)
    act(memory, session, 2, "refund", id=session)


def bookings(memory: MemoryManager, count: int = 4, *, named: str = "b") -> None:
    """Have some trips booked."""
    for number in range(count):
        book(memory, f"{named}{number}", CITIES[number % len(CITIES)])


def matches(template: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Say whether a template fits the arguments of a call: each of its values or placeholders has its counterpart."""
    return all(name in arguments and _fits(wanted, arguments[name]) for name, wanted in template.items())


def _fits(wanted: object, value: object) -> bool:
    if isinstance(wanted, Mapping) and isinstance(value, Mapping) and value:
        return matches(wanted, value)
    if isinstance(wanted, str) and wanted.startswith("{") and wanted.endswith("}"):
        return True
    return json.dumps(wanted, sort_keys=True) == json.dumps(value, sort_keys=True)
