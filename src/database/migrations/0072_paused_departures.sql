-- A scheduled message to segments has no batches before it departs, so a pause has to hold its departure.
alter table departures add column is_paused boolean not null default false;
