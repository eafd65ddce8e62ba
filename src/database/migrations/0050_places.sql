-- A database can be spread over the nodes of a Citus cluster (src/database/places.ts). What is here holds in every database.

-- Which accounts wrote to a phone, in a distributed database only: recipients are on the node of their account, and an answer
-- names a phone. Rows may repeat: to look for a row first takes no lock, and a lock would let two campaigns deadlock.
create table phone_accounts (
  phone text not null,
  account_id bigint not null,
  -- The first day of the month in which a message to the phone was stored.
  month date not null
);
create index phone_accounts_phone on phone_accounts (phone, account_id, month);
create index phone_accounts_month on phone_accounts (month);

-- The same for every database. In a distributed one it reads `phone_accounts`.
create view accounts_of_phones as select distinct phone, account_id from recipients;

-- A report of an RCS platform names a message, and not its account.
create index rcs_messages_message on rcs_messages (message_id);

-- Citus commits on all nodes or on none only if it knows a table that a transaction writes, and it knows no table with a
-- foreign key to one that it does not know. Accounts are never deleted.
alter table contact_lists drop constraint contact_lists_account_id_fkey;
