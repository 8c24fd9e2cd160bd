"""The storage suite on a file that is kept under a key: what a key may touch always, all of it with `-m slow`."""

from __future__ import annotations

import pytest

from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import StoreConformance
from engrain.testing.conformance.durability import Durability, Snapshots
from engrain.testing.conformance.erasing import Erasing, Names
from engrain.testing.conformance.rows import RecordRows
from engrain.testing.conformance.sharing import Freshness, Isolation
from engrain.testing.conformance.walls import Walls
from engrain.testing.conformance.writing import Atomicity, Uniqueness

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
