-- The calendar shows messages with a name, to many people, or that waited for their time. Without this index it would read every
-- message of its days, and most of those are codes. A table with rows gets the index while the service runs
-- (src/database/build-indexes.ts): here, no message could be written before it is made.
do $$
begin
  if not exists (select from messages) then
    create index messages_campaigns on messages (account_id, scheduled_at, id)
    where name is not null or recipients_count > 50 or scheduled_at - created_at > interval '1 minute';
  end if;
end
$$;
