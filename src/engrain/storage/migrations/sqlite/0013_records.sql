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
