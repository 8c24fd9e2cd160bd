-- The schema of a new file: what the steps beside this one make of an older file. Times are microseconds since 1970 (UTC); nested values are JSON text.
-- Row numbers (`num`, `id`) are never reused, so a number that is gone means nothing to anybody.

CREATE TABLE namespace (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    org  TEXT NOT NULL,
    user TEXT                                   -- NULL: the org's memories that carry no user
);
CREATE UNIQUE INDEX namespace_name ON namespace (org, coalesce(user, ''), user IS NULL);

CREATE TABLE memory (
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

-- The number that no later memory's is below: raised when memories are deleted, so that an insert need not write it.
INSERT INTO sqlite_sequence (name, seq) VALUES ('memory', 0);

-- How many of an agent's memories count for its caps, by namespace; transactions keep it.
CREATE TABLE counter (
    ns    INTEGER NOT NULL,
    agent TEXT NOT NULL,
    kind  TEXT NOT NULL,
    live  INTEGER NOT NULL,
    PRIMARY KEY (ns, agent, kind)
) WITHOUT ROWID;

CREATE TABLE link (
    source   INTEGER NOT NULL REFERENCES memory (num),
    relation TEXT NOT NULL,
    target   INTEGER NOT NULL REFERENCES memory (num),
    PRIMARY KEY (source, relation, target)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (target, relation, source);

CREATE TABLE revision (
    seq            INTEGER PRIMARY KEY,
    num            INTEGER NOT NULL REFERENCES memory (num),
    version        INTEGER NOT NULL,
    believed_from  INTEGER NOT NULL,
    believed_until INTEGER NOT NULL,
    memory         TEXT NOT NULL,
    change         TEXT NOT NULL                -- what ended it: 'edit', or a verdict
);
CREATE INDEX revision_num ON revision (num);
CREATE INDEX revision_until ON revision (believed_until);

-- BM25 is computed over these; the term's own text is in the key, so that erasing a row erases the word. The words of the
-- newest memories are in one row for each, so that a write changes one page and not one for every word; transactions
-- move them into the table by term, many memories at a time.
CREATE TABLE posting_by_term (
    ns    INTEGER NOT NULL,
    term  TEXT NOT NULL,
    num   INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (ns, term, num)
) WITHOUT ROWID;
CREATE TABLE posting_by_memory (
    ns    INTEGER NOT NULL,
    num   INTEGER NOT NULL,
    terms TEXT NOT NULL,                        -- `,"word":count` for each
    PRIMARY KEY (ns, num)
) WITHOUT ROWID;
CREATE VIEW posting AS
    SELECT ns, term, num, count FROM posting_by_term UNION ALL
    SELECT p.ns, t.key, p.num, t.value
    FROM posting_by_memory p CROSS JOIN json_each('{' || substr(p.terms, 2) || '}') t;

CREATE TABLE embedder (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
);
-- Vectors are in the order that a search reads them; those of the newest memories are beside their words, and move with
-- them: rows this long, inserted one by one in an order of their own, change several pages each.
CREATE TABLE vector_by_namespace (              -- float16, little-endian, of length 1
    ns       INTEGER NOT NULL,
    embedder INTEGER NOT NULL REFERENCES embedder (id),
    num      INTEGER NOT NULL,
    v        BLOB NOT NULL,
    PRIMARY KEY (ns, embedder, num)
) WITHOUT ROWID;
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

-- Which rows changed after they were inserted, for the indexes of other processes. Numbers only, never an id or text.
CREATE TABLE change (
    ns   INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    num  INTEGER NOT NULL,
    text INTEGER NOT NULL,                      -- 1 when its postings or vectors changed too
    PRIMARY KEY (ns, seq)
) WITHOUT ROWID;

-- What a process knows of a large namespace, so that the next one does not read all of its rows to search them.
CREATE TABLE index_block (                      -- deleted with the first row of the namespace that is deleted
    ns   INTEGER NOT NULL,
    part TEXT NOT NULL,                         -- 'head', or the name of an array
    data BLOB NOT NULL,
    PRIMARY KEY (ns, part)
);

-- The graph: entities by name, who mentions them, and what is said of them. A row with a `num` lives and dies with that
-- memory: what may be seen of it, and when it held, is for the memory to say.
CREATE TABLE entity (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    ns          INTEGER NOT NULL REFERENCES namespace (id),
    type        TEXT NOT NULL,
    family      TEXT NOT NULL,                  -- types that are looked up as one
    key         TEXT NOT NULL,                  -- the name as names are compared
    name        TEXT NOT NULL,
    merged_into INTEGER REFERENCES entity (id), -- whose other name it is; whatever is said of it counts there
    agent       TEXT                            -- in whose view it was merged; NULL: for all agents of the namespace
);
CREATE UNIQUE INDEX entity_key ON entity (ns, key, family);
CREATE INDEX entity_named ON entity (key);      -- in every namespace of an org
CREATE INDEX entity_merged ON entity (merged_into) WHERE merged_into IS NOT NULL;

-- What was said of an entity by hand or by an import: it is there without a memory that mentions it.
CREATE TABLE entity_note (
    entity   INTEGER NOT NULL REFERENCES entity (id),
    agent    TEXT NOT NULL,                     -- '' for all agents of the namespace
    metadata TEXT NOT NULL,
    PRIMARY KEY (entity, agent)
) WITHOUT ROWID;

CREATE TABLE mention (
    entity INTEGER NOT NULL REFERENCES entity (id),
    num    INTEGER NOT NULL REFERENCES memory (num),
    origin TEXT NOT NULL,                       -- text: read in it; told: by its writer; stated: by hand
    pairs  INTEGER NOT NULL,                    -- 1 where so few are named together that it says something
    PRIMARY KEY (entity, num)
) WITHOUT ROWID;
CREATE INDEX mention_num ON mention (num, pairs);

CREATE TABLE relation (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    source         INTEGER NOT NULL REFERENCES entity (id),
    relation       TEXT NOT NULL,
    target         INTEGER NOT NULL REFERENCES entity (id),
    num            INTEGER REFERENCES memory (num),  -- the evidence; NULL: stated by hand
    agent          TEXT,                        -- whose view stated it
    origin         TEXT NOT NULL,               -- text, fact, told or stated
    weight         REAL NOT NULL,
    valid_from     INTEGER,                     -- NULL: as its evidence
    valid_until    INTEGER,
    recorded_at    INTEGER NOT NULL,
    believed_until INTEGER
);
-- A traversal reads these alone: next to the ends they hold all that says whether a relation is seen.
CREATE INDEX relation_source ON relation
    (source, relation, target, num, agent, weight, valid_from, valid_until, believed_until);
CREATE INDEX relation_target ON relation
    (target, relation, source, num, agent, weight, valid_from, valid_until, believed_until);
CREATE INDEX relation_num ON relation (num) WHERE num IS NOT NULL;

CREATE TABLE merge (
    id     TEXT PRIMARY KEY,
    ns     INTEGER NOT NULL REFERENCES namespace (id),
    keep   INTEGER NOT NULL REFERENCES entity (id),
    other  INTEGER NOT NULL REFERENCES entity (id),
    num    INTEGER REFERENCES memory (num),     -- the memory that says so, of what is proposed
    agent  TEXT,
    state  TEXT NOT NULL,
    reason TEXT NOT NULL,
    at     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX merge_ns ON merge (ns, state);
CREATE INDEX merge_num ON merge (num) WHERE num IS NOT NULL;

-- Conversations: the log of a session's messages, which is only ever appended to, and the state of its window.
CREATE TABLE conversation (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,            -- made of its scope and its session's name
    ns         INTEGER NOT NULL REFERENCES namespace (id),
    agent      TEXT,
    session    TEXT NOT NULL,
    opened_at  INTEGER NOT NULL,                -- when its first message came, since it was last ended
    touched_at INTEGER NOT NULL,
    ended_at   INTEGER,
    since      INTEGER NOT NULL,                -- the position of that first message
    next       INTEGER NOT NULL,                -- the position that its next message has at least
    tokens     INTEGER NOT NULL,                -- of the turns in the window
    version    INTEGER NOT NULL                 -- one more whenever turns leave the window
);
CREATE INDEX conversation_ns ON conversation (ns, session);
CREATE INDEX conversation_open ON conversation (touched_at) WHERE ended_at IS NULL;

CREATE TABLE summary (                          -- of the turns that left a window; apart, for it may be long
    conversation INTEGER PRIMARY KEY REFERENCES conversation (num),
    state        TEXT NOT NULL
);

CREATE TABLE turn (
    conversation INTEGER NOT NULL REFERENCES conversation (num),
    position     INTEGER NOT NULL,
    id           TEXT NOT NULL,
    role         TEXT NOT NULL,
    actor        TEXT,
    at           INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    live         INTEGER NOT NULL,              -- 1 while it is in the window
    num          INTEGER REFERENCES memory (num),  -- the memory that it is too
    content      TEXT,                          -- NULL: what that memory says
    metadata     TEXT NOT NULL,
    data         TEXT,                          -- the exact item that it was made of, as JSON
    PRIMARY KEY (conversation, position)
) WITHOUT ROWID;
CREATE INDEX turn_live ON turn (conversation, live, position);
CREATE INDEX turn_at ON turn (conversation, at);
CREATE INDEX turn_num ON turn (num) WHERE num IS NOT NULL;

CREATE VIEW conversation_view AS
    SELECT c.*, coalesce(s.state, '{}') AS state, n.org, n.user
    FROM conversation c JOIN namespace n ON n.id = c.ns LEFT JOIN summary s ON s.conversation = c.num;
CREATE VIEW turn_view AS
    SELECT t.conversation, t.position, t.id, t.role, t.actor, t.at, t.tokens, t.live, t.num,
           coalesce(t.content, m.content) AS content, t.metadata, t.data, m.status
    FROM turn t LEFT JOIN memory m ON m.num = t.num;

-- Exact records: values that come back as they were put, by a key in a collection of one scope.
CREATE TABLE collection (
    num     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,               -- made of its scope and its name
    ns      INTEGER NOT NULL REFERENCES namespace (id),
    agent   TEXT,
    session TEXT,
    name    TEXT NOT NULL,
    next    INTEGER NOT NULL                    -- the number of its next write
);
CREATE INDEX collection_ns ON collection (ns, name);

CREATE TABLE exact_record (
    collection INTEGER NOT NULL REFERENCES collection (num),
    position   INTEGER NOT NULL,                -- the number of the write that made it
    key        TEXT NOT NULL,                   -- its parts as JSON, a comma after each; a long one is cut
    parts      TEXT,                            -- all of a key that is cut
    revision   INTEGER NOT NULL,                -- the number of the write that gave its value
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    num        INTEGER REFERENCES memory (num), -- the memory that its index text is
    updated_at INTEGER NOT NULL,
    ttl        INTEGER,
    encoding   TEXT NOT NULL,
    value      BLOB NOT NULL,                   -- JSON in UTF-8, or bytes
    PRIMARY KEY (collection, position)
);
CREATE UNIQUE INDEX exact_record_key ON exact_record (collection, key);
CREATE INDEX exact_record_num ON exact_record (num) WHERE num IS NOT NULL;
CREATE INDEX exact_record_expires ON exact_record (expires_at) WHERE expires_at IS NOT NULL;

CREATE VIEW collection_view AS
    SELECT c.*, n.org, n.user FROM collection c JOIN namespace n ON n.id = c.ns;
CREATE VIEW exact_record_view AS
    SELECT r.*, m.id AS memory_id FROM exact_record r LEFT JOIN memory m ON m.num = r.num;

-- Trust: a chain of the audit trail for each namespace ('' is the organisation's own), up to where a key vouches for it, who said what a memory says, and the receipts of erasures.
CREATE TABLE audit (
    org       TEXT NOT NULL,
    user      TEXT NOT NULL DEFAULT '',
    seq       INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    operation TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    actor     TEXT NOT NULL,
    digest    TEXT NOT NULL,
    hash      TEXT NOT NULL,
    reason    TEXT NOT NULL,                    -- next to the entry, outside the hash
    PRIMARY KEY (org, user, seq)
) WITHOUT ROWID;
CREATE INDEX audit_memory ON audit (memory_id);
CREATE INDEX audit_at ON audit (org, at);
CREATE TABLE audit_head (
    org        TEXT NOT NULL,
    user       TEXT NOT NULL DEFAULT '',
    seq        INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    signed_seq INTEGER NOT NULL DEFAULT 0,
    signature  TEXT NOT NULL DEFAULT '',        -- of the head as it was at `signed_seq`
    PRIMARY KEY (org, user)
) WITHOUT ROWID;
CREATE TABLE witness (                          -- the distinct sources of what a memory says, besides its own
    num     INTEGER NOT NULL REFERENCES memory (num),
    type    TEXT NOT NULL,                      -- trust class
    source  TEXT NOT NULL,                      -- the source's id as the caller gave it
    author  TEXT NOT NULL DEFAULT '',           -- who chose that id; '' is the application
    said_by TEXT NOT NULL DEFAULT '',           -- the memory that says it; '' where it became one with `num`
    PRIMARY KEY (num, type, source)
) WITHOUT ROWID;
CREATE INDEX witness_said_by ON witness (said_by) WHERE said_by <> '';
CREATE TABLE receipt (                          -- never holds text
    id     TEXT PRIMARY KEY,
    org    TEXT NOT NULL,
    at     INTEGER NOT NULL,
    status TEXT NOT NULL,
    body   TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX receipt_org ON receipt (org, at);

CREATE TABLE job (
    id          TEXT PRIMARY KEY,
    kind        TEXT NOT NULL,
    org         TEXT NOT NULL,
    memory_id   TEXT NOT NULL,
    run_at      INTEGER NOT NULL,
    state       TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    error       TEXT NOT NULL,
    lease_until INTEGER,
    leased_by   TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX job_due ON job (state, run_at);

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    org   TEXT NOT NULL DEFAULT ''              -- '': the store's own
) WITHOUT ROWID;

-- Keys of a server: who may come in from outside, as whom, and what they may do there.
CREATE TABLE server_key (
    id         TEXT PRIMARY KEY,
    org        TEXT NOT NULL,
    user       TEXT,
    agent      TEXT,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL,                   -- SHA-256 of the secret, which is kept nowhere
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    name       TEXT NOT NULL                    -- what its maker calls it
) WITHOUT ROWID;
CREATE INDEX server_key_org ON server_key (org, created_at);

-- Answers to requests that bear a name of the caller's choosing, so that a request sent again is not carried out again.
CREATE TABLE answer (
    org     TEXT NOT NULL,
    caller  TEXT NOT NULL,            -- the key of whoever asked; '' for none
    name    TEXT NOT NULL,            -- digest of the request's name
    salt    TEXT NOT NULL,            -- random: by it whoever carries the request out knows the row
    request TEXT NOT NULL,            -- salted digest of what was asked; '' once an erasure has taken it
    at      INTEGER NOT NULL,         -- when it was last written
    entries TEXT NOT NULL DEFAULT '', -- of the audit trail: '12-15,20-20'
    status  INTEGER,                  -- NULL while it is being carried out, 0 where it ended without an answer
    body    TEXT,                     -- NULL while there is none, and once it is gone
    PRIMARY KEY (org, caller, name)
) WITHOUT ROWID;
CREATE INDEX answer_at ON answer (at);
