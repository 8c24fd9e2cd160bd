"""numpy, loaded at its first use, so that `import engrain` stays light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engrain.lazy import Later

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Bytes = NDArray[np.int8]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.float64]
else:
    np = Later("numpy")
    Floats = Bytes = Ints = Mask = Numbers = Any

__all__ = ["Bytes", "Floats", "Ints", "Mask", "Numbers", "np"]
