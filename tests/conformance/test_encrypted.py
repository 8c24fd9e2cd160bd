"""The storage suite on a file that is kept under a key: what a key may touch always, all of it with `-m slow`."""

from __future__ import annotations

import pytest

from recollect.stores.sqlite import SQLiteStore
from recollect.testing import StoreConformance
from recollect.testing.conformance.durability import Durability, Snapshots
from recollect.testing.conformance.erasing import Erasing, Names
from recollect.testing.conformance.rows import RecordRows
from recollect.testing.conformance.sharing import Freshness, Isolation
from recollect.testing.conformance.walls import Walls
from recollect.testing.conformance.writing import Atomicity, Uniqueness

pytestmark = pytest.mark.sqlite("this engine")


def encrypted(place: str) -> SQLiteStore:
    return SQLiteStore(place, key=bytes(range(32)))


class TestEncryptedFile(
    RecordRows, Walls, Atomicity, Uniqueness, Isolation, Durability, Freshness, Snapshots, Names, Erasing
):
    def make_store(self, place: str) -> SQLiteStore:
        return encrypted(place)


@pytest.mark.slow
class TestEncryptedFileInFull(StoreConformance):
    def make_store(self, place: str) -> SQLiteStore:
        return encrypted(place)
