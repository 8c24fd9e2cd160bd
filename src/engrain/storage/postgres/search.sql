-- The statements of `reader.py`. `-- name: what it is for` begins each; its lines are joined before it is sent.
-- A name in braces is a statement above, or a value that is given when the file is read; other braces are filled in by
-- the reader: {inside} is the condition of a filter.

-- holders: each term and the numbers of a namespace's first rows that hold it, as one text
SELECT t.term, (
    SELECT string_agg(num::text, ',' ORDER BY num)
    FROM (SELECT num FROM posting WHERE org = ? AND ns = {namespace} AND term = t.term ORDER BY num LIMIT ?) p
) AS nums
FROM unnest(CAST(? AS text[])) t (term)

-- sizes: how large namespaces are, then in how many of their rows each term is
SELECT ns, NULL AS term, sum(documents)::bigint AS documents, sum(length)::bigint FROM counter
WHERE org = ? AND ns = ANY(CAST(? AS bigint[]))
GROUP BY ns
UNION ALL
SELECT ns, term, count(*)::bigint, 0 FROM posting
WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))
GROUP BY ns, term

-- best_by_words: how large namespaces are, in how many of their rows each term is, and the best of the rows that pass
-- among those of which their terms can add the most, whatever their length, with how often each term is there
WITH held AS MATERIALIZED (
    SELECT ns, num, width_bucket(term, CAST(? AS text[])) AS place, count FROM posting
    WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))
),
sizes AS MATERIALIZED (
    SELECT ns, sum(documents)::bigint AS documents, sum(length)::bigint AS length FROM counter
    WHERE org = ? AND ns = ANY(CAST(? AS bigint[]))
    GROUP BY ns
),
terms AS MATERIALIZED (SELECT ns, place, count(*) AS holding FROM held GROUP BY ns, place),
worth AS MATERIALIZED (
    SELECT ns, place,
        (CAST(? AS double precision[]))[place]
            * ln(greatest(1 + (documents - holding + 0.5) / (holding + 0.5), 1)) AS most,
        {norm_slope} / greatest(length / greatest(documents, 1), 1) AS slope
    FROM terms JOIN sizes USING (ns)
),
likely AS MATERIALIZED (
    SELECT num, sum(most * count / (count + {norm_base})) AS bound
    FROM held JOIN worth USING (ns, place)
    WHERE most > 0
    GROUP BY num ORDER BY bound DESC, num LIMIT ?
),
passing AS MATERIALIZED (
    SELECT num, bound, m.ns, m.length
    FROM likely CROSS JOIN LATERAL (
        SELECT ns, length FROM memory WHERE org = ? AND num = likely.num AND {inside} OFFSET 0
    ) m
),
best AS MATERIALIZED (
    SELECT p.num, p.ns, p.length
    FROM passing p JOIN held h ON h.num = p.num JOIN worth w ON w.ns = h.ns AND w.place = h.place
    WHERE most > 0
    GROUP BY p.num, p.ns, p.length
    ORDER BY sum(most * count / (count + {norm_base} + slope * p.length)) DESC, p.num LIMIT ?
)
SELECT * FROM
    (SELECT array_agg(ns), array_agg(documents), array_agg(length) FROM sizes) a,
    (SELECT array_agg(ns), array_agg(place::bigint), array_agg(holding) FROM terms) b,
    (SELECT count(*), min(bound) FROM likely) c,
    (SELECT array_agg(num), array_agg(ns), array_agg(length::bigint) FROM best) d,
    (
        SELECT array_agg(place::bigint), array_agg(num), array_agg(count::bigint) FROM held
        WHERE num = ANY(ARRAY(SELECT num FROM best))
    ) e

-- vectors: where the vectors of namespaces are
FROM vector WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND embedder = ?

-- distance: from each vector that is read; the sum keeps the planner from taking the index
(v <#> CAST(CAST(? AS text) AS halfvec)) + 0

-- indexed_distance: as an HNSW index has it
CAST(v AS halfvec({dimensions})) <#> CAST(CAST(? AS text) AS halfvec({dimensions}))

-- nearest: the nearest of all, then those of them that pass
WITH near AS MATERIALIZED (SELECT num, v {vectors} ORDER BY {by} LIMIT ?)
SELECT near.num, CASE WHEN m.ns IS NOT NULL THEN near.v END, m.ns, m.length
FROM near LEFT JOIN LATERAL (
    SELECT ns, length FROM memory WHERE org = ? AND num = near.num AND {inside} OFFSET 0
) m ON true

-- nearest_passing: the nearest of those that pass
SELECT x.num, x.v, m.ns, m.length
FROM (SELECT num, v {vectors}) x
JOIN (SELECT num, ns, length FROM memory WHERE org = ? AND {inside}) m ON m.num = x.num
ORDER BY {distance}, x.num LIMIT ?

-- index_sizes: how many vectors the HNSW indexes of an embedder have, 0 where that is not known
SELECT greatest(c.reltuples, 0)::double precision
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE i.indrelid = to_regclass('engrain.vector') AND a.amname = 'hnsw' AND i.indisvalid
    AND pg_get_expr(i.indpred, i.indrelid) = '(embedder = ' || quote_literal(CAST(? AS text)) || '::text)'
    AND position('halfvec(' || ? || ')' IN pg_get_expr(i.indexprs, i.indrelid)) > 0

-- alike: the first tables of a description, where rows near to a vector are asked for; `alike` are those that pass
nearest AS MATERIALIZED (SELECT num, v, {distance} AS apart {vectors} ORDER BY apart, num LIMIT ?),
alike AS MATERIALIZED (
    SELECT nearest.num, nearest.v
    FROM nearest CROSS JOIN LATERAL (
        SELECT 1 FROM memory WHERE org = ? AND num = nearest.num AND {inside} OFFSET 0
    ) m
    ORDER BY nearest.apart, nearest.num LIMIT ?
)

-- nothing_alike: the same tables, where none are asked for
nearest AS (SELECT 1 WHERE false),
alike AS (SELECT 1::bigint AS num, NULL::halfvec AS v WHERE false)

-- rows: the next tables; `asked` are all rows that are asked for, `near` those beside each in its session, `rows` all
asked AS MATERIALIZED (SELECT unnest(CAST(? AS bigint[])) AS num UNION SELECT num FROM alike),
placed AS MATERIALIZED (
    SELECT num, ns, session, position,
        CAST(? AS bigint) * CASE WHEN num = ANY(CAST(? AS bigint[])) THEN 2 ELSE 1 END AS reach
    FROM memory
    WHERE org = ? AND num = ANY(ARRAY(SELECT num FROM asked)) AND ns = ANY(CAST(? AS bigint[]))
        AND session IS NOT NULL AND position >= 0
),
near AS MATERIALIZED (
    SELECT a.num, n.position - a.position AS apart, n.num AS beside, n.inside, a.reach
    FROM placed a CROSS JOIN LATERAL (
        SELECT num, position, coalesce({inside}, false) AS inside FROM memory
        WHERE org = ? AND ns = a.ns AND session = a.session
            AND position BETWEEN greatest(a.position - a.reach, 0) AND a.position + a.reach
        OFFSET 0
    ) n
),
rows AS MATERIALIZED (
    SELECT num, ns, session, coalesce(position, -1) AS position, {ranked} FROM memory
    WHERE org = ? AND num = ANY(ARRAY(SELECT num FROM asked UNION SELECT beside FROM near WHERE inside))
)

-- found: the table of where terms are
found AS MATERIALIZED (
    SELECT ns, width_bucket(term, CAST(? AS text[])) AS place, num, count FROM posting
    WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))
)

-- met_columns: how many vectors were compared
SELECT count(*) FROM nearest

-- alike_columns: the nearest rows that pass
SELECT array_agg(num), string_agg(halfvec_send(v), '') FROM alike

-- near_columns: what is beside each row
SELECT array_agg(num), array_agg(apart), array_agg(beside), array_agg(inside::int::bigint) FROM near

-- rows_columns: what ranking needs to know of rows
SELECT {arrays} FROM rows

-- counts_columns: how often each term is in rows
SELECT array_agg(place::bigint), array_agg(num), array_agg(count::bigint) FROM found JOIN rows USING (ns, num)

-- vectors_columns: the vectors of rows and of what is next to them
SELECT array_agg(num), string_agg(halfvec_send(v), '') FROM vector
WHERE org = ? AND ns = ANY(ARRAY(SELECT DISTINCT ns FROM rows)) AND embedder = ?
    AND num = ANY(ARRAY(
        SELECT num FROM asked
        UNION
        SELECT beside FROM near WHERE inside AND abs(apart) <= CASE WHEN reach > ? THEN ? ELSE 1 END
    ))

-- sessions: of each session of rows that pass, and each term in it, how often, how long the session is, how many
-- sessions of the namespace are not empty and how long they all are, and in how many of them the term is. It is a
-- statement by itself, as the planner does not know how many rows to expect of what another one has found
WITH passing AS MATERIALIZED (
    SELECT num, ns, session, length FROM memory WHERE org = ? AND session IS NOT NULL AND {inside}
),
talk AS MATERIALIZED (SELECT ns, session, sum(length) AS length FROM passing GROUP BY ns, session),
{found},
held AS MATERIALIZED (
    SELECT f.ns, f.place, p.session, sum(f.count) AS count
    FROM found f JOIN passing p ON p.num = f.num
    GROUP BY f.ns, f.place, p.session
),
spaces AS (SELECT ns, count(*) FILTER (WHERE length > 0) AS filled, sum(length) AS total FROM talk GROUP BY ns),
terms AS (SELECT ns, place, count(*) AS holding FROM held GROUP BY ns, place)
SELECT array_agg(session), array_agg(ns), array_agg(place::bigint), array_agg(count::bigint),
    array_agg(length::bigint), array_agg(filled), array_agg(total::bigint), array_agg(holding)
FROM held JOIN talk USING (ns, session) JOIN spaces USING (ns) JOIN terms USING (ns, place)

-- latest: the latest rows that pass
SELECT num FROM memory WHERE org = ? AND {inside} ORDER BY valid_from DESC, num DESC LIMIT ?

-- latest_of_few: the same, from the latest of each of a few namespaces, along its index
SELECT m.num
FROM unnest(CAST(? AS bigint[])) s (ns) CROSS JOIN LATERAL (
    SELECT num, valid_from FROM memory
    WHERE org = ? AND memory.ns = s.ns AND {inside}
    ORDER BY valid_from DESC, num DESC LIMIT ?
) m
ORDER BY m.valid_from DESC, m.num DESC LIMIT ?

-- actors: the actors of rows that pass, from name to name along the index, however many rows each has
WITH RECURSIVE names (ns, actor) AS (
    SELECT s.ns, (SELECT min(actor) FROM memory WHERE org = ? AND memory.ns = s.ns)
    FROM unnest(CAST(? AS bigint[])) s (ns)
    UNION ALL
    SELECT names.ns, (
        SELECT min(actor) FROM memory WHERE org = ? AND memory.ns = names.ns AND memory.actor > names.actor
    )
    FROM names WHERE names.actor IS NOT NULL
)
SELECT DISTINCT actor FROM names
WHERE actor IS NOT NULL AND (
    SELECT 1 FROM memory WHERE org = ? AND memory.ns = names.ns AND memory.actor = names.actor AND {inside} LIMIT 1
) = 1
ORDER BY actor
