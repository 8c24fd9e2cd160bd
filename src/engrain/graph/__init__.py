"""The graph: what memories are about, how that relates, and how it is walked. Domain packs say what a name is."""

from __future__ import annotations

from engrain.graph.domain import Domain, PackOperation
from engrain.graph.simple import SimpleGraphMemory

__all__ = ["Domain", "PackOperation", "SimpleGraphMemory"]
