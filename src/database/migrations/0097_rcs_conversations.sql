-- A conversation by RCS has a price of its own, where a price list has one: a reply opens it, and it covers what follows.
create sequence rcs_conversation_ids as bigint;

create table rcs_conversations (
  account_id bigint not null references accounts,
  id bigint not null,
  phone text not null,
  opened_at timestamptz not null,
  ends_at timestamptz not null,
  -- By the price list when it was opened.
  price smallint not null check (price > 0),
  -- What its messages took in all.
  charged smallint not null default 0 check (charged between 0 and price),
  -- When its messages are looked for again; null once none can come any more.
  settle_at timestamptz,
  primary key (account_id, id)
);

create index rcs_conversations_phone on rcs_conversations (account_id, phone, ends_at);
create index rcs_conversations_due on rcs_conversations (settle_at) where settle_at is not null;

-- The RCS that a conversation covers, each once. What it took beyond `charged` came back.
create table conversation_charges (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  conversation_id bigint not null,
  charged smallint not null check (charged >= 0),
  refunded smallint not null check (refunded >= 0),
  created_at timestamptz not null default now(),
  primary key (account_id, message_id, position)
);

create index conversation_charges_conversation on conversation_charges (account_id, conversation_id);
