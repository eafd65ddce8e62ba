-- Retries are fewer and take less room: a batch counts its tries, and what repeats in a timeline is one row. The ids of RCS
-- messages get a key of their own, so that they stay the same when the token of a carrier changes.

-- How often what is left of a batch was tried: each time it waits longer.
alter table batches add column attempts smallint not null default 0;

alter table timeline_steps
  -- How often it happened, first at `at` and last at `last_at`.
  add column times integer not null default 1,
  add column last_at timestamptz,
  -- Steps of a recipient with the same name and the same of this are one row. Without, each is a row of its own.
  add column collapsed_by text;

create unique index timeline_steps_collapsed on timeline_steps (account_id, message_id, position, step, collapsed_by)
  where collapsed_by is not null;

-- What marks the ids of RCS messages as ours. Made when a carrier is first used, and never changed.
alter table carrier_states add column message_id_key text;
