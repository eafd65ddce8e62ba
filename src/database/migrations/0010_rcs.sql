-- RCS with its fallback to SMS, RCS templates, and tracked short links.

alter table templates
  add column rcs_type text check (rcs_type in ('text', 'card', 'carousel')),
  -- The content as it was given.
  add column data jsonb,
  add column fallback_content text,
  add column fallback_sender text,
  add column shorturl_mode text check (shorturl_mode in ('unique', 'common')),
  add column shorturl_url text,
  add constraint templates_rcs_is_whole check (kind <> 'rcs' or (rcs_type is not null and data is not null));

alter table messages
  add column shorturl_mode text check (shorturl_mode in ('unique', 'common')),
  add column shorturl_url text;

-- Of an RCS message, `content` is null, or the values of the message's variables, in their order, as a JSON array: texts are
-- made of them when they are needed, since a carousel for each of a million recipients is too much to keep. `segments` is 0
-- until it falls back.
alter table recipients
  -- Null is the message's own; `sms` once an RCS fell back.
  add column channel text check (channel = 'sms'),
  add column read_at timestamptz,
  add column clicked_at timestamptz;

-- What an RCS message shows, and what is sent in its place.
create table rcs_messages (
  account_id bigint not null,
  message_id bigint not null,
  type text not null check (type in ('text', 'card', 'carousel')),
  -- With the places of its variables still to be filled.
  data jsonb not null,
  -- Null when there is no fallback; with the places of its variables still to be filled.
  fallback_content text,
  -- Null leaves it to the carrier.
  fallback_sender text,
  -- Whether values are made plain (’ to ') where they stand in the fallback, as the account wanted it.
  has_plain_typography boolean not null,
  -- How a number to call that is a variable is read.
  country text not null,
  -- The names of the variables of both, in the order in which recipients have their values.
  variables text[] not null,
  primary key (account_id, message_id)
);

-- A queue: RCS recipients that the platform took and that are neither delivered nor given up.
create table rcs_waits (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  carrier text not null,
  -- `report`: a delivery report is awaited. `revoked`: it was revoked, or the platform says that it expired; a report that
  -- was on its way may still come. `cancelled`: its message was cancelled; it is to be revoked.
  step text not null check (step in ('report', 'revoked', 'cancelled')),
  -- When the next step is due; whoever takes it puts this off for as long as it may take.
  due_at timestamptz not null,
  -- From then on the platform does not have it any more: its time to live is over.
  expires_at timestamptz not null,
  -- How long a report may be on its way to us.
  grace_seconds real not null,
  primary key (account_id, message_id, position)
)
with (fillfactor = 70);

create index rcs_waits_due on rcs_waits (due_at);

-- What the RBM platform told us, stored before it gets its answer; kept a while after, since the same may come again.
create table rbm_events (
  carrier text not null,
  event_id text not null,
  -- Whether it tells what became of a message of ours, as opposed to what somebody did or wrote.
  is_report boolean not null,
  -- As the platform wrote it. Not as jsonb, which can't hold all that JSON can.
  body text not null,
  received_at timestamptz not null default now(),
  tries smallint not null default 0,
  -- Null when there is nothing more to do about it.
  next_try_at timestamptz default now(),
  primary key (carrier, event_id)
)
with (fillfactor = 70);

create index rbm_events_due on rbm_events (is_report, next_try_at) where next_try_at is not null;
create index rbm_events_received on rbm_events (received_at);

-- What the platform said of a phone, and when: a phone may lose RCS, or get it.
create table rcs_capabilities (
  carrier text not null,
  phone text not null,
  is_capable boolean not null,
  checked_at timestamptz not null default now(),
  primary key (carrier, phone)
)
with (fillfactor = 70);

create index rcs_capabilities_checked on rcs_capabilities (checked_at);

-- Whose phones are asked about, some at a time.
alter table contact_lists
  -- The contact up to which that has been done. Whoever adds one before it puts this back.
  add column rcs_checked_to bigint not null default 0,
  -- When it goes on; whoever takes it up puts this off for as long as it may take.
  add column rcs_due_at timestamptz not null default now(),
  -- Who has taken it up; null also when it has changed since.
  add column rcs_leased_by uuid,
  -- How often the platform could not be asked.
  add column rcs_tries smallint not null default 0;

create index contact_lists_unchecked on contact_lists (rcs_due_at)
  where rcs_capability <> 'ready' and deleted_at is null;

-- How the RCS carriers of each process are doing, for people. A row that is not written again is that of a process that is
-- gone.
create unlogged table carrier_statuses (
  carrier text not null,
  owner uuid not null,
  status jsonb not null,
  told_at timestamptz not null default now(),
  primary key (carrier, owner)
)
with (fillfactor = 50);

-- Found by the code alone, which is what a phone sends.
create table short_links (
  code text not null primary key,
  account_id bigint not null,
  message_id bigint not null,
  -- Null for a link that all recipients share.
  position integer,
  url text not null,
  -- Of a shared link: what the addresses of its visitors are hashed with. It goes when the link goes.
  visitor_key bytea,
  created_at timestamptz not null default now(),
  check ((position is null) = (visitor_key is not null))
);

create index short_links_created on short_links using brin (created_at);

-- Who came through a link that all recipients share, as a hash: each person is counted once.
create table link_visitors (
  account_id bigint not null,
  message_id bigint not null,
  visitor bytea not null,
  created_at timestamptz not null default now(),
  primary key (account_id, message_id, visitor)
);

create index link_visitors_created on link_visitors using brin (created_at);
