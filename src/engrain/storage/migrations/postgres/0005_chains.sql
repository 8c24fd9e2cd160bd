-- A chain of the audit trail for each namespace; the one there was goes on as the organisation's own, of the user ''.

ALTER TABLE audit ADD COLUMN "user" text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE audit ALTER COLUMN "user" SET STORAGE EXTERNAL;
ALTER TABLE audit DROP CONSTRAINT audit_pkey;
ALTER TABLE audit ADD PRIMARY KEY (org, "user", seq);
CREATE INDEX audit_at ON audit (org, at, "user", seq);
ALTER TABLE audit_head ADD COLUMN "user" text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE audit_head ALTER COLUMN "user" SET STORAGE EXTERNAL;
ALTER TABLE audit_head DROP CONSTRAINT audit_head_pkey;
ALTER TABLE audit_head ADD PRIMARY KEY (org, "user");

-- The row of a namespace is its writers' turn: it is locked and stays as it is. '' is what carries no user.
CREATE TABLE writer (
    org    text COLLATE "C" NOT NULL DEFAULT current_setting('engrain.org'),
    "user" text COLLATE "C" NOT NULL,
    PRIMARY KEY (org, "user")
);
ALTER TABLE writer ALTER COLUMN org SET STORAGE EXTERNAL, ALTER COLUMN "user" SET STORAGE EXTERNAL;
ALTER TABLE writer ENABLE ROW LEVEL SECURITY;
ALTER TABLE writer FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON writer USING (org = current_setting('engrain.org', true))
    WITH CHECK (org = current_setting('engrain.org', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON writer TO engrain_app;
DROP POLICY locked ON org;
REVOKE UPDATE (name) ON org FROM engrain_app;
