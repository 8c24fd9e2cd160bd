-- Facts by their slot; what waits for a verdict; every earlier state of a memory, after verdicts as after edits.
-- The keys are what `engrain.facts.slot` makes of a fact; `fact_key` gives them to SQL while a file is brought up.

ALTER TABLE memory ADD COLUMN subject_key TEXT;
ALTER TABLE memory ADD COLUMN predicate_key TEXT;
ALTER TABLE memory ADD COLUMN object_key TEXT;
UPDATE memory SET
    subject_key = fact_key(0, subject, predicate, object),
    predicate_key = fact_key(1, subject, predicate, object),
    object_key = fact_key(2, subject, predicate, object)
WHERE subject IS NOT NULL;
-- The versions of a fact in the order of their time, and, few in any slot, those that nothing has superseded.
CREATE INDEX memory_fact ON memory (ns, subject_key, predicate_key, valid_from) WHERE subject_key IS NOT NULL;
CREATE INDEX memory_slot ON memory (ns, subject_key, predicate_key, object_key)
    WHERE subject_key IS NOT NULL AND superseded_by IS NULL;

ALTER TABLE memory ADD COLUMN waiting TEXT GENERATED ALWAYS AS (
    CASE
        WHEN status = 'quarantined' AND status_reason = 'unconfirmed' THEN 'procedure'
        WHEN status = 'quarantined' THEN 'quarantine'
        WHEN status = 'active' AND status_reason = 'contested' THEN 'contradiction'
    END
) VIRTUAL;
CREATE INDEX memory_waiting ON memory (ns, waiting) WHERE waiting IS NOT NULL;

CREATE TABLE earlier (
    seq            INTEGER PRIMARY KEY,
    num            INTEGER NOT NULL REFERENCES memory (num),
    version        INTEGER NOT NULL,
    believed_from  INTEGER NOT NULL,
    believed_until INTEGER NOT NULL,
    memory         TEXT NOT NULL,
    change         TEXT NOT NULL               -- what ended it: 'edit', or a verdict
);
INSERT INTO earlier (num, version, believed_from, believed_until, memory, change)
    SELECT num, version, believed_from, believed_until, memory, 'edit' FROM revision ORDER BY num, version;
DROP TABLE revision;
ALTER TABLE earlier RENAME TO revision;
CREATE INDEX revision_num ON revision (num);
CREATE INDEX revision_until ON revision (believed_until);
