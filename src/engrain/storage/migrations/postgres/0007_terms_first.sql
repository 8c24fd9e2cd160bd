-- The rows with a term are together in an org of many users, whose namespaces would each be looked up otherwise.
ALTER TABLE posting DROP CONSTRAINT posting_pkey;
ALTER TABLE posting ADD CONSTRAINT posting_pkey PRIMARY KEY (org, term, ns, num) INCLUDE (count);
