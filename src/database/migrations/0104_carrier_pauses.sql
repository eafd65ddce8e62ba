-- The operator stops handing messages to a carrier, for as long as it wants. Without a row, the carrier sends.
create table carrier_pauses (
  carrier text primary key,
  -- paused: its messages wait for it. draining: another carrier of the route takes them, where there is one.
  mode text not null check (mode in ('paused', 'draining')),
  since timestamptz not null default now()
);
