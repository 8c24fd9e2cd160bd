"""What was mined from requests and confirmed is rendered for a new request of the same kind, with other names."""

from __future__ import annotations

import pytest

from engrain import MemoryManager

ASKED = {
    "Book a flight to {}": (
        ("Rome", "Oslo", "Kyiv", "Bern"),
        ("Book a flight to Paris", "book me a flight to Lisbon, please"),
        ("Cancel my flight", "Order a pizza", "Bookkeeping is due"),
    ),
    "Buche einen Flug nach {}.": (
        ("Rom", "Oslo", "Kiew", "Bern"),
        ("Buche einen Flug nach Paris", "Bitte buche mir einen Flug nach Wien"),
        ("Storniere meinen Flug", "Bestell eine Pizza"),
    ),
    "Reserva un vuelo a {}": (
        ("Roma", "Oslo", "Kiev", "Berna"),
        ("Reserva un vuelo a París",),
        ("Cancela mi vuelo", "Pide una pizza"),
    ),
    "Réserve un vol pour {}": (
        ("Rome", "Oslo", "Kiev", "Berne"),
        ("Réserve un vol pour Paris",),
        ("Annule mon vol", "Commande une pizza"),
    ),
}


def mined(request: str, places: tuple[str, ...]) -> MemoryManager:
    memory = MemoryManager(":memory:", user="ana")
    for number, place in enumerate(places):
        session = memory.scoped(session=f"s{number}")
        session.add_message("user", request.format(place))
        for tool, arguments in (("search_flights", {"to": place}), ("book_flight", {"flight": f"F{number}"})):
            call = {"id": tool, "function": {"name": tool, "arguments": arguments}}
            session.add_message("assistant", "", tool_calls=[call])
            session.add_message("tool", "done", tool_call_id=tool, name=tool)
    return memory


@pytest.mark.parametrize("request_", ASKED)
def test_a_confirmed_procedure_is_rendered_for_other_names_alone(request_: str):
    places, same, others = ASKED[request_]
    memory = mined(request_, places)
    (proposed,) = memory.procedures.mine()
    assert memory.procedures.render(same[0]) == ""  # it waits for a verdict
    memory.validate(proposed.id)
    for task in same:
        assert "book_flight" in memory.procedures.render(task), task
    for task in others:
        assert memory.procedures.render(task) == "", task
