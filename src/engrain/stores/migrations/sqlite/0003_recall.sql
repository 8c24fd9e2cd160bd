-- What recall asks for: the mark of texts that name somebody or something (`has_names` reads each text while a file is
-- brought up), and facts by their object.

UPDATE memory SET marks = marks | 4 WHERE has_names(content);
CREATE INDEX memory_object ON memory (ns, object_key) WHERE object_key IS NOT NULL;
