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
