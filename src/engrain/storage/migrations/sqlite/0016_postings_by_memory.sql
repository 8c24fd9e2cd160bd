-- The words of the newest memories are in one row for each, so that a write changes one page and not one for every
-- word; transactions move them into the table by term, many memories at a time. `terms` is `,"word":count` for each.
ALTER TABLE posting RENAME TO posting_by_term;
CREATE TABLE posting_by_memory (
    ns    INTEGER NOT NULL,
    num   INTEGER NOT NULL,
    terms TEXT NOT NULL,
    PRIMARY KEY (ns, num)
) WITHOUT ROWID;
CREATE VIEW posting AS
    SELECT ns, term, num, count FROM posting_by_term UNION ALL
    SELECT p.ns, t.key, p.num, t.value
    FROM posting_by_memory p CROSS JOIN json_each('{' || substr(p.terms, 2) || '}') t;

-- The namespace is the beginning of `memory_recorded` too.
DROP INDEX memory_ns;
