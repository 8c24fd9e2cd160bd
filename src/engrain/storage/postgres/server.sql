-- Statements about the server itself, its files, its cluster and its writers. Each begins with its name and what it asks for.

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

-- may_index: whether a role may build an index of vectors while others write: on a partitioned table they would wait
SELECT relkind = 'r' AND pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'engrain.vector'::regclass

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

-- our_schema: the comment of our schema, and whether anything is in it
SELECT obj_description(oid, 'pg_namespace'),
    EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid) OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid)
FROM pg_namespace n WHERE nspname = 'engrain'

-- pgvector: its version in the database, the one that the server has, and its schema
SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'),
    (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector')

-- owner: who asks, in which database, who owns our schema, and whether the former may become the latter
SELECT session_user, current_database(), rolname, pg_has_role(session_user, r.oid, 'SET')
FROM (SELECT 1) here LEFT JOIN pg_namespace n ON nspname = 'engrain' LEFT JOIN pg_roles r ON r.oid = nspowner

-- above_isolation: roles that a role is, or is a member of, and that row security does not hold for
SELECT rolname FROM pg_roles r WHERE pg_has_role(%s, oid, 'MEMBER') AND (
    rolsuper OR rolbypassrls
    OR EXISTS (SELECT FROM pg_class WHERE relowner = r.oid AND relnamespace = 'engrain'::regnamespace)
    OR EXISTS (SELECT FROM pg_namespace WHERE nspowner = r.oid AND nspname = 'engrain')
) ORDER BY rolname

-- unprotected: our tables without row security
SELECT relname FROM pg_class WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'p')
    AND relname <> 'org' AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY relname

-- settings_to_rewrite: how long a rewriter waits for a table's lock, while others queue behind it, and builds indexes
SELECT set_config(name, value, false) FROM pg_settings JOIN (VALUES
    ('statement_timeout', '0'), ('transaction_timeout', '0'), ('lock_timeout', '2s'), ('maintenance_work_mem', '256MB')
) wanted (name, value) USING (name)

-- tables_by_size: our tables but some, the smallest first
SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'engrain'::regnamespace AND relkind = 'r'
    AND relname <> ALL(%s) ORDER BY pg_total_relation_size(oid), 1

-- folders: where the files of our tables and indexes are
SELECT DISTINCT regexp_replace(pg_relation_filepath(oid), '/[^/]*$', '') FROM pg_class
WHERE relnamespace = 'engrain'::regnamespace AND pg_relation_filepath(oid) IS NOT NULL

-- backend: the number of the process that answers, and the type of vectors
SELECT pg_backend_pid(), (
    SELECT t.oid FROM pg_type t JOIN pg_extension ON extnamespace = typnamespace
    WHERE extname = 'vector' AND typname = 'halfvec'
)

-- end: ends a transaction whose client is gone; the low half of its number finds it, with a pooler in between or without
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_xid::text = (%s::numeric %% 4294967296)::text

-- has_citus: whether the database is, or may become, one of a cluster
SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')

-- other_nodes: the nodes beside the coordinator
SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 AND isactive ORDER BY 1, 2

-- add_org: adds an org with its first write
INSERT INTO engrain.org (name) VALUES ($1) ON CONFLICT (name) DO NOTHING

-- lock_writer: locks the row of a namespace's writers until the transaction ends; the row stays unchanged
INSERT INTO engrain.writer (org, "user") VALUES ($1, $2)
ON CONFLICT (org, "user") DO UPDATE SET "user" = excluded."user" WHERE false

-- lock_writers: locks the rows of all writers of an org, in one order
SELECT "user" FROM engrain.writer WHERE org = $1 ORDER BY "user" FOR UPDATE

-- users_of_namespaces: the users of namespaces, by number
SELECT id, "user" FROM engrain.namespace WHERE org = $1 AND id = ANY($2)

-- transaction_id: the id of the transaction, and when the statistics of the server were reset: ids of another server are not compared
SELECT pg_current_xact_id()::text, (SELECT stats_reset::text FROM pg_stat_bgwriter)

-- transaction_status: the status of a transaction, and when the statistics of the server were reset
SELECT pg_xact_status(%s::xid8), (SELECT stats_reset::text FROM pg_stat_bgwriter)

-- rights: the permissions of a role on the server's files, see `Rights`
SELECT pg_has_role('pg_checkpoint', 'USAGE'), has_function_privilege('pg_ls_waldir()', 'EXECUTE'),
    has_function_privilege('pg_switch_wal()', 'EXECUTE'),
    has_function_privilege('pg_read_binary_file(text, bigint, bigint, boolean)', 'EXECUTE')
        AND has_function_privilege('pg_ls_dir(text, boolean, boolean)', 'EXECUTE')

-- may_set_role: whether the role of a session may become another
SELECT count(*) = 1 AND bool_and(pg_has_role(session_user, oid, 'SET')) FROM pg_roles WHERE rolname = %s

-- is_read_only: whether nothing may be written
SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean

-- log_segments: the files of the server's log in their order, including recycled ones
SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' ORDER BY substr(name, 9)
