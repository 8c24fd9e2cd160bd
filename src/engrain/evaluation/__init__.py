"""How good and how fast: retrieval quality on conversations with marked evidence, and speed beside its limits."""
