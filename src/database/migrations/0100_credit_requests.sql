-- Requests for credits: a sub-account asks the account above, an account of its own asks the operator. One that was answered keeps
-- its answer; the movement of credits is in the ledger.
create sequence credit_request_ids as bigint;

create table credit_requests (
  account_id bigint not null references accounts (id),
  id bigint not null,
  -- The account that answers: the one above, or the operator.
  asked_id bigint not null references accounts (id),
  message_type smallint not null references message_types (id),
  amount bigint not null check (amount > 0),
  note text not null,
  state text not null default 'waiting' check (state in ('waiting', 'given', 'declined', 'withdrawn')),
  -- What the answer says.
  answer text not null default '',
  -- The name of the person or key that asked.
  asked_by text,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  primary key (account_id, id),
  check ((state = 'waiting') = (answered_at is null))
);

create index credit_requests_asked on credit_requests (asked_id, id);
create index credit_requests_answered on credit_requests (answered_at) where answered_at is not null;
