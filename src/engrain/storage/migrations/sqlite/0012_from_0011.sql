-- What brings a file of schema 11, the last one of the product's old name, to schema 12, from where the numbered steps lead on.

DROP TRIGGER tally_insert;
DROP TRIGGER tally_delete;
DROP TRIGGER tally_update;
CREATE TABLE counter (
    ns    INTEGER NOT NULL,
    agent TEXT NOT NULL,
    kind  TEXT NOT NULL,
    live  INTEGER NOT NULL,
    PRIMARY KEY (ns, agent, kind)
) WITHOUT ROWID;
INSERT INTO counter (ns, agent, kind, live)
    SELECT ns, agent, counted, count(*) FROM memory WHERE counted IS NOT NULL GROUP BY ns, agent, counted;
DROP TABLE tally;

-- One row for a vector, in 16 bits: what a scan reads in 8 is made of it in memory.
ALTER TABLE vector RENAME TO vector_int8;
CREATE TABLE vector (                           -- float16, little-endian, of length 1
    ns       INTEGER NOT NULL,
    embedder INTEGER NOT NULL REFERENCES embedder (id),
    num      INTEGER NOT NULL,
    v        BLOB NOT NULL,
    PRIMARY KEY (ns, embedder, num)
) WITHOUT ROWID;
INSERT INTO vector (ns, embedder, num, v)
    SELECT i.ns, i.embedder, i.num, e.v FROM vector_int8 i
    JOIN vector_exact e ON e.embedder = i.embedder AND e.num = i.num ORDER BY i.ns, i.embedder, i.num;
DROP TABLE vector_int8;
DROP TABLE vector_exact;

DROP VIEW conversation_of;
DROP VIEW turn_said;
ALTER TABLE told RENAME TO summary;
CREATE VIEW conversation_view AS
    SELECT c.*, coalesce(s.state, '{}') AS state, n.org, n.user
    FROM conversation c JOIN namespace n ON n.id = c.ns LEFT JOIN summary s ON s.conversation = c.num;
CREATE VIEW turn_view AS
    SELECT t.conversation, t.position, t.id, t.role, t.actor, t.at, t.tokens, t.live, t.num,
           coalesce(t.content, m.content) AS content, t.metadata, m.status
    FROM turn t LEFT JOIN memory m ON m.num = t.num;
