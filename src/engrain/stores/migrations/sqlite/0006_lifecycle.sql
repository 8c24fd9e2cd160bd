-- Lifecycle: who says when a memory expires, when a sweep has to look at it, what was learnt of an episode, how often and
-- when it was used, and how something is done. What has an expiry in an older file has it from its caller.

ALTER TABLE memory ADD COLUMN expiry TEXT NOT NULL DEFAULT '';
UPDATE memory SET expiry = 'given' WHERE expires_at IS NOT NULL;
ALTER TABLE memory ADD COLUMN due_at INTEGER;
UPDATE memory SET due_at = expires_at WHERE expires_at IS NOT NULL AND status = 'active';
ALTER TABLE memory ADD COLUMN consolidated_at INTEGER;
ALTER TABLE memory ADD COLUMN procedure TEXT;
ALTER TABLE memory ADD COLUMN accessed_2 INTEGER;   -- the access before the last, and the one before that
ALTER TABLE memory ADD COLUMN accessed_3 INTEGER;
ALTER TABLE memory ADD COLUMN used_at INTEGER GENERATED ALWAYS AS (coalesce(last_accessed, recorded_at)) VIRTUAL;

-- A sweep asks what is due, of all or of a namespace, and reads nothing else.
CREATE INDEX memory_due ON memory (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX memory_due_of ON memory (ns, due_at) WHERE due_at IS NOT NULL;

-- When an episode was recorded from which nothing was learnt yet.
ALTER TABLE memory ADD COLUMN unlearnt INTEGER GENERATED ALWAYS AS (
    CASE WHEN kind = 'episodic' AND status = 'active' AND consolidated_at IS NULL THEN recorded_at END
) VIRTUAL;
CREATE INDEX memory_unlearnt ON memory (ns, unlearnt) WHERE unlearnt IS NOT NULL;

-- What counts for an agent's cap, by its kind; and how many do, so that no write has to count them.
ALTER TABLE memory ADD COLUMN counted TEXT GENERATED ALWAYS AS (
    CASE WHEN status = 'active' AND superseded_by IS NULL AND agent IS NOT NULL THEN kind END
) VIRTUAL;
CREATE INDEX memory_counted ON memory (ns, agent, counted, importance) WHERE counted IS NOT NULL;
CREATE TABLE tally (
    ns    INTEGER NOT NULL,
    agent TEXT NOT NULL,
    kind  TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (ns, agent, kind)
) WITHOUT ROWID;
INSERT INTO tally (ns, agent, kind, count)
    SELECT ns, agent, counted, count(*) FROM memory WHERE counted IS NOT NULL GROUP BY ns, agent, counted;
CREATE TRIGGER tally_insert AFTER INSERT ON memory WHEN new.counted IS NOT NULL BEGIN
    INSERT INTO tally (ns, agent, kind, count) VALUES (new.ns, new.agent, new.counted, 1)
        ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER tally_delete AFTER DELETE ON memory WHEN old.counted IS NOT NULL BEGIN
    UPDATE tally SET count = count - 1 WHERE ns = old.ns AND agent = old.agent AND kind = old.counted;
END;
CREATE TRIGGER tally_update AFTER UPDATE OF ns, agent, kind, status, superseded_by ON memory
WHEN old.counted IS NOT new.counted OR old.ns IS NOT new.ns OR old.agent IS NOT new.agent BEGIN
    UPDATE tally SET count = count - 1 WHERE ns = old.ns AND agent = old.agent AND kind = old.counted;
    INSERT INTO tally (ns, agent, kind, count) SELECT new.ns, new.agent, new.counted, 1 WHERE new.counted IS NOT NULL
        ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- The sessions in which something is noted, and the conversations that go on.
ALTER TABLE memory ADD COLUMN noted TEXT GENERATED ALWAYS AS (
    CASE WHEN status = 'active' AND kind = 'working' THEN session END
) VIRTUAL;
CREATE INDEX memory_noted ON memory (noted) WHERE noted IS NOT NULL;
CREATE INDEX memory_noted_of ON memory (ns, noted) WHERE noted IS NOT NULL;
CREATE INDEX conversation_open ON conversation (touched_at) WHERE ended_at IS NULL;
