-- Delivery: what carriers took, what they said of it later, what is in doubt, and who holds which bind.

alter table batches
  -- The prefix of the route it was queued for: each carrier takes only from its own routes.
  add column route text not null default '',
  -- From then on it must not leave any more.
  add column expires_at timestamptz not null default now() + interval '24 hours',
  -- Positions that were handed to a carrier and are not settled: what is still waiting here when the lease runs out is in
  -- doubt. Kept here and not on each recipient, which would be one more write for each.
  add column submitting integer[] not null default '{}',
  -- Who they were handed to.
  add column carrier text;

alter table batches
  alter column route drop default,
  alter column expires_at drop default;

drop index batches_due;
create index batches_due on batches (route, lane, account_id, due_at, id);

alter table messages
  -- Recipients that a carrier took, whatever became of them later.
  add column taken_count integer not null default 0,
  add column cancelled_at timestamptz;

update messages
set taken_count = sent_count + delivered_count + read_count
where sent_count + delivered_count + read_count > 0;

alter table recipients
  add column carrier text,
  -- As the carrier wrote them, one for each segment.
  add column carrier_message_ids text[],
  -- The carrier's word and error code, when it said something final.
  add column receipt text;

-- Half of a page is left free: what a carrier took makes a row half as long again, and it is then written next to where it
-- was, without a touch of the indexes.
alter table recipients set (fillfactor = 50);

-- Finds the recipient that a receipt is about: a row for each segment that a carrier took. An id may come again after
-- some days, so it is no key.
create table submissions (
  carrier text not null,
  -- In its canonical form (carriers/message-ids.ts).
  carrier_message_id text not null,
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  -- Which of the recipient's segments, from 1, and of how many.
  part smallint not null,
  parts smallint not null,
  -- What the receipts of a recipient of several segments said, each of its own; a single one is told by the recipient.
  state smallint,
  submitted_at timestamptz not null default now(),
  -- Set when no receipt came in time; kept a while for one that comes late.
  expired_at timestamptz
)
with (fillfactor = 90);

create index submissions_carrier_message_id on submissions (carrier, carrier_message_id);
create index submissions_awaited on submissions (submitted_at) where expired_at is null;
create index submissions_expired on submissions (expired_at) where expired_at is not null;

create sequence receipt_ids;

-- Receipts that match nothing, yet or for ever.
create table parked_receipts (
  id bigint primary key,
  carrier text not null,
  carrier_message_id text not null,
  state text not null check (state in ('delivered', 'failed', 'expired', 'rejected', 'unknown')),
  word text not null,
  error_code text not null,
  source text not null,
  destination text not null,
  happened_at timestamptz not null,
  received_at timestamptz not null default now(),
  tries smallint not null default 0,
  -- Null when it will not be tried again.
  next_try_at timestamptz
);

create index parked_receipts_due on parked_receipts (next_try_at) where next_try_at is not null;
create index parked_receipts_phone on parked_receipts (carrier, "right"(source, 8), received_at);
create index parked_receipts_received on parked_receipts (received_at);

-- Recipients of which nobody knows whether the carrier has them; each is decided when its time is over.
create table doubts (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  carrier text not null,
  route text not null,
  lane smallint not null,
  expires_at timestamptz not null,
  -- No evidence is older than this.
  submitted_at timestamptz not null,
  due_at timestamptz not null,
  primary key (account_id, message_id, position)
);

create index doubts_due on doubts (due_at);

create sequence timeline_ids;

-- What happened to a recipient beyond the ordinary, which its own row tells.
create table timeline_steps (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  id bigint not null,
  at timestamptz not null default now(),
  step text not null,
  detail text not null,
  carrier text,
  primary key (account_id, message_id, position, id)
);

-- Segments of replies that are not yet whole, or were a moment ago.
create table reply_segments (
  carrier text not null,
  source text not null,
  destination text not null,
  reference integer not null,
  total smallint not null,
  position smallint not null,
  -- UTF-16: phones cut a text wherever they like, also between the halves of a character.
  text bytea not null,
  received_at timestamptz not null default now(),
  -- Kept a while after the reply was whole, to know copies of its segments.
  is_joined boolean not null default false,
  primary key (carrier, source, destination, reference, total, position)
);

create index reply_segments_received on reply_segments (received_at);

-- Who may hold which bind of a carrier, and how it is doing.
create table carrier_binds (
  carrier text not null,
  slot smallint not null,
  -- Grows with each holder.
  token bigint not null,
  owner uuid,
  leased_until timestamptz not null,
  status jsonb,
  primary key (carrier, slot)
);

-- What all processes must agree on about a carrier.
create table carrier_states (
  carrier text primary key,
  -- How its receipts write the ids of its answers, once it was seen.
  id_form text check (id_form in ('as-is', 'hex', 'dec')),
  -- The bucket of its throughput.
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now()
)
with (fillfactor = 50);

-- A carrier may reject a message after it took it; its credits come back although they were counted as spent.
alter table credit_entries
  drop constraint credit_entries_reason,
  add constraint credit_entries_reason check (
    case reason
      when 'opening' then available > 0 and elsewhere = -available and transfer_id is null
      when 'issue' then available > 0 and elsewhere = -available and transfer_id is null
      when 'withdrawal' then available < 0 and elsewhere = -available and transfer_id is null
      when 'transfer' then available <> 0 and elsewhere = -available and transfer_id is not null
      when 'reserve' then available < 0 and reserved = -available and reference is not null and spender_id is not null
      when 'refund' then available > 0 and reserved <= 0 and spent <= 0 and reserved + spent = -available
        and reference is not null and part is not null and spender_id is not null
      when 'settle' then available = 0 and reserved < 0 and spent = -reserved and reference is not null
        and spender_id is not null
      else false
    end
  );
