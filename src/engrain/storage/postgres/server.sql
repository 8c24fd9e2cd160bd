-- Statements about the server itself, its files and its cluster. Each begins with its name and what it asks for.

-- seen_before: whether transactions, prepared ones or replicas see the rows as they were before a certain one began
SELECT EXISTS (
    SELECT FROM pg_stat_activity a CROSS JOIN LATERAL (VALUES (backend_xmin), (backend_xid)) held (xid)
    WHERE pid <> pg_backend_pid() AND (datname = current_database() OR backend_type = 'walsender')
    AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum) AND age(held.xid) > age(now.xid)
) OR EXISTS (
    SELECT FROM pg_prepared_xacts WHERE database = current_database() AND age(transaction) > age(now.xid)
) OR EXISTS (SELECT FROM pg_replication_slots WHERE age(xmin) > age(now.xid))
FROM (SELECT CAST(CAST(%s AS text) AS xid) AS xid) now

-- other_files: the files of tables that are not ours: nothing in them was ever a memory's
WITH own AS (SELECT oid, reltoastrelid FROM pg_class WHERE relnamespace = 'engrain'::regnamespace),
beside AS (SELECT reltoastrelid AS oid FROM own UNION ALL
           SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT reltoastrelid FROM own))
SELECT DISTINCT pg_relation_filenode(oid)::text FROM pg_class
WHERE oid NOT IN (SELECT oid FROM own UNION ALL SELECT oid FROM beside) AND pg_relation_filenode(oid) IS NOT NULL

-- own_words: words of the server's own, which it writes into its log as well
COPY (
    SELECT relname::text FROM pg_class UNION ALL SELECT attname FROM pg_attribute UNION ALL SELECT typname FROM pg_type
    UNION ALL SELECT proname || ' ' || prosrc FROM pg_proc UNION ALL SELECT conname FROM pg_constraint
    UNION ALL SELECT nspname FROM pg_namespace UNION ALL SELECT rolname FROM pg_roles UNION ALL
    SELECT datname FROM pg_database UNION ALL SELECT extname || ' ' || extversion FROM pg_extension
    UNION ALL SELECT description FROM pg_description
) TO STDOUT (FORMAT binary)

-- tables_in_order: our tables: org first, which the others are placed beside, then each after those that it refers to
WITH RECURSIVE deep (oid, depth) AS (
    SELECT oid, 0 FROM pg_class WHERE relnamespace = 'engrain'::regnamespace AND relkind = 'r'
    UNION SELECT conrelid, depth + 1 FROM deep JOIN pg_constraint ON confrelid = deep.oid
    WHERE contype = 'f' AND conrelid <> confrelid
)
SELECT relname FROM deep JOIN pg_class USING (oid) GROUP BY relname ORDER BY relname <> 'org', max(depth), relname

-- nodes: the nodes of a cluster with their parts of our tables
SELECT n.nodename, n.nodeport, n.isactive, count(DISTINCT s.shardid), coalesce(sum(s.shard_size), 0)::bigint
FROM pg_dist_node n LEFT JOIN citus_shards s
    ON (s.nodename, s.nodeport) = (n.nodename, n.nodeport)
    AND s.table_name IN (SELECT oid FROM pg_class WHERE relnamespace = 'engrain'::regnamespace)
WHERE n.shouldhaveshards GROUP BY 1, 2, 3 ORDER BY 1, 2

-- examined: the server, schema, roles and row security of a database
SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    obj_description(to_regnamespace('engrain'), 'pg_namespace'), session_user::text,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'engrain_app'),
    (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('engrain') AND relkind IN ('r', 'p')
        AND relname <> 'org' AND NOT (relrowsecurity AND relforcerowsecurity)),
    pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
        WHERE relnamespace = to_regnamespace('engrain') AND relkind IN ('r', 'm'))

-- columns: the columns in which rows may hold a trace
SELECT c.oid::regclass::text, string_agg(quote_ident(attname), ', '), bool_or(typname = 'halfvec')
FROM pg_class c JOIN pg_attribute ON attrelid = c.oid JOIN pg_type t ON t.oid = atttypid
WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND attnum > 0 AND NOT attisdropped AND typname = ANY(%s) GROUP BY c.oid ORDER BY 1

-- size: the bytes of our tables, with their indexes
SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
WHERE relnamespace = 'engrain'::regnamespace AND relkind = 'r'

-- distributed: our tables that are spread over a cluster
SELECT relname FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid
WHERE relnamespace = to_regnamespace('engrain')
