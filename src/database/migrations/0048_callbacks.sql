-- Callbacks: a message that came through a door of Kannel or Jasmin may name an address that is called with its
-- delivery reports.

-- What a message asks for. It goes a while after the last report can come: the address may hold personal data.
create table message_callbacks (
  account_id bigint not null,
  message_id bigint not null,
  door text not null check (door in ('kannel', 'jasmin')),
  url text not null,
  method text not null check (method in ('GET', 'POST')),
  -- The reports that are asked for, in the bits of Kannel: 1 delivered, 2 not delivered, 8 accepted by the carrier,
  -- 16 refused by the carrier.
  mask smallint not null,
  -- Values of the request that a callback repeats.
  fields jsonb not null,
  -- Numbers as the client wrote them, by the number in E.164, where they differ.
  given_numbers jsonb not null,
  kept_until timestamptz not null,
  primary key (account_id, message_id)
);

create index message_callbacks_kept on message_callbacks (kept_until);

create sequence callback_ids;

-- Reports that are still to be made. A report is written by the transaction that moved its recipient, and is removed
-- when it has arrived or was given up.
create table callback_queue (
  account_id bigint not null,
  id bigint not null default nextval('callback_ids'),
  message_id bigint not null,
  position integer not null,
  report smallint not null,
  state smallint not null,
  reported_at timestamptz not null default now(),
  attempts integer not null default 0,
  -- A worker that takes a report moves this on, so that another worker takes it when the first one has died.
  due_at timestamptz not null default now(),
  primary key (account_id, id)
)
with (fillfactor = 50);

create index callback_queue_due on callback_queue (account_id, due_at);
-- The reports of a recipient are made in their order.
create index callback_queue_recipient on callback_queue (account_id, message_id, position, id);

-- Accounts that have asked for callbacks: all others cost nothing when their recipients move.
alter table event_subscriptions drop constraint event_subscriptions_reason_check;
alter table event_subscriptions add constraint event_subscriptions_reason_check
  check (reason in ('webhook', 'feed', 'door'));
