-- Tokens that were ended before their time, how often an account was told that an email is taken, and deliveries of examples.

create table ended_tokens (
  account_id bigint not null references accounts,
  id text not null,
  -- From then on the token is worth nothing anyway, and the row can go.
  expires_at timestamptz not null,
  primary key (account_id, id)
);

create index ended_tokens_expires on ended_tokens (expires_at);

-- Of the running hour, by top-level account. Unlogged: a crash of the database may forget them.
create unlogged table taken_email_answers (
  account_id bigint primary key,
  started_at timestamptz not null,
  answers integer not null
);

-- Names that only some libraries know (SystemV/EST5) made every schedule of the account fail.
update accounts
set time_zone = 'Europe/Paris'
where time_zone <> 'Europe/Paris'
  and not exists (
    select
    from pg_timezone_names
    where lower(name) = lower(time_zone)
  );

-- What POST /webhooks/test sends is told to the receiver and in the history.
alter table webhook_deliveries add column is_test boolean not null default false;
