-- People to write to, on lists, and those who must not be written to.

create sequence contact_list_ids;

create table contact_lists (
  account_id bigint not null references accounts,
  id bigint not null,
  name text not null,
  -- Kept by whoever adds and removes contacts, never counted.
  contacts_count bigint not null default 0 check (contacts_count >= 0),
  rcs_capability text not null default 'unknown' check (rcs_capability in ('unknown', 'checking', 'ready')),
  created_at timestamptz not null default now(),
  -- Gone for everybody; its contacts are being removed in the background, and then the row.
  deleted_at timestamptz,
  primary key (account_id, id)
);

create index contact_lists_deleted on contact_lists (deleted_at) where deleted_at is not null;

create sequence contact_ids;

-- No foreign key to the list: for a million rows it costs more than storing them. Writers lock the list's row instead,
-- so that it can't be deleted under them.
create table contacts (
  account_id bigint not null,
  id bigint not null,
  list_id bigint not null,
  phone text not null check (phone ~ '^\+[1-9][0-9]{5,14}$'),
  -- Null is what was never given; an update leaves alone what it is not given.
  last_name text,
  first_name text,
  email text,
  address text,
  postal_code text,
  date text,
  city text,
  custom1 text,
  custom2 text,
  custom3 text,
  custom4 text,
  custom5 text,
  custom6 text,
  custom7 text,
  custom8 text,
  custom9 text,
  custom10 text,
  primary key (account_id, id),
  constraint contacts_phone_unique unique (account_id, list_id, phone)
);

create index contacts_of_list on contacts (account_id, list_id, id);

create sequence stop_ids;

create table stops (
  account_id bigint not null references accounts,
  id bigint not null,
  phone text not null,
  source text not null check (source in ('manual', 'file', 'reply')),
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  constraint stops_phone_unique unique (account_id, phone)
);
