-- Statements by month, and what they are made of.

-- What credits are for: the sender, and the country of the recipients. Most messages are for one country; only those for several
-- have the credits of each, and so have their refunds.
alter table credit_reservations
  add column sender text,
  add column country text,
  add column countries jsonb;

alter table credit_entries add column countries jsonb;

-- The sums of entries by day of UTC, of one balance each. A worker adds entries in the order of their positions, each once.
create table credit_figures (
  account_id bigint not null,
  message_type smallint not null,
  day date not null,
  -- Of credits for messages the account that sent them, of a transfer the other account; 0 for credits from and to outside.
  other_id bigint not null,
  -- Empty where it is unknown, and for credits that are not for messages.
  country text not null,
  sender text not null,
  added bigint not null,
  removed bigint not null,
  used bigint not null,
  refunded bigint not null,
  primary key (account_id, message_type, day, other_id, country, sender)
);

-- Where the entries of a day are: the first and the last position. Entries of other days may be among them.
create table credit_figure_days (
  account_id bigint not null,
  message_type smallint not null,
  day date not null,
  first_position bigint not null,
  last_position bigint not null,
  primary key (account_id, message_type, day)
);

create table credit_figure_progress (
  account_id bigint not null,
  message_type smallint not null,
  -- Of the last entry that is in the figures.
  position bigint not null default 0,
  primary key (account_id, message_type)
);

-- The last number of each issuer. A transaction that draws one locks the row, so that there are no gaps.
create table statement_series (
  issuer_id bigint primary key references accounts (id),
  last_number bigint not null default 0
);

-- Months of which every account has its statement.
create table statement_months (
  month date primary key,
  closed_at timestamptz not null default now()
);

create table statements (
  account_id bigint not null,
  month date not null check (month = date_trunc('month', month)),
  issuer_id bigint not null,
  number bigint not null check (number > 0),
  closed_at timestamptz not null default now(),
  -- As they were then.
  account_name text not null,
  issuer_name text not null,
  issuer_address text not null,
  primary key (account_id, month),
  unique (issuer_id, number)
);

create table statement_balances (
  account_id bigint not null,
  month date not null,
  message_type smallint not null,
  opening bigint not null,
  added bigint not null,
  removed bigint not null,
  used bigint not null,
  refunded bigint not null,
  closing bigint not null,
  primary key (account_id, month, message_type),
  check (closing = opening + added - removed - used + refunded)
);

create table statement_uses (
  account_id bigint not null,
  month date not null,
  message_type smallint not null,
  other_id bigint not null,
  -- The name of that account, if it is below this one.
  other_name text not null,
  country text not null,
  sender text not null,
  added bigint not null,
  removed bigint not null,
  used bigint not null,
  refunded bigint not null,
  primary key (account_id, month, message_type, other_id, country, sender)
);

create function refuse_statement_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'a statement is never changed' using errcode = 'insufficient_privilege';
end
$$;

create trigger statements_stay before update or delete or truncate on statements
  for each statement execute function refuse_statement_change();
create trigger statement_balances_stay before update or delete or truncate on statement_balances
  for each statement execute function refuse_statement_change();
create trigger statement_uses_stay before update or delete or truncate on statement_uses
  for each statement execute function refuse_statement_change();

revoke update, delete, truncate on statements, statement_balances, statement_uses from current_user;
