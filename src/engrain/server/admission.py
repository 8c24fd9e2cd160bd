"""Scheduling of requests: each key has a budget of running cost, and work is dropped once its client has left."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from threading import Event
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import anyio
import anyio.lowlevel
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from engrain.errors import RecallCancelled
from engrain.guard import cancellable
from engrain.server.wire import Problem, retry_after

BUDGET = 8
"""The cost that a key may have running at a time, of reads and of writes each."""
USUAL, WAITING = 2, 1
"""The least cost of a call, and that of one that waits for a language model or for others most of its time."""
_ITEMS, _BYTES = 2, 16_384  # that are asked for, or sent, for each further unit of cost
_WIDE = 2  # the cost factor of a call about more than one user or agent

T = TypeVar("T")


def cost_of(given: Mapping[str, Any], *, bytes: int = 0, scoped: bool = True, waits: bool = False) -> int:
    """Return the cost of a call; one `scoped` to a user or agent, or that `waits` for others, costs less."""
    if waits:
        return WAITING
    numbers = [value for name in ("k", "limit") if isinstance(value := given.get(name), int)]
    items = max([0, *numbers, *(len(value) for value in given.values() if isinstance(value, list | tuple))])
    return min(USUAL + items // _ITEMS + bytes // _BYTES + (0 if scoped else _WIDE), BUDGET)


class Budget:
    """An amount that calls take while they run; a call that finds too little left waits, in the order of arrival."""

    def __init__(self, amount: int = BUDGET) -> None:
        self._left = amount
        self._waiting: deque[tuple[int, anyio.Event]] = deque()

    @asynccontextmanager
    async def spend(self, cost: int) -> AsyncIterator[None]:
        """Wait until that much is left, take it, and give it back afterwards."""
        granted = anyio.Event()
        self._waiting.append((cost, granted))
        self._grant()
        try:
            if not granted.is_set():
                await granted.wait()
            yield
        finally:
            if granted.is_set():
                self._left += cost
            else:
                self._waiting.remove((cost, granted))
            self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._left:
            cost, granted = self._waiting.popleft()
            self._left -= cost
            granted.set()


class Admission:
    """The requests of a server by the key that sent them; `most` of a key are running, or received, at a time."""

    def __init__(self, most: int, refused: Callable[[str], None] = lambda _: None) -> None:
        self._most, self._refused = most, refused
        self._counts: Counter[tuple[str, str]] = Counter()
        self._budgets: WeakValueDictionary[tuple[str, bool], Budget] = WeakValueDictionary()

    @contextmanager
    def counted(self, key: str, what: str, most: int | None = None) -> Iterator[None]:
        """Count a request of a key as one of its `bodies`, `requests` or others; one too many is a 503 `Problem`."""
        most = self._most if most is None else most
        if self._counts[key, what] >= most:
            self._refused(what)
            detail = f"{most} {what} of this key are under way, as many as there may be"
            raise Problem(503, "busy", detail, headers={**retry_after(), "Connection": "close"})
        self._counts[key, what] += 1
        try:
            yield
        finally:
            self._counts[key, what] -= 1
            if not self._counts[key, what]:
                del self._counts[key, what]

    async def run(
        self, work: Callable[[], Awaitable[T]], receive: Receive, *, key: str, cost: int, writes: bool = False
    ) -> T:
        """Do work once its key's budget allows the cost; a client that leaves ends it, which is `ClientDisconnect`."""
        budget = self._budgets.setdefault((key, writes), Budget())
        done: list[T] = []
        error: Exception | None = None
        left, gone = True, Event()  # the state if work is dropped
        with self.counted(key, "requests"):
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_left, receive, group.cancel_scope, gone)
                async with budget.spend(cost):
                    await anyio.lowlevel.checkpoint()  # by which a client that has left is noticed
                    try:
                        with cancellable(gone.is_set):
                            done.append(await work())
                    except RecallCancelled:
                        pass  # the client has left
                    except Exception as failed:  # which the group would wrap
                        error = failed
                left = group.cancel_scope.cancel_called
                group.cancel_scope.cancel()
        if error is not None:
            raise error
        if left or not done:
            raise ClientDisconnect
        return done[0]


async def _cancel_when_left(receive: Receive, scope: anyio.CancelScope, gone: Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()
    scope.cancel()
