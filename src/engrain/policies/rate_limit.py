"""Rate limits: a sliding window for each key, in bounded memory."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from threading import Lock

_WINDOW = 60.0  # seconds


class RateLimiter:
    """Allows each key `limit` attempts within a minute; a refused one counts too.

    A batch is one attempt. `clock` counts seconds and never goes back. Of more than `most_keys` the one with the oldest
    last attempt is dropped. Any number of threads may share one.
    """

    def __init__(self, limit: int, *, clock: Callable[[], float] = time.monotonic, most_keys: int = 10_000) -> None:
        numbers: dict[str, object] = {"limit": limit, "most_keys": most_keys}
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is {value!r}: it must be a whole number from 1 on")
        self.limit: int = limit
        self._clock, self._most_keys = clock, most_keys
        self._tries: OrderedDict[Hashable, deque[float]] = OrderedDict()
        self._lock = Lock()

    def attempt(self, key: Hashable) -> float:
        """Count an attempt of `key`; return 0.0 if it is allowed, else the seconds after which it may try again."""
        with self._lock:
            now = self._clock()
            tries = self._tries.setdefault(key, deque(maxlen=self.limit))
            self._tries.move_to_end(key)
            if len(self._tries) > self._most_keys:
                self._tries.popitem(last=False)
            while tries and now - tries[0] >= _WINDOW:
                tries.popleft()
            full = len(tries) == self.limit
            tries.append(now)
            return tries[0] + _WINDOW - now if full else 0.0
