-- What carriers cost and what credits are sold for, in money: the margin of an account and a country follows from both.

-- The price of one credit of an account. A change is another row: the price of a past day stays.
create table credit_money (
  account_id bigint not null references accounts,
  message_type smallint not null,
  valid_from timestamptz not null default now(),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- In millionths of the currency: whole numbers only.
  amount bigint not null check (amount >= 0),
  primary key (account_id, message_type, valid_from)
);

-- Costs of carriers for a segment of SMS or an RCS. An import stores all of them anew, and the earlier ones stay.
create table carrier_costs (
  valid_from timestamptz not null default now(),
  carrier text not null,
  channel text not null check (channel in ('sms', 'rcs')),
  prefix text not null check (prefix ~ '^([1-9][0-9]{0,11})?$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount >= 0),
  primary key (valid_from, carrier, channel, prefix)
);

-- What carriers took of the messages of an account that were due on a day of UTC, added when the message is folded.
create table cost_figures (
  account_id bigint not null,
  day date not null,
  message_type smallint not null,
  country text not null,
  -- Empty for what has no cost.
  currency text not null,
  units bigint not null,
  amount numeric(30) not null,
  primary key (account_id, day, message_type, country, currency)
);
