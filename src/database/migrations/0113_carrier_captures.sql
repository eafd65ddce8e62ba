-- The operator looks at the last PDUs of the binds of a carrier, for some minutes. Without a row, no process keeps any.
create table carrier_captures (
  carrier text primary key,
  began_at timestamptz not null default now(),
  ends_at timestamptz not null
);

-- The last PDUs of each bind, without texts, passwords and whole numbers. A process replaces its own row every second.
-- They need not outlive a crash of the database, and must not go into its log: they are gone after the capture.
create unlogged table captured_pdus (
  carrier text not null,
  slot integer not null,
  owner uuid not null,
  pdus jsonb not null,
  primary key (carrier, slot, owner)
);
