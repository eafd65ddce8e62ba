-- A person writes HOURS and gets the hours: rules of an account that answer replies by their first word. Keywords for consent
-- are another thing: they belong to one account on each number, and ask for a confirmation.
create sequence auto_reply_ids as bigint;

create table auto_replies (
  account_id bigint not null references accounts,
  id bigint not null,
  name text not null,
  -- In capitals, without accents.
  keywords text[] not null,
  -- Null: written to whichever number or agent.
  number text,
  content text not null,
  -- Null: the number that was written to, or the account's own sender.
  sender text,
  pause_seconds integer not null,
  is_on boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- One for each reply that a rule fits. The transaction that stores the reply writes it, and a worker sends the answer.
create table auto_reply_answers (
  account_id bigint not null,
  auto_reply_id bigint not null,
  id bigint generated always as identity,
  reply_id bigint not null,
  phone text not null,
  -- The number or agent that the person wrote to.
  written_to text not null,
  -- Null once it is over.
  due_at timestamptz default now(),
  answered_at timestamptz not null default now(),
  message_id bigint,
  problem text,
  primary key (account_id, auto_reply_id, id),
  -- A reply is answered once.
  unique (account_id, reply_id),
  check (
    case when due_at is null then (message_id is null) <> (problem is null)
    else message_id is null and problem is null end
  )
);

create index auto_reply_answers_due on auto_reply_answers (due_at) where due_at is not null;
create index auto_reply_answers_answered on auto_reply_answers (answered_at);
create index auto_reply_answers_phone on auto_reply_answers (account_id, phone);
