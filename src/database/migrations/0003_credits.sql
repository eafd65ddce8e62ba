-- Credits: an append-only ledger per account and message type, and the balance that its entries add up to.

create table message_types (
  id smallint primary key,
  label text not null,
  -- Unit price in euros, shown to customers.
  price numeric(10, 4) not null check (price >= 0)
);

insert into message_types (id, label, price)
values (1, 'SMS', 0.05), (2, 'RCS', 0.08);

-- Too small for autovacuum ever to look at: unless told, the planner takes it for a thousand rows and plans anew each time.
analyze message_types;

create table credit_balances (
  account_id bigint not null references accounts,
  message_type smallint not null references message_types,
  available bigint not null default 0 constraint credit_balances_available_not_negative check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  spent bigint not null default 0 check (spent >= 0),
  -- How many entries there are; the next one's position is one more.
  entry_count bigint not null default 0,
  primary key (account_id, message_type)
)
with (fillfactor = 50);

-- One entry is one change of one balance, split over the four places where credits can be: available, reserved for a
-- message, spent, or elsewhere (another account, or outside the service). What leaves one place arrives in another.
create table credit_entries (
  account_id bigint not null,
  message_type smallint not null,
  position bigint not null check (position > 0),
  reason text not null,
  -- What it was for: a message, say.
  reference text,
  -- Which part of it, of a refund.
  part text,
  available bigint not null default 0,
  reserved bigint not null default 0,
  spent bigint not null default 0,
  elsewhere bigint not null default 0,
  available_after bigint not null check (available_after >= 0),
  -- The two entries of a transfer carry the same id, and each the other's account.
  transfer_id uuid,
  counterparty_id bigint references accounts,
  -- Whose message this was: not the account itself when a sub-account spends its parent's credits.
  spender_id bigint,
  created_at timestamptz not null default now(),
  primary key (account_id, message_type, position),
  foreign key (account_id, message_type) references credit_balances,
  constraint credit_entries_sum_to_zero check (available + reserved + spent + elsewhere = 0),
  constraint credit_entries_transfer check ((transfer_id is null) = (counterparty_id is null)),
  constraint credit_entries_reason check (
    case reason
      when 'opening' then available > 0 and elsewhere = -available and transfer_id is null
      when 'issue' then available > 0 and elsewhere = -available and transfer_id is null
      when 'withdrawal' then available < 0 and elsewhere = -available and transfer_id is null
      when 'transfer' then available <> 0 and elsewhere = -available and transfer_id is not null
      when 'reserve' then available < 0 and reserved = -available and reference is not null and spender_id is not null
      when 'refund' then available > 0 and reserved = -available and reference is not null and part is not null and spender_id is not null
      when 'settle' then available = 0 and reserved < 0 and spent = -reserved and reference is not null and spender_id is not null
      else false
    end
  )
);

-- A part is given back once.
create unique index credit_entries_refund_unique on credit_entries (account_id, message_type, spender_id, reference, part)
where reason = 'refund';

-- Entries are added, never edited: the owner itself gives up the right to (a superuser could still).
revoke update, delete, truncate on credit_entries from current_user;

-- What is set aside for a message: taken when it is accepted, given back in parts, settled once.
create table credit_reservations (
  account_id bigint not null references accounts,
  message_type smallint not null,
  reference text not null,
  -- Who pays: the account, or its parent if it was in that mode when the message was accepted.
  payer_id bigint not null references accounts,
  amount bigint not null check (amount > 0),
  refunded bigint not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (account_id, message_type, reference),
  check (refunded between 0 and amount)
);
