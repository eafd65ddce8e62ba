-- Customers' platforms bind to us over SMPP: credentials, binds under a lease, and the receipts and replies that wait for
-- a bind. Phone numbers and texts stay where they are; only parts of unfinished long messages hold them here.

create sequence smpp_credential_ids;
create sequence smpp_delivery_ids;

create table smpp_credentials (
  id bigint primary key,
  account_id bigint not null references accounts,
  -- SMPP 3.4, paragraph 5.2.1: 15 characters.
  system_id text not null constraint smpp_credentials_system_id_unique unique
    check (system_id ~ '^[!-~]{1,15}$'),
  name text not null,
  password_hash text not null,
  addresses text[] not null default '{}',
  binds_max smallint not null check (binds_max > 0),
  window_max smallint not null check (window_max > 0),
  -- Null: no limit of its own.
  throughput integer check (throughput > 0),
  category text not null check (category in ('transactional', 'marketing')),
  is_binary_allowed boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  last_bound_at timestamptz
);

create index smpp_credentials_account on smpp_credentials (account_id, id);

-- A bind is held by one process, which extends its lease. A bind whose lease is over counts no more.
create table smpp_binds (
  id uuid primary key,
  credential_id bigint not null references smpp_credentials on delete cascade,
  account_id bigint not null,
  mode text not null check (mode in ('transmitter', 'receiver', 'transceiver')),
  address text not null,
  is_encrypted boolean not null,
  interface_version smallint not null,
  bound_at timestamptz not null default now(),
  leased_until timestamptz not null
);

create index smpp_binds_credential on smpp_binds (credential_id);

-- The receipts that a submit asked for. A long message has one row for each part that the customer submitted.
create table smpp_submits (
  account_id bigint not null,
  message_id bigint not null,
  -- The id that the customer knows.
  smpp_id bigint not null,
  -- Bits: 1 success, 2 failure, 4 intermediate.
  wants smallint not null,
  -- Its user_message_reference.
  reference integer,
  created_at timestamptz not null default now(),
  primary key (account_id, smpp_id)
);

create index smpp_submits_message on smpp_submits (account_id, message_id);
create index smpp_submits_created on smpp_submits (created_at);

-- A deliver_sm that is due to a bind of the account: a receipt, a reply, or the failure of a part that was never completed.
create table smpp_deliveries (
  account_id bigint not null,
  id bigint not null,
  smpp_id bigint,
  message_id bigint,
  position integer,
  -- The state of the recipient that the receipt tells.
  state smallint,
  reply_id bigint,
  attempts smallint not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- The bind that it was sent to and that has not answered yet.
  claimed_by uuid,
  primary key (account_id, id)
);

create index smpp_deliveries_due on smpp_deliveries (account_id, due_at, id);
create index smpp_deliveries_order on smpp_deliveries (account_id, message_id, id) where message_id is not null;
create index smpp_deliveries_created on smpp_deliveries (created_at);

-- The parts of long messages that are not complete yet. A part is stored before it is answered.
create table smpp_parts (
  account_id bigint not null,
  smpp_id bigint not null,
  credential_id bigint not null,
  source text not null,
  destination text not null,
  reference integer not null,
  total smallint not null,
  position smallint not null,
  body bytea not null,
  fields jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'joined', 'lost')),
  created_at timestamptz not null default now(),
  primary key (account_id, smpp_id)
);

create index smpp_parts_set on smpp_parts (account_id, source, destination, reference);
create index smpp_parts_created on smpp_parts (created_at);
