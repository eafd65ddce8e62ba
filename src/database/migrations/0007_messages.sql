-- Messages: what was accepted, to whom, and what waits to leave.

-- What is written for every message has no foreign keys: without them, sends of one recipient went from 3,700 to 4,300 a
-- second (64 at a time, no HTTP). Their rows are written under locks on the rows they would
-- point to, accounts and balances are never deleted, and `npm run ledger:check` looks for strays.
alter table credit_entries drop constraint credit_entries_account_id_message_type_fkey;
alter table credit_reservations
  drop constraint credit_reservations_account_id_fkey,
  drop constraint credit_reservations_payer_id_fkey;

alter table accounts
  add column default_sender text,
  add column calendar text not null default 'national' check (calendar in ('national', 'alsace-moselle'));

-- Below 2^33: a recipient's id is made of its message's id and its position, and must stay a number that JSON can carry.
create sequence message_ids maxvalue 8589934591;

create table messages (
  account_id bigint not null,
  id bigint not null,
  channel text not null check (channel in ('sms', 'rcs')),
  category text not null check (category in ('transactional', 'marketing')),
  state text not null check (state in ('scheduled', 'sending', 'sent', 'cancelled', 'failed')),
  content text not null,
  sender text not null,
  external_id text,
  -- When the first of its recipients may leave.
  scheduled_at timestamptz not null,
  recipients_count integer not null check (recipients_count > 0),
  segments_count integer not null,
  credits_required bigint not null,
  credits_refunded bigint not null default 0,
  -- Where its recipients are; kept by whoever moves them.
  waiting_count integer not null default 0 check (waiting_count >= 0),
  sent_count integer not null default 0 check (sent_count >= 0),
  delivered_count integer not null default 0 check (delivered_count >= 0),
  read_count integer not null default 0 check (read_count >= 0),
  failed_count integer not null default 0 check (failed_count >= 0),
  stopped_count integer not null default 0 check (stopped_count >= 0),
  cancelled_count integer not null default 0 check (cancelled_count >= 0),
  clicked_count integer not null default 0,
  replied_count integer not null default 0,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  constraint messages_counts_are_a_partition check (
    waiting_count + sent_count + delivered_count + read_count + failed_count + stopped_count + cancelled_count
      = recipients_count
  ),
  check (credits_refunded between 0 and credits_required)
)
with (fillfactor = 70);

-- How many messages an account has, so that its history need not count them.
create table message_counts (
  account_id bigint primary key,
  messages_count bigint not null
)
with (fillfactor = 50);

-- For good, also when the message itself has had its time.
create table external_ids (
  account_id bigint not null,
  external_id text not null,
  message_id bigint not null,
  primary key (account_id, external_id)
);

-- No foreign key to the message: for a million rows it costs more than storing them. Both are written by one transaction.
-- No index on what changes, so that a move is a heap-only update.
create table recipients (
  account_id bigint not null,
  message_id bigint not null,
  -- In the order they were given, from 1, without gaps.
  position integer not null,
  -- The number of the contract's `deliver`, and 9 for one that is being submitted. Of a cancelled message, those that
  -- still wait are cancelled: nobody writes that down for each of a million.
  state smallint not null default 0,
  segments smallint not null,
  credits smallint not null,
  country text not null,
  phone text not null,
  -- Null is the message's own content.
  content text,
  error_code text,
  sent_at timestamptz,
  delivered_at timestamptz,
  primary key (account_id, message_id, position)
)
with (fillfactor = 85);

create index recipients_phone on recipients (phone, message_id);

create sequence batch_ids;

-- The queue: recipients of one message that may leave at the same time, claimed and given back together. Only what waits
-- is here, so it is small, and has no foreign key, so that it can stay in one place when the rest is distributed.
create table batches (
  account_id bigint not null,
  message_id bigint not null,
  id bigint not null,
  -- 0 transactional, 1 marketing.
  lane smallint not null,
  due_at timestamptz not null,
  positions integer[] not null,
  leased_by uuid,
  leased_until timestamptz,
  primary key (account_id, message_id, id)
)
with (fillfactor = 70);

create index batches_due on batches (lane, account_id, due_at, id);

-- Messages that begin to be sent later.
create table scheduled_messages (
  account_id bigint not null,
  message_id bigint not null,
  due_at timestamptz not null,
  primary key (account_id, message_id)
);

create index scheduled_messages_due on scheduled_messages (due_at);

-- Numbers that are to be erased once what is under way to them has arrived.
create table pending_erasures (
  account_id bigint not null references accounts,
  phone text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, phone)
);
