-- How carriers did: for the operator, over an hour, a day and a month. Each process adds what it counted every some seconds.
create table carrier_figures (
  -- How long a row counts: five minutes, an hour or a day.
  span text not null check (span in ('five', 'hour', 'day')),
  begins_at timestamptz not null,
  carrier text not null,
  country text not null,
  -- By the answers to submits, a recipient each.
  accepted bigint not null default 0,
  rejected bigint not null default 0,
  retried bigint not null default 0,
  unanswered bigint not null default 0,
  -- From the hand-over to the answer, of the accepted and the rejected.
  answer_seconds double precision not null default 0,
  -- By final receipts.
  delivered bigint not null default 0,
  undelivered bigint not null default 0,
  receipt_seconds double precision not null default 0,
  primary key (span, begins_at, carrier, country)
);

-- Statuses of refusals and error codes of receipts.
create table carrier_errors (
  span text not null check (span in ('five', 'hour', 'day')),
  begins_at timestamptz not null,
  carrier text not null,
  country text not null,
  error text not null,
  recipients bigint not null,
  primary key (span, begins_at, carrier, country, error)
);
