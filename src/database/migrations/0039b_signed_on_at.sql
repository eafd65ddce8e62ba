-- When the person of a session logged in at the OpenID provider. Sessions that are begun from it keep that time, so that what
-- needs a recent log-in can't be had by switching accounts. Null for a log-in with a password.

alter table sessions add column signed_on_at timestamptz;

update sessions
set signed_on_at = created_at
where is_single_sign_on;

alter table sessions drop column is_single_sign_on;
