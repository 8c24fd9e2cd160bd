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

-- A sweep asks what is due, of all or of a namespace, and reads nothing else.
CREATE INDEX memory_due ON memory (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX memory_due_of ON memory (ns, due_at) WHERE due_at IS NOT NULL;
-- What was not learnt from yet, newest last.
CREATE INDEX memory_unlearnt ON memory (ns, recorded_at)
    WHERE kind = 'episodic' AND status = 'active' AND consolidated_at IS NULL;
-- What counts for an agent's cap.
CREATE INDEX memory_cap ON memory (ns, agent, kind, importance)
    WHERE agent IS NOT NULL AND status = 'active' AND superseded_by IS NULL;
