-- What is wrong, for those who have to know: the operator, or the account whose webhook or key it is. A row begins when it is
-- first seen, is raised once it has lasted, and is over when it is no longer seen.
create sequence alarm_ids as bigint;

create table alarms (
  account_id bigint not null references accounts (id),
  id bigint not null,
  kind text not null,
  -- What it is about, for Chappe; and for people.
  subject text not null,
  name text not null,
  -- The figure that is wrong, and what it should be or usually is.
  value double precision,
  bound double precision,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  raised_at timestamptz,
  over_at timestamptz,
  primary key (account_id, id)
);

create unique index alarms_now on alarms (account_id, kind, subject) where over_at is null;
create index alarms_raised on alarms (account_id, raised_at) where raised_at is not null;
create index alarms_over on alarms (over_at) where over_at is not null;
