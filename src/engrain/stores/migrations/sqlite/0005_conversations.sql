-- Conversations: the log of a session's messages, which is only ever appended to, and the state of its window.

CREATE TABLE conversation (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,            -- made of whose it is and its session's name
    ns         INTEGER NOT NULL REFERENCES namespace (id),
    agent      TEXT,
    session    TEXT NOT NULL,
    opened_at  INTEGER NOT NULL,                -- when its first message came, since it was last ended
    touched_at INTEGER NOT NULL,
    ended_at   INTEGER,
    since      INTEGER NOT NULL,                -- the position of that first message
    next       INTEGER NOT NULL,                -- the position that its next message has at least
    tokens     INTEGER NOT NULL,                -- of the turns in the window
    version    INTEGER NOT NULL                 -- one more whenever turns leave the window
);
CREATE INDEX conversation_ns ON conversation (ns, session);

CREATE TABLE told (                             -- of the turns that left a window; apart, for it may be long
    conversation INTEGER PRIMARY KEY REFERENCES conversation (num),
    state        TEXT NOT NULL
);

CREATE TABLE turn (
    conversation INTEGER NOT NULL REFERENCES conversation (num),
    position     INTEGER NOT NULL,
    id           TEXT NOT NULL,
    role         TEXT NOT NULL,
    actor        TEXT,
    at           INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    live         INTEGER NOT NULL,              -- 1 while it stands in the window
    num          INTEGER REFERENCES memory (num),  -- the memory that it is too
    content      TEXT,                          -- NULL: what that memory says
    metadata     TEXT NOT NULL,
    PRIMARY KEY (conversation, position)
) WITHOUT ROWID;
CREATE INDEX turn_live ON turn (conversation, live, position);
CREATE INDEX turn_at ON turn (conversation, at);
CREATE INDEX turn_num ON turn (num) WHERE num IS NOT NULL;

CREATE VIEW conversation_of AS
    SELECT c.*, coalesce(t.state, '{}') AS state, n.org, n.user
    FROM conversation c JOIN namespace n ON n.id = c.ns LEFT JOIN told t ON t.conversation = c.num;
CREATE VIEW turn_said AS
    SELECT t.conversation, t.position, t.id, t.role, t.actor, t.at, t.tokens, t.live, t.num,
           coalesce(t.content, m.content) AS content, t.metadata, m.status
    FROM turn t LEFT JOIN memory m ON m.num = t.num;
