"""The worker inside a server: a thread that does the store's queued jobs and sweeps."""

from __future__ import annotations

import logging
import threading

from engrain.interfaces.rest.logs import log, note
from engrain.manager import MemoryManager


class Background:
    """A thread that works on the store's queue from `start` on until it is told to stop."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory, self._told = memory, threading.Event()
        self._thread = threading.Thread(target=self._work, name="engrain-server-worker", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it works."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Let it finish the job in hand and take no other; returns at once."""
        self._told.set()

    def join(self) -> None:
        """Wait for the end of the job in hand."""
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            self._memory.work(self._told)
        except Exception as error:  # the edge: nobody waits for this thread
            log.error("the worker ended by a bug", exc_info=error)
        else:
            note("the worker stopped", logging.DEBUG)
