-- Trust: up to where a key vouches for a chain, who said what a memory says, and the receipts of erasures.

ALTER TABLE audit_head ADD COLUMN signed_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_head ADD COLUMN signature TEXT NOT NULL DEFAULT '';  -- of the head as it was at `signed_seq`

CREATE TABLE witness (                          -- the distinct sources of what a memory says, beside its own
    num    INTEGER NOT NULL REFERENCES memory (num),
    type   TEXT NOT NULL,                       -- trust class
    source TEXT NOT NULL,                       -- the source's id as the caller gave it
    author TEXT NOT NULL DEFAULT '',            -- who chose that id; '' is the application
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
