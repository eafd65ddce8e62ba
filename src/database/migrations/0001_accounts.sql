-- Who may ask: accounts with their sub-accounts, the keys that sign their tokens, and failed log-ins.

create sequence account_ids;

create table accounts (
  id bigint primary key,
  parent_id bigint references accounts,
  is_operator boolean not null default false,
  email text not null,
  password_hash text not null,
  first_name text not null default '',
  last_name text not null default '',
  phone_number text not null default '',
  social_reason text not null default '',
  credits_mode text not null default 'self' check (credits_mode in ('self', 'parent')),
  app_id text not null constraint accounts_app_id_unique unique,
  -- SHA-256 of the key: keys are 256 random bits, so there is nothing that a slow hash would protect.
  api_key_hash bytea not null constraint accounts_api_key_hash_unique unique,
  -- Raised by a password change; tokens that carry an older one are no longer valid.
  token_version integer not null default 1,
  time_zone text not null default 'Europe/Paris',
  country text not null default 'FR' check (country ~ '^[A-Z]{2}$'),
  in_doubt text not null default 'resend' check (in_doubt in ('resend', 'fail')),
  hours_end time not null default '20:00' check (hours_end > '08:00' and hours_end <= '22:00'),
  typography boolean not null default true,
  created_at timestamptz not null default now(),
  last_login_at timestamptz,
  check (parent_id is not null or credits_mode = 'self'),
  check (parent_id is null or not is_operator)
);

create unique index accounts_email_unique on accounts (lower(email));
create unique index accounts_operator_unique on accounts (is_operator) where is_operator;
create index accounts_parent on accounts (parent_id, id);

-- Each process signs tokens with a key of its own and publishes the public half here, so that all can verify them
-- and no private key leaves the machine it was made on.
create table token_keys (
  id text primary key,
  public_key text not null,
  created_at timestamptz not null default now()
);

-- Failed log-ins of the running minute, by email and by address. Unlogged: a crash of the database may forget them.
create unlogged table login_failures (
  subject text primary key,
  started_at timestamptz not null,
  failures integer not null
);
