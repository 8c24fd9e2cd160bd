"""numpy, loaded at its first use, so that `import recollect` stays light."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Bytes = NDArray[np.int8]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.float64]
else:

    class _Numpy:
        """Stands in for the module and becomes it, name by name."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module("numpy"), name)
            setattr(self, name, value)
            return value

    np = _Numpy()
    Floats = Bytes = Ints = Mask = Numbers = Any

__all__ = ["Bytes", "Floats", "Ints", "Mask", "Numbers", "np"]
