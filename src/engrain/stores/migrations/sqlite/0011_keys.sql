-- Keys that are long become their beginning and a digest, as an index on a server has room for.

UPDATE memory SET subject_key = key_of(subject_key), predicate_key = key_of(predicate_key), object_key = key_of(object_key)
    WHERE length(subject_key) > 120 OR length(predicate_key) > 120 OR length(object_key) > 120;
UPDATE entity SET key = key_of(key) WHERE length(key) > 120;
