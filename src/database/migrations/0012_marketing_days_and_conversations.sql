-- The operators' charter ends marketing at 21:30 since March 2026; Sundays and public holidays are for accounts that turn them on.

update accounts
set hours_end = '21:30'
where hours_end > '21:30';

alter table accounts
  drop constraint accounts_hours_end_check,
  add constraint accounts_hours_end_check check (hours_end > '08:00' and hours_end <= '21:30'),
  add column sundays_and_holidays boolean not null default false;

-- The last reply of a phone is found without reading the others.
drop index replies_of_phone;
create index replies_of_phone on replies (account_id, phone, id);
