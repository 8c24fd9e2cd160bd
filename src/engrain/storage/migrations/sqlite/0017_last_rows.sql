-- The rows of a namespace in their order: every search asks for the last one, and reads those after a known one.
CREATE INDEX memory_ns ON memory (ns);
