-- Of all processes, one looks for alerts at a time of its own: often at what sends use up, rarely at what is counted.

create table alert_turns (
  name text primary key,
  next_at timestamptz not null default now()
);

insert into alert_turns (name)
values ('uses'), ('counts');
