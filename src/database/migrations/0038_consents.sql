-- Consents, the ways to opt out, and how often marketing may reach one person.

-- What an account may change, and the stricter of two holds: off, warn, enforce.
alter table accounts
  add column consent text not null default 'off' check (consent in ('off', 'warn', 'enforce')),
  -- So many marketing messages to one person, 0 for as many as one likes, in so many days.
  add column marketing_cap integer not null default 0 check (marketing_cap between 0 and 1000),
  add column marketing_cap_days integer not null default 7 check (marketing_cap_days between 1 and 365);

create sequence consent_ids;

-- That a person agreed, when and how. A consent that was withdrawn stays, as proof; a later one is a row of its own.
create table consents (
  account_id bigint not null references accounts,
  id bigint not null,
  -- Null once the number was erased; its hash stays, under the key of the account.
  phone text,
  phone_hash bytea,
  purpose text not null,
  channel text not null check (channel in ('all', 'sms', 'rcs')),
  source text not null check (source in ('form', 'shop', 'import', 'keyword', 'api')),
  given_at timestamptz not null,
  wording text not null,
  proof text not null,
  withdrawn_at timestamptz,
  -- Why: stop, api, erased, or the words of the account.
  withdrawal text,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  check ((phone is null) <> (phone_hash is null)),
  check ((withdrawn_at is null) = (withdrawal is null))
);

-- One holds at a time.
create unique index consents_held on consents (account_id, phone, purpose, channel) where withdrawn_at is null;
create index consents_phone on consents (account_id, phone);
create index consents_phone_hash on consents (account_id, phone_hash) where phone_hash is not null;

create sequence consent_keyword_ids;

-- A word that people write to a number in order to consent. Whoever has it first on a number keeps it.
create table consent_keywords (
  account_id bigint not null references accounts,
  id bigint not null,
  number text not null,
  keyword text not null,
  question text not null,
  confirmation text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create unique index consent_keywords_word on consent_keywords (number, keyword);

create sequence consent_request_ids;

-- A person who wrote a keyword: to be asked, asked, to be thanked.
create table consent_requests (
  account_id bigint not null references accounts,
  id bigint not null,
  keyword_id bigint not null,
  phone text not null,
  number text not null,
  step text not null check (step in ('ask', 'asked', 'thank', 'over')),
  -- The reply that named the keyword, and the message with the question.
  reply_id bigint not null,
  question_id bigint,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create index consent_requests_due on consent_requests (created_at) where step in ('ask', 'thank');
create index consent_requests_open on consent_requests (phone, number) where step in ('ask', 'asked');
create index consent_requests_created on consent_requests (created_at);

-- How a STOP came, which message it answers, and the sender of that message. Null: it is older than these columns.
alter table stops
  add column way text check (way in ('reply', 'link', 'button', 'platform', 'manual', 'file')),
  add column message_id bigint,
  add column sender text;

create sequence opt_out_ids;

-- Every opt-out, for the figures of campaigns and senders. Without the number: it outlives an erasure and a START.
create table opt_outs (
  account_id bigint not null references accounts,
  id bigint not null,
  message_id bigint,
  way text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create index opt_outs_message on opt_outs (account_id, message_id);
create index opt_outs_created on opt_outs (created_at);

create sequence operator_stop_ids;

-- The operator's own list: nobody's message goes to these numbers.
create table operator_stops (
  id bigint primary key,
  phone text not null,
  reason text not null default '',
  created_at timestamptz not null default now(),
  constraint operator_stops_phone_unique unique (phone)
);

-- Marketing messages to one person, for accounts that cap them. The number is hashed; whoever erases it removes the row.
create table marketing_uses (
  account_id bigint not null,
  number_hash bigint not null,
  -- The day of departure of each message, and its id, in parallel.
  days date[] not null,
  message_ids bigint[] not null,
  -- Those near the last one that was added, and the cap as it was then.
  used integer not null,
  allowed integer not null,
  last_day date not null,
  primary key (account_id, number_hash),
  constraint marketing_uses_within check (used <= allowed)
);

create index marketing_uses_last_day on marketing_uses (last_day);

-- Messages that were cancelled before any of it left: they count for nobody.
create table uncounted_messages (
  account_id bigint not null,
  message_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (account_id, message_id)
);

-- Two more types of events. The old check goes without a scan: the new one holds for every row there is.
alter table events
  drop constraint events_type_check,
  add constraint events_type_check check (
    type in (
      'replies', 'stops', 'starts', 'consents', 'sms_status', 'rcs_status', 'clicks', 'message_state', 'limits', 'balances'
    )
  ) not valid;
