-- The exact item that a turn was made of, as JSON.

ALTER TABLE turn ADD COLUMN data text COLLATE "C";
ALTER TABLE turn ALTER COLUMN data SET STORAGE EXTERNAL, ALTER COLUMN data SET STATISTICS 0;
DROP VIEW turn_view;
CREATE VIEW turn_view WITH (security_invoker = true) AS
    SELECT t.org, t.conversation, t.position, t.id, t.role, t.actor, t.at, t.tokens, t.live, t.num,
           coalesce(t.content, m.content) AS content, t.metadata, t.data, m.status
    FROM turn t LEFT JOIN memory m ON m.org = t.org AND m.num = t.num;
GRANT SELECT ON turn_view TO engrain_app;
