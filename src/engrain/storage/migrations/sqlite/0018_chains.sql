-- A chain of the audit trail for each namespace; the one there was goes on as the organisation's own, of the user ''.
ALTER TABLE audit RENAME TO audit_before;
ALTER TABLE audit_head RENAME TO audit_head_before;
DROP INDEX audit_memory;
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
INSERT INTO audit (org, seq, at, operation, memory_id, actor, digest, hash, reason)
    SELECT org, seq, at, operation, memory_id, actor, digest, hash, reason FROM audit_before;
DROP TABLE audit_before;
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
INSERT INTO audit_head (org, seq, hash, signed_seq, signature)
    SELECT org, seq, hash, signed_seq, signature FROM audit_head_before;
DROP TABLE audit_head_before;
