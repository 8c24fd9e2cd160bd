"""Steps that are carried out one at a time, in the order in which they were put, by whoever is there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock, get_ident

Step = Callable[[], object]
DEEPEST = 32  # steps that led to each other


class InOrder:
    """Carries out steps in their order, and holds no lock while it does.

    Who finds the steps at rest carries them out, with those that others put meanwhile; who finds them under way goes
    on with its own work. So a step may call whatever it likes, and wait for any thread. A step that is interrupted
    stays the first; steps must not fail otherwise.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: deque[tuple[int, Step]] = deque()  # each with how many steps led to it
        self._carrier: int | None = None

    def check_depth(self) -> None:
        """Raise `RecursionError` inside a step that others led to in a chain without end."""
        if self._depth() > DEEPEST:
            raise RecursionError("a callback that is told of an eviction adds turns that evict again, without end")

    def put(self, *steps: Step) -> None:
        """Put steps at the end; nothing is carried out yet."""
        depth = self._depth()
        with self._lock:
            self._steps += [(depth, step) for step in steps]

    def carry_out(self) -> None:
        """Carry out all steps, unless somebody is at it."""
        with self._lock:
            if self._carrier is not None or not self._steps:
                return
            self._carrier = get_ident()
        try:
            while (step := self._first()) is not None:
                step()
                self._steps.popleft()
        except BaseException:
            self._carrier = None
            raise

    def _first(self) -> Step | None:
        with self._lock:
            if self._steps:
                return self._steps[0][1]
            self._carrier = None  # in the same breath, or a step put now would wait for the next one
            return None

    def _depth(self) -> int:
        return self._steps[0][0] + 1 if self._carrier == get_ident() else 0
