-- What a process knows of a large namespace, so that the next one does not read all of its rows to search them.

CREATE TABLE index_block (                      -- deleted with the first row of the namespace that is deleted
    ns   INTEGER NOT NULL,
    part TEXT NOT NULL,                         -- 'head', or the name of an array
    data BLOB NOT NULL,
    PRIMARY KEY (ns, part)
);
