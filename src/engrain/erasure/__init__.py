"""Erasure: what is asked for, what it came from and what came of it, gone to the last byte, with a receipt."""
