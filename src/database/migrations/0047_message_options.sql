-- A message can carry a validity, a priority, a class (flash) and binary data. All of it is null for most messages, which
-- pay nothing for it. A message whose validity ends while no carrier takes it is found by a small table of its own: an
-- index on the queue would cost every message.

alter table messages add column options jsonb;

-- How many seconds a batch goes before batches of its account that are due at the same time; below zero: behind them.
alter table batches add column head_start_seconds integer;

create table expiries (
  account_id bigint not null,
  message_id bigint not null,
  due_at timestamptz not null,
  primary key (account_id, message_id)
);

create index expiries_due on expiries (due_at);

-- The first key of an account keeps every scope, and so does a key that had every scope before.
alter table api_keys drop constraint api_keys_scopes_check;
alter table api_keys add constraint api_keys_scopes_check
  check (scopes <@ array['read', 'send', 'contacts', 'webhooks', 'account', 'people', 'binary']);

update api_keys
set scopes = array_append(scopes, 'binary')
where is_first
  or scopes @> array['read', 'send', 'contacts', 'webhooks', 'account', 'people'];
