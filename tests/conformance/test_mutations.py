"""A check that cannot fail checks nothing: stores with one mistake each, and the test of the suite that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import pytest

from engrain.lazy import np
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import Description, ReadColumns
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import OneStoreConformance

pytestmark = pytest.mark.sqlite("this engine")

T = TypeVar("T")
SEARCHES = ("search_text", "search_vector", "describe")


class Mistaken:
    """A view of a store that answers as the one inside it."""

    def __init__(self, inner: Reader) -> None:
        self._inner = cast(Any, inner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Forgetless(Mistaken):
    """Answers a search as before when nothing but `put` has come between."""

    def __init__(self, inner: Reader) -> None:
        super().__init__(inner)
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        method = super().__getattr__(name)
        if name in ("update", "delete"):
            self._known.clear()
        if name not in SEARCHES:
            return method

        def search(*asked: Any, **named: Any) -> Any:
            key = f"{name} {asked} {named}"
            if key not in self._known:
                self._known[key] = method(*asked, **named)
            return self._known[key]

        return search


class Described(Mistaken):
    """Describes rows in another way."""

    def describe(self, *asked: Any, **named: Any) -> Description:
        return self.wrong(self._inner.describe(*asked, **named))

    def wrong(self, found: Description) -> Description:
        return found


class ZeroCosines(Described):
    def wrong(self, found: Description) -> Description:
        return found._replace(cosines=np.nan_to_num(found.cosines))


class NoGains(Described):
    def wrong(self, found: Description) -> Description:
        return found._replace(gains=np.where(found.gains > 0, found.gains, np.float32(np.nan)))


class NoImportance(Described):
    def wrong(self, found: Description) -> Description:
        without = {"importance": found.columns.importance * np.float32(np.nan)}
        columns = ReadColumns(lambda name: without[name] if name in without else getattr(found.columns, name))
        return found._replace(columns=columns)


class NoSessions(Described):
    def wrong(self, found: Description) -> Description:
        return found._replace(sessions=np.where(found.sessions > 0, found.sessions, np.float32(np.nan)))


class AnyVector(Described):
    """Takes a vector that is not finite for zeros."""

    def describe(self, *asked: Any, **named: Any) -> Description:
        vector = named.get("vector")
        return cast(
            Description,
            self._inner.describe(*asked, **{**named, "vector": None if vector is None else np.nan_to_num(vector)}),
        )


def store_of(mistake: type[Mistaken]) -> type[SQLiteStore]:
    """Return an engine whose views all make one mistake."""

    class MistakenStore(SQLiteStore):
        @contextmanager
        def read(self, org: str | None = None) -> Iterator[Reader]:
            with super().read(org) as reader:
                yield cast(Reader, mistake(reader))

        def write(self, change: Callable[[Transaction], T], org: str | None = None, users: Any = None) -> T:
            return super().write(lambda transaction: change(cast(Transaction, mistake(transaction))), org, users)

    return MistakenStore


def run(test: str, mistake: type[Mistaken]) -> None:
    """Run one test of the suite on the engine with a mistake."""

    class Suite(OneStoreConformance):
        def make_store(self, place: str) -> Store:
            return store_of(mistake)(":memory:")

    suite = Suite()
    suite.setup_method()
    try:
        getattr(suite, test)()
    finally:
        suite.teardown_method()


PUT = "test_a_change_that_has_searched_sees_what_it_puts_after_that"
HISTORY = "test_any_history_is_answered_as_the_model_says"
NUMBERS = "test_what_is_described_is_a_number_but_for_cosines_of_rows_farther_away_or_without_a_vector"
FINITE = "test_a_vector_of_another_length_or_not_finite_is_a_value_error"


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("mistake", "test"),
    [
        (Forgetless, PUT),
        (ZeroCosines, NUMBERS),
        (ZeroCosines, HISTORY),
        (NoGains, NUMBERS),
        (NoImportance, NUMBERS),
        (NoSessions, NUMBERS),
        (AnyVector, FINITE),
    ],
)
def test_a_mistake_is_found_by_the_suite(mistake: type[Mistaken], test: str) -> None:
    run(test, Mistaken)
    with pytest.raises(AssertionError):
        run(test, mistake)
