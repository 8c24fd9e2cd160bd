"""Storage of memories: one interface (`interface.py`), its row types, and the engines that implement it."""
