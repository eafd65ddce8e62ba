-- Prices in credits become lists, by kind of message and prefix, for all accounts or for one of them.
create sequence price_list_ids as bigint;
create sequence price_version_ids as bigint;

create table price_lists (
  -- The account that made the list: the operator, or the parent of the accounts that it is for.
  account_id bigint not null references accounts,
  id bigint not null,
  name text not null check (name <> ''),
  -- Of one list, for accounts without a list of their own. Without a default the built-in prices count.
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (id)
);

create unique index price_lists_name on price_lists (account_id, lower(name));
create unique index price_lists_default on price_lists (is_default) where is_default;

-- A list is never edited: another version follows.
create table price_versions (
  list_id bigint not null references price_lists,
  number integer not null check (number > 0),
  id bigint not null unique,
  valid_from timestamptz not null,
  created_at timestamptz not null default now(),
  -- The name of the person or key.
  made_by text not null,
  prices_count integer not null,
  primary key (list_id, number)
);

create table prices (
  -- Written together with its version. A foreign key would need the right to update versions, which nobody has.
  version_id bigint not null,
  kind text not null check (kind in ('sms', 'rcs_basic', 'rcs_single', 'rcs_conversation')),
  -- Digits without +; empty for all numbers without a longer prefix.
  prefix text not null check (prefix ~ '^([1-9][0-9]{0,11})?$'),
  -- A recipient has up to 10 segments, and its credits are a smallint.
  credits smallint not null check (credits between 1 and 1000),
  primary key (version_id, kind, prefix)
);

revoke update, delete, truncate on price_versions from current_user;
revoke update, delete, truncate on prices from current_user;

-- The lists of accounts that have one of their own.
create table account_price_lists (
  account_id bigint primary key references accounts,
  list_id bigint not null references price_lists,
  -- The account that chose it: the operator, or the parent.
  set_by bigint not null references accounts,
  set_at timestamptz not null default now()
);

create index account_price_lists_list on account_price_lists (list_id);

-- One row. Every change of lists, or of the lists of accounts, raises the version: processes read all only then.
create table price_register (
  is_only boolean primary key default true check (is_only),
  version bigint not null
);

insert into price_register (version) values (1);

-- The version that an RCS was accepted at: the SMS that takes its place is priced by it too. Null: the built-in prices.
alter table rcs_messages add column price_version bigint;

-- What the RCS of a recipient took before its SMS took its place: charged again if the RCS arrives after all.
alter table recipients add column rcs_credits smallint;
