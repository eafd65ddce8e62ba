-- Messages and replies that have had their time are removed; the figures of each day stay. And what an erasure must find.

-- Messages by when they were due: those that have had their time, and those whose figures are asked for.
create index messages_due on messages (account_id, scheduled_at, id);

-- What is oldest must be found without a look at all the rest, each minute. A BRIN index does not do that for long: the space of
-- rows that were removed is used again, and its ranges keep the oldest time that was ever in them. Events and deliveries are
-- found along the indexes of their ids instead.
drop index short_links_created, link_visitors_created, events_created, webhook_deliveries_created;
create index short_links_created on short_links (created_at);
create index link_visitors_created on link_visitors (created_at);

-- A queue: messages that are gone for everybody, and whose recipients are still to be removed, some at a time.
create table removals (
  account_id bigint not null,
  message_id bigint not null,
  recipients_count integer not null,
  -- Up to this position they are removed. When all are, it waits for a last look, for what was being written meanwhile.
  removed_to integer not null default 0,
  due_at timestamptz not null,
  primary key (account_id, message_id)
);

create index removals_due on removals (due_at);

-- Whether its counts are part of `figures`. Whatever changes them from then on is added there by a trigger: they are changed
-- in many places, and a figure that is wrong would never be found out.
alter table messages add column is_folded boolean not null default false;

-- What became of the messages that were due in a quarter of an hour: no time zone has days that begin within one, so that they
-- make days of any. For good, also when the messages have had their time.
create table figures (
  account_id bigint not null,
  quarter_at timestamptz not null,
  channel text not null check (channel in ('sms', 'rcs')),
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  stopped bigint not null,
  clicked bigint not null,
  replied bigint not null,
  credits bigint not null,
  primary key (account_id, quarter_at, channel)
);

-- What is still to be added to them. Only ever inserted by those who change messages, so that nobody waits for anybody.
create table figure_changes (
  account_id bigint not null,
  quarter_at timestamptz not null,
  channel text not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  stopped bigint not null,
  clicked bigint not null,
  replied bigint not null,
  credits bigint not null
);

create index figure_changes_account on figure_changes (account_id, quarter_at);

-- Up to when all messages of an account are part of `figures`.
create table figure_progress (
  account_id bigint primary key,
  folded_to timestamptz not null
);

create function add_figure_change() returns trigger
language plpgsql
as $$
begin
  insert into figure_changes (
    account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits
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
    new.credits_required - new.credits_refunded - old.credits_required + old.credits_refunded
  );
  return null;
end
$$;

create trigger messages_figures
after update on messages
for each row
when (
  old.is_folded
  and (
    old.taken_count, old.delivered_count, old.read_count, old.failed_count, old.stopped_count, old.clicked_count,
    old.replied_count, old.credits_required, old.credits_refunded
  ) is distinct from (
    new.taken_count, new.delivered_count, new.read_count, new.failed_count, new.stopped_count, new.clicked_count,
    new.replied_count, new.credits_required, new.credits_refunded
  )
)
execute function add_figure_change();

-- Events by the number that they tell of, or else by their message: to export and to erase them.
create index events_subject on events (account_id, (coalesce(nullif(record ->> 'recipient', ''), record ->> 'message_id')));

-- What came of an event of the RCS platform is stored elsewhere; it is kept to know it again, and that takes no more than its id.
update rbm_events
set body = ''
where next_try_at is null;
