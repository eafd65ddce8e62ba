-- What people of an account are told of in the console, with its history. No reference to accounts, which are never removed: its
-- check would lock the row of the account on the path of delivery.
create sequence notice_ids as bigint;

create table notices (
  account_id bigint not null,
  id bigint not null,
  kind text not null,
  -- What it is about, for Chappe; and for people.
  subject text not null,
  name text not null,
  value double precision,
  bound double precision,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- A campaign that falls back from RCS to SMS is over twice, and told once.
create unique index notices_campaigns on notices (account_id, subject)
where kind in ('campaign_finished', 'campaign_failed');
create index notices_created on notices (created_at);

-- Up to which notice somebody has read, in any browser.
alter table memberships add column notices_read_to bigint not null default 0;
