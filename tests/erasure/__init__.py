"""Erasure: nothing of what is erased is left in any byte, and nothing else is touched."""
