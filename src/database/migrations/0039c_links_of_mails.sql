-- The token of a mailed link is made when the mail leaves, and only its hash is stored: whoever reads the mails that wait, or a
-- backup of them, can use none of their links. A mail that is tried again has another token, and earlier copies stay good.

create sequence password_reset_ids;

alter table password_resets
  drop constraint password_resets_pkey,
  add column id bigint not null default nextval('password_reset_ids') primary key,
  -- SHA-256, the newest last. Empty until the mail leaves.
  add column token_hashes bytea[] not null default '{}';

update password_resets
set token_hashes = array[token_hash];

alter table password_resets
  alter column id drop default,
  drop column token_hash;

create index password_resets_tokens on password_resets using gin (token_hashes);

alter table invitations add column token_hashes bytea[] not null default '{}';

update invitations
set token_hashes = array[token_hash];

alter table invitations drop column token_hash;

create index invitations_tokens on invitations using gin (token_hashes);

alter table mails
  -- The invitation or the password reset that the link of the mail opens, by the kind of the mail.
  add column opens bigint;
