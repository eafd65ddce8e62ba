-- RCS agents belong to accounts: who may write as which agent, and what the platform tells of an agent.

-- An agent without a row is open to every account.
create table agents (
  agent_id text primary key,
  -- Only accounts with a grant may use it. The first grant sets it; without the last grant nobody may use it.
  is_restricted boolean not null default false,
  -- What the platform told at the last look; null where it did not tell.
  display_name text,
  logo_url text,
  launches jsonb not null default '[]',
  looked_at timestamptz,
  problem text
);

create table agent_grants (
  agent_id text not null references agents,
  account_id bigint not null references accounts,
  -- The parent that passed its own grant on; null: the operator granted it.
  passed_by bigint references accounts,
  created_at timestamptz not null default now(),
  primary key (agent_id, account_id)
);

create index agent_grants_account on agent_grants (account_id);
