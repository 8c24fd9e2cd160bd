"""A view of one org on PostgreSQL: rows by the SQL that engines share, searches by its own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from engrain.arrays import np
from engrain.stores.postgres.copying import HEADER, PostgresCopying
from engrain.stores.postgres.errors import legible
from engrain.stores.postgres.json import PostgresDialect
from engrain.stores.postgres.search import PostgresSearch
from engrain.stores.postgres.session import Session
from engrain.stores.sql_read import Names


class PostgresReader(PostgresSearch, PostgresCopying):
    """A consistent view of one org."""

    _dialect = PostgresDialect()

    def __init__(self, session: Session, org: str, names: Names) -> None:
        super().__init__(names, org)
        self._session = session
        self._forget_searches()

    def _ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._session.turn_to(self._org)
        return self._session.ask(statement, params)

    def _raw(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._session.turn_to(self._org)
        return self._session.ask(statement, params, raw=True)

    def _legible(self) -> AbstractContextManager[None]:
        return legible()

    def _vectors(self) -> tuple[str, str]:
        return "vector", "ns, embedder, num, v"

    def _values(self, stored: Any) -> Any:
        return np.frombuffer(stored, ">i2", offset=HEADER).astype("<i2").view(np.float16).astype(np.float32)
