-- Pictures for the cards of RCS messages. The platform and phones fetch them without credentials, by a code that can't be guessed.
create sequence picture_ids as bigint;

create table pictures (
  account_id bigint not null,
  id bigint not null,
  code text not null unique,
  media_type text not null,
  width integer not null,
  height integer not null,
  bytes integer not null,
  sha256 bytea not null,
  -- When it was uploaded, or fetched, to the day: a picture that nobody asks for any more is removed.
  used_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  content bytea not null check (octet_length(content) <= 2097152),
  primary key (account_id, id),
  constraint pictures_once unique (account_id, sha256)
);

-- Formats of pictures are compressed already.
alter table pictures alter content set storage external;

create index pictures_used on pictures (used_at);
