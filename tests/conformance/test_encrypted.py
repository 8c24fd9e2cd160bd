"""The storage suite on a file that is kept under a key."""

from __future__ import annotations

from recollect.stores.sqlite import SQLiteStore
from recollect.testing import StoreConformance


class TestEncryptedFile(StoreConformance):
    def make_store(self, place: str) -> SQLiteStore:
        return SQLiteStore(place, key=bytes(range(32)))
