"""Addresses of servers, checked and never shown with a secret; paths of files, and atomic writes of files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from engrain.errors import ConfigError, StoreUnavailable
from engrain.text import pattern

# A URL of any kind, also as a `Path` keeps it, or libpq's own way to write one: as no file is called. It may hold a
# password, in whatever way it is wrong. One letter and a colon are a drive.
_DATABASE = pattern(
    r"[\w+.-]{2}://|^postgres(ql)?:|^[\s\"'<(]*[a-z][\w+.-]+:/"
    r"|^\s*(\w+\s*=.*\s)?(host|hostaddr|dbname|password|service)\s*=",
    re.IGNORECASE | re.DOTALL,
)


def checked_address(address: str) -> str:
    """Return an address without a slash at its end; `ConfigError` unless it is one of the web without a secret."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError("a server's address is written https://host/v1 or http://localhost:11434/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(f"the address of {parts.hostname} holds more than host and path: a key goes into api_key")
    return address.rstrip("/")


def is_database(store: object) -> bool:
    """Return whether the name of a store is that of a database on a server, in any spelling, not a path."""
    name = os.fspath(store) if isinstance(store, os.PathLike) else store
    return isinstance(name, str) and _DATABASE.search(name) is not None


def file_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file, with `~` expanded; `ConfigError` for the name of a database."""
    if is_database(path):
        raise ConfigError("that is a database, where the path of a file is wanted")
    return Path(path).expanduser()


def free_place(path: str | os.PathLike[str], what: str) -> Path:
    """Return the path of a new file; `StoreUnavailable` where there is one already, or no folder for it."""
    target = file_of(path)
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: {what} never overwrites", path=str(target))
    if not target.parent.is_dir():
        raise StoreUnavailable(f"the folder {target.parent} does not exist: create it first", path=str(target))
    return target


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path for a file that is renamed once it is complete; an existing one is never overwritten."""
    target = free_place(path, "an export")
    unfinished = target.with_name(f".{target.name}.partial")
    with suppress(OSError):  # the writer reports the error
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT, 0o600))
    try:
        yield unfinished
        os.replace(unfinished, target)
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"{target} could not be written ({reason}): nothing was left there; make room, or name another place"
        raise StoreUnavailable(message, path=str(target)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def host_of(address: str) -> str:
    """Return the server's name, and its port if it has one."""
    return urlsplit(address).netloc
