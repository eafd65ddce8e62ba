-- A message with a deadline was told to be late only to somebody who asked for its forecast. A worker looks at these messages
-- until they have left, and tells it once.
alter table messages add column late_at timestamptz;

create table deadlines (
  account_id bigint not null,
  message_id bigint not null,
  deadline timestamptz not null,
  -- When the forecast is compared with the deadline again.
  next_at timestamptz not null default now(),
  primary key (account_id, message_id)
);

create index deadlines_next on deadlines (next_at);
