"""The conformance suite on PostgreSQL: a database for each place."""

from __future__ import annotations

import pytest

from engrain.storage.interface import Store
from engrain.storage.postgres import PostgresStore
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import StoreConformance
from tests.postgres import servers


@pytest.mark.matrix
class TestPostgres(StoreConformance):
    """Everything that a store shared by processes may be relied on for."""

    def setup_method(self) -> None:
        """Begin without places."""
        self._places: set[str] = set()
        super().setup_method()

    def teardown_method(self) -> None:
        """Drop the databases once they have no connections."""
        super().teardown_method()
        for place in self._places:
            servers.leave(place)

    def make_store(self, place: str) -> Store:
        """Open the database that stands for a place."""
        self.__dict__.setdefault("_places", set()).add(place)
        return PostgresStore(servers.at(place))

    def open_snapshot(self, path: str) -> Store:
        """Open a snapshot, which is a file."""
        store = SQLiteStore(path)
        self._opened.append(store)
        return store
