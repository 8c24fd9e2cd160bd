"""Erasure: `erase.py` removes memories with their sources and derivatives, `receipts.py` proves it by a search."""
