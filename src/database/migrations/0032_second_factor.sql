-- Second factors of people, accounts that require one, and log-ins by OpenID Connect.

create table totp_secrets (
  person_id bigint primary key references people,
  -- Base32, readable: a hash can't compute codes.
  secret text not null,
  -- Null until a first code has shown that the app has the secret.
  confirmed_at timestamptz,
  -- The time step of the last code that was accepted: a code counts once.
  last_step bigint not null default 0,
  -- Wrong codes since a time; too many close this way in for a while.
  failures integer not null default 0,
  failures_since timestamptz,
  created_at timestamptz not null default now()
);

-- A code that was used is deleted.
create table recovery_codes (
  person_id bigint not null references people,
  -- SHA-256: codes are 80 random bits, so there is nothing that a slow hash would protect.
  code_hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (person_id, code_hash)
);

create sequence passkey_ids;

create table passkeys (
  id bigint primary key,
  person_id bigint not null references people,
  name text not null,
  -- As the authenticator names it, in base64url.
  credential_id text not null constraint passkeys_credential_unique unique,
  public_key bytea not null,
  -- Rises with each use, unless the authenticator has none; a copy of it would fall behind.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);

create index passkeys_person on passkeys (person_id, id);

-- What a passkey is asked to sign. It is deleted when the answer comes.
create table passkey_challenges (
  challenge_hash bytea primary key,
  person_id bigint not null references people,
  -- The session that adds a passkey; null for a log-in.
  session_id text,
  expires_at timestamptz not null
);

create index passkey_challenges_expires on passkey_challenges (expires_at);

alter table accounts add column requires_second_factor boolean not null default false;

-- Who logs in by single sign-on has shown a second factor there, if there is one to show.
alter table sessions add column is_single_sign_on boolean not null default false;

-- Whether a group of the provider gave the membership; it then ends with the group.
alter table memberships add column is_from_groups boolean not null default false;

-- The people of the OpenID provider, by the one name that it never gives to another.
create table identities (
  issuer text not null,
  subject text not null,
  person_id bigint not null references people,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);

create index identities_person on identities (person_id);

-- A log-in that is at the provider. It is deleted when the browser comes back.
create table sign_on_attempts (
  state_hash bytea primary key,
  browser_hash bytea not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz not null
);

create index sign_on_attempts_expires on sign_on_attempts (expires_at);

-- What the provider told of somebody who came back, until their browser exchanges its ticket for a session.
create table sign_on_tickets (
  ticket_hash bytea primary key,
  browser_hash bytea not null,
  issuer text not null,
  subject text not null,
  email text not null,
  is_email_verified boolean not null,
  first_name text not null,
  last_name text not null,
  groups text[] not null,
  expires_at timestamptz not null
);

create index sign_on_tickets_expires on sign_on_tickets (expires_at);
