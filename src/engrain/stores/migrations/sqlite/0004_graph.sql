-- The graph: entities by name, who mentions them, and what is said of them. A row with a `num` lives and dies with that
-- memory: what may be seen of it, and when it held, is for the memory to say.

CREATE TABLE entity (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    ns          INTEGER NOT NULL REFERENCES namespace (id),
    type        TEXT NOT NULL,
    family      TEXT NOT NULL,                  -- types that are looked up as one
    key         TEXT NOT NULL,                  -- the name as names are compared
    name        TEXT NOT NULL,
    merged_into INTEGER REFERENCES entity (id), -- whose other name it is; whatever is said of it counts there
    agent       TEXT                            -- in whose view it was merged; NULL: for all agents of the namespace
);
CREATE UNIQUE INDEX entity_key ON entity (ns, key, family);
CREATE INDEX entity_named ON entity (key);      -- in every namespace of an org
CREATE INDEX entity_merged ON entity (merged_into) WHERE merged_into IS NOT NULL;

-- What was said of an entity by hand or by an import: it stands without a memory that mentions it.
CREATE TABLE entity_note (
    entity   INTEGER NOT NULL REFERENCES entity (id),
    agent    TEXT NOT NULL,                     -- '' for all agents of the namespace
    metadata TEXT NOT NULL,
    PRIMARY KEY (entity, agent)
) WITHOUT ROWID;

CREATE TABLE mention (
    entity INTEGER NOT NULL REFERENCES entity (id),
    num    INTEGER NOT NULL REFERENCES memory (num),
    origin TEXT NOT NULL,                       -- text: read in it; told: by its writer; stated: by hand
    pairs  INTEGER NOT NULL,                    -- 1 where so few are named together that it says something
    PRIMARY KEY (entity, num)
) WITHOUT ROWID;
CREATE INDEX mention_num ON mention (num, pairs);

CREATE TABLE relation (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    source         INTEGER NOT NULL REFERENCES entity (id),
    relation       TEXT NOT NULL,
    target         INTEGER NOT NULL REFERENCES entity (id),
    num            INTEGER REFERENCES memory (num),  -- the evidence; NULL: stated by hand
    agent          TEXT,                        -- whose view stated it
    origin         TEXT NOT NULL,               -- text, fact, told or stated
    weight         REAL NOT NULL,
    valid_from     INTEGER,                     -- NULL: as its evidence
    valid_until    INTEGER,
    recorded_at    INTEGER NOT NULL,
    believed_until INTEGER
);
-- A walk reads these alone: beside the ends they hold all that says whether a relation is seen.
CREATE INDEX relation_source ON relation
    (source, relation, target, num, agent, weight, valid_from, valid_until, believed_until);
CREATE INDEX relation_target ON relation
    (target, relation, source, num, agent, weight, valid_from, valid_until, believed_until);
CREATE INDEX relation_num ON relation (num) WHERE num IS NOT NULL;

CREATE TABLE merge (
    id     TEXT PRIMARY KEY,
    ns     INTEGER NOT NULL REFERENCES namespace (id),
    keep   INTEGER NOT NULL REFERENCES entity (id),
    other  INTEGER NOT NULL REFERENCES entity (id),
    num    INTEGER REFERENCES memory (num),     -- the memory that says so, of what is proposed
    agent  TEXT,
    state  TEXT NOT NULL,
    reason TEXT NOT NULL,
    at     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX merge_ns ON merge (ns, state);
CREATE INDEX merge_num ON merge (num) WHERE num IS NOT NULL;

-- A caller's own id is looked up by every write that has one; its unique index, by agent, cannot be asked for it.
CREATE INDEX memory_called ON memory (ns, key) WHERE key IS NOT NULL;
