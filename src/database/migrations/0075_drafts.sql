-- A draft is a send that is not sent yet: its fields as they stand, complete or not. Its send removes it.
create sequence draft_ids;

create table drafts (
  account_id bigint not null references accounts,
  id bigint not null,
  name text not null,
  channel text not null check (channel in ('sms', 'rcs')),
  fields jsonb not null,
  -- Grows with each change: a change names the version that it was made from.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- Retention removes drafts that nobody has changed for long.
create index drafts_updated on drafts (updated_at);
