"""Imports at first use: numpy, modules of the package that are slow to load, and libraries that are optional."""

from __future__ import annotations

import importlib.util
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from engrain.errors import ConfigError

if TYPE_CHECKING:
    import difflib
    import html
    import random
    import tomllib

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Bytes = NDArray[np.int8]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.float64]

__all__ = ["Bytes", "Floats", "Ints", "Later", "Mask", "Numbers", "difflib", "html", "later", "library", "np"]
__all__ += ["random", "require", "tomllib"]


class Later:
    """A proxy of a module that is imported at its first use; thread-safe."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        spins = self._module == "numpy" and "OPENBLAS_THREAD_TIMEOUT" not in os.environ
        os.environ |= {"OPENBLAS_THREAD_TIMEOUT": "20"} if spins else {}  # 2**20 cycles of an idle thread, not 0.1 s
        module = import_module(self._module)
        if spins:
            os.environ.pop("OPENBLAS_THREAD_TIMEOUT", None)
        # Copies every name at once: later reads of attributes do not come here again.
        self.__dict__.update((key, value) for key, value in vars(module).items() if not key.startswith("__"))
        return getattr(module, name)


def later(package: str, *modules: str) -> list[Any]:
    """Return a proxy for each of a package's modules; a missing one is an `ImportError` at its first use."""
    return [Later(f"{package}.{module}") for module in modules]


if not TYPE_CHECKING:
    difflib, html, random, tomllib, np = map(Later, ("difflib", "html", "random", "tomllib", "numpy"))
    Floats = Bytes = Ints = Mask = Numbers = Any


def require(name: str, *, extra: str) -> None:
    """Raise `ConfigError` unless a library is installed; it is not imported yet."""
    if importlib.util.find_spec(name) is None:
        raise ConfigError(f'{name} is not installed: pip install "engrain[{extra}]"')


def library(name: str, *, extra: str) -> Any:
    """Import a library; `ConfigError` says which extra brings it, or why it cannot be imported."""
    require(name.partition(".")[0], extra=extra)
    try:
        return import_module(name)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name:  # a dependency of it is missing
            require(error.name.partition(".")[0], extra=extra)
        raise ConfigError(
            f'{name} is installed but cannot be imported ({error}): pip install --upgrade "engrain[{extra}]"'
        ) from error
