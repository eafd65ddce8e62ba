-- A single send paid for two indexes of `number_hours`. The hour first in the key: old hours are found by it as well.

drop index number_hours_hour;

alter table number_hours
  drop constraint number_hours_pkey,
  add primary key (hour_at, account_id, number_hash);
