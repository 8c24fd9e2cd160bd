"""Sessions as documents on PostgreSQL: BM25 of each as one text, made of its rows that pass a filter.

How many sessions there are, how long they are, and in how many of them a term stands, all depends on what passes: each
takes a look at every row that does. The engine counts; the scores are worked out here, as `lexical` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.filters import Filter
from recollect.numeric import Floats, Ints, Numbers, np
from recollect.stores.lexical import SESSION_B, SESSION_K1, idf
from recollect.stores.postgres.asking import PostgresAsking, whole
from recollect.stores.postgres.connections import Nums

_Talk = tuple[int, str]  # the number of a namespace, and a session's name in it
_Talks = dict[int, tuple[int, int]]  # of each namespace how many sessions hold anything, and how much in all

# The sessions of rows, and how long each is of the rows that pass.
_ASKED = (
    "WITH asked AS MATERIALIZED (SELECT num, ns, session FROM memory WHERE org = ? "
    "AND num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[])) AND session IS NOT NULL), "
    "lengths AS MATERIALIZED (SELECT a.ns, a.session, (SELECT coalesce(sum(length), 0)::bigint FROM memory "
    "WHERE org = ? AND memory.ns = a.ns AND memory.session = a.session AND {}) AS length "
    "FROM (SELECT DISTINCT ns, session FROM asked) a) "
    "SELECT num, ns, session, length FROM asked JOIN lengths USING (ns, session)"
)
# For each term, in how many sessions it stands, and how often in those asked for.
_HELD = (
    "WITH found AS MATERIALIZED (SELECT ns, term, num, count FROM posting WHERE org = ? "
    "AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))), "
    "held AS MATERIALIZED (SELECT f.ns, f.term, m.session, sum(f.count)::bigint AS count FROM found f "
    "JOIN (SELECT num, session FROM memory WHERE org = ? AND session IS NOT NULL AND {}) m ON m.num = f.num "
    "GROUP BY f.ns, f.term, m.session) "
    "SELECT ns, term, NULL AS session, count(*)::bigint FROM held GROUP BY ns, term "
    "UNION ALL SELECT ns, term, session, count FROM held WHERE (ns, session) IN "
    "(SELECT a.ns, a.session FROM unnest(CAST(? AS bigint[]), CAST(? AS text[])) a (ns, session))"
)
# How many sessions of each namespace hold anything, and how much in all.
_TALKS = (
    "SELECT ns, count(*) FILTER (WHERE length > 0)::bigint, sum(length)::bigint FROM (SELECT ns, sum(length) AS length "
    "FROM memory WHERE org = ? AND session IS NOT NULL AND {} GROUP BY ns, session) s GROUP BY ns"
)


class PostgresSessions(PostgresAsking):
    """The verb about sessions."""

    def score_sessions(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Return the BM25 score of each row's session, of the rows that pass the filter."""
        scores, spaces = np.zeros(len(nums), np.float32), self._namespaces(where)
        if not len(nums) or not terms or not spaces:
            return scores
        inside, params = self._walled(where)
        rows = self._ask(
            _ASKED.format(inside), [self._org, Nums(dict.fromkeys(nums.tolist())), spaces, self._org, *params]
        )
        lengths = {(ns, session): length for _, ns, session, length in rows}
        if not any(lengths.values()):
            return scores
        place = {talk: at for at, talk in enumerate(lengths)}
        of = {num: place[ns, session] for num, ns, session, _ in rows}
        by_session = self._by_session(terms, where, lengths)
        mine = [at for at, num in enumerate(nums.tolist()) if num in of]
        scores[mine] = by_session[[of[num] for num in nums[mine].tolist()]]
        return scores

    def _by_session(self, terms: Mapping[str, float], where: Filter, lengths: Mapping[_Talk, int]) -> Floats:
        """Return the score of each session, in the order of their lengths."""
        spaces = self._namespaces(where)
        self._measure(spaces, terms)
        talks = self._talks(where)
        named = [term for term in terms if any(self._seen.frequency[ns, term] for ns in spaces)]
        holding, counts = self._held_in(named, where, list(lengths))
        parts = {ns: part for part, ns in enumerate(talks)}
        filled = np.maximum(np.array([number for number, _ in talks.values()], np.float64), 1)
        averages = np.maximum(np.array([total for _, total in talks.values()], np.float64) / filled, 1.0)
        of = whole(parts.get(ns, 0) for ns, _ in lengths)
        norm = SESSION_K1 * (1 - SESSION_B) + (SESSION_K1 * SESSION_B / averages)[of] * whole(lengths.values())
        total = np.zeros(len(lengths), np.float32)
        for place, term in enumerate(named):
            telling = idf(filled, np.array([holding.get((ns, place), 0) for ns in talks], np.float64))
            gain = counts[place] * (SESSION_K1 + 1) / (counts[place] + norm)
            total += (terms[term] * telling[of] * gain).astype(np.float32)
        return total

    def _held_in(
        self, named: Sequence[str], where: Filter, asked: Sequence[_Talk]
    ) -> tuple[dict[tuple[int, int], int], Numbers]:
        """Return in how many sessions of a namespace each term stands, and how often in those asked for."""
        counts = np.zeros((len(named), len(asked)), np.float64)
        holding: dict[tuple[int, int], int] = {}
        if named:
            inside, params = self._walled(where)
            spaces, names = [ns for ns, _ in asked], [session for _, session in asked]
            of = {talk: at for at, talk in enumerate(asked)}
            found = self._ask(
                _HELD.format(inside),
                [self._org, self._namespaces(where), list(named), self._org, *params, spaces, names],
            )
            places = {term: place for place, term in enumerate(named)}
            for ns, term, session, count in found:
                if session is None:
                    holding[ns, places[term]] = count
                else:
                    counts[places[term], of[ns, session]] = count
        return holding, counts

    def _talks(self, where: Filter) -> _Talks:
        """Return how many sessions the rows that pass make up; a question asks with the same filter again and again."""
        known = self._seen.talks.get(id(where))
        if known is None:
            inside, params = self._walled(where)
            found = self._ask(_TALKS.format(inside), [self._org, *params])
            known = where, {ns: (number, total) for ns, number, total in found}  # held with it: its id stays its own
            self._seen.talks[id(where)] = known
        return known[1]
