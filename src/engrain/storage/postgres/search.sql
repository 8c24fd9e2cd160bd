-- The searches of a reader. A comment "name: what it is for" begins each statement; `{name}` is filled in by the reader,
-- or is an earlier statement.

-- postings: with the most that each can add. They are asked for by lists, not by a join: of lists the planner knows how
-- many rows to expect. `width_bucket` finds the place in a sorted list.
(SELECT num, count,
    (CAST(? AS double precision[]))[(width_bucket(ns, CAST(? AS bigint[])) - 1) * CAST(? AS integer)
        + width_bucket(term, CAST(? AS text[]))] AS most,
    (CAST(? AS double precision[]))[width_bucket(ns, CAST(? AS bigint[]))] AS slope
FROM posting WHERE ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[])))

-- promising: rows by the most that their terms can add, whatever their length; then those of them that pass.
WITH held AS MATERIALIZED (
    SELECT num, sum(most * count / (count + ?)) AS bound FROM {postings} p
    GROUP BY num ORDER BY bound DESC, num LIMIT ?
)
SELECT held.num, held.bound, m.ns, m.length FROM held
LEFT JOIN LATERAL (SELECT ns, length FROM memory WHERE num = held.num AND {inside} OFFSET 0) m ON true

-- best: of all that pass.
SELECT m.num, m.ns, m.length FROM {postings} p
JOIN (SELECT num, ns, length FROM memory WHERE {inside}) m ON m.num = p.num
GROUP BY m.num, m.ns, m.length
ORDER BY sum(p.most * p.count / (p.count + ? + p.slope * m.length))::real DESC, m.num LIMIT ?

-- counts: how often rows hold terms. Asked for term by term, the planner takes the index that begins with them; asked
-- for all at once, it reads every posting of many rows.
SELECT t.place, p.num, p.count FROM unnest(CAST(? AS text[])) WITH ORDINALITY t (term, place)
CROSS JOIN LATERAL (
    SELECT num, count FROM posting
    WHERE ns = ANY(CAST(? AS bigint[])) AND term = t.term AND num = ANY(CAST(? AS bigint[])) OFFSET 0
) p

-- sessions: of each row that was asked for, and each term in its session: how often, how long the session is, how many
-- sessions of the namespace are not empty and how long they all are, and in how many of them the term is.
WITH passing AS MATERIALIZED (
    SELECT num, ns, session, length FROM memory WHERE session IS NOT NULL AND {inside}
),
talk AS MATERIALIZED (SELECT ns, session, sum(length) AS length FROM passing GROUP BY ns, session),
asked AS MATERIALIZED (
    SELECT num, ns, session FROM memory
    WHERE num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[])) AND session IS NOT NULL
),
found AS MATERIALIZED (
    SELECT ns, width_bucket(term, CAST(? AS text[])) AS place, num, count FROM posting
    WHERE ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))
),
held AS MATERIALIZED (
    SELECT f.ns, f.place, p.session, sum(f.count) AS count FROM found f
    JOIN passing p ON p.num = f.num GROUP BY f.ns, f.place, p.session
),
spaces AS (SELECT ns, count(*) FILTER (WHERE length > 0) AS filled, sum(length) AS total FROM talk GROUP BY ns),
terms AS (SELECT ns, place, count(*) AS holding FROM held GROUP BY ns, place)
SELECT num, place, count, length, filled, total, holding FROM asked
JOIN held USING (ns, session) JOIN talk USING (ns, session) JOIN spaces USING (ns) JOIN terms USING (ns, place)

-- vectors: of namespaces, by an embedder.
FROM vector WHERE ns = ANY(CAST(? AS bigint[])) AND embedder = ?

-- nearest: of all vectors, then those of them that pass.
WITH near AS MATERIALIZED (SELECT num, v {vectors} ORDER BY {by} LIMIT ?)
SELECT near.num, CASE WHEN m.ns IS NOT NULL THEN near.v END, m.ns, m.length FROM near
LEFT JOIN LATERAL (SELECT ns, length FROM memory WHERE num = near.num AND {inside} OFFSET 0) m ON true

-- passing: the nearest of those that pass.
SELECT x.num, x.v, m.ns, m.length FROM (SELECT num, v {vectors}) x
JOIN (SELECT num, ns, length FROM memory WHERE {inside}) m ON m.num = x.num ORDER BY {by} LIMIT ?

-- indexed: how many vectors an embedder's index has, for each index that can be used.
SELECT greatest(c.reltuples, 0)::double precision FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE i.indrelid = to_regclass('engrain.vector') AND a.amname = 'hnsw' AND i.indisvalid
AND pg_get_expr(i.indpred, i.indrelid) = '(embedder = ' || quote_literal(CAST(? AS text)) || '::text)'
AND position('halfvec(' || ? || ')' IN pg_get_expr(i.indexprs, i.indrelid)) > 0

-- around: the rows beside others in their sessions, twice as far for lenders.
WITH a AS MATERIALIZED (
    SELECT num, ns, session, position,
        CAST(? AS bigint) * CASE WHEN num = ANY(CAST(? AS bigint[])) THEN 2 ELSE 1 END AS reach
    FROM memory WHERE num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[]))
    AND session IS NOT NULL AND position >= 0
)
SELECT a.num, n.position - a.position, n.num, n.inside::int, a.ns, n.length FROM a
CROSS JOIN LATERAL (
    SELECT num, position, length, coalesce({inside}, false) AS inside FROM memory
    WHERE ns = a.ns AND session = a.session
    AND position BETWEEN greatest(a.position - a.reach, 0) AND a.position + a.reach OFFSET 0
) n

-- actors: from name to name along the index, however many rows each has.
WITH RECURSIVE names (ns, actor) AS (
    SELECT s.ns, (SELECT min(actor) FROM memory WHERE memory.ns = s.ns)
    FROM unnest(CAST(? AS bigint[])) s (ns)
    UNION ALL
    SELECT names.ns, (SELECT min(actor) FROM memory WHERE memory.ns = names.ns AND memory.actor > names.actor)
    FROM names WHERE names.actor IS NOT NULL
)
SELECT DISTINCT actor FROM names WHERE actor IS NOT NULL
AND (SELECT 1 FROM memory WHERE memory.ns = names.ns AND memory.actor = names.actor AND {inside} LIMIT 1) = 1
ORDER BY actor
