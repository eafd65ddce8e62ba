-- Carriers over HTTP: how far receipts and replies were read where they are polled, and the ids of replies, so that a
-- reply that is posted or read twice is stored once.

create table carrier_polls (
  carrier text not null,
  -- receipts or replies.
  news text not null,
  -- Where the next poll goes on, as the provider names it.
  cursor text not null,
  -- Grows with every claim: what an earlier holder read no longer moves the cursor.
  token bigint not null default 0,
  -- When it is polled next; while it is polled, when another process may.
  next_at timestamptz not null default now(),
  primary key (carrier, news)
);

create table inbound_ids (
  carrier text not null,
  -- SHA-256 of the carrier's id: it may be long, or hold a number.
  id_hash bytea not null,
  received_at timestamptz not null default now(),
  primary key (carrier, id_hash)
);

create index inbound_ids_received_at on inbound_ids (received_at);
