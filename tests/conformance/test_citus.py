"""The conformance suite on a Citus cluster: a database for each place, its tables spread over the nodes."""

from __future__ import annotations

import pytest

from engrain.storage.interface import Store
from engrain.storage.postgres import PostgresStore
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import StoreConformance
from tests.postgres import cluster


@pytest.mark.skipif(not cluster.COORDINATOR, reason=cluster.WITHOUT)
class TestCitus(StoreConformance):
    """Everything that a store shared by processes may be relied on for."""

    def setup_method(self) -> None:
        """Begin without places."""
        self._places: set[str] = set()
        super().setup_method()

    def teardown_method(self) -> None:
        """Release the databases once they have no connections."""
        super().teardown_method()
        for place in self._places:
            cluster.leave(place)

    def make_store(self, place: str) -> Store:
        """Open the database that a place has."""
        self.__dict__.setdefault("_places", set()).add(place)
        return PostgresStore(cluster.at(place))

    def open_snapshot(self, path: str) -> Store:
        """Open a snapshot, which is a file."""
        store = SQLiteStore(path)
        self._opened.append(store)
        return store
