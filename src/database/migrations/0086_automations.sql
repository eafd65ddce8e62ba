-- Messages that are sent again and again by a schedule, to the people who fit at that moment.
create sequence automation_ids as bigint;

create table automations (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  schedule text not null,
  is_once boolean not null,
  contactlist bigint[] not null,
  segment_ids bigint[] not null,
  -- The send as it was written, with the content of its template.
  request jsonb not null,
  -- Null while it is off.
  next_at timestamptz,
  last_run_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);

create index automations_due on automations (next_at) where next_at is not null;

-- The runs that sent something, or were refused.
create table automation_runs (
  account_id bigint not null,
  automation_id bigint not null,
  id bigint generated always as identity,
  due_at timestamptz not null,
  ran_at timestamptz not null default now(),
  message_id bigint,
  problem text,
  primary key (account_id, automation_id, id),
  check ((message_id is null) <> (problem is null))
);

create index automation_runs_ran on automation_runs (ran_at);

-- The people whom an automation has written to that writes to each of them once.
create table automation_people (
  account_id bigint not null,
  automation_id bigint not null,
  phone text not null,
  primary key (account_id, automation_id, phone)
);
