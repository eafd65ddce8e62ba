-- A message can have a name and tags, so that a campaign is found again. It can be paused: its state stays, and what has not
-- left waits until it is resumed, or expires.

alter table messages add column name text;
alter table messages add column tags text[];
alter table messages add column paused_at timestamptz;

-- The batches of a paused message are out of both indexes of the queue: they cost no claim and no look for due batches.
alter table batches add column is_paused boolean not null default false;
alter table batches add constraint batches_paused_are_not_ready check (not (is_ready and is_paused));

drop index batches_future;
create index batches_future on batches (due_at) where not is_ready and not is_paused;
