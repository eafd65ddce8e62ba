-- Events, and the webhooks that are told of them.

create sequence event_ids;

-- An event is written by the transaction that caused it, for accounts that want events of its type.
create table events (
  account_id bigint not null,
  id bigint not null,
  type text not null check (
    type in ('replies', 'stops', 'sms_status', 'rcs_status', 'clicks', 'message_state')
  ),
  -- Who wrote it. Events are read in the order (transaction, id) up to the oldest transaction that still runs: by their
  -- ids alone, one that commits late would be passed over.
  transaction_id xid8 not null default pg_current_xact_id(),
  -- Complete, as it is told; `sequence`, which is the id, is added then.
  record jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account_id, transaction_id, id)
);

create index events_id on events (account_id, id);
create index events_created on events using brin (created_at);

-- Who wants which events: those who have a webhook for them, and those who have asked for the feed.
create table event_subscriptions (
  account_id bigint not null references accounts,
  type text not null,
  reason text not null check (reason in ('webhook', 'feed')),
  primary key (account_id, type, reason)
);

create sequence webhook_ids;

create table webhooks (
  account_id bigint not null references accounts,
  id bigint not null,
  type text not null,
  url text not null,
  method text not null check (method = 'POST'),
  is_active boolean not null,
  batch_size integer not null check (batch_size between 1 and 500),
  created_at timestamptz not null default now(),
  last_status integer,
  disabled_reason text,
  -- Since when nothing has arrived; null while all is well.
  failing_since timestamptz,
  primary key (account_id, id)
)
with (fillfactor = 50);

create sequence webhook_secret_ids;

-- Kept as they are: they sign, so they can't be hashes.
create table webhook_secrets (
  account_id bigint not null references accounts,
  id bigint not null,
  secret text not null,
  created_at timestamptz not null default now(),
  -- Null for the one in use; the others sign beside it until then.
  expires_at timestamptz,
  primary key (account_id, id)
);

-- What each webhook is still to be told.
create table webhook_queue (
  webhook_id bigint not null,
  event_id bigint not null,
  account_id bigint not null,
  primary key (webhook_id, event_id)
);

-- Webhooks with something to do: new events, or a delivery to be tried again. A worker leases the webhook, so that each is
-- served by one at a time, and none waits for another.
create table webhook_turns (
  webhook_id bigint primary key,
  account_id bigint not null,
  due_at timestamptz not null,
  leased_by uuid,
  leased_until timestamptz
)
with (fillfactor = 50);

create index webhook_turns_due on webhook_turns (due_at);

create sequence webhook_delivery_ids;

create table webhook_deliveries (
  account_id bigint not null,
  id bigint not null,
  webhook_id bigint not null,
  -- The `webhook-id` of every attempt.
  event_id text not null,
  type text not null,
  url text not null,
  event_ids bigint[] not null,
  status text not null check (status in ('pending', 'succeeded', 'retrying', 'failed')),
  attempts integer not null default 0,
  response_status integer,
  response_ms integer,
  -- The first 2 kB of the answer.
  response text,
  error text,
  next_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  primary key (account_id, id)
)
with (fillfactor = 70);

create index webhook_deliveries_open on webhook_deliveries (webhook_id, next_attempt_at)
  where status in ('pending', 'retrying');
create index webhook_deliveries_failed on webhook_deliveries (account_id, created_at) where status = 'failed';
create index webhook_deliveries_created on webhook_deliveries using brin (created_at);
