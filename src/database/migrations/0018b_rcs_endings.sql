-- An RCS that may be at the platform is revoked when its recipient opts out or its time is over, as when it is cancelled.

-- The state that the recipient of a revoked RCS ends in; null when it falls back to SMS, or its message was cancelled.
-- The step `cancelled` means for all of these: it is to be revoked now.
alter table rcs_waits add column ending text check (ending in ('stopped', 'expired'));
