-- For each org
-- Predicates are compared without case: keys with capitals, as of "LIVES_IN", become those of "lives_in".
UPDATE memory SET predicate_key = CASE lower(predicate_key)
    WHEN 'resides_in' THEN 'lives_in' WHEN 'residence' THEN 'lives_in'
    WHEN 'based_in' THEN 'located_in' WHEN 'location' THEN 'located_in'
    WHEN 'works_for' THEN 'works_at' WHEN 'employed_by' THEN 'works_at' WHEN 'employed_at' THEN 'works_at' WHEN 'employer' THEN 'works_at'
    WHEN 'job' THEN 'job_title' WHEN 'occupation' THEN 'job_title'
    WHEN 'owned_by' THEN 'owner'
    WHEN 'e_mail' THEN 'email' WHEN 'email_address' THEN 'email'
    WHEN 'phone_number' THEN 'phone' WHEN 'telephone' THEN 'phone'
    WHEN 'time_zone' THEN 'timezone'
    WHEN 'spouse' THEN 'married_to'
    WHEN 'date_of_birth' THEN 'birthday'
    ELSE lower(predicate_key) END
WHERE org = current_setting('engrain.org') AND predicate_key <> lower(predicate_key);
