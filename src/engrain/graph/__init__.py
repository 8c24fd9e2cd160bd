"""The graph: the entities of memories, their relations, and traversal; domain packs define what a name is."""

from __future__ import annotations

from engrain.graph.packs import Domain, PackOperation
from engrain.graph.simple import SimpleGraphMemory

__all__ = ["Domain", "PackOperation", "SimpleGraphMemory"]
