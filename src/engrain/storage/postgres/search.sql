-- The statements of `reader.py` and of what writes. `-- name: what it is for` begins each; its lines are joined before
-- it is sent. A name in braces is a statement above, or a value that is given when the file is read; other braces are
-- filled in by the reader: {inside} is the condition of a filter. A statement is planned once, for any values, so what is
-- read by which index does not depend on how many there are: OFFSET 0 keeps a lookup apart, coalesce a hash from being
-- a loop.

-- holders: each term and the numbers of a namespace's first rows that hold it, as one text
SELECT t.term, (
    SELECT string_agg(num::text, ',' ORDER BY num)
    FROM (SELECT num FROM posting WHERE org = ? AND ns = {namespace} AND term = t.term ORDER BY num LIMIT ?) p
) AS nums
FROM unnest(CAST(? AS text[])) t (term)

-- spaces: the table of how large namespaces are
spaces AS MATERIALIZED (
    SELECT ns, sum(documents)::bigint AS documents, sum(length)::bigint AS length FROM counter
    WHERE org = ? AND ns = ANY(CAST(? AS bigint[]))
    GROUP BY ns
)

-- sizes: how large namespaces are, and in how many of their rows each term is
WITH {spaces},
held AS MATERIALIZED (
    SELECT ns, array_position(CAST(? AS text[]), term)::bigint AS place, count(*) AS holding
    FROM posting WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))
    GROUP BY ns, term
)
SELECT * FROM
    (SELECT array_agg(ns), array_agg(documents), array_agg(length) FROM spaces) a,
    (SELECT array_agg(ns), array_agg(place), array_agg(holding) FROM held) b

-- held: the table of the terms in each namespace, with the rows that hold one, how often, and how many these are
held AS MATERIALIZED (
    SELECT ns, array_position(CAST(? AS text[]), term)::bigint AS place,
        array_agg(num) AS nums, array_agg(count) AS counts, count(*) AS holding
    FROM posting WHERE org = ? AND ns = ANY({namespaces}) AND term = ANY(CAST(? AS text[]))
    GROUP BY ns, term
)

-- best_by_words: how large namespaces are, in how many of their rows each term is, and those that pass of the rows to
-- which their terms can add the most, whatever their length, with how often each term is there
WITH {spaces},
{held},
likely AS MATERIALIZED (
    SELECT num, sum(most * count / (count + {norm_base})) AS bound
    FROM (
        SELECT nums, counts, (CAST(? AS double precision[]))[place]
            * ln(greatest(1 + (coalesce(documents, 0) - holding + {half}) / (holding + {half}), 1)) AS most
        FROM held FULL JOIN spaces ON spaces.ns = held.ns WHERE coalesce(holding, 0) > 0 OFFSET 0
    ) w CROSS JOIN LATERAL unnest(nums, counts) h (num, count)
    WHERE most > 0
    GROUP BY num ORDER BY bound DESC, num LIMIT ?
),
best AS MATERIALIZED (
    SELECT num, ns, length
    FROM (SELECT * FROM memory WHERE org = ? AND num = ANY(ARRAY(SELECT num FROM likely)) OFFSET 0) memory
    WHERE {inside}
)
SELECT * FROM
    (SELECT array_agg(ns), array_agg(documents), array_agg(length) FROM spaces) a,
    (SELECT array_agg(ns), array_agg(place), array_agg(holding) FROM held) b,
    (SELECT count(*), min(bound) FROM likely) c,
    (SELECT array_agg(num), array_agg(ns), array_agg(length) FROM best) d,
    (
        SELECT array_agg(place), array_agg(num), array_agg(count)
        FROM held CROSS JOIN LATERAL unnest(nums, counts) h (num, count)
        WHERE coalesce(num IN (SELECT num FROM best), false)
    ) e

-- vectors: where the vectors of namespaces are
FROM (SELECT num, v FROM vector WHERE ns = ANY(CAST(? AS bigint[])) AND org = ? AND embedder = ? OFFSET 0) vectors

-- vectors_of_few: the same of a few, one by one: planned for any values, all at once are read along an index of the org
FROM (
    SELECT each.num, each.v FROM unnest(CAST(? AS bigint[])) s (ns) CROSS JOIN LATERAL (
        SELECT num, v FROM vector WHERE org = ? AND vector.ns = s.ns AND embedder = ? OFFSET 0
    ) each OFFSET 0
) vectors

-- distance: from each vector that is read; in a query of its own the question's is read once
(v <#> (SELECT CAST(? AS halfvec))) + 0

-- cosine: the same as exact as the question is, which is in two parts
-(v <#> (SELECT CAST(? AS halfvec))) - (v <#> (SELECT CAST(? AS halfvec))) / 2048

-- indexed: the same and how far, as an HNSW index has it
FROM vector WHERE ns = ANY(CAST(? AS bigint[])) AND org = ? AND embedder = ?
ORDER BY CAST(v AS halfvec({dimensions})) <#> CAST(CAST(? AS halfvec) AS halfvec({dimensions}))

-- nearest: the nearest of all, then those of them that pass
WITH near AS MATERIALIZED (SELECT num, v {by} LIMIT ?)
SELECT near.num, CASE WHEN m.num IS NOT NULL THEN {cosine} END
FROM near LEFT JOIN LATERAL (SELECT num FROM memory WHERE org = ? AND num = near.num AND {inside} OFFSET 0) m ON true

-- nearest_passing: the nearest of those that pass
SELECT x.num, {cosine}
FROM (SELECT num, v {source}) x JOIN (SELECT num FROM memory WHERE org = ? AND {inside}) m ON m.num = x.num
ORDER BY {distance}, x.num LIMIT ?

-- index_sizes: how many vectors the HNSW indexes of an embedder have, 0 where that is not known
SELECT greatest(c.reltuples, 0)::double precision
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE i.indrelid = to_regclass('engrain.vector') AND a.amname = 'hnsw' AND i.indisvalid
    AND pg_get_expr(i.indpred, i.indrelid) = '(embedder = ' || quote_literal(CAST(? AS text)) || '::text)'
    AND position('halfvec(' || ? || ')' IN pg_get_expr(i.indexprs, i.indrelid)) > 0

-- alike: the first table of a description
nearest AS MATERIALIZED (SELECT num, {distance} AS apart {source} ORDER BY apart, num LIMIT ?)

-- none_alike: the same without a vector
nearest AS (SELECT 1::bigint AS num, 0 AS apart WHERE false)

-- rows: the next tables; `alike` are the nearest that pass, `wanted` those and the rows that are asked for, `talks` their
-- sessions, by number, with the stretches around them and those next to them, `rows` what is there and what is in none, as
-- arrays, which take less time to keep:
-- `passes` is 1 or 0, -1 where a row has no place in a session, `compared` whether its cosine is wanted
asked AS MATERIALIZED (SELECT unnest(CAST(? AS bigint[])) AS num),
looked_up AS MATERIALIZED (
    SELECT num, ns, session, coalesce(position, -1) AS position, {inside} AS passes
    FROM (
        SELECT * FROM memory
        WHERE org = ? AND num = ANY(ARRAY(SELECT num FROM nearest UNION ALL SELECT num FROM asked)) OFFSET 0
    ) memory
),
alike AS MATERIALIZED (
    SELECT num FROM nearest WHERE coalesce(num IN (SELECT num FROM looked_up WHERE passes), false)
    ORDER BY apart, num LIMIT ?
),
wanted AS MATERIALIZED (
    SELECT *, CAST(? AS bigint) AS span, (num = ANY(CAST(? AS bigint[])))::int AS lends,
        session IS NOT NULL AND position >= 0 AND ns = ANY(CAST(? AS bigint[])) AS placed
    FROM looked_up WHERE coalesce(num IN (SELECT num FROM asked UNION ALL SELECT num FROM alike), false)
),
talks AS MATERIALIZED (
    SELECT row_number() OVER () AS talk, ns, session,
        range_agg(int8range(position - span * (1 + lends), position + span * (1 + lends), '[]'))
            FILTER (WHERE placed) AS around,
        range_agg(int8range(position - span * lends - 1, position + span * lends + 1, '[]')) AS beside
    FROM wanted WHERE session IS NOT NULL
    GROUP BY ns, session
),
rows AS MATERIALIZED (
    SELECT {arrays}, array_agg(num) FILTER (WHERE compared) AS compared
    FROM (
        SELECT n.num, n.ns, t.talk AS session, n.position, {ranked}, n.passes, n.compared
        FROM talks t CROSS JOIN LATERAL unnest(t.around) s (stretch) CROSS JOIN LATERAL (
            SELECT num, ns, position, {ranked}, coalesce({inside}, false)::int::bigint AS passes,
                position <@ t.beside AS compared
            FROM memory WHERE org = ? AND ns = t.ns AND session = t.session
                AND position >= greatest(lower(s.stretch), 0) AND position < upper(s.stretch)
            OFFSET 0
        ) n
        UNION ALL
        SELECT m.num, m.ns, coalesce(t.talk, -1), coalesce(m.position, -1), {ranked}, -1, true
        FROM (
            SELECT * FROM memory WHERE org = ? AND num = ANY(ARRAY(SELECT num FROM wanted WHERE NOT placed)) OFFSET 0
        ) m LEFT JOIN talks t ON t.ns = m.ns AND t.session = m.session
    ) each
)

-- spoken: the tables of what is said in sessions, by rows that pass: how long each is, and how often a term is in one,
-- in the namespaces that the other rows are of, whose statistics these are.
-- The rows are read twice, along an index alone, for to keep or to sort them would take longer
{held},
passing AS NOT MATERIALIZED (
    SELECT num, ns, session, length FROM memory
    WHERE org = ? AND ns = ANY(ARRAY(SELECT DISTINCT ns FROM talks)) AND session IS NOT NULL
        AND coalesce({inside}, false)
),
lengths AS MATERIALIZED (SELECT ns, session, sum(length)::bigint AS length FROM passing GROUP BY ns, session),
spoken AS MATERIALIZED (
    SELECT p.ns, p.session, h.place, sum(h.count)::bigint AS count
    FROM (SELECT h.place, u.* FROM held h CROSS JOIN LATERAL unnest(nums, counts) u (num, count)) h
    FULL JOIN passing p ON p.num = h.num
    WHERE coalesce(h.num, 0) > 0 AND coalesce(p.num, 0) > 0
    GROUP BY p.ns, p.session, h.place
)

-- met_columns: how many vectors were compared
SELECT count(*) FROM nearest

-- alike_columns: the nearest rows that pass
SELECT array_agg(num) FROM alike

-- rows_columns: what ranking needs to know of rows
SELECT {columns} FROM rows

-- counts_columns: how often each term is in rows
SELECT array_agg(place), array_agg(num), array_agg(count)
FROM held CROSS JOIN LATERAL unnest(nums, counts) h (num, count)
WHERE coalesce(num IN (SELECT unnest(num) FROM rows), false)

-- vectors_columns: the cosines of rows that are asked for, as the nearest are, and of what is next to them
SELECT array_agg(num), array_agg({cosine}) FROM vector
WHERE org = ? AND ns = ANY(ARRAY(SELECT DISTINCT ns FROM wanted)) AND embedder = ?
    AND num = ANY(CAST((SELECT compared FROM rows) AS bigint[]))

-- sessions_columns: what is said in the sessions of rows
SELECT array_agg(t.talk), array_agg(s.place), array_agg(s.count), array_agg(l.length), array_agg(n.filled),
    array_agg(n.total), array_agg(h.holding)
FROM talks t FULL JOIN lengths l ON l.ns = t.ns AND l.session = t.session
    FULL JOIN spoken s ON s.ns = t.ns AND s.session = t.session
    FULL JOIN (
        SELECT ns, count(nullif(length, 0)) AS filled, sum(length)::bigint AS total FROM lengths GROUP BY ns
    ) n ON n.ns = s.ns
    FULL JOIN (SELECT ns, place, count(*) AS holding FROM spoken GROUP BY ns, place) h
    ON h.ns = s.ns AND h.place = s.place
WHERE coalesce(t.talk, 0) > 0 AND coalesce(s.place, 0) > 0

-- all_rows: what ranking needs to know of all rows of a few namespaces, or of some if they are too many
SELECT {arrays} FROM (
    SELECT each.* FROM unnest(CAST(? AS bigint[])) s (space) CROSS JOIN LATERAL (
        SELECT num, ns, session, coalesce(position, -1) AS position, {ranked},
            coalesce({inside}, false)::int::bigint AS passes
        FROM memory WHERE org = ? AND ns = s.space OFFSET 0
    ) each LIMIT ?
) each

-- all_counts: how often each term is in the rows of namespaces
SELECT array_agg(array_position(CAST(? AS text[]), term)::bigint), array_agg(num), array_agg(count)
FROM posting WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))

-- all_vectors: the cosines of all rows of a few namespaces
SELECT array_agg(num), array_agg({cosine}) {vectors_of_few}

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

-- mentions: the rows of the newest memories about each of some entities
SELECT array_agg(e.id), array_agg(m.num)
FROM unnest(CAST(? AS bigint[])) e (id) CROSS JOIN LATERAL (
    SELECT num FROM mention WHERE org = ? AND entity = e.id ORDER BY num DESC LIMIT ?
) m

-- actors: the actors of rows that pass: of large namespaces from name to name along the index, however many rows each
-- has, of small ones from the names of all rows
WITH RECURSIVE large AS MATERIALIZED (
    SELECT sum(documents) > 64 * count(DISTINCT ns) AS are FROM counter WHERE org = ? AND ns = ANY(CAST(? AS bigint[]))
),
names (ns, actor) AS (
    SELECT s.ns, (SELECT min(actor) FROM memory WHERE org = ? AND memory.ns = s.ns)
    FROM unnest(CAST(? AS bigint[])) s (ns) WHERE (SELECT are FROM large)
    UNION ALL
    SELECT names.ns, (
        SELECT min(actor) FROM memory WHERE org = ? AND memory.ns = names.ns AND memory.actor > names.actor
    )
    FROM names WHERE names.actor IS NOT NULL
)
SELECT actor FROM names
WHERE actor IS NOT NULL AND (
    SELECT 1 FROM (SELECT * FROM memory WHERE org = ? AND ns = names.ns AND actor = names.actor OFFSET 0) memory
    WHERE {inside} LIMIT 1
) = 1
UNION
SELECT actor FROM (
    SELECT DISTINCT actor FROM memory
    WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND actor IS NOT NULL AND NOT (SELECT are FROM large)
) names
WHERE (
    SELECT 1 FROM (
        SELECT * FROM memory WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND actor = names.actor OFFSET 0
    ) memory
    WHERE {inside} LIMIT 1
) = 1
ORDER BY actor

-- numbers: unused numbers for new records
SELECT nextval('engrain.memory_num_seq') FROM generate_series(1, ?)

-- types: the types of the columns of a table
SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = CAST(CAST(? AS text) AS regclass) AND attnum > 0

-- claim: leases the job that has been due longest and that no other worker is taking at this moment
UPDATE job SET state = 'running', leased_by = ?, lease_until = ?, attempts = attempts + 1
WHERE id = (
    SELECT id FROM engrain.job WHERE org = $1 AND kind = ANY(?) AND state = ? AND {due} <= ?
    ORDER BY {due}, id LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING {job}

-- org_due: the org of the job that has been due longest
(
    SELECT org, run_at AS due FROM engrain.job
    WHERE kind = ANY(?) AND state = 'queued' AND run_at <= ? AND org <> ALL(?) ORDER BY run_at LIMIT 1
) UNION ALL (
    SELECT org, lease_until FROM engrain.job
    WHERE kind = ANY(?) AND state = 'running' AND lease_until <= ? AND org <> ALL(?) ORDER BY lease_until LIMIT 1
)

-- embedders_of_many: the embedders of more vectors in a namespace than are compared one by one
SELECT DISTINCT ON (embedder) embedder, vector_dims(v) FROM vector
WHERE ns IN (SELECT ns FROM counter GROUP BY ns HAVING sum(documents) > ?) ORDER BY embedder

-- indexes_of_vectors: the indexes of vectors, and whether each can be used
SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = to_regclass('vector')

-- put_postings: adds the words of rows
INSERT INTO posting (ns, term, num, count) SELECT * FROM
unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]))

-- put_vectors: adds the vector of a row, or replaces it
INSERT INTO vector (ns, embedder, num, v) VALUES (?, ?, ?, ?)
ON CONFLICT (org, ns, embedder, num) DO UPDATE SET v = excluded.v
