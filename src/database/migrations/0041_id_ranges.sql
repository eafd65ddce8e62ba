-- Recipients, timeline steps and events are kept in partitions by ranges of ids. Ids grow with time, so retention drops a
-- whole range, and the indexes that new rows go to stay small.

-- Which ranges there are. The ids of recipients and timeline steps are those of their messages.
create table id_ranges (
  kind text not null check (kind in ('messages', 'events')),
  first_id bigint not null,
  -- The first id after the range.
  end_id bigint not null,
  -- Null while the rows of the range are still in the default partition.
  made_at timestamptz default now(),
  -- When its first id was drawn, and when its last one was.
  opened_at timestamptz,
  closed_at timestamptz,
  -- Since when the messages that are left in it have not changed, and how many they are.
  settled_at timestamptz,
  left_count integer,
  -- Rows of removed messages leave it one by one, since too many messages are left in it; and whether all that were removed
  -- before are queued for that.
  is_released boolean not null default false,
  is_queued boolean not null default false,
  primary key (kind, first_id),
  check (first_id < end_id)
);

-- The partitioned tables, each with the column of its ranges and the storage settings of its partitions.
create function id_range_tables(of_kind text) returns table (name text, id_column text, storage text)
language sql immutable
as $$
  select given.name, given.id_column, given.storage
  from (
    values
      ('messages', 'recipients', 'message_id', 'with (fillfactor = 27)'),
      ('messages', 'timeline_steps', 'message_id', ''),
      ('events', 'events', 'id', '')
  ) as given (kind, name, id_column, storage)
  where kind = of_kind
$$;

-- Adds a partition. Attached, not made in place: statements on other partitions don't wait.
create function add_id_partition(of_table text, partition text, storage text, bounds text) returns void
language plpgsql
as $$
begin
  execute format('create table %I (like %I including defaults including constraints) %s', partition, of_table, storage);
  execute format('alter table %I attach partition %I %s', of_table, partition, bounds);
end
$$;

-- Adds a range to all tables of a kind. The default partition must have no rows of it.
create function add_id_range(of_kind text, from_id bigint, to_id bigint) returns void
language sql
as $$
  insert into id_ranges (kind, first_id, end_id) values (of_kind, from_id, to_id);
  select add_id_partition(name, name || '_' || from_id, storage, format('for values from (%s) to (%s)', from_id, to_id))
  from id_range_tables(of_kind);
$$;

-- Makes the default partition, whose rows are all known to be below an id, the first range. A new default partition takes its
-- place, and ranges begin at that id.
create function close_first_range(of_kind text, at_id bigint) returns void
language plpgsql
as $$
declare
  one record;
begin
  for one in select * from id_range_tables(of_kind) loop
    execute format('alter table %I detach partition %I', one.name, one.name || '_default');
    execute format('alter table %I rename to %I', one.name || '_default', one.name || '_before');
    execute format(
      'alter table %I attach partition %I for values from (minvalue) to (%s)', one.name, one.name || '_before', at_id
    );
    execute format('alter table %I drop constraint %I', one.name || '_before', one.name || '_below');
    perform add_id_partition(one.name, one.name || '_default', one.storage, 'default');
  end loop;
  update id_ranges set made_at = now() where kind = of_kind and made_at is null;
  perform add_id_range(of_kind, first_id, first_id + 20000) from unnest(array[at_id, at_id + 20000]) as first_id;
end
$$;

-- Makes a table the default partition of a new partitioned table of its name. No row is read or moved. Of a table with rows,
-- a range can be added only once PostgreSQL knows that none of them is in it, and that takes a look at each row. The service
-- takes this look later, while it runs (src/database/move-to-ranges.ts).
create function partition_by_id(of_table text, id_column text) returns void
language plpgsql
as $$
declare
  definitions text[];
  one record;
begin
  select array_agg(
    coalesce(
      'alter table ' || of_table || ' add constraint ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid),
      pg_get_indexdef(indexrelid)
    )
    order by conname
  )
  into definitions
  from pg_index
  left join pg_constraint on conindid = indexrelid and contype = 'p'
  where indrelid = of_table::regclass;
  for one in select indexrelid::regclass::text as name from pg_index where indrelid = of_table::regclass loop
    execute format('alter index %I rename to %I', one.name, replace(one.name, of_table, of_table || '_default'));
  end loop;
  execute format('alter table %I rename to %I', of_table, of_table || '_default');
  execute format(
    'create table %I (like %I including defaults including constraints) partition by range (%I)',
    of_table, of_table || '_default', id_column
  );
  for index in 1 .. array_length(definitions, 1) loop
    execute definitions[index];
  end loop;
  execute format('alter table %I attach partition %I default', of_table, of_table || '_default');
end
$$;

-- It was never checked on old rows, and a table with such a constraint can't become a partition. Events are made only for
-- subscriptions, whose types are checked.
alter table events drop constraint events_type_check;

select partition_by_id(name, id_column)
from unnest(array['messages', 'events']) as kinds (kind)
cross join lateral id_range_tables(kind);

drop function partition_by_id;

-- A new database gets its first ranges. In others, the default partition refuses ids that are far ahead, so that ranges can
-- begin there once its rows are known to be below.
do $$
declare
  of_kind text;
  far_id bigint;
  has_rows boolean;
  partitioned record;
begin
  foreach of_kind in array array['messages', 'events'] loop
    execute format(
      'select last_value + 100000000, %s from %I',
      (select string_agg(format('exists (select from %I)', name), ' or ') from id_range_tables(of_kind)),
      case of_kind when 'messages' then 'message_ids' else 'event_ids' end
    )
    into far_id, has_rows;
    if has_rows then
      insert into id_ranges (kind, first_id, end_id, made_at, opened_at) values (of_kind, 0, far_id, null, to_timestamp(0));
      for partitioned in select * from id_range_tables(of_kind) loop
        execute format(
          'alter table %I add constraint %I check (%I < %s::bigint) not valid',
          partitioned.name || '_default', partitioned.name || '_below', partitioned.id_column, far_id
        );
      end loop;
    else
      perform add_id_range(of_kind, first_id, first_id + 20000) from unnest(array[0, 20000]) as first_id;
    end if;
  end loop;
end
$$;
