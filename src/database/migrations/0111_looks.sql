-- A look of one's own: the name, colour and logo that a top-level account shows to its people and those of its sub-accounts,
-- and the host names by which its console and its links are told apart. A host name belongs to one account.
create table looks (
  account_id bigint primary key references accounts (id),
  name text not null check (name <> ''),
  colour text check (colour ~ '^#[0-9a-f]{6}$'),
  logo bytea,
  logo_type text check (logo_type in ('image/png', 'image/jpeg')),
  logo_sha256 bytea,
  check ((logo is null) = (logo_type is null)),
  check ((logo is null) = (logo_sha256 is null))
);

create table look_hosts (
  host text primary key check (host = lower(host)),
  account_id bigint not null references accounts (id),
  kind text not null check (kind in ('console', 'links')),
  unique (account_id, kind)
);

-- The account that a mail is about: its look decides the name in it.
alter table mails add column account_id bigint;
