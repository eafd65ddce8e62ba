-- What stays of an opt-out when everything else about a number is erased: a keyed hash, enough to go on honouring it.

-- The key is the account's own: the same number has another hash at the next account.
create table erasure_keys (
  account_id bigint primary key references accounts,
  key bytea not null check (length(key) = 32)
);

create table erased_stops (
  account_id bigint not null references accounts,
  phone_hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (account_id, phone_hash)
);
