-- Who may write as whom: senders that accounts declare, what the operator forbids or reserves, and numbers that are granted.

create table senders (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  -- As it was declared, and as it is compared: lower case, a number without +.
  name text not null,
  name_key text not null,
  -- Empty: every country.
  countries text[] not null,
  use text not null check (use in ('any', 'marketing', 'transactional')),
  proof text not null,
  proof_link text not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'refused', 'disabled')),
  reason text not null default '',
  -- Whether the operator decided last: only the operator changes that.
  is_by_operator boolean not null default false,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  constraint senders_declared_once unique (account_id, name_key)
);

create index senders_state on senders (state, id);

-- Apart from senders, so that lists of senders don't read files.
create table sender_proofs (
  sender_id bigint primary key references senders on delete cascade,
  file_name text not null,
  media_type text not null,
  content bytea not null check (octet_length(content) <= 2097152)
);

-- Names that the operator forbids, words that no name may hold, and names that are reserved for one account.
create table sender_list_entries (
  id bigint generated always as identity primary key,
  name text not null,
  name_key text not null unique,
  kind text not null check (kind in ('forbidden', 'word', 'reserved')),
  account_id bigint references accounts,
  note text not null,
  created_at timestamptz not null default now(),
  check ((kind = 'reserved') = (account_id is not null))
);

-- A number without a row is free to every account.
create table number_grants (
  number text not null,
  account_id bigint not null references accounts,
  primary key (number, account_id)
);

create index number_grants_account on number_grants (account_id);

-- How strictly the register binds an account; null for no own mode.
create table sender_modes (
  account_id bigint primary key references accounts,
  by_operator text check (by_operator in ('open', 'warn', 'enforce')),
  by_parent text check (by_parent in ('open', 'warn', 'enforce'))
);

-- One row. Every change that the checks of senders must know raises the version: processes read all only then.
create table sender_register (
  is_only boolean primary key default true check (is_only),
  version bigint not null
);

insert into sender_register (version) values (1);
