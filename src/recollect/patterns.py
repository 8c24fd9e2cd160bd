"""Regular expressions that are compiled when they are first used: importing Recollect waits for none of them."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _Pattern:
    """Stands for a compiled pattern, and has its methods for its own from the first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._asked = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._asked)
        self.__dict__ |= {method: getattr(compiled, method) for method in _METHODS}
        return getattr(compiled, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` would, but compile it at its first use; a bad pattern is an `re.error` then."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
