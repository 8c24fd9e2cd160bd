-- Keys: who may come in from outside, as whom, and what they may do there.

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
