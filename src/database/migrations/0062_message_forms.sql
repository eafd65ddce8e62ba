-- A scheduled message can be replaced by another one: the two name each other. The fields that a campaign was sent with are
-- kept as they were written, so that it can be changed or sent again. A code has none: only a message with a name, a
-- scheduled one, or one of many recipients.

alter table messages add column replaces bigint;
alter table messages add column replaced_by bigint;

create table message_forms (
  account_id bigint not null,
  message_id bigint not null,
  kind text not null check (kind in ('numbers', 'dynamic', 'lists', 'file', 'rcs')),
  fields jsonb not null,
  primary key (account_id, message_id)
);
