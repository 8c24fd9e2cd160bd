"""The storage suite on the embedded store: in a file, and in memory."""

from __future__ import annotations

import pytest

from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import OneStoreConformance, StoreConformance
from tests.isolated import IsolatedStore

pytestmark = pytest.mark.sqlite("this engine")


class TestSQLiteFile(StoreConformance):
    def make_store(self, place: str) -> SQLiteStore:
        return SQLiteStore(place)


@pytest.mark.matrix
class TestSQLiteInMemory(OneStoreConformance):
    def make_store(self, place: str) -> SQLiteStore:
        return SQLiteStore(":memory:")


@pytest.mark.matrix
class TestSQLiteWithWalls(OneStoreConformance):
    def make_store(self, place: str) -> SQLiteStore:
        return IsolatedStore(place)


def test_parts_of_the_suite_do_not_shadow_each_other() -> None:
    owners: dict[str, str] = {}
    for part in StoreConformance.__mro__:
        for name in vars(part):
            if part.__module__.startswith("engrain.") and not name.startswith("__") and name != "_abc_impl":
                assert name not in owners, f"{part.__name__}.{name} is hidden by {owners[name]}"
                owners[name] = part.__name__
