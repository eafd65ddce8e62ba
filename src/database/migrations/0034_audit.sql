-- The audit trail: who did what, when, from where and for whom. Entries are added, never changed; old months are dropped.

create sequence audit_entry_ids;

-- No foreign keys: an entry stays when its account, person or object is gone.
create table audit_entries (
  id bigint not null default nextval('audit_entry_ids'),
  created_at timestamptz not null default now(),
  -- The account of whoever acted, and the account that was acted on; mostly the same.
  account_id bigint not null,
  on_account_id bigint not null,
  person_id bigint,
  key_id bigint,
  -- The account above from which the person only looked.
  viewed_from bigint,
  address text not null,
  operation text not null,
  object_kind text,
  object_id text,
  -- Names of fields, each with its value before and after.
  changes json,
  -- Such as a log-in with a wrong password.
  is_refused boolean not null default false,
  -- Sends are most of the trail; readers may leave them out.
  is_send boolean not null default false
) partition by range (created_at);

create index audit_entries_account on audit_entries (account_id, id);
create index audit_entries_acts on audit_entries (account_id, id) where not is_send;
create index audit_entries_all_acts on audit_entries (id) where not is_send;
create index audit_entries_on_account on audit_entries (on_account_id, id) where on_account_id <> account_id;

create function refuse_audit_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'Entries of the audit trail are never changed.' using errcode = 'insufficient_privilege';
end
$$;

-- Each partition gets a copy of this trigger.
create trigger audit_entries_stay before update or delete on audit_entries
for each row execute function refuse_audit_change();

create trigger audit_entries_stay_whole before truncate on audit_entries
for each statement execute function refuse_audit_change();

revoke update, delete, truncate on audit_entries from current_user;

-- Adds a partition. Attached, not made in place: writers of other months don't wait.
create function add_audit_partition(name text, bounds text) returns void
language plpgsql
as $$
begin
  execute format('create table %I (like audit_entries including defaults including constraints)', name);
  execute format('alter table audit_entries attach partition %I %s', name, bounds);
  execute format(
    'create trigger audit_entries_stay_whole before truncate on %I for each statement execute function refuse_audit_change()',
    name
  );
  execute format('revoke update, delete, truncate on %I from current_user', name);
end
$$;

-- Adds the partition of a month, unless it is there. A month whose entries are in the default partition stays there.
create function add_audit_month(month date) returns void
language plpgsql
as $$
declare
  name text := 'audit_entries_' || to_char(month, 'YYYY_MM');
  first_moment timestamptz := month::timestamp at time zone 'UTC';
  next_moment timestamptz := (month + interval '1 month') at time zone 'UTC';
begin
  if to_regclass(name) is not null
    or exists (select from audit_entries_default where created_at >= first_moment and created_at < next_moment) then
    return;
  end if;
  perform add_audit_partition(name, format('for values from (%L) to (%L)', first_moment, next_moment));
end
$$;

-- An entry is never refused for the lack of a month.
select add_audit_partition('audit_entries_default', 'default');

select add_audit_month((date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead))::date)
from generate_series(0, 2) as ahead;
