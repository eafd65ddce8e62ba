import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { createBareDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, type Pool } from './database.ts'
import type { Value } from './sql.ts'

async function open(t: TestContext): Promise<Pool> {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'sql test', connectionsMax: 2 })
  atEnd(t, () => pool.close(1))
  return pool
}

test('values come back as they went in', async (t) => {
  const pool = await open(t)
  const texts = [
    '',
    'plain',
    'NULL',
    'null',
    'a b',
    ' ',
    ',',
    '{}',
    '"',
    '\\',
    '\\"',
    "'",
    '\n\t',
    'é 😀',
    '$1',
    'a.b-c_d+e:f'
  ]
  const cases: [type: string, value: Value][] = [
    ...texts.map((text): [string, Value] => ['text', text]),
    ['text', null],
    ['integer', -1],
    ['bigint', Number.MAX_SAFE_INTEGER],
    ['double precision', 0.1],
    ['boolean', true],
    ['boolean', false],
    ['timestamptz', new Date('2026-02-28T23:59:59.999Z')],
    ['date', new Date('2026-02-28T00:00:00Z')],
    ['bytea', Buffer.from([0, 1, 0x5c, 0x22, 0xff])],
    ['bytea', Buffer.alloc(0)],
    ['text[]', texts],
    ['text[]', []],
    ['text[]', ['a', null, '']],
    ['text[]', ['a', null, 'NULL']],
    ['text[]', ['a', null]],
    [
      'text[]',
      [
        ['a', 'b,c'],
        ['"', null]
      ]
    ],
    ['integer[]', [1, -2, 3]],
    ['bigint[]', [Number.MAX_SAFE_INTEGER, null]],
    ['boolean[]', [true, false, null]],
    ['double precision[]', [1.5, -0.25]],
    ['timestamptz[]', [new Date('2026-02-28T23:59:59.999Z'), null]],
    ['date[]', [new Date('2026-02-28T00:00:00Z')]],
    ['bytea[]', [Buffer.from([0, 0x5c, 0x22]), Buffer.alloc(0)]],
    ['uuid[]', ['0189f3a0-0000-7000-8000-000000000000']]
  ]
  for (const [type, value] of cases) {
    const [row] = await pool.unsafe<{ value: unknown }[]>(`select $1::${type} as value`, [value])
    assert.deepEqual(row?.value, value, `${type} ${JSON.stringify(value)}`)
  }
})

test('JSON keeps its keys, and columns are named as in TypeScript', async (t) => {
  const pool = await open(t)
  const given = { snake_key: [1, 'é"\\', null, { camelKey: true }] }
  const [row] = await pool`select ${pool.json(given)}::jsonb as my_value, '[1]'::json as _other, 1 as plain`
  assert.deepEqual(row, { myValue: given, _other: [1], plain: 1 })
})

test('a number that JavaScript can’t hold is an error of that statement alone', async (t) => {
  const pool = await open(t)
  await assert.rejects(
    pool`select 9007199254740993 as id`,
    (error: Error & { code?: string }) => /9007199254740993/.test(error.message) && error.code === undefined
  )
  assert.equal((await pool`select 1 as id`)[0]?.id, 1)
})

test('a statement that runs again on its connection answers as it did the first time', async (t) => {
  const pool = await open(t)
  const bytes = Buffer.from([0, 0x5c, 0xff])
  await pool.begin(async (sql) => {
    const values = (text: string | null, size: number) => sql`
      select ${text}::text as my_text, ${bytes}::bytea as bytes, ${[1, null]}::bigint[] as ids, null::integer as none
      from generate_series(1, ${size})
    `
    for (const [text, size] of [
      ['plain', 1],
      ['é 😀', 2],
      [null, 1],
      ['', 0],
      ['x'.repeat(100_000), 3]
    ] as const) {
      const rows = await values(text, size)
      assert.deepEqual(
        Array.from(rows),
        Array.from({ length: size }, () => ({ myText: text, bytes, ids: [1, null], none: null }))
      )
      assert.equal(rows.count, size)
    }
    await sql`create temporary table notes (id bigint)`
    for (const count of [1, 3, 0]) {
      const rows = await sql`insert into notes select generate_series(1, ${count})`
      assert.deepEqual([rows.length, rows.count], [0, count])
    }
    const alike = await Promise.all(['a', 'b', 'c'].map((text) => sql`select ${text}::text as text`))
    assert.deepEqual(
      alike.map(([row]) => row?.text),
      ['a', 'b', 'c']
    )
  })
})

test('a statement that failed runs again on its connection', async (t) => {
  const pool = await open(t)
  const divide = (by: number) => pool`select 12 / ${by}::integer as part`
  await assert.rejects(divide(0), { code: '22012' })
  assert.equal((await divide(3))[0]?.part, 4)
  await assert.rejects(divide(0), { code: '22012' })
  assert.equal((await divide(4))[0]?.part, 3)
  const read = (id: string) => pool`select ${id}::bigint as id`
  assert.equal((await read('1'))[0]?.id, 1)
  await assert.rejects(read('9007199254740993'), /9007199254740993/)
  assert.equal((await read('2'))[0]?.id, 2)
})

test('a statement whose table has changed answers with the new columns', async (t) => {
  const pool = await open(t)
  await pool`create table notes (id bigint)`
  await pool`insert into notes values (1)`
  const list = async () => Array.from(await pool`select * from notes`)
  for (let turn = 0; turn < 3; turn++) assert.deepEqual(await list(), [{ id: 1 }])
  await pool`alter table notes add column kind text default 'short', alter column id type text`
  for (let turn = 0; turn < 3; turn++) assert.deepEqual(await list(), [{ id: '1', kind: 'short' }])
})

test('a statement is made of parts, names and lists', async (t) => {
  const pool = await open(t)
  await pool`create table notes (id bigint primary key, kind_of_note text, text text)`
  await pool`insert into notes ${pool({ id: 1, kindOfNote: 'short', text: 'a "b"' })}`
  await pool`insert into notes ${pool({ id: 2, kindOfNote: 'long', text: null })}`
  const { count } = await pool`update notes set ${pool({ kindOfNote: 'old', text: 'c' })} where id = ${2}`
  assert.equal(count, 1)
  const wanted = (kind: string | null) => (kind === null ? pool`true` : pool`kind_of_note = ${kind}`)
  const columns = ['id', 'kindOfNote']
  const list = async (ids: number[], kind: string | null) =>
    Array.from(
      await pool`select ${pool(columns)} from ${pool('public.notes')} where id in ${pool(ids)} and ${wanted(kind)}`
    )
  assert.deepEqual(await list([1, 2, 3], 'old'), [{ id: 2, kindOfNote: 'old' }])
  assert.equal((await list([1, 2], null)).length, 2)
  assert.deepEqual(await list([], null), [])
})

test('a statement runs once, and only when it is awaited', async (t) => {
  const pool = await open(t)
  await pool`create sequence turns`
  const turn = pool<{ turn: number }[]>`select nextval('turns') as turn`
  assert.equal((await pool`select 1 from turns where is_called`).length, 0)
  assert.deepEqual([(await turn)[0]?.turn, (await turn)[0]?.turn], [1, 1])
})

test('what a statement can’t carry is refused before it is sent', async (t) => {
  const pool = await open(t)
  await assert.rejects(async () => pool`select ${undefined as never}`, TypeError)
  await assert.rejects(async () => pool`select ${[1, undefined as never]}`, TypeError)
  await assert.rejects(async () => pool`select ${{ plain: 'object' } as never}`, TypeError)
  const many = Array.from({ length: 65_536 }, (_, index) => index)
  await assert.rejects(async () => pool`select 1 where 1 in ${pool(many)}`, RangeError)
  assert.equal((await pool`select 1 where 1 in ${pool(many.slice(1))}`).length, 1)
})
