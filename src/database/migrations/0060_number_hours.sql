-- Each single send of an account with a limit of messages to a number writes a row of `number_hours`. A smaller row and a
-- shorter key cost it less: the hour as a number, and one hash of the account and the number.

alter table number_hours rename to number_hours_before;

create table number_hours (
  -- Hours since 1970.
  hour integer not null,
  -- Hashed: whoever erases a number leaves none here.
  number_key bigint not null,
  used integer not null,
  -- The limit as it was when the row was last written.
  allowed integer not null,
  constraint number_hours_within check (used <= allowed)
);

insert into number_hours (hour, number_key, used, allowed)
select floor(extract(epoch from hour_at) / 3600), hashint8extended(number_hash, account_id), used, allowed
from number_hours_before;

drop table number_hours_before;

alter table number_hours add primary key (hour, number_key);
