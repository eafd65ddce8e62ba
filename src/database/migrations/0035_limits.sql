-- Limits of accounts, how far they are used, and the warnings that were given of them.

-- Null: the default of the installation, or that of nobody.
create table account_limits (
  account_id bigint primary key references accounts,
  requests_per_second integer check (requests_per_second > 0),
  credits_per_day bigint check (credits_per_day >= 0),
  messages_per_number integer check (messages_per_number > 0),
  countries text[] check (countries <> '{}'),
  sub_accounts integer check (sub_accounts >= 0),
  people integer check (people > 0),
  keys integer check (keys > 0),
  webhooks integer check (webhooks >= 0)
);

-- Credits of a day, by the time zone of the account. Only for accounts that have the limit.
create table credit_days (
  account_id bigint not null,
  day date not null,
  used bigint not null,
  -- The limit as it was when the row was last written.
  allowed bigint not null,
  primary key (account_id, day),
  constraint credit_days_within check (used <= allowed)
);

-- Messages to a number within an hour of the clock. Only for accounts that have the limit. The number is hashed: whoever erases
-- a number leaves none here.
create table number_hours (
  account_id bigint not null,
  hour_at timestamptz not null,
  number_hash bigint not null,
  used integer not null,
  allowed integer not null,
  primary key (account_id, hour_at, number_hash),
  constraint number_hours_within check (used <= allowed)
);

create index number_hours_hour on number_hours (hour_at);

-- Warnings that hold: each is told once, until it is over.
create table alerts (
  account_id bigint not null references accounts,
  -- A limit, or a balance.
  subject text not null,
  level integer not null,
  raised_at timestamptz not null default now(),
  primary key (account_id, subject, level)
);

-- Below so many credits, the account is warned; 0 for never.
alter table accounts
  add column balance_alert_sms integer not null default 0 check (balance_alert_sms >= 0),
  add column balance_alert_rcs integer not null default 0 check (balance_alert_rcs >= 0);

create index accounts_balance_alerts on accounts (id) where balance_alert_sms > 0 or balance_alert_rcs > 0;

-- Two more types of events. The old checks go without a scan: the new one holds for every row there is.
alter table events
  drop constraint events_type_check,
  add constraint events_type_check check (
    type in ('replies', 'stops', 'sms_status', 'rcs_status', 'clicks', 'message_state', 'limits', 'balances')
  ) not valid;
