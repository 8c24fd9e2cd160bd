"""Engrain: a memory for AI agents, from one object and one file on disk."""

import importlib as _importlib
import os.path as _path
import re as _re
import typing as _typing

try:
    from engrain._version import version as _built  # type: ignore[import-not-found, unused-ignore]
except ImportError:  # a tree that was never built
    _built = "1.0.0.dev0"
__version__: str = _built

# A program waits only for the parts it uses: most of these load much of the package. The stub names them once for all.
with open(_path.join(_path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:
    _LATER = {name: module for module, name in _re.findall(r"^from (\S+) import (\w+) as", _stub.read(), _re.MULTILINE)}
__all__ = tuple(sorted(_LATER))


def __getattr__(name: str) -> _typing.Any:
    """Load a name at its first use."""
    if name not in _LATER:
        raise AttributeError(f"module 'engrain' has no attribute {name!r}")
    value = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
