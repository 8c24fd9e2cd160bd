"""The graph: what memories are about, how that relates, and how it is walked. Domain packs say what a name is."""

from __future__ import annotations

<<<<<<< HEAD
from recollect.graph.pack import Domain as Domain
=======
from recollect.graph.simple import SimpleGraphMemory

__all__ = ["SimpleGraphMemory"]
>>>>>>> draw
