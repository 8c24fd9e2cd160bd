"""What turns text into vectors: the built-in embedder, and others by name."""
