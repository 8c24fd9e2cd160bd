-- The first schema. Times are microseconds since 1970 (UTC); nested values are JSON text.
-- Row numbers (`num`, `namespace.id`) are never reused, so a number that is gone means nothing to anybody.

CREATE TABLE namespace (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    org  TEXT NOT NULL,
    user TEXT                                   -- NULL: the org's memories that carry no user
);
CREATE UNIQUE INDEX namespace_name ON namespace (org, coalesce(user, ''), user IS NULL);

CREATE TABLE memory (
    num             INTEGER PRIMARY KEY AUTOINCREMENT,
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
    marks           INTEGER NOT NULL            -- bits: 1 ends with a question mark, 2 carries time words
);
CREATE UNIQUE INDEX memory_identity ON memory (ns, identity) WHERE identity IS NOT NULL;
CREATE UNIQUE INDEX memory_key ON memory (ns, coalesce(agent, ''), key) WHERE key IS NOT NULL AND status <> 'forgotten';
CREATE INDEX memory_ns ON memory (ns);
CREATE INDEX memory_recorded ON memory (ns, recorded_at);
CREATE INDEX memory_session ON memory (ns, session, position) WHERE session IS NOT NULL;
CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE link (
    source   INTEGER NOT NULL REFERENCES memory (num),
    relation TEXT NOT NULL,
    target   INTEGER NOT NULL REFERENCES memory (num),
    PRIMARY KEY (source, relation, target)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (target, relation, source);

CREATE TABLE revision (
    num            INTEGER NOT NULL REFERENCES memory (num),
    version        INTEGER NOT NULL,
    believed_from  INTEGER NOT NULL,
    believed_until INTEGER NOT NULL,
    memory         TEXT NOT NULL,
    PRIMARY KEY (num, version)
) WITHOUT ROWID;

-- BM25 is computed over this table; the term's own text is in the key, so that erasing a row erases the word.
CREATE TABLE posting (
    ns    INTEGER NOT NULL,
    term  TEXT NOT NULL,
    num   INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (ns, term, num)
) WITHOUT ROWID;

CREATE TABLE embedder (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
);
CREATE TABLE vector (                           -- int8, clustered: what a scan reads
    ns       INTEGER NOT NULL,
    embedder INTEGER NOT NULL REFERENCES embedder (id),
    num      INTEGER NOT NULL,
    scale    REAL NOT NULL,
    q        BLOB NOT NULL,
    PRIMARY KEY (ns, embedder, num)
) WITHOUT ROWID;
CREATE TABLE vector_exact (                     -- float16: what the best few are scored by again
    embedder INTEGER NOT NULL REFERENCES embedder (id),
    num      INTEGER NOT NULL,
    v        BLOB NOT NULL,
    PRIMARY KEY (embedder, num)
) WITHOUT ROWID;

-- Which rows changed after they were inserted, for the mirrors of other processes. Numbers only, never an id or text.
CREATE TABLE change (
    ns   INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    num  INTEGER NOT NULL,
    text INTEGER NOT NULL,                      -- 1 when its postings or vectors changed too
    PRIMARY KEY (ns, seq)
) WITHOUT ROWID;

CREATE TABLE audit (
    org       TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    operation TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    actor     TEXT NOT NULL,
    digest    TEXT NOT NULL,
    hash      TEXT NOT NULL,
    reason    TEXT NOT NULL,                    -- beside the entry, outside the hash
    PRIMARY KEY (org, seq)
) WITHOUT ROWID;
CREATE INDEX audit_memory ON audit (memory_id);
CREATE TABLE audit_head (
    org  TEXT PRIMARY KEY,
    seq  INTEGER NOT NULL,
    hash TEXT NOT NULL
) WITHOUT ROWID;

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
    value TEXT NOT NULL
) WITHOUT ROWID;
