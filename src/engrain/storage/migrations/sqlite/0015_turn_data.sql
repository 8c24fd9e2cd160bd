-- The exact item that a turn was made of, as JSON.

ALTER TABLE turn ADD COLUMN data TEXT;
DROP VIEW turn_view;
CREATE VIEW turn_view AS
    SELECT t.conversation, t.position, t.id, t.role, t.actor, t.at, t.tokens, t.live, t.num,
           coalesce(t.content, m.content) AS content, t.metadata, t.data, m.status
    FROM turn t LEFT JOIN memory m ON m.num = t.num;
