"""Tool calls: which result answers which."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.toolcalls import Call

CALLS = ("tool_use", "tool_call", "function_call")  # what parts of a message that call a tool are named


class Ledger:
    """Gives calls without an id one, and results without one that of the call they answer: the oldest of their name."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._open: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._taken = set(taken)
        self._given = 0

    def called(self, call: Call) -> Call:
        """Note a call, and return it with an id."""
        name, named = call["function"]["name"], call["id"] or self._new()
        self._open[named] = self._names[named] = name
        return {**call, "id": named}

    def answered(self, named: str, name: str) -> tuple[str, str]:
        """Return the id and the name of the call that a result answers, each "" when nothing tells."""
        if not named:
            named = next((one for one, called in self._open.items() if name in ("", called)), "")
        self._open.pop(named, None)
        return named, name or self._names.get(named, "")

    def _new(self) -> str:
        while (name := f"call_{self._given}") in self._taken:
            self._given += 1
        self._taken.add(name)
        return name
