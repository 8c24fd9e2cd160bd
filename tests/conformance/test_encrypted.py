"""The storage suite on a file that is kept under a key: what a key may touch always, all of it with `-m slow`."""

from __future__ import annotations

import pytest

from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import StoreConformance
from engrain.testing.conformance.concurrency import ConsistentReads, Freshness
from engrain.testing.conformance.durability import Durability, Erasure
from engrain.testing.conformance.histories import Histories
from engrain.testing.conformance.isolation import Isolation
from engrain.testing.conformance.rows import OtherRows, RecordRows
from engrain.testing.conformance.transactions import Atomicity, Uniqueness

pytestmark = pytest.mark.sqlite("this engine")


def encrypted(place: str) -> SQLiteStore:
    return SQLiteStore(place, key=bytes(range(32)))


@pytest.mark.matrix
class TestEncryptedFile(
    RecordRows, OtherRows, Histories, Isolation, Atomicity, Uniqueness, ConsistentReads, Durability, Freshness, Erasure
):
    def make_store(self, place: str) -> SQLiteStore:
        return encrypted(place)


@pytest.mark.slow
class TestEncryptedFileInFull(StoreConformance):
    def make_store(self, place: str) -> SQLiteStore:
        return encrypted(place)
