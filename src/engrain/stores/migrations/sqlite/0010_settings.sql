-- Whose a setting is: what a model took is its org's, all else the store's own.

ALTER TABLE setting ADD COLUMN org TEXT NOT NULL DEFAULT '';
UPDATE setting SET org = json_extract(substr(name, 11), '$[0]') WHERE name LIKE 'llm_spent [%' AND json_valid(substr(name, 11));
