"""Turns at writing, taken fairly by the processes that share a file.

SQLite's own lock lets a busy process win again and again. Here a writer first stands in line (byte 0 of the lock
file) and then waits for the file (byte 1): whoever has just written must queue behind those already waiting. It is a
courtesy, not the wall: if the line does not move, the writer goes on and SQLite's lock decides.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from engrain.errors import StoreUnavailable

_LINE, _TURN = 0, 1
_PAUSE = 0.0003

if sys.platform == "win32":
    import msvcrt

    def _try(handle: int, byte: int) -> bool:
        os.lseek(handle, byte, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _leave(handle: int, byte: int) -> None:
        os.lseek(handle, byte, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(handle: int, byte: int) -> bool:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:
            return False
        return True

    def _leave(handle: int, byte: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, byte)


class Turnstile:
    """The line in front of one file; `path` None (a store in memory) has none."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._handle: int | None = None
        self._owner = 0

    @contextmanager
    def turn(self, patience: float) -> Iterator[None]:
        """Wait in line for at most `patience` seconds, then go on either way."""
        handle = self._open()
        held: list[int] = []
        if handle is not None:
            until = time.monotonic() + patience
            held += [byte for byte in (_LINE, _TURN) if _wait(handle, byte, until)]
            if _LINE in held and _TURN in held:
                _leave(handle, _LINE)
                held.remove(_LINE)
        try:
            yield
        finally:
            for byte in held:
                if handle is not None:
                    _leave(handle, byte)

    def _open(self) -> int | None:
        if self._path is None:
            return None
        if self._handle is None or self._owner != os.getpid():
            try:
                self._handle, self._owner = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), os.getpid()
            except OSError as error:
                reason = (
                    f"{self._path} cannot be opened ({error.strerror}): check its folder, permissions and free space"
                )
                raise StoreUnavailable(reason, path=self._path) from error
        return self._handle

    def close(self) -> None:
        """Give the handle back; the file stays, because another process may stand in line."""
        if self._handle is not None and self._owner == os.getpid():
            os.close(self._handle)
        self._handle = None


def _wait(handle: int, byte: int, until: float) -> bool:
    while not _try(handle, byte):
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE)
    return True
