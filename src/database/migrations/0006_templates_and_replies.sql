-- What is written again and again, and what people write back.

create sequence template_ids;

create table templates (
  account_id bigint not null references accounts,
  -- One sequence for both kinds: an id names a template without saying of which kind it is.
  id bigint not null,
  kind text not null check (kind in ('sms', 'rcs')),
  name text not null,
  content text,
  -- Empty for the default of whoever sends.
  sender text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id),
  constraint templates_sms_is_whole check (kind <> 'sms' or (content is not null and sender is not null))
);

create sequence reply_ids;

create table replies (
  account_id bigint not null references accounts,
  id bigint not null,
  -- Null for who writes first. No foreign key: a reply may be kept longer than the message that it answers.
  message_id bigint,
  -- Who wrote.
  phone text not null,
  -- The number or agent that it was written to.
  written_to text not null,
  channel text not null check (channel in ('sms', 'rcs')),
  content text not null,
  is_stop boolean not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create index replies_of_message on replies (account_id, message_id, id);
create index replies_of_phone on replies (account_id, phone);
