-- What the people of an account did with a conversation: read it, gave it to somebody, closed it. All of them share it. Only
-- conversations with which something was done have a row.
create table conversation_states (
  account_id bigint not null references accounts,
  phone text not null,
  -- The last reply that was read.
  read_id bigint not null default 0,
  -- The last reply when it was closed: a later one opens it again.
  closed_id bigint,
  -- A person, who may have left the account since.
  assigned_to bigint,
  updated_at timestamptz not null default now(),
  primary key (account_id, phone)
);

-- Replies that came before are not news.
insert into conversation_states (account_id, phone, read_id)
select account_id, phone, max(id)
from replies
group by account_id, phone;
