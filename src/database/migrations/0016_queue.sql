-- Work that grows must not hold up others: future batches leave the index that claims walk, events of a large cancel
-- follow in slices, and pending erasures take turns.

-- A claim walks the accounts that have a batch in `batches_ready`. A scheduled reminder of each of 10,000 accounts must not
-- be among them, so a batch enters that index when it is due. A batch without the flag is made ready by a worker.
alter table batches add column is_ready boolean not null default false;
update batches set is_ready = true where due_at <= now() or leased_by is not null;
drop index batches_due;
create index batches_ready on batches (route, lane, account_id, due_at, id) where is_ready;
create index batches_future on batches (due_at) where not is_ready;

-- Cancelled messages whose recipients are still to be told to webhooks and the feed. `told_to` is the last position that
-- was looked at. The positions in `except_positions` were on their way to a carrier: they tell their own end.
create table untold_cancels (
  account_id bigint not null,
  message_id bigint not null,
  recipients_count integer not null,
  except_positions integer[] not null,
  told_to integer not null default 0,
  told_at timestamptz not null default now(),
  primary key (account_id, message_id)
);
create index untold_cancels_told on untold_cancels (told_at);

-- Every look at a pending erasure puts off the next, so that numbers that can't be erased yet do not hide those that can.
alter table pending_erasures add column next_look_at timestamptz not null default now();
create index pending_erasures_next on pending_erasures (next_look_at);

-- An erasure finds what receivers answered to events of a number, and receipts about it that matched nothing.
create index webhook_deliveries_answered on webhook_deliveries using gin (event_ids) where response <> '';
create index parked_receipts_source on parked_receipts ("right"(source, 8));
create index parked_receipts_destination on parked_receipts ("right"(destination, 8));

-- The history of deliveries by type or status is read along these, whatever else is in it. Nearly all deliveries succeed, so
-- those need no index of their own, and a success costs one entry less.
create index webhook_deliveries_type on webhook_deliveries (account_id, type, id);
create index webhook_deliveries_status on webhook_deliveries (account_id, status, id) where status <> 'succeeded';
