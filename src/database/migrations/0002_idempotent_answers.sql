-- The answers that a repeated Idempotency-Key gets again. Written by the transaction that did the work.

create table idempotent_answers (
  -- 0 for operations without credentials (login).
  account_id bigint not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  -- AES-256-GCM under a key derived from the header's value, which is stored nowhere.
  answer bytea not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key_hash)
);

create index idempotent_answers_age on idempotent_answers (created_at);
