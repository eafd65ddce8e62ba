-- The calendar shows messages with a name, to many people, or that waited for their time. Without this index it would read every
-- message of its days, and most of those are codes.
create index messages_campaigns on messages (account_id, scheduled_at, id)
where name is not null or recipients_count > 50 or scheduled_at - created_at > interval '1 minute';
