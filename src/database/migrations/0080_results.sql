-- The results of messages: opt-outs are counted like clicks and replies, and campaigns have narrow rows that are quick to sort.

alter table messages add column opted_out_count integer not null default 0;

update messages
set opted_out_count = counted.opt_outs
from (
  select account_id, message_id, count(*) as opt_outs
  from opt_outs
  where message_id is not null
  group by account_id, message_id
) as counted
where messages.account_id = counted.account_id
  and messages.id = counted.message_id;

-- Clicks are compared with the deliveries of messages that had a tracked link: without one nobody can click.
alter table figures add column opted_out bigint not null default 0;
alter table figures add column delivered_with_link bigint not null default 0;
alter table figure_changes add column opted_out bigint not null default 0;
alter table figure_changes add column delivered_with_link bigint not null default 0;

insert into figure_changes (
  account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits, opted_out,
  delivered_with_link
)
select account_id, date_bin('15 minutes', scheduled_at, '2000-01-01 00:00Z') as quarter_at, channel, 0, 0, 0, 0, 0, 0, 0, 0,
  sum(opted_out_count), coalesce(sum(delivered_count + read_count) filter (where shorturl_mode is not null), 0)
from messages
where is_folded
group by account_id, quarter_at, channel;

-- Where the messages are gone, nobody knows which of them had a link: those of a quarter of an hour with clicks count.
update figures
set delivered_with_link = delivered
where clicked > 0
  and not exists (
    select
    from messages
    where messages.account_id = figures.account_id
      and messages.scheduled_at >= figures.quarter_at
      and messages.scheduled_at < figures.quarter_at + interval '15 minutes'
  );

-- The counts of each folded message to several recipients. The rows of messages are wide and spread over the table: to sort a
-- year of them takes seconds.
create table message_figures (
  account_id bigint not null,
  message_id bigint not null,
  scheduled_at timestamptz not null,
  channel text not null,
  has_link boolean not null,
  recipients integer not null,
  sent integer not null,
  delivered integer not null,
  clicked integer not null,
  replied integer not null,
  opted_out integer not null,
  primary key (account_id, message_id)
);

create index message_figures_due on message_figures (account_id, scheduled_at);

insert into message_figures (
  account_id, message_id, scheduled_at, channel, has_link, recipients, sent, delivered, clicked, replied, opted_out
)
select account_id, id, scheduled_at, channel, shorturl_mode is not null, recipients_count, taken_count,
  delivered_count + read_count, clicked_count, replied_count, opted_out_count
from messages
where is_folded
  and recipients_count > 1;

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
  -- The caller has locked the message, so that nobody else changes this row.
  if new.recipients_count > 1 then
    update message_figures
    set sent = new.taken_count,
        delivered = new.delivered_count + new.read_count,
        clicked = new.clicked_count,
        replied = new.replied_count,
        opted_out = new.opted_out_count
    where account_id = new.account_id
      and message_id = new.id;
  end if;
  return null;
end
$$;
