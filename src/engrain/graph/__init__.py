"""The graph: entities of memories (`entity_store`), extraction, traversal, and domain packs, which define names."""

from __future__ import annotations

from engrain.graph.packs import Domain, PackOperation
from engrain.graph.simple import SimpleGraphMemory

__all__ = ["Domain", "PackOperation", "SimpleGraphMemory"]
