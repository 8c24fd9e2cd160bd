-- Nothing in the way of a distributed database: no triggers, and rows of `org` behind policies too.

DROP TRIGGER org_insert ON namespace;
DROP TRIGGER org_insert ON audit;
DROP TRIGGER org_insert ON audit_head;
DROP TRIGGER org_insert ON receipt;
DROP TRIGGER org_insert ON setting;
DROP TRIGGER org_insert ON server_key;
DROP TRIGGER org_insert ON answer;
DROP TRIGGER job_wakes ON job;
DROP FUNCTION know_org();
DROP FUNCTION wake_org();

-- A worker looks for what is due in all orgs at once: of a job it sees that there is one, its kind and its times.
DROP INDEX org_wake;
ALTER TABLE org DROP COLUMN wake_at;
CREATE INDEX job_queued ON job (run_at) WHERE state = 'queued';
CREATE INDEX job_leased ON job (lease_until) WHERE state = 'running';
CREATE POLICY seen ON job FOR SELECT USING (current_setting('engrain.jobs', true) = 'on');

-- An org's row is made, and locked, by whoever writes there.
ALTER TABLE org ENABLE ROW LEVEL SECURITY;
ALTER TABLE org FORCE ROW LEVEL SECURITY;
CREATE POLICY listed ON org FOR SELECT USING (true);
CREATE POLICY made ON org FOR INSERT WITH CHECK (name = current_setting('engrain.org', true));
CREATE POLICY locked ON org FOR UPDATE USING (name = current_setting('engrain.org', true));
GRANT UPDATE (name) ON org TO engrain_app;
