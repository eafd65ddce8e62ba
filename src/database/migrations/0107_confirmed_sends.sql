-- Keys that send only what a dry run of the same send has shown, and only so many credits a day: for assistants.
alter table api_keys drop constraint api_keys_scopes_check;
alter table api_keys add constraint api_keys_scopes_check
  check (scopes <@ array['read', 'send', 'contacts', 'webhooks', 'account', 'people', 'binary', 'send_confirmed']);

-- The first key of an account keeps every scope, and so does a key that had every scope before.
update api_keys
set scopes = array_append(scopes, 'send_confirmed')
where is_first
  or scopes @> array['read', 'send', 'contacts', 'webhooks', 'account', 'people', 'binary'];

-- Of confirmed sends; null for the default.
alter table api_keys add column credits_per_day integer check (credits_per_day > 0);

create table confirmations (
  account_id bigint not null,
  token_hash bytea not null,
  -- The key whose dry run gave the token. A key that was replaced counts as the one that took its place.
  key_id bigint not null,
  -- Of the operation and its body.
  request_hash bytea not null,
  -- Of the text and the people that the request came to.
  outcome_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The credits of the message; null before it is sent.
  credits bigint,
  primary key (account_id, token_hash),
  constraint confirmations_used_have_credits check ((used_at is null) = (credits is null))
);

create index confirmations_used on confirmations (account_id, key_id, used_at) where used_at is not null;
create index confirmations_expires_at on confirmations (expires_at);
