-- Trials: variants of a message that are tried on a share of an audience. The rest gets the one that did best.
create sequence trial_ids as bigint;

create table trials (
  account_id bigint not null,
  id bigint not null,
  name text not null,
  state text not null check (state in ('scheduled', 'testing', 'chosen', 'cancelled', 'failed')),
  contactlist bigint[] not null,
  segment_ids bigint[] not null,
  share smallint not null check (share between 1 and 100),
  decide_by text not null check (decide_by in ('clicks', 'replies', 'deliveries', 'hand')),
  decide_after_minutes integer,
  -- By variant: its label, and the request with the content of its template.
  variants jsonb not null,
  -- The message of each variant, once it has begun.
  message_ids bigint[] not null default '{}',
  -- The variables whose values its people have.
  variables text[] not null default '{}',
  -- How many people wait for the choice, or waited for it.
  rest_count integer not null default 0,
  -- When a process begins it, or chooses; null when only a person can go on.
  due_at timestamptz,
  begun_at timestamptz,
  -- The winner with the figures of that moment.
  choice jsonb,
  -- The message to the rest.
  rest_message_id bigint,
  -- Why the beginning, or the message to the rest, was refused.
  problem text,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  constraint trials_due_are_open check (due_at is null or state in ('scheduled', 'testing'))
);

create index trials_due on trials (due_at) where due_at is not null;

-- The people of a trial, as they were when it began. Variant 0 is the rest, which waits for the choice; the others are only here
-- while their messages are stored.
create table trial_people (
  account_id bigint not null,
  trial_id bigint not null,
  variant smallint not null,
  phone text not null,
  -- The values of all variables of all variants.
  field_values jsonb not null,
  primary key (account_id, trial_id, variant, phone)
);
