-- A scheduled message to segments has no recipients before it departs: who fits is found then. Until then its request waits here, and
-- no credits are taken. After a departure that was refused, the row stays and tells why.
create table departures (
  account_id bigint not null,
  message_id bigint not null,
  due_at timestamptz not null,
  segment_ids bigint[] not null,
  request jsonb not null,
  problem text,
  primary key (account_id, message_id)
);

create index departures_due on departures (due_at) where problem is null;
