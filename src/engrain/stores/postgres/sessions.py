"""Sessions as documents on PostgreSQL: BM25 of each as one text, made of its rows that pass a filter.

How many sessions there are, how long they are, and in how many of them a term stands, all depends on what passes: that
takes a look at every row that does, and one is enough. The engine counts; the scores are worked out here, as `lexical`
does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engrain.arrays import Floats, Ints, np
from engrain.model.filters import Filter
from engrain.stores.lexical import SESSION_B, SESSION_K1, idf
from engrain.stores.postgres.asking import PostgresAsking, whole
from engrain.stores.postgres.connections import Nums

_Talk = tuple[int, str]  # the number of a namespace, and a session's name in it

# Of each namespace how many sessions hold anything, and how much in all; the sessions of rows, and how long each is; of
# each term in how many sessions it stands, and how often in those of the rows.
_COUNTED = (
    "WITH passing AS MATERIALIZED (SELECT num, ns, session, length FROM memory WHERE org = ? AND session IS NOT NULL "
    "AND {}), "
    "talk AS MATERIALIZED (SELECT ns, session, sum(length)::bigint AS length FROM passing GROUP BY ns, session), "
    "asked AS MATERIALIZED (SELECT num, ns, session FROM memory WHERE org = ? "
    "AND num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[])) AND session IS NOT NULL), "
    "found AS MATERIALIZED (SELECT ns, width_bucket(term, CAST(? AS text[])) AS place, num, count FROM posting "
    "WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))), "
    "held AS MATERIALIZED (SELECT f.ns, f.place, p.session, sum(f.count)::bigint AS count FROM found f "
    "JOIN passing p ON p.num = f.num GROUP BY f.ns, f.place, p.session) "
    "SELECT ns, NULL::bigint, NULL::int, NULL, count(*) FILTER (WHERE length > 0)::bigint, sum(length)::bigint "
    "FROM talk GROUP BY ns "
    "UNION ALL SELECT ns, num, NULL, session, coalesce(length, 0), NULL FROM asked LEFT JOIN talk USING (ns, session) "
    "UNION ALL SELECT ns, NULL, place, NULL, count(*)::bigint, NULL FROM held GROUP BY ns, place "
    "UNION ALL SELECT ns, NULL, place, session, count, NULL FROM held "
    "WHERE (ns, session) IN (SELECT ns, session FROM asked)"
)


@dataclass(slots=True)
class _Counted:
    """What the engine counted."""

    talks: dict[int, tuple[int, int]] = field(default_factory=dict)  # how many of a namespace hold anything, how much
    of: dict[int, _Talk] = field(default_factory=dict)  # a row's session
    lengths: dict[_Talk, int] = field(default_factory=dict)
    holding: dict[tuple[int, int], int] = field(default_factory=dict)  # sessions, by namespace and term
    counts: dict[tuple[_Talk, int], int] = field(default_factory=dict)  # of terms


class PostgresSessions(PostgresAsking):
    """The verb about sessions."""

    def score_sessions(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Return the BM25 score of each row's session, of the rows that pass the filter."""
        scores, spaces = np.zeros(len(nums), np.float32), self._namespaces(where)
        if not len(nums) or not terms or not spaces:
            return scores
        self._measure(spaces, terms)
        named = [term for term in terms if any(self._seen.frequency[ns, term] for ns in spaces)]
        counted = self._look(sorted(named), where, nums)
        by_session = dict(zip(counted.lengths, self._by_session(named, terms, counted).tolist(), strict=True))
        mine = [at for at, num in enumerate(nums.tolist()) if num in counted.of]
        scores[mine] = [by_session[counted.of[num]] for num in nums[mine].tolist()]
        return scores

    def _look(self, named: Sequence[str], where: Filter, nums: Ints) -> _Counted:
        """Count in one look; terms are given in order, and stand in the answer as their places."""
        inside, params = self._walled(where)
        spaces, asked = self._namespaces(where), Nums(dict.fromkeys(nums.tolist()))
        out, terms = _Counted(), list(named)
        rows = self._ask(
            _COUNTED.format(inside),
            [self._org, *params, self._org, asked, spaces, terms or [""], self._org, spaces, terms],
        )
        for ns, num, place, session, count, total in rows:
            if num is not None:
                out.of[num] = ns, session
                out.lengths[ns, session] = count
            elif place is None:
                out.talks[ns] = count, total
            elif session is None:
                out.holding[ns, place - 1] = count
            else:
                out.counts[(ns, session), place - 1] = count
        return out

    def _by_session(self, named: Sequence[str], terms: Mapping[str, float], counted: _Counted) -> Floats:
        """Return the score of each session, in the order of their lengths."""
        total = np.zeros(len(counted.lengths), np.float32)
        if not any(counted.lengths.values()):
            return total
        filled = np.maximum(np.array([number for number, _ in counted.talks.values()], np.float64), 1)
        averages = np.maximum(np.array([much for _, much in counted.talks.values()], np.float64) / filled, 1.0)
        parts = {ns: part for part, ns in enumerate(counted.talks)}
        of = whole(parts.get(ns, 0) for ns, _ in counted.lengths)
        norm = SESSION_K1 * (1 - SESSION_B) + (SESSION_K1 * SESSION_B / averages)[of] * whole(counted.lengths.values())
        places = {term: place for place, term in enumerate(sorted(named))}
        for term in named:
            place = places[term]
            telling = idf(filled, np.array([counted.holding.get((ns, place), 0) for ns in counted.talks], np.float64))
            held = np.array([counted.counts.get((talk, place), 0) for talk in counted.lengths], np.float64)
            total += (terms[term] * telling[of] * (held * (SESSION_K1 + 1) / (held + norm))).astype(np.float32)
        return total
