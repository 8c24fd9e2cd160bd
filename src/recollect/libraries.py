"""Libraries that only some installations have: imported when used, and named when missing."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from typing import Any

from recollect.errors import ConfigError


def require(name: str, *, extra: str) -> None:
    """Raise `ConfigError` unless a library is installed; it is not imported yet."""
    if importlib.util.find_spec(name) is None:
        raise ConfigError(f'{name} is not installed: pip install "recollect[{extra}]"')


def library(name: str, *, extra: str) -> Any:
    """Import a library; `ConfigError` says which extra brings it, or why it cannot be imported."""
    require(name.partition(".")[0], extra=extra)
    try:
        return import_module(name)
    except ImportError as error:
        raise ConfigError(
            f'{name} is installed but cannot be imported ({error}): pip install --upgrade "recollect[{extra}]"'
        ) from error
