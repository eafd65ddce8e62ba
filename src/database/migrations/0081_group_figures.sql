-- Recipients of folded messages by country, carrier, error and link, so that nobody has to count all recipients of a year.

-- The groups of one message. A message is counted anew after changes, and only the difference goes to group_figures.
create table message_groups (
  account_id bigint not null,
  message_id bigint not null,
  -- message_figures.changes when the recipients were counted.
  counted_changes integer not null,
  counted_at timestamptz not null,
  groups jsonb not null,
  primary key (account_id, message_id)
);

-- The groups of all messages that were due in a quarter of an hour, and once more in a day of UTC: a year is read by its days,
-- and the ends of a period in another time zone by quarters.
create table group_figures (
  account_id bigint not null,
  span text not null check (span in ('quarter', 'day')),
  begins_at timestamptz not null,
  channel text not null check (channel in ('sms', 'rcs')),
  by text not null check (by in ('country', 'carrier', 'error', 'link')),
  value text not null,
  recipients bigint not null,
  sent bigint not null,
  delivered bigint not null,
  failed bigint not null,
  clicked bigint not null,
  primary key (account_id, span, begins_at, channel, by, value)
);

alter table message_figures add column changes integer not null default 0;
-- When its recipients are to be counted; null when they are. Messages that are folded already are due at once.
alter table message_figures add column count_at timestamptz default now();
create index message_figures_uncounted on message_figures (count_at) where count_at is not null;

create or replace function add_figure_change() returns trigger
language plpgsql
as $$
begin
  if (
    new.taken_count, new.delivered_count, new.read_count, new.failed_count, new.stopped_count, new.clicked_count,
    new.replied_count, new.opted_out_count, new.credits_required, new.credits_refunded
  ) is not distinct from (
    old.taken_count, old.delivered_count, old.read_count, old.failed_count, old.stopped_count, old.clicked_count,
    old.replied_count, old.opted_out_count, old.credits_required, old.credits_refunded
  ) then
    return null;
  end if;
  insert into figure_changes (
    account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits, opted_out,
    delivered_with_link
  )
  values (
    new.account_id,
    date_bin('15 minutes', new.scheduled_at, '2000-01-01 00:00Z'),
    new.channel,
    new.taken_count - old.taken_count,
    new.delivered_count + new.read_count - old.delivered_count - old.read_count,
    new.read_count - old.read_count,
    new.failed_count - old.failed_count,
    new.stopped_count - old.stopped_count,
    new.clicked_count - old.clicked_count,
    new.replied_count - old.replied_count,
    new.credits_required - new.credits_refunded - old.credits_required + old.credits_refunded,
    new.opted_out_count - old.opted_out_count,
    case
      when new.shorturl_mode is null then 0
      else new.delivered_count + new.read_count - old.delivered_count - old.read_count
    end
  );
  -- The caller has locked the message, so that nobody else changes these counts.
  if new.recipients_count > 1 then
    update message_figures
    set sent = new.taken_count,
        delivered = new.delivered_count + new.read_count,
        clicked = new.clicked_count,
        replied = new.replied_count,
        opted_out = new.opted_out_count,
        changes = changes + 1,
        -- The older a message is, the longer it waits: to count hundreds of thousands of recipients takes seconds.
        count_at = coalesce(count_at, now() + (now() - scheduled_at) / 4)
    where account_id = new.account_id
      and message_id = new.id;
  end if;
  return null;
end
$$;
