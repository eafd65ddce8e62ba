-- People are invited by a link, and choose a new password by a link; mails leave from a table that no crash empties.

alter table people
  -- The language of mails to the person; null until the person has chosen one.
  add column language text check (language in ('en', 'fr'));

alter table memberships
  -- On this account alone: an owner must not learn when a person works for others.
  add column last_seen_at timestamptz;

update memberships
set last_seen_at = accounts.last_login_at
from accounts
where accounts.id = memberships.account_id
  and accounts.holder_id = memberships.person_id;

create sequence invitation_ids;

create table invitations (
  id bigint primary key,
  account_id bigint not null references accounts,
  email text not null,
  role text not null check (role in ('owner', 'manager', 'sender', 'reader')),
  -- SHA-256: tokens are 256 random bits, so there is nothing that a slow hash would protect.
  token_hash bytea not null constraint invitations_token_unique unique,
  -- Null for an invitation by a key.
  invited_by bigint references people,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  withdrawn_at timestamptz
);

create index invitations_account on invitations (account_id, id);
create index invitations_expires on invitations (expires_at);

create table password_resets (
  token_hash bytea primary key,
  person_id bigint not null references people,
  expires_at timestamptz not null
);

create index password_resets_person on password_resets (person_id);

-- Requests of a running hour for links to choose a password, by a hash of the email or of the network.
create unlogged table reset_requests (
  subject text primary key,
  started_at timestamptz not null,
  requests integer not null
);

create table mails (
  id text primary key,
  recipient text not null,
  kind text not null,
  language text not null check (language in ('en', 'fr')),
  -- What the sentences of the mail name, a link with its token too. The row goes when the mail has left.
  facts jsonb not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index mails_due on mails (due_at);
