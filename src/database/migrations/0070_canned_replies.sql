-- A canned reply is a text that the people of an account answer with again and again, chosen by its name. Templates are for
-- campaigns, and have a sender and an RCS form; those who answer would look for their few texts among them.
create sequence canned_reply_ids;

create table canned_replies (
  account_id bigint not null references accounts,
  id bigint not null,
  name text not null,
  content text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);
