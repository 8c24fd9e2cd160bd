"""Search by vector where every namespace counts as a large one, whose vectors are searched by sketches."""

from __future__ import annotations

import pytest

from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.histories import Histories
from engrain.testing.conformance.vectors import VectorSearch

pytestmark = pytest.mark.sqlite("this engine")


@pytest.mark.matrix
class TestSketchesInAFile(VectorSearch, Histories):
    def make_store(self, place: str) -> SQLiteStore:
        return SQLiteStore(place, sketched_from=0)


@pytest.mark.matrix
class TestSketchesInMemory(VectorSearch, Histories):
    def make_store(self, place: str) -> SQLiteStore:
        return SQLiteStore(":memory:", sketched_from=0)
