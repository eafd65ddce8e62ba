-- Accounts that are suspended or closed from above, keys that are replaced with an overlap, and transfers with a note.

alter table accounts
  -- The account that set the standing: a parent can't undo what the operator decided.
  add column standing_by bigint references accounts,
  -- Its messages are still to be cancelled, its webhooks to be removed, and its credits to be returned.
  add column is_closing boolean not null default false;

-- Every process reads these ids twice a second.
create index accounts_suspended on accounts (id) where standing = 'suspended' or is_closing;

create index accounts_closed on accounts (standing_since) where standing = 'closed';

-- The key that took the place of this one, which stays valid until its expiry.
alter table api_keys add column replaced_by bigint references api_keys on delete cascade;

create index api_keys_replaced_by on api_keys (replaced_by) where replaced_by is not null;

alter table credit_entries
  -- What whoever moved the credits wrote about it, and their name: of a person, or of a key.
  add column note text,
  add column made_by text;
