-- A segment is a named set of rules over contacts, lists and what happened to a number. Only the rules are stored: who fits them is
-- asked anew for each count and each send.
create sequence segment_ids;

create table contact_segments (
  account_id bigint not null references accounts,
  id bigint not null,
  name text not null,
  rules jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);
