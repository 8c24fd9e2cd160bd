-- The number of a new memory is one more than the greatest there ever was: the greatest there is, or what the sequence
-- was raised to when greater ones were deleted. So an insert writes no page of the sequence. The step needs foreign keys off.
DROP VIEW turn_view;
DROP VIEW exact_record_view;
CREATE TABLE memory_after (
    num             INTEGER PRIMARY KEY,        -- transactions count on from the greatest there ever was
    id              TEXT NOT NULL UNIQUE,
    ns              INTEGER NOT NULL REFERENCES namespace (id),
    agent           TEXT,
    session         TEXT,
    actor           TEXT,
    position        INTEGER,
    kind            TEXT NOT NULL,
    key             TEXT,
    content         TEXT NOT NULL,
    summary         TEXT NOT NULL,
    keywords        TEXT NOT NULL,
    tags            TEXT NOT NULL,
    entities        TEXT NOT NULL,
    subject         TEXT,
    predicate       TEXT,
    object          TEXT,
    domain          TEXT NOT NULL,
    tier            TEXT NOT NULL,
    importance      REAL NOT NULL,
    confidence      REAL NOT NULL,
    source_type     TEXT NOT NULL,
    source_origin   TEXT NOT NULL,
    source_id       TEXT NOT NULL,
    source_ref      TEXT NOT NULL,
    content_hash    TEXT NOT NULL,
    signature       TEXT,
    trust           REAL NOT NULL,
    status          TEXT NOT NULL,
    status_reason   TEXT NOT NULL,
    valid_from      INTEGER NOT NULL,
    valid_until     INTEGER,
    recorded_at     INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    believed_until  INTEGER,
    expires_at      INTEGER,
    superseded_by   TEXT,
    evidence_count  INTEGER NOT NULL,
    access_count    INTEGER NOT NULL,
    last_accessed   INTEGER,
    strength        REAL NOT NULL,
    evolution_count INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    pinned          INTEGER NOT NULL,
    metadata        TEXT NOT NULL,
    identity        TEXT,                       -- NULL once another memory may take the slot
    salt            TEXT NOT NULL,              -- of the audit digests; erased with the memory
    length          INTEGER NOT NULL,           -- index terms
    marks           INTEGER NOT NULL,           -- bits, see `Mark`
    subject_key     TEXT,
    predicate_key   TEXT,
    object_key      TEXT,
    expiry          TEXT NOT NULL DEFAULT '',
    due_at          INTEGER,                    -- when a sweep has to look at it
    consolidated_at INTEGER,
    procedure       TEXT,
    accessed_2      INTEGER,                    -- the access before the last, and the one before that
    accessed_3      INTEGER,
    waiting         TEXT GENERATED ALWAYS AS (  -- for which verdict it waits
        CASE
            WHEN status = 'quarantined' AND status_reason = 'unconfirmed' THEN 'procedure'
            WHEN status = 'quarantined' THEN 'quarantine'
            WHEN status = 'active' AND status_reason = 'contested' THEN 'contradiction'
        END
    ) VIRTUAL,
    used_at         INTEGER GENERATED ALWAYS AS (coalesce(last_accessed, recorded_at)) VIRTUAL,
    unlearnt        INTEGER GENERATED ALWAYS AS (  -- when an episode was recorded that was not consolidated yet
        CASE WHEN kind = 'episodic' AND status = 'active' AND consolidated_at IS NULL THEN recorded_at END
    ) VIRTUAL,
    counted         TEXT GENERATED ALWAYS AS (  -- its kind, where it counts for an agent's cap
        CASE WHEN status = 'active' AND superseded_by IS NULL AND agent IS NOT NULL THEN kind END
    ) VIRTUAL,
    noted           TEXT GENERATED ALWAYS AS (  -- its session, where it is a working memory
        CASE WHEN status = 'active' AND kind = 'working' THEN session END
    ) VIRTUAL
);
INSERT INTO memory_after (
    num, id, ns, agent, session, actor, position, kind, key, content, summary, keywords, tags, entities, subject,
    predicate, object, domain, tier, importance, confidence, source_type, source_origin, source_id, source_ref,
    content_hash, signature, trust, status, status_reason, valid_from, valid_until, recorded_at, updated_at,
    believed_until, expires_at, superseded_by, evidence_count, access_count, last_accessed, strength,
    evolution_count, version, pinned, metadata, identity, salt, length, marks, subject_key, predicate_key,
    object_key, expiry, due_at, consolidated_at, procedure, accessed_2, accessed_3
)
SELECT
    num, id, ns, agent, session, actor, position, kind, key, content, summary, keywords, tags, entities, subject,
    predicate, object, domain, tier, importance, confidence, source_type, source_origin, source_id, source_ref,
    content_hash, signature, trust, status, status_reason, valid_from, valid_until, recorded_at, updated_at,
    believed_until, expires_at, superseded_by, evidence_count, access_count, last_accessed, strength,
    evolution_count, version, pinned, metadata, identity, salt, length, marks, subject_key, predicate_key,
    object_key, expiry, due_at, consolidated_at, procedure, accessed_2, accessed_3
FROM memory ORDER BY num;
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'memory_after', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0);
DROP TABLE memory;                              -- and its sequence
ALTER TABLE memory_after RENAME TO memory;      -- and its sequence
CREATE UNIQUE INDEX memory_identity ON memory (ns, identity) WHERE identity IS NOT NULL;
CREATE UNIQUE INDEX memory_key ON memory (ns, coalesce(agent, ''), key) WHERE key IS NOT NULL AND status <> 'forgotten';
-- A caller's own id is looked up by every write that has one; its unique index, by agent, cannot be asked for it.
CREATE INDEX memory_called ON memory (ns, key) WHERE key IS NOT NULL;
-- The rows of a namespace in their order: every search asks for the last one, and reads those after a known one.
CREATE INDEX memory_ns ON memory (ns);
CREATE INDEX memory_recorded ON memory (ns, recorded_at);
CREATE INDEX memory_session ON memory (ns, session, position) WHERE session IS NOT NULL;
CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
-- The versions of a fact in the order of their time; few in any slot, those that nothing has superseded; by object.
CREATE INDEX memory_fact ON memory (ns, subject_key, predicate_key, valid_from) WHERE subject_key IS NOT NULL;
CREATE INDEX memory_slot ON memory (ns, subject_key, predicate_key, object_key)
    WHERE subject_key IS NOT NULL AND superseded_by IS NULL;
CREATE INDEX memory_object ON memory (ns, object_key) WHERE object_key IS NOT NULL;
CREATE INDEX memory_waiting ON memory (ns, waiting) WHERE waiting IS NOT NULL;
-- A sweep asks what is due, of all or of a namespace, and reads nothing else.
CREATE INDEX memory_due ON memory (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX memory_due_of ON memory (ns, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX memory_unlearnt ON memory (ns, unlearnt) WHERE unlearnt IS NOT NULL;
CREATE INDEX memory_counted ON memory (ns, agent, counted, importance) WHERE counted IS NOT NULL;
CREATE INDEX memory_noted ON memory (noted) WHERE noted IS NOT NULL;
CREATE INDEX memory_noted_of ON memory (ns, noted) WHERE noted IS NOT NULL;
CREATE VIEW turn_view AS
    SELECT t.conversation, t.position, t.id, t.role, t.actor, t.at, t.tokens, t.live, t.num,
           coalesce(t.content, m.content) AS content, t.metadata, t.data, m.status
    FROM turn t LEFT JOIN memory m ON m.num = t.num;
CREATE VIEW exact_record_view AS
    SELECT r.*, m.id AS memory_id FROM exact_record r LEFT JOIN memory m ON m.num = r.num;

-- The vectors of the newest memories are beside their words, and move with them.
ALTER TABLE vector RENAME TO vector_by_namespace;
CREATE TABLE vector_by_memory (                 -- of those in `posting_by_memory`
    num      INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL REFERENCES embedder (id),
    v        BLOB NOT NULL
);
CREATE VIEW vector AS
    SELECT ns, embedder, num, v FROM vector_by_namespace UNION ALL
    SELECT p.ns, w.embedder, p.num, w.v FROM posting_by_memory p CROSS JOIN vector_by_memory w ON w.num = p.num;
CREATE VIEW vector_view AS                      -- by the name of the embedder, whose number is the `code`
    SELECT v.ns, v.num, v.embedder AS code, e.name AS embedder, v.v
    FROM vector_by_namespace v JOIN embedder e ON e.id = v.embedder UNION ALL
    SELECT p.ns, p.num, w.embedder, e.name, w.v
    FROM posting_by_memory p JOIN vector_by_memory w ON w.num = p.num JOIN embedder e ON e.id = w.embedder;
CREATE TRIGGER vector_put INSTEAD OF INSERT ON vector BEGIN
    INSERT INTO vector_by_memory (num, embedder, v)
        SELECT p.num, new.embedder, new.v FROM posting_by_memory p WHERE p.ns = new.ns AND p.num = new.num
        AND NOT EXISTS (SELECT 1 FROM vector_by_memory w WHERE w.num = new.num AND w.embedder <> new.embedder)
        AND NOT EXISTS (SELECT 1 FROM vector_by_namespace o WHERE (o.ns, o.embedder, o.num) = (new.ns, new.embedder, new.num));
    INSERT INTO vector_by_namespace (ns, embedder, num, v)
        SELECT new.ns, new.embedder, new.num, new.v
        WHERE NOT EXISTS (SELECT 1 FROM vector_by_memory w WHERE w.num = new.num AND w.embedder = new.embedder);
END;
CREATE TRIGGER vector_delete INSTEAD OF DELETE ON vector BEGIN
    DELETE FROM vector_by_namespace WHERE ns = old.ns AND embedder = old.embedder AND num = old.num;
    DELETE FROM vector_by_memory WHERE num = old.num AND embedder = old.embedder;
END;
CREATE TRIGGER vector_move AFTER DELETE ON posting_by_memory BEGIN
    INSERT INTO vector_by_namespace (ns, embedder, num, v)
        SELECT old.ns, w.embedder, w.num, w.v FROM vector_by_memory w WHERE w.num = old.num;
    DELETE FROM vector_by_memory WHERE num = old.num;
END;
