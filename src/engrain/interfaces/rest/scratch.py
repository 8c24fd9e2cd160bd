"""The private folder of a server for files on their way, of which nothing stays when it stops, or was killed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

_PREFIX = "engrain-serving-"
_TRIES = 5

if sys.platform == "win32":

    def _locked(folder: str) -> int | None:
        """Return nothing: a folder cannot be locked here, so that nobody's is taken for a dead server's."""
        return None

else:
    import fcntl

    def _locked(folder: str) -> int | None:
        """Return a handle that holds a folder until its process ends, however it does; None when another holds it."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            if os.fstat(handle).st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
        except OSError:
            pass
        os.close(handle)
        return None


class Scratch:
    """A folder that only this user reads, made when the first file is on its way, within `within` or the system's own.

    Its owner holds a lock on it, which goes with the process: what nobody holds was left by a server that was killed,
    and whoever comes next removes it.
    """

    def __init__(self, within: str | os.PathLike[str] | None = None) -> None:
        self._within = tempfile.gettempdir() if within is None else os.fspath(within)
        self._path: str | None = None
        self._end: weakref.finalize[[str, int | None], Scratch] | None = None

    def folder(self) -> tempfile.TemporaryDirectory[str]:
        """Return a folder for the files of one request."""
        if self._path is None:
            self.sweep()
            self._path, handle = _made(self._within)
            self._end = weakref.finalize(self, _removed, self._path, handle)
        return tempfile.TemporaryDirectory(dir=self._path, ignore_cleanup_errors=True)

    def sweep(self) -> None:
        """Remove what servers left that are no more."""
        for folder in Path(self._within).glob(f"{_PREFIX}*"):
            handle = _locked(str(folder))
            if handle is not None:
                _removed(str(folder), handle)

    def remove(self) -> None:
        """Remove the folder and all that is in it; the next file has another made."""
        self._path = None
        if self._end is not None:
            self._end()


def _made(within: str) -> tuple[str, int | None]:
    """Make a folder and lock it; a server that sweeps at the same moment may have taken it for a dead one's."""
    for left in reversed(range(_TRIES)):
        path = tempfile.mkdtemp(prefix=_PREFIX, dir=within)
        handle = _locked(path)
        if (handle is not None or left == 0) and os.path.isdir(path):  # some file systems know no locks
            return path, handle
        _removed(path, handle)
    raise OSError(f"{within} does not keep a folder: set TMPDIR to one that does")


def _removed(path: str, handle: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if handle is not None:
        os.close(handle)
