-- People of accounts, with their roles and sessions; several keys per account; accounts that are suspended or closed.

create sequence person_ids;

create table people (
  id bigint primary key,
  email text not null,
  -- Null for a person who logs in by single sign-on alone.
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  phone_number text not null default '',
  -- Raised by a new password; sessions that carry an older one are over.
  token_version integer not null default 1,
  created_at timestamptz not null default now(),
  last_login_at timestamptz
);

create unique index people_email_unique on people (lower(email));

-- Every account was one person until now, and stays theirs.
alter table accounts add column holder_id bigint;

update accounts
set holder_id = nextval('person_ids');

insert into people (
  id, email, password_hash, first_name, last_name, phone_number, token_version, created_at, last_login_at
)
select holder_id, email, password_hash, first_name, last_name, phone_number, token_version, created_at, last_login_at
from accounts;

alter table accounts
  alter column holder_id set not null,
  add foreign key (holder_id) references people,
  drop column email,
  drop column password_hash,
  drop column first_name,
  drop column last_name,
  drop column phone_number,
  drop column token_version,
  add column standing text not null default 'open' check (standing in ('open', 'suspended', 'closed')),
  -- Told to those who can no longer log in.
  add column standing_reason text not null default '',
  add column standing_since timestamptz,
  -- Of whoever runs the account from above; the account never sees it.
  add column note text not null default '';

create table memberships (
  account_id bigint not null references accounts,
  person_id bigint not null references people,
  role text not null check (role in ('owner', 'manager', 'sender', 'reader')),
  created_at timestamptz not null default now(),
  primary key (account_id, person_id)
);

create index memberships_person on memberships (person_id, account_id);

insert into memberships (account_id, person_id, role, created_at)
select id, holder_id, 'owner', created_at
from accounts;

-- A log-in that is not over. A token names its session, and is worth nothing without it.
create table sessions (
  id text primary key,
  person_id bigint not null references people,
  account_id bigint not null references accounts,
  -- The account above from which somebody looks at this one, and changes nothing.
  viewed_from bigint references accounts,
  address text not null,
  agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index sessions_person on sessions (person_id, created_at);
create index sessions_expires on sessions (expires_at);

drop table ended_tokens;

create sequence api_key_ids;

create table api_keys (
  id bigint primary key,
  account_id bigint not null references accounts,
  name text not null,
  -- SHA-256 of the key: keys are 256 random bits, so there is nothing that a slow hash would protect.
  key_hash bytea not null constraint api_keys_hash_unique unique,
  -- The key that came with the account: it has every scope.
  is_first boolean not null default false,
  scopes text[] not null check (scopes <@ array['read', 'send', 'contacts', 'webhooks', 'account', 'people']),
  -- Networks that the key may be used from; none means any.
  addresses text[] not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz
);

create index api_keys_account on api_keys (account_id, id);
create unique index api_keys_first_unique on api_keys (account_id) where is_first;

insert into api_keys (id, account_id, name, key_hash, is_first, scopes, created_at)
select nextval('api_key_ids'), id, 'First key', api_key_hash, true,
  array['read', 'send', 'contacts', 'webhooks', 'account', 'people'], created_at
from accounts;

alter table accounts drop column api_key_hash;
