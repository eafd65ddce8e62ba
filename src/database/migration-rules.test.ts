import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { findFaults } from '../../test/database/migration-rules.ts'
import RELEASE_BEFORE from '../../test/journeys/release-before.json' with { type: 'json' }
import { LAST_BEFORE_RULE, readMigrations, worksWith } from './migrate.ts'

const RELEASED = [LAST_BEFORE_RULE, '0125_prices_elsewhere.sql']
const check = (text: string) => findFaults({ name: '0126_test.sql', text }, RELEASED)

test('every migration leaves the release before it working on the same database', async () => {
  const migrations = await readMigrations()
  // A migration of the same release says nothing about the release before.
  const released = migrations.map(({ name }) => name).filter((name) => name <= RELEASE_BEFORE.lastMigration)
  assert.ok(released.includes(LAST_BEFORE_RULE) && released.includes(RELEASE_BEFORE.lastMigration))
  const faults = migrations.flatMap((migration) => findFaults(migration, released))
  assert.deepEqual(faults, [])
})

const BAD: [rule: string, sql: string][] = [
  ['drop', 'drop table messages'],
  ['drop', 'DROP TABLE IF EXISTS messages'],
  ['drop', 'alter table messages drop column content'],
  ['drop', 'alter table if exists only messages drop content'],
  ['drop', 'alter table api_keys drop constraint api_keys_scopes_check'],
  ['drop', 'drop index messages_campaigns'],
  ['drop', 'drop function count_figures()'],
  ['rename', 'alter table messages rename column content to body'],
  ['rename', 'alter table messages rename to mails'],
  ['rename', 'alter index messages_campaigns rename to other'],
  ['type', 'alter table messages alter column id type numeric'],
  ['type', 'alter table messages alter id set data type numeric using id::numeric'],
  ['required', 'alter table messages add column tag text not null'],
  ['required', 'alter table messages add column tag text not null default null'],
  ['required', 'alter table messages add column a text, add column tag text not null'],
  ['required', 'alter table messages alter column name set not null'],
  ['check', 'alter table messages add constraint short check (length(content) < 9) not valid'],
  ['check', "alter table messages add column tag text check (tag <> '')"],
  ['unique', 'alter table messages add column tag text unique'],
  ['unique', 'alter table templates add constraint once unique (account_id, name)'],
  ['unique', 'create unique index templates_once on templates (account_id, name)'],
  ['reference', 'alter table messages add column person_id bigint references people'],
  ['reference', 'alter table messages add foreign key (account_id) references accounts'],
  ['reference', 'create table badges (id bigint primary key, person_id bigint not null references people (id))'],
  ['index', 'create index messages_tag on messages (tag)'],
  ['index', 'create index concurrently messages_tag on messages (tag)'],
  ['rewrite', 'alter table messages add column tag uuid not null default gen_random_uuid()'],
  ['rewrite', 'alter table messages add column tag bigserial'],
  ['rewrite', 'alter table messages add column size integer generated always as (length(content)) stored'],
  ['rewrite', 'alter table number_hours set unlogged'],
  ['rows', "update messages set state = 'sent'"],
  ['rows', 'delete from templates'],
  ['rows', 'truncate events'],
  ['rows', 'insert into message_types (id) values (9)'],
  [
    'replace',
    'create or replace function count_figures() returns trigger language plpgsql as $$ begin; return null; end $$'
  ],
  ['trigger', 'create trigger more after insert on messages for each row execute function count_figures()'],
  ['tables', 'alter table messages add column tag text; alter table recipients add column tag text'],
  ['rights', 'revoke update on messages from current_user'],
  ['unknown', 'do $$ begin drop table messages; end $$'],
  [
    'unknown',
    'do $$ begin if not exists (select from messages) then create index other on messages (id); end if; end $$'
  ],
  ['unknown', 'create table messages_9 partition of messages for values from (9) to (10)'],
  ['unknown', 'alter table messages alter column name set default 5'],
  ['unknown', 'lock table messages'],
  ['unknown', "select setval('message_ids', 1)"]
]

test('a migration that the release before could not live with is refused, with what to do instead', () => {
  for (const [rule, sql] of BAD) {
    const faults = check(`-- Why.\n${sql};`)
    assert.ok(
      faults.some((fault) => fault.startsWith(`0126_test.sql: ${rule}: `)),
      `${sql}: ${faults.join() || 'accepted'}`
    )
  }
  // Whatever stands before a bad statement does not hide it.
  const hidden =
    "create table one (a text default ';', b text); /* ; */ comment on table one is 'it''s; fine'; drop table messages"
  assert.equal(check(hidden).length, 1)
})

test('a migration that only adds is accepted, and may do anything to what it makes itself', () => {
  const good = `
    -- Badges of people; a comment with a semicolon.
    create sequence badge_ids as bigint;
    create unlogged table badges (
      account_id bigint not null references accounts,
      id bigint not null check (id > 0),
      person_id bigint references people (id) on delete cascade,
      kind text not null check (kind in ('a', 'b')),
      primary key (account_id, id)
    );
    create unique index badges_kind on badges (account_id, kind);
    alter table badges add column extra text not null, drop column kind;
    insert into badges select 1, 2;
    revoke update, delete on badges from current_user;
    create function refuse_badges() returns trigger language plpgsql as $$ begin; raise exception 'no'; end $$;
    create trigger badges_stay before update on badges for each statement execute function refuse_badges();
    alter table messages add column badge_id bigint, add column badges numeric(9, 2) not null default 0;
    alter table messages add column badged_at timestamptz not null default now();
    alter table api_keys add column badges_per_day integer check (badges_per_day > 0);
    alter table messages set (fillfactor = 90);
    do $$
    begin
      if not exists (select from messages) then
        create index messages_campaigns on messages (account_id, id);
      end if;
    end
    $$;
  `
  assert.deepEqual(check(good), [])
})

test('a comment allows what the rules refuse, with a reason and the release that works with it', () => {
  const drop = 'alter table messages drop column content;'
  const allowed = `-- allow drop (works with 0125_prices_elsewhere.sql): the release of 0125\n-- neither reads nor writes it.\n${drop}`
  assert.deepEqual(check(allowed), [])
  assert.deepEqual(worksWith({ name: '0126_test.sql', text: allowed }), ['0125_prices_elsewhere.sql'])
  assert.deepEqual(check(`-- allow drop (works with all): no release has ever used this column.\n${drop}`), [])
  assert.deepEqual(worksWith({ name: '0126_test.sql', text: drop }), [])
  const refused: [RegExp, string][] = [
    [/needs a reason/, `-- allow drop (works with all): unused\n${drop}`],
    [
      /the release before has no migration 0999/,
      `-- allow drop (works with 0999_x.sql): nobody has read it for years.\n${drop}`
    ],
    [/drop: The release before/, `-- allow rename (works with all): nobody has read it for years.\n${drop}`],
    [/without need/, '-- allow drop (works with all): nobody has read it for years.\ncreate table one (id int);'],
    [/drop: The release before/, `-- allow drop: nobody has read it for years.\n${drop}`],
    // A comment belongs to the statement below it alone.
    [/drop: The release before/, `-- allow drop (works with all): nobody has read it for years.\n${drop}\n${drop}`]
  ]
  for (const [fault, text] of refused) assert.match(check(text).join('\n'), fault)
})
