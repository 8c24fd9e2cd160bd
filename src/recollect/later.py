"""Modules that are loaded at their first use, so that `import recollect` stays light.

Each is imported twice where it is wanted: for the type checker as ever, and else from here.

    if TYPE_CHECKING:
        from recollect.transfer import copying, migrating
    else:
        copying, migrating = later("recollect.transfer", "copying", "migrating")

One alone is `Later("recollect.transfer.copying")`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module and becomes it, name by name; threads may use it at once."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._module), name)
        setattr(self, name, value)
        return value


def later(package: str, *modules: str) -> list[Any]:
    """Return what stands for each of a package's modules; what is not there is an `ImportError` at its first use."""
    return [Later(f"{package}.{module}") for module in modules]
