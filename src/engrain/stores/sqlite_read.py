"""The verbs on SQLite: rows found, put, changed and searched on one connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from typing import Any

from engrain.arrays import Floats, Ints, Mask, np
from engrain.model.filters import Condition, Filter
from engrain.storerows import Columns, Ranked, TextStats
from engrain.stores import kernels, sql, sql_ties, tables
from engrain.stores.bound import own
from engrain.stores.known import KNOWN, Names, known_of
from engrain.stores.masks import Passing
from engrain.stores.namespace import Namespace
from engrain.stores.sqlite_copy import SQLiteCopying
from engrain.stores.sqlite_errors import legible
from engrain.stores.sqlite_json import SQLiteDialect

DIALECT = SQLiteDialect()
VECTORS = (
    "(SELECT v.ns, v.num, v.embedder AS code, e.name AS embedder FROM vector v JOIN embedder e ON e.id = v.embedder)"
)
_TERMS = 100  # terms asked for at once
_CROWD = 17  # namespaces of an org from which on they are held together


class SQLiteReader(SQLiteCopying):
    """A consistent view of the file, searching through the process's namespaces."""

    _dialect = DIALECT

    def __init__(
        self,
        connection: sqlite3.Connection,
        spaces: Callable[[int | str], Namespace],
        names: dict[int, tuple[str, str | None]],
        org: str | None = None,
    ) -> None:
        super().__init__(names, org)
        self._connection = connection
        self._spaces = spaces
        self._held = ExitStack()
        self._locked: dict[int | str, Namespace] = {}
        self._looked = False  # whether anything of this view was seen yet
        self._places: dict[tuple[int, int, int], tuple[Ints, Ints, Ints | slice]] = {}
        self._embedders: dict[str, tuple[int, int]] = {}
        self._passing: dict[tuple[int, int], tuple[Filter, Passing]] = {}
        self._asked: tuple[Filter, list[Namespace]] | None = None
        self._scores: dict[tuple[int, tuple[tuple[str, float], ...]], Floats] = {}

    def close(self) -> None:
        """Let other threads at the namespaces that were read."""
        self._let_go()

    def _let_go(self) -> None:
        self._held.close()
        self._locked.clear()
        self._passing.clear()
        self._places.clear()
        self._asked = None
        self._scores.clear()

    # ----------------------------------------------------------------------------------------------------------- rows

    def _ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._looked = True
        return self._connection.execute(statement, params).fetchall()

    _raw = _ask

    def _legible(self) -> AbstractContextManager[None]:
        return legible()

    def _vectors(self) -> tuple[str, str]:
        exact = "(SELECT v FROM vector_exact x WHERE x.embedder = code AND x.num = listed.num)"
        return f"{VECTORS} listed", f"ns, embedder, num, {exact}"

    def _values(self, stored: Any) -> Any:
        return np.frombuffer(stored, np.float16).astype(np.float32)

    # --------------------------------------------------------------------------------------------------------- search

    def _searched(self, where: Filter) -> list[Namespace]:
        if self._asked is None or self._asked[0] is not where:
            self._asked = where, self._reached(own(self._org, where))
        return self._asked[1]

    def _reached(self, where: Filter) -> list[Namespace]:
        wanted = self._wanted(where)
        if not self._looked and self._connection.in_transaction:
            self._hold(wanted)
            self._connection.execute("COMMIT")  # begin again now that nobody can move the namespaces past this view
            self._connection.execute("BEGIN")
            self._walls.clear()
            if self._wanted(where) != wanted:
                return self._reached(where)
        self._refresh(wanted)
        return [self._locked[of] for of in wanted]

    def _wanted(self, where: Filter) -> list[int | str]:
        """Return what is to be searched: the numbers of namespaces, or an org that has many."""
        looked = self._looked
        wanted = self._spread(where)
        self._looked = looked  # this is asked again if the view moves on
        return wanted

    def _spread(self, where: Filter) -> list[int | str]:
        if where.user is None:
            few = self._connection.execute(
                f"SELECT id FROM namespace WHERE org = ? LIMIT {_CROWD}", (where.org,)
            ).fetchall()
            if len(few) == _CROWD:
                return [where.org]
        return [*self._namespaces(where)]

    def _hold(self, wanted: Iterable[int | str]) -> None:
        """Take the locks of these namespaces and no others, always in the same order."""
        self._let_go()
        for of in sorted(set(wanted), key=lambda of: (isinstance(of, str), of)):
            space = self._spaces(of)
            self._held.enter_context(space.lock)
            if space.busy:  # with a view around this one, in the same thread
                space = Namespace(of)
            space.busy = True
            self._held.callback(setattr, space, "busy", False)
            self._locked[of] = space

    def _refresh(self, wanted: Iterable[int | str]) -> None:
        """Bring the namespaces to this view, those included that were asked for before."""
        if self._looked and self._locked.keys() >= set(wanted):
            return
        if not self._locked.keys() >= set(wanted):
            self._hold([*self._locked, *wanted])
        self._looked = True
        version = self._version()
        for of, space in self._locked.items():
            if space.is_current(self._connection, version):
                continue
            with legible():
                if space.is_ahead_of(self._connection):  # another thread reads a later view: have one's own
                    self._locked[of] = space = Namespace(of)
                space.refresh(self._connection, version)

    def _version(self) -> int | None:
        """Return the number of the state of the file that this view sees, as this connection counts them."""
        if not self._connection.in_transaction:
            return None
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _holding(self, nums: Ints) -> list[Namespace]:
        """Return the namespaces at hand, after adding those of rows that are in none of them."""
        known = sum(len(self._placed(space, nums)[0]) for space in self._locked.values())
        if known < len(nums):
            strange = np.ones(len(nums), np.bool_)
            for space in self._locked.values():
                strange[self._placed(space, nums)[1]] = False
            asked = "SELECT DISTINCT ns FROM memory WHERE num {}"
            found = sql_ties.chunked(self._ask, DIALECT, asked, nums[strange].tolist())
            self._refresh([number for (number,) in found])
        return list(self._locked.values())

    def _placed(self, space: Namespace, nums: Ints) -> tuple[Ints, Ints | slice]:
        """Return where rows stand in a namespace, and which of them do; ranking asks of the same again and again."""
        key = (id(space), id(nums), space.mirror.size)
        known = self._places.get(key)
        if known is None:
            places = space.mirror.places(nums)
            inside = places >= 0
            mine = slice(None) if inside.all() else np.flatnonzero(inside)
            known = self._places[key] = (nums, places[mine], mine)
        return known[1:]  # the row numbers are held with it, so that their id stays their own

    def _through(self, space: Namespace, where: Filter) -> Passing:
        """Return the rows of a namespace that pass; a question asks with the same filter again and again."""
        key = (id(space), id(where))
        known = self._passing.get(key)
        if known is None:
            passing = space.masks.passing(where.conditions, lambda test: self._elsewhere(space, test))
            known = self._passing[key] = (where, passing)  # held with it, so that its id stays its own
        return known[1]

    def _mask(self, space: Namespace, where: Filter) -> Mask:
        return self._through(space, where).mask

    def _elsewhere(self, space: Namespace, test: Condition) -> Ints:
        inside, of = space.mirror.inside()
        clause, params = sql.condition(test, DIALECT)
        found = self._connection.execute(f"SELECT num FROM memory WHERE {inside} AND {clause}", [*of, *params])
        return np.fromiter((row[0] for row in found), np.int64)

    def _text(self, space: Namespace, terms: Mapping[str, float]) -> Floats:
        key = (id(space), tuple(terms.items()))
        if key not in self._scores:
            with legible():
                space.lexicon.prepare(self._connection, terms)
                self._scores[key] = space.lexicon.scores(self._connection, terms)
        return self._scores[key]

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass."""
        spaces = self._searched(where)
        return list(dict.fromkeys(name for space in spaces for name in self._through(space, where).actors))

    def latest(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, newest first."""
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for space in self._searched(where):
            times, inside = space.mirror["valid_from"], self._mask(space, where)
            if since is not None:
                inside = inside & (times >= tables.stored(since))
            if until is not None:
                inside = inside & (times < tables.stored(until))
            places = np.flatnonzero(inside)
            found.append((space.mirror["num"][places], times[places]))
        nums, times = (np.concatenate(each) for each in zip(*found, strict=True))
        if 0 < limit < len(times):  # ties at the cut included: the order decides between them
            kept = np.flatnonzero(times >= np.partition(times, len(times) - limit)[len(times) - limit])
            nums, times = nums[kept], times[kept]
        return np.asarray(nums[np.lexsort((-nums, -times))[: max(limit, 0)]], np.int64)

    def text_stats(self, terms: Sequence[str], where: Filter) -> TextStats:
        """Return how common each term is in the searched namespaces."""
        spaces = self._searched(where)
        documents = sum(space.mirror.count for space in spaces)
        length = sum(float(space.mirror.totals()[1].sum()) for space in spaces)
        for space in spaces:
            space.lexicon.prepare(self._connection, terms)
        frequency = {
            term: sum(len(space.lexicon.postings(self._connection, term).rows) for space in spaces) for term in terms
        }
        return TextStats(documents, length / max(documents, 1), frequency)

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by BM25; rows that hold none of the terms are not found."""
        found = []
        for space in self._searched(where) if limit > 0 else ():
            scores = self._text(space, terms)
            places = np.flatnonzero((scores > 0) & self._mask(space, where))
            top = places[kernels.best(scores[places], limit)]
            found.append((space.mirror["num"][top], scores[top]))
        return kernels.merged(found, limit)

    def score_terms(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each term (by row) adds to the BM25 score of each of the rows found (by column)."""
        out = np.zeros((len(terms), len(nums)), np.float32)
        for space in self._holding(nums):
            places, mine = self._placed(space, nums)
            if len(places) == len(nums):
                return space.lexicon.term_scores(self._connection, terms, places)
            if len(places):
                out[:, mine] = space.lexicon.term_scores(self._connection, terms, places)
        return out

    def holders(self, namespace: int, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
        """Return, for each term, rows of a namespace that hold it, in row order and at most `limit`."""
        found: list[list[int]] = [[] for _ in terms]
        for start in range(0, len(terms), _TERMS):
            some = terms[start : start + _TERMS]
            parts = (
                f"SELECT {start + place}, num FROM (SELECT num FROM posting WHERE ns = ? AND term = ? LIMIT {limit})"
                for place in range(len(some))
            )
            values = [value for term in some for value in (namespace, term)]
            for place, num in self._connection.execute(" UNION ALL ".join(parts), values):
                found[place].append(num)
        return found

    def score_sessions(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Return the BM25 score of each row's session, of the rows that pass the filter."""

        def of_session(space: Namespace, places: Ints) -> Floats:
            codes, scores = space.mirror.talks[places], np.zeros(len(places), np.float32)
            inside, sessions = codes >= 0, self._through(space, where).sessions
            scores[inside] = space.lexicon.session_scores(self._connection, terms, sessions, codes[inside])
            return scores

        return self._gather(nums, of_session, 0.0, spaces=self._searched(where))

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine, the best rescored from float16."""
        spaces, number = self._searched(where), self._embedder(embedder)
        if number is None or limit <= 0:
            return kernels.merged([], limit)
        found = []
        for space in spaces:
            unit, mask = kernels.unit(vector, number[1]), self._mask(space, where)
            with legible():
                matrix = space.matrix(self._connection, number[0], number[1])
                places, scores = matrix.search(self._connection, unit, mask, limit)
            found.append((space.mirror["num"][places], scores))
        return kernels.merged(found, limit)

    def score_vector(self, embedder: str, vector: Floats, nums: Ints) -> Floats:
        """Return the cosine of rows already found, NaN where there is no vector."""
        number = self._embedder(embedder)
        if number is None:
            return np.full(len(nums), np.nan, np.float32)
        unit, (index, dimensions) = kernels.unit(vector, number[1]), number

        def cosines(space: Namespace, places: Ints) -> Floats:
            matrix = space.matrix(self._connection, index, dimensions)
            return matrix.cosines(self._connection, places, unit)

        return self._gather(nums, cosines, np.nan)

    def neighbours(self, nums: Ints, where: Filter, *, span: int) -> Ints:
        """Return the rows around each in its session, as far as they pass the filter."""
        around = np.full((len(nums), 2 * span), -1, np.int64)
        for space in self._searched(where):
            places, mine = self._placed(space, nums)
            if len(places):
                beside = space.mirror.beside(places, span)
                allowed = (beside >= 0) & self._mask(space, where).take(beside)
                around[mine] = np.where(allowed, space.mirror["num"].take(beside), -1)
        return around

    def columns(self, nums: Ints) -> Columns:
        """Return what ranking needs to know of rows already found."""
        names = Names()
        out: dict[str, Any] = {}
        for number, space in enumerate(self._holding(nums)):
            places, mine = self._placed(space, nums)
            if not len(places):
                continue
            known = known_of(space.mirror, places, number << 32, names)  # no two namespaces share a session
            if len(places) == len(nums):
                out = known
                break
            out = out or {name: np.zeros(len(nums), values.dtype) for name, values in known.items()}
            for name, values in known.items():
                out[name][mine] = values
        out = out or {name: np.zeros(len(nums), kind) for name, kind in KNOWN.items()}
        out["source_class"] = out.pop("source_type")
        return Columns(actors=tuple(names.actor), domains=tuple(names.domain), agents=tuple(names.agent), **out)

    def _gather(
        self,
        nums: Ints,
        of: Callable[[Namespace, Ints], Floats],
        otherwise: float,
        kind: str = "f4",
        spaces: Sequence[Namespace] | None = None,
    ) -> Floats:
        out: Any = np.full(len(nums), otherwise, kind)
        for space in self._holding(nums) if spaces is None else spaces:
            places, mine = self._placed(space, nums)
            if len(places):
                out[mine] = of(space, places)
        return np.asarray(out)

    def _embedder(self, name: str) -> tuple[int, int] | None:
        if name not in self._embedders:
            row = self._connection.execute("SELECT id, dimensions FROM embedder WHERE name = ?", (name,)).fetchone()
            if row is None:
                return None
            self._embedders[name] = (row[0], row[1])
        return self._embedders[name]
